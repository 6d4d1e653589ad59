//! Output that is made for several documents in parallel, and printed in their order.

use std::io::{self, Write};
use std::ops::ControlFlow;

use crate::batch::{self, FileBuffers, FileOutcome, Item, Kind, Monitor, Report, Tree, Workers};

use crate::cli::session::failure::Failure;

/// Why a document could not be printed.
pub enum PrintError {
    /// The document failed.
    Document(batch::Failure),
    /// The output failed.
    Output(io::Error),
}

impl From<batch::Failure> for PrintError {
    fn from(failure: batch::Failure) -> Self {
        Self::Document(failure)
    }
}

impl From<crate::Error> for PrintError {
    fn from(error: crate::Error) -> Self {
        Self::Document(error.into())
    }
}

impl From<io::Error> for PrintError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The longest output that is buffered; longer output is made again in its turn, straight to
/// stdout.
pub const MOST: usize = 1 << 20;

/// Documents that each thread may be ahead.
const AHEAD: usize = 16;

/// Makes the output of each document of a tree with `print` in parallel, and prints it in order by
/// `to_stdout`.
pub fn map_ordered(
    (workers, tree, monitor): (&Workers, &Tree, &dyn Monitor),
    to_stdout: impl Fn(&mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure>,
    print: impl Fn(&mut FileBuffers, &Item, &mut dyn Write) -> Result<Report, PrintError> + Sync,
    mut report: impl FnMut(&Item, Report) -> ControlFlow<()>,
) -> Result<(), Failure> {
    let items = tree.items();
    let work = |buffers: &mut FileBuffers, number: usize| {
        if monitor.is_stopped() {
            return None;
        }
        let mut out = BoundedBuffer(Vec::new());
        let made = one(buffers, &items[number], &mut out, &print);
        Some((out.0, made))
    };
    let mut result = Ok(());
    let mut own_buffers = FileBuffers::default();
    workers.map_ordered(items.len(), workers.threads() * AHEAD, work, |numbers, made| {
        for (item, made) in items[numbers].iter().zip(made) {
            let Some((out, made)) = made else { return ControlFlow::Break(()) };
            let mut done = None;
            let printed = match made {
                Ok(made) => {
                    done = Some(made);
                    if out.is_empty() {
                        Ok(())
                    } else {
                        to_stdout(&mut |stdout| stdout.write_all(&out))
                    }
                }
                Err(_) => to_stdout(&mut |stdout| {
                    done = Some(one(&mut own_buffers, item, stdout, &print)?);
                    Ok(())
                }),
            };
            if let Err(failure) = printed {
                result = Err(failure);
                return ControlFlow::Break(());
            }
            if let Some(done) = done
                && report(item, done).is_break()
            {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    result
}

/// Prints one document; fails only if the output fails.
fn one(
    buffers: &mut FileBuffers,
    item: &Item,
    out: &mut dyn Write,
    print: &impl Fn(&mut FileBuffers, &Item, &mut dyn Write) -> Result<Report, PrintError>,
) -> io::Result<Report> {
    let outcome = match item.kind() {
        Kind::Document => match print(buffers, item, out) {
            Ok(report) => return Ok(report),
            Err(PrintError::Document(failure)) => FileOutcome::Failed(failure),
            Err(PrintError::Output(error)) => return Err(error),
        },
        Kind::Skipped(skip) => FileOutcome::Skipped(skip.clone()),
        Kind::Failed(failure) => FileOutcome::Failed(failure.clone()),
        _ => FileOutcome::Unchanged,
    };
    Ok(Report { outcome, documents: None })
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
