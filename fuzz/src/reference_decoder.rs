//! Character references as html5ever reads them, and written so that they read back.

use absolve::reference::{Context, Decoded, Quote, decode, encode_attribute, encode_text};

use crate::common::arbitrary;
use crate::tokenizer;

pub(crate) fn run(data: &[u8]) {
    let Some(data) = arbitrary::<(&str, &str)>(data) else { return };
    let (source, after) = (data.0.replace(['"', '<', '\0'], "&"), data.1.replace(['"', '\0'], "&"));
    let expected = tokenizer::attributes(&format!("<h a=\"{source}\">"));
    let decoded = Decoded::new(&source, Context::Attribute);
    assert_eq!(decoded.text(), expected[0].1);
    assert_eq!(decoded.source_range(0..decoded.text().len()), 0..source.len());
    assert_eq!(decode(&source, Context::Text), tokenizer::text(&source));
    assert_eq!(decode(&source, Context::RawText), tokenizer::raw_text(&source));
    for quote in [Quote::Double, Quote::Single, Quote::Unquoted] {
        let mut out = String::new();
        encode_attribute(&source, quote, &after, &mut out);
        let read = format!("{source}{}", decode(&after, Context::Attribute));
        assert_eq!(decode(&format!("{out}{after}"), Context::Attribute), read);
    }
    let mut out = String::new();
    encode_text(&source, "", &mut out);
    assert_eq!(decode(&out, Context::Text), source);
}
