//! The web archives of a crawl.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::batch::{self, Monitor, MonitoredFile};
use crate::container::wacz::Wacz;
use crate::container::warc::{Reader, RecordPosition};
use crate::container::{ByteRange, ContainerError, Format, Source, StoredArchive, path_of_member};

/// A web archive: a file, or a part of a WACZ file.
#[derive(Debug, Clone)]
pub struct Archive {
    file: PathBuf,
    /// Its name and its bytes in a WACZ file.
    member: Option<(String, Range<u64>)>,
}

impl Archive {
    /// The archives of a file, of which a WACZ file has several, or those below a folder, in the order
    /// of their names.
    ///
    /// # Errors
    ///
    /// If one cannot be read, the file is no web archive, or the folder has none.
    pub fn of_path(path: &Path) -> Result<Vec<Self>, ContainerError> {
        if !path.is_dir() {
            return Self::of_file(path);
        }
        let mut archives = Vec::new();
        let files = batch::files_below(path).map_err(ContainerError::Read)?;
        for file in files.iter().filter(|file| Format::of_name(file).is_archive()) {
            archives.extend(Self::of_file(file)?);
        }
        if archives.is_empty() {
            return Err(ContainerError::Invalid("no web archive is in it".to_owned()));
        }
        Ok(archives)
    }

    fn of_file(file: &Path) -> Result<Vec<Self>, ContainerError> {
        match Format::of_name(file) {
            Format::Warc => Ok(vec![Self { file: file.to_owned(), member: None }]),
            Format::Wacz => {
                let opened = batch::open(file).map_err(ContainerError::Read)?;
                let archives = Wacz::open(opened)?.archives()?;
                let member = |archive: StoredArchive| Self {
                    file: file.to_owned(),
                    member: Some((archive.name, archive.bytes)),
                };
                Ok(archives.into_iter().map(member).collect())
            }
            format => Err(ContainerError::Invalid(format!("{} is no web archive", format.noun()))),
        }
    }

    /// Its path, with its name in a WACZ file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        path_of_member(&self.file, self.member.as_ref().map(|(name, _)| &**name))
    }

    /// Opens it from its beginning.
    pub(super) fn open<'m>(&self, monitor: &'m dyn Monitor) -> io::Result<Reader<Source<'m>>> {
        Ok(self.source(monitor)?.reader())
    }

    /// Opens it for the record at a position alone.
    pub(super) fn open_at<'m>(
        &self,
        position: RecordPosition,
        monitor: &'m dyn Monitor,
    ) -> io::Result<Reader<Source<'m>>> {
        self.source(monitor)?.reader_at(position)
    }

    fn source<'m>(&self, monitor: &'m dyn Monitor) -> io::Result<Source<'m>> {
        let file = MonitoredFile::open(&self.file, monitor)?;
        let bytes = self.member.as_ref().map_or(0..u64::MAX, |(_, bytes)| bytes.clone());
        Ok(Source::Seekable(Box::new(ByteRange::new(file, bytes)?)))
    }
}
