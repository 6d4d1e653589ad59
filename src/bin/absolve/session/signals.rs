//! Signals that end a run: what is half done is taken away first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use absolve::batch::Monitor;

/// Which signal was received, if any.
pub(crate) struct Signals {
    received: Arc<AtomicUsize>,
}

impl Signals {
    /// Watches for SIGINT, SIGTERM and SIGHUP. A second one changes nothing: they come
    /// in twos where a session ends, and what is half done is to be taken away.
    ///
    /// A signal that the process was started to ignore, as `nohup` does, stays
    /// ignored.
    pub(crate) fn watch() -> Self {
        let received = Arc::new(AtomicUsize::new(0));
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
            // A file that would get too large is then an error of that file.
            let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
            for signal in
                [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal))
            {
                let number = usize::try_from(signal).unwrap_or(1);
                // Where one cannot be watched for, it ends the process as ever.
                let _ = signal_hook::flag::register_usize(signal, received.clone(), number);
            }
        }
        Self { received }
    }

    /// The number of the signal.
    pub(crate) fn received(&self) -> Option<u8> {
        let number = self.received.load(Ordering::Relaxed);
        u8::try_from(number).ok().filter(|&number| number > 0)
    }
}

impl Monitor for Signals {
    fn is_stopped(&self) -> bool {
        self.received().is_some()
    }
}

/// Whether the process was started to ignore a signal; only Linux says.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status =
        absolve::batch::open("/proc/self/status".as_ref()).and_then(std::io::read_to_string);
    let ignored = status.ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
