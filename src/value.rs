//! Finds the references in an attribute value, or in the text of a `style` element.
//!
//! [`references`] reports the references of a decoded value in source order, each with the span to
//! replace and the [`Container`] for which a replacement must be escaped. This module resolves
//! nothing and knows no HTML: callers decode character references first ([`crate::reference`]), and
//! encode them when they write the value. A `srcdoc` ([`Grammar::Html`]) is a document instead of a
//! value, so the readers of documents read it.

mod css;
mod escape;
pub(crate) mod json;
mod list;
mod reference;
mod refresh;

pub use reference::{Container, QuoteMark, RefreshForm, ValueReference};

use self::css::{Level, ReferenceKind};
use crate::grammar::Grammar;
use crate::url::clean;

/// Reports every reference that `grammar` finds in `text`.
///
/// `text` is the decoded value of an attribute, or the decoded text of a `style` element. Spans
/// ascend and do not overlap. Takes time linear in the text and constant stack. Reports nothing for
/// [`Grammar::Html`], whose values are documents.
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
pub fn references(grammar: Grammar, text: &str, report: &mut dyn FnMut(ValueReference<'_>)) {
    match grammar {
        Grammar::Url => report(ValueReference::plain(text, 0..text.len(), Container::Whole)),
        Grammar::UrlList => list::report_words(text, report),
        Grammar::CommaList => list::report_comma_items(text, report),
        Grammar::Srcset => list::report_image_candidates(text, report),
        Grammar::Refresh => refresh::report_url(text, report),
        Grammar::Css | Grammar::FuncIri => {
            css::report_urls(text, (Level::Declarations, ReferenceKind::Link), report);
        }
        Grammar::Stylesheet => {
            css::report_urls(text, (Level::Stylesheet, ReferenceKind::Link), report);
        }
        Grammar::Html => {}
    }
}

/// Reports every reference in `text` that is only a fragment: `#a`, or `url(#a)` in CSS.
pub(crate) fn report_local_references(
    grammar: Grammar,
    text: &str,
    report: &mut dyn FnMut(ValueReference<'_>),
) {
    let wanted = ReferenceKind::Local;
    match grammar {
        _ if memchr::memchr(b'#', text.as_bytes()).is_none() => {}
        Grammar::Url if clean(text).starts_with('#') => references(grammar, text, report),
        Grammar::Css | Grammar::FuncIri => {
            css::report_urls(text, (Level::Declarations, wanted), report);
        }
        Grammar::Stylesheet => css::report_urls(text, (Level::Stylesheet, wanted), report),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts references, each as `reference` or `source=>reference`.
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
    fn a_fragment_alone_is_local() {
        let local = |name: &str, text: &str| {
            let mut seen = Vec::new();
            let mut add = |found: ValueReference<'_>| seen.push(found.reference.into_owned());
            report_local_references(name.parse().unwrap(), text, &mut add);
            seen.join(" ")
        };
        assert_eq!(local("url", " #a"), " #a");
        assert_eq!(local("url", "b#a"), "");
        assert_eq!(local("func-iri", "url( '#a' ) red"), "#a");
        assert_eq!(local("css", "fill: url(b#a); mask: url(#c)"), "#c");
        assert_eq!(local("stylesheet", "a { fill: url(#a) } /* url(#b) */"), "#a");
        assert_eq!(local("srcset", "#a"), "");
        check("css", "fill: url(b#a); mask: url(#c)", &["b#a"]);
    }

    #[test]
    fn a_font_has_sources() {
        let sheet = "@media print { @Font-Face { src: url(a#1), src('b#2'), local(c), url(#3) } }\
                     @font-face-x { src: url(d#4) } @font-face; { src: url(e#5) } a { b: url(f#6) }";
        let mut fonts = Vec::new();
        references(Grammar::Stylesheet, sheet, &mut |found| {
            fonts.push((found.reference.into_owned(), found.is_font));
        });
        let fonts: Vec<_> =
            fonts.iter().map(|(reference, is_font)| (&**reference, *is_font)).collect();
        let others = [("d#4", false), ("e#5", false), ("f#6", false)];
        assert_eq!(fonts, [&[("a#1", true), ("b#2", true)][..], &others].concat());
    }

    #[test]
    fn a_nested_document_is_no_value() {
        check("html", "<a href=x>", &[]);
    }
}
