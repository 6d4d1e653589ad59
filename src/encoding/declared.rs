//! The encodings of documents that are not HTML: XML, style sheets, plain text and JSON.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

use super::Detected;
use super::meta::{self, readable};

/// UTF-8, for a document that must be in UTF-8, with or without a byte order mark.
pub(crate) fn of_utf_8(source: &[u8]) -> Detected {
    let bom = if source.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    Detected { encoding: UTF_8, bom }
}

/// The encoding of plain text: by its byte order mark, else the encoding that the caller names,
/// else UTF-8.
pub(crate) fn of_text(source: &[u8], named: Option<&'static Encoding>) -> Detected {
    by_mark(source, || named.unwrap_or(UTF_8))
}

fn by_mark(source: &[u8], other: impl FnOnce() -> &'static Encoding) -> Detected {
    let (encoding, bom) = Encoding::for_bom(source).unwrap_or_else(|| (other(), 0));
    Detected { encoding, bom }
}

/// Maximum bytes of an `@charset` rule that count.
const MAX_RULE: usize = 1024;

/// Finds the encoding of a style sheet: by its byte order mark, else the encoding that the caller
/// knows, else by `@charset`, else UTF-8
/// ([CSS Syntax](https://www.w3.org/TR/css-syntax-3/#input-byte-stream)).
///
/// NOTE: the encoding of the document that refers to the style sheet, which would take precedence
/// over UTF-8, is not known.
pub(crate) fn of_stylesheet(source: &[u8], named: Option<&'static Encoding>) -> Detected {
    by_mark(source, || named.or_else(|| charset_rule(source)).unwrap_or(UTF_8))
}

/// The encoding that a style sheet declares. A rule that is readable as ASCII is not in UTF-16.
fn charset_rule(source: &[u8]) -> Option<&'static Encoding> {
    let rest = source.strip_prefix(b"@charset \"")?;
    let end = rest.iter().take(MAX_RULE).position(|byte| *byte == b'"')?;
    let label = rest[end..].starts_with(b"\";").then_some(&rest[..end])?;
    Encoding::for_label(label).map(readable)
}

/// Finds the encoding of an XML document: by its byte order mark, else the encoding that the caller
/// knows, else by its first bytes in UTF-16, else by its declaration, else UTF-8
/// ([detection](https://www.w3.org/TR/xml/#sec-guessing),
/// [priority](https://www.rfc-editor.org/rfc/rfc7303#section-3)).
///
/// # Errors
///
/// The reason why the declaration cannot be followed.
pub(crate) fn of_xml(source: &[u8], named: Option<&'static Encoding>) -> Result<Detected, String> {
    if let Some((encoding, bom)) = Encoding::for_bom(source) {
        return Ok(Detected { encoding, bom });
    }
    let found = match (named, source) {
        (Some(named), _) => Some(named),
        (None, [b'<', 0, b'?', 0, ..]) => Some(UTF_16LE),
        (None, [0, b'<', 0, b'?', ..]) => Some(UTF_16BE),
        _ => None,
    };
    let encoding = match (found, xml_label(source)) {
        (Some(encoding), _) => encoding,
        (None, None) => UTF_8,
        (None, Some(label)) => followed(label)?,
    };
    Ok(Detected { encoding, bom: 0 })
}

/// The label in the XML declaration, which may follow white space
/// ([`Summary::tolerated_fault`](crate::Summary::tolerated_fault)).
pub(crate) fn xml_label(source: &[u8]) -> Option<&[u8]> {
    meta::xml_label(source.trim_ascii_start())
}

fn followed(label: &[u8]) -> Result<&'static Encoding, String> {
    let shown =
        || String::from_utf8_lossy(&label[..label.len().min(40)]).escape_debug().to_string();
    match Encoding::for_label(label).filter(|encoding| *encoding != REPLACEMENT) {
        None => Err(format!("unknown encoding '{}'", shown())),
        // In that encoding, the declaration would not be readable as ASCII.
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => {
            Err(format!("the document is not in the encoding '{}' that it declares", shown()))
        }
        Some(encoding) => Ok(encoding),
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::SHIFT_JIS;

    use super::*;

    #[track_caller]
    fn sheet_is(source: &[u8], encoding: &str, bom: usize) {
        let detected = of_stylesheet(source, None);
        assert_eq!((detected.encoding.name(), detected.bom), (encoding, bom), "{source:?}");
    }

    #[test]
    fn a_style_sheet_says_its_encoding() {
        sheet_is(b"a{}", "UTF-8", 0);
        sheet_is(b"@charset \"windows-1252\";a{}", "windows-1252", 0);
        sheet_is(b"@charset \"windows-1252\"", "UTF-8", 0);
        sheet_is(b"@charset 'windows-1252';", "UTF-8", 0);
        sheet_is(b"@charset \"utf-16\";", "UTF-8", 0);
        sheet_is(b"@charset \"x\";", "UTF-8", 0);
        sheet_is(b"\xef\xbb\xbf@charset \"windows-1252\";", "UTF-8", 3);
        sheet_is(b"\xff\xfea\0", "UTF-16LE", 2);
    }

    #[test]
    fn a_header_counts_more_than_the_rule_and_less_than_the_mark() {
        let named = |source: &[u8]| of_stylesheet(source, Some(SHIFT_JIS)).encoding.name();
        assert_eq!(named(b"@charset \"windows-1252\";"), "Shift_JIS");
        assert_eq!(named(b"\xef\xbb\xbfa"), "UTF-8");
    }

    #[track_caller]
    fn is_read_in(source: &[u8], encoding: &str, bom: usize) {
        let detected = of_xml(source, None).unwrap();
        assert_eq!((detected.encoding.name(), detected.bom), (encoding, bom), "{source:?}");
    }

    #[test]
    fn a_mark_counts_before_the_declaration() {
        is_read_in(b"<a/>", "UTF-8", 0);
        is_read_in(b"<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "windows-1252", 0);
        is_read_in(b"\n <?xml version='1.0' encoding='ISO-8859-1'?><a/>", "windows-1252", 0);
        is_read_in(b"\xef\xbb\xbf<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "UTF-8", 3);
        is_read_in(b"\xff\xfe<\0", "UTF-16LE", 2);
        is_read_in(b"<\0?\0", "UTF-16LE", 0);
        is_read_in(b"\0<\0?", "UTF-16BE", 0);
        let named = of_xml(b"<?xml version='1.0' encoding='utf-8'?>", Some(SHIFT_JIS));
        assert_eq!(named.unwrap().encoding, SHIFT_JIS);
    }

    #[test]
    fn a_declaration_that_cannot_be_followed_is_an_error() {
        for label in ["utf-7", "iso-2022-kr", "utf-16", "x"] {
            let source = format!("<?xml version='1.0' encoding='{label}'?><a/>");
            let why = of_xml(source.as_bytes(), None).unwrap_err();
            assert!(why.contains(label), "{why}");
        }
    }
}
