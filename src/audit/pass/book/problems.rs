//! Problems of the documents of a book: items that a manifest or a spine cannot have
//! ([package documents](https://www.w3.org/TR/epub-33/#sec-package-doc)), and links of the navigation.

use std::collections::HashSet;
use std::ops::Range;

use crate::audit::reference::{BookResource, resource_of_type};
use crate::audit::rules::Rule;
use crate::container::epub::{Package, navigation_links};
use crate::url::rfc1808::scheme_end;

/// A problem of an attribute of a document of a book.
pub(super) struct BookProblem<'p> {
    pub(super) rule: Rule,
    pub(super) element: &'static str,
    pub(super) attribute: &'static str,
    pub(super) value: &'p str,
    /// The bytes of the value in its document.
    pub(super) span: Option<Range<usize>>,
    pub(super) message: String,
}

impl<'p> BookProblem<'p> {
    /// A problem of the attribute of an element, with this value.
    pub(super) fn new(
        rule: Rule,
        (element, attribute): (&'static str, &'static str),
        (value, span): (&'p str, &Option<Range<usize>>),
        message: impl Into<String>,
    ) -> Self {
        let (span, message) = (span.clone(), message.into());
        Self { rule, element, attribute, value, span, message }
    }
}

/// Calls `report` with each problem of a package document; `has` says whether the book has a file.
pub(super) fn each_of_package(
    package: &Package,
    has: &dyn Fn(&str) -> bool,
    report: &mut dyn FnMut(BookProblem<'_>),
) {
    each_item(package, has, report);
    each_reference(package, report);
}

fn each_item(
    package: &Package,
    has: &dyn Fn(&str) -> bool,
    report: &mut dyn FnMut(BookProblem<'_>),
) {
    let mut members = HashSet::new();
    // What scripts load may be anywhere.
    let has_scripts = package.items.iter().any(|item| item.has_property("scripted"));
    for item in &package.items {
        let is_first = item.member.as_ref().is_none_or(|member| members.insert(member));
        let is_there = || item.member.as_ref().is_none_or(|name| has(name));
        let scheme = scheme_end(&item.href).map(|end| &item.href[..end]);
        let is = |one: &str| scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(one));
        let is_remote = scheme.is_some() || item.href.starts_with("//");
        let may_be_remote =
            || has_scripts || resource_of_type(&item.media_type) == BookResource::Listed;
        let (invalid, remote) = (Rule::InvalidManifest, Rule::RemoteResource);
        let (rule, message) = match () {
            () if item.href.is_empty() => (invalid, "an item of the manifest without href"),
            () if item.href.contains('#') => (invalid, "an item of the manifest with a fragment"),
            () if is("data") => (invalid, "an item of the manifest with a data: URL"),
            () if is("file") => (remote, "an item of the manifest that is a file of one computer"),
            () if is_remote && !may_be_remote() => (
                remote,
                "an item of the manifest that is on the web; only audio, video, fonts and what \
                 scripts load may be there",
            ),
            () if !is_remote && item.href.contains('?') => {
                (invalid, "an item of the manifest with a query")
            }
            () if item.member.as_ref() == Some(&package.name) => {
                (invalid, "the manifest lists the package document")
            }
            () if !is_first => {
                (invalid, "another item of the manifest before it has the same file")
            }
            () if item.has_entity && !is_there() => {
                (invalid, "the file of the item is not in the book")
            }
            () if item.media_type.is_empty() => (
                invalid,
                "an item of the manifest without media-type, so that its file is not read",
            ),
            () => continue,
        };
        report(BookProblem::new(rule, ("item", "href"), (&item.href, &item.span), message));
    }
}

/// The problems of attributes that name items by their `id`.
fn each_reference(package: &Package, report: &mut dyn FnMut(BookProblem<'_>)) {
    let ids: HashSet<&str> = package.items.iter().map(|item| &*item.id).collect();
    let mut spine = HashSet::new();
    for item in &package.spine {
        let id = &*item.idref;
        let message = match () {
            () if id.is_empty() => "an itemref without idref".to_owned(),
            () if !ids.contains(id) => missing(id),
            () if !spine.insert(id) => "another itemref before it has the same item".to_owned(),
            () => continue,
        };
        let rule = Rule::InvalidManifest;
        report(BookProblem::new(rule, ("itemref", "idref"), (id, &item.span), message));
    }
    for one in package.references.iter().filter(|one| !ids.contains(&*one.id)) {
        let (rule, place) = (Rule::InvalidManifest, (one.element, one.attribute));
        report(BookProblem::new(rule, place, (&one.id, &one.span), missing(&one.id)));
    }
}

fn missing(id: &str) -> String {
    format!("no item of the manifest has the id '{id}'")
}

/// Calls `report` with each link of the table of contents, the list of pages and the landmarks that
/// leads to the web ([nav elements](https://www.w3.org/TR/epub-33/#sec-nav-def-model)).
pub(super) fn each_link_to_the_web(source: &[u8], report: &mut dyn FnMut(BookProblem<'_>)) {
    navigation_links(source, |link| {
        if scheme_end(&link.href).is_some() || link.href.starts_with("//") {
            let message = "the table of contents, the list of pages and the landmarks lead to pages \
                           of the book alone";
            let place = (&*link.href, &link.span);
            report(BookProblem::new(Rule::RemoteResource, ("a", "href"), place, message));
        }
    });
}
