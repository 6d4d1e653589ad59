//! Parallel map over an index range or a stream; results are delivered in order.

mod ahead;

use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use absolve::Buffers;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The state of a thread, which it reuses from one index to the next.
#[doc(hidden)]
pub trait ThreadState: Default + Send {
    /// Frees memory that a large document took.
    fn shrink(&mut self) {}
}

impl ThreadState for Buffers {}

/// Maximum bytes of a document whose memory is kept for the next document; most are smaller.
pub const MAX_KEPT: usize = 4 << 20;

/// Serializes the work on documents larger than 4 MiB.
///
/// Rewriting takes memory of a few times the size of a document. For documents up to 4 MiB, that is
/// little in each thread. Larger documents take it in one thread at a time.
#[must_use]
#[doc(hidden)]
pub fn lock_if_large(bytes: u64) -> Option<MutexGuard<'static, ()>> {
    static LARGE: Mutex<()> = Mutex::new(());
    // The lock protects no data that a panic could leave inconsistent.
    (bytes > MAX_KEPT as u64).then(|| LARGE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Maximum files in a chunk, which a thread takes at a time: taking a chunk costs little, and most
/// of its files are in one folder.
const MAX_CHUNK: usize = 16;

/// Chunks for each thread in a window of many files: no thread waits long for the last chunk.
const CHUNKS_PER_THREAD: usize = 64;

/// Threads that process files, or documents in a file.
///
/// ```
/// use absolve_archive::jobs::Workers;
///
/// assert!(Workers::new(2).threads() >= 1);
/// ```
#[derive(Debug)]
pub struct Workers {
    /// `None` to work in the thread of the caller alone: another thread takes 0.1 ms of CPU time
    /// (`absolve rewrite -n -j 1` of a folder with one page: 2.48 and 2.38 ms), and a second heap.
    ///
    /// The pool is reused, since two threads that were started for each window took 1.26 times the
    /// wall time (`absolve links -j 2` of 1,169 pages, interleaved).
    pool: Option<ThreadPool>,
}

impl Workers {
    /// Starts this number of threads; 0 means one thread for each core, and 1 means the thread of
    /// the caller, which also does all work if the system refuses threads.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        let threads = if threads == 0 { cores() } else { threads };
        let pool = || ThreadPoolBuilder::new().num_threads(threads).build().ok();
        Self { pool: (threads != 1).then(pool).flatten() }
    }

    /// Returns the number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        if let Some(pool) = &self.pool {
            return pool.current_num_threads();
        }
        1
    }

    /// Runs `work` in one of the threads.
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        if let Some(pool) = &self.pool {
            return pool.install(work);
        }
        work()
    }

    /// Maps the indices in all threads, and returns the results in order.
    fn map<T: Send>(
        &self,
        indices: Range<usize>,
        work: impl Fn(usize) -> T + Send + Sync,
    ) -> Vec<T> {
        if let Some(pool) = &self.pool {
            return pool.install(|| indices.into_par_iter().with_max_len(1).map(work).collect());
        }
        indices.map(work).collect()
    }

    /// Maps the indices below `count`, one window of `window` indices after the other, and passes
    /// the results of each window to `finish` in order, until `finish` breaks. Only the results of
    /// one window are in memory. Thread states live for this call.
    #[doc(hidden)]
    pub fn map_ordered<D: ThreadState, T: Send>(
        &self,
        count: usize,
        window: usize,
        work: impl Fn(&mut D, usize) -> T + Sync,
        mut finish: impl FnMut(Range<usize>, Vec<T>) -> ControlFlow<()>,
    ) {
        let pool = StatePool::default();
        let mut start = 0;
        while start < count {
            let indices = start..count.min(start.saturating_add(window.max(1)));
            start = indices.end;
            let results = pool.map_window(self, indices.clone(), &work);
            if finish(indices, results).is_break() {
                break;
            }
        }
    }
}

/// The thread states that no thread uses.
struct StatePool<D>(Mutex<Vec<D>>);

impl<D> Default for StatePool<D> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<D: ThreadState> StatePool<D> {
    fn map_window<T: Send>(
        &self,
        workers: &Workers,
        indices: Range<usize>,
        work: &(impl Fn(&mut D, usize) -> T + Sync),
    ) -> Vec<T> {
        let size = (indices.len() / (CHUNKS_PER_THREAD * workers.threads())).clamp(1, MAX_CHUNK);
        let map_chunk = |chunk: usize| -> Vec<T> {
            let first = indices.start + chunk * size;
            let mut state = self.take_state();
            let results =
                (first..indices.end.min(first + size)).map(|n| work(&mut state, n)).collect();
            self.return_state(state);
            results
        };
        let chunks = workers.map(0..indices.len().div_ceil(size), map_chunk);
        chunks.into_iter().flatten().collect()
    }

    fn take_state(&self) -> D {
        // A thread that panicked did not put its state back.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn return_state(&self, mut state: D) {
        state.shrink();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(state);
    }
}

impl Workers {
    /// Processes the items of each batch that `read` returns, up to the first `None`, and passes
    /// them with the results to `finish` in order, until `finish` breaks. While the threads process
    /// a batch, one of them reads the next batch. Thread states live for this call.
    ///
    /// The threads are idle during `finish`, which frees memory that they allocated: glibc would
    /// make them wait for each other. When `finish` ran beside the work, two threads took 0.83 s of
    /// processor time for 20,000 small records instead of 0.22 s.
    ///
    /// The first thread reads. It and at most the next `n` threads process a batch of `n` items:
    /// glibc keeps freed memory for the thread that allocated it, so large items took 220 MiB in
    /// any of eight threads, and 110 MiB in the same two.
    pub(crate) fn map_batches<D: ThreadState, I: Send + Sync, T: Send, B>(
        &self,
        read: impl FnMut() -> Option<Vec<I>> + Send,
        work: impl Fn(&mut D, &I) -> T + Sync,
        mut finish: impl FnMut(&I, T) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let pool = StatePool::default();
        let read = Mutex::new(read);
        let read = || read.lock().unwrap_or_else(PoisonError::into_inner)();
        let mut next = self.install(read);
        while let Some(batch) = next.take() {
            let queue = BatchQueue { items: &batch, pool: &pool, next: AtomicUsize::new(0) };
            let by_thread = self.run_in_threads(|thread| {
                let next_batch = (thread == 0).then(read);
                let is_needed = thread <= batch.len();
                (next_batch, if is_needed { queue.process(&work) } else { Vec::new() })
            });
            let mut results = Vec::new();
            for (next_batch, results_of_thread) in by_thread {
                next = next_batch.unwrap_or(next);
                results.extend(results_of_thread);
            }
            results.sort_unstable_by_key(|(index, _)| *index);
            for (item, (_, result)) in batch.iter().zip(results) {
                finish(item, result)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Runs `work` in every thread, with the number of the thread.
    fn run_in_threads<T: Send>(&self, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        if let Some(pool) = &self.pool {
            return pool.broadcast(|context| work(context.index()));
        }
        vec![work(0)]
    }
}

/// The items of a batch, which threads take one by one.
struct BatchQueue<'b, I, D> {
    items: &'b [I],
    pool: &'b StatePool<D>,
    next: AtomicUsize,
}

impl<I, D: ThreadState> BatchQueue<'_, I, D> {
    /// Processes items that no other thread takes, and returns their indices and results.
    fn process<T>(&self, work: impl Fn(&mut D, &I) -> T) -> Vec<(usize, T)> {
        let (mut state, mut results) = (self.pool.take_state(), Vec::new());
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = self.items.get(index) else { break };
            results.push((index, work(&mut state, item)));
            state.shrink();
        }
        self.pool.return_state(state);
        results
    }
}

#[cfg(test)]
mod tests {
    use absolve::Buffers;

    use super::*;

    #[test]
    fn results_come_in_order_and_a_window_at_a_time() {
        for threads in [1, 4] {
            let workers = Workers::new(threads);
            let mut seen = Vec::new();
            workers.map_ordered(
                1000,
                100,
                |_: &mut Buffers, index| index * 2,
                |indices, results| {
                    assert!(results.len() <= 100);
                    assert!(indices.clone().map(|index| index * 2).eq(results));
                    seen.extend(indices);
                    ControlFlow::Continue(())
                },
            );
            assert!(seen.into_iter().eq(0..1000));
        }
    }

    #[test]
    fn it_stops_on_break() {
        let mut windows = 0;
        Workers::new(2).map_ordered(
            1000,
            10,
            |_: &mut Buffers, _| (),
            |_, _| {
                windows += 1;
                if windows == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(windows, 3);
    }

    #[test]
    fn batches_come_in_order_and_the_next_is_read_meanwhile() {
        for threads in [1, 4] {
            let workers = Workers::new(threads);
            let (mut read, mut expected, mut found) = (0_usize, Vec::new(), Vec::new());
            let flow = workers.map_batches(
                || {
                    read += 1;
                    let batch: Vec<_> = (0..read % 20).map(|index| read * 100 + index).collect();
                    expected.extend(batch.iter().map(|index| index * 2));
                    (read <= 50).then_some(batch)
                },
                |_: &mut Buffers, &index: &usize| index * 2,
                |index, result| {
                    assert_eq!(index * 2, result);
                    found.push(result);
                    if result >= 9800 {
                        ControlFlow::Break("stop")
                    } else {
                        ControlFlow::Continue(())
                    }
                },
            );
            assert_eq!(flow, ControlFlow::Break("stop"));
            assert_eq!((read, found.last()), (50, Some(&9800)));
            assert!(expected.starts_with(&found), "{threads}");
        }
    }
}
