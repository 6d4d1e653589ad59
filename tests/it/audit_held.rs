//! Audits of web archives in forms that cannot be kept as text: compressed, and large.

use std::fs;
use std::io::Write as _;
use std::sync::Mutex;

use absolve::audit::{Audit, AuditReport, Deployment, Finding, Profile, Server, Site};
use absolve::batch::{Monitor, Workers};
use absolve::container::Format;
use absolve::container::warc::RecordSelection;
use flate2::Compression;
use flate2::write::GzEncoder;

fn page(url: &str, html: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
    let length = block.len();
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n\
         Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
    .into_bytes()
}

/// A page of another type of the same length.
fn sheet(url: &str, css: &str) -> Vec<u8> {
    String::from_utf8(page(url, css))
        .unwrap()
        .replacen(": text/html", ":  text/css", 1)
        .into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// One that never stops.
struct On;

impl Monitor for On {
    fn is_stopped(&self) -> bool {
        false
    }

    fn read(&self, _: u64) {}
}

/// What is found in an archive, with so many threads.
fn audit(archive: &[u8], name: &str, threads: usize) -> AuditReport {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, archive).unwrap();
    let site = Site::of_container(&path, Format::of_name(&path)).unwrap();
    let audit = Audit::new(Deployment::default(), Server::new(Profile::Plain));
    audit.run(&site, &Workers::new(threads), &On)
}

/// The findings of an archive as `PLACE RULE REFERENCE`, which threads change nothing of.
fn found(archive: &[u8], name: &str) -> Vec<String> {
    let lines = |audited: AuditReport| -> Vec<String> {
        let findings = audited.findings.into_iter().map(|finding| {
            let inside = finding.inside.map_or(String::new(), |inside| inside.to_string());
            let reference = finding.reference.unwrap_or_default();
            format!("{inside} {} {reference} {}", finding.rule, finding.message)
        });
        findings.collect()
    };
    let one = lines(audit(archive, name, 1));
    assert_eq!(one, lines(audit(archive, name, 8)));
    one
}

#[test]
fn records_of_one_member_are_distinguished() {
    let first = page("http://h/", "<a href=a#x>1</a> <a href=gone>2</a>");
    let second = page("http://h/a", "<a href=/#y>3</a> <p id=x>");
    let member = gzip(&[&first[..], &second].concat());
    let third = gzip(&page("http://h/b", "<a href=a#y>4</a>"));
    let archive = [&member[..], &third].concat();
    assert_eq!(
        found(&archive, "a.warc.gz"),
        [
            "@0 not-captured gone target 'http://h/gone' is not in the archive".to_owned(),
            format!("@0+{} missing-anchor /#y page 'http://h/' has no anchor 'y'", first.len()),
            format!("@{} missing-anchor a#y page 'http://h/a' has no anchor 'y'", member.len()),
        ]
    );
}

#[test]
fn a_damaged_member_costs_itself_alone() {
    let first = gzip(&page("http://h/", "<a href=b>1</a> <a href=c>2</a>"));
    let mut second = gzip(&page("http://h/b", "<p>"));
    let middle = second.len() / 2;
    second.truncate(middle);
    let third = gzip(&page("http://h/c", "<a href=/>3</a>"));
    let found = found(&[&first[..], &second, &third].concat(), "a.WARC.GZ");
    let starts = ["@0 not-captured b".to_owned(), format!("@{} unreadable", first.len())];
    assert_eq!(found.len(), starts.len(), "{found:?}");
    assert!(found.iter().zip(&starts).all(|(found, start)| found.starts_with(start)), "{found:?}");
}

#[test]
fn many_pages_are_found_alike_by_many_threads() {
    let pages = (0..500).map(|number| {
        let next = (number + 1) % 500;
        let html = format!(
            "<p id=a{number}><a href={next}#a{next}>1</a> <a href={next}#b{number}>2</a>\
             <a href=gone{number}>3</a>"
        );
        gzip(&page(&format!("http://h/{number}"), &html))
    });
    let archive = pages.collect::<Vec<_>>().concat();
    let found = found(&archive, "a.warc.gz");
    assert_eq!(found.iter().filter(|line| line.contains("missing-anchor")).count(), 500);
    assert_eq!(found.iter().filter(|line| line.contains("not-captured")).count(), 500);
    let audited = audit(&archive, "a.warc.gz", 2);
    assert_eq!((audited.pages, audited.links), (500, 1500));
}

#[test]
fn a_page_that_is_too_large_is_reported_and_is_there() {
    let large = page("http://h/large", &"x".repeat(17 << 20));
    let archive = [page("http://h/", "<a href=large#x>1</a>"), large].concat();
    let found = found(&archive, "a.warc");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains(
            " unreadable  its links and anchors are unknown: it exceeds the limit for records"
        ),
        "{found:?}"
    );
}

#[test]
fn what_is_no_archive_is_reported() {
    for (bytes, name) in [(&b"junk"[..], "a.warc"), (b"\x1f\x8b\x08junk", "a.warc.gz")] {
        let found = found(bytes, name);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("@0 unreadable"), "{found:?}");
    }
    assert_eq!(found(b"", "a.warc"), [""; 0]);
}

#[test]
fn parts_of_a_message_that_are_not_known_are_reported() {
    let deep = "Content-Type: message/rfc822\n\n".repeat(200);
    let page = "Content-Type: text/html\nContent-Location: http://h/\n\n<img src=cid:1>";
    let file =
        format!("Content-Type: multipart/mixed; boundary=b\n\n--b\n{deep}x\n--b\n{page}\n--b--\n");
    let found = found(file.as_bytes(), "a.mht");
    assert_eq!(found.len(), 2, "{found:?}");
    let depth = "101 unreadable  byte 3047: the nesting of parts exceeds 100 levels";
    assert!(found.iter().any(|line| line.starts_with(depth)), "{found:?}");
    assert!(found.iter().any(|line| line.starts_with("102 broken-link cid:1")), "{found:?}");
}

#[test]
fn a_part_that_is_not_known_leaves_the_others_their_anchors() {
    let long = format!("Content-Location: http://h/{}\n", "a".repeat(9000));
    let html = "Content-Type: text/html\n";
    let file = format!(
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n{long}{html}\n<p id=a>\n\
         --b\nContent-Location: http://h/b\n{html}\n<p id=b>\n\
         --b\nContent-Location: http://h/c\n{html}\n<a href=b#b>1</a>\n--b--\n"
    );
    let found = found(file.as_bytes(), "a.mht");
    let [only] = &found[..] else { panic!("{found:?}") };
    assert!(only.starts_with("1 unreadable  byte 65: the base URL exceeds"), "{only}");
}

/// The listed findings and the number of the others, with so many threads and so much memory.
fn within(archive: &[u8], most: usize, threads: usize) -> (Vec<Finding>, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    fs::write(&path, archive).unwrap();
    let site = Site::of_container(&path, Format::of_name(&path)).unwrap();
    let audit = Audit::new(Deployment::default(), Server::new(Profile::Plain));
    let jobs = Workers::new(threads);
    let audited = audit.max_findings_size(most).run(&site, &jobs, &On);
    let unlisted = audited.unlisted.iter().map(|unlisted| unlisted.count).sum();
    let pathless = |finding| Finding { file: "a.warc".into(), target: None, ..finding };
    (audited.findings.into_iter().map(pathless).collect(), unlisted)
}

/// Pages below a URL, each with links to nothing.
fn broken(pages: usize, links: usize, below: &str) -> Vec<u8> {
    let html = (0..links).fold(String::new(), |html, link| html + &format!("<a href=x{link}>"));
    (0..pages).flat_map(|number| page(&format!("http://h/{below}{number}"), &html)).collect()
}

/// The same in style sheets.
fn broken_sheets(sheets: usize, links: usize, below: &str) -> Vec<u8> {
    let css = (0..links).fold(String::from("a{b:"), |css, link| css + &format!("url(x{link})"));
    (0..sheets).flat_map(|number| sheet(&format!("http://h/{below}{number}"), &css)).collect()
}

#[test]
fn findings_beyond_the_memory_of_a_run_are_counted() {
    for archive in [broken(40, 50, ""), broken_sheets(40, 50, "")] {
        let (all, none) = within(&archive, 0, 1);
        assert_eq!((all.len(), none), (2000, 0));
        let (some, others) = within(&archive, 100_000, 1);
        assert!(!some.is_empty() && some.len() < 200);
        assert_eq!(some, all[..some.len()]);
        assert_eq!(some.len() as u64 + others, 2000);
        assert_eq!(within(&archive, 100_000, 8), (some, others));
    }
}

#[test]
fn findings_that_do_not_fit_beside_those_of_other_pages_are_not_lost() {
    // Each takes some 15 kB for its URLs, and those of all pages 45 MB.
    let below = format!("{}/", "b".repeat(5000));
    for archive in [broken(30, 100, &below), broken_sheets(30, 100, &below)] {
        let (all, none) = within(&archive, 0, 8);
        assert_eq!((all.len(), none), (3000, 0));
        assert!(all.is_sorted_by(|one, other| one.order(other).is_lt()));
    }
}

#[test]
fn missing_anchors_are_counted_where_there_is_no_room_for_fragments() {
    let link = |number: u32| format!("<a href='#fragment-{number}'>");
    let html = (0..30_000).fold(String::new(), |html, number| html + &link(number));
    let archive: Vec<u8> =
        (0..4).flat_map(|number| page(&format!("http://h/{number}"), &html)).collect();
    let (listed, others) = within(&archive, 0, 2);
    // Four findings say that a page has more than are listed.
    assert_eq!(listed.len() as u64 + others, 120_004);
}

/// The bytes of each pass over an archive, in order.
#[derive(Default)]
struct Passes(Mutex<Vec<(u64, u64)>>);

impl Monitor for Passes {
    fn read_to(&self, byte: u64, size: u64) {
        let mut passes = self.0.lock().unwrap();
        match passes.last_mut() {
            Some(last) if last.0 <= byte => *last = (byte, size),
            _ => passes.push((byte, size)),
        }
    }
}

#[test]
fn each_pass_over_an_archive_reports_its_bytes() {
    for (links, count) in [("<a href=a>1</a>", 2), ("<a href=a#none>1</a>", 3)] {
        let archive = [page("http://h/", links), page("http://h/a", "<p id=x>")].concat();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        fs::write(&path, &archive).unwrap();
        let site = Site::of_container(&path, Format::Warc).unwrap();
        let passes = Passes::default();
        let audit = Audit::new(Deployment::default(), Server::new(Profile::Plain));
        assert!(!audit.run(&site, &Workers::new(1), &passes).is_stopped);
        let length = archive.len() as u64;
        let passes = passes.0.into_inner().unwrap();
        assert!(passes.iter().all(|pass| *pass == (length, length)), "{passes:?}");
        assert!(!passes.is_empty() && passes.len() <= count, "{passes:?}");
    }
}

#[test]
fn links_of_style_sheets_are_checked() {
    let css = "@charset \"latin1\";@import 'b.css';\n\
        a{b:url(/a.html#x) url(/a.html#y) url(http://i/ext) url(\"gone.png\")}";
    let archive = [
        page("http://h/a.html", "<link rel=stylesheet href=s/a.css#z><p id=x><a href=s/b.css>"),
        sheet("http://h/s/a.css", css),
        sheet("http://h/s/b.css", ""),
    ];
    let at = archive[0].len();
    let expected = [
        format!("@{at} missing-anchor /a.html#y page 'http://h/a.html' has no anchor 'y'"),
        format!("@{at} not-captured gone.png target 'http://h/s/gone.png' is not in the archive"),
    ];
    assert_eq!(found(&archive.concat(), "a.warc"), expected);
    let audited = audit(&archive.concat(), "a.warc", 2);
    assert_eq!((audited.pages, audited.links), (1, 7));
    let finding = audited.findings.last().unwrap();
    assert_eq!((finding.line, finding.column, &finding.element), (Some(2), Some(58), &None));
    assert_eq!(finding.page.as_deref(), Some("http://h/s/a.css"));
}

#[test]
fn links_of_style_sheets_in_messages_are_checked() {
    let sheet = "Content-Type: text/css\nContent-Location: http://h/s/a.css\n\
        Content-Transfer-Encoding: quoted-printable\n\n\
        a{b:url=28/#x) url(/#y) url(cid:gone@h)}\n";
    let message = format!(
        "Content-Type: multipart/related; boundary=b\n\n--b\n{sheet}--b\nContent-Type: text/html\n\
         Content-Location: http://h/\n\n<p id=x><link href=s/a.css#z><a href=cid:none@h>\n--b--"
    );
    let audited = audit(message.as_bytes(), "a.eml", 1);
    let listed: Vec<_> = audited
        .findings
        .iter()
        .map(|finding| {
            let inside = finding.inside.map(|inside| inside.to_string());
            (inside.unwrap(), finding.rule.to_string(), finding.reference.clone().unwrap())
        })
        .collect();
    let expected = [
        ("1", "missing-anchor", "/#y"),
        ("1", "broken-link", "cid:gone@h"),
        ("2", "broken-link", "cid:none@h"),
    ];
    assert_eq!(
        listed,
        expected.map(|(inside, rule, reference)| {
            (inside.to_owned(), rule.to_owned(), reference.to_owned())
        })
    );
    assert_eq!((audited.pages, audited.links), (1, 5));
    assert_eq!((audited.findings[0].line, audited.findings[0].column), (Some(8), Some(20)));
}

#[test]
fn selected_records_are_audited_and_all_are_targets() {
    let archive = [
        page("http://h/a", "<a href=b#x>1</a> <a href=b#y>2</a> <a href=c#z>3</a> <a href=d>4</a>"),
        page("http://h/b", "<p id=x> <a href=gone>5</a> <a href=c#z>6</a>"),
        sheet("http://h/c", "a{b:url(gone)}"),
    ]
    .concat();
    let selected = |records: RecordSelection| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        fs::write(&path, &archive).unwrap();
        let site = Site::of_container(&path, Format::Warc).unwrap();
        let audit = Audit::new(Deployment::default(), Server::new(Profile::Plain)).records(records);
        let audited = audit.run(&site, &Workers::new(2), &On);
        let findings = audited.findings.iter().map(|finding| {
            let page = finding.page.as_deref().unwrap_or_default().replace("http://h/", "");
            format!("{page} {}", finding.reference.as_deref().unwrap_or_default())
        });
        (audited.pages, audited.links, findings.collect::<Vec<_>>().join(", "))
    };
    let all = RecordSelection::default;
    let expected = |pages, links, found: &str| (pages, links, found.to_owned());
    assert_eq!(selected(all()), expected(2, 7, "a b#y, a d, b gone, c gone"));
    let first = all().url(|url| url.ends_with('a'));
    assert_eq!(selected(first), expected(1, 4, "a b#y, a d"));
    assert_eq!(selected(all().media_type("text/css")), expected(0, 1, "c gone"));
    let pages = all().media_type("text/html");
    assert_eq!(selected(pages), expected(2, 6, "a b#y, a d, b gone"));
    assert_eq!(selected(all().status(404..=404)), expected(0, 0, ""));
}
