//! A single run fixes every certain finding, however few the reports list.

use std::fmt::Write as _;
use std::fs;

use crate::{Site, text};

pub(crate) const TRIALS: &[(&str, fn())] = &[
    ("one_run_fixes_more_than_a_report_lists", one_run_fixes_more_than_a_report_lists),
    ("a_full_memory_takes_more_rounds", a_full_memory_takes_more_rounds),
    ("many_pages_are_fixed_in_one_round", many_pages_are_fixed_in_one_round),
    ("a_page_with_many_findings_is_fixed_at_once", a_page_with_many_findings_is_fixed_at_once),
    ("too_many_rounds_are_an_error", too_many_rounds_are_an_error),
    ("a_baseline_limits_what_is_fixed", a_baseline_limits_what_is_fixed),
    ("a_diff_shows_more_than_a_report_lists", a_diff_shows_more_than_a_report_lists),
];

/// A page with many broken links, then as many that can be fixed.
fn page(links: usize, fixable: &str) -> String {
    let mut page = String::new();
    for number in 0..links {
        let _ = writeln!(page, "<a href=missing/{number:x}.png>");
    }
    for _ in 0..links {
        let _ = writeln!(page, "<a href={fixable}>");
    }
    page
}

fn one_run_fixes_more_than_a_report_lists() {
    let site = Site::new(&[("a.html", page(300, "A.html").as_bytes())]);
    let output = site.audit(&["--fix", "--limit=findings=10"]);
    let report = text(&output.stdout);
    assert_eq!(text(&site.read("a.html")), page(300, "a.html"), "{report}");
    assert!(report.contains("300 findings fixed\n"), "{report}");
    let again = site.audit(&["--fix", "--limit=findings=10"]);
    assert!(text(&again.stdout).contains("0 findings fixed"), "{}", text(&again.stdout));
}

fn a_full_memory_takes_more_rounds() {
    let names = ["a.html", "b.html", "c.html"];
    let page = |fixable: &str| page(400, fixable);
    let files = names.map(|name| (name, page("A.html").into_bytes()));
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, page)| (*name, &**page)).collect();
    let site = Site::new(&files);
    let output = site.audit(&["--fix", "--limit=findings-size=100k"]);
    let report = text(&output.stdout);
    for name in names {
        assert_eq!(text(&site.read(name)), page("a.html"), "{report}");
    }
    assert!(report.contains("1,200 findings fixed\n"), "{report}");
}

/// Findings without a fix are removed many times, by threads that have audited as far as they may.
fn many_pages_are_fixed_in_one_round() {
    let page = |fixable: &str| page(30, "x").replace("<a href=x>\n", "") + fixable;
    let names: Vec<_> = (0..300).map(|number| format!("p{number:03}.html")).collect();
    let old = page("<a href=P000.html>");
    let files: Vec<_> = names.iter().map(|name| (&**name, old.as_bytes())).collect();
    let site = Site::new(&files);
    let output = site.audit(&["--fix", "-j=2", "--limit=findings-size=1M"]);
    let report = text(&output.stdout);
    assert!(report.contains("300 findings fixed\n"), "{report}");
    assert_eq!(text(&site.read("p299.html")), page("<a href=p000.html>"), "{report}");
}

fn a_page_with_many_findings_is_fixed_at_once() {
    let page = (0..15_000).map(|number| format!("<a href=A.html?{number}>"));
    let page = page.collect::<Vec<_>>().join("\n");
    let site = Site::new(&[("a.html", page.as_bytes())]);
    let output = site.audit(&["--fix", "--diff"]);
    assert_eq!(text(&output.stderr), "absolve: would fix 15,000 findings in 1 file\n");
    assert_eq!(text(&output.stdout).matches("+<a href=a.html?").count(), 15_000);
}

fn too_many_rounds_are_an_error() {
    let page = "<a href=docs>x</a><a href=docs>x</a>\n".repeat(200);
    let site = Site::new(&[("a.html", page.as_bytes()), ("docs/index.html", b"")]);
    // Every finding is a note, which does not fail a run.
    let args = ["--fix", "--limit=findings-size=4k", "--rule=missing-trailing-slash=note"];
    let output = site.audit(&args);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let fixed = text(&site.read("a.html")).matches("docs/").count();
    assert!((1..400).contains(&fixed), "{fixed}");
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let (_, left) = stderr.split_once("not fixed: ").unwrap();
    let (number, others) = left.split_once(" findings, and others ").unwrap();
    let number: usize = number.replace(',', "").parse().unwrap();
    assert!(fixed + number < 400, "{stderr}");
    assert!(others.ends_with("leaves no memory for; raise it, or run --fix again\n"), "{stderr}");
    let output = site.audit(&["--fix"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert!(stdout.contains("at least "), "{stdout}");
}

fn a_baseline_limits_what_is_fixed() {
    let known = page(30, "A.html");
    let site = Site::new(&[("a.html", known.as_bytes())]);
    let baseline = ["--baseline=known", "--limit=findings=0"];
    site.audit(&[&baseline[..], &["--write-baseline"]].concat());
    fs::write(site.path("b.html"), page(30, "B.html")).unwrap();
    let output = site.audit(&["--fix", "--baseline=known", "--limit=findings=10"]);
    let report = text(&output.stdout);
    assert_eq!(text(&site.read("a.html")), known, "{report}");
    assert_eq!(text(&site.read("b.html")), page(30, "b.html"), "{report}");
    assert!(report.contains("30 findings fixed\n"), "{report}");
}

fn a_diff_shows_more_than_a_report_lists() {
    let site = Site::new(&[("a.html", page(30, "A.html").as_bytes())]);
    let output = site.audit(&["--fix", "--diff", "--limit=findings=10"]);
    assert_eq!(text(&output.stderr), "absolve: would fix 30 findings in 1 file\n");
    assert_eq!(text(&output.stdout).matches("+<a href=a.html>").count(), 30);
}
