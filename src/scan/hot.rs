//! The fast scanner: the tags of ordinary pages, nearly stateless.
//!
//! It keeps no stack of HTML elements, as few constructs depend on one. On these it bails out,
//! before any output, and the exact scanner reads the page from the start. It bails out on:
//!
//! - `plaintext`, `frameset` and `template`, which change what later tags are;
//! - in SVG and MathML: every tag that ends foreign content or that begins an
//!   integration point, inside which HTML rules count, CDATA sections, `style`,
//!   and an end tag that is not the innermost element's.
//!
//! Elsewhere it is sure of what is a tag: raw text is raw text wherever an HTML
//! `script`, `style`, `title`, `textarea`, `xmp`, `iframe`, `noembed` or
//! `noframes` begins, and comments, doctypes and bogus comments end by the
//! tokenizer's rules alone. Every `meta` tag that it meets is an element: only framesets drop
//! one. It does not know which start tags the tree builder
//! drops, nor where the head ends; the exact scanner says that of a `base`.

mod foreign;

use std::ops::Range;

use memchr::memchr;

use super::attributes::end_tag;
use super::bytes::{ATTRIBUTE_END, NAME_END, VALUE_END, find, find_byte, is_space, skip_space};
use super::candidates::{Candidate, Candidates, Comments, ScanOptions, Styles, offset};
use super::tags::has_href;
use super::text::{comment_end, raw_end, script_end};
use super::{Interest, NameId, Namespace, Quote};
use foreign::{Bailout, Foreign};

/// Finds the candidates of a document, or bails out.
pub(super) fn scan(
    source: &[u8],
    interest: &Interest,
    options: ScanOptions,
    found: &mut Candidates,
) -> Result<(), Bailout> {
    let mut scanner = Scanner { source, interest, options, found, foreign: Foreign::new(source) };
    let mut at = 0;
    while let Some(open) = find_byte(source, at, b'<') {
        at = open;
        let Some(&next) = source.get(at + 1) else { break };
        let end = match next {
            b'/' => scanner.end_tag(at)?,
            b'!' => scanner.declaration(at)?,
            b'?' => bogus_comment(source, at + 1),
            _ if next.is_ascii_alphabetic() => scanner.start_tag(at)?,
            _ => Some(at + 1),
        };
        match end {
            Some(end) => at = end,
            // The document ends inside the markup.
            None => break,
        }
    }
    Ok(())
}

fn bogus_comment(source: &[u8], at: usize) -> Option<usize> {
    Some(at + memchr(b'>', source.get(at..)?)? + 1)
}

struct Scanner<'c, 's> {
    source: &'s [u8],
    interest: &'c Interest,
    options: ScanOptions,
    found: &'c mut Candidates,
    foreign: Foreign<'s>,
}

impl Scanner<'_, '_> {
    /// Reads the start tag at `start`; where to go on.
    fn start_tag(&mut self, start: usize) -> Result<Option<usize>, Bailout> {
        let source = self.source;
        let Some(name_end) = find(source, start + 2, NAME_END) else { return Ok(None) };
        let first = self.found.list.len();
        let Some((end, is_self_closing)) = self.attributes(start, name_end, first) else {
            self.found.list.truncate(first);
            return Ok(None);
        };
        if self.foreign.is_empty() {
            self.html(start, name_end, end, is_self_closing)
        } else {
            self.foreign.start(start + 1..name_end, is_self_closing)?;
            Ok(Some(end))
        }
    }

    /// Reads the attributes after a tag's name: where the tag ends, and whether it
    /// closes itself.
    #[inline]
    fn attributes(&mut self, start: usize, name_end: usize, first: usize) -> Option<(usize, bool)> {
        let source = self.source;
        let mut at = name_end;
        loop {
            let byte = *source.get(at)?;
            if byte == b'>' {
                return Some((at + 1, false));
            }
            if byte == b'/' {
                if *source.get(at + 1)? == b'>' {
                    return Some((at + 2, true));
                }
                at += 1;
                continue;
            }
            if is_space(byte) {
                at += 1;
                continue;
            }
            // A first `=` belongs to the name.
            let end = find(source, at + 1, ATTRIBUTE_END)?;
            let id = self.interest.find(&source[at..end]);
            let equals = if source[end] == b'=' { end } else { skip_space(source, end) };
            if *source.get(equals)? != b'=' {
                self.push(id, start, end..end, Quote::Absent, first);
                at = end;
                continue;
            }
            let mut value = equals + 1;
            if is_space(*source.get(value)?) {
                value = skip_space(source, value);
            }
            let quote = *source.get(value)?;
            if quote == b'"' || quote == b'\'' {
                let span = value + 1..find_byte(source, value + 1, quote)?;
                at = span.end + 1;
                let quote = if quote == b'"' { Quote::Double } else { Quote::Single };
                self.push(id, start, span, quote, first);
            } else {
                at = find(source, value, VALUE_END)?;
                self.push(id, start, value..at, Quote::Unquoted, first);
            }
        }
    }

    /// Keeps an attribute that may count, unless one of its name came before.
    #[inline]
    fn push(
        &mut self,
        id: Option<NameId>,
        start: usize,
        value: Range<usize>,
        quote: Quote,
        first: usize,
    ) {
        let Some(name) = id else { return };
        if self.found.list[first..].iter().any(|other| other.name == name) {
            return;
        }
        self.found.list.push(Candidate {
            element: offset(start + 1),
            value_start: offset(value.start),
            value_end: offset(value.end),
            name,
            quote,
            namespace: self.foreign.namespace(),
        });
    }

    /// What the start tag of an HTML element means for what follows.
    #[inline]
    fn html(
        &mut self,
        start: usize,
        name_end: usize,
        end: usize,
        is_self_closing: bool,
    ) -> Result<Option<usize>, Bailout> {
        let source = self.source;
        let name = &source[start + 1..name_end];
        let is = |other: &[u8]| name.eq_ignore_ascii_case(other);
        let raw = |name: &[u8]| Ok(Some(raw_end(source, end, name)));
        // The length and the first letter leave one name or none to compare with.
        match (name.len(), name[0] | 0x20) {
            (3, b's') if is(b"svg") => self.enter(start, name_end, Namespace::Svg, is_self_closing),
            (3, b'x') if is(b"xmp") => return raw(b"xmp"),
            (4, b'm') if is(b"math") => {
                self.enter(start, name_end, Namespace::MathMl, is_self_closing);
            }
            (4, b'b') if is(b"base") && has_href(source, name_end) => {
                self.found.bases.push(offset(start));
            }
            (5, b's') if is(b"style") => {
                let text = end..raw_end(source, end, b"style");
                if self.options.styles == Styles::Keep && !text.is_empty() {
                    let first = self.found.list.len();
                    let next = text.end;
                    self.push(Some(NameId::TEXT), start, text, Quote::Absent, first);
                    return Ok(Some(next));
                }
                return Ok(Some(text.end));
            }
            (5, b't') if is(b"title") => return raw(b"title"),
            (6, b's') if is(b"script") => return Ok(Some(script_end(source, end))),
            (6, b'i') if is(b"iframe") => return raw(b"iframe"),
            (7, b'n') if is(b"noembed") => return raw(b"noembed"),
            (8, b't') if is(b"textarea") => return raw(b"textarea"),
            (8, b'n') if is(b"noframes") => return raw(b"noframes"),
            (8, b't') if is(b"template") => return Err(Bailout),
            (8, b'f') if is(b"frameset") => return Err(Bailout),
            (9, b'p') if is(b"plaintext") => return Err(Bailout),
            _ => {}
        }
        Ok(Some(end))
    }

    /// Enters the SVG or MathML element whose tag begins at `start`; its own
    /// attributes are in that namespace.
    fn enter(
        &mut self,
        start: usize,
        name_end: usize,
        namespace: Namespace,
        is_self_closing: bool,
    ) {
        let own = self.found.list.iter_mut().rev();
        for candidate in own.take_while(|candidate| candidate.element == offset(start + 1)) {
            candidate.namespace = namespace;
        }
        if !is_self_closing {
            self.foreign.enter(start + 1..name_end, namespace);
        }
    }

    /// Reads the end tag or bogus comment at `start`.
    #[inline]
    fn end_tag(&mut self, start: usize) -> Result<Option<usize>, Bailout> {
        let source = self.source;
        let Some(&first) = source.get(start + 2) else { return Ok(None) };
        if !first.is_ascii_alphabetic() {
            return Ok(bogus_comment(source, start + 2));
        }
        let Some(name_end) = find(source, start + 3, NAME_END) else { return Ok(None) };
        if !self.foreign.is_empty() {
            self.foreign.end(start + 2..name_end)?;
        }
        if source[name_end] == b'>' {
            Ok(Some(name_end + 1))
        } else {
            Ok(end_tag(source, name_end))
        }
    }

    /// Reads what begins with `<!`: a comment, a doctype, a CDATA section.
    fn declaration(&mut self, start: usize) -> Result<Option<usize>, Bailout> {
        let source = self.source;
        let rest = &source[start + 2..];
        if rest.starts_with(b"--") {
            let (text_end, end) = comment_end(source, start + 4);
            if self.options.comments == Comments::Keep {
                let first = self.found.list.len();
                let text = start + 4..text_end;
                self.push(Some(NameId::COMMENT), start, text, Quote::Absent, first);
            }
            return Ok(Some(end));
        }
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            return Ok(bogus_comment(source, start + 9));
        }
        if rest.starts_with(b"[CDATA[") && !self.foreign.is_empty() {
            return Err(Bailout);
        }
        Ok(bogus_comment(source, start + 2))
    }
}
