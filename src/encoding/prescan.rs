//! [Prescan a byte stream to determine its encoding][spec], and its subroutines.
//!
//! [spec]: https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use memchr::memchr;
use memchr::memmem;

use super::meta::{declared, from_content, xml_encoding};

/// The number of bytes that the prescan reads.
const PRESCAN_BYTES: usize = 1024;

/// The bytes end within a step, which ends the prescan.
struct OutOfBytes;

/// The encoding that the start of a document declares, in a `meta` element or an XML declaration.
pub(super) fn prescan(source: &[u8]) -> Option<&'static Encoding> {
    let source = &source[..source.len().min(PRESCAN_BYTES)];
    // Prescan for UTF-16 XML declarations.
    if source.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if source.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    metas(source).unwrap_or_else(|OutOfBytes| xml_encoding(source))
}

/// The step labeled *loop*.
fn metas(source: &[u8]) -> Result<Option<&'static Encoding>, OutOfBytes> {
    let mut at = 0;
    while let Some(tag) = memchr(b'<', &source[at..]) {
        at += tag;
        let rest = &source[at..];
        if rest.starts_with(b"<!--") {
            // The two dashes may be those of the opening `<!--`.
            at += 2 + memmem::find(&rest[2..], b"-->").ok_or(OutOfBytes)? + 3;
        } else if is_tag(rest, b"<meta") {
            let (encoding, end) = meta(source, at + 5)?;
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
    let Some((start, after)) = rest.split_at_checked(tag.len()) else {
        return false;
    };
    start.eq_ignore_ascii_case(tag)
        && after.first().is_some_and(|&byte| is_space(byte) || byte == b'/')
}

fn is_any_tag(rest: &[u8]) -> bool {
    let name = if rest.starts_with(b"</") { 2 } else { 1 };
    rest.get(name).is_some_and(u8::is_ascii_alphabetic)
}

fn skip_attributes(source: &[u8], mut at: usize) -> Result<usize, OutOfBytes> {
    while let Some((_, _, end)) = attribute(source, at)? {
        at = end;
    }
    Ok(at + 1)
}

/// Reads the attributes of a `meta` element: returns the declared encoding, and the end of the tag.
///
/// The first `charset` and the first `content` count, even if they have no valid label, in any
/// order.
fn meta(source: &[u8], mut at: usize) -> Result<(Option<&'static Encoding>, usize), OutOfBytes> {
    const NAMES: [&[u8]; 3] = [b"charset", b"http-equiv", b"content"];
    let mut values = [None; 3];
    while let Some((name, value, end)) = attribute(source, at)? {
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
        None => content.filter(|_| is_pragma).and_then(from_content),
    };
    Ok((encoding.map(declared), at + 1))
}

/// Name and value in any case, and the end of the attribute.
type Attribute<'s> = (&'s [u8], &'s [u8], usize);

/// [Get an attribute][spec]; `None` at the end of the tag.
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#concept-get-attributes-when-sniffing
fn attribute(source: &[u8], at: usize) -> Result<Option<Attribute<'_>>, OutOfBytes> {
    let skip = |from: usize, skipped: &dyn Fn(u8) -> bool| {
        from + source[from.min(source.len())..].iter().take_while(|&&byte| skipped(byte)).count()
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
