//! Signals that end a run after partial output is removed.
//!
//! Each system needs another crate. In the handler of a closing console, signal-hook and ctrlc
//! return at once, and Windows then ends the process; tokio waits there, but its part for Unix
//! needs a runtime. ctrlc does not report the number of the signal, which the exit code needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use absolve_files::Monitor;

/// The effect of a second signal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SecondSignal {
    /// Ends the process at once. A run that only prints may be blocked by a pipe that nobody reads,
    /// which the first signal does not end.
    Ends,
    /// Has no effect: the end of a session sends two signals, and partial output has to be removed.
    Ignored,
}

/// The last signal that was received, if any.
pub struct Signals {
    received: Arc<AtomicUsize>,
}

impl Signals {
    /// Watches for SIGINT, SIGTERM and SIGHUP; on Windows, for Ctrl-C, Ctrl-Break and the end of
    /// the console.
    ///
    /// On Linux, a signal that the process was started to ignore, as by `nohup`, stays ignored.
    pub fn watch(second: SecondSignal) -> Self {
        let received = Arc::new(AtomicUsize::new(0));
        system::watch(second, &received);
        Self { received }
    }

    /// Returns the number of the last signal, if any.
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

/// Signals of Unix, by signal-hook.
#[cfg(unix)]
mod system {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::flag::{register, register_conditional_shutdown, register_usize};

    use super::SecondSignal;

    /// Stores the number of each signal that ends a run.
    pub(super) fn watch(second: SecondSignal, received: &Arc<AtomicUsize>) {
        // A file that exceeds the limit of the system is then an error of that file.
        let _ = register(SIGXFSZ, Arc::default());
        let is_received = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal)) {
            let number = usize::try_from(signal).unwrap_or(1);
            // A signal that cannot be watched keeps its default effect. Actions run in the order of
            // registration, so the first signal finds the flag unset.
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
}

/// Events of the Windows console, by tokio, without its runtime.
#[cfg(not(unix))]
mod system {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Poll, Wake, Waker};
    use std::thread::{self, Thread};

    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};

    use super::SecondSignal;

    /// The numbers of SIGINT, SIGBREAK and SIGHUP, for Ctrl-C, Ctrl-Break and a closed console.
    const SIGNAL_NUMBERS: [usize; 3] = [2, 21, 1];

    /// Wakes the thread that waits for events.
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    /// Stores the number of each event that ends a run. An event that cannot be watched ends the
    /// process.
    pub(super) fn watch(second: SecondSignal, received: &Arc<AtomicUsize>) {
        let _ = wait_for_events(second, received.clone());
    }

    fn wait_for_events(second: SecondSignal, received: Arc<AtomicUsize>) -> io::Result<()> {
        let (mut interrupt, mut stop, mut close) = (ctrl_c()?, ctrl_break()?, ctrl_close()?);
        let wait = move || {
            let waker = Waker::from(Arc::new(Unpark(thread::current())));
            let mut context = Context::from_waker(&waker);
            loop {
                let events = [
                    interrupt.poll_recv(&mut context),
                    stop.poll_recv(&mut context),
                    close.poll_recv(&mut context),
                ];
                match events.iter().position(Poll::is_ready) {
                    Some(event) => received.store(SIGNAL_NUMBERS[event], Ordering::Relaxed),
                    None => thread::park(),
                }
                // Without listeners, the next event ends the process.
                if second == SecondSignal::Ends && received.load(Ordering::Relaxed) > 0 {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(wait).map(drop)
    }
}
