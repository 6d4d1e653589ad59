//! Resolving references: RFC 1808, and the two standards that came after it.
//!
//! [`Standard`] is the choice, [`Base`] an established base URL. The
//! algorithms are bare: nothing is masked, and no component is re-encoded by
//! `rfc1808`.

mod base;
mod credentials;
mod join;
pub mod rfc1808;
#[cfg(feature = "rfc3986")]
mod rfc3986;
#[cfg(feature = "whatwg")]
mod whatwg;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::error::Error;

pub use base::Base;
pub(crate) use base::is_inert;
pub use credentials::{MASK, mask_credentials, masked, masked_base, masked_with_names};
pub(crate) use join::{Join, Joiner};

/// The rules that references are resolved by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Standard {
    /// [RFC 1808](https://www.rfc-editor.org/rfc/rfc1808), the default: every
    /// string is a reference, and none of its characters is changed.
    #[default]
    Rfc1808,
    /// [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986), with the characters
    /// that [RFC 3987](https://www.rfc-editor.org/rfc/rfc3987) adds. It refuses
    /// what is not an IRI reference.
    #[cfg(feature = "rfc3986")]
    Rfc3986,
    /// The [URL Standard](https://url.spec.whatwg.org/): where a browser goes.
    #[cfg(feature = "whatwg")]
    Whatwg,
}

impl Standard {
    /// Every standard of this build, the default first.
    pub const ALL: &'static [Self] = &[
        Self::Rfc1808,
        #[cfg(feature = "rfc3986")]
        Self::Rfc3986,
        #[cfg(feature = "whatwg")]
        Self::Whatwg,
    ];

    /// The name that the command line takes: `rfc1808`, `rfc3986` or `whatwg`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rfc1808 => "rfc1808",
            #[cfg(feature = "rfc3986")]
            Self::Rfc3986 => "rfc3986",
            #[cfg(feature = "whatwg")]
            Self::Whatwg => "whatwg",
        }
    }

    /// The name of the document that has the rules.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Rfc1808 => "RFC 1808",
            #[cfg(feature = "rfc3986")]
            Self::Rfc3986 => "RFC 3986",
            #[cfg(feature = "whatwg")]
            Self::Whatwg => "the URL Standard",
        }
    }

    /// Whether it goes where a browser goes.
    #[must_use]
    pub fn is_of_browsers(self) -> bool {
        match self {
            #[cfg(feature = "whatwg")]
            Self::Whatwg => true,
            _ => false,
        }
    }

    /// Resolves a reference against a base, or against none.
    ///
    /// Under every standard, C0 controls and spaces around the reference and
    /// TAB, LF and CR inside it do not count, as the [URL Standard][ws] has it.
    /// A reference that has a scheme is absolute and left as it stands; only
    /// `whatwg` resolves `http:g` against a base of the same special scheme.
    ///
    /// ```
    /// use absolve::url::{Base, Resolution, Standard};
    ///
    /// let base = Base::new("http://a/b/c/d;p?q#f")?;
    /// let url = Standard::Rfc1808.resolve(Some(&base), "../g")?;
    /// assert_eq!(url, Resolution::Resolved("http://a/b/g".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the standard refuses the reference or the base. `rfc1808` refuses
    /// nothing.
    ///
    /// [ws]: https://url.spec.whatwg.org/#concept-basic-url-parser
    #[inline]
    pub fn resolve<'r>(
        self,
        base: Option<&Base>,
        reference: &'r str,
    ) -> Result<Resolution<'r>, Refusal> {
        match self {
            Self::Rfc1808 => Ok(resolve_rfc1808(base, reference)),
            #[cfg(feature = "rfc3986")]
            Self::Rfc3986 => rfc3986::resolve(base, reference),
            #[cfg(feature = "whatwg")]
            Self::Whatwg => whatwg::resolve(base, reference),
        }
    }
}

impl Standard {
    /// The base that an absolute URL in a document gives it, which only `whatwg` normalises:
    /// `http:sub/` is `http://sub/` there, and not usable elsewhere.
    pub(crate) fn base(self, url: &str) -> Result<Base, Error> {
        let base = Base::new(url);
        match self {
            #[cfg(feature = "whatwg")]
            Self::Whatwg => base.or_else(|error| {
                let special = whatwg::special(url).ok_or(error)?;
                Base::new(&special)
            }),
            _ => base,
        }
    }
}

#[inline]
fn resolve_rfc1808<'r>(base: Option<&Base>, reference: &'r str) -> Resolution<'r> {
    let reference = clean(reference);
    match base {
        Some(base) => match base.join_rfc1808(&reference).into_url() {
            Some(url) => Resolution::Resolved(url),
            None => Resolution::Absolute(reference),
        },
        // RFC 1808 section 4, step 1.
        None if rfc1808::scheme_end(&reference).is_some() => Resolution::Absolute(reference),
        None => Resolution::Unresolved,
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Standard {
    type Err = UnknownStandard;

    fn from_str(name: &str) -> Result<Self, UnknownStandard> {
        Self::ALL.iter().copied().find(|standard| standard.name() == name).ok_or(UnknownStandard)
    }
}

/// A name that is no standard of this build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownStandard;

impl fmt::Display for UnknownStandard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Standard::ALL.iter().map(|standard| standard.name()).collect();
        write!(f, "no such standard, expected {}", names.join(", "))
    }
}

impl std::error::Error for UnknownStandard {}

/// What became of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution<'r> {
    /// It has a scheme and stands as it is, white space aside.
    Absolute(Cow<'r, str>),
    /// It was resolved against the base, to this URL.
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
    fn new(standard: Standard, reason: impl fmt::Display) -> Self {
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

/// The reference without C0 controls and spaces around it, and without TAB, LF
/// and CR inside it: the first steps of the [basic URL parser][parser].
///
/// NOTE: RFC 1808 has no such rule. Without it `\x01javascript:` would become a
/// path, where a browser runs it.
///
/// [parser]: https://url.spec.whatwg.org/#concept-basic-url-parser
#[must_use]
#[inline]
pub fn clean(reference: &str) -> Cow<'_, str> {
    if reference.bytes().all(|byte| byte > b' ') {
        return Cow::Borrowed(reference);
    }
    clean_thoroughly(reference)
}

#[cold]
fn clean_thoroughly(reference: &str) -> Cow<'_, str> {
    let trimmed = reference.trim_matches(|c| c <= ' ');
    if trimmed.bytes().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r')) {
        Cow::Owned(trimmed.replace(['\t', '\n', '\r'], ""))
    } else {
        Cow::Borrowed(trimmed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn cleans(reference: &str, expected: &str) {
        assert_eq!(clean(reference), expected);
    }

    #[test]
    fn white_space_and_controls_do_not_count() {
        cleans("a b", "a b");
        cleans(" \u{c}a\u{0} ", "a");
        cleans("\u{1}javascript:x", "javascript:x");
        cleans("a\r\n\tb", "ab");
        cleans("\u{a0}a\u{7f}", "\u{a0}a\u{7f}");
        cleans(" \n ", "");
    }

    #[test]
    fn a_standard_has_one_name() {
        for &standard in Standard::ALL {
            assert_eq!(standard.name().parse(), Ok(standard));
        }
        assert_eq!("RFC1808".parse::<Standard>(), Err(UnknownStandard));
    }

    #[test]
    fn without_a_base_only_absolute_references_have_a_url() {
        for standard in Standard::ALL {
            assert_eq!(standard.resolve(None, "g"), Ok(Resolution::Unresolved), "{standard}");
            let url = standard.resolve(None, " x:y ").unwrap();
            assert_eq!(url, Resolution::Absolute("x:y".into()), "{standard}");
        }
    }
}
