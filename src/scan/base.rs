//! The `base` elements of a document.

use std::ops::{ControlFlow, Range};

use super::attributes::{has_href, may_have_tag};
use super::bytes::is_name_end;
use super::events::{Namespace, Placement, Sink, StartTag, TreeAction};
use super::exact;
use crate::link::BaseScope;

/// A `base` element with an `href`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BaseElement {
    /// The offset of the `<` of its tag.
    pub(crate) start: usize,
    pub(crate) place: Placement,
    /// Whether it is in the content of a `noscript` element, where a `base` never counts.
    pub(crate) is_in_noscript: bool,
    /// Whether an end tag of the head or a start tag of the body follows it: its author then meant
    /// it to be in the head, even if an earlier element or text ends the head for a parser.
    pub(crate) is_before_body: bool,
}

impl BaseElement {
    /// Whether it counts, provided that no other `base` precedes it.
    pub(crate) fn counts(self, scope: BaseScope) -> bool {
        match self.place {
            Placement::Head => true,
            Placement::Body => self.is_before_body || scope == BaseScope::Document,
            Placement::Template => false,
        }
    }
}

/// Finds the first `base` that is neither in a template nor in a `noscript`. If that does not count
/// in the head, no later one does.
pub(crate) fn first_base(source: &[u8]) -> Option<BaseElement> {
    find(source, Wanted::First).pop()
}

/// Finds all `base` elements with an `href`, in the order of the source.
pub(crate) fn all_bases(source: &[u8]) -> Vec<BaseElement> {
    find(source, Wanted::All)
}

fn find(source: &[u8], wanted: Wanted) -> Vec<BaseElement> {
    let mut finder =
        Finder { source, wanted, found: Vec::new(), noscript_end: 0, is_after_head: false };
    let _ = exact::scan(source, &mut finder);
    finder.found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    First,
    All,
}

struct Finder<'s> {
    source: &'s [u8],
    wanted: Wanted,
    found: Vec<BaseElement>,
    /// The end of the content of the last `noscript`.
    noscript_end: usize,
    /// Whether an end tag of the head, or a start tag of the body, was read.
    is_after_head: bool,
}

impl Finder<'_> {
    fn end_head(&mut self) {
        if !std::mem::replace(&mut self.is_after_head, true) {
            self.found.iter_mut().for_each(|base| base.is_before_body = true);
        }
    }

    /// Whether no tag after `at` can change the result.
    fn is_done(&self, at: usize) -> bool {
        let Some(base) = self.found.first().filter(|_| self.wanted == Wanted::First) else {
            return false;
        };
        let is_replaced = || may_have_tag(&self.source[at..], b"frameset");
        base.place == Placement::Head || (self.is_after_head && !is_replaced())
    }
}

impl Sink for Finder<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        let name = &self.source[tag.name.clone()];
        let is = |other: &[u8]| name.eq_ignore_ascii_case(other);
        if is(b"body") && !tag.is_in_noscript {
            self.end_head();
            if self.is_done(tag.span.end) {
                return ControlFlow::Break(());
            }
        }
        if tag.namespace != Namespace::Html || tag.action != TreeAction::Inserted {
            return ControlFlow::Continue(());
        }
        if is(b"frameset") {
            // The frameset replaces the body, if there is one.
            self.found.retain(|base| base.place != Placement::Body);
        }
        if !is(b"base") || !has_href(self.source, tag.name.end) {
            return ControlFlow::Continue(());
        }
        let StartTag { place, is_in_noscript, .. } = *tag;
        let may_count = place != Placement::Template && !is_in_noscript && self.found.is_empty();
        if self.wanted == Wanted::All || may_count {
            let start = tag.span.start;
            self.found.push(BaseElement { start, place, is_in_noscript, is_before_body: false });
            if self.is_done(tag.span.end) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn noscript(&mut self, content: Range<usize>) {
        self.noscript_end = content.end;
    }

    fn other_tag(&mut self, span: Range<usize>) {
        const HEAD: &[u8] = b"</head";
        let tag = &self.source[span.clone()];
        let is_head = tag.get(..HEAD.len()).is_some_and(|start| start.eq_ignore_ascii_case(HEAD))
            && tag.get(HEAD.len()).is_some_and(|&byte| is_name_end(byte))
            && tag.ends_with(b">");
        if is_head && span.start >= self.noscript_end {
            self.end_head();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the `href` of the `base` that counts in the head; `None` if no `base` counts.
    #[track_caller]
    fn counts(source: &str, expected: Option<&str>) {
        let found = first_base(source.as_bytes());
        let counted = found.filter(|base| base.counts(BaseScope::Head));
        let shown = counted.map(|base| {
            let tag = &source[base.start..];
            &tag[tag.find('=').map_or(0, |at| at + 1)..tag.find('>').unwrap_or(tag.len())]
        });
        assert_eq!(shown, expected, "{source}");
    }

    #[test]
    fn one_in_the_head_counts() {
        counts("<base href=1><base href=2>", Some("1"));
        counts("<head><base><base href=1></head><base href=2>", Some("1"));
        counts("<head></head><base href=1>", Some("1"));
        counts("<template><base href=1></template><base href=2>", Some("2"));
        counts("<p><base href=1>", None);
        counts("<svg><base href=1></svg>", None);
        counts("<body><base href=1></body>", None);
        counts("<head></head><body><base href=1>", None);
        counts("<head></head><p></p><base href=1><body>", None);
    }

    #[test]
    fn one_that_is_written_before_the_body_counts() {
        for early in ["<x-y></x-y>", "x", "<div></div>", "<img src=i>", "<svg></svg>", "</br>"] {
            counts(&format!("<head>{early}<base href=1></head><body>"), Some("1"));
            counts(&format!("<head>{early}<base href=1><body>"), Some("1"));
            counts(&format!("<head>{early}<base href=1></HEAD >"), Some("1"));
            counts(&format!("{early}<html><head><base href=1></head>"), Some("1"));
            counts(&format!("<head>{early}<base href=1><base href=2></head>"), Some("1"));
            // Nothing ends the head in these.
            counts(&format!("<head>{early}<base href=1><p>x"), None);
            counts(&format!("<head>{early}<base href=1></head"), None);
            counts(&format!("<head>{early}<base href=1></header>"), None);
            counts(&format!("<head>{early}<base href=1><!--</head><body>-->"), None);
            counts(&format!("<head>{early}<base href=1><title></head><body></title>"), None);
            counts(&format!("<head>{early}<base href=1><noscript></head><body></noscript>"), None);
            counts(&format!("<head>{early}</head><base href=1><body>"), None);
            counts(&format!("<head>{early}<template><base href=1></template></head>"), None);
        }
        // The frameset replaces the body that the element began.
        counts("<head><x-y></x-y><base href=1></head><frameset>", None);
        counts("<head>x<base href=1></head><frameset>", Some("1"));
    }

    #[test]
    fn none_in_a_noscript_counts() {
        counts("<noscript><base href=1></noscript><base href=2>", Some("2"));
        counts("<noscript><img></noscript><base href=1>", Some("1"));
        counts("<noscript><iframe></noscript><base href=1></iframe>", Some("1"));
        counts("<noscript><!--</noscript><base href=1>-->", Some("1"));
        counts("<noscript><a title='</noscript><base href=1>'>", Some("1"));
        counts("<head><noscript><base href=1>", None);
        counts("<p><noscript><base href=1></noscript></head>", None);
    }

    #[test]
    fn all_of_them_are_found() {
        let source = b"<base href=1><noscript><base href=2></noscript><template><base href=3>";
        let found = all_bases(source);
        let shown: Vec<_> = found.iter().map(|base| (base.place, base.is_in_noscript)).collect();
        let expected =
            [(Placement::Head, false), (Placement::Body, true), (Placement::Template, false)];
        assert_eq!(shown, expected);
    }
}
