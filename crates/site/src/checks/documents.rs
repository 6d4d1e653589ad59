//! Rules about a document as a whole: its encoding, its markup, and whether it can be read.

use std::ops::Range;

use absolve::{Anchor, AnchorKind, Error, HasAdvice, Link, Location as ErrorLocation, Visit};
use absolve_files::Failure;

use crate::{
    Audit, AuditContext, Collector, DocumentCheck, Finding, PageAuditor, ReadDocument, Rule,
    SiteCheck, rows,
};

rows! {
    Unreadable: Error, Url;
        summary: "a file of the site could not be read",
        reason: "Its links and anchors are unknown, so that the audit is incomplete.",
        example: "a page without read permission, or larger than --limit input; a sitemap that is not XML",
        fix: "Make the file readable, raise the limit that the message names, or exclude the file \
              with --exclude.";

    PageNotWellFormed: Error, Url;
        summary: "an XHTML page is not well-formed",
        reason: "Browsers and reading systems show an error in place of the page, or in place of \
                 what follows the fault. Its links and anchors are unknown.",
        example: "<p>one<br>two</p> in a page named a.xhtml",
        fix: "Correct the markup at the place, or name the page .html if it is HTML.";

    NotWellFormed: Warn, Url;
        summary: "XML other than a page is not well-formed, or has unknown namespaces",
        reason: "Browsers do not show such an image, and readers of feeds and sitemaps may refuse \
                 the file. Its links and anchors are unknown, and so is what a self-closing script \
                 hides in XHTML that is named .html.",
        example: "<link>https://example.org/?a&b</link> in a feed",
        fix: "Correct the markup at the place, or exclude the file with --exclude if it is no XML.";

    LegacyEncoding: Note, Message;
        summary: "the page is not in UTF-8",
        reason: "Browsers encode queries in the page's encoding, and paths in UTF-8.",
        example: "<meta charset=\"windows-1252\">",
        fix: "Convert the page to UTF-8.";

    UndeclaredEncoding: Warn, Message;
        summary: "a page without an encoding has references or ids outside ASCII",
        reason: "Without a byte order mark, a meta element or a header of the server, browsers guess the \
                 encoding, often as windows-1252: the link leads elsewhere, and the anchor has another \
                 name. Only the first such place of a page is reported.",
        example: "<a href=\"käse.html\"> in UTF-8, without <meta charset=utf-8>",
        fix: "Write <meta charset=utf-8> first in head, or give --encoding if the server sends it.";

    MalformedJsonBlock: Note, Message;
        summary: "an import map or a script with speculation rules is not JSON",
        reason: "Browsers ignore the script, and the audit does not check the links in it.",
        example: "<script type=\"importmap\">{\"imports\": {\"a\": \"/a.js\",}}</script>",
        fix: "Correct the JSON: names in double quotes, and no comma after the last value.";
}

pub(super) const DOCUMENTS: &[DocumentCheck] =
    &[check_encoding, check_well_formedness, check_declaration];

pub(super) const SITE: &[SiteCheck] = &[report_unread];

/// Adds a finding about the document as a whole.
fn add_document_finding(auditor: &mut PageAuditor<'_>, rule: Rule, message: impl HasAdvice) {
    if let Some(level) = auditor.sink.level(rule) {
        let finding =
            auditor.sink.document_finding(rule, level, message.to_string()).advising(&message);
        auditor.sink.add(finding);
    }
}

/// Reports a document whose encoding is not supported, or is not UTF-8.
fn check_encoding(auditor: &mut PageAuditor<'_>, read: &mut ReadDocument<'_>) {
    if auditor.facts.is_unreadable {
        let why = "its encoding is not supported; convert the page to UTF-8";
        report_unreadable(auditor, &Failure::new(why));
    }
    let encoding = read.summary.encoding();
    if !auditor.is_parsed() || encoding == encoding_rs::UTF_8 {
        return;
    }
    // https://encoding.spec.whatwg.org/#names-and-labels
    let labels = match encoding.name() {
        "windows-1252" => ", which ISO-8859-1 and US-ASCII are read as",
        _ => "",
    };
    let message = format!("the {} is in {}{labels}", auditor.noun(), encoding.name());
    add_document_finding(auditor, Rule::LegacyEncoding, message);
}

/// Reports a fault of XML that readers tolerate, and markup that absolve does not find.
fn check_well_formedness(auditor: &mut PageAuditor<'_>, read: &mut ReadDocument<'_>) {
    let summary = read.summary;
    if auditor.is_parsed() {
        if let Some((why, location)) = summary.tolerated_fault() {
            report_not_well_formed(auditor, why, location);
        }
        if let Some(name) = summary.unknown_namespace() {
            let name = name.chars().take(60).collect::<String>();
            report_hidden_markup(
                auditor,
                format!(
                    "the namespace of '{name}' is not known, and its links are not found; declare \
                     it by xmlns=\"URI\""
                ),
            );
        }
    }
    if summary.hides_markup() {
        let message = "as HTML, everything after a self-closing script is hidden; name the file \
                       .xhtml, or end the script with </script>";
        report_hidden_markup(auditor, message.to_owned());
    }
}

/// Reports the error of a document that cannot be read.
pub(super) fn report_failure(auditor: &mut PageAuditor<'_>, error: Error) {
    let Some((why, location)) = error.well_formedness() else {
        return report_unreadable(auditor, &error.into());
    };
    report_not_well_formed(auditor, why, location);
}

fn report_not_well_formed(auditor: &mut PageAuditor<'_>, why: &str, location: ErrorLocation) {
    let rule = if auditor.is_xml() { Rule::NotWellFormed } else { Rule::PageNotWellFormed };
    let Some(level) = auditor.sink.level(rule) else { return };
    let mut finding = auditor.sink.document_finding(rule, level, why);
    if let ErrorLocation::Character { line, column } = location {
        (finding.line, finding.column) = (Some(line), Some(column));
    }
    add_well_formedness(auditor, finding);
}

/// Reports markup that absolve does not find, because its namespace is unknown, or because HTML
/// reads it as the text of a script.
fn report_hidden_markup(auditor: &mut PageAuditor<'_>, message: String) {
    if let Some(level) = auditor.sink.level(Rule::NotWellFormed) {
        let finding = auditor.sink.document_finding(Rule::NotWellFormed, level, message);
        add_well_formedness(auditor, finding);
    }
}

/// Adds a finding about XML. The finding waits if the document may be a sitemap with its own check.
fn add_well_formedness(auditor: &mut PageAuditor<'_>, finding: Finding) {
    if auditor.is_xml() {
        auditor.context.state.add_malformed(auditor.number(), finding);
    } else {
        auditor.sink.add(finding);
    }
}

pub(crate) fn report_unreadable(auditor: &mut PageAuditor<'_>, failure: &Failure) {
    add_document_finding(auditor, Rule::Unreadable, failure);
}

/// Reports a page without a declared encoding that has a reference or an anchor with bytes
/// outside ASCII. Such pages are few, so each is read once more to find the position.
fn check_declaration(auditor: &mut PageAuditor<'_>, read: &mut ReadDocument<'_>) {
    let ReadDocument { source: document, summary, rewriter, .. } = *read;
    let rule = Rule::UndeclaredEncoding;
    if !summary.is_encoding_guessed() || document.is_ascii() {
        return;
    }
    let Some(level) = auditor.sink.level(rule) else { return };
    let mut finder =
        NonAsciiFinder { document, audit: auditor.context.audit, first: None, ascii: 0..0 };
    // The first reading had no error, so this one has none.
    let _ = rewriter.inspect(document, read.buffers, &mut finder);
    let Some((span, [element, attribute, value])) = finder.first else { return };
    let message = format!(
        "the page declares no encoding, and browsers guess one; absolve reads it as {}",
        summary.encoding().name()
    );
    let standard = auditor.sink.lookup.standard;
    let finding = Finding {
        span: Some(span),
        element: Some(element).filter(|element| !element.is_empty()),
        attribute: Some(attribute).filter(|attribute| !attribute.is_empty()),
        reference: Some(standard.masked(None, &value).into_owned()),
        ..auditor.sink.document_finding(rule, level, message)
    };
    auditor.sink.add(finding);
}

/// Finds the first reference or anchor with bytes outside ASCII.
struct NonAsciiFinder<'a> {
    document: &'a [u8],
    audit: &'a Audit,
    /// The first such span, with the element, the attribute and the value.
    first: Option<(Range<usize>, [String; 3])>,
    /// The last span that is ASCII: all links of a document in an attribute have the same span.
    ascii: Range<usize>,
}

impl NonAsciiFinder<'_> {
    fn keep_first(&mut self, span: Range<usize>, texts: [&str; 3]) {
        let is_before = self.first.as_ref().is_none_or(|(first, _)| span.start < first.start);
        if !is_before || span == self.ascii {
            return;
        }
        if self.document.get(span.clone()).is_some_and(|bytes| !bytes.is_ascii()) {
            self.first = Some((span, texts.map(str::to_owned)));
        } else {
            self.ascii = span;
        }
    }
}

impl Visit for NonAsciiFinder<'_> {
    fn can_skip(&mut self, _: bool, reference: &str, _: Option<&absolve::url::Base>) -> bool {
        reference.is_ascii()
    }

    fn link(&mut self, link: &Link<'_>) {
        let Some(span) = link.span() else { return };
        if self.audit.ignores(link.reference(), || link.url()) {
            return;
        }
        self.keep_first(span, [link.element(), link.attribute(), link.reference()]);
    }

    fn anchor(&mut self, anchor: &Anchor<'_>) {
        if anchor.is_ignored() {
            return;
        }
        let attribute = if anchor.kind() == AnchorKind::Id { "id" } else { "name" };
        self.keep_first(anchor.span(), [anchor.element(), attribute, anchor.value()]);
    }
}

/// Reports the files and folders that the walk could not read.
fn report_unread(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    for (path, failure) in context.site.unread() {
        let finding = context.audit.finding(Rule::Unreadable, path.clone(), failure.to_string());
        collector.add(finding.advising(failure));
    }
}

/// Reports an import map or a script with speculation rules that is not JSON.
pub(super) fn check_script(auditor: &mut PageAuditor<'_>, span: Range<usize>, why: &str) {
    let rule = Rule::MalformedJsonBlock;
    if let Some(level) = auditor.sink.level_with_room(rule) {
        let message = format!("browsers ignore the script, which is not JSON: {why}");
        let element = Some("script".to_owned());
        let finding = Finding {
            span: Some(span),
            element,
            ..auditor.sink.document_finding(rule, level, message)
        };
        auditor.sink.add(finding);
    }
}
