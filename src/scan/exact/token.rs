//! Facts about start tags and doctypes on which tree construction depends.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::super::tag::{Attributes, find_name_end};
use super::super::text::read_reference;
use super::Attribute;
use super::names::Id;

/// A start tag during tree construction.
#[derive(Clone, Copy)]
pub(super) struct Tag<'t> {
    pub(super) name: Id,
    pub(super) is_self_closing: bool,
    /// The offset of the `<`.
    pub(super) start: usize,
    pub(super) source: &'t [u8],
    pub(super) attributes: &'t [Attribute],
}

impl Tag<'_> {
    /// Returns the value of an attribute, as written.
    fn find_value(&self, name: &[u8]) -> Option<&[u8]> {
        let attribute = self
            .attributes
            .iter()
            .find(|other| self.source[other.name.clone()].eq_ignore_ascii_case(name))?;
        Some(&self.source[attribute.value.clone()])
    }

    /// Whether a `font` has an attribute that makes it end foreign content.
    pub(super) fn is_html_font(&self) -> bool {
        [b"color".as_slice(), b"face", b"size"].iter().any(|name| self.find_value(name).is_some())
    }

    /// Whether an `input` is hidden.
    pub(super) fn is_hidden(&self) -> bool {
        self.find_value(b"type").is_some_and(|value| decodes_to(value, b"hidden"))
    }

    /// Whether an `annotation-xml` has an encoding that makes it an HTML integration point.
    pub(super) fn is_html_annotation(&self) -> bool {
        self.find_value(b"encoding").is_some_and(|value| {
            decodes_to(value, b"text/html") || decodes_to(value, b"application/xhtml+xml")
        })
    }

    /// Digests the attributes of the start tag at `start`: equal attributes have equal digests, in
    /// any order.
    ///
    /// NOTE: values compare as written, so `&amp;` and `&#38;` differ.
    pub(super) fn digest_at(&self, start: usize) -> u64 {
        let mut attributes = Attributes::default();
        attributes.read(self.source, find_name_end(self.source, start));
        let digest = |attribute: &Attribute| {
            let mut hasher = DefaultHasher::new();
            let name = self.source[attribute.name.clone()].to_ascii_lowercase();
            (name, &self.source[attribute.value.clone()]).hash(&mut hasher);
            hasher.finish()
        };
        attributes.list.iter().map(digest).fold(0, u64::wrapping_add)
    }
}

/// Whether a value, with its references decoded, is equal to a text, ignoring ASCII case.
fn decodes_to(mut value: &[u8], mut text: &[u8]) -> bool {
    while let Some((&wanted, rest)) = text.split_first() {
        let (decoded, length) = match value.first() {
            Some(b'&') => read_reference(value),
            Some(&byte) => (Some(byte), 1),
            None => return false,
        };
        if !decoded.is_some_and(|byte| byte.eq_ignore_ascii_case(&wanted)) {
            return false;
        }
        value = &value[length..];
        text = rest;
    }
    value.is_empty()
}

/// The public identifiers that set quirks mode, in lower case.
const QUIRKY_PUBLIC: &[&str] =
    &["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];

/// The system identifier that sets quirks mode, in lower case.
const QUIRKY_SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/// The owners and titles of document types that set quirks mode, in lower case: their public
/// identifiers begin with `-//owner//dtd title//`.
#[rustfmt::skip]
const QUIRKY_TITLES: &[(&str, &[&str])] = &[
    ("advasoft ltd", &["html 3.0 aswedit + extensions"]),
    ("as", &["html 3.0 aswedit + extensions"]),
    ("ietf", &[
        "html 2.0 level 1", "html 2.0 level 2", "html 2.0 strict level 1",
        "html 2.0 strict level 2", "html 2.0 strict", "html 2.0", "html 2.1e", "html 3.0",
        "html 3.2 final", "html 3.2", "html 3", "html level 0", "html level 1", "html level 2",
        "html level 3", "html strict level 0", "html strict level 1", "html strict level 2",
        "html strict level 3", "html strict", "html",
    ]),
    ("metrius", &["metrius presentational"]),
    ("microsoft", &[
        "internet explorer 2.0 html strict", "internet explorer 2.0 html",
        "internet explorer 2.0 tables", "internet explorer 3.0 html strict",
        "internet explorer 3.0 html", "internet explorer 3.0 tables",
    ]),
    ("netscape comm. corp.", &["html", "strict html"]),
    ("o'reilly and associates", &["html 2.0", "html extended 1.0", "html extended relaxed 1.0"]),
    ("softquad software", &["hotmetal pro 6.0::19990601::extensions to html 4.0"]),
    ("softquad", &["hotmetal pro 4.0::19971010::extensions to html 4.0"]),
    ("spyglass", &["html 2.0 extended"]),
    ("sq", &["html 2.0 hotmetal + extensions"]),
    ("sun microsystems corp.", &["hotjava html", "hotjava strict html"]),
    ("w3c", &[
        "html 3 1995-03-24", "html 3.2 draft", "html 3.2 final", "html 3.2", "html 3.2s draft",
        "html 4.0 frameset", "html 4.0 transitional", "html experimental 19960712",
        "html experimental 970421", "w3 html", "xhtml 1.0 frameset", "xhtml 1.0 transitional",
    ]),
    ("w3o", &["w3 html 3.0"]),
    ("webtechs", &["mozilla html 2.0", "mozilla html"]),
];

/// The owners and titles of document types that set quirks mode unless a system identifier follows.
const QUIRKY_WITHOUT_SYSTEM: &[(&str, &[&str])] =
    &[("w3c", &["html 4.01 frameset", "html 4.01 transitional"])];

/// Whether the doctype `<!doctype` + `text` + `>` sets quirks mode ([initial mode][mode]): then a
/// `table` does not close a `p`. Limited-quirks mode has no effect on tree construction.
///
/// [mode]: https://html.spec.whatwg.org/multipage/parsing.html#the-initial-insertion-mode
pub(super) fn is_quirky(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let (name, rest) = (&text[..end], text[end..].trim_ascii_start());
    if !name.eq_ignore_ascii_case(b"html") {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    if let Some(identifiers) = strip_start(rest, "public") {
        let Some((public, rest)) = split_quoted(identifiers) else { return true };
        return match split_quoted(rest) {
            Some((system, _)) => are_quirky_identifiers(public, Some(system)),
            None => !rest.trim_ascii_start().is_empty() || are_quirky_identifiers(public, None),
        };
    }
    let system = strip_start(rest, "system").and_then(split_quoted);
    system.is_none_or(|(system, _)| system.eq_ignore_ascii_case(QUIRKY_SYSTEM.as_bytes()))
}

fn are_quirky_identifiers(public: &[u8], system: Option<&[u8]>) -> bool {
    let has_title = |(owner, titles): &(&str, &[&str])| {
        let rest = strip_start(public, "-//").and_then(|rest| strip_start(rest, owner));
        let rest = rest.and_then(|rest| strip_start(rest, "//dtd ")).unwrap_or_default();
        let mut after_titles = titles.iter().filter_map(|title| strip_start(rest, title));
        after_titles.any(|rest| rest.starts_with(b"//"))
    };
    QUIRKY_PUBLIC.iter().any(|whole| public.eq_ignore_ascii_case(whole.as_bytes()))
        || system.is_some_and(|system| system.eq_ignore_ascii_case(QUIRKY_SYSTEM.as_bytes()))
        || QUIRKY_TITLES.iter().any(has_title)
        || (system.is_none() && QUIRKY_WITHOUT_SYSTEM.iter().any(has_title))
}

/// Strips `start`, in any case, from the start of a text; `None` if the text begins otherwise.
fn strip_start<'t>(text: &'t [u8], start: &str) -> Option<&'t [u8]> {
    let (head, rest) = text.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start.as_bytes()).then_some(rest)
}

/// Splits off the quoted identifier after white space; `None` if there is none, or its closing
/// quote is missing.
fn split_quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&quote, rest) = text.trim_ascii_start().split_first()?;
    if quote != b'"' && quote != b'\'' {
        return None;
    }
    let end = rest.iter().position(|&byte| byte == quote)?;
    Some((&rest[..end], &rest[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_html(value: &str, expected: bool) {
        assert_eq!(decodes_to(value.as_bytes(), b"text/html"), expected, "{value}");
    }

    #[test]
    fn encodings_are_compared_decoded() {
        assert_html("text/html", true);
        assert_html("TEXT/HtmL", true);
        assert_html("text/htm", false);
        assert_html("text/html ", false);
        assert_html("text&#47;html", true);
        assert_html("text&#x2f;html", true);
        assert_html("text&sol;html", true);
        assert_html("te&#120t/html", true);
        assert_html("text&solhtml", false);
        assert_html("text&#;html", false);
        assert_html("&", false);
    }

    #[track_caller]
    fn assert_quirky(text: &str, expected: bool) {
        assert_eq!(is_quirky(text.as_bytes()), expected, "<!doctype{text}>");
    }

    #[test]
    fn doctypes_set_quirks_mode() {
        assert_quirky(" html", false);
        assert_quirky("HTML ", false);
        assert_quirky("", true);
        assert_quirky(" htm", true);
        assert_quirky(" html x", true);
        assert_quirky(" html public", true);
        assert_quirky(" html system 'about:legacy-compat'", false);
        assert_quirky(" html system 'about:legacy-compat' x", false);
        assert_quirky(" html system 'about:legacy-compat", true);
        assert_quirky(r#" html public "-//W3C//DTD HTML 4.01//EN""#, false);
        assert_quirky(r#" html public "-//W3C//DTD HTML 4.01//EN" x"#, true);
        assert_quirky(r#" html public "-//W3C//DTD HTML 4.01 Transitional//EN""#, true);
        assert_quirky(r#" html public "-//W3C//DTD HTML 4.01 Transitional//EN""http://x""#, false);
        assert_quirky(r#" html public "-//IETF//DTD HTML//EN//2.0""#, true);
        assert_quirky(
            r#" html public "" "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd""#,
            true,
        );
    }
}
