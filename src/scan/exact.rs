//! The exact scanner: the tokenizer and the tree construction of an HTML parser, reduced to names.
//!
//! [`scan`] reports every start tag that a [parser of whole documents][parser] sees, with byte
//! spans, in one pass and linear time on any bytes. `action` and `place` of a tag are the tree
//! builder's decisions. As scripts run, the content of `noscript` is text. The scanner then also
//! reads that text like the content of a body, as browsers without scripts do.
//!
//! [parser]: https://html.spec.whatwg.org/multipage/parsing.html
//!
//! # Tracked state
//!
//! - The tokenizer: comments, doctypes, CDATA sections, the raw text states, script escapes,
//!   duplicate attributes. An unfinished tag at the end of the source does not count.
//! - The insertion modes, the stack of open elements and the list of active formatting elements
//!   with the adoption agency, as names. All of these decide whether a tag is in foreign content,
//!   in which `<style>` is not raw text and `<![CDATA[` hides tags. Even a reopened formatting
//!   element does: in `<svg><desc><p><b></p>x</desc><style>` the `b` around the `x` keeps `</desc>`
//!   from closing anything, so the `style` is an element of HTML.
//! - Runs of text by kind: white space (`&#32;` too), NUL or other characters.
//!
//! # Omitted state, with the reasons
//!
//! - Nodes, attribute values, text: no later rule reads them. A few rules read attributes of the
//!   current tag (`type=hidden`, `encoding`, `color`/`face`/`size` of a `font`).
//! - Foster parenting, and the new parents of nodes that the adoption agency moves: later tags
//!   depend on the stack, not on the tree.
//! - The newline after `<pre>`, which a parser drops. Here the newline can at most reopen a
//!   formatting element inside the `pre`, which is an open HTML element anyway.
//! - The content of raw text elements, which are closed before the next token.
//! - `form` ownership, scripts, `selectedcontent`, which create no tokens.
//!
//! # Comparison with html5ever
//!
//! - With html5ever's tree builder, this module would need no tree construction. But the smallest
//!   build would have 53 crates instead of 39 (`cargo tree -e normal --no-default-features`, with
//!   `dom` and without `markup5ever_rcdom`); the limit is 45.
//! - html5ever 0.40 departs from the Standard, such as around `annotation-xml`, and loses links
//!   that browsers see.
//!
//! # Differences from a tree
//!
//! - An inserted element can vanish: a `frameset` replaces an existing body.
//! - NOTE: the Standard [clones] the selected `option` over the content of `selectedcontent`, and
//!   html5ever 0.40 does not. The scanner reports that content as written, and no clones.
//! - Formatting elements are cloned: one start tag, several elements.
//! - The attributes of a merged tag apply if the existing element has no attribute of that name.
//! - NOTE: at most 64 formatting elements are reopened at once.
//! - NOTE: names and values with NUL, and the attributes of two formatting elements, compare as
//!   written.
//!
//! [clones]: https://html.spec.whatwg.org/multipage/form-elements.html#maybe-clone-an-option-into-selectedcontent
//!
//! html5ever 0.40 departs from the Standard around integration points of foreign content, in
//! templates and at `search`. The DOM engine refuses a document if this changes the result.

use std::ops::{ControlFlow, Range};

use memchr::memchr;

use super::tag::{Attributes, find_name_end, find_tag_end};
use super::text::{References, find_comment_end, find_raw_end, find_script_end, split_run};
use super::{Attribute, Innermost, Namespace, Placement, Sink, StartTag, TextKind, TreeAction};
use names::{Interner, NOSCRIPT, SCRIPT, STYLE};
pub(crate) use stack::ScannerBuffers;
use stack::reports_text;
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

/// [`scan`] with buffers that serve one document after another.
pub(crate) fn scan_in(
    source: &[u8],
    sink: &mut impl Sink,
    buffers: &mut ScannerBuffers,
) -> ControlFlow<()> {
    let mut scanner = ExactScanner {
        source,
        sink,
        tree: Tree::new(buffers),
        names: Interner::default(),
        attributes: Attributes::default(),
        outer_depth: 0,
        noscript_buffers: ScannerBuffers::default(),
    };
    let flow = scanner.run(0);
    *buffers = scanner.tree.stack.into_buffers();
    flow
}

/// The state of a scan of a document, or of the content of a `noscript`.
struct ExactScanner<'s, S> {
    source: &'s [u8],
    sink: &'s mut S,
    tree: Tree,
    names: Interner,
    attributes: Attributes,
    /// The depth of the `noscript` whose content is the source; 0 for a document.
    outer_depth: usize,
    noscript_buffers: ScannerBuffers,
}

impl<S: Sink> ExactScanner<'_, S> {
    /// Reads the source from the offset `start`, and ends the `style` elements that are left open.
    fn run(&mut self, start: usize) -> ControlFlow<()> {
        self.read_tokens(start)?;
        self.tree.flush_table_text();
        if !self.tree.is_noscript() {
            self.sink.clones(self.tree.stack.formatting.clones);
        }
        // The sink receives only the ends of styles, so other open elements are not popped.
        for _ in 0..self.tree.stack.styles_open {
            self.sink.style_end();
        }
        ControlFlow::Continue(())
    }

    /// Reads tokens up to the end of the source: the data state and the tag open state.
    fn read_tokens(&mut self, mut at: usize) -> ControlFlow<()> {
        let source = self.source;
        while at < source.len() {
            let open = memchr(b'<', &source[at..]).map_or(source.len(), |offset| at + offset);
            if open > at {
                self.read_text(at..open, References::Decode);
            }
            at = match source.get(open + 1) {
                Some(byte) if byte.is_ascii_alphabetic() => match self.read_start_tag(open) {
                    Ok(Some(end)) => end,
                    Ok(None) => break,
                    Err(Stop) => return ControlFlow::Break(()),
                },
                Some(b'/') => self.read_end_tag(open),
                Some(b'!') => self.read_declaration(open),
                Some(b'?') => self.skip_bogus_comment(open + 1),
                _ if open < source.len() => {
                    self.read_text(open..open + 1, References::Literal);
                    open + 1
                }
                _ => break,
            };
        }
        ControlFlow::Continue(())
    }

    /// Reports text inside a `style` or `script` of SVG, and passes all text to tree construction.
    #[inline]
    fn read_text(&mut self, span: Range<usize>, references: References) {
        if let Some(current) = self.tree.stack.current_entry()
            && reports_text(current.name, current.kind)
        {
            self.sink.style_text(span.clone(), TextKind::Escapable);
        }
        self.read_characters(span, references);
    }

    /// Passes the runs of a text to tree construction, unless it ignores text now.
    fn read_characters(&mut self, span: Range<usize>, references: References) {
        let mut rest = &self.source[span];
        while !rest.is_empty() && !self.tree.ignores_text() {
            let (run, length) = split_run(rest, references);
            self.tree.process_characters(run);
            rest = &rest[length..];
        }
    }

    /// Reads a start tag and its raw text; returns the offset to continue at, or `None` if the rest
    /// of the source has no tags.
    fn read_start_tag(&mut self, start: usize) -> Result<Option<usize>, Stop> {
        let source = self.source;
        let name = start + 1..find_name_end(source, start + 1);
        let Some(tag_end) = self.attributes.read(source, name.end) else {
            self.sink.other_tag(start..source.len());
            return Ok(None);
        };
        let id = self.names.intern(&source[name.clone()]);
        self.tree.stack.grow_names(self.names.count());
        let insertion = self.tree.process_start_tag(&Tag {
            name: id,
            is_self_closing: tag_end.is_self_closing,
            start,
            source,
            attributes: &self.attributes.list,
        });
        self.report_style_ends();
        let flow = self.sink.start_tag(&StartTag {
            span: start..tag_end.end,
            name: name.clone(),
            namespace: insertion.namespace,
            place: insertion.place,
            action: insertion.action,
            attributes: &self.attributes.list,
            attribute_count: self.attributes.count,
            is_self_closing: tag_end.is_self_closing,
            is_in_noscript: self.tree.is_noscript(),
        });
        if flow.is_break() {
            return Err(Stop);
        }
        if id == NOSCRIPT && insertion.content == Content::Raw {
            return self.read_noscript(start..tag_end.end);
        }
        let is_innermost =
            insertion.action == TreeAction::Inserted && self.tree.stack.is_innermost(id);
        let innermost = if is_innermost { Innermost::New } else { Innermost::Other };
        self.sink.stack(self.depth(), innermost, start..tag_end.end);
        let is_style = id == STYLE && insertion.action == TreeAction::Inserted;
        Ok(match insertion.content {
            Content::Markup => {
                let is_text = id == SCRIPT && insertion.action == TreeAction::Inserted || is_style;
                if is_text && insertion.namespace == Namespace::Svg && tag_end.is_self_closing {
                    self.sink.style_end();
                }
                Some(tag_end.end)
            }
            Content::Plaintext => {
                self.read_characters(tag_end.end..source.len(), References::Literal);
                None
            }
            Content::Script => self.end_raw_text(find_script_end(source, tag_end.end)),
            Content::Raw => {
                let end = find_raw_end(source, tag_end.end, &source[name]);
                if is_style {
                    self.sink.style_text(tag_end.end..end, TextKind::Raw);
                    self.sink.style_end();
                }
                self.end_raw_text(end)
            }
        })
    }

    /// Reads the content of the `noscript` element with this start tag; returns the offset to
    /// continue at.
    fn read_noscript(&mut self, tag: Range<usize>) -> Result<Option<usize>, Stop> {
        let depth = self.depth();
        self.sink.stack(depth + 1, Innermost::New, tag.clone());
        let end = find_raw_end(self.source, tag.end, b"noscript");
        self.sink.noscript(tag.end..end);
        let content = &self.source[..end];
        if memchr(b'<', &content[tag.end..]).is_some() {
            let tree = Tree::new_in_noscript(self.tree.is_quirks, &mut self.noscript_buffers);
            let mut scanner = ExactScanner {
                source: content,
                sink: &mut *self.sink,
                tree,
                names: Interner::default(),
                attributes: Attributes::default(),
                outer_depth: depth + 1,
                noscript_buffers: ScannerBuffers::default(),
            };
            let flow = scanner.run(tag.end);
            self.noscript_buffers = scanner.tree.stack.into_buffers();
            if flow.is_break() {
                return Err(Stop);
            }
        }
        self.sink.stack(depth, Innermost::Other, end..end);
        Ok(self.end_raw_text(end))
    }

    /// Returns the number of special and foreign elements that are open.
    fn depth(&self) -> usize {
        self.outer_depth + self.tree.stack.entries.len()
    }

    /// Reads the end tag of raw text; returns the offset after it, if it exists and is finished.
    fn end_raw_text(&mut self, end_tag_start: usize) -> Option<usize> {
        let name = find_name_end(self.source, end_tag_start + 2);
        let end = find_tag_end(self.source, name);
        self.sink.other_tag(end_tag_start..end.unwrap_or(self.source.len()));
        end.inspect(|_| {
            self.report_current_node();
        })
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#end-tag-open-state>
    fn read_end_tag(&mut self, start: usize) -> usize {
        let source = self.source;
        match source.get(start + 2) {
            Some(byte) if byte.is_ascii_alphabetic() => {
                let name = start + 2..find_name_end(source, start + 2);
                let end = find_tag_end(source, name.end);
                self.sink.other_tag(start..end.unwrap_or(source.len()));
                let Some(end) = end else { return source.len() };
                let id = self.names.intern(&source[name]);
                self.tree.stack.grow_names(self.names.count());
                self.tree.process_end_tag(id);
                self.report_style_ends();
                self.sink.stack(self.depth(), Innermost::Other, start..end);
                self.report_current_node();
                end
            }
            Some(b'>') => start + 3,
            Some(_) => self.skip_bogus_comment(start + 2),
            None => source.len(),
        }
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#markup-declaration-open-state>
    fn read_declaration(&mut self, start: usize) -> usize {
        let source = self.source;
        let inside = &source[start + 2..];
        if inside.starts_with(b"--") {
            let text = start + 4;
            let (end, after) = find_comment_end(source, text);
            self.tree.process_comment();
            self.sink.comment(text..end);
            return after;
        }
        if inside.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            // A `>` ends a doctype in every state of the tokenizer, even in quotes.
            let text = &inside[7..];
            let length = memchr(b'>', text).unwrap_or(text.len());
            self.tree.process_doctype(is_quirky(&text[..length]));
            return (start + 9 + length + 1).min(source.len());
        }
        if self.report_current_node() && inside.starts_with(b"[CDATA[") {
            return self.read_cdata(start + 9);
        }
        self.skip_bogus_comment(start + 2)
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#cdata-section-state>
    fn read_cdata(&mut self, start: usize) -> usize {
        let length = memchr::memmem::find(&self.source[start..], b"]]>");
        let end = length.map_or(self.source.len(), |length| start + length);
        if let Some(current) = self.tree.stack.current_foreign()
            && reports_text(current.name, current.kind)
        {
            self.sink.style_text(start..end, TextKind::Cdata);
        }
        self.read_characters(start..end, References::Literal);
        (end + 3).min(self.source.len())
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#bogus-comment-state>
    fn skip_bogus_comment(&mut self, start: usize) -> usize {
        self.tree.process_comment();
        let rest = &self.source[start..];
        memchr(b'>', rest).map_or(self.source.len(), |length| start + length + 1)
    }

    /// Reports whether the current node is foreign, and returns the same.
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

/// The sink has stopped the scan.
struct Stop;

#[cfg(test)]
mod tests;
