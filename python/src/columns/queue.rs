//! Batches that several threads work on, and their outputs in order.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::pool;
use super::stop::Stop;

/// The output of a batch, or of all batches of a chunk.
pub(super) trait Output: Send {
    /// Adds the output of the next batch, but its blocks.
    ///
    /// # Errors
    ///
    /// If the chunk becomes too large.
    fn append(&mut self, next: Self) -> Result<(), Stop>;

    /// The blocks of bytes of documents, if it has any.
    fn blocks(&mut self) -> Option<&mut Vec<Vec<u8>>> {
        None
    }

    /// Bytes that a block may have.
    fn max_block(&self) -> usize {
        0
    }

    /// Adds bytes of documents to the last block, or as another one.
    fn store(&mut self, _bytes: &[u8]) {}
}

/// Rows of a chunk that are worked on together.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) chunk: usize,
    /// In the chunk.
    pub(super) rows: Range<usize>,
    /// Of its documents.
    pub(super) bytes: usize,
}

/// Hands out batches in their order, and joins their outputs in the same order.
///
/// The bytes of a chunk have memory that is written once: a batch gets its part of it as soon as
/// all batches before it are done, and a thread copies them while they are in the cache of its
/// processor. The first write to a page of memory is what takes time: a third of the processor time
/// of one thread on 49 MB of pages, which all threads share.
pub(super) struct Queue<'m, O> {
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
    /// What is left of the memory for its bytes.
    free: &'m mut [u8],
    /// Bytes that follow those in the memory, which was too small.
    late: Vec<Vec<u8>>,
}

impl<'m, O: Output> Queue<'m, O> {
    /// The outputs of the chunks are empty; their bytes go to `memory`.
    pub(super) fn new(batches: &'m [Batch], outputs: Vec<O>, memory: &'m mut [Vec<u8>]) -> Self {
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
    pub(super) fn begin(&self) -> Option<(usize, &'m Batch)> {
        let mut state = self.lock();
        let number = state.next;
        let batch = self.batches.get(number)?;
        state.next += 1;
        Some((number, batch))
    }

    /// Takes the output of a batch.
    pub(super) fn finish(&self, number: usize, output: O) {
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

    /// Hands out no more batches; those before this one have been handed out.
    pub(super) fn fail(&self, number: usize, stop: Stop) {
        self.lock().fail(number, stop);
    }

    /// The output of each chunk without its bytes, after all threads have ended.
    ///
    /// # Errors
    ///
    /// The first failure.
    pub(super) fn into_chunks(self) -> Result<Vec<JoinedChunk<O>>, Stop> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, stop)) = state.failure {
            return Err(stop);
        }
        let joined = |Chunk { output, free, late }| JoinedChunk { output, free: free.len(), late };
        Ok(state.chunks.into_iter().map(joined).collect())
    }
}

impl<O> State<'_, O> {
    fn fail(&mut self, number: usize, stop: Stop) {
        self.next = usize::MAX;
        if self.failure.as_ref().is_none_or(|(failed, _)| number < *failed) {
            self.failure = Some((number, stop));
        }
    }
}

/// The output of a chunk, without its bytes.
pub(super) struct JoinedChunk<O> {
    output: O,
    /// Unused bytes at the end of its memory.
    free: usize,
    late: Vec<Vec<u8>>,
}

impl<O: Output> JoinedChunk<O> {
    /// The output with its bytes.
    pub(super) fn into_output(mut self, mut memory: Vec<u8>) -> O {
        memory.truncate(memory.len() - self.free);
        if let Some(blocks) = self.output.blocks() {
            *blocks = vec![memory];
        }
        for bytes in self.late {
            self.output.store(&bytes);
        }
        self.output
    }
}
