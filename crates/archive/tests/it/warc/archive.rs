//! Archives that are made for a test, and what is read of them.

use std::io::{Cursor, Read, Write};
use std::ops::ControlFlow;

use absolve::Rewriter;
use absolve_archive::jobs::Workers;
use absolve_archive::warc::{ArchiveLimits, Page, Reader, UnreadRecord};
use flate2::Compression;
use flate2::write::GzEncoder;

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

/// Small bounds, so that a small archive reaches them.
pub(crate) fn small() -> ArchiveLimits {
    let mut bounds = ArchiveLimits::default();
    (bounds.head, bounds.record, bounds.ratio) = (1000, 2000, 20);
    bounds
}

/// How an archive is read.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) bounds: ArchiveLimits,
    pub(crate) threads: usize,
    /// Whether its source can be read from any byte.
    pub(crate) is_seekable: bool,
}

impl Default for Run {
    fn default() -> Self {
        Self { bounds: ArchiveLimits::default(), threads: 1, is_seekable: true }
    }
}

/// The documents of an archive, and what was reported of records.
pub(crate) struct Came {
    /// The documents with absolute links.
    pub(crate) pages: Vec<String>,
    /// Positions, each with `read` or a problem.
    pub(crate) reports: Vec<String>,
}

impl Came {
    /// The numbers of documents and of problems.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.pages.len(), self.reports.len() - self.pages.len())
    }
}

impl Run {
    pub(crate) fn on(self, archive: &[u8]) -> Came {
        let mut came = Came { pages: Vec::new(), reports: Vec::new() };
        if self.is_seekable {
            self.read(Reader::seekable(Cursor::new(archive)), &mut came);
        } else {
            self.read(Reader::new(archive), &mut came);
        }
        came
    }

    fn read<R: Read + Send>(self, reader: Reader<R>, came: &mut Came) {
        let rewriter = Rewriter::new();
        let work = |found: Result<Page<'_>, UnreadRecord>| match found {
            Ok(page) => {
                let new = page.rewriter(&rewriter).rewrite(page.document()).unwrap().into_bytes();
                (format!("{} read", page.position()), Some(String::from_utf8_lossy(&new).into()))
            }
            Err(unread) => (format!("{} {}", unread.position, unread.problem), None),
        };
        let mut add = |(report, page): (String, Option<String>)| {
            came.reports.push(report);
            came.pages.extend(page);
            ControlFlow::Continue(())
        };
        let reader = reader.limits(self.bounds);
        let read = if self.threads == 1 {
            reader.pages(|found| add(work(found)))
        } else {
            let workers = Workers::new(self.threads);
            reader.pages_in_order(&workers, |_, found| work(found), |_, done| add(done))
        };
        read.unwrap();
    }
}
