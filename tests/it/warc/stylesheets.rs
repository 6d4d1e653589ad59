//! Style sheets in archives.

use std::ops::ControlFlow;

use absolve::container::warc::{Reader, RecordSelection, RecordType, Rewriting, Statuses};
use absolve::jobs::Workers;
use absolve::{Rewriter, Syntax};

use crate::warc::archive::{Run, field, gunzip, gzip, heads, page, record, records};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/css; charset=windows-1252\r\n";
const SHEET: &[u8] = b"@import 'x';\r\na{b:url(\"\xe9\")}";
const ABSOLUTE: &[u8] = b"@import 'http://h/1/x';\r\na{b:url(\"http://h/1/\xe9\")}";

fn sheet(fields: &str, header: &str) -> Vec<u8> {
    let block = [HEAD.as_bytes(), header.as_bytes(), b"\r\n", SHEET].concat();
    record("response", 1, fields, &block)
}

#[test]
fn a_conversion_is_added_after_a_style_sheet() {
    // Its own URL is the base, whatever the header says.
    let archive = sheet("", "Content-Base: http://i/\r\nBase: http://i/\r\n");
    for archive in [archive.clone(), gzip(&archive)] {
        let came = Run::default().on(&archive);
        assert!(came.archive.starts_with(&archive));
        let text = if archive[0] == b'W' { came.archive.clone() } else { gunzip(&came.archive) };
        let (heads, records) = (heads(&text), records(&text));
        assert_eq!(records[1], ("conversion".to_owned(), ABSOLUTE.to_vec()));
        let content_type = field(&heads[1], "Content-Type");
        assert_eq!(content_type.as_deref(), Some("text/css; charset=windows-1252"));
        let again = Run::default().on(&came.archive);
        assert!(again.archive == came.archive, "{:?}", again.reports);
    }
}

#[test]
fn a_response_keeps_its_header() {
    let archive = sheet("", "ETag: 1\r\nContent-Length: 26\r\n");
    let came = Run::in_place().on(&archive);
    let found = records(&came.archive);
    let kinds: Vec<_> = found.iter().map(|(kind, _)| &**kind).collect();
    assert_eq!(kinds, ["warcinfo", "response"]);
    let header = format!("{HEAD}ETag: 1\r\nContent-Length: {}\r\n\r\n", ABSOLUTE.len());
    assert_eq!(found[1].1, [header.as_bytes(), ABSOLUTE].concat());
    let again = Run::in_place().on(&came.archive);
    assert!(again.archive == came.archive, "{:?}", again.reports);
}

#[test]
fn resources_and_conversions_can_be_style_sheets() {
    let fields = "Content-Type: text/css; charset=windows-1252\r\n";
    for kind in ["resource", "conversion"] {
        let came = Run::default().on(&record(kind, 1, fields, SHEET));
        assert_eq!(records(&came.archive)[1], ("conversion".to_owned(), ABSOLUTE.to_vec()));
    }
}

#[test]
fn revisits_of_a_style_sheet_get_its_digest() {
    let dated = |digest: &str| {
        format!(
            "WARC-Payload-Digest: sha1:{digest}\r\nWARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n"
        )
    };
    let archive = [
        sheet("WARC-Payload-Digest: sha1:OLD\r\n", ""),
        record("revisit", 1, &dated("OLD"), format!("{HEAD}\r\n").as_bytes()),
        record("revisit", 7, &dated("7"), format!("{HEAD}\r\n").as_bytes()),
    ];
    let came = Run::in_place().on(&archive.concat());
    assert_eq!((came.totals.rewritten, came.totals.updated, came.totals.stale), (1, 1, 1));
    let digests: Vec<_> =
        heads(&came.archive).iter().filter_map(|head| field(head, "WARC-Payload-Digest")).collect();
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn style_sheets_can_be_left_out() {
    let revisit =
        record("revisit", 7, "WARC-Payload-Digest: sha1:7\r\n", format!("{HEAD}\r\n").as_bytes());
    let archive = [sheet("", ""), page(2, "<a href=x>"), revisit].concat();
    let selection = RecordSelection::default().media_type("text/html");
    let rewriter = Rewriter::new();
    let rewriting =
        Rewriting::new(&rewriter).record_type(RecordType::Response).statuses(Statuses::All);
    let mut out = Vec::new();
    let totals = rewriting.run(
        Reader::new(&archive[..]).select(selection.clone()),
        &mut out,
        &Workers::new(1),
        |_| ControlFlow::Continue(()),
    );
    let totals = totals.unwrap();
    assert_eq!((totals.rewritten, totals.copied, totals.stale), (1, 2, 0));
    assert!(out.starts_with(&sheet("", "")));
    let shown = |selection: RecordSelection| {
        let mut seen = Vec::new();
        let read = Reader::new(&archive[..]).select(selection).pages(|found| {
            seen.push(found.unwrap().syntax());
            ControlFlow::Continue(())
        });
        read.unwrap();
        seen
    };
    assert_eq!(shown(selection), [Syntax::Html]);
    assert_eq!(shown(RecordSelection::default()), [Syntax::Css, Syntax::Html]);
    assert_eq!(shown(RecordSelection::default().media_type("text/css")), [Syntax::Css]);
}
