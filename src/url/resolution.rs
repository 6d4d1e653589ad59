//! Results of resolving a reference.

use std::borrow::Cow;
use std::fmt;

use super::Standard;

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
    /// It has a scheme and stays as written, without the white space around it.
    Absolute(Cow<'r, str>),
    /// The URL that it resolves to against the base.
    Resolved(String),
    /// It is relative and there is no base.
    Unresolved,
}

impl Resolution<'_> {
    /// The absolute URL, if there is one.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Absolute(url) => Some(url),
            Self::Resolved(url) => Some(url),
            Self::Unresolved => None,
        }
    }
}

/// A standard's reason not to resolve a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    standard: Standard,
    reason: String,
}

impl Refusal {
    #[cfg(any(feature = "rfc3986", feature = "whatwg"))]
    pub(super) fn new(standard: Standard, reason: impl fmt::Display) -> Self {
        Self { standard, reason: reason.to_string() }
    }

    /// The standard that refused.
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
