//! The files that the commands of the tables are given.

use std::fs;

use crate::trees::site::{PAGE, Site};

/// Files whose names say what is wrong with them, and good ones.
const FILES: &[(&str, &str)] = &[
    ("page.html", PAGE),
    ("other.html", PAGE),
    ("long-base.html", "<base href=http://host/long/enough/><a href=x>1</a>\n"),
    ("deep.html", "<div><div><div><div><a href=x>1</a>\n"),
    ("deep.md", "- a\n- > [b](c)\n"),
    ("attributes.html", "<a href=x id=a class=b title=c>1</a>\n"),
    ("srcdoc.html", "<iframe srcdoc=\"<iframe srcdoc='<a href=x>1</a>'></iframe>\"></iframe>\n"),
    ("changes.html", "<a href=x><table><a href=y></a></table></a>\n"),
    ("empty/", ""),
    ("full/notes.txt", "mine\n"),
    ("site/index.html", "<a href=page.html>1</a>\n"),
    ("site/page.html", "<a href=index.html>1</a>\n"),
    ("site/_redirects", "/old /page.html\n"),
    ("site/sub/page.html", PAGE),
    ("pages/one.html", PAGE),
    ("more/pages/one.html", PAGE),
    ("list.txt", "page.html\nother.html\n"),
    ("outside.txt", "../outside.html\n"),
    ("below.txt", "site/page.html\nmore/pages/one.html\n"),
    ("map/relative-url.tsv", "http://host/\tnew\n"),
    ("map/twice.tsv", "http://host/\thttp://a/\nhttp://host/\thttp://b/\n"),
    ("baseline/not-json.jsonl", "findings\n"),
    ("baseline/number.jsonl", "{\"file\":1,\"rule\":\"broken-link\"}\n"),
    ("image/a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>"),
    ("baseline/count.jsonl", "{\"file\":\"a\",\"rule\":\"broken-link\",\"count\":\"two\"}\n"),
    ("baseline/bytes.jsonl", "{\"file\":\"a\",\"rule\":\"broken-link\",\"file_bytes\":\"a\"}\n"),
    ("history/not-a-run.jsonl", "{\"rule\":\"broken-link\"}\n"),
    ("history/no-end.jsonl", "{\"date\":\"2026-01-31"),
    ("read-only.html", PAGE),
    ("backups/page.html", PAGE),
    ("backups/page.html.orig", "an older version\n"),
    ("linked/page.html", PAGE),
    ("crawl.wacz", "PK\u{3}\u{4}"),
    ("book.epub", EMPTY_ZIP),
    ("no-header.eml", "<p>no message\n"),
    ("parts.eml", PARTS),
    ("long-header.eml", "Subject: a message with a long header\r\n\r\n"),
];

/// A ZIP file without members.
const EMPTY_ZIP: &str = "PK\u{5}\u{6}\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

/// A message with a message in it, whose only part is a page.
const PARTS: &str = "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n\
    Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\
    Content-Type: text/html\r\n\r\n<a href=x>1</a>\r\n--b--\r\n--a--\r\n";

/// Files that begin like files of other types.
const FOREIGN: &[(&str, &[u8])] = &[
    ("map/latin1.tsv", b"http://host/\thttp://new/\n\nhttp://host/\xe9\thttp://new/e\n"),
    ("foreign/zstd.html", b"\x28\xb5\x2f\xfd"),
    ("foreign/xz.html", b"\xfd7zXZ\x00"),
    ("foreign/bzip2.html", b"BZh91AY&SY"),
    ("foreign/rar.html", b"Rar!\x1a\x07"),
    ("foreign/page.c", b"#include <a.h>\n"),
    ("foreign/README", b"no tag\n"),
    ("foreign/page.kml", b"<?xml version='1.0'?><kml/>"),
    ("foreign/jpeg.html", b"\xff\xd8\xff"),
    ("foreign/outlook.eml", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ("foreign/ar.html", b"!<arch>\n"),
    ("foreign/controls.html", b"\x01\x02\x03\x04\x05\x06\x07\x08\x10\x11"),
];

/// Configurations that `--config` names, in `config`.
const NAMED: &[(&str, &str)] = &[
    ("not-toml", "[audit\n"),
    ("unquoted", "[audit]\npath = public/site # built\n"),
    ("huge-number", "[audit]\njobs = 999999999999999999999999999999999999999999\n"),
    ("size", "[limits]\ninput = true\n"),
    ("limit-key", "[audit]\nlimit = ['input=1']\n"),
    ("text", "[audit]\nbase-url = 1\n"),
    ("url", "[audit]\nbase-url = 'host'\n"),
    ("lazy", "[audit]\nonly = ['href', 'src,data-src']\n"),
    ("other-command", "[rewrite]\nbackup = 'a/b'\n"),
];

/// Configurations that the command finds: each is in a folder of its own in `found`, beside a
/// folder `site`.
const FOUND: &[(&str, &str)] = &[
    ("write", "[rewrite]\npath = 'site'\nwrite = true\n"),
    ("path", "[rewrite]\npath = '../../site'\n"),
    ("own-folder", "[audit]\npath = '.'\n"),
    ("pipe", "[audit]\npath = 'site'\nbaseline = 'pipe'\n"),
    ("stdin", "[audit]\npath = 'site'\nbaseline = '/dev/stdin'\n"),
    ("report", "[audit]\npath = 'site'\nformat = ['json=report.json']\n"),
    ("hidden", "[rewrite]\npath = '.git'\n"),
    ("list", "[rewrite]\nfiles-from = 'list'\n"),
];

const HTTP: &str = "Content-Type: application/http;msgtype=response\r\n";

/// A record of a web archive, with one more header field.
fn record(kind: &str, field: &str, block: &str) -> String {
    let length = block.len();
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x>\r\n\
         WARC-Target-URI: http://host/\r\n{field}Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}

/// Makes a folder with all these files.
pub(crate) fn site() -> Site {
    let site = Site::new(FILES);
    for &(name, bytes) in FOREIGN {
        site.write(name, bytes);
    }
    for (name, text) in NAMED {
        site.write(format!("config/{name}.toml"), text);
    }
    site.write("config/large.toml", "#".repeat((1 << 20) + 1));
    for (name, text) in FOUND {
        let path = |name_in: &str| format!("found/{name}/{name_in}");
        site.write(path("absolve.toml"), text);
        site.write(path("site/page.html"), "<p>no links\n");
        site.write(path("list"), "to-outside\n");
        site.write(path(".git/x.html"), PAGE);
        site.link("../../page.html", &path("to-outside"));
        site.pipe(&path("pipe"));
    }
    site.write("found/linked/", "");
    site.link("../../config/url.toml", "found/linked/absolve.toml");
    site.link("page.html", "to-page.html");
    site.link("nowhere", "to-nowhere");
    site.link("loop", "loop");
    site.pipe("pipe");
    site.link("/dev/null", "pipe.wacz");
    fs::hard_link(site.path("linked/page.html"), site.path("linked/other.txt")).unwrap();
    archives(&site);
    site.set_mode("read-only.html", 0o444);
    site
}

fn archives(site: &Site) {
    let html = "Content-Type: text/html\r\n";
    let good = record("resource", html, PAGE);
    site.write("good.warc", &good);
    let broken = |from: &str, to: &str| good.replacen(from, to, 1);
    site.write("warc/length.warc", broken("Content-Length: 16", "Content-Length: x"));
    site.write("warc/cut.warc", &good[..60]);
    site.write("warc/no-scheme.warc", broken("http://host/", "host/"));
    let original =
        "WARC-Refers-To-Target-URI: http://h/a\r\nWARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n";
    site.write("warc/revisit.warc", record("revisit", original, "HTTP/1.1 200 OK\r\n\r\n"));
    site.write("warc/two.warc", good.clone() + &good);
    let response = |fields: &str, body: &str| {
        let http = format!("HTTP/1.1 200 OK\r\n{html}{fields}\r\n{body}");
        record("response", HTTP, &http)
    };
    for (name, record) in [
        ("coding", response("Content-Encoding: compress\r\n", PAGE)),
        ("damaged-coding", response("Content-Encoding: deflate\r\n", "x")),
        ("chunk-size", response("Transfer-Encoding: chunked\r\n", "1\r\na\r\nx\r\n")),
    ] {
        site.write(format!("warc/{name}.warc"), record);
    }
}
