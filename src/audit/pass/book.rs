//! Audits the manifests and spines of a book
//! ([package documents](https://www.w3.org/TR/epub-33/#sec-package-doc)).

use std::collections::HashSet;
use std::ops::Range;

use crate::audit::context::AuditContext;
use crate::audit::context::collector::Collector;
use crate::audit::finding::Finding;
use crate::audit::position;
use crate::audit::rules::Rule;
use crate::container::epub::Package;
use crate::encoding::Lines;
use crate::link::Syntax;

/// Reports items that a manifest cannot have; a missing file is a broken link of the item.
pub(crate) fn check(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let Some(book) = context.site.book() else { return };
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
        each_problem(package, |element, (attribute, value), span, message| {
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

/// Calls `report` with element, attribute and value, the bytes of the value, and what is wrong.
fn each_problem(
    package: &Package,
    mut report: impl FnMut(&str, (&str, &str), Option<Range<usize>>, String),
) {
    let (mut members, mut ids) = (HashSet::new(), HashSet::new());
    for item in &package.items {
        ids.insert(&*item.id);
        let is_first = item.member.as_ref().is_none_or(|member| members.insert(member));
        let message = match () {
            () if item.href.is_empty() => "an item of the manifest without href",
            () if item.href.contains('#') => "an item of the manifest with a fragment",
            () if item.member.as_ref() == Some(&package.name) => {
                "the manifest lists the package document"
            }
            () if !is_first => "another item of the manifest before it has the same file",
            () => continue,
        };
        report("item", ("href", &item.href), item.span.clone(), message.to_owned());
    }
    for item in &package.spine {
        if !ids.contains(&*item.idref) {
            let message = format!("no item of the manifest has the id '{}'", item.idref);
            report("itemref", ("idref", &item.idref), item.span.clone(), message);
        }
    }
}
