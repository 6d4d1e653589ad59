//! Extracted crawls, opened by Chromium from the disk and written by wget, warcio and pywb.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use libtest_mimic::Trial;

use super::browser::{Browser, no_chromium};
use super::server::{SITE, Server};
use super::trial::{no_module, no_program, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a crawl in Chromium", &[no_chromium()], opens_a_made_crawl),
        trial(
            "a crawl by wget in Chromium",
            &[no_chromium(), no_program("wget")],
            opens_a_crawl_of_wget,
        ),
        trial(
            "a crawl by warcio in Chromium",
            &[no_chromium(), no_module("warcio")],
            opens_a_crawl_of_warcio,
        ),
        trial(
            "a crawl by pywb in Chromium",
            &[no_chromium(), no_program("wayback")],
            opens_a_crawl_of_pywb,
        ),
    ]
}

/// A picture that has a size.
const SVG: &[u8] =
    b"<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'><rect width='4' height='4'/></svg>";

/// Encodings that pages of the crawl declare in their header, and one that a byte order mark does.
const ENCODINGS: &[&str] = &[
    "utf-8",
    "windows-1252",
    "iso-8859-2",
    "koi8-r",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "euc-kr",
    "gbk",
    "gb18030",
    "big5",
    "utf-16le",
];

fn response(url: &str, status: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{fields}\r\n");
    record("response", url, "", &[head.as_bytes(), body].concat())
}

fn record(kind: &str, url: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A crawl of two hosts in two archives: queries, redirects, an error, encodings, codings and a
/// revisit. Every page has one picture, one style sheet, and no picture that the crawl lacks.
fn write_crawl(folder: &Path) {
    let html = "Content-Type: text/html\r\n";
    let page = |links: &str| {
        format!(
            "<!doctype html><link rel=stylesheet href='//site.example/style.php?v=1'>\
             <img src=//pictures.example/i.svg?size=4 srcset='//site.example/moved.svg 2x'>{links}"
        )
    };
    let mut links = String::new();
    for name in ENCODINGS {
        let _ = write!(links, "<a href='{name}.html#x'>{name}</a>");
    }
    links += "<a href='list.php?page=2'>2</a><a href=/old>old</a><a href=/gone>gone</a>\
              <a href=https://pictures.example/>p</a><a href=d/>d</a>";
    let first = page(&links);
    let body = |path: &str| format!("http://site.example{path}");
    let chunked =
        |body: &[u8]| [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n0\r\n\r\n"].concat();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    std::io::Write::write_all(&mut gzip, page("<a href=/>up</a>").as_bytes()).unwrap();
    let coded = format!("{html}Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n");
    let mut records = vec![
        response(&body("/"), "200 OK", html, first.as_bytes()),
        response(&body("/list.php?page=2"), "200 OK", &coded, &chunked(&gzip.finish().unwrap())),
        response(&body("/old"), "301 Moved", "Location: /d/#x\r\n", b""),
        response(
            &body("/moved.svg"),
            "302 Found",
            "Location: //pictures.example/i.svg?size=4\r\n",
            b"",
        ),
        response(&body("/gone"), "404 Not Found", html, b"<p>gone"),
        response(
            &body("/style.php?v=1"),
            "200 OK",
            "Content-Type: text/css\r\n",
            b"@import '/d/more.css'; body { background: url(//pictures.example/i.svg?size=4) }",
        ),
    ];
    for name in ENCODINGS {
        let encoding = encoding_rs::Encoding::for_label(name.as_bytes()).unwrap();
        let text = page("<a href=/?x>\u{e9}</a>");
        let (bytes, field) = if *name == "utf-16le" {
            let bytes =
                format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
            (bytes, html.to_owned())
        } else {
            let bytes = encoding.encode(&text).0.into_owned();
            (bytes, format!("Content-Type: text/html; charset={name}\r\n"))
        };
        records.push(response(&body(&format!("/{name}.html")), "200 OK", &field, &bytes));
    }
    fs::write(folder.join("1.warc"), records.concat()).unwrap();
    fs::write(folder.join("2.warc"), second_archive(&page).concat()).unwrap();
}

/// The other host, a revisit of one of its records, and a page.
fn second_archive(page: &dyn Fn(&str) -> String) -> Vec<Vec<u8>> {
    let html = "Content-Type: text/html\r\n";
    let body = |path: &str| format!("http://site.example{path}");
    let svg = "Content-Type: image/svg+xml\r\n";
    let sheet = b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\np { color: red }";
    vec![
        response(
            "http://pictures.example/",
            "200 OK",
            html,
            page("<a href=//site.example/>s</a>").as_bytes(),
        ),
        response("https://pictures.example/i.svg?size=4", "200 OK", svg, SVG),
        record(
            "response",
            "http://pictures.example/more.css",
            "WARC-Payload-Digest: sha1:A\r\n",
            sheet,
        ),
        record(
            "revisit",
            &body("/d/more.css"),
            "WARC-Payload-Digest: sha1:A\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n",
        ),
        response(&body("/d/"), "200 OK", html, page("<a href=..>up</a>").as_bytes()),
    ]
}

fn extract(folder: &Path, archives: &[&str]) -> PathBuf {
    let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
    command.arg("extract").args(archives).args(["-o", "out", "--to", "relative"]);
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("out")
}

fn opens_a_made_crawl(folder: &Path) {
    write_crawl(folder);
    let out = extract(folder, &["1.warc", "2.warc"]);
    let opened = opens(&out, &["http://site.example/gone", "http://site.example/?x"]);
    assert_eq!(opened, ENCODINGS.len() + 4);
}

fn opens_a_crawl_of_wget(folder: &Path) {
    let server = Server::start();
    let url = format!("{}/index.html", server.url);
    let crawl = ["-q", "-r", "-l", "inf", "-p", "--delete-after", "--warc-file=crawl", &url];
    run(folder, "wget", &crawl);
    opens_site(folder, "crawl.warc.gz");
}

/// Fetches URLs, and records what the client library of Python gets.
const CAPTURE: &str = "
import sys
from urllib.request import urlopen
from warcio.capture_http import capture_http
with capture_http('crawl.warc.gz'):
    for url in sys.argv[1:]:
        urlopen(url).read()
";

fn opens_a_crawl_of_warcio(folder: &Path) {
    fetch(folder, CAPTURE);
    opens_site(folder, "crawl.warc.gz");
}

fn opens_a_crawl_of_pywb(folder: &Path) {
    run(folder, "wb-manager", &["init", "rec"]);
    fetch(folder, include_str!("crawl/record.py"));
    opens_site(folder, "collections/rec/archive");
}

/// Runs a script that gets the URLs of the site.
fn fetch(folder: &Path, script: &str) {
    let server = Server::start();
    let urls: Vec<_> = SITE.iter().map(|(path, ..)| server.url_of(path)).collect();
    let urls = urls.iter().map(String::as_str);
    run(folder, "python3", &["-c", script].into_iter().chain(urls).collect::<Vec<_>>());
}

#[track_caller]
fn opens_site(folder: &Path, archives: &str) {
    let out = extract(folder, &[archives]);
    assert_eq!(opens(&out, &["http://other.invalid/o?x=1&y=2"]), 6);
}

/// Opens every page from the disk: it requests files alone, its picture and its style are there, and
/// each link leads to a file, or is one of these. Returns the number of pages.
#[track_caller]
fn opens(out: &Path, outside: &[&str]) -> usize {
    let mut browser = Browser::start();
    browser.watch_requests();
    let table = fs::read_to_string(out.join("absolve-urls.tsv")).unwrap();
    let rows = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let pages: Vec<_> =
        rows.filter(|row| row[4] == "text/html").map(|row| row[0].to_owned()).collect();
    for page in &pages {
        browser.open_file(&out.join(page.replace('%', "%25").replace('?', "%3F")));
        for url in browser.requests() {
            assert!(url.starts_with("file:///"), "{page}: {url}");
        }
        let seen = browser.evaluate(
            "({ links: [...document.links].map(link => link.href),
                broken: [...document.images].filter(image => !image.naturalWidth).length,
                sheets: [...document.querySelectorAll('link[rel=stylesheet]')]
                    .filter(link => !link.sheet).length })",
        );
        assert_eq!((&seen["broken"], &seen["sheets"]), (&0.into(), &0.into()), "{page}: {seen}");
        for link in seen["links"].as_array().unwrap() {
            let link = link.as_str().unwrap();
            let path = link.split('#').next().unwrap().strip_prefix("file://");
            let is_file = |path: &str| {
                let path = percent_encoding::percent_decode_str(path).decode_utf8().unwrap();
                Path::new(&*path).is_file()
            };
            assert!(path.map_or(outside.contains(&link), is_file), "{page}: {link}");
        }
    }
    pages.len()
}
