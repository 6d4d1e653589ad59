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
    ("two.html", "<a href=x>1</a>\n<a href=y>2</a>\n"),
    ("empty/", ""),
    ("full/notes.txt", "mine\n"),
    ("site/index.html", "<a href=page.html>1</a>\n"),
    ("site/page.html", "<a href=index.html>1</a>\n"),
    ("site/_redirects", "/old /page.html\n"),
    ("rules.toml", "[[redirects]]\nfrom = /a\n"),
    ("site/sub/page.html", PAGE),
    ("pages/one.html", PAGE),
    ("more/pages/one.html", PAGE),
    ("list.txt", "page.html\nother.html\n"),
    ("outside.txt", "../outside.html\n"),
    ("below.txt", "site/page.html\nmore/pages/one.html\n"),
    ("base-map/no-tab.tsv", "page.html http://host/\n"),
    ("base-map/no-path.tsv", "\thttp://host/\n"),
    ("base-map/relative-url.tsv", "page.html\tpage.html\n"),
    ("base-map/twice.tsv", "page.html\thttp://host/a\npage.html\thttp://host/b\n"),
    ("map/no-tab.tsv", "http://host/a http://host/b\n"),
    ("map/relative-url.tsv", "http://host/\tnew\n"),
    ("map/twice.tsv", "http://host/\thttp://a/\nhttp://host/\thttp://b/\n"),
    ("baseline/not-json.jsonl", "findings\n"),
    ("baseline/list.jsonl", "[1]\n"),
    ("baseline/no-rule.jsonl", "{\"file\":\"page.html\"}\n"),
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
    ("no-package.wacz", EMPTY_ZIP),
    ("book.epub", EMPTY_ZIP),
    ("crawl.warc.open", "WARC/1.1\r\n"),
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

/// Files that begin as those of another kind do: their names, and the bytes.
const FOREIGN: &[(&str, &[u8])] = &[
    ("map/latin1.tsv", b"http://host/\thttp://new/\n\nhttp://host/\xe9\thttp://new/e\n"),
    ("foreign/gzip.html", b"\x1f\x8b\x08\x00"),
    ("foreign/zstd.html", b"\x28\xb5\x2f\xfd"),
    ("foreign/xz.html", b"\xfd7zXZ\x00"),
    ("foreign/bzip2.html", b"BZh91AY&SY"),
    ("foreign/zip.html", b"PK\x03\x04"),
    ("foreign/book.html", b"PK\x03\x04..........................mimetypeapplication/epub+zip"),
    ("foreign/7z.html", b"7z\xbc\xaf\x27\x1c"),
    ("foreign/rar.html", b"Rar!\x1a\x07"),
    ("foreign/warc.html", b"WARC/1.1\r\n"),
    ("foreign/arc.html", b"filedesc://x.arc 0.0.0.0 "),
    ("foreign/crawl.arc.gz", b"\x1f\x8b\x08\x00"),
    ("foreign/page.json", b"{}\n"),
    ("foreign/a.php", b"<?php echo 1 ?>"),
    ("foreign/template.html", b"{% extends 'x' %}"),
    ("foreign/api.html", b"{\"a\": 1}"),
    ("foreign/page.c", b"#include <a.h>\n"),
    ("foreign/README", b"no tag\n"),
    ("foreign/guide.rst", b"no tag\n"),
    ("foreign/text", b"no tag\n"),
    ("foreign/page.kml", b"<?xml version='1.0'?><kml/>"),
    ("foreign/png.html", b"\x89PNG\r\n\x1a\n"),
    ("foreign/jpeg.html", b"\xff\xd8\xff"),
    ("foreign/gif.html", b"GIF89a"),
    ("foreign/webp.html", b"RIFF\0\0\0\0WEBPVP8"),
    ("foreign/pdf.html", b"%PDF-"),
    ("foreign/woff.html", b"wOF2\x00\x01\x00\x00\x00\x00"),
    ("foreign/woff-of-otf.html", b"wOF2OTTO\x00\x00\x9c\x40"),
    ("foreign/lz4.html", b"\x04\x22\x4d\x18"),
    ("foreign/bmp.html", b"BM\x7a\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00"),
    ("foreign/icon.html", b"\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00"),
    ("foreign/cursor.html", b"\x00\x00\x02\x00\x01\x00\x10\x10\x00\x00\x01\x00"),
    ("foreign/tiff.html", b"II*\x00\x08\x00\x00\x00"),
    ("foreign/windows.html", b"MZ\x90\x00\x03\x00\x00\x00"),
    ("foreign/mach-o.html", b"\xcf\xfa\xed\xfe"),
    ("foreign/class.html", b"\xca\xfe\xba\xbe\x00"),
    ("foreign/doc.html", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ("foreign/outlook.eml", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ("foreign/webm.html", b"\x1a\x45\xdf\xa3"),
    ("foreign/flac.html", b"fLaC\x00"),
    ("foreign/wave.html", b"RIFF\x24\x08\x00\x00WAVEfmt "),
    ("foreign/truetype.html", b"\x00\x01\x00\x00\x00"),
    ("foreign/opentype.html", b"OTTO\x00"),
    ("foreign/photoshop.html", b"8BPS\x00"),
    ("foreign/jp2.html", b"\x00\x00\x00\x0cjP  "),
    ("foreign/ar.html", b"!<arch>\n"),
    ("foreign/controls.html", b"\x01\x02\x03\x04\x05\x06\x07\x08\x10\x11"),
    ("foreign/zip.warc", b"PK\x03\x04"),
    ("foreign/png.warc", b"\x89PNG\r\n\x1a\n"),
    ("foreign/lz4.warc", b"\x04\x22\x4d\x18"),
    ("foreign/avif.html", b"\x00\x00\x00\x20ftypavif\x00\x00\x00\x00"),
    ("foreign/mp4.html", b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00"),
    ("foreign/ogg.html", b"OggS\x00\x02"),
    ("foreign/mp3.html", b"ID3\x04\x00\x00"),
    ("foreign/wasm.html", b"\x00asm"),
    ("foreign/sqlite.html", b"SQLite format 3\x00"),
    ("foreign/elf.html", b"\x7fELF"),
];

/// Configurations that `--config` names, in `config`.
const NAMED: &[(&str, &str)] = &[
    ("not-toml", "[audit\n"),
    ("unquoted", "[audit]\npath = public/site # built\n"),
    ("unquoted-list", "[audit]\nexclude = [drafts, old]\n"),
    ("twice", "[audit]\njobs = 1\njobs = 2\n"),
    ("table", "[adit]\n"),
    ("other-table", "[links]\n"),
    ("no-table", "base-url = 'http://host/'\n"),
    ("not-a-table", "audit = true\n"),
    ("key", "[audit]\nbase-ulr = 'http://host/'\n"),
    ("alias", "[rewrite]\nin-place = true\n"),
    ("audit-alias", "[audit]\nbase = 'http://host/'\n"),
    ("base-alias", "[rewrite]\nbase = 'http://host/'\n"),
    ("other-key", "[audit]\ntitle = 'x'\n"),
    ("typed-key", "[audit]\nno-config = true\n"),
    ("flag", "[audit]\nmeta = 'yes'\n"),
    ("number", "[audit]\njobs = 'two'\n"),
    ("huge-number", "[audit]\njobs = 999999999999999999999999999999999999999999\n"),
    ("large-number", "[audit]\njobs = 1000\n"),
    ("size", "[limits]\ninput = true\n"),
    ("bad-size", "[limits]\ninput = '1x'\n"),
    ("limit", "[limits]\ninputs = 1\n"),
    ("limit-key", "[audit]\nlimit = ['input=1']\n"),
    ("text", "[audit]\nbase-url = 1\n"),
    ("list", "[audit]\nrule = 'broken-link=warn'\n"),
    ("element", "[audit]\nrule = [1]\n"),
    ("paths", "[rewrite]\npath = 1\n"),
    ("url", "[audit]\nbase-url = 'host'\n"),
    ("rule", "[audit]\nrule = ['broken-links=warn']\n"),
    ("level", "[audit]\nrule = ['broken-link=warning1']\n"),
    ("choice", "[audit]\nserver = 'apache'\n"),
    ("empty-value", "[audit]\nserver = ''\n"),
    ("pattern", "[audit]\ninclude = ['a[']\n"),
    ("attribute", "[rewrite]\nonly = ['hrf']\n"),
    ("lazy", "[audit]\nonly = ['href', 'src,data-src']\n"),
    ("together", "[rewrite]\nwrite = true\noutput = 'out'\n"),
    ("other-command", "[rewrite]\nbackup = 'a/b'\n"),
];

/// Configurations that are found, each in a folder of its own in `found`, beside a folder `site`.
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

/// A folder with all of them.
pub(crate) fn site() -> Site {
    let site = Site::new(FILES);
    for &(name, bytes) in FOREIGN {
        site.write(name, bytes);
    }
    site.write("foreign/tar.html", [&[b'a'; 257][..], b"ustar\x0000"].concat());
    for (name, text) in NAMED {
        site.write(format!("config/{name}.toml"), text);
    }
    site.write("config/latin1.toml", b"[audit]\nbase-url = 'http://h\xf6st/'\n");
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
    site.link("site", "to-site");
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
    site.link("good.warc", "to-good.warc");
    site.write("linked/a.warc", &good);
    fs::hard_link(site.path("linked/a.warc"), site.path("linked/b.warc")).unwrap();
    let broken = |from: &str, to: &str| good.replacen(from, to, 1);
    site.write("warc/length.warc", broken("Content-Length: 16", "Content-Length: x"));
    site.write("warc/long.warc", broken("Content-Length: 16", "Content-Length: 99"));
    site.write("warc/short.warc", broken("Content-Length: 16", "Content-Length: 9") + &good);
    site.write("warc/no-length.warc", broken("Content-Length: 16\r\n", ""));
    site.write("warc/cut.warc", &good[..60]);
    site.write("warc/no-scheme.warc", broken("http://host/", "host/"));
    site.write("warc/text.warc", "<p>no archive\n");
    let of =
        "WARC-Refers-To-Target-URI: http://h/a\r\nWARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n";
    site.write("warc/revisit.warc", record("revisit", of, "HTTP/1.1 200 OK\r\n\r\n"));
    site.write("warc/two.warc", good.clone() + &good);
    let response = |fields: &str, body: &str| {
        let http = format!("HTTP/1.1 200 OK\r\n{html}{fields}\r\n{body}");
        record("response", HTTP, &http)
    };
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (name, record) in [
        ("coding", response("Content-Encoding: compress\r\n", PAGE)),
        ("codings", response(&format!("Content-Encoding: {}\r\n", "gzip,".repeat(99)), PAGE)),
        ("damaged-coding", response("Content-Encoding: deflate\r\n", "x")),
        ("chunk-size", response(chunked, "1\r\na\r\nx\r\n")),
        ("chunk-cut", response(chunked, "99\r\nabc")),
        ("chunk-missing", response(chunked, "1\r\na\r\n")),
        ("chunk-long", response(chunked, "1\r\nabc\r\n0\r\n\r\n")),
    ] {
        site.write(format!("warc/{name}.warc"), record);
    }
}
