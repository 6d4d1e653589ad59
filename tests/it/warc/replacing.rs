//! Documents that are written in their records, and the records that refer to these.

use absolve::container::warc::{RecordSelection, Statuses};

use crate::warc::archive::{Run, field, gzip, heads, other, page, record, records, whole};

const LINK: &str = "<a href=x>";
const HTML: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

#[test]
fn a_record_keeps_all_but_its_document() {
    let fields = "X-Unknown: a\r\n b\r\nWARC-Truncated: length\r\nWARC-Page-ID: 1\r\n\
        WARC-Protocol: h2\r\nWARC-Protocol: tls/1.3\r\nWARC-Identified-Payload-Type: text/html\r\n\
        WARC-Payload-Digest: sha256:00\r\nWARC-Block-Digest: sha1:OLD\r\n";
    let block = format!("{}{LINK}", HTML.replace("\r\n\r\n", "\r\nETag: 1\r\n\r\n"));
    let original = record("response", 7, fields, block.as_bytes());
    let before = heads(&original).remove(0);
    for archive in [original.clone(), gzip(&original)] {
        let came = Run::in_place().on(&archive);
        let (heads, records) = whole(&came);
        let kinds: Vec<_> = records.iter().map(|(kind, _)| &**kind).collect();
        assert_eq!(kinds, ["warcinfo", "response"]);
        let expected = block.replace(LINK, "<a href=http://h/7/x>");
        assert_eq!(records[1].1, expected.as_bytes());
        let is_new = |line: &&str| line.contains("Digest:") || line.contains("Length:");
        let old: Vec<&str> = before.lines().filter(|line| !is_new(line)).collect();
        let new: Vec<&str> = heads[1].lines().filter(|line| !is_new(line)).collect();
        assert_eq!(old, new);
        // printf '<a href=http://h/7/x>' | sha1sum, in base 32.
        let digest = Some("sha1:TBCQUGWVIQ45RXNFFULLMMDTBSH5ICYD");
        assert_eq!(field(&heads[1], "WARC-Payload-Digest").as_deref(), digest);
        assert!(!heads[1].contains("sha256"), "{}", heads[1]);
    }
}

#[test]
fn one_warcinfo_precedes_what_changes() {
    let archive = [other(0, b"x"), page(1, LINK), page(2, LINK), other(3, b"y")];
    for archive in [archive.concat(), archive.iter().flat_map(|record| gzip(record)).collect()] {
        let (heads, records) = whole(&Run::in_place().on(&archive));
        let kinds: Vec<_> = records.iter().map(|(kind, _)| &**kind).collect();
        assert_eq!(kinds, ["request", "warcinfo", "response", "response", "request"]);
        assert_eq!(field(&heads[1], "WARC-Date").as_deref(), Some("2026-01-01T00:00:00Z"));
        let block = String::from_utf8(records[1].1.clone()).unwrap();
        assert!(block.starts_with("software: absolve/"), "{block}");
        assert!(block.ends_with("\r\noptions: o\r\n"), "{block}");
    }
}

#[test]
fn resources_and_conversions_are_rewritten_too() {
    let fields = "Content-Type: text/html\r\n";
    for kind in ["resource", "conversion"] {
        let archive = record(kind, 0, fields, LINK.as_bytes());
        let (_, records) = whole(&Run::in_place().on(&archive));
        assert_eq!(records[1], (kind.to_owned(), b"<a href=http://h/0/x>".to_vec()));
        let (heads, records) = whole(&Run::default().on(&archive));
        assert_eq!(records[1], ("conversion".to_owned(), b"<a href=http://h/0/x>".to_vec()));
        assert_eq!(field(&heads[1], "WARC-Refers-To").as_deref(), Some("<urn:test:0>"));
    }
}

/// A response with a status and a relative `Location`.
fn moved(number: usize, content_type: &str, body: &str) -> Vec<u8> {
    let block = format!(
        "HTTP/1.1 301 Moved\r\nContent-Type: {content_type}\r\nLocation: ../y\r\n\r\n{body}"
    );
    record("response", number, "", block.as_bytes())
}

#[test]
fn redirects_and_errors_stay_unless_all_statuses_are_rewritten() {
    let error = String::from_utf8(page(1, LINK)).unwrap().replace("200 OK", "404 No");
    let archive =
        [error.as_bytes(), &moved(2, "text/html", LINK), &moved(3, "text/plain", "")].concat();
    for run in [Run::default(), Run::in_place()] {
        let came = run.on(&archive);
        assert_eq!((came.archive == archive, came.totals.copied), (true, 3), "{:?}", came.reports);
    }
    let came = Run { statuses: Statuses::All, ..Run::default() }.on(&archive);
    assert_eq!((came.totals.rewritten, came.totals.copied), (2, 1), "{:?}", came.reports);
    assert!(came.archive.ends_with(&moved(3, "text/plain", "")));
    let run = Run { statuses: Statuses::All, ..Run::in_place() };
    let came = run.on(&archive);
    assert_eq!((came.totals.rewritten, came.totals.updated), (2, 1), "{:?}", came.reports);
    let (_, records) = whole(&came);
    let blocks: Vec<_> =
        records.into_iter().skip(1).map(|(_, block)| String::from_utf8(block).unwrap()).collect();
    assert!(blocks[0].starts_with("HTTP/1.1 404 No\r\n"), "{blocks:?}");
    assert!(blocks[1].starts_with("HTTP/1.1 301 Moved\r\n"), "{blocks:?}");
    assert!(blocks[1].ends_with("Location: http://h/y\r\n\r\n<a href=http://h/2/x>"), "{blocks:?}");
    assert!(blocks[2].ends_with("Location: http://h/y\r\n\r\n"), "{blocks:?}");
    assert!(run.on(&came.archive).archive == came.archive);
    // A status selects among them.
    let selection = || RecordSelection::default().status(301..=301);
    for run in [Run { selection, ..Run::in_place() }, Run { selection, ..Run::default() }] {
        assert!(run.on(&archive).archive == archive);
    }
    let came = Run { selection, ..run }.on(&archive);
    assert_eq!((came.totals.rewritten, came.totals.updated), (1, 1), "{:?}", came.reports);
}

#[test]
fn codings_are_undone() {
    let body = gzip(LINK.as_bytes());
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let head = format!("{head}Content-Length: {}\r\n\r\n", body.len());
    let archive = record("response", 0, "", &[head.as_bytes(), &body].concat());
    let (_, records) = whole(&Run::in_place().on(&archive));
    let expected = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Orig-Content-Encoding: gzip\r\n\
        Content-Length: 21\r\n\r\n<a href=http://h/0/x>";
    assert_eq!(String::from_utf8(records[1].1.clone()).unwrap(), expected);
}

#[test]
fn a_conversion_of_other_options_is_another_and_none_is_of_an_own_one() {
    use absolve::Rewriter;
    let archive = page(0, "<a href=x><img src=y>");
    let once = Run::default().by(&Rewriter::new().only("src"), &archive);
    let twice = Run::default().on(&once.archive);
    let kinds: Vec<_> = records(&twice.archive).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["response", "conversion", "conversion"]);
    let names: Vec<_> =
        heads(&twice.archive).iter().map(|head| field(head, "WARC-Record-ID")).collect();
    assert!(names[1] != names[2] && names[0] != names[1], "{names:?}");
}

#[test]
fn a_conversion_that_would_not_be_read_again_is_not_written() {
    let mut bounds = crate::warc::archive::small();
    bounds.record = 700;
    let archive = page(0, &LINK.repeat(30));
    let came = Run { bounds, ..Run::default() }.on(&archive);
    assert_eq!((came.archive == archive, came.totals.skipped), (true, 1), "{:?}", came.reports);
}

#[test]
fn a_part_of_a_document_stays() {
    let part = String::from_utf8(page(1, LINK)).unwrap();
    let part = part.replace("200 OK", "206 Partial Content").replace("Length: 54", "Length: 67");
    for statuses in [Statuses::Successful, Statuses::All] {
        for run in [Run::default(), Run::in_place()] {
            let came = Run { statuses, ..run }.on(part.as_bytes());
            assert!(came.archive == part.as_bytes(), "{:?}", came.reports);
            assert_eq!(came.totals.passed_over, 1, "{:?}", came.reports);
        }
    }
}
