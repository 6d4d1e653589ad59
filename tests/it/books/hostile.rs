//! Books that are refused, with exit code 2 and nothing written.

use std::fs;
use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::books::fixture::{ITEMS, Member, absolve, folder, members, package, page, with, zip};

#[track_caller]
fn is_refused(book: &[u8], why: &str) {
    let folder = folder(book);
    let rewrite = ["rewrite", "a.epub", "-w", "--map", "http://old.example/=https://new.example/"];
    for args in [&rewrite[..], &["links", "a.epub"], &["audit", "a.epub"]] {
        let (stdout, stderr, code) = absolve(folder.path(), args);
        assert_eq!(code, Some(2), "{args:?}: {stdout}{stderr}");
        assert!(stderr.contains(why), "{args:?}: {stderr}");
    }
    assert!(fs::read(folder.path().join("a.epub")).unwrap() == book);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Replaces the first or all places of some bytes by others of the same length.
fn patched(book: &[u8], old: &[u8], new: &[u8], most: usize) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let (mut book, mut count) = (book.to_owned(), 0);
    for at in 0..book.len() - old.len() {
        if count < most && book[at..].starts_with(old) {
            book[at..at + old.len()].copy_from_slice(new);
            count += 1;
        }
    }
    assert!(count > 0);
    book
}

#[test]
fn names_that_lead_out_of_the_book() {
    for name in ["../x", "OEBPS/../../x", "/etc/x", "C:/x", "a\\b", "a/./b", "a//b", "a\nb"] {
        is_refused(&zip(&with(vec![(name, vec![1])])), "the name ");
    }
}

#[test]
fn two_members_of_one_name() {
    let book = zip(&with(vec![("OEBPS/a.xhtmm", page(""))]));
    is_refused(
        &patched(&book, b"OEBPS/a.xhtmm", b"OEBPS/a.xhtml", 9),
        "two members have this name",
    );
}

#[test]
fn a_file_that_is_a_folder_too() {
    let why = "its folder is a file too, 'OEBPS/a.xhtml'";
    is_refused(&zip(&with(vec![("OEBPS/a.xhtml/x/y", vec![1])])), why);
    is_refused(&zip(&with(vec![("OEBPS/a.xhtml/x/", vec![])])), why);
    let folder = folder(&zip(&with(vec![("OEBPS/", vec![]), ("OEBPS/a.xhtml-", vec![1])])));
    assert_eq!(absolve(folder.path(), &["audit", "a.epub"]).2, Some(0));
}

#[test]
fn a_member_without_a_name() {
    // The writer of the tests may refuse such a name.
    let mut book = zip(&with(vec![("z", vec![])]));
    for (record, length) in [(b"PK\x03\x04", 26), (b"PK\x01\x02", 28)] {
        let record = memchr::memmem::rfind(&book, record).unwrap();
        book[record + length] = 0;
        book[record + length + 2] = 1;
    }
    is_refused(&book, "'': a member has no name");
}

#[test]
fn records_that_differ() {
    let book = zip(&members());
    let differs = "its header and the table of contents of the ZIP file differ";
    is_refused(&patched(&book, b"OEBPS/a.xhtml", b"OEBPS/z.xhtml", 1), differs);
    let end = book.len() - 22;
    let mut fewer = book.clone();
    fewer[end + 8] -= 1;
    fewer[end + 10] -= 1;
    is_refused(&fewer, "more members than it says");
    let mut more = book.clone();
    more[end + 8] += 1;
    more[end + 10] += 1;
    is_refused(&more, "ends early");
    is_refused(&[b"junk", &book[..]].concat(), "not where the end of the file says");
    is_refused(&book[..book.len() - 30], "not a ZIP file");
    is_refused(b"", "not a ZIP file");
    let mut wide = book.clone();
    wide[end + 8..end + 12].fill(0xff);
    is_refused(&wide, "ZIP64 differ");
    // The bytes of the pages are not those of the checksum.
    let stored = |book: &[Member<'_>]| {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for (name, bytes) in book {
            zip.start_file(*name, options).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    let book = stored(&members());
    is_refused(&patched(&book, b"package xmlns", b"package xmlnt", 1), "checksum");
}

/// A book with bytes before this place of it, and offsets that agree.
fn with_bytes_at(book: &[u8], place: usize, bytes: &[u8]) -> Vec<u8> {
    let number = |at: usize| u32::from_le_bytes(book[at..at + 4].try_into().unwrap());
    let mut new = book.to_owned();
    let more = u32::try_from(bytes.len()).unwrap();
    let end = book.len() - 22;
    let mut offsets = vec![end + 16];
    let mut at = number(end + 16) as usize;
    while book[at..].starts_with(b"PK\x01\x02") {
        offsets.push(at + 42);
        let length = |from| usize::from(u16::from_le_bytes([book[from], book[from + 1]]));
        at += 46 + length(at + 28) + length(at + 30) + length(at + 32);
    }
    for at in offsets.into_iter().filter(|at| number(*at) as usize >= place) {
        new[at..at + 4].copy_from_slice(&(number(at) + more).to_le_bytes());
    }
    new.splice(place..place, bytes.iter().copied());
    new
}

#[test]
fn bytes_that_belong_to_no_member() {
    let book = zip(&members());
    let no_member = "belong to no member";
    is_refused(&with_bytes_at(&book, 0, b"#!/bin/sh\n"), no_member);
    let second = memchr::memmem::find_iter(&book, b"PK\x03\x04").nth(1).unwrap();
    is_refused(&with_bytes_at(&book, second, b"hidden"), no_member);
    let directory = memchr::memmem::find(&book, b"PK\x01\x02").unwrap();
    is_refused(&with_bytes_at(&book, directory, b"hidden"), "belong to none");
}

#[test]
fn a_bomb() {
    let bomb = with(vec![("OEBPS/p.opf", vec![b' '; 4 << 20])]);
    let folder = folder(&zip(&bomb));
    let (_, stderr, code) = absolve(folder.path(), &["links", "a.epub", "--limit", "input=1MiB"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("OEBPS/p.opf: "), "{stderr}");
}

#[test]
fn encrypted_documents() {
    let encryption = |algorithm: &str, uri: &str| {
        let text = format!(
            "<encryption xmlns:e='http://www.w3.org/2001/04/xmlenc#'><e:EncryptedData>\
             <e:EncryptionMethod Algorithm='{algorithm}'/><e:CipherData><e:CipherReference URI='{uri}'/>\
             </e:CipherData></e:EncryptedData></encryption>"
        );
        zip(&with(vec![("META-INF/encryption.xml", text.into()), ("OEBPS/f.otf", vec![1])]))
    };
    let aes = "http://www.w3.org/2001/04/xmlenc#aes256-cbc";
    let obfuscation = "http://www.idpf.org/2008/embedding";
    for algorithm in [aes, obfuscation] {
        is_refused(&encryption(algorithm, "OEBPS/a.xhtml"), "OEBPS/a.xhtml: encrypted or obfusc");
        let folder = folder(&encryption(algorithm, "OEBPS/f.otf"));
        assert_eq!(absolve(folder.path(), &["audit", "a.epub"]).2, Some(0));
    }
}

#[test]
fn what_is_no_book() {
    let mut other = members();
    other[0].1 = b"application/zip".to_vec();
    is_refused(&zip(&other), "it does not say application/epub+zip");
    is_refused(&zip(&members()[..1]), "not a book");
    is_refused(&zip(&members()[..2]), "OEBPS/p.opf: not in the book");
    is_refused(&zip(&with(vec![("OEBPS/p.opf", b"<package>&".to_vec())])), "OEBPS/p.opf: line 1, ");
}

/// A ZIP file with so many more members, whose names have this length.
fn many_members(book: &[Member<'_>], count: usize, length: usize) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in book {
        // Sizes in additional fields.
        let is_page = *name == "OEBPS/a.xhtml";
        zip.start_file(*name, stored.large_file(is_page)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    for number in 0..count {
        zip.start_file(format!("{number:0length$}"), stored).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn records_of_zip64() {
    let book = many_members(&members(), 66_000, 5);
    let end = book.len() - 22;
    assert_eq!(&book[end - 20..end - 16], b"PK\x06\x07");
    let folder = folder(&book);
    let (stdout, stderr, code) = absolve(folder.path(), &["links", "a.epub"]);
    assert_eq!((stdout.lines().count(), code), (10, Some(0)), "{stderr}");
    let map = ["--map", "http://old.example/=https://new.example/"];
    let args = [&["rewrite", "a.epub", "-o", "b.epub"][..], &map].concat();
    let (_, stderr, code) = absolve(folder.path(), &args);
    assert_eq!(code, Some(0), "{stderr}");
    let new = fs::read(folder.path().join("b.epub")).unwrap();
    let mut zip = ZipArchive::new(Cursor::new(&new)).unwrap();
    assert_eq!(zip.len(), 66_008);
    let mut page = String::new();
    zip.by_name("OEBPS/a.xhtml").unwrap().read_to_string(&mut page).unwrap();
    assert!(page.contains("https://new.example/x"), "{page}");
    let (stdout, _, code) = absolve(folder.path(), &["links", "b.epub"]);
    assert_eq!((stdout.lines().count(), code), (10, Some(0)));

    let differ = "its records of ZIP64 differ from the others";
    for at in [end - 76, end - 68, end - 40, end - 30, end - 25, end - 20, end - 12, end - 4] {
        let mut damaged = book.clone();
        damaged[at] ^= 1;
        is_refused(&damaged, differ);
    }
}

/// Some writers add the records of ZIP64 where no number needs them.
#[test]
fn records_of_zip64_that_repeat_the_others() {
    let book = zip(&members());
    let end = book.len() - 22;
    let number = |at: usize| u32::from_le_bytes(book[at..at + 4].try_into().unwrap()).into();
    let count = u64::from(book[end + 10]);
    let (length, start): (u64, u64) = (number(end + 12), number(end + 16));
    let mut records = b"PK\x06\x06".to_vec();
    records.extend(44_u64.to_le_bytes());
    records.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for number in [count, count, length, start] {
        records.extend(number.to_le_bytes());
    }
    records.extend(b"PK\x06\x07\0\0\0\0");
    records.extend((end as u64).to_le_bytes());
    records.extend([1, 0, 0, 0]);
    let with_records = |records: &[u8]| [&book[..end], records, &book[end..]].concat();
    let repeated = with_records(&records);
    let folder = folder(&repeated);
    assert_eq!(absolve(folder.path(), &["audit", "a.epub"]).2, Some(0));
    let map = ["--map", "http://old.example/=https://a-longer-name.example/"];
    let args = [&["rewrite", "a.epub", "-o", "b.epub"][..], &map].concat();
    assert_eq!(absolve(folder.path(), &args).2, Some(0));
    let new = fs::read(folder.path().join("b.epub")).unwrap();
    assert_eq!(ZipArchive::new(Cursor::new(&new)).unwrap().len(), 8);
    assert_eq!(&new[new.len() - 42..new.len() - 38], b"PK\x06\x07");
    assert_eq!(absolve(folder.path(), &["audit", "b.epub"]).2, Some(0));
    for at in [0, 24, 40, 48, 64, 72] {
        let mut other = records.clone();
        other[at] ^= 1;
        is_refused(&with_records(&other), "its records of ZIP64 differ from the others");
    }
}

/// Memory is bounded by the size of the table of contents.
#[test]
fn many_members_are_refused() {
    is_refused(&many_members(&[], 100_000, 5), "not a book");
    is_refused(&many_members(&members(), 20_000, 1000), "larger than 16 MiB");
}

/// One long entity in many items would take memory by the product of both.
#[test]
fn entities_of_a_manifest_have_a_limit() {
    let item = "<item id='z' href='g&e;' media-type='text/css'/>";
    let package = format!(
        "<!DOCTYPE package [<!ENTITY e '{}'>]>\n<package><manifest>{}</manifest></package>",
        "x".repeat(60_000),
        item.repeat(5_000)
    );
    let why = "OEBPS/p.opf: href has the entity '&e;', and the entities of the document have more \
               than 1 MiB of text";
    is_refused(&zip(&with(vec![("OEBPS/p.opf", package.into())])), why);
}

/// Each takes memory in an audit.
#[test]
fn items_of_manifests_have_a_limit() {
    let items = |count: usize| {
        format!("<package><manifest>{}</manifest></package>", "<item/>".repeat(count))
    };
    let container =
        "<container><rootfile full-path='OEBPS/p.opf'/><rootfile full-path='q.opf'/></container>";
    let book = |first, second| {
        zip(&with(vec![
            ("META-INF/container.xml", container.into()),
            ("OEBPS/p.opf", items(first).into()),
            ("q.opf", items(second).into()),
        ]))
    };
    is_refused(
        &book(100_001, 0),
        "OEBPS/p.opf: the manifests and spines of the book have more than 100000 items",
    );
    is_refused(
        &book(60_000, 40_001),
        "q.opf: the manifests and spines of the book have more than 100000 items",
    );
    let folder = folder(&book(60_000, 40_000));
    assert_eq!(absolve(folder.path(), &["links", "a.epub"]).2, Some(0));
}

/// Everything depends on the package document, whose links are unknown if it is not well-formed.
#[test]
fn package_documents_that_are_not_well_formed() {
    let whole = String::from_utf8(package(ITEMS, "")).unwrap();
    for other in [whole.replace("</package>", ""), whole + "\n<x/>"] {
        is_refused(&zip(&with(vec![("OEBPS/p.opf", other.into())])), "OEBPS/p.opf: line ");
    }
}
