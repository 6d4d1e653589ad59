//! Finds the URLs that a page records for itself: in its comments, in the attribute of its `html`
//! element, and in its `link` elements.

use std::ops::{ControlFlow, Range};

use memchr::memchr2_iter;

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

/// Bytes of a tag that are searched for an attribute; a longer tag is assumed to have it.
const MAX_SEARCHED_LEN: usize = 1024;

/// Whether a page may record a URL: most pages do not, and are not read any further.
///
/// Only compares the text after each `<`; the exact scanner reads every attribute, which would be
/// too expensive for pages that no program saved. For 3 MB of the Python documentation this takes
/// 3.5 of 34 million instructions (`valgrind --tool=callgrind`, without a base URL).
pub(super) fn may_record_url(bytes: &[u8]) -> bool {
    Opens::new(bytes).any(|open| match &bytes[open + 1..] {
        [b'!', b'-', b'-', comment @ ..] => {
            let comment = comment.trim_ascii_start();
            BEGINNINGS.iter().any(|text| begins_with(comment, text))
        }
        tag @ [b'h' | b'H', b't' | b'T', ..] => {
            begins_with(tag, "html") && may_contain(tag, SCRAPBOOK, b'k')
        }
        tag @ [b'l' | b'L', b'i' | b'I', b'n' | b'N', ..] => {
            begins_with(tag, "link") && may_contain(tag, ORIGINAL, b'g')
        }
        _ => false,
    })
}

/// Whether a tag, given from its name on, may contain a word. Searches for `letter`, which is in
/// the word and rare elsewhere.
fn may_contain(tag: &[u8], word: &str, letter: u8) -> bool {
    let start = &tag[..tag.len().min(MAX_SEARCHED_LEN)];
    let Some(end) = tag_end(start, 0) else { return true };
    let Some(before) = word.bytes().position(|byte| byte == letter) else { return true };
    memchr2_iter(letter, letter.to_ascii_uppercase(), &start[..end])
        .any(|at| at.checked_sub(before).is_some_and(|start| begins_with(&tag[start..], word)))
}

fn begins_with(bytes: &[u8], word: &str) -> bool {
    bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

/// Finds the URLs that the beginning of a page records, in the order of the source.
pub(super) fn find_hints(text: &str) -> Vec<UrlHint> {
    let mut reader = HintReader { text, hints: Vec::new() };
    let _ = exact::scan(text.as_bytes(), &mut reader);
    reader.hints
}

struct HintReader<'t> {
    text: &'t str,
    hints: Vec<UrlHint>,
}

impl Sink for HintReader<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        let name = &self.text[tag.name.clone()];
        if tag.namespace == Namespace::Html && tag.action != TreeAction::Dropped {
            if name.eq_ignore_ascii_case("html") {
                self.add_hint(BaseSource::WebScrapBook, self.find_value(tag, SCRAPBOOK));
            } else if name.eq_ignore_ascii_case("link") && tag.place != Placement::Template {
                let is_original = self.find_value(tag, "rel").is_some_and(|rel| {
                    rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(ORIGINAL))
                });
                let href = is_original.then(|| self.find_value(tag, "href")).flatten();
                self.add_hint(BaseSource::Original, href);
            }
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, span: Range<usize>) {
        // A comment that is cut off where the beginning ends may have a longer URL.
        let after = &self.text[span.end..];
        if (after.starts_with("-->") || after.starts_with("--!>"))
            && let Some((source, url)) = read_comment(&self.text[span])
        {
            self.hints.push(UrlHint { source, url });
        }
    }
}

impl HintReader<'_> {
    fn find_value(&self, tag: &StartTag<'_>, name: &str) -> Option<String> {
        let is_named = |at: &Range<usize>| self.text[at.clone()].eq_ignore_ascii_case(name);
        let attribute = tag.attributes.iter().find(|attribute| is_named(&attribute.name))?;
        Some(decode(&self.text[attribute.value.clone()], Context::Attribute).into_owned())
    }

    fn add_hint(&mut self, source: BaseSource, url: Option<String>) {
        self.hints.extend(url.map(|url| UrlHint { source, url }));
    }
}

/// The beginnings of the comments that programs add to saved pages, in any case.
/// [`may_record_url`] looks for these.
const BEGINNINGS: &[&str] = &[
    SAVED_FROM,
    "page saved with singlefile",
    // An older header of SingleFile, which it still writes on request.
    "archive processed by singlefile",
    MIRRORED_FROM,
];
const SAVED_FROM: &str = "saved from ";
const MIRRORED_FROM: &str = "mirrored from ";

/// Reads the URL that a comment records for the page, and the kind of the comment.
fn read_comment(comment: &str) -> Option<(BaseSource, String)> {
    let comment = comment.trim_ascii();
    let (beginning, rest) = BEGINNINGS
        .iter()
        .find_map(|&beginning| Some((beginning, strip_prefix(comment, beginning)?)))?;
    let (source, url) = match beginning {
        SAVED_FROM => match strip_prefix(rest, "url=(") {
            Some(rest) => (BaseSource::SavedFrom, read_saved_from(rest)?),
            None => (BaseSource::Monolith, read_monolith(rest)?),
        },
        MIRRORED_FROM => (BaseSource::Httrack, read_httrack(rest)?),
        _ => (BaseSource::SingleFile, read_singlefile(rest)?),
    };
    (!url.is_empty()).then_some((source, url))
}

/// Reads [the mark of the web][mark]: a length in parentheses, then the URL.
///
/// The length is ignored: white space, which a URL cannot contain, ends the URL, and an edited mark
/// may have a wrong length. Comments should not contain `--`, so Chromium writes the second dash as
/// `%2D`. This is undone, and so is `%2D%2D`.
///
/// [mark]: https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/compatibility/ms537628(v=vs.85)
fn read_saved_from(rest: &str) -> Option<String> {
    let (length, url) = rest.split_once(')')?;
    if length.is_empty() || !length.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(decode_dashes(&first_word(url)))
}

/// Decodes each escaped dash that is next to another dash, escaped or not.
fn decode_dashes(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut rest = url;
    while let Some(character) = rest.chars().next() {
        let is_escaped = strip_prefix(rest, "%2d").is_some();
        let length = if is_escaped { "%2d".len() } else { character.len_utf8() };
        let (piece, after) = rest.split_at(length);
        let is_next_to_dash =
            out.ends_with('-') || after.starts_with('-') || strip_prefix(after, "%2d").is_some();
        out.push_str(if is_escaped && is_next_to_dash { "-" } else { piece });
        rest = after;
    }
    out
}

/// Reads `url: URL` on a separate line, which the date follows.
fn read_singlefile(rest: &str) -> Option<String> {
    let rest = strip_prefix(rest.trim_ascii(), "url:")?;
    Some(first_word(rest.lines().next()?))
}

/// Reads `URL at 2024-08-23T12:34:56Z using monolith v2.8.1`.
fn read_monolith(rest: &str) -> Option<String> {
    let end = find(rest, " using monolith")?;
    let url = &rest[..end];
    Some(first_word(&url[..find(url, " at ").unwrap_or(url.len())]))
}

/// Reads `host/path by HTTrack Website Copier/3.x [XR&CO'2014], Thu, 15 Aug 2024 02:22:35 GMT`.
///
/// HTTrack adds this comment before the head and after the body of each page that has an `html`
/// tag. It never writes the scheme, and does not escape spaces.
fn read_httrack(rest: &str) -> Option<String> {
    let line = rest.lines().next()?;
    let url = line[..find_last(line, " by httrack")?].trim_ascii().replace(' ', "%20");
    let has_scheme = url.split('/').next().is_some_and(|first| first.ends_with(':'));
    Some(if has_scheme || url.is_empty() { url } else { format!("http://{url}") })
}

fn first_word(text: &str) -> String {
    text.split_ascii_whitespace().next().unwrap_or_default().to_owned()
}

/// Removes a prefix, compared in any case; `prefix` is in lower case.
fn strip_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Finds the first occurrence of a text, in any case.
fn find(text: &str, needle: &str) -> Option<usize> {
    let mut windows = text.as_bytes().windows(needle.len());
    windows.position(|window| window.eq_ignore_ascii_case(needle.as_bytes()))
}

/// Finds the last occurrence of a text, in any case.
fn find_last(text: &str, needle: &str) -> Option<usize> {
    let mut windows = text.as_bytes().windows(needle.len());
    windows.rposition(|window| window.eq_ignore_ascii_case(needle.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the URLs that a page records, as `source url`; the fast test must not miss any.
    #[track_caller]
    fn says(page: &str, expected: &[&str]) {
        let said: Vec<_> =
            find_hints(page).iter().map(|hint| format!("{} {}", hint.source, hint.url)).collect();
        assert_eq!(said, expected, "{page:?}");
        assert!(may_record_url(page.as_bytes()) || said.is_empty(), "{page:?}");
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

    #[track_caller]
    fn comment_says(comment: &str, source: &str, url: &str) {
        let said = read_comment(comment).map(|(source, url)| (source.name(), url));
        assert_eq!(said, Some((source, url.to_owned())), "{comment:?}");
    }

    #[track_caller]
    fn comment_says_nothing(comment: &str) {
        assert_eq!(read_comment(comment), None, "{comment:?}");
    }

    #[test]
    fn the_mark_of_browsers() {
        comment_says(" saved from url=(0014)http://host/x ", "saved-from", "http://host/x");
        comment_says("\nSAVED FROM URL=(0014)HTTP://HOST/x\n", "saved-from", "HTTP://HOST/x");
        comment_says("saved from url=(14)https://h/?a=b#c", "saved-from", "https://h/?a=b#c");
        comment_says(" saved from url=(0013)about:internet ", "saved-from", "about:internet");
        comment_says(" saved from url=(9999)http://h/x y", "saved-from", "http://h/x");
        comment_says(" saved from url=(0001)http://h/x ", "saved-from", "http://h/x");
        comment_says_nothing(" saved from url=()http://h/x ");
        comment_says_nothing(" saved from url=(x)http://h/x ");
        comment_says_nothing(" saved from url=(0000) ");
        comment_says_nothing(" saved from url=(0014 http://h/x ");
        comment_says_nothing(" saved from url=http://h/x ");
        comment_says_nothing(" not saved from url=(0014)http://h/x ");
        comment_says_nothing("");
    }

    #[test]
    fn escaped_dashes_of_a_mark_are_dashes() {
        comment_says("saved from url=(0019)http://h/a%2D%2Db", "saved-from", "http://h/a--b");
        comment_says("saved from url=(0019)http://h/a-%2Db", "saved-from", "http://h/a--b");
        comment_says("saved from url=(0019)http://h/a-%2d-%2Db", "saved-from", "http://h/a----b");
        comment_says("saved from url=(0019)http://h/%2D-b", "saved-from", "http://h/--b");
        comment_says("saved from url=(0019)http://h/a%2Db", "saved-from", "http://h/a%2Db");
        comment_says("saved from url=(0019)http://h/\u{e9}%2", "saved-from", "http://h/\u{e9}%2");
    }

    #[test]
    fn the_comment_of_singlefile() {
        let date = "saved date: Wed Sep 24 2025 10:00:00 GMT+0200";
        let of = |url: &str| format!("\n Page saved with SingleFile \n url: {url} \n {date}\n");
        comment_says(&of("https://h/a--b?c"), "singlefile", "https://h/a--b?c");
        comment_says(
            "\n Archive processed by SingleFile \n url: http://h/ \n",
            "singlefile",
            "http://h/",
        );
        comment_says(
            "Page saved with SingleFile url: http://h/ saved date",
            "singlefile",
            "http://h/",
        );
        comment_says_nothing(&of(""));
        comment_says_nothing(" Page saved with SingleFile ");
        comment_says_nothing(" Page saved with SingleFile \n info: x \n url: http://h/ ");
    }

    #[test]
    fn the_comment_of_httrack() {
        let by = "by HTTrack Website Copier/3.x [XR&CO'2014], Thu, 15 Aug 2024 02:22:35 GMT";
        comment_says(
            &format!(" Mirrored from h.example/a/b.html {by} "),
            "httrack",
            "http://h.example/a/b.html",
        );
        comment_says(&format!("Mirrored from h:8080/ {by}"), "httrack", "http://h:8080/");
        comment_says(&format!(" Mirrored from https://h/a {by} "), "httrack", "https://h/a");
        comment_says(&format!(" Mirrored from file:///a {by} "), "httrack", "file:///a");
        comment_says(
            &format!(" Mirrored from h/a b/c d.html {by}"),
            "httrack",
            "http://h/a%20b/c%20d.html",
        );
        comment_says(
            &format!(" Mirrored from h/by HTTrack {by} "),
            "httrack",
            "http://h/by%20HTTrack",
        );
        comment_says(" mirrored from h/a BY HTTRACK ", "httrack", "http://h/a");
        comment_says_nothing(" Created by HTTrack Website Copier/3.49-2 [XR&CO'2014] ");
        comment_says_nothing(" Mirrored from h/a by someone else ");
        comment_says_nothing(" Mirrored from  by HTTrack Website Copier/3.x ");
    }

    #[test]
    fn the_comment_of_monolith() {
        let with = "at 2024-08-23T12:34:56Z using monolith v2.8.1";
        comment_says(&format!(" Saved from https://h/a?b {with} "), "monolith", "https://h/a?b");
        comment_says("Saved from http://h/ using monolith", "monolith", "http://h/");
        comment_says(&format!(" Saved from local source {with} "), "monolith", "local");
        comment_says_nothing(" Saved from https://h/ at noon ");
    }
}
