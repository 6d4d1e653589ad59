//! Excerpts: the lines of source that findings are on, cut to a width.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::path::Path;

use absolve::encoding::Detected;
use absolve::reference::{self, decode};
use absolve::url::masked;
use absolve::{Rewriter, detect};
use absolve_archive::Format;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use unicode_width::UnicodeWidthStr;

use crate::Finding;
use crate::report::context::ReadSource;
use crate::report::{Context, printable};

/// Maximum columns of an excerpt; a longer line is cut around the span.
pub(super) const WIDTH: usize = 100;
/// Minimum columns of an excerpt; a narrower terminal wraps it.
const MIN_WIDTH: usize = 20;
/// Maximum bytes that are read on each side of the start of the span. Without this limit, each
/// finding in a document of a single line would read the whole document.
const MAX_SIDE_LEN: usize = 2048;

/// A line of source, and the part of it that a finding is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The line, or a part of it, in printable form.
    pub(super) line: String,
    /// The number of columns before the marked part.
    pub(super) indent: usize,
    /// The number of columns of the marked part, at least 1.
    pub(super) carets: usize,
    /// The span of the marked part in `line`, in bytes.
    pub(super) marked: Range<usize>,
}

/// A reference with a user and password: its span, and its text with these masked.
pub(super) type MaskedReference = (Range<usize>, String);

/// Cuts the line on which a span begins to a width; `None` if the span is outside the document.
///
/// `reference` is the reference of the finding. `masked` returns the masked references of the
/// document in their order; it is called only for a line that may contain a user and password.
pub(super) fn excerpt<'m>(
    source: &[u8],
    detected: Detected,
    span: &Range<usize>,
    reference: Option<&str>,
    masked: impl FnOnce() -> Option<&'m [MaskedReference]>,
    width: usize,
) -> Option<Excerpt> {
    if span.start > span.end || span.end > source.len() || span.start < detected.bom {
        return None;
    }
    let ends = LineEnds { source, detected };
    let start = ends.find_line_start(span.start);
    let end = ends.find_line_end(span.start);
    let text =
        |range: Range<usize>| detected.encoding.decode_without_bom_handling(&source[range]).0;
    // The reference may end after the line, so the text around it is tested.
    let nearby = text(start..source.len().min(end + MAX_SIDE_LEN));
    let masked = if has_at_sign(&nearby) { masked()? } else { &[] };
    let show = |range: Range<usize>| {
        let (mut line, mut at) = (String::new(), range.start);
        let first = masked.partition_point(|(span, _)| span.end <= range.start);
        for (span, reference) in masked[first..].iter().take_while(|next| next.0.start < range.end)
        {
            if span.start >= at {
                line.extend([&*text(at..span.start), reference]);
            }
            at = at.max(span.end.min(range.end));
        }
        line.push_str(&text(at..range.end));
        printable(&line.replace('\t', "    "))
    };
    let marked_end = span.end.min(end);
    // The source of a reference with `@` may show a password; the finding has it masked.
    let reference = reference.filter(|reference| reference.contains('@'));
    let highlighted = reference.map_or_else(|| show(span.start..marked_end), printable);
    Some(cut_around(
        &show(start..span.start),
        &highlighted,
        &show(marked_end..end.max(marked_end)),
        width,
    ))
}

/// Whether a source contains `@`, literally or as a character reference.
fn has_at_sign(source: &str) -> bool {
    let has_literal = |text: &str| text.contains('@');
    has_literal(source)
        || source.contains('&') && has_literal(&decode(source, reference::Context::Attribute))
}

/// Finds the ends of lines near an offset, in the encoding of a document.
struct LineEnds<'a> {
    source: &'a [u8],
    detected: Detected,
}

impl LineEnds<'_> {
    /// Returns the length of a code unit of the encoding, in bytes.
    fn unit_len(&self) -> usize {
        if [UTF_16LE, UTF_16BE].contains(&self.detected.encoding) { 2 } else { 1 }
    }

    fn is_end(&self, at: usize) -> bool {
        let is_big = self.detected.encoding == UTF_16BE;
        // In every encoding, these bytes are always line ends, never a part of another character.
        match self.source.get(at..at + self.unit_len()) {
            Some(&[byte]) => matches!(byte, b'\n' | b'\r'),
            Some(&[low, 0]) if !is_big => matches!(low, b'\n' | b'\r'),
            Some(&[0, low]) if is_big => matches!(low, b'\n' | b'\r'),
            _ => false,
        }
    }

    /// Finds the start of the line at an offset, up to [`MAX_SIDE_LEN`] before it.
    fn find_line_start(&self, from: usize) -> usize {
        let lowest = from.saturating_sub(MAX_SIDE_LEN).max(self.detected.bom);
        if self.unit_len() == 1 {
            let before = &self.source[lowest.min(from)..from];
            return memchr::memrchr2(b'\n', b'\r', before)
                .map_or(lowest.min(from), |at| lowest + at + 1);
        }
        let mut at = from;
        while at >= lowest + self.unit_len() && !self.is_end(at - self.unit_len()) {
            at -= self.unit_len();
        }
        at
    }

    /// Finds the end of the line at an offset, up to [`MAX_SIDE_LEN`] after it.
    fn find_line_end(&self, from: usize) -> usize {
        let highest = self.source.len().min(from + MAX_SIDE_LEN);
        if self.unit_len() == 1 {
            let after = &self.source[from..highest];
            return memchr::memchr2(b'\n', b'\r', after).map_or(highest, |at| from + at);
        }
        let mut at = from;
        while at + self.unit_len() <= highest && !self.is_end(at) {
            at += self.unit_len();
        }
        at
    }
}

/// Cuts a line around its marked part, with room for the element and attribute after the carets.
fn cut_around(before: &str, marked: &str, after: &str, width: usize) -> Excerpt {
    let width = width.clamp(MIN_WIDTH, WIDTH);
    let marked_end = columns(before) + columns(marked);
    let is_short = marked_end + columns(after) <= width && marked_end <= width - width / 5;
    let (before, marked) = if is_short {
        (before.to_owned(), marked.to_owned())
    } else {
        (cut_start(before, width * 3 / 10), cut_end(marked, width / 2))
    };
    let (indent, carets) = (columns(&before), columns(&marked));
    let after = cut_end(after, width - indent - carets);
    let line = format!("{before}{marked}{after}").trim_end().to_owned();
    let start = before.len().min(line.len());
    let marked = start..(start + marked.len()).min(line.len());
    Excerpt { line, indent, carets: carets.max(1), marked }
}

/// Counts the columns of a text, quickly for ASCII: without the fast path, an audit of java.util,
/// with 721 pages, spent 18 % of its instructions on the widths of excerpts (callgrind, `-j 1`).
fn columns(text: &str) -> usize {
    if is_plain(text) { text.len() } else { text.width() }
}

/// Whether a text is printable ASCII, in which each byte takes a single column.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |is_plain, byte| is_plain & matches!(byte, b' '..=b'~'))
}

/// Cuts a text to its first columns, with an ellipsis for the rest.
fn cut_end(text: &str, max: usize) -> String {
    if columns(text) <= max {
        return text.to_owned();
    }
    if is_plain(text) {
        return format!("{}…", &text[..max.saturating_sub(1)]);
    }
    let mut end = 0;
    for (at, _) in text.char_indices() {
        if text[..at].width() >= max {
            break;
        }
        end = at;
    }
    format!("{}…", &text[..end])
}

/// Cuts a text to its last columns, with an ellipsis for the rest.
fn cut_start(text: &str, max: usize) -> String {
    if columns(text) <= max {
        return text.to_owned();
    }
    if is_plain(text) {
        return format!("…{}", &text[text.len() - max.saturating_sub(1)..]);
    }
    let mut start = text.len();
    for (at, _) in text.char_indices().rev() {
        if text[at..].width() >= max {
            break;
        }
        start = at;
    }
    format!("…{}", &text[start..])
}

struct SourceFile {
    bytes: Vec<u8>,
    detected: Detected,
    /// The references with a user and password; `None` if the document cannot be read.
    masked: OnceCell<Option<Vec<MaskedReference>>>,
}

/// Reads the files of findings. Only the last file stays in memory, because the findings of a page
/// are adjacent.
pub(super) struct Sources<'a> {
    read: Option<ReadSource<'a>>,
    encoding: Option<&'static Encoding>,
    last: Option<(&'a Path, Option<SourceFile>)>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(context: &Context<'a>) -> Self {
        Self { read: context.source, encoding: context.encoding, last: None }
    }

    /// Cuts the line of a finding to a width; returns `None` if the file cannot be read, or does
    /// not contain the span.
    pub(super) fn excerpt(&mut self, finding: &'a Finding, width: usize) -> Option<Excerpt> {
        let span = finding.span.as_ref()?;
        if self.last.as_ref().is_none_or(|(path, _)| *path != finding.file) {
            let source = self.read.and_then(|read| read(&finding.file)).map(|bytes| {
                let detected = detect(&bytes, self.encoding);
                SourceFile { bytes, detected, masked: OnceCell::new() }
            });
            self.last = Some((&finding.file, source));
        }
        let SourceFile { bytes, detected, masked } = self.last.as_ref()?.1.as_ref()?;
        let find_masked = || {
            let found =
                masked.get_or_init(|| find_masked_references(&finding.file, bytes, *detected));
            found.as_deref()
        };
        excerpt(bytes, *detected, span, finding.reference.as_deref(), find_masked, width)
    }
}

/// Finds the references with a user and password, in order; `None` if the file cannot be read.
fn find_masked_references(
    file: &Path,
    source: &[u8],
    detected: Detected,
) -> Option<Vec<MaskedReference>> {
    let rewriter = Rewriter::new().meta().lazy().encoding(detected.encoding.name()).ok()?;
    let mut found = Vec::new();
    let listed =
        absolve_archive::links(source, Format::from_name(file), &rewriter, |_, link, spans| {
            if let (Cow::Owned(masked), Some(span)) = (masked(link.reference()), spans.reference) {
                found.push((span, masked));
            }
        });
    listed.ok()?;
    found.sort_unstable_by_key(|(span, _)| span.start);
    // The links of a `srcdoc` document share the span of the attribute.
    found.dedup_by_key(|(span, _)| span.start);
    Some(found)
}

#[cfg(test)]
mod tests {
    use absolve::encoding::detect;

    use super::*;

    fn excerpt_of(source: &[u8], span: Range<usize>) -> Option<Excerpt> {
        excerpt(source, detect(source, None), &span, None, || None, WIDTH)
    }

    #[track_caller]
    fn assert_shows(source: &[u8], span: Range<usize>, line: &str, carets: &str) {
        assert_shows_in(WIDTH, source, span, line, carets);
    }

    #[track_caller]
    fn assert_shows_in(width: usize, source: &[u8], span: Range<usize>, line: &str, carets: &str) {
        let shown = excerpt(source, detect(source, None), &span, None, || None, width).unwrap();
        let under = format!("{}{}", " ".repeat(shown.indent), "^".repeat(shown.carets));
        assert_eq!((shown.line.as_str(), under.as_str()), (line, carets), "{source:?}");
    }

    #[test]
    fn plain_texts_are_cut_as_others_are() {
        // A zero-width joiner forces the slow path, and adds no column.
        for max in 0..12 {
            let slow = |text: String| text.replace('\u{200d}', "");
            assert_eq!(
                cut_end("abcdefghij", max),
                slow(cut_end("abcdefghij\u{200d}", max)),
                "{max}"
            );
            assert_eq!(
                cut_start("abcdefghij", max),
                slow(cut_start("\u{200d}abcdefghij", max)),
                "{max}"
            );
        }
    }

    #[test]
    fn a_line_ends_in_three_ways() {
        assert_shows(b"a\n<a href=x>\nb", 10..11, "<a href=x>", "        ^");
        assert_shows(b"a\r<a href=x>\rb", 10..11, "<a href=x>", "        ^");
        assert_shows(b"a\r\n<a href=x>\r\nb", 11..12, "<a href=x>", "        ^");
        assert_shows(b"<a href=x>", 8..9, "<a href=x>", "        ^");
        assert_shows(b"\n", 0..0, "", "^");
        assert_shows(b"", 0..0, "", "^");
    }

    #[test]
    fn a_span_of_many_lines_is_shown_to_the_end_of_its_first() {
        assert_shows(b"<img srcset='a,\nb'>", 13..17, "<img srcset='a,", "             ^^");
    }

    #[test]
    fn columns_are_those_of_the_terminal() {
        assert_shows("\t<é href=x>".as_bytes(), 10..11, "    <é href=x>", "            ^");
        assert_shows("<日本 href=x>".as_bytes(), 13..14, "<日本 href=x>", "           ^");
        assert_shows(b"<\xe9 href=x>", 8..9, "<é href=x>", "        ^");
        assert_shows(b"\xef\xbb\xbf<a href=x>", 11..12, "<a href=x>", "        ^");
    }

    #[test]
    fn utf_16_has_lines_of_its_own() {
        let utf_16 = |text: &str| -> Vec<u8> {
            "\u{feff}"
                .encode_utf16()
                .chain(text.encode_utf16())
                .flat_map(u16::to_le_bytes)
                .collect()
        };
        // U+0A0D has the bytes of both line ends.
        assert_shows(&utf_16("a\n\u{a0d}href=x\nb"), 18..20, "\u{a0d}href=x", "      ^");
        let big = [
            b"\xfe\xff".to_vec(),
            "a\nhref=x\n".encode_utf16().flat_map(u16::to_be_bytes).collect(),
        ];
        assert_shows(&big.concat(), 16..18, "href=x", "     ^");
    }

    #[test]
    fn what_moves_the_cursor_is_escaped() {
        assert_shows(b"\x1b[1m href=x", 10..11, "\\u{1b}[1m href=x", "               ^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_span() {
        let long = "0123456789".repeat(1000);
        let line = format!("{long}x{long}");
        let before = format!("…{}", &long[1..30]);
        let after = format!("{}…", &long[..68]);
        assert_shows(
            line.as_bytes(),
            10_000..10_001,
            &format!("{before}x{after}"),
            &format!("{}^", " ".repeat(30)),
        );
        let marked = format!("{}…", &long[..49]);
        assert_shows(long.as_bytes(), 0..10_000, &marked, &"^".repeat(50));
    }

    #[test]
    fn a_line_is_as_wide_as_the_terminal() {
        let text = "0123456789".repeat(8);
        let line = format!("<a href=x>{text}");
        assert_shows_in(90, line.as_bytes(), 8..9, &line, "        ^");
        let cut = format!("<a href=x>{}…", &text[..49]);
        assert_shows_in(60, line.as_bytes(), 8..9, &cut, "        ^");
        // The element and attribute follow the carets.
        let line = format!("{text}<a href=x>");
        let cut = format!("…{}<a href=x>", &text[65..]);
        assert_shows_in(80, line.as_bytes(), 88..89, &cut, &format!("{}^", " ".repeat(24)));
        assert_shows_in(1, line.as_bytes(), 88..89, "…href=x>", "      ^");
    }

    #[test]
    fn a_span_outside_the_document_has_no_line() {
        let source = b"\xef\xbb\xbfa";
        for span in [3..5, 0..1, Range { start: 4, end: 3 }] {
            assert_eq!(excerpt_of(source, span), None);
        }
    }
}
