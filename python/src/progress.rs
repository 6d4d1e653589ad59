//! Long work in a thread of its own, while the thread of the caller reports its progress and looks
//! for signals.
//!
//! The threads that work never call Python: they count, and look whether they are to stop.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use absolve::batch::Monitor;
use pyo3::prelude::*;

use crate::errors::{self, InternalError};

/// The time between two reports, and between two looks for signals such as that of Ctrl-C: 20 a
/// second.
pub(crate) const INTERVAL: Duration = Duration::from_millis(50);

/// Asks the interpreter for signals, now and then.
pub(crate) struct Signals(Instant);

impl Signals {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    /// The exception of a signal's handler.
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

/// The exception of a signal's handler, which ends reading at once.
#[derive(Debug)]
pub(crate) struct Interrupt(pub(crate) PyErr);

impl std::fmt::Display for Interrupt {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Interrupt {}

/// Work that ended, and the exception that was to stop it.
pub(crate) struct Watched<T> {
    /// The result, or the message of a panic.
    pub(crate) result: Result<T, String>,
    /// Of the progress callback, or of a signal such as `KeyboardInterrupt`. It may come after the
    /// work was done.
    pub(crate) raised: Option<PyErr>,
}

impl<T> Watched<T> {
    /// The result; `name` is what was worked on.
    ///
    /// # Errors
    ///
    /// The exception that was to stop the work, and `InternalError` after a panic.
    pub(crate) fn finish(self, name: &Path) -> PyResult<T> {
        match (self.raised, self.result) {
            (Some(raised), _) => Err(raised),
            (None, Ok(result)) => Ok(result),
            (None, Err(panic)) => {
                let what = format!("a bug stopped it, please report it: {panic}");
                Err(InternalError::new_err(format!("{}: {what}", name.display())))
            }
        }
    }
}

/// How far the work came.
pub(crate) struct Watch {
    unit: Unit,
    is_stopped: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
    state: Mutex<State>,
    changed: Condvar,
}

/// What the two threads wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Working,
    /// The work waits for a report.
    Waiting,
    Finished,
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
            state: Mutex::new(State::Working),
            changed: Condvar::new(),
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

    /// Waits until the progress is reported, before what cannot be undone; whether to go on.
    pub(crate) fn goes_on(&self) -> bool {
        let state = self.set(State::Waiting);
        let waited = self.changed.wait_while(state, |state| *state == State::Waiting);
        drop(waited);
        !self.is_stopped()
    }

    fn set(&self, new: State) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = new;
        self.changed.notify_all();
        state
    }

    /// Waits until the work waits for a report or ends, but no longer than to the next report.
    fn wait(&self) -> State {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_working = |state: &mut State| *state == State::Working;
        let waited = self.changed.wait_timeout_while(state, INTERVAL, is_working);
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
                let result = errors::unwound(|| work(watch));
                drop(watch.set(State::Finished));
                result
            });
            let mut raised = None;
            loop {
                let state = watch.wait();
                if raised.is_none()
                    && let Err(error) = callback.report(watch)
                {
                    raised = Some(error);
                    watch.is_stopped.store(true, Ordering::Relaxed);
                }
                match state {
                    State::Working => {}
                    State::Waiting => drop(watch.set(State::Working)),
                    State::Finished => break,
                }
            }
            let result = worker.join().unwrap_or_else(|_| Err(String::new()));
            Watched { result, raised }
        })
    })
}
