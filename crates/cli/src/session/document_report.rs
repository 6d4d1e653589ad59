//! Messages about the documents in a file, and about documents whose relative links stay.

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
    /// The entry of the document, if it is not the whole file.
    entry: Option<EntryId>,
    summary: &'a Summary,
}

impl<'a> DocumentReport<'a> {
    /// Lists the documents of a file.
    pub fn from_documents(documents: &'a Documents) -> Vec<Self> {
        match documents {
            Documents::One(summary) => vec![Self::new(None, summary)],
            Documents::Parts(parts) => {
                let from_part = |part: &'a PartSummary| {
                    Self::new(Some(EntryId::Part(part.part)), &part.summary)
                };
                parts.summaries().iter().map(from_part).collect()
            }
        }
    }

    pub fn new(entry: Option<EntryId>, summary: &'a Summary) -> Self {
        Self { entry, summary }
    }

    pub fn name(&self, file: &str) -> String {
        name_entry(file, self.entry)
    }

    /// Whether relative links stay because no base URL applies.
    pub fn is_unresolved(&self) -> bool {
        self.summary.counts().unresolved > 0
    }

    /// Whether links stay because of the base element. Then no option helps.
    pub fn has_inert_base(&self) -> bool {
        self.inert_base().is_some()
    }

    fn inert_base(&self) -> Option<&RejectedBase> {
        self.summary.rejected_base().filter(|base| base.leaves_unresolved())
    }

    /// Explains why the document could not be read, why its base element is ignored, and which
    /// faults were tolerated.
    pub fn notes(&self, file: &str) -> impl Iterator<Item = String> {
        let unreadable =
            self.summary.is_unreadable().then(|| format!("{}: {UNREADABLE}", self.name(file)));
        let rejected = self.summary.rejected_base().map(|why| {
            let advice = if why.is_outside_head() { "; --base-scope document uses it" } else { "" };
            format!("{}: {why}{advice}", self.name(file))
        });
        let namespace = self.summary.unknown_namespace().map(|name| {
            let name = printable(&name.chars().take(60).collect::<String>());
            format!("{}: the namespace of '{name}' is not known, and its links are not found; declare it by xmlns=\"URI\"", self.name(file))
        });
        let fault = self.summary.tolerated_fault();
        let fault = fault.map(|(why, position)| format!("{}: {position}: {why}", self.name(file)));
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
        [unreadable, rejected, namespace, fault, hidden, early, kept].into_iter().flatten()
    }

    /// Prints the base URL and the numbers of links by outcome, with `--verbose`.
    pub fn print_details(&self, file: &str, messages: Messages) {
        if !messages.are_verbose() {
            return;
        }
        self.print_refused_urls(file, messages);
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

    /// Prints recorded URLs that are not used, each with the reason, with `--verbose`.
    pub fn print_refused_urls(&self, file: &str, messages: Messages) {
        for refused in self.summary.not_learned() {
            messages.detail(Diagnosis::of(self.name(file), refused));
        }
    }

    /// Reports which links of the only input stayed, and why; `unresolved` is the severity for
    /// relative links.
    pub fn report(&self, file: &str, messages: Messages, unresolved: Severity, base: &BaseUrlArgs) {
        for note in self.notes(file) {
            messages.warning(note);
        }
        if self.summary.is_unreadable() {
            return;
        }
        let (name, counts) = (self.name(file), self.summary.counts());
        if let Some(why) = self.explain_unresolved(file, base) {
            messages.report(unresolved, why);
        }
        if counts.invalid > 0 {
            let links = describe_staying(counts.invalid);
            messages.warning(format_args!(
                "{name}: {links} as written, the standard refuses its reference; --standard rfc1808 takes all"
            ));
        }
        self.print_details(file, messages);
    }

    /// Explains why links of the only input stay relative; `None` if none does.
    pub fn explain_unresolved(&self, file: &str, base: &BaseUrlArgs) -> Option<String> {
        // A document that has a base URL keeps only links that resolve against its own URL.
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
        let links = describe_staying(self.summary.counts().unresolved);
        Some(format!("{}: {links} relative, {why}", self.name(file)))
    }
}

/// Describes the number of links that stay.
fn describe_staying(count: usize) -> String {
    match count {
        1 => "1 link stays".to_owned(),
        _ => format!("{count} links stay"),
    }
}

/// The note on a self-closing script, after which HTML hides the document.
const HIDDEN: &str =
    "as HTML, everything after a self-closing script is hidden; read it as XML with --as xml";

const UNREADABLE: &str = "its encoding is one that browsers refuse to read, it stays as it is; give another with --encoding";

/// Returns the notes on one file of several, unless `--quiet`: on its documents, and the reason why
/// it was skipped.
pub fn collect_notes(
    report: &Report,
    messages: Messages,
    name: impl Fn() -> String,
) -> Vec<Diagnosis> {
    let mut notes = Vec::new();
    if messages.are_quiet() {
        return notes;
    }
    for document in report.documents.iter().flat_map(DocumentReport::from_documents) {
        notes.extend(document.notes(&name()).map(Diagnosis::new));
    }
    match &report.outcome {
        // A folder may have thousands of special files and symbolic links, which are only counted.
        FileOutcome::Skipped(Skip::Special | Skip::Link) if !messages.are_verbose() => {}
        FileOutcome::Skipped(skip) => {
            notes.push(Diagnosis::of(format_args!("{}: skipped", name()), skip));
        }
        _ => {}
    }
    notes
}

/// Prints the number of skipped symbolic links, if any.
pub fn report_symlinks(count: usize, messages: Messages) {
    if count > 0 {
        let links = counted(count, "symbolic link");
        let advice = "skipped; --follow-symlinks includes them, --verbose lists them";
        messages.warning(format_args!("{links} {advice}"));
    }
}

/// Maximum number of failures to print for a file, since a hostile file has millions.
pub const MAX_FAILURES: usize = 100;

/// Explains why parts of a file failed, up to [`MAX_FAILURES`] of them.
pub fn explain_failures(documents: &Documents, file: &str) -> Vec<Diagnosis> {
    let all = documents.failures();
    let mut lines: Vec<_> = all
        .iter()
        .take(MAX_FAILURES)
        .map(|error| Diagnosis::of(name_entry(file, error.part().map(EntryId::Part)), error))
        .collect();
    lines.extend(describe_unnamed(file, all.len()).map(Diagnosis::new));
    lines
}

/// Explains why a file failed, or parts of it.
pub fn explain_file_failures(report: &Report, file: &str) -> Vec<Diagnosis> {
    match (&report.outcome, &report.documents) {
        (FileOutcome::Failed(failure), _) => vec![Diagnosis::of(file, failure)],
        (_, Some(documents)) => explain_failures(documents, file),
        _ => Vec::new(),
    }
}

/// Describes the number of failures beyond [`MAX_FAILURES`], if any.
pub fn describe_unnamed(file: &str, failed: usize) -> Option<String> {
    let left = failed.checked_sub(MAX_FAILURES).filter(|&left| left > 0)?;
    Some(format!("{file}: {left} more are not named"))
}

/// The number and the names of documents whose relative links no base URL resolves.
#[derive(Default, Serialize)]
pub struct Unresolved {
    count: usize,
    names: Vec<String>,
    /// The names of documents whose base element prevents a base URL. No option helps.
    #[serde(skip)]
    by_base_element: Vec<String>,
}

/// Maximum number of documents that a warning names without `--verbose`.
const MAX_SHOWN: usize = 10;

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

    /// Prints the documents, one per line: the first ones in a warning, or all in an error.
    pub fn report(&self, messages: Messages, severity: Severity, base: &BaseUrlArgs) {
        if !self.by_base_element.is_empty() {
            // A warning about the base element of each document was printed before.
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
            print_names(messages, severity, names);
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
            print_names(messages, severity, &self.names);
        }
    }
}

/// Prints names, and the number of names that are left out.
fn print_names(messages: Messages, severity: Severity, names: &[String]) {
    let is_complete = severity == Severity::Error || messages.are_verbose();
    let shown = if is_complete { names.len() } else { MAX_SHOWN };
    for name in names.iter().take(shown) {
        messages.report(severity, format_args!("  {name}"));
    }
    let more = names.len().saturating_sub(shown);
    if more > 0 {
        messages.report(severity, format_args!("  and {more} more, --verbose names them"));
    }
}
