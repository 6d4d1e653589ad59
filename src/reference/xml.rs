//! Reads and writes references of XML, which predefines five names and requires every semicolon.

use super::Quote;

/// The text that a reference of XML represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum XmlReference {
    /// A character, by its number or by one of the
    /// [predefined names](https://www.w3.org/TR/xml/#sec-predefined-ent).
    Character(char),
    /// An entity, which is never expanded.
    Entity,
}

/// The entities that need no declaration.
const PREDEFINED: [(&[u8], char); 5] =
    [(b"amp", '&'), (b"lt", '<'), (b"gt", '>'), (b"quot", '"'), (b"apos", '\'')];

/// Matches the [reference](https://www.w3.org/TR/xml/#sec-references) at the start of `bytes`,
/// which begin with `&`: returns its length and its meaning; `None` if there is no reference.
pub(crate) fn xml_reference(bytes: &[u8]) -> Option<(usize, XmlReference)> {
    let ends = |byte: &u8| *byte == b';' || byte.is_ascii_whitespace() || b"&<\"'".contains(byte);
    let length = bytes.get(1..)?.iter().position(ends)?;
    let name = &bytes[1..=length];
    if bytes[length + 1] != b';' {
        return None;
    }
    let meaning = match name {
        [b'#', b'x', digits @ ..] => XmlReference::Character(parse_number(digits, 16)?),
        [b'#', digits @ ..] => XmlReference::Character(parse_number(digits, 10)?),
        _ => match PREDEFINED.iter().find(|(known, _)| *known == name) {
            Some((_, character)) => XmlReference::Character(*character),
            None => is_name(name).then_some(XmlReference::Entity)?,
        },
    };
    Some((length + 2, meaning))
}

fn parse_number(digits: &[u8], radix: u32) -> Option<char> {
    let mut code = 0_u32;
    for &digit in digits {
        code = code.saturating_mul(radix).saturating_add(char::from(digit).to_digit(radix)?);
    }
    let is_allowed = |character: &char| !matches!(character, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}');
    char::from_u32(code).filter(|_| !digits.is_empty()).filter(is_allowed)
}

/// Whether the bytes are a [name](https://www.w3.org/TR/xml/#NT-Name).
pub(crate) fn is_name(name: &[u8]) -> bool {
    let is_start = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..);
    let is_rest =
        |byte: &u8| is_start(*byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    name.first().is_some_and(|first| is_start(*first))
        && name.iter().all(is_rest)
        && may_be_name(name)
}

/// Whether the non-ASCII characters of a name, or of a part of a name, are
/// [allowed in names](https://www.w3.org/TR/xml/#NT-NameStartChar). Does not check names that are
/// not UTF-8, as in single-byte encodings.
pub(crate) fn may_be_name(name: &[u8]) -> bool {
    let Ok(name) = std::str::from_utf8(name) else { return true };
    let may_follow =
        |c: char| matches!(c, '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}');
    name.chars()
        .enumerate()
        .filter(|(_, c)| !c.is_ascii())
        .all(|(at, c)| may_start(c) || (at > 0 && may_follow(c)))
}

fn may_start(c: char) -> bool {
    matches!(c,
        '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
        | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}'
        | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}'
        | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}' | '\u{10000}'..='\u{effff}')
}

/// Appends `text` as a part of an attribute value in these quotes, or of the text of an element.
///
/// NOTE: in the text of elements, `>` is always written as a reference, as `]]` may precede it.
pub(crate) fn encode_xml(text: &str, quote: Option<Quote>, out: &mut String) {
    out.reserve(text.len());
    let last = text.len().wrapping_sub(1);
    for (at, character) in text.char_indices() {
        let written = match (character, quote) {
            ('&', _) => "&amp;",
            ('<', _) => "&lt;",
            ('>', None) => "&gt;",
            (']', None) if at == last => "&#93;",
            ('"', Some(Quote::Double)) => "&quot;",
            ('\'', Some(Quote::Single)) => "&#39;",
            ('\t', Some(_)) => "&#9;",
            ('\n', Some(_)) => "&#10;",
            // A parser would join the line feed to a carriage return before the text.
            ('\n', None) if at == 0 => "&#10;",
            ('\r', _) => "&#13;",
            // XML cannot represent these characters, even by references.
            ('\0'..='\x1F' | '\u{FFFE}' | '\u{FFFF}', _) if !"\t\n".contains(character) => {
                "\u{FFFD}"
            }
            _ => {
                out.push(character);
                continue;
            }
        };
        out.push_str(written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{Context, Decoded, decode};

    #[test]
    fn a_reference_needs_its_semicolon() {
        let check =
            |text: &str, expected| assert_eq!(xml_reference(text.as_bytes()), expected, "{text}");
        check("&amp;b", Some((5, XmlReference::Character('&'))));
        check("&#65;", Some((5, XmlReference::Character('A'))));
        check("&#x80;", Some((6, XmlReference::Character('\u{80}'))));
        check("&nbsp;", Some((6, XmlReference::Entity)));
        for text in ["&", "&;", "&amp", "&a b;", "&#;", "&#x;", "&#0;", "&#xD800;", "&#X41;", "&1;"]
        {
            check(text, None);
        }
        for text in ["&#99999999999;", "&#1;", "&a&b;"] {
            check(text, None);
        }
    }

    #[test]
    fn white_space_in_an_attribute_is_spaces() {
        assert_eq!(decode("a\r\nb\tc\n&#10;", Context::XmlAttribute), "a b c \n");
        assert_eq!(decode("a\r\nb\t&copy;", Context::XmlText), "a\nb\t&copy;");
        assert_eq!(Decoded::new("a\r\nb", Context::XmlAttribute).source_range(2..3), 3..4);
    }

    #[test]
    fn what_is_written_reads_back() {
        let text = "a&b<c>d\"e'f\tg\nh]]";
        for (quote, context) in [
            (Some(Quote::Double), Context::XmlAttribute),
            (Some(Quote::Single), Context::XmlAttribute),
            (None, Context::XmlText),
        ] {
            let mut out = String::new();
            encode_xml(text, quote, &mut out);
            assert_eq!(decode(&out, context), text);
            assert!(!out.contains('<') && !out.ends_with(']') || quote.is_some(), "{out}");
        }
    }

    #[test]
    fn names_have_the_characters_of_the_standard() {
        for (name, expected) in [
            ("caf\u{e9}", true),
            ("\u{65e5}\u{672c}", true),
            ("a\u{b7}\u{301}", true),
            ("\u{b7}", false),
            ("\u{301}a", false),
            ("\u{d7}", false),
            ("a\u{2000}", false),
            ("a\u{80}", false),
        ] {
            assert_eq!(may_be_name(name.as_bytes()), expected, "{name}");
        }
        assert!(may_be_name(b"caf\xe9"));
    }
}
