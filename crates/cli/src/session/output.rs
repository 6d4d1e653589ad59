//! Writes results to stdout: those of a document, or of several that are processed in parallel, in
//! their order.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use absolve::Error;
use absolve_archive::jobs::Workers;
use absolve_files::{FileBuffers, FileOutcome, Item, ItemKind, Monitor, Report, Tree};
use absolve_site::report::Color;

use super::failure::Failure;
use super::signals::{SecondSignal, Signals};

use crate::terminal::{ColorChoice, Messages, StdoutReader, Verbosity, printable_path};

/// The verbosity of messages, and the color of results.
#[derive(Clone, Copy)]
pub struct Output {
    pub messages: Messages,
    /// The color of results.
    pub color: Color,
}

impl Output {
    pub fn new(color: ColorChoice, verbosity: Verbosity) -> Self {
        Self { messages: Messages::new(verbosity), color: color.stdout_color() }
    }
}

impl Sink for Output {
    fn print<T>(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
        to_stdout(write)
    }
}

/// Writes results to stdout by `write`, and flushes them before it returns.
pub fn to_stdout<T>(write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    let stdout = io::stdout().lock();
    let written = if stdout.is_terminal() {
        // A terminal gets each line at once.
        let mut stdout = stdout;
        write(&mut stdout).and_then(|written| stdout.flush().map(|()| written))
    } else {
        let mut stdout = BufWriter::new(stdout);
        write(&mut stdout).and_then(|written| stdout.flush().map(|()| written))
    };
    written.map_err(Failure::output)
}

/// Writes a file by `write`. A signal counts only when the file is complete, and is returned then,
/// so that no temporary file remains. A device or a pipe may block, so that a signal ends the
/// process at once.
pub fn write_uninterrupted(
    path: &Path,
    write: impl FnOnce() -> Result<(), Failure>,
) -> Result<Option<u8>, Failure> {
    let signals = (!is_special(path)).then(|| Signals::watch(SecondSignal::Ignored));
    write()?;
    Ok(signals.and_then(|signals| signals.received()))
}

/// Whether an output is a device or a pipe. Opening it would wait for a reader, so that its
/// metadata decides.
pub fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Writes a path and a line end to stdout.
pub fn print_path(path: &Path) -> Result<(), Failure> {
    let reader = StdoutReader::detect();
    to_stdout(|out| {
        match reader {
            StdoutReader::Person => out.write_all(printable_path(path).as_bytes())?,
            StdoutReader::Program => out.write_all(path.as_os_str().as_encoded_bytes())?,
        }
        out.write_all(b"\n")
    })
}

/// The reason that a document was not printed.
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
    /// Prints what `write` writes, completely before it returns.
    fn print<T>(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure>;
}

/// Maximum size of a buffered output, in bytes; a longer one is made again in its turn.
pub const MAX_BUFFERED: usize = 1 << 20;

/// Maximum bytes that wait for their turn; beyond that, output is made in its turn.
const MAX_WAITING: usize = 64 << 20;

/// Maximum number of documents that each thread may be ahead.
const MAX_AHEAD: usize = 16;

/// The time at which the output of a document is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Before the output of earlier documents is printed.
    Early,
    /// In its turn, straight to the sink.
    Own,
}

/// Counts the bytes of output that wait for their turn.
#[derive(Default)]
pub struct WaitingOutput {
    bytes: AtomicUsize,
}

impl WaitingOutput {
    /// Makes output early, unless too much waits or it gets too long. An error means that it is
    /// made again.
    pub fn make<T>(
        &self,
        make: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> (Vec<u8>, io::Result<T>) {
        let mut out = BoundedBuffer(Vec::new());
        if self.bytes.load(Ordering::Relaxed) > MAX_WAITING {
            return (out.0, Err(io::ErrorKind::OutOfMemory.into()));
        }
        let result = make(&mut out);
        self.bytes.fetch_add(out.0.len(), Ordering::Relaxed);
        (out.0, result)
    }

    /// Prints output in its turn, or makes it again if it did not wait.
    pub fn print<T>(
        &self,
        sink: &impl Sink,
        (output, result): (Vec<u8>, io::Result<T>),
        make_again: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<T, Failure> {
        self.bytes.fetch_sub(output.len(), Ordering::Relaxed);
        match result {
            Ok(made) if output.is_empty() => Ok(made),
            Ok(made) => sink.print(|out| out.write_all(&output)).map(|()| made),
            Err(_) => sink.print(make_again),
        }
    }
}

/// Makes the output of each document of a tree in parallel by `make`, prints it in order, and
/// reports each document.
pub fn map_ordered(
    (workers, tree, monitor): (&Workers, &Tree, &dyn Monitor),
    sink: &impl Sink,
    make: impl Fn(&mut FileBuffers, &Item, Turn, &mut dyn Write) -> Result<Report, PrintError> + Sync,
    mut report: impl FnMut(&Item, Report),
) -> Result<(), Failure> {
    let items = tree.items();
    // The closure fails only if the output fails.
    let produce = |buffers: &mut FileBuffers, item: &Item, turn, out: &mut dyn Write| {
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
    let waiting = WaitingOutput::default();
    let work = |buffers: &mut FileBuffers, number: usize| {
        let make_early = |out: &mut dyn Write| produce(buffers, &items[number], Turn::Early, out);
        (!monitor.is_stopped()).then(|| waiting.make(make_early))
    };
    let mut result = Ok(());
    let mut own_buffers = FileBuffers::default();
    workers.map_ordered(items.len(), workers.threads() * MAX_AHEAD, work, |numbers, outputs| {
        for (item, output) in items[numbers].iter().zip(outputs) {
            let Some(output) = output else { return ControlFlow::Break(()) };
            let make_again = |out: &mut dyn Write| produce(&mut own_buffers, item, Turn::Own, out);
            match waiting.print(sink, output, make_again) {
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

/// A buffer that fails when its contents get too long.
pub struct BoundedBuffer(pub Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_BUFFERED {
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
