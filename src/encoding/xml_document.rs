//! The encoding of an XML document.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

use super::{Detected, xml};

/// Finds the encoding of an XML document: by its byte order mark, else the one that the caller
/// knows, else by its first bytes in UTF-16, else by its declaration, else UTF-8
/// ([detection](https://www.w3.org/TR/xml/#sec-guessing),
/// [priority](https://www.rfc-editor.org/rfc/rfc7303#section-3)).
///
/// # Errors
///
/// Why the declaration cannot be followed.
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
    let encoding = match (found, label(source)) {
        (Some(encoding), _) => encoding,
        (None, None) => UTF_8,
        (None, Some(label)) => declared(label)?,
    };
    Ok(Detected { encoding, bom: 0 })
}

/// The label in the XML declaration, which may follow white space
/// ([`Summary::tolerated_fault`](crate::Summary::tolerated_fault)).
pub(crate) fn label(source: &[u8]) -> Option<&[u8]> {
    xml::label(source.trim_ascii_start())
}

fn declared(label: &[u8]) -> Result<&'static Encoding, String> {
    let shown =
        || String::from_utf8_lossy(&label[..label.len().min(40)]).escape_debug().to_string();
    match Encoding::for_label(label).filter(|encoding| *encoding != REPLACEMENT) {
        None => Err(format!("unknown encoding '{}'", shown())),
        // The declaration would not be readable.
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
    fn is(source: &[u8], encoding: &str, bom: usize) {
        let detected = of_xml(source, None).unwrap();
        assert_eq!((detected.encoding.name(), detected.bom), (encoding, bom), "{source:?}");
    }

    #[test]
    fn a_mark_counts_before_the_declaration() {
        is(b"<a/>", "UTF-8", 0);
        is(b"<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "windows-1252", 0);
        is(b"\n <?xml version='1.0' encoding='ISO-8859-1'?><a/>", "windows-1252", 0);
        is(b"\xef\xbb\xbf<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "UTF-8", 3);
        is(b"\xff\xfe<\0", "UTF-16LE", 2);
        is(b"<\0?\0", "UTF-16LE", 0);
        is(b"\0<\0?", "UTF-16BE", 0);
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
