//! Archives that are made for a test, and what happens to them.

use std::io::{Cursor, Read, Write};
use std::ops::ControlFlow;

use absolve::Rewriter;
use absolve::batch::Workers;
use absolve::container::warc::{
    ArchiveLimits, Reader, RecordOutcome, RecordSelection, RecordType, Rewriting, Statuses, Totals,
    WarcInfo,
};
use data_encoding::BASE32;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use sha1::{Digest, Sha1};

/// A record of a type, with fields and a block.
pub(crate) fn record(kind: &str, number: usize, fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:test:{number}>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: http://h/{number}/\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A `response` of HTML.
pub(crate) fn page(number: usize, html: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
    record(
        "response",
        number,
        "Content-Type: application/http; msgtype=response\r\n",
        block.as_bytes(),
    )
}

/// A record without a document.
pub(crate) fn other(number: usize, block: &[u8]) -> Vec<u8> {
    record("request", number, "", block)
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    MultiGzDecoder::new(bytes).read_to_end(&mut text).unwrap();
    text
}

/// Small bounds, so that a small archive reaches them.
pub(crate) fn small() -> ArchiveLimits {
    let mut bounds = ArchiveLimits::default();
    (bounds.head, bounds.record, bounds.ratio) = (1000, 2000, 20);
    bounds
}

/// How an archive is rewritten.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) bounds: ArchiveLimits,
    pub(crate) record_type: RecordType,
    pub(crate) statuses: Statuses,
    pub(crate) selection: fn() -> RecordSelection,
    pub(crate) threads: usize,
    /// Whether its source can be read from any byte.
    pub(crate) is_seekable: bool,
}

impl Default for Run {
    fn default() -> Self {
        let bounds = ArchiveLimits::default();
        let (record_type, statuses) = (RecordType::default(), Statuses::default());
        let selection = RecordSelection::default;
        Self { bounds, record_type, statuses, selection, threads: 1, is_seekable: true }
    }
}

/// The result of a rewriting: the new archive, and what was reported of records.
pub(crate) struct Came {
    pub(crate) archive: Vec<u8>,
    pub(crate) totals: Totals,
    pub(crate) reports: Vec<String>,
}

impl Run {
    /// Writes documents in the records that they are in.
    pub(crate) fn in_place() -> Self {
        Self { record_type: RecordType::Response, ..Self::default() }
    }

    pub(crate) fn on(self, archive: &[u8]) -> Came {
        let rewriter = Rewriter::new();
        self.by(&rewriter, archive)
    }

    pub(crate) fn by(self, rewriter: &Rewriter, archive: &[u8]) -> Came {
        let rewriting = Rewriting::new(rewriter)
            .record_type(self.record_type)
            .statuses(self.statuses)
            .warcinfo(WarcInfo::new("2026-01-01T00:00:00Z").options("o"));
        let jobs = Workers::new(self.threads);
        let (mut out, mut reports) = (Vec::new(), Vec::new());
        let mut report = |entry: &absolve::container::warc::Entry| {
            let what = match &entry.outcome {
                RecordOutcome::Rewritten(_) => "rewritten".to_owned(),
                RecordOutcome::Unchanged(_) => "unchanged".to_owned(),
                RecordOutcome::Copied => "copied".to_owned(),
                RecordOutcome::PassedOver => "passed over".to_owned(),
                RecordOutcome::Updated => "updated".to_owned(),
                RecordOutcome::Stale(problem) => format!("stale: {problem}"),
                RecordOutcome::Skipped(skip) => skip.to_string(),
                RecordOutcome::Failed(problem) => problem.to_string(),
                other => panic!("{other:?}"),
            };
            reports.push(format!("{} {what}", entry.position));
            ControlFlow::Continue(())
        };
        let totals = if self.is_seekable {
            let reader = Reader::seekable(Cursor::new(archive)).limits(self.bounds);
            rewriting.run(reader.select((self.selection)()), &mut out, &jobs, &mut report)
        } else {
            let reader = Reader::new(archive).limits(self.bounds).select((self.selection)());
            rewriting.run(reader, &mut out, &jobs, &mut report)
        };
        let totals = totals.unwrap();
        self.check(&rewriting, archive, &totals);
        let Totals { records, rewritten, unchanged, copied, updated, stale, .. } = totals;
        let done = rewritten + unchanged + copied + totals.passed_over + updated + stale;
        assert_eq!(records, done + totals.skipped + totals.failed, "{totals:?}");
        assert_eq!(records, reports.len() as u64, "{reports:?}");
        Came { archive: out, totals, reports }
    }

    /// Nothing but the output differs in a check.
    fn check(self, rewriting: &Rewriting<'_>, archive: &[u8], expected: &Totals) {
        let jobs = Workers::new(self.threads);
        let reader = Reader::new(archive).limits(self.bounds).select((self.selection)());
        if !self.is_seekable {
            let report = |_: &absolve::container::warc::Entry| ControlFlow::Continue(());
            let mut totals = rewriting.check(reader, &jobs, report).unwrap();
            totals.split = expected.split;
            assert_eq!(totals, *expected);
        }
    }
}

/// The heads and the records of a result, which may be compressed.
#[track_caller]
pub(crate) fn whole(came: &Came) -> (Vec<String>, Vec<(String, Vec<u8>)>) {
    let is_plain = came.archive.starts_with(b"WARC");
    let text = if is_plain { came.archive.clone() } else { gunzip(&came.archive) };
    (heads(&text), records(&text))
}

/// The value of a field in the head of a record.
pub(crate) fn field(head: &str, name: &str) -> Option<String> {
    let prefix = format!("{name}: ");
    head.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::to_owned)
}

/// The records of a whole archive that is not compressed: each with its type and block.
/// Digests are verified.
pub(crate) fn records(text: &[u8]) -> Vec<(String, Vec<u8>)> {
    let read = |(head, block): (String, Vec<u8>)| (field(&head, "WARC-Type").unwrap(), block);
    all(text).into_iter().map(read).collect()
}

/// The heads of the records of such an archive.
pub(crate) fn heads(text: &[u8]) -> Vec<String> {
    all(text).into_iter().map(|(head, _)| head).collect()
}

/// The records of such an archive: each with its head and block.
fn all(mut text: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut records = Vec::new();
    while !text.is_empty() {
        let end = text.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
        let head = std::str::from_utf8(&text[..end]).unwrap();
        let length: usize = field(head, "Content-Length").unwrap().parse().unwrap();
        let block = &text[end..end + length];
        let digest = field(head, "WARC-Block-Digest").filter(|digest| digest != "sha1:OLD");
        if let Some(digest) = digest {
            assert_eq!(digest, format!("sha1:{}", BASE32.encode(&Sha1::digest(block))), "{head}");
        }
        assert_eq!(&text[end + length..end + length + 4], b"\r\n\r\n", "{head}");
        records.push((head.to_owned(), block.to_owned()));
        text = &text[end + length + 4..];
    }
    records
}
