//! A link of a page, a style sheet or a sitemap.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

use absolve::grammar::Grammar;
use absolve::url::{Base, clean};
use absolve::{BaseSource, Link};

use crate::elements::{names_a_host, read_relation};
use crate::lookup::resolved::with_fragment;
use crate::{Finding, Level, Lookup, Relation, ResolvedReference, Rule, takes_both_hrefs};

/// An occurrence of a reference.
pub(crate) struct Occurrence<'a> {
    pub(crate) element: Option<&'a str>,
    pub(crate) attribute: Option<&'a str>,
    pub(crate) grammar: Grammar,
    pub(crate) reference: &'a str,
    pub(crate) span: Range<usize>,
    pub(crate) base: Option<&'a Base>,
    pub(crate) base_source: BaseSource,
    pub(crate) resolved: OccurrenceUrl<'a>,
    /// Whether the link is in a document inside the page (`srcdoc`).
    pub(crate) is_nested: bool,
    /// Returns the value of another attribute of the element.
    pub(crate) sibling: &'a dyn Fn(&str) -> Option<String>,
}

/// The URL of an occurrence.
#[derive(Clone, Copy)]
pub(crate) enum OccurrenceUrl<'a> {
    /// The link resolves it on demand.
    Link(&'a Link<'a>),
    /// A known URL; `None` if the reference does not resolve.
    To(Option<&'a str>),
}

/// An occurrence with its fragment, and the result of resolving the rest.
#[derive(Clone, Copy)]
pub(crate) struct ResolvedLink<'r> {
    pub(crate) link: &'r Occurrence<'r>,
    pub(crate) resolved: &'r ResolvedReference,
    pub(crate) fragment: Option<&'r str>,
}

impl ResolvedLink<'_> {
    /// The URL with the fragment.
    pub(crate) fn url(&self) -> Option<Cow<'_, str>> {
        self.resolved.url.as_deref().map(|url| with_fragment(url, self.fragment))
    }
}

impl<'a> Occurrence<'a> {
    /// The URL that the reference resolves to.
    pub(crate) fn url(&self) -> Option<&'a str> {
        match self.resolved {
            OccurrenceUrl::Link(link) => link.url(),
            OccurrenceUrl::To(url) => url,
        }
    }

    /// Creates the occurrence of a link of a page or a style sheet.
    pub(crate) fn new(link: &'a Link<'a>, sibling: &'a dyn Fn(&str) -> Option<String>) -> Self {
        let is_in_element = !link.element().is_empty();
        Self {
            element: is_in_element.then(|| link.element()),
            attribute: is_in_element.then(|| link.attribute()),
            grammar: link.grammar(),
            reference: link.reference(),
            span: link.span().unwrap_or_default(),
            base: link.base(),
            base_source: link.base_source(),
            resolved: OccurrenceUrl::Link(link),
            is_nested: link.enclosing().is_some(),
            sibling,
        }
    }

    /// Whether the link is an `xlink:href` beside an `href`, which browsers follow instead.
    pub(crate) fn is_overridden(&self) -> bool {
        self.attribute == Some("xlink:href")
            && self.element.is_some_and(takes_both_hrefs)
            && (self.sibling)("href").is_some()
    }

    /// The relation that a `link` element states about the page.
    pub(crate) fn relation(&self) -> Option<Relation> {
        let is_link = self.element == Some("link") && self.attribute == Some("href");
        if !is_link || self.is_nested {
            return None;
        }
        read_relation(&(self.sibling)("rel")?, || (self.sibling)("hreflang").is_some())
    }

    /// Whether the link names only a host, of which browsers request no path.
    pub(crate) fn names_a_host(&self) -> bool {
        let is_link = self.element == Some("link") && self.attribute == Some("href");
        is_link && (self.sibling)("rel").is_some_and(|rel| names_a_host(&rel))
    }

    /// Whether the fragment names a font in a file, so that browsers look for no element.
    pub(crate) fn names_a_font(&self) -> bool {
        let is_source = matches!(self.resolved, OccurrenceUrl::Link(link) if link.is_font);
        is_source || self.element == Some("font-face-uri")
    }

    /// Whether the link names an anchor of the `srcdoc` that it is in, rather than of the page.
    pub(crate) fn is_nested_fragment(&self) -> bool {
        self.is_nested && clean(self.reference).starts_with('#')
    }

    /// Creates a finding about the link, without file and message.
    pub(crate) fn finding(
        &self,
        rule: Rule,
        level: Level,
        lookup: &Lookup<'_>,
        url: Option<&str>,
    ) -> Finding {
        let shown = |url: &str| lookup.shown(url).into_owned();
        Finding {
            span: Some(self.span.clone()),
            element: self.element.map(str::to_owned),
            attribute: self.attribute.map(str::to_owned),
            reference: Some(lookup.standard.masked(self.base, self.reference).into_owned()),
            url: url.map(shown),
            base: self.base.map(|base| shown(base.as_str())),
            base_source: Some(self.base_source),
            ..Finding::new(rule, level, PathBuf::new(), String::new())
        }
    }
}
