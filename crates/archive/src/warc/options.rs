//! Options for reading an archive: limits on records, and the selection of records.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use absolve::{Advice, LimitRow, limits};

use super::record::Record;

/// Options for reading an archive: limits, the selection of records, and their use.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordOptions {
    pub(super) limits: ArchiveLimits,
    pub(super) record_use: RecordUse,
    pub(super) selection: RecordSelection,
}

/// The use of the records that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum RecordUse {
    /// Documents are passed to the visitor.
    #[default]
    Documents,
    /// Captures of URLs are passed to the visitor.
    Captures,
}

/// The commands that read web archives.
const COMMANDS: &[&str] = &["links", "extract"];

limits! {
    /// Limits on the records of an archive; 0 is unlimited.
    ArchiveLimits;

    /// Bytes of the head of a record; 64 KiB. A longer head is an error.
    head = 64 << 10,
        LimitRow::new("record-header", "the limit for headers of records", "Header of a record of a web archive", COMMANDS);
    /// Bytes of a record, and of the document in it, that are kept in memory; 16 MiB. The document
    /// in a larger record is not read.
    record = 16 << 20,
        LimitRow::new("record", "the limit for records", "Size of a record of a web archive; larger ones are skipped", COMMANDS);
    /// Maximum growth by decompression, beyond `record` bytes; 200 times the size.
    ratio = 200,
        LimitRow::new("ratio", "the limit for compressed data", "Ratio of decompressed to compressed size in a web archive", COMMANDS);
}

impl ArchiveLimits {
    /// Whether a value exceeds a limit; a limit of 0 is unlimited.
    pub(super) fn exceeds(max: usize, value: u64) -> bool {
        max != 0 && value > max as u64
    }

    /// Returns the advice to raise the limit with this name.
    pub(super) fn advice(name: &str) -> Option<Advice> {
        let row = Self::ROWS.iter().map(|(row, _)| row).find(|row| row.name == name);
        row.map(Advice::Raise)
    }

    /// Returns the maximum bytes of a record in memory; without a limit, more than any record has,
    /// with room for sums.
    pub(super) fn max_in_memory(&self) -> usize {
        if self.record == 0 { usize::MAX / 4 } else { self.record }
    }

    /// Returns the maximum ratio of decompressed to compressed size.
    pub(super) fn max_growth(&self) -> u64 {
        if self.ratio == 0 { u64::MAX } else { self.ratio as u64 }
    }
}

/// A function that accepts or rejects URLs.
#[derive(Clone)]
struct UrlMatcher(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl fmt::Debug for UrlMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UrlMatcher")
    }
}

/// The documents of an archive to read; all documents unless restricted.
///
/// Each call of a method adds an alternative to its earlier calls. A record is read if it meets an
/// alternative of each method that was called.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use absolve_archive::warc::{Reader, RecordSelection};
///
/// let archive = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Type: text/html\r\n\
///     WARC-Target-URI: http://h/a/\r\nContent-Length: 10\r\n\r\n<a href=b>\r\n\r\n";
/// let selection = RecordSelection::default().url(|url| url.starts_with("http://i/"));
/// let mut pages = 0;
/// Reader::new(&archive[..]).select(selection).pages(|_| {
///     pages += 1;
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(pages, 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RecordSelection {
    statuses: Vec<RangeInclusive<u16>>,
    media_types: Vec<String>,
    urls: Vec<UrlMatcher>,
    /// Whether records without a document are read as well.
    includes_non_documents: bool,
}

impl RecordSelection {
    /// Selects every record, with or without a document.
    #[must_use]
    #[doc(hidden)]
    pub fn any() -> Self {
        Self { includes_non_documents: true, ..Self::default() }
    }

    /// Selects HTTP responses with these statuses, and for a range with 0 records without a status.
    #[must_use]
    pub fn status(mut self, statuses: RangeInclusive<u16>) -> Self {
        self.statuses.push(statuses);
        self
    }

    /// Selects documents of this media type, such as `text/html` or `text/*`, by the
    /// `Content-Type` of the HTTP response, else by that of the record.
    #[must_use]
    pub fn media_type(mut self, media_type: &str) -> Self {
        self.media_types.push(media_type.to_ascii_lowercase());
        self
    }

    /// Selects records whose `WARC-Target-URI` this function accepts.
    #[must_use]
    pub fn url(mut self, matches: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.urls.push(UrlMatcher(Arc::new(matches)));
        self
    }

    /// Whether no method restricts the selection.
    #[must_use]
    pub fn is_unrestricted(&self) -> bool {
        self.statuses.is_empty() && self.media_types.is_empty() && self.urls.is_empty()
    }

    /// Whether statuses are restricted.
    #[must_use]
    #[doc(hidden)]
    pub fn has_statuses(&self) -> bool {
        !self.statuses.is_empty()
    }

    /// Whether the reader passes a record to the visitor.
    pub(super) fn is_read(&self, record: &Record<'_>) -> bool {
        (self.includes_non_documents || record.syntax.is_some()) && self.matches(record)
    }

    /// Whether a record meets every condition, with or without a document.
    pub(super) fn matches(&self, record: &Record<'_>) -> bool {
        if self.is_unrestricted() {
            return true;
        }
        let is_response = record.record_type() == "response";
        let status = record.status().filter(|_| is_response).unwrap_or(0);
        let media_type = &*record.media_type.essence;
        (self.media_types.is_empty() || !is_response || record.response.is_some())
            && self.may_match(record.target_uri().as_deref(), Some(status), Some(media_type))
    }

    /// Whether a document may meet every condition, by the facts that are known. The document
    /// itself may be missing, as in a `revisit`.
    pub(super) fn may_match(
        &self,
        url: Option<&str>,
        status: Option<u16>,
        media_type: Option<&str>,
    ) -> bool {
        let Self { statuses, urls, media_types, .. } = self;
        let is_selected = |status| statuses.iter().any(|range| range.contains(&status));
        (statuses.is_empty() || status.is_none_or(is_selected))
            && (urls.is_empty()
                || url.is_some_and(|url| urls.iter().any(|matcher| (matcher.0)(url))))
            && (media_types.is_empty()
                || media_type.is_none_or(|value| self.matches_media_type(value)))
    }

    fn matches_media_type(&self, essence: &str) -> bool {
        self.media_types.iter().any(|wanted| match wanted.strip_suffix('*') {
            Some(prefix) => essence.starts_with(prefix),
            None => essence == wanted,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_selects(selection: &RecordSelection, expected: &str) {
        let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>";
        let missing = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>";
        let records = [
            ("response", "http://h/a", "application/http", html),
            ("response", "http://h/b", "application/http", missing),
            ("resource", "http://h/c", "text/html", "<p>"),
            ("response", "http://h/d", "application/http", "HTTP/1.1 200\r\n\r\n\x01"),
            ("resource", "http://h/e", "text/css", "a {}"),
        ];
        let mut found = String::new();
        for (number, (kind, url, media_type, block)) in records.into_iter().enumerate() {
            let length = block.len();
            let text = format!(
                "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n\
                 Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n{block}"
            );
            let record = Record::parse(text.as_bytes()).unwrap();
            if selection.is_read(&record) {
                found += &number.to_string();
            }
        }
        assert_eq!(found, expected, "{selection:?}");
    }

    #[test]
    fn a_record_meets_every_condition() {
        let all = RecordSelection::default;
        assert_selects(&all(), "0124");
        assert_selects(&RecordSelection::any(), "01234");
        assert_selects(&all().status(200..=299), "0");
        assert_selects(&all().status(200..=200).status(400..=499), "01");
        assert_selects(&all().media_type("Text/HTML"), "012");
        assert_selects(&all().media_type("text/*").status(404..=404), "1");
        assert_selects(&all().media_type("application/*"), "");
        assert_selects(&all().media_type("text/css"), "4");
        assert_selects(&all().url(|url| url.ends_with('a')).url(|url| url.ends_with('c')), "02");
    }
}
