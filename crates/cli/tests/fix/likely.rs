//! `--unsafe-fixes` fixes a link where exactly one file fits, and `--fix` alone leaves it.

use crate::{Site, text};

pub(crate) const TRIALS: &[(&str, fn())] = &[
    ("the_only_file_that_fits_is_written", the_only_file_that_fits_is_written),
    ("several_files_that_fit_are_none", several_files_that_fit_are_none),
    ("a_certain_fix_goes_before_a_likely_one", a_certain_fix_goes_before_a_likely_one),
    (
        "a_likely_fix_is_in_every_attribute_and_encoding",
        a_likely_fix_is_in_every_attribute_and_encoding,
    ),
];

/// Every row has a page of its own in this folder.
const PAGE: &str = "a/b/page.html";

const FILES: &[&str] = &[
    "index.html",
    "x.html",
    "old.htm",
    "both.html",
    "both.htm",
    "folder/index.html",
    "page.d.html",
    "page.d/a.css",
    "docs/guides/intro.html",
    "docs/guides/caf\u{e9} & b.html",
    "img/x.png",
    "a/y.png",
    "a/img/y.png",
    "a/b/y.png",
    "two/y.png",
    "moved/deep/unique-name.html",
    "moved/deep/topic/index.html",
    "2.a1.html",
    "2.b1.html",
    "2.c1.html",
    "guidas/same.html",
    "guidbs/same.html",
    "guidas/one.html",
    "a/pages/first.html",
    "pagis/first.html",
];

fn site(link: &str) -> Site {
    let files = FILES.iter().map(|name| (*name, &b""[..]));
    Site::new(&files.chain([(PAGE, link.as_bytes())]).collect::<Vec<_>>())
}

/// The page after `--unsafe-fixes`; a fix that writes nothing else leaves nothing to fix.
#[track_caller]
fn is_fixed(link: &str, expected: &str) {
    let site = site(link);
    let output = site.audit(&["--fix", "--no-config"]);
    assert_eq!(text(&site.read(PAGE)), link, "without --unsafe-fixes: {}", text(&output.stdout));
    let output = site.audit(&["--fix", "--unsafe-fixes", "--no-config"]);
    assert_eq!(text(&site.read(PAGE)), expected, "{}", text(&output.stdout));
}

fn the_only_file_that_fits_is_written() {
    for (link, expected) in [
        // Another extension, or a slash.
        ("<a href=../../x>", "<a href=../../x.html>"),
        ("<a href='../../x?q#f'>", "<a href='../../x.html?q#f'>"),
        ("<a href=/x/>", "<a href=/x.html>"),
        ("<a href=../../x.html/>", "<a href=../../x.html>"),
        ("<img src=/img/x.png/>", "<img src=/img/x.png>"),
        ("<a href='../../x.htm#a'>", "<a href='../../x.html#a'>"),
        ("<a href=../../old.html>", "<a href=../../old.htm>"),
        ("<a href=../../x.md>", "<a href=../../x.html>"),
        ("<a href=../../folder.md>", "<a href=../../folder/index.html>"),
        ("<a href=../../folder/README.md>", "<a href=../../folder/index.html>"),
        ("<a href=../../page.d/>", "<a href=../../page.d.html>"),
        // A misspelt folder.
        (
            "<a href='../../docs/giudes/intro.html?q#f'>",
            "<a href='../../docs/guides/intro.html?q#f'>",
        ),
        ("<a href=/dosc/guides/intro.html>", "<a href=/docs/guides/intro.html>"),
        ("<a href=/guides/one.html>", "<a href=/guidas/one.html>"),
        (
            "<a href='/docs/giudes/caf%C3%A9%20&amp;%20b.html'>",
            "<a href='/docs/guides/caf%C3%A9%20&amp;%20b.html'>",
        ),
        // Surplus segments.
        ("<img src=../../../../img/x.png>", "<img src=../../img/x.png>"),
        ("<img src=/../img/x.png>", "<img src=/img/x.png>"),
        ("<a href='../../../x.html?q#f'>", "<a href='../../x.html?q#f'>"),
        ("<a href='../../img/y.png?q#f'>", "<a href='../img/y.png?q#f'>"),
        ("<a href=../../b/y.png>", "<a href=../b/y.png>"),
        ("<a href=../../../b/y.png>", "<a href=../b/y.png>"),
        // A file of this name in another folder.
        ("<a href='../../unique-name.html#f'>", "<a href='../../moved/deep/unique-name.html#f'>"),
        ("<a href=unique-name.html>", "<a href=../../moved/deep/unique-name.html>"),
        ("<a href=/old/unique-name.html?q>", "<a href=/moved/deep/unique-name.html?q>"),
        ("<a href=/old/topic/>", "<a href=/moved/deep/topic/>"),
        ("<a href=../../old/x.png>", "<a href=../../img/x.png>"),
    ] {
        is_fixed(link, expected);
    }
}

fn several_files_that_fit_are_none() {
    for link in [
        "<a href=../../both>",
        "<a href=../../both.md>",
        "<a href=../../2..1.html>",
        "<a href=../../guides/same.html>",
        // Both ../y.png and y.png are there, then ../pages and a misspelt /pages.
        "<a href=../../y.png>",
        "<a href=../../pages/first.html>",
        "<a href=../none/y.png>",
        "<a href=none/index.html>",
        // A page is no image.
        "<img src=../../x>",
        "<script src=../../x.md></script>",
    ] {
        is_fixed(link, link);
    }
}

fn a_certain_fix_goes_before_a_likely_one() {
    let link = "<a href=../../../folder><a href=../../..\\..\\folder/index.html>";
    let site = site(link);
    site.audit(&["--fix", "--no-config"]);
    let safe = text(&site.read(PAGE));
    assert_eq!(safe, "<a href=../../../folder/><a href=../../../../folder/index.html>");
    site.audit(&["--fix", "--unsafe-fixes", "--no-config"]);
    let all = text(&site.read(PAGE));
    assert_eq!(all, "<a href=../../folder/><a href=../../folder/index.html>");
}

fn a_likely_fix_is_in_every_attribute_and_encoding() {
    let page = b"<meta charset=windows-1252><img srcset='/../img/x.png 1x, y.png 2x'>\xfc\
                 <p style=\"background:url('../../../../img/x.png')\"><a href='/old/\xe4-1'>";
    let site = Site::new(&[("a/b.html", page), ("img/x.png", b""), ("old/\u{e4}-1.html", b"")]);
    site.audit(&["--fix", "--unsafe-fixes", "--no-config"]);
    let expected = b"<meta charset=windows-1252><img srcset='/img/x.png 1x, y.png 2x'>\xfc\
                     <p style=\"background:url('../img/x.png')\"><a href='/old/\xe4-1.html'>";
    assert_eq!(site.read("a/b.html"), expected, "{}", text(&site.read("a/b.html")));
}
