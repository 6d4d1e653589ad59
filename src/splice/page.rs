//! A document in its encoding: its bytes as the scanners read them, the map back to the source, the
//! results of a scan, and the receivers that write edits as bytes of the source.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8};

use crate::edit::{Edit, Edits, Patches};
use crate::encoding::{self, Decoding, Detected, HAS_TABLES, Shift, mark_of_text};
use crate::error::{Error, Limit, Limits, Location};
use crate::link::Syntax;
use crate::reference::{Context, decode};
use crate::scan::json::FeedString;
#[cfg(feature = "markdown")]
use crate::scan::markdown::MarkdownLinks;
use crate::scan::xml::XmlCandidates;
use crate::scan::{Candidates, Interest, ScanOptions, hides_markup};
use crate::value::Container;

/// A document in its encoding.
///
/// The offsets of the scanners and of edits are those in [`Page::bytes`]; [`Page::source_range`]
/// maps them to offsets in the source.
pub(super) struct Page<'s> {
    source: &'s [u8],
    /// The offset in the source after its byte order mark, if any.
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
    /// The characters of ISO-8859-1, except control characters whose bytes are others in
    /// windows-1252.
    Latin1,
    /// ASCII, as in a part of a message whose declaration allows only ASCII.
    Ascii,
}

impl Charset {
    fn allows(self, character: char) -> bool {
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
        // A byte of a multi-byte character may look like ASCII, such as a letter, `\` or `]`.
        let decoded = (!detected.is_scannable()).then(|| Decoding::new(encoding, &source[bom..]));
        Ok(Self { source, start: bom, encoding, decoded, charset: Charset::Own })
    }

    /// Returns the page with its text decoded, if its bytes are not UTF-8.
    pub(super) fn into_text(self) -> Self {
        let is_text = self.decoded.is_some() || std::str::from_utf8(self.bytes()).is_ok();
        let decode = || Decoding::new(self.encoding, &self.source[self.start..]);
        let decoded = if is_text { self.decoded } else { Some(decode()) };
        Self { decoded, ..self }
    }

    /// Returns the page with another text of the same length.
    pub(super) fn with_text<'t>(&self, text: &'t str) -> Page<'t>
    where
        's: 't,
    {
        let decoding = self.decode(0..self.bytes().len());
        let decoded = self.decoded.as_ref().unwrap_or(&decoding).with_text(text);
        Page { decoded: Some(decoded), ..*self }
    }

    /// Creates the page of a nested document, which is text, with or without a byte order mark.
    pub(super) fn from_document(text: &'s str) -> Self {
        Self { start: mark_of_text(text), ..Self::from_text(text) }
    }

    /// Creates the page of a part of a document, which is text.
    pub(super) fn from_text(text: &'s str) -> Self {
        Self {
            source: text.as_bytes(),
            start: 0,
            encoding: UTF_8,
            decoded: None,
            charset: Charset::Own,
        }
    }

    /// Returns the page with a limit on the characters that edits may insert.
    pub(super) fn with_charset(self, charset: Charset) -> Self {
        Self { charset: self.charset.max(charset), ..self }
    }

    /// The bytes that the scanners read.
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
    pub(super) fn decode(&self, span: Range<usize>) -> Decoding<'_> {
        let encoding = if self.decoded.is_some() { UTF_8 } else { self.encoding };
        Decoding::new(encoding, &self.bytes()[span])
    }

    /// Returns a part of the bytes as text without a copy, if it is UTF-8.
    pub(super) fn as_utf8(&self, span: Range<usize>) -> Option<&str> {
        let bytes = &self.bytes()[span];
        let is_utf8 = self.decoded.is_some() || self.encoding == UTF_8 || bytes.is_ascii();
        if is_utf8 { std::str::from_utf8(bytes).ok() } else { None }
    }

    /// Decodes the value of an attribute, and its character references.
    pub(super) fn decode_value(&self, span: Range<usize>) -> Cow<'_, str> {
        let text = self.decode(span);
        match text.borrowed() {
            Some(text) => decode(text, Context::Attribute),
            None => Cow::Owned(decode(text.text(), Context::Attribute).into_owned()),
        }
    }

    /// Maps an offset in the bytes to its location in the source.
    pub(super) fn locate(&self, at: usize) -> Location {
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
        let text = if is_css { self.percent_encode(text) } else { self.write_references(text) };
        if is_plain(&text) {
            return Cow::Owned(text.into_owned().into_bytes());
        }
        let mut bytes = Detected { encoding: self.encoding, bom: 0 }.encode(&text, b"");
        if let (true, Some(decoded)) = (self.encoding == ISO_2022_JP, &self.decoded) {
            // The encoder begins and ends in the ASCII state; the state around the edit may be
            // another.
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
    /// Of two adjacent escape sequences of ISO-2022-JP only the second stays, as a [decoder][spec]
    /// would report it as an error.
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
            is_encoded && text.chars().all(|character| self.charset.allows(character))
        };
        if can_encode(text) {
            return Cow::Borrowed(text);
        }
        let encode = |part: &str, encoded: &mut String| {
            encoded.extend(part.bytes().map(|byte| format!("%{byte:02X}")));
        };
        Cow::Owned(replace_characters(text, can_encode, encode))
    }

    /// Writes character references for characters that must not be inserted into the document.
    fn write_references<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let is_allowed = |text: &str| text.chars().all(|character| self.charset.allows(character));
        if is_allowed(text) {
            return Cow::Borrowed(text);
        }
        let write = |part: &str, out: &mut String| {
            out.extend(part.chars().map(|character| format!("&#{};", u32::from(character))));
        };
        Cow::Owned(replace_characters(text, is_allowed, write))
    }
}

/// Replaces the characters of a text for which `stays` is false.
fn replace_characters(
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

/// The results of a scan, in buffers that serve one document after another. A scan does not clear
/// the buffers of other syntaxes.
#[derive(Debug, Default)]
pub(crate) struct SpliceBuffers {
    /// The attributes of HTML, and of the HTML in Markdown.
    pub(super) candidates: Candidates,
    pub(super) xml: XmlCandidates,
    pub(super) json: Vec<FeedString>,
    #[cfg(feature = "markdown")]
    pub(super) markdown: MarkdownLinks,
}

/// A scanned document: its page, and the buffers with the results of the scan.
pub(crate) struct Scanned<'s, 'w> {
    pub(super) page: Page<'s>,
    pub(super) buffers: &'w SpliceBuffers,
    pub(super) interest: &'w Interest,
    pub(super) syntax: Syntax,
    /// Whether the encoding was inferred from the bytes alone, as no element of the page declares
    /// it.
    pub(super) is_tentative: bool,
}

impl Scanned<'_, '_> {
    /// Whether browsers guess the encoding of a page, as no `meta` element, XML declaration, byte
    /// order mark or caller names it.
    pub(crate) fn is_encoding_guessed(&self) -> bool {
        self.is_tentative && !encoding::declares(self.page.source())
    }

    /// Whether HTML reads markup as the text of a script that XML closes.
    pub(crate) fn hides_markup(&self) -> bool {
        self.syntax == Syntax::Html && hides_markup(self.page.bytes(), &self.buffers.candidates)
    }
}

/// [`Scanned::hides_markup`] for a decoded document of the DOM engine.
pub(crate) fn hides_markup_in(
    text: &str,
    interest: &Interest,
    buffers: &mut SpliceBuffers,
) -> bool {
    text.starts_with("<?xml") && {
        buffers.candidates.scan(text.as_bytes(), interest, ScanOptions::new(interest));
        hides_markup(text.as_bytes(), &buffers.candidates)
    }
}

/// Whether a document was written with edits, or has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    Yes,
    No,
}

/// Receives edits in ascending order. Offsets are those of [`Page::bytes`].
pub(super) trait Output {
    /// Replaces `span` by `text`.
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error>;

    /// Replaces `span` by a plain ASCII text.
    #[inline]
    fn edit_plain(&mut self, span: Range<usize>, text: &str) -> Result<(), Error> {
        self.edit(span, text, Container::Whole)
    }
}

/// Discards the edits.
pub(super) struct NoOutput;

impl Output for NoOutput {
    fn edit(&mut self, _: Range<usize>, _: &str, _: Container) -> Result<(), Error> {
        Ok(())
    }
}

/// Fails if an output of this length exceeds the limit; the error names a byte of the source.
#[inline]
fn check_length(length: usize, max: usize, byte: usize) -> Result<(), Error> {
    if Limits::exceeds(max, length) {
        return Err(Error::limit(Limit::Output, max, Some(Location::Byte(byte))));
    }
    Ok(())
}

/// Writes the source with the edits.
pub(super) struct Writer<'w, 's> {
    page: &'w Page<'s>,
    out: &'w mut Vec<u8>,
    /// The length of the part of the source that is written or replaced.
    done: usize,
    max: usize,
}

impl<'w, 's> Writer<'w, 's> {
    pub(super) fn new(page: &'w Page<'s>, out: &'w mut Vec<u8>, max: usize) -> Self {
        Self { page, out, done: 0, max }
    }

    #[inline]
    fn replace(&mut self, span: Range<usize>, text: &[u8]) -> Result<(), Error> {
        let between = &self.page.source()[self.done..span.start];
        check_length(self.out.len() + between.len() + text.len(), self.max, span.start)?;
        if self.out.capacity() == 0 {
            // Links make up a tenth of a page, and grow by their prefix.
            self.out.reserve(self.page.source().len() / 8 * 9 + text.len());
        }
        self.page.append(self.out, between);
        self.page.append(self.out, text);
        self.done = span.end;
        Ok(())
    }

    /// Writes the rest of the source, if there was an edit; otherwise the output stays empty.
    pub(super) fn finish(self) -> Result<Changed, Error> {
        if self.done == 0 && self.out.is_empty() {
            return Ok(Changed::No);
        }
        let rest = &self.page.source()[self.done..];
        check_length(self.out.len() + rest.len(), self.max, self.done)?;
        self.page.append(self.out, rest);
        Ok(Changed::Yes)
    }

    /// Appends the rest of the source, and returns the output.
    fn into_output(self) -> &'w [u8] {
        let rest = &self.page.source()[self.done..];
        self.page.append(self.out, rest);
        self.out
    }
}

impl Output for Writer<'_, '_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        let bytes = self.page.encode(text, container, span.clone());
        self.replace(self.page.source_range(span), &bytes)
    }

    #[inline]
    fn edit_plain(&mut self, span: Range<usize>, text: &str) -> Result<(), Error> {
        if self.page.is_plain() {
            self.replace(self.page.source_range(span), text.as_bytes())
        } else {
            self.edit(span, text, Container::Whole)
        }
    }
}

/// Collects the edits as bytes of the source.
pub(super) struct PatchCollector<'w, 's> {
    page: &'w Page<'s>,
    patches: Patches,
    /// The length of the document with the edits so far.
    length: usize,
    max: usize,
    /// Writes the whole document in ISO-2022-JP, in which an edit can change adjacent bytes.
    writer: Option<Writer<'w, 's>>,
}

impl<'w, 's> PatchCollector<'w, 's> {
    /// Creates a collector; `out` is a buffer for the whole document, if the encoding needs that.
    pub(super) fn new(page: &'w Page<'s>, out: &'w mut Vec<u8>, max: usize) -> Self {
        let writer = page.joins_edits().then(|| Writer::new(page, out, max));
        let length = page.source().len();
        Self { page, patches: Patches::default(), length, max, writer }
    }

    pub(super) fn finish(self) -> Patches {
        let Some(writer) = self.writer else { return self.patches };
        let source = self.page.source();
        let out = writer.into_output();
        let is_same = self.patches.is_empty() || self.patches.apply(source) == out;
        if is_same { self.patches } else { Patches::from_difference(source, out) }
    }
}

impl Output for PatchCollector<'_, '_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        let bytes = self.page.encode(text, container, span.clone());
        let source = self.page.source_range(span.clone());
        // Edits do not overlap, so the replaced bytes are part of `length`.
        self.length = self.length - source.len() + bytes.len();
        check_length(self.length, self.max, source.start)?;
        self.patches.push(source, &bytes);
        self.writer.as_mut().map_or(Ok(()), |writer| writer.edit(span, text, container))
    }
}

impl Output for Edits {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        self.push(Edit { span, text, container })
    }
}

/// Passes ordered edits to `output`.
pub(super) fn pass_edits(edits: &Edits, output: &mut dyn Output) -> Result<(), Error> {
    edits.iter().try_for_each(|edit| output.edit(edit.span, edit.text, edit.container))
}
