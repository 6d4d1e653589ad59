//! The host of a key.

use std::net::Ipv4Addr;

use url::Host;

use super::escapes::{escaped, unescaped};

/// The host without escapes and dots around it, in ASCII; numbers as an IPv4 address.
pub(super) fn canonical_host(host: &str) -> String {
    let mut host = unescaped(host.as_bytes());
    if !host.is_ascii() {
        let text: String = String::from_utf8_lossy(&host).replace('\u{fffd}', "");
        if let Some(ascii) = ascii_host(&text) {
            host = ascii.into_bytes();
        }
    }
    let host = replace_twin_dots(&host);
    let start = host.iter().take_while(|&&byte| byte == b'.').count();
    let end = host.iter().rev().take_while(|&&byte| byte == b'.').count();
    let host = host.get(start..host.len() - end).unwrap_or_default();
    match ipv4(host) {
        Some(address) => address.to_string(),
        None => escaped(&host.to_ascii_lowercase()).to_ascii_lowercase(),
    }
}

/// Replaces each `..` by a dot, from left to right.
fn replace_twin_dots(host: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(host.len());
    let mut bytes = host.iter().peekable();
    while let Some(&byte) = bytes.next() {
        out.push(byte);
        if byte == b'.' {
            bytes.next_if(|&&next| next == b'.');
        }
    }
    out
}

/// The name in ASCII, as [IDNA 2003](https://www.rfc-editor.org/rfc/rfc3490) has it; `None` if a
/// label before the last is empty, or one is too long. Labels in ASCII are not checked.
fn ascii_host(name: &str) -> Option<String> {
    let labels: Vec<&str> = name.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).collect();
    let (last, first) = labels.split_last()?;
    let mut ascii: Vec<String> =
        first.iter().map(|label| ascii_label(label)).collect::<Option<_>>()?;
    ascii.push(if last.is_empty() { String::new() } else { ascii_label(last)? });
    Some(ascii.join("."))
}

/// NOTE: a label with other letters and with characters that no host has, such as `é|`, has no
/// ASCII form here, and has one in Python.
fn ascii_label(label: &str) -> Option<String> {
    const LONGEST: usize = 63;
    let ascii = if label.is_ascii() {
        label.to_owned()
    } else {
        // Four characters are mapped that later standards keep.
        let label = label.replace('ß', "ss").replace('ς', "σ");
        match Host::parse(&label.replace(['\u{200c}', '\u{200d}'], "")) {
            Ok(Host::Domain(domain)) => domain,
            _ => return None,
        }
    };
    (1..=LONGEST).contains(&ascii.len()).then_some(ascii)
}

/// The address that is written as one to four numbers, of which the last has the rest of its
/// bytes, as `inet_aton` reads it; digits alone are an address modulo 2^32.
fn ipv4(host: &[u8]) -> Option<Ipv4Addr> {
    let host = str::from_utf8(host).ok()?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_digits(host) {
        let add = |sum: u32, digit: u32| sum.wrapping_mul(10).wrapping_add(digit);
        return Some(host.chars().filter_map(|digit| digit.to_digit(10)).fold(0, add).into());
    }
    let parts: Vec<&str> = host.split('.').collect();
    // Numbers in octal begin with 0; if the first does, all are.
    let is_number =
        |part: &&str| is_digits(part) && !(host.starts_with('0') && part.contains(['8', '9']));
    if parts.len() > 4 || !parts.iter().all(is_number) {
        return None;
    }
    let number = |part: &&str| {
        let radix = if part.len() > 1 && part.starts_with('0') { 8 } else { 10 };
        u32::from_str_radix(part, radix).ok()
    };
    let numbers: Vec<u32> = parts.iter().map(number).collect::<Option<_>>()?;
    let (&last, first) = numbers.split_last()?;
    let mut address = 0;
    for (shift, &byte) in [24, 16, 8].into_iter().zip(first) {
        address |= u32::from(u8::try_from(byte).ok()?) << shift;
    }
    let left = 8 * (4 - first.len());
    (left == 32 || last < 1 << left).then(|| (address | last).into())
}
