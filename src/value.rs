//! How an attribute value, or the text of a `style` element, holds references.
//!
//! [`references`] reports the references of a decoded value in source order, each with the span
//! to replace and the [`Container`] that a replacement has to be escaped for. Nothing here
//! resolves anything, and nothing knows HTML: character references are decoded before
//! ([`crate::reference`]) and encoded after. `srcdoc` ([`Grammar::Html`]) is a document, not a
//! value; whoever reads documents reads it.

mod css;
mod escape;
mod list;
mod refresh;
mod srcset;

use std::borrow::Cow;
use std::ops::Range;

use crate::grammar::Grammar;

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

    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Double, Self::Single].into_iter().find(|mark| mark.byte() == byte)
    }
}

/// How the URL of a refresh pragma is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefreshForm {
    /// `5; x`: the URL stands where `url=` might.
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

impl Container {
    /// The text that stands for `url` in this container.
    ///
    /// Reading the value again yields `url`, and every other reference as before. A character that
    /// the container has no escape for is percent-encoded instead: white space in a list or a
    /// candidate, commas of a comma list, a comma at either end of a candidate, the quotation
    /// mark of a refresh pragma, and white space at either end of an item.
    ///
    /// Three things have no form that reads back: U+0000, an empty URL in a list or in CSS, and in
    /// CSS one that begins with `#`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use absolve::value::{Container, QuoteMark};
    /// assert_eq!(Container::SrcsetCandidate.escape("/a,b,"), "/a,b%2C");
    /// assert_eq!(Container::CssString(QuoteMark::Single).escape("it's"), r"it\'s");
    /// ```
    #[must_use]
    pub fn escape<'u>(&self, url: &'u str) -> Cow<'u, str> {
        escape::escape(*self, url)
    }
}

/// One reference in a decoded value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'v> {
    /// The bytes of the value that a replacement takes the place of.
    pub span: Range<usize>,
    /// The reference, the container's own escapes undone.
    pub reference: Cow<'v, str>,
    /// What a replacement must be escaped for.
    pub container: Container,
}

impl<'v> Found<'v> {
    /// The reference that stands at `span` of `text` without escapes.
    fn plain(text: &'v str, span: Range<usize>, container: Container) -> Self {
        let reference = Cow::Borrowed(text.get(span.clone()).unwrap_or_default());
        Self { span, reference, container }
    }
}

/// Reports every reference that `text` holds by `grammar`.
///
/// `text` is the decoded value of an attribute, or the decoded text of a `style` element. Spans
/// ascend and do not overlap. Takes time linear in the text and constant stack.
/// [`Grammar::Html`] holds a document and reports nothing.
///
/// # Examples
///
/// ```
/// # use absolve::grammar::Grammar;
/// # use absolve::value::references;
/// let mut seen = Vec::new();
/// references(Grammar::Srcset, "a.png 1x, b.png 2x", &mut |found| seen.push(found.span));
/// assert_eq!(seen, [0..5, 10..15]);
/// ```
pub fn references(grammar: Grammar, text: &str, found: &mut dyn FnMut(Found<'_>)) {
    match grammar {
        Grammar::Url => found(Found::plain(text, 0..text.len(), Container::Whole)),
        Grammar::UrlList => list::words(text, found),
        Grammar::CommaList => list::comma_items(text, found),
        Grammar::Srcset => srcset::candidates(text, found),
        Grammar::Refresh => refresh::url(text, found),
        Grammar::Css | Grammar::FuncIri => css::references(text, css::Level::Declarations, found),
        Grammar::Stylesheet => css::references(text, css::Level::Stylesheet, found),
        Grammar::Html => {}
    }
}

/// The part of `span` that has no ASCII white space at either end.
fn trim(text: &str, span: Range<usize>) -> Range<usize> {
    let part = text.get(span.clone()).unwrap_or_default();
    let end = span.start + part.trim_end_matches(|c: char| c.is_ascii_whitespace()).len();
    let lead = part.len() - part.trim_start_matches(|c: char| c.is_ascii_whitespace()).len();
    (span.start + lead).min(end)..end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spans of `text` in grammar `name`, each as `reference` or `source=>reference`.
    #[track_caller]
    pub(super) fn check(name: &str, text: &str, expected: &[&str]) {
        let mut seen = Vec::new();
        references(name.parse().unwrap(), text, &mut |found| {
            let source = &text[found.span];
            seen.push(if source == found.reference {
                source.to_owned()
            } else {
                format!("{source}=>{}", found.reference)
            });
        });
        assert_eq!(seen, expected, "{name}: {text:?}");
    }

    #[test]
    fn a_url_is_the_whole_value() {
        check("url", "", &[""]);
        check("url", " a\tb ", &[" a\tb "]);
    }

    #[test]
    fn a_nested_document_is_no_value() {
        check("html", "<a href=x>", &[]);
    }
}
