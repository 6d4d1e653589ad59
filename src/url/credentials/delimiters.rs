//! Delimiters of the parts of a URL, and the mask.

/// What messages and reports show for a user and a password.
pub const MASK: &str = "***";

pub(super) fn is_slash(c: char) -> bool {
    matches!(c, '/' | '\\')
}

pub(super) fn ends_net_loc(c: char) -> bool {
    matches!(c, '/' | '\\' | '?' | '#')
}

/// Whether a URL in a sentence or in markup ends before this character.
pub(super) fn ends_url(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"')
}
