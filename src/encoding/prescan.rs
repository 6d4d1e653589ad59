//! [Prescan a byte stream to determine its encoding][spec], and what it calls.
//!
//! [spec]: https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memchr;
use memchr::memmem;

/// How much of the document the prescan reads.
const PRESCAN_BYTES: usize = 1024;

/// The encoding that a `meta` element near the start declares.
pub(super) fn prescan(source: &[u8]) -> Option<&'static Encoding> {
    let source = &source[..source.len().min(PRESCAN_BYTES)];
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        if rest.starts_with(b"<!--") {
            // The two dashes can be those of the opening.
            at += 2 + memmem::find(&rest[2..], b"-->")? + 3;
        } else if is_tag(rest, b"<meta") {
            let (encoding, end) = meta(source, at + 5);
            if encoding.is_some() {
                return encoding;
            }
            at = end;
        } else if is_any_tag(rest) {
            let name = rest.iter().position(|&byte| is_space(byte) || byte == b'>')?;
            at = skip_attributes(source, at + name);
        } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
            at += memchr(b'>', rest)? + 1;
        } else {
            at += 1;
        }
    }
    None
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

fn is_tag(rest: &[u8], tag: &[u8]) -> bool {
    let Some((start, behind)) = rest.split_at_checked(tag.len()) else {
        return false;
    };
    start.eq_ignore_ascii_case(tag)
        && behind.first().is_some_and(|&byte| is_space(byte) || byte == b'/')
}

fn is_any_tag(rest: &[u8]) -> bool {
    let name = if rest.starts_with(b"</") { 2 } else { 1 };
    rest[0] == b'<' && rest.get(name).is_some_and(u8::is_ascii_alphabetic)
}

fn skip_attributes(source: &[u8], mut at: usize) -> usize {
    while let Some((_, _, end)) = attribute(source, at) {
        at = end;
    }
    at + 1
}

/// The attributes of a `meta` element: what it declares, and where it ends.
fn meta(source: &[u8], mut at: usize) -> (Option<&'static Encoding>, usize) {
    let mut seen: Vec<Vec<u8>> = Vec::new();
    let mut got_pragma = false;
    let mut need_pragma = None;
    let mut charset = None;
    while let Some((name, value, end)) = attribute(source, at) {
        at = end;
        if seen.contains(&name) {
            continue;
        }
        match name.as_slice() {
            b"http-equiv" => got_pragma |= value == b"content-type",
            b"content" if charset.is_none() => {
                if let Some(encoding) = from_content(&value) {
                    charset = Some(encoding);
                    need_pragma = Some(true);
                }
            }
            b"charset" => {
                charset = Encoding::for_label(&value);
                need_pragma = Some(false);
            }
            _ => {}
        }
        seen.push(name);
    }
    let counts = match need_pragma {
        None => false,
        Some(needed) => !needed || got_pragma,
    };
    (charset.filter(|_| counts).map(declared), at + 1)
}

/// What was read as ASCII cannot be UTF-16, and `x-user-defined` is a label of
/// old pages for windows-1252.
fn declared(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == encoding_rs::X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// [Get an attribute][spec]: name and value in lower case, and where it ends;
/// `None` at the end of the tag or of the bytes.
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#concept-get-attributes-when-sniffing
fn attribute(source: &[u8], at: usize) -> Option<(Vec<u8>, Vec<u8>, usize)> {
    let skip = |from: usize, skipped: &dyn Fn(u8) -> bool| {
        from + source[from.min(source.len())..].iter().take_while(|&&byte| skipped(byte)).count()
    };
    let start = skip(at, &|byte| is_space(byte) || byte == b'/');
    if *source.get(start)? == b'>' {
        return None;
    }
    // A name may begin with `=`.
    let end = skip(start + 1, &|byte| !is_space(byte) && !matches!(byte, b'=' | b'/' | b'>'));
    let name = source[start..end].to_ascii_lowercase();
    let equals = skip(end, &is_space);
    if *source.get(equals)? != b'=' {
        return Some((name, Vec::new(), equals));
    }
    let value = skip(equals + 1, &is_space);
    let quote = *source.get(value)?;
    let (value, end) = match quote {
        b'"' | b'\'' => {
            let length = memchr(quote, &source[value + 1..])?;
            (value + 1..value + 1 + length, value + length + 2)
        }
        _ => {
            let end = skip(value, &|byte| !is_space(byte) && byte != b'>');
            if end == source.len() {
                return None;
            }
            (value..end, end)
        }
    };
    Some((name, source[value].to_ascii_lowercase(), end))
}

/// [Extract a character encoding from a `meta` element][spec].
///
/// [spec]: https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements
fn from_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        rest = &rest[memmem::find(rest, b"charset")? + b"charset".len()..];
        rest = rest.trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            rest = value.trim_ascii_start();
            break;
        }
    }
    let first = *rest.first()?;
    let label = if matches!(first, b'"' | b'\'') {
        &rest[1..=memchr(first, &rest[1..])?]
    } else {
        let end = rest.iter().position(|&byte| is_space(byte) || byte == b';');
        &rest[..end.unwrap_or(rest.len())]
    };
    Encoding::for_label(label)
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
        declares("<meta charset=big5 charset=koi8-r>", Some("Big5"));
    }

    #[test]
    fn what_is_no_declaration_declares_nothing() {
        declares("<meta content='text/html; charset=koi8-r'>", None);
        declares("<meta http-equiv=refresh content='charset=koi8-r'>", None);
        declares("<metacharset=big5>", None);
        declares("<!-- <meta charset=big5> -->", None);
        declares("<a title='<meta charset=big5>'>", None);
        declares("<meta charset=nonsense>", None);
        declares("<meta charset=big5", None);
        declares("<meta charset='big5", None);
        declares("<!-- never closed <meta charset=big5>", None);
        declares(&(" ".repeat(1020) + "<meta charset=big5>"), None);
        declares("<", None);
        declares("<meta", None);
    }
}
