//! The standards that references are resolved by.

use crate::named::named_enum;

named_enum! {
    /// The rules that references are resolved by.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    #[non_exhaustive]
    pub enum Standard {
        /// [RFC 1808](https://www.rfc-editor.org/rfc/rfc1808), the default: every
        /// string is a reference, and none of its characters is changed.
        #[default]
        Rfc1808 = "rfc1808",
        /// [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986), with the characters
        /// that [RFC 3987](https://www.rfc-editor.org/rfc/rfc3987) adds. It refuses
        /// what is not an IRI reference.
        Rfc3986 = "rfc3986" if (feature = "rfc3986"),
        /// The [URL Standard](https://url.spec.whatwg.org/): where a browser goes.
        Whatwg = "whatwg" if (feature = "whatwg"),
    }

    /// A name that is not a standard of this build.
    pub struct UnknownStandard = "no such standard, expected {names}";
}

impl Standard {
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
