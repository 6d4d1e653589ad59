//! Rows divided among threads.

use std::num::NonZero;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use pyo3::prelude::*;

use super::column::Column;
use super::documents::{Documents, Rows, ThreadState};
use super::pool;
use super::queue::{Batch, Queue};
use super::stop::Stop;
use crate::errors::unwound;
use crate::options;
use crate::progress::{INTERVAL, Signals};

/// The number of threads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Threads(usize);

impl Threads {
    /// Reads the argument: so many; 0, the default, for one a core.
    pub(super) fn new(threads: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(Self(match threads.map(|threads| options::number("threads", threads)).transpose()? {
            None | Some(0) => thread::available_parallelism().map_or(1, NonZero::get),
            Some(threads) => threads,
        }))
    }

    /// Makes the rows of each chunk of documents. It must not be attached to the interpreter.
    ///
    /// # Errors
    ///
    /// The first of those of a batch, and the exception of a signal.
    pub(super) fn each_chunk<R: Rows>(
        self,
        documents: &Documents,
        output: impl Fn() -> R + Sync,
    ) -> Result<Vec<R>, Stop> {
        let batches = batches(&documents.column);
        let mut sizes = vec![0; documents.column.chunks().len()];
        for batch in &batches {
            sizes[batch.chunk] += capacity(batch.bytes);
        }
        let threads = self.0.min(batches.len());
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
    let memory = memory.map(|(output, size)| pool::filled(*size.min(&output.max_block())));
    let mut memory: Vec<Vec<u8>> = memory.collect();
    let queue = Queue::new(batches, outputs, &mut memory);
    let run = || {
        let mut state = ThreadState::default();
        while let Some((number, batch)) = queue.begin() {
            let result = unwound(|| {
                let mut own = with_memory(output(), capacity(batch.bytes));
                documents.add_rows(&mut state, batch, &mut own)?;
                queue.finish(number, own);
                Ok(())
            });
            let result = result.unwrap_or_else(|message| Err(Stop::Panic(message)));
            if let Err(stop) = result {
                queue.fail(number, stop);
            }
        }
    };
    thread::scope(|scope| {
        let (sender, ended) = mpsc::channel();
        for _ in 0..threads {
            let (sender, run) = (sender.clone(), &run);
            let thread = move || {
                run();
                // The main thread ends before the others only if it panics.
                sender.send(()).unwrap_or_default();
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, thread) {
                queue.fail(0, Stop::Thread(error));
            }
        }
        drop(sender);
        let mut signals = Signals::new();
        while ended.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Disconnected) {
            if let Err(error) = signals.check() {
                // It is a failure before every batch.
                queue.fail(0, Stop::Signal(error));
            }
        }
    });
    let chunks = queue.into_chunks()?;
    Ok(chunks.into_iter().zip(memory).map(|(chunk, memory)| chunk.into_output(memory)).collect())
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
                batches.push(Batch { chunk, rows: start..row + 1, bytes });
                (start, bytes) = (row + 1, 0);
            }
        }
    }
    batches
}
