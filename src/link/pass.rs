//! Finds the links in an attribute's value, decides on each, and computes the edits of the value.

use std::ops::Range;

use encoding_rs::{Encoding, UTF_8};

use super::document::{BaseUse, Document, Site, start_location};
use super::pattern::is_template;
use super::policy::{Direction, Policy};
use super::settings::Settings;
use super::visit::{MARKERS, Visit};
use super::{Link, LinkCounts, Replacement, ResolveOptions};

use crate::attributes::{EmptyValue, Namespace, RequiredForm, Rule};
use crate::base::BaseLayer;
use crate::edit::Edit;
use crate::encoding::Head;
use crate::error::{Error, Limit, Limits, Location};
use crate::grammar::Grammar;
use crate::url::{Base, JoinResult, clean, rfc1808};
use crate::value::{self, ValueReference};

/// A pass over the links of a document and of the documents inside it.
pub(crate) struct LinkPass<'r> {
    pub(crate) settings: &'r Settings,
    mode: Mode<'r>,
    pub(crate) counts: LinkCounts,
    /// Maximum length of the document that is written, in bytes; 0 is unlimited.
    pub(crate) max_output: usize,
    kept_text: KeptText,
    /// The encoding of the document.
    pub(crate) encoding: &'static Encoding,
    /// The beginning of the document.
    pub(crate) head: Option<Head<'r>>,
    /// Whether links have a span in the source.
    pub(crate) has_spans: bool,
    /// Whether the next links are inside an element with a marker.
    pub(crate) is_ignored: bool,
    /// Whether the next links are before the `base` element of their document.
    pub(crate) is_before_base: bool,
    /// The form that the next links need.
    pub(crate) form: RequiredForm,
    /// The use of bases in the document.
    pub(crate) base_use: BaseUse,
    /// Whether the next references need the base of their document.
    pub(crate) base_need: BaseNeed,
    /// Notes for users about the document.
    pub(crate) notes: Notes,
}

/// Notes for users about a document that was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    /// The number of links that browsers load before they reach the `base` element, and that have
    /// another URL without it.
    pub(crate) links_before_base: usize,
    /// An element or a prefix of XML whose namespace is not known.
    pub(crate) unknown_namespace: Option<String>,
    /// The location of the XML declaration, if white space precedes it.
    pub(crate) late_declaration: Option<Location>,
    /// Whether a digest stays although the content that it was computed from changes.
    pub(crate) has_stale_digests: bool,
    /// The number of scripts that stay because new text would change where they end.
    pub(crate) kept_scripts: usize,
    /// Whether HTML reads markup as script text, because a `script` ends with `/>` as in XML.
    pub(crate) hides_markup: bool,
    /// Whether browsers guess the encoding.
    pub(crate) is_encoding_guessed: bool,
}

/// Whether a reference needs the base of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BaseNeed {
    /// The pass does not track the need.
    Ignored,
    /// No reference has needed the base so far.
    Unseen,
    /// A relative reference needs the base.
    Seen,
}

/// The parts of a reference that stay as written if the new text has them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptText {
    /// The end.
    End,
    /// The end, and the beginning up to a delimiter.
    ///
    /// NOTE: if the delimiter is a numeric character reference without a semicolon, a digit after
    /// it would become part of it; the caller parses the result again.
    BothEnds,
}

/// The purpose of a pass, which determines the decision on each link.
enum Mode<'r> {
    /// The policy of the settings decides.
    Policy,
    /// A function for this document alone decides.
    Decide(&'r mut Decide<'r>),
    /// A visitor is shown the links, which are counted and stay.
    Visit(&'r mut dyn Visit),
    /// A function is shown the links, which stay; its result is ignored.
    List(&'r mut Decide<'r>),
}

/// Returns the text that replaces a link; `None` leaves the link unchanged.
pub(crate) type Decide<'a> = dyn FnMut(&Link<'_>) -> Option<String> + 'a;

/// Receives the edits of a value, in order.
pub(crate) type EmitEdit<'a> = dyn FnMut(Edit<'_>) -> Result<(), Error> + 'a;

/// Maps a part of a decoded value to its bytes in the source.
pub(crate) type SpanOf<'a> = dyn Fn(Range<usize>) -> Option<Range<usize>> + 'a;

impl<'r> LinkPass<'r> {
    /// Creates a pass that follows the policy of the settings.
    pub(crate) fn new(settings: &'r Settings) -> Self {
        Self {
            settings,
            mode: Mode::Policy,
            counts: LinkCounts::default(),
            max_output: 0,
            kept_text: KeptText::End,
            encoding: UTF_8,
            head: None,
            has_spans: true,
            is_ignored: false,
            is_before_base: false,
            form: RequiredForm::Any,
            base_use: BaseUse::Links,
            base_need: BaseNeed::Ignored,
            notes: Notes::default(),
        }
    }

    /// Creates a pass in which `decide` returns the replacement of each link.
    pub(crate) fn deciding(settings: &'r Settings, decide: &'r mut Decide<'r>) -> Self {
        Self { mode: Mode::Decide(decide), ..Self::new(settings) }
    }

    /// Makes edits also leave the beginning of a reference if the new text has it too.
    pub(crate) fn keeping_both_ends(self) -> Self {
        Self { kept_text: KeptText::BothEnds, ..self }
    }

    /// Creates a pass that shows links, anchors and `base` elements, and changes nothing.
    pub(crate) fn visiting(settings: &'r Settings, visit: &'r mut dyn Visit) -> Self {
        Self { mode: Mode::Visit(visit), ..Self::new(settings) }
    }

    /// Creates a pass that shows links to a function, and changes nothing.
    pub(crate) fn listing(settings: &'r Settings, show: &'r mut Decide<'r>) -> Self {
        Self { mode: Mode::List(show), ..Self::new(settings) }
    }

    /// Whether the pass needs only the URL of a link, with no policy or function to decide on it.
    pub(crate) fn needs_urls_alone(&self) -> bool {
        let is_absolute = || self.settings.policy.is_absolute();
        self.is_listing() || (matches!(self.mode, Mode::Policy) && is_absolute())
    }

    /// Whether links are listed.
    pub(crate) fn is_listing(&self) -> bool {
        matches!(self.mode, Mode::List(_))
    }

    /// Lists a link whose URL is already joined; does nothing unless the pass lists links.
    pub(crate) fn list(
        &mut self,
        document: &Document,
        site: &Site<'_>,
        (reference, join): (&str, &JoinResult<'_>),
        span: Range<usize>,
    ) {
        let Mode::List(show) = &mut self.mode else { return };
        let layer = &document.established.layer;
        let (standard, replacement) = (self.settings.standard, Replacement::Replaced);
        let options = ResolveOptions { standard, replacement };
        let joined = match *join {
            JoinResult::Prefixed { prefix, skip } => Some((prefix, &reference[skip..])),
            JoinResult::Absolute => Some(("", reference)),
            JoinResult::Unresolved | JoinResult::Unsure => None,
        };
        let link = Link {
            base: layer.base(),
            base_source: layer.source(),
            joined,
            ..Link::new(
                site,
                reference,
                Some(span).filter(|_| self.has_spans),
                self.encoding,
                options,
            )
        };
        let _ = show(&link);
    }

    /// Decides on every reference in a decoded value, and passes the edits to `emit`. Engines read
    /// documents inside values themselves.
    pub(crate) fn value(
        &mut self,
        document: &Document,
        site: &Site<'_>,
        value: &str,
        span_of: &SpanOf<'_>,
        emit: &mut EmitEdit<'_>,
    ) -> Result<(), Error> {
        let layer = document.layer(site, self.encoding, self.settings);
        self.show_local_references(document, site, &layer, value, span_of);
        let was_ignored = self.is_ignored;
        let grammar = site.spot.grammar;
        self.is_ignored |= is_template(&self.settings.ignored, grammar, value)
            || matches!(&self.mode, Mode::Visit(visit) if visit.ignores_value(grammar, value));
        let mut result = Ok(());
        value::references(site.spot.grammar, value, &mut |occurrence| {
            if result.is_ok() {
                let text = self.decide_on_reference(document, site, &layer, &occurrence, span_of);
                result = text.and_then(|text| match text {
                    Some(text) => emit_smallest(value, &occurrence, &text, self.kept_text, emit),
                    None => Ok(()),
                });
            }
        });
        self.is_ignored = was_ignored;
        result
    }

    /// Shows the visitor the references in a decoded value that are only a fragment.
    ///
    /// HTML elements are skipped. Only their style sheets have such references, which old browsers
    /// used for other purposes: `behavior: url(#default#VML)`.
    fn show_local_references(
        &mut self,
        document: &Document,
        site: &Site<'_>,
        layer: &BaseLayer,
        value: &str,
        span_of: &SpanOf<'_>,
    ) {
        let spot = site.spot;
        let is_link = spot.grammar == Grammar::Url && spot.rule != Rule::FragmentStays;
        let Mode::Visit(visit) = &mut self.mode else { return };
        if site.namespace != Namespace::Svg || is_link || self.is_ignored || document.is_nested() {
            return;
        }
        let standard = self.settings.standard;
        let options = ResolveOptions { standard, replacement: Replacement::Kept };
        value::report_local_references(spot.grammar, value, &mut |occurrence| {
            let span = span_of(occurrence.span.clone());
            visit.local_reference(&Link {
                base: layer.base(),
                base_source: layer.source(),
                ..Link::new(site, &occurrence.reference, span, self.encoding, options)
            });
        });
    }

    /// Decides on a reference and counts its link. Returns the text that replaces the reference,
    /// unless it stays.
    fn decide_on_reference(
        &mut self,
        document: &Document,
        site: &Site<'_>,
        layer: &BaseLayer,
        occurrence: &ValueReference<'_>,
        span_of: &SpanOf<'_>,
    ) -> Result<Option<String>, Error> {
        let reference = &*occurrence.reference;
        if is_excluded(site.spot.rule, reference) {
            return Ok(None);
        }
        let enclosing = document.enclosing.clone().filter(|_| self.has_spans);
        let own_span = || span_of(occurrence.span.clone()).filter(|_| self.has_spans);
        let span = enclosing.clone().or_else(own_span);
        self.make_room(|| start_location(span.as_ref()))?;
        self.check_length(reference, start_location(span.as_ref()))?;
        let replacement = self.decide_replacement(document, site, reference);
        let options = ResolveOptions { standard: self.settings.standard, replacement };
        let link = Link {
            enclosing,
            base: layer.base(),
            base_source: layer.source(),
            is_font: occurrence.is_font,
            is_import: occurrence.is_import,
            ..Link::new(site, reference, span, self.encoding, options)
        };
        if self.is_ignored || self.settings.ignores(&link) {
            self.record_ignored(&link);
            return Ok(None);
        }
        self.note_base_need(document, (site.spot.rule, options), reference);
        self.note_before_base(document, &link);
        let link = match self.map_to_file(document, site, &link) {
            Some(url) => link.with_url(url),
            None => link,
        };
        let text = match &mut self.mode {
            Mode::Visit(visit) => {
                self.counts.links += 1;
                visit.link(&link);
                return Ok(None);
            }
            Mode::Decide(decide) | Mode::List(decide) => decide(&link),
            Mode::Policy => match &self.settings.policy {
                Policy::Custom(decide) => decide(&link),
                Policy::Directed(_) if options.is_kept(site.spot.rule) => None,
                Policy::Directed(direction) => {
                    let base = document.written_base(site);
                    let form = self.form.max(site.spot.form).max(site.required_form());
                    let direction = document.direction(site).unwrap_or(direction);
                    direction.replacement(&link, (self.settings.standard, form), base)
                }
                Policy::Absolute => {
                    let is_rewritten = link.replacement_url().is_some_and(|text| text != reference);
                    self.counts.add(&link, is_rewritten);
                    return Ok(if is_rewritten { link.into_replacement_url() } else { None });
                }
            },
        };
        let text = text.filter(|text| text != reference);
        self.counts.add(&link, text.is_some());
        Ok(text)
    }

    /// Counts a link that is ignored, or shows it to the visitor.
    fn record_ignored(&mut self, link: &Link<'_>) {
        match &mut self.mode {
            Mode::Visit(visit) if visit.takes_ignored() => visit.ignored_link(link),
            Mode::Visit(_) => {}
            _ => {
                self.counts.links += 1;
                self.counts.kept += 1;
            }
        }
    }

    /// Decides whether a reference is replaced.
    fn decide_replacement(
        &self,
        document: &Document,
        site: &Site<'_>,
        reference: &str,
    ) -> Replacement {
        if site.spot.empty == EmptyValue::Stays && clean(reference).is_empty() {
            Replacement::Empty
        } else if document.keeps(site, reference, self.settings) {
            Replacement::Kept
        } else {
            Replacement::Replaced
        }
    }

    /// Counts a link that browsers load by the URL of the page, before they reach the `base`
    /// element.
    fn note_before_base(&mut self, document: &Document, link: &Link<'_>) {
        if self.is_before_base && matches!(self.mode, Mode::Policy) && link.is_loaded_at_once() {
            let by_page = document.resolve_baseless(link.reference(), self.settings);
            self.notes.links_before_base += usize::from(link.url() != by_page.as_deref());
        }
    }

    /// Finds the URL of the saved file that a link names, if the link is to become a URL.
    fn map_to_file(&self, document: &Document, site: &Site<'_>, link: &Link<'_>) -> Option<String> {
        let files = self.settings.saved_files.as_ref()?;
        let makes_urls = matches!(self.mode, Mode::Policy) && self.settings.policy.makes_urls();
        let is_written = link.resolve_options.replacement == Replacement::Replaced;
        // The `href` of a `base` element names no file.
        let is_relative_to_file = link.base() == document.established.below.base()
            && !document.is_nested()
            && !matches!(site.spot.rule, Rule::Base | Rule::Codebase);
        let may_name = || files.may_name(link.reference().as_bytes());
        (makes_urls && is_written && is_relative_to_file && may_name())
            .then(|| files.url(link.reference()))
            .flatten()
    }

    /// Whether a reference may name a saved file with another URL, which resolving does not find.
    pub(crate) fn may_name_file(&self, reference: &[u8]) -> bool {
        let files = self.settings.saved_files.as_ref().filter(|_| !self.is_listing());
        files.is_some_and(|files| files.may_name(reference))
    }

    /// Records that a reference needs the base of its document.
    #[inline]
    fn note_base_need(
        &mut self,
        document: &Document,
        (rule, options): (Rule, ResolveOptions),
        reference: &str,
    ) {
        if self.base_need != BaseNeed::Unseen {
            return;
        }
        let may_need = options.replacement == Replacement::Replaced || rule == Rule::Base;
        if may_need && document.needs_base(reference) {
            self.base_need = BaseNeed::Seen;
        }
    }

    /// Counts and shows an XML value with an entity, which stays and is not resolved.
    pub(crate) fn entity(
        &mut self,
        site: &Site<'_>,
        value: &str,
        span: Range<usize>,
    ) -> Result<(), Error> {
        self.make_room(|| start_location(Some(&span)))?;
        let standard = self.settings.standard;
        let options = ResolveOptions { standard, replacement: Replacement::Entity };
        let link = Link::new(site, value, Some(span), self.encoding, options);
        match &mut self.mode {
            _ if self.is_ignored || self.settings.ignores(&link) => self.record_ignored(&link),
            Mode::Visit(visit) => {
                self.counts.links += 1;
                visit.link(&link);
            }
            Mode::Decide(decide) | Mode::List(decide) => {
                // The value stays whatever the answer is.
                let _ = decide(&link);
                self.counts.add(&link, false);
            }
            Mode::Policy => self.counts.add(&link, false),
        }
        Ok(())
    }

    /// Whether a visitor is shown the links.
    pub(crate) fn is_visiting(&self) -> bool {
        matches!(self.mode, Mode::Visit(_))
    }

    /// Whether attributes about the files that elements load may change.
    pub(crate) fn edits_integrity(&self) -> bool {
        let Settings { policy, edited_digests, .. } = self.settings;
        let is_on_disk = || policy.direction().is_some_and(Direction::is_on_disk);
        self.follows_policy() && (edited_digests.is_some() || is_on_disk())
    }

    /// Whether the policy of the settings decides on links.
    pub(crate) fn follows_policy(&self) -> bool {
        matches!(self.mode, Mode::Policy)
    }

    /// Whether the policy moves URLs.
    pub(crate) fn moves_urls(&self) -> bool {
        self.follows_policy() && self.settings.policy.direction().is_some_and(Direction::moves_urls)
    }

    /// Counts a link and returns true if the visitor needs no call for it.
    pub(crate) fn can_skip(&mut self, is_a: bool, reference: &str, base: Option<&Base>) -> bool {
        let Mode::Visit(visit) = &mut self.mode else { return false };
        let can_skip = self.settings.ignored.is_empty() && visit.can_skip(is_a, reference, base);
        self.counts.links += usize::from(can_skip);
        can_skip
    }

    /// The attributes that mark an element to ignore, with the links inside it.
    pub(crate) fn markers(&self) -> &'static [&'static str] {
        if self.is_visiting() { &MARKERS } else { &MARKERS[..1] }
    }

    /// Whether the visitor needs no links inside elements with a marker.
    pub(crate) fn skips_ignored(&self) -> bool {
        matches!(&self.mode, Mode::Visit(visit) if !visit.takes_ignored())
    }

    /// Whether the document may have the class that makes a visitor ignore links.
    pub(crate) fn may_have_marker_class(&self, document: &[u8]) -> bool {
        matches!(&self.mode, Mode::Visit(visit) if visit.may_have_marker_class(document))
    }

    /// Returns the visitor of the document, if there is one.
    pub(crate) fn visitor(&mut self) -> Option<&mut dyn Visit> {
        match &mut self.mode {
            Mode::Visit(visit) => Some(&mut **visit),
            _ => None,
        }
    }

    /// Fails if one more link would exceed the limit.
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

/// Whether the rule of the row excludes a reference from the links.
fn is_excluded(rule: Rule, reference: &str) -> bool {
    match rule {
        Rule::FragmentStays => clean(reference).starts_with('#'),
        Rule::Permalink => is_identifier(reference),
        _ => false,
    }
}

/// Whether the `guid` of an item is a number, a word or a sentence, and no URL.
pub(crate) fn is_identifier(guid: &str) -> bool {
    rfc1808::scheme_end(&clean(guid)).is_none() && !guid.contains('/')
}

/// Emits the smallest edit: the end that both texts share stays as written, and with
/// [`KeptText::BothEnds`] the beginning too.
fn emit_smallest(
    value: &str,
    occurrence: &ValueReference<'_>,
    text: &str,
    kept_text: KeptText,
    emit: &mut EmitEdit<'_>,
) -> Result<(), Error> {
    let old = &value[occurrence.span.clone()];
    let text = occurrence.container.escape(text);
    let start = match kept_text {
        KeptText::End => 0,
        KeptText::BothEnds => measure_common_start(old, &text),
    };
    let (old, text) = (&old[start..], &text[start..]);
    let common = old.bytes().rev().zip(text.bytes().rev()).take_while(|(old, new)| old == new);
    let mut kept = common.count();
    // The shared bytes may begin inside a character.
    while !old.is_char_boundary(old.len() - kept) {
        kept -= 1;
    }
    let span = occurrence.span.start + start..occurrence.span.end - kept;
    emit(Edit { span, text: &text[..text.len() - kept], container: occurrence.container })
}

/// Measures the beginning that two references share, up to the last delimiter in it.
fn measure_common_start(old: &str, new: &str) -> usize {
    let pairs = old.bytes().zip(new.bytes()).enumerate().take_while(|(_, (old, new))| old == new);
    let delimiters = pairs.filter(|(_, (byte, _))| matches!(byte, b'/' | b'?' | b'#'));
    delimiters.last().map_or(0, |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn leaves(grammar: Grammar, value: &str, text: &str, span: &Range<usize>, left: &str) {
        value::references(grammar, value, &mut |occurrence| {
            let check = |edit: Edit<'_>| {
                assert_eq!((&edit.span, edit.text), (span, left), "{value:?}");
                Ok(())
            };
            emit_smallest(value, &occurrence, text, KeptText::End, &mut { check }).unwrap();
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
