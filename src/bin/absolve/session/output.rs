//! Results on stdout.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use absolve::report::Color;

use super::failure::Failure;
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
