//! Decodes and encodes character references, in attribute values and in text.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state>. `decode` and
//! [`Decoded`] read a value as the tokenizer does, including line ends and NUL;
//! [`encode_attribute`] and [`encode_text`] write a value so that it reads back. The names come
//! from the `htmlize` crate's table. Parse errors are not reported.

mod decode;
mod encode;
mod json;
mod xml;

pub use decode::{Decoded, decode};
pub use encode::{Quote, encode_attribute, encode_text, needs_quotes};
pub(crate) use json::encode_json;
pub(crate) use xml::{XmlReference, encode_xml, is_name, may_be_name, xml_reference};

/// The syntax around a value, which decides how references and escapes in it are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// An attribute value of HTML: a name needs a `;` before `=`, a letter or a digit
    /// (`?a=b&copy=1`).
    Attribute,
    /// Text with references: of most elements of HTML, of a `title` or a `textarea`, and of a
    /// `style` element in foreign content.
    Text,
    /// Text without references: of an HTML `style` element, or in a CDATA section.
    RawText,
    /// An attribute value of XML, where each white space character represents a space.
    XmlAttribute,
    /// Text of XML.
    XmlText,
    /// A string of JSON, which has escapes instead of references.
    Json,
}

/// The text that a reference, an escape or a special byte represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Named(&'static str),
    Character(char),
}

/// Matches the reference at the start of `bytes`, an `&`; returns its length and its meaning.
fn match_reference(bytes: &[u8], context: Context) -> Option<(usize, Meaning)> {
    if matches!(context, Context::XmlAttribute | Context::XmlText) {
        return match xml_reference(bytes)? {
            (length, XmlReference::Character(character)) => {
                Some((length, Meaning::Character(character)))
            }
            (_, XmlReference::Entity) => None,
        };
    }
    match bytes.get(1)? {
        b'#' => match_number(bytes),
        byte if byte.is_ascii_alphanumeric() => match_name(bytes, context),
        _ => None,
    }
}

/// Matches the longest name of the table at the start of `bytes`.
///
/// <https://html.spec.whatwg.org/multipage/parsing.html#named-character-reference-state>. A name
/// consists of letters and digits and ends with `;`, which a few names may omit. Therefore at most
/// six names need a lookup.
fn match_name(bytes: &[u8], context: Context) -> Option<(usize, Meaning)> {
    let longest = &bytes[..bytes.len().min(htmlize::ENTITY_MAX_LENGTH)];
    let letters = longest[1..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let end = 1 + letters;
    let lookup = |end: usize| {
        let text = htmlize::ENTITIES.get(longest.get(..end)?)?;
        Some((end, Meaning::Named(str::from_utf8(text).ok()?)))
    };
    if longest.get(end) == Some(&b';')
        && let Some(reference) = lookup(end + 1)
    {
        return Some(reference);
    }
    if context == Context::Attribute {
        // A shorter name cannot match: a letter or a digit would follow it.
        let equals = bytes.get(end) == Some(&b'=');
        return if equals { None } else { lookup(end) };
    }
    let bare = end.min(htmlize::BARE_ENTITY_MAX_LENGTH);
    (htmlize::ENTITY_MIN_LENGTH.min(bare)..=bare).rev().find_map(lookup)
}

/// <https://html.spec.whatwg.org/multipage/parsing.html#numeric-character-reference-state>
fn match_number(bytes: &[u8]) -> Option<(usize, Meaning)> {
    let (start, radix) = match bytes.get(2)? {
        b'x' | b'X' => (3, 16),
        _ => (2, 10),
    };
    let digits = bytes.get(start..)?.iter().map_while(|&byte| char::from(byte).to_digit(radix));
    let (count, code) = digits.fold((0, 0_u32), |(count, code), digit| {
        (count + 1, code.saturating_mul(radix).saturating_add(digit))
    });
    let end = start + count;
    let semicolon = usize::from(bytes.get(end) == Some(&b';'));
    (count > 0).then(|| (end + semicolon, Meaning::Character(decode_number(code))))
}

/// <https://html.spec.whatwg.org/multipage/parsing.html#numeric-character-reference-end-state>
fn decode_number(code: u32) -> char {
    let replaced = code.checked_sub(0x80).and_then(|index| C1.get(usize::try_from(index).ok()?));
    match replaced {
        Some(&replacement) => replacement,
        None if code == 0 => char::REPLACEMENT_CHARACTER,
        None => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// The characters of the numbers 0x80 to 0x9F: those of windows-1252, if it has them.
#[rustfmt::skip]
const C1: [char; 32] = [
    '\u{20AC}', '\u{81}',   '\u{201A}', '\u{0192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{02C6}', '\u{2030}', '\u{0160}', '\u{2039}', '\u{0152}', '\u{8D}',   '\u{017D}', '\u{8F}',
    '\u{90}',   '\u{2018}', '\u{2019}', '\u{201C}', '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{02DC}', '\u{2122}', '\u{0161}', '\u{203A}', '\u{0153}', '\u{9D}',   '\u{017E}', '\u{0178}',
];
