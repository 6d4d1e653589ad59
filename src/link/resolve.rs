//! From an attribute's value to its links, and from the decisions to its edits.

use std::borrow::Cow;
use std::ops::Range;

use super::{Limits, Link, Outcome, Settings};
use crate::attributes::{self, Counts, Namespace, Row, Rule};
use crate::base::{Established, Layer};
use crate::error::{Error, Limit, Place};
use crate::grammar::Grammar;
use crate::url::{Base, Resolution, clean, rfc1808};

/// The decision function: what to put in a link's place, or `None` to leave it.
pub(crate) type Decide<'r> = dyn FnMut(&Link<'_>) -> Option<String> + 'r;

/// One run over a document and those inside it.
pub(crate) struct Run<'r> {
    pub(crate) settings: &'r Settings,
    decide: &'r mut Decide<'r>,
    links: usize,
}

/// A document whose links are being resolved.
pub(crate) struct Document {
    pub(crate) established: Established,
}

/// An element, as far as its links need to know it.
pub(crate) struct Element<'a> {
    /// In lower case.
    pub(crate) name: &'a str,
    pub(crate) namespace: Namespace,
    /// The value of its attribute of this name, in lower case.
    pub(crate) attribute: &'a dyn Fn(&str) -> Option<Cow<'a, str>>,
}

/// A part of a decoded value, and what takes its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ValueEdit {
    pub(crate) span: Range<usize>,
    pub(crate) text: String,
}

impl Element<'_> {
    /// The row of the table by which an attribute of this element counts.
    pub(crate) fn row(&self, attribute: &str) -> Option<&'static Row> {
        attributes::find(self.name, self.namespace, attribute)
            .filter(|row| row.counts == Counts::Always && row.grammar == Some(Grammar::Url))
            .find(|row| row.rule != Rule::Refresh || self.is_refresh())
    }

    fn is_refresh(&self) -> bool {
        (self.attribute)("http-equiv").is_some_and(|value| value.eq_ignore_ascii_case("refresh"))
    }
}

impl Document {
    /// Establishes the base of a document whose first `base` element with an
    /// `href` has this one.
    pub(crate) fn new(
        href: Option<&str>,
        below: &Layer,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let mut established = Established::new(href, below, settings.standard);
        let max = settings.limits.base_url;
        for base in [&established.layer, &established.below].into_iter().filter_map(Layer::base) {
            if Limits::exceeds(max, base.as_str().len()) {
                return Err(Error::limit(Limit::BaseUrl, max, None));
            }
        }
        for layer in [&mut established.layer, &mut established.below] {
            layer.hide_credentials();
        }
        Ok(Self { established })
    }

    /// What a reference under this rule is resolved against, and whether it stays
    /// as written whatever it is resolved to.
    fn layer(&self, rule: Rule, element: &Element<'_>, settings: &Settings) -> (Layer, bool) {
        match rule {
            Rule::Base | Rule::DocumentUrl => (self.established.below.clone(), false),
            Rule::Codebase => match (element.attribute)("codebase") {
                Some(codebase) => (self.codebase(&codebase, settings), true),
                None => (self.established.layer.clone(), false),
            },
            _ => (self.established.layer.clone(), false),
        }
    }

    /// HTML 4's [`codebase`][spec]: itself relative to the document's base.
    ///
    /// [spec]: https://www.w3.org/TR/html401/struct/objects.html#adef-codebase-OBJECT
    fn codebase(&self, codebase: &str, settings: &Settings) -> Layer {
        let base = self.established.layer.base();
        let url = settings.standard.resolve(base, codebase).ok();
        let codebase = url.and_then(|url| url.url().and_then(|url| Base::new(url).ok()));
        match codebase {
            Some(codebase) => Layer::new(Some(codebase), self.established.layer.source()),
            None => self.established.layer.clone(),
        }
    }
}

impl<'r> Run<'r> {
    pub(crate) fn new(settings: &'r Settings, decide: &'r mut Decide<'r>) -> Self {
        Self { settings, decide, links: 0 }
    }

    /// Decides on every reference in the value of one attribute, and returns what
    /// changes in it, in order.
    ///
    /// `span` tells where a part of the value stands in the document.
    pub(crate) fn value(
        &mut self,
        document: &Document,
        element: &Element<'_>,
        attribute: &str,
        row: &Row,
        value: &str,
        span: &dyn Fn(Range<usize>) -> Option<Range<usize>>,
    ) -> Result<Vec<ValueEdit>, Error> {
        let (layer, stays) = document.layer(row.rule, element, self.settings);
        let mut edits = Vec::new();
        let whole = 0..value.len();
        let reference = value;
        if is_left(row.rule, reference) {
            return Ok(edits);
        }
        let place = span(whole.clone());
        self.count(place.as_ref())?;
        let outcome = self.outcome(&layer, reference, stays, place.as_ref())?;
        let link = Link {
            element: element.name,
            attribute,
            grammar: row.grammar.unwrap_or(Grammar::Url),
            reference,
            span: place,
            enclosing: None,
            base: layer.base(),
            base_source: layer.source(),
            outcome,
        };
        if let Some(text) = (self.decide)(&link).filter(|text| text != reference) {
            edits.push(ValueEdit { span: whole, text });
        }
        Ok(edits)
    }

    fn count(&mut self, place: Option<&Range<usize>>) -> Result<(), Error> {
        self.links += 1;
        let max = self.settings.limits.links;
        if Limits::exceeds(max, self.links) {
            return Err(Error::limit(Limit::Links, max, at(place)));
        }
        Ok(())
    }

    fn outcome(
        &self,
        layer: &Layer,
        reference: &str,
        stays: bool,
        place: Option<&Range<usize>>,
    ) -> Result<Outcome, Error> {
        let max = self.settings.limits.reference;
        if Limits::exceeds(max, reference.len()) && rfc1808::scheme_end(&clean(reference)).is_none()
        {
            return Err(Error::limit(Limit::Reference, max, at(place)));
        }
        Ok(match self.settings.standard.resolve(layer.base(), reference) {
            Ok(Resolution::Absolute(url)) => Outcome::Absolute(url.into_owned()),
            Ok(Resolution::Resolved(url)) if stays => Outcome::Kept(url),
            Ok(Resolution::Resolved(url)) => Outcome::Resolved(url),
            Ok(Resolution::Unresolved) => Outcome::Unresolved,
            Err(refusal) => Outcome::Invalid(refusal),
        })
    }
}

fn at(place: Option<&Range<usize>>) -> Option<Place> {
    place.map(|span| Place::Byte(span.start))
}

/// Whether a reference is no link at all by the rule of its row.
fn is_left(rule: Rule, reference: &str) -> bool {
    match rule {
        Rule::EmptyStays => clean(reference).is_empty(),
        Rule::FragmentStays => clean(reference).starts_with('#'),
        _ => false,
    }
}
