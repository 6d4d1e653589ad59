//! The escapes of a key.

use std::fmt::Write;

/// The bytes with their escapes undone, and those that this reveals.
pub(super) fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    loop {
        let next = unescaped_once(&bytes);
        if next.len() == bytes.len() {
            return bytes;
        }
        bytes = next;
    }
}

fn unescaped_once(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        let digits = rest.get(at + 1..at + 3).and_then(|digits| {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()
        });
        out.push(digits.unwrap_or(b'%'));
        rest = &rest[at + if digits.is_some() { 3 } else { 1 }..];
    }
    out.extend_from_slice(rest);
    out
}

/// The bytes as text, with escapes for all but visible ASCII, and for `#` and `%`.
pub(super) fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'!'..=b'~' if !matches!(byte, b'#' | b'%') => out.push(byte.into()),
            _ => {
                // A String takes all that is written to it.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
