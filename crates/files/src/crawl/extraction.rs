//! Reads a crawl, and writes its files.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::Diagnosis;
use absolve::{Buffers, Rewriter};
use absolve::{Direction, Form, Syntax};
use absolve_archive::PART_BASE;
use absolve_archive::jobs::Workers;
use absolve_archive::warc::{
    ArchiveLimits, Page, RecordPosition, RecordProblem, RecordSelection, UnreadRecord,
};

use super::address::{Address, reference_path};
use super::captures::{CaptureFilter, Captures, UnreadCaptures};
use super::date::Date;
use super::index::{Index, IndexedCapture, Naming, Place};
use super::table::{self, MISSING, MISSING_COLUMNS, URL_COLUMNS, URLS};
use super::targets::{Missing, NotFound, PageTargets};

use crate::{Archive, Monitor, NewFolder};

/// The captures of a crawl to extract: the last one of each URL that meets these conditions.
#[derive(Debug, Clone, Default)]
pub struct CrawlOptions {
    /// The records to extract; without statuses, those of 200.
    pub selection: RecordSelection,
    /// Leaves out captures after this date.
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

/// The captures of web archives, the last one of each URL.
#[derive(Debug)]
pub struct Crawl {
    archives: Vec<Archive>,
    /// A unique name for each archive that is a message.
    messages: Vec<Option<String>>,
    options: CrawlOptions,
    index: Arc<Index>,
    unread: UnreadCaptures,
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
    /// Whether its URL was requested without a referrer, in a crawl that names them.
    pub is_entry: bool,
    /// The reason why it has the links of its record, or a part of its document.
    pub problem: Option<Diagnosis>,
    /// Whether the file of another URL is the same.
    is_shared: bool,
    date: Date,
    status: Option<u16>,
    media_type: String,
    digest: String,
    bytes: Vec<u8>,
    not_found: NotFound,
}

/// The problem of a file whose record has only a part of the document.
const TRUNCATED: &str = "it is incomplete: its record has WARC-Truncated";

/// Damaged places of an archive that are named; a hostile one has millions.
const MAX_DAMAGED: u64 = 100;

/// The result of an extraction.
#[derive(Debug, Default)]
pub struct ExtractionResult {
    /// Files that were written.
    pub files: u64,
    /// Links to what the crawl does not have.
    pub missing: u64,
    /// The file and the URL of the first one.
    pub first_missing: Option<(String, String)>,
    /// Captures that could not be read, or have no free name, and damaged places: the first 100 of
    /// each archive, and how many others it has.
    pub failed: Vec<FailedCapture>,
}

/// A capture that could not be extracted, or a damaged place of an archive.
#[derive(Debug)]
pub struct FailedCapture {
    /// Its archive, and its position in that: `crawl.warc!@1234`.
    pub name: String,
    /// The reason.
    pub why: Diagnosis,
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
        let filter = CaptureFilter { until: options.until, every_status };
        let mut captures = Captures::default();
        let messages = message_names(&archives);
        for ((number, archive), message) in (0_u32..).zip(&archives).zip(&messages) {
            let failed = |error| failed(archive, error, monitor);
            let reader = archive.source(monitor).map_err(failed)?.reader();
            let reader = reader.limits(options.limits).select(options.selection.clone());
            let read = reader.captures(|found| {
                match found {
                    Ok(capture) => captures.add(number, message.as_deref(), &capture, filter),
                    Err(unread) => captures.add_damage(|| {
                        let place = place_name(archive, unread.position);
                        format!("{place}: {}", unread.problem)
                    }),
                }
                ControlFlow::Continue(())
            });
            read.map_err(failed)?;
        }
        let (index, unread) = captures.index();
        Ok(Self { archives, messages, options, index: Arc::new(index), unread })
    }

    /// The number of files to extract.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no file to extract.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The captures that cannot be extracted.
    #[must_use]
    pub fn unread(&self) -> &UnreadCaptures {
        &self.unread
    }

    /// The decoded payload of the only file, or why it cannot be read; `None` if there is not
    /// exactly one, or if its archive has lost it.
    ///
    /// # Errors
    ///
    /// If its archive cannot be read.
    pub fn only(
        &self,
        monitor: &dyn Monitor,
    ) -> Result<Option<Result<Vec<u8>, Diagnosis>>, CrawlError> {
        let Some(capture) = self.index.only() else { return Ok(None) };
        let place = capture.payload.place;
        let archive = &self.archives[place.archive as usize];
        let failed = |error| failed(archive, error, monitor);
        let reader = archive.source(monitor).and_then(|source| source.reader_at(place.position));
        let reader = reader.map_err(failed)?.limits(self.options.limits);
        let found = reader.first(|page| page.document().to_vec()).map_err(failed)?;
        Ok(found.map(|found| found.map_err(|entry| Diagnosis::new(&entry.problem))))
    }

    /// Leaves out captures that could not be extracted, so that no link leads to their files.
    /// Returns whether there was one.
    fn leave_out(&mut self, failed: &[FailedCapture]) -> bool {
        let before = self.len();
        let mut places: Vec<_> = failed.iter().map(|failed| failed.place).collect();
        places.sort_unstable();
        if let Some(index) = Arc::get_mut(&mut self.index) {
            index.retain(|place| places.binary_search(&place).is_err());
        }
        self.len() < before
    }

    /// Writes the file of each URL into a new folder for `path`, with a table of them. `report`
    /// gets each file, in the order of the archives, and again if records are found damaged: then
    /// the files are written anew, so that no link leads to what is not there.
    ///
    /// # Errors
    ///
    /// If an archive cannot be read again, or a file cannot be written. Damaged records go to
    /// the result.
    pub fn extract(
        mut self,
        path: &Path,
        extraction: &Extraction<'_>,
        monitor: &dyn Monitor,
        mut report: impl FnMut(&ExtractedFile),
    ) -> Result<(NewFolder, ExtractionResult), CrawlError> {
        let new =
            || NewFolder::new(path).map_err(|error| CrawlError::Unwritten(path.into(), error));
        let folder = new()?;
        let result = self.write(&folder, extraction, monitor, &mut report)?;
        if extraction.links.is_none() || !self.leave_out(&result.failed) {
            return Ok((folder, result));
        }
        drop(folder);
        let folder = new()?;
        let mut again = self.write(&folder, extraction, monitor, &mut report)?;
        again.failed.splice(0..0, result.failed);
        again.failed.sort_by_key(|failed| failed.place);
        again.failed.dedup_by_key(|failed| failed.place);
        Ok((folder, again))
    }

    fn write(
        &self,
        folder: &NewFolder,
        extraction: &Extraction<'_>,
        monitor: &dyn Monitor,
        report: &mut dyn FnMut(&ExtractedFile),
    ) -> Result<ExtractionResult, CrawlError> {
        let mut output = Output::new(folder, extraction.links.is_some())?;
        for (number, archive) in (0_u32..).zip(&self.archives) {
            let failed = |error| failed(archive, error, monitor);
            let reader = archive.source(monitor).map_err(failed)?.reader();
            let reader = reader.limits(self.options.limits).select(RecordSelection::any());
            let (mut written, mut damaged, mut last) = (Ok(()), 0, None);
            let mut add = |place, file: Result<ExtractedFile, Diagnosis>| {
                if monitor.is_stopped() {
                    return Err(CrawlError::Stopped);
                }
                if file.is_err() && self.index.at(place).next().is_none() {
                    (damaged, last) = (damaged + 1, Some(place));
                    if damaged > MAX_DAMAGED {
                        return Ok(());
                    }
                }
                output.add(archive, place, file).map(|file| file.iter().for_each(&mut *report))
            };
            let mut buffers = Buffers::new();
            let read = reader.pages_in_order(
                extraction.workers,
                |buffers, found| {
                    let is_stopped = monitor.is_stopped();
                    self.files(number, &found, extraction, buffers).next().filter(|_| !is_stopped)
                },
                |handle, first| {
                    let place = Place { archive: number, position: handle.position() };
                    let is_stopped = monitor.is_stopped().then_some(Err(CrawlError::Stopped));
                    let added = is_stopped.unwrap_or(Ok(()));
                    let added = added.and_then(|()| first.map_or(Ok(()), |file| add(place, file)));
                    // A payload can have thousands of files. The others are made here, so that only
                    // one is in memory.
                    let added = added.and_then(|()| match self.index.at(place).nth(1) {
                        Some(_) => handle.show(|found| {
                            let files = self.files(number, &found, extraction, &mut buffers);
                            files.skip(1).try_for_each(|file| add(place, file))
                        }),
                        None => Ok(()),
                    });
                    match added {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(error) => {
                            written = Err(error);
                            ControlFlow::Break(())
                        }
                    }
                },
            );
            written?;
            read.map_err(failed)?;
            if let (Some(place), Some(more @ 1..)) = (last, damaged.checked_sub(MAX_DAMAGED)) {
                let why = format!("{more} more damaged places are not named");
                let why = Diagnosis::new(why);
                let name = archive.path().display().to_string();
                output.result.failed.push(FailedCapture { name, why, place });
            }
        }
        output.finish()
    }

    /// The files that have the payload of a record, made one after another.
    fn files<'f>(
        &'f self,
        archive: u32,
        found: &'f Result<Page<'_>, UnreadRecord>,
        extraction: &'f Extraction<'_>,
        buffers: &'f mut Buffers,
    ) -> impl Iterator<Item = Result<ExtractedFile, Diagnosis>> + 'f {
        let position = match found {
            Ok(page) => page.position(),
            Err(entry) => entry.position,
        };
        let mut captures = self.index.at(Place { archive, position }).peekable();
        // A damaged place has no record, so that no one knows which captures are lost.
        let damage = found.as_ref().err().filter(|entry| {
            entry.target_uri.is_none()
                && captures.peek().is_none()
                && entry.problem != RecordProblem::TooLarge
        });
        let damage = damage.map(|entry| Err(Diagnosis::new(&entry.problem)));
        let file = |capture: &IndexedCapture| match found {
            Ok(page) => Ok(self.file(capture, page, extraction, buffers)),
            Err(entry) => Err(Diagnosis::new(&entry.problem)),
        };
        captures.map(file).chain(damage)
    }

    fn file(
        &self,
        capture: &IndexedCapture,
        page: &Page<'_>,
        extraction: &Extraction<'_>,
        buffers: &mut Buffers,
    ) -> ExtractedFile {
        let url = match &capture.revisited {
            Some(address) => address.url(),
            None => page.url().unwrap_or_default().into_owned(),
        };
        let message = self.messages[capture.payload.place.archive as usize].clone();
        let address = Address::parse(&url, message.as_deref());
        let name = address.map_or_else(String::new, |address| capture.name_of(&address));
        let part_base = message.as_ref().and_then(|_| page.record().headers().text(PART_BASE));
        let digest = page.record().headers().text("WARC-Payload-Digest");
        let is_document = page.is_document();
        let mut file = ExtractedFile {
            name,
            is_page: is_document && page.syntax() == Syntax::Html,
            is_entry: self.index.is_entry(capture),
            problem: capture.payload.is_truncated.then(|| Diagnosis::new(TRUNCATED)),
            is_shared: capture.naming == Naming::Shared,
            date: capture.date,
            status: page.status(),
            media_type: Some(page.media_type())
                .filter(|_| is_document || page.has_media_type())
                .filter(|text| text.starts_with(|first: char| first.is_ascii_alphanumeric()))
                .unwrap_or_default()
                .to_owned(),
            digest: digest.filter(|text| is_digest(text)).unwrap_or_default().into_owned(),
            bytes: Vec::new(),
            not_found: NotFound::default(),
            url,
        };
        let links = extraction.links.filter(|_| is_document);
        let Some((options, missing)) = links else {
            file.bytes = page.document().to_vec();
            return file;
        };
        let targets = Arc::new(PageTargets::new(self.index.clone(), &file.name, message, missing));
        let direction = Direction::new(Form::Relative).targets(targets.clone());
        let rewriter = page.rewriter(&options.clone().policy(direction.into()));
        let base = match &capture.revisited {
            Some(_) => Some(Cow::Borrowed(&*file.url)),
            None => part_base,
        };
        let rewriter = match base.map(|base| rewriter.clone().base_url(&base)) {
            Some(Ok(with_base)) => with_base,
            _ => rewriter,
        };
        file.bytes = match rewriter.rewrite_in(page.document(), buffers) {
            Ok(new) => new.bytes().to_vec(),
            Err(error) => {
                file.problem = Some(Diagnosis::of("its links stay as they are", error));
                page.document().to_vec()
            }
        };
        file.not_found = targets.not_found();
        if file.not_found.is_cut() {
            let why = "it has too many links to what the crawl does not have; some are not listed";
            file.problem = file.problem.or(Some(Diagnosis::new(why)));
        }
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
    result: ExtractionResult,
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
            result: ExtractionResult::default(),
        })
    }

    /// Writes a file, unless it could not be made or its name is taken.
    fn add(
        &mut self,
        archive: &Archive,
        place: Place,
        file: Result<ExtractedFile, Diagnosis>,
    ) -> Result<Option<ExtractedFile>, CrawlError> {
        let why = match file {
            Ok(mut file) => {
                if self.write(&mut file)? {
                    self.list(&file)?;
                    return Ok(Some(file));
                }
                Diagnosis::of(&file.url, "another URL has its name")
            }
            Err(why) => why,
        };
        let name = place_name(archive, place.position);
        self.result.failed.push(FailedCapture { name, why, place });
        Ok(None)
    }

    /// Writes a file; `false` if its name is taken, which only digests that were made equal
    /// cause. A shared file exists already, unless the first record of its payload is damaged.
    fn write(&mut self, file: &mut ExtractedFile) -> Result<bool, CrawlError> {
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
    fn list(&mut self, file: &ExtractedFile) -> Result<(), CrawlError> {
        let date = file.date.field();
        let status = file.status.map_or_else(String::new, |status| status.to_string());
        // A path of the disk that a message was saved on leads nowhere, and is nobody's business.
        let is_of_disk = file.url.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
        let url = if is_of_disk { "" } else { &file.url };
        let fields = [file.name.as_str(), url, &date, &status, &file.media_type, &file.digest];
        table::line(&mut self.urls, &fields)
            .map_err(|error| CrawlError::Unwritten(URLS.into(), error))?;
        let Some(missing) = self.missing.as_mut().filter(|_| !file.is_shared) else {
            return Ok(());
        };
        self.result.missing += file.not_found.links();
        let not_found = file.not_found.sorted();
        let first = not_found.first().map(|url| (file.name.clone(), (*url).to_owned()));
        self.result.first_missing = self.result.first_missing.take().or(first);
        for url in not_found {
            table::line(missing, &[&file.name, url])
                .map_err(|error| CrawlError::Unwritten(MISSING.into(), error))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<ExtractionResult, CrawlError> {
        let flushed = self.urls.flush();
        flushed.map_err(|error| CrawlError::Unwritten(URLS.into(), error))?;
        let flushed = self.missing.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(|error| CrawlError::Unwritten(MISSING.into(), error))?;
        Ok(self.result)
    }
}

/// Gives a unique name to each archive that is a message.
fn message_names(archives: &[Archive]) -> Vec<Option<String>> {
    let (mut names, mut counts) = (HashSet::new(), HashMap::new());
    let mut unique = |name: String| {
        let count: &mut u32 = counts.entry(name.to_ascii_lowercase()).or_default();
        loop {
            *count += 1;
            let new = if *count == 1 { name.clone() } else { format!("{name}~{count}") };
            if names.insert(new.to_ascii_lowercase()) {
                return new;
            }
        }
    };
    archives.iter().map(|archive| archive.message().map(&mut unique)).collect()
}

/// Whether a text is a digest with its algorithm, in hex, base32 or base64
/// ([WARC 1.1, 5.8](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#warc-block-digest)).
fn is_digest(text: &str) -> bool {
    let is_name =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_value = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .split_once(':')
            .is_some_and(|(name, value)| is_name(name) && value.bytes().all(is_value))
}

/// Whether a name has another file, or a folder.
fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory};
    matches!(error.kind(), AlreadyExists | IsADirectory | NotADirectory)
}

/// The name of a place in an archive: `crawl.warc!@1234`.
fn place_name(archive: &Archive, position: RecordPosition) -> String {
    format!("{}!{position}", archive.path().display())
}

fn failed(archive: &Archive, error: io::Error, monitor: &dyn Monitor) -> CrawlError {
    if monitor.is_stopped() {
        return CrawlError::Stopped;
    }
    CrawlError::Unread(archive.path(), error)
}
