//! Extracts one document of a message or a web archive, or the files of a crawl into a folder.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use absolve::Diagnosis;
use absolve::url::masked;
use absolve_archive::warc::{Page, RecordPosition};
use absolve_archive::{ContainerError, EntryId, Format};
use absolve_files::crawl::{
    Crawl, CrawlError, CrawlOptions, ExtractedFile, Extraction, Missing, UnreadCaptures,
};
use absolve_files::{Archive, Monitor, NewFolder, Sync};
use absolve_site::report::{
    self,
    display::{counted, printable, printable_path, thousands},
};

use crate::args::ExtractArgs;
use crate::session::failure::Failure;
use crate::session::inputs::Input;
use crate::session::paths::{split_at_entry, split_at_member};

/// Maximum number of pages that `index.html` lists.
const MAX_PAGES: usize = 1000;

/// The archives of a crawl, and the selection of files from them.
pub struct ExtractJob<'a> {
    args: &'a ExtractArgs,
    archives: Vec<Archive>,
    /// The only URL to extract, if one was given.
    pub url: Option<String>,
}

impl<'a> ExtractJob<'a> {
    /// Opens the archives in the order of the arguments, and splits off the URL after a name.
    ///
    /// # Errors
    ///
    /// If a path is not a web archive or cannot be read, or if a URL follows one of several paths.
    pub fn new(args: &'a ExtractArgs) -> Result<Self, Failure> {
        let mut archives = Vec::new();
        let mut selected = None;
        for path in &args.paths {
            let (path, url) = match split_at_url(path) {
                Some((file, url)) => (file, Some(url.to_owned())),
                None => (path.clone(), None),
            };
            if url.is_some() && args.paths.len() > 1 {
                let problem = "a URL after it is for one file alone";
                return Err(Failure::new(&printable_path(&path), problem));
            }
            selected = selected.or(url);
            archives.extend(open_archives(&path)?);
        }
        Ok(Self { args, archives, url: selected })
    }

    /// Reads the records of the archives.
    ///
    /// # Errors
    ///
    /// If an archive cannot be read.
    pub fn read(self, monitor: &dyn Monitor) -> Result<Crawl, Failure> {
        let Self { args, archives, url } = self;
        let mut selection = args.records.selection();
        if let Some(url) = url {
            selection = selection.url(move |other| other == url);
        }
        let options = CrawlOptions { selection, until: args.at, limits: args.limits.archives };
        Crawl::read(archives, options, monitor).map_err(crawl_failure)
    }
}

/// Splits a path such as `crawl.warc.gz!http://example.org/`.
fn split_at_url(path: &Path) -> Option<(PathBuf, &str)> {
    split_at_member(path, |file: &Path| Archive::is_in(Format::from_name(file)) && file.is_file())
        .filter(|(_, url)| url.contains("://") || url.starts_with("cid:"))
}

fn open_archives(file: &Path) -> Result<Vec<Archive>, Failure> {
    Archive::from_path(file).map_err(|error| match error {
        ContainerError::Read(error) => Failure::unreadable_file(file, error),
        error => Failure::new(&printable_path(file), error),
    })
}

/// Returns the only document of a crawl, and its file.
pub fn read_only_document(
    args: &ExtractArgs,
    crawl: &Crawl,
    monitor: &dyn Monitor,
) -> Result<(Input, Vec<u8>), Failure> {
    if args.to.is_some() {
        return Err(Failure::message("--to is for a whole crawl; give -o FOLDER, or leave it out"));
    }
    let document = crawl.only(monitor).map_err(crawl_failure)?;
    let Some(document) = document else {
        let problem = match crawl.len() {
            0 => explain_no_response(crawl.unread()),
            count => Diagnosis::new(format!(
                "{} URLs are selected; give -o FOLDER for all of them, or one by --url",
                thousands(count as u64)
            )),
        };
        return Err(problem.into());
    };
    let document = document.map_err(Failure::message)?;
    let path = &args.paths[0];
    let file = split_at_url(path).map_or_else(|| path.clone(), |(file, _)| file);
    Ok((Input::File(file), document))
}

/// The files that were extracted, and those that were not.
pub struct ExtractionReport {
    /// The number of files that were written.
    pub files: u64,
    /// The number of links to URLs that the crawl does not have.
    pub missing: u64,
    /// URLs that failed, or whose files are incomplete or have the original links, with the reason.
    pub problems: Vec<(String, Diagnosis)>,
    /// The captures that were not extracted.
    pub unread: UnreadCaptures,
}

/// Writes all files of a crawl into a new folder, with an `index.html` that links to the first
/// pages of the crawl. `may_finish` is called last, before the folder appears.
///
/// # Errors
///
/// If nothing is selected, the folder exists, a link is refused because of `--missing error`, the
/// monitor or `may_finish` stops the run, or reading or writing fails. Then no folder appears.
pub fn write(
    args: &ExtractArgs,
    crawl: Crawl,
    path: &Path,
    monitor: &dyn Monitor,
    may_finish: impl FnOnce() -> bool,
) -> Result<ExtractionReport, Failure> {
    if crawl.is_empty() {
        return Err(explain_no_response(crawl.unread()).into());
    }
    let unread = crawl.unread().clone();
    let (rewriter, workers) = (args.rewriter(), args.workers());
    let links = args.to.map(|_| (&rewriter, args.missing));
    let extraction = Extraction { workers: &workers, links };
    let mut index = IndexPages::default();
    let report = |file: &ExtractedFile| index.add(file);
    let (folder, result) =
        crawl.extract(path, &extraction, monitor, report).map_err(crawl_failure)?;
    if extraction.links.is_some_and(|(_, missing)| missing == Missing::Error)
        && let Some((file, url)) = result.first_missing
    {
        let links = counted(result.missing, "link");
        let (file, url) = (printable(&file), masked(&url));
        let problem = format!(
            "{links} to what the crawl does not have, such as {} in {file}; nothing was written",
            printable(&url)
        );
        return Err(Failure::message(problem));
    }
    let unwritten = |error| Failure::unwritten(path, error, "nothing was written");
    index.write(&folder).map_err(unwritten)?;
    if !may_finish() {
        return Err(crawl_failure(CrawlError::Stopped));
    }
    folder.finish(Sync::Auto).map_err(unwritten)?;
    let failed = result.failed.into_iter().map(|failed| (failed.name, failed.why));
    let problems = failed.chain(index.problems).collect();
    Ok(ExtractionReport { files: result.files, missing: result.missing, problems, unread })
}

impl ExtractionReport {
    /// Returns the summary, as a line for people.
    pub fn summary(&self) -> String {
        let Self { files, missing, problems, unread } = self;
        let mut text = format!("extracted {}", counted(*files, "file"));
        let nowhere = "to what the crawl does not have (absolve-missing.tsv)";
        add_count(&mut text, *missing, "link", nowhere);
        add_unread(&mut text, unread);
        text += &describe_too_large(unread).to_string();
        add_count(&mut text, problems.len() as u64, "problem", "above");
        text
    }
}

/// Explains why there is nothing to write.
fn explain_no_response(unread: &UnreadCaptures) -> Diagnosis {
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
    Diagnosis::from_words(words, &[&damage, &text, &describe_too_large(unread)])
}

fn add_unread(text: &mut String, unread: &UnreadCaptures) {
    let not_of_web = "whose WARC-Target-URI is not an http or https URL";
    add_count(text, unread.not_of_web, "document", not_of_web);
    add_count(text, unread.revisits, "revisit", "of no record in these archives");
    let beyond = "of revisits and redirects beyond the 64 MiB for them";
    add_count(text, unread.long_urls, "long URL", beyond);
    add_count(text, unread.segments, "segment", "of a larger record");
}

fn describe_too_large(unread: &UnreadCaptures) -> Diagnosis {
    let words = if unread.too_large > 0 { "; {} beyond {limit record}" } else { "" };
    Diagnosis::from_words(words, &[&counted(unread.too_large, "record")])
}

/// Appends `; COUNT NAMEs DETAIL`, unless the count is zero.
fn add_count(text: &mut String, count: u64, name: &str, detail: &str) {
    if count > 0 {
        let _ = write!(text, "; {} {detail}", counted(count, name));
    }
}

/// Collects the pages for `index.html`, and problems, while files are written.
#[derive(Default)]
struct IndexPages {
    /// The number of pages, listed or not.
    pages: usize,
    hosts: HashSet<String>,
    /// The first page of each host: its URL, and a reference to its file.
    host_pages: Vec<(String, String)>,
    /// The pages that were requested without a referrer, in the same form.
    entry_pages: Vec<(String, String)>,
    /// The problem of each URL whose file is incomplete or has the original links.
    problems: BTreeMap<String, Diagnosis>,
}

impl IndexPages {
    fn add(&mut self, file: &ExtractedFile) {
        let host = file.name.split('/').next().unwrap_or_default();
        // Other URLs, such as `cid:`, mean nothing outside their message.
        let is_of_web = file.url.starts_with("http");
        let shown = if is_of_web { &file.url } else { &file.name };
        let page = || (printable(&masked(shown)), file.reference());
        self.pages += usize::from(file.is_page);
        if file.is_page && file.is_entry && self.entry_pages.len() < MAX_PAGES {
            self.entry_pages.push(page());
        }
        if file.is_page && self.hosts.len() < MAX_PAGES && !self.hosts.contains(host) {
            self.hosts.insert(host.to_owned());
            self.host_pages.push(page());
        }
        if let Some(why) = &file.problem {
            self.problems.insert(file.url.clone(), why.clone());
        }
    }

    /// Writes `index.html`. No host has this name.
    fn write(&self, folder: &NewFolder) -> std::io::Result<()> {
        let mut file = folder.create(Path::new("index.html"))?;
        // Some crawlers request every page without a referrer: such pages are no entry points.
        let are_few = (1..MAX_PAGES.min(self.pages)).contains(&self.entry_pages.len());
        let pages = if are_few { &self.entry_pages } else { &self.host_pages };
        report::write_entries(pages, &mut file)
    }
}

/// Creates a failure of the command from an error of a crawl.
fn crawl_failure(error: CrawlError) -> Failure {
    match error {
        CrawlError::Unread(path, error) => Failure::unreadable_file(&path, error),
        CrawlError::Unwritten(path, error) if error.kind() == ErrorKind::AlreadyExists => {
            let problem = "is there already; give a new folder";
            Failure::from_file(&printable_path(&path), problem, &path, error)
        }
        CrawlError::Unwritten(path, error) => {
            Failure::unwritten(&path, error, "nothing was written")
        }
        error => Failure::message(error),
    }
}

/// Returns the document that a path names in a container, and its file; `None` for another path.
pub fn read_entry(args: &ExtractArgs, path: &Path) -> Result<Option<(Input, Vec<u8>)>, Failure> {
    let Some((file, entry)) = split_at_entry(path) else { return Ok(None) };
    if let Some(why) = args.explain_misplaced() {
        return Err(Failure::message(why));
    }
    let (name, input) = (&*printable_path(path), Input::File(file));
    check_output(args, &input)?;
    let document = match entry {
        EntryId::Record(position) => read_record(args, name, &input, position)?,
        EntryId::Part(number) => read_part(args, name, &input, number)?,
    };
    let nothing = "no record or part begins there; give a position as links prints it";
    let document = document.ok_or_else(|| Failure::new(name, nothing))?;
    Ok(Some((input, document)))
}

/// Refuses an output that is the container itself.
pub fn check_output(args: &ExtractArgs, input: &Input) -> Result<(), Failure> {
    match args.output.as_deref().filter(|output| input.is_same_file(output)) {
        Some(output) => Err(Failure::new(&printable_path(output), "is the container itself")),
        None => Ok(()),
    }
}

/// Returns the decoded body of a part of a message.
fn read_part(
    args: &ExtractArgs,
    name: &str,
    input: &Input,
    number: usize,
) -> Result<Option<Vec<u8>>, Failure> {
    let source = input.read(&args.limits.documents)?;
    let format = Format::from_name(input.shown());
    let body = absolve_archive::decode_part(&source, format, number, args.limits.documents);
    let body = body.map_err(|error| Failure::new(&input.name(), error))?;
    body.transpose().map_err(|why| Failure::new(name, why))
}

/// Returns the decoded payload of a record.
fn read_record(
    args: &ExtractArgs,
    name: &str,
    input: &Input,
    position: RecordPosition,
) -> Result<Option<Vec<u8>>, Failure> {
    let source = input.open(&())?;
    let unreadable = |error| Failure::unreadable(&input.name(), &error);
    let reader = source.reader_at(position).map_err(unreadable)?;
    let first = reader.limits(args.limits.archives).first(decode_page).map_err(unreadable)?;
    let document = first.transpose().map_err(|entry| Failure::new(name, entry.problem))?;
    document.transpose().map_err(|why| Failure::new(name, why))
}

/// Returns the document of a record, or the reason that it has none.
fn decode_page(page: &Page<'_>) -> Result<Vec<u8>, String> {
    let record = page.record();
    if record.record_type() != "revisit" {
        return Ok(page.document().to_owned());
    }
    let target = record.target_uri();
    let original = record.headers().text("WARC-Refers-To-Target-URI");
    let url = original.as_deref().or(target.as_deref()).unwrap_or_default();
    let date = record.headers().text("WARC-Refers-To-Date");
    let date = date.map_or_else(String::new, |date| format!(" of {date}"));
    Err(format!(
        "it is a revisit, without the document; extract the record of '{}'{} that it refers to",
        printable(url),
        printable(&date)
    ))
}
