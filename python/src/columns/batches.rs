//! Rows divided among threads, and their outputs in order.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{mem, thread};

use pyo3::prelude::*;

use super::documents::{Batch, Documents, Rows, ThreadState};
use super::pool;

use crate::errors::{Stop, catch_panic};
use crate::options;
use crate::progress::{INTERVAL, Signals};

/// Reads the argument `threads`: so many; 0, the default, for one a core.
pub(super) fn read_threads(threads: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    Ok(match threads.map(|threads| options::number("threads", threads)).transpose()? {
        None | Some(0) => thread::available_parallelism().map_or(1, NonZero::get),
        Some(threads) => threads,
    })
}

/// Makes the rows of each chunk of documents. It must not be attached to the interpreter.
///
/// # Errors
///
/// The first of those of a batch, and the exception of a signal.
pub(super) fn each_chunk<R: Rows>(
    threads: usize,
    documents: &Documents,
    output: impl Fn() -> R + Sync,
) -> Result<Vec<R>, Stop> {
    let batches = documents.batches();
    let mut sizes = vec![0; documents.column.chunks.len()];
    for batch in &batches {
        sizes[batch.chunk] += capacity(batch.bytes);
    }
    let threads = threads.min(batches.len());
    if threads > 1 {
        return in_threads(threads, documents, &batches, &sizes, &output);
    }
    let of_size = |size: &usize| with_memory(output(), *size);
    let mut outputs: Vec<R> = sizes.iter().map(of_size).collect();
    let mut signals = Signals::new();
    let mut state = ThreadState::default();
    for batch in &batches {
        documents.add_rows(&mut state, batch, &mut outputs[batch.chunk])?;
        signals.check().map_err(Stop::Signal)?;
    }
    Ok(outputs)
}

/// Does the work in several threads.
fn in_threads<R: Rows>(
    threads: usize,
    documents: &Documents,
    batches: &[Batch],
    sizes: &[usize],
    output: &(impl Fn() -> R + Sync),
) -> Result<Vec<R>, Stop> {
    let outputs: Vec<R> = sizes.iter().map(|_| output()).collect();
    let memory = outputs.iter().zip(sizes);
    let memory = memory.map(|(output, size)| pool::zeroed(*size.min(&output.max_block())));
    let mut memory: Vec<Vec<u8>> = memory.collect();
    let queue = Queue::new(batches, outputs, &mut memory);
    let run = || {
        let mut state = ThreadState::default();
        while let Some((number, batch)) = queue.begin() {
            let result = catch_panic(|| {
                let mut own = with_memory(output(), capacity(batch.bytes));
                documents.add_rows(&mut state, batch, &mut own)?;
                queue.finish(number, own);
                Ok(())
            });
            let result = result.unwrap_or_else(|message| Err(Stop::Panic(message)));
            if let Err(stop) = result {
                queue.lock().fail(number, stop);
            }
        }
    };
    thread::scope(|scope| {
        let (sender, ended) = mpsc::channel::<()>();
        for _ in 0..threads {
            let (sender, run) = (sender.clone(), &run);
            let thread = move || {
                let _ends = sender;
                run();
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, thread) {
                queue.lock().fail(0, Stop::Thread(error));
            }
        }
        drop(sender);
        let mut signals = Signals::new();
        while ended.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Disconnected) {
            if let Err(error) = signals.check() {
                // It is a failure before every batch.
                queue.lock().fail(0, Stop::Signal(error));
            }
        }
    });
    let joined = queue.into_joined()?.into_iter().zip(memory);
    let output = |((mut output, free, late), mut memory): (Joined<R>, Vec<u8>)| {
        memory.truncate(memory.len() - free);
        if let Some(blocks) = output.blocks() {
            *blocks = vec![memory];
        }
        for bytes in late {
            output.store(&bytes);
        }
        output
    };
    Ok(joined.map(output).collect())
}

/// An empty output, with memory for its bytes.
fn with_memory<R: Rows>(mut output: R, size: usize) -> R {
    let size = size.min(output.max_block());
    if let Some(blocks) = output.blocks() {
        *blocks = vec![pool::vector(size)];
    }
    output
}

/// Room for documents after rewriting: links are a tenth of a page, and the longer for their
/// prefix.
fn capacity(bytes: usize) -> usize {
    bytes / 8 * 9 + 256
}

/// Hands out batches in their order, and joins their outputs in the same order.
///
/// The bytes of a chunk have memory that is written once: a batch gets its part of it as soon as
/// all batches before it are done, and a thread copies them while they are in the cache of its
/// processor. The first write to a page of memory is what takes time: a third of the processor time
/// of one thread on 49 MB of pages, which all threads share.
struct Queue<'m, O> {
    batches: &'m [Batch],
    state: Mutex<State<'m, O>>,
}

struct State<'m, O> {
    /// The next batch to hand out.
    next: usize,
    /// The next batch to join.
    next_joined: usize,
    /// Outputs that are not joined, by the numbers of their batches.
    done: BTreeMap<usize, O>,
    chunks: Vec<Chunk<'m, O>>,
    /// The first failure, by the number of its batch.
    failure: Option<(usize, Stop)>,
}

struct Chunk<'m, O> {
    output: O,
    /// The rest of the memory for its bytes.
    free: &'m mut [u8],
    /// Bytes that follow those in the memory, which was too small.
    late: Vec<Vec<u8>>,
}

/// The output of a chunk without its bytes, the number of unused bytes at the end of its memory, and the
/// bytes that follow the memory.
type Joined<O> = (O, usize, Vec<Vec<u8>>);

impl<'m, O: Rows> Queue<'m, O> {
    /// The outputs of the chunks are empty; their bytes go to `memory`.
    fn new(batches: &'m [Batch], outputs: Vec<O>, memory: &'m mut [Vec<u8>]) -> Self {
        let chunk = |(output, memory): (O, &'m mut Vec<u8>)| Chunk {
            output,
            free: memory.as_mut_slice(),
            late: Vec::new(),
        };
        let state = State {
            next: 0,
            next_joined: 0,
            done: BTreeMap::new(),
            chunks: outputs.into_iter().zip(memory).map(chunk).collect(),
            failure: None,
        };
        Self { batches, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State<'m, O>> {
        // After a panic there is a failure, and no output is used.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next batch with its number; none after a failure.
    fn begin(&self) -> Option<(usize, &'m Batch)> {
        let mut state = self.lock();
        let number = state.next;
        let batch = self.batches.get(number)?;
        state.next += 1;
        Some((number, batch))
    }

    /// Takes the output of a batch.
    fn finish(&self, number: usize, output: O) {
        self.lock().done.insert(number, output);
        while let Some((place, bytes)) = self.join() {
            place.copy_from_slice(&bytes);
            pool::put(bytes);
        }
    }

    /// Joins outputs, up to one whose bytes have to be copied, and where to.
    fn join(&self) -> Option<(&'m mut [u8], Vec<u8>)> {
        let mut state = self.lock();
        loop {
            let number = state.next_joined;
            let mut next = state.done.remove(&number)?;
            state.next_joined += 1;
            let chunk = &mut state.chunks[self.batches[number].chunk];
            let mut blocks = next.blocks().map(mem::take).unwrap_or_default();
            if let Err(stop) = chunk.output.append(next) {
                state.fail(number, stop);
                return None;
            }
            match &mut blocks[..] {
                [bytes] if chunk.late.is_empty() && bytes.len() <= chunk.free.len() => {
                    let (place, free) = mem::take(&mut chunk.free).split_at_mut(bytes.len());
                    chunk.free = free;
                    return Some((place, mem::take(bytes)));
                }
                _ => chunk.late.append(&mut blocks),
            }
        }
    }

    /// The outputs of the chunks, after all threads have ended.
    ///
    /// # Errors
    ///
    /// The first failure.
    fn into_joined(self) -> Result<Vec<Joined<O>>, Stop> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, stop)) = state.failure {
            return Err(stop);
        }
        let chunks = state.chunks.into_iter();
        Ok(chunks.map(|Chunk { output, free, late }| (output, free.len(), late)).collect())
    }
}

impl<O> State<'_, O> {
    /// Hands out no more batches; those before this one have been handed out.
    fn fail(&mut self, number: usize, stop: Stop) {
        self.next = usize::MAX;
        if self.failure.as_ref().is_none_or(|(failed, _)| number < *failed) {
            self.failure = Some((number, stop));
        }
    }
}
