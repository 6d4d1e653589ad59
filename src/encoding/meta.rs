//! The encoding that a `meta` element or an XML declaration declares.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memchr2_iter, memmem};

/// The encoding that the attributes of a [`meta` element in the tree][spec] declare.
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead
pub(crate) fn from_attributes(
    charset: Option<&[u8]>,
    http_equiv: Option<&[u8]>,
    content: Option<&[u8]>,
) -> Option<&'static Encoding> {
    let is_pragma = http_equiv.is_some_and(|value| value.eq_ignore_ascii_case(b"content-type"));
    let encoding = charset
        .and_then(Encoding::for_label)
        .or_else(|| from_content(content.filter(|_| is_pragma)?));
    encoding.map(declared)
}

/// The encoding that a declared one is replaced by: a declaration that was read as ASCII is not in
/// UTF-16, and on old pages `x-user-defined` means windows-1252.
pub(super) fn declared(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == X_USER_DEFINED { WINDOWS_1252 } else { readable(encoding) }
}

/// Replaces UTF-16 by UTF-8, as the declaration was read as ASCII.
pub(super) fn readable(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding }
}

/// [Extract a character encoding from a `meta` element][spec].
///
/// [spec]: https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements
pub(super) fn from_content(content: &[u8]) -> Option<&'static Encoding> {
    const NAME: &[u8] = b"charset";
    let mut rest = content;
    loop {
        // Creating a searcher takes longer than reading such a short value.
        let is_name = |&at: &usize| {
            rest.get(at..at + NAME.len()).is_some_and(|part| part.eq_ignore_ascii_case(NAME))
        };
        let at = memchr2_iter(b'c', b'C', rest).find(is_name)?;
        rest = rest[at + NAME.len()..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            rest = value.trim_ascii_start();
            break;
        }
    }
    let first = *rest.first()?;
    let label = if matches!(first, b'"' | b'\'') {
        let inside = &rest[1..];
        &inside[..memchr(first, inside)?]
    } else {
        let end = rest.iter().position(|&byte| byte.is_ascii_whitespace() || byte == b';');
        &rest[..end.unwrap_or(rest.len())]
    };
    Encoding::for_label(label)
}

/// The encoding that the XML declaration at the start of these bytes names: pages that began as
/// XHTML often declare theirs nowhere else ([get an XML encoding][spec]).
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#concept-get-xml-encoding-when-sniffing
///
/// NOTE: the Standard finds the end of the declaration, but does not use it; here, as in browsers,
/// text after it is not part of the declaration.
pub(super) fn xml_encoding(source: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(xml_label(source)?)?;
    Some(readable(encoding))
}

/// The label in the XML declaration at the start of these bytes.
pub(super) fn xml_label(source: &[u8]) -> Option<&[u8]> {
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

/// Whether a byte is white space; control characters count as such here.
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
    fn is(attributes: [Option<&str>; 3], expected: Option<&str>) {
        let [charset, http_equiv, content] = attributes.map(|one| one.map(str::as_bytes));
        let found = from_attributes(charset, http_equiv, content);
        assert_eq!(found.map(Encoding::name), expected, "{attributes:?}");
    }

    #[test]
    fn a_charset_counts_before_the_content() {
        let pragma = Some("Content-TYPE");
        let koi8 = Some("text/html; CHARSET = 'koi8-r'");
        is([Some(" Big5 "), None, None], Some("Big5"));
        is([Some("big5"), pragma, koi8], Some("Big5"));
        is([Some("nonsense"), pragma, koi8], Some("KOI8-R"));
        is([None, pragma, koi8], Some("KOI8-R"));
        is([None, Some(" content-type"), koi8], None);
        is([None, None, koi8], None);
        is([None, pragma, None], None);
        is([Some("utf-16be"), None, None], Some("UTF-8"));
        is([None, pragma, Some("charset=x-user-defined")], Some("windows-1252"));
    }

    #[test]
    fn a_quoted_label_needs_both_quotes() {
        let is = |content: &str, expected| {
            assert_eq!(from_content(content.as_bytes()).map(Encoding::name), expected, "{content}");
        };
        is("charset=\"big5\" x", Some("Big5"));
        is("charset='big5\"'", None);
        is("charset=\"big5", None);
        is("charset=big5;x", Some("Big5"));
        is("charset=", None);
        is("charset charset=big5", Some("Big5"));
        is("charset", None);
    }

    #[track_caller]
    fn names(source: &str, expected: Option<&str>) {
        assert_eq!(xml_encoding(source.as_bytes()).map(Encoding::name), expected, "{source}");
    }

    #[test]
    fn an_xml_declaration_names_the_encoding() {
        names("<?xml version=\"1.0\" encoding=\"Shift_JIS\"?>", Some("Shift_JIS"));
        names("<?xml encoding='big5'>", Some("Big5"));
        names("<?xml encoding\0=\n'big5'>", Some("Big5"));
        names("<?xmlencoding='big5'>", Some("Big5"));
        names("<?xml encoding='utf-16le'?>", Some("UTF-8"));
        names("<?xml encoding='x-user-defined'?>", Some("x-user-defined"));
    }

    #[test]
    fn what_is_no_xml_declaration_names_nothing() {
        names("<?xml version='1.0'?>", None);
        names("<?XML encoding='big5'?>", None);
        names(" <?xml encoding='big5'?>", None);
        names("<?xml ENCODING='big5'?>", None);
        names("<?xml encoding='big5'", None);
        names("<?xml encoding=big5?>", None);
        names("<?xml encoding 'big5'?>", None);
        names("<?xml encoding='big5?>", None);
        names("<?xml encoding=' big5'?>", None);
        names("<?xml encoding='nonsense'?>", None);
        names("<?xml?><p encoding='big5'>", None);
        names("<?xml encoding='big5>'?>", None);
        names("<?xml encoding=", None);
        names("<?xml", None);
    }
}
