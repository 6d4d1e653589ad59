//! Generated sites with broken links are audited: the time of hints.
//!
//! `cargo bench --bench audit` prints how many times as long a site with broken links takes
//! as the same site without them, and fails where that is more than three times. Reports are not
//! written. `ABSOLVE_AUDIT_LINKS` is the number of links of each site, 400,000 unless set: of fewer
//! links most are listed as findings, so that the listing is measured. A site of ten times as many
//! pages with random links among them may take 13 times as long; `ABSOLVE_AUDIT_PAGES` is the number
//! of its pages, 20,000 unless set. Each audit has a process of its own.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking")]

use std::collections::HashSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{self, Command};
use std::str::FromStr;
use std::time::Instant;

use absolve_archive::jobs::Workers;
use absolve_files::{Globs, Monitor, Symlinks};
use absolve_site::{Audit, AuditReport, Deployment, Profile, Rule, Server, Site};

const MOST_TIMES: f64 = 3.0;

/// Audits of a site, of which the fastest counts.
const ROUNDS: usize = 5;

/// Files of a site, and anchors of a page.
const NAMES: usize = 4096;

/// A name, and a function that makes a link to a file of the site; `true` breaks the link.
type Case = (&'static str, fn(&mut Words, &[String], bool) -> String);

const CASES: &[Case] = &[
    ("near names of missing files", |words, names, is_broken| {
        let name = words.choose(names);
        let name = if is_broken { words.near(name, names) } else { name.to_owned() };
        format!("f/{name}.html?{}", words.next())
    }),
    ("case and percent-encoding", |words, names, is_broken| {
        let name = words.choose(names);
        let (first, rest) = name.split_at(1);
        let rest = if is_broken { rest.to_ascii_uppercase() } else { rest.to_owned() };
        format!("f/%{:X}{rest}.html?{}", first.as_bytes()[0], words.next())
    }),
    ("missing anchors", |words, names, is_broken| {
        let name = words.choose(names);
        let name = if is_broken { words.near(name, names) } else { name.to_owned() };
        format!("t.html#{name}")
    }),
];

fn main() {
    let args: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match &args[..] {
        [path, rounds] => measure(Path::new(path), rounds.parse().unwrap()),
        _ => process::exit(i32::from(!(hints() & pages()))),
    }
}

/// Never stops an audit.
struct On;

impl Monitor for On {
    fn is_stopped(&self) -> bool {
        false
    }

    fn read(&self, _: u64) {}
}

/// Prints seconds, findings and links, in a process of its own.
fn measure(path: &Path, rounds: usize) {
    let jobs = Workers::new(1);
    let audit = Audit::new(Deployment::default(), Server::new(Profile::Plain));
    let mut best = f64::MAX;
    let mut last = None;
    for _ in 0..rounds {
        let begin = Instant::now();
        let site = Site::walk(path, path, &Globs::default(), Symlinks::default()).unwrap();
        let audited = audit.run(&site, &jobs, &On);
        best = best.min(begin.elapsed().as_secs_f64());
        last = Some((findings(&audited), audited.links));
    }
    let (findings, links) = last.unwrap();
    println!("{best} {findings} {links}");
}

/// Counts the findings, without those that report a truncated page.
fn findings(audited: &AuditReport) -> u64 {
    let listed = audited.findings.iter().filter(|finding| finding.rule != Rule::Unreadable);
    let unlisted = audited.unlisted.iter().map(|unlisted| unlisted.count).sum::<u64>();
    listed.count() as u64 + unlisted
}

/// Measures a site.
fn run(path: &Path, rounds: usize) -> (f64, u64, u64) {
    let mut command = Command::new(env::current_exe().unwrap());
    let output = command.arg(path).arg(rounds.to_string()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let [seconds, findings, links] = text.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("{}: {text:?} {:?}", path.display(), output.stderr);
    };
    let number = |text: &str| text.parse::<u64>().unwrap();
    (seconds.parse().unwrap(), number(findings), number(links))
}

/// Compares each site with broken links with the same site without them.
fn hints() -> bool {
    let links: u64 = setting("ABSOLVE_AUDIT_LINKS", 400_000);
    let mut is_fine = true;
    println!("{:28} {:>9} {:>9} {:>6}   {links} links", "hints", "ms good", "ms broken", "ratio");
    for (name, link) in CASES {
        let folder = tempfile::tempdir().unwrap();
        let site = |is_broken| {
            let path = folder.path().join(if is_broken { "broken" } else { "good" });
            write_site(&path, links, *link, is_broken);
            path
        };
        let (good, broken) = (site(false), site(true));
        let mut ratio = f64::MAX;
        let (mut fast, mut slow) = (0.0, 0.0);
        // A noisy machine can make one try slow, and not three.
        for _ in 0..3 {
            let pair = [run(&good, ROUNDS), run(&broken, ROUNDS)];
            assert_eq!((pair[0].1, pair[0].2), (0, links), "{name}, good");
            assert_eq!((pair[1].1, pair[1].2), (links, links), "{name}, broken");
            if pair[1].0 / pair[0].0 < ratio {
                (fast, slow) = (pair[0].0, pair[1].0);
                ratio = slow / fast;
            }
            if ratio <= MOST_TIMES {
                break;
            }
        }
        is_fine &= ratio <= MOST_TIMES;
        let verdict = if ratio <= MOST_TIMES { "" } else { "  TOO SLOW" };
        println!("{name:28} {:9.1} {:9.1} {ratio:6.2}{verdict}", fast * 1e3, slow * 1e3);
    }
    is_fine
}

/// Compares a site with one of a tenth of its pages: the time grows with links, and little with
/// the size of what they are looked up in.
fn pages() -> bool {
    const MOST_TIMES: f64 = 13.0;
    let most: usize = setting("ABSOLVE_AUDIT_PAGES", 20_000);
    let times = [most / 10, most].map(|pages| {
        let folder = tempfile::tempdir().unwrap();
        let links = write_pages(folder.path(), pages);
        let (seconds, findings, counted) = run(folder.path(), ROUNDS);
        assert_eq!((findings, counted), (0, links), "{pages} pages");
        println!("{pages:9} pages {links:9} links {seconds:9.3} s");
        seconds
    });
    let ratio = times[1] / times[0];
    println!("{ratio:6.2} times{}", if ratio <= MOST_TIMES { "" } else { "  TOO SLOW" });
    ratio <= MOST_TIMES
}

/// Writes pages, 1,000 in each folder, with 50 links each to random ones; returns the number of links.
fn write_pages(root: &Path, pages: usize) -> u64 {
    let mut words = Words::default();
    let folder = |page: usize| format!("d{:03}", page / 1000);
    for page in 0..pages {
        let mut text = String::new();
        for _ in 0..50 {
            let to = words.next() % pages;
            writeln!(
                text,
                "<p>Some text beside <a href=\"../{}/p{to:06}.html\">a link</a>",
                folder(to)
            )
            .unwrap();
        }
        let folder = root.join(folder(page));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("p{page:06}.html")), text).unwrap();
    }
    pages as u64 * 50
}

fn setting<T: FromStr>(name: &str, default: T) -> T {
    env::var(name).map_or(default, |text| text.parse().ok().unwrap())
}

/// Writes a site of 4,096 files, a page of as many anchors, and a page with the links.
fn write_site(
    folder: &Path,
    links: u64,
    link: fn(&mut Words, &[String], bool) -> String,
    is_broken: bool,
) {
    let mut words = Words::default();
    let names: Vec<String> = (0..NAMES).map(|_| words.word()).collect();
    fs::create_dir_all(folder.join("f")).unwrap();
    let mut page = String::new();
    for _ in 0..links {
        writeln!(page, "<a href=\"{}\">x</a>", link(&mut words, &names, is_broken)).unwrap();
    }
    fs::write(folder.join("index.html"), page).unwrap();
    let ids = names.iter().fold(String::new(), |ids, name| ids + "<p id=" + name + ">\n");
    fs::write(folder.join("t.html"), ids).unwrap();
    for name in &names {
        fs::write(folder.join("f").join(name).with_extension("html"), "<p>").unwrap();
    }
}

/// Random words, the same in every run.
#[derive(Default)]
struct Words {
    state: u64,
    known: HashSet<String>,
}

impl Words {
    fn next(&mut self) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.state >> 40).unwrap()
    }

    fn letter(&mut self) -> char {
        char::from(b"abcdefghijklmnopqrstuvwxyz"[self.next() % 26])
    }

    fn word(&mut self) -> String {
        (0..14).map(|_| self.letter()).collect()
    }

    fn choose<'n>(&mut self, names: &'n [String]) -> &'n str {
        &names[self.next() % names.len()]
    }

    /// The name with another letter in one place, which is no other name.
    fn near(&mut self, name: &str, names: &[String]) -> String {
        if self.known.is_empty() {
            self.known = names.iter().cloned().collect();
        }
        loop {
            let (at, letter) = (self.next() % name.len(), self.letter());
            let near = format!("{}{letter}{}", &name[..at], &name[at + 1..]);
            if !self.known.contains(&near) {
                return near;
            }
        }
    }
}
