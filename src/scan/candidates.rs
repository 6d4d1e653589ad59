//! The results of a scan for the splice engine: the attributes and texts that may hold references,
//! and the elements that decide the base and the encoding.

use std::ops::Range;

use encoding_rs::Encoding;

use super::exact::ScannerBuffers;
use super::interest::{Interest, NameId};
use super::tag::find_name_end;
use super::{Namespace, Placement, Quote, TextKind};
use crate::encoding::Confidence;
use crate::link::BaseScope;

/// An attribute that may hold references, the text of a `style` element, or the text of a `script`
/// that may be JSON.
///
/// Offsets have 32 bits, so that a document that consists of links takes little more memory than
/// its own size. For [`NameId::PIECES`] and [`NameId::JSON_PIECES`] the value is a range of
/// [`Candidates::pieces`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// The offset of the tag's name, one byte after the `<`.
    pub(crate) element: u32,
    pub(crate) value_start: u32,
    pub(crate) value_end: u32,
    pub(crate) name: NameId,
    pub(crate) quote: Quote,
    pub(crate) namespace: Namespace,
}

/// A piece of the text of an element: a span of the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) kind: TextKind,
}

impl Piece {
    pub(crate) fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A `base` element with an `href`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BaseElement {
    /// The offset of the `<` of its tag.
    pub(crate) start: usize,
    pub(crate) place: Placement,
    /// Whether a `noscript` element contains it, in which a `base` is never in effect.
    pub(crate) is_in_noscript: bool,
    /// Whether an end tag of the head or a start tag of the body follows. Then the author meant the
    /// `base` to be in the head, even if a parser ends the head at earlier text or another element.
    pub(crate) is_before_body: bool,
}

impl BaseElement {
    /// Whether the page's URLs are relative to this `base`, if it is the first one.
    pub(crate) fn is_in_effect(self, scope: BaseScope) -> bool {
        match self.place {
            Placement::Head => true,
            Placement::Body => self.is_before_body || scope == BaseScope::Document,
            Placement::Template => false,
        }
    }
}

/// The candidates of a document, in the order of the source, and its base.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Candidates {
    pub(crate) list: Vec<Candidate>,
    /// The pieces of each text that is not a single piece of raw text.
    pub(crate) pieces: Vec<Piece>,
    /// Whether there may be a `base` element with an `href`.
    pub(crate) has_base: bool,
    /// The first `base` element that may be in effect.
    pub(crate) base: Option<BaseElement>,
    /// The first encoding that a `meta` element declares, if the assumed encoding is tentative.
    pub(crate) declared: Option<&'static Encoding>,
    /// Whether an attribute may mark its element to be left unchanged.
    pub(crate) has_marker: bool,
    /// Whether text follows a self-closing `script`: HTML does not close the script there.
    pub(crate) has_closed_script: bool,
    /// The content of each `noscript` element, in ascending order.
    pub(crate) noscripts: Vec<Range<usize>>,
    /// Whether the candidates are out of order, as when a `style` element of SVG contains elements.
    pub(crate) is_unordered: bool,
    pub(super) buffers: CollectorBuffers,
}

/// Buffers for the exact scanner and its collector, which serve one document after another.
#[derive(Debug, Default)]
pub(super) struct CollectorBuffers {
    pub(super) scanner: ScannerBuffers,
    /// The open `style` elements, and `script` elements of SVG.
    pub(super) styles: Vec<OpenStyle>,
    /// The text of the open elements so far; the text of the innermost is last.
    pub(super) texts: Vec<Piece>,
}

/// An open `style` element, or `script` element of SVG.
#[derive(Debug)]
pub(super) struct OpenStyle {
    pub(super) kind: StyleKind,
    pub(super) element: u32,
    pub(super) namespace: Namespace,
    /// The index in [`CollectorBuffers::texts`] at which its text begins.
    pub(super) first: u32,
}

/// The kind of an element whose text the collector receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StyleKind {
    Style,
    /// A script that may be JSON.
    Json,
    OtherScript,
}

/// Narrows an offset to 32 bits: [`Limit::MAX_INPUT`](crate::error::Limit::MAX_INPUT) is the length
/// of the longest document.
pub(super) fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Candidate {
    pub(crate) fn value(&self) -> Range<usize> {
        self.value_start as usize..self.value_end as usize
    }

    /// Returns the span of the tag's name.
    pub(crate) fn tag_name(&self, source: &[u8]) -> Range<usize> {
        let start = self.element as usize;
        start..find_name_end(source, start)
    }
}

impl Candidates {
    /// Finds the content of the `noscript` element around the offset `at`.
    pub(crate) fn find_noscript(&self, at: u32) -> Option<&Range<usize>> {
        let at = at as usize;
        let next = self.noscripts.partition_point(|content| content.end <= at);
        self.noscripts.get(next).filter(|content| content.start <= at)
    }

    /// Removes all results, but keeps the memory.
    pub(super) fn clear(&mut self) {
        let Self { mut list, mut pieces, buffers, .. } = std::mem::take(self);
        list.clear();
        pieces.clear();
        *self = Self { list, pieces, buffers, ..Self::default() };
    }
}

/// Options of a scan, apart from the names of attributes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScanOptions {
    pub(crate) styles: Styles,
    pub(crate) confidence: Confidence,
}

impl ScanOptions {
    /// Returns the options for a document whose encoding is certain.
    pub(crate) fn new(interest: &Interest) -> Self {
        Self {
            styles: if interest.has_styles() { Styles::Keep } else { Styles::Skip },
            confidence: Confidence::Certain,
        }
    }
}

/// Whether the text of `style` elements is a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Styles {
    Skip,
    Keep,
}

/// Whether a page is XHTML that browsers read as HTML, and has a `script` element that XML closes
/// and HTML does not: everything up to the next end tag `script` is then the text of that script
/// ([raw text](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead)).
pub(crate) fn hides_markup(text: &[u8], candidates: &Candidates) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    candidates.has_closed_script && text.starts_with(b"<?xml")
}

/// Whether the content of a script is more than white space.
pub(super) fn has_text(content: &[u8]) -> bool {
    !content.trim_ascii_start().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::Selection;
    use crate::scan::Interest;

    #[test]
    fn a_script_that_xml_closes_hides_the_rest() {
        let mut candidates = Candidates::default();
        let options = ScanOptions { styles: Styles::Skip, confidence: Confidence::Certain };
        let interest = Interest::new(&Selection::default());
        for (source, expected) in [
            ("<?xml version='1.0'?><html><script src='a'/><a href='b'>", true),
            ("\u{feff}<?xml version='1.0'?><!-- a --><script/>\n<p>", true),
            ("<?xml version='1.0'?><script src='a'></script><script/>", false),
            ("<?xml version='1.0'?><script src='a'></script><script/> <p>", true),
            ("<?xml version='1.0'?><html><script src='a'></script><br/>", false),
            ("<?xml version='1.0'?><script src='a'/>\n</SCRIPT><a href='b'>", false),
            ("<?xml version='1.0'?><svg><script href='a'/><a href='b'></svg>", false),
            ("<?xml version='1.0'?><!-- <script src='a'/> --><a href='b'>", false),
            ("<?xml version='1.0'?><!-- <script/> --><script/><a href='b'>", true),
            ("<html><script src='a'/><p>", false),
        ] {
            // A `template` makes the fast scanner bail out, so that the exact one is tested too.
            for after in ["", "</script><template>"] {
                let source = format!("{source}{after}");
                candidates.scan(source.as_bytes(), &interest, options);
                assert_eq!(hides_markup(source.as_bytes(), &candidates), expected, "{source}");
            }
        }
    }
}
