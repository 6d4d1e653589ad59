//! Spellings that browsers read as the same URL.

use std::borrow::Cow;

use crate::url::rfc1808::scheme_end;
use crate::url::schemes::is_special;

/// A path with what URLs cannot have percent-encoded; non-ASCII characters stay as they are written
/// ([URL Standard](https://url.spec.whatwg.org/#path-percent-encode-set)).
pub(super) fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for one in path.chars() {
        match one {
            ' ' | '"' | '<' | '>' | '^' | '`' | '{' | '|' | '}' => {
                let digit =
                    |half: u32| char::from_digit(half, 16).map(|one| one.to_ascii_uppercase());
                text.push('%');
                text.extend(
                    digit(u32::from(one) / 16).into_iter().chain(digit(u32::from(one) % 16)),
                );
            }
            _ => text.push(one),
        }
    }
    text
}

/// The URL with slashes for the backslashes that browsers read as such: those before the query, in
/// schemes such as `http` ([URL Standard](https://url.spec.whatwg.org/#path-state)).
pub(super) fn with_slashes(url: &str) -> Cow<'_, str> {
    if !url.contains('\\') {
        return Cow::Borrowed(url);
    }
    let end = url.find(['?', '#']).unwrap_or(url.len());
    match scheme_end(url) {
        Some(colon) if is_special(&url[..colon]) => {
            Cow::Owned(url[..end].replace('\\', "/") + &url[end..])
        }
        _ => Cow::Borrowed(url),
    }
}

/// The bytes that a segment represents; one with an encoded slash is another.
pub(super) fn decoded(segment: &str) -> Cow<'_, [u8]> {
    let bytes = segment.as_bytes();
    if !bytes.contains(&b'%') {
        return Cow::Borrowed(bytes);
    }
    let digit = |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        match byte {
            // They stay, with digits in upper case, so that what differs in a URL differs here.
            Some(b'%') => out.extend_from_slice(b"%25"),
            Some(b'/') => out.extend_from_slice(b"%2F"),
            Some(byte) => out.push(byte),
            None => out.push(bytes[at]),
        }
        at += if byte.is_some() { 3 } else { 1 };
    }
    Cow::Owned(out)
}
