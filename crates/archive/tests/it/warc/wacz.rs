//! WACZ archives: web archives in a ZIP file.

use std::io::{Cursor, Read, Write};

use absolve_archive::wacz::Wacz;
use absolve_archive::{ByteRange, ContainerError, StoredArchive};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::warc::archive::{gzip, page};

const LINK: &str = "<a href=x>";

type Member<'m> = (&'m str, &'m [u8], CompressionMethod);

const STORED: CompressionMethod = CompressionMethod::Stored;
const DEFLATED: CompressionMethod = CompressionMethod::Deflated;
const PACKAGE: Member<'_> = ("datapackage.json", b"{}", DEFLATED);

fn wacz(members: &[Member<'_>]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes, method) in members {
        let options = SimpleFileOptions::default().compression_method(*method);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn archives(wacz: &[u8]) -> Result<Vec<StoredArchive>, ContainerError> {
    Wacz::open(Cursor::new(wacz)).map(|wacz| wacz.archives().to_vec())
}

#[track_caller]
fn refuses(wacz: &[u8], message: &str) {
    match archives(wacz) {
        Err(ContainerError::Invalid(what)) => assert_eq!(what, message),
        other => panic!("{other:?}"),
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
fn archives_are_ranges_of_the_file() {
    let (first, second) = (page(1, LINK), gzip(&page(2, LINK)));
    let members = [
        ("archive/b.warc", &first[..], STORED),
        ("pages/pages.jsonl", b"{}", DEFLATED),
        ("archive/a.warc.gz", &second, STORED),
        ("archive/notes.txt", b"x", DEFLATED),
        PACKAGE,
    ];
    let file = wacz(&members);
    // Sizes follow the bytes of members.
    let mut stream = ZipWriter::new_stream(Vec::new());
    for (name, bytes, method) in members {
        let options = SimpleFileOptions::default().compression_method(method);
        stream.start_file(name, options).unwrap();
        stream.write_all(bytes).unwrap();
    }
    for file in [file, stream.finish().unwrap().into_inner()] {
        let archives = archives(&file).unwrap();
        let names: Vec<_> = archives.iter().map(|archive| &*archive.name).collect();
        assert_eq!(names, ["archive/b.warc", "archive/a.warc.gz"]);
        for (archive, expected) in archives.into_iter().zip([&first, &second]) {
            let mut bytes = Vec::new();
            let range = ByteRange::new(Cursor::new(&file), archive.bytes);
            range.unwrap().read_to_end(&mut bytes).unwrap();
            assert!(bytes == *expected, "{}", archive.name);
        }
    }
}

#[test]
fn what_is_no_wacz_archive_is_refused() {
    let archive = page(1, LINK);
    let warc = ("archive/a.warc", &archive[..], STORED);
    refuses(&wacz(&[warc]), "has no datapackage.json; unpack it and give the WARC files in it");
    let other = |name| (name, &archive[..], STORED);
    for (members, others) in [
        (&[PACKAGE, other("archive/x.cdx")][..], ""),
        (&[PACKAGE, other("in.wacz")], ", but in.wacz; unpack it and give what it has"),
        (
            &[other("a\n.wacz"), other("b.warc"), other("c.WACZ"), other("d.wacz"), PACKAGE],
            ", but a\\n.wacz, b.warc, c.WACZ; unpack it and give what it has",
        ),
    ] {
        refuses(&wacz(members), &format!("has no WARC file in archive/{others}"));
    }
    refuses(b"<p>", "not a ZIP file, or one that is cut off or has bytes after its end");
    refuses(
        &wacz(&[("archive/a.warc", &archive, DEFLATED), PACKAGE]),
        "archive/a.warc: compressed by ZIP, which WACZ does not allow; store it (zip -0)",
    );
    let encrypted = wacz(&[warc, PACKAGE]);
    let encrypted =
        patched(&encrypted, b"PK\x01\x02\x0a\x03\x0a\0\0", b"PK\x01\x02\x0a\x03\x0a\0\x01");
    refuses(&encrypted, "archive/a.warc: encrypted; decrypt it first");
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

#[test]
fn a_damaged_zip_file_is_refused() {
    let archive = page(1, LINK);
    let good = wacz(&[
        ("archive/a.warc", &archive, STORED),
        ("archive/b.warc", &archive, STORED),
        PACKAGE,
    ]);
    assert_eq!(archives(&good).unwrap().len(), 2);
    let end = good.len() - 22;
    let damaged = |what: &str| format!("damaged ZIP file: {what}; repair it (zip -FF)");
    let elsewhere = damaged("its table of contents is not where the end of the file says");
    refuses(&[b"#!/bin/sh\n", &good[..]].concat(), &elsewhere);
    let no_end = "not a ZIP file, or one that is cut off or has bytes after its end";
    refuses(&[&good[..], b"more"].concat(), no_end);
    refuses(&good[..end + 9], no_end);
    // A comment with an end of another file, which many programs take.
    let fake = [b"PK\x05\x06", &[0; 18][..]].concat();
    let comment = |bytes: &[u8]| {
        let mut wacz = [&good[..], bytes].concat();
        wacz[end + 20] = u8::try_from(bytes.len()).unwrap();
        wacz
    };
    refuses(&comment(&fake), &elsewhere);
    assert_eq!(archives(&comment(b"a comment")).unwrap().len(), 2);
    let table = usize::try_from(u32::from_le_bytes(good[end + 16..][..4].try_into().unwrap()));
    let second = memchr::memmem::find_iter(&good, b"PK\x01\x02").nth(1).unwrap();
    let entry = |at: usize, bytes: &[u8]| {
        let mut wacz = good.clone();
        wacz[second + at..][..bytes.len()].copy_from_slice(bytes);
        wacz
    };
    refuses(&entry(0, b"x"), &damaged("its table of contents is cut off"));
    refuses(&entry(28, b"\xff\xff"), &damaged("its table of contents is cut off"));
    let differs = "archive/b.warc: its header and the table of contents of the ZIP file differ";
    refuses(&entry(46, b"archive/c"), &differs.replace("b.warc", "c.warc"));
    refuses(&entry(42, &table.unwrap().to_le_bytes()[..4]), differs);
    refuses(&entry(20, b"\xff\xff\xff\xfe"), differs);
    // The second entry names the bytes of the first archive.
    let renamed = patched(&entry(42, &[0; 4]), b"archive/b", b"archive/a");
    refuses(&renamed, "archive/a.warc: it overlaps another part of the ZIP file");
}

#[test]
fn numbers_of_64_bits_are_read() {
    let archive = page(1, LINK);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let large = SimpleFileOptions::default().compression_method(STORED).large_file(true);
    zip.start_file("archive/a.warc", large).unwrap();
    zip.write_all(&archive).unwrap();
    for number in 0..65_536 {
        zip.start_file(number.to_string(), SimpleFileOptions::default()).unwrap();
    }
    zip.start_file(PACKAGE.0, SimpleFileOptions::default()).unwrap();
    let wacz = zip.finish().unwrap().into_inner();
    let [found] = &archives(&wacz).unwrap()[..] else { panic!("several") };
    assert_eq!(found.bytes.end - found.bytes.start, archive.len() as u64);
}
