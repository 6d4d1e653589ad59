//! Revisits of pages that are rewritten, and of pages that are not.

use absolve::container::warc::{RecordSelection, Statuses};

use crate::warc::archive::{Run, field, gzip, other, record, small, whole};

const LINK: &str = "<a href=x>";
const HTML: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

/// The date of the pages.
const DATED: &str = "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n";

/// A revisit of the page of a number, with this digest.
fn revisit(number: usize, digest: &str) -> Vec<u8> {
    revisit_with(number, DATED, digest)
}

/// The same with these fields in place of the date.
fn revisit_with(number: usize, fields: &str, digest: &str) -> Vec<u8> {
    let fields = format!("WARC-Payload-Digest: sha1:{digest}\r\n{fields}");
    record("revisit", number, &fields, HTML.as_bytes())
}

/// A page with this digest.
fn digested(number: usize, digest: &str) -> Vec<u8> {
    let fields = format!("WARC-Payload-Digest: sha1:{digest}\r\n");
    record("response", number, &fields, format!("{HTML}{LINK}").as_bytes())
}

#[test]
fn revisits_after_a_page_get_its_digest() {
    let to =
        "WARC-Refers-To-Target-URI: http://h/1/\r\nWARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n";
    let archive = [digested(1, "OLD"), revisit_with(1, to, "OLD"), revisit_with(2, to, "OLD")];
    let members: Vec<u8> = archive.iter().flat_map(|record| gzip(record)).collect();
    for archive in [archive.concat(), members, gzip(&archive.concat())] {
        let came = Run::in_place().on(&archive);
        assert_eq!((came.totals.rewritten, came.totals.updated, came.totals.stale), (1, 1, 1));
        let why = "the page of another URL, and has the links of that: http://h/1/";
        assert!(came.reports[2].ends_with(why), "{:?}", came.reports);
        let (heads, _) = whole(&came);
        let digests: Vec<_> =
            heads.iter().filter_map(|head| field(head, "WARC-Payload-Digest")).collect();
        assert_eq!((digests.len(), digests.iter().all(|digest| *digest == digests[0])), (3, true));
        assert_ne!(digests[0], "sha1:OLD");
        let again = Run::in_place().on(&came.archive);
        assert!(again.archive == came.archive, "{:?}", again.reports);
        assert_eq!((again.totals.updated, again.totals.stale), (0, 0), "{:?}", again.reports);
    }
}

#[test]
fn a_revisit_in_a_member_with_others_splits_it_if_it_changes() {
    let archive = [gzip(&digested(1, "OLD")), gzip(&[other(5, b"x"), revisit(1, "OLD")].concat())];
    let came = Run::in_place().on(&archive.concat());
    assert_eq!((came.totals.updated, came.totals.split), (1, 1));
    let kinds: Vec<_> = whole(&came).1.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["warcinfo", "response", "request", "revisit"]);
    let same = gzip(&[other(5, b"x"), revisit(1, "OTHER")].concat());
    let came = Run::in_place().on(&same);
    assert_eq!((came.totals.stale, came.archive == same), (1, true));
}

#[test]
fn revisits_of_pages_that_are_not_before_them_are_reported() {
    let archive = [revisit(1, "OLD"), digested(1, "OLD"), revisit(2, "OTHER")].concat();
    let came = Run::in_place().on(&archive);
    let why =
        "revisit keeps its digest: the page that it refers to is not in the archive before it";
    assert!(came.reports[0].ends_with(why) && came.reports[2].ends_with(why), "{:?}", came.reports);
    assert!(came.archive.starts_with(&revisit(1, "OLD")));
    assert!(came.archive.ends_with(&revisit(2, "OTHER")));
    // With conversions, all of them are true.
    assert_eq!(Run::default().on(&archive).totals.stale, 0);
    // A page without links to change is in the archive as well.
    let plain = String::from_utf8(digested(1, "OLD")).unwrap().replace("href=x", "name=x");
    let archive = [plain.as_bytes(), &revisit(1, "OLD")].concat();
    assert_eq!(Run::in_place().on(&archive).reports[1], format!("@{} copied", plain.len()));
}

/// The outcomes of the records of an archive, uncompressed and in members of one and of all.
#[track_caller]
fn outcomes(run: Run, archive: &[Vec<u8>], expected: &[&str]) {
    let members: Vec<u8> = archive.iter().flat_map(|record| gzip(record)).collect();
    for bytes in [archive.concat(), members, gzip(&archive.concat())] {
        let came = run.on(&bytes);
        let outcome = |report: &String| report.split_once(' ').unwrap().1.to_owned();
        let found: Vec<_> = came.reports.iter().map(outcome).collect();
        assert_eq!(found, expected);
    }
}

/// Other text instead of the first one.
fn with(record: Vec<u8>, old: &str, new: &str) -> Vec<u8> {
    let text = String::from_utf8(record).unwrap();
    assert!(text.contains(old), "{text}");
    let (head, block) = text.split_once("\r\n\r\n").unwrap();
    let (head, block) = (head.replace(old, new), block.replace(old, new));
    let length = head.lines().find(|line| line.starts_with("Content-Length")).unwrap();
    let new = format!("Content-Length: {}", block.len() - "\r\n\r\n".len());
    format!("{}\r\n\r\n{block}", head.replace(length, &new)).into_bytes()
}

#[test]
fn revisits_of_pages_that_are_not_selected_are_true() {
    let archive = [digested(1, "OLD"), digested(2, "OLD"), revisit(1, "OLD"), revisit(2, "OLD")];
    let selection = || RecordSelection::default().url(|url| url == "http://h/1/");
    let run = Run { selection, ..Run::in_place() };
    outcomes(run, &archive, &["rewritten", "copied", "updated", "copied"]);
    let selection = || RecordSelection::default().url(|_| false);
    let run = Run { selection, ..Run::in_place() };
    outcomes(run, &archive, &["copied"; 4]);
}

#[test]
fn a_revisit_of_what_is_no_page_stays_with_it() {
    let error = |record| with(record, "200 OK", "404 Not Found");
    let archive = [error(digested(1, "OLD")), error(revisit(1, "OLD"))];
    outcomes(Run::in_place(), &archive, &["copied", "copied"]);
    let run = Run { statuses: Statuses::All, ..Run::in_place() };
    outcomes(run, &archive, &["rewritten", "updated"]);
    // A redirect without a document.
    let moved = |record| with(with(record, "200 OK", "301 Moved"), "Content-Type", "Location");
    let page = with(digested(1, "OLD"), LINK, "text");
    let archive = [moved(page), moved(revisit(1, "OLD"))];
    outcomes(run, &archive, &["updated", "updated"]);
    outcomes(Run::in_place(), &archive, &["copied", "copied"]);
}

#[test]
fn captures_that_stay_are_in_the_archive() {
    // A revisit without a header may be that of a page.
    let bare = |digest| {
        record("revisit", 1, &format!("{DATED}WARC-Payload-Digest: sha1:{digest}\r\n"), b"")
    };
    let segment = record(
        "response",
        1,
        "WARC-Payload-Digest: sha1:S\r\nWARC-Segment-Number: 1\r\n",
        format!("{HTML}{LINK}").as_bytes(),
    );
    outcomes(Run::in_place(), &[segment, revisit(1, "S")], &["passed over", "copied"]);
    let image = with(digested(1, "IMAGE"), "text/html", "image/png");
    outcomes(Run::in_place(), &[image, bare("IMAGE")], &["copied", "copied"]);
    let xml = with(with(digested(1, "XML"), LINK, "<a/>"), "text/html", "text/xml");
    outcomes(Run::in_place(), &[xml, bare("XML")], &["unchanged", "copied"]);
    let large = with(digested(1, "LARGE"), LINK, &LINK.repeat(300));
    let archive = [large, revisit(1, "LARGE")];
    let run = Run { bounds: small(), ..Run::in_place() };
    for bytes in [archive.concat(), archive.iter().flat_map(|record| gzip(record)).collect()] {
        let came = run.on(&bytes);
        assert_eq!((came.totals.skipped, came.totals.copied), (1, 1), "{:?}", came.reports);
    }
}

#[test]
fn a_revisit_that_names_no_record_is_reported() {
    let why = "the page that it refers to is unknown, because it names no record and no date";
    for page in [digested(1, "OLD"), with(digested(1, "OLD"), "href", "name")] {
        let came = Run::in_place().on(&[page, revisit_with(1, "", "OLD")].concat());
        assert!(came.reports[1].contains(why), "{:?}", came.reports);
    }
    let image = with(revisit_with(1, "", "OLD"), "text/html", "image/png");
    outcomes(Run::in_place(), &[image], &["copied"]);
    // Without a digest, nothing could be wrong.
    let bare = with(revisit_with(1, "", "OLD"), "WARC-Payload-Digest", "X");
    outcomes(Run::in_place(), &[digested(1, "OLD"), bare], &["rewritten", "copied"]);
}

#[test]
fn the_most_exact_reference_of_a_revisit_counts() {
    let dated = |record, second: u8| with_head(record, "00:00:00Z", &format!("00:00:0{second}Z"));
    let to = |second: u8| format!("WARC-Refers-To-Date: 2020-01-01T00:00:0{second}Z\r\n");
    let text = with(digested(1, "OLD"), "text/html", "text/plain");
    let archive = [
        dated(digested(1, "OLD"), 1),
        dated(text, 2),
        dated(with(digested(1, "OTHER"), "href=x", "href=y"), 3),
        revisit_with(1, &to(1), "OLD"),
        // That of a capture which is no document, with the digest of a page.
        revisit_with(1, &to(2), "OLD"),
        revisit_with(1, &to(3), "OTHER"),
        revisit_with(1, &to(3), "OLD"),
    ];
    let why = "stale: revisit keeps its digest: the page that its WARC-Refers-To or WARC-Refers-To-Date names has another digest";
    let expected = ["rewritten", "copied", "rewritten", "updated", "copied", "updated", why];
    outcomes(Run::in_place(), &archive, &expected);
}

/// Other text in the head of a record.
fn with_head(record: Vec<u8>, old: &str, new: &str) -> Vec<u8> {
    String::from_utf8(record).unwrap().replacen(old, new, 1).into_bytes()
}
