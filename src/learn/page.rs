//! Finds the URLs that a page records for itself: in its comments, in the attribute of its `html`
//! element, and in its `link` elements.

use std::ops::{ControlFlow, Range};

use memchr::memchr2_iter;

use super::comments;
use crate::attributes::Namespace;
use crate::base::BaseSource;
use crate::reference::{Context, decode};
use crate::scan::{Opens, Placement, Sink, StartTag, TreeAction, exact, tag_end};

/// A URL that a page records for itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UrlHint {
    pub(super) source: BaseSource,
    pub(super) url: String,
}

/// The attribute that `WebScrapBook` adds to the `html` element.
const SCRAPBOOK: &str = "data-scrapbook-source";
/// The relation of a copy to its original: <https://www.rfc-editor.org/rfc/rfc7089#section-2.2.1>
const ORIGINAL: &str = "original";

/// Tags of at least this length are assumed to have the attribute.
const LONG_TAG: usize = 1024;

/// Whether a page may record a URL: most pages do not, and are not read any further.
///
/// Only compares the text after each `<`; the exact scanner reads every attribute, which would be
/// too expensive for pages that no program saved. For 3 MB of the Python documentation this takes
/// 3.5 of 34 million instructions (`valgrind --tool=callgrind`, without a base URL).
pub(super) fn may_say(bytes: &[u8]) -> bool {
    Opens::new(bytes).any(|open| match &bytes[open + 1..] {
        [b'!', b'-', b'-', comment @ ..] => {
            let comment = comment.trim_ascii_start();
            comments::BEGINNINGS.iter().any(|text| begins(comment, text))
        }
        tag @ [b'h' | b'H', b't' | b'T', ..] => {
            begins(tag, "html") && may_hold(tag, SCRAPBOOK, b'k')
        }
        tag @ [b'l' | b'L', b'i' | b'I', b'n' | b'N', ..] => {
            begins(tag, "link") && may_hold(tag, ORIGINAL, b'g')
        }
        _ => false,
    })
}

/// Whether a tag, which begins with its name, may have a word; the search looks for a rare letter
/// of the word.
fn may_hold(tag: &[u8], word: &str, letter: u8) -> bool {
    let start = &tag[..tag.len().min(LONG_TAG)];
    let Some(end) = tag_end(start, 0) else { return true };
    let Some(before) = word.bytes().position(|byte| byte == letter) else { return true };
    memchr2_iter(letter, letter.to_ascii_uppercase(), &start[..end])
        .any(|at| at.checked_sub(before).is_some_and(|start| begins(&tag[start..], word)))
}

fn begins(bytes: &[u8], word: &str) -> bool {
    bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

/// The URLs that the beginning of a page records, in the order of the source.
pub(super) fn said(text: &str) -> Vec<UrlHint> {
    let mut reader = Reader { text, said: Vec::new() };
    let _ = exact::scan(text.as_bytes(), &mut reader);
    reader.said
}

struct Reader<'t> {
    text: &'t str,
    said: Vec<UrlHint>,
}

impl Sink for Reader<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        let name = &self.text[tag.name.clone()];
        if tag.namespace == Namespace::Html && tag.action != TreeAction::Dropped {
            if name.eq_ignore_ascii_case("html") {
                self.found(BaseSource::WebScrapBook, self.value(tag, SCRAPBOOK));
            } else if name.eq_ignore_ascii_case("link") && tag.place != Placement::Template {
                let is_original = self.value(tag, "rel").is_some_and(|rel| {
                    rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(ORIGINAL))
                });
                let href = is_original.then(|| self.value(tag, "href")).flatten();
                self.found(BaseSource::Original, href);
            }
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, span: Range<usize>) {
        // A comment that is cut at the end of the beginning may continue, and name another URL.
        let after = &self.text[span.end..];
        if (after.starts_with("-->") || after.starts_with("--!>"))
            && let Some((source, url)) = comments::of_comment(&self.text[span])
        {
            self.said.push(UrlHint { source, url });
        }
    }
}

impl Reader<'_> {
    fn value(&self, tag: &StartTag<'_>, name: &str) -> Option<String> {
        let is_named = |at: &Range<usize>| self.text[at.clone()].eq_ignore_ascii_case(name);
        let attribute = tag.attributes.iter().find(|attribute| is_named(&attribute.name))?;
        Some(decode(&self.text[attribute.value.clone()], Context::Attribute).into_owned())
    }

    fn found(&mut self, source: BaseSource, url: Option<String>) {
        self.said.extend(url.map(|url| UrlHint { source, url }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the URLs that a page records, as `source url`; the fast test must not miss any.
    #[track_caller]
    fn says(page: &str, expected: &[&str]) {
        let said: Vec<_> =
            said(page).iter().map(|hint| format!("{} {}", hint.source, hint.url)).collect();
        assert_eq!(said, expected, "{page:?}");
        assert!(may_say(page.as_bytes()) || said.is_empty(), "{page:?}");
    }

    const MARK: &str = "<!-- saved from url=(0009)http://h/ -->";

    #[test]
    fn marks_count_where_a_parser_sees_a_comment() {
        let from = &["saved-from http://h/"];
        says(&format!("<!DOCTYPE html>\n{MARK}\n<html>"), from);
        says(&format!("<p>x{MARK}"), from);
        says("<!-- saved from url=(0009)http://h/ --!><p>", from);
        for (start, end) in [
            ("<script>", "</script>"),
            ("<style>", "</style>"),
            ("<title>", "</title>"),
            ("<textarea>", "</textarea>"),
            ("<p title='", "'>"),
            ("<!-- ", ""),
        ] {
            says(&format!("{start}{MARK}{end}"), &[]);
        }
        says("<! saved from url=(0009)http://h/ >", &[]);
        says("<!-- saved from url=(0009)http://h/", &[]);
        says("<!-- saved from url=(0009)http://h/--", &[]);
    }

    #[test]
    fn the_attribute_of_webscrapbook_counts_on_the_html_element() {
        let from = &["webscrapbook http://h/?a&b"];
        says(
            "<html lang=de data-scrapbook-source='http://h/?a&amp;b' data-scrapbook-create=1>",
            from,
        );
        says("<HTML DATA-SCRAPBOOK-SOURCE=http://h/?a&b>", from);
        says("<body data-scrapbook-source=http://h/>", &[]);
        says("<svg><html data-scrapbook-source=http://h/>", &[]);
        says("<html title='data-scrapbook-source=http://h/'>", &[]);
    }

    #[test]
    fn a_link_element_names_the_original() {
        says("<link rel=original href=http://h/>", &["original http://h/"]);
        says("<LINK HREF=http://h/ REL=' x Original '>", &["original http://h/"]);
        says("<link rel=original href=a>", &["original a"]);
        says("<link rel=original>", &[]);
        says("<link rel=originals href=http://h/>", &[]);
        says("<a rel=original href=http://h/>", &[]);
        says("<template><link rel=original href=http://h/></template>", &[]);
    }

    #[test]
    fn all_is_said_in_the_order_of_the_source() {
        let page =
            format!("<link rel=original href=http://i/>{MARK}<!--saved from url=(1)http://j/-->");
        says(&page, &["original http://i/", "saved-from http://h/", "saved-from http://j/"]);
    }
}
