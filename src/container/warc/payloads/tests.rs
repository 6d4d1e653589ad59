//! Revisits, and the captures that they refer to.

use super::super::capture_keys::ComputedDigests;
use super::super::limits::ArchiveLimits;
use super::*;

fn record(kind: &str, fields: &str, block: &str) -> String {
    let fields = fields.replace('|', "\r\n");
    let length = block.len();
    format!("WARC/1.1\r\nWARC-Type: {kind}\r\n{fields}\r\nContent-Length: {length}\r\n\r\n{block}")
}

/// A page of a URL, at a second, with a status and further fields.
fn page(url: &str, second: u8, status: &str, media_type: &str, fields: &str) -> String {
    let fields = format!(
        "WARC-Target-URI: http://h/{url}|WARC-Record-ID: <urn:{url}{second}>|\
         WARC-Date: 2020-01-01T00:00:0{second}.5Z{fields}"
    );
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\n\r\nabc");
    record("response", &fields, &head)
}

fn changed(number: u8) -> ChangedPayload {
    ChangedPayload { digest: [number; 20], length: 3, is_of_url: true }
}

fn payloads() -> Payloads {
    let html = "text/html";
    let digest = |value: &str| format!("|WARC-Payload-Digest: {value}");
    let old = digest("sha1:OLD");
    let rows = [
        (page("a", 1, "200 OK", html, &old), Some(1)),
        (page("a", 2, "404 Not Found", html, &old), None),
        (page("a", 3, "301 Moved", html, &digest("sha1:MOVED")), None),
        (page("b", 1, "200 OK", html, ""), Some(4)),
        (page("c", 1, "200 OK", html, &digest("md5:OLD")), Some(5)),
        (page("d", 1, "200 OK", html, &digest("md5:OLD")), None),
        (page("i", 1, "200 OK", "image/png", &digest("sha1:IMAGE")), None),
        (page("s", 1, "200 OK", html, "|WARC-Segment-Number: 1|WARC-Payload-Digest: x:S"), None),
        // No document, with the digest of a page.
        (page("a", 5, "200 OK", "text/plain", &old), None),
        (page("g", 1, "200 OK", html, &digest("sha1:G")), Some(9)),
        (page("g", 2, "200 OK", html, &digest("sha1:H")), Some(10)),
        (page("g", 3, "200 OK", html, &digest("sha1:I")), None),
        (page("g", 4, "200 OK", "text/plain", &digest("sha1:J")), None),
        // A page and another capture in one second.
        (page("j", 1, "200 OK", html, &old), Some(11)),
        (page("j", 1, "301 Moved", "text/plain", &digest("sha1:MOVED")), None),
        // Two in one second.
        (page("e", 1, "200 OK", html, &digest("sha1:ONE")), Some(6)),
        (page("e", 1, "200 OK", html, &digest("sha1:TWO")), Some(7)),
        // The same in two types of records.
        (page("f", 1, "200 OK", html, &old), Some(8)),
        (page("f", 2, "200 OK", html, &old), None),
    ];
    let mut payloads = Payloads::default();
    for (text, number) in rows {
        let record = Record::parse(text.as_bytes()).unwrap();
        let computed = ComputedDigests::of(&record, &ArchiveLimits::default());
        let has_digest = text.contains("-Digest");
        let computed = if has_digest { ComputedDigests::default() } else { computed };
        let keys = CaptureKeys::of(&record, computed);
        payloads.add(&keys, number.map(changed));
    }
    payloads
}

const OLD: &str = "WARC-Payload-Digest: sha1:OLD";

#[track_caller]
fn refers(url: &str, fields: &str, status: Option<u16>, expected: &Referred) {
    let text = record("revisit", &format!("WARC-Target-URI: http://h/{url}|{fields}"), "");
    let record = Record::parse(text.as_bytes()).unwrap();
    assert_eq!(payloads().find(&record, status), *expected, "{text}");
}

fn to(number: u8) -> Referred {
    Referred::Changed(changed(number))
}

#[test]
fn a_revisit_refers_to_the_record_that_it_names() {
    let named = |fields: &str| format!("{OLD}|{fields}");
    refers("x", &named("WARC-Refers-To: <urn:a1>"), None, &to(1));
    refers("x", &named("WARC-Refers-To: <urn:a2>"), None, &Referred::Unchanged);
    let url = "WARC-Refers-To-Target-URI: <http://h/a>";
    let date = "WARC-Refers-To-Date: 2020-01-01T00:00:0";
    // The status counts only if no record is named.
    refers("x", &named(&format!("{url}|{date}1.5Z")), Some(404), &to(1));
    refers("x", &named(&format!("{url}|{date}2Z")), Some(200), &Referred::Unchanged);
    refers("a", &named(&format!("{date}1Z")), Some(404), &to(1));
    // One without a digest, of which only the date is known.
    refers("b", &format!("WARC-Payload-Digest: md5:X|{date}1Z"), None, &to(4));
    refers("b", &format!("{date}1Z"), None, &to(4));
    // A name that is not in the archive.
    refers("a", &named("WARC-Refers-To: <urn:none>"), Some(200), &to(1));
    refers("x", &named("WARC-Refers-To: <urn:none>"), Some(200), &Referred::Missing);
}

#[test]
fn a_capture_that_is_no_document_is_named_by_record_and_date() {
    let date = "WARC-Refers-To-Date: 2020-01-01T00:00:0";
    refers("a", &format!("{OLD}|{date}5Z"), Some(200), &Referred::Unchanged);
    refers("x", &format!("{OLD}|WARC-Refers-To: <urn:a5>"), Some(200), &Referred::Unchanged);
    refers("a", &format!("{OLD}|{date}9Z"), Some(200), &to(1));
    // The record is named more exactly than by the date.
    refers("a", &format!("{OLD}|WARC-Refers-To: <urn:a5>|{date}1Z"), None, &Referred::Unchanged);
    refers("a", &format!("{OLD}|WARC-Refers-To: <urn:a1>|{date}5Z"), None, &to(1));
    // The digest is that of one of two in a second.
    refers("j", &format!("{OLD}|{date}1Z"), None, &to(11));
    let moved = "WARC-Payload-Digest: sha1:MOVED";
    refers("j", &format!("{moved}|{date}1Z"), None, &Referred::Unchanged);
}

#[test]
fn a_digest_of_another_page_than_the_one_that_is_named_is_a_contradiction() {
    let date = "WARC-Refers-To-Date: 2020-01-01T00:00:0";
    let g = |digest: &str, second: u8, expected: &Referred| {
        let fields = format!("WARC-Payload-Digest: sha1:{digest}|{date}{second}Z");
        refers("g", &fields, Some(200), expected);
    };
    g("G", 1, &to(9));
    g("H", 2, &to(10));
    g("I", 3, &Referred::Unchanged);
    g("J", 4, &Referred::Unchanged);
    for (digest, second) in [("H", 1), ("G", 2), ("I", 1), ("J", 1), ("X", 1), ("G", 3), ("G", 4)] {
        g(digest, second, &Referred::Contradictory);
    }
    // The digest stays in each case.
    g("J", 3, &Referred::Unchanged);
    g("X", 3, &Referred::Unchanged);
    g("I", 4, &Referred::Unchanged);
    let by_record = "WARC-Payload-Digest: sha1:H|WARC-Refers-To: <urn:g1>";
    refers("g", by_record, Some(200), &Referred::Contradictory);
    refers("x", by_record, Some(200), &Referred::Contradictory);
    refers("g", &format!("WARC-Payload-Digest: md5:H|{date}1Z"), None, &to(9));
}

#[test]
fn a_page_without_a_digest_has_that_of_its_payload_and_of_its_message() {
    let find = |url: &str, digest: &str| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
        let block = match url {
            "chunked" => format!("{head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
            "decoded" => format!("{head}Transfer-Encoding: chunked\r\n\r\nabc"),
            "packed" => format!("{head}Content-Encoding: gzip\r\n\r\n\x1f\x0b"),
            _ => "abc".to_owned(),
        };
        let kind = if url == "resource" { "resource" } else { "response" };
        let uri = format!("WARC-Target-URI: http://h/{url}");
        let text = record(kind, &format!("{uri}|Content-Type: text/html"), &block);
        let page = Record::parse(text.as_bytes()).unwrap();
        let computed = ComputedDigests::of(&page, &ArchiveLimits::default());
        let mut payloads = Payloads::default();
        payloads.add(&CaptureKeys::of(&page, computed), Some(changed(1)));
        let text = record("revisit", &format!("{uri}|WARC-Payload-Digest: sha1:{digest}"), "");
        payloads.find(&Record::parse(text.as_bytes()).unwrap(), None)
    };
    // printf abc | sha1sum; printf '3\r\nabc\r\n0\r\n\r\n' | sha1sum; printf '\x1f\x0b' | sha1sum
    let abc = "a9993e364706816aba3e25717850c26c9cd0d89d";
    for url in ["chunked", "decoded", "resource"] {
        assert_eq!(find(url, abc), to(1), "{url}");
    }
    assert_eq!(find("chunked", "265822614bc31d6bbd062aee59eed6f69f0ac60f"), to(1));
    assert_eq!(find("packed", "a441b09a5de00732c5a0d864caa5ce7ac6756d05"), to(1));
    assert_eq!(find("chunked", &"0".repeat(40)), Referred::Unknown);
}

#[test]
fn without_a_name_it_refers_to_the_page_of_its_url_and_digest() {
    refers("a", OLD, Some(200), &to(1));
    refers("a", OLD, None, &to(1));
    refers("a", OLD, Some(404), &Referred::Unchanged);
    refers("a", OLD, Some(500), &to(1));
    refers("a", "WARC-Payload-Digest: SHA-1:moved", Some(301), &Referred::Unchanged);
    refers("a", "WARC-Payload-Digest: sha1:OTHER", Some(200), &Referred::Missing);
    refers("x", OLD, Some(200), &Referred::Missing);
    let url = "WARC-Refers-To-Target-URI: http://h/a";
    refers("x", &format!("{OLD}|{url}"), Some(200), &to(1));
    // printf abc | sha1sum
    let hex = "sha1:a9993e364706816aba3e25717850c26c9cd0d89d";
    refers("b", &format!("WARC-Payload-Digest: {hex}"), Some(200), &to(4));
    refers("e", "WARC-Payload-Digest: sha1:TWO", None, &to(7));
    refers("f", OLD, None, &Referred::Unknown);
    refers("a", "X: y", None, &Referred::Unchanged);
}

#[test]
fn captures_that_stay_are_in_the_archive() {
    refers("i", "WARC-Payload-Digest: sha1:IMAGE", None, &Referred::Unchanged);
    refers("i", "WARC-Payload-Digest: sha1:OTHER", None, &Referred::Missing);
    refers("s", "WARC-Payload-Digest: x:S", Some(200), &Referred::Unchanged);
}

#[test]
fn digests_of_two_algorithms_are_not_compared() {
    refers("c", "WARC-Payload-Digest: md5:OLD", None, &to(5));
    refers("c", OLD, None, &Referred::Unknown);
    refers("d", OLD, None, &Referred::Unchanged);
    refers("d", "WARC-Payload-Digest: md5:OTHER", None, &Referred::Missing);
    refers("b", "WARC-Payload-Digest: md5:OTHER", None, &Referred::Unknown);
}

#[test]
fn keys_are_bounded() {
    let mut payloads = Payloads::default();
    let mut keys = CaptureKeys {
        id: None,
        date: None,
        digest: None,
        message_digest: None,
        stated: None,
        algorithm: None,
        status: 200,
        is_document: true,
    };
    for page in 0..=MOST_PAGES as u64 {
        let key = |number: u64| Some(page * 4 + number);
        (keys.id, keys.date, keys.digest, keys.algorithm) = (key(0), key(1), key(2), key(3));
        payloads.add(&keys, None);
    }
    assert_eq!((payloads.documents.len(), payloads.is_full()), (MOST_KEYS, true));
    // More would have taken twice the memory.
    assert!(payloads.documents.capacity() < MOST_KEYS * 2);
    assert_eq!(size_of::<(u64, Known)>(), 16);
    keys.is_document = false;
    (keys.id, keys.date) = (None, None);
    for number in 0..=MOST_OTHERS as u64 {
        keys.digest = Some(number);
        payloads.add(&keys, None);
    }
    assert_eq!((payloads.others.len(), payloads.are_others_full()), (MOST_OTHERS, true));
}
