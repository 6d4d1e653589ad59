//! Digests of style sheets and scripts (<https://www.w3.org/TR/SRI/>).

use std::borrow::Cow;
use std::fs;
use std::sync::Arc;

use absolve::{Buffers, Direction, Form, Placement, Rewriter, Targets};

use super::site::{Run, Site};

#[test]
fn pages_on_the_disk_load_files_without_integrity() {
    let page = "<link rel=stylesheet integrity=sha256-AAAA crossorigin href='/s.css?v=1'>\
        <script src=/x.js integrity=sha256-AAAA/></script>\
        <script src=/x.js\n INTEGRITY='a'defer crossorigin integrity=b></script>\
        <script src=/x.js crossorigin/></script><script src=/x.js integrity=a =x></script>\
        <img crossorigin srcset='/i.png 1x, https://cdn.example/i.png 2x'>\
        <iframe srcdoc=\"<script src='/x.js' integrity='&quot;'></script>\"></iframe>\
        <script src=https://cdn.example/x.js integrity=a crossorigin></script>\
        <a href=/s.css integrity=a>s</a>";
    let xhtml = "<html xmlns='http://www.w3.org/1999/xhtml'>\
        <script integrity='a' src='/x.js' crossorigin=''/></html>";
    let files = [("site/d/p.html", page), ("site/p.xhtml", xhtml)];
    let site = Site::new(&[("site/s.css", ""), ("site/x.js", ""), ("site/i.png", "")]);
    for (name, text) in files {
        site.write(name, text);
    }
    site.absolve("rewrite -b http://h/ --to offline site -o out --copy-assets").ends(0);
    let expected = "<link rel=stylesheet href='../s.css?v=1'>\
        <script src=../x.js></script>\
        <script src=../x.js\n defer></script>\
        <script src=../x.js /></script><script src=../x.js / =x></script>\
        <img srcset='../i.png 1x, https://cdn.example/i.png 2x'>\
        <iframe srcdoc=\"<script src='../x.js'></script>\"></iframe>\
        <script src=https://cdn.example/x.js integrity=a crossorigin></script>\
        <a href=../s.css integrity=a>s</a>";
    site.has("out/d/p.html", expected);
    let expected = "<html xmlns='http://www.w3.org/1999/xhtml'><script src='x.js' /></html>";
    site.has("out/p.xhtml", expected);
    site.absolve("rewrite -b http://h/ --to offline out --check").ends(0);
    // A server sends what these attributes need.
    site.absolve("rewrite -b http://h/ --to relative site -o served --copy-assets").ends(0);
    let served = fs::read_to_string(site.path("served/d/p.html")).unwrap();
    assert_eq!(served.matches("crossorigin").count(), page.matches("crossorigin").count());
}

/// A style sheet with one link, which forms and moves change.
const SHEET: &str = "a { b: url(http://h/i.png) }";

/// Digests of [`SHEET`], and those of another content.
const SHA256: &str = "sha256-d7HjtSyiS4eBZLT/PUVY/AFU2FzsQ32YAFttN0cyqkw=";
const SHA384: &str = "sha384-IsIvawBP+PUryivj74yoUW48g+JIINHLmvWBq4svLZzQw4ANBZiKu+YYiBJzJyJp";
const WRONG: &str = "sha384-AAAA";

/// A site whose pages name digests of its style sheet.
fn digests() -> Site {
    let page = format!(
        "<link rel=stylesheet href='s%2Ecss?v=1#x' integrity='\n{SHA256}?a {SHA384} {WRONG}'>\
         <LINK INTEGRITY={} rel=stylesheet href=http://H/s.css>\
         <link rel=stylesheet href=/t.css integrity={SHA256}>\
         <script src=/x.js integrity={WRONG}></script>",
        SHA256.replace('+', "&#43;")
    );
    let xhtml = format!(
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/>\
         <link integrity='{SHA384}' rel='stylesheet' href='/s.css'/></head></html>"
    );
    let sheet = ("site/s.css", SHEET);
    let files = [("site/i.png", ""), ("site/t.css", ""), ("site/x.js", ""), sheet];
    let site = Site::new(&files);
    site.write("site/d/p.html", format!("<base href=/>{page}"));
    site.write("site/p.xhtml", xhtml);
    site
}

fn text(run: Run) -> String {
    String::from_utf8(run.stdout).unwrap()
}

/// The page of [`digests`] has these digests of its style sheet, and its others are as they were.
fn matches(site: &Site, folder: &str, url: &str) {
    let read = |name: &str| fs::read_to_string(site.path(format!("{folder}/{name}"))).unwrap();
    let (page, xhtml) = (read("d/p.html"), read("p.xhtml"));
    assert_ne!(read("s.css"), SHEET);
    assert_eq!(page.matches(WRONG).count(), 2, "{page}");
    // Only the style sheet that stays as it is has a digest of the other one.
    assert_eq!(page.matches(SHA256).count(), 1, "{page}");
    assert!(page.contains("?a sha384-") && !page.contains(SHA384), "{page}");
    assert!(!xhtml.contains(SHA384), "{xhtml}");
    // The audit finds what was wrong before.
    let audit = format!("audit --no-config --format concise -b http://h{url} {folder}");
    let findings = text(site.absolve(&audit));
    assert_eq!(findings.matches("integrity-mismatch").count(), 2, "{findings}");
}

#[test]
fn digests_of_edited_style_sheets_are_renewed() {
    for options in ["--to relative", "--to root-relative", "--map http://h/=http://h/sub/"] {
        let site = digests();
        let rewrite = format!("rewrite -b http://h/ {options}");
        site.absolve(&format!("{rewrite} site -o out --copy-assets")).ends(0);
        matches(&site, "out", if options.starts_with("--map") { "/sub/" } else { "/" });
        site.absolve(&format!("{rewrite} site -o one --copy-assets -j 1")).ends(0);
        site.absolve(&format!("{rewrite} site --check")).ends(1);
        let diff = text(site.absolve(&format!("{rewrite} site --diff")).ends(1));
        site.absolve(&format!("{rewrite} site -w")).ends(0);
        for name in ["d/p.html", "p.xhtml", "s.css"] {
            let text = fs::read_to_string(site.path(format!("out/{name}"))).unwrap();
            site.has(&format!("one/{name}"), &text);
            site.has(&format!("site/{name}"), &text);
            let has_lines = text.lines().all(|line| diff.contains(line));
            assert!(has_lines, "{diff}");
        }
    }
}

#[test]
fn digests_of_links_to_ignore_are_renewed() {
    let site = Site::new(&[("site/i.png", ""), ("site/s.css", SHEET)]);
    let link = format!("<link rel=stylesheet href=/s.css integrity={SHA384} data-absolve-ignore");
    site.write("site/p.html", format!("{link}>"));
    site.write(
        "site/p.xhtml",
        format!(
            "<html xmlns='http://www.w3.org/1999/xhtml'>\
         <link href='/s.css' integrity='{SHA384}' data-absolve-ignore=''/></html>"
        ),
    );
    site.absolve("rewrite -b http://h/ --to relative site -w").ends(0);
    for name in ["p.html", "p.xhtml"] {
        let page = fs::read_to_string(site.path(format!("site/{name}"))).unwrap();
        assert!(page.contains("/s.css") && page.contains("sha384-"), "{page}");
        assert!(!page.contains(SHA384), "{page}");
    }
}

#[test]
fn digests_are_renewed_once() {
    let site = digests();
    for _ in 0..2 {
        site.absolve("rewrite -b http://h/ --to relative site -w").ends(0);
        matches(&site, "site", "/");
    }
    site.absolve("rewrite -b http://h/ --to relative site --check").ends(0);
}

#[cfg(unix)]
#[test]
fn a_digest_of_a_file_that_is_skipped_stays() {
    let site = digests();
    fs::hard_link(site.path("site/s.css"), site.path("other.css")).unwrap();
    site.absolve("rewrite -b http://h/ --to relative site -w").ends(0);
    let page = fs::read_to_string(site.path("site/d/p.html")).unwrap();
    assert!(page.contains(SHA384), "{page}");
}

#[test]
fn digests_that_become_wrong_are_warned_of() {
    let policy = "<meta http-equiv=Content-Security-Policy content=\"style-src 'sha256-AAAA'\">";
    let style = "<style>a { b: url(/i.png) }</style>";
    let sheet = "<link rel=stylesheet href=/s.css integrity=sha256-AAAA>";
    let pages = [
        (format!("{policy}{style}"), true),
        (format!("{policy}<p style='b: url(/i.png)'>"), true),
        (sheet.to_owned(), true),
        (format!("<base href=http://h/>{sheet}"), true),
        (format!("{policy}<a href=/x>"), false),
        (format!("{policy}<style>a {{}}</style><a href=/x>"), false),
        (format!("{}{style}", policy.replace("sha256-AAAA", "self")), false),
        (sheet.replace("/s.css", "http://cdn.example/s.css"), false),
        (sheet.replace("/s.css", "/t.css"), false),
        ("<script src=/s.js integrity=sha256-AAAA></script>".to_owned(), false),
    ];
    let site = Site::new(&[("site/t.css", "")]);
    for (number, (page, _)) in pages.iter().enumerate() {
        site.write(format!("site/{number}.html"), page);
    }
    let rewrite =
        "rewrite -b http://h/ --map http://h/=http://new/sub/ --map http://cdn.example/=http://c/";
    for (number, (page, is_stale)) in pages.iter().enumerate() {
        let run = site
            .absolve(&format!("{rewrite} --root-dir site site/t.css site/{number}.html -o out"));
        assert_eq!(run.stderr.contains("stay in 1 page"), *is_stale, "{page}\n{}", run.stderr);
        fs::remove_dir_all(site.path("out")).unwrap();
    }
    let number = pages.iter().filter(|(_, is_stale)| *is_stale).count();
    site.absolve(&format!("{rewrite} site -o out")).says(&[&format!("stay in {number} pages")]);
}

/// All URLs lead to files on the disk.
struct Disk;

impl Targets for Disk {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        Placement::InSite(Cow::Borrowed(url))
    }

    fn is_on_disk(&self) -> bool {
        true
    }
}

#[test]
fn removed_attributes_are_edits_like_others() {
    let page = "<meta charset=utf-8><script integrity=a src=/x.js crossorigin>\u{e9}</script>\
        <link crossorigin integrity='b'href=/s.css><p>\u{e9}";
    let utf_16 = page.encode_utf16().flat_map(u16::to_le_bytes);
    let utf_16: Vec<u8> = [0xff, 0xfe].into_iter().chain(utf_16).collect();
    let direction = Direction::new(Form::Relative).targets(Arc::new(Disk));
    let rewriter = Rewriter::new().base_url("http://h/p").unwrap().policy(direction.into());
    for source in [page.as_bytes(), &utf_16] {
        let (mut out, mut done) = (Vec::new(), 0);
        let edit = |span: std::ops::Range<usize>, bytes: &[u8]| {
            out.extend_from_slice(&source[done..span.start]);
            out.extend_from_slice(bytes);
            done = span.end;
        };
        rewriter.edits(source, &mut Buffers::new(), None, edit).unwrap();
        out.extend_from_slice(&source[done..]);
        assert_eq!(rewriter.rewrite(source).unwrap().bytes(), out);
        assert!(!rewriter.rewrite(&out).unwrap().is_changed());
        assert!(!String::from_utf8_lossy(&out).replace('\0', "").contains("integrity"));
    }
}
