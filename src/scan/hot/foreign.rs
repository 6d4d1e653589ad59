//! The open elements of SVG and MathML, as far as the fast scanner is sure of them.

use std::ops::Range;

use crate::scan::events::Namespace;
use crate::scan::tags::may_be_json;

/// The page holds something that the fast scanner cannot classify.
pub(in crate::scan) struct Bailout;

/// The open SVG and MathML elements; none in HTML content.
pub(super) struct Foreign<'s> {
    source: &'s [u8],
    open: Vec<Element>,
}

struct Element {
    /// Its name, as it is written.
    name: Range<usize>,
    namespace: Namespace,
    /// A start tag inside it is read by the rules of HTML.
    is_integration_point: bool,
}

impl<'s> Foreign<'s> {
    pub(super) fn new(source: &'s [u8]) -> Self {
        Self { source, open: Vec::new() }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The namespace of the innermost open element.
    #[inline]
    pub(super) fn namespace(&self) -> Namespace {
        self.open.last().map_or(Namespace::Html, |element| element.namespace)
    }

    /// Enters an `svg` or a `math` element.
    pub(super) fn enter(&mut self, name: Range<usize>, namespace: Namespace) {
        self.open.push(Element { name, namespace, is_integration_point: false });
    }

    /// Takes in a start tag inside an open element.
    #[inline(never)]
    pub(super) fn start(
        &mut self,
        name: Range<usize>,
        end: usize,
        is_self_closing: bool,
    ) -> Result<(), Bailout> {
        let Some(parent) = self.open.last() else { return Ok(()) };
        let text = &self.source[name.clone()];
        let is_one_of =
            |names: &[&str]| names.iter().any(|one| text.eq_ignore_ascii_case(one.as_bytes()));
        // The text of a script is in pieces.
        let is_json = || is_one_of(&["script"]) && may_be_json(&self.source[name.end..end]);
        if parent.is_integration_point || is_one_of(UNSURE) || is_json() {
            return Err(Bailout);
        }
        let namespace = parent.namespace;
        let is_integration_point = namespace == Namespace::MathMl && is_one_of(MATH_TEXT);
        if !is_self_closing {
            self.open.push(Element { name, namespace, is_integration_point });
        }
        Ok(())
    }

    /// Takes in an end tag inside an open element, which has to be that of the innermost one.
    #[inline(never)]
    pub(super) fn end(&mut self, name: Range<usize>) -> Result<(), Bailout> {
        let is_own =
            |open: Element| self.source[open.name].eq_ignore_ascii_case(&self.source[name]);
        if self.open.pop().is_some_and(is_own) { Ok(()) } else { Err(Bailout) }
    }
}

/// MathML elements whose content is read by the rules of HTML
/// ([integration points][spec]).
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#mathml-text-integration-point
const MATH_TEXT: &[&str] = &["mi", "mo", "mn", "ms", "mtext"];

/// Start tags that this scanner is not sure of inside SVG and MathML: those that
/// [end foreign content][spec], integration points, and `style`.
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign
#[rustfmt::skip]
const UNSURE: &[&str] = &[
    "annotation-xml", "b", "big", "blockquote", "body", "br", "center", "code", "dd", "desc", "div",
    "dl", "dt", "em", "embed", "font", "foreignobject", "h1", "h2", "h3", "h4", "h5", "h6", "head",
    "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s",
    "small", "span", "strike", "strong", "style", "sub", "sup", "table", "title", "tt", "u", "ul",
    "var",
];
