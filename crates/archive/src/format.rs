//! The formats of files with documents, in one table.

use std::path::Path;

use absolve::Syntax;
use absolve::named_enum;
use memchr::memmem;

use super::entry_id::EntryId;

named_enum! {
    /// The format of a file with documents.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use absolve_archive::Format;
    ///
    /// assert_eq!(Format::from_name(Path::new("page.mhtml")), Format::Message);
    /// assert_eq!(Format::from_name(Path::new("crawl.warc.gz")), Format::Warc);
    /// ```
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Format {
        /// An HTML document, or a file of an unknown format.
        #[default]
        Html = "html",
        /// A style sheet.
        Css = "css",
        /// An XML document: XHTML, SVG, a feed, a sitemap or another
        /// ([`Syntax::Xml`](absolve::Syntax::Xml)).
        Xml = "xml",
        /// Markdown ([`Syntax::Markdown`](absolve::Syntax::Markdown)).
        Markdown = "markdown",
        /// A [JSON Feed](https://www.jsonfeed.org/version/1.1/).
        JsonFeed = "json-feed",
        /// A message, or MHTML ([`Message`](super::Message)).
        Message = "message",
        /// A web archive ([`warc`](super::warc)), which is read alone, as a stream.
        Warc = "warc",
        /// A ZIP file with web archives ([WACZ](https://specs.webrecorder.net/wacz/1.1.1/)), which
        /// is read alone.
        Wacz = "wacz",
    }
}

/// The properties of a format.
struct Row {
    format: Format,
    /// The name of a file of the format in messages.
    noun: &'static str,
    /// File extensions, in any letter case; `.open` may follow the extension of a web archive.
    extensions: &'static [&'static str],
    /// Names for users, each with an explanation.
    user_names: &'static [(&'static str, &'static str)],
    contents: Contents,
}

/// The location of documents in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// The file is one document.
    Document(Syntax),
    /// The file has parts, and is read as a whole.
    Parts,
    /// The file is a web archive, whose documents are read one by one, as a stream.
    Stream,
    /// The file has web archives inside, and cannot be read from a stream.
    File,
}

/// The formats, in the order of their declaration. A new format is a row here;
/// [`rewrite`](super::rewrite), [`links`](super::links) and [`Format::open`] read it.
#[rustfmt::skip]
const FORMATS: &[Row] = &[
    Row::new(Format::Html, "a document", &[], Contents::Document(Syntax::Html))
        .with_names(&[("html", "HTML documents")]),
    Row::new(Format::Css, "a style sheet", &[".css"], Contents::Document(Syntax::Css))
        .with_names(&[("css", "Style sheets: .css")]),
    Row::new(Format::Xml, "an XML document", &[".xhtml", ".xht", ".svg", ".xml", ".rss", ".rdf", ".atom", ".opf", ".ncx"], Contents::Document(Syntax::Xml))
        .with_names(&[
            ("xml", "XML: .xml, .xhtml, .xht, .svg, .rss, .rdf, .atom, .opf, .ncx"),
            ("xhtml", "The same, for XHTML"),
            ("svg", "The same, for SVG"),
            ("feed", "The same, for Atom and RSS"),
            ("sitemap", "The same, for sitemaps"),
        ]),
    Row::new(Format::Markdown, "a Markdown document", &[".md", ".markdown"], Contents::Document(Syntax::Markdown))
        .with_names(&[("markdown", "Markdown: .md, .markdown")]),
    // A JSON Feed shares the extension .json with other JSON: the content decides.
    Row::new(Format::JsonFeed, "a JSON Feed", &[], Contents::Document(Syntax::JsonFeed))
        .with_names(&[("json-feed", "JSON Feed, in .json")]),
    Row::new(Format::Message, "a message", &[".mhtml", ".mht", ".eml"], Contents::Parts)
        .with_names(&[("message", "Messages and MHTML: .mhtml, .mht, .eml")]),
    Row::new(Format::Warc, "a web archive", &[".warc", ".warc.gz", ".warc.zst"], Contents::Stream)
        .with_names(&[("warc", "Web archives: .warc, .warc.gz, .warc.zst")]),
    Row::new(Format::Wacz, "a WACZ archive", &[".wacz"], Contents::File),
];

impl Row {
    const fn new(
        format: Format,
        noun: &'static str,
        extensions: &'static [&'static str],
        contents: Contents,
    ) -> Self {
        Self { format, noun, extensions, user_names: &[], contents }
    }

    const fn with_names(self, user_names: &'static [(&'static str, &'static str)]) -> Self {
        Self { user_names, ..self }
    }
}

/// The file extensions of XHTML pages.
const XHTML_EXTENSIONS: &[&str] = &[".xhtml", ".xht"];

/// The end of the name of a web archive that a crawler is still writing.
const UNFINISHED_SUFFIX: &str = ".open";

impl Format {
    /// Returns the format by the file extension, in any case: `.css` is a style sheet, `.xhtml`,
    /// `.xht`, `.svg`, `.xml`, `.rss`, `.rdf`, `.atom`, `.opf` and `.ncx` are XML, `.md` and
    /// `.markdown` Markdown, `.mhtml`, `.mht` and `.eml` messages, `.warc`, `.warc.gz`, `.warc.zst`
    /// and `.wacz` web archives, also those that a crawler is still writing (`.warc.open`,
    /// `.warc.gz.open`), and all others HTML.
    #[must_use]
    pub fn from_name(path: &Path) -> Self {
        Self::from_ending(path).map_or(Self::Html, |(format, _)| format)
    }

    /// Returns the format by the file extension, and this extension without `.open`.
    pub(crate) fn from_ending(path: &Path) -> Option<(Self, &'static str)> {
        let name = file_name(path);
        // Skips the table for the most frequent extension: an audit looks up the format of each
        // file, and its report that of each page.
        if ends_with(name, ".html") {
            return None;
        }
        let finished =
            if ends_with(name, UNFINISHED_SUFFIX) { &name[..name.len() - 5] } else { name };
        FORMATS.iter().find_map(|row| {
            let name = if row.format.is_archive() { finished } else { name };
            let end = row.extensions.iter().find(|end| ends_with(name, end))?;
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
        has_end(path, XHTML_EXTENSIONS)
    }

    /// Returns the name of a file of this format in messages: `a web archive`.
    #[must_use]
    #[doc(hidden)]
    pub fn noun(self) -> &'static str {
        self.row().noun
    }

    /// Lists the names of formats for users, with explanations.
    #[doc(hidden)]
    pub fn given_names() -> impl Iterator<Item = (&'static str, &'static str)> {
        FORMATS.iter().flat_map(|row| row.user_names).copied()
    }

    /// Returns the format with this name for users: `feed` is XML.
    #[must_use]
    #[doc(hidden)]
    pub fn from_given_name(name: &str) -> Option<Self> {
        let is_named = |row: &&Row| row.user_names.iter().any(|(user_name, _)| *user_name == name);
        FORMATS.iter().find(is_named).map(|row| row.format)
    }

    /// Returns the location of its documents in a file.
    #[must_use]
    #[doc(hidden)]
    pub fn contents(self) -> Contents {
        self.row().contents
    }

    /// Returns the syntax of a file that is one document; `None` for one that contains documents.
    #[must_use]
    #[doc(hidden)]
    pub fn syntax(self) -> Option<Syntax> {
        match self.contents() {
            Contents::Document(syntax) => Some(syntax),
            _ => None,
        }
    }

    /// Whether its documents are parts of a file that is read as a whole.
    #[must_use]
    #[doc(hidden)]
    pub fn has_parts(self) -> bool {
        self.contents() == Contents::Parts
    }

    /// Whether its files are web archives, or contain some: the documents are read one by one
    /// ([`Container`](super::Container)).
    #[must_use]
    pub fn is_archive(self) -> bool {
        matches!(self.contents(), Contents::Stream | Contents::File)
    }

    /// Whether it is read only from files, and not from streams.
    #[must_use]
    #[doc(hidden)]
    pub fn needs_file(self) -> bool {
        self.contents() == Contents::File
    }

    /// Whether an entry such as `!3` or `!@1234` may follow the path of a file.
    #[must_use]
    #[doc(hidden)]
    pub fn has_entry(self, entry: EntryId) -> bool {
        match entry {
            EntryId::Part(_) => self.has_parts(),
            EntryId::Record(_) => self.contents() == Contents::Stream,
        }
    }
}

/// Whether a file with these bytes is a [JSON Feed](https://www.jsonfeed.org/version/1.1/), by its
/// extension and its `version`.
pub(super) fn is_json_feed(path: &Path, source: &[u8]) -> bool {
    // JSON may escape the slashes of the version.
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
#[must_use]
pub fn has_end(path: &Path, extensions: &[&str]) -> bool {
    let name = file_name(path);
    extensions.iter().any(|end| ends_with(name, end))
}

/// Returns the last name of a path. Finding it takes as long as comparing all extensions.
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
            assert_eq!(Format::from_name(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn the_table_has_each_format_in_its_place() {
        for format in Format::ALL {
            assert_eq!(format.row().format, *format);
        }
    }
}
