//! Audits the names of the files of a book, its manifests, spines and navigation documents
//! ([package documents](https://www.w3.org/TR/epub-33/#sec-package-doc)).

mod problems;

use std::collections::{BTreeSet, HashMap};

use unicode_normalization::UnicodeNormalization;

use crate::audit::container::document::AuditedDocument;
use crate::audit::context::{AuditContext, Collector, Turn};
use crate::audit::finding::Finding;
use crate::audit::page::sink::FindingSink;
use crate::audit::pass::book::problems::{BookProblem, each_link_to_the_web, each_of_package};
use crate::audit::position;
use crate::audit::rules::{Level, Rule};
use crate::audit::site::files::FileKind;
use crate::container::epub::Package;
use crate::encoding::Lines;
use crate::link::Syntax;

/// Reports names that are one name on some file systems, items that a manifest cannot have, and links
/// of the table of contents to the web; a missing file is a broken link of the item.
pub(crate) fn check(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let Some(book) = context.site.book() else { return };
    check_names(context, collector);
    for package in book.packages() {
        let Some(file) = context.site.files().find_file(package.name.as_bytes()) else { continue };
        if !context.audit.reports(file) {
            continue;
        }
        let has = |name: &str| context.site.files().find_file(name.as_bytes()).is_some();
        check_document(context, collector, file, |_, report| {
            each_of_package(package, &has, report);
        });
    }
    let documents: BTreeSet<usize> =
        book.packages().iter().flat_map(|package| navigation_documents(context, package)).collect();
    for file in documents {
        check_document(context, collector, file, |source, report| {
            each_link_to_the_web(source, report);
        });
    }
}

/// The numbers of the [navigation documents](https://www.w3.org/TR/epub-33/#sec-nav-prop) of a package
/// whose findings are reported.
fn navigation_documents(context: &AuditContext<'_>, package: &Package) -> Vec<usize> {
    let items = package.items.iter().filter(|item| item.has_property("nav"));
    let files =
        items.filter_map(|item| context.site.files().find_file(item.member.as_deref()?.as_bytes()));
    files.filter(|&file| context.audit.reports(file)).collect()
}

/// Reports the problems of a document that `each` calls its second argument with; the first has the
/// bytes of the document.
fn check_document(
    context: &AuditContext<'_>,
    collector: &mut Collector<'_, '_>,
    file: usize,
    each: impl FnOnce(&[u8], &mut dyn FnMut(BookProblem<'_>)),
) {
    let shown = context.site.shown(file);
    let source = context.site.read(&shown).unwrap_or_default();
    let rewriter = context.audit.rewriter.clone().syntax(Syntax::Xml);
    let mut lines = Lines::new(&source, rewriter.detect(&source));
    let mut sink = FindingSink::new(context, AuditedDocument::file(file), Turn::Alone);
    each(&source, &mut |problem| {
        let BookProblem { rule, element, attribute, value, span, message } = problem;
        if context.audit.ignores(value, || Some(value)) {
            return;
        }
        let Some(level) = sink.level_with_room(rule) else { return };
        let mut finding = Finding {
            span,
            element: Some(element.to_owned()),
            attribute: Some(attribute.to_owned()),
            reference: Some(context.audit.standard().masked(None, value).into_owned()),
            ..sink.whole(rule, level, message)
        };
        position::put(&mut finding, &mut lines);
        sink.add(finding);
    });
    collector.add_page(sink.take());
}

/// Reports files whose names differ only in letter case or in the form of their characters
/// ([OCF](https://www.w3.org/TR/epub-33/#sec-container-filenames)).
fn check_names(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let rule = Rule::DuplicateName;
    if context.audit.level_of(rule) == Level::Off {
        return;
    }
    let mut first = HashMap::new();
    for (number, (path, kind)) in context.site.files().iter().enumerate() {
        let name = String::from_utf8_lossy(path);
        let &mut (other, other_kind) = first.entry(folded(&name)).or_insert((number, kind));
        // Two folders become one, with the files of both.
        let is_file = [kind, other_kind].contains(&FileKind::File);
        if other != number && is_file && context.audit.reports(number) {
            let message =
                format!("its name is that of {} on some file systems", shown(context, other));
            let file = context.site.shown(number);
            collector.add(context.audit.finding(rule, file, message));
        }
    }
}

/// A name by [full case folding](https://www.unicode.org/reports/tr44/#CaseFolding.txt), in one form
/// of its characters.
///
/// For each character but one, the lower case of the upper case of the lower case is one for the
/// characters that fold alike, as Python's `str.casefold` has them: `ẞ`, `ß` and `SS` become `ss`.
/// `ı` folds to itself.
fn folded(name: &str) -> String {
    let fold = |one: char| {
        let is_itself = one == 'ı';
        let lower = one.to_lowercase().filter(move |_| !is_itself);
        let folded = lower.flat_map(char::to_uppercase).flat_map(char::to_lowercase);
        folded.chain(is_itself.then_some(one))
    };
    name.nfd().flat_map(fold).nfc().collect()
}

/// The name of a file in quotes.
fn shown(context: &AuditContext<'_>, number: usize) -> String {
    let name = context.site.path(number);
    format!("'{}'", String::from_utf8_lossy(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_one(name: &str, other: &str, expected: bool) {
        assert_eq!(folded(name) == folded(other), expected, "{name} {other}");
    }

    #[test]
    fn names_are_compared_by_full_case_folding() {
        is_one("Straße", "STRASSE", true);
        is_one("ẞ", "ß", true);
        is_one("ΟΔΟΣ.x", "οδος.x", true);
        is_one("ς", "σ", true);
        is_one("ﬁ", "FI", true);
        is_one("İ", "i\u{307}", true);
        is_one("é", "E\u{301}", true);
        is_one("\u{212a}", "k", true);
        is_one("ı", "i", false);
        is_one("ı", "I", false);
        is_one("e", "é", false);
    }
}
