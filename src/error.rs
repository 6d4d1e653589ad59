//! Everything that can go wrong with one document, in one type.

mod message;

#[cfg(feature = "containers")]
pub(crate) use message::amount;

/// Why a document, or a setting, could not be used.
///
/// The message says what was wrong, where in the document, and what to do; the
/// caller knows the document's name and puts it in front.
///
/// ```
/// let error = absolve::rewrite(b"<a href=x>", "mailto:a@b").unwrap_err();
/// assert!(error.is_unusable_base());
/// assert!(error.to_string().starts_with("the base URL 'mailto:a@b' is not usable: "));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Error {
    kind: Kind,
    /// The part of a container that it is about.
    part: Option<usize>,
}

/// What to do about a file that is not well-formed XML.
const READ_AS_HTML: &str = "; correct it, or read it as HTML";

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Kind {
    UnusableBase {
        url: String,
        why: String,
    },
    UnknownEncoding {
        label: String,
    },
    Limit {
        limit: Limit,
        max: usize,
        location: Option<Location>,
    },
    NotWellFormed {
        language: &'static str,
        why: String,
        location: Location,
        advice: &'static str,
    },
    #[cfg(feature = "markdown")]
    Markdown,
    #[cfg(feature = "dom")]
    Parser {
        message: String,
    },
    #[cfg(feature = "dom")]
    Tree {
        why: String,
    },
    #[cfg(feature = "containers")]
    NotAMessage,
    #[cfg(feature = "containers")]
    NotADocument {
        what: String,
    },
    #[cfg(feature = "containers")]
    Archive,
    #[cfg(feature = "containers")]
    ContentType,
    #[cfg(feature = "containers")]
    Boundary,
}

/// Where in a document something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Location {
    /// A byte of the document, counted from 0.
    Byte(usize),
    /// A line of the document, counted from 1.
    Line(u64),
    /// A line and a character in it, both counted from 1.
    Character {
        /// The line.
        line: u64,
        /// The character.
        column: u64,
    },
}

/// One of the bounds that keep hostile documents from costing too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// Bytes of the document.
    Input,
    /// Bytes of a Markdown document: 16 MiB, which no option changes.
    Markdown,
    /// Bytes of the document as it would be written.
    Output,
    /// Bytes of a base URL.
    BaseUrl,
    /// Bytes of the base URLs of nested elements together, in XML.
    BaseUrls,
    /// Bytes of a relative reference.
    Reference,
    /// Links in a document.
    Links,
    /// Documents inside documents (`iframe srcdoc`).
    Srcdoc,
    /// Depth of the tree that the DOM engine builds.
    Depth,
    /// Quotes, list items and footnotes inside each other, in Markdown.
    BlockDepth,
    /// Attributes of one tag, for the DOM engine.
    Attributes,
    /// Parts of a message.
    Parts,
    /// Parts inside parts of a message.
    PartDepth,
    /// Bytes of the header of a message, or of a part of it.
    Header,
}

impl Limit {
    /// The largest document in bytes: positions in a document have 32 bits, in both engines.
    pub(crate) const MAX_INPUT: usize = u32::MAX as usize;

    /// The words for it in messages, which do not say how a program sets it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// What is limited, its unit, and the name.
    fn row(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Input => ("the document", "bytes", "the limit for documents"),
            Self::Markdown => (
                "the Markdown document",
                "bytes",
                "the most that is read; split it, or leave it out",
            ),
            Self::Output => (
                "the document as it would be written",
                "bytes",
                "the limit for rewritten documents",
            ),
            Self::BaseUrl => ("the base URL", "bytes", "the limit for base URLs"),
            Self::BaseUrls => {
                ("the length of nested base URLs", "bytes", "the limit for base URLs")
            }
            Self::Reference => ("a relative reference", "bytes", "the limit for references"),
            Self::Links => ("the document", "links", "the limit for links"),
            Self::Srcdoc => ("srcdoc nesting", "levels", "the limit for nested documents"),
            Self::Depth => ("the tree", "levels", "the limit for trees"),
            Self::BlockDepth => {
                ("the nesting of quotes and lists", "levels", "the limit for nested blocks")
            }
            Self::Attributes => ("a tag", "attributes", "the limit for attributes"),
            Self::Parts => ("the message", "parts", "the limit for parts"),
            Self::PartDepth => ("the nesting of parts", "levels", "the limit for nested parts"),
            Self::Header => {
                ("the header of a message or part", "bytes", "the limit for headers of parts")
            }
        }
    }
}

impl Error {
    fn new(kind: Kind) -> Self {
        Self { kind, part: None }
    }

    pub(crate) fn unusable_base(url: &str, why: &str) -> Self {
        Self::new(Kind::UnusableBase { url: shortened(url), why: why.to_owned() })
    }

    pub(crate) fn unknown_encoding(label: &str) -> Self {
        Self::new(Kind::UnknownEncoding { label: label.to_owned() })
    }

    /// A document is not well-formed XML: why, and where.
    pub(crate) fn not_well_formed(why: String, location: Location) -> Self {
        Self::new(Kind::NotWellFormed { language: "XML", why, location, advice: READ_AS_HTML })
    }

    /// The same of a document that is to be JSON.
    pub(crate) fn of_json(mut self) -> Self {
        if let Kind::NotWellFormed { language, advice, .. } = &mut self.kind {
            (*language, *advice) = ("JSON", "");
        }
        self
    }

    /// Leaves out advice that is for documents in files of their own: `--as` is about whole files.
    #[cfg(feature = "containers")]
    pub(crate) fn of_container(mut self) -> Self {
        if let Kind::NotWellFormed { advice, .. } = &mut self.kind {
            *advice = "";
        }
        self
    }

    pub(crate) fn limit(limit: Limit, max: usize, location: Option<Location>) -> Self {
        Self::new(Kind::Limit { limit, max, location })
    }

    /// The parser of Markdown panicked.
    #[cfg(feature = "markdown")]
    pub(crate) fn markdown() -> Self {
        Self::new(Kind::Markdown)
    }

    #[cfg(feature = "dom")]
    pub(crate) fn parser(message: String) -> Self {
        Self::new(Kind::Parser { message })
    }

    /// The DOM engine cannot write the document, and why.
    #[cfg(feature = "dom")]
    pub(crate) fn tree(why: String) -> Self {
        Self::new(Kind::Tree { why })
    }

    #[cfg(feature = "containers")]
    pub(crate) fn not_a_message() -> Self {
        Self::new(Kind::NotAMessage)
    }

    /// The file is not a document: what it is, and what to do.
    #[cfg(feature = "containers")]
    pub(crate) fn not_a_document(what: String) -> Self {
        Self::new(Kind::NotADocument { what })
    }

    /// A web archive among documents that are read into memory.
    #[cfg(feature = "containers")]
    pub(crate) fn archive() -> Self {
        Self::new(Kind::Archive)
    }

    /// The kind of a part is unknown.
    #[cfg(feature = "containers")]
    pub(crate) fn content_type() -> Self {
        Self::new(Kind::ContentType)
    }

    /// A part would contain its own boundary.
    #[cfg(feature = "containers")]
    pub(crate) fn boundary() -> Self {
        Self::new(Kind::Boundary)
    }

    /// Adds the part of a container; `in_file` maps offsets of the part to offsets of the file.
    #[cfg(feature = "containers")]
    pub(crate) fn in_part(mut self, part: usize, in_file: impl Fn(usize) -> usize) -> Self {
        self.part = Some(part);
        self.in_file(in_file)
    }

    /// Maps the offset of the document to that of its file by `in_file`.
    #[cfg(feature = "containers")]
    pub(crate) fn in_file(mut self, in_file: impl Fn(usize) -> usize) -> Self {
        if let Kind::Limit { location: Some(Location::Byte(byte)), .. } = &mut self.kind {
            *byte = in_file(*byte);
        }
        self
    }

    /// The number of the part of a message that it is about, if it is about one. The caller
    /// puts it in front too: `page.mhtml!3`.
    #[must_use]
    pub fn part(&self) -> Option<usize> {
        self.part
    }

    /// The limit that was reached, if that is what went wrong.
    #[must_use]
    pub fn limit_reached(&self) -> Option<Limit> {
        match self.kind {
            Kind::Limit { limit, .. } => Some(limit),
            _ => None,
        }
    }

    /// Where in the document it went wrong, if that is known.
    #[must_use]
    pub fn location(&self) -> Option<Location> {
        match self.kind {
            Kind::Limit { location, .. } => location,
            Kind::NotWellFormed { location, .. } => Some(location),
            _ => None,
        }
    }

    /// Whether a document is not well-formed XML, or no JSON Feed.
    #[must_use]
    pub fn is_not_well_formed(&self) -> bool {
        matches!(self.kind, Kind::NotWellFormed { .. })
    }

    /// Why a document is not well-formed XML, and where.
    #[cfg(feature = "audit")]
    pub(crate) fn well_formedness(&self) -> Option<(&str, Location)> {
        match &self.kind {
            Kind::NotWellFormed { why, location, .. } => Some((why, *location)),
            _ => None,
        }
    }

    /// Whether the DOM engine cannot write the document so that it is parsed as the same tree.
    #[must_use]
    pub fn is_tree_change(&self) -> bool {
        #[cfg(feature = "dom")]
        return matches!(self.kind, Kind::Tree { .. });
        #[cfg(not(feature = "dom"))]
        false
    }

    /// Whether a base URL was not usable.
    #[must_use]
    pub fn is_unusable_base(&self) -> bool {
        matches!(self.kind, Kind::UnusableBase { .. })
    }

    /// Whether the label of an encoding was unknown.
    #[must_use]
    pub fn is_unknown_encoding(&self) -> bool {
        matches!(self.kind, Kind::UnknownEncoding { .. })
    }
}

/// A URL in a message is cut after its 200th character.
pub(crate) fn shortened(url: &str) -> String {
    match url.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &url[..end]),
        None => url.to_owned(),
    }
}

impl std::error::Error for Error {}
