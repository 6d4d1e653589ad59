//! The files of a crawl, as `absolve extract` writes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::books::fixture;
use super::trees::site::Site;
use super::warc::archive::gzip;

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
    let damaged = html("http://h/a", "one").iter().copied().take(80).collect::<Vec<_>>();
    site.write("b.warc", damaged);
    site.absolve("extract b.warc -o new").ends(2).says(&["nothing was written"]);
    assert!(!site.path("new").exists());
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
    site.absolve("audit crawl")
        .ends(0)
        .prints("no findings; checked 2 pages with 2 links (2 internal)\n");
    // The revisit gets the digest of the page in the archive before.
    let rewrite = "rewrite crawl -o new --record-type response --cdxj new/all.cdxj";
    site.absolve(rewrite).ends(0).says(&["rewrote 2 records, 2 links; 1 updated\n"]);
    let index = fs::read_to_string(site.path("new/all.cdxj")).unwrap();
    let digests: Vec<_> = index.lines().map(|line| line.split('"').nth(15)).collect();
    assert_eq!((digests.len(), digests[0]), (3, digests[1]), "{index}");
    assert!(index.contains(r#""filename": "a.warc""#) && index.contains(r#""filename": "b.warc""#));
    let new = fs::read_to_string(site.path("new/sub/b.warc")).unwrap();
    assert!(!new.contains("sha1:A\r\n") && new.contains("<a href=http://h/a>"), "{new}");
    site.absolve("rewrite crawl --check").ends(1);
    // What fails does not keep the others from being written.
    site.absolve("rewrite -w crawl/a.warc gone.warc crawl/sub/b.warc").ends(2).says(&["rewrote 2"]);
    site.absolve("rewrite -w crawl").ends(0).says(&["rewrote nothing"]);
    site.absolve("rewrite crawl").ends(2).says(&["cannot write several documents to stdout"]);
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
    let page = "<link rel=stylesheet href=../../cid/css@x.css><iframe src=../../cid/frame@x.html></iframe>\
        <img src=../../cid/i@x.png><a href=http://h/gone>g</a>";
    let expected = [
        ("cid/css@x.css", "p{background:url(../h/d/i.png)}"),
        ("cid/frame@x.html", "<img src=../h/d/i.png>"),
        ("cid/i@x.png", "png"),
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

#[test]
fn a_book_is_a_crawl() {
    let site = Site::new(&[]);
    site.write("A book.epub", fixture::zip(&fixture::members()));
    let args = ["extract", "A book.epub", "-o", "new", "--to", "relative"];
    site.absolve_with(args, "").ends(0);
    let member = |(name, bytes): (&str, Vec<u8>)| {
        // A browser knows by the extension that it is XHTML.
        let name = name.replace("b.html", "b.html.xhtml");
        let text = String::from_utf8(bytes).unwrap();
        (format!("book-a-book/{name}"), text.replace("href=\"b.html", "href=\"b.html.xhtml"))
    };
    let expected = fixture::members().into_iter().map(member).collect();
    assert_eq!(files(&site.path("new")), expected);
}
