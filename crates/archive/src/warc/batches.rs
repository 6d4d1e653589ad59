//! Processes the segments of an archive in parallel batches, with ordered results.

use std::io::{self, Read};
use std::ops::ControlFlow;

use super::segments::{Segment, Segments};
use crate::jobs::{ThreadState, Workers};

/// Bytes of a batch. Two batches are in memory: one is read, one is processed.
const BATCH: usize = 2 << 20;

/// Maximum threads. One more has little to do while one reads, but keeps some 40 MiB of freed memory:
/// with four, pages of 4 MiB that were compressed to 40 KB took 244 MiB.
const MOST_THREADS: usize = 3;

/// Maximum segments of a batch.
const SEGMENTS: usize = 4096;

/// Maximum bytes of a Zstandard window beside which two batches are in memory; beside a larger one
/// there is one.
const MAX_SHARED_WINDOW: u64 = 32 << 20;

/// Reads and processes segments in the threads of `workers`, and passes the results to `finish`, in
/// order, until that breaks.
///
/// Any of them reads, so that `n` threads are `n` busy ones. One reads at a time, as the end of a
/// gzip member is only known when it is inflated.
pub(super) fn map_ordered<R: Read + Send, D: ThreadState, T: Send, B>(
    mut segments: Segments<R>,
    workers: &Workers,
    work: impl Fn(&mut D, &Segment) -> T + Sync,
    finish: impl FnMut(&Segment, T) -> ControlFlow<B>,
) -> io::Result<ControlFlow<B>> {
    let (mut failure, mut large, mut is_alone) = (None, None, false);
    // More threads take more memory.
    let fewer = (workers.threads() > MOST_THREADS).then(|| Workers::new(MOST_THREADS));
    let flow = fewer.as_ref().unwrap_or(workers).map_batches(
        || {
            // Nothing is read while an empty batch follows one that is processed.
            is_alone = !is_alone && segments.window() > MAX_SHARED_WINDOW;
            if is_alone { Some(Vec::new()) } else { read(&mut segments, &mut large, &mut failure) }
        },
        work,
        finish,
    );
    match failure {
        // Segments before the error are processed.
        Some(error) if flow.is_continue() => Err(error),
        _ => Ok(flow),
    }
}

/// The next batch of segments, which ends before an error. A large segment is a batch of its own;
/// `large` is the one that follows.
fn read<R: Read>(
    segments: &mut Segments<R>,
    large: &mut Option<Segment>,
    failure: &mut Option<io::Error>,
) -> Option<Vec<Segment>> {
    if let Some(segment) = large.take() {
        return Some(vec![segment]);
    }
    let (mut batch, mut size) = (Vec::new(), 0);
    while size < BATCH && batch.len() < SEGMENTS {
        match segments.next() {
            Some(Ok(segment)) if segment.size() > BATCH && !batch.is_empty() => {
                *large = Some(segment);
                break;
            }
            Some(Ok(segment)) => {
                size += segment.size();
                batch.push(segment);
            }
            Some(Err(error)) => {
                *failure = Some(error);
                break;
            }
            None => break,
        }
    }
    (!batch.is_empty()).then_some(batch)
}
