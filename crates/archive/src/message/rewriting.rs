//! Rewrites the links of a message, and copies other bytes.

use std::borrow::Cow;
use std::ops::Range;

use absolve::Rewritten;
use absolve::internal::Charset;
use absolve::internal::Patches;
use absolve::{Error, Limit, Limits, Location};

use super::PartReports;
use super::header::{Media, Transfer};
use super::structure::{contains_delimiter, detect_newline};
use super::transfer::DecodedBody;
use super::{Message, MessagePart, base64, quoted};

impl<'s> Message<'s> {
    /// Rewrites every link of the HTML and XML parts, and of the style sheets unless links only
    /// become absolute. Every `Content-Location` becomes absolute, and URLs in headers follow the
    /// move rules of the rewriter.
    ///
    /// Bytes outside these values stay, with two exceptions: base64 is encoded again from the first
    /// change of a part on, and changed lines of quoted-printable are wrapped if they are too long.
    /// A part stays as it is, and is reported ([`PartReports::failures`]), if it reaches a limit,
    /// is XML and not well-formed, makes the DOM engine fail, or would contain a boundary line.
    ///
    /// # Errors
    ///
    /// If the message would be larger than [`output`](absolve::Limits::output).
    pub fn rewrite(&self) -> Result<Rewritten<'s, PartReports>, Error> {
        let mut writer = MessageWriter::new(self);
        let mut reports = PartReports::new(self.failures.clone());
        for part in self.parts() {
            let fields = self.bases.list_changed_fields(part.number, part.entity(), &self.rewriter);
            for (span, url) in fields {
                writer.replace_span(span, url.as_bytes())?;
            }
            let Some(document) = part.decode_for_rewriting() else { continue };
            let charset = choose_charset(part, &document);
            let edits = part.rewriter().patches(document.bytes(), charset);
            let edits = edits.map_err(|error| part.locate_error(error, &document));
            let edits = edits.and_then(|(patches, summary)| {
                check_boundaries(part, &patches).map(|()| (patches, summary))
            });
            match edits {
                Ok((patches, summary)) => {
                    writer.write_part(part, &document, &patches)?;
                    reports.add(part.number, Ok(summary));
                }
                Err(error) => reports.add(part.number, Err(error)),
            }
        }
        reports.relative_locations = self.bases.count_relative_locations();
        let is_signed = || self.parts.iter().any(|part| part.header.is_signed);
        reports.breaks_signature = writer.is_changed && is_signed();
        Ok(Rewritten::from_bytes(writer.finish()?, reports))
    }
}

/// Chooses the characters that may be inserted into a part: a part in `7bit` stays ASCII.
fn choose_charset(part: MessagePart<'_, '_>, document: &DecodedBody<'_>) -> Charset {
    match part.transfer() {
        Transfer::SevenBit if document.bytes().is_ascii() => Charset::Ascii,
        _ => Charset::Own,
    }
}

/// Writes the file with edits, in ascending order.
struct MessageWriter<'m, 's> {
    message: &'m Message<'s>,
    out: Vec<u8>,
    /// The end of the bytes of the file that are copied or replaced.
    done: usize,
    is_changed: bool,
    max: usize,
}

impl<'m, 's> MessageWriter<'m, 's> {
    fn new(message: &'m Message<'s>) -> Self {
        let max = message.rewriter.settings().limits.max_output(message.file.len());
        Self { message, out: Vec::new(), done: 0, is_changed: false, max }
    }

    fn replace_span(&mut self, span: Range<usize>, text: &[u8]) -> Result<(), Error> {
        self.is_changed |= self.message.file[span.clone()] != *text;
        self.append(span.start, text)?;
        self.done = span.end;
        Ok(())
    }

    /// Appends the bytes of the file up to `until`, and a text.
    fn append(&mut self, until: usize, text: &[u8]) -> Result<(), Error> {
        let between = &self.message.file[self.done..until];
        if Limits::exceeds(self.max, self.out.len() + between.len() + text.len()) {
            return Err(Error::limit(Limit::Output, self.max, Some(Location::Byte(until))));
        }
        self.out.extend_from_slice(between);
        self.out.extend_from_slice(text);
        Ok(())
    }

    /// Writes a part with edits of its document.
    fn write_part(
        &mut self,
        part: MessagePart<'_, 's>,
        document: &DecodedBody<'_>,
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
                for (range, text) in
                    quoted::encode(body, document, patches, self.choose_line_end(body))
                {
                    self.replace_span(in_file(range), &text)?;
                }
            }
            Transfer::Base64 => {
                let line_end = self.choose_line_end(body);
                if let Some((range, text)) = base64::encode(body, document, patches, line_end) {
                    self.replace_span(in_file(range), &text)?;
                }
            }
            Transfer::SevenBit | Transfer::EightBit | Transfer::Unknown => {
                for (range, text) in patches.iter() {
                    self.replace_span(in_file(range), text)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the line end for new lines of a body: that of its first line, else of the message.
    fn choose_line_end(&self, body: &[u8]) -> &'static [u8] {
        detect_newline(body).or_else(|| detect_newline(self.message.file)).unwrap_or(b"\r\n")
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

/// Fails if the new body of a part contains a delimiter, which would end the part early: a removal
/// can join text to a delimiter. Bodies in quoted-printable and base64 cannot contain a delimiter.
fn check_boundaries(part: MessagePart<'_, '_>, patches: &Patches) -> Result<(), Error> {
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
    if contains_delimiter(&body, &boundaries.collect::<Vec<_>>()) {
        let why = "a line of it would read as a boundary of the message; it was left as it was";
        return Err(Error::other(why).in_part(part.number, |byte| byte));
    }
    Ok(())
}
