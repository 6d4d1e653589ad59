//! Results on stdout.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use absolve_site::report::Color;

use super::failure::Failure;
use super::ordered_output::Sink;
use super::signals::{SecondSignal, Signals};

use crate::terminal::{ColorChoice, Messages, Reader, Verbosity, printable_path};

/// The style of results and messages.
#[derive(Clone, Copy)]
pub struct Output {
    pub messages: Messages,
    /// Whether results are colored.
    pub color: Color,
}

impl Output {
    pub fn new(color: ColorChoice, verbosity: Verbosity) -> Self {
        Self { messages: Messages::new(verbosity), color: color.of_stdout() }
    }
}

impl Sink for Output {
    fn print<T>(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
        to_stdout(write)
    }
}

/// Writes results to stdout through `write`, and all of them before it returns.
pub fn to_stdout<T>(write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    let stdout = io::stdout().lock();
    let written = if stdout.is_terminal() {
        // Line by line, as they come.
        let mut stdout = stdout;
        write(&mut stdout).and_then(|written| stdout.flush().map(|()| written))
    } else {
        let mut stdout = BufWriter::new(stdout);
        write(&mut stdout).and_then(|written| stdout.flush().map(|()| written))
    };
    written.map_err(Failure::output)
}

/// Writes a file by `write`. A signal in the meantime counts once the file is complete, and is
/// returned then, so that no temporary file stays; a device or a pipe may block, and a signal ends that
/// at once.
pub fn uninterrupted(
    path: &Path,
    write: impl FnOnce() -> Result<(), Failure>,
) -> Result<Option<u8>, Failure> {
    let signals = (!is_special(path)).then(|| Signals::watch(SecondSignal::Ignored));
    write()?;
    Ok(signals.and_then(|signals| signals.received()))
}

/// Whether an output is a device or a pipe, which is not opened to find out: that waits for a reader.
pub fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Writes a path to stdout, and ends the line.
pub fn path_to_stdout(path: &Path) -> Result<(), Failure> {
    let reader = Reader::of_stdout();
    to_stdout(|out| {
        match reader {
            Reader::Person => out.write_all(printable_path(path).as_bytes())?,
            Reader::Program => out.write_all(path.as_os_str().as_encoded_bytes())?,
        }
        out.write_all(b"\n")
    })
}
