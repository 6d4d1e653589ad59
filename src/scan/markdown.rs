//! Finds the destinations of links in Markdown, and its HTML:
//! [CommonMark](https://spec.commonmark.org/) with tables and footnotes of
//! [GFM](https://github.github.com/gfm/).
//!
//! The parser reports the spans of links, definitions and HTML, and decoded destinations. The scan
//! finds the span of a destination inside its link by the rules of the syntax.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pulldown_cmark::{CowStr, Event, LinkType, OffsetIter, Options, Parser, Tag, TagEnd};

/// The extensions of `CommonMark` that change the extent of links.
const SYNTAX: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES).union(Options::ENABLE_STRIKETHROUGH);

/// The line that begins metadata at the start of a document, and the lines that end it.
const FENCES: [(&str, &[&str]); 2] = [("---", &["---", "..."]), ("+++", &["+++"])];

/// The delimiters of a CDATA section in inline HTML.
const CDATA_DELIMITERS: [&str; 2] = ["<![CDATA[", "]]>"];

/// The links of a Markdown document.
#[derive(Debug, Default)]
pub(crate) struct MarkdownLinks {
    /// The destinations in Markdown syntax, in the order of the source.
    pub(crate) destinations: Vec<Destination>,
    /// The HTML of the document at its offsets, with spaces for all other bytes.
    pub(crate) html: String,
}

/// The destination of a link or an image, or of a definition for them.
#[derive(Debug)]
pub(crate) struct Destination {
    /// The span as written; includes the `<` and `>` of a destination, but not those of an
    /// autolink.
    pub(crate) span: Range<usize>,
    /// The destination with escapes and references decoded.
    pub(crate) text: Box<str>,
    pub(crate) kind: DestinationKind,
}

/// The construct that a destination belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DestinationKind {
    /// A link.
    Link,
    /// An image, or a definition that only images use.
    Image,
    /// A URL in angle brackets.
    Autolink,
}

/// The reason why a document cannot be read.
#[derive(Debug)]
pub(crate) enum MarkdownFault {
    /// The parser panicked.
    Panic,
    /// Blocks are nested too deep on this line, counted from 1.
    Depth(u64),
}

impl MarkdownLinks {
    /// Finds the links of a document whose blocks nest at most `max_depth` deep.
    ///
    /// # Errors
    ///
    /// If the blocks nest deeper, or the parser panics.
    pub(crate) fn scan(&mut self, source: &str, max_depth: usize) -> Result<(), MarkdownFault> {
        let start = find_metadata_end(source);
        let text = &source[start..];
        // A panic drops the reader, so that none of its state is used afterwards.
        let parse = AssertUnwindSafe(|| match find_too_deep_line(text, max_depth) {
            Some(line) => Err(MarkdownFault::Depth(count_lines(&source[..start]) + line)),
            None => Ok(read_text(text)),
        });
        let parsed = catch_unwind(parse).map_err(|_| MarkdownFault::Panic)?;
        let html;
        (self.destinations, html) = parsed?;
        self.destinations.sort_unstable_by_key(|destination| destination.span.start);
        for Destination { span, .. } in &mut self.destinations {
            *span = span.start + start..span.end + start;
        }
        // Spaces and copied characters are UTF-8.
        self.html = " ".repeat(start) + &String::from_utf8(html).unwrap_or_default();
        Ok(())
    }
}

/// Finds the end of the metadata at the start of a document; 0 if the document has none.
fn find_metadata_end(source: &str) -> usize {
    let end_of_line = if source.contains('\n') { '\n' } else { '\r' };
    let mut lines = source.split_inclusive(end_of_line);
    let first = lines.next().unwrap_or_default();
    let Some((_, ends)) = FENCES.iter().find(|(fence, _)| first.trim_end() == *fence) else {
        return 0;
    };
    let mut end = first.len();
    for (number, line) in lines.enumerate() {
        end += line.len();
        let line = line.trim_end();
        if ends.contains(&line) {
            return end;
        }
        // With an empty line after it, the first line is a thematic break.
        if number == 0 && line.is_empty() {
            return 0;
        }
    }
    0
}

/// Counts the line ends in a text.
fn count_lines(text: &str) -> u64 {
    let ends = text.matches(['\n', '\r']).count() - text.matches("\r\n").count();
    ends as u64
}

/// Finds the first line, counted from 1, that nests blocks deeper than `max`. The limit bounds the
/// time of the parser, which compares each line with all open blocks.
///
/// A line of code may look nested. So the parser checks a document that seems too deep, unless its
/// time may exceed that for a document of this length in which every byte is a line in `max`
/// blocks.
fn find_too_deep_line(source: &str, max: usize) -> Option<u64> {
    let (mut start, mut deepest, mut work, mut suspect) = (0, 0, 0, None);
    for line in source.split_inclusive(['\n', '\r']) {
        deepest = count_levels(line).max(deepest);
        if deepest > max {
            suspect.get_or_insert(start);
        }
        work += deepest;
        start += line.len();
    }
    let line = |start| count_lines(&source[..start]) + 1;
    let suspect = suspect?;
    if work > source.len().saturating_mul(max) {
        return Some(line(suspect));
    }
    let mut depth = 0;
    for (event, span) in Parser::new_ext(source, SYNTAX).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::Item | Tag::FootnoteDefinition(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item | TagEnd::FootnoteDefinition) => {
                depth -= 1;
            }
            _ => {}
        }
        if depth > max {
            return Some(line(span.start));
        }
    }
    None
}

/// Counts the blocks that may contain a line on which a block begins: each block takes a mark, or
/// two columns of white space before a mark.
fn count_levels(line: &str) -> usize {
    let bytes = &line.as_bytes()[..find_rule_start(line)];
    let (mut at, mut marks, mut columns) = (0, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        match byte {
            b'>' => marks += 1,
            b'-' | b'*' | b'+' | b'.' | b')' => {
                marks += usize::from(next.is_none_or(u8::is_ascii_whitespace));
            }
            b'[' if next == Some(&b'^') => match memchr::memchr(b']', &bytes[at..]) {
                Some(length) if bytes.get(at + length + 1) == Some(&b':') => {
                    marks += 1;
                    at += length + 1;
                }
                _ => break,
            },
            b'0'..=b'9' => {}
            b' ' => columns += 1,
            b'\t' => columns += 4,
            _ => break,
        }
        at += 1;
    }
    if marks > 0 { marks + columns / 2 } else { 0 }
}

/// Finds the start of a thematic break at the end of a line, whose marks begin no blocks.
fn find_rule_start(line: &str) -> usize {
    let text = line.trim_ascii_end();
    let Some(mark) = text.chars().last().filter(|mark| "-*".contains(*mark)) else {
        return line.len();
    };
    let start = text.trim_end_matches([mark, ' ', '\t']).len();
    if text[start..].matches(mark).count() < 3 { line.len() } else { start }
}

/// Finds the destinations and the HTML of a text.
///
/// The parser deviates from `CommonMark` in some constructs. After each round, the function masks
/// the characters that misled the parser, and the parser reads the text again.
fn read_text(source: &str) -> (Vec<Destination>, Vec<u8>) {
    /// A fixed maximum, so that the time stays linear in the length of the document.
    const MAX_ROUNDS: usize = 4;
    /// A byte that neither destinations nor autolinks contain.
    const MASK: u8 = 1;
    let mut parsed = Cow::Borrowed(source);
    let mut rounds = 1;
    loop {
        let MarkdownReader { destinations, html, misleading, .. } =
            MarkdownReader::new(source, &parsed).read();
        if misleading.is_empty() || rounds == MAX_ROUNDS {
            return (destinations, html);
        }
        let mut bytes = parsed.into_owned().into_bytes();
        for at in misleading {
            bytes[at] = MASK;
        }
        // ASCII bytes replaced ASCII bytes, so the text is still UTF-8.
        parsed = Cow::Owned(String::from_utf8(bytes).unwrap_or_default());
        rounds += 1;
    }
}

/// Collects the destinations and the HTML from the events of the parser.
struct MarkdownReader<'s> {
    source: &'s str,
    /// The source with misleading characters masked.
    parsed: &'s str,
    /// The offsets of the characters to mask in the next round.
    misleading: Vec<usize>,
    /// The end of the innermost block.
    block_end: usize,
    /// The end of the last CDATA section.
    cdata_end: usize,
    /// CDATA sections that begin before this offset, and after `cdata_end`, have no end.
    unclosed_until: usize,
    open: Vec<OpenLink<'s>>,
    /// The offsets of the definitions that links use.
    used_by_links: HashSet<usize>,
    /// The offsets of the definitions that images use.
    used_by_images: HashSet<usize>,
    destinations: Vec<Destination>,
    html: Vec<u8>,
}

/// A link or an image whose text is being read.
struct OpenLink<'s> {
    /// `None` for a reference link.
    destination: Option<CowStr<'s>>,
    kind: DestinationKind,
    /// Whether it is an image, or in the text of an image, in which tags are no HTML.
    in_image: bool,
    /// The end of the last event inside the text.
    text_end: usize,
}

impl<'s> MarkdownReader<'s> {
    fn new(source: &'s str, parsed: &'s str) -> Self {
        Self {
            source,
            parsed,
            misleading: Vec::new(),
            block_end: 0,
            cdata_end: 0,
            unclosed_until: 0,
            open: Vec::new(),
            used_by_links: HashSet::new(),
            used_by_images: HashSet::new(),
            destinations: Vec::new(),
            html: vec![b' '; source.len()],
        }
    }

    fn read(mut self) -> Self {
        let mut events = Parser::new_ext(self.parsed, SYNTAX).into_offset_iter();
        while let Some((event, span)) = events.next() {
            if let Event::End(TagEnd::Link | TagEnd::Image) = event {
                self.close_link(span);
                continue;
            }
            if let Some(outer) = self.open.last_mut() {
                outer.text_end = outer.text_end.max(span.end);
            }
            match event {
                Event::Start(Tag::Link { link_type, dest_url, id, .. }) => {
                    self.open_link(DestinationKind::Link, link_type, dest_url, span.start + 1);
                    self.note_use(DestinationKind::Link, link_type, &id, &events);
                }
                Event::Start(Tag::Image { link_type, dest_url, id, .. }) => {
                    self.open_link(DestinationKind::Image, link_type, dest_url, span.start + 2);
                    self.note_use(DestinationKind::Image, link_type, &id, &events);
                }
                Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => {}
                Event::Start(_) => self.block_end = span.end,
                Event::Text(_) => self.read_cdata_section(span.start),
                Event::Html(html) => self.copy_html(&html, span),
                // Ends a tag that the block leaves open. Otherwise the tag would extend into the
                // next HTML of the document, which is not part of it.
                Event::End(TagEnd::HtmlBlock) => {
                    if let Some(after) = self.html.get_mut(span.end) {
                        *after = b'>';
                    }
                }
                Event::InlineHtml(html) => {
                    self.read_cdata_section(span.start);
                    if !self.is_in_image() {
                        self.copy_html(&html, span);
                    }
                }
                _ => {}
            }
        }
        for (_, definition) in events.reference_definitions().iter() {
            let start = definition.span.start;
            let is_image = self.used_by_images.contains(&start);
            let kind = if is_image && !self.used_by_links.contains(&start) {
                DestinationKind::Image
            } else {
                DestinationKind::Link
            };
            let from = find_label_end(self.parsed, definition.span.clone());
            self.add_destination(from, &definition.dest, kind);
        }
        self
    }

    fn open_link(
        &mut self,
        kind: DestinationKind,
        link_type: LinkType,
        destination: CowStr<'s>,
        text_end: usize,
    ) {
        let in_image = kind == DestinationKind::Image || self.is_in_image();
        let (kind, destination) = match link_type {
            LinkType::Inline => (kind, Some(destination)),
            LinkType::Autolink => (DestinationKind::Autolink, Some(destination)),
            _ => (kind, None),
        };
        self.open.push(OpenLink { destination, kind, in_image, text_end });
    }

    fn is_in_image(&self) -> bool {
        self.open.last().is_some_and(|link| link.in_image)
    }

    /// Records the definition that a reference link uses.
    fn note_use(
        &mut self,
        kind: DestinationKind,
        link_type: LinkType,
        label: &str,
        events: &OffsetIter<'_>,
    ) {
        if !matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut) {
            return;
        }
        let used = match kind {
            DestinationKind::Image => &mut self.used_by_images,
            _ => &mut self.used_by_links,
        };
        used.extend(events.reference_definitions().get(label).map(|target| target.span.start));
    }

    /// Adds the destination of the link that ends, unless it is a reference link.
    fn close_link(&mut self, span: Range<usize>) {
        let Some(OpenLink { destination: Some(text), kind, text_end, .. }) = self.open.pop() else {
            return;
        };
        if kind == DestinationKind::Autolink {
            let span = span.start + 1..span.end - 1;
            self.destinations.push(Destination { span, text: text.into_string().into(), kind });
            return;
        }
        let end = self.parsed.get(text_end..span.end).and_then(|rest| rest.find("]("));
        self.add_destination(end.map(|at| text_end + at + 2), &text, kind);
    }

    /// Adds the destination after the white space at `from`.
    fn add_destination(&mut self, from: Option<usize>, text: &str, kind: DestinationKind) {
        let span = from.and_then(|from| find_destination(self.parsed, from, text));
        let span = span.filter(|span| self.source[span.clone()] == self.parsed[span.clone()]);
        // The parser accepts a title without white space before it; CommonMark does not.
        if let Some(Range { end, .. }) = span
            && matches!(self.source.as_bytes().get(end), Some(b'"' | b'\'' | b'('))
        {
            self.misleading.push(end);
            return;
        }
        self.destinations.extend(span.map(|span| Destination { span, text: text.into(), kind }));
    }

    /// Finds the end of a CDATA section that may begin at `start`. The parser ends a section at its
    /// first bracket, or reads it as text: masks the brackets, or the start of a section without
    /// end.
    fn read_cdata_section(&mut self, start: usize) {
        if start < self.cdata_end || !self.parsed[start..].starts_with(CDATA_DELIMITERS[0]) {
            return;
        }
        let escapes = start - self.parsed[..start].trim_end_matches('\\').len();
        if escapes % 2 == 1 {
            return;
        }
        let content = start + CDATA_DELIMITERS[0].len();
        let rest =
            self.parsed.get(content..self.block_end).filter(|_| start >= self.unclosed_until);
        if let Some(length) = rest.and_then(|rest| rest.find(CDATA_DELIMITERS[1])) {
            self.cdata_end = content + length;
            let section = self.parsed[content..self.cdata_end].bytes();
            let brackets = (content..).zip(section).filter(|(_, byte)| *byte == b']');
            self.misleading.extend(brackets.map(|(at, _)| at));
        } else {
            self.unclosed_until = self.unclosed_until.max(self.block_end);
            self.misleading.push(start);
        }
    }

    /// Copies HTML from the source, without the marks of quotes and lists inside a tag.
    fn copy_html(&mut self, html: &str, span: Range<usize>) {
        let output = &mut self.html[span.clone()];
        let written = self.source[span.clone()].bytes().zip(self.parsed[span].bytes());
        let mut html = html.bytes().peekable();
        for (blank, (byte, parsed)) in output.iter_mut().zip(written) {
            if html.next_if_eq(&parsed).is_some() {
                *blank = byte;
            }
        }
    }
}

/// Finds the offset after the label of a definition and its colon.
fn find_label_end(source: &str, span: Range<usize>) -> Option<usize> {
    let bytes = &source.as_bytes()[span.clone()];
    let mut at = 1;
    while *bytes.get(at)? != b']' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    Some(span.start + at + 2)
}

/// Finds the destination with this decoded text after the white space at `from`. Lines of the white
/// space may begin with the marks of quotes.
fn find_destination(source: &str, from: usize, text: &str) -> Option<Range<usize>> {
    let bytes = source.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'>' if !text.starts_with('>') => at += 1,
            // The `>` may be the mark of a quote, or begin the destination.
            b'>' if bytes[from..at].contains(&b'\n') => return None,
            b'<' => return Some(at..find_bracketed_end(bytes, at)?),
            _ if text.is_empty() => return Some(from..from),
            _ => break,
        }
    }
    let written = &source[at..find_bare_end(bytes, at)];
    let is_same = written == text || written.contains(['\\', '&']);
    is_same.then(|| at..at + written.len())
}

/// Finds the end of a [destination](https://spec.commonmark.org/0.31.2/#link-destination) in angle
/// brackets.
fn find_bracketed_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    while *bytes.get(at)? != b'>' {
        at += escaped_length(bytes, at);
    }
    Some(at + 1)
}

/// Finds the end of a destination without angle brackets.
fn find_bare_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            0..=b' ' => break,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            b'(' => depth += 1,
            _ => {}
        }
        at += escaped_length(bytes, at);
    }
    at.min(bytes.len())
}

/// Returns the number of bytes of the ASCII character or escape at an offset.
fn escaped_length(bytes: &[u8], at: usize) -> usize {
    let is_escape = bytes[at] == b'\\' && bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation);
    if is_escape { 2 } else { 1 }
}
