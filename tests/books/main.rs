//! Books: what the commands list, audit and rewrite in them, and what they refuse.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fixture;
mod hostile;
mod properties;

use std::fs::{self, File};
use std::io::{Cursor, Read};

use fixture::{ITEMS, Member, absolve, folder, members, package, page, with, zip, zip_with_fields};
use zip::ZipArchive;

const MAP: &[&str] = &["--map", "http://old.example/=https://new.example/"];

/// The findings of an audit: rule, file, line, reference.
fn findings(book: &[Member<'_>]) -> Vec<(String, String, u64, String)> {
    let folder = folder(&zip(book));
    let (stdout, stderr, code) = absolve(folder.path(), &["audit", "a.epub", "--format", "jsonl"]);
    assert!(matches!(code, Some(0 | 1)), "{stderr}");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let lines = stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    let found = lines.filter(|one: &serde_json::Value| one.get("rule").is_some());
    found
        .map(|one| {
            let file = text(&one["file"]).strip_prefix("a.epub!").unwrap().to_owned();
            (text(&one["rule"]), file, one["line"].as_u64().unwrap_or(0), text(&one["reference"]))
        })
        .collect()
}

#[track_caller]
fn finds(book: &[Member<'_>], expected: &[(&str, &str, u64, &str)]) {
    let found = findings(book);
    let found: Vec<_> = found
        .iter()
        .map(|(rule, file, line, reference)| (&**rule, &**file, *line, &**reference))
        .collect();
    assert_eq!(found, expected);
}

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
    let (_, stderr, code) = absolve(folder.path(), &["links", "a.epub!OEBPS/nothing"]);
    assert_eq!(code, Some(2), "{stderr}");
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

#[test]
fn a_book_without_faults_has_no_findings() {
    finds(&members(), &[]);
}

#[test]
fn faults_in_pages_are_found() {
    let body = "<p id=\"p\"/><a href=\"gone.xhtml\"/>\n<a href=\"b.html#gone\"/>\n<a href=\"#gone\"/>\n\
        <a href=\"B.html\"/>\n<img src=\"g.svg#gone\"/>\n<img src=\"u.png\"/>\n\
        <img src=\"https://h/x.png\"/>\n<video src=\"https://h/v.mp4\"/>\n<a href=\"https://h/\"/>\n\
        <a href=\"../../b.html\"/>\n<a href=\"a.xhtml#epubcfi(/6/4)\"/><img src=\"g.svg#xywh=1,1,1,1\"/>";
    let book = with(vec![("OEBPS/a.xhtml", page(body)), ("OEBPS/u.png", vec![1])]);
    let file = "OEBPS/a.xhtml";
    finds(
        &book,
        &[
            ("broken-link", file, 2, "gone.xhtml"),
            ("missing-anchor", file, 3, "b.html#gone"),
            ("missing-anchor", file, 4, "#gone"),
            ("broken-link", file, 5, "B.html"),
            ("missing-anchor", file, 6, "g.svg#gone"),
            ("not-in-manifest", file, 7, "u.png"),
            ("remote-resource", file, 8, "https://h/x.png"),
            ("not-in-manifest", file, 9, "https://h/v.mp4"),
            ("broken-link", file, 11, "../../b.html"),
        ],
    );
}

/// The manifest may have entities of its own.
#[test]
fn entities_of_a_manifest_are_expanded() {
    let declared = "<!DOCTYPE package [<!ENTITY e 'a'>]>";
    let package = |href: &str| {
        let package = String::from_utf8(package(ITEMS, "<itemref idref=\"i0\"/>")).unwrap();
        [declared, &package.replace("a.xhtml", href)].concat().into_bytes()
    };
    finds(&with(vec![("OEBPS/p.opf", package("&e;.xhtml"))]), &[]);
    let gone = with(vec![("OEBPS/p.opf", package("&e;.html"))]);
    finds(
        &gone,
        &[
            ("invalid-manifest", "OEBPS/p.opf", 2, "a.html"),
            ("not-in-manifest", "OEBPS/toc.ncx", 1, "a.xhtml#p"),
        ],
    );
    let folder = folder(&zip(&with(vec![("OEBPS/p.opf", package("&x;"))])));
    let (_, stderr, code) = absolve(folder.path(), &["audit", "a.epub"]);
    let why = "OEBPS/p.opf: href has the entity '&x;', which is not expanded; write its text";
    assert_eq!((&*stderr, code), (&*format!("absolve: a.epub: {why}\n"), Some(2)));
}

#[test]
fn names_that_one_file_system_takes_for_one() {
    let book = with(vec![
        ("OEBPS/A.xhtml", page("")),
        ("OEBPS/\u{e9}.txt", vec![1]),
        ("OEBPS/e\u{301}.txt", vec![1]),
    ]);
    finds(
        &book,
        &[
            ("duplicate-name", "OEBPS/a.xhtml", 0, ""),
            ("duplicate-name", "OEBPS/\u{e9}.txt", 0, ""),
        ],
    );
}

/// Media overlays name the elements of pages that their sound is for.
#[test]
fn faults_in_media_overlays_are_found() {
    let items = [ITEMS, &[("o.smil", "application/smil+xml"), ("o.mp3", "audio/mpeg")]].concat();
    let smil = "<smil xmlns=\"http://www.w3.org/ns/SMIL\" xmlns:o=\"http://www.idpf.org/2007/ops\">\
        <body o:textref=\"a.xhtml\"><par><text src=\"a.xhtml#p\"/><audio src=\"o.mp3\"/></par>\n\
        <par><text src=\"a.xhtml#gone\"/><audio src=\"gone.mp3\"/></par>\n\
        <seq o:textref=\"b.html#gone\"><par><text src=\"https://h/a.xhtml\"/>\n\
        <audio src=\"https://h/o.mp3\"/></par></seq></body></smil>";
    let file = "OEBPS/o.smil";
    let book = with(vec![
        ("OEBPS/p.opf", package(&items, "<itemref idref=\"i0\"/>")),
        (file, smil.into()),
        ("OEBPS/o.mp3", vec![1]),
    ]);
    finds(
        &book,
        &[
            ("missing-anchor", file, 2, "a.xhtml#gone"),
            ("broken-link", file, 2, "gone.mp3"),
            ("missing-anchor", file, 3, "b.html#gone"),
            ("remote-resource", file, 3, "https://h/a.xhtml"),
            ("not-in-manifest", file, 4, "https://h/o.mp3"),
        ],
    );
}

/// A fix is for a folder.
#[test]
fn a_book_has_no_fixes() {
    let book = with(vec![(
        "OEBPS/a.xhtml",
        page("<p id=\"p\"/><a href=\"%62.htm%6C#x\"/><a href=\"B.html\"/>"),
    )]);
    let folder = folder(&zip(&book));
    let (stdout, _, code) = absolve(folder.path(), &["audit", "a.epub"]);
    assert!(code == Some(1) && !stdout.contains("--fix"), "{stdout}");
}

#[test]
fn faults_in_other_documents_are_found() {
    let items =
        [ITEMS, &[("gone.css", "text/css"), ("g.svg", "image/svg+xml"), ("a.xhtml#p", "x/y")]];
    let ncx = b"<ncx xmlns=\"http://www.daisy.org/z3986/2005/ncx/\">\n<content src=\"a.xhtml#gone\"/></ncx>";
    let css = b"@import \"gone.css\";\na { background: url(https://h/x.png) }\n\
        @font-face { src: url(https://h/f.woff2) }";
    let book = with(vec![
        ("OEBPS/p.opf", package(&items.concat(), "<itemref idref=\"nothing\"/>")),
        ("OEBPS/toc.ncx", ncx.to_vec()),
        ("OEBPS/s.css", css.to_vec()),
    ]);
    finds(
        &book,
        &[
            ("broken-link", "OEBPS/p.opf", 7, "gone.css"),
            ("invalid-manifest", "OEBPS/p.opf", 8, "g.svg"),
            ("invalid-manifest", "OEBPS/p.opf", 9, "a.xhtml#p"),
            ("invalid-manifest", "OEBPS/p.opf", 11, "nothing"),
            ("broken-link", "OEBPS/s.css", 1, "gone.css"),
            ("remote-resource", "OEBPS/s.css", 2, "https://h/x.png"),
            ("not-in-manifest", "OEBPS/s.css", 3, "https://h/f.woff2"),
            ("missing-anchor", "OEBPS/toc.ncx", 2, "a.xhtml#gone"),
        ],
    );
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

/// The manifest says the formats of the documents; a ZIP file that is no book is none either.
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
    let args = [&["rewrite", "a.epub", "-o", "c.epub", "--all-or-nothing"], MAP].concat();
    let (_, _, code) = absolve(folder.path(), &args);
    assert_eq!((code, folder.path().join("c.epub").exists()), (Some(2), false));
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
