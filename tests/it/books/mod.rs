//! Books: what the commands list, audit and rewrite in them, and what they refuse.

mod audit;
pub(crate) mod fixture;
mod hostile;
mod manifest;
mod properties;

use std::fs::{self, File};
use std::io::{Cursor, Read};

use fixture::{ITEMS, absolve, folder, members, with, zip, zip_with_fields};
use zip::ZipArchive;

const MAP: &[&str] = &["--map", "http://old.example/=https://new.example/"];

#[test]
fn links_are_listed_with_their_member() {
    let folder = folder(&zip(&members()));
    let (stdout, _, code) = absolve(folder.path(), &["links", "a.epub", "--format", "tsv"]);
    assert_eq!(code, Some(0));
    let cells = |line: &str| {
        let cells: Vec<_> = line.split('\t').map(str::to_owned).collect();
        format!("{} {}", cells[0], cells[7])
    };
    let lines: Vec<_> = stdout.lines().skip(1).map(cells).collect();
    let items = ITEMS.iter().map(|(href, _)| format!("a.epub!OEBPS/p.opf {href}"));
    let others = [
        "a.epub!OEBPS/a.xhtml b.html#x",
        "a.epub!OEBPS/a.xhtml http://old.example/x",
        "a.epub!OEBPS/b.html g.svg#v",
        "a.epub!OEBPS/s.css g.svg",
        "a.epub!OEBPS/toc.ncx a.xhtml#p",
    ];
    assert_eq!(lines, items.chain(others.map(str::to_owned)).collect::<Vec<_>>());

    let one = &["links", "a.epub!OEBPS/s.css", "-b", "https://h/", "--format", "jsonl"];
    let (stdout, ..) = absolve(folder.path(), one);
    assert!(stdout.contains("\"url\":\"https://h/OEBPS/g.svg\""), "{stdout}");
}

#[test]
fn a_name_is_that_of_a_file() {
    let folder = folder(&zip(&with(vec![("OEBPS/d/", vec![])])));
    let example = "a.epub!OEBPS/a.xhtml";
    let in_folder = "it is a folder of the book; give a file in it, such as a.epub!OEBPS/p.opf";
    for (name, why) in [
        ("", "the name of a file is missing, as in a.epub!OEBPS/p.opf"),
        ("OEBPS/", in_folder),
        ("OEBPS", in_folder),
        ("OEBPS/d/", "no file of the book has this name"),
        ("OEBPS/gone", "no file of the book has this name"),
    ] {
        let path = format!("a.epub!{name}");
        for command in ["links", "extract"] {
            let (stdout, stderr, code) = absolve(folder.path(), &[command, &path]);
            assert_eq!((&*stdout, code), ("", Some(2)), "{command} {path}: {stderr}");
            assert!(stderr.starts_with(&format!("absolve: {path}: {why}")), "{stderr}");
        }
    }
    let (_, stderr, code) = absolve(folder.path(), &["links", "a.epub!mimetype"]);
    assert!(code == Some(2) && stderr.contains("its links are not read"), "{stderr}");
    let (_, stderr, code) = absolve(folder.path(), &["audit", example]);
    assert!(code == Some(2) && stderr.contains("give a.epub, and the file with --report-only"));
    let (_, stderr, code) = absolve(folder.path(), &["audit", "a.epub", "--report-only", example]);
    assert_eq!(code, Some(0), "{stderr}");
}

#[test]
fn a_book_is_known_by_its_first_bytes() {
    let folder = folder(&zip(&members()));
    fs::rename(folder.path().join("a.epub"), folder.path().join("book")).unwrap();
    for args in [&["links", "book"][..], &["audit", "book"], &["extract", "book!OEBPS/s.css"]] {
        let (stdout, stderr, code) = absolve(folder.path(), args);
        assert_eq!(code, Some(0), "{args:?}: {stdout}{stderr}");
    }
    let (stdout, ..) = absolve(folder.path(), &["extract", "book!OEBPS/s.css"]);
    assert_eq!(stdout, "a { background: url(g.svg) }");
}

/// The names of a ZIP file in their order, with method, date and bytes before decompression.
fn contents(bytes: &[u8]) -> Vec<(String, String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let member = |at| {
        let mut raw = Vec::new();
        let mut file = zip.by_index_raw(at).unwrap();
        let what = format!("{:?} {:?}", file.compression(), file.last_modified());
        file.read_to_end(&mut raw).unwrap();
        (file.name().unwrap().into_owned(), what, raw)
    };
    (0..ZipArchive::new(Cursor::new(bytes)).unwrap().len()).map(member).collect()
}

#[test]
fn only_members_that_change_are_written_anew() {
    let old = zip(&members());
    let folder = folder(&old);
    let path = |name: &str| folder.path().join(name);
    let (stdout, _, code) =
        absolve(folder.path(), &[&["rewrite", "a.epub", "--check"], MAP].concat());
    assert_eq!((&*stdout, code), ("would rewrite a.epub\n", Some(1)));
    let (stdout, _, code) =
        absolve(folder.path(), &[&["rewrite", "a.epub", "--diff"], MAP].concat());
    assert!(stdout.starts_with("--- a/a.epub!OEBPS/a.xhtml\n"), "{stdout}");
    assert_eq!((fs::read(path("a.epub")).unwrap() == old, code), (true, Some(1)));

    let (_, stderr, code) =
        absolve(folder.path(), &[&["rewrite", "a.epub", "-o", "b.epub"], MAP].concat());
    assert_eq!(code, Some(0), "{stderr}");
    let new = fs::read(path("b.epub")).unwrap();
    for ((name, what, bytes), (new_name, new_what, new_bytes)) in
        contents(&old).iter().zip(contents(&new))
    {
        assert_eq!((name, what), (&new_name, &new_what));
        assert_eq!(*bytes == new_bytes, name != "OEBPS/a.xhtml", "{name}");
    }
    let mut changed = String::new();
    let mut zip = ZipArchive::new(File::open(path("b.epub")).unwrap()).unwrap();
    zip.by_name("OEBPS/a.xhtml").unwrap().read_to_string(&mut changed).unwrap();
    let expected = String::from_utf8(members()[3].1.clone()).unwrap();
    assert_eq!(changed, expected.replace("http://old.", "https://new."));

    absolve(folder.path(), &[&["rewrite", "-w", "a.epub"], MAP].concat());
    assert_eq!(fs::read(path("a.epub")).unwrap(), new);
    absolve(folder.path(), &[&["rewrite", "a.epub", "-o", "c.epub"], MAP].concat());
    assert_eq!(fs::read(path("c.epub")).unwrap(), new);
}

#[test]
fn the_media_type_comes_first_and_is_stored() {
    let mut book = members();
    let first = book.remove(0);
    book.push(first);
    let folder = folder(&zip(&book));
    let (_, stderr, code) =
        absolve(folder.path(), &[&["rewrite", "a.epub", "-o", "b.epub"], MAP].concat());
    assert_eq!(code, Some(0), "{stderr}");
    let new = fs::read(folder.path().join("b.epub")).unwrap();
    assert_eq!(&new[30..58], b"mimetypeapplication/epub+zip");
    assert_eq!(contents(&new).len(), 8);
    assert_eq!(absolve(folder.path(), &["audit", "b.epub"]).2, Some(0));
}

/// A header and its entry in the table of contents have the same additional fields.
#[test]
fn members_that_are_written_anew_have_no_additional_fields() {
    let folder = folder(&zip_with_fields(&members()));
    let args = [&["rewrite", "a.epub", "-o", "b.epub"], MAP].concat();
    let (_, stderr, code) = absolve(folder.path(), &args);
    assert_eq!(code, Some(0), "{stderr}");
    let new = fs::read(folder.path().join("b.epub")).unwrap();
    assert_eq!(&new[30..58], b"mimetypeapplication/epub+zip");
    let mut zip = ZipArchive::new(Cursor::new(&new)).unwrap();
    for at in 0..zip.len() {
        let file = zip.by_index_raw(at).unwrap();
        let header = usize::try_from(file.header_start()).unwrap();
        let local = u16::from_le_bytes([new[header + 28], new[header + 29]]);
        let is_new = matches!(&*file.name().unwrap(), "mimetype" | "OEBPS/a.xhtml");
        let expected = if is_new { 0 } else { 9 };
        assert_eq!(usize::from(local), expected, "{:?}", file.name());
        assert_eq!(file.extra_data().map_or(0, |data| data.len()), expected, "{:?}", file.name());
    }
}

/// The manifest says the formats of the documents; a ZIP file that is no book is none either.
#[test]
fn a_format_cannot_be_given() {
    let folder = folder(&zip(&members()));
    fs::copy(folder.path().join("a.epub"), folder.path().join("a.html")).unwrap();
    fs::write(folder.path().join("z.html"), zip(&members()[1..])).unwrap();
    for format in ["html", "xml", "css", "message", "warc"] {
        for (command, file) in [
            (&["links"][..], "a.epub"),
            (&["links"], "a.html"),
            (&["links"], "a.epub!OEBPS/s.css"),
            (&["rewrite", "-w", "--map", "http://a/=http://b/"], "a.epub"),
            (&["rewrite", "-o", "b.epub", "--map", "http://a/=http://b/"], "a.html"),
            (&["rewrite", "--check", "--map", "http://a/=http://b/"], "z.html"),
            (&["links"], "z.html"),
        ] {
            let args = [command, &[file, "--as", format]].concat();
            let (stdout, stderr, code) = absolve(folder.path(), &args);
            assert_eq!((&*stdout, code), ("", Some(2)), "{args:?}: {stderr}");
            let why = if file == "z.html" { "a ZIP archive" } else { "a book" };
            let why = if format == "warc" && file == "z.html" { "ZIP" } else { why };
            assert!(stderr.contains(why), "{args:?}: {stderr}");
        }
    }
    let (_, stderr, code) = absolve(folder.path(), &["links", "a.html", "z.html"]);
    assert!(stderr.contains("a book; give it by its own path, alone"), "{stderr}");
    assert_eq!(code, Some(2));
}

#[test]
fn a_document_that_is_not_well_formed_stays() {
    let book = with(vec![("OEBPS/b.html", b"<html><br></html>".to_vec())]);
    let folder = folder(&zip(&book));
    let args = [&["rewrite", "a.epub", "-o", "b.epub"], MAP].concat();
    let (_, stderr, code) = absolve(folder.path(), &args);
    // --as is not for books.
    let (_, why) = stderr.lines().next().unwrap().split_once("a.epub!OEBPS/b.html: ").unwrap();
    let expected = "the end tag 'html' does not match the start tag 'br'";
    assert_eq!(why, format!("line 1, column 11: not well-formed XML: {expected}"));
    assert_eq!((code, folder.path().join("b.epub").exists()), (Some(2), true));
}

#[test]
fn links_of_a_book_stay_in_it() {
    let folder = folder(&zip(&members()));
    for (args, why) in [
        (&["-o", "b.epub"][..], "stay relative"),
        (&["-o", "b.epub", "-b", "https://h/"], "stay relative"),
        (&["-o", "b.epub", "--to", "root-relative", "-b", "https://h/"], "takes --map alone"),
        (&["--map", "http://a/=http://b/"], "cannot be written to stdout"),
        (&["-w", "--backup", "--map", "http://a/=http://b/"], "--backup is not for a book"),
    ] {
        let (_, stderr, code) = absolve(folder.path(), &[&["rewrite", "a.epub"], args].concat());
        assert!(code == Some(2) && stderr.contains(why), "{args:?}: {stderr}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
