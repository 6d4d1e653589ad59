//! Long work in a thread of its own, while the thread of the caller reports its progress and looks
//! for signals.
//!
//! The threads that work never call Python: they count, and look whether they are to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use absolve::batch::Monitor;
use pyo3::prelude::*;

use crate::errors::{self, Failure};

/// The time between two reports: 20 a second.
const INTERVAL: Duration = Duration::from_millis(50);

/// Work that ended, and the exception that was to stop it.
pub(crate) struct Watched<T> {
    pub(crate) result: Result<T, Failure>,
    /// Of the progress callback, or of a signal such as `KeyboardInterrupt`. It may be raised after
    /// the work was done.
    pub(crate) raised: Option<PyErr>,
}

/// How far the work came.
pub(crate) struct Watch {
    unit: Unit,
    is_stopped: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
    is_finished: Mutex<bool>,
    finished: Condvar,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Files,
    /// Bytes of one large file, which may be read several times.
    Bytes,
}

impl Monitor for Watch {
    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn read(&self, _bytes: u64) {
        if self.unit == Unit::Files {
            self.done.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn read_to(&self, byte: u64, size: u64) {
        if self.unit == Unit::Bytes {
            self.total.store(size, Ordering::Relaxed);
            self.done.store(byte, Ordering::Relaxed);
        }
    }
}

impl Watch {
    fn new(unit: Unit) -> Self {
        Self {
            unit,
            is_stopped: AtomicBool::new(false),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            is_finished: Mutex::new(false),
            finished: Condvar::new(),
        }
    }

    /// Sets how much there is to do.
    pub(crate) fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Sets that all is done.
    pub(crate) fn complete(&self) {
        self.done.store(self.total.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    fn finish(&self) {
        *self.is_finished.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.finished.notify_all();
    }

    /// Waits for the end of the work, but no longer than to the next report; whether it ended.
    fn wait(&self) -> bool {
        let is_finished = self.is_finished.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.finished.wait_timeout_while(is_finished, INTERVAL, |finished| !*finished);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn counts(&self) -> (u64, u64) {
        let total = self.total.load(Ordering::Relaxed);
        // A second pass over some of the files counts them again.
        (self.done.load(Ordering::Relaxed).min(total), total)
    }
}

/// Calls a callback with counts that it was not called with yet.
struct Callback {
    function: Option<Py<PyAny>>,
    last: Option<(u64, u64)>,
}

impl Callback {
    /// Looks for signals, and reports the progress.
    fn report(&mut self, watch: &Watch) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            let counts = watch.counts();
            if let Some(function) = &self.function
                && counts.1 > 0
                && self.last != Some(counts)
            {
                self.last = Some(counts);
                function.call1(py, counts)?;
            }
            Ok(())
        })
    }
}

/// Works in another thread until the work ends; an exception of the callback or of a signal stops
/// it.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    unit: Unit,
    work: impl FnOnce(&Watch) -> T + Send,
) -> Watched<T> {
    let function = callback.filter(|callback| !callback.is_none()).map(|one| one.clone().unbind());
    let mut callback = Callback { function, last: None };
    let watch = &Watch::new(unit);
    py.detach(|| {
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let result = errors::catch(|| Ok(work(watch)));
                watch.finish();
                result
            });
            let mut raised = None;
            loop {
                let is_finished = watch.wait();
                if raised.is_none()
                    && let Err(error) = callback.report(watch)
                {
                    raised = Some(error);
                    watch.is_stopped.store(true, Ordering::Relaxed);
                }
                if is_finished {
                    break;
                }
            }
            let result = worker.join().unwrap_or_else(|_| Err(Failure::Panic(String::new())));
            Watched { result, raised }
        })
    })
}
