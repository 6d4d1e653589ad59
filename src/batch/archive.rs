//! The web archives of files and folders.

use std::io::{self, Cursor};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::monitored::MonitoredFile;
use super::outcome::Monitor;
use super::walk::archives_below;
#[cfg(feature = "wacz")]
use crate::container::wacz::Wacz;
use crate::container::{ByteRange, ContainerError, Format, Source, path_of_member};
#[cfg(feature = "crawl")]
use crate::container::{of_book, of_message};
#[cfg(feature = "crawl")]
use crate::link::Limits;

/// A web archive: a file, a part of a WACZ file, or what a message or a book is as one.
#[derive(Debug, Clone)]
pub struct Archive {
    file: PathBuf,
    /// Its name in a WACZ file.
    member: Option<String>,
    bytes: Range<u64>,
    /// What a message or a book is as an archive.
    records: Option<Arc<[u8]>>,
}

impl Archive {
    /// The archives of a file, of which a WACZ file has several, or those below a folder, in the order
    /// of their names.
    ///
    /// # Errors
    ///
    /// If one cannot be read, the file is none, or the folder has none.
    pub fn of_path(path: &Path) -> Result<Vec<Self>, ContainerError> {
        if !std::fs::metadata(path).map_err(ContainerError::Read)?.is_dir() {
            return Self::of_file(path, Format::of_name(path));
        }
        let mut archives = Vec::new();
        for file in archives_below(path, Self::is_in, |_| false).map_err(ContainerError::Read)? {
            archives.extend(Self::of_file(&file, Format::of_name(&file))?);
        }
        if archives.is_empty() {
            return Err(ContainerError::Invalid("no web archive is in it".to_owned()));
        }
        Ok(archives)
    }

    /// Whether a file of this format is one, has some, or is read as one.
    #[must_use]
    pub fn is_in(format: Format) -> bool {
        let is_read_as_one = matches!(format, Format::Message | Format::Epub);
        format.is_archive() || cfg!(feature = "crawl") && is_read_as_one
    }

    /// The archives of a file of this format.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or the format is not that of a web archive.
    pub fn of_file(path: &Path, format: Format) -> Result<Vec<Self>, ContainerError> {
        let file = path.to_owned();
        match format {
            Format::Warc => {
                Ok(vec![Self { file, member: None, bytes: 0..u64::MAX, records: None }])
            }
            #[cfg(feature = "wacz")]
            Format::Wacz => {
                let archives = Wacz::open(super::read::open(path).map_err(ContainerError::Read)?)?
                    .archives()?;
                let archives = archives.into_iter().map(|archive| Self {
                    file: file.clone(),
                    member: Some(archive.name),
                    bytes: archive.bytes,
                    records: None,
                });
                Ok(archives.collect())
            }
            #[cfg(feature = "crawl")]
            Format::Message | Format::Epub => {
                let opened = super::read::open(path).map_err(ContainerError::Read)?;
                let records = if format == Format::Epub {
                    of_book(opened, path)?
                } else {
                    let bytes = super::read::read_opened(opened, &Limits::default());
                    let bytes = bytes.map_err(ContainerError::Read)?;
                    of_message(&bytes)
                        .map_err(|error| ContainerError::Invalid(error.to_string()))?
                };
                let bytes = 0..records.len() as u64;
                Ok(vec![Self { file, member: None, bytes, records: Some(records.into()) }])
            }
            format => Err(ContainerError::Invalid(format!("{} is no web archive", format.noun()))),
        }
    }

    /// Its path, with its name in a WACZ file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        path_of_member(&self.file, self.name())
    }

    /// Its name in a WACZ file.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.member.as_deref()
    }

    /// Its size in bytes.
    ///
    /// # Errors
    ///
    /// If the file cannot be found.
    pub fn size(&self) -> io::Result<u64> {
        let end =
            if self.bytes.end == u64::MAX { self.file.metadata()?.len() } else { self.bytes.end };
        Ok(end.saturating_sub(self.bytes.start))
    }

    /// Opens its bytes; `monitor` may stop their reading.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened.
    pub fn source<'m>(&self, monitor: &'m dyn Monitor) -> io::Result<Source<'m>> {
        if let Some(records) = &self.records {
            return Ok(Source::Seekable(Box::new(Cursor::new(records.clone()))));
        }
        let file = MonitoredFile::open(&self.file, monitor)?;
        Ok(Source::Seekable(Box::new(ByteRange::new(file, self.bytes.clone())?)))
    }
}
