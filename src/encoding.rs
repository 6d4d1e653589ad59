//! Finds the encoding of a document, decodes it, and encodes it again.
//!
//! The order is: byte order mark, the encoding that the caller names, the prescan of the
//! [HTML Standard][sniff] over the first 1,024 bytes for a `meta` element and an XML declaration,
//! UTF-8 if the whole document is valid UTF-8, windows-1252. The steps that need a network or a
//! user are left out: the parent frame, and guessing by frequency. An encoding that only the bytes
//! suggest is tentative (`Confidence`): a `meta` element in the tree can still change it.
//!
//! [sniff]: https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding

mod declared;
mod lines;
mod map;

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

use crate::error::Error;
use crate::url::masked;

pub use declared::detect;
pub(crate) use declared::{
    declares, detect_stylesheet, detect_text, detect_utf_8, detect_xml, from_attributes, sniff,
    xml_label,
};
pub use lines::Lines;
#[doc(hidden)]
pub use map::Decoding;
pub(crate) use map::Shift;

/// Whether this build has decoders and encoders besides UTF-8, whose tables are large (feature
/// `legacy-encodings`). Without them, a document in another encoding is an error.
pub(crate) const HAS_TABLES: bool = cfg!(feature = "legacy-encodings");

/// The detected encoding of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// Bytes of the byte order mark; 0 without one.
    pub bom: usize,
}

/// Whether a `meta` element in the tree can change the encoding
/// ([confidence](https://html.spec.whatwg.org/multipage/parsing.html#concept-encoding-confidence)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confidence {
    /// Yes: only the bytes suggest the encoding.
    Tentative,
    /// No: a byte order mark or the caller names the encoding.
    Certain,
}

/// Returns the length of the byte order mark of a document that is already text, such as the value
/// of `srcdoc`. Browsers read this value like a [response in UTF-8][spec], whose decoder removes
/// the mark.
///
/// [spec]: https://html.spec.whatwg.org/multipage/iframe-embed-object.html#process-the-iframe-attributes
pub(crate) fn mark_of_text(text: &str) -> usize {
    const MARK: char = '\u{feff}';
    if text.starts_with(MARK) { MARK.len_utf8() } else { 0 }
}

/// Looks up the encoding of a [label](https://encoding.spec.whatwg.org/#names-and-labels), in any
/// case and with white space around it.
///
/// # Errors
///
/// If the Encoding Standard has no such label.
pub fn for_label(label: &str) -> Result<&'static Encoding, Error> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| Error::unknown_encoding(&masked(label)))
}

impl Detected {
    /// [Changes the encoding][spec] of a tentative document to the encoding that a `meta` element
    /// in the tree declares; `None` if the document keeps its encoding.
    ///
    /// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#changing-the-encoding-while-parsing
    pub(crate) fn change(self, declared: &'static Encoding) -> Option<Self> {
        // Step 1. A `meta` element that is readable in UTF-16 is wrong about any other encoding.
        let is_utf_16 = self.encoding == UTF_16BE || self.encoding == UTF_16LE;
        // Step 4. The same encoding becomes certain.
        let is_same = self.encoding == declared;
        (!is_utf_16 && !is_same).then_some(Self { encoding: declared, ..self })
    }

    /// Whether no decoder reads the document: its encoding is in the Encoding Standard's
    /// [`replacement`][spec] group, which is unsafe to guess at.
    ///
    /// [spec]: https://encoding.spec.whatwg.org/#replacement
    #[must_use]
    pub fn is_replacement(self) -> bool {
        self.encoding == REPLACEMENT
    }

    /// Decodes the document without its byte order mark; malformed bytes become U+FFFD.
    #[must_use]
    pub fn decode(self, source: &[u8]) -> Cow<'_, str> {
        let source = &source[self.bom..];
        if !HAS_TABLES {
            return String::from_utf8_lossy(source);
        }
        self.encoding.decode_without_bom_handling(source).0
    }

    /// Whether a scanner can read the document's own bytes: ASCII bytes represent only ASCII
    /// characters.
    #[must_use]
    #[doc(hidden)]
    pub fn is_scannable(self) -> bool {
        self.encoding == UTF_8 || self.encoding.is_single_byte()
    }

    /// Returns the document without its byte order mark, as bytes that a scanner can read.
    pub(crate) fn scannable(self, source: &[u8]) -> Cow<'_, [u8]> {
        if self.is_scannable() {
            return Cow::Borrowed(&source[self.bom..]);
        }
        match self.decode(source) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }

    /// Encodes text after the byte order mark of `source`. A character that the encoding lacks
    /// becomes a character reference.
    #[must_use]
    pub fn encode(self, text: &str, source: &[u8]) -> Vec<u8> {
        let mut bytes = source[..self.bom].to_vec();
        if !HAS_TABLES {
            bytes.extend_from_slice(text.as_bytes());
        } else if self.encoding == UTF_16LE {
            bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        } else if self.encoding == UTF_16BE {
            bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        } else {
            bytes.extend_from_slice(&self.encoding.encode(text).0);
        }
        bytes
    }

    /// Finds the first character that encoding and decoding does not preserve.
    pub(crate) fn find_lost_character(self, text: &str) -> Option<char> {
        let detected = Self { bom: 0, ..self };
        let mut buffer = [0; 4];
        text.chars().filter(|character| !character.is_ascii()).find(|character| {
            let text = &*character.encode_utf8(&mut buffer);
            detected.decode(&detected.encode(text, b"")) != text
        })
    }
}

/// The first bytes of a document, with their encoding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head<'s> {
    bytes: &'s [u8],
    detected: Detected,
}

impl<'s> Head<'s> {
    /// Maximum bytes after the byte order mark.
    pub(crate) const LENGTH: usize = 64 * 1024;

    pub(crate) fn new(source: &'s [u8], detected: Detected) -> Self {
        let length = source.len().min(detected.bom + Self::LENGTH);
        Self { bytes: &source[..length], detected }
    }

    /// Decodes the bytes; malformed ones, including a character that is cut off, become U+FFFD.
    pub(crate) fn text(self) -> Cow<'s, str> {
        self.detected.decode(self.bytes)
    }

    /// Returns the bytes in a form that a scanner can read ([`Detected::scannable`]).
    pub(crate) fn scannable(self) -> Cow<'s, [u8]> {
        self.detected.scannable(self.bytes)
    }

    /// Decodes a piece of the text as UTF-8, if its bytes are valid UTF-8: some programs write
    /// UTF-8 into a document in any encoding. Otherwise the piece stays unchanged.
    pub(crate) fn decode_utf_8(self, piece: &str) -> Cow<'_, str> {
        let encoding = self.detected.encoding;
        if piece.is_ascii() || !encoding.is_ascii_compatible() || !HAS_TABLES {
            return Cow::Borrowed(piece);
        }
        let (bytes, _, has_errors) = encoding.encode(piece);
        let utf_8 = (!has_errors).then(|| String::from_utf8(bytes.into_owned()).ok()).flatten();
        utf_8.map_or(Cow::Borrowed(piece), Cow::Owned)
    }
}

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
    pub fn from_label(label: &[u8]) -> Option<Self> {
        let encoding = Encoding::for_label(label)?;
        Some(Self { encoding, repertoire: Repertoire::from_label(label) })
    }
}

impl Repertoire {
    pub(crate) fn from_label(label: &[u8]) -> Self {
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
    use encoding_rs::WINDOWS_1252;

    use super::*;

    #[track_caller]
    fn detects(source: &[u8], named: Option<&str>, expected: &str) {
        let named = named.map(|label| for_label(label).unwrap());
        assert_eq!(detect(source, named).encoding.name(), expected);
    }

    #[test]
    fn the_order_is_mark_then_caller_then_meta_then_validity() {
        detects(b"\xef\xbb\xbf<meta charset=big5>", Some("euc-kr"), "UTF-8");
        detects(b"\xff\xfe<\0", None, "UTF-16LE");
        detects(b"\xfe\xff\0<", None, "UTF-16BE");
        detects(b"<meta charset=big5>", Some(" EUC-KR "), "EUC-KR");
        detects(b"<meta charset=big5>", None, "Big5");
        detects("\u{e9}".as_bytes(), None, "UTF-8");
        detects(b"\xe9", None, "windows-1252");
        detects(b"", None, "UTF-8");
    }

    #[test]
    fn an_unknown_label_is_an_error() {
        let error = for_label("utf-9").unwrap_err().to_string();
        assert!(error.starts_with("unknown encoding 'utf-9', expected a label"), "{error}");
    }

    #[test]
    fn text_comes_back_in_the_encoding_it_came_in() {
        for (label, bom) in
            [("utf-8", &b"\xef\xbb\xbf"[..]), ("utf-16le", b"\xff\xfe"), ("utf-16be", b"\xfe\xff")]
        {
            let encoding = for_label(label).unwrap();
            let detected = Detected { encoding, bom: bom.len() };
            let source = detected.encode("a\u{e9}\u{1f600}", bom);
            assert_eq!(detect(&source, None), detected, "{label}");
            assert_eq!(detected.decode(&source), "a\u{e9}\u{1f600}", "{label}");
        }
    }

    #[test]
    fn what_an_encoding_cannot_hold_becomes_a_character_reference() {
        let detected = Detected { encoding: WINDOWS_1252, bom: 0 };
        assert_eq!(detected.encode("\u{e9}\u{65e5}", b""), b"\xe9&#26085;");
    }

    #[test]
    fn a_label_of_us_ascii_stands_for_its_characters() {
        let look_up = |label: &str| {
            let named = NamedEncoding::from_label(label.as_bytes());
            named.map(|named| (named.encoding.name(), named.repertoire))
        };
        assert_eq!(look_up("US-ASCII "), Some(("windows-1252", Repertoire::Ascii)));
        assert_eq!(look_up("iso-8859-1"), Some(("windows-1252", Repertoire::Whole)));
        assert_eq!(look_up("nonsense"), None);
        for label in ASCII {
            assert!(NamedEncoding::from_label(label).is_some());
        }
    }
}
