//! Divides rows among threads, and joins their outputs in order.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{mem, thread};

use pyo3::prelude::*;

use super::documents::{Batch, Documents, Rows, ThreadState};
use super::pool;

use crate::errors::{ArrayError, catch_panic};
use crate::options;
use crate::progress::{INTERVAL, Signals};

/// Reads the argument `threads`; 0, the default, means one thread per core.
pub(super) fn read_threads(threads: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    Ok(match threads.map(|threads| options::read_number("threads", threads)).transpose()? {
        None | Some(0) => thread::available_parallelism().map_or(1, NonZero::get),
        Some(threads) => threads,
    })
}

/// Makes the rows of each chunk of documents. The thread must not be attached to the interpreter.
///
/// # Errors
///
/// Returns the first error of a batch, or the exception of a signal.
pub(super) fn make_chunk_rows<R: Rows>(
    threads: usize,
    documents: &Documents,
    new_output: impl Fn() -> R + Sync,
) -> Result<Vec<R>, ArrayError> {
    let batches = documents.split_into_batches();
    let mut sizes = vec![0; documents.column.chunks.len()];
    for batch in &batches {
        sizes[batch.chunk] += estimate_size(batch.bytes);
    }
    let threads = threads.min(batches.len());
    if threads > 1 {
        return make_in_threads(threads, documents, &batches, &sizes, &new_output);
    }
    let new_output_of = |size: &usize| give_memory(new_output(), *size);
    let mut outputs: Vec<R> = sizes.iter().map(new_output_of).collect();
    let mut signals = Signals::new();
    let mut state = ThreadState::default();
    for batch in &batches {
        documents.add_rows(&mut state, batch, &mut outputs[batch.chunk])?;
        signals.check().map_err(ArrayError::Signal)?;
    }
    Ok(outputs)
}

/// Makes the rows in several threads.
fn make_in_threads<R: Rows>(
    threads: usize,
    documents: &Documents,
    batches: &[Batch],
    sizes: &[usize],
    new_output: &(impl Fn() -> R + Sync),
) -> Result<Vec<R>, ArrayError> {
    let outputs: Vec<R> = sizes.iter().map(|_| new_output()).collect();
    let memory = outputs.iter().zip(sizes);
    let memory = memory.map(|(output, size)| pool::take_scratch(*size.min(&output.max_block())));
    let mut memory: Vec<Vec<u8>> = memory.collect();
    let queue = Queue::new(batches, outputs, &mut memory);
    let work = || {
        let mut state = ThreadState::default();
        while let Some((number, batch)) = queue.next_batch() {
            let result = catch_panic(|| {
                let mut rows = give_memory(new_output(), estimate_size(batch.bytes));
                documents.add_rows(&mut state, batch, &mut rows)?;
                queue.finish(number, rows);
                Ok(())
            });
            if let Err(error) = result.map_err(ArrayError::Panic).flatten() {
                queue.lock().fail(number, error);
            }
        }
    };
    thread::scope(|scope| {
        let (sender, ended) = mpsc::channel::<()>();
        for _ in 0..threads {
            let (sender, work) = (sender.clone(), &work);
            let thread = move || {
                // Dropped when the thread ends; the last drop closes the channel.
                let _sender = sender;
                work();
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, thread) {
                queue.lock().fail(0, ArrayError::Thread(error));
            }
        }
        drop(sender);
        let mut signals = Signals::new();
        while ended.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Disconnected) {
            if let Err(error) = signals.check() {
                // The number 0 gives the exception precedence over the failures of later batches.
                queue.lock().fail(0, ArrayError::Signal(error));
            }
        }
    });
    let joined = queue.into_joined()?.into_iter().zip(memory);
    let finish = |((mut output, free, overflow), mut memory): (Joined<R>, Vec<u8>)| {
        memory.truncate(memory.len() - free);
        if let Some(blocks) = output.blocks() {
            *blocks = vec![memory];
        }
        for bytes in overflow {
            output.store(&bytes);
        }
        output
    };
    Ok(joined.map(finish).collect())
}

/// Gives an empty output memory for its bytes.
fn give_memory<R: Rows>(mut output: R, size: usize) -> R {
    let size = size.min(output.max_block());
    if let Some(blocks) = output.blocks() {
        *blocks = vec![pool::take_empty(size)];
    }
    output
}

/// Estimates the bytes of documents after rewriting: links are a tenth of a page, and get longer by
/// a prefix.
fn estimate_size(bytes: usize) -> usize {
    bytes / 8 * 9 + 256
}

/// Hands out batches in their order, and joins their outputs in the same order.
///
/// The bytes of a chunk go to memory that is written once: a batch gets its part as soon as all
/// batches before it are done, and its thread copies the bytes while they are in the cache of the
/// processor. The first write to a page of memory takes a third of the processor time of a single
/// thread on 49 MB of pages; all threads share it.
struct Queue<'m, O> {
    batches: &'m [Batch],
    state: Mutex<State<'m, O>>,
}

struct State<'m, O> {
    /// The next batch to hand out.
    next: usize,
    /// The next batch to join.
    next_joined: usize,
    /// Outputs that are not joined yet, by the numbers of their batches.
    finished: BTreeMap<usize, O>,
    chunks: Vec<Chunk<'m, O>>,
    /// The first failure, by the number of its batch.
    failure: Option<(usize, ArrayError)>,
}

struct Chunk<'m, O> {
    output: O,
    /// The rest of the memory for its bytes.
    free: &'m mut [u8],
    /// Bytes that did not fit into that memory.
    overflow: Vec<Vec<u8>>,
}

/// The output of a chunk without its bytes, the number of unused bytes at the end of its memory,
/// and the bytes beyond that memory.
type Joined<O> = (O, usize, Vec<Vec<u8>>);

impl<'m, O: Rows> Queue<'m, O> {
    /// Begins with empty outputs of chunks, whose bytes go to `memory`.
    fn new(batches: &'m [Batch], outputs: Vec<O>, memory: &'m mut [Vec<u8>]) -> Self {
        let chunk = |(output, memory): (O, &'m mut Vec<u8>)| Chunk {
            output,
            free: memory.as_mut_slice(),
            overflow: Vec::new(),
        };
        let state = State {
            next: 0,
            next_joined: 0,
            finished: BTreeMap::new(),
            chunks: outputs.into_iter().zip(memory).map(chunk).collect(),
            failure: None,
        };
        Self { batches, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State<'m, O>> {
        // A panic is recorded as a failure, so no output is used after it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands out the next batch with its number; `None` at the end, or after a failure.
    fn next_batch(&self) -> Option<(usize, &'m Batch)> {
        let mut state = self.lock();
        let number = state.next;
        let batch = self.batches.get(number)?;
        state.next += 1;
        Some((number, batch))
    }

    /// Takes the output of a batch, and joins all outputs whose turn has come. Copies their bytes
    /// without the lock.
    fn finish(&self, number: usize, output: O) {
        self.lock().finished.insert(number, output);
        while let Some((destination, bytes)) = self.join() {
            destination.copy_from_slice(&bytes);
            pool::put(bytes);
        }
    }

    /// Joins outputs up to the first whose bytes have to be copied; returns their destination and
    /// the bytes.
    fn join(&self) -> Option<(&'m mut [u8], Vec<u8>)> {
        let mut state = self.lock();
        loop {
            let number = state.next_joined;
            let mut next = state.finished.remove(&number)?;
            state.next_joined += 1;
            let chunk = &mut state.chunks[self.batches[number].chunk];
            let mut blocks = next.blocks().map(mem::take).unwrap_or_default();
            if let Err(error) = chunk.output.append(next) {
                state.fail(number, error);
                return None;
            }
            match &mut blocks[..] {
                [bytes] if chunk.overflow.is_empty() && bytes.len() <= chunk.free.len() => {
                    let (used, free) = mem::take(&mut chunk.free).split_at_mut(bytes.len());
                    chunk.free = free;
                    return Some((used, mem::take(bytes)));
                }
                _ => chunk.overflow.append(&mut blocks),
            }
        }
    }

    /// Returns the outputs of the chunks, after all threads have ended.
    ///
    /// # Errors
    ///
    /// Returns the first failure.
    fn into_joined(self) -> Result<Vec<Joined<O>>, ArrayError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, error)) = state.failure {
            return Err(error);
        }
        let chunks = state.chunks.into_iter();
        Ok(chunks.map(|Chunk { output, free, overflow }| (output, free.len(), overflow)).collect())
    }
}

impl<O> State<'_, O> {
    /// Records a failure, and stops handing out batches. The first batch that fails wins; those
    /// before this one are already handed out.
    fn fail(&mut self, number: usize, error: ArrayError) {
        self.next = usize::MAX;
        if self.failure.as_ref().is_none_or(|(failed, _)| number < *failed) {
            self.failure = Some((number, error));
        }
    }
}
