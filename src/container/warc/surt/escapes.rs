//! The escapes of a key.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode, percent_encode};

/// What has escapes in a key: all but visible ASCII, and `#` and `%`.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'#').add(b'%');

/// The bytes with their escapes undone, and those that this reveals.
pub(super) fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    while let Cow::Owned(next) = Cow::from(percent_decode(&bytes)) {
        bytes = next;
    }
    bytes
}

/// The bytes as text, with escapes.
pub(super) fn escaped(bytes: &[u8]) -> String {
    percent_encode(bytes, ESCAPED).to_string()
}
