//! The information that the label of an encoding carries besides the encoding.

use encoding_rs::Encoding;

/// The encoding that a header names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedEncoding {
    #[doc(hidden)]
    pub encoding: &'static Encoding,
    pub(crate) repertoire: Repertoire,
}

/// The characters that a label represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Repertoire {
    /// All characters of the encoding.
    #[default]
    Whole,
    /// The characters of US-ASCII, which is read as windows-1252.
    Ascii,
}

/// The names of US-ASCII that are [labels](https://encoding.spec.whatwg.org/#names-and-labels).
const ASCII: [&[u8]; 3] = [b"us-ascii", b"ascii", b"ansi_x3.4-1968"];

impl NamedEncoding {
    /// Looks up a label; `None` if no encoding has it.
    #[must_use]
    #[doc(hidden)]
    pub fn of(label: &[u8]) -> Option<Self> {
        let encoding = Encoding::for_label(label)?;
        Some(Self { encoding, repertoire: Repertoire::of(label) })
    }
}

impl Repertoire {
    /// The characters that a label represents.
    pub(crate) fn of(label: &[u8]) -> Self {
        let label = label.trim_ascii();
        if ASCII.iter().any(|known| label.eq_ignore_ascii_case(known)) {
            Self::Ascii
        } else {
            Self::Whole
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_of_us_ascii_stands_for_its_characters() {
        let of = |label: &str| {
            let named = NamedEncoding::of(label.as_bytes());
            named.map(|named| (named.encoding.name(), named.repertoire))
        };
        assert_eq!(of("US-ASCII "), Some(("windows-1252", Repertoire::Ascii)));
        assert_eq!(of("iso-8859-1"), Some(("windows-1252", Repertoire::Whole)));
        assert_eq!(of("nonsense"), None);
        for label in ASCII {
            assert!(NamedEncoding::of(label).is_some());
        }
    }
}
