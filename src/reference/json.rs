//! Decodes and writes escapes in strings of JSON
//! ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259#section-7)).

/// Decodes the escape at the start of `bytes`, which begin with `\`; returns its length and its
/// character. A lone surrogate becomes U+FFFD.
pub(super) fn decode_json_escape(bytes: &[u8]) -> Option<(usize, char)> {
    let character = match bytes.get(1)? {
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let first = parse_code_unit(bytes)?;
            let pair = parse_code_unit(&bytes[6..]).and_then(|second| {
                char::decode_utf16([first, second]).next()?.ok().filter(|c| c.len_utf16() == 2)
            });
            return Some(match pair {
                Some(character) => (12, character),
                None => (6, char::from_u32(first.into()).unwrap_or(char::REPLACEMENT_CHARACTER)),
            });
        }
        _ => return None,
    };
    Some((2, character))
}

/// Returns the code unit of an escape such as `\u00e9` at the start of `bytes`.
fn parse_code_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

/// Appends `text` as a part of a string. Escapes `<` and `>`, as `</script` or `-->` could end the
/// script; non-ASCII characters, which the encoding of the page may lack; and `` ` `` and `|`,
/// which Markdown around the string would read.
pub(crate) fn encode_json(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            ' '..='~' if !matches!(character, '<' | '>' | '`' | '|') => out.push(character),
            _ => {
                let mut units = [0; 2];
                let units = character.encode_utf16(&mut units).iter();
                out.extend(units.map(|unit| format!("\\u{unit:04x}")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Context, Decoded, decode};
    use super::*;

    #[test]
    fn escapes_are_decoded_and_written() {
        for (source, expected) in [
            (r#"a\"\\\/\b\f\n\r\t"#, "a\"\\/\u{8}\u{c}\n\r\t"),
            (r"\u00e9\u00C9\ud83d\ude00", "\u{e9}\u{c9}\u{1f600}"),
            (r"\ud83dx\ude00\ud83d\ud83d\u0041", "\u{fffd}x\u{fffd}\u{fffd}\u{fffd}A"),
            (r"\u12g4\x\", r"\u12g4\x\"),
            ("&amp;\r", "&amp;\r"),
        ] {
            assert_eq!(decode(source, Context::Json), expected);
        }
        let mut out = String::new();
        encode_json("</a>\"\\\n\u{1}\u{e9}\u{1f600}", &mut out);
        assert_eq!(out, "\\u003c/a\\u003e\\\"\\\\\\n\\u0001\\u00e9\\ud83d\\ude00");
        assert_eq!(decode(&out, Context::Json), "</a>\"\\\n\u{1}\u{e9}\u{1f600}");
        assert_eq!(Decoded::new(r"\/a\u00e9b", Context::Json).source_range(1..4), 2..9);
    }
}
