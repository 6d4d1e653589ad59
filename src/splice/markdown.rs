//! Decides on the links of a Markdown document: those in Markdown syntax, and those of its HTML.

use std::borrow::Cow;
use std::ops::Range;

use super::page::{Output, Page, Scanned, SpliceBuffers, pass_edits};
use super::sites::{PageDecider, find_ignored};
use crate::attributes::{Namespace, RequiredForm};
use crate::base::{BaseLayer, ResolvedBase};
use crate::edit::Edits;
use crate::error::{Error, Limit, Location};
use crate::link::{Document, LinkPass, Settings, Site};
use crate::scan::markdown::{Destination, DestinationKind, MarkdownFault};
use crate::scan::{Interest, ScanOptions};
use crate::value::Container;

/// Maximum bytes of a document.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Maximum marks in a document: characters that may begin or end a construct. The parser takes up
/// to 250 bytes of memory for a mark and the text after it.
const MAX_MARKS: usize = 4_000_000;

/// Scans a Markdown document and its HTML; returns the page, decoded if it is not UTF-8.
///
/// # Errors
///
/// If the document exceeds a limit, or the parser panics.
pub(super) fn scan<'s>(
    page: Page<'s>,
    (settings, interest): (&Settings, &Interest),
    buffers: &mut SpliceBuffers,
) -> Result<Page<'s>, Error> {
    if page.source().len() > MAX_BYTES {
        return Err(Error::limit(Limit::Markdown, MAX_BYTES, None));
    }
    let page = page.into_text();
    let text = page.decode(0..page.bytes().len());
    if text.text().len() > MAX_MARKS && count_marks(text.text()) > MAX_MARKS {
        return Err(Error::limit(Limit::Marks, MAX_MARKS, None));
    }
    let SpliceBuffers { candidates, markdown, .. } = buffers;
    let max = settings.limits.depth;
    let scanned = markdown.scan(text.text(), if max == 0 { usize::MAX } else { max });
    scanned.map_err(|fault| match fault {
        MarkdownFault::Panic => Error::markdown(),
        MarkdownFault::Depth(line) => {
            Error::limit(Limit::BlockDepth, max, Some(Location::Line(line)))
        }
    })?;
    drop(text);
    candidates.scan(markdown.html.as_bytes(), interest, ScanOptions::new(interest));
    Ok(page)
}

/// Counts the marks in a text ([`MAX_MARKS`]).
fn count_marks(text: &str) -> usize {
    let is_mark = |pair: &&[u8]| match pair[0] {
        b'-' | b'+' | b'.' | b')' => pair[1].is_ascii_whitespace(),
        byte => b"\n\r[]<>*_~`&\\!|".contains(&byte),
    };
    text.as_bytes().windows(2).filter(is_mark).count()
}

/// Decides on every link of a document, and returns its base, which is its own URL: a `base`
/// element in Markdown has no effect, as a converter writes it into the body of a page.
pub(super) fn decide(
    scanned: &Scanned<'_, '_>,
    outer_base: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    let Scanned { page, buffers: SpliceBuffers { candidates, markdown, .. }, interest, .. } =
        scanned;
    let document = Document::new(None, outer_base, pass.encoding, pass.settings, None)?;
    let document = document.in_markdown(pass.settings);
    let html = page.with_text(&markdown.html);
    let ignored = find_ignored(&html, candidates, pass);
    let decider = PageDecider::new((&html, candidates, interest), &document, &ignored);
    let mut edits = Edits::new(pass.max_output, Some(page.locate(0)));
    let mut done = 0;
    for destination in &markdown.destinations {
        let is_before = |element: u32| (element as usize) < destination.span.start;
        let before = candidates.list[done..].partition_point(|tag| is_before(tag.element));
        let mut html_edits = HtmlEdits { page, html: html.bytes(), edits: &mut edits };
        decider.decide_range(done..done + before, pass, &mut html_edits)?;
        done += before;
        pass.is_ignored = decider.is_ignored(destination.span.start);
        decide_destination(destination, page, &document, pass, &mut edits)?;
        pass.is_ignored = false;
    }
    let mut html_edits = HtmlEdits { page, html: html.bytes(), edits: &mut edits };
    decider.decide_range(done..candidates.list.len(), pass, &mut html_edits)?;
    edits.sort();
    pass_edits(&edits, output)?;
    Ok(document.established)
}

/// Receives the edits of the HTML, and escapes characters with a meaning in Markdown.
struct HtmlEdits<'e> {
    page: &'e Page<'e>,
    html: &'e [u8],
    edits: &'e mut Edits,
}

impl Output for HtmlEdits<'_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        // Joining a URL that spans two lines could turn its tag into the start of an HTML block.
        if self.page.bytes()[span.clone()].iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            return Ok(());
        }
        // The extracted HTML differs here: the parser closed an attribute that the HTML block cuts
        // off, so there is no value to edit.
        if self.html.get(span.start) != self.page.bytes().get(span.start) {
            return Ok(());
        }
        // Markdown reads code and cells of tables before tags, and a `)` in a tag could complete a
        // link. CSS in a `style` element has no character references, and its parentheses are
        // escaped already. A CSS escape with six digits needs no delimiter after it.
        let [tick, bar, end] = match container {
            Container::CssString(_) | Container::CssUrl => ["\\000060", "\\00007c", ")"],
            _ => ["&#96;", "&#124;", "&#41;"],
        };
        let text = text.replace('`', tick).replace('|', bar).replace(')', end);
        self.edits.edit(span, &text, container)
    }
}

/// Decides on a destination by the rules for the HTML attribute that it becomes.
fn decide_destination(
    destination: &Destination,
    page: &Page<'_>,
    document: &Document,
    pass: &mut LinkPass<'_>,
    output: &mut Edits,
) -> Result<(), Error> {
    let Destination { span, text, kind } = destination;
    let (element, attribute) = match kind {
        DestinationKind::Link | DestinationKind::Autolink => ("a", "href"),
        DestinationKind::Image => ("img", "src"),
    };
    let Some(mut site) = Site::find(pass.settings, element, Namespace::Html, attribute) else {
        return Ok(());
    };
    if *kind == DestinationKind::Autolink {
        site.spot.form = RequiredForm::Absolute;
    }
    let old = page.decode(span.clone());
    // An edit would lose bytes that are invalid in the encoding.
    if old.text().contains(char::REPLACEMENT_CHARACTER) {
        return Ok(());
    }
    // Patterns also match the destination as written, in its angle brackets.
    pass.is_ignored |= pass.settings.ignored.iter().any(|rule| rule.matches(old.text(), None));
    let span_of = |_| Some(page.source_range(span.clone()));
    let mut edits = Edits::new(pass.max_output, Some(page.locate(span.start)));
    pass.value(document, &site, text, &span_of, &mut |edit| edits.push(edit))?;
    let Some(last) = edits.iter().last().map(|edit| edit.span.end) else { return Ok(()) };
    let (new, kept_len) = (edits.apply(text), text.len() - last);
    let new = match kind {
        DestinationKind::Autolink => write_autolink(&new),
        _ => Some(write_destination(old.text(), text, &new, kept_len)),
    };
    new.map_or(Ok(()), |new| output.edit(span.clone(), &new, Container::Whole))
}

/// Writes a URL for an [autolink](https://spec.commonmark.org/0.31.2/#autolinks), which has no
/// escapes; `None` if the URL is not absolute.
fn write_autolink(url: &str) -> Option<String> {
    let (scheme, _) = url.split_once(':')?;
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte);
    let is_absolute = (2..=32).contains(&scheme.len())
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(is_scheme);
    let encode = |character: char| match character {
        '\0'..=' ' | '\x7f' | '<' | '>' | '|' | '`' => format!("%{:02X}", u32::from(character)),
        _ => character.to_string(),
    };
    is_absolute.then(|| url.chars().map(encode).collect())
}

/// Writes the destination `new`, which replaces `old`. The decoded text of `old` is `text`, and the
/// last `kept_len` bytes of `text` and `new` are equal: these stay as written, if possible.
fn write_destination(old: &str, text: &str, new: &str, kept_len: usize) -> String {
    let brackets = old.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let inner = brackets.unwrap_or(old);
    let cut = text.len() - kept_len;
    let is_as_written = |part: &str| part == &text[..cut] && !part.contains(['\\', '&']);
    let tail = if inner.get(..cut).is_some_and(is_as_written) {
        Cow::Borrowed(&inner[cut..])
    } else {
        Cow::Owned(escape(&text[cut..], "", false))
    };
    let head = |escapes_delimiters| {
        escape(&new[..new.len() - kept_len], &tail, escapes_delimiters) + &tail
    };
    match brackets {
        Some(_) => format!("<{}>", head(true)),
        None if new.is_empty() => "<>".to_owned(),
        None => {
            Some(head(false)).filter(|bare| is_bare(bare)).unwrap_or_else(|| escape(new, "", true))
        }
    }
}

/// Escapes characters that would end a destination, or become part of an escape or a reference. If
/// `escapes_delimiters`, also escapes spaces and parentheses, which may end a malformed tag or
/// link.
fn escape(text: &str, followed_by: &str, escapes_delimiters: bool) -> String {
    let ends_value = |character| character <= ' ' || "()\x7f".contains(character);
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        match character {
            '\\' => out.push_str("\\\\"),
            '&' if begins_reference(&[&text[at + 1..], followed_by]) => out.push_str("&amp;"),
            // Markdown reads code, tags and cells of tables first, and backslashes escape nothing
            // there, so these characters become references.
            _ if "\n\r`<>|".contains(character) || escapes_delimiters && ends_value(character) => {
                out.extend(["&#", &u32::from(character).to_string(), ";"]);
            }
            _ => out.push(character),
        }
    }
    out
}

/// Whether an `&` before the two parts of a text may begin a character reference.
fn begins_reference(parts: &[&str; 2]) -> bool {
    /// Maximum bytes to read: the longest name of a character reference has 31 letters.
    const MAX_LENGTH: usize = 40;
    let mut bytes = parts.iter().flat_map(|part| part.bytes()).take(MAX_LENGTH);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    bytes.find(|byte| !is_name(byte)) == Some(b';')
}

/// Whether every parser reads the text as a destination without angle brackets. Some parsers accept
/// at most three levels of parentheses.
fn is_bare(text: &str) -> bool {
    let mut depth = 0;
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            0..=b' ' | 0x7f => return false,
            b'\\' => _ = bytes.next_if(u8::is_ascii_punctuation),
            b'(' if depth == 3 => return false,
            b'(' => depth += 1,
            b')' if depth == 0 => return false,
            b')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0 && !text.starts_with('<')
}
