//! Indexes of archives. `tests/programs` compares them with those of `cdxj-indexer`.

use std::ops::ControlFlow;

use absolve::Rewriter;
use absolve::batch::Workers;
use absolve::container::warc::{ArchiveLimits, Cdxj, Reader, RecordType, Rewriting};

use crate::warc::archive::{gunzip, gzip, other, page, record, small};

const LINK: &str = "<a href=x>";

/// One record of each type that an archive has, and others.
fn all() -> Vec<Vec<u8>> {
    let moved = b"HTTP/1.1 301 Moved\r\nContent-Type: text/html; charset=x\r\nLocation: /\r\n\r\n";
    vec![
        record("warcinfo", 9, "Content-Type: application/warc-fields\r\n", b"software: x\r\n"),
        page(3, LINK),
        other(3, b"GET / HTTP/1.1\r\n\r\n"),
        record("response", 2, "WARC-Payload-Digest: sha1:OLD\r\n", moved),
        record("response", 4, "", b"HTTP/1.1 404\r\n\r\n"),
        record("revisit", 1, "", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
        record("resource", 5, "Content-Type: image/png\r\n", b"x"),
        record("metadata", 6, "Content-Type: application/json\r\n", b"{}"),
        record("metadata", 7, "Content-Type: application/warc-fields\r\n", b"a: b\r\n"),
        record("conversion", 8, "Content-Type: text/html\r\n", b"x"),
    ]
}

fn text(index: Cdxj) -> String {
    let mut out = Vec::new();
    index.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn index(archive: &[u8], limits: ArchiveLimits) -> Cdxj {
    let mut index = Cdxj::new("a.warc");
    Reader::new(archive).limits(limits).index(&mut index).unwrap();
    index
}

/// The index of what a rewriting writes, which equals that of its output.
#[track_caller]
fn rewritten(archive: &[u8], record_type: RecordType) -> (Vec<u8>, String) {
    let (mut out, mut index_of_it) = (Vec::new(), Cdxj::new("a.warc"));
    let (rewriter, workers) = (Rewriter::new(), Workers::new(2));
    let rewriting = Rewriting::new(&rewriter).record_type(record_type);
    let (reader, report) = (Reader::new(archive), |_: &_| ControlFlow::Continue(()));
    rewriting.run_with_index(reader, &mut out, &workers, &mut index_of_it, report).unwrap();
    let read = text(index(&out, ArchiveLimits::default()));
    let written = text(index_of_it);
    assert_eq!(written, read);
    (out, written)
}

fn number(line: &str, key: &str) -> usize {
    let (_, rest) = line.split_once(&format!("\"{key}\": \"")).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn an_index_has_sorted_captures() {
    let records = all();
    let offset = |number: usize| records[..number].iter().map(Vec::len).sum::<usize>();
    let line = |number: usize, key: &str, fields: &str| {
        let (length, offset) = (records[number].len() - 4, offset(number));
        format!(
            "h)/{key} 20200101000000 {{\"url\": \"http://h/{key}/\", {fields}, \
             \"length\": \"{length}\", \"offset\": \"{offset}\", \"filename\": \"a.warc\"}}\n"
        )
    };
    // printf '<a href=x>' | sha1sum, in base 32; and of nothing, of x, of {}.
    let expected = [
        line(5, "1", r#""mime": "warc/revisit", "status": "200""#),
        line(3, "2", r#""mime": "text/html", "status": "301", "digest": "sha1:OLD""#),
        line(
            1,
            "3",
            r#""mime": "text/html", "status": "200", "digest": "sha1:ALZXQ7ZIH6DJ2RAZVTNN7THDIN4LZ4FB""#,
        ),
        line(4, "4", r#""status": "404", "digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ""#),
        line(6, "5", r#""mime": "image/png", "digest": "sha1:CH3K3DWFFIUYJK5K7V6DWULFAN4FYIDS""#),
        line(
            7,
            "6",
            r#""mime": "application/json", "digest": "sha1:X4Q2T2H3YWRYI35QLNH2BBM6BEL3EIBP""#,
        ),
    ];
    let found = text(index(&records.concat(), ArchiveLimits::default()));
    assert_eq!(found, expected.concat());
}

#[test]
fn lines_name_the_bytes_of_what_was_written() {
    let plain = all().concat();
    let members: Vec<u8> = all().iter().flat_map(|record| gzip(record)).collect();
    for record_type in [RecordType::Conversion, RecordType::Response] {
        for archive in [&plain, &members] {
            let (out, lines) = rewritten(archive, record_type);
            assert_eq!(lines.lines().count(), 6, "{lines}");
            for line in lines.lines() {
                let at = number(line, "offset");
                let bytes = &out[at..at + number(line, "length")];
                let text =
                    if bytes.starts_with(b"WARC") { bytes.to_owned() } else { gunzip(bytes) };
                let text = String::from_utf8(text).unwrap();
                let (_, url) = line.split_once("\"url\": \"").unwrap();
                let url = url.split('"').next().unwrap();
                assert_eq!(text.matches("WARC/1.1\r\n").count(), 1, "{text}");
                assert!(text.contains(&format!("WARC-Target-URI: {url}\r\n")), "{line}\n{text}");
            }
        }
    }
}

#[test]
fn a_record_that_replay_cannot_find_is_left_out() {
    let member = gzip(&all().concat());
    let of_member = index(&member, ArchiveLimits::default());
    // The first in the member is the warcinfo.
    assert_eq!(of_member.left_out(), 6);
    assert_eq!(text(of_member), "");
    let undated = String::from_utf8(page(1, LINK)).unwrap().replace("WARC-Date", "X-Date");
    let undated = index(undated.as_bytes(), ArchiveLimits::default());
    assert_eq!(undated.left_out(), 1);
    assert_eq!(text(undated), "");
}

#[test]
fn a_record_that_is_too_large_for_memory_has_its_own_digest_alone() {
    let block =
        [&b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"[..], &[b'x'; 5000]].concat();
    let records = [
        record("response", 1, "WARC-Payload-Digest: sha1:OWN\r\n", &block),
        record("response", 2, "", &block),
        page(3, LINK),
    ];
    let members: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    for archive in [records.concat(), members] {
        let mut limits = small();
        limits.ratio = 0;
        let large = text(index(&archive, limits));
        let whole = text(index(&archive, ArchiveLimits::default()));
        let lines: Vec<(&str, &str)> = large.lines().zip(whole.lines()).collect();
        assert_eq!(lines.len(), 3, "{large}");
        for (number, (large, whole)) in lines.into_iter().enumerate() {
            if number == 1 {
                assert!(!large.contains("digest") && whole.contains("digest"), "{large}");
                let end = large.find("\"length\"").unwrap();
                assert!(whole.ends_with(&large[end..]), "{large}\n{whole}");
            } else {
                assert_eq!(large, whole);
            }
        }
    }
}

#[test]
fn damage_is_not_in_an_index() {
    let archive = [page(1, LINK), b"damage\r\n".to_vec(), page(2, LINK)].concat();
    let found = text(index(&archive, ArchiveLimits::default()));
    assert_eq!(found.lines().count(), 2, "{found}");
    let cut = &archive[..archive.len() - 10];
    assert_eq!(text(index(cut, ArchiveLimits::default())).lines().count(), 1);
}
