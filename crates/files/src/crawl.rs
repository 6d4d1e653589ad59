//! Extracts a crawl to a folder that a browser opens without a network.
//!
//! A crawl is one or more web archives. [`Crawl::read`] indexes their captures, and
//! [`Crawl::extract`] writes the last capture of each URL into a new folder, under names that every
//! system allows (`docs/archives.md` has the rule). Links can lead to these files.
//!
//! Memory holds the index, with about 100 bytes for each capture, and a few documents.

mod address;
mod captures;
mod index;
mod output;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use absolve::{Buffers, Diagnosis, Direction, Form, Rewriter, Syntax};
use absolve_archive::BASE_FIELD;
use absolve_archive::jobs::Workers;
use absolve_archive::warc::{ArchiveLimits, Page, RecordProblem, RecordSelection, UnreadRecord};
use address::Address;
use captures::{CaptureFilter, Captures};
use index::{ArchivePosition, Index, IndexedCapture, Naming, NotFound, PageTargets};
use output::{Output, format_position};

use crate::{Archive, Monitor, NewFolder};

pub use captures::UnreadCaptures;
pub use index::{Date, InvalidDate, Missing};
pub use output::{CrawlError, ExtractedFile, ExtractionResult, FailedCapture};

/// The captures of a crawl to extract: the last one of each URL that meets these conditions.
#[derive(Debug, Clone, Default)]
pub struct CrawlOptions {
    /// The records to extract; unless it has statuses, those of status 200.
    pub selection: RecordSelection,
    /// The last date of captures to extract.
    pub until: Option<Date>,
    /// Limits on records: larger ones are not extracted.
    pub limits: ArchiveLimits,
}

/// The captures of web archives, the last one of each URL.
#[derive(Debug)]
pub struct Crawl {
    archives: Vec<Archive>,
    /// The unique name of each archive that is generated from a message; `None` for others.
    messages: Vec<Option<String>>,
    options: CrawlOptions,
    index: Arc<Index>,
    unread: UnreadCaptures,
}

/// The options for writing the files of a crawl.
#[derive(Debug)]
pub struct Extraction<'e> {
    /// The threads that rewrite.
    pub workers: &'e Workers,
    /// The options for documents whose links are to lead to the files; without them, files have the
    /// bytes of their records.
    pub links: Option<(&'e Rewriter, Missing)>,
}

/// The problem of a file whose record has only a part of the document.
const TRUNCATED: &str = "it is incomplete: its record has WARC-Truncated";

/// Maximum damaged positions that are reported for an archive; a hostile archive has millions.
const MAX_DAMAGED: u64 = 100;

impl Crawl {
    /// Indexes the captures of web archives.
    ///
    /// # Errors
    ///
    /// If an archive cannot be read. Damaged records are skipped.
    pub fn read(
        archives: Vec<Archive>,
        options: CrawlOptions,
        monitor: &dyn Monitor,
    ) -> Result<Self, CrawlError> {
        let every_status = options.selection.has_statuses();
        let filter = CaptureFilter { until: options.until, every_status };
        let mut captures = Captures::default();
        let messages = name_messages(&archives);
        for ((number, archive), message) in (0_u32..).zip(&archives).zip(&messages) {
            let failed = |error| read_error(archive, error, monitor);
            let reader = archive.source(monitor).map_err(failed)?.reader();
            let reader = reader.limits(options.limits).select(options.selection.clone());
            let read = reader.captures(|capture| {
                match capture {
                    Ok(capture) => captures.add(number, message.as_deref(), &capture, filter),
                    Err(unread) => captures.add_damage(|| {
                        let position = format_position(archive, unread.position);
                        format!("{position}: {}", unread.problem)
                    }),
                }
                ControlFlow::Continue(())
            });
            read.map_err(failed)?;
        }
        let (index, unread) = captures.into_index();
        Ok(Self { archives, messages, options, index: Arc::new(index), unread })
    }

    /// Returns the number of files to extract.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no file to extract.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the numbers of captures that cannot be extracted.
    #[must_use]
    pub fn unread(&self) -> &UnreadCaptures {
        &self.unread
    }

    /// Returns the decoded payload of the only file, or the reason why it cannot be read; `None` if
    /// the number of files is not 1, or if the record is not in the archive any more.
    ///
    /// # Errors
    ///
    /// If its archive cannot be read.
    pub fn only(
        &self,
        monitor: &dyn Monitor,
    ) -> Result<Option<Result<Vec<u8>, Diagnosis>>, CrawlError> {
        let Some(capture) = self.index.only() else { return Ok(None) };
        let record = capture.payload.record;
        let archive = &self.archives[record.archive as usize];
        let failed = |error| read_error(archive, error, monitor);
        let reader = archive.source(monitor).and_then(|source| source.reader_at(record.position));
        let reader = reader.map_err(failed)?.limits(self.options.limits);
        let payload = reader.first(|page| page.document().to_vec()).map_err(failed)?;
        Ok(payload.map(|payload| payload.map_err(|entry| Diagnosis::new(&entry.problem))))
    }

    /// Removes failed captures from the index, so no link leads to their files. Returns whether the
    /// index had any of them.
    fn remove_failed(&mut self, failed: &[FailedCapture]) -> bool {
        let before = self.len();
        let mut records: Vec<_> = failed.iter().map(|failed| failed.record).collect();
        records.sort_unstable();
        if let Some(index) = Arc::get_mut(&mut self.index) {
            index.retain(|record| records.binary_search(&record).is_err());
        }
        self.len() < before
    }

    /// Writes the file of each URL into a new folder for `path`, with a table of the files.
    /// `report` receives each file, in the order of the archives. If links are rewritten and a
    /// record is damaged, all files are written and reported again, so no link leads to its file.
    ///
    /// # Errors
    ///
    /// If an archive cannot be read again, a file cannot be written, or the run is stopped. Damaged
    /// records are in the result.
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
        let result = self.write_files(&folder, extraction, monitor, &mut report)?;
        if extraction.links.is_none() || !self.remove_failed(&result.failed) {
            return Ok((folder, result));
        }
        drop(folder);
        let folder = new()?;
        let mut second = self.write_files(&folder, extraction, monitor, &mut report)?;
        second.failed.splice(0..0, result.failed);
        second.failed.sort_by_key(|failed| failed.record);
        second.failed.dedup_by_key(|failed| failed.record);
        Ok((folder, second))
    }

    /// Writes the files in the order of the archives. Threads make the first file of each record;
    /// this thread makes the others, and writes all.
    fn write_files(
        &self,
        folder: &NewFolder,
        extraction: &Extraction<'_>,
        monitor: &dyn Monitor,
        report: &mut dyn FnMut(&ExtractedFile),
    ) -> Result<ExtractionResult, CrawlError> {
        let mut output = Output::new(folder, extraction.links.is_some())?;
        for (number, archive) in (0_u32..).zip(&self.archives) {
            let failed = |error| read_error(archive, error, monitor);
            let reader = archive.source(monitor).map_err(failed)?.reader();
            let reader = reader.limits(self.options.limits).select(RecordSelection::any());
            let (mut written, mut damaged, mut last) = (Ok(()), 0, None);
            let mut add = |record, file: Result<ExtractedFile, Diagnosis>| {
                if monitor.is_stopped() {
                    return Err(CrawlError::Stopped);
                }
                if file.is_err() && self.index.captures_at(record).next().is_none() {
                    (damaged, last) = (damaged + 1, Some(record));
                    if damaged > MAX_DAMAGED {
                        return Ok(());
                    }
                }
                output.add(archive, record, file).map(|file| file.iter().for_each(&mut *report))
            };
            let mut buffers = Buffers::new();
            let read = reader.pages_in_order(
                extraction.workers,
                |buffers, page| {
                    let is_stopped = monitor.is_stopped();
                    self.make_files(number, &page, extraction, buffers)
                        .next()
                        .filter(|_| !is_stopped)
                },
                |handle, first| {
                    let record = ArchivePosition { archive: number, position: handle.position() };
                    let is_stopped = monitor.is_stopped().then_some(Err(CrawlError::Stopped));
                    let added = is_stopped.unwrap_or(Ok(()));
                    let added = added.and_then(|()| first.map_or(Ok(()), |file| add(record, file)));
                    // A payload can have thousands of files. All but the first are made here, one
                    // at a time, so memory holds only one.
                    let added = added.and_then(|()| match self.index.captures_at(record).nth(1) {
                        Some(_) => handle.show(|page| {
                            let files = self.make_files(number, &page, extraction, &mut buffers);
                            files.skip(1).try_for_each(|file| add(record, file))
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
            if let (Some(record), Some(more @ 1..)) = (last, damaged.checked_sub(MAX_DAMAGED)) {
                let why = format!("{more} more damaged places are not named");
                let why = Diagnosis::new(why);
                let name = archive.path().display().to_string();
                output.result.failed.push(FailedCapture { name, why, record });
            }
        }
        output.finish()
    }

    /// Makes the files that have the payload of a record, one after another.
    fn make_files<'f>(
        &'f self,
        archive: u32,
        page: &'f Result<Page<'_>, UnreadRecord>,
        extraction: &'f Extraction<'_>,
        buffers: &'f mut Buffers,
    ) -> impl Iterator<Item = Result<ExtractedFile, Diagnosis>> + 'f {
        let position = match page {
            Ok(page) => page.position(),
            Err(entry) => entry.position,
        };
        let mut captures = self.index.captures_at(ArchivePosition { archive, position }).peekable();
        // A damaged position belongs to no known record, so it is reported by itself.
        let damage = page.as_ref().err().filter(|entry| {
            entry.target_uri.is_none()
                && captures.peek().is_none()
                && entry.problem != RecordProblem::TooLarge
        });
        let damage = damage.map(|entry| Err(Diagnosis::new(&entry.problem)));
        let file = |capture: &IndexedCapture| match page {
            Ok(page) => Ok(self.make_file(capture, page, extraction, buffers)),
            Err(entry) => Err(Diagnosis::new(&entry.problem)),
        };
        captures.map(file).chain(damage)
    }

    /// Makes the file of a capture, with rewritten links if the extraction has options for them.
    fn make_file(
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
        let message = self.messages[capture.payload.record.archive as usize].clone();
        let address = Address::parse(&url, message.as_deref());
        let name = address.map_or_else(String::new, |address| capture.file_name_for(&address));
        let part_base = message.as_ref().and_then(|_| page.record().headers().text(BASE_FIELD));
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
        file.not_found = targets.take_not_found();
        if file.not_found.is_cut() {
            let why = "it has too many links to what the crawl does not have; some are not listed";
            file.problem = file.problem.or(Some(Diagnosis::new(why)));
        }
        file
    }
}

/// Chooses a unique name for each archive that is generated from a message.
fn name_messages(archives: &[Archive]) -> Vec<Option<String>> {
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

/// Whether a text is a digest with its algorithm, in hex, base32 or base64 ([WARC 1.1,
/// 5.8](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#warc-block-digest)).
fn is_digest(text: &str) -> bool {
    let is_name =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_value = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .split_once(':')
            .is_some_and(|(name, value)| is_name(name) && value.bytes().all(is_value))
}

/// Returns the error of reading an archive. A stopped run makes reading fail too.
fn read_error(archive: &Archive, error: io::Error, monitor: &dyn Monitor) -> CrawlError {
    if monitor.is_stopped() {
        return CrawlError::Stopped;
    }
    CrawlError::Unread(archive.path(), error)
}
