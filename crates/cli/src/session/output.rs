//! Writes results to stdout: the output of one document, or of several documents in their order.
//!
//! Threads render several documents at once, each into a buffer, where the output waits until the
//! output of earlier documents is printed. Buffers are bounded: if an output gets too long, or too
//! many bytes wait, the output is discarded, and the document is rendered again at its turn,
//! directly to stdout.

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
        write_to_stdout(write)
    }
}

/// Writes results to stdout by `write`, and flushes them before it returns.
pub fn write_to_stdout<T>(
    write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> Result<T, Failure> {
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

/// Writes a file by `write`. Defers signals until the file is complete, so no temporary file
/// remains, and returns the signal. Pipes and devices may block, so there a signal ends the process
/// at once.
pub fn write_uninterrupted(
    path: &Path,
    write: impl FnOnce() -> Result<(), Failure>,
) -> Result<Option<u8>, Failure> {
    let signals = (!is_special(path)).then(|| Signals::watch(SecondSignal::Ignored));
    write()?;
    Ok(signals.and_then(|signals| signals.received()))
}

/// Whether an output is a device or a pipe. Checks the metadata, since opening a pipe would block.
pub fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Writes a path and a line end to stdout.
pub fn print_path(path: &Path) -> Result<(), Failure> {
    let reader = StdoutReader::detect();
    write_to_stdout(|out| {
        match reader {
            StdoutReader::Person => out.write_all(printable_path(path).as_bytes())?,
            StdoutReader::Program => out.write_all(path.as_os_str().as_encoded_bytes())?,
        }
        out.write_all(b"\n")
    })
}

/// The reason why a document was not printed.
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

/// Maximum size of a buffered output, in bytes.
pub const MAX_BUFFERED: usize = 1 << 20;

/// Size of all waiting outputs, in bytes, above which documents are rendered only at their turn.
const MAX_WAITING: usize = 64 << 20;

/// Maximum number of documents per thread that may wait.
const MAX_AHEAD: usize = 16;

/// The phase of a run in which a document is rendered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before the output of earlier documents is printed, into a bounded buffer.
    Early,
    /// At its turn, directly to the sink.
    AtTurn,
}

/// Counts the bytes of output that wait for earlier documents.
#[derive(Default)]
pub struct WaitingBytes {
    count: AtomicUsize,
}

impl WaitingBytes {
    /// Renders a document into a buffer. Returns an error if too many bytes wait or the output gets
    /// too long; [`print`](Self::print) then renders the document again.
    pub fn render_early<T>(
        &self,
        render: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> (Vec<u8>, io::Result<T>) {
        let mut out = BoundedBuffer(Vec::new());
        if self.count.load(Ordering::Relaxed) > MAX_WAITING {
            return (out.0, Err(io::ErrorKind::OutOfMemory.into()));
        }
        let result = render(&mut out);
        self.count.fetch_add(out.0.len(), Ordering::Relaxed);
        (out.0, result)
    }

    /// Prints the buffered output of a document at its turn, or renders the document again.
    pub fn print<T>(
        &self,
        sink: &impl Sink,
        (output, result): (Vec<u8>, io::Result<T>),
        render_again: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<T, Failure> {
        self.count.fetch_sub(output.len(), Ordering::Relaxed);
        match result {
            Ok(rendered) if output.is_empty() => Ok(rendered),
            Ok(rendered) => sink.print(|out| out.write_all(&output)).map(|()| rendered),
            Err(_) => sink.print(render_again),
        }
    }
}

/// Renders the documents of a tree in parallel by `render`, prints their output in order, and
/// reports each file.
pub fn map_ordered(
    (workers, tree, monitor): (&Workers, &Tree, &dyn Monitor),
    sink: &impl Sink,
    render: impl Fn(&mut FileBuffers, &Item, Phase, &mut dyn Write) -> Result<Report, PrintError> + Sync,
    mut report: impl FnMut(&Item, Report),
) -> Result<(), Failure> {
    let items = tree.items();
    // The closure fails only if the output fails.
    let render_item = |buffers: &mut FileBuffers, item: &Item, phase, out: &mut dyn Write| {
        let outcome = match item.kind() {
            ItemKind::Document => match render(buffers, item, phase, out) {
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
    let waiting = WaitingBytes::default();
    let work = |buffers: &mut FileBuffers, number: usize| {
        let render_early =
            |out: &mut dyn Write| render_item(buffers, &items[number], Phase::Early, out);
        (!monitor.is_stopped()).then(|| waiting.render_early(render_early))
    };
    let mut result = Ok(());
    let mut turn_buffers = FileBuffers::default();
    workers.map_ordered(items.len(), workers.threads() * MAX_AHEAD, work, |numbers, outputs| {
        for (item, output) in items[numbers].iter().zip(outputs) {
            let Some(output) = output else { return ControlFlow::Break(()) };
            let render_again =
                |out: &mut dyn Write| render_item(&mut turn_buffers, item, Phase::AtTurn, out);
            match waiting.print(sink, output, render_again) {
                Ok(rendered) => report(item, rendered),
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

/// A buffer that fails when its contents exceed [`MAX_BUFFERED`].
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
