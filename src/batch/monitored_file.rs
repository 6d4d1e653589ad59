//! A file that reports the progress of reading.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::outcome::Monitor;
use super::read::open;

/// A file that reports to a [`Monitor`] how far it was read.
pub(crate) struct MonitoredFile<'w> {
    file: File,
    at: u64,
    size: u64,
    monitor: &'w dyn Monitor,
}

impl<'w> MonitoredFile<'w> {
    pub(crate) fn open(path: &Path, monitor: &'w dyn Monitor) -> io::Result<Self> {
        let file = open(path)?;
        let size = file.metadata()?.len();
        Ok(Self { file, at: 0, size, monitor })
    }
}

impl Read for MonitoredFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.at += count as u64;
        self.monitor.read_to(self.at, self.size);
        Ok(count)
    }
}

impl Seek for MonitoredFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = self.file.seek(to)?;
        Ok(self.at)
    }
}
