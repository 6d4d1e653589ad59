//! Fixes that are certain enough, and documents that can be written.

use crate::{Site, text};

pub(crate) const TRIALS: &[(&str, fn())] = &[
    ("a_bad_reference_leaves_the_others", a_bad_reference_leaves_the_others),
    ("a_page_beside_a_folder_is_ambiguous", a_page_beside_a_folder_is_ambiguous),
    ("a_redirect_without_a_scheme_stays_so", a_redirect_without_a_scheme_stays_so),
    ("a_base_outside_the_site_is_not_frozen", a_base_outside_the_site_is_not_frozen),
    ("an_address_is_a_link_that_is_followed", an_address_is_a_link_that_is_followed),
    ("a_backslash_becomes_a_slash_and_no_more", a_backslash_becomes_a_slash_and_no_more),
    ("a_backslash_before_a_temporary_redirect", a_backslash_before_a_temporary_redirect),
];

/// A style sheet in windows-1252 cannot hold `ł`.
fn a_bad_reference_leaves_the_others() {
    let style = |first: &str, last: &str| {
        let bad = "b{background:url(\\141.PNG)}";
        let rule = |url: &str| format!("a{{background:url({url})}}");
        let charset = "@charset \"windows-1252\";\n";
        [charset, &rule(first), bad, bad, &rule(last)].concat()
    };
    let site = Site::new(&[
        ("a.html", b""),
        ("img.png", b""),
        ("\u{142}.png", b""),
        ("s.css", style("IMG.png", "Img.png").as_bytes()),
    ]);
    let output = site.audit(&["--fix", "--no-config"]);
    let report = text(&output.stdout);
    assert_eq!(text(&site.read("s.css")), style("img.png", "img.png"), "{report}");
    assert_eq!(output.status.code(), Some(1));
    assert!(report.contains("2 findings fixed\n"), "{report}");
    let left = "write '\u{142}.png' (--fix leaves it: written there, it would be read otherwise)";
    assert!(report.contains(left), "{report}");
    let again = site.audit(&["--fix", "--no-config"]);
    assert!(text(&again.stdout).contains("\n0 findings fixed\n"), "{}", text(&again.stdout));
}

fn a_page_beside_a_folder_is_ambiguous() {
    let fix = |server: &str, link: &str, expected: &str| {
        let files: &[(&str, &[u8])] =
            &[("a.html", link.as_bytes()), ("docs.html", b""), ("docs/index.html", b"")];
        Site::new(files).fixes(&[&format!("--server={server}")], expected.as_bytes());
    };
    fix("github-pages", "<a href=Docs>", "<a href=Docs>");
    fix("github-pages", "<a href=Docs/>", "<a href=docs/>");
    fix("plain", "<a href=Docs>", "<a href=docs/>");
    // The server answers with the page.
    fix("netlify", "<a href=Docs>", "<a href=docs>");
    let files: &[(&str, &[u8])] = &[("a.html", b"<a href=Docs>"), ("docs/index.html", b"")];
    Site::new(files).fixes(&["--server=github-pages"], b"<a href=docs/>");
}

fn a_redirect_without_a_scheme_stays_so() {
    let fix = |args: &[&str], link: &str, expected: &str| {
        let rules = b"/out //example.org/x 301\n/on /out 308\n";
        let site = Site::new(&[("a.html", link.as_bytes()), ("_redirects", rules)]);
        site.fixes(&[&["--redirects=site/_redirects"], args].concat(), expected.as_bytes());
    };
    fix(&[], "<a href=out?q#f>", "<a href=//example.org/x?q#f>");
    fix(&[], "<a href=on>", "<a href=//example.org/x>");
    let base = ["--base-url=https://here.example/"];
    fix(&base, "<a href=out>", "<a href=https://example.org/x>");
}

fn a_base_outside_the_site_is_not_frozen() {
    let fix = |link: &str, expected: &str| {
        let files: &[(&str, &[u8])] =
            &[("a.html", link.as_bytes()), ("docs/index.html", b""), ("docs/b.html", b"")];
        Site::new(files).fixes(&["--base-url=https://h.example/manual/"], expected.as_bytes());
    };
    // The prefix is missing in the base.
    fix("<base href=/><a href=docs/>", "<base href=/><a href=docs/>");
    fix("<base href=/docs/><a href=b.html>", "<base href=/docs/><a href=b.html>");
    // Here, in the link.
    fix("<base href=/><a href=/docs/>", "<base href=/><a href=/manual/docs/>");
    fix("<a href=../docs/>", "<a href=docs/>");
    // A fix keeps the form of the reference.
    fix("<base href=/manual/><a href=Docs/>", "<base href=/manual/><a href=docs/>");
    fix("<base href=/manual/docs/><a href=B.html>", "<base href=/manual/docs/><a href=b.html>");
    let files: &[(&str, &[u8])] =
        &[("docs/a.html", b"<base href=/><a href=Docs/B.html>"), ("docs/b.html", b"")];
    let site = Site::new(files);
    assert_eq!(site.audit(&["--fix", "--no-config"]).status.code(), Some(0));
    assert_eq!(text(&site.read("docs/a.html")), "<base href=/><a href=docs/b.html>");
}

fn an_address_is_a_link_that_is_followed() {
    let fix = |link: &str, expected: &str| {
        Site::new(&[("a.html", link.as_bytes())]).fixes(&[], expected.as_bytes());
    };
    fix("<area href=me@example.org>", "<area href=mailto:me@example.org>");
    for link in [
        "<img src=me@example.org>",
        "<script src=lib@example.org></script>",
        "<link rel=stylesheet href=me@example.org>",
        "<iframe src=me@example.org></iframe>",
        "<form action=me@example.org>",
        "<p style='background:url(me@example.org)'>",
        "<a href=report@final.docx>",
        "<a href=demo@v.ipynb>",
        "<a href=clip@home.mov>",
        "<a href=style@old.scss>",
        "<a href=page@site.aspx>",
        "<a href=tool@main.rs>",
        "<a href=drawing@home.xcf>",
    ] {
        fix(link, link);
        let site = Site::new(&[("a.html", link.as_bytes())]);
        let report = text(&site.audit(&["--format=jsonl"]).stdout);
        let is_proposed = report.contains("mailto:");
        assert_eq!(is_proposed, link == "<a href=tool@main.rs>", "{report}");
    }
}

fn a_backslash_becomes_a_slash_and_no_more() {
    let fix = |page: &str, args: &[&str], link: &str, expected: &str| {
        let files: &[(&str, &[u8])] =
            &[(page, link.as_bytes()), ("guide.html", b""), ("docs/index.html", b"")];
        let site = Site::new(files);
        site.audit(&[&["--fix"], args].concat());
        assert_eq!(text(&site.read(page)), expected);
    };
    let manual: &[&str] = &["--base-url=https://h.example/manual/"];
    let base = "<base href=/docs/>";
    fix("b.html", manual, &format!("{base}<a href=..\\docs>"), &format!("{base}<a href=../docs>"));
    let rooted = format!("{base}<a href=/manual/guide.html>");
    fix("b.html", manual, &format!("{base}<a href=\\guide.html>"), &rooted);
    for (link, by_prefix, without) in [
        ("\\guide.html", "/manual/guide.html", "/guide.html"),
        ("\\docs", "/manual/docs/", "/docs/"),
        ("..\\..\\Guide.html", "../../guide.html", "../../guide.html"),
        ("\\\\h.example\\guide.html", "//h.example/manual/guide.html", "//h.example/guide.html"),
        ("/\\h.example/guide.html", "//h.example/manual/guide.html", "//h.example/guide.html"),
        ("\\\\x.example\\guide.html", "//x.example/guide.html", "//x.example/guide.html"),
    ] {
        let page = |link: &str| format!("<a href={link}>");
        fix("sub/deep/p.html", manual, &page(link), &page(by_prefix));
        fix("sub/deep/p.html", &[], &page(link), &page(without));
    }
}

fn a_backslash_before_a_temporary_redirect() {
    let rules = b"/a /b 301\n/b https://ext.example/ 302\n";
    let site = Site::new(&[("a.html", b"<a href=\"a\\\">"), ("_redirects", rules)]);
    site.fixes(&["--redirects=site/_redirects"], b"<a href=\"a/\">");
}
