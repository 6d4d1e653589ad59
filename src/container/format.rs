//! The formats of files with documents, in one table.

use std::path::Path;

use memchr::memmem;

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
        /// Markdown ([`Syntax::Markdown`](crate::Syntax::Markdown)).
        Markdown = "markdown",
        /// A [JSON Feed](https://www.jsonfeed.org/version/1.1/).
        JsonFeed = "json-feed",
        /// A message, or MHTML ([`Message`](super::Message)).
        Message = "message",
        /// A web archive ([`warc`](super::warc)), which is read by itself, as a stream.
        Warc = "warc",
        /// A ZIP file with web archives ([WACZ](https://specs.webrecorder.net/wacz/1.1.1/)), which is
        /// read by itself.
        Wacz = "wacz",
    }
}

/// What is known of a format.
struct Row {
    format: Format,
    /// How messages name a file of the format.
    noun: &'static str,
    /// How the names of files end, in any case; `.open` may follow the ends of web archives.
    ends: &'static [&'static str],
    kind: Kind,
}

/// How the documents of a format are in a file.
enum Kind {
    /// The file is one document.
    Document(Syntax),
    /// It has parts, and is read as a whole.
    Parts,
    /// It has documents that are read one by one, as a stream.
    Stream,
    /// It has documents that are read one by one, from a file that can be sought.
    File,
}

/// The formats, in the order of their declaration. A new container is a row here, and opened by
/// [`Format::open`].
#[rustfmt::skip]
const FORMATS: &[Row] = &[
    Row { format: Format::Html, noun: "a document", ends: &[], kind: Kind::Document(Syntax::Html) },
    Row { format: Format::Css, noun: "a style sheet", ends: &[".css"], kind: Kind::Document(Syntax::Css) },
    Row {
        format: Format::Xml,
        noun: "an XML document",
        ends: &[".xhtml", ".xht", ".svg", ".xml", ".rss", ".rdf", ".atom", ".opf", ".ncx"],
        kind: Kind::Document(Syntax::Xml),
    },
    Row { format: Format::Markdown, noun: "a Markdown document", ends: &[".md", ".markdown"], kind: Kind::Document(Syntax::Markdown) },
    // Other JSON has this end too: the content decides.
    Row { format: Format::JsonFeed, noun: "a JSON Feed", ends: &[], kind: Kind::Document(Syntax::JsonFeed) },
    Row { format: Format::Message, noun: "a message", ends: &[".mhtml", ".mht", ".eml"], kind: Kind::Parts },
    Row { format: Format::Warc, noun: "a web archive", ends: &[".warc", ".warc.gz", ".warc.zst"], kind: Kind::Stream },
    Row { format: Format::Wacz, noun: "a WACZ archive", ends: &[".wacz"], kind: Kind::File },
];

/// How the names of XHTML pages end.
const XHTML: &[&str] = &[".xhtml", ".xht"];

/// How the name of a web archive ends that a crawler is still writing.
const UNFINISHED: &str = ".open";

impl Format {
    /// The format by the file extension, in any case: `.css` is a style sheet, `.xhtml`, `.xht`,
    /// `.svg`, `.xml`, `.rss`, `.rdf`, `.atom`, `.opf` and `.ncx` are XML, `.md` and `.markdown` Markdown,
    /// `.mhtml`, `.mht` and `.eml` messages, `.warc`, `.warc.gz`, `.warc.zst` and `.wacz` web archives, also those that a crawler
    /// is still writing (`.warc.open`, `.warc.gz.open`), and all others HTML.
    #[must_use]
    pub fn of_name(path: &Path) -> Self {
        Self::of_end(path).map_or(Self::Html, |(format, _)| format)
    }

    /// The format by the file extension, and how the name ends, without `.open`.
    #[must_use]
    #[doc(hidden)]
    pub fn of_end(path: &Path) -> Option<(Self, &'static str)> {
        let name = file_name(path);
        // Most names end so, and an audit looks up the format of each file, its report that of each page.
        if ends_with(name, ".html") {
            return None;
        }
        let finished = if ends_with(name, UNFINISHED) { &name[..name.len() - 5] } else { name };
        FORMATS.iter().find_map(|row| {
            let name = if row.format.is_archive() { finished } else { name };
            let end = row.ends.iter().find(|end| ends_with(name, end))?;
            Some((row.format, *end))
        })
    }

    fn row(self) -> &'static Row {
        &FORMATS[self as usize]
    }

    /// Whether the file extension is that of an XHTML page, `.xhtml` or `.xht`, in any case.
    #[must_use]
    #[doc(hidden)]
    pub fn is_xhtml(path: &Path) -> bool {
        has_end(path, XHTML)
    }

    /// How messages name a file of this format: `a web archive`.
    #[must_use]
    #[doc(hidden)]
    pub fn noun(self) -> &'static str {
        self.row().noun
    }

    /// The syntax of a file that is one document; `None` for one that has documents inside.
    #[must_use]
    #[doc(hidden)]
    pub fn syntax(self) -> Option<Syntax> {
        match self.row().kind {
            Kind::Document(syntax) => Some(syntax),
            _ => None,
        }
    }

    /// Whether its documents are read and rewritten one by one
    /// ([`Container`](super::Container)).
    #[must_use]
    pub fn is_container(self) -> bool {
        matches!(self.row().kind, Kind::Stream | Kind::File)
    }

    /// Whether a file of this format has web archives.
    #[must_use]
    #[doc(hidden)]
    pub fn is_archive(self) -> bool {
        matches!(self, Self::Warc | Self::Wacz)
    }

    /// Whether it is read from and written to files that can be sought, and not streams.
    #[must_use]
    #[doc(hidden)]
    pub fn needs_file(self) -> bool {
        matches!(self.row().kind, Kind::File)
    }
}

/// Whether a file with these bytes is a [JSON Feed](https://www.jsonfeed.org/version/1.1/), by its
/// extension and its `version`.
pub(super) fn is_json_feed(path: &Path, source: &[u8]) -> bool {
    // In the version, slashes may be escaped.
    let is_version = |at: usize| {
        let mut before = source[at.saturating_sub(64)..at].to_vec();
        before.retain(|byte| !byte.is_ascii_whitespace() && *byte != b'\\');
        [&b"\"version\":\"https://"[..], b"\"version\":\"http://"]
            .iter()
            .any(|end| before.ends_with(end))
    };
    has_end(path, &[".json"]) && memmem::find_iter(source, b"jsonfeed.org").any(is_version)
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
            ("a.WACZ", Format::Wacz),
            ("d/a.wacz.open", Format::Wacz),
            ("wacz", Format::Html),
            ("a.zip", Format::Html),
            ("a.epub", Format::Html),
        ] {
            assert_eq!(Format::of_name(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn the_table_has_each_format_in_its_place() {
        for format in Format::ALL {
            assert_eq!(format.row().format, *format);
        }
    }
}
