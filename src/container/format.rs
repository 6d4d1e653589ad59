//! The formats of files with documents.

use std::path::Path;

use crate::link::Syntax;
use crate::named::named_enum;

named_enum! {
    /// What a file is that has documents in it.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use absolve::container::Format;
    ///
    /// assert_eq!(Format::of_name(Path::new("page.mhtml")), Format::Message);
    /// assert_eq!(Format::of_name(Path::new("crawl.warc.gz")), Format::Warc);
    /// ```
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Format {
        /// An HTML document.
        Html = "html",
        /// A style sheet.
        Css = "css",
        /// An XML document: XHTML, SVG, a feed, a sitemap or another
        /// ([`Syntax::Xml`](crate::Syntax::Xml)).
        Xml = "xml",
        /// A message, or MHTML ([`Message`](super::Message)).
        Message = "message",
        /// A web archive ([`warc`](super::warc)), which is read by itself, as a stream.
        Warc = "warc",
    }
}

/// How the names of files end that are not HTML, in any case.
const ENDS: &[(&str, Format)] = &[
    (".css", Format::Css),
    (".xhtml", Format::Xml),
    (".xht", Format::Xml),
    (".svg", Format::Xml),
    (".xml", Format::Xml),
    (".rss", Format::Xml),
    (".rdf", Format::Xml),
    (".atom", Format::Xml),
    (".opf", Format::Xml),
    (".ncx", Format::Xml),
    (".mhtml", Format::Message),
    (".mht", Format::Message),
    (".eml", Format::Message),
    (".warc", Format::Warc),
    (".warc.gz", Format::Warc),
    (".warc.zst", Format::Warc),
    // A crawler is still writing these.
    (".warc.open", Format::Warc),
    (".warc.gz.open", Format::Warc),
    (".warc.zst.open", Format::Warc),
];

/// How the names of XHTML pages end.
const XHTML: &[&str] = &[".xhtml", ".xht"];

/// How the names of WACZ files end.
const WACZ: &[&str] = &[".wacz", ".wacz.open"];

impl Format {
    /// The format by the file extension, in any case: `.css` is a style sheet, `.xhtml`, `.xht`,
    /// `.svg`, `.xml`, `.rss`, `.rdf`, `.atom`, `.opf` and `.ncx` are XML, `.mhtml`, `.mht` and `.eml`
    /// messages, `.warc`, `.warc.gz` and `.warc.zst` web archives, also those that a crawler is
    /// still writing (`.warc.open`, `.warc.gz.open`), and all others HTML.
    #[must_use]
    pub fn of_name(path: &Path) -> Self {
        let name = file_name(path);
        let found = ENDS.iter().find(|(end, _)| ends_with(name, end));
        found.map_or(Self::Html, |(_, format)| *format)
    }

    /// Whether the file extension is that of an XHTML page, `.xhtml` or `.xht`, in any case.
    #[must_use]
    #[doc(hidden)]
    pub fn is_xhtml(path: &Path) -> bool {
        has_end(path, XHTML)
    }

    /// The syntax of a file that is one document; `None` for one that has documents inside.
    #[must_use]
    #[doc(hidden)]
    pub fn syntax(self) -> Option<Syntax> {
        match self {
            Self::Html => Some(Syntax::Html),
            Self::Css => Some(Syntax::Css),
            Self::Xml => Some(Syntax::Xml),
            Self::Message | Self::Warc => None,
        }
    }

    /// Whether the file extension is `.wacz`, in any case: a ZIP file with web archives, which is
    /// rewritten by itself. `.wacz.open` is one that may not have its end yet.
    #[must_use]
    pub fn is_wacz(path: &Path) -> bool {
        has_end(path, WACZ)
    }
}

/// Whether a file name ends with one of these, in any case.
pub(crate) fn has_end(path: &Path, ends: &[&str]) -> bool {
    let name = file_name(path);
    ends.iter().any(|end| ends_with(name, end))
}

/// The last name of a path, which takes as long to find as all ends to compare.
fn file_name(path: &Path) -> &[u8] {
    path.file_name().unwrap_or_default().as_encoded_bytes()
}

fn ends_with(name: &[u8], end: &str) -> bool {
    let last = name.len().checked_sub(end.len()).map(|start| &name[start..]);
    last.is_some_and(|last| last.eq_ignore_ascii_case(end.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_a_file_is() {
        for (name, expected) in [
            ("a.html", Format::Html),
            ("a", Format::Html),
            ("warc", Format::Html),
            ("a.gz", Format::Html),
            ("a.eml/b", Format::Html),
            ("..", Format::Html),
            ("", Format::Html),
            ("a.css", Format::Css),
            ("A.B.CSS", Format::Css),
            ("css", Format::Html),
            ("a.xhtml", Format::Xml),
            ("A.SVG", Format::Xml),
            ("index.rdf", Format::Xml),
            ("sitemap.xml.gz", Format::Html),
            ("a.mhtml", Format::Message),
            ("d/A.MHT", Format::Message),
            ("a.b.eml", Format::Message),
            (".eml", Format::Message),
            ("a.warc", Format::Warc),
            ("a.Warc.gz", Format::Warc),
            ("a.warc.zst", Format::Warc),
            ("a.warc.gz.open", Format::Warc),
            ("a.open", Format::Html),
        ] {
            assert_eq!(Format::of_name(Path::new(name)), expected, "{name}");
        }
        for (name, expected) in
            [("a.WACZ", true), ("d/a.wacz.open", true), ("wacz", false), ("a.zip", false)]
        {
            assert_eq!(Format::is_wacz(Path::new(name)), expected, "{name}");
        }
    }
}
