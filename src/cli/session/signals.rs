//! Signals that end a run, after partial output is removed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[cfg(not(unix))]
use signal_hook::consts::SIGBREAK as CLOSED;
#[cfg(unix)]
use signal_hook::consts::SIGHUP as CLOSED;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};

use crate::batch::Monitor;

/// Which signal was received, if any.
pub struct Signals {
    received: Arc<AtomicUsize>,
}

/// What the second signal does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SecondSignal {
    /// It ends the process at once. A run that only prints may be blocked by a pipe that nobody
    /// reads, and the first signal does not end that.
    Ends,
    /// Nothing: the end of a session sends two signals, and partial output has to be removed.
    Ignored,
}

impl Signals {
    /// Watches for SIGINT, SIGTERM and SIGHUP; on Windows, for Ctrl-C, and for Ctrl-Break and the
    /// end of the console, both of which are SIGBREAK.
    ///
    /// A signal that the process was started to ignore, as `nohup` does, stays
    /// ignored.
    pub fn watch(second: SecondSignal) -> Self {
        let received = Arc::new(AtomicUsize::new(0));
        // A file that would get too large is then an error of that file.
        #[cfg(unix)]
        let _ = register(signal_hook::consts::SIGXFSZ, Arc::default());
        let is_received = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, CLOSED].into_iter().filter(|&signal| !is_ignored(signal)) {
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
        Self { received }
    }

    /// The number of the signal.
    pub fn received(&self) -> Option<u8> {
        let number = self.received.load(Ordering::Relaxed);
        u8::try_from(number).ok().filter(|&number| number > 0)
    }
}

impl Monitor for Signals {
    fn is_stopped(&self) -> bool {
        self.received().is_some()
    }
}

/// Whether the process was started to ignore a signal; known only on Linux.
fn is_ignored(signal: i32) -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    let status = crate::batch::open("/proc/self/status".as_ref()).and_then(std::io::read_to_string);
    let ignored = status.ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
