//! The encoding that the `meta` elements of a document declare.

use std::borrow::Cow;
use std::ops::ControlFlow;

use encoding_rs::Encoding;

use super::attributes::may_have_tag;
use super::candidates::{Candidate, Candidates};
use super::events::{Namespace, Sink, StartTag, TreeAction};
use super::exact;
use super::interest::{Fact, Interest};
use crate::encoding;
use crate::reference::{Context, decode};

/// Finds the first encoding that a `meta` element in the tree declares.
///
/// Tags that the tree builder drops, and text that only looks like a tag, as in a script or a
/// comment, are not elements; the contents of templates are in the tree
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
    if !may_have_tag(source, b"meta") {
        return None;
    }
    let mut find = Find { source, found: None };
    let _ = exact::scan(source, &mut find);
    find.found
}

/// The encoding that a start tag declares if it creates a `meta` element.
pub(super) fn of_start_tag(source: &[u8], tag: &StartTag<'_>) -> Option<&'static Encoding> {
    let is_meta = tag.namespace == Namespace::Html
        && tag.action == TreeAction::Inserted
        && !tag.is_in_noscript
        && source[tag.name.clone()].eq_ignore_ascii_case(b"meta");
    if !is_meta {
        return None;
    }
    of_values(|name| {
        let is_it = |name_of: &[u8]| name_of.eq_ignore_ascii_case(name.as_bytes());
        let attribute = tag.attributes.iter().find(|one| is_it(&source[one.name.clone()]))?;
        Some(&source[attribute.value.clone()])
    })
}

/// Finds the declared encoding in the candidates of the fast scanner, in the order of the source:
/// every `meta` tag among them is an element.
///
/// Most documents declare their encoding in their first tags. A check for `meta` in the scanner's
/// own loop took 2 % more instructions there, on `python3.11-doc`.
pub(super) fn of_candidates(
    source: &[u8],
    found: &Candidates,
    interest: &Interest,
) -> Option<&'static Encoding> {
    let declares = |one: &Candidate| interest.fact(one.name) == Some(Fact::Encoding);
    let is_meta = |one: &Candidate| {
        one.namespace == Namespace::Html
            && found.noscript_around(one.element).is_none()
            && source[one.element(source)].eq_ignore_ascii_case(b"meta")
    };
    found
        .list
        .chunk_by(|one, next| one.element == next.element)
        .filter(|tag| tag.iter().any(declares) && is_meta(&tag[0]))
        .find_map(|tag| {
            of_values(|name| {
                let candidate = tag.iter().find(|one| interest.name(one.name) == name)?;
                Some(&source[candidate.value()])
            })
        })
}

/// The encoding that a `meta` element declares, from the values of its attributes as written.
fn of_values<'s>(value: impl Fn(&str) -> Option<&'s [u8]>) -> Option<&'static Encoding> {
    let [charset, http_equiv, content] =
        ["charset", "http-equiv", "content"].map(|name| value(name).map(decoded));
    encoding::from_attributes(charset.as_deref(), http_equiv.as_deref(), content.as_deref())
}

/// Decodes character references. Labels are ASCII, so neither the encoding of other characters nor
/// a parser's treatment of line ends and NUL makes a difference.
fn decoded(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'&') {
        return Cow::Borrowed(value);
    }
    let text = String::from_utf8_lossy(value);
    Cow::Owned(decode(&text, Context::Attribute).into_owned().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::{ScanOptions, Styles};
    use super::*;
    use crate::attributes::Selection;
    use crate::encoding::Confidence;

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
