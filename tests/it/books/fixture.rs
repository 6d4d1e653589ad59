//! Books that a test makes.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::Command;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

pub(crate) type Member<'m> = (&'m str, Vec<u8>);

const CONTAINER: &str = "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>\
    <rootfile full-path='OEBPS/p.opf' media-type='application/oebps-package+xml'/></rootfiles></container>";

/// A page with this body.
pub(crate) fn page(body: &str) -> Vec<u8> {
    format!("<html xmlns=\"http://www.w3.org/1999/xhtml\"><body>\n{body}\n</body></html>").into()
}

/// A package document with these items.
pub(crate) fn package(items: &[(&str, &str)], spine: &str) -> Vec<u8> {
    let items = items.iter().enumerate().map(|(at, (href, media_type))| {
        format!("<item id=\"i{at}\" href=\"{href}\" media-type=\"{media_type}\"/>\n")
    });
    let items: String = items.collect();
    format!(
        "<package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\"><manifest>\n{items}</manifest>\n\
         <spine>{spine}</spine></package>"
    )
    .into()
}

pub(crate) const ITEMS: &[(&str, &str)] = &[
    ("a.xhtml", "application/xhtml+xml"),
    ("b.html", "application/xhtml+xml"),
    ("s.css", "text/css"),
    ("g.svg", "image/svg+xml"),
    ("toc.ncx", "application/x-dtbncx+xml"),
];

/// The members of a book without findings.
pub(crate) fn members() -> Vec<Member<'static>> {
    vec![
        ("mimetype", b"application/epub+zip".to_vec()),
        ("META-INF/container.xml", CONTAINER.into()),
        ("OEBPS/p.opf", package(ITEMS, "<itemref idref=\"i0\"/>")),
        (
            "OEBPS/a.xhtml",
            page("<p id=\"p\"/><a href=\"b.html#x\">b</a> <a href=\"http://old.example/x\">x</a>"),
        ),
        ("OEBPS/b.html", page("<script/><p id=\"x\"/><img src=\"g.svg#v\" alt=\"\"/>")),
        ("OEBPS/s.css", b"a { background: url(g.svg) }".to_vec()),
        (
            "OEBPS/g.svg",
            b"<svg xmlns=\"http://www.w3.org/2000/svg\"><view id=\"v\"/></svg>".to_vec(),
        ),
        (
            "OEBPS/toc.ncx",
            b"<ncx xmlns=\"http://www.daisy.org/z3986/2005/ncx/\"><navMap><navPoint id=\"n\">\
              <content src=\"a.xhtml#p\"/></navPoint></navMap></ncx>"
                .to_vec(),
        ),
    ]
}

/// The members with other content, or more of them.
pub(crate) fn with(changes: Vec<Member<'static>>) -> Vec<Member<'static>> {
    let mut all = members();
    for (name, bytes) in changes {
        match all.iter_mut().find(|(old, _)| *old == name) {
            Some(member) => member.1 = bytes,
            None => all.push((name, bytes)),
        }
    }
    all
}

/// The ZIP file of these members.
pub(crate) fn zip(members: &[Member<'_>]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let date = DateTime::from_date_and_time(2020, 1, 2, 3, 4, 6).unwrap();
    for (name, bytes) in members {
        let is_first = *name == "mimetype";
        let method = if is_first { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options =
            SimpleFileOptions::default().compression_method(method).last_modified_time(date);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The same with an additional field of 9 bytes in the header of each member and its entry.
pub(crate) fn zip_with_fields(members: &[Member<'_>]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let mut options = zip::write::FullFileOptions::default();
        let time = vec![1, 0, 0, 0, 0].into_boxed_slice();
        options.add_extra_field(0x5455, time, false).unwrap();
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// What the command prints on stdout and stderr, and its exit code.
pub(crate) fn absolve(folder: &Path, args: &[&str]) -> (String, String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
    let output = command.args(args).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// A folder with a book.
pub(crate) fn folder(book: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.epub"), book).unwrap();
    folder
}
