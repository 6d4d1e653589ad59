//! A file with documents in it, whatever it is: read and rewritten in one way.

use super::format::Format;
use super::inside::Inside;
use super::message::{Message, PartReports};
use super::spans::Spans;
use crate::error::Error;
use crate::link::{Counts, Link};
use crate::rewrite::{Rewriter, Rewritten, Scratch, Summary};

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
) -> Result<Rewritten<'s, Documents>, Error> {
    match format {
        Format::Html => {
            let rewritten = rewriter.rewrite_in(source, scratch)?;
            Ok(rewritten.map(|summary| Documents::One(Box::new(summary))))
        }
        Format::Message => Ok(Message::read(source, rewriter)?.rewrite()?.map(Documents::Parts)),
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
