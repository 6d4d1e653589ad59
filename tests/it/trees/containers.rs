//! Messages and web archives, alone and in folders.

use std::fs;
use std::io::{Read as _, Write as _};

use crate::trees::site::{PAGE, Site};

/// A saved page with a page in a frame.
const SAVED: &str = "Snapshot-Content-Location: http://h/a/\r\n\
    Content-Type: multipart/related; boundary=B\r\n\r\n\
    --B\r\nContent-Type: text/html\r\nContent-Location: http://h/a/p.html\r\n\r\n\
    <a href=x>1</a> <img src=cid:1>\r\n\
    --B\r\nContent-Type: text/html\r\n\r\n<a href=y>2</a>\r\n--B--\r\n";

/// The same, done.
fn saved() -> String {
    SAVED.replace("href=", "href=http://h/a/")
}

/// A record of a web archive.
fn record(kind: &str, url: &str, block: &str) -> String {
    let length = block.len();
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:{url}>\r\n\
         WARC-Target-URI: {url}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n\
         {block}\r\n\r\n"
    )
}

/// A page that stays as it is, one with a link, and what is not a page.
fn archive() -> String {
    [
        record("resource", "http://h/a/", PAGE),
        record("metadata", "http://h/a/", "x"),
        record("resource", "http://h/b/", "<a href=http://i/>2</a>"),
    ]
    .concat()
}

#[test]
fn messages_are_documents_of_a_folder() {
    let site = Site::new(&[("s/a.mhtml", SAVED), ("s/b.EML", SAVED), ("s/c.html", PAGE)]);
    let run = site.absolve("rewrite -v -w -b http://i/ s").ends(0);
    run.counts("rewrote 3 files").says(&[
        "s/a.mhtml!1: base URL http://h/a/p.html (content-location); links: 2, 1 rewritten, 1 absolute",
        "s/b.EML!2: base URL http://i/b.EML (retrieval-url); links: 1, 1 rewritten",
    ]);
    let mine = saved().replace("http://h/a/y", "http://i/y");
    site.holds(
        "s",
        &[("a.mhtml", &mine), ("b.EML", &mine), ("c.html", "<a href=http://i/x>1</a>\n")],
    );
    site.absolve("rewrite --check s -b http://i/").ends(0);
}

/// A signature that does not match the new text stays, with a warning.
#[test]
fn signatures_of_messages_that_change_are_named_once() {
    const NOTE: &str = "signatures (DKIM, S/MIME, PGP) do not match the new text of ";
    let dkim = format!("DKIM-Signature: v=1; bh=x; b=y\r\n{SAVED}");
    let smime = SAVED.replace("related", "Signed");
    let inner = format!("Content-Type: message/rfc822\r\n\r\n{dkim}");
    let site = Site::new(&[("s/a.eml", SAVED), ("b.eml", &dkim), ("s/c.eml", &smime)]);
    site.write("s/d.eml", &inner);
    assert_eq!(site.absolve("rewrite s/a.eml").ends(0).prints(&saved()).stderr, "");
    site.absolve("rewrite b.eml").ends(0).says(&[&format!("absolve: {NOTE}1 message\n")]);
    assert_eq!(site.absolve("rewrite b.eml -q").ends(0).stderr, "");
    site.absolve("rewrite --check s").ends(1).says(&[&format!("absolve: {NOTE}2 messages\n")]);
    site.absolve("rewrite -w s").ends(0).says(&[&format!("absolve: {NOTE}2 messages\n")]);
    assert!(!site.absolve("rewrite -w s").ends(0).stderr.contains(NOTE));
}

#[test]
fn a_message_is_read_from_stdin_where_that_is_said() {
    let site = Site::new(&[]);
    site.absolve_with(["rewrite", "--as", "message"], SAVED).ends(0).prints(&saved());
    let run = site.absolve_with(["links", "--as", "message", "--format", "jsonl"], SAVED);
    let first = r#"{"file":"-","line":8,"column":9,"span":[164,165],"element":"a","attribute":"href","grammar":"url","reference":"x","url":"http://h/a/x","base":"http://h/a/p.html","base_source":"content-location","part":1}"#;
    let stdout = String::from_utf8(run.ends(0).stdout).unwrap();
    assert_eq!(stdout.lines().next(), Some(first), "{stdout}");
    assert_eq!(stdout.lines().count(), 3);
    site.absolve_with(["rewrite", "--as", "message"], "<p>no\n")
        .ends(2)
        .says(&["stdin: it has no header field, expected a message (RFC 5322) or MHTML"]);
}

#[test]
fn the_rest_of_a_message_is_done_where_a_part_fails() {
    let site = Site::new(&[("s/a.mht", SAVED), ("s/b.html", PAGE)]);
    let failed = "a.mht!1: byte 181: the document exceeds 1 link, the limit for links; raise --limit links=N";
    site.absolve("links --limit links=1 s/a.mht")
        .ends(2)
        .says(&[failed])
        .prints("s/a.mht!2:12:9  a[href]  y  http://h/a/y  snapshot-location\n");
    let run = site.absolve("rewrite --limit links=1 s/a.mht").ends(2).says(&[failed]);
    run.prints(&SAVED.replace("href=y", "href=http://h/a/y"));
    site.absolve("rewrite -w --limit links=1 s")
        .ends(2)
        .says(&[failed])
        .counts("rewrote 1 file; 1 unchanged, 1 part failed");
    site.has("s/a.mht", &SAVED.replace("href=y", "href=http://h/a/y"));
}

#[test]
fn an_archive_is_written_anew() {
    let site = Site::new(&[("a.warc", &archive())]);
    site.absolve("rewrite a.warc -o b.warc")
        .ends(0)
        .counts("rewrote 1 record; 1 unchanged, 1 copied");
    let written = fs::read_to_string(site.path("b.warc")).unwrap();
    let archive = archive();
    let (first, rest) = archive.split_at(record("resource", "http://h/a/", PAGE).len());
    let conversion = written.strip_prefix(first).unwrap().strip_suffix(rest).unwrap();
    assert!(conversion.starts_with("WARC/1.1\r\nWARC-Type: conversion\r\n"), "{written}");
    assert!(conversion.contains("\r\nWARC-Refers-To: <urn:http://h/a/>\r\n"), "{written}");
    assert!(conversion.contains("\r\nWARC-Date: 2023-11-14T22:13:20Z\r\n"), "{written}");
    assert!(conversion.ends_with("\r\n\r\n<a href=http://h/a/x>1</a>\n\r\n\r\n"), "{written}");

    site.absolve("-q rewrite a.warc").ends(0).prints(&written);
    site.absolve_with(["-q", "rewrite", "--as", "warc"], &archive).ends(0).prints(&written);
    site.absolve("-q rewrite --check a.warc").ends(1);
    site.absolve("-q rewrite --check b.warc").ends(0);
    site.absolve("-q rewrite -w -l a.warc").ends(0).prints("a.warc\n");
    site.has("a.warc", &written);
    let (before, after) = (site.state(""), site.absolve("-q rewrite -w a.warc").ends(0));
    after.prints("");
    assert_eq!(site.state(""), before);
}

/// A WACZ archive with a signature.
fn wacz(archive: &str) -> Vec<u8> {
    wacz_of(&[("a.warc", archive)])
}

/// A WACZ archive with several archives, in this order.
fn wacz_of(archives: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let archives = archives.iter().map(|(name, text)| (format!("archive/{name}"), *text));
    let package = r#"{"resources": [{"path": "archive/a.warc"}]}"#;
    let others = [
        ("datapackage.json", package),
        ("datapackage-digest.json", r#"{"hash": "", "signedData": {}}"#),
    ];
    for (name, text) in archives.chain(others.map(|(name, text)| (name.to_owned(), text))) {
        zip.start_file(name, stored).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_wacz_archive_is_written_anew() {
    let site = Site::new(&[]);
    site.write("a.wacz", wacz(&archive()));
    site.absolve("-q rewrite --check a.wacz").ends(1);
    site.absolve("rewrite a.wacz -o b.wacz").ends(0).says(&[
        "a.wacz: its signature is void, and was left out of the new archive",
        "rewrote 1 record, 1 link; 1 unchanged, 1 copied",
    ]);
    let written = fs::read(site.path("b.wacz")).unwrap();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&written)).unwrap();
    let mut text = String::new();
    zip.by_name("archive/a.warc").unwrap().read_to_string(&mut text).unwrap();
    site.write("a.warc", archive());
    site.absolve("-q rewrite a.warc").ends(0).prints(&text);

    site.absolve("-q rewrite -w -l a.wacz").ends(0).prints("a.wacz\n");
    assert!(fs::read(site.path("a.wacz")).unwrap() == written);
    let before = site.state("");
    site.absolve("-q rewrite -w a.wacz").ends(0);
    site.absolve("-q rewrite --check a.wacz").ends(0);
    assert_eq!(site.state(""), before);
    site.absolve("-q rewrite a.wacz -o c.wacz").ends(0);
    assert!(fs::read(site.path("c.wacz")).unwrap() == written);

    site.write("cut.wacz", &written[..written.len() - 9]);
    let before = site.state("");
    site.absolve("rewrite -w cut.wacz")
        .ends(2)
        .says(&["cut.wacz: not a ZIP file, or one that is cut off"]);
    site.write(
        "failed.wacz",
        wacz(&archive().replacen("Content-Length: ", "Content-Length: x", 1)),
    );
    let failed = site.absolve("rewrite failed.wacz -o d.wacz").ends(2);
    failed.says(&["failed.wacz!archive/a.warc!@0: "]);
    fs::remove_file(site.path("failed.wacz")).unwrap();
    fs::remove_file(site.path("d.wacz")).unwrap();
    let names = |state: &std::collections::BTreeMap<_, _>| state.len();
    assert_eq!(names(&site.state("")), names(&before));
}

#[test]
fn documents_of_an_archive_are_written_in_their_records() {
    let revisit = record("revisit", "http://h/c/", "").replace(
        "WARC-Type",
        "WARC-Refers-To: <urn:none>\r\nWARC-Identified-Payload-Type: text/html\r\nWARC-Type",
    );
    let site = Site::new(&[("a.warc", &[archive(), revisit].concat())]);
    let options = "rewrite --record-type=response -b http://u:secret@h/ a.warc";
    let run = site.absolve(options).ends(0);
    let stderr = &run.stderr;
    assert!(
        stderr.contains("rewrote 1 record, 1 link; 1 unchanged, 1 copied, 1 stale"),
        "{stderr}"
    );
    let why =
        "revisit keeps its digest: the page that it refers to is not in the archive before it";
    assert!(stderr.contains(why), "{stderr}");
    let written = String::from_utf8(run.stdout).unwrap();
    assert!(written.starts_with("WARC/1.1\r\nWARC-Type: warcinfo\r\n"), "{written}");
    assert!(written.contains("\r\nWARC-Date: 2023-11-14T22:13:20Z\r\n"), "{written}");
    let named = "\r\noptions: --base-url=http://***@h/ --record-type=response\r\n";
    assert!(written.contains(named), "{written}");
    assert!(!written.contains("conversion") && !written.contains("secret"), "{written}");
    site.write("b.warc", &written);
    site.absolve("-q rewrite --record-type response b.warc").ends(0).prints(&written);
    site.absolve("-q rewrite --record-type response --check b.warc").ends(0);
    let run = site.absolve("rewrite --record-type response --stats json -o c.warc a.warc").ends(0);
    let stats = String::from_utf8(run.stdout).unwrap();
    assert!(
        stats.contains(r#""copied":1,"passed_over":0,"updated":0,"stale":1,"skipped":0"#),
        "{stats}"
    );
}

#[test]
fn archives_in_a_wacz_archive_are_listed_and_audited() {
    let second = archive().replace("//h/", "//j/").replace("//i/", "//h/");
    let site = Site::new(&[("a.warc", &archive()), ("b.warc", &second)]);
    site.write("c.wacz", wacz_of(&[("b.warc", &second), ("a.warc", &archive())]));
    let links = |file: &str| {
        let run = site.absolve(&format!("links --format jsonl {file}")).ends(0);
        String::from_utf8(run.stdout).unwrap()
    };
    let in_member = |name: &str| {
        links(name).replace(&format!("\"{name}\""), &format!("\"c.wacz!archive/{name}\""))
    };
    assert!(in_member("a.warc").lines().count() > 1);
    assert_eq!(links("c.wacz"), in_member("b.warc") + &in_member("a.warc"));
    assert_eq!(links("c.wacz!archive/a.warc"), in_member("a.warc"));
    let at = second.match_indices("WARC/1.1").nth(2).unwrap().0;
    assert_eq!(links(&format!("c.wacz!archive/b.warc!@{at}")).lines().count(), 1);
    site.absolve(&format!("extract c.wacz!archive/b.warc!@{at}"))
        .ends(0)
        .prints("<a href=http://h/>2</a>");
    for command in ["links", "extract", "rewrite"] {
        let run = site.absolve(&format!("{command} c.wacz!archive/x.warc!@0"));
        run.ends(2).says(&["c.wacz!archive/x.warc"]);
    }
    site.absolve("links c.wacz!archive/x.warc")
        .ends(2)
        .says(&["no web archive is named so in it; it has archive/b.warc, archive/a.warc"]);
    site.absolve("links --url http://none/ c.wacz")
        .ends(0)
        .says(&["c.wacz: no document matches --url"]);
    // A page of one archive is a target of the other.
    let findings = |file: &str| {
        let run = site.absolve(&format!("audit --format json --rule all=warn {file}"));
        let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap().clone();
        let place = |finding: &serde_json::Value| {
            let text = |key: &str| finding[key].to_string().replace('"', "");
            format!("{} {} {}", text("file"), text("offset"), text("rule"))
        };
        findings.iter().map(place).collect::<Vec<_>>()
    };
    let found = findings("c.wacz");
    assert!(found.iter().all(|place| place.starts_with("c.wacz!archive/")), "{found:?}");
    let of = |name: &str| {
        let path = format!("c.wacz!archive/{name} ");
        let own = found.iter().filter_map(|place| place.strip_prefix(&path));
        own.map(|place| format!("{name} {place}")).collect::<Vec<_>>()
    };
    assert_eq!(of("b.warc").len() + of("a.warc").len(), found.len());
    // In the file alone, a link from one host to the other is external.
    assert_eq!(of("a.warc"), findings("a.warc"));
    site.absolve("audit c.wacz!archive/a.warc").ends(2);
}

#[test]
fn a_selection_without_a_document_is_noted() {
    let css = record("resource", "http://h/c/", "a { background: url(x) }");
    let css = css.replace("text/html", "text/css");
    let site = Site::new(&[("a.warc", &[archive(), css].concat())]);
    let note = "a.warc: no document matches --mime, --url";
    let options = "--mime text/css --url http://i/*";
    site.absolve(&format!("rewrite {options} a.warc -o b.warc")).ends(0).says(&[note]);
    site.absolve(&format!("links {options} a.warc")).ends(0).says(&[note]).prints("");
    site.absolve(&format!("audit {options} a.warc")).ends(2).says(&[note]);
    // Redirects are left out as others are.
    let note = "a.warc: no document matches --status";
    let run = site.absolve("rewrite --status 302,404-410 a.warc -o d.warc").ends(0).says(&[note]);
    assert!(run.stdout.is_empty());
    let all = "--mime text/css,TEXT/html --url http://h/*";
    let run = site.absolve(&format!("rewrite {all} a.warc -o c.warc")).ends(0);
    assert!(!run.stderr.contains("no document"), "{}", run.stderr);
    // A style sheet is no page.
    let run = site.absolve("audit --mime text/css a.warc");
    let checked = String::from_utf8(run.stdout).unwrap();
    assert!(checked.contains("; checked 1 style sheet with 1 link"), "{checked}");
}

#[test]
fn style_sheets_of_a_message_are_listed_at_their_positions() {
    let message = "Content-Type: multipart/related; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/html\r\nContent-Location: http://h/a\r\n\r\n<a href=x>\r\n\
        --b\r\nContent-Type: text/css\r\nContent-Location: http://h/c/s.css\r\n\r\n\
        a { background: url(y) }\r\n--b--\r\n";
    let site = Site::new(&[("a.mhtml", message)]);
    let (page, sheet) = ("http://h/x", "http://h/c/y");
    for (path, expected) in
        [("a.mhtml", vec![page, sheet]), ("a.mhtml!1", vec![page]), ("a.mhtml!2", vec![sheet])]
    {
        let run = site.absolve(&format!("links {path}")).ends(0);
        let listed = String::from_utf8(run.stdout).unwrap();
        let has = |url: &&str| listed.contains(url);
        assert!(expected.iter().all(has), "{path}: {listed}");
        assert_eq!(listed.lines().count(), expected.len(), "{path}: {listed}");
    }
    let style = "a { background: url(y) }";
    site.absolve("extract a.mhtml!2").ends(0).prints(style);
}

#[test]
fn a_revisit_before_its_page_is_stale() {
    let revisit = "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Target-URI: http://h/a/\r\n\
        WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let digested = archive().replacen(
        "Content-Type",
        "WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Payload-Digest: sha1:OLD\r\nContent-Type",
        1,
    );
    let text = [revisit, "junk\r\n", &digested, revisit].concat();
    let site = Site::new(&[("a.warc", &*text)]);
    let (other, damage) = ("a.warc!@", "expected a record that begins with WARC/");
    let response = "rewrite --record-type response";
    for args in ["--check a.warc", "a.warc -o b.warc --cdxj b.cdxj", "-w a.warc"] {
        let run = site.absolve(&format!("{response} {args}")).ends(2).says(&[damage]);
        assert_eq!(run.stderr.matches(damage).count(), 1, "{}", run.stderr);
        assert_eq!(run.stderr.matches("revisit keeps its digest").count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains(other) && run.stderr.contains("1 stale"), "{}", run.stderr);
    }
    let once = fs::read(site.path("a.warc")).unwrap();
    let run = site.absolve(&format!("{response} -w a.warc")).ends(2);
    assert!(run.stderr.contains("rewrote nothing"), "{}", run.stderr);
    assert!(fs::read(site.path("a.warc")).unwrap() == once);
}

#[test]
fn an_index_is_written_with_its_archive() {
    let dated = archive().replace("WARC-Type", "WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Type");
    let site = Site::new(&[("a.warc", &dated), ("c.cdxj", "old")]);
    let index = |name: &str| {
        let text = fs::read_to_string(site.path("c.cdxj")).unwrap();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.starts_with(r#"h)/a 20200102030405 {"url": "http://h/a/", "#), "{text}");
        assert!(text.ends_with(&format!("\"filename\": \"{name}\"}}\n")), "{text}");
    };
    site.absolve("rewrite a.warc -o b.warc --cdxj c.cdxj").ends(0);
    index("b.warc");
    let written = fs::read_to_string(site.path("b.warc")).unwrap();
    site.absolve("-q rewrite a.warc --cdxj c.cdxj").ends(0).prints(&written);
    index("-");
    site.absolve("-q rewrite -w a.warc --cdxj c.cdxj").ends(0);
    index("a.warc");
    site.absolve("-q rewrite -w a.warc --cdxj c.cdxj").ends(0);
    index("a.warc");

    // A trial, or an archive that is not written, writes no index.
    let before = site.state("");
    site.absolve("-q rewrite -n b.warc -o d.warc --cdxj d.cdxj").ends(0);
    for (args, why) in [
        ("rewrite a.warc -o e.warc --cdxj e.warc", "e.warc: is the archive itself; give --cdxj"),
        ("rewrite a.warc -o e.warc --cdxj a.warc", "a.warc: is the archive itself; give --cdxj"),
        ("rewrite -w a.warc --cdxj a.warc", "a.warc: is the archive itself; give --cdxj"),
        ("rewrite a.warc -o d.warc --cdxj -", "cannot be written to stdout; give --cdxj a file"),
        ("rewrite a.warc -o d.warc --cdxj no/c", "no/c: cannot write: no such file or directory"),
        ("rewrite a.warc -o no/d.warc --cdxj c.cdxj", "no/d.warc: cannot write"),
        ("rewrite a.html --cdxj c.cdxj", "--cdxj is for a web archive"),
    ] {
        site.absolve(args).ends(2).says(&[why]);
    }
    assert_eq!(site.state(""), before);
    let undated = archive();
    site.write("u.warc", &undated);
    let what = "c.cdxj: 3 records left out, which replay cannot find: no WARC-Date";
    site.absolve("rewrite u.warc -o d.warc --cdxj c.cdxj").ends(0).says(&[what]);
    site.has("c.cdxj", "");
}

#[test]
fn a_configuration_that_is_found_writes_no_index() {
    let site = Site::new(&[("a.warc", &archive()), ("absolve.toml", "rewrite.cdxj = 'c'\n")]);
    let what = "'cdxj' is not allowed in a configuration that is found automatically";
    site.absolve("rewrite a.warc -o b.warc").ends(2).says(&[what]);
}

#[test]
fn an_archive_with_other_names_is_refused() {
    let site = Site::new(&[("a.warc", &archive())]);
    fs::hard_link(site.path("a.warc"), site.path("b.warc")).unwrap();
    let refused = "absolve: a.warc: file has 2 hard links; break hard links to rewrite";
    site.absolve("rewrite -w a.warc").ends(2).says(&[refused]);
    site.has("a.warc", &archive());
    site.absolve("rewrite -w --break-hardlinks a.warc").ends(0);
    site.has("b.warc", &archive());
    assert_ne!(fs::read(site.path("a.warc")).unwrap(), archive().as_bytes());
}

#[test]
fn an_archive_that_is_a_symbolic_link_is_refused_in_place() {
    let site = Site::new(&[("a.warc", &archive())]);
    site.link("a.warc", "b.warc");
    let refused = "absolve: b.warc: symbolic link; give the path of its target, or follow symbolic links (--follow";
    site.absolve("rewrite -w b.warc").ends(2).says(&[refused]);
    site.has("a.warc", &archive());
    site.absolve("rewrite -w --follow-symlinks b.warc").ends(0);
    assert_ne!(fs::read(site.path("a.warc")).unwrap(), archive().as_bytes());
    assert!(site.path("b.warc").is_symlink());
}

#[test]
fn links_of_an_archive_have_their_records() {
    let site = Site::new(&[("a.warc", &archive())]);
    let offset =
        archive().len() - record("resource", "http://h/b/", "<a href=http://i/>2</a>").len();
    site.absolve("links a.warc").ends(0).prints(&format!(
        "a.warc!@0:1:9  a[href]  x  http://h/a/x  target-uri\n\
         a.warc!@{offset}:1:9  a[href]  http://i/  http://i/  target-uri\n"
    ));
    let run = site.absolve("links --format tsv a.warc").ends(0);
    let last = format!(
        "a.warc\t1\t9\t8-17\ta\thref\turl\thttp://i/\thttp://i/\thttp://h/b/\ttarget-uri\t\t\t{offset}\t\n"
    );
    assert!(String::from_utf8(run.stdout).unwrap().ends_with(&last), "{last}");
}

#[test]
fn damage_is_reported_and_the_rest_is_done() {
    let damaged = archive().replacen("Content-Length: 1\r", "Content-Length: 1x\r", 1);
    let site = Site::new(&[("a.warc", &damaged)]);
    let offset = record("resource", "http://h/a/", PAGE).len();
    let failed = format!("a.warc!@{offset}: its Content-Length is not a number");
    site.absolve("links a.warc").ends(2).says(&[&failed]);
    site.absolve("rewrite a.warc -o b.warc").ends(2).says(&[&failed]);
    let written = fs::read_to_string(site.path("b.warc")).unwrap();
    assert!(written.ends_with(&damaged[offset..]), "{written}");
}

#[test]
fn what_is_not_for_archives_is_refused() {
    let site = Site::new(&[("a.warc", &archive()), ("a.html", PAGE), ("d/a.html", PAGE)]);
    for (args, why) in [
        ("rewrite --diff a.warc", "a.warc: --diff is not for a web archive"),
        ("rewrite -w --backup a.warc", "a.warc: --backup is not for a web archive"),
        ("rewrite a.warc -o a.warc", "a.warc: is the input itself"),
        ("rewrite no.warc -o b.warc", "no.warc: cannot read: no such file or directory"),
        ("rewrite a.warc -o no/b.warc", "no/b.warc: cannot write: no such file or directory"),
        ("rewrite -w --as warc", "stdin cannot be rewritten in place, give a path"),
        ("rewrite --record-type response a.html", "--record-type is for a web archive"),
        ("rewrite --status all a.html", "--status is for a web archive"),
        ("rewrite -w a.warc a.html", "a web archive cannot be read with other documents"),
        ("links d a.warc", "a web archive cannot be read with other documents"),
    ] {
        site.absolve(args).ends(2).says(&[why]);
    }
    site.has("a.warc", &archive());
    // In a folder it is not a document.
    site.write("d/b.warc", archive());
    site.absolve("rewrite -w -b http://h/ d").ends(0).counts("rewrote 1 file");
}
