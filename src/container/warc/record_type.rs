//! Which records are rewritten, and as which type.

use super::limits::ArchiveLimits;
use super::outcome::{RecordOutcome, Skip};
use super::record::Record;
use super::selection::RecordSelection;
use crate::named::named_enum;

named_enum! {
    /// The type of the records that get rewritten documents.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    #[non_exhaustive]
    pub enum RecordType {
        /// A record of type [`conversion`][spec] is added after each record whose document
        /// changes, and every record of the archive stays as it is. The default.
        ///
        /// [spec]: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#conversion
        #[default]
        Conversion = "conversion",
        /// The record keeps its type, name, date, target and HTTP header, and has the new
        /// document. Codings of the document are undone, with their fields renamed to
        /// `X-Orig-…`; lengths and digests are new, also in the revisits that follow.
        Response = "response",
    }
}

/// The responses that are rewritten, by their HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Statuses {
    /// 200 to 299. The default.
    #[default]
    Successful,
    /// All, with redirects and errors. With [`RecordType::Response`], a relative `Location`
    /// becomes absolute.
    All,
}

impl Statuses {
    pub(super) fn include(self, status: Option<u16>) -> bool {
        match self {
            Self::Successful => status.is_some_and(|status| (200..300).contains(&status)),
            Self::All => true,
        }
    }
}

/// Which records are read as more than bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Interest {
    /// Documents.
    #[default]
    Documents,
    /// Documents, and the captures of URLs.
    Captures,
    /// What an index has.
    Index,
    /// What a rewriting can change.
    Rewriting(RecordType, Statuses),
}

/// What is read of an archive.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordOptions {
    pub(super) limits: ArchiveLimits,
    pub(super) interest: Interest,
    pub(super) selection: RecordSelection,
}

/// The kind of a record's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PayloadKind {
    /// A document.
    Page,
    /// A conversion that is not rewritten, and may be that of the record before it.
    Conversion,
    /// That of another record, which a rewriting may have changed.
    Revisit,
    /// That of a response with a `Location` that may change.
    Redirect,
    /// A part of a document, which a rewriting counts and does not read.
    PassedOver,
    Other,
    /// Bytes that are not a record.
    Junk,
}

impl PayloadKind {
    /// The kind of a record, whose block may be truncated.
    pub(super) fn of(record: &Record<'_>, options: &RecordOptions) -> Self {
        let RecordOptions { interest, ref selection, .. } = *options;
        if interest == Interest::Index {
            return Self::Other;
        }
        let body = record.body_kind();
        if interest == Interest::Captures {
            return if body.syntax().is_some() { Self::Page } else { Self::Other };
        }
        let Interest::Rewriting(record_type, statuses) = interest else {
            return if selection.selects(record, body) { Self::Page } else { Self::Other };
        };
        let is_segment = record.is_segment();
        let body = if is_segment { record.kind_by_headers() } else { body };
        let is_selected = selection.selects(record, body);
        let kind = record.kind();
        let is_response = kind == "response";
        let has_status = !is_response || statuses.include(record.status());
        // A range has other lengths than the document it is of, and may begin in a tag.
        let is_range = is_response && record.status() == Some(PARTIAL_CONTENT);
        if is_selected && has_status {
            return if is_range || is_segment { Self::PassedOver } else { Self::Page };
        }
        let is_redirect =
            || record.response().is_some_and(|found| found.headers.get("Location").is_some());
        match record_type {
            RecordType::Response if kind == "revisit" => Self::Revisit,
            RecordType::Response
                if is_response
                    && statuses == Statuses::All
                    && selection.accepts(record)
                    && is_redirect() =>
            {
                Self::Redirect
            }
            // Whatever is selected: the conversion of the record before it is not added twice.
            RecordType::Conversion if kind == "conversion" => Self::Conversion,
            _ => Self::Other,
        }
    }

    /// The outcome of a record with such a payload that is copied.
    pub(super) fn outcome(self) -> RecordOutcome {
        if self == Self::PassedOver { RecordOutcome::PassedOver } else { RecordOutcome::Copied }
    }

    /// The outcome of a record with such a payload that is too large for memory.
    pub(super) fn outcome_of_large(self) -> RecordOutcome {
        if self == Self::Page { RecordOutcome::Skipped(Skip::TooLarge) } else { self.outcome() }
    }

    /// Whether the text of the record is needed.
    pub(super) fn is_read(self) -> bool {
        matches!(self, Self::Page | Self::Conversion | Self::Revisit | Self::Redirect)
    }
}

/// The status of a response with a range of a document
/// ([RFC 9110, section 15.3.7](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7)).
const PARTIAL_CONTENT: u16 = 206;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn kind(record_type: RecordType, statuses: Statuses, text: &str, expected: PayloadKind) {
        selected(&RecordSelection::default(), record_type, statuses, text, expected);
    }

    #[track_caller]
    fn selected(
        selection: &RecordSelection,
        record_type: RecordType,
        statuses: Statuses,
        text: &str,
        expected: PayloadKind,
    ) {
        let (fields, block) = text.split_once('|').unwrap();
        let length = block.len();
        let text = format!("WARC/1.1\r\n{fields}\r\nContent-Length: {length}\r\n\r\n{block}");
        let record = Record::parse(text.as_bytes()).unwrap();
        let interest = Interest::Rewriting(record_type, statuses);
        let selection = selection.clone();
        let options = RecordOptions { interest, selection, ..RecordOptions::default() };
        assert_eq!(PayloadKind::of(&record, &options), expected, "{text}");
    }

    #[test]
    fn successful_pages_are_rewritten() {
        use PayloadKind::{Other, Page, PassedOver, Redirect, Revisit};
        use RecordType::{Conversion, Response};
        let page = |status: &str| {
            format!("WARC-Type: response|HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\nx")
        };
        for (status, expected) in
            [("200 OK", Page), ("204", Page), ("301 Moved", Other), ("404", Other), ("x", Other)]
        {
            kind(Conversion, Statuses::Successful, &page(status), expected);
            kind(Response, Statuses::Successful, &page(status), expected);
            kind(Conversion, Statuses::All, &page(status), Page);
        }
        for statuses in [Statuses::Successful, Statuses::All] {
            kind(Conversion, statuses, &page("206 Partial Content"), PassedOver);
            kind(Response, statuses, &page("206 Partial Content"), PassedOver);
            let segment = page("200").replace("response|", "response\r\nWARC-Segment-Number: 1|");
            kind(Conversion, statuses, &segment, PassedOver);
            kind(Response, statuses, &segment, PassedOver);
            kind(Response, statuses, &segment.replace("text/html", "image/png"), Other);
        }
        let moved = "WARC-Type: response|HTTP/1.1 301\r\nLocation: /\r\n\r\nx";
        kind(Response, Statuses::All, moved, Redirect);
        kind(Conversion, Statuses::All, moved, Other);
        kind(Response, Statuses::All, &moved.replace("Location", "A"), Other);
        let html = "Content-Type: text/html|x";
        for own in ["resource", "conversion"] {
            kind(Conversion, Statuses::Successful, &format!("WARC-Type: {own}\r\n{html}"), Page);
        }
        let xml = page("200 OK").replace("text/html", "application/xhtml+xml");
        kind(Conversion, Statuses::Successful, &xml, Page);
        kind(Response, Statuses::All, &xml, Page);
        kind(Conversion, Statuses::Successful, &xml.replace("200 OK", "404"), Other);
        let revisit = "WARC-Type: revisit|HTTP/1.1 200\r\nContent-Type: text/html\r\n\r\n";
        kind(Response, Statuses::Successful, revisit, Revisit);
        kind(Conversion, Statuses::Successful, revisit, Other);
    }

    #[test]
    fn a_status_selects_among_the_responses_that_are_rewritten() {
        use PayloadKind::{Other, Page, Redirect};
        let redirects = RecordSelection::default().status(302..=302);
        let page = "WARC-Type: response|HTTP/1.1 302\r\nContent-Type: text/html\r\n\r\nx";
        let moved = "WARC-Type: response|HTTP/1.1 302\r\nLocation: /\r\n\r\nx";
        let response = RecordType::Response;
        selected(&redirects, response, Statuses::Successful, page, Other);
        selected(&redirects, response, Statuses::All, page, Page);
        selected(&redirects, response, Statuses::All, moved, Redirect);
        selected(&redirects, response, Statuses::All, &page.replace("302", "200"), Other);
    }
}
