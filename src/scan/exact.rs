//! The exact scanner: the tokenizer and the tree construction of an HTML parser, names only.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html>, whole documents, where scripts run. The
//! content of `noscript` is text there; the scanner then reads it as the content of a body in a
//! browser without scripts.
//!
//! [`scan`] reports every start tag that such a parser sees, with byte spans, in one pass and
//! linear time on any bytes; `action` and `place` say what the tree builder makes of it.
//!
//! # What it tracks
//!
//! - The tokenizer: comments, doctypes, CDATA sections, the raw text states, script escapes,
//!   duplicate attributes. An unfinished tag at the end of the source does not count.
//! - The insertion modes, the stack of open elements and the list of active formatting elements
//!   with the adoption agency, as names. All of these decide whether a tag is in foreign content,
//!   where `<style>` is not raw text and `<![CDATA[` hides tags. Even a reopened formatting element
//!   does: in `<svg><desc><p><b></p>x</desc><style>` the `b` around the `x` keeps `</desc>` from
//!   closing anything, so that the `style` is an HTML one.
//! - Runs of text by kind: white space (`&#32;` too), NUL or other characters.
//!
//! # What it does not track, and why that is safe
//!
//! - Nodes, attribute values, text: no rule reads them again, except for a few attributes that are
//!   read with their tag (`type=hidden`, `encoding`, `color`/`face`/`size` of a `font`).
//! - Foster parenting, and the targets to which the adoption agency moves nodes: the stack
//!   decides, not the tree.
//! - The newline after `<pre>`, which a parser drops: here it can at most reopen a formatting
//!   element inside the `pre`, which is an open HTML element anyway.
//! - The content of raw text elements: they are closed before the next token.
//! - `form` ownership, scripts, `selectedcontent`: they create no tokens.
//!
//! # Why not html5ever's tree builder
//!
//! - A token sink of html5ever would spare us tree construction. But the smallest build would have
//!   53 crates instead of 39 (`cargo tree -e normal --no-default-features`, with `dom` and without
//!   `markup5ever_rcdom`); the limit is 45.
//! - It would follow html5ever 0.40 where that departs from the Standard, such as around
//!   `annotation-xml`, and lose links that browsers see.
//!
//! # Where a tree can show something else
//!
//! - An inserted element can vanish: a `frameset` replaces an existing body.
//! - NOTE: the Standard [clones] the selected `option` over the content of `selectedcontent`, and
//!   html5ever 0.40 does not. Links in that content count here, and clones do not, as everywhere.
//! - Formatting elements are cloned: one start tag, several elements.
//! - The attributes of a merged tag count if the existing element has no attribute of that name.
//! - NOTE: at most 64 formatting elements are reopened at once.
//! - NOTE: names and values with NUL, and the attributes of two formatting elements, compare as
//!   written.
//!
//! [clones]: https://html.spec.whatwg.org/multipage/form-elements.html#maybe-clone-an-option-into-selectedcontent
//!
//! html5ever 0.40 departs from the Standard around integration points of foreign content, in
//! templates and at `search`; the DOM engine refuses a document where that shows.

use std::ops::{ControlFlow, Range};

use memchr::memchr;

use super::attributes::{Attributes, end_tag};
use super::bytes::name_end;
use super::events::{
    Attribute, Innermost, Namespace, Placement, Sink, StartTag, TextKind, TreeAction,
};
use super::text::{References, comment_end, next_run, raw_end, script_end};
use names::{Interner, NOSCRIPT, SCRIPT, STYLE};
pub(crate) use stack::ScannerBuffers;
use stack::has_text;
use token::{Tag, is_quirky};
use tree::{Content, Tree};

mod body;
mod names;
mod rules;
mod stack;
mod table;
mod token;
mod tree;

/// Reports every start tag of an HTML document; returns `Break` if the sink stopped the scan.
///
/// The source is UTF-8 or any other encoding in which ASCII bytes represent ASCII characters only.
pub fn scan(source: &[u8], sink: &mut impl Sink) -> ControlFlow<()> {
    scan_in(source, sink, &mut ScannerBuffers::default())
}

/// [`scan`] with buffers that are reused from one document to the next.
pub(crate) fn scan_in(
    source: &[u8],
    sink: &mut impl Sink,
    room: &mut ScannerBuffers,
) -> ControlFlow<()> {
    let mut scanner = Scanner {
        source,
        sink,
        tree: Tree::new(room),
        names: Interner::default(),
        attributes: Attributes::default(),
        outer_depth: 0,
        noscript_room: ScannerBuffers::default(),
    };
    let flow = scanner.run(0);
    *room = scanner.tree.stack.into_room();
    flow
}

struct Scanner<'s, S> {
    source: &'s [u8],
    sink: &'s mut S,
    tree: Tree,
    names: Interner,
    attributes: Attributes,
    /// The number of open elements around the content, if that is of a `noscript`.
    outer_depth: usize,
    noscript_room: ScannerBuffers,
}

impl<S: Sink> Scanner<'_, S> {
    /// Reads the source from the offset `start`, and closes the open elements at its end.
    fn run(&mut self, start: usize) -> ControlFlow<()> {
        self.tokens(start)?;
        self.tree.flush_table_text();
        if !self.tree.is_noscript() {
            self.sink.clones(self.tree.stack.formatting.clones);
        }
        // No need to pop the open elements: only the ends of styles are reported.
        for _ in 0..self.tree.stack.styles_open {
            self.sink.style_end();
        }
        ControlFlow::Continue(())
    }

    /// The data state and the tag open state; each token advances, so the loop ends.
    fn tokens(&mut self, mut at: usize) -> ControlFlow<()> {
        let source = self.source;
        while at < source.len() {
            let open = memchr(b'<', &source[at..]).map_or(source.len(), |found| at + found);
            if open > at {
                self.text(at..open, References::Count);
            }
            at = match source.get(open + 1) {
                Some(byte) if byte.is_ascii_alphabetic() => match self.start_tag(open) {
                    Ok(Some(end)) => end,
                    Ok(None) => break,
                    Err(Stopped) => return ControlFlow::Break(()),
                },
                Some(b'/') => self.end_tag_open(open),
                Some(b'!') => self.declaration(open),
                Some(b'?') => self.bogus_comment(open + 1),
                _ if open < source.len() => {
                    self.text(open..open + 1, References::Literal);
                    open + 1
                }
                _ => break,
            };
        }
        ControlFlow::Continue(())
    }

    /// Passes text on if it can change the state of the tree.
    #[inline]
    fn text(&mut self, span: Range<usize>, references: References) {
        if let Some(current) = self.tree.stack.current_entry()
            && has_text(current.name, current.kind)
        {
            self.sink.style_text(span.clone(), TextKind::Escapable);
        }
        self.characters(span, references);
    }

    fn characters(&mut self, span: Range<usize>, references: References) {
        let mut rest = &self.source[span];
        while !rest.is_empty() && !self.tree.is_deaf() {
            let (run, length) = next_run(rest, references);
            self.tree.characters(run);
            rest = &rest[length..];
        }
    }

    /// Reads a start tag and its raw text; returns the offset to continue at, or `None` at the end.
    fn start_tag(&mut self, start: usize) -> Result<Option<usize>, Stopped> {
        let source = self.source;
        let name = start + 1..name_end(source, start + 1);
        let Some(tag_end) = self.attributes.read(source, name.end) else {
            self.sink.other_tag(start..source.len());
            return Ok(None);
        };
        let id = self.names.intern(&source[name.clone()]);
        self.tree.stack.grow(self.names.count());
        let built = self.tree.start(&Tag {
            name: id,
            self_closing: tag_end.self_closing,
            start,
            source,
            attributes: &self.attributes.list,
        });
        self.report_style_ends();
        let flow = self.sink.start_tag(&StartTag {
            span: start..tag_end.end,
            name: name.clone(),
            namespace: built.namespace,
            place: built.place,
            action: built.action,
            attributes: &self.attributes.list,
            attribute_count: self.attributes.count,
            is_self_closing: tag_end.self_closing,
            is_in_noscript: self.tree.is_noscript(),
        });
        if flow.is_break() {
            return Err(Stopped);
        }
        if id == NOSCRIPT && built.content == Content::Raw {
            return self.noscript(start..tag_end.end);
        }
        let is_innermost = built.action == TreeAction::Inserted && self.tree.stack.is_innermost(id);
        let innermost = if is_innermost { Innermost::New } else { Innermost::Other };
        self.sink.stack(self.depth(), innermost, start..tag_end.end);
        let is_style = id == STYLE && built.action == TreeAction::Inserted;
        Ok(match built.content {
            Content::Markup => {
                let is_text = id == SCRIPT && built.action == TreeAction::Inserted || is_style;
                if is_text && built.namespace == Namespace::Svg && tag_end.self_closing {
                    self.sink.style_end();
                }
                Some(tag_end.end)
            }
            Content::Plaintext => {
                self.characters(tag_end.end..source.len(), References::Literal);
                None
            }
            Content::Script => self.raw_text_end(script_end(source, tag_end.end)),
            Content::Raw => {
                let end = raw_end(source, tag_end.end, &source[name]);
                if is_style {
                    self.sink.style_text(tag_end.end..end, TextKind::Raw);
                    self.sink.style_end();
                }
                self.raw_text_end(end)
            }
        })
    }

    /// Reads the content of the `noscript` element with this start tag; returns the offset to
    /// continue at.
    fn noscript(&mut self, tag: Range<usize>) -> Result<Option<usize>, Stopped> {
        let depth = self.depth();
        self.sink.stack(depth + 1, Innermost::New, tag.clone());
        let end = raw_end(self.source, tag.end, b"noscript");
        self.sink.noscript(tag.end..end);
        let content = &self.source[..end];
        if memchr(b'<', &content[tag.end..]).is_some() {
            let tree = Tree::of_noscript(self.tree.quirks, &mut self.noscript_room);
            let mut scanner = Scanner {
                source: content,
                sink: &mut *self.sink,
                tree,
                names: Interner::default(),
                attributes: Attributes::default(),
                outer_depth: depth + 1,
                noscript_room: ScannerBuffers::default(),
            };
            let flow = scanner.run(tag.end);
            self.noscript_room = scanner.tree.stack.into_room();
            if flow.is_break() {
                return Err(Stopped);
            }
        }
        self.sink.stack(depth, Innermost::Other, end..end);
        Ok(self.raw_text_end(end))
    }

    /// The number of special and foreign elements that are open.
    fn depth(&self) -> usize {
        self.outer_depth + self.tree.stack.entries.len()
    }

    /// Returns the offset after the end tag that ends raw text, if that tag exists and is finished.
    fn raw_text_end(&mut self, end_tag_start: usize) -> Option<usize> {
        let name = name_end(self.source, end_tag_start + 2);
        let end = end_tag(self.source, name);
        self.sink.other_tag(end_tag_start..end.unwrap_or(self.source.len()));
        end.inspect(|_| {
            self.report_current_node();
        })
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#end-tag-open-state>
    fn end_tag_open(&mut self, start: usize) -> usize {
        let source = self.source;
        match source.get(start + 2) {
            Some(byte) if byte.is_ascii_alphabetic() => {
                let name = start + 2..name_end(source, start + 2);
                let end = end_tag(source, name.end);
                self.sink.other_tag(start..end.unwrap_or(source.len()));
                let Some(end) = end else { return source.len() };
                let id = self.names.intern(&source[name]);
                self.tree.stack.grow(self.names.count());
                self.tree.end(id);
                self.report_style_ends();
                self.sink.stack(self.depth(), Innermost::Other, start..end);
                self.report_current_node();
                end
            }
            Some(b'>') => start + 3,
            Some(_) => self.bogus_comment(start + 2),
            None => source.len(),
        }
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#markup-declaration-open-state>
    fn declaration(&mut self, start: usize) -> usize {
        let source = self.source;
        let inside = &source[start + 2..];
        if inside.starts_with(b"--") {
            let text = start + 4;
            let (end, after) = comment_end(source, text);
            self.tree.comment();
            self.sink.comment(text..end);
            return after;
        }
        if inside.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            // No state of a doctype accepts a `>` inside, not even in quotes.
            let text = &inside[7..];
            let length = memchr(b'>', text).unwrap_or(text.len());
            self.tree.doctype(is_quirky(&text[..length]));
            return (start + 9 + length + 1).min(source.len());
        }
        if self.report_current_node() && inside.starts_with(b"[CDATA[") {
            return self.cdata(start + 9);
        }
        self.bogus_comment(start + 2)
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#cdata-section-state>
    fn cdata(&mut self, start: usize) -> usize {
        let length = memchr::memmem::find(&self.source[start..], b"]]>");
        let end = length.map_or(self.source.len(), |length| start + length);
        if let Some(current) = self.tree.stack.current_foreign()
            && has_text(current.name, current.kind)
        {
            self.sink.style_text(start..end, TextKind::Cdata);
        }
        self.characters(start..end, References::Literal);
        (end + 3).min(self.source.len())
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#bogus-comment-state>
    fn bogus_comment(&mut self, start: usize) -> usize {
        self.tree.comment();
        let rest = &self.source[start..];
        memchr(b'>', rest).map_or(self.source.len(), |length| start + length + 1)
    }

    /// Reports whether the current node is foreign.
    fn report_current_node(&mut self) -> bool {
        let is_foreign = self.tree.stack.current_foreign().is_some();
        if !self.tree.is_noscript() {
            self.sink.current_node(is_foreign);
        }
        is_foreign
    }

    fn report_style_ends(&mut self) {
        for _ in 0..std::mem::take(&mut self.tree.stack.styles_closed) {
            self.sink.style_end();
        }
    }
}

/// The sink stopped the scan.
struct Stopped;

#[cfg(test)]
mod tests;
