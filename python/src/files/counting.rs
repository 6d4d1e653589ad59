//! Counts the bytes of a file that were read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use absolve::batch::Monitor;

use crate::progress::Watch;

/// A file, and the watch that has how far it was read.
pub(super) struct CountedFile<'w> {
    pub(super) file: File,
    pub(super) size: u64,
    pub(super) position: u64,
    pub(super) watch: &'w Watch,
}

impl Read for CountedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.position += read as u64;
        self.watch.read_to(self.position, self.size);
        Ok(read)
    }
}

impl Seek for CountedFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = self.file.seek(to)?;
        Ok(self.position)
    }
}
