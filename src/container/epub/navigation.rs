//! The lists of a navigation document that lead to the pages of its book
//! ([navigation documents](https://www.w3.org/TR/epub-33/#sec-nav)).

use std::ops::Range;

use super::markup::{Element, Tag, each_tag};

/// The kinds of `nav` elements whose links lead to pages of the book; others may lead anywhere.
const LISTS: &[&str] = &["toc", "page-list", "landmarks"];

/// A link of such a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NavigationLink {
    /// Its `href`, with the text of its entities.
    pub(crate) href: String,
    /// The bytes of the document that hold it, if that is UTF-8.
    pub(crate) span: Option<Range<usize>>,
}

/// Calls `visit` with the links of the lists, up to a fault of a document that is not well-formed.
pub(crate) fn navigation_links(source: &[u8], mut visit: impl FnMut(NavigationLink)) {
    // Elements that are open in a list, and the list itself.
    let mut depth = 0_usize;
    // The document's own finding reports the fault.
    let _ = each_tag("", source, |tag| {
        match tag {
            Tag::Start(element) | Tag::Empty(element) if depth > 0 && element.is("a") => {
                if let Ok(Some(href)) = element.value("href") {
                    visit(NavigationLink { href: href.text, span: href.span });
                }
            }
            _ => {}
        }
        match tag {
            Tag::Start(element) if depth > 0 || is_list(element) => depth += 1,
            Tag::End => depth = depth.saturating_sub(1),
            _ => {}
        }
        Ok(())
    });
}

fn is_list(element: &Element<'_>) -> bool {
    let is_kind = |kind: &str| LISTS.contains(&kind);
    element.is("nav")
        && element.text("epub:type").is_ok_and(|kinds| kinds.split_ascii_whitespace().any(is_kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_links() {
        let source = "<html><a href='1'/><nav epub:type='x toc'><ol><li><a href='2'>b</a></li>\
            <br/><li><a/><b href='3'/></li></ol></nav><a href='4'/><nav epub:type='other'><a href='5'/>\
            </nav><nav epub:type='landmarks'><a href='6&amp;'/></nav></html>";
        let mut found = Vec::new();
        navigation_links(source.as_bytes(), |link| found.push(link));
        let hrefs: Vec<_> = found.iter().map(|link| &*link.href).collect();
        assert_eq!(hrefs, ["2", "6&"]);
        let written = found.iter().map(|link| &source[link.span.clone().unwrap()]);
        assert_eq!(written.collect::<Vec<_>>(), ["2", "6&amp;"]);
        navigation_links(b"</nav><nav epub:type='toc'><a href='x'", |_| panic!("no whole link"));
    }
}
