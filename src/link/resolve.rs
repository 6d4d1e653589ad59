//! From an attribute's value to its links, and from the decisions to its edits.

use std::cell::OnceCell;
use std::ops::Range;

use encoding_rs::{Encoding, UTF_8};

use super::document::{Document, Site};
use super::visit::{Anchor, BaseTag, Decide};
use super::{Counts, Limits, Link, Outcome, Settings};
use crate::attributes::{EmptyValue, Rule};
use crate::base::Layer;
use crate::edit::Edit;
use crate::encoding::Head;
use crate::error::{Error, Limit, Place};
use crate::url::{Base, Resolution, Standard, clean, rfc1808};
use crate::value::{self, ValueReference};

/// One run over a document and those inside it.
pub(crate) struct Run<'r> {
    pub(crate) settings: &'r Settings,
    /// `None` puts the absolute URL in each link's place.
    decide: Option<&'r mut dyn Decide>,
    pub(crate) counts: Counts,
    counted: Counted,
    /// Bytes that the document, as it is written, may have; 0 for no limit.
    pub(crate) max_output: usize,
    /// What the document is in.
    pub(crate) encoding: &'static Encoding,
    /// What it begins with.
    pub(crate) head: Option<Head<'r>>,
}

/// How a reference is resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resolving {
    standard: Standard,
    written: Written,
}

/// What becomes of a reference that is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Replaced,
    Kept,
    /// An empty value that stays, whatever its base is.
    Empty,
}

impl Resolving {
    pub(super) fn outcome(self, base: Option<&Base>, reference: &str) -> Outcome {
        if self.written == Written::Empty {
            return Outcome::Empty;
        }
        match self.standard.resolve(base, reference) {
            Ok(Resolution::Absolute(url)) => Outcome::Absolute(url.into_owned()),
            Ok(Resolution::Resolved(url)) if self.written == Written::Kept => Outcome::Kept(url),
            Ok(Resolution::Resolved(url)) => Outcome::Resolved(url),
            Ok(Resolution::Unresolved) => Outcome::Unresolved,
            Err(refusal) => Outcome::Invalid(refusal),
        }
    }
}

/// What is counted of the links of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// What became of them.
    Outcomes,
    /// How many they are: resolving them is left to whoever is shown them.
    Links,
}

/// Takes what changes in a value, edit by edit and in order.
pub(crate) type Give<'a> = dyn FnMut(Edit<'_>) -> Result<(), Error> + 'a;

/// Where in the source a part of a decoded value stands.
pub(crate) type SpanOf<'a> = dyn Fn(Range<usize>) -> Option<Range<usize>> + 'a;

impl<'r> Run<'r> {
    /// A run that makes every link absolute.
    pub(crate) fn absolute(settings: &'r Settings) -> Self {
        Self {
            settings,
            decide: None,
            counts: Counts::default(),
            counted: Counted::Outcomes,
            max_output: 0,
            encoding: UTF_8,
            head: None,
        }
    }

    /// A run that does what `decide` says.
    pub(crate) fn with(settings: &'r Settings, decide: &'r mut dyn Decide) -> Self {
        Self { decide: Some(decide), ..Self::absolute(settings) }
    }

    /// A run that shows everything, and changes nothing.
    pub(crate) fn showing(settings: &'r Settings, show: &'r mut dyn Decide) -> Self {
        Self { counted: Counted::Links, ..Self::with(settings, show) }
    }

    /// Whether it makes every link absolute, and asks nobody.
    pub(crate) fn is_absolute(&self) -> bool {
        self.decide.is_none()
    }

    /// Decides on every reference in a decoded value, and gives what changes in it to
    /// `give`. Documents inside values are the engine's own to read.
    pub(crate) fn value(
        &mut self,
        document: &Document,
        site: &Site<'_>,
        value: &str,
        span_of: &SpanOf<'_>,
        give: &mut Give<'_>,
    ) -> Result<(), Error> {
        let layer = document.layer(site, self);
        let mut result = Ok(());
        value::references(site.spot.grammar, value, &mut |found| {
            if result.is_ok() {
                let text = self.reference(document, site, &layer, &found, span_of);
                result = text.and_then(|text| match text {
                    Some(text) => smallest(value, &found, &text, give),
                    None => Ok(()),
                });
            }
        });
        result
    }

    fn reference(
        &mut self,
        document: &Document,
        site: &Site<'_>,
        layer: &Layer,
        found: &ValueReference<'_>,
        span_of: &SpanOf<'_>,
    ) -> Result<Option<String>, Error> {
        let reference = &*found.reference;
        if is_no_link(site.spot.rule, reference) {
            return Ok(None);
        }
        let own = span_of(found.span.clone());
        let span = document.enclosing.clone().or(own);
        self.make_room(|| at(span.as_ref()))?;
        self.check_length(reference, at(span.as_ref()))?;
        let written = if site.spot.empty == EmptyValue::Stays && clean(reference).is_empty() {
            Written::Empty
        } else if document.keeps(site, reference, self.settings) {
            Written::Kept
        } else {
            Written::Replaced
        };
        let resolving = Resolving { standard: self.settings.standard, written };
        let link = Link {
            element: site.element,
            attribute: site.attribute,
            grammar: site.spot.grammar,
            reference,
            span,
            enclosing: document.enclosing.clone(),
            base: layer.base(),
            base_source: layer.source(),
            resolving,
            outcome: OnceCell::new(),
            siblings: site.siblings,
        };
        if self.counted == Counted::Links {
            self.counts.links += 1;
            self.decide.as_mut().map(|decide| decide.link(&link));
            return Ok(None);
        }
        let decided = self.decide.as_mut().map(|decide| decide.link(&link));
        let text = decided.as_ref().map_or(link.absolute(), Option::as_deref);
        let is_rewritten = text.is_some_and(|text| text != reference);
        self.counts.add(&link, is_rewritten);
        let text = decided.unwrap_or_else(|| link.into_absolute());
        Ok(text.filter(|_| is_rewritten))
    }

    /// Whether links are shown and none is changed.
    pub(crate) fn is_showing(&self) -> bool {
        self.counted == Counted::Links
    }

    /// Whether a link may be passed over, which is counted then.
    pub(crate) fn passes(&mut self, reference: &str, base: Option<&Base>) -> bool {
        let passes = self.decide.as_mut().is_some_and(|decide| decide.passes(reference, base));
        self.counts.links += usize::from(passes);
        passes
    }

    /// Tells of an anchor whoever wants to know.
    pub(crate) fn anchor(&mut self, anchor: &Anchor<'_>) {
        if let Some(decide) = self.decide.as_mut() {
            decide.anchor(anchor);
        }
    }

    /// Tells of a `base` element whoever wants to know.
    pub(crate) fn base(&mut self, base: &BaseTag) {
        if let Some(decide) = self.decide.as_mut() {
            decide.base(base);
        }
    }

    /// Fails if there is no room for one link more.
    #[inline]
    pub(crate) fn make_room(&self, place: impl FnOnce() -> Option<Place>) -> Result<(), Error> {
        let max = self.settings.limits.links;
        if Limits::exceeds(max, self.counts.links + 1) {
            return Err(Error::limit(Limit::Links, max, place()));
        }
        Ok(())
    }

    fn check_length(&self, reference: &str, place: Option<Place>) -> Result<(), Error> {
        let max = self.settings.limits.reference;
        if Limits::exceeds(max, reference.len()) && rfc1808::scheme_end(&clean(reference)).is_none()
        {
            return Err(Error::limit(Limit::Reference, max, place));
        }
        Ok(())
    }
}

pub(super) fn at(span: Option<&Range<usize>>) -> Option<Place> {
    span.map(|span| Place::Byte(span.start))
}

/// Whether a reference is no link at all by the rule of its row.
fn is_no_link(rule: Rule, reference: &str) -> bool {
    match rule {
        Rule::FragmentStays => clean(reference).starts_with('#'),
        _ => false,
    }
}

/// Gives the edit that leaves as much of the reference as it can: what the new text
/// ends with as well stays as it is written.
fn smallest(
    value: &str,
    found: &ValueReference<'_>,
    text: &str,
    give: &mut Give<'_>,
) -> Result<(), Error> {
    let old = &value[found.span.clone()];
    let text = found.container.escape(text);
    let common = old.bytes().rev().zip(text.bytes().rev()).take_while(|(old, new)| old == new);
    let mut kept = common.count();
    while !old.is_char_boundary(old.len() - kept) {
        kept -= 1;
    }
    let span = found.span.start..found.span.end - kept;
    give(Edit { span, text: &text[..text.len() - kept], container: found.container })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::Grammar;

    #[track_caller]
    fn leaves(grammar: Grammar, value: &str, text: &str, span: &Range<usize>, left: &str) {
        value::references(grammar, value, &mut |found| {
            let check = |edit: Edit<'_>| {
                assert_eq!((&edit.span, edit.text), (span, left), "{value:?}");
                Ok(())
            };
            smallest(value, &found, text, &mut { check }).unwrap();
        });
    }

    #[test]
    fn an_edit_is_as_small_as_it_can_be() {
        leaves(Grammar::Url, "x?a", "http://h/x?a", &(0..0), "http://h/");
        leaves(Grammar::Url, "../x", "http://h/x", &(0..2), "http://h");
        leaves(Grammar::Url, " x ", "http://h/x", &(0..3), "http://h/x");
        leaves(Grammar::Url, "", "http://h/", &(0..0), "http://h/");
        leaves(Grammar::Url, "a\u{e9}", "http://h/b\u{a9}", &(0..3), "http://h/b\u{a9}");
        leaves(Grammar::Css, "url( x )", "http://h/x", &(5..5), "http://h/");
    }
}
