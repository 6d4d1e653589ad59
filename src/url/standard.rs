//! The standards for resolving references, and their results.

use std::borrow::Cow;
use std::fmt;

use crate::named::named_enum;

named_enum! {
    /// The rules for resolving references.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    #[non_exhaustive]
    pub enum Standard {
        /// [RFC 1808](https://www.rfc-editor.org/rfc/rfc1808), the default: every string is a
        /// reference, and all of its characters stay unchanged.
        #[default]
        Rfc1808 = "rfc1808",
        /// [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986), with the characters that
        /// [RFC 3987](https://www.rfc-editor.org/rfc/rfc3987) adds. It refuses references that are
        /// not IRI references.
        Rfc3986 = "rfc3986" if (feature = "rfc3986"),
        /// The [URL Standard](https://url.spec.whatwg.org/), which browsers follow.
        Whatwg = "whatwg",
    }

    /// A name that is not a standard in this build.
    pub struct UnknownStandard = "no such standard, expected {names}";
}

impl Standard {
    /// Returns the title of the document that defines the rules.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Rfc1808 => "RFC 1808",
            #[cfg(feature = "rfc3986")]
            Self::Rfc3986 => "RFC 3986",
            Self::Whatwg => "the URL Standard",
        }
    }

    /// Whether browsers follow this standard.
    #[must_use]
    pub fn is_of_browsers(self) -> bool {
        self == Self::Whatwg
    }
}

/// The result of resolving a reference.
///
/// ```
/// use absolve::url::{Base, Resolution, Standard};
///
/// let base = Base::new("http://h/a/b")?;
/// let resolution = Standard::Rfc1808.resolve(Some(&base), "../c")?;
/// assert_eq!(resolution, Resolution::Resolved("http://h/c".to_owned()));
/// assert_eq!(Standard::Rfc1808.resolve(None, "c")?, Resolution::Unresolved);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution<'r> {
    /// The reference has a scheme and stays as written, without the white space around it.
    Absolute(Cow<'r, str>),
    /// The reference is relative, and resolves to this URL against the base.
    Resolved(String),
    /// The reference is relative and there is no base.
    Unresolved,
}

impl Resolution<'_> {
    /// Returns the absolute URL, if there is one.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Absolute(url) => Some(url),
            Self::Resolved(url) => Some(url),
            Self::Unresolved => None,
        }
    }
}

/// The error of a standard that refuses to resolve a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    standard: Standard,
    reason: String,
}

impl Refusal {
    pub(super) fn new(standard: Standard, reason: impl fmt::Display) -> Self {
        Self { standard, reason: reason.to_string() }
    }

    /// Returns the standard that refused the reference.
    #[must_use]
    pub fn standard(&self) -> Standard {
        self.standard
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} refuses it: {}", self.standard, self.reason)
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standard_has_one_name() {
        for &standard in Standard::ALL {
            assert_eq!(standard.name().parse(), Ok(standard));
        }
        assert_eq!("RFC1808".parse::<Standard>(), Err(UnknownStandard));
    }
}
