//! Files that are not documents, whatever their names say.

use std::fs;

use super::site::{PAGE, Site, done};

const GZIP: &[u8] = b"\x1f\x8b\x08\x00<a href=x>1</a>\n";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n<a href=x>1</a>\n";
const IS_GZIP: &str = "not HTML: gzip-compressed data; decompress it first (gzip -d), or read it as a web archive if it is one (links --as warc, or extract)";
const IS_PNG: &str = "not HTML: a PNG image; read it as HTML anyway (--as html)";

/// Files that no command reads as documents: name, content, and message.
const FOREIGN: &[(&str, &[u8], &str)] = &[
    ("saved", b"filedesc://x.arc 0.0.0.0 ", "not HTML: an ARC archive; convert it to WARC first"),
    ("crawl.arc.gz", GZIP, "not HTML: an ARC archive by its name; convert it to WARC first"),
    ("saved.html", GZIP, IS_GZIP),
    ("saved.eml", GZIP, IS_GZIP),
    ("image", PNG, IS_PNG),
    (
        "crawl",
        b"WARC/1.1\r\n",
        "not HTML: a web archive; read it as a web archive (links --as warc, or extract)",
    ),
];

#[test]
fn what_is_no_document_is_an_error_that_names_it() {
    for &(name, content, message) in FOREIGN {
        let site = Site::new(&[]);
        site.write(name, content);
        let message = format!("{name}: {message}");
        for args in ["rewrite", "rewrite -w", "rewrite --check", "rewrite --diff", "links"] {
            let run = site.absolve(&format!("{args} {name} -b http://h/")).ends(2);
            let run = run.says(&[&message]);
            assert_eq!(run.stdout, b"", "{args} {name}");
        }
        site.absolve(&format!("links --root-dir . {name}")).ends(2).says(&[&message]);
        assert_eq!(fs::read(site.path(name)).unwrap(), content);
    }
}

#[test]
fn stdin_is_looked_at_too() {
    let site = Site::new(&[]);
    for (command, why) in [
        ("links", "stdin: not HTML: a web archive; read it as a web archive (links --as warc, or"),
        ("rewrite", "stdin: a web archive is read and not rewritten; write its pages as files: "),
    ] {
        site.absolve_with([command], "WARC/1.0\r\n").ends(2).says(&[why]);
        site.absolve_with([command, "--as", "html"], "WARC/1.0\r\n").ends(0);
    }
}

#[test]
fn in_a_folder_the_others_are_done() {
    let site = Site::small();
    site.write("site/i.html", PNG);
    site.write("site/z.html", GZIP);
    let messages = [&format!("site/i.html: {IS_PNG}")[..], &format!("site/z.html: {IS_GZIP}")];
    for args in ["rewrite -o out", "rewrite --diff", "links", "rewrite -w"] {
        site.absolve(&format!("{args} -b http://h/ site")).ends(2).says(&messages);
    }
    for folder in ["out", "site"] {
        site.has(&format!("{folder}/a.html"), &done(""));
    }
    assert!(!site.path("out/i.html").exists());
    let audit = site.absolve("audit site").ends(1);
    let findings = String::from_utf8(audit.stdout).unwrap();
    assert!(findings.contains("error[unreadable]: it is a PNG image, and no HTML"), "{findings}");
}

#[test]
fn a_damaged_wacz_archive_is_named() {
    let site = Site::new(&[("crawl.wacz", "")]);
    for command in ["links crawl.wacz", "extract crawl.wacz -o new"] {
        site.absolve(command).ends(2).says(&["crawl.wacz: not a ZIP file, or one that is cut off"]);
    }
}

#[test]
fn what_is_given_decides() {
    let site = Site::new(&[]);
    site.write("image.html", PNG);
    site.absolve("rewrite --as html -w image.html -b http://h/").ends(0);
    let written = fs::read(site.path("image.html")).unwrap();
    assert!(written.ends_with(done("").as_bytes()) && written.starts_with(&PNG[..8]));
    site.write("crawl.warc.open", "WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
    site.absolve("links crawl.warc.open").ends(0);
    // Bytes that text does not have are no reason.
    site.write("nul.html", [b"\0\x01\x02", PAGE.as_bytes()].concat());
    site.absolve("rewrite -w nul.html -b http://h/").ends(0);
    site.has("nul.html", &format!("\0\x01\x02{}", done("")));
}
