//! Writes the files of an extraction, and two tables: the URL of each file, and the URLs that the
//! crawl lacks.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use absolve::Diagnosis;
use absolve_archive::warc::RecordPosition;

use super::address::reference_path;
use super::index::{ArchivePosition, Date, NotFound};
use crate::{Archive, NewFolder};

/// An error that ends the reading or writing of a crawl.
#[derive(Debug)]
#[non_exhaustive]
pub enum CrawlError {
    /// An archive cannot be read.
    Unread(PathBuf, io::Error),
    /// A file of the new folder cannot be written.
    Unwritten(PathBuf, io::Error),
    /// The run was stopped.
    Stopped,
}

impl absolve::HasAdvice for CrawlError {}

impl fmt::Display for CrawlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread(path, error) => write!(f, "{}: cannot be read: {error}", path.display()),
            Self::Unwritten(path, error) => write!(f, "{}: not written: {error}", path.display()),
            Self::Stopped => f.write_str("the run was stopped"),
        }
    }
}

impl std::error::Error for CrawlError {}

/// A file of an extraction, made from a capture.
#[derive(Debug)]
#[non_exhaustive]
pub struct ExtractedFile {
    /// The path in the folder.
    pub name: String,
    /// The URL of its capture.
    pub url: String,
    /// Whether it is an HTML document.
    pub is_page: bool,
    /// Whether its URL was requested without a referrer, in a crawl that names them.
    pub is_entry: bool,
    /// The reason why its links are not rewritten or not listed, or its document is incomplete.
    pub problem: Option<Diagnosis>,
    /// Whether another URL has the same file, which may be written already.
    pub(super) is_shared: bool,
    pub(super) date: Date,
    pub(super) status: Option<u16>,
    pub(super) media_type: String,
    pub(super) digest: String,
    pub(super) bytes: Vec<u8>,
    pub(super) not_found: NotFound,
}

impl ExtractedFile {
    /// Returns the relative reference to it from the folder.
    #[must_use]
    pub fn reference(&self) -> String {
        reference_path(&self.name)
    }
}

/// The result of an extraction.
#[derive(Debug, Default)]
pub struct ExtractionResult {
    /// Files that were written.
    pub files: u64,
    /// Links to URLs that the crawl does not have.
    pub missing: u64,
    /// The file and the URL of the first such link.
    pub first_missing: Option<(String, String)>,
    /// Captures that could not be read, or have no free name, and damaged positions: the first 100
    /// of each archive, and the number of others.
    pub failed: Vec<FailedCapture>,
}

/// A capture that could not be extracted, or a damaged position in an archive.
#[derive(Debug)]
pub struct FailedCapture {
    /// The archive and the position in it: `crawl.warc!@1234`.
    pub name: String,
    /// The reason.
    pub why: Diagnosis,
    pub(super) record: ArchivePosition,
}

/// The name of the table of files.
const URLS: &str = "absolve-urls.tsv";

/// The name of the table of links to URLs that the crawl does not have.
const MISSING: &str = "absolve-missing.tsv";

const URL_COLUMNS: &[&str] = &["file", "url", "date", "status", "type", "digest"];

const MISSING_COLUMNS: &[&str] = &["file", "url"];

/// Writes a line of fields between tabs; control characters, which could end a field, become
/// spaces.
fn write_line(out: &mut dyn Write, fields: &[&str]) -> io::Result<()> {
    for (number, field) in fields.iter().enumerate() {
        if number > 0 {
            out.write_all(b"\t")?;
        }
        let field: String = field.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        out.write_all(field.as_bytes())?;
    }
    out.write_all(b"\n")
}

/// Writes the files of an extraction, and its tables.
pub(super) struct Output<'f> {
    folder: &'f NewFolder,
    urls: Box<dyn Write>,
    missing: Option<Box<dyn Write>>,
    pub(super) result: ExtractionResult,
}

impl<'f> Output<'f> {
    pub(super) fn new(folder: &'f NewFolder, has_links: bool) -> Result<Self, CrawlError> {
        let table = |name: &str, columns: &[&str]| {
            let failed = |error| CrawlError::Unwritten(name.into(), error);
            let mut file = BufWriter::new(folder.create(Path::new(name)).map_err(failed)?);
            write_line(&mut file, columns).map_err(failed)?;
            Ok(Box::new(file) as Box<dyn Write>)
        };
        Ok(Self {
            folder,
            urls: table(URLS, URL_COLUMNS)?,
            missing: has_links.then(|| table(MISSING, MISSING_COLUMNS)).transpose()?,
            result: ExtractionResult::default(),
        })
    }

    /// Writes a file and returns it. If it was not made or has no free name, notes a failure.
    pub(super) fn add(
        &mut self,
        archive: &Archive,
        record: ArchivePosition,
        file: Result<ExtractedFile, Diagnosis>,
    ) -> Result<Option<ExtractedFile>, CrawlError> {
        let why = match file {
            Ok(mut file) => {
                if self.write_file(&mut file)? {
                    self.list_file(&file)?;
                    return Ok(Some(file));
                }
                Diagnosis::of(&file.url, "another URL has its name")
            }
            Err(why) => why,
        };
        let name = format_position(archive, record.position);
        self.result.failed.push(FailedCapture { name, why, record });
        Ok(None)
    }

    /// Writes a file; `false` if its name is taken, which only collisions of digests cause. A
    /// shared file exists already, unless the first record with its payload is damaged.
    fn write_file(&mut self, file: &mut ExtractedFile) -> Result<bool, CrawlError> {
        let bytes = std::mem::take(&mut file.bytes);
        let new = self.folder.create(Path::new(&file.name));
        match new.and_then(|mut new| new.write_all(&bytes)) {
            Ok(()) => {
                self.result.files += 1;
                file.is_shared = false;
            }
            Err(error) if is_taken(&error) => return Ok(file.is_shared),
            Err(error) => return Err(CrawlError::Unwritten(file.name.clone().into(), error)),
        }
        Ok(true)
    }

    /// Adds a file to the tables.
    fn list_file(&mut self, file: &ExtractedFile) -> Result<(), CrawlError> {
        let date = file.date.field();
        let status = file.status.map_or_else(String::new, |status| status.to_string());
        // A path of the disk on which a message was saved leads nowhere, and is private.
        let is_local = file.url.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
        let url = if is_local { "" } else { &file.url };
        let fields = [file.name.as_str(), url, &date, &status, &file.media_type, &file.digest];
        write_line(&mut self.urls, &fields)
            .map_err(|error| CrawlError::Unwritten(URLS.into(), error))?;
        let Some(missing) = self.missing.as_mut().filter(|_| !file.is_shared) else {
            return Ok(());
        };
        self.result.missing += file.not_found.links();
        let not_found = file.not_found.list_sorted();
        let first = not_found.first().map(|url| (file.name.clone(), (*url).to_owned()));
        self.result.first_missing = self.result.first_missing.take().or(first);
        for url in not_found {
            write_line(missing, &[&file.name, url])
                .map_err(|error| CrawlError::Unwritten(MISSING.into(), error))?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<ExtractionResult, CrawlError> {
        let flushed = self.urls.flush();
        flushed.map_err(|error| CrawlError::Unwritten(URLS.into(), error))?;
        let flushed = self.missing.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(|error| CrawlError::Unwritten(MISSING.into(), error))?;
        Ok(self.result)
    }
}

/// Whether a name has another file, or a folder.
fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory};
    matches!(error.kind(), AlreadyExists | IsADirectory | NotADirectory)
}

/// Formats a position in an archive: `crawl.warc!@1234`.
pub(super) fn format_position(archive: &Archive, position: RecordPosition) -> String {
    format!("{}!{position}", archive.path().display())
}
