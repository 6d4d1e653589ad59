//! Audits the names of the files of a book, and its manifests and spines
//! ([package documents](https://www.w3.org/TR/epub-33/#sec-package-doc)).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::audit::context::AuditContext;
use crate::audit::context::collector::Collector;
use crate::audit::finding::Finding;
use crate::audit::position;
use crate::audit::reference::{BookResource, resource_of_type};
use crate::audit::rules::{Level, Rule};
use crate::audit::site::files::FileKind;
use crate::container::epub::{ManifestItem, Package};
use crate::encoding::Lines;
use crate::link::Syntax;
use crate::url::rfc1808::scheme_end;

/// Reports names that are one name on some file systems, and items that a manifest cannot have; a
/// missing file is a broken link of the item.
pub(crate) fn check(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let Some(book) = context.site.book() else { return };
    check_names(context, collector);
    for package in book.packages() {
        let Some(file) = context.site.files().find_file(package.name.as_bytes()) else { continue };
        if !context.audit.reports(file) {
            continue;
        }
        let shown = context.site.shown(file);
        let source = context.site.read(&shown).unwrap_or_default();
        let rewriter = context.audit.rewriter_as_set().clone().syntax(Syntax::Xml);
        let mut lines = Lines::new(&source, rewriter.detect(&source));
        let has = |name: &str| context.site.files().find_file(name.as_bytes()).is_some();
        each_problem(package, &has, |rule, element, (attribute, value), span, message| {
            let mut finding = Finding {
                span,
                element: Some(element.to_owned()),
                attribute: Some(attribute.to_owned()),
                reference: Some(value.to_owned()),
                ..Finding::new(rule, context.audit.level_of(rule), shown.clone(), message)
            };
            position::put(&mut finding, &mut lines);
            collector.add(finding);
        });
    }
}

/// Reports files whose names differ only in letter case or in the form of their characters
/// ([OCF](https://www.w3.org/TR/epub-33/#sec-container-filenames)).
fn check_names(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let rule = Rule::DuplicateName;
    let level = context.audit.level_of(rule);
    if level == Level::Off {
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
            collector.add(Finding::new(rule, level, file, message));
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
    let name = context.site.files().get(number).map_or(&b""[..], |(path, _)| path);
    format!("'{}'", String::from_utf8_lossy(name))
}

/// Calls `report` with the rule, element, attribute and value, the bytes of the value, and what is
/// wrong.
fn each_problem(
    package: &Package,
    has: &dyn Fn(&str) -> bool,
    mut report: impl FnMut(Rule, &str, (&str, &str), Option<Range<usize>>, String),
) {
    let (mut members, mut ids) = (HashSet::new(), HashSet::new());
    let has_scripts = package.items.iter().any(is_scripted);
    for item in &package.items {
        ids.insert(&*item.id);
        let is_first = item.member.as_ref().is_none_or(|member| members.insert(member));
        let is_there = || item.member.as_ref().is_none_or(|name| has(name));
        let scheme = scheme_end(&item.href).map(|end| &item.href[..end]);
        let is = |one: &str| scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(one));
        let is_remote = scheme.is_some() || item.href.starts_with("//");
        let mut rule = Rule::InvalidManifest;
        let message = match () {
            () if item.href.is_empty() => "an item of the manifest without href",
            () if item.href.contains('#') => "an item of the manifest with a fragment",
            () if is("data") => "an item of the manifest with a data: URL",
            () if is("file") => {
                rule = Rule::RemoteResource;
                "an item of the manifest that is a file of one computer"
            }
            () if is_remote
                && !has_scripts
                && resource_of_type(&item.media_type) == BookResource::Inside =>
            {
                rule = Rule::RemoteResource;
                "an item of the manifest that is on the web; only audio, video, fonts and what \
                 scripts load may be there"
            }
            () if !is_remote && item.href.contains('?') => "an item of the manifest with a query",
            () if item.member.as_ref() == Some(&package.name) => {
                "the manifest lists the package document"
            }
            () if !is_first => "another item of the manifest before it has the same file",
            () if item.has_entity && !is_there() => "the file of the item is not in the book",
            () => continue,
        };
        report(rule, "item", ("href", &item.href), item.span.clone(), message.to_owned());
    }
    for item in &package.spine {
        let message = if item.idref.is_empty() {
            "an itemref without idref".to_owned()
        } else {
            format!("no item of the manifest has the id '{}'", item.idref)
        };
        if item.idref.is_empty() || !ids.contains(&*item.idref) {
            let rule = Rule::InvalidManifest;
            report(rule, "itemref", ("idref", &item.idref), item.span.clone(), message);
        }
    }
}

/// Whether the manifest says that an item has scripts, which may load other resources.
fn is_scripted(item: &ManifestItem) -> bool {
    item.properties.iter().any(|property| property == "scripted")
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
