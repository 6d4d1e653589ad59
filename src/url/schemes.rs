//! Schemes that need special treatment.

/// Schemes whose URLs have no hierarchy for relative references: those that
/// [RFC 1808 section 2.3][rfc] lists as never used with relative URLs, and later ones of the same
/// kind.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.3
#[rustfmt::skip]
pub(super) const NOT_HIERARCHICAL: &[&str] = &[
    "mailto", "news", "telnet", "data", "javascript", "about", "blob", "cid", "mid", "tel", "urn",
];

/// The schemes whose URLs have a `net_loc` after any number of slashes in a browser.
const SPECIAL: &[&str] = &["http", "https", "ws", "wss", "ftp"];

pub(super) fn is_special(scheme: &str) -> bool {
    SPECIAL.iter().any(|special| scheme.eq_ignore_ascii_case(special))
}
