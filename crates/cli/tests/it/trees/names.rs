//! Names: not UTF-8, hard to print, chosen by patterns.

use super::site::{PAGE, Site, done};

#[test]
fn a_name_cannot_pretend_to_be_a_message() {
    let site = Site::small();
    site.write("site/x\nabsolve: y.html", PAGE);
    site.absolve("-v rewrite -b http://h/ site -n -w")
        .ends(0)
        .says(&["site/x\\nabsolve: y.html: base URL"]);
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
    chosen("--include *.php --include *.txt", &["c.php", "d/e/g.txt"]);
    chosen("--exclude d", &["a.html", "b.HTM"]);
    chosen("--exclude a.*", &["b.HTM", "d/e/f.shtml"]);
    chosen("--exclude /a.html", &["b.HTM", "d/a.html", "d/e/f.shtml"]);
    chosen("--exclude d/**", &["a.html", "b.HTM"]);
    chosen("--exclude d --include *.html", &["a.html", "d/a.html"]);
    chosen("--exclude *", &[]);
}

#[test]
fn what_patterns_leave_out_is_taken_along_as_it_is() {
    let site = Site::small();
    site.absolve("rewrite -b http://h/ site -o out --exclude d --copy-assets").ends(0);
    site.holds("out", &[("a.html", &done("")), ("d/b.html", PAGE), ("s.css", "a{}")]);
}

#[test]
fn a_file_that_is_given_is_a_document_unless_its_name_is_that_of_another_format() {
    let site = Site::new(&[("a.aspx", PAGE), ("b.html", PAGE), ("c.json", PAGE)]);
    site.absolve("rewrite -b http://h/ --root-dir . a.aspx b.html -w --exclude b*").ends(0);
    for name in ["a.aspx", "b.html"] {
        site.has(name, &done(""));
    }
    let message = "c.json: not HTML: JSON by its name; read it as HTML anyway (--as html)";
    for args in [
        "rewrite -b http://h/ c.json",
        "rewrite -b http://h/ c.json -w",
        "rewrite -b http://h/ c.json b.html -w --root-dir .",
        "rewrite -b http://h/ c.json b.html --diff --root-dir .",
        "links c.json",
        "links c.json b.html",
    ] {
        site.absolve(args).ends(2).says(&[message]);
        site.has("c.json", PAGE);
    }
    site.absolve("rewrite -b http://h/ c.json --as html -o c.html").ends(0);
    site.has("c.html", &done(""));
    site.write("d.foo", b"#include <a.h>");
    site.write("page", b"no tag");
    site.write("e.php", b"<!DOCTYPE html><a href=x>");
    for (args, message) in [
        (
            "links d.foo b.html",
            "d.foo: not HTML: an unknown extension, and no HTML at the beginning;",
        ),
        (
            "rewrite page",
            "page: not HTML: plain text without a tag; read it as HTML anyway (--as html)",
        ),
    ] {
        site.absolve(args).ends(2).says(&[message]);
    }
    site.absolve("links e.php").ends(0);
    site.absolve("links no.json").ends(2).says(&["no such file or directory"]);
}
