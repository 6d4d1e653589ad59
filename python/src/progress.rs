//! Runs long work in a thread of its own, while the thread of the caller reports its progress and
//! checks for signals.
//!
//! The working threads never call Python: they update counters and check a flag that stops them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use absolve_cli::session::failure::Failure;
use absolve_files::Monitor;
use pyo3::prelude::*;

use crate::errors;

/// The time between two reports, and between two checks for signals such as Ctrl-C: 20 per second.
pub(crate) const INTERVAL: Duration = Duration::from_millis(50);

/// Checks for signals of the interpreter, at most once per interval.
pub(crate) struct Signals(Instant);

impl Signals {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    /// Returns the exception of a signal handler.
    pub(crate) fn check(&mut self) -> PyResult<()> {
        if self.0.elapsed() < INTERVAL {
            return Ok(());
        }
        self.0 = Instant::now();
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method has one lifetime"
        )]
        Python::attach(|py| py.check_signals())
    }
}

/// The progress of the work, and the request to stop it.
pub(crate) struct Watch {
    unit: ProgressUnit,
    is_stopped: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
    /// Sends whether the work has ended. The channel has no buffer, so sending waits until the
    /// thread of the caller receives the message.
    reports: SyncSender<bool>,
}

/// The unit of progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgressUnit {
    Files,
    /// Bytes of one large file, which may be read several times.
    Bytes,
}

impl Monitor for Watch {
    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn read(&self, _bytes: u64) {
        if self.unit == ProgressUnit::Files {
            self.done.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn read_to(&self, byte: u64, size: u64) {
        if self.unit == ProgressUnit::Bytes {
            self.total.store(size, Ordering::Relaxed);
            self.done.store(byte, Ordering::Relaxed);
        }
    }
}

impl Watch {
    /// Sets the amount of work.
    pub(crate) fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Marks all work as done.
    pub(crate) fn complete(&self) {
        self.done.store(self.total.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Waits until the progress is reported, before changes that cannot be undone. Returns whether
    /// the changes may follow.
    pub(crate) fn may_commit(&self) -> bool {
        self.complete();
        // The caller reports the progress after each message, so it has done that once when it
        // receives the second one. It waits until the work ends, so the channel is open.
        let _received = self.reports.send(false).and_then(|()| self.reports.send(false));
        !self.is_stopped()
    }

    /// Returns the amount of work that is done, and the whole amount.
    fn counts(&self) -> (u64, u64) {
        let total = self.total.load(Ordering::Relaxed);
        // A second pass counts some files again.
        (self.done.load(Ordering::Relaxed).min(total), total)
    }
}

/// Runs `work` on `path` in another thread. An exception of the callback, or of a signal such as
/// `KeyboardInterrupt`, stops the work.
///
/// # Errors
///
/// Returns that exception, even if it is raised after the work is done, or the exception of a
/// failure or a panic.
pub(crate) fn watch_work<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    unit: ProgressUnit,
    path: &Path,
    work: impl FnOnce(&Watch) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let function = callback.filter(|callback| !callback.is_none()).cloned().map(Bound::unbind);
    let (raised, result) = py.detach(|| {
        let (reports, receiver) = mpsc::sync_channel(0);
        let (done, total) = (AtomicU64::new(0), AtomicU64::new(0));
        let watch = &Watch { unit, is_stopped: AtomicBool::new(false), done, total, reports };
        let mut last = None;
        let mut report = || {
            Python::attach(|py| {
                py.check_signals()?;
                let counts = watch.counts();
                if let Some(function) = &function
                    && counts.1 > 0
                    && last != Some(counts)
                {
                    last = Some(counts);
                    function.call1(py, counts)?;
                }
                Ok(())
            })
        };
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let result = errors::catch_panic(|| work(watch));
                let _received = watch.reports.send(true);
                result
            });
            let mut raised = None;
            let mut has_ended = false;
            while !has_ended {
                has_ended = receiver.recv_timeout(INTERVAL).unwrap_or_default();
                if raised.is_none()
                    && let Err(error) = report()
                {
                    raised = Some(error);
                    watch.is_stopped.store(true, Ordering::Relaxed);
                }
            }
            (raised, worker.join().unwrap_or_else(|_| Err(String::new())))
        })
    });
    match (raised, result) {
        (Some(raised), _) => Err(raised),
        (None, Ok(result)) => result.map_err(|failure| errors::from_failure(py, failure)),
        (None, Err(panic)) => Err(errors::panic_exception(path, &panic)),
    }
}
