//! What the audit finds in package and navigation documents.

use crate::books::audit::finds;
use crate::books::fixture::{ITEMS, absolve, folder, package, page, with, zip};

/// Resources that scripts load may be on the web.
#[test]
fn items_are_files_of_the_book() {
    let others: &[(&str, &str)] = &[
        ("a.xhtml?x", "application/xhtml+xml"),
        ("data:text/css,a", "text/css"),
        ("https://h/x.xhtml", "application/xhtml+xml"),
        ("//h/x.png?x", "image/png"),
        ("https://h/x.mp3?x", "audio/mpeg"),
        ("https://h/x.otf", "font/otf"),
    ];
    let package = package(&[ITEMS, others].concat(), "<itemref idref=\"i0\"/>");
    let package = String::from_utf8(package).unwrap().replace(
        "</spine>",
        "</spine><guide><reference type=\"text\" href=\"https://h/y.xhtml\"/></guide>",
    );
    let file = "OEBPS/p.opf";
    let with_query = ("invalid-manifest", file, 7, "a.xhtml?x");
    let with_data = ("invalid-manifest", file, 8, "data:text/css,a");
    let relative = ("protocol-relative", file, 10, "//h/x.png?x");
    let guide = ("remote-resource", file, 14, "https://h/y.xhtml");
    finds(
        &with(vec![(file, package.clone().into())]),
        &[
            with_query,
            with_data,
            ("remote-resource", file, 9, "https://h/x.xhtml"),
            ("remote-resource", file, 10, "//h/x.png?x"),
            relative,
            guide,
        ],
    );
    let scripted = package.replacen("<item ", "<item properties=\"svg scripted\" ", 1);
    let book = with(vec![(file, scripted.into())]);
    finds(&book, &[with_query, with_data, relative, guide]);
}

/// Browsers take a backslash for a slash; the page is audited.
#[test]
fn items_with_a_backslash_are_files() {
    let items = [&[("t\\c.xhtml", "application/xhtml+xml")], ITEMS].concat();
    let file = "OEBPS/p.opf";
    let book = with(vec![
        (file, package(&items, "<itemref idref=\"i0\"/>")),
        ("OEBPS/t/c.xhtml", page("<img src=\"gone.png\"/>")),
    ]);
    finds(
        &book,
        &[("backslash", file, 2, "t\\c.xhtml"), ("broken-link", "OEBPS/t/c.xhtml", 2, "gone.png")],
    );
}

#[test]
fn items_are_no_files_of_one_computer() {
    let items = [ITEMS, &[("file:///etc/x.mp3", "audio/mpeg")]].concat();
    let file = "OEBPS/p.opf";
    let reference = "file:///etc/x.mp3";
    finds(
        &with(vec![(file, package(&items, "<itemref idref=\"i0\"/>"))]),
        &[("remote-resource", file, 7, reference), ("leaked-development-url", file, 7, reference)],
    );
}

/// The table of contents leads to pages of the book; other links of the same page lead anywhere.
#[test]
fn a_table_of_contents_does_not_lead_to_the_web() {
    let file = "OEBPS/a.xhtml";
    let nav = "<p id=\"p\"><a href=\"https://h/1\"/></p><nav xmlns:epub=\"http://www.idpf.org/2007/ops\" \
        epub:type=\"toc\"><ol><li><a href=\"b.html\">b</a></li>\n<li><a href=\"https://h/2\">2</a></li>\
        </ol></nav><nav><ol><li><a href=\"https://h/3\">3</a></li></ol></nav>";
    let whole = String::from_utf8(package(ITEMS, "<itemref idref=\"i0\"/>")).unwrap();
    let whole = whole.replacen("<item ", "<item properties=\"nav\" ", 1);
    let book = with(vec![("OEBPS/p.opf", whole.into()), (file, page(nav))]);
    finds(&book, &[("remote-resource", file, 3, "https://h/2")]);
}

/// Without a media type, no program knows what a file is.
#[test]
fn items_have_a_media_type() {
    let (file, broken) = ("OEBPS/p.opf", page("<a href=\"gone\">x</a>"));
    let items = [&[("c.xhtml", "")], ITEMS].concat();
    let whole = package(&items, "<itemref idref=\"i0\"/>");
    let book = with(vec![(file, whole), ("OEBPS/c.xhtml", broken)]);
    finds(&book, &[("invalid-manifest", file, 2, "c.xhtml")]);
}

/// Attributes of the package document name items by their ids.
#[test]
fn ids_of_a_manifest_are_those_of_items() {
    let file = "OEBPS/p.opf";
    let spine =
        "<itemref idref=\"i0\"/>\n<itemref idref=\"i1\"/><itemref idref=\"i0\"/>\n<itemref/>";
    let whole = String::from_utf8(package(ITEMS, spine)).unwrap();
    let whole = whole
        .replace("<spine>", "<spine toc=\"gone-1\">")
        .replace("<item id=\"i0\"", "<item id=\"i0\" fallback=\"i1\" media-overlay=\"gone-2\"")
        .replace("<item id=\"i1\"", "<item id=\"i1\" fallback=\"gone-3\"")
        .replace("</manifest>", "<item id=\"x\" media-type=\"text/css\"/></manifest>");
    let book = with(vec![(file, whole.into())]);
    finds(
        &book,
        &[
            ("invalid-manifest", file, 2, "gone-2"),
            ("invalid-manifest", file, 3, "gone-3"),
            ("invalid-manifest", file, 7, ""),
            ("invalid-manifest", file, 8, "gone-1"),
            ("invalid-manifest", file, 9, "i0"),
            ("invalid-manifest", file, 10, ""),
        ],
    );
    let folder = folder(&zip(&book));
    let args = ["audit", "a.epub", "--limit", "findings=2"];
    let (stdout, _, _) = absolve(folder.path(), &args);
    assert_eq!(stdout.matches("error[invalid-manifest]").count(), 2, "{stdout}");
    assert!(stdout.contains("4 more findings of this page are left out"), "{stdout}");
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

/// The media type of the manifest says what is on the web.
#[test]
fn fonts_on_the_web_need_no_extension() {
    let items = [ITEMS, &[("https://h/font?family=x", "font/woff2")]].concat();
    let css = b"@font-face { src: url(https://h/font?family=x) }\n\
        @font-face { src: url(https://h/font?family=y) }";
    let page = page("<p id=\"p\"/><iframe src=\"about:blank\"/>");
    let book = with(vec![
        ("OEBPS/p.opf", package(&items, "<itemref idref=\"i0\"/>")),
        ("OEBPS/s.css", css.to_vec()),
        ("OEBPS/a.xhtml", page),
    ]);
    finds(&book, &[("remote-resource", "OEBPS/s.css", 2, "https://h/font?family=y")]);
}
