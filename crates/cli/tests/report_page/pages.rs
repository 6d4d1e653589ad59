//! The pages, and what is tried with each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use absolve_site::report::{
    self, About, Baseline, BaselineDiff, Context, Format, History, Run, SourceUrl,
};
use absolve_site::{AuditReport, Finding, Rule};

use crate::trial::no_program;

/// How Chromium is called here and there.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The findings of a large site, the documentation of a JDK.
const MANY: usize = 40_847;

/// The page that all findings are on.
const SOURCE: &str = "<!doctype html>\n<p><a href=missing/page.html#part>a link</a> and text\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report_page")
}

fn chromium() -> Option<&'static str> {
    NAMES.iter().copied().find(|name| no_program(name).is_none())
}

/// Why there is no browser.
pub(crate) fn no_chromium() -> Option<String> {
    chromium().is_none().then(|| "Chromium is not installed".to_owned())
}

/// Why there are no packages for node.
pub(crate) fn no_packages() -> Option<String> {
    let is_there = |name: &&str| !folder().join("node_modules").join(name).is_dir();
    let name = ["playwright-core", "axe-core"].into_iter().find(is_there)?;
    Some(format!("{name} is not installed for node"))
}

/// Writes a page, and opens it for the trial of that name in `page.mjs`.
#[track_caller]
#[expect(clippy::print_stderr, reason = "the measured times are for people")]
fn open(folder: &Path, trial: &str, audited: &AuditReport, context: &Context<'_>) {
    let mut page = Vec::new();
    report::write(Format::Html, &audited.findings, context, &mut page).unwrap();
    let file = folder.join("report.html");
    fs::write(&file, &page).unwrap();
    let mut command = Command::new("node");
    command.arg("page.mjs").args([trial, chromium().unwrap()]).arg(&file);
    // The browser keeps its files in the folder of the trial.
    let output =
        command.current_dir(self::folder()).env("TMPDIR", folder).stdin(Stdio::null()).output();
    let output = output.unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let size = page.len() / audited.findings.len().max(1);
    eprint!(
        "{trial}: {} findings, {size} bytes each; {}",
        audited.findings.len(),
        text(&output.stdout)
    );
}

fn broken(file: String, reference: &str, target: &str) -> Finding {
    let start = SOURCE.find("missing").unwrap();
    Finding {
        line: Some(2),
        column: Some(12),
        span: Some(start..start + "missing/page.html#part".len()),
        element: Some("a".to_owned()),
        attribute: Some("href".to_owned()),
        reference: Some(reference.to_owned()),
        url: Some(format!("https://example.org/{target}")),
        target: Some(target.into()),
        hint: target.ends_with('7').then(|| "did you mean page8?".to_owned()),
        ..Finding::new(
            Rule::BrokenLink,
            Rule::BrokenLink.level(),
            file.into(),
            format!("target '{target}' does not exist"),
        )
    }
}

/// `count` findings on a tenth as many pages, of a hundred targets and three rules.
fn audited(count: usize) -> AuditReport {
    let finding = |number: usize| {
        let page = number / 10;
        let file =
            format!("site/api/module{:02}/package{}/page{page:05}.html", page % 9, page % 90);
        let target = format!("site/api/missing{}", number % 100);
        let mut finding = broken(file, &format!("../../missing{}", number % 100), &target);
        if number % 10 > 7 {
            finding.rule = if number % 10 == 8 { Rule::DuplicateId } else { Rule::InsecureLink };
            finding.level = finding.rule.level();
            finding.message = format!("the name id{} occurs twice", number % 500);
        }
        finding
    };
    let mut findings: Vec<Finding> = (0..count).map(finding).collect();
    findings.sort_by(Finding::order);
    AuditReport { findings, pages: 10_140, links: 1_146_994, ..AuditReport::default() }
}

#[expect(clippy::unnecessary_wraps, reason = "a report asks for a file that may be missing")]
fn read(_: &Path) -> Option<Vec<u8>> {
    Some(SOURCE.as_bytes().to_vec())
}

pub(crate) fn large(folder: &Path) {
    let audited = audited(MANY);
    open(folder, "large", &audited, &Context::new(&audited).source(&read).site(Some("site")));
}

pub(crate) fn usable(folder: &Path) {
    let audited = audited(2000);
    let about = About {
        base_url: Some("https://example.org/"),
        server: Some("netlify"),
        revision: Some("0123456789abcdef0123456789abcdef01234567"),
        date: Some("2026-01-31T12:00:00Z"),
    };
    let url: SourceUrl = "https://example.org/blob/main/{file}#L{line}".parse().unwrap();
    let context = Context::new(&audited).source(&read).site(Some("site"));
    open(folder, "usable", &audited, &context.about(about).source_url(Some(&url)));
}

pub(crate) fn hostile(folder: &Path) {
    const SCRIPT: &str = "</script><script>window.ran = 1</script>";
    let texts = [
        SCRIPT,
        "\"><img src=x onerror='window.ran = 1'>",
        "<!--<script>",
        "javascript:window.ran=1",
        "'; window.ran = 1; //",
        "\u{202e}lmth.x\u{2066}",
        "{{ 7 * 7 }} ${7 * 7}",
        "a\u{2028}b\0c\u{1b}[31m",
    ];
    let findings = texts.map(|text| {
        let mut finding = broken(format!("site/{text}/{text}.html"), text, text);
        text.clone_into(&mut finding.message);
        finding.hint = Some(text.to_owned());
        finding.element = Some(text.to_owned());
        finding
    });
    let audited = AuditReport { findings: findings.to_vec(), ..AuditReport::default() };
    let history = history(SCRIPT, &audited);
    let read = |_: &Path| Some(SCRIPT.repeat(2).into_bytes());
    let context = Context::new(&audited).site(Some(SCRIPT)).history(Some(&history)).source(&read);
    open(folder, "hostile", &audited, &context);
}

fn history(date: &str, audited: &AuditReport) -> History {
    let mut history = History::default();
    for number in 1..=12 {
        let findings = audited.findings.iter().step_by(number).cloned().collect();
        let earlier = AuditReport { findings, ..AuditReport::default() };
        history.push(Run::new(format!("{date}{number:02}"), &earlier, None));
    }
    history
}

pub(crate) fn compared(folder: &Path) {
    let mut audited = audited(300);
    let old = [&audited.findings[..100], &[broken("site/gone.html".into(), "gone", "site/gone")]];
    let mut comparison =
        Baseline::from_findings(&old.concat(), Path::new("site")).compare(Path::new("site"));
    audited.findings.retain(|finding| !comparison.is_known(finding));
    let diff: BaselineDiff = comparison.finish(|_| true);
    let history = history("2026-01-", &audited);
    let context = Context::new(&audited).baseline(Some(&diff)).history(Some(&history));
    open(folder, "compared", &audited, &context);
}

pub(crate) fn empty(folder: &Path) {
    let audited = AuditReport { pages: 3, links: 4, ..AuditReport::default() };
    open(folder, "empty", &audited, &Context::new(&audited));
}
