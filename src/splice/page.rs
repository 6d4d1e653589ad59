//! The bytes of a document as the scanner reads them, and the map back to the source.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8};

use crate::encoding::{Decoding, Detected, HAS_TABLES, Shift, mark_of_text};
use crate::error::{Error, Limit, Location};
use crate::reference::{Context, decode};
use crate::value::Container;

/// A document, ready to be scanned.
///
/// Offsets into [`Page::bytes`] are those of the scanner and of the edits; [`Page::source_range`]
/// maps them to offsets into the source.
pub(super) struct Page<'s> {
    source: &'s [u8],
    /// The offset of the bytes in the source: after the byte order mark.
    start: usize,
    encoding: &'static Encoding,
    /// The document as text, if its bytes cannot be scanned as they are.
    decoded: Option<Decoding<'s>>,
    charset: Charset,
}

/// The set of characters that edits may insert into a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Charset {
    /// The characters of its encoding.
    Own,
    /// The characters of ISO-8859-1 except its control characters, whose bytes windows-1252 uses
    /// for others.
    Latin1,
    /// ASCII, as in a part of a message whose declaration allows only ASCII.
    Ascii,
}

impl Charset {
    fn has(self, character: char) -> bool {
        match self {
            Self::Own => true,
            Self::Latin1 => matches!(character, '\0'..='\x7f' | '\u{a0}'..='\u{ff}'),
            Self::Ascii => character.is_ascii(),
        }
    }
}

impl<'s> Page<'s> {
    pub(super) fn new(source: &'s [u8], detected: Detected) -> Result<Self, Error> {
        if source.len() > Limit::MAX_INPUT {
            return Err(Error::limit(Limit::Input, Limit::MAX_INPUT, None));
        }
        let Detected { encoding, bom } = detected;
        if !HAS_TABLES && encoding != UTF_8 {
            return Err(Error::unknown_encoding(encoding.name()));
        }
        // A byte of a multi-byte character may look like ASCII, for example like `\`, a letter or
        // `]`.
        let decoded = (!detected.is_scannable()).then(|| Decoding::new(encoding, &source[bom..]));
        Ok(Self { source, start: bom, encoding, decoded, charset: Charset::Own })
    }

    /// Decodes the page if its bytes are not UTF-8.
    pub(super) fn into_text(self) -> Self {
        let is_text = self.decoded.is_some() || std::str::from_utf8(self.bytes()).is_ok();
        let decode = || Decoding::new(self.encoding, &self.source[self.start..]);
        let decoded = if is_text { self.decoded } else { Some(decode()) };
        Self { decoded, ..self }
    }

    /// The page with its text replaced by another of the same length.
    pub(super) fn masked<'t>(&self, text: &'t str) -> Page<'t>
    where
        's: 't,
    {
        let decoding = self.text(0..self.bytes().len());
        let decoded = self.decoded.as_ref().unwrap_or(&decoding).with_text(text);
        Page { decoded: Some(decoded), ..*self }
    }

    /// The page of a nested document, which is text already, with or without a byte order mark.
    pub(super) fn of_document(text: &'s str) -> Self {
        Self { start: mark_of_text(text), ..Self::of_text(text) }
    }

    /// The page of a part of a document, which is text already.
    pub(super) fn of_text(text: &'s str) -> Self {
        Self {
            source: text.as_bytes(),
            start: 0,
            encoding: UTF_8,
            decoded: None,
            charset: Charset::Own,
        }
    }

    /// The page with the characters that edits may insert limited to `charset`.
    pub(super) fn with_charset(self, charset: Charset) -> Self {
        Self { charset: self.charset.max(charset), ..self }
    }

    /// The bytes that the scanner reads.
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.decoded {
            Some(decoded) => decoded.text().as_bytes(),
            None => &self.source[self.start..],
        }
    }

    /// The whole source.
    pub(super) fn source(&self) -> &'s [u8] {
        self.source
    }

    /// Whether the edits of this page are bytes of the source, at offsets of the source.
    pub(super) fn is_plain(&self) -> bool {
        self.decoded.is_none()
    }

    /// Decodes a part of the bytes.
    pub(super) fn text(&self, span: Range<usize>) -> Decoding<'_> {
        let encoding = if self.decoded.is_some() { UTF_8 } else { self.encoding };
        Decoding::new(encoding, &self.bytes()[span])
    }

    /// A part of the bytes without a copy, if it is UTF-8.
    pub(super) fn as_utf8(&self, span: Range<usize>) -> Option<&str> {
        let bytes = &self.bytes()[span];
        let is_utf8 = self.decoded.is_some() || self.encoding == UTF_8 || bytes.is_ascii();
        if is_utf8 { std::str::from_utf8(bytes).ok() } else { None }
    }

    /// The value of an attribute, with its character references decoded.
    pub(super) fn value(&self, span: Range<usize>) -> Cow<'_, str> {
        let text = self.text(span);
        match text.borrowed() {
            Some(text) => decode(text, Context::Attribute),
            None => Cow::Owned(decode(text.text(), Context::Attribute).into_owned()),
        }
    }

    /// The place of an offset in the source.
    pub(super) fn place(&self, at: usize) -> Location {
        Location::Byte(self.source_range(at..at).start)
    }

    /// Maps a part of the bytes to its range in the source.
    pub(super) fn source_range(&self, span: Range<usize>) -> Range<usize> {
        let span = match &self.decoded {
            Some(decoded) => decoded.source_range(span),
            None => span,
        };
        self.start + span.start..self.start + span.end
    }

    /// Encodes text for insertion at `span`; characters that the encoding lacks become character
    /// references, or are percent-encoded in CSS.
    pub(super) fn encode<'t>(
        &self,
        text: &'t str,
        container: Container,
        span: Range<usize>,
    ) -> Cow<'t, [u8]> {
        let is_css = matches!(container, Container::CssString(_) | Container::CssUrl);
        let is_plain = |text: &str| {
            self.encoding == UTF_8 || (text.is_ascii() && self.encoding.is_single_byte())
        };
        if self.charset == Charset::Own && is_plain(text) {
            return Cow::Borrowed(text.as_bytes());
        }
        let text = if is_css { self.percent_encode(text) } else { self.with_references(text) };
        if is_plain(&text) {
            return Cow::Owned(text.into_owned().into_bytes());
        }
        let mut bytes = Detected { encoding: self.encoding, bom: 0 }.encode(&text, b"");
        if let (true, Some(decoded)) = (self.encoding == ISO_2022_JP, &self.decoded) {
            // The edit itself begins and ends in the ASCII state, whatever the state around it is.
            let (before, after) = decoded.shifts(span);
            let mut shifted = Vec::new();
            if before != Shift::Ascii {
                shifted.extend_from_slice(Shift::Ascii.escape());
            }
            self.append(&mut shifted, &bytes);
            if after != Shift::Ascii {
                self.append(&mut shifted, after.escape());
            }
            bytes = shifted;
        }
        Cow::Owned(bytes)
    }

    /// Whether an edit can change adjacent bytes: see [`Page::append`].
    pub(super) fn joins_edits(&self) -> bool {
        self.encoding == ISO_2022_JP
    }

    /// Appends bytes in the page's encoding to others.
    ///
    /// A [decoder][spec] reports the second of two adjacent escape sequences of ISO-2022-JP as an
    /// error, so the first one is removed.
    ///
    /// [spec]: https://encoding.spec.whatwg.org/#iso-2022-jp-decoder
    pub(super) fn append(&self, out: &mut Vec<u8>, bytes: &[u8]) {
        if self.encoding == ISO_2022_JP
            && Shift::begins(bytes)
            && out.last_chunk::<3>().is_some_and(|end| Shift::begins(end))
        {
            out.truncate(out.len() - 3);
        }
        out.extend_from_slice(bytes);
    }

    /// Percent-encodes the characters that the encoding lacks, or that must not be inserted into
    /// the document.
    pub(super) fn percent_encode<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let can_encode = |text: &str| {
            let is_encoded = !HAS_TABLES || !self.encoding.encode(text).2;
            is_encoded && text.chars().all(|one| self.charset.has(one))
        };
        if can_encode(text) {
            return Cow::Borrowed(text);
        }
        let percent = |part: &str, encoded: &mut String| {
            encoded.extend(part.bytes().map(|byte| format!("%{byte:02X}")));
        };
        Cow::Owned(replaced(text, can_encode, percent))
    }

    /// Writes character references for characters that must not be inserted into the document.
    fn with_references<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let has = |text: &str| text.chars().all(|one| self.charset.has(one));
        if has(text) {
            return Cow::Borrowed(text);
        }
        let refer = |part: &str, out: &mut String| {
            out.extend(part.chars().map(|one| format!("&#{};", u32::from(one))));
        };
        Cow::Owned(replaced(text, has, refer))
    }
}

/// Replaces each character of a text that must not stay.
fn replaced(
    text: &str,
    stays: impl Fn(&str) -> bool,
    replace: impl Fn(&str, &mut String),
) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut buffer = [0; 4];
    for character in text.chars() {
        let part = &*character.encode_utf8(&mut buffer);
        if stays(part) {
            out.push_str(part);
        } else {
            replace(part, &mut out);
        }
    }
    out
}
