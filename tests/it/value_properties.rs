//! Properties of the value grammars, and simple twins of the clever readers.

use absolve::grammar::Grammar;
use absolve::value::{Container, references};
use proptest::prelude::*;

const GRAMMARS: [Grammar; 9] = [
    Grammar::Url,
    Grammar::UrlList,
    Grammar::CommaList,
    Grammar::Srcset,
    Grammar::Refresh,
    Grammar::Css,
    Grammar::Stylesheet,
    Grammar::Html,
    Grammar::FuncIri,
];

/// Pieces of values.
#[rustfmt::skip]
const PIECES: [&str; 48] = [
    "url(", "URL(", "\\75rl(", "src(", "image-set(", "-webkit-image-set(", "type(", "(", ")", "[",
    "]", "{", "}", "'", "\"", "\\", "\\61 ", "\\\n", "\\\r\n", "\\'", "@import ", "@namespace ",
    "@media ", ";", ":", ",", " ", "\n", "\t", "\r\n", "/*", "*/", "<!--", "-->", "#", "a", "b.png",
    "5", "5;url=", "url=", "5; '", ".", "1x", "\u{e9}", "\u{1f600}", "\u{a0}", "</", "\u{1}",
];

/// Pieces of URLs, without U+0000.
#[rustfmt::skip]
const URL_PIECES: [&str; 26] = [
    "http://h/", "a", "f", "0", "/", "?", "#", "%20", ",", ",,", " ", "\t", "\n", "\r", "\u{c}",
    "\u{1}", "\u{7f}", "'", "\"", "(", ")", "\\", "url=", ";", "</style>", "\u{e9}",
];

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop::sample::select(&PIECES[..]), 0..20).prop_map(|v| v.concat())
}

/// A value of a grammar that begins as such values do.
fn value() -> impl Strategy<Value = (Grammar, String)> {
    let start = prop::sample::select(&["", "5;", "5; url=", "a: ", "@import ", "url("][..]);
    (prop::sample::select(&GRAMMARS[..]), start, text())
        .prop_map(|(g, s, t)| (g, format!("{s}{t}")))
}

fn url() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop::sample::select(&URL_PIECES[..]), 1..8).prop_map(|v| v.concat())
}

#[derive(Clone, Debug, PartialEq)]
struct Seen {
    span: std::ops::Range<usize>,
    reference: String,
    container: Container,
}

fn read(grammar: Grammar, text: &str) -> Vec<Seen> {
    let mut seen = Vec::new();
    references(grammar, text, &mut |found| {
        seen.push(Seen {
            span: found.span,
            reference: found.reference.into_owned(),
            container: found.container,
        });
    });
    seen
}

/// Whether `read` is `url`, with nothing but separators and marks percent-encoded.
fn same_or_percent_encoded(url: &str, mut read: &str) -> bool {
    url.chars().all(|c| {
        let encoded = format!("%{:02X}", u32::from(c));
        let separates = c.is_ascii_whitespace() || matches!(c, ',' | '\'' | '"');
        let rest = read.strip_prefix(c);
        let rest = rest.or_else(|| read.strip_prefix(&*encoded).filter(|_| separates));
        read = rest.unwrap_or(read);
        rest.is_some()
    }) && read.is_empty()
}

/// Whether the container has a form for `url`; see `Container::escape`.
fn has_form(container: Container, url: &str) -> bool {
    match container {
        Container::CssString(_) | Container::CssUrl => !url.starts_with('#'),
        _ => true,
    }
}

fn is_css(container: Container) -> bool {
    matches!(container, Container::CssString(_) | Container::CssUrl)
}

proptest! {
    #[test]
    fn spans_ascend_and_hold_the_reference((grammar, text) in value()) {
        let mut end = 0;
        for seen in read(grammar, &text) {
            prop_assert!(end <= seen.span.start && seen.span.start <= seen.span.end);
            let source = text.get(seen.span.clone()).expect("a span on character boundaries");
            if !is_css(seen.container) {
                prop_assert_eq!(source, seen.reference);
            }
            end = seen.span.end;
        }
    }

    #[test]
    fn any_text_is_read(grammar in prop::sample::select(&GRAMMARS[..]), text in ".*") {
        read(grammar, &text);
    }

    #[test]
    fn a_replacement_reads_back_and_moves_nothing_else((grammar, text) in value(), url in url()) {
        let before = read(grammar, &text);
        for (index, seen) in before.iter().enumerate() {
            if !has_form(seen.container, &url) {
                continue;
            }
            let escaped = seen.container.escape(&url);
            let mut new = text.clone();
            new.replace_range(seen.span.clone(), &escaped);
            let after = read(grammar, &new);
            prop_assert_eq!(after.len(), before.len(), "{:?} -> {:?}", text, new);
            for (other, (before, after)) in before.iter().zip(&after).enumerate() {
                if other != index {
                    prop_assert_eq!(&before.reference, &after.reference, "{:?} -> {:?}", text, new);
                }
            }
            let read = &after[index].reference;
            if is_css(seen.container) || seen.container == Container::Whole {
                prop_assert_eq!(read, &url, "{:?} -> {:?}", text, new);
            } else {
                prop_assert!(same_or_percent_encoded(&url, read), "{:?} -> {:?}", text, new);
            }
            prop_assert!(!escaped.contains("</") || !is_css(seen.container));
        }
    }

    #[test]
    fn an_ordinary_url_is_written_as_it_is(
        (grammar, text) in value(),
        url in "http://[a-z0-9./]{1,9}(\\?[a-z=&;%+:@!$~*-]{0,9})?",
    ) {
        for seen in read(grammar, &text) {
            prop_assert_eq!(seen.container.escape(&url), url.as_str());
        }
    }

    #[test]
    fn srcset_agrees_with_the_algorithm_as_written(text in "[a,() \t1]{0,24}") {
        let spans: Vec<_> = read(Grammar::Srcset, &text).into_iter().map(|s| s.reference).collect();
        prop_assert_eq!(spans, crate::twins::srcset(&text));
    }

    #[test]
    fn css_agrees_with_a_recursive_reader(text in text()) {
        // The twin knows no at-rules, and not which white space is escaped.
        let text = text.replace('@', "");
        let seen = read(Grammar::Css, &text).into_iter().map(|s| s.reference.trim_ascii().to_owned());
        let seen: Vec<_> = seen.filter(|url| !url.is_empty() && !url.starts_with('#')).collect();
        prop_assert_eq!(seen, crate::twins::css(&text));
    }
}
