//! Processes the segments of an archive in parallel batches, with ordered results.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::segments::{Segment, Segments};
use crate::jobs::{StatePool, ThreadState, Workers};

/// Bytes of a batch. Three batches are in memory: one is read, one waits, one is processed.
const BATCH: usize = 8 << 20;

/// Maximum segments of a batch.
const SEGMENTS: usize = 4096;

/// Reads segments in a separate thread, processes them in `workers`, and passes the results to
/// `finish`, in order, until that breaks.
pub(super) fn map_ordered<R: Read + Send, D: ThreadState, T: Send, B>(
    segments: Segments<R>,
    workers: &Workers,
    work: impl Fn(&mut D, &Segment) -> T + Sync,
    mut finish: impl FnMut(&Segment, T) -> ControlFlow<B>,
) -> io::Result<ControlFlow<B>> {
    let (sender, receiver) = sync_channel(1);
    let pool = StatePool::default();
    thread::scope(|scope| {
        scope.spawn(move || read(segments, &sender));
        // When this loop ends, the receiver is dropped, which stops the reading thread.
        for batch in receiver {
            let batch: Vec<Segment> = batch?;
            let mut flow = ControlFlow::Continue(());
            workers.map_ordered_with(
                &pool,
                batch.len(),
                batch.len(),
                |buffers, number| work(buffers, &batch[number]),
                |_, done| {
                    flow = batch
                        .iter()
                        .zip(done)
                        .try_for_each(|(segment, done)| finish(segment, done));
                    ControlFlow::Continue(())
                },
            );
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Sends the segments of an archive in batches, until they end or the receiver is dropped.
fn read<R: Read>(mut segments: Segments<R>, sender: &SyncSender<io::Result<Vec<Segment>>>) {
    let (mut batch, mut size) = (Vec::new(), 0);
    while let Some(segment) = segments.next() {
        match segment {
            Ok(segment) => {
                size += segment.size();
                batch.push(segment);
            }
            Err(error) => {
                // Segments before the error are processed.
                let _ = sender.send(Ok(batch)).and_then(|()| sender.send(Err(error)));
                return;
            }
        }
        if size >= BATCH || batch.len() >= SEGMENTS {
            if sender.send(Ok(std::mem::take(&mut batch))).is_err() {
                return;
            }
            size = 0;
        }
    }
    let _ = sender.send(Ok(batch));
}
