//! Messages and web archives, alone and in folders.

use std::io::Write as _;

use crate::trees::site::{PAGE, Site};

/// A saved page with a page in a frame.
const SAVED: &str = "Snapshot-Content-Location: http://h/a/\r\n\
    Content-Type: multipart/related; boundary=B\r\n\r\n\
    --B\r\nContent-Type: text/html\r\nContent-Location: http://h/a/p.html\r\n\r\n\
    <a href=x>1</a> <img src=cid:1>\r\n\
    --B\r\nContent-Type: text/html\r\n\r\n<a href=y>2</a>\r\n--B--\r\n";

/// The saved message with its links rewritten.
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

/// The error of a rewriting, which names what writes the pages of an archive.
fn refused(name: &str, given: &str) -> String {
    format!(
        "absolve: {name}: a web archive is read and not rewritten; write its pages as files: \
         absolve extract {given} -o DIR --to relative\n"
    )
}

#[test]
fn an_archive_is_not_rewritten() {
    let site = Site::new(&[("a.warc", &archive()), ("a.html", PAGE)]);
    site.write("a.warc.gz", crate::trees::archive::gzip(archive().as_bytes()));
    site.write("a.wacz", wacz_of(&[("a.warc", &archive())]));
    site.write("crawl/sub/b.warc.zst", "");
    let before = site.state("");
    for (args, name, given) in [
        ("a.warc", "a.warc", "a.warc"),
        ("a.warc.gz -o new.warc.gz", "a.warc.gz", "a.warc.gz"),
        ("-w a.wacz", "a.wacz", "a.wacz"),
        ("--check a.html a.warc", "a.warc", "a.warc"),
        ("crawl -o new", "crawl", "crawl"),
        ("--as warc a.html", "a.html", "FILE.warc"),
        ("none.warc", "none.warc", "none.warc"),
    ] {
        let run = site.absolve(&format!("rewrite {args}")).ends(2);
        assert_eq!(run.stderr, refused(name, given), "{args}");
        assert!(run.stdout.is_empty());
    }
    site.absolve_with(["rewrite"], &archive()).ends(2).says(&[&refused("stdin", "FILE.warc")]);
    let stdin = ["rewrite", "--as", "warc"];
    site.absolve_with(stdin, &archive()).ends(2).says(&[&refused("stdin", "FILE.warc")]);
    assert_eq!(site.state(""), before);
    // An option that is gone is unknown.
    for option in ["--record-type response", "--cdxj x", "--status 200", "--mime a/b", "--url x"] {
        let (name, _) = option.split_once(' ').unwrap();
        let what = format!("unexpected argument '{name}'");
        site.absolve(&format!("rewrite {option} a.html")).ends(2).says(&[&what]);
    }
}

#[test]
fn archives_in_a_folder_stay() {
    let site = Site::new(&[("s/a.html", PAGE), ("s/a.warc", &archive())]);
    site.absolve("rewrite -b http://h/ s -o new").ends(0).counts("rewrote 1 file");
    assert!(!site.path("new/a.warc").exists());
    site.absolve("rewrite -b http://h/ s -o all --copy-assets").ends(0);
    site.has("all/a.warc", &archive());
    site.absolve("rewrite -w -b http://h/ s").ends(0).counts("rewrote 1 file");
    site.has("s/a.warc", &archive());
}

/// A WACZ archive with several archives, in this order.
fn wacz_of(archives: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let archives = archives.iter().map(|(name, text)| (format!("archive/{name}"), *text));
    for (name, text) in archives.chain([("datapackage.json".to_owned(), "{}")]) {
        zip.start_file(name, stored).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn archives_in_a_wacz_archive_are_listed() {
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
}

#[test]
fn a_selection_without_a_document_is_noted() {
    let css = record("resource", "http://h/c/", "a { background: url(x) }");
    let css = css.replace("text/html", "text/css");
    let site = Site::new(&[("a.warc", &[archive(), css].concat())]);
    let note = "a.warc: no document matches --mime, --url";
    let options = "--mime text/css --url http://i/*";
    site.absolve(&format!("links {options} a.warc")).ends(0).says(&[note]).prints("");
    let note = "a.warc: no document matches --status";
    site.absolve("links --status 302,404-410 a.warc").ends(0).says(&[note]).prints("");
    let all = "--mime text/css,TEXT/html --url http://h/*";
    let run = site.absolve(&format!("links {all} a.warc")).ends(0);
    assert!(!run.stderr.contains("no document"), "{}", run.stderr);
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
fn damage_is_reported_and_the_rest_is_listed() {
    let damaged = archive().replacen("Content-Length: 1\r", "Content-Length: 1x\r", 1);
    let site = Site::new(&[("a.warc", &damaged)]);
    let offset = record("resource", "http://h/a/", PAGE).len();
    let failed = format!("a.warc!@{offset}: its Content-Length is not a number");
    let run = site.absolve("links a.warc").ends(2).says(&[&failed]);
    assert!(String::from_utf8(run.stdout).unwrap().contains("http://i/"));
}

#[test]
fn an_archive_is_given_alone() {
    let site = Site::new(&[("a.warc", &archive()), ("d/a.html", PAGE)]);
    let what = "a web archive cannot be read with other documents";
    site.absolve("links d a.warc").ends(2).says(&[what]);
    site.absolve("links --status all d").ends(2).says(&["--status is for a web archive"]);
}
