//! A file with documents in it, whatever it is: read and rewritten in one way.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use super::signature::has_end;
use super::{Inside, Message, PartReports};
use crate::error::Error;
use crate::link::{Counts, Link};
use crate::rewrite::{Rewriter, Scratch, Summary};

/// What a file is that has documents in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// An HTML document.
    Html,
    /// A message, or MHTML ([`Message`]).
    Message,
    /// A web archive ([`warc`](super::warc)), which is read by itself, as a stream.
    Warc,
}

impl Format {
    /// What a file is by the end of its name, in any case: `.mhtml`, `.mht` and `.eml` are
    /// messages, `.warc` and `.warc.gz` web archives, and all else is HTML.
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

/// What was learned of the documents in a file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Documents {
    /// Of the one that it is.
    One(Box<Summary>),
    /// Of those in a message.
    Parts(PartReports),
}

impl Documents {
    /// How many links they have, and what became of them.
    #[must_use]
    pub fn counts(&self) -> Counts {
        match self {
            Self::One(summary) => summary.counts(),
            Self::Parts(parts) => parts.counts(),
        }
    }

    /// Why some of them stayed as they were, while the others were done; [`Error::part`] has
    /// their numbers.
    #[must_use]
    pub fn failures(&self) -> &[Error] {
        match self {
            Self::One(_) => &[],
            Self::Parts(parts) => parts.failures(),
        }
    }
}

/// Where in a file a link is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spans {
    /// The bytes that hold the reference ([`Link::span`]).
    pub reference: Option<Range<usize>>,
    /// Those of the outermost `srcdoc` that it is in ([`Link::enclosing`]).
    pub enclosing: Option<Range<usize>>,
}

impl Spans {
    pub(super) fn of(link: &Link<'_>, in_file: impl Fn(Range<usize>) -> Range<usize>) -> Self {
        let enclosing = link.enclosing().map(&in_file);
        Self { reference: link.span().map(in_file), enclosing }
    }
}

/// A file after rewriting.
#[derive(Debug, Clone)]
pub struct RewrittenFile<'s> {
    bytes: Cow<'s, [u8]>,
    is_changed: bool,
    documents: Documents,
}

impl RewrittenFile<'_> {
    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether they differ from those of the file.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// What was learned of its documents.
    #[must_use]
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// The same, without the bytes.
    #[must_use]
    pub fn into_documents(self) -> Documents {
        self.documents
    }
}

/// Makes every link in a file absolute, in memory that was used before.
///
/// # Errors
///
/// If the document or the message cannot be read, or reaches a limit; for a web archive.
pub fn rewrite<'s>(
    source: &'s [u8],
    format: Format,
    rewriter: &Rewriter,
    scratch: &'s mut Scratch,
) -> Result<RewrittenFile<'s>, Error> {
    match format {
        Format::Html => {
            let rewritten = rewriter.rewrite_in(source, scratch)?;
            Ok(RewrittenFile {
                is_changed: rewritten.is_changed(),
                documents: Documents::One(Box::new(rewritten.summary().clone())),
                bytes: rewritten.into_bytes(),
            })
        }
        Format::Message => {
            let rewritten = Message::read(source, rewriter)?.rewrite()?;
            let is_changed = rewritten.is_changed();
            let (bytes, parts) = rewritten.into_parts();
            Ok(RewrittenFile { bytes, is_changed, documents: Documents::Parts(parts) })
        }
        Format::Warc => Err(Error::archive()),
    }
}

/// Shows every link in a file to `visit`, with the part that it is in, where that is not the
/// whole file, and its place.
///
/// # Errors
///
/// If the document or the message cannot be read, or reaches a limit; for a web archive.
pub fn links(
    source: &[u8],
    format: Format,
    rewriter: &Rewriter,
    mut visit: impl FnMut(Option<Inside>, &Link<'_>, Spans),
) -> Result<Documents, Error> {
    match format {
        Format::Html => {
            let summary =
                rewriter.links(source, |link| visit(None, link, Spans::of(link, |span| span)))?;
            Ok(Documents::One(Box::new(summary)))
        }
        Format::Message => {
            let message = Message::read(source, rewriter)?;
            let parts = message.links(|part, link, spans| {
                visit(Some(Inside::Part(part.number())), link, spans);
            });
            Ok(Documents::Parts(parts))
        }
        Format::Warc => Err(Error::archive()),
    }
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
