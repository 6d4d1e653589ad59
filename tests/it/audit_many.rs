//! Audits of sites with more missing anchors than are listed, as requests or as findings.

use std::fs;

use absolve::audit::{Audit, AuditReport, Deployment, Profile, Redirects, Rule, Server, Site};
use absolve::batch::{Globs, Monitor, Symlinks, Workers};

/// One that never stops.
struct On;

impl Monitor for On {
    fn is_stopped(&self) -> bool {
        false
    }

    fn read(&self, _: u64) {}
}

/// One that stops at once.
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
    let audit = audit
        .max_findings(max_findings)
        .level(Rule::MissingTextFragment, Rule::MissingAnchor.level());
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
    // What follows the last one that is listed is looked up as well.
    let there = (0..IDS).map(word);
    let pages = [
        ("a.html", links("t.html", missing.chain(there.clone()))),
        ("b.html", links("t.html", there.chain([word(7) + "y"]))),
        ("c.html", "<a href='t.html#none:~:text=lost'>x</a>".to_owned()),
        ("t.html", target()),
    ];
    let audited = audit(&pages, 1000);
    assert_eq!(number(&audited, Rule::MissingAnchor), MANY as u64 + 2);
    assert_eq!(number(&audited, Rule::MissingTextFragment), 1);
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
    let audit = Audit::new(Deployment::at("http://h/").unwrap(), server)
        .redirects_file(folder.path().join("_redirects"))
        .sitemap(site.find(&folder.path().join("sitemap.xml")))
        .level(Rule::OrphanPage, Rule::BrokenLink.level());
    let run = |monitor: &dyn Monitor| audit.run(&site, &Workers::new(1), monitor);
    let (whole, stopped) = (run(&On), run(&Stopped));
    assert_eq!((whole.findings.len(), whole.is_stopped), (5, false), "{:?}", whole.findings);
    assert_eq!((stopped.findings.len(), stopped.is_stopped), (0, true), "{:?}", stopped.findings);
}

#[test]
fn the_search_for_texts_has_a_limit_for_each_page() {
    let text = "some words ".repeat(10_000);
    let texts = |page: &str, count: usize| {
        let link = |text| format!("<a href='{page}#:~:text=some,no{text}&text=some'>x</a>\n");
        (0..count).map(link).collect::<String>()
    };
    let pages = [
        ("a.html", texts("large.html", MANY / 3)),
        ("b.html", texts("small.html", 3) + &texts("large.html", 3)),
        ("large.html", text),
        ("small.html", "some words".to_owned()),
    ];
    let audited = audit(&pages, 0);
    assert_eq!(number(&audited, Rule::MissingTextFragment), 3);
    let audited = audit(&pages[1..], 0);
    assert_eq!(number(&audited, Rule::MissingTextFragment), 6);
}
