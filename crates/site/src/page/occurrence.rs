//! Links of pages, style sheets and sitemaps, with the context that rules need.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

use absolve::grammar::Grammar;
use absolve::url::{Base, clean};
use absolve::{BaseSource, Link};

use crate::elements::{names_a_host, read_relation};
use crate::lookup::resolved::with_fragment;
use crate::{Finding, Level, Lookup, Relation, ResolvedReference, Rule, takes_both_hrefs};

/// A link with the context that rules need.
pub(crate) struct Occurrence<'a> {
    pub(crate) element: Option<&'a str>,
    pub(crate) attribute: Option<&'a str>,
    pub(crate) grammar: Grammar,
    pub(crate) reference: &'a str,
    pub(crate) span: Range<usize>,
    pub(crate) base: Option<&'a Base>,
    pub(crate) base_source: BaseSource,
    pub(crate) url_source: OccurrenceUrl<'a>,
    /// Whether the link is in a document inside the page (`iframe srcdoc`).
    pub(crate) is_nested: bool,
    /// Returns the value of another attribute of the element.
    pub(crate) sibling: &'a dyn Fn(&str) -> Option<String>,
}

/// The source of the URL that a reference resolves to.
#[derive(Clone, Copy)]
pub(crate) enum OccurrenceUrl<'a> {
    /// The link, which resolves its reference on demand.
    Link(&'a Link<'a>),
    /// A known URL; `None` if the reference does not resolve.
    To(Option<&'a str>),
}

/// A link, its fragment, and the result of resolving its reference without the fragment.
#[derive(Clone, Copy)]
pub(crate) struct ResolvedLink<'r> {
    pub(crate) link: &'r Occurrence<'r>,
    pub(crate) resolved: &'r ResolvedReference,
    pub(crate) fragment: Option<&'r str>,
}

impl ResolvedLink<'_> {
    /// Returns the URL with the fragment.
    pub(crate) fn url(&self) -> Option<Cow<'_, str>> {
        self.resolved.url.as_deref().map(|url| with_fragment(url, self.fragment))
    }
}

impl<'a> Occurrence<'a> {
    /// Returns the URL that the reference resolves to.
    pub(crate) fn url(&self) -> Option<&'a str> {
        match self.url_source {
            OccurrenceUrl::Link(link) => link.url(),
            OccurrenceUrl::To(url) => url,
        }
    }

    /// Creates an occurrence from a link of a document.
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
            url_source: OccurrenceUrl::Link(link),
            is_nested: link.enclosing().is_some(),
            sibling,
        }
    }

    /// Whether the link is an `xlink:href` that an `href` of the same element overrides.
    pub(crate) fn is_overridden(&self) -> bool {
        self.attribute == Some("xlink:href")
            && self.element.is_some_and(takes_both_hrefs)
            && (self.sibling)("href").is_some()
    }

    /// Returns the relation that a `link` element states about the page.
    pub(crate) fn relation(&self) -> Option<Relation> {
        let is_link = self.element == Some("link") && self.attribute == Some("href");
        if !is_link || self.is_nested {
            return None;
        }
        read_relation(&(self.sibling)("rel")?, || (self.sibling)("hreflang").is_some())
    }

    /// Whether browsers only connect to the host of the link (`preconnect`, `dns-prefetch`).
    pub(crate) fn is_host_hint(&self) -> bool {
        let is_link = self.element == Some("link") && self.attribute == Some("href");
        is_link && (self.sibling)("rel").is_some_and(|rel| names_a_host(&rel))
    }

    /// Whether the link leads to a font. Its fragment names a font in the file, not an element.
    pub(crate) fn is_font_reference(&self) -> bool {
        let is_font_source = matches!(self.url_source, OccurrenceUrl::Link(link) if link.is_font);
        is_font_source || self.element == Some("font-face-uri")
    }

    /// Whether the link names an anchor of the `srcdoc` document that contains it, not of the page.
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
