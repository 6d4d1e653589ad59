//! Texts of HTML pages that form feeds separate.

use super::entry_id::EntryId;
use super::message::PartReports;
use super::spans::Spans;
use crate::error::Error;
use crate::link::Link;
use crate::rewrite::Rewriter;

/// Shows every link of the pages to `visit`, with its page and its spans in the file.
pub(super) fn links(
    source: &[u8],
    rewriter: &Rewriter,
    mut visit: impl FnMut(Option<EntryId>, &Link<'_>, Spans),
) -> PartReports {
    let mut reports = PartReports::new(Vec::new());
    for (number, (start, page)) in pages(source).enumerate() {
        let read = rewriter.links(page, |link| {
            let spans = Spans::of(link, |span| span.start + start..span.end + start);
            visit(Some(EntryId::Part(number)), link, spans);
        });
        reports.add(number, read.map_err(|error| error.in_part(number, |byte| byte + start)));
    }
    reports
}

/// The pages, each with its position in the file.
pub(super) fn pages(source: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = 0;
    source.split(|byte| *byte == b'\x0c').map(move |page| {
        let at = start;
        start += page.len() + 1;
        (at, page)
    })
}

/// The error of rewriting one.
pub(super) fn not_rewritten() -> Error {
    Error::not_a_document("a text of pages, whose links are only listed".to_owned(), None)
}
