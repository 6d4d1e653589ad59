//! From an attribute's value to its links, and from the decisions to its edits.

use std::ops::Range;

use encoding_rs::{Encoding, UTF_8};

mod local;

use super::Link;
use super::counts::LinkCounts;
use super::document::{Document, Site, at};
use super::policy::Policy;
use super::resolving::{Replacement, Resolving};
use super::settings::{Limits, Settings};
use super::visit::{Anchor, BaseTag, Visit};
use crate::attributes::{EmptyValue, RequiredForm, Rule};
use crate::base::BaseLayer;
use crate::edit::Edit;
use crate::encoding::Head;
use crate::error::{Error, Limit, Location};
use crate::url::{Base, Join, clean, rfc1808};
use crate::value::{self, ValueReference};

/// One pass over the links of a document and of those inside it.
pub(crate) struct LinkPass<'r> {
    pub(crate) settings: &'r Settings,
    mode: Mode<'r>,
    pub(crate) counts: LinkCounts,
    /// Maximum length of the document that is written, in bytes; 0 is unlimited.
    pub(crate) max_output: usize,
    kept: KeptText,
    /// The encoding of the document.
    pub(crate) encoding: &'static Encoding,
    /// The beginning of the document.
    pub(crate) head: Option<Head<'r>>,
    /// Whether the next links are inside an element with a marker.
    pub(crate) is_ignored: bool,
    /// The form that the next links need.
    pub(crate) form: RequiredForm,
    /// Whether the next references need the base of their document.
    pub(crate) base_need: BaseNeed,
    /// An element or a prefix of XML whose namespace is not known.
    pub(crate) unknown_namespace: Option<String>,
}

/// Whether a reference needs the base of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BaseNeed {
    /// Nobody asks.
    Ignored,
    /// None so far.
    Unseen,
    /// One is relative.
    Seen,
}

/// The parts of a reference that stay as written if the new text has them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptText {
    /// The end.
    End,
    /// The end, and the beginning up to a delimiter.
    ///
    /// NOTE: a numeric character reference without a semicolon for that delimiter would take in
    /// digits after it; the caller reads the result back.
    #[cfg(feature = "audit")]
    BothEnds,
}

/// Who decides on a link.
enum Mode<'r> {
    /// The policy of the settings.
    Policy,
    /// A function, for this document alone.
    Decide(&'r mut Decide<'r>),
    /// Nobody: links are counted and shown, and none changes.
    Visit(&'r mut dyn Visit),
    /// Nobody: this gets each link, and returns nothing.
    List(&'r mut Decide<'r>),
}

/// Returns what replaces a link, or nothing.
pub(crate) type Decide<'a> = dyn FnMut(&Link<'_>) -> Option<String> + 'a;

/// Takes what changes in a value, edit by edit and in order.
pub(crate) type Give<'a> = dyn FnMut(Edit<'_>) -> Result<(), Error> + 'a;

/// Where in the source a part of a decoded value is.
pub(crate) type SpanOf<'a> = dyn Fn(Range<usize>) -> Option<Range<usize>> + 'a;

impl<'r> LinkPass<'r> {
    /// A pass that follows the policy of the settings.
    pub(crate) fn new(settings: &'r Settings) -> Self {
        Self {
            settings,
            mode: Mode::Policy,
            counts: LinkCounts::default(),
            max_output: 0,
            kept: KeptText::End,
            encoding: UTF_8,
            head: None,
            is_ignored: false,
            form: RequiredForm::Any,
            base_need: BaseNeed::Ignored,
            unknown_namespace: None,
        }
    }

    /// A pass in which `decide` returns what replaces each link.
    pub(crate) fn deciding(settings: &'r Settings, decide: &'r mut Decide<'r>) -> Self {
        Self { mode: Mode::Decide(decide), ..Self::new(settings) }
    }

    /// The same pass, whose edits also leave the beginning of references as it is written.
    #[cfg(feature = "audit")]
    pub(crate) fn keeping_both_ends(self) -> Self {
        Self { kept: KeptText::BothEnds, ..self }
    }

    /// A pass that shows everything, and changes nothing.
    pub(crate) fn visiting(settings: &'r Settings, visit: &'r mut dyn Visit) -> Self {
        Self { mode: Mode::Visit(visit), ..Self::new(settings) }
    }

    /// A pass that gives links, and changes nothing.
    pub(crate) fn listing(settings: &'r Settings, give: &'r mut Decide<'r>) -> Self {
        Self { mode: Mode::List(give), ..Self::new(settings) }
    }

    /// Whether the URL of a link decides what is done with it.
    pub(crate) fn needs_urls_alone(&self) -> bool {
        let is_absolute = || self.settings.policy.is_absolute();
        self.is_listing() || (matches!(self.mode, Mode::Policy) && is_absolute())
    }

    /// Whether links are listed.
    pub(crate) fn is_listing(&self) -> bool {
        matches!(self.mode, Mode::List(_))
    }

    /// Gives a link of a document whose URL is known, if links are listed.
    pub(crate) fn list(
        &mut self,
        document: &Document,
        site: &Site<'_>,
        (reference, join): (&str, &Join<'_>),
        span: Range<usize>,
    ) {
        let Mode::List(give) = &mut self.mode else { return };
        let layer = &document.established.layer;
        let (standard, written) = (self.settings.standard, Replacement::Replaced);
        let resolving = Resolving { standard, written };
        let joined = match *join {
            Join::Prefixed { prefix, skip } => Some((prefix, &reference[skip..])),
            Join::Absolute => Some(("", reference)),
            Join::Unresolved | Join::Unsure => None,
        };
        let link = Link {
            base: layer.base(),
            base_source: layer.source(),
            joined,
            ..Link::new(site, reference, Some(span), self.encoding, resolving)
        };
        let _ = give(&link);
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
        let layer = document.layer(site, self.encoding, self.settings);
        self.local_references(document, site, &layer, value, span_of);
        let mut result = Ok(());
        value::references(site.spot.grammar, value, &mut |found| {
            if result.is_ok() {
                let text = self.reference(document, site, &layer, &found, span_of);
                result = text.and_then(|text| match text {
                    Some(text) => smallest(value, &found, &text, self.kept, give),
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
        layer: &BaseLayer,
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
            Replacement::Empty
        } else if document.keeps(site, reference, self.settings) {
            Replacement::Kept
        } else {
            Replacement::Replaced
        };
        let resolving = Resolving { standard: self.settings.standard, written };
        self.note_base_need(document, (site.spot.rule, resolving), reference);
        let link = Link {
            enclosing: document.enclosing.clone(),
            base: layer.base(),
            base_source: layer.source(),
            is_font: found.is_font,
            ..Link::new(site, reference, span, self.encoding, resolving)
        };
        let text = match &mut self.mode {
            Mode::Visit(visit) if self.is_ignored => {
                visit.ignored_link(&link);
                return Ok(None);
            }
            Mode::Visit(visit) => {
                self.counts.links += 1;
                visit.link(&link);
                return Ok(None);
            }
            Mode::Decide(decide) | Mode::List(decide) => decide(&link),
            Mode::Policy => match &self.settings.policy {
                Policy::Custom(decide) => decide(&link),
                Policy::Directed(_) if resolving.is_kept_base(site.spot.rule) => None,
                Policy::Directed(direction) => {
                    let base = document.written_base(site);
                    let form = self.form.max(site.spot.form);
                    let direction = document.direction(site).unwrap_or(direction);
                    direction.replacement(&link, (self.settings.standard, form), base)
                }
                Policy::Absolute => {
                    let is_rewritten = link.absolute().is_some_and(|text| text != reference);
                    self.counts.add(&link, is_rewritten);
                    return Ok(if is_rewritten { link.into_absolute() } else { None });
                }
            },
        };
        let text = text.filter(|text| text != reference);
        self.counts.add(&link, text.is_some());
        Ok(text)
    }

    /// Notes whether a reference needs the base of its document.
    #[inline]
    fn note_base_need(
        &mut self,
        document: &Document,
        (rule, resolving): (Rule, Resolving),
        reference: &str,
    ) {
        if self.base_need != BaseNeed::Unseen || self.is_ignored {
            return;
        }
        let may_need = resolving.written == Replacement::Replaced || rule == Rule::Base;
        if may_need && document.needs_base(reference) {
            self.base_need = BaseNeed::Seen;
        }
    }

    /// Counts and shows a value of XML with an entity, which stays; its base is not asked for.
    pub(crate) fn entity(
        &mut self,
        site: &Site<'_>,
        value: &str,
        span: Range<usize>,
    ) -> Result<(), Error> {
        self.make_room(|| at(Some(&span)))?;
        let standard = self.settings.standard;
        let resolving = Resolving { standard, written: Replacement::Entity };
        let link = Link::new(site, value, Some(span), self.encoding, resolving);
        match &mut self.mode {
            Mode::Visit(visit) if self.is_ignored => visit.ignored_link(&link),
            Mode::Visit(visit) => {
                self.counts.links += 1;
                visit.link(&link);
            }
            Mode::Decide(decide) | Mode::List(decide) => {
                // It stays whatever the answer is.
                let _ = decide(&link);
                self.counts.add(&link, false);
            }
            Mode::Policy => self.counts.add(&link, false),
        }
        Ok(())
    }

    /// Whether links are shown and none changes.
    pub(crate) fn is_visiting(&self) -> bool {
        matches!(self.mode, Mode::Visit(_))
    }

    /// Whether the policy moves URLs.
    pub(crate) fn moves_urls(&self) -> bool {
        let decides = (&self.mode, &self.settings.policy);
        matches!(decides, (Mode::Policy, Policy::Directed(direction)) if direction.moves_urls())
    }

    /// Whether the visitor needs no call for a link, which is counted then.
    pub(crate) fn can_skip(&mut self, reference: &str, base: Option<&Base>) -> bool {
        let Mode::Visit(visit) = &mut self.mode else { return false };
        let can_skip = visit.can_skip(reference, base);
        self.counts.links += usize::from(can_skip);
        can_skip
    }

    /// Whether the visitor takes links inside elements with a marker.
    pub(crate) fn takes_ignored(&self) -> bool {
        matches!(&self.mode, Mode::Visit(visit) if visit.takes_ignored())
    }

    /// Shows an anchor to the visitor.
    pub(crate) fn anchor(&mut self, anchor: &Anchor<'_>) {
        if let Mode::Visit(visit) = &mut self.mode {
            visit.anchor(anchor);
        }
    }

    /// Tells the visitor that anchors are not known.
    pub(crate) fn unknown_anchors(&mut self) {
        if let Mode::Visit(visit) = &mut self.mode {
            visit.unknown_anchors();
        }
    }

    /// Tells the visitor that a script which is to be JSON is none, and why.
    pub(crate) fn malformed_script(&mut self, span: Option<Range<usize>>, why: &str) {
        if let (Mode::Visit(visit), Some(span), false) = (&mut self.mode, span, self.is_ignored) {
            visit.malformed_script(span, why);
        }
    }

    /// Shows a `base` element to the visitor.
    pub(crate) fn base(&mut self, base: &BaseTag) {
        if let Mode::Visit(visit) = &mut self.mode {
            visit.base(base);
        }
    }

    /// Fails if there is no room for one link more.
    #[inline]
    pub(crate) fn make_room(&self, place: impl FnOnce() -> Option<Location>) -> Result<(), Error> {
        let max = self.settings.limits.links;
        if Limits::exceeds(max, self.counts.links + 1) {
            return Err(Error::limit(Limit::Links, max, place()));
        }
        Ok(())
    }

    fn check_length(&self, reference: &str, place: Option<Location>) -> Result<(), Error> {
        let max = self.settings.limits.reference;
        if Limits::exceeds(max, reference.len()) && rfc1808::scheme_end(&clean(reference)).is_none()
        {
            return Err(Error::limit(Limit::Reference, max, place));
        }
        Ok(())
    }
}

/// Whether a reference is no link at all by the rule of its row.
fn is_no_link(rule: Rule, reference: &str) -> bool {
    rule == Rule::FragmentStays && clean(reference).starts_with('#')
}

/// Gives the edit that leaves as much of the reference as it can: what the new text
/// ends with as well stays as it is written, and with [`KeptText::BothEnds`] what it begins with.
fn smallest(
    value: &str,
    found: &ValueReference<'_>,
    text: &str,
    kept_text: KeptText,
    give: &mut Give<'_>,
) -> Result<(), Error> {
    let old = &value[found.span.clone()];
    let text = found.container.escape(text);
    let start = match kept_text {
        KeptText::End => 0,
        #[cfg(feature = "audit")]
        KeptText::BothEnds => common_start(old, &text),
    };
    let (old, text) = (&old[start..], &text[start..]);
    let common = old.bytes().rev().zip(text.bytes().rev()).take_while(|(old, new)| old == new);
    let mut kept = common.count();
    while !old.is_char_boundary(old.len() - kept) {
        kept -= 1;
    }
    let span = found.span.start + start..found.span.end - kept;
    give(Edit { span, text: &text[..text.len() - kept], container: found.container })
}

/// The length of what two references begin with, up to the last delimiter in it.
#[cfg(feature = "audit")]
fn common_start(old: &str, new: &str) -> usize {
    let pairs = old.bytes().zip(new.bytes()).enumerate().take_while(|(_, (old, new))| old == new);
    let delimiters = pairs.filter(|(_, (byte, _))| matches!(byte, b'/' | b'?' | b'#'));
    delimiters.last().map_or(0, |(at, _)| at + 1)
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
            smallest(value, &found, text, KeptText::End, &mut { check }).unwrap();
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
