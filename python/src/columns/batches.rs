//! Rows divided among threads.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use absolve::Buffers;
use pyo3::prelude::*;

use super::bases::LastBase;
use super::column::Column;
use super::stop::Stop;
use crate::errors::unwound;
use crate::options;

/// What the work on a chunk gives.
pub(super) trait Output: Send {
    /// Adds the output of the next batch, which becomes empty and keeps its memory.
    ///
    /// # Errors
    ///
    /// If the chunk becomes too large.
    fn append(&mut self, next: &mut Self) -> Result<(), Stop>;
}

/// Rows of a chunk that are worked on together.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) chunk: usize,
    /// In the chunk.
    pub(super) rows: Range<usize>,
}

/// Memory of a thread.
#[derive(Debug, Default)]
pub(super) struct ThreadState {
    pub(super) buffers: Buffers,
    pub(super) last_base: LastBase,
}

/// The number of threads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Threads(usize);

/// How often signals are looked for, such as that of Ctrl-C.
const POLL: Duration = Duration::from_millis(50);

impl Threads {
    /// Reads the argument: so many; 0, the default, for one a core.
    pub(super) fn new(threads: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(Self(match threads.map(|threads| options::number("threads", threads)).transpose()? {
            None | Some(0) => thread::available_parallelism().map_or(1, NonZero::get),
            Some(threads) => threads,
        }))
    }

    /// Does the work on each batch of a column, and gives the output of each chunk. It must not
    /// be attached to the interpreter.
    ///
    /// # Errors
    ///
    /// The first of those of `work`, and the exception of a signal.
    pub(super) fn each_chunk<O: Output>(
        self,
        column: &Column,
        output: impl Fn() -> O + Sync,
        work: impl Fn(&mut ThreadState, &Batch, &mut O) -> Result<(), Stop> + Sync,
    ) -> Result<Vec<O>, Stop> {
        let batches = batches(column);
        let mut outputs: Vec<O> = column.chunks().iter().map(|_| output()).collect();
        let threads = self.0.min(batches.len());
        let mut signals = Signals::default();
        if threads <= 1 {
            // The output grows in one piece, and is not copied.
            let mut state = ThreadState::default();
            for batch in &batches {
                work(&mut state, batch, &mut outputs[batch.chunk])?;
                signals.check()?;
            }
            return Ok(outputs);
        }
        let next = AtomicUsize::new(0);
        // Outputs that were appended: memory that a thread has touched before.
        let unused = Mutex::new(Vec::new());
        let run = || {
            let mut state = ThreadState::default();
            let (batches, work, next) = (&batches, &work, &next);
            let empty = || lock(&unused).pop().unwrap_or_else(&output);
            std::iter::from_fn(move || {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let batch = batches.get(number)?;
                let mut output = empty();
                let result = unwound(|| work(&mut state, batch, &mut output));
                let result = result.unwrap_or_else(|message| Err(Stop::Panic(message)));
                Some((number, result.map(|()| output)))
            })
        };
        thread::scope(|scope| {
            // The bound keeps threads from running far ahead of what is appended.
            let (sender, receiver) = mpsc::sync_channel(2 * threads);
            for _ in 0..threads {
                let (sender, run) = (sender.clone(), &run);
                let work = move || run().try_for_each(|result| sender.send(result));
                thread::Builder::new().spawn_scoped(scope, work).map_err(Stop::Thread)?;
            }
            drop(sender);
            in_order(receiver, &mut signals, |number, mut result| {
                outputs[batches[number].chunk].append(&mut result)?;
                lock(&unused).push(result);
                Ok(())
            })
        })?;
        Ok(outputs)
    }
}

/// A panic cannot leave a list of outputs inconsistent.
fn lock<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes results in the order of their numbers. Where it ends early, the receiver is dropped, and
/// with it the threads end.
fn in_order<O>(
    receiver: Receiver<(usize, Result<O, Stop>)>,
    signals: &mut Signals,
    mut take: impl FnMut(usize, O) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut early = BTreeMap::new();
    let mut due = 0;
    loop {
        match receiver.recv_timeout(POLL) {
            Ok((number, result)) => {
                early.insert(number, result?);
                while let Some(output) = early.remove(&due) {
                    take(due, output)?;
                    due += 1;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        signals.check()?;
    }
}

/// Asks the interpreter for signals, now and then.
struct Signals {
    last: Instant,
}

impl Default for Signals {
    fn default() -> Self {
        Self { last: Instant::now() }
    }
}

impl Signals {
    fn check(&mut self) -> Result<(), Stop> {
        if self.last.elapsed() < POLL {
            return Ok(());
        }
        self.last = Instant::now();
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method has one lifetime"
        )]
        Python::attach(|py| py.check_signals()).map_err(Stop::Signal)
    }
}

/// The batches of a column: no larger than what keeps a thread busy for a millisecond.
fn batches(column: &Column) -> Vec<Batch> {
    const BYTES: usize = 512 << 10;
    const ROWS: usize = 4096;
    let mut batches = Vec::new();
    for (chunk, values) in column.chunks().iter().enumerate() {
        let (mut start, mut bytes) = (0, 0);
        let rows = column.rows(chunk).len();
        for row in 0..rows {
            bytes += values.get(row).map_or(0, <[u8]>::len);
            if bytes >= BYTES || row + 1 - start == ROWS || row + 1 == rows {
                batches.push(Batch { chunk, rows: start..row + 1 });
                (start, bytes) = (row + 1, 0);
            }
        }
    }
    batches
}
