//! Reads and rewrites a document or a message through one interface.

use std::borrow::Cow;

use absolve::{Buffers, Rewriter, Rewritten, Summary};
use absolve::{Diagnosis, Error, Limits};
use absolve::{Link, LinkCounts, Syntax};

use super::entry_id::EntryId;
use super::error::no_message_error;
use super::format::{Contents, Format};
use super::message::Spans;
use super::message::{Message, PartReports};

/// The reports on the documents in a file.
///
/// ```
/// use absolve_archive::Format;
/// use absolve::{Buffers, Rewriter};
///
/// let rewriter = Rewriter::new().base_url("http://h/")?;
/// let mut buffers = Buffers::new();
/// let result = absolve_archive::rewrite(b"<a href=x>", Format::Html, &rewriter, &mut buffers)?;
/// assert_eq!(result.summary().counts().rewritten, 1);
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone)]
pub enum Documents {
    /// The report on a single document.
    One(Box<Summary>),
    /// The reports on the parts of a message.
    Parts(PartReports),
}

impl Documents {
    /// Counts the links of all documents by outcome.
    #[must_use]
    pub fn counts(&self) -> LinkCounts {
        match self {
            Self::One(summary) => summary.counts(),
            Self::Parts(parts) => parts.counts(),
        }
    }

    /// Returns the errors of parts that stayed unchanged; [`Error::part`] has their numbers.
    #[must_use]
    pub fn failures(&self) -> &[Error] {
        match self {
            Self::One(_) => &[],
            Self::Parts(parts) => parts.failures(),
        }
    }
}

/// Rewrites the links in a file, in reused buffers.
///
/// # Errors
///
/// If the document or the message cannot be read, or reaches a limit; if the file is a web archive.
pub fn rewrite<'s>(
    source: &'s [u8],
    format: Format,
    rewriter: &Rewriter,
    buffers: &'s mut Buffers,
) -> Result<Rewritten<'s, Documents>, Error> {
    match format.contents() {
        Contents::Document(_) => {
            let rewriter = apply_syntax(rewriter, format);
            let rewritten = rewriter.rewrite_in(source, buffers)?;
            Ok(rewritten.map(|summary| Documents::One(Box::new(summary))))
        }
        Contents::Parts => Ok(Message::read(source, rewriter)?.rewrite()?.map(Documents::Parts)),
        Contents::Stream | Contents::File => Err(archive_error()),
    }
}

/// Creates the error for a web archive among documents that are read into memory.
fn archive_error() -> Error {
    Error::other("a web archive cannot be read with other documents; give archives alone")
}

/// Passes every link in a file to `visit`, with its spans and, in a message, with its part.
///
/// # Errors
///
/// If the document or the message cannot be read, or reaches a limit; if the file is a web archive.
pub fn links(
    source: &[u8],
    format: Format,
    rewriter: &Rewriter,
    mut visit: impl FnMut(Option<EntryId>, &Link<'_>, Spans),
) -> Result<Documents, Error> {
    match format.contents() {
        Contents::Document(_) => {
            let rewriter = apply_syntax(rewriter, format);
            let summary =
                rewriter.links(source, |link| visit(None, link, Spans::new(link, |span| span)))?;
            Ok(Documents::One(Box::new(summary)))
        }
        Contents::Parts => {
            let message = Message::read(source, rewriter)?;
            let parts = message.links(|part, link, spans| {
                visit(Some(EntryId::Part(part.number())), link, spans);
            });
            Ok(Documents::Parts(parts))
        }
        Contents::Stream | Contents::File => Err(archive_error()),
    }
}

/// Returns the decoded body of a part of a file, or the reason why it cannot be decoded; `None` if
/// the file has no part with this number.
///
/// # Errors
///
/// If the file cannot be read, or reaches a limit; if files of the format have no parts.
pub fn decode_part(
    source: &[u8],
    format: Format,
    number: usize,
    limits: Limits,
) -> Result<Option<Result<Vec<u8>, Diagnosis>>, Error> {
    if !format.has_parts() {
        return Err(no_message_error());
    }
    let message = Message::read(source, &Rewriter::new().limits(limits))?;
    Ok(message.parts().nth(number).map(|part| match part.decoded_body() {
        Some(body) => Ok(body.bytes().to_owned()),
        None => Err(Diagnosis::new("its transfer encoding is unknown")),
    }))
}

/// Returns the rewriter with the syntax of a format. [`Format::Html`] keeps the syntax: files of an
/// unknown format have this format too, and the caller may have set another syntax for them.
#[must_use]
pub fn apply_syntax(rewriter: &Rewriter, format: Format) -> Cow<'_, Rewriter> {
    match format.syntax() {
        Some(syntax) if syntax != Syntax::Html => Cow::Owned(rewriter.clone().syntax(syntax)),
        _ => Cow::Borrowed(rewriter),
    }
}
