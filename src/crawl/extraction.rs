//! Reads a crawl, and writes its files.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::address::reference_path;
use super::archive::Archive;
use super::captures::{Captures, Chosen, Skipped};
use super::date::Date;
use super::index::{Held, Index, Naming, Place};
use super::table::{self, MISSING, MISSING_COLUMNS, URL_COLUMNS, URLS};
use super::targets::{Missing, PageTargets};
use crate::batch::{Monitor, NewFolder};
use crate::container::warc::{ArchiveLimits, Entry, Page, RecordOutcome, RecordSelection};
use crate::jobs::Workers;
use crate::link::{Direction, Form};
use crate::rewrite::{Buffers, Rewriter};

/// Which captures of a crawl are extracted: the last one of each URL that meets these.
#[derive(Debug, Clone, Default)]
pub struct CrawlOptions {
    /// Which records; without statuses, those of 200.
    pub selection: RecordSelection,
    /// None after this date.
    pub until: Option<Date>,
    /// Limits on records: larger ones are not extracted.
    pub limits: ArchiveLimits,
}

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

/// Captures that cannot be extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unread {
    /// Larger than the limit on records.
    pub too_large: u64,
    /// Revisits whose payload is in no archive.
    pub revisits: u64,
}

/// The captures of web archives, the last one of each URL.
#[derive(Debug)]
pub struct Crawl {
    archives: Vec<Archive>,
    options: CrawlOptions,
    index: Arc<Index>,
    unread: Unread,
}

/// How the files of a crawl are written.
#[derive(Debug)]
pub struct Extraction<'e> {
    /// The threads that rewrite.
    pub workers: &'e Workers,
    /// Makes links lead to the files, with these options for documents; without it, files have the
    /// bytes of their records.
    pub links: Option<(&'e Rewriter, Missing)>,
}

/// A file of a crawl.
#[derive(Debug)]
#[non_exhaustive]
pub struct ExtractedFile {
    /// Its path in the folder.
    pub name: String,
    /// The URL of its capture.
    pub url: String,
    /// Whether it is an HTML document.
    pub is_page: bool,
    /// Why it has the links of its record.
    pub problem: Option<String>,
    /// Whether the file of another URL is the same.
    is_shared: bool,
    date: Date,
    status: Option<u16>,
    media_type: String,
    digest: String,
    bytes: Vec<u8>,
    /// URLs of links that the crawl does not have.
    not_found: Vec<String>,
}

/// The result of an extraction.
#[derive(Debug, Default)]
pub struct Extracted {
    /// Files that were written.
    pub files: u64,
    /// Links to what the crawl does not have.
    pub missing: u64,
    /// Captures that could not be read, or have no free name.
    pub failed: Vec<FailedCapture>,
}

/// A capture that could not be extracted.
#[derive(Debug)]
pub struct FailedCapture {
    /// Its archive, and its position in that: `crawl.warc!@1234`.
    pub name: String,
    /// Why.
    pub why: String,
    place: Place,
}

impl Crawl {
    /// Reads which captures web archives have.
    ///
    /// # Errors
    ///
    /// If one cannot be read. Damaged records are skipped.
    pub fn read(
        archives: Vec<Archive>,
        options: CrawlOptions,
        monitor: &dyn Monitor,
    ) -> Result<Self, CrawlError> {
        let every_status = options.selection.has_statuses();
        let chosen = Chosen { until: options.until, every_status };
        let mut captures = Captures::default();
        let mut unread = Unread::default();
        for (number, archive) in (0_u32..).zip(&archives) {
            let failed = |error| failed(archive, error, monitor);
            let reader = archive.open(monitor).map_err(failed)?;
            let reader = reader.limits(options.limits).select(options.selection.clone());
            let read = reader.captures(|capture| {
                if captures.add(number, &capture, chosen) == Some(Skipped::TooLarge) {
                    unread.too_large += 1;
                }
                ControlFlow::Continue(())
            });
            read.map_err(failed)?;
        }
        let (index, revisits) = captures.choose();
        unread.revisits = revisits;
        Ok(Self { archives, options, index: Arc::new(index), unread })
    }

    /// The number of files that they make.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no file to extract.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What cannot be extracted.
    #[must_use]
    pub fn unread(&self) -> Unread {
        self.unread
    }

    /// The decoded payload of the only file, or why it cannot be read; `None` if there are none or
    /// several.
    ///
    /// # Errors
    ///
    /// If its archive cannot be read.
    pub fn only(
        &self,
        monitor: &dyn Monitor,
    ) -> Result<Option<Result<Vec<u8>, String>>, CrawlError> {
        let Some(Held { place, .. }) = self.index.only() else { return Ok(None) };
        let archive = &self.archives[place.archive as usize];
        let failed = |error| failed(archive, error, monitor);
        let reader = archive.open_at(place.position, monitor).map_err(failed)?;
        let reader = reader.limits(self.options.limits).select(RecordSelection::any());
        let mut found = None;
        let read = reader.pages(|page| {
            found = Some(page.map(|page| page.document().to_vec()).map_err(|entry| why(&entry)));
            ControlFlow::Break(())
        });
        read.map_err(failed)?;
        Ok(Some(found.unwrap_or_else(|| Err("it was not read".to_owned()))))
    }

    /// Leaves out captures that could not be extracted, so that no link leads to their files.
    pub fn leave_out(&mut self, failed: &[FailedCapture]) {
        let mut places: Vec<_> = failed.iter().map(|failed| failed.place).collect();
        places.sort_unstable();
        if let Some(index) = Arc::get_mut(&mut self.index) {
            index.retain(|place| places.binary_search(&place).is_err());
        }
    }

    /// Writes the file of each URL into a new folder, with a table of them. `report` gets each file,
    /// in the order of the archives.
    ///
    /// # Errors
    ///
    /// If an archive cannot be read again, or a file cannot be written. Damaged records go to
    /// the result.
    pub fn extract(
        &self,
        folder: &NewFolder,
        extraction: &Extraction<'_>,
        monitor: &dyn Monitor,
        mut report: impl FnMut(&ExtractedFile),
    ) -> Result<Extracted, CrawlError> {
        let mut output = Output::new(folder, extraction.links.is_some())?;
        for (number, archive) in (0_u32..).zip(&self.archives) {
            let failed = |error| failed(archive, error, monitor);
            let reader = archive.open(monitor).map_err(failed)?;
            let reader = reader.limits(self.options.limits).select(RecordSelection::any());
            let mut written = Ok(());
            let read = reader.pages_in_order(
                extraction.workers,
                |buffers, found| self.files(number, &found, extraction, buffers),
                |handle, files| {
                    let place = Place { archive: number, position: handle.position() };
                    for file in files {
                        let done =
                            file.map(|mut file| output.write(&mut file).map(|why| (file, why)));
                        let why = match done {
                            Ok(Ok((file, None))) => {
                                report(&file);
                                continue;
                            }
                            Ok(Ok((_, Some(why)))) | Err(why) => why,
                            Ok(Err(error)) => {
                                written = Err(error);
                                return ControlFlow::Break(());
                            }
                        };
                        let name = format!("{}!{}", archive.path().display(), place.position);
                        output.extracted.failed.push(FailedCapture { name, why, place });
                    }
                    ControlFlow::Continue(())
                },
            );
            written?;
            read.map_err(failed)?;
        }
        output.finish()
    }

    /// The files that have the payload of a record.
    fn files(
        &self,
        archive: u32,
        found: &Result<Page<'_>, Entry>,
        extraction: &Extraction<'_>,
        buffers: &mut Buffers,
    ) -> Vec<Result<ExtractedFile, String>> {
        let position = match found {
            Ok(page) => page.position(),
            Err(entry) => entry.position,
        };
        let held = self.index.at(Place { archive, position });
        let file = |held: &Held| match found {
            Ok(page) => Ok(self.file(held, page, extraction, buffers)),
            Err(entry) => Err(why(entry)),
        };
        held.map(file).collect()
    }

    fn file(
        &self,
        held: &Held,
        page: &Page<'_>,
        extraction: &Extraction<'_>,
        buffers: &mut Buffers,
    ) -> ExtractedFile {
        let url = match &held.revisited {
            Some(address) => address.url(),
            None => page.url().unwrap_or_default().into_owned(),
        };
        let name = held.file_name(&url);
        let field = |name| page.record().headers().text(name).unwrap_or_default().into_owned();
        let is_document = page.is_document();
        let mut file = ExtractedFile {
            name,
            is_page: is_document && page.syntax() == crate::link::Syntax::Html,
            problem: None,
            is_shared: held.naming == Naming::Shared,
            date: held.date,
            status: page.status(),
            media_type: if is_document || page.has_media_type() {
                page.media_type().to_owned()
            } else {
                String::new()
            },
            digest: field("WARC-Payload-Digest"),
            bytes: Vec::new(),
            not_found: Vec::new(),
            url,
        };
        let links = extraction.links.filter(|_| is_document);
        let Some((options, missing)) = links else {
            file.bytes = page.document().to_vec();
            return file;
        };
        let targets = Arc::new(PageTargets::new(self.index.clone(), &file.name, missing));
        let direction = Direction::new(Form::Relative).targets(targets.clone());
        let rewriter = page.rewriter(&options.clone().policy(direction.into()));
        let rewriter = match &held.revisited {
            Some(_) => rewriter.clone().base_url(&file.url).unwrap_or(rewriter),
            None => rewriter,
        };
        file.bytes = match rewriter.rewrite_in(page.document(), buffers) {
            Ok(new) => new.bytes().to_vec(),
            Err(error) => {
                file.problem = Some(format!("its links stay as they are: {error}"));
                page.document().to_vec()
            }
        };
        file.not_found = targets.not_found();
        file
    }
}

impl ExtractedFile {
    /// The reference to it from the folder.
    #[must_use]
    pub fn reference(&self) -> String {
        reference_path(&self.name)
    }
}

/// The files of an extraction, and its tables.
struct Output<'f> {
    folder: &'f NewFolder,
    urls: Box<dyn Write>,
    missing: Option<Box<dyn Write>>,
    extracted: Extracted,
}

impl<'f> Output<'f> {
    fn new(folder: &'f NewFolder, has_links: bool) -> Result<Self, CrawlError> {
        let table = |name: &str, columns: &[&str]| {
            let failed = |error| CrawlError::Unwritten(name.into(), error);
            let mut file = BufWriter::new(folder.create(Path::new(name)).map_err(failed)?);
            table::line(&mut file, columns).map_err(failed)?;
            Ok(Box::new(file) as Box<dyn Write>)
        };
        Ok(Self {
            folder,
            urls: table(URLS, URL_COLUMNS)?,
            missing: has_links.then(|| table(MISSING, MISSING_COLUMNS)).transpose()?,
            extracted: Extracted::default(),
        })
    }

    /// Writes a file, and adds it to the tables; returns why its name is not free.
    fn write(&mut self, file: &mut ExtractedFile) -> Result<Option<String>, CrawlError> {
        let failed = |error| CrawlError::Unwritten(file.name.clone().into(), error);
        let create = || self.folder.create(Path::new(&file.name));
        let bytes = std::mem::take(&mut file.bytes);
        let written = if file.is_shared {
            Ok(())
        } else {
            create().and_then(|mut new| new.write_all(&bytes))
        };
        match written {
            // Names are not equal but by digests that were made so.
            Err(error) if is_taken(&error) => {
                return Ok(Some(format!("{}: another URL has its name", file.url)));
            }
            written => written.map_err(failed)?,
        }
        self.extracted.files += u64::from(!file.is_shared);
        if file.is_shared {
            file.not_found.clear();
        }
        self.extracted.missing += file.not_found.len() as u64;
        let date = file.date.field();
        let status = file.status.map_or_else(String::new, |status| status.to_string());
        let fields = [&file.name, &file.url, &date, &status, &file.media_type, &file.digest];
        table::line(&mut self.urls, &fields.map(String::as_str))
            .map_err(|error| CrawlError::Unwritten(URLS.into(), error))?;
        let Some(missing) = &mut self.missing else { return Ok(None) };
        file.not_found.sort_unstable();
        file.not_found.dedup();
        for url in &file.not_found {
            table::line(missing, &[&file.name, url])
                .map_err(|error| CrawlError::Unwritten(MISSING.into(), error))?;
        }
        Ok(None)
    }

    fn finish(mut self) -> Result<Extracted, CrawlError> {
        let flushed = self.urls.flush();
        flushed.map_err(|error| CrawlError::Unwritten(URLS.into(), error))?;
        let flushed = self.missing.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(|error| CrawlError::Unwritten(MISSING.into(), error))?;
        Ok(self.extracted)
    }
}

/// Whether a name has another file, or a folder.
fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory};
    matches!(error.kind(), AlreadyExists | IsADirectory | NotADirectory)
}

fn failed(archive: &Archive, error: io::Error, monitor: &dyn Monitor) -> CrawlError {
    if monitor.is_stopped() {
        return CrawlError::Stopped;
    }
    CrawlError::Unread(archive.path(), error)
}

/// Why a record cannot be read.
fn why(entry: &Entry) -> String {
    match &entry.outcome {
        RecordOutcome::Failed(problem) => problem.to_string(),
        RecordOutcome::Skipped(skip) => skip.to_string(),
        _ => "it was not read".to_owned(),
    }
}
