//! The encoding that the `meta` elements of a document declare.

use std::ops::ControlFlow;

use encoding_rs::Encoding;

use super::attributes::every;
use super::candidates::RULES;
use super::{Attribute, Fate, Namespace, Sink, StartTag, exact};
use crate::encoding;
use crate::reference::{Context, decode};

/// The encoding that the first `meta` element in the tree declares which declares one.
///
/// What is dropped in the tree, and what only looks like a tag, as in a script or a comment, is no
/// element; the contents of templates are in the tree
/// ([in template](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-intemplate)).
pub(crate) fn declared_encoding(source: &[u8]) -> Option<&'static Encoding> {
    struct Find<'s> {
        source: &'s [u8],
        found: Option<&'static Encoding>,
    }
    impl Sink for Find<'_> {
        fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
            self.found = of_start_tag(self.source, tag);
            if self.found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    if !has_meta(source) {
        return None;
    }
    let mut find = Find { source, found: None };
    let _ = exact::scan_by(RULES, source, &mut find);
    find.found
}

/// Whether anything looks like a `meta` element: to look for one costs much less than to scan.
fn has_meta(source: &[u8]) -> bool {
    memchr::memchr_iter(b'<', source).any(|at| {
        let name = source.get(at + 1..at + 5);
        name.is_some_and(|name| name.eq_ignore_ascii_case(b"meta"))
    })
}

/// The encoding that a start tag declares, if it is that of a `meta` element.
pub(super) fn of_start_tag(source: &[u8], tag: &StartTag<'_>) -> Option<&'static Encoding> {
    let is_meta = tag.namespace == Namespace::Html
        && tag.fate == Fate::Inserted
        && source[tag.name.clone()].eq_ignore_ascii_case(b"meta");
    if is_meta { of_attributes(source, tag.attributes.iter().cloned()) } else { None }
}

/// The encoding that a `meta` tag declares whose name ends at `name_end`.
pub(super) fn of_tag(source: &[u8], name_end: usize) -> Option<&'static Encoding> {
    of_attributes(source, every(source, name_end))
}

/// Most documents have `meta` elements, so that nothing is allocated for one.
fn of_attributes(
    source: &[u8],
    attributes: impl Iterator<Item = Attribute>,
) -> Option<&'static Encoding> {
    const NAMES: [&[u8]; 3] = [b"charset", b"http-equiv", b"content"];
    let mut values = [const { None }; 3];
    for attribute in attributes {
        let name = &source[attribute.name];
        let index = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name));
        if let Some(value) = index.and_then(|index| values.get_mut(index)) {
            value.get_or_insert(attribute.value);
        }
    }
    if let [None, None, _] = values {
        return None;
    }
    // Labels are ASCII, so that the encoding of other characters makes no difference.
    let texts = values.map(|value| Some(String::from_utf8_lossy(&source[value?])));
    let [charset, http_equiv, content] =
        texts.each_ref().map(|text| Some(decode(text.as_deref()?, Context::Attribute)));
    encoding::from_attributes(charset.as_deref(), http_equiv.as_deref(), content.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn declares(source: &str, expected: Option<&str>) {
        let found = declared_encoding(source.as_bytes());
        assert_eq!(found.map(Encoding::name), expected, "{source}");
    }

    #[test]
    fn the_first_meta_element_that_declares_one_counts() {
        declares("<meta charset=big5><meta charset=koi8-r>", Some("Big5"));
        declares("<meta charset=x><META Charset='&#98;ig5'>", Some("Big5"));
        declares("<p><meta name=a><meta charset=big5>", Some("Big5"));
        declares("<template><meta charset=big5></template>", Some("Big5"));
        declares("<noscript><meta charset=big5></noscript>", Some("Big5"));
        declares("<svg><meta charset=big5>", Some("Big5"));
        declares("<meta http-equiv=content-type content='a;&#x63harset=big5'>", Some("Big5"));
        declares("<meta charset=x http-equiv=content-type content=charset=big5>", Some("Big5"));
    }

    #[test]
    fn what_is_no_meta_element_declares_nothing() {
        declares("<!--<meta charset=big5>-->", None);
        declares("<script><meta charset=big5></script>", None);
        declares("<textarea><meta charset=big5></textarea>", None);
        declares("<plaintext><meta charset=big5>", None);
        declares("<frameset><meta charset=big5>", None);
        declares("<svg><metadata charset=big5>", None);
        declares("<meta charset=big5", None);
        declares("<meta content=charset=big5>", None);
    }
}
