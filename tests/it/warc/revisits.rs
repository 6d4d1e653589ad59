//! Revisits of pages that are rewritten, and of pages that are not.

use std::ops::ControlFlow;

use absolve::Rewriter;
use absolve::batch::Workers;
use absolve::container::warc::{
    Entry, LatePages, Reader, RecordSelection, RecordType, Rewriting, Statuses, Totals,
};

use crate::warc::archive::{Run, field, gunzip, gzip, heads, other, record, small, whole};

const LINK: &str = "<a href=x>";
const HTML: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

/// A revisit of the page of a number, with this digest.
fn revisit(number: usize, fields: &str, digest: &str) -> Vec<u8> {
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
    let archive = [digested(1, "OLD"), revisit(1, to, "OLD"), revisit(2, to, "OLD")];
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
    let archive =
        [gzip(&digested(1, "OLD")), gzip(&[other(5, b"x"), revisit(1, "", "OLD")].concat())];
    let came = Run::in_place().on(&archive.concat());
    assert_eq!((came.totals.updated, came.totals.split), (1, 1));
    let kinds: Vec<_> = whole(&came).1.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["warcinfo", "response", "request", "revisit"]);
    let same = gzip(&[other(5, b"x"), revisit(1, "", "OTHER")].concat());
    let came = Run::in_place().on(&same);
    assert_eq!((came.totals.stale, came.archive == same), (1, true));
}

#[test]
fn revisits_of_pages_that_are_not_before_them_are_reported() {
    let archive = [revisit(1, "", "OLD"), digested(1, "OLD"), revisit(2, "", "OTHER")].concat();
    let came = Run::in_place().on(&archive);
    let why =
        "revisit keeps its digest: the page that it refers to is not in the archive before it";
    assert!(came.reports[0].ends_with(why) && came.reports[2].ends_with(why), "{:?}", came.reports);
    assert!(came.archive.starts_with(&revisit(1, "", "OLD")));
    assert!(came.archive.ends_with(&revisit(2, "", "OTHER")));
    // With conversions, all of them are true.
    assert_eq!(Run::default().on(&archive).totals.stale, 0);
    // A page without links to change is in the archive as well.
    let plain = String::from_utf8(digested(1, "OLD")).unwrap().replace("href=x", "name=x");
    let archive = [plain.as_bytes(), &revisit(1, "", "OLD")].concat();
    assert_eq!(Run::in_place().on(&archive).reports[1], format!("@{} copied", plain.len()));
}

/// The last run of one or two with the same pages, with the number of runs.
fn runs(archive: &[u8], threads: usize) -> (Vec<u8>, Totals, usize) {
    let (rewriter, late) = (Rewriter::new(), LatePages::default());
    let rewriting = Rewriting::new(&rewriter).record_type(RecordType::Response).late_pages(&late);
    let workers = Workers::new(threads).unwrap();
    for runs in 1.. {
        let mut out = Vec::new();
        let report = |_: &Entry| ControlFlow::Continue(());
        let totals = rewriting.run(Reader::new(archive), &mut out, &workers, report).unwrap();
        if !late.needs_second_run() {
            return (out, totals, runs);
        }
    }
    unreachable!()
}

#[test]
fn a_second_run_finds_the_pages_after_their_revisits() {
    let dated = "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n";
    let (page, plain) = (digested(1, "OLD"), with(digested(3, "SAME"), LINK, "text"));
    let archive = [
        revisit(1, "", "OLD"),
        revisit(1, dated, "OLD"),
        revisit(2, "", "OTHER"),
        revisit(3, "", "SAME"),
        page.clone(),
        plain,
        revisit(1, "", "OLD"),
    ];
    let members: Vec<u8> = archive.iter().flat_map(|record| gzip(record)).collect();
    for bytes in [archive.concat(), members, gzip(&archive.concat())] {
        let (out, totals, count) = runs(&bytes, 1);
        assert_eq!((totals.rewritten, totals.updated, totals.stale, count), (1, 3, 1, 2));
        assert!(runs(&bytes, 4).0 == out);
        let (again, totals, count) = runs(&out, 1);
        assert_eq!((totals.rewritten, totals.updated, totals.stale, count), (0, 0, 1, 2));
        assert!(again == out);
        let text = if out.starts_with(b"WARC") { out } else { gunzip(&out) };
        let digests: Vec<_> =
            heads(&text).iter().filter_map(|head| field(head, "WARC-Payload-Digest")).collect();
        assert_eq!(digests.len(), 7);
        let of_page = [0, 1, 4, 6].map(|number| &digests[number]);
        assert!(
            of_page.iter().all(|digest| *digest == of_page[0] && *digest != "sha1:OLD"),
            "{digests:?}"
        );
        assert_eq!(digests[2], "sha1:OTHER");
    }
    // One run is enough where the page comes first, or is not there.
    let archive = [page, revisit(1, "", "OLD"), revisit(2, "", "OTHER")].concat();
    assert_eq!(runs(&archive, 1).2, 1);
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
    let archive =
        [digested(1, "OLD"), digested(2, "OLD"), revisit(1, "", "OLD"), revisit(2, "", "OLD")];
    let selection = || RecordSelection::default().url(|url| url == "http://h/1/");
    let run = Run { selection, ..Run::in_place() };
    outcomes(run, &archive, &["rewritten", "copied", "updated", "copied"]);
    let selection = || RecordSelection::default().kind("resource");
    let run = Run { selection, ..Run::in_place() };
    outcomes(run, &archive, &["copied"; 4]);
}

#[test]
fn a_revisit_of_an_error_is_not_that_of_the_page_with_its_digest() {
    let error = |record| with(record, "200 OK", "404 Not Found");
    let to = "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n";
    let archive = [digested(1, "OLD"), error(digested(1, "OLD")), error(revisit(1, "", "OLD"))];
    outcomes(Run::in_place(), &archive, &["rewritten", "copied", "copied"]);
    let archive = [archive[1].clone(), archive[0].clone(), revisit(1, "", "OLD")];
    outcomes(Run::in_place(), &archive, &["copied", "rewritten", "updated"]);
    // The date names the page.
    let archive = [digested(1, "OLD"), error(revisit(1, to, "OLD"))];
    outcomes(Run::in_place(), &archive, &["rewritten", "updated"]);
    let run = Run { statuses: Statuses::All, ..Run::in_place() };
    let archive = [error(digested(1, "OLD")), error(revisit(1, "", "OLD"))];
    outcomes(run, &archive, &["rewritten", "updated"]);
    // A redirect without a document.
    let moved = |record| with(with(record, "200 OK", "301 Moved"), "Content-Type", "Location");
    let page = with(digested(1, "OLD"), LINK, "text");
    let archive = [moved(page), moved(revisit(1, "", "OLD"))];
    outcomes(run, &archive, &["updated", "updated"]);
    outcomes(Run::in_place(), &archive, &["copied", "copied"]);
}

#[test]
fn captures_that_stay_are_in_the_archive() {
    // A revisit without a header may be that of a page.
    let bare =
        |digest| record("revisit", 1, &format!("WARC-Payload-Digest: sha1:{digest}\r\n"), b"");
    let segment = record(
        "response",
        1,
        "WARC-Payload-Digest: sha1:S\r\nWARC-Segment-Number: 1\r\n",
        format!("{HTML}{LINK}").as_bytes(),
    );
    outcomes(Run::in_place(), &[segment, revisit(1, "", "S")], &["passed over", "copied"]);
    let image = with(digested(1, "IMAGE"), "text/html", "image/png");
    outcomes(Run::in_place(), &[image, bare("IMAGE")], &["copied", "copied"]);
    let xml = with(with(digested(1, "XML"), LINK, "<a/>"), "text/html", "text/xml");
    outcomes(Run::in_place(), &[xml, bare("XML")], &["unchanged", "copied"]);
    let large = with(digested(1, "LARGE"), LINK, &LINK.repeat(300));
    let archive = [large, revisit(1, "", "LARGE")];
    let run = Run { bounds: small(), ..Run::in_place() };
    for bytes in [archive.concat(), archive.iter().flat_map(|record| gzip(record)).collect()] {
        let came = run.on(&bytes);
        assert_eq!((came.totals.skipped, came.totals.copied), (1, 1), "{:?}", came.reports);
    }
}

#[test]
fn digests_are_compared_whatever_their_notation() {
    // printf '<a href=x>' | sha1sum, in hexadecimal digits and in base 32.
    let (hex, base32) =
        ("02f3787f283f869d4419acdadfcce34378bcf0a1", "ALZXQ7ZIH6DJ2RAZVTNN7THDIN4LZ4FB");
    let is = |page: Vec<u8>, digest: &str| {
        let archive = [page, revisit(1, "", digest)];
        outcomes(Run::in_place(), &archive, &["rewritten", "updated"]);
    };
    is(digested(1, hex), base32);
    is(digested(1, base32), &hex.to_ascii_uppercase());
    is(with(digested(1, base32), "sha1:", "SHA-1:"), hex);
    // A page without a digest has that of its body.
    is(with(digested(1, ""), "WARC-Payload-Digest", "X"), hex);
    // One of another algorithm names no other page, but is unknown.
    let sha256 = with(digested(1, base32), "sha1:", "sha256:");
    let came = Run::in_place().on(&[sha256.clone(), revisit(1, "", "OLD")].concat());
    assert!(
        came.reports[1].contains("the page that it refers to is unknown"),
        "{:?}",
        came.reports
    );
    let plain = with(sha256, "href", "name");
    outcomes(Run::in_place(), &[plain, revisit(1, "", "OLD")], &["unchanged", "copied"]);
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
        revisit(1, &to(1), "OLD"),
        // That of a capture which is no document, with the digest of a page.
        revisit(1, &to(2), "OLD"),
        revisit(1, &to(3), "OTHER"),
        revisit(1, &to(3), "OLD"),
    ];
    let why = "stale: revisit keeps its digest: the page that its WARC-Refers-To or WARC-Refers-To-Date names has another digest";
    let expected = ["rewritten", "copied", "rewritten", "updated", "copied", "updated", why];
    outcomes(Run::in_place(), &archive, &expected);
}

/// Other text in the head of a record.
fn with_head(record: Vec<u8>, old: &str, new: &str) -> Vec<u8> {
    String::from_utf8(record).unwrap().replacen(old, new, 1).into_bytes()
}
