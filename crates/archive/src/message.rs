//! Messages ([RFC 5322](https://www.rfc-editor.org/rfc/rfc5322),
//! [MIME](https://www.rfc-editor.org/rfc/rfc2046)) and
//! [MHTML](https://www.rfc-editor.org/rfc/rfc2557): their parts, the base URL of each, and
//! rewriting them in place.

mod base64;
mod bases;
mod header;
mod offsets;
mod quoted;
mod rewriting;
mod structure;
mod transfer;

use std::ops::Range;

use absolve::url::Base;
use absolve::{BaseSource, Error, Link, LinkCounts, Rewriter, Summary, Syntax};
use bases::Bases;
use header::{Header, Media, Transfer};
use structure::Entity;

pub use transfer::DecodedBody;

/// A message or an MHTML file, with its parts and their base URLs.
#[derive(Debug)]
pub struct Message<'s> {
    file: &'s [u8],
    rewriter: Rewriter,
    parts: Vec<Entity>,
    bases: Bases,
    failures: Vec<Error>,
}

/// A part of a message.
#[derive(Debug, Clone, Copy)]
pub struct MessagePart<'m, 's> {
    message: &'m Message<'s>,
    number: usize,
}

/// The kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// An HTML document in a supported transfer encoding, whose base URL is within
    /// [`base_url`](absolve::Limits::base_url).
    Html,
    /// A style sheet in a supported transfer encoding, whose base URL is within the same limit.
    /// Its links are listed and audited, and rewritten unless links only become absolute.
    Css,
    /// An XML document, such as XHTML, SVG or a feed, in a supported transfer encoding, whose base
    /// URL is within the same limit.
    Xml,
    /// A `multipart`, which contains parts.
    Multipart,
    /// A message, which contains one part.
    Message,
    /// Any other content.
    Other,
}

impl<'s> Message<'s> {
    /// Finds the parts of a message. `rewriter` has the options for its documents. The base URL of
    /// `rewriter` is the retrieval URL of the message, and overrides `Snapshot-Content-Location`.
    ///
    /// # Errors
    ///
    /// If the file does not begin with a header field, is larger than
    /// [`Limits::input`](absolve::Limits::input), or if its base URLs together are larger than
    /// [`output`](absolve::Limits::output). A part that reaches another limit is skipped and
    /// reported ([`Message::failures`]).
    pub fn read(file: &'s [u8], rewriter: &Rewriter) -> Result<Self, Error> {
        let limits = rewriter.settings().limits;
        limits.check_input(file.len() as u64)?;
        let mut failures = Vec::new();
        let parts = structure::find_parts(file, &limits, &mut failures)?;
        let bases = Bases::new(&parts, file.len(), rewriter, &mut failures)?;
        Ok(Self { file, rewriter: rewriter.clone(), parts, bases, failures })
    }

    /// Returns the errors of parts whose content or base URL is unknown, such as reached limits.
    #[must_use]
    pub fn failures(&self) -> &[Error] {
        &self.failures
    }

    /// Returns the parts, in the order of their numbers.
    pub fn parts(&self) -> impl Iterator<Item = MessagePart<'_, 's>> {
        (0..self.parts.len()).map(|number| MessagePart { message: self, number })
    }

    /// Passes every link of the HTML, XML and CSS parts to `visit`, with its part and its spans in
    /// the file. Returns a report on each part; `visit` may get some links of a part that fails.
    ///
    /// ```
    /// use absolve::Rewriter;
    /// use absolve_archive::Message;
    ///
    /// let file = b"Content-Type: text/html\r\n\r\n<a href=b>";
    /// let rewriter = Rewriter::new();
    /// let message = Message::read(file, &rewriter)?;
    /// message.links(|part, link, spans| {
    ///     assert_eq!((part.number(), link.reference(), spans.reference), (0, "b", Some(35..36)));
    /// });
    /// # Ok::<(), absolve::Error>(())
    /// ```
    pub fn links(
        &self,
        mut visit: impl FnMut(MessagePart<'_, 's>, &Link<'_>, Spans),
    ) -> PartReports {
        let mut reports = PartReports::new(self.failures.clone());
        for part in self.parts() {
            let Some(document) = part.decode_for_listing() else { continue };
            let shown = part.rewriter().links(document.bytes(), |link| {
                visit(part, link, Spans::new(link, |span| document.span_in_file(span)));
            });
            reports.add(part.number, shown.map_err(|error| part.locate_error(error, &document)));
        }
        reports
    }
}

impl<'s> MessagePart<'_, 's> {
    /// Returns the number of the part. Parts are numbered from 0 in the order of their starts.
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the number of the enclosing part; `None` for the message itself.
    #[must_use]
    pub fn parent(&self) -> Option<usize> {
        self.entity().parent
    }

    /// Returns the kind of the part.
    #[must_use]
    pub fn kind(&self) -> PartKind {
        match self.entity().header.media {
            Media::Html if self.message.bases.is_known(self.number) => PartKind::Html,
            Media::Css if self.message.bases.is_known(self.number) => PartKind::Css,
            Media::Xml if self.message.bases.is_known(self.number) => PartKind::Xml,
            Media::Multipart { .. } => PartKind::Multipart,
            Media::Message => PartKind::Message,
            Media::Html | Media::Css | Media::Xml | Media::Other => PartKind::Other,
        }
    }

    /// Returns the span of its encoded body in the file.
    #[must_use]
    pub fn body(&self) -> Range<usize> {
        self.entity().body.clone()
    }

    /// Returns the base URL of the part, without the `base` element of its document.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.message.bases.base(self.number)
    }

    /// Returns the source of that base URL.
    #[must_use]
    pub fn base_source(&self) -> BaseSource {
        self.message.bases.source(self.number)
    }

    /// Returns the decoded document of a [`PartKind::Html`] or [`PartKind::Xml`] part; `None` for
    /// other kinds.
    #[must_use]
    #[doc(hidden)]
    pub fn document(&self) -> Option<DecodedBody<'s>> {
        let is_document = matches!(self.kind(), PartKind::Html | PartKind::Xml);
        if is_document { self.decoded_body() } else { None }
    }

    /// Returns the decoded document of a part whose links are listed.
    fn decode_for_listing(&self) -> Option<DecodedBody<'s>> {
        if self.kind() == PartKind::Css { self.decoded_body() } else { self.document() }
    }

    /// Returns the decoded document of a part whose links are rewritten. Style sheets are rewritten
    /// unless links only become absolute.
    fn decode_for_rewriting(&self) -> Option<DecodedBody<'s>> {
        match self.kind() {
            PartKind::Css if !self.message.rewriter.settings().policy.is_absolute() => {
                self.decoded_body()
            }
            _ => self.document(),
        }
    }

    /// Returns the decoded body of a part of any kind; `None` if its transfer encoding is unknown.
    pub(crate) fn decoded_body(&self) -> Option<DecodedBody<'s>> {
        let Entity { header, body, .. } = self.entity();
        DecodedBody::new(&self.message.file[body.clone()], body.start, header.transfer)
    }

    /// Returns the rewriter for its document: the rewriter of the message with the base URL and the
    /// syntax of the part, and with the encoding that its header names.
    #[must_use]
    pub fn rewriter(&self) -> Rewriter {
        let layer = self.message.bases.layer(self.number);
        let Header { media, charset, .. } = &self.entity().header;
        let syntax = match media {
            Media::Css => Syntax::Css,
            Media::Xml => Syntax::Xml,
            _ => Syntax::Html,
        };
        self.message.rewriter.for_part(layer, *charset).syntax(syntax)
    }

    fn entity(&self) -> &Entity {
        &self.message.parts[self.number]
    }

    fn transfer(&self) -> Transfer {
        self.entity().header.transfer
    }

    /// Converts the positions of an error of its document to positions in the file.
    fn locate_error(&self, error: Error, document: &DecodedBody<'_>) -> Error {
        let len = document.bytes().len();
        error.in_part(self.number, |byte| document.span_in_file(byte.min(len)..byte.min(len)).start)
    }
}

impl<'m> MessagePart<'m, '_> {
    /// Returns its `Content-Location`, resolved if there is a base URL.
    #[must_use]
    pub fn location(&self) -> Option<&'m str> {
        let field = self.message.parts[self.number].header.content_location.as_ref()?;
        Some(self.message.bases.location(self.number).unwrap_or(&field.url))
    }

    /// Returns its `Content-Type` as it is written; an empty text if it has none.
    #[must_use]
    #[doc(hidden)]
    pub fn content_type(&self) -> &'m str {
        &self.message.parts[self.number].header.content_type
    }

    /// Returns its `Content-ID` without brackets, as in a `cid:` URL
    /// ([RFC 2392](https://www.rfc-editor.org/rfc/rfc2392)).
    #[must_use]
    pub fn content_id(&self) -> Option<&'m str> {
        self.message.parts[self.number].header.content_id.as_deref()
    }
}

#[cfg(test)]
mod tests;

/// The summary of a part with a document: HTML, XML or CSS.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PartSummary {
    /// The number of the part.
    pub part: usize,
    /// The summary of its document.
    pub summary: Summary,
}

/// The reports on the parts of a message that have documents: HTML, XML and CSS.
#[derive(Debug, Clone, Default)]
pub struct PartReports {
    summaries: Vec<PartSummary>,
    failures: Vec<Error>,
    relative_locations: usize,
    breaks_signature: bool,
}

impl PartReports {
    /// Creates reports that contain the failures of parts with unknown content.
    fn new(failures: Vec<Error>) -> Self {
        Self { failures, ..Self::default() }
    }

    fn add(&mut self, part: usize, result: Result<Summary, Error>) {
        match result {
            Ok(summary) => {
                // Parts with the same base URL share it, since it may be long.
                let last = self.summaries.last().map(|last| &last.summary);
                let summary = summary.sharing_base(last);
                self.summaries.push(PartSummary { part, summary });
            }
            Err(error) => self.failures.push(error),
        }
    }

    /// Returns the summaries of the parts that were read, in the order of their numbers.
    #[must_use]
    pub fn summaries(&self) -> &[PartSummary] {
        &self.summaries
    }

    /// Returns the errors of parts that were not read, with their numbers ([`Error::part`]). The
    /// failures of the message ([`Message::failures`]) come first.
    #[must_use]
    pub fn failures(&self) -> &[Error] {
        &self.failures
    }

    /// Returns the number of parts with a relative `Content-Location`, which a rewrite makes
    /// absolute; 0 if the message was not rewritten.
    #[must_use]
    pub fn relative_location_count(&self) -> usize {
        self.relative_locations
    }

    /// Whether the message changed and its text has a signature: by DKIM, or in a
    /// `multipart/signed` (S/MIME, PGP).
    #[must_use]
    pub fn breaks_signature(&self) -> bool {
        self.breaks_signature
    }

    /// Counts the links of the parts that were read, by outcome.
    #[must_use]
    pub fn counts(&self) -> LinkCounts {
        let mut counts = LinkCounts::default();
        for part in &self.summaries {
            counts += part.summary.counts();
        }
        counts
    }
}

/// The spans of a link in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spans {
    /// The span of the reference ([`Link::span`]).
    pub reference: Option<Range<usize>>,
    /// The span of the outermost enclosing `srcdoc` ([`Link::enclosing`]).
    pub enclosing: Option<Range<usize>>,
}

impl Spans {
    #[doc(hidden)]
    pub fn new(link: &Link<'_>, in_file: impl Fn(Range<usize>) -> Range<usize>) -> Self {
        let enclosing = link.enclosing().map(&in_file);
        Self { reference: link.span().map(in_file), enclosing }
    }
}
