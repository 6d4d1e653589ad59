//! A source that reports the progress of reading.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::outcome::Monitor;
use super::read::open;

/// A source that reports to a [`Monitor`] how far it was read, and cannot be read once the run is
/// stopped: a WACZ archive reads members as a whole before it reports their first record.
pub(crate) struct Monitored<'w, R> {
    source: R,
    position: u64,
    size: u64,
    monitor: &'w dyn Monitor,
}

impl<'w, R> Monitored<'w, R> {
    /// A source of so many bytes, at its beginning.
    pub(crate) fn new(source: R, size: u64, monitor: &'w dyn Monitor) -> Self {
        Self { source, position: 0, size, monitor }
    }
}

/// A file that is read from its beginning.
pub(crate) type MonitoredFile<'w> = Monitored<'w, File>;

impl<'w> MonitoredFile<'w> {
    pub(crate) fn open(path: &Path, monitor: &'w dyn Monitor) -> io::Result<Self> {
        let file = open(path)?;
        let size = file.metadata()?.len();
        Ok(Self::new(file, size, monitor))
    }
}

impl<R: Read> Read for Monitored<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.monitor.is_stopped() {
            return Err(io::Error::other("interrupted"));
        }
        let read = self.source.read(into)?;
        self.position += read as u64;
        self.monitor.read_to(self.position, self.size);
        Ok(read)
    }
}

impl<R: Seek> Seek for Monitored<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = self.source.seek(to)?;
        Ok(self.position)
    }
}
