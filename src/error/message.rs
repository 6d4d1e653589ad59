//! The messages of errors.

use std::fmt;

use super::{Advice, Error, HasAdvice, Kind, Limit, Location, Remedy};

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Character { line, column } => write!(f, "line {line}, column {column}"),
        }
    }
}

/// A number with its unit; bytes in the largest unit that divides them.
pub(crate) fn amount(number: usize, unit: &str) -> String {
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
    let (what, unit, _) = limit.exceeded();
    write!(f, "{what} exceeds {}, ", amount(max, unit))?;
    match limit {
        Limit::Input if max >= Limit::MAX_INPUT => {
            f.write_str("and positions in a document have 32 bits; split it, or leave it out")
        }
        _ => f.write_str(limit.name()),
    }
}

/// The problem of an error, without its place in the document.
struct Problem<'e>(&'e Error);

impl HasAdvice for Problem<'_> {
    fn advice(&self) -> Option<Advice> {
        self.0.advice()
    }
}

impl Error {
    /// The message without the place in the document, which a host may count in its own units.
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
            Kind::UnusableBase { noun, url, why } => {
                write!(f, "the {noun} '{}' is not usable: {why}", url.escape_debug())
            }
            Kind::UnknownEncoding { label } if cfg!(not(feature = "legacy-encodings")) => write!(
                f,
                "cannot read the encoding '{}', this build reads utf-8 alone; the feature legacy-encodings has the others",
                label.escape_debug()
            ),
            Kind::UnknownEncoding { label } => write!(
                f,
                "unknown encoding '{}', expected a label of the Encoding Standard such as utf-8 or windows-1252",
                label.escape_debug()
            ),
            Kind::Limit { limit, max, .. } => write_limit(f, *limit, *max),
            Kind::NotWellFormed { language, why, remedy, .. } => {
                let remedy = match remedy {
                    Remedy::CorrectOrReadAsHtml => "; correct it, or read it as HTML",
                    Remedy::Correct => "; correct it",
                    Remedy::Nothing => "",
                };
                write!(f, "not well-formed {language}: {why}{remedy}")
            }
            #[cfg(feature = "dom")]
            Kind::Tree { why } => write!(
                f,
                "the DOM engine cannot write this document: {why}; the document was left as it was, use the splice engine, which changes links alone"
            ),
            Kind::Other { what, .. } => f.write_str(what),
        }
    }
}
