//! The segments of an archive, many at a time, with results in their order.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::segments::{Segment, Segments};
use crate::jobs::Workers;
use crate::rewrite::Buffers;

/// Bytes that are worked on at a time. Three times as much is buffered: what is read, what is
/// worked on, and what waits between.
const BATCH: usize = 8 << 20;

/// Segments that are worked on at a time.
const PIECES: usize = 4096;

/// Reads the segments of an archive in a thread of its own, works on them in those of `workers`,
/// and gives each result to `finish`, in order, until that breaks.
pub(super) fn map_ordered<R: Read + Send, T: Send, B>(
    segments: Segments<R>,
    workers: &Workers,
    work: impl Fn(&mut Buffers, &Segment) -> T + Sync,
    mut finish: impl FnMut(&Segment, T) -> ControlFlow<B>,
) -> io::Result<ControlFlow<B>> {
    // One batch waits while another is worked on and a third is read.
    let (sender, receiver) = sync_channel(1);
    thread::scope(|scope| {
        scope.spawn(move || read(segments, &sender));
        // When this ends, the one who reads finds that no one takes what it sends.
        for batch in receiver {
            let batch: Vec<Segment> = batch?;
            let mut flow = ControlFlow::Continue(());
            workers.map_ordered(
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

/// Sends the segments of an archive by the batch, until they end or no one takes them.
fn read<R: Read>(mut segments: Segments<R>, sender: &SyncSender<io::Result<Vec<Segment>>>) {
    let (mut batch, mut size) = (Vec::new(), 0);
    while let Some(segment) = segments.next() {
        match segment {
            Ok(segment) => {
                size += segment.size();
                batch.push(segment);
            }
            Err(error) => {
                // What was read before is worked on.
                let _ = sender.send(Ok(batch)).and_then(|()| sender.send(Err(error)));
                return;
            }
        }
        if size >= BATCH || batch.len() >= PIECES {
            if sender.send(Ok(std::mem::take(&mut batch))).is_err() {
                return;
            }
            size = 0;
        }
    }
    let _ = sender.send(Ok(batch));
}
