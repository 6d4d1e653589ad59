//! A message with other links in it, and every other byte as it was.

use std::borrow::Cow;
use std::ops::Range;

use super::header::{Media, Transfer};
use super::structure::holds_delimiter;
use super::transfer::Decoded;
use super::{Message, Part, PartReports, base64, line_end, quoted};
use crate::edit::Patches;
use crate::error::{Error, Limit, Place};
use crate::link::Limits;
use crate::splice::Charset;

/// A message after rewriting: its bytes, and what came of its parts.
#[derive(Debug, Clone)]
pub struct RewrittenMessage<'s> {
    bytes: Cow<'s, [u8]>,
    parts: PartReports,
    locations: usize,
}

impl<'s> RewrittenMessage<'s> {
    /// The message.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The message; borrowed from the file where nothing changed.
    #[must_use]
    pub fn into_bytes(self) -> Cow<'s, [u8]> {
        self.bytes
    }

    /// Whether it differs from the file.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        matches!(self.bytes, Cow::Owned(_))
    }

    /// What was learned of each HTML part.
    #[must_use]
    pub fn parts(&self) -> &PartReports {
        &self.parts
    }

    /// The message, borrowed from the file where nothing changed, and what was learned.
    #[must_use]
    pub fn into_parts(self) -> (Cow<'s, [u8]>, PartReports) {
        (self.bytes, self.parts)
    }

    /// How many parts had a relative `Content-Location`, which was made absolute.
    #[must_use]
    pub fn locations(&self) -> usize {
        self.locations
    }
}

/// Makes the links and locations of a message absolute.
pub(super) fn rewrite<'s>(message: &Message<'s>) -> Result<RewrittenMessage<'s>, Error> {
    let mut writing = Writing::new(message);
    let mut reports = PartReports::new(message);
    let mut locations = message.bases.locations().iter().peekable();
    for part in message.parts() {
        if let Some((_, url)) = locations.next_if(|(number, _)| *number == part.number) {
            let field = part.entity().header.content_location.as_ref();
            field.map_or(Ok(()), |field| writing.put(field.span.clone(), url.as_bytes()))?;
        }
        let Some(document) = part.document() else { continue };
        let charset = charset(part, &document);
        let edits = part.rewriter().patches(document.bytes(), charset);
        let edits = edits.map_err(|error| part.error(error, &document));
        let edits = edits.and_then(|(patches, summary)| {
            check_boundaries(part, &patches).map(|()| (patches, summary))
        });
        match edits {
            Ok((patches, summary)) => {
                writing.part(part, &document, &patches)?;
                reports.add(part.number, Ok(summary));
            }
            Err(error) => reports.add(part.number, Err(error)),
        }
    }
    Ok(RewrittenMessage {
        bytes: writing.finish()?,
        parts: reports,
        locations: message.bases.locations().len(),
    })
}

/// Which characters may be put into a part: `7bit` stays so.
fn charset(part: Part<'_, '_>, document: &Decoded<'_>) -> Charset {
    match part.transfer() {
        Transfer::SevenBit if document.bytes().is_ascii() => Charset::Ascii,
        _ => Charset::Own,
    }
}

/// Writes the file with edits in its order.
struct Writing<'m, 's> {
    message: &'m Message<'s>,
    out: Vec<u8>,
    /// How much of the file is written, or replaced.
    done: usize,
    is_changed: bool,
    max: usize,
}

impl<'m, 's> Writing<'m, 's> {
    fn new(message: &'m Message<'s>) -> Self {
        let max = message.rewriter.limits_set().max_output(message.file.len());
        Self { message, out: Vec::new(), done: 0, is_changed: false, max }
    }

    fn put(&mut self, span: Range<usize>, text: &[u8]) -> Result<(), Error> {
        self.is_changed |= self.message.file[span.clone()] != *text;
        self.append(span.start, text)?;
        self.done = span.end;
        Ok(())
    }

    /// Appends the file up to `until`, and a text.
    fn append(&mut self, until: usize, text: &[u8]) -> Result<(), Error> {
        let between = &self.message.file[self.done..until];
        if Limits::exceeds(self.max, self.out.len() + between.len() + text.len()) {
            return Err(Error::limit(Limit::Output, self.max, Some(Place::Byte(until))));
        }
        self.out.extend_from_slice(between);
        self.out.extend_from_slice(text);
        Ok(())
    }

    /// Writes a part with edits of its document.
    fn part(
        &mut self,
        part: Part<'_, 's>,
        document: &Decoded<'_>,
        patches: &Patches,
    ) -> Result<(), Error> {
        if patches.is_empty() {
            return Ok(());
        }
        let span = part.body();
        let body = &self.message.file[span.clone()];
        let in_file = |range: Range<usize>| span.start + range.start..span.start + range.end;
        match part.transfer() {
            Transfer::QuotedPrintable => {
                for (range, text) in quoted::encode(body, document, patches, self.line_end(body)) {
                    self.put(in_file(range), &text)?;
                }
            }
            Transfer::Base64 => {
                let line_end = self.line_end(body);
                if let Some((range, text)) = base64::encode(body, document, patches, line_end) {
                    self.put(in_file(range), &text)?;
                }
            }
            Transfer::SevenBit | Transfer::Plain | Transfer::Unknown => {
                for (range, text) in patches.iter() {
                    self.put(in_file(range), text)?;
                }
            }
        }
        Ok(())
    }

    /// The line end for new lines of a body: its own, else that of the message.
    fn line_end(&self, body: &[u8]) -> &'static [u8] {
        line_end(body).or_else(|| line_end(self.message.file)).unwrap_or(b"\r\n")
    }

    fn finish(mut self) -> Result<Cow<'s, [u8]>, Error> {
        let file = self.message.file;
        if !self.is_changed {
            return Ok(Cow::Borrowed(file));
        }
        self.append(file.len(), b"")?;
        Ok(Cow::Owned(self.out))
    }
}

/// Fails where the new body of a part holds a delimiter, which would end it early: one can
/// come of what stood behind something that was taken out. The other encodings leave none.
fn check_boundaries(part: Part<'_, '_>, patches: &Patches) -> Result<(), Error> {
    if patches.is_empty() || matches!(part.transfer(), Transfer::QuotedPrintable | Transfer::Base64)
    {
        return Ok(());
    }
    let message = part.message;
    let parents = std::iter::successors(part.parent(), |&parent| message.parts[parent].parent);
    let boundaries = parents.filter_map(|parent| match &message.parts[parent].header.media {
        Media::Multipart { boundary, .. } => Some(boundary.as_slice()),
        _ => None,
    });
    let body = patches.apply(&message.file[part.body()]);
    if holds_delimiter(&body, &boundaries.collect::<Vec<_>>()) {
        return Err(Error::boundary().in_part(part.number, |byte| byte));
    }
    Ok(())
}
