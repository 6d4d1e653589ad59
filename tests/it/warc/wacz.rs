//! WACZ archives: web archives in a ZIP file, whose indexes and hashes are made anew.
//! `tests/programs` compares them with those of py-wacz.

use std::io::{Cursor, Read, Write};
use std::ops::ControlFlow;

use absolve::Rewriter;
use absolve::batch::Workers;
use absolve::container::ByteRange;
use absolve::container::ContainerError;
use absolve::container::wacz::{Wacz, WaczTotals};
use absolve::container::warc::{Entry, RecordOutcome, RecordType, Rewriting};
use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::warc::archive::{gunzip, gzip, other, page};

const LINK: &str = "<a href=x>";

const PACKAGE: &str = r#"{"resources": [{"path": "x", "bytes": 2}]}"#;

/// A list with the size and the hash of an archive.
fn package(archive: &[u8]) -> String {
    let (bytes, hash) = (archive.len(), HEXLOWER.encode(&Sha256::digest(archive)));
    format!(
        r#"{{"resources": [{{"path": "archive/a.warc.gz", "hash": "sha256:{hash}", "bytes": {bytes}}}, {{"path": "x", "bytes": 2}}]}}"#
    )
}

type Member<'m> = (&'m str, &'m [u8], CompressionMethod);

const STORED: CompressionMethod = CompressionMethod::Stored;
const DEFLATED: CompressionMethod = CompressionMethod::Deflated;

fn wacz(members: &[Member<'_>]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes, method) in members {
        let options = SimpleFileOptions::default().compression_method(*method);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A page, a request, and another page, each in a gzip member.
fn archive() -> Vec<u8> {
    [page(1, LINK), other(1, b"GET / HTTP/1.1\r\n\r\n"), page(2, "<p>"), page(3, LINK)]
        .map(|record| gzip(&record))
        .concat()
}

/// The positions and lengths of the gzip members of [`archive`].
fn positions() -> [(usize, usize); 4] {
    let mut offset = 0;
    [page(1, LINK), other(1, b"GET / HTTP/1.1\r\n\r\n"), page(2, "<p>"), page(3, LINK)].map(
        |record| {
            let length = gzip(&record).len();
            offset += length;
            (offset - length, length)
        },
    )
}

/// A line with values as strings, and keys that are not of absolve.
fn line(record: usize) -> String {
    let (offset, length) = positions()[record];
    format!(
        "h)/{record} 2020 {{\"referrer\": \"\\u00e9\",\"offset\": \"{offset}\", \"length\": \"{length}\", \"digest\": \"sha1:OLD\", \"recordDigest\": \"sha256:0\", \"filename\": \"a.warc.gz\", \"x\": 1.0}}\n"
    )
}

fn rewrite(wacz: &[u8], record_type: RecordType) -> Result<(Vec<u8>, WaczTotals), ContainerError> {
    let (rewriter, workers) = (Rewriter::new(), Workers::new(2));
    let rewriting = Rewriting::new(&rewriter).record_type(record_type);
    let mut out = Cursor::new(Vec::new());
    let report = |_: &str, _: &_| ControlFlow::Continue(());
    let totals = Wacz::open(Cursor::new(wacz))?.rewrite(&mut out, &rewriting, &workers, report)?;
    let mut out = out.into_inner();
    out.truncate(usize::try_from(totals.bytes).unwrap());
    Ok((out, totals))
}

fn member(wacz: &[u8], name: &str) -> Vec<u8> {
    let mut zip = ZipArchive::new(Cursor::new(wacz)).unwrap();
    let mut bytes = Vec::new();
    zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

fn json(wacz: &[u8], name: &str) -> Value {
    serde_json::from_slice(&member(wacz, name)).unwrap()
}

/// The bytes of the record that a line points to, as text.
fn record(wacz: &[u8], line: &str) -> String {
    let fields: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
    let [offset, length] =
        ["offset", "length"].map(|key| fields[key].as_str().unwrap().parse::<usize>().unwrap());
    let archive = member(wacz, "archive/a.warc.gz");
    String::from_utf8(gunzip(&archive[offset..offset + length])).unwrap()
}

#[test]
fn what_depends_on_an_archive_is_made_anew() {
    let archive = archive();
    let index = [line(0), line(2), line(3)].concat();
    let digest = r#"{"path": "datapackage.json", "hash": "md5:0", "signedData": {"hash": "x"}}"#;
    let old = wacz(&[
        ("datapackage-digest.json", digest.as_bytes(), DEFLATED),
        ("indexes/index.cdxj", index.as_bytes(), DEFLATED),
        ("pages/pages.jsonl", b"{}\n{}\n{}\n", DEFLATED),
        ("../archive/b.warc.gz", b"x", STORED),
        ("archive/a.warc.gz", &archive, STORED),
        ("datapackage.json", package(&archive).as_bytes(), STORED),
    ]);
    for record_type in [RecordType::Conversion, RecordType::Response] {
        let (new, totals) = rewrite(&old, record_type).unwrap();
        assert_eq!((totals.records.rewritten, totals.index_lines_left_out), (2, 0));
        assert!(totals.was_signed);
        let package = json(&new, "datapackage.json");
        let bytes = member(&new, "archive/a.warc.gz").len();
        assert_eq!(package["resources"][0]["bytes"], bytes);
        assert_eq!(package["resources"][0]["hash"].as_str().unwrap().len(), "sha256:".len() + 64);
        assert_eq!(package["resources"][1]["bytes"], 2);
        let digest = json(&new, "datapackage-digest.json");
        assert_eq!(digest["signedData"], Value::Null);
        assert_eq!(digest["hash"].as_str().unwrap().len(), "md5:".len() + 32);
        assert_eq!(member(&new, "../archive/b.warc.gz"), b"x");
        assert_eq!(member(&new, "pages/pages.jsonl"), b"{}\n{}\n{}\n");
        let index = String::from_utf8(member(&new, "indexes/index.cdxj")).unwrap();
        let is_in_place = record_type == RecordType::Response;
        for ((line, number), has_link) in index.lines().zip([1, 2, 3]).zip([true, false, true]) {
            let text = record(&new, line);
            assert!(text.contains(&format!("WARC-Target-URI: http://h/{number}/\r\n")), "{text}");
            assert_eq!(text.contains("<a href=http"), is_in_place && has_link);
            assert_eq!(line.contains("\"sha1:OLD\""), !(is_in_place && has_link), "{line}");
            assert!(!line.contains("\"sha256:0\""), "{line}");
            assert!(line.contains(" 2020 {\"referrer\": \"\\u00e9\",\"offset\": \""), "{line}");
            assert!(line.ends_with(", \"filename\": \"a.warc.gz\", \"x\": 1.0}"), "{line}");
        }
        let (_, again) = rewrite(&new, record_type).unwrap();
        assert_eq!((again.bytes, again.records.is_changed()), (0, false));
    }
}

#[test]
fn blocks_of_a_compressed_index_stay() {
    let blocks = [[line(0), line(2)].concat(), line(3)].map(|lines| gzip(lines.as_bytes()));
    let index = blocks.concat();
    let pointers = format!(
        "!meta 0 {{\"format\": \"cdxj-gzip-1.0\"}}\nh)/0 2020 {{\"offset\": 0, \"length\": {}}}\nh)/3 2020 {{\"offset\": {}, \"length\": 1, \"digest\": \"sha256:0\"}}\n",
        blocks[0].len(),
        blocks[0].len(),
    );
    let old = wacz(&[
        ("indexes/index.idx", pointers.as_bytes(), DEFLATED),
        ("indexes/index.cdx.gz", &index, STORED),
        ("archive/a.warc.gz", &archive(), STORED),
        ("datapackage.json", PACKAGE.as_bytes(), STORED),
    ]);
    let (new, _) = rewrite(&old, RecordType::Response).unwrap();
    let index = member(&new, "indexes/index.cdx.gz");
    let pointers = String::from_utf8(member(&new, "indexes/index.idx")).unwrap();
    let mut lines = pointers.lines();
    assert_eq!(lines.next(), Some("!meta 0 {\"format\": \"cdxj-gzip-1.0\"}"));
    let mut end = 0;
    for (line, count) in lines.zip([2, 1]) {
        let fields: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
        let [offset, length] =
            ["offset", "length"].map(|key| usize::try_from(fields[key].as_u64().unwrap()).unwrap());
        assert_eq!(offset, end);
        end += length;
        let lines = String::from_utf8(gunzip(&index[offset..end])).unwrap();
        assert_eq!(lines.lines().count(), count);
        lines.lines().for_each(|line| assert!(record(&new, line).starts_with("WARC/")));
    }
    assert_eq!(end, index.len());
}

#[test]
fn a_line_that_points_to_no_record_is_left_out() {
    let index = [
        line(0).replace("\"offset\": \"0\"", "\"offset\": \"1\""),
        line(3),
        line(2).replace("a.warc.gz", "b.warc.gz"),
    ];
    let old = wacz(&[
        ("archive/a.warc.gz", &archive(), STORED),
        ("indexes/index.cdxj", index.concat().as_bytes(), STORED),
        ("datapackage.json", PACKAGE.as_bytes(), STORED),
    ]);
    let (new, totals) = rewrite(&old, RecordType::Conversion).unwrap();
    assert_eq!(totals.index_lines_left_out, 1);
    let lines = String::from_utf8(member(&new, "indexes/index.cdxj")).unwrap();
    assert_eq!(lines.lines().count(), 2);
    assert!(lines.ends_with(&index[2]));
}

#[track_caller]
fn refuses(wacz: &[u8], message: &str) {
    match rewrite(wacz, RecordType::Conversion) {
        Err(ContainerError::Invalid(what)) => assert_eq!(what, message),
        other => panic!("{:?}", other.map(|(_, totals)| totals)),
    }
}

/// Replaces bytes by as many others, everywhere.
fn patched(wacz: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut wacz = wacz.to_vec();
    for start in 0..=wacz.len() - from.len() {
        if wacz[start..].starts_with(from) {
            wacz[start..start + to.len()].copy_from_slice(to);
        }
    }
    wacz
}

#[test]
fn what_is_no_wacz_archive_is_refused() {
    let archive = archive();
    let package = ("datapackage.json", PACKAGE.as_bytes(), STORED);
    let warc = ("archive/a.warc.gz", &archive[..], STORED);
    refuses(&wacz(&[warc]), "has no datapackage.json; unpack it and give the WARC files in it");
    refuses(b"<p>", "not a ZIP file, or one that is cut off or has bytes after its end");
    let two = wacz(&[warc, package, ("x1", b"", STORED), ("x2", b"", STORED)]);
    refuses(&patched(&two, b"x2", b"x1"), "two members have the same name");
    refuses(
        &wacz(&[("archive/a.warc", &archive, DEFLATED), package]),
        "archive/a.warc: compressed by ZIP, which WACZ does not allow; store it (zip -0)",
    );
    let encrypted = wacz(&[warc, package]);
    let encrypted = patched(&encrypted, b"PK\x03\x04\x0a\0\0", b"PK\x03\x04\x0a\0\x01");
    let encrypted =
        patched(&encrypted, b"PK\x01\x02\x0a\x03\x0a\0\0", b"PK\x01\x02\x0a\x03\x0a\0\x01");
    refuses(&encrypted, "archive/a.warc.gz: encrypted; decrypt it first");
    let spaces = vec![b' '; (16 << 20) + 1];
    refuses(
        &wacz(&[warc, ("datapackage.json", &spaces, DEFLATED)]),
        "datapackage.json: larger than 4 MiB",
    );
    let index = |name: &str, bytes: &[u8], message: &str| {
        refuses(&wacz(&[warc, package, (name, bytes, DEFLATED)]), &format!("{name}: {message}"));
    };
    index("indexes/a.cdxj", &spaces, "a line is longer than 4 MiB");
    index("indexes/a.cdx", b" CDX N b a\n", "not an index in the form CDXJ");
    index("indexes/a.cdx.gz", b"h)/ 2020 {}\n", "invalid gzip header");
    index("indexes/a.idx", b"", "points to an index that is not in the archive");
}

#[test]
fn a_table_of_contents_that_does_not_fit_in_memory_is_refused() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let name = "n".repeat(60_000);
    for number in 0..150 {
        zip.start_file(format!("{number}{name}"), SimpleFileOptions::default()).unwrap();
    }
    let wacz = zip.finish().unwrap().into_inner();
    refuses(&wacz, "its table of contents is larger than 8 MiB; unpack it");
}

/// A new file would have only what the reader finds.
#[test]
fn what_a_copy_would_lose_is_refused() {
    let archive = archive();
    let good = wacz(&[
        ("archive/a.warc.gz", &archive, STORED),
        ("datapackage.json", PACKAGE.as_bytes(), STORED),
        ("notes.txt", b"", STORED),
    ]);
    assert!(rewrite(&good, RecordType::Conversion).is_ok());
    let end = good.len() - 22;
    let with_end = |change: &dyn Fn(&mut [u8])| {
        let mut wacz = good.clone();
        change(&mut wacz[end..]);
        wacz
    };
    let damaged = |what: &str| format!("damaged ZIP file: {what}; repair it (zip -FF)");
    let more = damaged("its table of contents has more members than it says");
    refuses(&with_end(&|end| [8, 10].iter().for_each(|&at| end[at] -= 1)), &more);
    refuses(
        &with_end(&|end| [8, 10].iter().for_each(|&at| end[at] += 1)),
        &damaged("its table of contents ends early"),
    );
    let elsewhere = damaged("its table of contents is not where the end of the file says");
    refuses(&[b"#!/bin/sh\n", &good[..]].concat(), &elsewhere);
    let no_end = "not a ZIP file, or one that is cut off or has bytes after its end";
    refuses(&[&good[..], b"more"].concat(), no_end);
    // A comment with an end of another file, which many programs take.
    let fake = [b"PK\x05\x06", &[0; 18][..]].concat();
    let comment = |bytes: &[u8]| {
        let wacz = with_end(&|end| end[20] = u8::try_from(bytes.len()).unwrap());
        [&wacz[..], bytes].concat()
    };
    refuses(&comment(&fake), &elsewhere);
    refuses(&comment(&[&fake[..], b"more"].concat()), no_end);
    assert!(rewrite(&comment(b"a comment"), RecordType::Conversion).is_ok());
}

/// A writer without ZIP64 counts members modulo 65,536.
#[test]
fn members_that_are_counted_modulo_65536_are_refused() {
    let names: Vec<_> = (0..65_536).map(|number: u32| number.to_string()).collect();
    let archive = archive();
    let mut members = vec![
        ("archive/a.warc.gz", &archive[..], STORED),
        ("datapackage.json", PACKAGE.as_bytes(), STORED),
    ];
    members.extend(names.iter().map(|name| (&**name, &b""[..], STORED)));
    let zip64 = wacz(&members);
    let (new, _) = rewrite(&zip64, RecordType::Conversion).unwrap();
    assert_eq!(ZipArchive::new(Cursor::new(new)).unwrap().len(), 65_538);
    let end = zip64.len() - 22;
    let place = &zip64[end - 76..][40..56];
    let place = [&place[..4], &place[8..12]].concat();
    let count = [2, 0, 2, 0];
    let wrong = [&zip64[..end - 76], b"PK\x05\x06\0\0\0\0", &count, &place, b"\0\0"].concat();
    refuses(
        &wrong,
        "damaged ZIP file: its table of contents has more members than it says; repair it (zip -FF)",
    );
}

/// A checksum and a hash of damaged bytes would hide the damage.
#[test]
fn a_damaged_archive_is_copied() {
    let [good, bad] = [page(1, LINK), page(2, LINK)];
    let other = [&bad[..bad.len() - 9], &b"<a href=y>"[1..]].concat();
    assert_eq!(other.len(), bad.len());
    let package = |bytes: usize, hash: &[u8]| {
        let hash = HEXLOWER.encode(&Sha256::digest(hash));
        format!(
            r#"{{"resources": [{{"path": "archive/b.warc", "hash": "sha256:{hash}", "bytes": {bytes}}}]}}"#
        )
    };
    let index = "h)/2 2020 {\"offset\": 0, \"length\": 5, \"filename\": \"b.warc\"}\n";
    let of = |archives: &[(&str, &[u8])], package: &str| {
        let archives = archives.iter().map(|(name, bytes)| (*name, *bytes, STORED));
        let others = [
            ("indexes/index.cdxj", index.as_bytes(), DEFLATED),
            ("datapackage.json", package.as_bytes(), STORED),
        ];
        wacz(&archives.chain(others).collect::<Vec<_>>())
    };
    let two = [("archive/a.warc", &good[..]), ("archive/b.warc", &bad[..])];
    let rotten = |archives| patched(&of(archives, &package(bad.len(), &bad)), &bad, &other);
    for (old, what) in [
        (rotten(&two), "CRC-32 that the ZIP file"),
        (of(&two, &package(bad.len(), b"")), "hash that datapackage.json"),
        (of(&two, &package(7, &bad)), "size that datapackage.json"),
    ] {
        let reports = reports(&old);
        let why =
            format!("damaged: its bytes do not have the {what} lists; the archive stays as it is");
        assert_eq!(reports, [format!("archive/b.warc@0: {why}")]);
        let (new, totals) = rewrite(&old, RecordType::Response).unwrap();
        assert_eq!((totals.records.rewritten, totals.records.failed), (1, 1));
        let raw = |wacz: &[u8]| {
            let mut zip = ZipArchive::new(Cursor::new(wacz)).unwrap();
            let number = zip.index_for_name("archive/b.warc").unwrap();
            let mut member = zip.by_index_raw(number).unwrap();
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).unwrap();
            (member.crc32(), bytes)
        };
        assert!(raw(&new) == raw(&old));
        assert_eq!(json(&new, "datapackage.json"), json(&old, "datapackage.json"));
        assert_eq!(member(&new, "indexes/index.cdxj"), index.as_bytes());
    }
    let (_, totals) = rewrite(&rotten(&two[1..]), RecordType::Response).unwrap();
    assert_eq!((totals.bytes, totals.records.failed), (0, 1));
    let package = package(1, b"").replace("archive/b.warc", "indexes/index.cdxj");
    refuses(
        &of(&two, &package),
        "indexes/index.cdxj: damaged: its bytes do not have the size that datapackage.json lists",
    );
}

/// What a run without output reports of failed records.
fn reports(wacz: &[u8]) -> Vec<String> {
    let (rewriter, workers) = (Rewriter::new(), Workers::new(1));
    let mut reports = Vec::new();
    let report = |name: &str, entry: &Entry| {
        if let RecordOutcome::Failed(problem) = &entry.outcome {
            reports.push(format!("{name}{}: {problem}", entry.position));
        }
        ControlFlow::Continue(())
    };
    let mut wacz = Wacz::open(Cursor::new(wacz)).unwrap();
    wacz.check(&Rewriting::new(&rewriter), &workers, report).unwrap();
    reports
}

#[test]
fn an_archive_that_may_grow_beyond_4_gib_is_written_with_zip64() {
    // In the local header of the first member, which is the archive.
    let version = |size: usize| {
        let archive = [page(1, LINK), other(2, &vec![b'x'; size])].concat();
        let old = wacz(&[
            ("archive/a.warc", &archive, STORED),
            ("datapackage.json", PACKAGE.as_bytes(), STORED),
        ]);
        let (new, totals) = rewrite(&old, RecordType::Response).unwrap();
        assert_eq!(totals.records.rewritten, 1);
        assert!(new.starts_with(b"PK\x03\x04"));
        assert_eq!(member(&new, "archive/a.warc").len() as u64, {
            let mut wacz = Wacz::open(Cursor::new(&new)).unwrap();
            let bytes = wacz.archives().unwrap().remove(0).bytes;
            bytes.end - bytes.start
        });
        u16::from_le_bytes([new[4], new[5]])
    };
    let zip64 = 45;
    assert!(version(10) < zip64);
    assert_eq!(version(64 << 20), zip64);
}

/// Headers with times of their own, and sizes after the bytes.
#[test]
fn copied_members_keep_their_headers() {
    let mut zip = ZipWriter::new_stream(Vec::new());
    for (name, bytes, method) in [
        ("notes.txt", &b"notes"[..], DEFLATED),
        ("archive/a.warc", &page(1, LINK), STORED),
        ("datapackage.json", PACKAGE.as_bytes(), DEFLATED),
    ] {
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    let old = zip.finish().unwrap().into_inner();
    let (new, totals) = rewrite(&old, RecordType::Response).unwrap();
    assert_eq!(totals.records.rewritten, 1);
    let end = memchr::memmem::find_iter(&old, b"PK\x03\x04").nth(1).unwrap();
    assert!(old[..end].windows(4).any(|bytes| bytes == b"PK\x07\x08"));
    assert!(memchr::memmem::find(&new, &old[..end]).is_some());
    assert_eq!(member(&new, "notes.txt"), b"notes");
}

#[test]
fn archives_are_ranges_of_the_file() {
    let (first, second) = (page(1, LINK), gzip(&page(2, LINK)));
    let file = wacz(&[
        ("archive/b.warc", &first, STORED),
        ("pages/pages.jsonl", b"{}", DEFLATED),
        ("archive/a.warc.gz", &second, STORED),
        ("datapackage.json", PACKAGE.as_bytes(), STORED),
    ]);
    let archives = Wacz::open(Cursor::new(&file)).unwrap().archives().unwrap();
    let names: Vec<_> = archives.iter().map(|archive| &*archive.name).collect();
    assert_eq!(names, ["archive/b.warc", "archive/a.warc.gz"]);
    for (archive, expected) in archives.into_iter().zip([first, second]) {
        let mut bytes = Vec::new();
        let range = ByteRange::new(Cursor::new(&file), archive.bytes);
        range.unwrap().read_to_end(&mut bytes).unwrap();
        assert!(bytes == expected, "{}", archive.name);
    }
}

#[test]
fn a_revisit_may_refer_to_a_page_of_an_archive_before_its_own() {
    let digest = "WARC-Payload-Digest: sha1:OLD\r\n";
    let first = String::from_utf8(page(1, LINK)).unwrap();
    let first = first.replacen("Content-Type", &format!("{digest}Content-Type"), 1);
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let fields = format!("{digest}WARC-Refers-To: <urn:test:1>\r\n");
    let revisit = crate::warc::archive::record("revisit", 1, &fields, head);
    for (pages, revisits, outcomes) in [("a", "b", (1, 0)), ("b", "a", (0, 1))] {
        let mut members = [
            (format!("archive/{pages}.warc.gz"), gzip(first.as_bytes())),
            (format!("archive/{revisits}.warc.gz"), gzip(&revisit)),
            ("datapackage.json".to_owned(), PACKAGE.as_bytes().to_vec()),
        ];
        members.sort();
        let members = members.each_ref().map(|(name, bytes)| (&**name, &**bytes, STORED));
        let (_, totals) = rewrite(&wacz(&members), RecordType::Response).unwrap();
        assert_eq!((totals.records.updated, totals.records.stale), outcomes, "{pages}");
    }
}
