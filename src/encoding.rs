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
mod head;
mod label;
mod lines;
mod map;
mod meta;
mod prescan;

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::error::Error;
use crate::url::masked;

pub(crate) use declared::of_text;
pub(crate) use declared::{of_stylesheet, of_utf_8, of_xml, xml_label};
pub(crate) use head::Head;
#[doc(hidden)]
pub use label::NamedEncoding;
pub(crate) use label::Repertoire;
pub use lines::Lines;
#[doc(hidden)]
pub use map::Decoding;
pub(crate) use map::Shift;
pub(crate) use meta::from_attributes;

/// Whether there are decoders and encoders besides those of UTF-8, whose tables are large: the
/// feature `legacy-encodings`. Without them, a document in another encoding is an error.
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

/// Bytes of the byte order mark of a document that is text already, such as the value of `srcdoc`:
/// that is the text of a [response in UTF-8][spec], whose decoder removes a mark.
///
/// [spec]: https://html.spec.whatwg.org/multipage/iframe-embed-object.html#process-the-iframe-attributes
pub(crate) fn mark_of_text(text: &str) -> usize {
    const MARK: char = '\u{feff}';
    if text.starts_with(MARK) { MARK.len_utf8() } else { 0 }
}

/// The encoding of a [label](https://encoding.spec.whatwg.org/#names-and-labels),
/// in any case and with white space around it.
///
/// # Errors
///
/// If the Encoding Standard has no such label.
pub fn for_label(label: &str) -> Result<&'static Encoding, Error> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| Error::unknown_encoding(&masked(label)))
}

/// Finds the encoding in which a parser starts to read a document; `named` is the one that the
/// caller knows, from a header or an option.
///
/// If `named` is `None`, a `meta` element that the parser reads can change it: [`crate::detect`]
/// takes that into account.
#[must_use]
pub fn detect(source: &[u8], named: Option<&'static Encoding>) -> Detected {
    sniff(source, named).0
}

/// The [encoding sniffing algorithm][spec].
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#encoding-sniffing-algorithm
pub(crate) fn sniff(source: &[u8], named: Option<&'static Encoding>) -> (Detected, Confidence) {
    if let Some((encoding, bom)) = Encoding::for_bom(source) {
        return (Detected { encoding, bom }, Confidence::Certain);
    }
    if let Some(encoding) = named {
        return (Detected { encoding, bom: 0 }, Confidence::Certain);
    }
    let encoding = prescan::prescan(source)
        .unwrap_or_else(|| if std::str::from_utf8(source).is_ok() { UTF_8 } else { WINDOWS_1252 });
    (Detected { encoding, bom: 0 }, Confidence::Tentative)
}

/// Whether the start of a document declares its encoding, by the prescan.
pub(crate) fn declares(source: &[u8]) -> bool {
    prescan::prescan(source).is_some()
}

impl Detected {
    /// [Changes the encoding][spec] of a tentative document to the one that a `meta` element in the
    /// tree declares; `None` if the document is already read in that.
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

    /// The document without its byte order mark, as bytes that a scanner can read.
    pub(crate) fn scannable(self, source: &[u8]) -> Cow<'_, [u8]> {
        if self.is_scannable() {
            return Cow::Borrowed(&source[self.bom..]);
        }
        match self.decode(source) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }

    /// Encodes text, after the byte order mark that `source` began with; a character that the
    /// encoding lacks becomes a character reference.
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

    /// The first character that encoding and decoding does not preserve.
    pub(crate) fn first_missing(self, text: &str) -> Option<char> {
        let detected = Self { bom: 0, ..self };
        let mut buffer = [0; 4];
        text.chars().filter(|character| !character.is_ascii()).find(|character| {
            let one = &*character.encode_utf8(&mut buffer);
            detected.decode(&detected.encode(one, b"")) != one
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(source: &[u8], named: Option<&str>, expected: &str) {
        let named = named.map(|label| for_label(label).unwrap());
        assert_eq!(detect(source, named).encoding.name(), expected);
    }

    #[test]
    fn the_order_is_mark_then_caller_then_meta_then_validity() {
        is(b"\xef\xbb\xbf<meta charset=big5>", Some("euc-kr"), "UTF-8");
        is(b"\xff\xfe<\0", None, "UTF-16LE");
        is(b"\xfe\xff\0<", None, "UTF-16BE");
        is(b"<meta charset=big5>", Some(" EUC-KR "), "EUC-KR");
        is(b"<meta charset=big5>", None, "Big5");
        is("\u{e9}".as_bytes(), None, "UTF-8");
        is(b"\xe9", None, "windows-1252");
        is(b"", None, "UTF-8");
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
}
