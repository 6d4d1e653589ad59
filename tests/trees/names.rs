//! Names: not UTF-8, hard to print, chosen by patterns.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::site::{PAGE, Site, done};

fn has_names_that_are_not_utf_8(site: &Site) -> bool {
    let name = OsStr::from_bytes(b"site/\xe9 d");
    fs::create_dir_all(site.path(name)).is_ok()
}

#[test]
fn a_name_that_is_not_utf_8_is_kept_and_encoded() {
    let site = Site::small();
    if !has_names_that_are_not_utf_8(&site) {
        return;
    }
    let page = OsStr::from_bytes(b"site/\xe9 d/\xff.html");
    site.write(page, PAGE);
    site.absolve("rewrite -b http://h/ site -o out").ends(0);
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    for root in ["out", "site"] {
        let path = OsStr::from_bytes(b"\xe9 d/\xff.html");
        assert_eq!(fs::read_to_string(site.path(root).join(path)).unwrap(), done("%E9%20d/"));
    }
}

#[test]
fn links_give_the_bytes_of_a_name_that_is_not_utf_8() {
    let site = Site::small();
    if !has_names_that_are_not_utf_8(&site) {
        return;
    }
    site.write(OsStr::from_bytes(b"site/\xe9 d/a.html"), PAGE);
    let run = site.absolve("links -b http://h/ site --format jsonl").ends(0);
    let links: Vec<serde_json::Value> = run
        .stdout
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert_eq!(links.len(), 3);
    assert!(links[0].get("file_bytes").is_none());
    let bytes = links[2]["file_bytes"].as_array().unwrap();
    let bytes: Vec<u8> =
        bytes.iter().map(|byte| u8::try_from(byte.as_u64().unwrap()).unwrap()).collect();
    assert_eq!(bytes, b"site/\xe9 d/a.html");
    assert_eq!(links[2]["file"], "site/\u{fffd} d/a.html");
    assert_eq!(links[2]["url"], "http://h/%E9%20d/x");
}

#[test]
fn a_name_cannot_pretend_to_be_a_message() {
    let site = Site::small();
    site.write("site/x\nabsolve: y.html", PAGE);
    site.absolve("-v rewrite -b http://h/ site -n -w")
        .ends(0)
        .says(&["site/x\\nabsolve: y.html: base URL"]);
}

/// What is listed can be given back.
#[test]
fn changed_documents_are_listed_under_their_names() {
    let site = Site::small();
    if !has_names_that_are_not_utf_8(&site) {
        return;
    }
    site.write(OsStr::from_bytes(b"site/\xe9 d/a.html"), PAGE);
    site.write("site/none.html", "");
    let run = site.absolve("rewrite -l -b http://h/ site").ends(0);
    assert_eq!(run.stdout, b"site/a.html\nsite/d/b.html\nsite/\xe9 d/a.html\n");
    fs::write(site.path("list"), run.stdout).unwrap();
    site.absolve("rewrite -b http://h/ --root-dir site --files-from list -w").ends(0);
    site.absolve("rewrite --check -b http://h/ site").ends(0);
}

/// Of a small site, options choose these documents.
#[track_caller]
fn chosen(options: &str, names: &[&str]) {
    let site = Site::new(&[]);
    for name in ["a.html", "b.HTM", "c.php", "d/a.html", "d/e/f.shtml", "d/e/g.txt"] {
        site.write(format!("site/{name}"), PAGE);
    }
    let run =
        site.absolve(&format!("rewrite -l -b http://h/ site --allow-empty {options}")).ends(0);
    let expected: String = names.iter().flat_map(|name| ["site/", name, "\n"]).collect();
    assert_eq!(String::from_utf8(run.stdout).unwrap(), expected, "{options}");
}

#[test]
fn patterns_choose_documents_and_the_last_one_decides() {
    chosen("", &["a.html", "b.HTM", "d/a.html", "d/e/f.shtml"]);
    chosen("--include *.php", &["c.php"]);
    chosen("--include *.php --include *.txt", &["c.php", "d/e/g.txt"]);
    chosen("--exclude d", &["a.html", "b.HTM"]);
    chosen("--exclude a.*", &["b.HTM", "d/e/f.shtml"]);
    chosen("--exclude /a.html", &["b.HTM", "d/a.html", "d/e/f.shtml"]);
    chosen("--exclude d/*.html", &["a.html", "b.HTM", "d/e/f.shtml"]);
    chosen("--exclude d/**", &["a.html", "b.HTM"]);
    chosen("--include *.html --exclude d", &["a.html"]);
    chosen("--exclude d --include *.html", &["a.html", "d/a.html"]);
    chosen("--exclude * --include a.html", &["a.html", "d/a.html"]);
    chosen("--exclude *", &[]);
}

#[test]
fn what_patterns_leave_out_is_taken_along_as_it_is() {
    let site = Site::small();
    site.absolve("rewrite -b http://h/ site -o out --exclude d --copy-assets").ends(0);
    site.holds("out", &[("a.html", &done("")), ("d/b.html", PAGE), ("s.css", "a{}")]);
}

#[test]
fn a_file_that_is_given_is_a_document_whatever_its_name() {
    let site = Site::new(&[("a.php", PAGE), ("b.html", PAGE)]);
    site.absolve("rewrite -b http://h/ --root-dir . a.php b.html -w --exclude b*").ends(0);
    site.has("a.php", &done(""));
    site.has("b.html", &done(""));
}
