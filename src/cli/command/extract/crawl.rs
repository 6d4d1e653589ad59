//! The files of a crawl, as a folder that a browser opens.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::Diagnosis;
use crate::batch::{Archive, Monitor, NewFolder, Sync};
use crate::container::{ContainerError, Format};
use crate::crawl::{
    Crawl, CrawlError, CrawlOptions, ExtractedFile, Extraction, Missing, UnreadCaptures,
};
use crate::report::{
    self,
    display::{counted, thousands},
};
use crate::url::masked;

use super::document;
use crate::cli::args::ExtractArgs;
use crate::cli::session::entry_path::split_at_member;
use crate::cli::session::failure::Failure;
use crate::cli::session::input::Input;
use crate::cli::session::output::Output;
use crate::cli::session::progress::Progress;
use crate::cli::session::signals::{SecondSignal, Signals};
use crate::cli::session::status::Status;
use crate::cli::terminal::{Messages, printable, printable_path};

/// The most pages that the page of entry points lists.
const MAX_ENTRIES: usize = 1000;

pub fn run(args: &ExtractArgs, output: Output) -> Result<Status, Failure> {
    let (archives, url) = archives(args)?;
    let is_one = url.is_some();
    let signals = Signals::watch(SecondSignal::Ends);
    let progress = Progress::of_one(output, &signals);
    let read = read(args, archives, url, &progress);
    let result = read.and_then(|crawl| match &args.output {
        Some(folder) if !is_one => extract(args, crawl, folder, output, &progress),
        _ => print(args, &crawl, &progress),
    });
    progress.finish();
    match (result, signals.received()) {
        (_, Some(signal)) => Ok(Status::Signal(signal)),
        (result, None) => result,
    }
}

/// Reads the archives; `url` is the only one that is taken.
///
/// # Errors
///
/// If one cannot be read.
pub fn read(
    args: &ExtractArgs,
    archives: Vec<Archive>,
    url: Option<String>,
    monitor: &dyn Monitor,
) -> Result<Crawl, Failure> {
    let mut selection = args.records.selection();
    if let Some(url) = url {
        selection = selection.url(move |other| other == url);
    }
    let options = CrawlOptions { selection, until: args.at, limits: args.limits.archives };
    Crawl::read(archives, options, monitor).map_err(failure)
}

/// The archives that were given, in order, and the URL after the name of one.
///
/// # Errors
///
/// If a path is that of no web archive, or cannot be read.
pub fn archives(args: &ExtractArgs) -> Result<(Vec<Archive>, Option<String>), Failure> {
    let mut found = Vec::new();
    let mut selected = None;
    for path in &args.paths {
        let (path, url) = match url_in(path) {
            Some((file, url)) => (file, Some(url.to_owned())),
            None => (path.clone(), None),
        };
        if url.is_some() && args.paths.len() > 1 {
            let what = "a URL after it is for one file alone";
            return Err(Failure::of(&printable_path(&path), what));
        }
        selected = selected.or(url);
        found.extend(of_path(&path)?);
    }
    Ok((found, selected))
}

/// The archive and the URL of a path such as `crawl.warc.gz!http://example.org/`.
fn url_in(path: &Path) -> Option<(PathBuf, &str)> {
    split_at_member(path, |file: &Path| Archive::is_in(Format::of_name(file)) && file.is_file())
        .filter(|(_, url)| url.contains("://") || url.starts_with("cid:"))
}

fn of_path(file: &Path) -> Result<Vec<Archive>, Failure> {
    Archive::of_path(file).map_err(|error| match error {
        ContainerError::Read(error) => Failure::unreadable_file(file, error),
        error => Failure::of(&printable_path(file), error),
    })
}

/// Writes the only document, as one of a container.
fn print(args: &ExtractArgs, crawl: &Crawl, monitor: &dyn Monitor) -> Result<Status, Failure> {
    if args.to.is_some() {
        return Err(Failure::message("--to is for a whole crawl; give -o FOLDER, or leave it out"));
    }
    let document = crawl.only(monitor).map_err(failure)?;
    let Some(document) = document else {
        let what = match crawl.len() {
            0 => no_response(crawl.unread()),
            more => Diagnosis::new(format!(
                "{} URLs are selected; give -o FOLDER for all of them, or one by --url",
                thousands(more as u64)
            )),
        };
        return Err(what.into());
    };
    let document = document.map_err(Failure::message)?;
    let path = &args.paths[0];
    let file = url_in(path).map_or_else(|| path.clone(), |(file, _)| file);
    document::write(args, &Input::File(file), &document)
}

/// Writes all files into a new folder, and reports on it.
fn extract(
    args: &ExtractArgs,
    crawl: Crawl,
    path: &Path,
    output: Output,
    progress: &Progress<'_>,
) -> Result<Status, Failure> {
    let rewriter = args.rewriter();
    let workers = args.workers();
    let links = args.to.map(|_| (&rewriter, args.missing));
    let extraction = Extraction { workers: &workers, links };
    let unread = crawl.unread().clone();
    let extracted = write(crawl, path, &extraction, progress, || !progress.is_stopped())?;
    progress.finish();
    for (name, why) in &extracted.problems {
        Messages::error(Diagnosis::of(printable(&masked(name)), why));
    }
    output.messages.warning(summary(&unread, &extracted));
    Ok(if extracted.problems.is_empty() { Status::Done } else { Status::Failed })
}

/// What was extracted.
#[derive(Debug, Default)]
pub struct ExtractionReport {
    /// Files that were written.
    pub files: u64,
    /// Links to what the crawl does not have.
    pub missing: u64,
    /// Records that are not there, and URLs that have the links of their records or are incomplete,
    /// with the reason.
    pub problems: Vec<(String, Diagnosis)>,
}

/// Writes all files of a crawl into a new folder, with a page of links to those that it began with.
/// `goes_on` is asked before the folder is there.
///
/// # Errors
///
/// If nothing is selected, the folder is there already, links lead to what the crawl does not have and
/// are not to, or something cannot be read or written. Nothing is there then.
pub fn write(
    crawl: Crawl,
    path: &Path,
    extraction: &Extraction<'_>,
    monitor: &dyn Monitor,
    goes_on: impl FnOnce() -> bool,
) -> Result<ExtractionReport, Failure> {
    if crawl.is_empty() {
        return Err(no_response(crawl.unread()).into());
    }
    let mut entries = Entries::default();
    let report = |file: &ExtractedFile| entries.add(file);
    let (folder, result) = crawl.extract(path, extraction, monitor, report).map_err(failure)?;
    if extraction.links.is_some_and(|(_, missing)| missing == Missing::Error)
        && let Some((file, url)) = result.first_missing
    {
        let links = counted(result.missing, "link");
        let (file, url) = (printable(&file), masked(&url));
        let what = format!(
            "{links} to what the crawl does not have, such as {} in {file}; nothing was written",
            printable(&url)
        );
        return Err(Failure::message(what));
    }
    let unwritten = |error| Failure::unwritten(path, error, "nothing was written");
    entries.write(&folder).map_err(unwritten)?;
    if !goes_on() {
        return Err(failure(CrawlError::Stopped));
    }
    folder.finish(Sync::Auto).map_err(unwritten)?;
    let failed = result.failed.into_iter().map(|failed| (failed.name, failed.why));
    let problems = failed.chain(entries.problems).collect();
    Ok(ExtractionReport { files: result.files, missing: result.missing, problems })
}

/// The last line of a run.
fn summary(unread: &UnreadCaptures, extracted: &ExtractionReport) -> String {
    let mut text = format!("extracted {}", counted(extracted.files, "file"));
    let missing = "to what the crawl does not have (absolve-missing.tsv)";
    add_count(&mut text, extracted.missing, "link", missing);
    add_unread(&mut text, unread);
    text += &too_large(unread).to_string();
    add_count(&mut text, extracted.problems.len() as u64, "problem", "above");
    text
}

/// Why there is nothing to write.
fn no_response(unread: &UnreadCaptures) -> Diagnosis {
    let damage = unread.damaged.iter().map(|damage| printable(damage) + "; ").collect::<String>();
    let mut text = String::new();
    let (others, status) = unread.other_statuses;
    let such_as = if others > 1 { "statuses such as" } else { "status" };
    add_count(&mut text, others, "response", &format!("of {such_as} {status}"));
    add_count(&mut text, unread.parts, "response", "with a part of a document (206)");
    if unread.answers == 0 && unread.damaged.is_none() {
        text += "; there is no response at all";
    }
    add_unread(&mut text, unread);
    let words = "{}no response with a file is selected (of status 200 unless {status} is given, \
                 and no redirect){}{}; nothing was written";
    Diagnosis::from_words(words, &[&damage, &text, &too_large(unread)])
}

fn add_unread(text: &mut String, unread: &UnreadCaptures) {
    let not_of_web = "whose WARC-Target-URI is not an http or https URL";
    add_count(text, unread.not_of_web, "document", not_of_web);
    add_count(text, unread.revisits, "revisit", "of no record in these archives");
    let beyond = "of revisits and redirects beyond the 64 MiB for them";
    add_count(text, unread.long_urls, "long URL", beyond);
    add_count(text, unread.segments, "segment", "of a larger record");
}

fn too_large(unread: &UnreadCaptures) -> Diagnosis {
    let words = if unread.too_large > 0 { "; {} beyond {limit record}" } else { "" };
    Diagnosis::from_words(words, &[&counted(unread.too_large, "record")])
}

/// Adds a number of things, unless it is 0.
fn add_count(text: &mut String, count: u64, name: &str, what: &str) {
    if count > 0 {
        let _ = write!(text, "; {} {what}", counted(count, name));
    }
}

/// What is known of the files: the pages that a crawl began with.
#[derive(Default)]
struct Entries {
    /// The pages, also those that are not listed.
    pages: usize,
    hosts: HashSet<String>,
    /// The first page of each host: URLs, and references to files.
    first: Vec<(String, String)>,
    /// The pages that were requested without a referrer.
    began_with: Vec<(String, String)>,
    /// URLs whose files have the links of their records or are incomplete, and why.
    problems: BTreeMap<String, Diagnosis>,
}

impl Entries {
    fn add(&mut self, file: &ExtractedFile) {
        let host = file.name.split('/').next().unwrap_or_default();
        // The other URLs mean nothing outside their message.
        let is_of_web = file.url.starts_with("http");
        let shown = if is_of_web { &file.url } else { &file.name };
        let page = || (printable(&masked(shown)), file.reference());
        self.pages += usize::from(file.is_page);
        if file.is_page && file.is_entry && self.began_with.len() < MAX_ENTRIES {
            self.began_with.push(page());
        }
        if file.is_page && self.hosts.len() < MAX_ENTRIES && !self.hosts.contains(host) {
            self.hosts.insert(host.to_owned());
            self.first.push(page());
        }
        if let Some(why) = &file.problem {
            self.problems.insert(file.url.clone(), why.clone());
        }
    }

    /// Writes `index.html`, which no host has.
    fn write(&self, folder: &NewFolder) -> std::io::Result<()> {
        let mut file = folder.create(Path::new("index.html"))?;
        // A program that opens every page by itself says nothing of entries.
        let are_few = (1..MAX_ENTRIES.min(self.pages)).contains(&self.began_with.len());
        let pages = if are_few { &self.began_with } else { &self.first };
        report::write_entries(pages, &mut file)
    }
}

/// The failure of a command that reads or writes a crawl.
pub fn failure(error: CrawlError) -> Failure {
    match error {
        CrawlError::Unread(path, error) => Failure::unreadable_file(&path, error),
        CrawlError::Unwritten(path, error) if error.kind() == ErrorKind::AlreadyExists => {
            let what = "is there already; give a new folder";
            Failure::of_file(&printable_path(&path), what, &path, error)
        }
        CrawlError::Unwritten(path, error) => {
            Failure::unwritten(&path, error, "nothing was written")
        }
        error => Failure::message(error),
    }
}
