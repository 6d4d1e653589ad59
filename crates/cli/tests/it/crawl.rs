//! The files of a crawl, as `absolve extract` writes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::trees::archive::gzip;
use super::trees::site::Site;

/// A response of a URL at a second, with header fields and a body.
fn response(url: &str, second: u32, status: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{fields}\r\n");
    let block = [head.as_bytes(), body].concat();
    record("response", url, second, "", &block)
}

fn record(kind: &str, url: &str, second: u32, fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2026-01-01T00:00:{second:02}Z\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn html(url: &str, body: &str) -> Vec<u8> {
    response(url, 0, "200 OK", "Content-Type: text/html\r\n", body.as_bytes())
}

/// The files below a folder but for the tables and the page of entries, with their texts.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.contains('/') {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                found.insert(name, text);
            }
        }
    }
    found
}

#[track_caller]
fn extracts(records: &[Vec<u8>], options: &str, expected: &[(&str, &str)]) {
    let site = Site::new(&[]);
    site.write("a.warc", records.concat());
    site.absolve(&format!("extract a.warc -o out {options}")).ends(0);
    let expected = expected.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    assert_eq!(files(&site.path("out")), expected.collect());
}

#[test]
fn the_table_of_urls_is_a_list_of_base_urls() {
    let site = Site::new(&[]);
    let pages =
        [html("http://h/d/q?a:b=1", "<a href=x>"), html("http://h/d/x", "<a href='?a:b=1'>")];
    site.write("a.warc", pages.concat());
    site.absolve("extract a.warc -o out").ends(0);
    site.absolve("rewrite out/h -o made --base-map out/absolve-urls.tsv").ends(0);
    let made = |name: &str| fs::read_to_string(site.path(format!("made/d/{name}"))).unwrap();
    assert_eq!(made("q@a%3Ab=1.html"), "<a href=http://h/d/x>");
    assert_eq!(made("x.html"), "<a href='http://h/d/x?a:b=1'>");
    site.absolve("rewrite out -o off --to offline --base-map out/absolve-urls.tsv").ends(0);
    let made = fs::read_to_string(site.path("off/h/d/q@a%3Ab=1.html")).unwrap();
    assert_eq!(made, "<a href=x.html>");
}

#[test]
fn a_crawl_begins_with_the_pages_without_referrer() {
    let request = |url: &str, fields: &str| {
        let block = format!("GET / HTTP/1.1\r\nHost: h\r\n{fields}\r\n");
        record("request", url, 0, "", block.as_bytes())
    };
    let pages = ["http://h/a", "http://h/b", "http://h/c", "http://i/"].map(|url| html(url, "x"));
    let entries = |requests: &[Vec<u8>]| {
        let site = Site::new(&[]);
        site.write("a.warc", [pages.concat(), requests.concat()].concat());
        site.absolve("extract a.warc -o out").ends(0);
        let index = fs::read_to_string(site.path("out/index.html")).unwrap();
        let links = index.split("<li><a href=\"").skip(1);
        links.map(|link| link.split('"').next().unwrap().replace("&#x2f;", "/")).collect::<Vec<_>>()
    };
    let [a, c] = ["http://h/a", "http://h/c"].map(|url| request(url, ""));
    let [b, i] = ["http://h/b", "http://i/"].map(|url| request(url, "referer: http://h/a\r\n"));
    assert_eq!(entries(&[]), ["h/a.html", "i/index.html"]);
    assert_eq!(entries(&[a.clone(), c.clone()]), ["h/a.html", "i/index.html"]);
    assert_eq!(entries(&[a, b, c, i]), ["h/a.html", "h/c.html"]);
}

#[test]
fn pages_on_the_disk_load_files_without_integrity() {
    extracts(
        &[
            html("http://h/", "<script integrity=a crossorigin src=x.js></script>"),
            response("http://h/x.js", 0, "200 OK", "Content-Type: text/javascript\r\n", b"x"),
        ],
        "--to relative",
        &[("h/index.html", "<script src=x.js></script>"), ("h/x.js", "x")],
    );
}

#[test]
fn links_lead_to_the_files() {
    extracts(
        &[
            html(
                "http://h/d/?q=1",
                "<base href=http://h/><a href=a#x>a</a><a href='?q=2'>b</a><a href=#top>c</a>\
                 <img srcset='i.png 1x, //i.example/j.png 2x'><a href=https://h/old>d</a>\
                 <a href=http://j/gone>e</a><a href=mailto:x@y>f</a><style>p{background:url(i.png)}</style>",
            ),
            html("http://h/a", "<a href=d/?q=1>d</a><a href=''>a</a>"),
            html("http://h/?q=2", "<a href=#x>x</a>"),
            response("http://h/i.png", 0, "200 OK", "Content-Type: image/png\r\n", b"png"),
            response("http://i.example/j.png", 0, "200 OK", "", b"png"),
            response("http://h/old", 0, "301 Moved", "Location: /new#y\r\n", b""),
            response("http://h/new", 0, "302 Found", "Location: s.css\r\n", b""),
            response(
                "http://h/s.css",
                0,
                "200 OK",
                "Content-Type: text/css\r\n",
                b"@import 'i.png';",
            ),
            response("http://j/gone", 0, "404 Not Found", "Content-Type: text/html\r\n", b"<p>"),
        ],
        "--to relative",
        &[
            (
                "h/d/index.html@q=1.html",
                "<a href=../a.html#x>a</a><a href='../index.html@q=2.html'>b</a>\
                 <a href=http://h/#top>c</a><img srcset='../i.png 1x, ../../i.example/j.png 2x'>\
                 <a href=../s.css#y>d</a><a href=http://j/gone>e</a><a href=mailto:x@y>f</a>\
                 <style>p{background:url(../i.png)}</style>",
            ),
            ("h/a.html", "<a href=d/index.html@q=1.html>d</a><a href=''>a</a>"),
            ("h/index.html@q=2.html", "<a href=#x>x</a>"),
            ("h/i.png", "png"),
            ("i.example/j.png", "png"),
            ("h/s.css", "@import 'i.png';"),
        ],
    );
}

#[test]
fn the_last_response_of_a_url_counts() {
    let css = "Content-Type: text/css\r\n";
    let records = [
        response("http://h/s.css", 1, "200 OK", css, b"one"),
        response("http://h/s.css", 3, "200 OK", css, b"three"),
        response("http://h/s.css", 2, "200 OK", css, b"two"),
        response("http://h/s.css", 4, "500 Oops", css, b"four"),
    ];
    extracts(&records, "", &[("h/s.css", "three")]);
    extracts(&records, "--at 2026-01-01T00:00:02Z", &[("h/s.css", "two")]);
    extracts(&records, "--status 500", &[("h/s.css", "four")]);
}

#[test]
fn a_revisit_has_the_payload_that_it_refers_to() {
    let site = Site::new(&[]);
    let page = "<a href=x>x</a>";
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}");
    let digest = "WARC-Payload-Digest: sha1:AAAA\r\n";
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    // The archive of the payload comes last.
    let revisits = [
        record("revisit", "http://h/b/c", 2, digest, head),
        record(
            "revisit",
            "http://h/d",
            2,
            "WARC-Refers-To-Target-URI: http://h/a\r\nWARC-Refers-To-Date: 2026-01-01T00:00:01Z\r\n",
            head,
        ),
        record("revisit", "http://h/e", 2, "WARC-Payload-Digest: sha1:BBBB\r\n", head),
    ];
    site.write("in/1.warc", revisits.concat());
    let payload = record("response", "http://h/a", 1, digest, block.as_bytes());
    site.write("in/d/2.warc.gz", gzip(&[payload, html("http://h/x", "x")].concat()));
    let run = site.absolve("extract in -o out --to relative").ends(0);
    run.says(&["extracted 4 files; 1 link to what the crawl does not have (absolve-missing.tsv); 1 revisit of no record in these archives"]);
    let found = files(&site.path("out"));
    assert_eq!(found["h/a.html"], "<a href=x.html>x</a>");
    assert_eq!(found["h/b/c.html"], "<a href=http://h/b/x>x</a>");
    assert_eq!(found["h/d.html"], "<a href=x.html>x</a>");
    let table = fs::read_to_string(site.path("out/absolve-urls.tsv")).unwrap();
    let row = "h/b/c.html\thttp://h/b/c\t2026-01-01T00:00:02Z\t200\ttext/html\tsha1:AAAA\n";
    assert!(table.contains(row), "{table}");
    // In each run, though three files share a payload.
    let urls = table.lines().filter_map(|line| line.split('\t').nth(1)).skip(1);
    assert_eq!(
        urls.collect::<Vec<_>>(),
        ["http://h/a", "http://h/b/c", "http://h/d", "http://h/x"]
    );
}

#[test]
fn a_revisit_is_selected_by_its_own_url_and_type() {
    let digest = "WARC-Payload-Digest: sha1:AAAA\r\n";
    let head = |kind: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n");
    let sheet = head("text/css") + "p{}";
    let not_modified = b"HTTP/1.1 304 Not Modified\r\n\r\n";
    let records = [
        record("response", "http://h/a", 1, digest, sheet.as_bytes()),
        record("revisit", "http://h/b", 2, digest, head("text/css").as_bytes()),
        record("revisit", "http://h/c", 2, digest, head("text/plain").as_bytes()),
        html("http://h/d", "d"),
        record("revisit", "http://h/d", 2, "", not_modified),
    ];
    let [a, b] = [("h/a.css", "p{}"), ("h/b.css", "p{}")];
    extracts(&records, "--url http://h/b", &[b]);
    extracts(&records, "--mime text/css", &[a, b]);
    extracts(&records, "--mime text/html --status 200", &[("h/d.html", "d")]);
}

#[test]
fn names_that_a_system_takes_for_one_differ() {
    let site = Site::new(&[]);
    let paths = ["A.html", "a.html", "b", "b/c", "d&e", "d%26e"];
    let urls = paths.map(|path| format!("http://h/{path}"));
    let page =
        |url: &String| response(url, 0, "200 OK", "Content-Type: text/plain\r\n", url.as_bytes());
    site.write("a.warc", urls.iter().map(page).collect::<Vec<_>>().concat());
    site.absolve("extract a.warc -o out").ends(0);
    let found = files(&site.path("out"));
    let folded: std::collections::BTreeSet<_> =
        found.keys().map(|name| name.to_ascii_lowercase()).collect();
    assert_eq!((found.len(), folded.len()), (6, 6), "{found:?}");
    assert_eq!(found["h/A.html.txt"], "http://h/A.html");
    assert_eq!(found["h/b/c"], "http://h/b/c");
    // The folder has the name of the file.
    assert!(!found.contains_key("h/b"), "{found:?}");
}

#[test]
fn urls_of_one_name_and_payload_share_a_file() {
    let site = Site::new(&[]);
    let page = |url: &str, digest: &str| {
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=/index.html>x</a>";
        record("response", url, 0, &format!("WARC-Payload-Digest: sha1:{digest}\r\n"), block)
    };
    let urls = [("http://h/", "A"), ("http://h/index.html", "A"), ("http://h/INDEX.html", "B")];
    site.write("a.warc", urls.map(|(url, digest)| page(url, digest)).concat());
    let run = site.absolve("extract a.warc -o out --to relative").ends(0);
    run.says(&["extracted 2 files"]);
    let found = files(&site.path("out"));
    assert_eq!(found["h/index.html"], "<a href=index.html>x</a>");
    let table = fs::read_to_string(site.path("out/absolve-urls.tsv")).unwrap();
    assert_eq!(table.matches("\nh/index.html\thttp://h/").count(), 2, "{table}");
}

#[test]
fn bodies_are_decoded() {
    let fields =
        "Content-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n";
    let coded = gzip(b"<a href=/b>b</a>");
    let chunked = [format!("{:x}\r\n", coded.len()).as_bytes(), &coded, b"\r\n0\r\n\r\n"].concat();
    let utf16: Vec<u8> =
        "\u{feff}<a href=a>\u{e9}</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let site = Site::new(&[]);
    let records = [
        response("http://h/a", 0, "200 OK", fields, &chunked),
        response("http://h/b", 0, "200 OK", "Content-Type: text/html\r\n", &utf16),
    ];
    site.write("a.warc", records.concat());
    site.absolve("extract a.warc -o out --to relative").ends(0);
    assert_eq!(fs::read_to_string(site.path("out/h/a.html")).unwrap(), "<a href=b.html>b</a>");
    let new: Vec<u8> =
        "\u{feff}<a href=a.html>\u{e9}</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(fs::read(site.path("out/h/b.html")).unwrap(), new);
}

#[test]
fn what_the_crawl_does_not_have_is_listed() {
    let site = Site::new(&[]);
    let page = html("http://h/", "<a href=b>b</a><a href=//i/c>c</a><a href=b>b</a>");
    site.write("a.warc", page);
    let run = site.absolve("extract a.warc -o out --to relative").ends(0);
    run.says(&["extracted 1 file; 3 links to what the crawl does not have (absolve-missing.tsv)"]);
    let missing = fs::read_to_string(site.path("out/absolve-missing.tsv")).unwrap();
    assert_eq!(missing, "file\turl\nh/index.html\thttp://h/b\nh/index.html\thttp://i/c\n");
    site.absolve("extract a.warc -o kept --to relative --missing keep").ends(0);
    let kept = fs::read_to_string(site.path("kept/h/index.html")).unwrap();
    assert_eq!(kept, "<a href=b>b</a><a href=//i/c>c</a><a href=b>b</a>");
    let run = site.absolve("extract a.warc -o none --to relative --missing error").ends(2);
    run.says(&[
        "3 links to what the crawl does not have, such as http://h/b in h/index.html; nothing",
    ]);
    assert!(!site.path("none").exists());
}

#[test]
fn lists_have_no_formulas_controls_or_passwords() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let page = |url: &str, digest: &str| {
        record("response", url, 0, &format!("WARC-Payload-Digest: {digest}\r\n"), head)
    };
    let site = Site::new(&[]);
    let records = [
        page("http://user:secret@=1+1/\u{202e}a", "=HYPERLINK(1)"),
        page("http://i/", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
    ];
    site.write("a.warc", records.concat());
    site.absolve("extract a.warc -o out").ends(0);
    let read = |name: &str| fs::read_to_string(site.path("out").join(name)).unwrap();
    let (table, entries) = (read("absolve-urls.tsv"), read("index.html"));
    assert!(!table.split(['\t', '\n']).any(|cell| cell.starts_with('=')), "{table}");
    assert!(table.contains("\tsha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\n"), "{table}");
    assert!(!entries.contains(['\u{202e}']) && !entries.contains("secret"), "{entries}");
}

#[test]
fn a_missing_link_is_listed_once_for_a_page() {
    let site = Site::new(&[]);
    site.write("a.warc", html("http://h/", &format!("{}<a href=b>", "<a href=c>".repeat(1000))));
    let run = site.absolve("extract a.warc -o out --to relative").ends(0);
    run.says(&["1,001 links to what the crawl does not have"]);
    let listed = fs::read_to_string(site.path("out/absolve-missing.tsv")).unwrap();
    assert_eq!(listed, "file\turl\nh/index.html\thttp://h/b\nh/index.html\thttp://h/c\n");
}

#[test]
fn hostile_urls_stay_in_the_folder() {
    let long = "x".repeat(10_000);
    let urls = [
        "http://h/../../../etc/passwd".to_owned(),
        "http://h/..%2f..%2f..%2fetc/passwd".to_owned(),
        "http://h/a%00b%0ac".to_owned(),
        "http://../x".to_owned(),
        "http://%2e%2e/x".to_owned(),
        "http://..%2f/x".to_owned(),
        "http://absolve-urls.tsv/x".to_owned(),
        "http://index.html/".to_owned(),
        "http://h/CON/aux.html/nul".to_owned(),
        "http://h/C:/windows".to_owned(),
        "http://h//etc/passwd".to_owned(),
        "file:///etc/passwd".to_owned(),
        "javascript:x".to_owned(),
        format!("http://h/{long}"),
        format!("http://{long}/"),
        format!("http://h/{}", "d/".repeat(3000)),
    ];
    let site = Site::new(&[]);
    let records: Vec<_> = urls.iter().map(|url| html(url, "<a href=/>x</a>")).collect();
    site.write("a.warc", records.concat());
    let run = site.absolve("extract a.warc -o out --to relative").ends(2);
    run.says(&["extracted 12 files"]);
    let mut there: Vec<_> = fs::read_dir(site.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort();
    assert_eq!(there, ["a.warc", "out"]);
    let found = files(&site.path("out"));
    for name in found.keys() {
        assert!(name.len() <= 210 && name.is_ascii(), "{name}");
        for part in name.split('/') {
            assert!(!part.ends_with(['.', ' ']) && !part.contains([':', '\\', '\0']), "{name}");
            assert!(!["con", "nul", "aux.html"].contains(&&*part.to_ascii_lowercase()), "{name}");
        }
    }
    assert!(found.contains_key("h/etc/passwd.html"), "{found:?}");
}

#[test]
fn no_link_leads_to_a_damaged_record() {
    let fields = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let bomb = gzip(&vec![0; 64 << 20]);
    let site = Site::new(&[]);
    let records = [
        html("http://h/", "<a href=b>b</a><a href=c>c</a>"),
        response("http://h/b", 0, "200 OK", fields, &bomb),
        response("http://h/c", 0, "200 OK", fields, &gzip(b"<p>damaged")[..15]),
    ];
    site.write("a.warc", records.concat());
    let run = site.absolve("extract a.warc -o out --to relative").ends(2);
    run.says(&[
        "its body grows to more than 200 times its size",
        "its coding 'gzip' is damaged",
        "extracted 1 file; 2 links to what the crawl does not have (absolve-missing.tsv); 2 problems above",
    ]);
    let found = files(&site.path("out"));
    assert_eq!(found["h/index.html"], "<a href=http://h/b>b</a><a href=http://h/c>c</a>");
    assert_eq!(found.len(), 1);
}

#[test]
fn the_damaged_end_of_an_archive_is_named() {
    let site = Site::new(&[]);
    let cut = html("http://h/c", "<p>");
    let archive = [html("http://h/", "<a href=c>c</a>"), cut[..40].to_vec()].concat();
    site.write("a.warc", archive);
    let damaged = "record is truncated: the file or its compressed member ends inside its head";
    for options in ["-o bytes", "-o out --to relative"] {
        let run = site.absolve(&format!("extract a.warc {options}")).ends(2);
        run.says(&[damaged, "extracted 1 file", "; 1 problem above"]);
    }
    assert_eq!(files(&site.path("out"))["h/index.html"], "<a href=http://h/c>c</a>");
}

#[test]
fn what_shared_the_file_of_a_damaged_record_is_written() {
    let gzipped = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let digest = "WARC-Payload-Digest: sha1:A\r\n";
    let http = |fields: &str, body: &[u8]| {
        [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat()
    };
    let site = Site::new(&[]);
    let records = [
        html("http://h/", "<a href=A>A</a><a href=a>a</a>"),
        record("response", "http://h/A", 0, digest, &http(gzipped, &gzip(b"one")[..12])),
        record("response", "http://h/a", 0, digest, &http("Content-Type: text/html\r\n", b"one")),
    ];
    site.write("a.warc", records.concat());
    site.absolve("extract a.warc -o out --to relative").ends(2);
    let expected =
        [("h/a.html", "one"), ("h/index.html", "<a href=http://h/A>A</a><a href=a.html>a</a>")];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(files(&site.path("out")), expected.into());
    // Without links, the table still lists only files that exist.
    let page =
        |body: &[u8], fields: &str| http(&format!("Content-Type: text/html\r\n{fields}"), body);
    let records = [
        record(
            "response",
            "http://h/",
            0,
            digest,
            &page(&gzip(b"one")[..12], "Content-Encoding: gzip\r\n"),
        ),
        record("response", "http://h/index.html", 0, digest, &page(b"one", "")),
        record("response", "https://h/index.html?", 0, digest, &page(b"one", "")),
    ];
    site.write("b.warc", records.concat());
    site.absolve("extract b.warc -o bytes").ends(2).says(&["extracted 2 files"]);
    assert_eq!(files(&site.path("bytes"))["h/index.html"], "one");
}

#[test]
fn one_document_goes_to_stdout() {
    let site = Site::new(&[]);
    let records = [html("http://h/a", "one"), html("http://h/b", "two")];
    site.write("a.warc", records.concat());
    site.absolve("extract a.warc!http://h/b").ends(0).prints("two");
    site.absolve("extract a.warc --url http://h/a").ends(0).prints("one");
    site.absolve("extract a.warc!http://h/b -o b.html").ends(0);
    assert_eq!(fs::read_to_string(site.path("b.html")).unwrap(), "two");
    site.absolve("extract a.warc").ends(2).says(&["2 URLs are selected; give -o FOLDER"]);
    site.absolve("extract a.warc!http://h/c").ends(2).says(&[
        "no response with a file is selected (of status 200 unless --status is given, and no redirect)",
    ]);
    site.absolve("extract a.warc!http://h/b --limit record=9").ends(2).says(&[
        "no response with a file is selected (of status 200 unless --status is given, and no redirect); 1 record beyond --limit record; nothing was written",
    ]);
    let warc = fs::read(site.path("a.warc")).unwrap();
    site.absolve("extract a.warc!http://h/b -o a.warc")
        .ends(2)
        .says(&["a.warc: is the container itself"]);
    assert_eq!(fs::read(site.path("a.warc")).unwrap(), warc);
    site.absolve("extract a.warc!@0 --to relative").ends(2).says(&["--to is for a whole crawl"]);
}

#[test]
fn a_folder_is_written_whole_or_not_at_all() {
    let site = Site::new(&[("out/there", "x"), ("page.html", "<p>")]);
    site.write("a.warc", html("http://h/a", "one"));
    site.absolve("extract a.warc -o out")
        .ends(2)
        .says(&["out: is there already; give a new folder"]);
    site.absolve("extract page.html -o new").ends(2).says(&["is no web archive"]);
    for gone in ["gone.warc", "gone"] {
        let run = site.absolve(&format!("extract {gone} -o new")).ends(2);
        run.says(&[&format!("{gone}: cannot read")]);
    }
    #[cfg(unix)]
    {
        site.pipe("pipe.warc");
        for run in ["extract pipe.warc -o new", "links pipe.warc a.warc"] {
            site.absolve(run).ends(2).says(&["pipe.warc: it is a pipe or a device"]);
        }
    }
    let damaged = html("http://h/a", "one").iter().copied().take(80).collect::<Vec<_>>();
    site.write("b.warc", damaged);
    site.absolve("extract b.warc -o new").ends(2).says(&["nothing was written"]);
    assert!(!site.path("new").exists());
}

#[test]
fn a_crawl_without_a_file_names_the_cause() {
    let site = Site::new(&[]);
    let page = html("http://h/a", "one");
    let arc = "filedesc://x.arc 0.0.0.0 20260101000000 text/plain 76\n";
    let answer = |status, body: &str| {
        response("http://h/a", 0, status, "Content-Type: text/html\r\n", body.as_bytes())
    };
    let both = [answer("500 Error", "<p>"), answer("404 Gone", "<p>")].concat();
    let of_web = "whose WARC-Target-URI is not an http or https URL";
    let convert = "an ARC archive; convert it to WARC first (warcio recompress IN OUT)\n";
    for (name, bytes, causes) in [
        ("twice.warc.gz", gzip(&gzip(&page)), ["twice.warc.gz!@0: it is compressed twice; "; 2]),
        ("cut.warc", page[..page.len() - 9].to_vec(), ["cut.warc!@0: record is truncated: "; 2]),
        ("cut.warc.gz", gzip(&page)[..99].to_vec(), ["cut.warc.gz!@0: record is truncated: "; 2]),
        ("junk.warc", b"junk".to_vec(), ["junk.warc!@0: expected a record that begins"; 2]),
        ("k.warc", answer("404 Gone", "<p>"), ["; 1 response of status 404; nothing"; 2]),
        ("l.warc", both, ["; 2 responses of statuses such as 500; nothing was written"; 2]),
        (
            "m.warc",
            answer("206 Part", "<p>"),
            ["; 1 response with a part of a document (206); "; 2],
        ),
        ("n.warc", record("warcinfo", "", 0, "", b""), ["; there is no response at all; "; 2]),
        ("o.warc", Vec::new(), ["; there is no response at all; "; 2]),
        ("a.warc", html("h/a", "one"), ["1 document ", of_web]),
        ("b.warc", [html("urn:a", ""), html("/b", "")].concat(), ["2 documents ", of_web]),
        ("c.arc", arc.into(), [convert; 2]),
        ("d.arc.gz", gzip(arc.as_bytes()), [convert; 2]),
        ("e.warc", arc.into(), [convert; 2]),
        ("f.warc.gz", gzip(arc.as_bytes()), ["f.warc.gz!@0: an ARC archive; convert "; 2]),
        ("g", arc.into(), [convert; 2]),
        ("h.png", b"\x89PNG\r\n\x1a\n".to_vec(), ["h.png: a PNG image, and not a web archive"; 2]),
        ("i.html", "<p>".into(), ["i.html: a document is no web archive; give .warc, "; 2]),
    ] {
        site.write(name, bytes);
        site.absolve(&format!("extract {name} -o new")).ends(2).says(&causes);
        site.absolve(&format!("extract {name}")).ends(2).says(&causes);
    }
    let parts = ["; 1 response with a part of a document (206); "];
    site.absolve("extract m.warc -o new --status 206").ends(2).says(&parts);
    site.write("some.warc", [html("http://h/a", "one"), html("urn:a", "two")].concat());
    site.absolve("extract some.warc -o new").ends(0).says(&["extracted 1 file; 1 document whose "]);
}

#[test]
fn several_archives_are_one_input() {
    let http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=b>b</a>";
    let page = "WARC-Record-ID: <urn:a>\r\nWARC-Payload-Digest: sha1:A\r\n";
    let revisit = "WARC-Refers-To: <urn:a>\r\nWARC-Payload-Digest: sha1:A\r\n";
    let site = Site::new(&[]);
    site.write("crawl/a.warc", record("response", "http://h/a", 0, page, http));
    site.write(
        "crawl/sub/b.warc",
        [
            record("revisit", "http://h/a", 5, revisit, &http[..43]),
            html("http://h/b", "<a href=a>"),
        ]
        .concat(),
    );
    let listed = "crawl/a.warc!@0:1:9  a[href]  b  http://h/b  target-uri\n\
        crawl/sub/b.warc!@215:1:9  a[href]  a  http://h/a  target-uri\n";
    site.absolve("links crawl").ends(0).prints(listed);
    site.absolve("links crawl/a.warc crawl/sub/b.warc").ends(0).prints(listed);
    site.absolve("links gone.warc crawl/a.warc").ends(2).says(&["gone.warc: cannot read"]);
    // A link leads from the page of one archive to that of the other.
    site.absolve("extract crawl -o folder --to relative").ends(0);
    let run = site.absolve("audit folder").ends(0);
    let checked = String::from_utf8(run.stdout).unwrap();
    assert!(checked.starts_with("no findings; checked 3 pages with "), "{checked}");
}

#[test]
fn a_message_is_a_crawl() {
    let site = Site::new(&[]);
    let part = |fields: &str, body: &str| format!("--b\r\n{fields}\r\n\r\n{body}\r\n");
    let message = [
        "Snapshot-Content-Location: http://h/d/\r\nContent-Type: multipart/related; boundary=b\r\n\r\n",
        &part(
            "Content-Type: text/html\r\nContent-Location: http://h/d/",
            "<link rel=stylesheet href=cid:css@x><iframe src=cid:frame@x></iframe><img src=cid:i@x><a href=/gone>g</a>",
        ),
        &part("Content-Type: text/css\r\nContent-Location: cid:css@x", "p{background:url(i.png)}"),
        &part("Content-Type: text/html\r\nContent-ID: <frame@x>", "<img src=i.png>"),
        &part("Content-Type: image/png\r\nContent-Location: http://h/d/i.png", "png"),
        &part(
            "Content-Type: image/png; name=i\r\nContent-ID: <i@x>\r\nContent-Transfer-Encoding: base64",
            "cG5n",
        ),
        "--b--\r\n",
    ];
    site.write("page.mhtml", message.concat());
    site.absolve("extract page.mhtml -o new/out --to relative").ends(0);
    let page = "<link rel=stylesheet href=../../page.mhtml/css@x.css>\
        <iframe src=../../page.mhtml/frame@x.html></iframe><img src=../../page.mhtml/i@x.png><a href=http://h/gone>g</a>";
    let expected = [
        ("page.mhtml/css@x.css", "p{background:url(../h/d/i.png)}"),
        ("page.mhtml/frame@x.html", "<img src=../h/d/i.png>"),
        ("page.mhtml/i@x.png", "png"),
        ("h/d/i.png", "png"),
        ("h/d/index.html", page),
    ];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(files(&site.path("new/out")), expected.into());
    site.absolve("extract page.mhtml!http://h/d/i.png").ends(0).prints("png");
    site.absolve("extract page.mhtml -o .")
        .ends(2)
        .says(&[".: is there already; give a new folder"]);
}

/// A message of an HTML part and a picture, with these header fields.
fn message(top: &str, fields: &str, page: &str, picture: &str) -> String {
    format!(
        "{top}Content-Type: multipart/related; boundary=b\r\n\r\n\
         --b\r\nContent-Type: text/html\r\n{fields}\r\n{page}\r\n\
         --b\r\nContent-Type: image/png\r\n{picture}\r\npng\r\n--b--\r\n"
    )
}

/// The page of a message, whose picture links are to the file of its part.
#[track_caller]
fn finds_parts(text: &str, expected: &[(&str, &str)]) {
    let site = Site::new(&[]);
    site.write("m.eml", text);
    site.absolve("extract m.eml -o out --to relative").ends(0);
    let expected = expected.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    assert_eq!(files(&site.path("out")), expected.collect());
    for list in ["out/absolve-urls.tsv", "out/absolve-missing.tsv"] {
        let text = fs::read_to_string(site.path(list)).unwrap();
        assert!(!text.contains("http://") && !text.contains("file:"), "{list}");
    }
}

#[test]
fn references_lead_to_the_parts_of_their_message() {
    let word = message(
        "",
        "Content-Location: file:///C:/DOCS/p.htm\r\n",
        "<img src=p_files/i.png><a href='#b'>b</a>",
        "Content-Location: file:///C:/DOCS/p_files/i.png\r\n",
    );
    let page = "<img src=p_files/i.png><a href='#b'>b</a>";
    let names = ["m.eml/C%3A/DOCS/p.htm", "m.eml/C%3A/DOCS/p_files/i.png"];
    finds_parts(&word, &[(names[0], page), (names[1], "png")]);
    finds_parts(&word.replace("file:///C:/", "C:\\"), &[(names[0], page), (names[1], "png")]);
    for (own, other) in [("p.html", "i.png"), ("thismessage:/p.html", "thismessage:/i.png")] {
        let fields = [own, other].map(|url| format!("Content-Location: {url}\r\n"));
        let text = message("", &fields[0], "<img src=i.png><a href=q>", &fields[1]);
        let page = "<img src=i.png><a href=q>";
        finds_parts(&text, &[("m.eml/p.html", page), ("m.eml/i.png", "png")]);
    }
    for reference in ["cid:a%2fb@x", "CID:%61/b%40x", "cid:a/b@x"] {
        let page = format!("<img src={reference}><img src=cid:A@x><a href=/r>");
        let text = message("", "", &page, "Content-ID: <a/b@x>\r\n");
        let page = "<img src=a%252Fb@x.png><img src=cid:A@x><a href=/r>";
        finds_parts(&text, &[("m.eml/part-1.html", page), ("m.eml/a%2Fb@x.png", "png")]);
    }
    // Both names of a part lead to it.
    let both = "Content-Location: i.png\r\nContent-ID: <i@x>\r\n";
    let text = message("", "", "<img src=i.png><img src=cid:i@x>", both);
    let page = "<img src=i.png><img src=i.png>";
    finds_parts(&text, &[("m.eml/part-1.html", page), ("m.eml/i.png", "png")]);
}

#[test]
fn each_message_has_its_own_parts() {
    let mail = |picture: &str| {
        message("", "", "<img src=cid:i@x>", "Content-ID: <i@x>\r\n")
            .replace("png\r\n--b--", picture)
    };
    let site = Site::new(&[]);
    site.write("in/a/m.eml", mail("1\r\n--b--"));
    site.write("in/b/m.eml", mail("2\r\n--b--"));
    let inner = mail("3\r\n--b--");
    let digest = format!(
        "Content-Type: multipart/digest; boundary=d\r\n\r\n--d\r\n\r\n{inner}\r\n--d\r\n\r\n{}\r\n--d--",
        inner.replace("\r\n3\r\n", "\r\n4\r\n")
    );
    site.write("in/c.eml", digest);
    // The first part of a name has it.
    let twice = "--b\r\nContent-Type: image/png\r\nContent-ID: <i@x>\r\n\r\n6\r\n--b--";
    site.write("in/d.eml", mail(&format!("5\r\n{twice}")));
    site.absolve("extract in -o out --to relative").ends(0).says(&["extracted 11 files"]);
    let page = "<img src=i@x.png>";
    let expected = [
        ("c.eml+1/i@x.png", "3"),
        ("c.eml+1/part-3.html", page),
        ("c.eml+5/i@x.png", "4"),
        ("c.eml+5/part-7.html", page),
        ("d.eml/i@x.png", "5"),
        ("d.eml/part-1.html", page),
        ("d.eml/part-3.png", "6"),
        ("m.eml/i@x.png", "1"),
        ("m.eml/part-1.html", page),
        ("m.eml~2/i@x.png", "2"),
        ("m.eml~2/part-1.html", page),
    ];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(files(&site.path("out")), expected.into());
    site.absolve("extract in/a/m.eml!cid:i@x").ends(0).prints("1");
}

#[test]
fn an_answer_to_another_method_counts_where_there_is_no_other() {
    let request = |method: &str, fields: &str, second: u32| {
        let block = format!("{method} /a HTTP/1.1\r\nHost: h\r\nReferer: http://h/\r\n\r\n");
        record("request", "http://h/a", second, fields, block.as_bytes())
    };
    let answer = |id: u32, second: u32, fields: &str, body: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
        let fields = format!("WARC-Record-ID: <urn:a{id}>\r\n{fields}");
        record("response", "http://h/a", second, &fields, block.as_bytes())
    };
    let to = |id: u32| format!("WARC-Concurrent-To: <urn:a{id}>\r\n");
    let named = "WARC-Record-ID: <urn:q>\r\n";
    let page = [("h/a.html", "page")];
    let (get, post) = (answer(1, 1, "", "page"), answer(2, 2, "", "other"));
    for method in ["POST", "OPTIONS", "HEAD"] {
        // The request names the answer, and follows it or not; or it is only beside it.
        extracts(&[get.clone(), post.clone(), request(method, &to(2), 2)], "", &page);
        extracts(&[request(method, &to(2), 2), post.clone(), get.clone()], "", &page);
        extracts(&[get.clone(), post.clone(), request(method, "", 2)], "", &page);
    }
    let naming = answer(2, 2, "WARC-Concurrent-To: <urn:q>\r\n", "other");
    extracts(&[get.clone(), request("POST", named, 2), naming], "", &page);
    // Of several names, each counts.
    for names in [to(2) + &to(9), to(9) + &to(2)] {
        extracts(&[get.clone(), post.clone(), request("POST", &names, 3)], "", &page);
    }
    // The answer may be a revisit of another URL.
    let body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nmore";
    let more = record("response", "http://h/b", 0, "WARC-Record-ID: <urn:b>\r\n", body);
    let revisit = |fields: &str| {
        let fields = format!("WARC-Refers-To: <urn:b>\r\n{fields}");
        record("revisit", "http://h/a", 2, &fields, b"")
    };
    for (own, fields) in [("WARC-Record-ID: <urn:a2>\r\n", to(2)), ("", String::new())] {
        let records = [get.clone(), revisit(own), request("POST", &fields, 2), more.clone()];
        extracts(&records, "", &[page[0], ("h/b.html", "more")]);
    }
    extracts(&[post.clone(), request("POST", &to(2), 2)], "", &[("h/a.html", "other")]);
    extracts(&[get, post, request("GET", &to(2), 2)], "", &[("h/a.html", "other")]);
}

#[test]
fn a_whole_document_may_have_the_status_of_a_part() {
    let part = |range: &str| {
        let fields = format!("Content-Type: text/html\r\nContent-Range: {range}\r\n");
        response("http://h/a", 0, "206 Partial Content", &fields, b"12345678")
    };
    extracts(&[part("bytes 0-7/8")], "", &[("h/a.html", "12345678")]);
    extracts(&[part("BYTES 0-7/8")], "", &[("h/a.html", "12345678")]);
    let page = html("http://h/b", "b");
    for range in ["bytes 0-8/9", "bytes 0-6/8", "bytes 1-7/8", "bytes 0-7/*", "bytes */8", "x", ""]
    {
        for options in ["", "--status 206,200"] {
            extracts(&[part(range), page.clone()], options, &[("h/b.html", "b")]);
        }
    }
}

#[test]
fn an_incomplete_record_counts_where_there_is_no_complete_one() {
    let block = |body: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let page = |second, fields: &str, body: &str| {
        record("response", "http://h/a", second, fields, block(body).as_bytes())
    };
    let cut = |second| page(second, "WARC-Truncated: length\r\nWARC-Record-ID: <urn:a>\r\n", "cut");
    let whole = page(1, "", "whole");
    extracts(&[whole.clone(), cut(2)], "", &[("h/a.html", "whole")]);
    extracts(&[cut(2), whole, cut(0)], "", &[("h/a.html", "whole")]);
    // A revisit is truncated by its nature, and has the payload that it refers to.
    let fields = "WARC-Truncated: length\r\nWARC-Refers-To: <urn:a>\r\n";
    let revisit = record("revisit", "http://h/b", 2, fields, b"");
    let site = Site::new(&[]);
    site.write("a.warc", [cut(0), revisit.clone()].concat());
    let expected = [("h/a.html", "cut"), ("h/b.html", "cut")];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
    for options in ["-o bytes", "-o out --to relative"] {
        let run = site.absolve(&format!("extract a.warc {options}")).ends(2);
        let why = "it is incomplete: its record has WARC-Truncated";
        run.says(&[
            &format!("http://h/a: {why}"),
            &format!("http://h/b: {why}"),
            "; 2 problems above",
        ]);
    }
    assert_eq!(files(&site.path("bytes")), expected.clone().into());
    assert_eq!(files(&site.path("out")), expected.into());
    let original = page(0, "WARC-Record-ID: <urn:a>\r\n", "x");
    extracts(&[original, revisit], "", &[("h/a.html", "x"), ("h/b.html", "x")]);
}

#[test]
fn a_segment_of_a_larger_record_is_passed_over() {
    let page = |url: &str, fields: &str| {
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nx";
        record("response", url, 0, fields, block)
    };
    let segment = page("http://h/a", "WARC-Segment-Number: 1\r\n");
    let rest = record("continuation", "http://h/a", 0, "WARC-Segment-Number: 2\r\n", b"y");
    let site = Site::new(&[]);
    site.write("a.warc", [&segment[..], &rest].concat());
    site.absolve("extract a.warc -o out").ends(2).says(&["; 1 segment of a larger record; "]);
    extracts(&[page("http://h/a", ""), segment, rest], "", &[("h/a.html", "x")]);
}

#[test]
fn the_fraction_of_a_second_orders_captures() {
    let at = |fraction: &str, body: &str| {
        let record = String::from_utf8(html("http://h/a", body)).unwrap();
        record.replace(":00Z", &format!(":00{fraction}Z")).into_bytes()
    };
    let new = [("h/a.html", "new")];
    extracts(&[at(".900", "new"), at(".100", "old")], "", &new);
    extracts(&[at(".000002", "old"), at(".1", "new")], "", &new);
    extracts(&[at(".5", "new"), at("", "old")], "", &new);
}

#[test]
fn a_revisit_may_name_its_record_alone() {
    let page = record(
        "response",
        "http://h/p",
        0,
        "WARC-Record-ID: <urn:p>\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\npage",
    );
    let revisit = record("revisit", "http://h/q", 5, "WARC-Refers-To: <urn:p>\r\n", b"");
    extracts(&[page.clone(), revisit], "", &[("h/p.html", "page"), ("h/q.html", "page")]);
}

#[test]
fn bytes_of_a_url_that_are_not_utf8_keep_two_urls_apart() {
    let raw = |byte: u8, body: &str| {
        let mut record = html("http://h/?", body);
        let at = record.windows(3).position(|bytes| bytes == b"h/?").unwrap() + 2;
        record[at] = byte;
        record
    };
    extracts(
        &[raw(0xe9, "one"), raw(0xe8, "two")],
        "",
        &[("h/%E8.html", "two"), ("h/%E9.html", "one")],
    );
}
