//! Properties of the character references, with html5ever's tokenizer as the oracle.

use absolve::reference::{
    Context, Decoded, Quote, decode, encode_attribute, encode_text, needs_quotes,
};
use proptest::prelude::*;

/// Pieces of values, without quotation marks and without the start of a tag.
#[rustfmt::skip]
const PIECES: [&str; 48] = [
    "&", "&", "&amp", "&copy", "&not", "&notin", "&noti", "&lt", "&gt", "&quot", "&yacute", "&#",
    "&#x", "&#X", "&#65", "&#x41", "&#13", "&#10", "&#0", "&#128", "&#xD800", "&#x110000",
    "&#99999999999", "&NotEqualTilde", "&CounterClockwiseContourIntegral", "&frac1", "&frac12",
    "&thetasym", "&ThickSpace", "&fjlig", "amp;", ";", ";", ";", "=", "a", "g", "x", "1", "#", " ",
    "\r", "\n", "\r\n", "\0", "\u{e9}", "\u{1f600}", "%",
];

fn source() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop::sample::select(&PIECES[..]), 0..12).prop_map(|v| v.concat())
}

/// A value that decoding can yield.
fn value() -> impl Strategy<Value = String> {
    let marks = prop::sample::select(&["", "\"", "'", "<", ">", "`", "</title>"][..]);
    (source(), marks, source())
        .prop_map(|(a, mark, b)| decode(&format!("{a}{mark}{b}"), Context::Text).into_owned())
}

fn encoded(text: &str, quote: Quote, followed_by: &str) -> String {
    let mut out = String::new();
    encode_attribute(text, quote, followed_by, &mut out);
    out
}

fn href(value: &str) -> Vec<(String, String)> {
    vec![("href".to_owned(), value.to_owned()), ("x".to_owned(), String::new())]
}

const QUOTES: [(Quote, &str); 3] =
    [(Quote::Double, "\""), (Quote::Single, "'"), (Quote::Unquoted, "")];

proptest! {
    #[test]
    fn attributes_decode_as_html5ever_has_them(source in source()) {
        let decoded = decode(&source, Context::Attribute);
        prop_assert_eq!(crate::tokenizer::attributes(&format!("<a href=\"{source}\" x>")), href(&decoded));
    }

    #[test]
    fn text_decodes_as_html5ever_has_it(source in source()) {
        prop_assert_eq!(crate::tokenizer::text(&source), decode(&source, Context::Text));
        prop_assert_eq!(crate::tokenizer::raw_text(&source), decode(&source, Context::RawText));
    }

    #[test]
    fn any_text_decodes_as_html5ever_has_it(source in "[^\"]*") {
        let decoded = decode(&source, Context::Attribute);
        prop_assert_eq!(crate::tokenizer::attributes(&format!("<a href=\"{source}\" x>")), href(&decoded));
    }

    #[test]
    fn what_is_encoded_decodes(text in value(), followed_by in source()) {
        for (quote, _) in QUOTES {
            let out = encoded(&text, quote, &followed_by);
            let both = decode(&format!("{out}{followed_by}"), Context::Attribute).into_owned();
            prop_assert_eq!(both, format!("{text}{}", decode(&followed_by, Context::Attribute)));
        }
        let mut out = String::new();
        encode_text(&text, &followed_by, &mut out);
        let both = decode(&format!("{out}{followed_by}"), Context::Text).into_owned();
        prop_assert_eq!(both, format!("{text}{}", decode(&followed_by, Context::Text)));
    }

    #[test]
    fn what_is_encoded_stays_one_attribute(text in value()) {
        for (quote, mark) in QUOTES {
            if quote == Quote::Unquoted && text.is_empty() {
                continue;
            }
            let out = encoded(&text, quote, "");
            let page = format!("<a href={mark}{out}{mark} x>");
            prop_assert_eq!(crate::tokenizer::attributes(&page), href(&text), "{}", page);
        }
        let mut out = String::new();
        encode_text(&text, "", &mut out);
        prop_assert_eq!(crate::tokenizer::text(&out), text);
    }

    #[test]
    fn a_value_without_need_of_quotes_has_no_escape_but_ampersands(text in value()) {
        if !needs_quotes(&text) {
            let out = encoded(&text, Quote::Unquoted, "");
            prop_assert_eq!(&out, &encoded(&text, Quote::Double, ""));
            prop_assert_eq!(crate::tokenizer::attributes(&format!("<a href={out} x>")), href(&text));
        }
    }

    #[test]
    fn ranges_partition_the_source(source in source(), a in 0_usize..80, b in 0_usize..80) {
        let decoded = Decoded::new(&source, Context::Attribute);
        let text = decoded.text();
        prop_assert_eq!(text, decode(&source, Context::Attribute));
        let bytes: Vec<_> = (0..text.len()).map(|at| decoded.source_range(at..at + 1)).collect();
        prop_assert_eq!(bytes.first().map_or(0, |range| range.start), 0);
        prop_assert_eq!(bytes.last().map_or(0, |range| range.end), source.len());
        for pair in bytes.windows(2) {
            prop_assert!(pair[0] == pair[1] || pair[0].end == pair[1].start, "{:?}", pair);
        }
        for (at, range) in bytes.iter().enumerate() {
            let copied = range.len() == 1 && source.as_bytes()[range.start] == text.as_bytes()[at];
            let changed = || decode(&source[range.clone()], Context::Text) != source[range.clone()];
            prop_assert!(copied || changed());
        }
        let (start, end) = (a.min(b).min(text.len()), a.max(b).min(text.len()));
        if start < end {
            let range = bytes[start].start..bytes[end - 1].end;
            prop_assert_eq!(decoded.source_range(start..end), range);
        }
    }
}
