//! What a value holds: references, each with what surrounds it.

use std::borrow::Cow;
use std::ops::Range;

/// A quotation mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuoteMark {
    /// `"`
    Double,
    /// `'`
    Single,
}

impl QuoteMark {
    /// The mark as an ASCII byte.
    #[must_use]
    pub fn byte(self) -> u8 {
        match self {
            Self::Double => b'"',
            Self::Single => b'\'',
        }
    }

    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Double, Self::Single].into_iter().find(|mark| mark.byte() == byte)
    }
}

/// How the URL of a refresh pragma is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefreshForm {
    /// `5; x`: the URL is where `url=` might.
    Bare,
    /// `5; url=x`: the URL runs to the end of the value.
    Prefixed,
    /// `5; url='x'` or `5; 'x'`: the URL runs to the next such mark, or to the end.
    Quoted(QuoteMark),
}

/// What surrounds a reference inside a decoded value, and so what its replacement must escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Container {
    /// Nothing: the reference is the value.
    Whole,
    /// An item of a list separated by white space.
    Word,
    /// An item of a list separated by commas.
    CommaItem,
    /// The URL of an image candidate.
    SrcsetCandidate,
    /// The URL of a refresh pragma.
    RefreshUrl(RefreshForm),
    /// The contents of a CSS string.
    CssString(QuoteMark),
    /// The contents of a CSS `url()` without quotes.
    CssUrl,
}

/// One reference in a decoded value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueReference<'v> {
    /// The bytes of the value that a replacement takes the place of.
    pub span: Range<usize>,
    /// The reference, the container's own escapes undone.
    pub reference: Cow<'v, str>,
    /// What a replacement must be escaped for.
    pub container: Container,
    /// Whether it is the source of a font (`@font-face`), whose fragment names a font in the file.
    pub is_font: bool,
    /// Whether it is that of an `@import`.
    pub is_import: bool,
}

impl<'v> ValueReference<'v> {
    /// The reference that is at `span` of `text` without escapes.
    pub(super) fn plain(text: &'v str, span: Range<usize>, container: Container) -> Self {
        let reference = Cow::Borrowed(text.get(span.clone()).unwrap_or_default());
        Self { span, reference, container, is_font: false, is_import: false }
    }
}

/// The part of `span` that has no ASCII white space at either end.
pub(super) fn trim(text: &str, span: Range<usize>) -> Range<usize> {
    let part = text.get(span.clone()).unwrap_or_default();
    let end = span.start + part.trim_end_matches(|c: char| c.is_ascii_whitespace()).len();
    let lead = part.len() - part.trim_start_matches(|c: char| c.is_ascii_whitespace()).len();
    (span.start + lead).min(end)..end
}
