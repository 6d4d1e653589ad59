//! The formats of files with documents.

use std::fmt;
use std::path::Path;

/// The format of a file with documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// An HTML document.
    Html,
    /// A message, or MHTML ([`Message`](super::Message)).
    Message,
    /// A web archive ([`warc`](super::warc)), which is read as a stream.
    Warc,
}

impl Format {
    /// The format by the file extension, in any case: `.mhtml`, `.mht` and `.eml` are messages,
    /// `.warc` and `.warc.gz` web archives, and all others HTML.
    #[must_use]
    pub fn of_name(path: &Path) -> Self {
        const ENDS: &[(&str, Format)] = &[
            (".mhtml", Format::Message),
            (".mht", Format::Message),
            (".eml", Format::Message),
            (".warc", Format::Warc),
            (".warc.gz", Format::Warc),
        ];
        let found = ENDS.iter().find(|(end, _)| has_end(path, end));
        found.map_or(Self::Html, |(_, format)| *format)
    }

    /// The name in options: `html`, `message` or `warc`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Message => "message",
            Self::Warc => "warc",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether a file name ends with this, in any case.
pub(super) fn has_end(path: &Path, end: &str) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
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
            ("a.mhtml", Format::Message),
            ("d/A.MHT", Format::Message),
            ("a.b.eml", Format::Message),
            (".eml", Format::Message),
            ("a.warc", Format::Warc),
            ("a.Warc.gz", Format::Warc),
        ] {
            assert_eq!(Format::of_name(Path::new(name)), expected, "{name}");
        }
    }
}
