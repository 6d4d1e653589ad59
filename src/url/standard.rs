//! The standards that references are resolved by.

use std::fmt;
use std::str::FromStr;

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

/// A name that is not a standard of this build.
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
