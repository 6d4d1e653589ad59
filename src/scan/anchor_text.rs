//! Reads the text of an `a` element, or of an element with raw text, as spans of the source.

use std::ops::{ControlFlow, Range};

use memchr::{memchr, memmem};

use super::TextKind;
use super::candidates::{Piece, to_u32};
use super::tag::{find_name_end, find_tag_end, read_attributes, tag_end};
use super::text::{find_comment_end, find_raw_end, find_script_end};
use crate::link::{HIDDEN, Syntax};

/// A part of the text of an element, as a span of the source.
pub(crate) enum AnchorPart {
    /// Text that readers see.
    Text(Piece),
    /// The value of the `alt` of an image.
    Alt(Range<usize>),
    /// The raw text of an HTML element whose text readers do not see, such as `script`.
    Hidden(Piece),
}

/// Passes the parts of the text of an element to `report`, until `report` returns `Break`.
///
/// The name of the element begins at `name`; `attribute_end` is the end of an attribute of its
/// start tag, if known. The text of an `a` ends at the next start tag or end tag `a`, at which a
/// tree builder closes an open `a`, or with `source`. The text of an HTML element that readers do
/// not see, such as `style`, is its raw text.
///
/// NOTE: no tree is built. An end tag that closes an element around the `a` does not end the text,
/// and in foreign content scripts, styles and comments are read as in HTML.
pub(crate) fn read_anchor_text(
    source: &[u8],
    syntax: Syntax,
    (name, attribute_end): (usize, Option<usize>),
    mut report: impl FnMut(AnchorPart) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let is_xml = syntax == Syntax::Xml;
    let kind = if is_xml { TextKind::Xml } else { TextKind::Escapable };
    if !is_xml && is_named(source, syntax, name, &HIDDEN) {
        read_start_tag(source, syntax, name, &mut report)?;
        return ControlFlow::Break(());
    }
    let end = attribute_end.map_or_else(|| tag_end(source, name), |at| find_tag_end(source, at));
    let Some(mut at) = end else { return ControlFlow::Break(()) };
    if is_xml && source[..at].ends_with(b"/>") {
        return ControlFlow::Break(());
    }
    // The number of open XML elements whose text readers do not see.
    let mut hidden_depth = 0_usize;
    loop {
        let open = memchr(b'<', &source[at..]).map_or(source.len(), |offset| at + offset);
        let mut report =
            |part| if hidden_depth == 0 { report(part) } else { ControlFlow::Continue(()) };
        report_text(at..open, kind, &mut report)?;
        let end = match source.get(open + 1..) {
            None => return ControlFlow::Break(()),
            Some([b'/', letter, ..]) if is_xml || letter.is_ascii_alphabetic() => {
                if is_named(source, syntax, open + 2, &["a"]) {
                    return ControlFlow::Break(());
                }
                if is_xml && is_named(source, syntax, open + 2, &HIDDEN) {
                    hidden_depth = hidden_depth.saturating_sub(1);
                }
                tag_end(source, open + 2)
            }
            Some([b'!', b'-', b'-', ..]) if is_xml => find_end(source, open + 4, b"-->"),
            Some([b'!', b'-', b'-', ..]) => Some(find_comment_end(source, open + 4).1),
            Some([b'!', b'[', ..]) if is_xml => {
                let (start, end) = (open + b"<![CDATA[".len(), find_end(source, open, b"]]>"));
                let end = end.unwrap_or(source.len());
                report_text(start..(end - b"]]>".len()).max(start), TextKind::Cdata, &mut report)?;
                Some(end)
            }
            Some([b'?', ..]) if is_xml => find_end(source, open, b"?>"),
            Some([b'!' | b'?' | b'/', ..]) => find_end(source, open, b">"),
            Some([letter, ..]) if is_xml || letter.is_ascii_alphabetic() => {
                if is_named(source, syntax, open + 1, &["a"]) {
                    return ControlFlow::Break(());
                }
                let end = read_start_tag(source, syntax, open + 1, &mut report)?;
                let is_open = end.is_some_and(|end| !source[..end].ends_with(b"/>"));
                if is_xml && is_open && is_named(source, syntax, open + 1, &HIDDEN) {
                    hidden_depth += 1;
                }
                end
            }
            Some(_) => {
                report_text(open..open + 1, kind, &mut report)?;
                Some(open + 1)
            }
        };
        match end {
            Some(end) => at = end,
            None => return ControlFlow::Break(()),
        }
    }
}

fn report_text(
    span: Range<usize>,
    kind: TextKind,
    report: &mut impl FnMut(AnchorPart) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if span.is_empty() {
        return ControlFlow::Continue(());
    }
    report(AnchorPart::Text(Piece { start: to_u32(span.start), end: to_u32(span.end), kind }))
}

/// Reads a start tag, and the content of a hidden HTML element; returns the offset after both.
fn read_start_tag(
    source: &[u8],
    syntax: Syntax,
    name_start: usize,
    report: &mut impl FnMut(AnchorPart) -> ControlFlow<()>,
) -> ControlFlow<(), Option<usize>> {
    if is_named(source, syntax, name_start, &["img"]) {
        let (attributes, end) = read_attributes(source, name_start);
        let is_alt = |span: &Range<usize>| source[span.clone()].eq_ignore_ascii_case(b"alt");
        if let Some(alt) = attributes.into_iter().find(|other| is_alt(&other.name)) {
            report(AnchorPart::Alt(alt.value))?;
        }
        return ControlFlow::Continue(Some(end));
    }
    let Some(end) = tag_end(source, name_start) else { return ControlFlow::Continue(None) };
    if syntax == Syntax::Xml || !is_named(source, syntax, name_start, &HIDDEN) {
        return ControlFlow::Continue(Some(end));
    }
    let name = &source[name_start..find_name_end(source, name_start)];
    let is_script = name.eq_ignore_ascii_case(b"script");
    let after =
        if is_script { find_script_end(source, end) } else { find_raw_end(source, end, name) };
    let raw = Piece { start: to_u32(end), end: to_u32(after), kind: TextKind::Raw };
    report(AnchorPart::Hidden(raw))?;
    ControlFlow::Continue(Some(after))
}

/// Whether the name at `start` is one of these names; in XML, it may have a prefix.
fn is_named(source: &[u8], syntax: Syntax, start: usize, names: &[&str]) -> bool {
    // Most tags begin with another letter, and need no search for the end of the name.
    let may_be =
        |name: &&str| source.get(start).is_some_and(|byte| byte | 0x20 == name.as_bytes()[0]);
    if syntax != Syntax::Xml && !names.iter().any(may_be) {
        return false;
    }
    let name = &source[start..find_name_end(source, start)];
    let prefix = if syntax == Syntax::Xml { memchr::memrchr(b':', name) } else { None };
    let local = &name[prefix.map_or(0, |colon| colon + 1)..];
    names.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(local))
}

/// Returns the offset after the next occurrence of `end`.
fn find_end(source: &[u8], at: usize, end: &[u8]) -> Option<usize> {
    Some(at + memmem::find(source.get(at..)?, end)? + end.len())
}
