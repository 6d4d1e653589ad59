//! The error type for everything that can go wrong with a document.

mod advice;
mod limit;

use std::borrow::Cow;
use std::fmt;

#[doc(hidden)]
pub use advice::typed;
pub use advice::{Advice, Diagnosis, HasAdvice};
pub use limit::{Limit, LimitAccess, LimitRow, Limits};

/// The reason why a document, or a setting, could not be used.
///
/// The message describes the problem, its location in the document, and what to do; the caller
/// knows the document's name and adds it.
///
/// ```
/// let error = absolve::rewrite(b"<a href=x>", "mailto:a@b").unwrap_err();
/// assert!(error.is_unusable_base());
/// assert!(error.to_string().starts_with("the base URL 'mailto:a@b' is not usable: "));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Error {
    kind: ErrorKind,
    /// The number of the part of a container that has the error.
    part: Option<usize>,
}

/// The advice for a document that is not well-formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Remedy {
    CorrectOrReadAsHtml,
    Correct,
    /// Only the author of the document can correct it.
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum ErrorKind {
    UnusableBase {
        noun: &'static str,
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
        remedy: Remedy,
    },
    Tree {
        why: String,
    },
    /// A problem that callers need not distinguish.
    Other {
        message: Cow<'static, str>,
        advice: Option<Advice>,
    },
}

/// A location in a document.
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

impl Error {
    fn new(kind: ErrorKind) -> Self {
        Self { kind, part: None }
    }

    /// Creates an error with this message, which callers need not distinguish.
    #[must_use]
    #[doc(hidden)]
    pub fn other(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Other { message: message.into(), advice: None })
    }

    pub(crate) fn unusable_base(url: &str, why: &str) -> Self {
        let (url, why) = (shortened(url), why.to_owned());
        Self::new(ErrorKind::UnusableBase { noun: "base URL", url, why })
    }

    /// Changes the noun from base URL to URL, for a rule of a map.
    pub(crate) fn adapt_to_map(mut self) -> Self {
        if let ErrorKind::UnusableBase { noun, .. } = &mut self.kind {
            *noun = "URL";
        }
        self
    }

    pub(crate) fn unknown_encoding(label: &str) -> Self {
        Self::new(ErrorKind::UnknownEncoding { label: label.to_owned() })
    }

    /// Creates the error for a document that is not well-formed XML.
    pub(crate) fn not_well_formed(why: String, location: Location) -> Self {
        Self::new(ErrorKind::NotWellFormed {
            language: "XML",
            why,
            location,
            remedy: Remedy::CorrectOrReadAsHtml,
        })
    }

    /// Drops the advice to read the document as HTML, unless it may be a page.
    pub(crate) fn adapt_to_xml(mut self, is_page: bool) -> Self {
        if let ErrorKind::NotWellFormed { remedy, .. } = &mut self.kind
            && !is_page
        {
            *remedy = Remedy::Correct;
        }
        self
    }

    /// Adapts the error to a document that must be JSON.
    pub(crate) fn adapt_to_json(mut self) -> Self {
        if let ErrorKind::NotWellFormed { language, remedy, .. } = &mut self.kind {
            (*language, *remedy) = ("JSON", Remedy::Nothing);
        }
        self
    }

    /// Drops the advice for a document inside a container, as `--as` applies to whole files.
    pub(crate) fn adapt_to_container(mut self) -> Self {
        if let ErrorKind::NotWellFormed { remedy, .. } = &mut self.kind {
            *remedy = Remedy::Nothing;
        }
        self
    }

    /// Creates the error for links that stay relative, which
    /// [`Rewriter::strict`](crate::Rewriter::strict) forbids.
    pub(crate) fn unresolved(links: usize) -> Self {
        let stay = if links == 1 { "stays" } else { "stay" };
        Self::other(format!("{} {stay} relative; give a base URL", format_amount(links, "links")))
    }

    #[must_use]
    #[doc(hidden)]
    pub fn limit(limit: Limit, max: usize, location: Option<Location>) -> Self {
        Self::new(ErrorKind::Limit { limit, max, location })
    }

    /// Creates the error for a panic of the Markdown parser.
    pub(crate) fn markdown() -> Self {
        Self::other(
            "the Markdown parser failed on it, which is a bug of it; the document was left as it was",
        )
    }

    /// Creates the error for a panic of the HTML parser.
    pub(crate) fn parser(message: &str) -> Self {
        Self::other(format!(
            "the HTML parser failed on it: {message}; the document was left as it was"
        ))
    }

    /// Creates the error for a document that the DOM engine cannot write.
    pub(crate) fn tree(why: String) -> Self {
        Self::new(ErrorKind::Tree { why })
    }

    /// Creates the error for a file that is not a document, but `what`.
    #[must_use]
    #[doc(hidden)]
    pub fn not_a_document(what: &str, advice: Option<Advice>) -> Self {
        Self::new(ErrorKind::Other { message: format!("not HTML: {what}").into(), advice })
    }

    /// Adds the part of a container; `in_file` maps offsets of the part to offsets of the file.
    #[must_use]
    #[doc(hidden)]
    pub fn in_part(mut self, part: usize, in_file: impl Fn(usize) -> usize) -> Self {
        self.part = Some(part);
        if let ErrorKind::Limit { location: Some(Location::Byte(byte)), .. } = &mut self.kind {
            *byte = in_file(*byte);
        }
        self
    }

    /// The number of the part of a message that has the error, if any. The caller shows it with the
    /// name: `page.mhtml!3`.
    #[must_use]
    pub fn part(&self) -> Option<usize> {
        self.part
    }

    /// Removes the location, for a text that has no location in the source.
    pub(crate) fn without_location(mut self) -> Self {
        if let ErrorKind::Limit { location, .. } = &mut self.kind {
            *location = None;
        }
        self
    }

    /// The exceeded limit, if the error is about one.
    #[must_use]
    pub fn limit_reached(&self) -> Option<Limit> {
        match self.kind {
            ErrorKind::Limit { limit, .. } => Some(limit),
            _ => None,
        }
    }

    /// The location of the error in the document, if known.
    #[must_use]
    pub fn location(&self) -> Option<Location> {
        match self.kind {
            ErrorKind::Limit { location, .. } => location,
            ErrorKind::NotWellFormed { location, .. } => Some(location),
            _ => None,
        }
    }

    /// Whether the document is not well-formed XML, or not a JSON Feed.
    #[must_use]
    pub fn is_not_well_formed(&self) -> bool {
        matches!(self.kind, ErrorKind::NotWellFormed { .. })
    }

    /// The reason and the location, if the document is not well-formed XML, or not a JSON Feed.
    #[must_use]
    #[doc(hidden)]
    pub fn well_formedness(&self) -> Option<(&str, Location)> {
        match &self.kind {
            ErrorKind::NotWellFormed { why, location, .. } => Some((why, *location)),
            _ => None,
        }
    }

    /// Whether the DOM engine cannot write the document because parsing its output would result in
    /// another tree.
    #[must_use]
    pub fn is_tree_change(&self) -> bool {
        matches!(self.kind, ErrorKind::Tree { .. })
    }

    /// Whether a base URL was not usable.
    #[must_use]
    pub fn is_unusable_base(&self) -> bool {
        matches!(self.kind, ErrorKind::UnusableBase { .. })
    }

    /// Whether the label of an encoding was unknown.
    #[must_use]
    pub fn is_unknown_encoding(&self) -> bool {
        matches!(self.kind, ErrorKind::UnknownEncoding { .. })
    }
}

impl HasAdvice for Error {
    fn advice(&self) -> Option<Advice> {
        match &self.kind {
            // Above the largest document, a higher limit would not help.
            ErrorKind::Limit { limit: Limit::Input, max, .. } if *max >= Limit::MAX_INPUT => None,
            ErrorKind::Limit { limit, .. } => limit.row().map(Advice::Raise),
            ErrorKind::NotWellFormed { remedy: Remedy::CorrectOrReadAsHtml, .. } => {
                Some(Advice::AS_HTML)
            }
            ErrorKind::Tree { .. } => Some(Advice::Set("{engine splice}")),
            ErrorKind::Other { advice, .. } => *advice,
            _ => None,
        }
    }
}

/// Shortens a URL or a name in a message to 200 characters.
pub(crate) fn shortened(url: &str) -> String {
    match url.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &url[..end]),
        None => url.to_owned(),
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Character { line, column } => write!(f, "line {line}, column {column}"),
        }
    }
}

/// Formats a number with its unit; bytes in the largest unit that divides them.
#[must_use]
pub fn format_amount(number: usize, unit: &str) -> String {
    let binary = [(30, "GiB"), (20, "MiB"), (10, "KiB")].into_iter();
    let mut binary = binary.filter(|(shift, _)| number.trailing_zeros() >= *shift);
    match binary.next() {
        Some((shift, binary)) if unit == "bytes" && number > 0 => {
            format!("{} {binary}", number >> shift)
        }
        _ if number == 1 => format!("1 {}", unit.trim_end_matches('s')),
        _ => format!("{number} {unit}"),
    }
}

fn write_limit(f: &mut fmt::Formatter<'_>, limit: Limit, max: usize) -> fmt::Result {
    let (what, unit, _) = limit.describe();
    write!(f, "{what} exceeds {}, ", format_amount(max, unit))?;
    match limit {
        Limit::Input if max >= Limit::MAX_INPUT => {
            f.write_str("and positions in a document have 32 bits; split it, or leave it out")
        }
        _ => f.write_str(limit.name()),
    }
}

/// Displays an error without its location in the document.
struct Problem<'e>(&'e Error);

impl HasAdvice for Problem<'_> {
    fn advice(&self) -> Option<Advice> {
        self.0.advice()
    }
}

impl Error {
    /// Returns the message without the location, which a host may count in other units.
    #[doc(hidden)]
    #[must_use]
    pub fn problem(&self) -> impl HasAdvice {
        Problem(self)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = self.location() {
            write!(f, "{location}: ")?;
        }
        Problem(self).fmt(f)
    }
}

impl fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            ErrorKind::UnusableBase { noun, url, why } => {
                write!(f, "the {noun} '{}' is not usable: {why}", url.escape_debug())
            }
            ErrorKind::UnknownEncoding { label } if cfg!(not(feature = "legacy-encodings")) => {
                write!(
                    f,
                    "cannot read the encoding '{}', this build reads utf-8 alone; the feature legacy-encodings has the others",
                    label.escape_debug()
                )
            }
            ErrorKind::UnknownEncoding { label } => write!(
                f,
                "unknown encoding '{}', expected a label of the Encoding Standard such as utf-8 or windows-1252",
                label.escape_debug()
            ),
            ErrorKind::Limit { limit, max, .. } => write_limit(f, *limit, *max),
            ErrorKind::NotWellFormed { language, why, remedy, .. } => {
                let remedy = match remedy {
                    Remedy::CorrectOrReadAsHtml => "; correct it, or read it as HTML",
                    Remedy::Correct => "; correct it",
                    Remedy::Nothing => "",
                };
                write!(f, "not well-formed {language}: {why}{remedy}")
            }
            ErrorKind::Tree { why } => write!(
                f,
                "the DOM engine cannot write this document: {why}; the document was left as it was, use the splice engine, which changes links alone"
            ),
            ErrorKind::Other { message, .. } => f.write_str(message),
        }
    }
}
