//! Audits the names of the files of a book, and its manifests and spines
//! ([package documents](https://www.w3.org/TR/epub-33/#sec-package-doc)).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::audit::context::AuditContext;
use crate::audit::context::collector::Collector;
use crate::audit::finding::Finding;
use crate::audit::position;
use crate::audit::rules::{Level, Rule};
use crate::container::epub::Package;
use crate::encoding::Lines;
use crate::link::Syntax;

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
        let rule = Rule::InvalidManifest;
        let has = |name: &str| context.site.files().find_file(name.as_bytes()).is_some();
        each_problem(package, &has, |element, (attribute, value), span, message| {
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
    for (number, (path, _)) in context.site.files().iter().enumerate() {
        let name = String::from_utf8_lossy(path);
        // Upper case first: 'ß' and 'ss' are one by full case folding.
        let folded: String = name.nfd().collect::<String>().to_uppercase().to_lowercase();
        let other = first.entry(folded.nfc().collect::<String>()).or_insert(number);
        if *other != number && context.audit.reports(number) {
            let message =
                format!("its name is that of {} on some file systems", shown(context, *other));
            let file = context.site.shown(number);
            collector.add(Finding::new(rule, level, file, message));
        }
    }
}

/// The name of a file in quotes.
fn shown(context: &AuditContext<'_>, number: usize) -> String {
    let name = context.site.files().get(number).map_or(&b""[..], |(path, _)| path);
    format!("'{}'", String::from_utf8_lossy(name))
}

/// Calls `report` with element, attribute and value, the bytes of the value, and what is wrong.
fn each_problem(
    package: &Package,
    has: &dyn Fn(&str) -> bool,
    mut report: impl FnMut(&str, (&str, &str), Option<Range<usize>>, String),
) {
    let (mut members, mut ids) = (HashSet::new(), HashSet::new());
    for item in &package.items {
        ids.insert(&*item.id);
        let is_first = item.member.as_ref().is_none_or(|member| members.insert(member));
        let is_there = || item.member.as_ref().is_none_or(|name| has(name));
        let message = match () {
            () if item.href.is_empty() => "an item of the manifest without href",
            () if item.href.contains('#') => "an item of the manifest with a fragment",
            () if item.member.as_ref() == Some(&package.name) => {
                "the manifest lists the package document"
            }
            () if !is_first => "another item of the manifest before it has the same file",
            () if item.has_entity && !is_there() => "the file of the item is not in the book",
            () => continue,
        };
        report("item", ("href", &item.href), item.span.clone(), message.to_owned());
    }
    for item in &package.spine {
        let message = if item.idref.is_empty() {
            "an itemref without idref".to_owned()
        } else {
            format!("no item of the manifest has the id '{}'", item.idref)
        };
        if item.idref.is_empty() || !ids.contains(&*item.idref) {
            report("itemref", ("idref", &item.idref), item.span.clone(), message);
        }
    }
}
