//! Signals that end a run, after partial output is removed.
//!
//! Each system has its crate. signal-hook and ctrlc return at once from the handler of a console that is
//! closed, and Windows then ends the process; tokio's handler waits for its end, and its part for Unix
//! needs a runtime. ctrlc does not say which signal came, whose number the exit code has.

mod second;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use absolve_files::Monitor;
pub use second::SecondSignal;
#[cfg(unix)]
use unix::watch;
#[cfg(not(unix))]
use windows::watch;

/// Which signal was received, if any.
pub struct Signals {
    received: Arc<AtomicUsize>,
}

impl Signals {
    /// Watches for SIGINT, SIGTERM and SIGHUP; on Windows, for Ctrl-C, Ctrl-Break and the end of the
    /// console.
    ///
    /// A signal that the process was started to ignore, as `nohup` does, stays
    /// ignored.
    pub fn watch(second: SecondSignal) -> Self {
        let received = Arc::new(AtomicUsize::new(0));
        watch(second, &received);
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
