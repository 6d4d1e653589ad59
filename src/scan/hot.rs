//! The fast scanner: the tags of ordinary pages, nearly stateless.
//!
//! The scanner keeps no stack of HTML elements. It bails out on the few constructs that need one,
//! and the exact scanner then reads the page from the start; no output exists by then:
//!
//! - `plaintext`, `frameset` and `template`, which change the meaning of later tags;
//! - in SVG and MathML: tags that end foreign content or begin an integration point, inside which
//!   the rules of HTML apply, CDATA sections, `style`, a `script` that may be JSON, and end tags of
//!   elements other than the innermost.
//!
//! The scanner skips the content of `noscript`, and reads it afterwards as a document of its own.
//!
//! All other tags are certain. An HTML `script`, `style`, `title`, `textarea`, `xmp`, `iframe`,
//! `noembed` or `noframes` has raw text wherever it begins, and comments, doctypes and bogus
//! comments end by the tokenizer's rules alone. Every `meta` tag is an element: only framesets drop
//! one. But the scanner knows neither which start tags the tree builder drops nor where the head
//! ends, so that another scan finds the `base` that counts.

use std::ops::Range;

use memchr::memchr;

use super::candidates::{Candidate, Candidates, ScanOptions, Styles, has_text, to_u32};
use super::tag::{
    ATTRIBUTE_END, NAME_END, NameEnd, Opens, find_byte, find_class, find_name_end_in_block,
    find_tag_end, find_tag_name_end, has_href, is_name_end, may_be_json, read_value,
};
use super::text::{find_comment_end, find_raw_end, find_script_end};
use super::{Interest, NameId, Namespace, Quote};
use crate::block::{BLOCK, match_mask};

/// Finds the candidates of a document, or bails out.
pub(super) fn scan(
    source: &[u8],
    interest: &Interest,
    options: ScanOptions,
    found: &mut Candidates,
) -> Result<(), Bailout> {
    FastScanner {
        source,
        interest,
        options,
        found,
        foreign: ForeignElements::new(source),
        is_noscript: false,
        skips_classes: interest.find(b"class").is_none(),
        href: interest.find(b"href"),
    }
    .run()
}

/// The most frequent attribute, as pages mostly write it: 71 % of the attributes of `python3.11-doc`.
/// Its name is not looked up, and its value is skipped.
const CLASS_START: &[u8; 7] = b"class=\"";

/// The most frequent attribute with a link, as pages mostly write it: its name is not looked up.
const HREF_START: &[u8; 6] = b"href=\"";

/// The search for `<` restarts after markup that is longer than this.
const RESTART_LENGTH: usize = 256;

fn find_bogus_comment_end(source: &[u8], at: usize) -> Option<usize> {
    Some(at + memchr(b'>', source.get(at..)?)? + 1)
}

struct FastScanner<'c, 's> {
    source: &'s [u8],
    interest: &'c Interest,
    options: ScanOptions,
    found: &'c mut Candidates,
    foreign: ForeignElements<'s>,
    /// Whether the source is the content of a `noscript`, in which a `noscript` is an ordinary
    /// element.
    is_noscript: bool,
    /// Whether the run has no interest in `class`.
    skips_classes: bool,
    /// The number of `href`, if the run looks for it.
    href: Option<NameId>,
}

impl FastScanner<'_, '_> {
    /// Reads the document, and then the content of each `noscript` in it; none contains another.
    fn run(mut self) -> Result<(), Bailout> {
        let document = self.source;
        self.read_tags(0)?;
        for index in 0..self.found.noscripts.len() {
            let Range { start, end } = self.found.noscripts[index];
            self.source = &document[..end];
            self.foreign = ForeignElements::new(self.source);
            self.is_noscript = true;
            self.read_tags(start)?;
        }
        if self.is_noscript {
            // Sorts by tag, as a stable sort keeps the order within a tag.
            self.found.list.sort_by_key(|candidate| candidate.element);
        }
        Ok(())
    }

    /// Reads the tags of the source from the offset `start` on.
    fn read_tags(&mut self, start: usize) -> Result<(), Bailout> {
        let (source, skips_classes) = (self.source, self.skips_classes);
        let (mut at, mut opens) = (start, Opens::new(source));
        if start > 0 {
            opens.skip_to(start);
        }
        while let Some(open) = opens.next() {
            if open < at {
                continue;
            }
            if self.foreign.is_empty()
                && let Some(end) = skip_plain_tag(source, open, skips_classes)
            {
                at = end;
                continue;
            }
            // The markup has no end: the document ends inside it.
            let Some(end) = self.read_markup(open)? else { break };
            if end - open > RESTART_LENGTH {
                opens.skip_to(end);
            }
            at = end;
        }
        Ok(())
    }

    /// Reads the markup at `open`; returns the offset to continue at.
    ///
    /// Not inlined, so that the loop over the tags keeps its state in registers.
    #[inline(never)]
    fn read_markup(&mut self, open: usize) -> Result<Option<usize>, Bailout> {
        let source = self.source;
        match source.get(open + 1) {
            Some(b'/') => self.read_end_tag(open),
            Some(b'!') => self.read_declaration(open),
            Some(b'?') => Ok(find_bogus_comment_end(source, open + 1)),
            Some(first) if first.is_ascii_alphabetic() => self.read_start_tag(open, *first),
            Some(_) => Ok(Some(open + 1)),
            None => Ok(None),
        }
    }

    /// Reads the start tag at `start`, whose name begins with the letter `first`; returns the offset
    /// to continue at.
    fn read_start_tag(&mut self, start: usize, first: u8) -> Result<Option<usize>, Bailout> {
        let source = self.source;
        let (name_end, end, is_self_closing) = match find_tag_name_end(source, start + 2) {
            Some(NameEnd::Tag(end)) => (end, end + 1, false),
            Some(NameEnd::Name(name_end)) => {
                let Some((end, is_self_closing)) = self.read_attributes(start, name_end) else {
                    self.drop_candidates(start);
                    return Ok(None);
                };
                (name_end, end, is_self_closing)
            }
            None => return Ok(None),
        };
        if !self.foreign.is_empty() {
            self.foreign.read_start_tag(start + 1..name_end, end, is_self_closing)?;
            return Ok(Some(end));
        }
        if may_be_special(first, name_end - start - 1) {
            return self.read_special(start, name_end, end, is_self_closing);
        }
        Ok(Some(end))
    }

    /// Reads the attributes after a tag's name; returns the end of the tag, and whether it is
    /// self-closing.
    #[inline]
    fn read_attributes(&mut self, start: usize, name_end: usize) -> Option<(usize, bool)> {
        let source = self.source;
        let mut at = name_end;
        loop {
            let mut byte = *source.get(at)?;
            if byte == b' ' {
                at += 1;
                byte = *source.get(at)?;
            }
            if byte == b'>' {
                return Some((at + 1, false));
            }
            if byte < b'>' && is_name_end(byte) {
                at += 1;
                if byte == b'/' && *source.get(at)? == b'>' {
                    return Some((at + 1, true));
                }
                continue;
            }
            if self.skips_classes && source[at..].starts_with(CLASS_START) {
                at = find_byte(source, at + CLASS_START.len(), b'"')? + 1;
                continue;
            }
            if let Some(href) = self.href
                && source[at..].starts_with(HREF_START)
            {
                let value = at + HREF_START.len();
                let value = value..find_byte(source, value, b'"')?;
                at = value.end + 1;
                self.keep_candidate(href, start, value, Quote::Double);
                continue;
            }
            // A first `=` belongs to the name.
            let end = find_class(source, at + 1, ATTRIBUTE_END)?;
            let id = self.interest.find(&source[at..end]);
            let (value, quote) = if source[end..].starts_with(b"=\"") {
                (end + 2..find_byte(source, end + 2, b'"')?, Quote::Double)
            } else {
                read_value(source, end)?
            };
            at = value.end + usize::from(quote.is_mark());
            if let Some(id) = id {
                self.keep_candidate(id, start, value, quote);
            }
        }
    }

    /// Keeps an attribute that may count, unless the tag has an earlier one of the same name.
    ///
    /// Not inlined: most attributes are not kept, and the loop over them takes a tenth fewer
    /// instructions without this code.
    #[inline(never)]
    fn keep_candidate(&mut self, name: NameId, start: usize, value: Range<usize>, quote: Quote) {
        let element = to_u32(start + 1);
        let mut in_tag = self.found.list.iter().rev().take_while(|other| other.element == element);
        if in_tag.any(|other| other.name == name) {
            return;
        }
        self.found.has_marker |= self.interest.is_marker(name);
        self.found.list.push(Candidate {
            element,
            value_start: to_u32(value.start),
            value_end: to_u32(value.end),
            name,
            quote,
            namespace: self.foreign.namespace(),
        });
    }

    /// Drops the attributes of the tag at `start`, which the end of the document leaves unfinished.
    #[cold]
    fn drop_candidates(&mut self, start: usize) {
        let element = to_u32(start + 1);
        while self.found.list.pop_if(|last| last.element == element).is_some() {}
    }

    /// Finishes an HTML start tag with one of [`SPECIAL_NAMES`]: reads raw text, enters foreign
    /// content, records an element, or bails out.
    #[inline(never)]
    fn read_special(
        &mut self,
        start: usize,
        name_end: usize,
        end: usize,
        is_self_closing: bool,
    ) -> Result<Option<usize>, Bailout> {
        let source = self.source;
        let name = &source[start + 1..name_end];
        let is = |other: &[u8]| name.eq_ignore_ascii_case(other);
        let raw = |name: &[u8]| Ok(Some(find_raw_end(source, end, name)));
        // The length and the first letter leave at most one name to compare with.
        match (name.len(), name[0] | 0x20) {
            (3, b's') if is(b"svg") => self.enter(start, name_end, Namespace::Svg, is_self_closing),
            (3, b'x') if is(b"xmp") => return raw(b"xmp"),
            (4, b'm') if is(b"math") => {
                self.enter(start, name_end, Namespace::MathMl, is_self_closing);
            }
            (4, b'b') if is(b"base") && has_href(source, name_end) => {
                self.found.has_base = true;
            }
            (5, b's') if is(b"style") => {
                let text = end..find_raw_end(source, end, b"style");
                let next = text.end;
                if self.options.styles == Styles::Keep && !text.is_empty() {
                    self.keep_candidate(NameId::TEXT, start, text, Quote::Absent);
                }
                return Ok(Some(next));
            }
            (5, b't') if is(b"title") => return raw(b"title"),
            (6, b's') if is(b"script") => {
                let next = find_script_end(source, end);
                let is_text = is_self_closing && has_text(&source[end..next]);
                self.found.has_closed_script |= is_text;
                if may_be_json(&source[name_end..end]) {
                    self.keep_candidate(NameId::JSON, start, end..next, Quote::Absent);
                }
                return Ok(Some(next));
            }
            (6, b'i') if is(b"iframe") => return raw(b"iframe"),
            (7, b'n') if is(b"noembed") => return raw(b"noembed"),
            (8, b't') if is(b"textarea") => return raw(b"textarea"),
            (8, b'n') if is(b"noframes") => return raw(b"noframes"),
            (8, b't') if is(b"template") => return Err(Bailout),
            (8, b'n') if is(b"noscript") && !self.is_noscript => {
                let start = end;
                let end = find_raw_end(source, start, b"noscript");
                self.found.noscripts.push(start..end);
                return Ok(Some(end));
            }
            (8, b'f') if is(b"frameset") => return Err(Bailout),
            (9, b'p') if is(b"plaintext") => return Err(Bailout),
            _ => {}
        }
        Ok(Some(end))
    }

    /// Enters the SVG or MathML element whose tag begins at `start`, and moves the attributes of
    /// the tag into that namespace.
    fn enter(
        &mut self,
        start: usize,
        name_end: usize,
        namespace: Namespace,
        is_self_closing: bool,
    ) {
        let latest = self.found.list.iter_mut().rev();
        for candidate in latest.take_while(|candidate| candidate.element == to_u32(start + 1)) {
            candidate.namespace = namespace;
        }
        if !is_self_closing {
            self.foreign.enter(start + 1..name_end, namespace);
        }
    }

    /// Reads the end tag or bogus comment at `start`. Both end with the first `>`, unless white
    /// space or a `/` before it begins attributes.
    #[inline]
    fn read_end_tag(&mut self, start: usize) -> Result<Option<usize>, Bailout> {
        match find_tag_name_end(self.source, start + 2) {
            Some(NameEnd::Tag(end)) if self.foreign.is_empty() => Ok(Some(end + 1)),
            _ => self.read_end_tag_slowly(start),
        }
    }

    #[inline(never)]
    fn read_end_tag_slowly(&mut self, start: usize) -> Result<Option<usize>, Bailout> {
        let source = self.source;
        let Some(&first) = source.get(start + 2) else { return Ok(None) };
        if !first.is_ascii_alphabetic() {
            return Ok(find_bogus_comment_end(source, start + 2));
        }
        let Some(name_end) = find_class(source, start + 3, NAME_END) else { return Ok(None) };
        if !self.foreign.is_empty() {
            self.foreign.read_end_tag(start + 2..name_end)?;
        }
        Ok(find_tag_end(source, name_end))
    }

    /// Reads markup that begins with `<!`, such as a comment or a doctype.
    #[inline(never)]
    fn read_declaration(&mut self, start: usize) -> Result<Option<usize>, Bailout> {
        let source = self.source;
        let rest = &source[start + 2..];
        if rest.starts_with(b"--") {
            let (_, end) = find_comment_end(source, start + 4);
            return Ok(Some(end));
        }
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            return Ok(find_bogus_comment_end(source, start + 9));
        }
        if rest.starts_with(b"[CDATA[") && !self.foreign.is_empty() {
            return Err(Bailout);
        }
        Ok(find_bogus_comment_end(source, start + 2))
    }
}

/// The error for a page with a construct that the fast scanner cannot classify.
pub(super) struct Bailout;

/// The open SVG and MathML elements; empty in HTML content.
struct ForeignElements<'s> {
    source: &'s [u8],
    open: Vec<ForeignElement>,
}

struct ForeignElement {
    /// The name as written.
    name: Range<usize>,
    namespace: Namespace,
    /// Whether the rules of HTML apply to a start tag inside it.
    is_integration_point: bool,
}

impl<'s> ForeignElements<'s> {
    fn new(source: &'s [u8]) -> Self {
        Self { source, open: Vec::new() }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The namespace of the innermost open element.
    #[inline]
    fn namespace(&self) -> Namespace {
        self.open.last().map_or(Namespace::Html, |element| element.namespace)
    }

    /// Enters an `svg` or a `math` element.
    fn enter(&mut self, name: Range<usize>, namespace: Namespace) {
        self.open.push(ForeignElement { name, namespace, is_integration_point: false });
    }

    /// Opens the element of a start tag inside foreign content.
    #[inline(never)]
    fn read_start_tag(
        &mut self,
        name: Range<usize>,
        end: usize,
        is_self_closing: bool,
    ) -> Result<(), Bailout> {
        let Some(parent) = self.open.last() else { return Ok(()) };
        let text = &self.source[name.clone()];
        let is_one_of =
            |names: &[&str]| names.iter().any(|other| text.eq_ignore_ascii_case(other.as_bytes()));
        // The text of a script in SVG is in pieces, which this scanner cannot collect.
        let is_json = || is_one_of(&["script"]) && may_be_json(&self.source[name.end..end]);
        if parent.is_integration_point || is_one_of(UNSURE) || is_json() {
            return Err(Bailout);
        }
        let namespace = parent.namespace;
        let is_integration_point = namespace == Namespace::MathMl && is_one_of(MATH_TEXT);
        if !is_self_closing {
            self.open.push(ForeignElement { name, namespace, is_integration_point });
        }
        Ok(())
    }

    /// Closes the innermost element; bails out if the end tag has another name.
    #[inline(never)]
    fn read_end_tag(&mut self, name: Range<usize>) -> Result<(), Bailout> {
        let has_name =
            |open: ForeignElement| self.source[open.name].eq_ignore_ascii_case(&self.source[name]);
        if self.open.pop().is_some_and(has_name) { Ok(()) } else { Err(Bailout) }
    }
}

/// MathML elements to whose content the rules of HTML apply ([integration points][spec]).
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#mathml-text-integration-point
const MATH_TEXT: &[&str] = &["mi", "mo", "mn", "ms", "mtext"];

/// Start tags inside SVG and MathML that the scanner bails out on: those that
/// [end foreign content][spec], integration points, and `style`.
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign
#[rustfmt::skip]
const UNSURE: &[&str] = &[
    "annotation-xml", "b", "big", "blockquote", "body", "br", "center", "code", "dd", "desc", "div",
    "dl", "dt", "em", "embed", "font", "foreignobject", "h1", "h2", "h3", "h4", "h5", "h6", "head",
    "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s",
    "small", "span", "strike", "strong", "style", "sub", "sup", "table", "title", "tt", "u", "ul",
    "var",
];

/// The HTML elements whose start tags [`FastScanner::read_special`] handles: those with raw text,
/// those that the scanner bails out on, and some that it records.
#[rustfmt::skip]
const SPECIAL_NAMES: &[&str] = &[
    "svg", "xmp", "base", "math", "style", "title", "iframe", "script", "noembed", "frameset",
    "noframes", "noscript", "template", "textarea", "plaintext",
];

/// Indexed by length: the first letters of the names of that length, as bits.
const SPECIAL_LETTERS: [u32; 16] = {
    let mut letters = [0; 16];
    let mut at = 0;
    while at < SPECIAL_NAMES.len() {
        let name = SPECIAL_NAMES[at].as_bytes();
        letters[name.len()] |= 1 << (name[0] & 31);
        at += 1;
    }
    letters
};

/// Skips the tag at `open` outside foreign content and returns the offset after it, if the tag cannot
/// matter: an end tag, or the start tag of an element that is not [special](SPECIAL_NAMES), with no
/// attribute or with `class` alone.
///
/// These are 86 % of the tags of `python3.11-doc`. With this function in the loop over the tags, all
/// other markup read by one that is not inlined, and [`HREF_START`], rewriting these pages takes 420
/// million instead of 513 million instructions (`valgrind --tool=callgrind absolve rewrite -j 1`).
#[inline]
fn skip_plain_tag(source: &[u8], open: usize, skips_classes: bool) -> Option<usize> {
    const CLASS: usize = CLASS_START.len();
    let &[first, ref block @ ..] = source.get(open + 1..)?.first_chunk::<{ 1 + BLOCK }>()?;
    let (end, ends_tag) = find_name_end_in_block(block)?;
    let length = 1 + end;
    let is_start = first.is_ascii_alphabetic();
    let name_end = open + 1 + length;
    if ends_tag {
        let can_skip = first == b'/' || (is_start && !may_be_special(first, length));
        return can_skip.then_some(name_end + 1);
    }
    if !is_start || !skips_classes || may_be_special(first, length) {
        return None;
    }
    let rest = source.get(name_end..)?.first_chunk::<{ 2 + CLASS + 2 * BLOCK }>()?;
    if !(rest[0] == b' ' && rest[1..].starts_with(CLASS_START)) {
        return None;
    }
    let quotes = match_mask(rest[1 + CLASS..].first_chunk::<{ 2 * BLOCK }>()?, b'"');
    let after = 2 + CLASS + quotes.trailing_zeros() as usize;
    (rest.get(after) == Some(&b'>')).then_some(name_end + after + 1)
}

/// Whether a name with this first letter and length may be one of [`SPECIAL_NAMES`].
#[inline]
fn may_be_special(first: u8, length: usize) -> bool {
    SPECIAL_LETTERS.get(length).is_some_and(|letters| letters >> (first & 31) & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name may end after the block that [`skip_plain_tag`] reads. A class in the text after the tag
    /// does not belong to the tag.
    #[test]
    fn a_skipped_tag_ends_at_its_own_end() {
        for (name, text) in (1..=40).flat_map(|name| (0..=40).map(move |text| (name, text))) {
            let (name, text) = ("q".repeat(name), "t".repeat(text));
            let after = format!("{text} class=\"c\">{}", "y".repeat(60));
            let tags = [
                (format!("<{name}>"), true),
                (format!("</{name}>"), true),
                (format!("<{name} class=\"{text}\">"), true),
                (format!("<{name} href=\"{text}\" class=\"c\">"), false),
                (format!("<{name}/{text} class=\"c\">"), false),
            ];
            for (tag, may_be_skipped) in tags {
                let end = skip_plain_tag(format!("{tag}{after}").as_bytes(), 0, true);
                assert!(end.is_none_or(|end| may_be_skipped && end == tag.len()), "{tag} {end:?}");
                let is_short = name.len() < BLOCK && text.len() < 2 * BLOCK;
                assert!(!(is_short && may_be_skipped) || end.is_some(), "{tag}");
            }
        }
    }

    #[test]
    fn special_names_are_known_in_any_case_and_most_others_are_not() {
        let may_be_special = |name: &str| may_be_special(name.as_bytes()[0], name.len());
        for name in SPECIAL_NAMES {
            assert!(may_be_special(name), "{name}");
            assert!(may_be_special(&name.to_ascii_uppercase()), "{name}");
        }
        for name in ["a", "p", "li", "div", "span", "code", "h1", "ul", "a-custom-element-s"] {
            assert!(!may_be_special(name), "{name}");
        }
    }
}
