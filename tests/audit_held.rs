//! Audits of web archives in forms that cannot be kept as text: compressed, and large.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write as _;
use std::sync::Mutex;

use absolve::audit::{Audit, AuditReport, Deployment, Finding, Profile, Server, Site};
use absolve::batch::{Monitor, Workers};
use absolve::container::Format;
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
    audit.run(&site, &Workers::new(threads).unwrap(), &On)
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
    assert!(found[0].contains(" unreadable  the record is larger than"), "{found:?}");
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
    let jobs = Workers::new(threads).unwrap();
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

#[test]
fn findings_beyond_the_memory_of_a_run_are_counted() {
    let archive = broken(40, 50, "");
    let (all, none) = within(&archive, 0, 1);
    assert_eq!((all.len(), none), (2000, 0));
    let (some, others) = within(&archive, 100_000, 1);
    assert!(!some.is_empty() && some.len() < 200);
    assert_eq!(some, all[..some.len()]);
    assert_eq!(some.len() as u64 + others, 2000);
    assert_eq!(within(&archive, 100_000, 8), (some, others));
}

#[test]
fn findings_that_do_not_fit_beside_those_of_other_pages_are_not_lost() {
    // Each takes some 15 kB for its URLs, and those of all pages 45 MB.
    let archive = broken(30, 100, &format!("{}/", "b".repeat(5000)));
    let (all, none) = within(&archive, 0, 8);
    assert_eq!((all.len(), none), (3000, 0));
    assert!(all.is_sorted_by(|one, other| one.order(other).is_lt()));
}

#[test]
fn missing_anchors_are_counted_where_there_is_no_room_for_fragments() {
    let link = |number: u32| format!("<a href='#fragment-{number}'>");
    let html = (0..110_000).fold(String::new(), |html, number| html + &link(number));
    let archive: Vec<u8> =
        (0..4).flat_map(|number| page(&format!("http://h/{number}"), &html)).collect();
    let (listed, others) = within(&archive, 0, 2);
    // Four findings say that a page has more than are listed.
    assert_eq!(listed.len() as u64 + others, 440_004);
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
        assert!(!audit.run(&site, &Workers::new(1).unwrap(), &passes).is_stopped);
        let length = archive.len() as u64;
        let passes = passes.0.into_inner().unwrap();
        assert!(passes.iter().all(|pass| *pass == (length, length)), "{passes:?}");
        assert!(!passes.is_empty() && passes.len() <= count, "{passes:?}");
    }
}
