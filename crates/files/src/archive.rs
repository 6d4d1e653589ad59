//! Finds the web archives in files and folders.

use std::io::{self, Cursor};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::Limits;
use absolve_archive::message_archives;
use absolve_archive::{ByteRange, ContainerError, Contents, Format, Source, path_of_member};
use walkdir::{DirEntry, WalkDir};

use super::outcome::{Monitor, MonitoredFile};

/// Advice for a path that is not a web archive.
const GIVE: &str = "give .warc, .warc.gz, .warc.zst, .wacz or .mhtml files";

/// A web archive: a file, a member of a WACZ file, or records generated from a message.
#[derive(Debug, Clone)]
pub struct Archive {
    file: PathBuf,
    /// Its name in a WACZ file, or the number of a part, if it is a message in another message.
    member: Option<String>,
    /// The range of its bytes in the file or in `records`.
    bytes: Range<u64>,
    /// The records, if they are generated from a message.
    records: Option<Arc<[u8]>>,
}

impl Archive {
    /// Lists the archives in a file, such as a WACZ file, or in a folder, in the order of names.
    ///
    /// # Errors
    ///
    /// If an archive cannot be read, or there is no archive.
    pub fn from_path(path: &Path) -> Result<Vec<Self>, ContainerError> {
        let metadata = std::fs::metadata(path).map_err(ContainerError::Read)?;
        // A pipe is read once, and opening it waits for a writer that may never come.
        if !metadata.is_dir() && !metadata.is_file() {
            return Err(ContainerError::Invalid("it is a pipe or a device".to_owned()));
        }
        if metadata.is_file() {
            return Self::from_file(path, Format::from_name(path));
        }
        let mut archives = Vec::new();
        for file in archives_below(path, Self::is_in, |_| false).map_err(ContainerError::Read)? {
            archives.extend(Self::from_file(&file, Format::from_name(&file))?);
        }
        if archives.is_empty() {
            return Err(ContainerError::Invalid(format!("no web archive is in it; {GIVE}")));
        }
        Ok(archives)
    }

    /// Whether a file of this format is, contains or becomes web archives.
    #[must_use]
    pub fn is_in(format: Format) -> bool {
        format.is_archive() || format.has_parts()
    }

    /// Lists the archives in a file of this format.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or the format is not that of a web archive.
    pub fn from_file(path: &Path, format: Format) -> Result<Vec<Self>, ContainerError> {
        let file = path.to_owned();
        match format.contents() {
            Contents::Stream => {
                Ok(vec![Self { file, member: None, bytes: 0..u64::MAX, records: None }])
            }
            Contents::File => {
                let opened = super::read::open(path).map_err(ContainerError::Read)?;
                let archives = format.archives_inside(opened)?.into_iter().map(|archive| Self {
                    file: file.clone(),
                    member: Some(archive.name),
                    bytes: archive.bytes,
                    records: None,
                });
                Ok(archives.collect())
            }
            Contents::Parts => {
                let bytes = super::read::read(path, &Limits::default());
                let records = message_archives(&bytes.map_err(ContainerError::Read)?)
                    .map_err(ContainerError::Message)?;
                let archive = |(number, records): (usize, Vec<u8>)| Self {
                    file: file.clone(),
                    member: (number > 0).then(|| number.to_string()),
                    bytes: 0..records.len() as u64,
                    records: Some(records.into()),
                };
                Ok(records.into_iter().map(archive).collect())
            }
            Contents::Document(_) => {
                let beginning = super::read::read_beginning(path, Format::bytes_to_check(path));
                let beginning = beginning.map_err(ContainerError::Read)?;
                Format::check_given_archive(path, &beginning).map_err(ContainerError::Invalid)?;
                let why = format!("{} is no web archive; {GIVE}", format.noun());
                Err(ContainerError::Invalid(why))
            }
        }
    }

    /// Returns the path of the archive, with its [`Archive::name`] in the file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        path_of_member(&self.file, self.name())
    }

    /// Returns the name of the message that the archive is generated from: the name of the file,
    /// and the number of the part; `None` for other archives.
    pub(crate) fn message(&self) -> Option<String> {
        self.records.as_ref()?;
        let file = self.file.file_name().unwrap_or_default().to_string_lossy();
        Some(self.member.iter().fold(file.into_owned(), |name, number| name + "+" + number))
    }

    /// Returns its name in a WACZ file, or its part number in a message.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.member.as_deref()
    }

    /// Opens the archive; `monitor` may stop the reading.
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

/// Lists the files in a folder and its subfolders that have an accepted format, in the order of
/// their names; no files if another file is a document. Files are inspected before folders, so the
/// search ends early in most sites. Symbolic links are not followed.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn archives_below(
    folder: &Path,
    is_archive: impl Fn(Format) -> bool,
    is_document: impl Fn(&Path) -> bool,
) -> io::Result<Vec<PathBuf>> {
    let mut archives = Vec::new();
    let files_first =
        |a: &DirEntry, b: &DirEntry| a.file_type().is_dir().cmp(&b.file_type().is_dir());
    for entry in WalkDir::new(folder).sort_by(files_first) {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        if is_archive(Format::from_name(entry.path())) {
            archives.push(entry.into_path());
        } else if is_document(entry.path()) {
            return Ok(Vec::new());
        }
    }
    archives.sort_unstable();
    Ok(archives)
}
