//! Results on stdout.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use absolve::batch;
use absolve::report::Color;

use super::failure::{Failure, reason};
use super::signals::{SecondSignal, Signals};
use super::status::Status;
use crate::terminal::{ColorChoice, Messages, Reader, Verbosity, printable_path};

/// The style of results and messages.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    pub(crate) messages: Messages,
    /// Whether results are colored.
    pub(crate) color: Color,
}

impl Output {
    pub(crate) fn new(color: ColorChoice, verbosity: Verbosity) -> Self {
        Self { messages: Messages::new(verbosity), color: color.of_stdout() }
    }
}

/// Writes results to stdout through `write`, and all of them before it returns.
pub(crate) fn to_stdout(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let stdout = io::stdout().lock();
    let written = if stdout.is_terminal() {
        // Line by line, as they come.
        let mut stdout = stdout;
        write(&mut stdout).and_then(|()| stdout.flush())
    } else {
        let mut stdout = BufWriter::new(stdout);
        write(&mut stdout).and_then(|()| stdout.flush())
    };
    written.map_err(|error| Failure::output(&error))
}

/// Writes a document to a file. A signal in the meantime counts once the file is complete, so that no
/// temporary file stays; a device or a pipe may block, and a signal ends that at once.
pub(crate) fn to_file(source: &Path, path: &Path, document: &[u8]) -> Result<Status, Failure> {
    let signals = (!is_special(path)).then(|| Signals::watch(SecondSignal::Ignored));
    batch::write_like(source, path, document).map_err(|error| {
        let what = format_args!("cannot write: {}; nothing was written", reason(&error));
        Failure::of(&printable_path(path), what)
    })?;
    let signal = signals.and_then(|signals| signals.received());
    Ok(signal.map_or(Status::Done, Status::Signal))
}

/// Whether an output is a device or a pipe, which is not opened to find out: that waits for a reader.
pub(crate) fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Writes a path to stdout, and ends the line.
pub(crate) fn path_to_stdout(path: &Path) -> Result<(), Failure> {
    let reader = Reader::of_stdout();
    to_stdout(|out| {
        match reader {
            Reader::Person => out.write_all(printable_path(path).as_bytes())?,
            Reader::Program => out.write_all(path.as_os_str().as_encoded_bytes())?,
        }
        out.write_all(b"\n")
    })
}
