//! Audits of sites with more findings or missing anchors than are listed.

use std::fs;

use absolve_archive::jobs::Workers;
use absolve_files::{Globs, Monitor, Symlinks};
use absolve_site::{
    Audit, AuditReport, Deployment, Finding, FindingLimits, Level, Profile, Redirects, Rule,
    Server, Site,
};

/// A monitor that never stops.
struct On;

impl Monitor for On {
    fn is_stopped(&self) -> bool {
        false
    }

    fn read(&self, _: u64) {}
}

/// A monitor that stops at once.
struct Stopped;

impl Monitor for Stopped {
    fn is_stopped(&self) -> bool {
        true
    }
}

/// Audits a site; threads change nothing of it.
fn audit(pages: &[(&str, String)], max_findings: usize) -> AuditReport {
    let folder = tempfile::tempdir().unwrap();
    for (name, html) in pages {
        fs::write(folder.path().join(name), html).unwrap();
    }
    let site = Site::walk(folder.path(), folder.path(), &Globs::default(), Symlinks::Kept).unwrap();
    let audit = Audit::new(Deployment::default(), Server::new(Profile::Plain));
    let mut limits = FindingLimits::default();
    limits.findings = max_findings;
    let audit = audit.finding_limits(limits);
    let run = |threads| audit.run(&site, &Workers::new(threads), &On);
    let (one, many) = (run(1), run(8));
    assert_eq!(format!("{:?}", one.findings), format!("{:?}", many.findings));
    assert_eq!(format!("{:?}", one.unlisted), format!("{:?}", many.unlisted));
    one
}

fn number(audited: &AuditReport, rule: Rule) -> u64 {
    let listed = audited.findings.iter().filter(|finding| finding.rule == rule).count() as u64;
    let unlisted = audited.unlisted.iter().filter(|unlisted| unlisted.rule == rule);
    listed + unlisted.map(|unlisted| unlisted.count).sum::<u64>()
}

/// A name of letters alone: a near name has the same digits.
fn word(mut number: usize) -> String {
    let mut word = "section-".to_owned();
    for _ in 0..4 {
        word.push(char::from(b'a' + u8::try_from(number % 26).unwrap()));
        number /= 26;
    }
    word
}

fn links(page: &str, anchors: impl Iterator<Item = String>) -> String {
    anchors.fold(String::new(), |html, anchor| html + &format!("<a href='{page}#{anchor}'>x</a>\n"))
}

const IDS: usize = 500;

/// More than the fragments of a file that are listed.
const MANY: usize = 20_000;

fn target() -> String {
    (0..IDS).fold(String::new(), |html, id| html + &format!("<p id={}>", word(id)))
}

#[test]
fn each_of_many_missing_anchors_of_a_page_counts() {
    let missing = (0..MANY).map(|id| word(id) + "x");
    // Targets after the last one that is listed are looked up as well.
    let there = (0..IDS).map(word);
    let pages = [
        ("a.html", links("t.html", missing.chain(there.clone()))),
        ("b.html", links("t.html", there.chain([word(7) + "y"]))),
        ("c.html", "<a href='t.html#none'>x</a>".to_owned()),
        ("t.html", target()),
    ];
    let audited = audit(&pages, 1000);
    assert_eq!(number(&audited, Rule::MissingAnchor), MANY as u64 + 2);
    let hints: Vec<_> = audited
        .findings
        .iter()
        .filter(|finding| finding.rule == Rule::MissingAnchor)
        .map(|finding| {
            (finding.file.file_name().unwrap().to_str().unwrap(), finding.hint.as_deref())
        })
        .collect();
    assert_eq!(hints.len(), 1002);
    for (id, hint) in hints[..IDS].iter().enumerate() {
        let meant = format!("did you mean 't.html#{}'?", word(id));
        assert_eq!(*hint, ("a.html", Some(&*meant)));
    }
    let meant = format!("did you mean 't.html#{}'?", word(7));
    assert_eq!(hints[1000..], [("b.html", Some(&*meant)), ("c.html", None)]);
}

#[test]
fn each_of_many_missing_anchors_of_the_page_itself_counts() {
    let missing = (0..MANY).map(|id| word(id) + "x");
    let later = (0..IDS).map(word);
    let page = links("", missing.chain(later)) + &target();
    let audited = audit(&[("a.html", page)], 1000);
    assert_eq!(number(&audited, Rule::MissingAnchor), MANY as u64);
}

#[test]
fn many_anchors_that_are_there_are_no_findings() {
    let ids = (0..MANY).fold(String::new(), |html, id| html + &format!("<p id={}>", word(id)));
    let own = links("", (0..MANY).map(word)) + &ids;
    let pages = [("a.html", links("t.html", (0..MANY).map(word))), ("t.html", own)];
    let audited = audit(&pages, 1000);
    assert_eq!((audited.findings.len(), audited.links), (0, 2 * MANY as u64));
}

#[test]
fn every_pass_ends_when_a_run_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.html", "<a href=gone.html>x</a>");
    write("sitemap.xml", "<urlset><url><loc>http://h/gone</loc></url></urlset>");
    let redirects = Redirects::parse("/x /gone\n/y /gone2\n");
    let site = Site::walk(folder.path(), folder.path(), &Globs::default(), Symlinks::Kept).unwrap();
    let server = Server::new(Profile::Netlify).with_redirects(redirects);
    let audit = Audit::new(Deployment::parse("http://h/").unwrap(), server)
        .redirects_file(folder.path().join("_redirects"))
        .sitemap(site.find(&folder.path().join("sitemap.xml")))
        .level(Rule::OrphanPage, Rule::BrokenLink.level());
    let run = |monitor: &dyn Monitor| audit.run(&site, &Workers::new(1), monitor);
    let (whole, stopped) = (run(&On), run(&Stopped));
    assert_eq!((whole.findings.len(), whole.is_stopped), (5, false), "{:?}", whole.findings);
    assert_eq!((stopped.findings.len(), stopped.is_stopped), (0, true), "{:?}", stopped.findings);
}

/// Returns the listed findings and the number of the others, for a base URL, a memory limit and a
/// number of threads.
fn within(
    pages: &[(String, String)],
    base_url: &str,
    most: usize,
    threads: usize,
) -> (Vec<Finding>, u64) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in pages {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let site = Site::walk(folder.path(), folder.path(), &Globs::default(), Symlinks::Kept).unwrap();
    let off = [Rule::OrphanPage, Rule::OrphanAsset].into_iter();
    let mut limits = FindingLimits::default();
    limits.size = most;
    let audit = Audit::new(Deployment::parse(base_url).unwrap(), Server::new(Profile::Plain))
        .finding_limits(limits);
    let audit = off.fold(audit, |audit, rule| audit.level(rule, Level::Off));
    let audited = audit.run(&site, &Workers::new(threads), &On);
    let unlisted = audited.unlisted.iter().map(|unlisted| unlisted.count).sum();
    let placed = |finding: Finding| {
        let file = finding.file.file_name().unwrap().into();
        Finding { file, target: None, ..finding }
    };
    (audited.findings.into_iter().map(placed).collect(), unlisted)
}

/// Pages with links to nothing.
fn broken(pages: usize, links: usize) -> Vec<(String, String)> {
    let html = (0..links).fold(String::new(), |html, link| html + &format!("<a href=x{link}>"));
    (0..pages).map(|number| (format!("{number:02}.html"), html.clone())).collect()
}

/// Makes style sheets with broken links.
fn broken_sheets(sheets: usize, links: usize) -> Vec<(String, String)> {
    let css = (0..links).fold(String::from("a{b:"), |css, link| css + &format!("url(x{link})"));
    (0..sheets).map(|number| (format!("{number:02}.css"), css.clone())).collect()
}

#[test]
fn findings_beyond_the_memory_of_a_run_are_counted() {
    for pages in [broken(40, 50), broken_sheets(40, 50)] {
        let within = |most, threads| within(&pages, "http://h/", most, threads);
        let (all, none) = within(0, 1);
        assert_eq!((all.len(), none), (2000, 0));
        let (some, others) = within(100_000, 1);
        assert!(!some.is_empty() && some.len() < 200);
        assert_eq!(some, all[..some.len()]);
        assert_eq!(some.len() as u64 + others, 2000);
        assert_eq!(within(100_000, 8), (some, others));
    }
}

#[test]
fn findings_that_do_not_fit_beside_those_of_other_pages_are_not_lost() {
    // Each takes some 15 kB for its URLs, and those of all pages 45 MB.
    let base_url = format!("http://h/{}/", "b".repeat(5000));
    for pages in [broken(30, 100), broken_sheets(30, 100)] {
        let (all, none) = within(&pages, &base_url, 0, 8);
        assert_eq!((all.len(), none), (3000, 0));
        assert!(all.is_sorted_by(|one, other| one.order(other).is_lt()));
    }
}

#[test]
fn missing_anchors_are_counted_where_there_is_no_room_for_fragments() {
    let html = links("", (0..30_000).map(|number| format!("fragment-{number}")));
    let pages: Vec<_> = (0..4).map(|number| (format!("{number}.html"), html.clone())).collect();
    let (listed, others) = within(&pages, "http://h/", 0, 2);
    // Four findings say that a page has more than are listed.
    assert_eq!(listed.len() as u64 + others, 120_004);
}
