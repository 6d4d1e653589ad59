//! Lists the links of pages for the link extractor of Scrapy.

use std::borrow::Cow;
use std::collections::HashSet;

use absolve::grammar::Grammar;
use absolve::url::Base;
use absolve::{Detail, Error, Link};
use pyo3::prelude::*;

use super::rewriter::{Document, Rewriter};

use crate::options::base_url;

/// List the links of pages for `absolve.scrapy.LinkExtractor`.
///
/// `elements` are the names of those with links, and `extensions` the ends of paths that are left
/// out, such as `.pdf`. With `unique`, each reference is listed once; without `joins`, no URL is
/// final.
#[pyclass(frozen, name = "_ScrapyLinks", module = "absolve._absolve")]
pub(super) struct ScrapyLinks {
    rewriter: Py<Rewriter>,
    elements: HashSet<String>,
    extensions: Vec<String>,
    unique: bool,
    joins: bool,
}

/// A link: its URL, or its reference and the base that Scrapy joins it to; the text of its element;
/// whether `rel` has `nofollow`.
type PageLink = (String, Option<String>, String, bool);

#[pymethods]
impl ScrapyLinks {
    #[new]
    fn new(
        rewriter: Py<Rewriter>,
        elements: HashSet<String>,
        extensions: Vec<String>,
        unique: bool,
        joins: bool,
    ) -> Self {
        Self { rewriter, elements, extensions, unique, joins }
    }

    fn __getnewargs__(
        &self,
        py: Python<'_>,
    ) -> (Py<Rewriter>, &HashSet<String>, &[String], bool, bool) {
        let rewriter = self.rewriter.clone_ref(py);
        (rewriter, &self.elements, &self.extensions, self.unique, self.joins)
    }

    /// List the links of a page: the URL, or the reference and its base where Scrapy has to join
    /// them; the text of the element; and whether it has `nofollow`.
    fn read(
        &self,
        page: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    ) -> PyResult<Vec<PageLink>> {
        let document = Document::new(page, base_url)?;
        let options = document.options(self.rewriter.get().for_text().clone())?;
        document.detach(|source| self.list_links(source, &options))
    }
}

impl ScrapyLinks {
    fn list_links(&self, page: &[u8], options: &absolve::Rewriter) -> Result<Vec<PageLink>, Error> {
        let mut links = Vec::new();
        let mut seen = HashSet::new();
        let mut last_base = String::new();
        let mut is_plain_base = false;
        options.links(page, |link| {
            if !self.elements.contains(link.element()) {
                return;
            }
            let base = link.base().map_or("", Base::as_str);
            if base != last_base {
                base.clone_into(&mut last_base);
                is_plain_base = self.joins && !base.is_empty() && is_plain(base);
                seen.clear();
            }
            if is_plain_base && self.unique && !seen.insert(Box::<str>::from(link.reference())) {
                return;
            }
            let url = link.url().filter(|_| is_plain_base && is_plain(link.reference()));
            if url.is_some_and(|url| self.is_excluded(url)) {
                return;
            }
            let (url, base) = match url {
                Some(url) => (url, None),
                None => (link.reference(), Some(base.to_owned())),
            };
            // Many links of a list may share an element, so its text has a limit then.
            let detail = if has_single_url(link) { Detail::Content } else { Detail::Text };
            let text = link.detail(detail).unwrap_or_default();
            links.push((url.to_owned(), base, text.to_owned(), has_nofollow(link)));
        })?;
        Ok(links)
    }

    /// Whether the path of a plain URL has an extension to leave out.
    fn is_excluded(&self, url: &str) -> bool {
        let path = &url[..url.find(['?', '#']).unwrap_or(url.len())];
        let path = path.splitn(4, '/').nth(3).unwrap_or_default().as_bytes();
        self.extensions.iter().any(|extension| {
            let start = path.len().checked_sub(extension.len());
            let end = start.map_or(&[][..], |start| &path[start..]);
            end.iter().map(u8::to_ascii_lowercase).eq(extension.bytes())
        })
    }
}

/// Whether the attribute contains a single URL, not a list.
fn has_single_url(link: &Link<'_>) -> bool {
    link.grammar() == Grammar::Url
}

/// Whether `rel` has `nofollow`, as `scrapy.utils.misc.rel_has_nofollow` decides.
fn has_nofollow(link: &Link<'_>) -> bool {
    let rel = if has_single_url(link) {
        link.sibling("rel").map(Cow::Owned)
    } else {
        link.detail(Detail::Rel).map(Cow::Borrowed)
    };
    let is_space = |c: char| c == ',' || c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
    rel.is_some_and(|rel| rel.split(is_space).any(|word| word.eq_ignore_ascii_case("nofollow")))
}

/// Whether Scrapy resolves this reference, or a reference against this base, as RFC 3986 does,
/// without escaping a character.
fn is_plain(reference: &str) -> bool {
    let (rest, fragment) = split_part(reference, '#');
    let (rest, query) = split_part(rest, '?');
    let is_absolute = rest.strip_prefix("http://").or_else(|| rest.strip_prefix("https://"));
    let path = match is_absolute {
        Some(rest) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !is_plain_host(host) || (path.is_empty() && query.is_some()) {
                return false;
            }
            path
        }
        None => rest,
    };
    let in_path = |byte: u8| byte.is_ascii_alphanumeric() || b"_.~!$&()*+,=@%-/".contains(&byte);
    let is_plain_part = |part: Option<&str>| {
        let in_part = |byte: u8| in_path(byte) || matches!(byte, b':' | b'?');
        part.is_none_or(|part| !part.is_empty() && part.bytes().all(in_part))
    };
    !reference.is_empty()
        && path.bytes().all(in_path)
        && !path.contains("//")
        && is_plain_part(query)
        && is_plain_part(fragment)
}

/// Splits a text at a delimiter.
fn split_part(text: &str, delimiter: char) -> (&str, Option<&str>) {
    text.split_once(delimiter).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn is_plain_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "1"));
    let in_label = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    name.split('.').all(|label| !label.is_empty() && label.bytes().all(in_label))
        && (1..=4).contains(&port.len())
        && !port.starts_with('0')
        && port.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_that_nothing_escapes_are_plain() {
        for reference in [
            "a/../b.html?x=1#f",
            "/",
            "/a/",
            "?q",
            "#f",
            "http://h",
            "http://h#f",
            "https://a-b.c:8080/d?e",
            "./x;",
        ] {
            assert!(is_plain(reference) != reference.ends_with(';'), "{reference}");
        }
        for reference in [
            "",
            "#",
            "?",
            "a?#b",
            "//h/x",
            "a//b",
            "mailto:a@b",
            "a b",
            "http://H/",
            "http://h?q",
            "http://h:0/",
            "http://h:12345/",
            "http://h:/",
            "http://a..b/",
            "a#b#c",
            "\u{e9}",
            "javascript:x('y')",
            "http://h//x",
        ] {
            assert!(!is_plain(reference), "{reference}");
        }
    }
}
