//! Reads the paragraphs of pages and of Markdown files, and hashes their texts.

use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};

use absolve::reference::{Context, decode};
use absolve::scan::{Sink, StartTag, exact};
use absolve_files::Failure;
use encoding_rs::{Encoding, UTF_8};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

/// Hashes texts with a random key, so no author can construct a text with the hash of another.
#[derive(Debug, Clone, Default)]
pub(super) struct TextHasher(RandomState);

impl TextHasher {
    /// Starts the hash of an empty text.
    pub(super) fn start(&self) -> HashedText {
        HashedText { hasher: self.0.build_hasher(), is_empty: true }
    }
}

/// The running hash of a text, by its letters and digits.
#[derive(Debug, Clone)]
pub(super) struct HashedText {
    hasher: DefaultHasher,
    is_empty: bool,
}

impl HashedText {
    /// Appends the letters and digits of a text.
    pub(super) fn push(&mut self, text: &str) {
        for c in text.chars().filter(|c| c.is_alphanumeric()) {
            self.hasher.write_u32(c.into());
            self.is_empty = false;
        }
    }

    /// Returns the hash of the text; `None` if it has no letter and no digit.
    pub(super) fn finish(&self) -> Option<u64> {
        (!self.is_empty).then(|| self.hasher.finish())
    }

    /// Returns the hash of the text together with the destination of a link.
    pub(super) fn finish_with(&self, destination: &str) -> u64 {
        let mut hasher = self.hasher.clone();
        // No character has this value, so it separates the two.
        hasher.write_u32(u32::MAX);
        hasher.write(destination.as_bytes());
        hasher.finish()
    }
}

/// The elements whose tags begin and end a paragraph.
const BLOCKS: &str = "\
    address article aside blockquote body caption center col colgroup dd details dialog dir div \
    dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup \
    hr html iframe legend li main menu nav ol optgroup option p pre script search section select \
    style summary table tbody td template textarea tfoot th thead title tr ul";

/// The elements whose content, up to the next tag, is not text for a reader.
const RAW: &str = "iframe script style textarea title";

/// A paragraph of a page: the text between tags that begin or end a block.
pub(super) struct Paragraph<'p> {
    pub(super) text: &'p HashedText,
    /// The span in the source, tags included.
    pub(super) span: Range<usize>,
    /// The spans of the values of `href` and `src`, with character references.
    pub(super) links: &'p [Range<usize>],
}

/// Passes each paragraph of a page, or of HTML in Markdown, to `visit`, in order and without gaps.
pub(super) fn each_paragraph(
    source: &[u8],
    encoding: &'static Encoding,
    hashes: &TextHasher,
    visit: impl FnMut(&Paragraph<'_>),
) {
    let mut reader = HtmlReader {
        source,
        encoding,
        hashes,
        text: hashes.start(),
        start: 0,
        text_start: 0,
        links: Vec::new(),
        visit,
    };
    let _ = exact::scan(source, &mut reader);
    reader.read_text(source.len());
    reader.end_paragraph(source.len());
}

/// Collects the text and links of a paragraph until a tag ends it.
struct HtmlReader<'s, V> {
    source: &'s [u8],
    encoding: &'static Encoding,
    hashes: &'s TextHasher,
    text: HashedText,
    /// The start of the paragraph.
    start: usize,
    /// The end of the last tag or comment; `usize::MAX` inside an element of [`RAW`].
    text_start: usize,
    links: Vec<Range<usize>>,
    visit: V,
}

impl<V: FnMut(&Paragraph<'_>)> HtmlReader<'_, V> {
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
        self.text = self.hashes.start();
        self.links.clear();
    }
}

impl<V: FnMut(&Paragraph<'_>)> Sink for HtmlReader<'_, V> {
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
        // The text after the span begins with `-->`, which has no letter.
        self.text_start = span.end;
    }
}

/// Whether a list separated by spaces has a name, regardless of case.
fn is_in(list: &str, name: &[u8]) -> bool {
    list.split(' ').any(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

/// The extensions of `CommonMark` that generators support. They decide the ends of paragraphs, and
/// which parts are text.
const SYNTAX: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_HEADING_ATTRIBUTES)
    .union(Options::ENABLE_DEFINITION_LIST)
    .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS)
    .union(Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS);

/// An entry of the index: a paragraph, or a link in a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SourceEntry {
    pub(super) hash: u64,
    /// The line in the Markdown file, counted from 1.
    pub(super) line: u32,
}

/// The delimiter that indicates a URL in plain text, which many generators turn into a link.
const BARE_URL: &str = "://";

/// Reads the entries of a Markdown file: its paragraphs with links, and these links.
///
/// # Errors
///
/// If the parser panics.
pub(super) fn read_entries(source: &str, hashes: &TextHasher) -> Result<Vec<SourceEntry>, Failure> {
    // `AssertUnwindSafe` is sound: a panic drops the reader, and nothing else is changed.
    let read = AssertUnwindSafe(|| {
        let mut reader = MarkdownReader::new(source, hashes);
        for (event, span) in Parser::new_ext(source, SYNTAX).into_offset_iter() {
            reader.read(event, span);
        }
        reader.end_paragraph();
        reader.entries
    });
    catch_unwind(read).map_err(|_| Failure::new("the Markdown parser failed; this is a bug of it"))
}

/// Collects the text and links of a paragraph until an event of the parser ends it.
struct MarkdownReader<'s> {
    hashes: &'s TextHasher,
    lines: LineCounter<'s>,
    text: HashedText,
    /// The line of the first text or link of the paragraph.
    first_line: Option<u32>,
    has_link: bool,
    /// The destinations of the paragraph's links, each with its line.
    links: Vec<(CowStr<'s>, u32)>,
    /// The number of open images and metadata blocks, whose text does not appear in the page.
    hidden_depth: usize,
    entries: Vec<SourceEntry>,
}

impl<'s> MarkdownReader<'s> {
    fn new(source: &'s str, hashes: &'s TextHasher) -> Self {
        Self {
            hashes,
            lines: LineCounter { source, offset: 0, line: 1 },
            text: hashes.start(),
            first_line: None,
            has_link: false,
            links: Vec::new(),
            hidden_depth: 0,
            entries: Vec::new(),
        }
    }

    fn read(&mut self, event: Event<'s>, span: Range<usize>) {
        match event {
            Event::Start(tag) => self.read_start(tag, span),
            Event::End(TagEnd::Image | TagEnd::MetadataBlock(_)) => {
                self.hidden_depth = self.hidden_depth.saturating_sub(1);
            }
            Event::End(tag) if is_inline(tag) => {}
            Event::End(_) | Event::Rule => self.end_paragraph(),
            Event::Text(text) | Event::Code(text) if self.hidden_depth == 0 => {
                let line = self.lines.line_at(span.start);
                self.first_line.get_or_insert(line);
                self.has_link |= text.contains(BARE_URL);
                self.text.push(&text);
            }
            Event::InlineHtml(html) => self.read_inline_html(&html, span.start),
            _ => {}
        }
    }

    fn read_start(&mut self, tag: Tag<'s>, span: Range<usize>) {
        let is_inline = is_inline(tag.to_end());
        if !is_inline {
            self.end_paragraph();
        }
        match tag {
            Tag::HtmlBlock => self.read_html_block(span),
            Tag::MetadataBlock(_) => self.hidden_depth += 1,
            Tag::Link { dest_url, .. } => {
                let line = self.lines.line_at(span.start);
                self.add_link(dest_url, line);
            }
            Tag::Image { dest_url, .. } => {
                let line = self.lines.line_at(span.start);
                self.add_link(dest_url, line);
                self.hidden_depth += 1;
            }
            _ => {}
        }
    }

    fn add_link(&mut self, destination: CowStr<'s>, line: u32) {
        self.first_line.get_or_insert(line);
        self.has_link = true;
        self.links.push((destination, line));
    }

    /// Reads the links of an HTML tag in a paragraph.
    fn read_inline_html(&mut self, html: &str, start: usize) {
        let line = self.lines.line_at(start);
        each_paragraph(html.as_bytes(), UTF_8, self.hashes, |paragraph| {
            for link in paragraph.links {
                self.add_link(decode_attribute(&html[link.clone()]), line);
            }
        });
    }

    /// Reads a block of HTML, in the same way as a page.
    fn read_html_block(&mut self, span: Range<usize>) {
        let source = &self.lines.source[span.clone()];
        each_paragraph(source.as_bytes(), UTF_8, self.hashes, |paragraph| {
            if paragraph.links.is_empty() {
                return;
            }
            let first = paragraph.links[0].start.min(paragraph.span.end);
            self.text = paragraph.text.clone();
            self.first_line = Some(self.lines.line_at(span.start + first));
            for link in paragraph.links {
                let line = self.lines.line_at(span.start + link.start);
                self.add_link(decode_attribute(&source[link.clone()]), line);
            }
            self.end_paragraph();
        });
    }

    fn end_paragraph(&mut self) {
        if let (true, Some(line)) = (self.has_link, self.first_line) {
            let start = self.entries.len();
            let text = self.text.finish().map(|hash| SourceEntry { hash, line });
            let links = self.links.iter();
            let links = links
                .map(|(link, line)| SourceEntry { hash: self.text.finish_with(link), line: *line });
            self.entries.extend(text.into_iter().chain(links));
            // Two links of a paragraph to one destination are no ambiguity: the first line is kept.
            let mut added = self.entries.split_off(start);
            added.sort_unstable();
            added.dedup_by_key(|entry| entry.hash);
            self.entries.append(&mut added);
        }
        self.text = self.hashes.start();
        (self.first_line, self.has_link) = (None, false);
        self.links.clear();
    }
}

fn decode_attribute<'s>(written: &str) -> CowStr<'s> {
    decode(written, Context::Attribute).into_owned().into()
}

/// Whether a construct is a part of a paragraph, and its end no end of the paragraph.
fn is_inline(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image
    )
}

/// Converts offsets to lines. Counts from the last offset, so ascending offsets are cheap.
struct LineCounter<'s> {
    source: &'s str,
    /// The last offset, and its line.
    offset: usize,
    line: u32,
}

impl LineCounter<'_> {
    /// Returns the line of an offset, counted from 1.
    fn line_at(&mut self, offset: usize) -> u32 {
        // An element begins before its text, so the offset goes back by at most a paragraph.
        let (from, to) = (self.offset.min(offset), self.offset.max(offset));
        let between = memchr::memchr_iter(b'\n', &self.source.as_bytes()[from..to]).count();
        let between = u32::try_from(between).unwrap_or(u32::MAX);
        self.line = if offset < self.offset {
            self.line.saturating_sub(between)
        } else {
            self.line.saturating_add(between)
        };
        self.offset = offset;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::WINDOWS_1252;

    use super::*;

    /// Reads the paragraphs with text: returns the index of each in `texts`, and its number of
    /// links.
    fn read(source: &[u8], encoding: &'static Encoding, texts: &[&str]) -> Vec<(usize, usize)> {
        let hashes = TextHasher::default();
        let mut paragraphs = Vec::new();
        each_paragraph(source, encoding, &hashes, |paragraph| {
            let is_text = |text: &&str| {
                let mut hash = hashes.start();
                hash.push(text);
                hash.finish() == paragraph.text.finish()
            };
            if paragraph.text.finish().is_some() {
                let number = texts.iter().position(is_text);
                paragraphs.push((number.unwrap_or(usize::MAX), paragraph.links.len()));
            }
        });
        paragraphs
    }

    #[test]
    fn block_tags_end_paragraphs_and_others_do_not() {
        let page = b"<!DOCTYPE><title>T</title><p>One <a href=x>t<b>w</b>o</a><!-- no --> &#x41;\
            <P>Next<br>line<ul><li>Item <img src=y alt=no><ul><li>Inner</ul></ul>End\
            <script>if (a < b) c()</script>&amp;";
        let texts = ["DOCTYPE", "One two A", "Next line", "Item", "Inner", "End"];
        assert_eq!(read(page, UTF_8, &texts), [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0), (5, 0)]);
    }

    #[test]
    fn spans_have_no_gaps() {
        let page = b"a<p>b</p>c<div>d";
        let mut end = 0;
        each_paragraph(page, UTF_8, &TextHasher::default(), |paragraph| {
            assert_eq!(paragraph.span.start, end);
            end = paragraph.span.end;
        });
        assert_eq!(end, page.len());
    }

    #[test]
    fn text_is_that_of_the_encoding() {
        assert_eq!(read(b"<p>caf\xe9", WINDOWS_1252, &["caf\u{e9}"]), [(0, 0)]);
    }

    #[test]
    fn a_list_has_names_in_any_case() {
        assert!(is_in(BLOCKS, b"ADDRESS") && is_in(BLOCKS, b"hgroup") && is_in(BLOCKS, b"Ul"));
        assert!(!is_in(BLOCKS, b"a") && !is_in(BLOCKS, b"blockquotes-of-mine") && !is_in(RAW, b""));
    }
}
