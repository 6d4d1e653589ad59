//! Web archives of any bytes: reading ends, and what is shown does not depend on how it is read.

use std::io::{Cursor, Read};
use std::ops::ControlFlow;

use absolve_archive::jobs::Workers;
use absolve_archive::warc::{ArchiveLimits, Page, Reader, UnreadRecord};

/// Positions and documents, or problems.
fn shown(found: Result<Page<'_>, UnreadRecord>) -> (String, Vec<u8>) {
    match found {
        Ok(page) => (page.position().to_string(), page.document().to_vec()),
        Err(unread) => (format!("{} {}", unread.position, unread.problem), Vec::new()),
    }
}

/// The documents that are shown; `None` for bytes of another kind of file.
fn read<R: Read + Send>(reader: Reader<R>, threads: usize) -> Option<Vec<(String, Vec<u8>)>> {
    let mut all = Vec::new();
    let mut add = |one| {
        all.push(one);
        ControlFlow::Continue(())
    };
    let read = if threads == 1 {
        reader.pages(|found| add(shown(found)))
    } else {
        let workers = Workers::new(threads);
        reader.pages_in_order(&workers, |_, found| shown(found), |_, one| add(one))
    };
    read.is_ok().then_some(all)
}

pub(crate) fn run(archive: &[u8]) {
    let mut small = ArchiveLimits::default();
    (small.head, small.record, small.ratio) = (100, 200, 10);
    for limits in [ArchiveLimits::default(), small] {
        let seekable = || Reader::seekable(Cursor::new(archive)).limits(limits);
        assert_eq!(read(seekable(), 1), read(seekable(), 2));
        read(Reader::new(archive).limits(limits), 1);
        let captures = seekable().captures(|_| ControlFlow::Continue(()));
        assert_eq!(captures.is_ok(), read(seekable(), 1).is_some());
    }
}
