//! XHTML in files that are read as HTML, as browsers do.

use memchr::{memchr, memmem};

use super::format::Format;

/// The end of a tag that matters here is near its start.
const MAX_TAG: usize = 1024;

impl Format {
    /// Whether a document of this format begins as XML and has a `script` element that XML closes
    /// and HTML does not: as HTML, all after it is the text of a script
    /// ([raw text](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead)).
    #[must_use]
    #[doc(hidden)]
    pub fn hides_markup(self, source: &[u8]) -> bool {
        let source = source.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source);
        self == Self::Html
            && source.starts_with(b"<?xml")
            && memmem::find_iter(source, b"<script").any(|at| {
                let rest = &source[at..source.len().min(at + MAX_TAG)];
                memchr(b'>', rest).is_some_and(|end| rest[..end].ends_with(b"/"))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_xml_closes_hides_the_rest() {
        let hides = |source: &str| Format::Html.hides_markup(source.as_bytes());
        assert!(hides("<?xml version='1.0'?><html><script src='a'/><a href='b'>"));
        assert!(!hides("<?xml version='1.0'?><html><script src='a'></script><br/>"));
        assert!(!hides("<html><script src='a'/>"));
        assert!(!Format::Xml.hides_markup(b"<?xml version='1.0'?><script/>"));
    }
}
