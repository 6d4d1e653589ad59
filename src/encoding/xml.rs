//! [Get an XML encoding][spec]: pages that began as XHTML name their encoding in an XML
//! declaration alone.
//!
//! [spec]: https://html.spec.whatwg.org/multipage/parsing.html#concept-get-xml-encoding-when-sniffing

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use memchr::{memchr, memmem};

/// The encoding that the XML declaration at the start of these bytes names.
///
/// NOTE: the Standard finds the end of the declaration and does not use it; here, as in browsers,
/// what comes after it is not part of it.
pub(super) fn encoding(source: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label(source)?)?;
    let is_utf_16 = encoding == UTF_16BE || encoding == UTF_16LE;
    Some(if is_utf_16 { UTF_8 } else { encoding })
}

/// The label in the XML declaration at the start of these bytes.
pub(super) fn label(source: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"encoding";
    if !source.starts_with(b"<?xml") {
        return None;
    }
    let source = &source[..memchr(b'>', source)?];
    let rest = skip_space(&source[memmem::find(source, NAME)? + NAME.len()..]);
    let rest = skip_space(rest.strip_prefix(b"=")?);
    let (&quote, rest) = rest.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let label = &rest[..memchr(quote, rest)?];
    (!label.iter().any(|&byte| is_space(byte))).then_some(label)
}

/// Control characters are space here.
fn is_space(byte: u8) -> bool {
    byte <= b' '
}

fn skip_space(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().take_while(|&&byte| is_space(byte)).count();
    &bytes[length..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(source: &str, expected: Option<&str>) {
        assert_eq!(encoding(source.as_bytes()).map(Encoding::name), expected, "{source}");
    }

    #[test]
    fn an_xml_declaration_names_the_encoding() {
        is("<?xml version=\"1.0\" encoding=\"Shift_JIS\"?>", Some("Shift_JIS"));
        is("<?xml encoding='big5'>", Some("Big5"));
        is("<?xml encoding\0=\n'big5'>", Some("Big5"));
        is("<?xmlencoding='big5'>", Some("Big5"));
        is("<?xml encoding='utf-16le'?>", Some("UTF-8"));
        is("<?xml encoding='x-user-defined'?>", Some("x-user-defined"));
    }

    #[test]
    fn what_is_no_xml_declaration_names_nothing() {
        is("<?xml version='1.0'?>", None);
        is("<?XML encoding='big5'?>", None);
        is(" <?xml encoding='big5'?>", None);
        is("<?xml ENCODING='big5'?>", None);
        is("<?xml encoding='big5'", None);
        is("<?xml encoding=big5?>", None);
        is("<?xml encoding 'big5'?>", None);
        is("<?xml encoding='big5?>", None);
        is("<?xml encoding=' big5'?>", None);
        is("<?xml encoding='nonsense'?>", None);
        is("<?xml?><p encoding='big5'>", None);
        is("<?xml encoding='big5>'?>", None);
        is("<?xml encoding=", None);
        is("<?xml", None);
    }
}
