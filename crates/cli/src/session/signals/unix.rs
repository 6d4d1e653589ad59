//! Signals of Unix, by signal-hook.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};

use super::second::SecondSignal;

/// Stores the number of each signal that ends a run.
pub(super) fn watch(second: SecondSignal, received: &Arc<AtomicUsize>) {
    // A file that would get too large is then an error of that file.
    let _ = register(SIGXFSZ, Arc::default());
    let is_received = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal)) {
        let number = usize::try_from(signal).unwrap_or(1);
        // Where one cannot be watched for, it ends the process as ever. Actions run in
        // the order of their registration: the first signal finds the flag unset.
        if second == SecondSignal::Ends {
            let flag = || is_received.clone();
            let _ = register_conditional_shutdown(signal, 128 + signal, flag());
            let _ = register(signal, flag());
        }
        let _ = register_usize(signal, received.clone(), number);
    }
}

/// Whether the process was started to ignore a signal; known only on Linux.
fn is_ignored(signal: i32) -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    let status =
        absolve_files::open("/proc/self/status".as_ref()).and_then(std::io::read_to_string);
    let ignored = status.ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
