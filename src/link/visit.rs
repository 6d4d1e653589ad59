//! The visitor of a document, which gets its links, anchors and `base` elements.

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

use super::Link;

use crate::attributes::TEXT;
use crate::grammar::Grammar;
use crate::url::Base;

/// Receives the links, anchors and `base` elements that
/// [`Rewriter::inspect`](crate::Rewriter::inspect) finds in a document.
///
/// `base` elements come first, then links and anchors in the order of the source. The links of a
/// `style` element come at its end.
pub trait Visit {
    /// Receives a link.
    fn link(&mut self, link: &Link<'_>);

    /// Whether to skip the call of [`Visit::link`] for a link with this reference, in a document
    /// with this base. `is_a` is set for the link of an `a` element. Defaults to `false`.
    ///
    /// `link` elements with a `rel` of `canonical`, `alternate`, `preconnect` or `dns-prefetch`,
    /// and elements with `integrity`, are always shown.
    ///
    /// Most links in `href` and `src` are first tested by this method, which saves most of the cost
    /// of showing a link.
    fn can_skip(&mut self, is_a: bool, reference: &str, base: Option<&Base>) -> bool {
        let _ = (is_a, reference, base);
        false
    }

    /// Receives the location and the reason of a fault in an import map or in speculation rules,
    /// which browsers ignore because the script is not JSON. Does nothing by default.
    fn malformed_script(&mut self, _: Range<usize>, _: &str) {}

    /// Whether a class of the document may be a [marker](MARKERS). Searches the whole document by
    /// default, because the scanner skips classes, of which a page has many.
    fn may_have_marker_class(&self, document: &[u8]) -> bool {
        memchr::memmem::find(document, MARKER_CLASS.as_bytes()).is_some()
    }

    /// Whether the visitor takes links inside elements with a [marker](MARKERS), by
    /// [`Visit::ignored_link`]. Defaults to `false`.
    fn takes_ignored(&self) -> bool {
        false
    }

    /// Receives a link inside an element with a [marker](MARKERS), if [`Visit::takes_ignored`]
    /// returns true.
    fn ignored_link(&mut self, link: &Link<'_>) {
        let _ = link;
    }

    /// Whether the links in a value of this grammar are to be ignored. Defaults to `false`.
    fn ignores_value(&self, _: Grammar, _: &str) -> bool {
        false
    }

    /// Receives a reference of SVG to a part of its own document, which is no link:
    /// `<use href="#a">`, `fill="url(#a)"`.
    fn local_reference(&mut self, link: &Link<'_>) {
        let _ = link;
    }

    /// Receives a place that a fragment can name.
    fn anchor(&mut self, anchor: &Anchor<'_>) {
        let _ = anchor;
    }

    /// Reports that an element names an image map of the page by its `usemap`.
    fn usemap(&mut self) {}

    /// Reports that the document may have anchors that are not shown: in XML, an `id` has an
    /// entity, or the content has an entity that may contain elements.
    fn unknown_anchors(&mut self) {}

    /// Receives a `base` element with an `href`, whether it takes effect or not.
    fn base(&mut self, base: &BaseTag) {
        let _ = base;
    }
}

/// A place in a document that a fragment can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor<'a> {
    pub(crate) kind: AnchorKind,
    pub(crate) element: &'a str,
    pub(crate) value: &'a str,
    pub(crate) span: Range<usize>,
    pub(crate) is_ignored: bool,
}

/// The attribute that makes an element an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnchorKind {
    /// The `id` of the element.
    Id,
    /// The `name` of an `a` element.
    Name,
}

impl Anchor<'_> {
    /// The attribute that makes the element an anchor.
    #[must_use]
    pub fn kind(&self) -> AnchorKind {
        self.kind
    }

    /// The element's name, in lower case.
    #[must_use]
    pub fn element(&self) -> &str {
        self.element
    }

    /// The attribute's value as an HTML parser yields it.
    #[must_use]
    pub fn value(&self) -> &str {
        self.value
    }

    /// The bytes of the document that contain the value as written.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Whether the element, or an element around it, has a [marker](MARKERS).
    #[must_use]
    pub fn is_ignored(&self) -> bool {
        self.is_ignored
    }
}

/// The attributes of an element whose links, and the links inside it, are ignored by
/// [`Rewriter::inspect`](crate::Rewriter::inspect). With the first attribute, which only absolve
/// has, they are also neither listed nor replaced.
pub const MARKERS: [&str; 2] = ["data-absolve-ignore", "data-proofer-ignore"];

/// The token of a `class` that is equivalent to a marker, as in html-proofer.
pub(crate) const MARKER_CLASS: &str = MARKERS[1];

/// Whether an attribute is a marker, or a `class` that has one. `name` is in lower case.
pub(crate) fn is_marker(markers: &[&str], name: &[u8], value: &[u8]) -> bool {
    let is_class = |token: &[u8]| token == MARKER_CLASS.as_bytes();
    markers.iter().any(|marker| marker.as_bytes() == name)
        || name == b"class"
            && markers.contains(&MARKER_CLASS)
            && value.split(u8::is_ascii_whitespace).any(is_class)
}

/// Whether a document may have the marker that keeps links from being replaced, at any depth.
pub(crate) fn may_have_marker(document: &[u8]) -> bool {
    let marker = MARKERS[0].as_bytes();
    document.windows(marker.len()).any(|text| text.eq_ignore_ascii_case(marker))
}

/// A `base` element with an `href`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseTag {
    pub(crate) href: Range<usize>,
    pub(crate) place: BasePlace,
    pub(crate) counts: bool,
}

/// The part of a document that contains a `base` element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BasePlace {
    /// In the head.
    Head,
    /// Elsewhere.
    Body,
    /// In the contents of a `template` element, where it never takes effect.
    Template,
}

impl BaseTag {
    /// The bytes of the document that contain the `href` as written.
    #[must_use]
    pub fn href(&self) -> Range<usize> {
        self.href.clone()
    }

    /// The part of the document that contains the element.
    #[must_use]
    pub fn place(&self) -> BasePlace {
        self.place
    }

    /// Whether the element takes effect, provided that its `href` is usable.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.counts
    }
}

/// A property of a link besides its URL, which its element states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// The text of an `a` element, without the text of scripts and style sheets, with the `alt` of
    /// images as separate words, and each sequence of white space as a space.
    ///
    /// The text ends at the next start tag or end tag of an `a`.
    Text,
    /// The attribute `rel`.
    Rel,
    /// The attribute `hreflang`.
    Hreflang,
    /// The attribute `title`.
    Title,
    /// The text in an `a` element as the DOM has it, of any length: with all white space and the
    /// text of scripts and style sheets, without images. It ends where [`Detail::Text`] does. For
    /// an element with raw text, such as `script` and `iframe`, this is the raw text.
    ///
    /// `None` in XML, and with the engine `dom`.
    Content,
}

/// The name of [`Detail::Content`] among the attributes.
pub(crate) const CONTENT: &str = "(content)";

impl Detail {
    /// Maximum length, in bytes; a longer text is cut off.
    pub const MAX_LENGTH: usize = 1024;

    /// Cuts a text to the maximum length, between two characters.
    pub(super) fn cut(text: &mut String) {
        let mut end = Self::MAX_LENGTH.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }

    fn attribute(self) -> &'static str {
        [TEXT, "rel", "hreflang", "title", CONTENT][self as usize]
    }
}

/// A cache of an element's details, which all of its links share.
#[derive(Debug, Default)]
pub(crate) struct Details([OnceCell<Option<String>>; 5]);

/// Returns the value of an attribute of an element, or its text for [`TEXT`] and [`CONTENT`].
pub(crate) type Sibling<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The other attributes of a link's element, and its details.
#[derive(Clone, Copy)]
pub(crate) struct Siblings<'a> {
    sibling: &'a Sibling<'a>,
    details: Option<&'a Details>,
}

impl<'a> Siblings<'a> {
    /// The siblings of a link in no element, or in an element whose other attributes do not matter.
    pub(crate) const NONE: Self = Self { sibling: &|_| None, details: None };

    pub(crate) fn new(sibling: &'a Sibling<'a>, details: &'a Details) -> Self {
        Self { sibling, details: Some(details) }
    }

    pub(super) fn value(&self, attribute: &str) -> Option<String> {
        (self.sibling)(attribute)
    }

    pub(super) fn detail(&self, detail: Detail) -> Option<&'a str> {
        let read = || {
            let mut value = self.value(detail.attribute())?;
            if detail != Detail::Content {
                Detail::cut(&mut value);
            }
            Some(value)
        };
        self.details?.0[detail as usize].get_or_init(read).as_deref()
    }
}

impl fmt::Debug for Siblings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Siblings")
    }
}

/// Elements whose content readers do not see as text.
pub(crate) const HIDDEN: [&str; 6] =
    ["script", "style", "iframe", "noembed", "noframes", "noscript"];

/// The text of an `a` element so far. Each run of white space becomes a space, and no space is at
/// either end.
#[derive(Debug, Default)]
pub(crate) struct AnchorText {
    text: String,
    /// Whether a space is before the next word.
    has_space: bool,
}

impl AnchorText {
    /// Adds text.
    pub(crate) fn push(&mut self, text: &str) {
        for (number, word) in text.split(char::is_whitespace).enumerate() {
            if self.is_full() {
                return;
            }
            self.has_space |= number > 0 && !self.text.is_empty();
            if !word.is_empty() {
                if std::mem::take(&mut self.has_space) {
                    self.text.push(' ');
                }
                self.text.push_str(word);
            }
        }
    }

    /// Adds text, set apart from the words around it.
    pub(crate) fn push_word(&mut self, text: &str) {
        for part in [" ", text, " "] {
            self.push(part);
        }
    }

    /// Whether the text has reached [`Detail::MAX_LENGTH`].
    pub(crate) fn is_full(&self) -> bool {
        self.text.len() >= Detail::MAX_LENGTH
    }

    /// Cuts the text to [`Detail::MAX_LENGTH`] and trims its end.
    pub(crate) fn finish(self) -> String {
        let mut text = self.text;
        Detail::cut(&mut text);
        text.truncate(text.trim_end().len());
        text
    }
}
