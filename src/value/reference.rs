//! The types that describe a reference in a value: its span, its text and its container.

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
    /// Returns the mark as an ASCII byte.
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

/// The syntax that introduces the URL of a refresh pragma.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefreshForm {
    /// `5; x`: no `url=` precedes the URL.
    Bare,
    /// `5; url=x`: the URL extends to the end of the value.
    Prefixed,
    /// `5; url='x'` or `5; 'x'`: the URL extends to the next mark of this kind, or to the end.
    Quoted(QuoteMark),
}

/// The syntax around a reference in a decoded value, which decides the escapes of a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Container {
    /// The reference is the whole value.
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

/// A reference in a decoded value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueReference<'v> {
    /// The part of the value that a replacement overwrites, in bytes.
    pub span: Range<usize>,
    /// The reference, with the escapes of its container decoded.
    pub reference: Cow<'v, str>,
    /// The container for which a replacement must be escaped.
    pub container: Container,
    /// Whether the reference is a source of a font (`@font-face`), whose fragment names a font in
    /// the file.
    pub is_font: bool,
    /// Whether an `@import` has the reference.
    pub is_import: bool,
}

impl<'v> ValueReference<'v> {
    /// Creates the reference at `span` of `text`, which has no escapes.
    pub(super) fn plain(text: &'v str, span: Range<usize>, container: Container) -> Self {
        let reference = Cow::Borrowed(text.get(span.clone()).unwrap_or_default());
        Self { span, reference, container, is_font: false, is_import: false }
    }
}

/// Narrows `span` by the ASCII white space at its ends.
pub(super) fn trim(text: &str, span: Range<usize>) -> Range<usize> {
    let part = text.get(span.clone()).unwrap_or_default();
    let end = span.start + part.trim_end_matches(|c: char| c.is_ascii_whitespace()).len();
    let lead = part.len() - part.trim_start_matches(|c: char| c.is_ascii_whitespace()).len();
    (span.start + lead).min(end)..end
}
