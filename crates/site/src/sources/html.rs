//! The paragraphs of a page: the text between tags that begin or end a block.

use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};
use std::ops::{ControlFlow, Range};

use absolve::reference::{Context, decode};
use absolve::scan::{Sink, StartTag, exact};
use encoding_rs::Encoding;

/// Elements that are no part of a line.
const BLOCKS: &str = "\
    address article aside blockquote body caption center col colgroup dd details dialog dir div \
    dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup \
    hr html iframe legend li main menu nav ol optgroup option p pre script search section select \
    style summary table tbody td template textarea tfoot th thead title tr ul";

/// Elements whose content is not text for a reader, up to the next tag.
const RAW: &str = "iframe script style textarea title";

/// The text between two block tags.
pub(super) struct Paragraph<'p> {
    pub(super) text: &'p Text,
    /// From the first tag to the end of the last one.
    pub(super) span: Range<usize>,
    /// The values of `href` and `src` as they are written.
    pub(super) links: &'p [Range<usize>],
}

/// Passes each paragraph of a page, or of HTML in Markdown, to `visit`, in order and without gaps.
pub(super) fn paragraphs(
    source: &[u8],
    encoding: &'static Encoding,
    hashes: &Hashes,
    visit: impl FnMut(&Paragraph<'_>),
) {
    let mut reader = Reader {
        source,
        encoding,
        hashes,
        text: hashes.text(),
        start: 0,
        text_start: 0,
        links: Vec::new(),
        visit,
    };
    let _ = exact::scan(source, &mut reader);
    reader.read_text(source.len());
    reader.end_paragraph(source.len());
}

struct Reader<'s, V> {
    source: &'s [u8],
    encoding: &'static Encoding,
    hashes: &'s Hashes,
    text: Text,
    /// The start of the paragraph.
    start: usize,
    /// The end of the last tag or comment; `usize::MAX` in raw text.
    text_start: usize,
    links: Vec<Range<usize>>,
    visit: V,
}

impl<V: FnMut(&Paragraph<'_>)> Reader<'_, V> {
    /// Reads the text before a tag or a comment.
    fn read_text(&mut self, end: usize) {
        let text = self.source.get(self.text_start..end).unwrap_or_default();
        if text.iter().any(|byte| !byte.is_ascii_whitespace()) {
            let text = self.encoding.decode_without_bom_handling(text).0;
            self.text.push(&decode(&text, Context::Text));
        }
    }

    fn end_paragraph(&mut self, end: usize) {
        let span = self.start..end;
        (self.visit)(&Paragraph { text: &self.text, span, links: &self.links });
        self.start = end;
        self.text = self.hashes.text();
        self.links.clear();
    }
}

impl<V: FnMut(&Paragraph<'_>)> Sink for Reader<'_, V> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        self.read_text(tag.span.start);
        let name = &self.source[tag.name.clone()];
        if is_in(BLOCKS, name) {
            self.end_paragraph(tag.span.start);
        }
        self.text_start = if is_in(RAW, name) { usize::MAX } else { tag.span.end };
        let is_link = |name: &Range<usize>| {
            let name = &self.source[name.clone()];
            name.eq_ignore_ascii_case(b"href") || name.eq_ignore_ascii_case(b"src")
        };
        let links = tag.attributes.iter().filter(|attribute| is_link(&attribute.name));
        self.links.extend(links.map(|attribute| attribute.value.clone()));
        ControlFlow::Continue(())
    }

    fn other_tag(&mut self, span: Range<usize>) {
        self.read_text(span.start);
        self.text_start = span.end;
        let tag = &self.source[span.clone()];
        let name = tag.strip_prefix(b"</").unwrap_or_default();
        let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if is_in(BLOCKS, &name[..length]) {
            self.end_paragraph(span.end);
        }
    }

    fn comment(&mut self, span: Range<usize>) {
        self.read_text(span.start.saturating_sub("<!--".len()));
        // The end of a comment has no letter.
        self.text_start = span.end;
    }
}

/// Whether a list has a name, in any case.
fn is_in(list: &str, name: &[u8]) -> bool {
    list.split(' ').any(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

/// Hashes of texts, with a random key: no text can be made to have the hash of another.
#[derive(Debug, Clone, Default)]
pub(super) struct Hashes(RandomState);

impl Hashes {
    /// The empty text.
    pub(super) fn text(&self) -> Text {
        Text { hasher: self.0.build_hasher(), is_empty: true }
    }
}

/// A text, as a hash of its letters and digits.
#[derive(Debug, Clone)]
pub(super) struct Text {
    hasher: DefaultHasher,
    is_empty: bool,
}

impl Text {
    /// Appends text.
    pub(super) fn push(&mut self, text: &str) {
        for c in text.chars().filter(|c| c.is_alphanumeric()) {
            self.hasher.write_u32(c.into());
            self.is_empty = false;
        }
    }

    /// The hash of the text; `None` if it has no letter and no digit.
    pub(super) fn alone(&self) -> Option<u64> {
        (!self.is_empty).then(|| self.hasher.finish())
    }

    /// The hash of the text with a destination in it.
    pub(super) fn with(&self, destination: &str) -> u64 {
        let mut hasher = self.hasher.clone();
        // No character has this value.
        hasher.write_u32(u32::MAX);
        hasher.write(destination.as_bytes());
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{UTF_8, WINDOWS_1252};

    use super::*;

    /// The paragraphs with text, as spans, each with the number of its links.
    fn found(source: &[u8], encoding: &'static Encoding, texts: &[&str]) -> Vec<(usize, usize)> {
        let hashes = Hashes::default();
        let mut found = Vec::new();
        paragraphs(source, encoding, &hashes, |paragraph| {
            let expected = |text: &&&str| {
                let mut hash = hashes.text();
                hash.push(text);
                hash.alone() == paragraph.text.alone()
            };
            if paragraph.text.alone().is_some() {
                let number = texts.iter().position(|text| expected(&text));
                found.push((number.unwrap_or(usize::MAX), paragraph.links.len()));
            }
        });
        found
    }

    #[test]
    fn block_tags_end_paragraphs_and_others_do_not() {
        let page = b"<!DOCTYPE><title>T</title><p>One <a href=x>t<b>w</b>o</a><!-- no --> &#x41;\
            <P>Next<br>line<ul><li>Item <img src=y alt=no><ul><li>Inner</ul></ul>End\
            <script>if (a < b) c()</script>&amp;";
        let texts = ["DOCTYPE", "One two A", "Next line", "Item", "Inner", "End"];
        assert_eq!(found(page, UTF_8, &texts), [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0), (5, 0)]);
    }

    #[test]
    fn spans_have_no_gaps() {
        let page = b"a<p>b</p>c<div>d";
        let mut end = 0;
        paragraphs(page, UTF_8, &Hashes::default(), |paragraph| {
            assert_eq!(paragraph.span.start, end);
            end = paragraph.span.end;
        });
        assert_eq!(end, page.len());
    }

    #[test]
    fn text_is_that_of_the_encoding() {
        assert_eq!(found(b"<p>caf\xe9", WINDOWS_1252, &["caf\u{e9}"]), [(0, 0)]);
    }

    #[test]
    fn a_list_has_names_in_any_case() {
        assert!(is_in(BLOCKS, b"ADDRESS") && is_in(BLOCKS, b"hgroup") && is_in(BLOCKS, b"Ul"));
        assert!(!is_in(BLOCKS, b"a") && !is_in(BLOCKS, b"blockquotes-of-mine") && !is_in(RAW, b""));
    }
}
