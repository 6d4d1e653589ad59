//! Checks a file that a user names by its own path, so that only HTML is read as HTML.
//!
//! Content that begins like HTML takes precedence over the name, since mirrors store pages under
//! any name, such as `index.php` and `page?id=1`.

use std::path::Path;

use absolve::Error;
use memchr::{memchr_iter, memmem};

use super::format::{Format, has_end, is_json_feed};
use super::signature::{ARC, BOOK, BOOK_EXTENSIONS, Hint, find_foreign_type, not_a_document};

/// File extensions that no format reads, in any case.
const FOREIGN: &[(&[&str], &str, Hint)] = &[
    (&[".arc", ".arc.gz"], ARC, Hint::Convert),
    (BOOK_EXTENSIONS, BOOK, Hint::Book),
    (&[".json", ".jsonl", ".webmanifest"], "JSON", Hint::NotHtml),
    (&[".js", ".mjs", ".cjs"], "JavaScript", Hint::NotHtml),
    (&[".txt"], "plain text", Hint::NotHtml),
    (&[".csv"], "CSV", Hint::NotHtml),
    (&[".yaml", ".yml"], "YAML", Hint::NotHtml),
    (TEMPLATES, "a template", Hint::NotHtml),
];

/// File extensions of templates, whose content may begin like HTML.
#[rustfmt::skip]
const TEMPLATES: &[&str] = &[
    ".astro", ".ejs", ".erb", ".hbs", ".j2", ".jinja", ".jinja2", ".jsx", ".liquid", ".mustache",
    ".njk", ".svelte", ".tmpl", ".tpl", ".tsx", ".twig", ".vue",
];

const MARKDOWN: &str = "Markdown by its name";

/// File extensions of texts with other markup, which are HTML only if they are a whole page.
const OTHER_MARKUP: &[(&[&str], &str, Hint)] = &[
    (&[".mdx", ".mkd", ".mkdn", ".mdown", ".mdwn", ".rmd", ".qmd"], MARKDOWN, Hint::Markdown),
    (&[".rst", ".adoc", ".asciidoc", ".textile"], "a text by its name", Hint::NotHtml),
];

/// File extensions of HTML, in any case.
const HTML_EXTENSIONS: &[&str] = &[".html", ".htm", ".shtml"];

/// Beginnings of other formats, which decide under any name.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (b"<?php", "PHP"),
    (b"<?=", "PHP"),
    (b"<%", "a template"),
    (b"{%", "a template"),
    (b"{{", "a template"),
];

/// Elements that a page or a fragment may begin with, beside custom elements.
#[rustfmt::skip]
const ELEMENTS: &[&str] = &[
    "audio", "bdi", "bdo", "big", "caption", "cite", "col", "colgroup", "data", "datalist", "del", "dfn",
    "dialog", "embed", "figcaption", "frame", "hgroup", "ins", "kbd", "legend", "map", "marquee",
    "math", "menuitem", "meter", "nobr", "noframes", "object", "optgroup", "output", "param", "progress",
    "ruby", "samp", "script", "search", "slot", "source", "strike", "summary", "template", "textarea",
    "tfoot", "time", "track", "var", "wbr",
    "a", "abbr", "address", "article", "aside", "b", "base", "blockquote", "body", "br", "button",
    "canvas", "center", "code", "dd", "details", "dir", "div", "dl", "dt", "em", "fieldset", "figure",
    "font", "footer", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header",
    "hr", "html", "i", "iframe", "img", "input", "label", "li", "link", "main", "menu", "meta",
    "nav", "noscript", "ol", "option", "p", "picture", "pre", "q", "s", "section", "select", "small",
    "span", "strong", "style", "sub", "sup", "svg", "table", "tbody", "td", "th", "thead", "title",
    "tr", "tt", "u", "ul", "video",
];

/// Bytes at the beginning of a file that [`Format::check_given_file`] needs.
const BEGINNING_LEN: usize = 64 * 1024;

/// Bytes of a `.json` file that the check needs, since the `version` of a JSON Feed may be its last
/// field: the default of [`Limits::input`](absolve::Limits::input).
const JSON_LEN: usize = 64 * 1024 * 1024;

impl Format {
    /// Returns how many of the first bytes decide whether a file is HTML; 0 if its name decides.
    #[must_use]
    #[doc(hidden)]
    pub fn bytes_to_check(path: &Path) -> usize {
        match Self::from_name(path) {
            Self::Html if has_end(path, &[".json"]) => JSON_LEN,
            Self::Html => BEGINNING_LEN,
            _ => 0,
        }
    }

    /// Whether a text begins like a whole HTML page, rather than a fragment.
    #[doc(hidden)]
    pub fn begins_page(text: &[u8]) -> bool {
        begins_html(text, is_root)
    }

    /// Checks that neither the name nor the first bytes of a file that a user gives as a web
    /// archive are those of another type.
    #[doc(hidden)]
    pub fn check_given_archive(path: &Path, beginning: &[u8]) -> Result<(), String> {
        let is_named = |(ends, _, hint): &&(&[&str], &str, Hint)| {
            matches!(hint, Hint::Convert | Hint::Book) && has_end(path, ends)
        };
        match FOREIGN.iter().find(is_named) {
            Some((_, noun, hint)) => Err(format!("{noun}; {}", hint.text())),
            None => Self::check_archive(beginning),
        }
    }

    /// Checks that a file that a user names by its own path has a supported format. In a folder,
    /// the patterns decide which files are documents.
    ///
    /// # Errors
    ///
    /// If its name or its content is that of another format, such as `.json` or PHP; if it has
    /// another extension than HTML and does not begin like HTML; if it has no extension and no tag.
    #[doc(hidden)]
    pub fn check_given_file(path: &Path, beginning: &[u8]) -> Result<(), Error> {
        if is_json_feed(path, beginning) {
            return Ok(());
        }
        if let Some((_, noun, hint)) = FOREIGN.iter().find(|(ends, ..)| has_end(path, ends)) {
            return Err(not_a_document(&format!("{noun} by its name"), *hint));
        }
        // `Format::detect` reports binary files later.
        if Self::from_name(path) != Self::Html || find_foreign_type(beginning).is_some() {
            return Ok(());
        }
        // Without the NUL bytes, ASCII characters of UTF-16 are found too.
        let text: Vec<u8> = beginning.iter().copied().filter(|&byte| byte != 0).collect();
        let byte_order_marks = [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"];
        let text =
            byte_order_marks.iter().find_map(|mark| text.strip_prefix(*mark)).unwrap_or(&text);
        let other = detect_other_format(path, text.trim_ascii_start());
        other.map_or(Ok(()), |(noun, hint)| Err(not_a_document(noun, hint)))
    }
}

/// Detects a format other than HTML by the text of a file and its name, with the hint for it.
fn detect_other_format(path: &Path, text: &[u8]) -> Option<(&'static str, Hint)> {
    let begins = |(beginning, _): &&(&[u8], _)| text.starts_with(beginning);
    if let Some((_, noun)) = BEGINNINGS.iter().find(begins) {
        return Some((noun, Hint::NotHtml));
    }
    if begins_json(text) {
        return Some(("JSON", Hint::NotHtml));
    }
    let is_readme = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("README"));
    let by_readme = is_readme.then_some((MARKDOWN, Hint::Markdown));
    let by_extension = OTHER_MARKUP.iter().find(|(ends, ..)| has_end(path, ends));
    if let Some(other) = by_readme.or(by_extension.map(|&(_, noun, hint)| (noun, hint)))
        && !text.is_empty()
        && !Format::begins_page(text)
    {
        return Some(other);
    }
    if text.is_empty() || has_end(path, HTML_EXTENSIONS) || begins_html(text, is_element) {
        let contains = |tag: &[u8]| memmem::find(text, tag).is_some();
        let is_template = has_extension(path)
            && !has_end(path, HTML_EXTENSIONS)
            && [&b"<?php"[..], b"<?=", b"<%"].into_iter().any(contains);
        return is_template.then_some(("a template", Hint::NotHtml));
    }
    let is_tag = |at: usize| text.get(at + 1).is_some_and(|byte| is_after_tag_open(*byte));
    match has_extension(path) {
        true if text[0] == b'<' && is_tag(0) => Some(("XML", Hint::Xml)),
        true => Some(("an unknown extension, and no HTML at the beginning", Hint::NotHtml)),
        false if memchr_iter(b'<', text).any(is_tag) => None,
        false => Some(("plain text without a tag", Hint::NotHtml)),
    }
}

fn is_after_tag_open(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?')
}

/// Whether a name has an extension: letters and digits after a dot, and not only digits. A name
/// with a query, as mirrors write it, has none.
fn has_extension(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let Some(dot) = name.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0) else {
        return false;
    };
    let extension = &name[dot + 1..];
    let is_known = extension.iter().all(u8::is_ascii_alphanumeric) && !name.contains(&b'?');
    is_known && extension.iter().any(u8::is_ascii_alphabetic)
}

/// Whether a text begins with the document type of HTML or an accepted element, after comments and
/// an XML declaration.
fn begins_html(mut text: &[u8], is_element: impl Fn(&[u8]) -> bool) -> bool {
    loop {
        text = text.trim_ascii_start();
        let end: &[u8] = match text {
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'?', b'x', b'm', b'l', ..] => b"?>",
            _ => break,
        };
        match memmem::find(text, end) {
            Some(at) => text = &text[at + end.len()..],
            // The comment may end after the bytes that are checked.
            None => return end == b"-->",
        }
    }
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    let Some(tag) = text.strip_prefix(b"</").or_else(|| text.strip_prefix(b"<")) else {
        return false;
    };
    let (name, rest) = tag.split_at(tag.iter().position(is_end).unwrap_or(tag.len()));
    if name.eq_ignore_ascii_case(b"!doctype") {
        let root = rest.trim_ascii_start();
        return root.len() >= 4 && root[..4].eq_ignore_ascii_case(b"html");
    }
    // `![if` begins a conditional comment of Internet Explorer.
    name.starts_with(b"![if") || is_element(name)
}

/// Whether a whole page may begin with an element of this name.
fn is_root(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"html") || name.eq_ignore_ascii_case(b"head")
}

/// Whether a page or a fragment may begin with an element of this name.
fn is_element(name: &[u8]) -> bool {
    name.first().is_some_and(u8::is_ascii_alphabetic) && name.contains(&b'-')
        || ELEMENTS.iter().any(|element| name.eq_ignore_ascii_case(element.as_bytes()))
}

/// Whether a text begins with an object or an array of JSON, with a string in it.
fn begins_json(text: &[u8]) -> bool {
    let mut inner = text;
    while let Some(rest) = inner.strip_prefix(b"[") {
        inner = rest.trim_ascii_start();
    }
    let (string, next): (_, &[u8]) = match inner.strip_prefix(b"{") {
        Some(rest) => (rest.trim_ascii_start(), b":"),
        None if inner.len() < text.len() => (inner, b",]"),
        None => return false,
    };
    let Some(string) = string.strip_prefix(b"\"") else { return false };
    let Some(end) = memchr::memchr(b'"', string) else { return false };
    string[end + 1..].trim_ascii_start().first().is_some_and(|byte| next.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_check(name: &str, source: &[u8], expected: Option<&str>) {
        let found = Format::check_given_file(Path::new(name), source);
        let found = found.err().map(|error| error.to_string());
        let message = |noun: &str| match noun {
            ARC => format!("not HTML: {ARC} by its name; {}", Hint::Convert.text()),
            BOOK => format!("not HTML: {BOOK} by its name; {}", Hint::Book.text()),
            "XML" => format!("not HTML: XML; {}", Hint::Xml.text()),
            MARKDOWN => format!("not HTML: {MARKDOWN}; {}", Hint::Markdown.text()),
            noun => format!("not HTML: {noun}; {}", Hint::NotHtml.text()),
        };
        assert_eq!(found, expected.map(message), "{name} {:?}", String::from_utf8_lossy(source));
    }

    const UNKNOWN: Option<&str> = Some("an unknown extension, and no HTML at the beginning");

    #[test]
    fn a_name_can_be_that_of_another_format() {
        for (name, noun) in [
            ("a.json", Some("JSON by its name")),
            ("d/A.MJS", Some("JavaScript by its name")),
            ("a.vue", Some("a template by its name")),
            ("A.ARC.gz", Some(ARC)),
            ("a.EPUB", Some(BOOK)),
            ("a.json/b", None),
            ("json", None),
            ("a.html", None),
            ("a.aspx", None),
        ] {
            assert_check(name, b"<p>", noun);
        }
    }

    #[test]
    fn content_that_begins_as_html_does_counts_more_than_the_name() {
        let names =
            ["a.php", "a.foo", "index.php?id=1", "page?v=1.x", "page", "v1.2", ".page", "a.html"];
        for source in [
            &b""[..],
            b" \r\n",
            b"<!DOCTYPE html><p>",
            b"\xef\xbb\xbf\n<!-- x -->\n<HTML>",
            b"<?xml version='1.0'?><!-- --><!DOCTYPE html PUBLIC ''>",
            b"<h1\nid=x>",
            b"<!-- open",
            b"<hr/>",
            b"</p><p>",
            b"<my-page>",
            b"<![if !IE]><p>",
            b"\xff\xfe<\0p\0>\0",
            b"\x89PNG\r\n\x1a\n",
        ] {
            for name in names {
                assert_check(name, source, None);
            }
        }
    }

    #[test]
    fn a_text_by_its_name_is_html_if_it_is_a_whole_page() {
        for (name, noun) in
            [("a.mdx", MARKDOWN), ("README", MARKDOWN), ("A.Rst", "a text by its name")]
        {
            for source in [&b"<p align=center>\n\n# T"[..], b"<!-- x --> <my-page>", b"T <b>"] {
                assert_check(name, source, Some(noun));
            }
            for source in [&b""[..], b"<!doctype html>", b"<!-- x -->\n<HTML><p>"] {
                assert_check(name, source, None);
            }
        }
    }

    #[test]
    fn what_does_not_begin_as_html_does_needs_a_tag_or_the_name() {
        for name in ["page", "v1.2", "page?id=1.x", "a.html"] {
            assert_check(name, b"Hello <b>you", None);
        }
        assert_check("a.html", b"Hello", None);
        assert_check("a.css", b"Hello", None);
        for name in ["page", "v1.2", "page?id=1.x"] {
            assert_check(name, b"1 < 2", Some("plain text without a tag"));
        }
        for name in ["a.foo", "page.com"] {
            for source in [&b"Hello <b>you"[..], b"#include <a.h>", b"< a>", b"<"] {
                assert_check(name, source, UNKNOWN);
            }
            for source in [&b"<feed><p>"[..], b"<!DOCTYPE svg>", b" <!-- --><opml/>", b"<?x?><a>"] {
                assert_check(name, source, Some("XML"));
            }
        }
        let feed = b"{\"version\": \"https:\\/\\/jsonfeed.org\\/version\\/1\"}";
        assert_check("a.json", feed, None);
        assert_check(
            "a.json",
            b"{\"home\": \"https://jsonfeed.org/version/1\"}",
            Some("JSON by its name"),
        );
        assert_check("a.kml", b"<?xml version='1.0'?><kml>", Some("XML"));
        assert_check("page", b"<?xml version='1.0'?><kml>", None);
    }

    #[test]
    fn content_can_be_that_of_another_format_under_any_name() {
        for (source, noun) in [
            (&b"<?php echo 1 ?><p>"[..], Some("PHP")),
            (b"\n<%@ page %><p>", Some("a template")),
            (b"{% extends 'x' %}<p>", Some("a template")),
            (b"{\n \"a\" : \"<a href=x>\"}", Some("JSON")),
            (b"[{\"a\": 1}]", Some("JSON")),
            (b"[[\"a\", 1]]", Some("JSON")),
            (b"[1] <p>", None),
            (b"{ \"x\" } <p>", None),
            (b"[\"x\" <p>", None),
            (b"{\"", None),
        ] {
            assert_check("a.html", source, noun);
            assert_check("a.php", source, noun.or(UNKNOWN));
        }
        assert_check("a.php", b"<html><?php echo 1 ?>", Some("a template"));
        assert_check("a.html", b"<html><?php echo 1 ?>", None);
    }
}
