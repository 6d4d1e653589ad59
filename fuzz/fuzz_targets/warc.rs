//! Web archives of any bytes: nothing to rewrite is the same, also where it is damaged, and
//! rewriting ends in a way that does not depend on how it is read.
#![no_main]

use std::io::Cursor;
use std::ops::ControlFlow;

use absolve::Rewriter;
use absolve::batch::Workers;
use absolve::container::warc::{ArchiveLimits, Reader, Rewriting, Totals};
use libfuzzer_sys::fuzz_target;

fn rewritten(rewriter: &Rewriter, archive: &[u8], bounds: Option<ArchiveLimits>) -> (Vec<u8>, Totals) {
    let reader = Reader::seekable(Cursor::new(archive)).limits(bounds.unwrap_or_default());
    let jobs = Workers::new(1).expect("a thread starts");
    let mut out = Vec::new();
    let totals = Rewriting::new(rewriter)
        .run(reader, &mut out, &jobs, |_| ControlFlow::Continue(()))
        .expect("memory can be read and written");
    (out, totals)
}

fuzz_target!(|archive: &[u8]| {
    let nothing = Rewriter::new().only("no-such-attribute");
    let (out, totals) = rewritten(&nothing, archive, None);
    assert!(out == archive, "{totals:?}");
    let mut small = ArchiveLimits::default();
    (small.head, small.record, small.ratio) = (100, 200, 10);
    let (out, totals) = rewritten(&nothing, archive, Some(small));
    assert!(out == archive || totals.split > 0, "{totals:?}");
    let (once, _) = rewritten(&Rewriter::new(), archive, None);
    assert!(once == rewritten(&Rewriter::new(), archive, None).0);
    let shown = Reader::new(archive).pages(|_| ControlFlow::Continue(()));
    shown.expect("memory can be read");
});
