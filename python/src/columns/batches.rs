//! Rows divided among threads.

use std::num::NonZero;
use std::ops::Range;
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
    /// Adds the output of the next batches; the first of a chunk is not copied.
    ///
    /// # Errors
    ///
    /// If the chunk becomes too large.
    fn append(&mut self, next: Self) -> Result<(), Stop>;
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
        let runs = Runs::new(batches.len(), threads);
        let run = |first: usize| {
            let mut state = ThreadState::default();
            let mut done = Vec::new();
            let mut own = first;
            while let Some(start) = runs.begin(&mut own) {
                let mut at = Part { start, chunk: batches[start].chunk, output: output() };
                while let Some(number) = runs.next(own) {
                    let batch = &batches[number];
                    if batch.chunk != at.chunk {
                        let next = Part { start: number, chunk: batch.chunk, output: output() };
                        done.push(std::mem::replace(&mut at, next));
                    }
                    let result = unwound(|| work(&mut state, batch, &mut at.output));
                    let result = result.unwrap_or_else(|message| Err(Stop::Panic(message)));
                    if let Err(stop) = result {
                        runs.fail(number, stop);
                    }
                }
                done.push(at);
            }
            done
        };
        let mut parts = thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for first in 0..threads {
                let (sender, run) = (sender.clone(), &run);
                // The main thread ends before the others only if it panics.
                let work = move || sender.send(run(first)).unwrap_or_default();
                thread::Builder::new().spawn_scoped(scope, work).map_err(|error| {
                    runs.end();
                    Stop::Thread(error)
                })?;
            }
            drop(sender);
            Ok::<_, Stop>(collect(&receiver, &mut signals, &runs))
        })?;
        runs.into_result()?;
        parts.sort_by_key(|part| part.start);
        for part in parts {
            outputs[part.chunk].append(part.output)?;
        }
        Ok(outputs)
    }
}

/// The output of some batches of a chunk, side by side.
struct Part<O> {
    /// The number of the first.
    start: usize,
    chunk: usize,
    output: O,
}

/// The batches, in a run for each thread. A thread without work takes half of what is left of the
/// longest run.
///
/// A run has its output in one piece: only those after the first of a chunk are copied, once. With
/// a copy of each batch, two threads took 1.2 times the processor time of one on 49 MB of pages.
struct Runs(Mutex<RunsState>);

struct RunsState {
    /// What is left of each.
    left: Vec<Range<usize>>,
    /// The first failure, by the number of its batch.
    failure: Option<(usize, Stop)>,
}

impl Runs {
    fn new(batches: usize, threads: usize) -> Self {
        let bound = |thread: usize| batches * thread / threads;
        let left = (0..threads).map(|thread| bound(thread)..bound(thread + 1)).collect();
        Self(Mutex::new(RunsState { left, failure: None }))
    }

    fn lock(&self) -> MutexGuard<'_, RunsState> {
        // A panic cannot leave the ranges inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first batch of a run, or of half of another one, whose number `own` becomes.
    fn begin(&self, own: &mut usize) -> Option<usize> {
        let mut state = self.lock();
        let RunsState { left, .. } = &mut *state;
        if left[*own].is_empty() {
            let longest =
                left.iter_mut().max_by_key(ExactSizeIterator::len).filter(|run| run.len() > 1)?;
            let middle = longest.start + longest.len().div_ceil(2);
            let half = middle..std::mem::replace(&mut longest.end, middle);
            *own = left.len();
            left.push(half);
        }
        Some(left[*own].start)
    }

    /// The next batch of a run; none after a failure that comes before it.
    fn next(&self, own: usize) -> Option<usize> {
        let mut state = self.lock();
        let number = state.left[own].next()?;
        let is_wanted = state.failure.as_ref().is_none_or(|(failed, _)| number < *failed);
        is_wanted.then_some(number)
    }

    fn fail(&self, number: usize, stop: Stop) {
        let mut state = self.lock();
        if state.failure.as_ref().is_none_or(|(failed, _)| number < *failed) {
            state.failure = Some((number, stop));
        }
        for run in &mut state.left {
            run.end = run.end.min(number);
        }
    }

    /// Ends every run.
    fn end(&self) {
        self.lock().left.iter_mut().for_each(|run| run.end = run.start);
    }

    fn into_result(self) -> Result<(), Stop> {
        let state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.failure.map_or(Ok(()), |(_, stop)| Err(stop))
    }
}

/// Takes the outputs of all threads; the exception of a signal is a failure before every batch.
fn collect<O>(
    receiver: &Receiver<Vec<Part<O>>>,
    signals: &mut Signals,
    runs: &Runs,
) -> Vec<Part<O>> {
    let mut parts = Vec::new();
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(done) => parts.extend(done),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return parts,
        }
        if let Err(stop) = signals.check() {
            runs.fail(0, stop);
        }
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
