//! The paragraphs of a Markdown file.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use absolve::reference::{Context, decode};
use absolve_files::Failure;
use encoding_rs::UTF_8;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

use super::html::{self, Hashes, Text};

/// The extensions of `CommonMark` that generators read. These decide where paragraphs begin and
/// end, and which of their parts are text.
const SYNTAX: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_HEADING_ATTRIBUTES)
    .union(Options::ENABLE_DEFINITION_LIST)
    .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS)
    .union(Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS);

/// A paragraph, or a link in a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) hash: u64,
    /// Counted from 1.
    pub(super) line: u32,
}

/// The mark of a URL in plain text, which many generators turn into a link.
const BARE_URL: &str = "://";

/// The entries of the paragraphs that have links.
///
/// # Errors
///
/// If the parser panics.
pub(super) fn entries(source: &str, hashes: &Hashes) -> Result<Vec<Entry>, Failure> {
    // The reader is dropped with the panic; nothing of it is seen again.
    let read = AssertUnwindSafe(|| {
        let mut reader = Reader::new(source, hashes);
        for (event, span) in Parser::new_ext(source, SYNTAX).into_offset_iter() {
            reader.read(event, span);
        }
        reader.end_paragraph();
        reader.entries
    });
    catch_unwind(read).map_err(|_| Failure::new("the Markdown parser failed; this is a bug of it"))
}

struct Reader<'s> {
    hashes: &'s Hashes,
    lines: Lines<'s>,
    text: Text,
    /// The line of the first text or link of the paragraph.
    first: Option<u32>,
    has_link: bool,
    /// Its destinations, each with its line.
    links: Vec<(CowStr<'s>, u32)>,
    /// The number of open images and metadata, whose text is not text of the page.
    hidden: usize,
    entries: Vec<Entry>,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str, hashes: &'s Hashes) -> Self {
        Self {
            hashes,
            lines: Lines { source, offset: 0, line: 1 },
            text: hashes.text(),
            first: None,
            has_link: false,
            links: Vec::new(),
            hidden: 0,
            entries: Vec::new(),
        }
    }

    fn read(&mut self, event: Event<'s>, span: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, span),
            Event::End(TagEnd::Image | TagEnd::MetadataBlock(_)) => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            Event::End(tag) if is_inline(tag) => {}
            Event::End(_) | Event::Rule => self.end_paragraph(),
            Event::Text(text) | Event::Code(text) if self.hidden == 0 => {
                let line = self.lines.of(span.start);
                self.first.get_or_insert(line);
                self.has_link |= text.contains(BARE_URL);
                self.text.push(&text);
            }
            Event::InlineHtml(html) => self.inline_html(&html, span.start),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'s>, span: Range<usize>) {
        let is_inline = is_inline(tag.to_end());
        if !is_inline {
            self.end_paragraph();
        }
        match tag {
            Tag::HtmlBlock => self.html(span),
            Tag::MetadataBlock(_) => self.hidden += 1,
            Tag::Link { dest_url, .. } => {
                let line = self.lines.of(span.start);
                self.link(dest_url, line);
            }
            Tag::Image { dest_url, .. } => {
                let line = self.lines.of(span.start);
                self.link(dest_url, line);
                self.hidden += 1;
            }
            _ => {}
        }
    }

    fn link(&mut self, destination: CowStr<'s>, line: u32) {
        self.first.get_or_insert(line);
        self.has_link = true;
        self.links.push((destination, line));
    }

    /// Reads a tag in a paragraph.
    fn inline_html(&mut self, html: &str, start: usize) {
        let line = self.lines.of(start);
        html::paragraphs(html.as_bytes(), UTF_8, self.hashes, |paragraph| {
            for link in paragraph.links {
                self.link(attribute_value(&html[link.clone()]), line);
            }
        });
    }

    /// Reads a block of HTML, whose paragraphs are those of a page.
    fn html(&mut self, span: Range<usize>) {
        let source = &self.lines.source[span.clone()];
        html::paragraphs(source.as_bytes(), UTF_8, self.hashes, |paragraph| {
            if paragraph.links.is_empty() {
                return;
            }
            let first = paragraph.links[0].start.min(paragraph.span.end);
            let first = self.lines.of(span.start + first);
            self.text = paragraph.text.clone();
            self.first = Some(first);
            for link in paragraph.links {
                let line = self.lines.of(span.start + link.start);
                self.link(attribute_value(&source[link.clone()]), line);
            }
            self.end_paragraph();
        });
    }

    fn end_paragraph(&mut self) {
        if let (true, Some(line)) = (self.has_link, self.first) {
            let start = self.entries.len();
            let text = self.text.alone().map(|hash| Entry { hash, line });
            let links = self.links.iter();
            let links = links.map(|(link, line)| Entry { hash: self.text.with(link), line: *line });
            self.entries.extend(text.into_iter().chain(links));
            // Two links of a paragraph to one destination are one place.
            let mut added = self.entries.split_off(start);
            added.sort_unstable();
            added.dedup_by_key(|entry| entry.hash);
            self.entries.append(&mut added);
        }
        self.text = self.hashes.text();
        (self.first, self.has_link) = (None, false);
        self.links.clear();
    }
}

fn attribute_value<'s>(written: &str) -> CowStr<'s> {
    decode(written, Context::Attribute).into_owned().into()
}

/// Whether an element is a part of a paragraph.
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

/// The lines of offsets that mostly ascend.
struct Lines<'s> {
    source: &'s str,
    /// An offset, and its line.
    offset: usize,
    line: u32,
}

impl Lines<'_> {
    /// The line that an offset is on, counted from 1.
    fn of(&mut self, offset: usize) -> u32 {
        // An element begins before its text: it goes back by a paragraph at most.
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
