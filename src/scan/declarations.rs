//! Finds what the elements of a page declare about it: its base URL, and its encoding.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use encoding_rs::Encoding;

use super::candidates::{BaseElement, Candidate, Candidates};
use super::exact;
use super::interest::{Fact, Interest};
use super::tag::{has_href, is_name_end, may_have_tag};
use super::{Namespace, Placement, Sink, StartTag, TreeAction};
use crate::encoding;
use crate::reference::{Context, decode};

/// Finds the first `base` that is neither in a template nor in a `noscript`. If the first `base` is
/// not in effect, no later `base` is.
pub(crate) fn find_first_base(source: &[u8]) -> Option<BaseElement> {
    find_bases(source, BaseSearch::First).pop()
}

/// Finds all `base` elements with an `href`, in the order of the source.
pub(crate) fn find_all_bases(source: &[u8]) -> Vec<BaseElement> {
    find_bases(source, BaseSearch::All)
}

/// Finds `base` elements with an `href`, in the order of the source.
fn find_bases(source: &[u8], search: BaseSearch) -> Vec<BaseElement> {
    let mut finder =
        BaseFinder { source, search, bases: Vec::new(), noscript_end: 0, is_after_head: false };
    let _ = exact::scan(source, &mut finder);
    finder.bases
}

/// The `base` elements to find: the first that may be in effect, or all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BaseSearch {
    First,
    All,
}

/// Collects `base` elements during a scan.
struct BaseFinder<'s> {
    source: &'s [u8],
    search: BaseSearch,
    bases: Vec<BaseElement>,
    /// The end of the content of the last `noscript`.
    noscript_end: usize,
    /// Whether an end tag of the head, or a start tag of the body, was read.
    is_after_head: bool,
}

impl BaseFinder<'_> {
    /// Marks the elements found so far, at the first tag that shows the end of the author's head.
    fn end_head(&mut self) {
        if !std::mem::replace(&mut self.is_after_head, true) {
            self.bases.iter_mut().for_each(|base| base.is_before_body = true);
        }
    }

    /// Whether no tag after `at` can change the result.
    fn is_done(&self, at: usize) -> bool {
        let Some(base) = self.bases.first().filter(|_| self.search == BaseSearch::First) else {
            return false;
        };
        let may_be_replaced = || may_have_tag(&self.source[at..], b"frameset");
        base.place == Placement::Head || (self.is_after_head && !may_be_replaced())
    }
}

impl Sink for BaseFinder<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        let name = &self.source[tag.name.clone()];
        let is_named = |other: &[u8]| name.eq_ignore_ascii_case(other);
        if is_named(b"body") && !tag.is_in_noscript {
            self.end_head();
            if self.is_done(tag.span.end) {
                return ControlFlow::Break(());
            }
        }
        if tag.namespace != Namespace::Html || tag.action != TreeAction::Inserted {
            return ControlFlow::Continue(());
        }
        if is_named(b"frameset") {
            // The frameset replaces the body, if there is one.
            self.bases.retain(|base| base.place != Placement::Body);
        }
        if !is_named(b"base") || !has_href(self.source, tag.name.end) {
            return ControlFlow::Continue(());
        }
        let StartTag { place, is_in_noscript, .. } = *tag;
        let may_apply = place != Placement::Template && !is_in_noscript && self.bases.is_empty();
        if self.search == BaseSearch::All || may_apply {
            let start = tag.span.start;
            self.bases.push(BaseElement { start, place, is_in_noscript, is_before_body: false });
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

/// Finds the first encoding that a `meta` element in the tree declares.
///
/// Skips tags that the tree builder drops, and text that only looks like a tag, as in a script or a
/// comment. The contents of templates are in the tree
/// ([in template](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-intemplate)).
pub(crate) fn declared_encoding(source: &[u8]) -> Option<&'static Encoding> {
    struct EncodingFinder<'s> {
        source: &'s [u8],
        found: Option<&'static Encoding>,
    }
    impl Sink for EncodingFinder<'_> {
        fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
            self.found = read_meta_tag(self.source, tag);
            if self.found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    if !may_have_tag(source, b"meta") {
        return None;
    }
    let mut finder = EncodingFinder { source, found: None };
    let _ = exact::scan(source, &mut finder);
    finder.found
}

/// Returns the encoding that a start tag declares, if the tag creates a `meta` element.
pub(super) fn read_meta_tag(source: &[u8], tag: &StartTag<'_>) -> Option<&'static Encoding> {
    let is_meta = tag.namespace == Namespace::Html
        && tag.action == TreeAction::Inserted
        && !tag.is_in_noscript
        && source[tag.name.clone()].eq_ignore_ascii_case(b"meta");
    if !is_meta {
        return None;
    }
    read_declared_encoding(|name| {
        let has_name = |written: &[u8]| written.eq_ignore_ascii_case(name.as_bytes());
        let attribute = tag.attributes.iter().find(|part| has_name(&source[part.name.clone()]))?;
        Some(&source[attribute.value.clone()])
    })
}

/// Finds the first declared encoding in the candidates of the fast scanner. All their `meta` tags
/// are elements, as the fast scanner bails out in case of doubt.
///
/// Most documents declare their encoding in their first tags. A check for `meta` in the scanner's
/// own loop took 2 % more instructions, on `python3.11-doc`.
pub(super) fn find_declared_encoding(
    source: &[u8],
    candidates: &Candidates,
    interest: &Interest,
) -> Option<&'static Encoding> {
    let declares = |candidate: &Candidate| interest.fact(candidate.name) == Some(Fact::Encoding);
    let is_meta = |first: &Candidate| {
        first.namespace == Namespace::Html
            && candidates.find_noscript(first.element).is_none()
            && source[first.tag_name(source)].eq_ignore_ascii_case(b"meta")
    };
    candidates
        .list
        .chunk_by(|candidate, next| candidate.element == next.element)
        .filter(|tag| tag.iter().any(declares) && is_meta(&tag[0]))
        .find_map(|tag| {
            read_declared_encoding(|name| {
                let candidate = tag.iter().find(|other| interest.name(other.name) == name)?;
                Some(&source[candidate.value()])
            })
        })
}

/// Returns the encoding that a `meta` element declares; `value` returns its attributes as written.
fn read_declared_encoding<'s>(
    value: impl Fn(&str) -> Option<&'s [u8]>,
) -> Option<&'static Encoding> {
    let [charset, http_equiv, content] =
        ["charset", "http-equiv", "content"].map(|name| value(name).map(decode_value));
    encoding::from_attributes(charset.as_deref(), http_equiv.as_deref(), content.as_deref())
}

/// Decodes character references. Labels are ASCII, so lossy UTF-8 and raw line ends change nothing.
fn decode_value(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'&') {
        return Cow::Borrowed(value);
    }
    let text = String::from_utf8_lossy(value);
    Cow::Owned(decode(&text, Context::Attribute).into_owned().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::candidates::{ScanOptions, Styles};
    use super::*;
    use crate::attributes::Selection;
    use crate::encoding::Confidence;
    use crate::link::BaseScope;

    /// Asserts the `href` of the `base` that is in effect; `None` if there is no such `base`.
    #[track_caller]
    fn counts(source: &str, expected: Option<&str>) {
        let found = find_first_base(source.as_bytes());
        let counted = found.filter(|base| base.is_in_effect(BaseScope::Head));
        let shown = counted.map(|base| {
            let tag = &source[base.start..];
            &tag[tag.find('=').map_or(0, |at| at + 1)..tag.find('>').unwrap_or(tag.len())]
        });
        assert_eq!(shown, expected, "{source}");
    }

    #[test]
    fn the_first_base_in_the_head_counts() {
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
    fn a_base_written_before_the_body_counts() {
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
    fn no_base_in_a_noscript_counts() {
        counts("<noscript><base href=1></noscript><base href=2>", Some("2"));
        counts("<noscript><img></noscript><base href=1>", Some("1"));
        counts("<noscript><iframe></noscript><base href=1></iframe>", Some("1"));
        counts("<noscript><!--</noscript><base href=1>-->", Some("1"));
        counts("<noscript><a title='</noscript><base href=1>'>", Some("1"));
        counts("<head><noscript><base href=1>", None);
        counts("<p><noscript><base href=1></noscript></head>", None);
    }

    #[test]
    fn all_bases_are_found() {
        let source = b"<base href=1><noscript><base href=2></noscript><template><base href=3>";
        let found = find_all_bases(source);
        let shown: Vec<_> = found.iter().map(|base| (base.place, base.is_in_noscript)).collect();
        let expected =
            [(Placement::Head, false), (Placement::Body, true), (Placement::Template, false)];
        assert_eq!(shown, expected);
    }

    /// Asserts that both the tags and the candidates of a scan lead to the encoding `expected`.
    #[track_caller]
    fn declares(source: &str, expected: Option<&str>) {
        let found = declared_encoding(source.as_bytes());
        assert_eq!(found.map(Encoding::name), expected, "{source}");
        let options = ScanOptions { styles: Styles::Keep, confidence: Confidence::Tentative };
        let selection = Selection::default();
        for interest in [Interest::new(&selection), Interest::with_facts(&selection)] {
            let mut candidates = Candidates::default();
            candidates.scan(source.as_bytes(), &interest, options);
            assert_eq!(candidates.declared.map(Encoding::name), expected, "{source}");
        }
    }

    #[test]
    fn the_first_meta_element_that_declares_one_counts() {
        declares("<meta charset=big5><meta charset=koi8-r>", Some("Big5"));
        declares("<meta charset=x><META Charset='&#98;ig5'>", Some("Big5"));
        declares("<p><meta name=a><meta charset=big5>", Some("Big5"));
        declares("<template><meta charset=big5></template>", Some("Big5"));
        declares("<svg><meta charset=big5>", Some("Big5"));
        declares("<meta http-equiv=content-type content='a;&#x63harset=big5'>", Some("Big5"));
        declares("<meta charset=x http-equiv=content-type content=charset=big5>", Some("Big5"));
        declares("<meta content=charset=big5 Http-Equiv=Content-Type>", Some("Big5"));
        declares("<meta charset=big5 charset=koi8-r>", Some("Big5"));
        declares("<link charset=koi8-r><meta charset=big5>", Some("Big5"));
        declares("<svg charset=koi8-r></svg><meta charset=big5>", Some("Big5"));
    }

    #[test]
    fn what_is_no_meta_element_declares_nothing() {
        declares("<!--<meta charset=big5>-->", None);
        declares("<noscript><meta charset=big5></noscript>", None);
        declares("<noscript><template><meta charset=big5></noscript>", None);
        declares("<script><meta charset=big5></script>", None);
        declares("<textarea><meta charset=big5></textarea>", None);
        declares("<plaintext><meta charset=big5>", None);
        declares("<frameset><meta charset=big5>", None);
        declares("<svg><metadata charset=big5>", None);
        declares("<meta charset=big5", None);
        declares("<meta content=charset=big5>", None);
        declares("<meta http-equiv=content-type><meta content=charset=big5>", None);
        declares("<metas charset=big5><link charset=big5>", None);
    }
}
