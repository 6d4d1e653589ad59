//! What the audit of a book finds.

use crate::books::fixture::{ITEMS, Member, absolve, folder, members, package, page, with, zip};

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
pub(crate) fn finds(book: &[Member<'_>], expected: &[(&str, &str, u64, &str)]) {
    let found = findings(book);
    let found: Vec<_> = found
        .iter()
        .map(|(rule, file, line, reference)| (&**rule, &**file, *line, &**reference))
        .collect();
    assert_eq!(found, expected);
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

/// SVG refers to its own elements by a fragment alone, in images and in pages.
#[test]
fn elements_that_svg_refers_to_are_there() {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:x=\"http://www.w3.org/1999/xlink\">\
        <g id=\"g\"/><use href=\"#g\"/><rect fill=\"url(#later) red\"/>\n<use href=\"#no1\"/>\n\
        <linearGradient x:href=\"#no2\"/>\n<rect fill=\"url('#no3')\"/>\n\
        <g style=\"mask: url(#no4)\"/>\n<style>g { fill: url(#no5) }</style>\n\
        <image x:href=\"#svgView(0)\"/><g id=\"later\"/></svg>";
    let in_page = svg.replace("#no", "#ko").replace("<image x:href=\"#svgView(0)\"/>", "");
    let body = format!("<p style=\"behavior: url(#default)\"/>{in_page}");
    let book = with(vec![("OEBPS/g.svg", svg.into()), ("OEBPS/b.html", page(&body))]);
    let (file, page) = ("OEBPS/g.svg", "OEBPS/b.html");
    finds(
        &book,
        &[
            ("missing-anchor", "OEBPS/a.xhtml", 2, "b.html#x"),
            ("missing-anchor", page, 3, "#ko1"),
            ("missing-anchor", page, 4, "#ko2"),
            ("missing-anchor", page, 5, "#ko3"),
            ("missing-anchor", page, 6, "#ko4"),
            ("missing-anchor", page, 7, "#ko5"),
            ("missing-anchor", file, 2, "#no1"),
            ("missing-anchor", file, 3, "#no2"),
            ("missing-anchor", file, 4, "#no3"),
            ("missing-anchor", file, 5, "#no4"),
            ("missing-anchor", file, 6, "#no5"),
        ],
    );
}

/// The root of a server is not that of the book; a file that is missing needs one finding.
#[test]
fn links_from_the_root_of_a_server_are_found() {
    let body =
        "<a id=\"p\" href=\"/OEBPS/b.html#x\"/>\n<img src=\"/OEBPS/g.svg\"/>\n<a href=\"/gone\"/>";
    finds(
        &with(vec![("OEBPS/a.xhtml", page(body))]),
        &[
            ("above-root", "OEBPS/a.xhtml", 2, "/OEBPS/b.html#x"),
            ("above-root", "OEBPS/a.xhtml", 3, "/OEBPS/g.svg"),
            ("broken-link", "OEBPS/a.xhtml", 4, "/gone"),
        ],
    );
}

#[test]
fn elements_that_load_a_file_name_one() {
    let body = "<p id=\"p\"/><a href=\"\"/><img src=\"\"/>\n<object data=\" \" codebase=\"\"/>\n\
        <link rel=\"stylesheet\" href=\"\"/><link rel=\"author\" href=\"\"/>";
    let ncx = b"<ncx xmlns=\"http://www.daisy.org/z3986/2005/ncx/\"><content src=\"\"/></ncx>";
    finds(
        &with(vec![("OEBPS/a.xhtml", page(body)), ("OEBPS/toc.ncx", ncx.to_vec())]),
        &[
            ("broken-link", "OEBPS/a.xhtml", 2, ""),
            ("broken-link", "OEBPS/a.xhtml", 3, " "),
            ("broken-link", "OEBPS/a.xhtml", 4, ""),
            ("broken-link", "OEBPS/toc.ncx", 1, ""),
        ],
    );
}

#[test]
fn a_book_has_no_sitemap() {
    let sitemap = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url>\
        <loc>https://example.org/a</loc></url></urlset>";
    let robots = b"Sitemap: https://example.org/sitemap.xml\n".to_vec();
    finds(&with(vec![("robots.txt", robots), ("sitemap.xml", sitemap.into())]), &[]);
}

#[test]
fn names_that_one_file_system_takes_for_one() {
    let book = with(vec![
        ("OEBPS/A.xhtml", page("")),
        ("OEBPS/\u{e9}.txt", vec![1]),
        ("OEBPS/e\u{301}.txt", vec![1]),
        // Folders with one name become one; a file cannot.
        ("oebps/x", vec![1]),
        ("oebps/Y/x", vec![1]),
        ("OEBPS/y", vec![1]),
    ]);
    finds(
        &book,
        &[
            ("duplicate-name", "OEBPS/a.xhtml", 0, ""),
            ("duplicate-name", "OEBPS/\u{e9}.txt", 0, ""),
            ("duplicate-name", "oebps/Y", 0, ""),
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
