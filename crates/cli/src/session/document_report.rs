//! The report on each document in a file, and the documents whose relative links stay.

use absolve::url::masked;
use absolve::{BaseSource, Diagnosis, RejectedBase, Summary};
use absolve_archive::{Documents, EntryId, PartSummary};
use absolve_files::{FileOutcome, Report, Skip};
use absolve_site::report::display::counted;
use serde::Serialize;

use super::paths::name_entry;
use crate::args::BaseUrlArgs;
use crate::terminal::{Messages, Severity, printable};

/// A document and its summary.
pub struct DocumentReport<'a> {
    /// The entry in the file, if it is not the whole file.
    inside: Option<EntryId>,
    summary: &'a Summary,
}

impl<'a> DocumentReport<'a> {
    /// All documents of a file.
    pub fn all(documents: &'a Documents) -> Vec<Self> {
        match documents {
            Documents::One(summary) => vec![Self::new(None, summary)],
            Documents::Parts(parts) => {
                let of = |part: &'a PartSummary| {
                    Self::new(Some(EntryId::Part(part.part)), &part.summary)
                };
                parts.summaries().iter().map(of).collect()
            }
        }
    }

    pub fn new(inside: Option<EntryId>, summary: &'a Summary) -> Self {
        Self { inside, summary }
    }

    pub fn name(&self, file: &str) -> String {
        name_entry(file, self.inside)
    }

    /// Whether relative links stay in it because no base URL counts.
    pub fn is_unresolved(&self) -> bool {
        self.summary.counts().unresolved > 0
    }

    /// Whether its base element is the reason, so that no option gives it a base URL.
    pub fn has_inert_base(&self) -> bool {
        self.inert_base().is_some()
    }

    fn inert_base(&self) -> Option<&RejectedBase> {
        self.summary.rejected_base().filter(|base| base.leaves_unresolved())
    }

    /// Why it could not be read, and why its base does not count.
    pub fn notes(&self, file: &str) -> impl Iterator<Item = String> {
        let unreadable =
            self.summary.is_unreadable().then(|| format!("{}: {UNREADABLE}", self.name(file)));
        let rejected = self.summary.rejected_base().map(|why| {
            let advice = if why.is_outside_head() { "; --base-scope document uses it" } else { "" };
            format!("{}: {why}{advice}", self.name(file))
        });
        let namespace = self.summary.unknown_namespace().map(|what| {
            let what = printable(&what.chars().take(60).collect::<String>());
            format!("{}: the namespace of '{what}' is not known, and its links are not found; declare it by xmlns=\"URI\"", self.name(file))
        });
        let fault = self.summary.tolerated_fault();
        let fault = fault.map(|(why, place)| format!("{}: {place}: {why}", self.name(file)));
        let hidden = self.summary.hides_markup().then(|| format!("{}: {HIDDEN}", self.name(file)));
        let early = match self.summary.links_before_base() {
            0 => None,
            1 => Some("1 link".to_owned()),
            count => Some(format!("{count} links")),
        };
        let early = early.map(|links| format!("{}: browsers load {links} before the base element by the URL of the page; move the element to the start of the head", self.name(file)));
        let scripts = self.summary.kept_scripts();
        let kept = (scripts > 0).then(|| {
            let stay = if scripts == 1 { "script stays" } else { "scripts stay" };
            format!("{}: {scripts} {stay} as written: with new URLs, its `<!--`, `-->` or `<script` would end it elsewhere; escape < and > in its strings", self.name(file))
        });
        unreadable
            .into_iter()
            .chain(rejected)
            .chain(namespace)
            .chain(fault)
            .chain(hidden)
            .chain(early)
            .chain(kept)
    }

    /// Prints the base URL and the numbers of links by outcome, with `--verbose`.
    pub fn detail(&self, file: &str, messages: Messages) {
        if !messages.are_verbose() {
            return;
        }
        self.not_learned(file, messages);
        let (name, counts) = (self.name(file), self.summary.counts());
        let base =
            self.summary.base().map_or("none".to_owned(), |base| printable(&masked(base.as_str())));
        messages.detail(format_args!(
            "{name}: base URL {base} ({}); links: {}, {} rewritten, {} absolute, {} kept, {} unresolved, {} invalid",
            self.summary.base_source(),
            counts.links,
            counts.rewritten,
            counts.absolute,
            counts.kept,
            counts.unresolved,
            counts.invalid,
        ));
    }

    /// Prints, with `--verbose`, the URLs that the document names and that do not count.
    pub fn not_learned(&self, file: &str, messages: Messages) {
        for refused in self.summary.not_learned() {
            messages.detail(Diagnosis::of(self.name(file), refused));
        }
    }

    /// Reports what stayed unchanged in the only input, and why; `unresolved` is the severity for
    /// relative links.
    pub fn report(&self, file: &str, messages: Messages, unresolved: Severity, base: &BaseUrlArgs) {
        for note in self.notes(file) {
            messages.warning(note);
        }
        if self.summary.is_unreadable() {
            return;
        }
        let (name, counts) = (self.name(file), self.summary.counts());
        if let Some(why) = self.unresolved(file, base) {
            messages.report(unresolved, why);
        }
        if counts.invalid > 0 {
            let what = count_staying(counts.invalid);
            messages.warning(format_args!(
                "{name}: {what} as written, the standard refuses its reference; --standard rfc1808 takes all"
            ));
        }
        self.detail(file, messages);
    }

    /// Why links of the only input stay relative, if some do.
    pub fn unresolved(&self, file: &str, base: &BaseUrlArgs) -> Option<String> {
        // With a base, these links are relative to the layer below it.
        let why = match self.inert_base() {
            _ if !self.is_unresolved() => return None,
            Some(base) => format!(
                "nothing resolves against the URL of its {}; --base-url does not help",
                base.place()
            ),
            None if self.summary.base_source() == BaseSource::None => {
                format!("the document has no base URL; {}", base.advice(file))
            }
            None => format!("its own URL is not known; {}", base.advice(file)),
        };
        let what = count_staying(self.summary.counts().unresolved);
        Some(format!("{}: {what} relative, {why}", self.name(file)))
    }
}

/// The number of links that stay.
fn count_staying(count: usize) -> String {
    match count {
        1 => "1 link stays".to_owned(),
        _ => format!("{count} links stay"),
    }
}

/// The note on a page in an encoding that no decoder reads.
const HIDDEN: &str =
    "as HTML, everything after a self-closing script is hidden; read it as XML with --as xml";

const UNREADABLE: &str = "its encoding is one that browsers refuse to read, it stays as it is; give another with --encoding";

/// The notes on one document of many, unless `--quiet`: that it could not be read, that its base
/// does not count, or why it was skipped.
pub fn notes(report: &Report, messages: Messages, name: impl Fn() -> String) -> Vec<Diagnosis> {
    let mut notes = Vec::new();
    if messages.are_quiet() {
        return notes;
    }
    for document in report.documents.iter().flat_map(DocumentReport::all) {
        notes.extend(document.notes(&name()).map(Diagnosis::new));
    }
    match &report.outcome {
        // Special files and symbolic links are only counted: a folder may have thousands.
        FileOutcome::Skipped(Skip::Special | Skip::Link) if !messages.are_verbose() => {}
        FileOutcome::Skipped(skip) => {
            notes.push(Diagnosis::of(format_args!("{}: skipped", name()), skip));
        }
        _ => {}
    }
    notes
}

/// Prints one line about the symbolic links of a folder that were skipped, if there are any.
pub fn report_symlinks(count: usize, messages: Messages) {
    if count > 0 {
        let links = counted(count, "symbolic link");
        let what = "skipped; --follow-symlinks includes them, --verbose lists them";
        messages.warning(format_args!("{links} {what}"));
    }
}

/// Failures in one file that are printed; a hostile file has millions.
pub const MOST: usize = 100;

/// Why parts of a file stayed unchanged, each with its name.
pub fn failures(documents: &Documents, file: &str) -> Vec<Diagnosis> {
    let all = documents.failures();
    let mut lines: Vec<_> = all
        .iter()
        .take(MOST)
        .map(|error| Diagnosis::of(name_entry(file, error.part().map(EntryId::Part)), error))
        .collect();
    lines.extend(count_unnamed(file, all.len()).map(Diagnosis::new));
    lines
}

/// Why a file failed, or parts of it.
pub fn file_failures(report: &Report, file: &str) -> Vec<Diagnosis> {
    match (&report.outcome, &report.documents) {
        (FileOutcome::Failed(failure), _) => vec![Diagnosis::of(file, failure)],
        (_, Some(documents)) => failures(documents, file),
        _ => Vec::new(),
    }
}

/// The line about failures that are not named.
pub fn count_unnamed(file: &str, failed: usize) -> Option<String> {
    let left = failed.checked_sub(MOST).filter(|&left| left > 0)?;
    Some(format!("{file}: {left} more are not named"))
}

/// The number of documents whose relative links no base URL resolves, and the names of the first.
#[derive(Default, Serialize)]
pub struct Unresolved {
    count: usize,
    names: Vec<String>,
    /// Documents whose base element is the reason: no option gives them a base URL.
    #[serde(skip)]
    by_base_element: Vec<String>,
}

/// Documents that a warning names, unless `--verbose`.
const SHOWN: usize = 10;

impl Unresolved {
    pub fn add(&mut self, document: &DocumentReport<'_>, file: &str) {
        if document.has_inert_base() {
            self.by_base_element.push(document.name(file));
        } else {
            self.count += 1;
            self.names.push(document.name(file));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.by_base_element.is_empty()
    }

    /// Lists the documents, one per line: the first ones in a warning, all of them in an error.
    pub fn report(&self, messages: Messages, severity: Severity, base: &BaseUrlArgs) {
        if !self.by_base_element.is_empty() {
            // Each was already named by a warning about its base element.
            let (end, names) = match severity {
                Severity::Warning => ("", &[][..]),
                Severity::Error => (":", &self.by_base_element[..]),
            };
            messages.report(
                severity,
                format_args!(
                    "relative links stay as they are in {} with a base element whose URL nothing \
                     resolves against; --base-url does not help{end}",
                    counted(self.by_base_element.len(), "document")
                ),
            );
            list(messages, severity, names);
        }
        if self.count > 0 {
            messages.report(
                severity,
                format_args!(
                    "relative links stay as they are in {} without a base URL; {}:",
                    counted(self.count, "document"),
                    base.advice(self.names.first().map_or("", |name| name))
                ),
            );
            list(messages, severity, &self.names);
        }
    }
}

/// Lists names, and how many of them are left out.
fn list(messages: Messages, severity: Severity, names: &[String]) {
    let is_complete = severity == Severity::Error || messages.are_verbose();
    let shown = if is_complete { names.len() } else { SHOWN };
    for name in names.iter().take(shown) {
        messages.report(severity, format_args!("  {name}"));
    }
    let more = names.len().saturating_sub(shown);
    if more > 0 {
        messages.report(severity, format_args!("  and {more} more, --verbose names them"));
    }
}
