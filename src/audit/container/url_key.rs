//! Normalized URLs, for comparison.

use url::{Position, Url};

/// The longest URL, in bytes, that is kept for messages; a page with a longer one is named by its
/// position.
pub(crate) const MAX_URL: usize = 512;

/// The normalized form of a URL, equal for URLs of the same resource: parsed as in a browser,
/// without user and fragment, `http` and `https` alike, and with minimal percent-encoding.
pub(crate) fn key(url: &str) -> String {
    let Ok(parsed) = Url::parse(url) else {
        return url.split('#').next().unwrap_or_default().to_owned();
    };
    let is_web = matches!(parsed.scheme(), "http" | "https");
    let start = if is_web { Position::BeforeHost } else { Position::BeforeScheme };
    let rest = &parsed[start..Position::AfterQuery];
    let mut key = String::with_capacity(rest.len() + 2);
    if is_web {
        key.push_str("//");
    }
    push_normalised(&mut key, rest);
    key
}

/// Host and port of the key of an `http` or `https` URL.
pub(crate) fn host(key: &str) -> Option<&str> {
    let rest = key.strip_prefix("//")?;
    Some(&rest[..rest.find(['/', '?']).unwrap_or(rest.len())])
}

/// A part of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Path,
    Query,
}

/// Appends the normalized rest of an `http` URL, after a slash of its path or the question mark of
/// its query; `None` if a browser may do more with it than encode it.
pub(crate) fn push_rest(key: &mut String, rest: &str, part: Part) -> Option<()> {
    let rest = &rest[..rest.find('#').unwrap_or(rest.len())];
    // A browser removes these, or reads them as a slash.
    let is_changed = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b'\\');
    if rest.bytes().any(is_changed) || rest.ends_with(|end| end <= ' ') {
        return None;
    }
    let (path, query) = match (part, rest.split_once('?')) {
        (Part::Query, _) => ("", Some(rest)),
        (Part::Path, Some((path, query))) => (path, Some(query)),
        (Part::Path, None) => (rest, None),
    };
    let may_be_dots = |segment: &str| {
        matches!(segment, "." | "..") || (segment.len() <= 6 && segment.contains("%2"))
    };
    if path.split('/').any(may_be_dots) {
        return None;
    }
    push_normalised(key, path);
    if part == Part::Path && query.is_some() {
        key.push('?');
    }
    // https://url.spec.whatwg.org/#special-query-percent-encode-set
    for (number, piece) in query.unwrap_or("").split('\'').enumerate() {
        key.push_str(if number == 0 { "" } else { "%27" });
        push_normalised(key, piece);
    }
    Some(())
}

/// Appends a URL with its percent-encoding normalized
/// ([RFC 3986 section 6.2.2](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2)).
fn push_normalised(key: &mut String, url: &str) {
    let mut rest = url.as_bytes();
    while let [byte, following @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, following @ ..] => {
                hex(*high).zip(hex(*low)).map(|(high, low)| (high << 4 | low, following))
            }
            _ => None,
        };
        let is_encoded = escaped.is_some();
        let (byte, following) = escaped.unwrap_or((*byte, following));
        rest = following;
        let is_unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if is_unreserved || (!is_encoded && b":/?#[]@!$&'()*+,;=%".contains(&byte)) {
            key.push(char::from(byte));
        } else {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
            key.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(url: &str, expected: &str) {
        assert_eq!(key(url), expected, "{url}");
        assert_eq!(key(&key(url).replacen("//", "http://", 1)), expected, "{url}");
    }

    #[test]
    fn a_url_has_one_key() {
        is("http://H", "//h/");
        is("https://u:p@h:443/#x", "//h/");
        is("http://h:443/a?b#c", "//h:443/a?b");
        is("http://h/a?", "//h/a?");
        is("http://h/%7ea/%c3%bc%2f%zz", "//h/~a/%C3%BC%2F%zz");
        is("http://h/~a/\u{fc}|{}", "//h/~a/%C3%BC%7C%7B%7D");
        is("http://h/a/../b/./c", "//h/b/c");
    }

    #[test]
    fn what_is_not_of_the_web_keeps_its_scheme() {
        assert_eq!(key("ftp://h/a#b"), "ftp://h/a");
        assert_eq!(key("CID:a@b"), "cid:a@b");
        assert_eq!(key("no url#x"), "no url");
        assert_eq!(host("ftp://h/a"), None);
        assert_eq!(host(&key("https://H:80/a")), Some("h:80"));
    }
}
