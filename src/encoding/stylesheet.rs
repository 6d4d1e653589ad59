//! The encoding of a style sheet.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::Detected;

/// Maximum bytes of an `@charset` rule that count.
const MAX_RULE: usize = 1024;

/// Finds the encoding of a style sheet: by its byte order mark, else the one that the caller
/// knows, else by `@charset`, else UTF-8
/// ([CSS Syntax](https://www.w3.org/TR/css-syntax-3/#input-byte-stream)).
///
/// NOTE: the encoding of the document that refers to the style sheet, which counts before UTF-8,
/// is not known.
pub(crate) fn of_stylesheet(source: &[u8], named: Option<&'static Encoding>) -> Detected {
    if let Some((encoding, bom)) = Encoding::for_bom(source) {
        return Detected { encoding, bom };
    }
    let encoding = named.or_else(|| declared(source)).unwrap_or(UTF_8);
    Detected { encoding, bom: 0 }
}

/// The encoding that a style sheet declares. A rule that can be read is not in UTF-16.
fn declared(source: &[u8]) -> Option<&'static Encoding> {
    let rest = source.strip_prefix(b"@charset \"")?;
    let end = rest.iter().take(MAX_RULE).position(|byte| *byte == b'"')?;
    let label = rest[end..].starts_with(b"\";").then_some(&rest[..end])?;
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding })
}

#[cfg(test)]
mod tests {
    use encoding_rs::SHIFT_JIS;

    use super::*;

    #[track_caller]
    fn is(source: &[u8], encoding: &str, bom: usize) {
        let detected = of_stylesheet(source, None);
        assert_eq!((detected.encoding.name(), detected.bom), (encoding, bom), "{source:?}");
    }

    #[test]
    fn a_style_sheet_says_its_encoding() {
        is(b"a{}", "UTF-8", 0);
        is(b"@charset \"windows-1252\";a{}", "windows-1252", 0);
        is(b"@charset \"windows-1252\"", "UTF-8", 0);
        is(b"@charset 'windows-1252';", "UTF-8", 0);
        is(b"@charset \"utf-16\";", "UTF-8", 0);
        is(b"@charset \"x\";", "UTF-8", 0);
        is(b"\xef\xbb\xbf@charset \"windows-1252\";", "UTF-8", 3);
        is(b"\xff\xfea\0", "UTF-16LE", 2);
    }

    #[test]
    fn a_header_counts_more_than_the_rule_and_less_than_the_mark() {
        let named = |source: &[u8]| of_stylesheet(source, Some(SHIFT_JIS)).encoding.name();
        assert_eq!(named(b"@charset \"windows-1252\";"), "Shift_JIS");
        assert_eq!(named(b"\xef\xbb\xbfa"), "UTF-8");
    }
}
