//! An output that takes nothing more once it is abandoned.

use std::cell::Cell;
use std::io::{self, Seek, SeekFrom, Write};
use std::rc::Rc;

/// An output of a [`ZipWriter`](zip::ZipWriter), which writes a table of contents when it is dropped,
/// also after an error, and prints if that fails.
pub(super) struct Abandonable<W> {
    output: W,
    position: u64,
    is_abandoned: Rc<Cell<bool>>,
}

/// Abandons an output when it is dropped.
pub(super) struct AbandonGuard {
    is_abandoned: Rc<Cell<bool>>,
}

impl Drop for AbandonGuard {
    fn drop(&mut self) {
        self.is_abandoned.set(true);
    }
}

impl<W> Abandonable<W> {
    pub(super) fn new(output: W) -> (Self, AbandonGuard) {
        let is_abandoned = Rc::new(Cell::new(false));
        let guard = AbandonGuard { is_abandoned: Rc::clone(&is_abandoned) };
        (Self { output, position: 0, is_abandoned }, guard)
    }
}

impl<W: Write> Write for Abandonable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_abandoned = self.is_abandoned.get();
        let written = if is_abandoned { bytes.len() } else { self.output.write(bytes)? };
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_abandoned.get() { Ok(()) } else { self.output.flush() }
    }
}

impl<W: Seek> Seek for Abandonable<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = match to {
            to if !self.is_abandoned.get() => self.output.seek(to)?,
            SeekFrom::Start(position) => position,
            SeekFrom::Current(distance) => self.position.saturating_add_signed(distance),
            SeekFrom::End(_) => self.position,
        };
        Ok(self.position)
    }
}
