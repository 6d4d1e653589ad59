//! Web archives of any bytes: nothing to rewrite is the same, also where it is damaged, and
//! rewriting ends in a way that does not depend on how it is read.
#![no_main]

use std::io::Cursor;
use std::ops::ControlFlow;

use absolve::Rewriter;
use absolve::container::ContainerError;
use absolve::batch::Workers;
use absolve::container::warc::{ArchiveLimits, Reader, Rewriting, Totals};
use libfuzzer_sys::fuzz_target;

/// The new archive; `None` for bytes of another kind of file, of which nothing is written.
fn rewritten(
    rewriter: &Rewriter,
    archive: &[u8],
    bounds: Option<ArchiveLimits>,
) -> Option<(Vec<u8>, Totals)> {
    let reader = Reader::seekable(Cursor::new(archive)).limits(bounds.unwrap_or_default());
    let jobs = Workers::new(1);
    let mut out = Vec::new();
    let run = Rewriting::new(rewriter).run(reader, &mut out, &jobs, |_| ControlFlow::Continue(()));
    match run {
        Ok(totals) => Some((out, totals)),
        Err(ContainerError::Read(error)) => {
            assert!(out.is_empty(), "{error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fuzz_target!(|archive: &[u8]| {
    let nothing = Rewriter::new().only("no-such-attribute");
    let Some((out, totals)) = rewritten(&nothing, archive, None) else { return };
    assert!(out == archive, "{totals:?}");
    let mut small = ArchiveLimits::default();
    (small.head, small.record, small.ratio) = (100, 200, 10);
    if let Some((out, totals)) = rewritten(&nothing, archive, Some(small)) {
        assert!(out == archive || totals.split > 0, "{totals:?}");
    }
    let run = || rewritten(&Rewriter::new(), archive, None).map(|(out, _)| out);
    assert!(run() == run());
    let shown = Reader::new(archive).pages(|_| ControlFlow::Continue(()));
    shown.expect("memory can be read");
});
