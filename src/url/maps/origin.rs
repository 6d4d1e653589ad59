//! Scheme, host and port of a URL in one form.

use crate::url::authority::authority;
use crate::url::parts::Parts;

/// Whether [`origin`] would write scheme and host as they are.
pub(super) fn is_usual(Parts { scheme, net_loc, .. }: Parts<'_>) -> bool {
    let is_usual =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
    // A host that ends in a number is an address, which has many forms.
    scheme.bytes().all(|byte| byte.is_ascii_lowercase())
        && net_loc.bytes().all(is_usual)
        && net_loc.ends_with(|last: char| last.is_ascii_lowercase())
        && !net_loc.contains("0x")
}

/// Scheme, host and port in one form.
pub(super) fn origin(parts: Parts<'_>) -> Option<String> {
    let host = authority(parts.scheme, parts.net_loc)?;
    Some(format!("{}://{host}", parts.scheme.to_ascii_lowercase()))
}
