//! Reads the URL of a saved page from its comments.

use crate::base::BaseSource;

/// The beginnings of the comments that programs add to saved pages, in any case. `may_say` looks
/// for these.
pub(super) const BEGINNINGS: &[&str] = &[
    SAVED_FROM,
    "page saved with singlefile",
    // An older header of SingleFile, which it still writes on request.
    "archive processed by singlefile",
    MIRRORED_FROM,
];
const SAVED_FROM: &str = "saved from ";
const MIRRORED_FROM: &str = "mirrored from ";

/// The URL that a comment records for the page, and the kind of the comment.
pub(super) fn of_comment(comment: &str) -> Option<(BaseSource, String)> {
    let comment = comment.trim_ascii();
    let (beginning, rest) = BEGINNINGS
        .iter()
        .find_map(|&beginning| Some((beginning, strip_prefix(comment, beginning)?)))?;
    let (source, url) = match beginning {
        SAVED_FROM => match strip_prefix(rest, "url=(") {
            Some(rest) => (BaseSource::SavedFrom, saved_from(rest)?),
            None => (BaseSource::Monolith, monolith(rest)?),
        },
        MIRRORED_FROM => (BaseSource::Httrack, httrack(rest)?),
        _ => (BaseSource::SingleFile, singlefile(rest)?),
    };
    (!url.is_empty()).then_some((source, url))
}

/// [The mark of the web][mark]: a length in parentheses, then the URL.
///
/// The length is ignored: white space, which a URL cannot contain, ends the URL, and an edited mark
/// may have a wrong length. Comments should not contain `--`, so that Chromium writes the second
/// dash as `%2D`; this is undone, as is `%2D%2D`.
///
/// [mark]: https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/compatibility/ms537628(v=vs.85)
fn saved_from(rest: &str) -> Option<String> {
    let (length, url) = rest.split_once(')')?;
    if length.is_empty() || !length.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(with_dashes(&first_word(url)))
}

/// Decodes each escaped dash that is next to another dash, escaped or not.
fn with_dashes(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut rest = url;
    while let Some(character) = rest.chars().next() {
        let is_escaped = strip_prefix(rest, "%2d").is_some();
        let length = if is_escaped { "%2d".len() } else { character.len_utf8() };
        let (piece, after) = rest.split_at(length);
        let is_beside =
            out.ends_with('-') || after.starts_with('-') || strip_prefix(after, "%2d").is_some();
        out.push_str(if is_escaped && is_beside { "-" } else { piece });
        rest = after;
    }
    out
}

/// `url: URL` on a separate line, and the date on the next one.
fn singlefile(rest: &str) -> Option<String> {
    let rest = strip_prefix(rest.trim_ascii(), "url:")?;
    Some(first_word(rest.lines().next()?))
}

/// `URL at 2024-08-23T12:34:56Z using monolith v2.8.1`.
fn monolith(rest: &str) -> Option<String> {
    let end = find(rest, " using monolith")?;
    let url = &rest[..end];
    Some(first_word(&url[..find(url, " at ").unwrap_or(url.len())]))
}

/// `host/path by HTTrack Website Copier/3.x [XR&CO'2014], Thu, 15 Aug 2024 02:22:35 GMT`.
///
/// HTTrack adds it before the head and after the body of each page that has an `html` tag. It never
/// writes the scheme, and does not escape spaces.
fn httrack(rest: &str) -> Option<String> {
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

/// The offset of the first occurrence of a text, in any case.
fn find(text: &str, needle: &str) -> Option<usize> {
    let mut windows = text.as_bytes().windows(needle.len());
    windows.position(|window| window.eq_ignore_ascii_case(needle.as_bytes()))
}

/// The offset of the last occurrence of a text, in any case.
fn find_last(text: &str, needle: &str) -> Option<usize> {
    let mut windows = text.as_bytes().windows(needle.len());
    windows.rposition(|window| window.eq_ignore_ascii_case(needle.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn says(comment: &str, source: &str, url: &str) {
        let said = of_comment(comment).map(|(source, url)| (source.name(), url));
        assert_eq!(said, Some((source, url.to_owned())), "{comment:?}");
    }

    #[track_caller]
    fn says_nothing(comment: &str) {
        assert_eq!(of_comment(comment), None, "{comment:?}");
    }

    #[test]
    fn the_mark_of_browsers() {
        says(" saved from url=(0014)http://host/x ", "saved-from", "http://host/x");
        says("\nSAVED FROM URL=(0014)HTTP://HOST/x\n", "saved-from", "HTTP://HOST/x");
        says("saved from url=(14)https://h/?a=b#c", "saved-from", "https://h/?a=b#c");
        says(" saved from url=(0013)about:internet ", "saved-from", "about:internet");
        says(" saved from url=(9999)http://h/x y", "saved-from", "http://h/x");
        says(" saved from url=(0001)http://h/x ", "saved-from", "http://h/x");
        says_nothing(" saved from url=()http://h/x ");
        says_nothing(" saved from url=(x)http://h/x ");
        says_nothing(" saved from url=(0000) ");
        says_nothing(" saved from url=(0014 http://h/x ");
        says_nothing(" saved from url=http://h/x ");
        says_nothing(" not saved from url=(0014)http://h/x ");
        says_nothing("");
    }

    #[test]
    fn escaped_dashes_of_a_mark_are_dashes() {
        says("saved from url=(0019)http://h/a%2D%2Db", "saved-from", "http://h/a--b");
        says("saved from url=(0019)http://h/a-%2Db", "saved-from", "http://h/a--b");
        says("saved from url=(0019)http://h/a-%2d-%2Db", "saved-from", "http://h/a----b");
        says("saved from url=(0019)http://h/%2D-b", "saved-from", "http://h/--b");
        says("saved from url=(0019)http://h/a%2Db", "saved-from", "http://h/a%2Db");
        says("saved from url=(0019)http://h/\u{e9}%2", "saved-from", "http://h/\u{e9}%2");
    }

    #[test]
    fn the_comment_of_singlefile() {
        let date = "saved date: Wed Sep 24 2025 10:00:00 GMT+0200";
        let of = |url: &str| format!("\n Page saved with SingleFile \n url: {url} \n {date}\n");
        says(&of("https://h/a--b?c"), "singlefile", "https://h/a--b?c");
        says("\n Archive processed by SingleFile \n url: http://h/ \n", "singlefile", "http://h/");
        says("Page saved with SingleFile url: http://h/ saved date", "singlefile", "http://h/");
        says_nothing(&of(""));
        says_nothing(" Page saved with SingleFile ");
        says_nothing(" Page saved with SingleFile \n info: x \n url: http://h/ ");
    }

    #[test]
    fn the_comment_of_httrack() {
        let by = "by HTTrack Website Copier/3.x [XR&CO'2014], Thu, 15 Aug 2024 02:22:35 GMT";
        says(
            &format!(" Mirrored from h.example/a/b.html {by} "),
            "httrack",
            "http://h.example/a/b.html",
        );
        says(&format!("Mirrored from h:8080/ {by}"), "httrack", "http://h:8080/");
        says(&format!(" Mirrored from https://h/a {by} "), "httrack", "https://h/a");
        says(&format!(" Mirrored from file:///a {by} "), "httrack", "file:///a");
        says(
            &format!(" Mirrored from h/a b/c d.html {by}"),
            "httrack",
            "http://h/a%20b/c%20d.html",
        );
        says(&format!(" Mirrored from h/by HTTrack {by} "), "httrack", "http://h/by%20HTTrack");
        says(" mirrored from h/a BY HTTRACK ", "httrack", "http://h/a");
        says_nothing(" Created by HTTrack Website Copier/3.49-2 [XR&CO'2014] ");
        says_nothing(" Mirrored from h/a by someone else ");
        says_nothing(" Mirrored from  by HTTrack Website Copier/3.x ");
    }

    #[test]
    fn the_comment_of_monolith() {
        let with = "at 2024-08-23T12:34:56Z using monolith v2.8.1";
        says(&format!(" Saved from https://h/a?b {with} "), "monolith", "https://h/a?b");
        says("Saved from http://h/ using monolith", "monolith", "http://h/");
        says(&format!(" Saved from local source {with} "), "monolith", "local");
        says_nothing(" Saved from https://h/ at noon ");
    }
}
