//! Finds the encoding that a document declares: HTML in a `meta` element or an XML declaration,
//! which the [prescan][spec] looks for, a style sheet by `@charset`, and XML in its declaration.
//!
//! [spec]: https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memchr2_iter, memmem};

use super::{Confidence, Detected};

/// Returns the encoding that the attributes of a [`meta` element in the tree][spec] declare.
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
        .or_else(|| read_content(content.filter(|_| is_pragma)?));
    encoding.map(replace_declared)
}

/// Replaces declared encodings that a page cannot be in: UTF-16, as the declaration was read as
/// ASCII, and `x-user-defined`, which means windows-1252 on old pages.
fn replace_declared(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == X_USER_DEFINED { WINDOWS_1252 } else { replace_utf_16(encoding) }
}

/// Replaces UTF-16 by UTF-8, as the declaration was read as ASCII.
fn replace_utf_16(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding }
}

/// Implements the algorithm to [extract a character encoding from a `meta` element][spec].
///
/// [spec]: https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements
fn read_content(content: &[u8]) -> Option<&'static Encoding> {
    const NAME: &[u8] = b"charset";
    let mut rest = content;
    loop {
        // A searcher takes longer to create than such a short value takes to read.
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

/// Reads the encoding that the XML declaration at the start of these bytes names
/// ([get an XML encoding][spec]). Pages that began as XHTML often declare it nowhere else.
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#concept-get-xml-encoding-when-sniffing
///
/// NOTE: the Standard finds the end of the declaration, but does not use it; here, as in browsers,
/// text after it is not part of the declaration.
fn read_xml_encoding(source: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(read_xml_label(source)?)?;
    Some(replace_utf_16(encoding))
}

/// Reads the label in the XML declaration at the start of these bytes.
fn read_xml_label(source: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"encoding";
    if !source.starts_with(b"<?xml") {
        return None;
    }
    let source = &source[..memchr(b'>', source)?];
    let rest = skip_blanks(&source[memmem::find(source, NAME)? + NAME.len()..]);
    let rest = skip_blanks(rest.strip_prefix(b"=")?);
    let (&quote, rest) = rest.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let label = &rest[..memchr(quote, rest)?];
    (!label.iter().any(|&byte| is_blank(byte))).then_some(label)
}

/// Whether a byte is white space or a control character, which the algorithm does not distinguish.
fn is_blank(byte: u8) -> bool {
    byte <= b' '
}

fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().take_while(|&&byte| is_blank(byte)).count();
    &bytes[length..]
}

/// Finds the encoding in which a parser starts to read a document; `named` is the encoding that the
/// caller knows, from a header or an option.
///
/// If `named` is `None`, a `meta` element that the parser reads can change the encoding:
/// [`crate::detect`] follows such a change.
#[must_use]
pub fn detect(source: &[u8], named: Option<&'static Encoding>) -> Detected {
    sniff(source, named).0
}

/// Implements the [encoding sniffing algorithm][spec].
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#encoding-sniffing-algorithm
pub(crate) fn sniff(source: &[u8], named: Option<&'static Encoding>) -> (Detected, Confidence) {
    if let Some((encoding, bom)) = Encoding::for_bom(source) {
        return (Detected { encoding, bom }, Confidence::Certain);
    }
    if let Some(encoding) = named {
        return (Detected { encoding, bom: 0 }, Confidence::Certain);
    }
    let encoding = prescan(source)
        .unwrap_or_else(|| if std::str::from_utf8(source).is_ok() { UTF_8 } else { WINDOWS_1252 });
    (Detected { encoding, bom: 0 }, Confidence::Tentative)
}

/// Whether the start of a document declares its encoding, by the prescan.
pub(crate) fn declares(source: &[u8]) -> bool {
    prescan(source).is_some()
}

/// The number of bytes that the prescan reads.
const PRESCAN_BYTES: usize = 1024;

/// The bytes end within a tag or a comment, which ends the prescan.
struct OutOfBytes;

/// Finds the encoding that a `meta` element or an XML declaration at the start declares.
pub(super) fn prescan(source: &[u8]) -> Option<&'static Encoding> {
    let source = &source[..source.len().min(PRESCAN_BYTES)];
    // Prescan for UTF-16 XML declarations.
    if source.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if source.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    scan_metas(source).unwrap_or_else(|OutOfBytes| read_xml_encoding(source))
}

/// Reads `meta` elements until one declares an encoding: the step labeled *loop*.
fn scan_metas(source: &[u8]) -> Result<Option<&'static Encoding>, OutOfBytes> {
    let mut at = 0;
    while let Some(tag) = memchr(b'<', &source[at..]) {
        at += tag;
        let rest = &source[at..];
        if rest.starts_with(b"<!--") {
            // The two dashes may belong to the opening `<!--`.
            at += 2 + memmem::find(&rest[2..], b"-->").ok_or(OutOfBytes)? + 3;
        } else if is_tag(rest, b"<meta") {
            let (encoding, end) = read_meta(source, at + 5)?;
            if encoding.is_some() {
                return Ok(encoding);
            }
            at = end;
        } else if is_any_tag(rest) {
            let name = rest.iter().position(|&byte| is_space(byte) || byte == b'>');
            at = skip_attributes(source, at + name.ok_or(OutOfBytes)?)?;
        } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
            at += memchr(b'>', rest).ok_or(OutOfBytes)? + 1;
        } else {
            at += 1;
        }
    }
    Err(OutOfBytes)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

fn is_tag(rest: &[u8], tag: &[u8]) -> bool {
    let Some((start, after)) = rest.split_at_checked(tag.len()) else { return false };
    start.eq_ignore_ascii_case(tag)
        && after.first().is_some_and(|&byte| is_space(byte) || byte == b'/')
}

fn is_any_tag(rest: &[u8]) -> bool {
    let name = if rest.starts_with(b"</") { 2 } else { 1 };
    rest.get(name).is_some_and(u8::is_ascii_alphabetic)
}

fn skip_attributes(source: &[u8], mut at: usize) -> Result<usize, OutOfBytes> {
    while let Some((_, _, end)) = read_attribute(source, at)? {
        at = end;
    }
    Ok(at + 1)
}

/// Reads the attributes of a `meta` element.
///
/// Uses only the first `charset` and the first `content`, in any order, even if they have no valid
/// label.
fn read_meta(source: &[u8], mut at: usize) -> Result<MetaResult, OutOfBytes> {
    const NAMES: [&[u8]; 3] = [b"charset", b"http-equiv", b"content"];
    let mut values = [None; 3];
    while let Some((name, value, end)) = read_attribute(source, at)? {
        at = end;
        for (known, first) in NAMES.iter().zip(&mut values) {
            if known.eq_ignore_ascii_case(name) {
                first.get_or_insert(value);
            }
        }
    }
    let [charset, http_equiv, content] = values;
    let is_pragma = http_equiv.is_some_and(|value| value.eq_ignore_ascii_case(b"content-type"));
    let encoding = match charset {
        Some(label) => Encoding::for_label(label),
        None => content.filter(|_| is_pragma).and_then(read_content),
    };
    Ok((encoding.map(replace_declared), at + 1))
}

/// The encoding that a `meta` element declares, and the end of its tag.
type MetaResult = (Option<&'static Encoding>, usize);

/// The name and the value of an attribute as written, and the offset of its end.
type Attribute<'s> = (&'s [u8], &'s [u8], usize);

/// Implements the algorithm to [get an attribute][spec]; `None` at the end of the tag.
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#concept-get-attributes-when-sniffing
fn read_attribute(source: &[u8], at: usize) -> Result<Option<Attribute<'_>>, OutOfBytes> {
    let skip = |from: usize, is_skipped: &dyn Fn(u8) -> bool| {
        from + source[from.min(source.len())..].iter().take_while(|&&byte| is_skipped(byte)).count()
    };
    let byte = |at: usize| source.get(at).copied().ok_or(OutOfBytes);
    let start = skip(at, &|byte| is_space(byte) || byte == b'/');
    if byte(start)? == b'>' {
        return Ok(None);
    }
    // A name may begin with `=`.
    let end = skip(start + 1, &|byte| !is_space(byte) && !matches!(byte, b'=' | b'/' | b'>'));
    let name = &source[start..end];
    let equals = skip(end, &is_space);
    if byte(equals)? != b'=' {
        return Ok(Some((name, b"", equals)));
    }
    let value = skip(equals + 1, &is_space);
    let quote = byte(value)?;
    let (value, end) = if matches!(quote, b'"' | b'\'') {
        let length = memchr(quote, &source[value + 1..]).ok_or(OutOfBytes)?;
        (value + 1..value + 1 + length, value + length + 2)
    } else {
        let end = skip(value, &|byte| !is_space(byte) && byte != b'>');
        byte(end)?;
        (value..end, end)
    };
    Ok(Some((name, &source[value], end)))
}

/// Returns UTF-8 for a document that must be in UTF-8, with or without a byte order mark.
pub(crate) fn detect_utf_8(source: &[u8]) -> Detected {
    let bom = if source.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    Detected { encoding: UTF_8, bom }
}

/// Finds the encoding of plain text: by its byte order mark, else the encoding that the caller
/// names, else UTF-8.
pub(crate) fn detect_text(source: &[u8], named: Option<&'static Encoding>) -> Detected {
    detect_by_mark(source, || named.unwrap_or(UTF_8))
}

fn detect_by_mark(source: &[u8], default: impl FnOnce() -> &'static Encoding) -> Detected {
    let (encoding, bom) = Encoding::for_bom(source).unwrap_or_else(|| (default(), 0));
    Detected { encoding, bom }
}

/// Bytes in which the label of an `@charset` rule must end; a rule with a longer label is ignored.
const MAX_CHARSET_RULE: usize = 1024;

/// Finds the encoding of a style sheet: by its byte order mark, else the encoding that the caller
/// knows, else by `@charset`, else UTF-8
/// ([CSS Syntax](https://www.w3.org/TR/css-syntax-3/#input-byte-stream)).
///
/// NOTE: the encoding of the document that refers to the style sheet, which would take precedence
/// over UTF-8, is not known.
pub(crate) fn detect_stylesheet(source: &[u8], named: Option<&'static Encoding>) -> Detected {
    detect_by_mark(source, || named.or_else(|| read_charset_rule(source)).unwrap_or(UTF_8))
}

/// Reads the encoding that a style sheet declares. A rule that is readable as ASCII is not in
/// UTF-16.
fn read_charset_rule(source: &[u8]) -> Option<&'static Encoding> {
    let rest = source.strip_prefix(b"@charset \"")?;
    let end = rest.iter().take(MAX_CHARSET_RULE).position(|byte| *byte == b'"')?;
    let label = rest[end..].starts_with(b"\";").then_some(&rest[..end])?;
    Encoding::for_label(label).map(replace_utf_16)
}

/// Finds the encoding of an XML document: by its byte order mark, else the encoding that the caller
/// knows, else by its first bytes in UTF-16, else by its declaration, else UTF-8
/// ([detection](https://www.w3.org/TR/xml/#sec-guessing),
/// [priority](https://www.rfc-editor.org/rfc/rfc7303#section-3)).
///
/// # Errors
///
/// The reason why the declaration cannot be followed.
pub(crate) fn detect_xml(xml: &[u8], named: Option<&'static Encoding>) -> Result<Detected, String> {
    if let Some((encoding, bom)) = Encoding::for_bom(xml) {
        return Ok(Detected { encoding, bom });
    }
    let known = match (named, xml) {
        (Some(named), _) => Some(named),
        (None, [b'<', 0, b'?', 0, ..]) => Some(UTF_16LE),
        (None, [0, b'<', 0, b'?', ..]) => Some(UTF_16BE),
        _ => None,
    };
    let encoding = match (known, xml_label(xml)) {
        (Some(encoding), _) => encoding,
        (None, None) => UTF_8,
        (None, Some(label)) => resolve_label(label)?,
    };
    Ok(Detected { encoding, bom: 0 })
}

/// Returns the label in the XML declaration, which may follow white space
/// ([`Summary::tolerated_fault`](crate::Summary::tolerated_fault)).
pub(crate) fn xml_label(source: &[u8]) -> Option<&[u8]> {
    read_xml_label(source.trim_ascii_start())
}

fn resolve_label(label: &[u8]) -> Result<&'static Encoding, String> {
    let show = || String::from_utf8_lossy(&label[..label.len().min(40)]).escape_debug().to_string();
    match Encoding::for_label(label).filter(|encoding| *encoding != REPLACEMENT) {
        None => Err(format!("unknown encoding '{}'", show())),
        // In UTF-16, the declaration would not be readable as ASCII.
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => {
            Err(format!("the document is not in the encoding '{}' that it declares", show()))
        }
        Some(encoding) => Ok(encoding),
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::SHIFT_JIS;

    use super::*;

    #[track_caller]
    fn attributes_declare(attributes: [Option<&str>; 3], expected: Option<&str>) {
        let [charset, http_equiv, content] = attributes.map(|value| value.map(str::as_bytes));
        let encoding = from_attributes(charset, http_equiv, content);
        assert_eq!(encoding.map(Encoding::name), expected, "{attributes:?}");
    }

    #[test]
    fn a_charset_counts_before_the_content() {
        let pragma = Some("Content-TYPE");
        let koi8 = Some("text/html; CHARSET = 'koi8-r'");
        attributes_declare([Some(" Big5 "), None, None], Some("Big5"));
        attributes_declare([Some("big5"), pragma, koi8], Some("Big5"));
        attributes_declare([Some("nonsense"), pragma, koi8], Some("KOI8-R"));
        attributes_declare([None, pragma, koi8], Some("KOI8-R"));
        attributes_declare([None, Some(" content-type"), koi8], None);
        attributes_declare([None, None, koi8], None);
        attributes_declare([None, pragma, None], None);
        attributes_declare([Some("utf-16be"), None, None], Some("UTF-8"));
        attributes_declare([None, pragma, Some("charset=x-user-defined")], Some("windows-1252"));
    }

    #[test]
    fn a_quoted_label_needs_both_quotes() {
        let content_declares = |content: &str, expected| {
            assert_eq!(read_content(content.as_bytes()).map(Encoding::name), expected, "{content}");
        };
        content_declares("charset=\"big5\" x", Some("Big5"));
        content_declares("charset='big5\"'", None);
        content_declares("charset=\"big5", None);
        content_declares("charset=big5;x", Some("Big5"));
        content_declares("charset=", None);
        content_declares("charset charset=big5", Some("Big5"));
        content_declares("charset", None);
    }

    #[track_caller]
    fn names(source: &str, expected: Option<&str>) {
        assert_eq!(read_xml_encoding(source.as_bytes()).map(Encoding::name), expected, "{source}");
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

    #[track_caller]
    fn declares(source: &str, expected: Option<&str>) {
        assert_eq!(prescan(source.as_bytes()).map(Encoding::name), expected, "{source}");
    }

    #[test]
    fn a_meta_element_declares_the_encoding() {
        declares("<meta charset=big5>", Some("Big5"));
        declares("<META/CHARSET = 'EUC-KR'>", Some("EUC-KR"));
        declares(
            "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>",
            Some("KOI8-R"),
        );
        declares("<meta content='charset = \"koi8-r\" x' http-equiv=content-type>", Some("KOI8-R"));
        declares("<meta content='charset charset=koi8-r' http-equiv=content-type>", Some("KOI8-R"));
        declares("<p a='<b'><meta charset=big5>", Some("Big5"));
        declares("<!-->--><meta charset=big5>", Some("Big5"));
        declares("<meta charset=utf-16le>", Some("UTF-8"));
        declares("<meta charset=x-user-defined>", Some("windows-1252"));
        declares("<meta charset=big5 CHARSET=koi8-r>", Some("Big5"));
        declares(
            "<meta http-equiv=Content-TYPE content='x; CharSet=big5' charset=koi8-r>",
            Some("KOI8-R"),
        );
    }

    #[test]
    fn a_meta_element_counts_before_an_xml_declaration() {
        let xml = "<?xml version='1.0' encoding='koi8-r'?>";
        declares(xml, Some("KOI8-R"));
        declares(&format!("{xml}<meta charset=big5>"), Some("Big5"));
        declares(&format!("{xml}<meta charset=big5"), Some("KOI8-R"));
        declares(&format!("{xml}{}<meta charset=big5>", " ".repeat(1000)), Some("KOI8-R"));
        declares(&format!("{xml}<!--"), Some("KOI8-R"));
        declares(&format!(" {xml}"), None);
        declares("<?xml version='1.0'?>", None);
    }

    #[test]
    fn an_xml_declaration_in_utf_16_needs_no_byte_order_mark() {
        declares("<\0?\0x\0", Some("UTF-16LE"));
        declares("\0<\0?\0x", Some("UTF-16BE"));
        declares("<\0?\0X\0", None);
        declares(" <\0?\0x\0", None);
    }

    #[test]
    fn what_is_no_declaration_declares_nothing() {
        declares("<meta content='text/html; charset=koi8-r'>", None);
        declares("<meta http-equiv=refresh content='charset=koi8-r'>", None);
        declares("<metacharset=big5>", None);
        declares("<!-- <meta charset=big5> -->", None);
        declares("<a title='<meta charset=big5>'>", None);
        declares("<meta charset=nonsense>", None);
        declares("<meta charset=x http-equiv=content-type content='charset=big5'>", None);
        declares("<meta http-equiv=content-type content='charset=big5' charset>", None);
        declares("<meta charset=big5", None);
        declares("<meta charset='big5", None);
        declares("<meta charset='big5'", None);
        declares("<meta charset=big5 ", None);
        declares("<meta charset=big5 name", None);
        declares("<!-- never closed <meta charset=big5>", None);
        declares(&(" ".repeat(1020) + "<meta charset=big5>"), None);
        declares("<", None);
        declares("<meta", None);
    }

    #[track_caller]
    fn sheet_is(source: &[u8], encoding: &str, bom: usize) {
        let detected = detect_stylesheet(source, None);
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
        let named = |source: &[u8]| detect_stylesheet(source, Some(SHIFT_JIS)).encoding.name();
        assert_eq!(named(b"@charset \"windows-1252\";"), "Shift_JIS");
        assert_eq!(named(b"\xef\xbb\xbfa"), "UTF-8");
    }

    #[track_caller]
    fn is_read_in(source: &[u8], encoding: &str, bom: usize) {
        let detected = detect_xml(source, None).unwrap();
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
        let named = detect_xml(b"<?xml version='1.0' encoding='utf-8'?>", Some(SHIFT_JIS));
        assert_eq!(named.unwrap().encoding, SHIFT_JIS);
    }

    #[test]
    fn a_declaration_that_cannot_be_followed_is_an_error() {
        for label in ["utf-7", "iso-2022-kr", "utf-16", "x"] {
            let source = format!("<?xml version='1.0' encoding='{label}'?><a/>");
            let why = detect_xml(source.as_bytes(), None).unwrap_err();
            assert!(why.contains(label), "{why}");
        }
    }
}
