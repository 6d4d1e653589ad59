//! Whether browsers read a document as html5ever does.
//!
//! html5ever 0.39 departs from the HTML Standard around `annotation-xml` and other integration
//! points of foreign content, in templates, and at `search`. A tree that is not the one of a
//! browser may lack links that the browser finds, and proves nothing about what it reads in the
//! document as it is written.

use std::ops::{ControlFlow, Range};

use memchr::memchr_iter;

use super::refusal::read_in_two_ways;
use crate::error::Error;
use crate::scan::exact::{Rules, scan_by};
use crate::scan::{Innermost, Namespace, Placement, Sink, StartTag, TreeAction};

/// The start tags that the rules differ after: no document without one is read in two ways.
const CAUSES: &[&[u8]] = &[b"math", b"svg", b"template", b"search", b"isindex"];

/// The elements that only one of the parsers counts as special, so that the depths differ.
const SPECIAL_IN_ONE: &[&[u8]] = &[b"search", b"isindex"];

/// Fails where the Standard and html5ever read other elements.
pub(super) fn check(text: &str) -> Result<(), Error> {
    let text = text.as_bytes();
    if !has_cause(text) {
        return Ok(());
    }
    let [expected, found] = [Rules::Standard, Rules::Html5ever].map(|rules| events(rules, text));
    let same = expected.iter().zip(&found).take_while(|(one, other)| one == other).count();
    match found.get(same).or(expected.get(same)) {
        Some(event) => Err(read_in_two_ways(&tag_name(&text[event.start..]))),
        None => Ok(()),
    }
}

fn has_cause(text: &[u8]) -> bool {
    memchr_iter(b'<', text).any(|at| CAUSES.iter().any(|name| starts_with(&text[at + 1..], name)))
}

fn starts_with(text: &[u8], name: &[u8]) -> bool {
    text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// The name of the tag that the text begins with, after a slash in an end tag.
fn tag_name(text: &[u8]) -> String {
    let is_end = |&(at, byte): &(usize, &u8)| at > 0 && b" \t\n\x0C\r/>".contains(byte);
    let name = text.strip_prefix(b"<").unwrap_or(text);
    let end = name.iter().enumerate().find(is_end).map_or(name.len(), |(at, _)| at);
    String::from_utf8_lossy(&name[..end]).to_ascii_lowercase()
}

/// What a reading makes of a piece of markup.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Event {
    start: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Start(Namespace, TreeAction, Placement),
    /// An end tag, of raw text as well.
    End,
    Comment,
    /// How many special and foreign elements are open after a tag.
    Depth(usize),
    /// How many formatting elements were opened anew: text that opens them in one reading
    /// alone has other elements around it.
    Reopened(usize),
}

/// The events of one reading.
fn events(rules: Rules, text: &[u8]) -> Vec<Event> {
    let mut events = Events { text, list: Vec::new(), has_depth: true, reopened: 0, last: 0 };
    let _ = scan_by(rules, text, &mut events);
    events.list
}

struct Events<'t> {
    text: &'t [u8],
    list: Vec<Event>,
    /// Whether the depths compare.
    has_depth: bool,
    reopened: usize,
    /// Where the last tag begins.
    last: usize,
}

impl Events<'_> {
    fn add(&mut self, start: usize, kind: Kind) {
        self.list.push(Event { start, kind });
    }
}

impl Sink for Events<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        let name = &self.text[tag.name.clone()];
        self.has_depth &= !SPECIAL_IN_ONE.iter().any(|one| one.eq_ignore_ascii_case(name));
        self.add(tag.span.start, Kind::Start(tag.namespace, tag.action, tag.place));
        ControlFlow::Continue(())
    }

    fn other_tag(&mut self, span: Range<usize>) {
        self.add(span.start, Kind::End);
    }

    fn stack(&mut self, depth: usize, _: Innermost, tag: Range<usize>) {
        if self.has_depth {
            self.add(tag.start, Kind::Depth(depth));
        }
    }

    fn reopened(&mut self, count: usize, tag: Option<Range<usize>>) {
        self.last = tag.map_or(self.last, |tag| tag.start);
        if count != std::mem::replace(&mut self.reopened, count) {
            self.add(self.last, Kind::Reopened(count));
        }
    }

    fn comment(&mut self, span: Range<usize>) {
        self.add(span.start, Kind::Comment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, expected: Option<&str>) {
        let found = check(text).map_err(|error| error.to_string());
        match expected {
            None => assert_eq!(found, Ok(()), "{text}"),
            Some(tag) => {
                assert!(found.unwrap_err().contains(&format!("from <{tag}> on")), "{text}");
            }
        }
    }

    #[test]
    fn the_readings_agree_on_ordinary_documents() {
        reads("<p>x<template><p></template><table><tr><td></table>", None);
        reads("<template><tr><td>x</td></tr></template><svg><title>x</title><path/></svg>", None);
        reads("<p><search><form><p></form></search><MATH><mi>x</mi></MATH>", None);
        reads("<math><annotation-xml encoding=text/html><p>x</p></annotation-xml></math>", None);
    }

    #[test]
    fn the_readings_differ() {
        reads("<template><thead><tbody>", Some("tbody"));
        reads("<template><tbody><b></tbody> <tr>", Some("tr"));
        reads("<math><annotation-xml encoding=text/html><svg><p></p></annotation-xml>", Some("p"));
        reads("<math><annotation-xml encoding=text/html></br></annotation-xml>", Some("/br"));
        reads("<span><svg><desc><i></span></i></desc><style><a>", Some("/span"));
        reads("<search><template><thead><TBODY>", Some("tbody"));
    }
}
