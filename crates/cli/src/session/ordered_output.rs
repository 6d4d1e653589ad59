//! Output that is made for several documents in parallel, and printed in their order.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use absolve::Error;
use absolve_archive::jobs::Workers;
use absolve_files::{FileBuffers, FileOutcome, Item, ItemKind, Monitor, Report, Tree};

use crate::session::failure::Failure;

/// Why a document could not be printed.
pub enum PrintError {
    /// The document failed.
    Document(absolve_files::Failure),
    /// The output failed.
    Output(io::Error),
}

impl From<absolve_files::Failure> for PrintError {
    fn from(failure: absolve_files::Failure) -> Self {
        Self::Document(failure)
    }
}

impl From<Error> for PrintError {
    fn from(error: Error) -> Self {
        Self::Document(error.into())
    }
}

impl From<io::Error> for PrintError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The destination of output.
pub trait Sink {
    /// Prints what `write` writes, all of it before it returns.
    fn print<T>(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure>;
}

/// The longest output that is buffered; longer output is made again in its turn.
pub const MOST: usize = 1 << 20;

/// Bytes of output that may wait for their turn; beyond that, output is made in its turn.
const MOST_WAITING: usize = 64 << 20;

/// Documents that each thread may be ahead.
const AHEAD: usize = 16;

/// When the output of a document is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// While that of documents before it is not printed yet.
    Early,
    /// In its turn, straight to the sink.
    Own,
}

/// Output that waits for its turn.
#[derive(Default)]
pub struct Waiting {
    bytes: AtomicUsize,
}

impl Waiting {
    /// Makes output, unless much waits already or it gets too long; an error is that of the output.
    pub fn make<T>(
        &self,
        make: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> (Vec<u8>, io::Result<T>) {
        let mut out = BoundedBuffer(Vec::new());
        if self.bytes.load(Ordering::Relaxed) > MOST_WAITING {
            return (out.0, Err(io::ErrorKind::OutOfMemory.into()));
        }
        let result = make(&mut out);
        self.bytes.fetch_add(out.0.len(), Ordering::Relaxed);
        (out.0, result)
    }

    /// Prints output in its turn, or makes it again there if it could not wait.
    pub fn print<T>(
        &self,
        sink: &impl Sink,
        (output, result): (Vec<u8>, io::Result<T>),
        again: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<T, Failure> {
        self.bytes.fetch_sub(output.len(), Ordering::Relaxed);
        match result {
            Ok(made) if output.is_empty() => Ok(made),
            Ok(made) => sink.print(|out| out.write_all(&output)).map(|()| made),
            Err(_) => sink.print(again),
        }
    }
}

/// Makes the output of each document of a tree with `make` in parallel, and prints it in order.
pub fn map_ordered(
    (workers, tree, monitor): (&Workers, &Tree, &dyn Monitor),
    sink: &impl Sink,
    make: impl Fn(&mut FileBuffers, &Item, Turn, &mut dyn Write) -> Result<Report, PrintError> + Sync,
    mut report: impl FnMut(&Item, Report),
) -> Result<(), Failure> {
    let items = tree.items();
    // Fails only if the output fails.
    let one = |buffers: &mut FileBuffers, item: &Item, turn, out: &mut dyn Write| {
        let outcome = match item.kind() {
            ItemKind::Document => match make(buffers, item, turn, out) {
                Ok(report) => return Ok(report),
                Err(PrintError::Document(failure)) => FileOutcome::Failed(failure),
                Err(PrintError::Output(error)) => return Err(error),
            },
            ItemKind::Skipped(skip) => FileOutcome::Skipped(skip.clone()),
            ItemKind::Failed(failure) => FileOutcome::Failed(failure.clone()),
            _ => FileOutcome::Unchanged,
        };
        Ok(Report { outcome, documents: None })
    };
    let waiting = Waiting::default();
    let work = |buffers: &mut FileBuffers, number: usize| {
        let early = |out: &mut dyn Write| one(buffers, &items[number], Turn::Early, out);
        (!monitor.is_stopped()).then(|| waiting.make(early))
    };
    let mut result = Ok(());
    let mut own_buffers = FileBuffers::default();
    workers.map_ordered(items.len(), workers.threads() * AHEAD, work, |numbers, outputs| {
        for (item, output) in items[numbers].iter().zip(outputs) {
            let Some(output) = output else { return ControlFlow::Break(()) };
            let again = |out: &mut dyn Write| one(&mut own_buffers, item, Turn::Own, out);
            match waiting.print(sink, output, again) {
                Ok(done) => report(item, done),
                Err(failure) => {
                    result = Err(failure);
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    });
    result
}

/// A buffer that fails when the output gets too long.
pub struct BoundedBuffer(pub Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST {
            self.0 = Vec::new();
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
