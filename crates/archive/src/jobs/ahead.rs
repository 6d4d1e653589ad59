//! Parallel map that delivers results in order while the threads compute others.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{ThreadState, Workers};

/// Minimum results of a delivery, except for the last delivery: each one wakes the thread of the
/// caller.
const MIN_DELIVERED: usize = 64;

impl Workers {
    /// Maps the indices below `count`, and passes the results to `finish` in the thread of the
    /// caller, in order and several at a time, until `finish` breaks. Meanwhile the threads work on
    /// other indices. At most `ahead` indices are begun and not finished. A thread that finds no
    /// index drops its state, and is free for other work of `finish`.
    ///
    /// If threads waited for each other after each window, as in [`Workers::map_ordered`], they
    /// would wait for its largest page. With windows of 1,024 pages, an audit of openjdk-17-doc,
    /// with pages of up to 6 MB, took 1.13 s, and without 1.06 s (`absolve audit -j 2`, medians of
    /// 9).
    #[doc(hidden)]
    pub fn map_ahead<D: ThreadState, T: Send>(
        &self,
        count: usize,
        ahead: usize,
        work: impl Fn(&mut D, usize) -> T + Sync,
        finish: impl FnMut(Range<usize>, Vec<T>) -> ControlFlow<()>,
    ) {
        if let Some(pool) = &self.pool {
            let progress =
                Progress { next: 0, first: 0, count, threads: 0, results: BTreeMap::new() };
            let (ready, max_ahead) = (Condvar::new(), ahead.max(1));
            let queue = Queue { progress: Mutex::new(progress), ready, max_ahead };
            pool.in_place_scope(|scope| {
                queue.deliver(pool.current_num_threads(), finish, || {
                    scope.spawn(|_| queue.work(&work));
                });
            });
            return;
        }
        self.map_ordered(count, ahead.min(MIN_DELIVERED), work, finish);
    }
}

/// The indices that threads work on, and the results that wait for their turn.
struct Queue<T> {
    progress: Mutex<Progress<T>>,
    /// Wakes the thread that delivers.
    ready: Condvar,
    /// Maximum indices that are begun and not delivered.
    max_ahead: usize,
}

/// The progress: indices before `first` are delivered, and indices before `next` are begun.
struct Progress<T> {
    /// The next index to begin.
    next: usize,
    /// The first index whose result is not delivered.
    first: usize,
    /// The end of the indices; 0 ends the work.
    count: usize,
    /// Threads at work.
    threads: usize,
    results: BTreeMap<usize, T>,
}

impl<T> Queue<T> {
    fn lock(&self) -> MutexGuard<'_, Progress<T>> {
        // No thread panics while it has the lock.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a thread may begin the next index.
    fn has_room(&self, progress: &Progress<T>) -> bool {
        progress.next < progress.count.min(progress.first.saturating_add(self.max_ahead))
    }

    /// Whether a delivery is due: no index is left, or enough results wait, from the first index on.
    fn is_ready(&self, progress: &Progress<T>) -> bool {
        let Progress { first, count, results, .. } = progress;
        let left = count.saturating_sub(*first);
        let has_first = results.first_key_value().is_some_and(|(index, _)| index == first);
        left == 0 || has_first && results.len() >= left.min(self.max_ahead).min(MIN_DELIVERED)
    }

    /// Takes the next index; `None` ends the work of the thread.
    fn take_index(&self) -> Option<usize> {
        let mut progress = self.lock();
        if !self.has_room(&progress) {
            progress.threads -= 1;
            return None;
        }
        progress.next += 1;
        Some(progress.next - 1)
    }

    fn work<D: ThreadState>(&self, work: &impl Fn(&mut D, usize) -> T) {
        let _guard = StopOnPanic(self);
        let mut state = D::default();
        while let Some(index) = self.take_index() {
            let result = work(&mut state, index);
            state.shrink();
            let mut progress = self.lock();
            progress.results.insert(index, result);
            if self.is_ready(&progress) {
                self.ready.notify_one();
            }
        }
    }

    /// Passes results to `finish`; `start_thread` starts a thread.
    fn deliver(
        &self,
        threads: usize,
        mut finish: impl FnMut(Range<usize>, Vec<T>) -> ControlFlow<()>,
        start_thread: impl Fn(),
    ) {
        let _guard = StopOnPanic(self);
        loop {
            let mut progress = self.lock();
            if self.has_room(&progress) {
                (progress.threads..threads).for_each(|_| start_thread());
                progress.threads = threads;
            }
            let waited = self.ready.wait_while(progress, |progress| !self.is_ready(progress));
            let mut progress = waited.unwrap_or_else(PoisonError::into_inner);
            let first = progress.first;
            if first >= progress.count {
                return;
            }
            let mut results = Vec::new();
            while let Some(result) = progress.results.remove(&(first + results.len())) {
                results.push(result);
            }
            drop(progress);
            let end = first + results.len();
            if finish(first..end, results).is_break() {
                return self.stop();
            }
            self.lock().first = end;
        }
    }

    /// Ends the work after the indices that are begun.
    fn stop(&self) {
        self.lock().count = 0;
        self.ready.notify_all();
    }
}

/// Ends the work if a thread panics: the others would wait forever for its result.
struct StopOnPanic<'q, T>(&'q Queue<T>);

impl<T> Drop for StopOnPanic<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use absolve::Buffers;

    #[test]
    fn results_come_in_order_and_some_ahead() {
        for (threads, count, ahead) in
            [(1, 1000, 10), (4, 1000, 10), (4, 1000, 200), (3, 5, 100), (2, 0, 1)]
        {
            let finished = AtomicUsize::new(0);
            let mut seen = Vec::new();
            Workers::new(threads).map_ahead(
                count,
                ahead,
                |_: &mut Buffers, index| {
                    let finished = finished.load(Ordering::SeqCst);
                    assert!(index < finished + ahead);
                    index * 2
                },
                |indices, results| {
                    assert!(indices.clone().map(|index| index * 2).eq(results));
                    finished.store(indices.end, Ordering::SeqCst);
                    seen.extend(indices);
                    ControlFlow::Continue(())
                },
            );
            assert!(seen.into_iter().eq(0..count), "{threads} {count} {ahead}");
        }
    }

    #[test]
    fn it_stops_on_break() {
        for threads in [1, 3] {
            let mut seen = 0;
            Workers::new(threads).map_ahead(
                100_000,
                100,
                |_: &mut Buffers, _| (),
                |indices, _| {
                    seen = indices.end;
                    if seen >= 300 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            assert!((300..500).contains(&seen), "{seen}");
        }
    }

    #[test]
    fn the_threads_are_free_for_the_caller() {
        let (workers, mut seen) = (Workers::new(3), 0);
        workers.map_ahead(
            1000,
            10,
            |_: &mut Buffers, _| (),
            |indices, _| {
                let double = |_: &mut Buffers, index| index * 2;
                workers.map_ordered(10, 10, double, |_, results| {
                    seen += indices.len() * results.len();
                    ControlFlow::Continue(())
                });
                ControlFlow::Continue(())
            },
        );
        assert_eq!(seen, 10_000);
    }

    #[test]
    #[should_panic(expected = "index 150")]
    fn a_panic_ends_the_others() {
        Workers::new(3).map_ahead(
            100_000,
            100,
            |_: &mut Buffers, index| assert_ne!(index, 150, "index 150"),
            |_, _| ControlFlow::Continue(()),
        );
    }

    #[test]
    #[should_panic(expected = "after 100")]
    fn a_panic_of_the_caller_ends_the_others() {
        Workers::new(3).map_ahead(
            100_000,
            100,
            |_: &mut Buffers, _| (),
            |indices, _| {
                assert!(indices.end < 100, "after 100");
                ControlFlow::Continue(())
            },
        );
    }
}
