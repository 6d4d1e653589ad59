//! Many files at a time, with results in the order of the walk.

use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::read::Desk;

/// Files that a thread takes at a time: enough that taking them costs nothing, and
/// mostly in one folder.
const CHUNK: usize = 16;

/// Threads that work on files.
#[derive(Debug)]
pub struct Jobs {
    pool: ThreadPool,
    desks: Mutex<Vec<Desk>>,
}

impl Jobs {
    /// So many threads; 0 for as many as there are cores.
    ///
    /// # Errors
    ///
    /// If the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { pool, desks: Mutex::default() })
    }

    /// How many threads there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Works on the numbers up to `count`, `window` of them at a time, and gives each
    /// window's results to `finish` in order. No more than one window's results are
    /// held. Desks are new at the start and gone at the end: each is in a folder.
    pub fn in_order<T: Send>(
        &self,
        count: usize,
        window: usize,
        work: impl Fn(&mut Desk, usize) -> T + Sync,
        mut finish: impl FnMut(Range<usize>, Vec<T>) -> ControlFlow<()>,
    ) {
        let mut start = 0;
        while start < count {
            let numbers = start..count.min(start.saturating_add(window.max(1)));
            start = numbers.end;
            let results = self.pool.install(|| self.window(numbers.clone(), &work));
            if finish(numbers, results).is_break() {
                break;
            }
        }
        self.clear();
    }

    fn clear(&self) {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn window<T: Send>(
        &self,
        numbers: Range<usize>,
        work: &(impl Fn(&mut Desk, usize) -> T + Sync),
    ) -> Vec<T> {
        let chunks = numbers.len().div_ceil(CHUNK);
        let results: Vec<Vec<T>> = (0..chunks)
            .into_par_iter()
            .with_max_len(1)
            .map(|chunk| {
                let first = numbers.start + chunk * CHUNK;
                let mut desk = self.take_desk();
                let results =
                    (first..numbers.end.min(first + CHUNK)).map(|n| work(&mut desk, n)).collect();
                self.put_back(desk);
                results
            })
            .collect();
        results.into_iter().flatten().collect()
    }

    fn take_desk(&self) -> Desk {
        // A thread that panicked left whole desks.
        self.desks.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put_back(&self, mut desk: Desk) {
        desk.shrink();
        self.desks.lock().unwrap_or_else(PoisonError::into_inner).push(desk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_a_window_at_a_time() {
        for threads in [1, 4] {
            let jobs = Jobs::new(threads).unwrap();
            let mut seen = Vec::new();
            jobs.in_order(
                1000,
                100,
                |_, number| number * 2,
                |numbers, results| {
                    assert!(results.len() <= 100);
                    assert!(numbers.clone().map(|number| number * 2).eq(results));
                    seen.extend(numbers);
                    ControlFlow::Continue(())
                },
            );
            assert!(seen.into_iter().eq(0..1000));
        }
    }

    #[test]
    fn it_stops_when_it_is_told_to() {
        let mut windows = 0;
        Jobs::new(2).unwrap().in_order(
            1000,
            10,
            |_, _| (),
            |_, _| {
                windows += 1;
                if windows == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(windows, 3);
    }
}
