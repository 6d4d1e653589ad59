//! Sites with all that an audit looks for, written as data: a folder of `tests/audit`
//! is a case, and `tests/audit/case.rs` says what is in it.
//!
//! Of each case, besides what it expects: the reports are the same with one thread and
//! with eight, each format is well-formed, the place of each finding is where its
//! reference is written, and nothing is found that a baseline of all findings holds.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "audit/case.rs"]
mod case;
#[path = "audit/finding.rs"]
mod finding;
#[path = "audit/places.rs"]
mod places;
#[path = "audit/reports.rs"]
mod reports;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use absolve_site::{Profile, Rule};
use case::{Case, Checked};
use libtest_mimic::{Arguments, Trial};
use reports::FORMATS;
use serde_json::Value;

/// The cases, by the names of their folders.
type Cases = BTreeMap<String, Arc<Case>>;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    let mut cases = Cases::new();
    let mut trials = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        match Case::read(&folder) {
            Ok(case) => {
                cases.insert(name, Arc::new(case));
            }
            Err(why) => trials.push(Trial::test(name, move || Err(why.into()))),
        }
    }
    trials.extend(cases.iter().map(|(name, case)| trial(name, case)));
    let cases = Arc::new(cases);
    trials.extend(ABOUT_ALL.iter().map(|&(name, about)| {
        let cases = Arc::clone(&cases);
        Trial::test(name, move || Ok(about(&cases)?))
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(name: &str, case: &Arc<Case>) -> Trial {
    // Linux takes every name: there, a case that cannot be laid out is wrong.
    if case.has_names()
        && cfg!(not(target_os = "linux"))
        && let Err(why) = case.lay_out()
    {
        return Trial::test(format!("{name} ({why})"), || Ok(())).with_ignored_flag(true);
    }
    let case = Arc::clone(case);
    Trial::test(name, move || Ok(check(&case)?))
}

/// Result of a run of the command.
struct Ran {
    /// The exit code.
    exit: Option<i32>,
    /// JSON lines on stdout.
    findings: String,
    stderr: String,
    /// By the name of the format.
    reports: BTreeMap<&'static str, String>,
}

/// Runs the command on a case that is laid out in a folder.
fn run(case: &Case, folder: &Path, more: &[&str]) -> Checked<Ran> {
    let reports = tempfile::tempdir().map_err(message)?;
    let mut ours = vec!["--color=never".to_owned(), "--format=jsonl".to_owned()];
    let path = |format: &str| reports.path().join(format);
    ours.extend(
        FORMATS.iter().map(|(name, _)| format!("--format={name}={}", path(name).display())),
    );
    ours.extend(more.iter().map(|&argument| argument.to_owned()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
    // There, annotations come by themselves.
    command.env_remove("GITHUB_ACTIONS").current_dir(folder);
    // Reports have the date, and those of two runs are compared.
    command.env("SOURCE_DATE_EPOCH", "0");
    let output = command.args(case.arguments(&ours)).output().map_err(message)?;
    let text = |bytes| String::from_utf8(bytes).map_err(message);
    let read = |&(name, _): &(&'static str, _)| match fs::read(path(name)) {
        Ok(report) => Some(text(report).map(|report| (name, report))),
        Err(_) => None,
    };
    Ok(Ran {
        exit: output.status.code(),
        findings: text(output.stdout)?,
        stderr: text(output.stderr)?,
        reports: FORMATS.iter().filter_map(read).collect::<Checked<_>>()?,
    })
}

fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn check(case: &Case) -> Checked<()> {
    if let Some(rule) = case.without.iter().find(|rule| is_found(case, **rule)) {
        return Err(format!("it is said to be without {rule}, and expects it"));
    }
    let folder = case.lay_out()?;
    let ran = run(case, folder.path(), &["-j1"])?;
    let findings = reports::json_lines(&ran.findings)?;
    holds(case, &findings).map_err(|why| format!("{why}\n\n{}", ran.stderr))?;
    if ran.exit != Some(case.exit) {
        return Err(format!("exit {:?}, expected {}\n{}", ran.exit, case.exit, ran.stderr));
    }
    if let Some(line) = case.stderr.iter().find(|line| !ran.stderr.contains(*line)) {
        return Err(format!("{line}: is not on stderr, which is\n{}", ran.stderr));
    }
    let again = run(case, folder.path(), &["-j8"])?;
    if (again.exit, &again.findings, &again.reports) != (ran.exit, &ran.findings, &ran.reports) {
        return Err(format!("eight threads find another thing than one:\n{}", again.findings));
    }
    if case.exit == 2 {
        return if ran.stderr.is_empty() { Err("stderr is empty".to_owned()) } else { Ok(()) };
    }
    for (name, check) in FORMATS {
        let report = ran.reports.get(name).ok_or(format!("there is no report as {name}"))?;
        check(report, &findings).map_err(|why| format!("the report as {name}: {why}\n{report}"))?;
    }
    let text = &ran.reports["text"];
    if let Some(line) = case.text.iter().find(|line| !text.contains(*line)) {
        return Err(format!("{line}: is not in the report as text, which is\n{text}"));
    }
    places::check(folder.path(), &findings)?;
    is_settled(case, folder.path(), &ran.findings)
}

/// Holds what was found against what is expected.
fn holds(case: &Case, findings: &[Value]) -> Checked<()> {
    let found: Vec<String> = findings.iter().map(finding::line).collect();
    let expected: Vec<&str> = case.expected.iter().map(|expected| &*expected.line).collect();
    if found != expected {
        let (found, expected) = (found.join("\n"), expected.join("\n"));
        return Err(format!("found:\n{found}\n\nexpected:\n{expected}"));
    }
    let differences = case.expected.iter().zip(findings).filter_map(|(expected, found)| {
        let differences = expected.differences(found).join("\n");
        (!differences.is_empty()).then(|| format!("{}\n{differences}", expected.line))
    });
    let differences: Vec<String> = differences.collect();
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) }
}

/// A report is a baseline: with it, nothing is new.
fn is_settled(case: &Case, folder: &Path, findings: &str) -> Checked<()> {
    if case.has_argument("--baseline") {
        return Ok(());
    }
    fs::write(folder.join("known.jsonl"), findings).map_err(message)?;
    let ran = run(case, folder, &["--baseline=known.jsonl"])?;
    if ran.exit != Some(0) || !ran.findings.is_empty() {
        return Err(format!("with all findings as the baseline:\n{}{}", ran.findings, ran.stderr));
    }
    Ok(())
}

fn is_found(case: &Case, rule: Rule) -> bool {
    case.expected.iter().any(|expected| expected.rule() == rule.id())
}

/// Something that all cases together have to show.
type About = fn(&Cases) -> Checked<()>;

const ABOUT_ALL: &[(&str, About)] = &[
    ("each_rule_is_found_and_is_not_found", each_rule_is_found_and_is_not_found),
    ("each_server_has_a_case", each_server_has_a_case),
    ("each_case_says_what_it_shows", each_case_says_what_it_shows),
    ("a_baseline_that_is_written_holds_everything", a_baseline_that_is_written_holds_everything),
    ("escapes_come_back", |_| case::escapes_come_back()),
];

fn each_rule_is_found_and_is_not_found(cases: &Cases) -> Checked<()> {
    for &rule in Rule::ALL {
        if !cases.values().any(|case| is_found(case, rule)) {
            return Err(format!("no case expects {rule}"));
        }
        if !cases.values().any(|case| case.without.contains(&rule)) {
            return Err(format!("no case is without {rule}"));
        }
    }
    Ok(())
}

fn each_server_has_a_case(cases: &Cases) -> Checked<()> {
    let has = |argument: &String| cases.values().any(|case| case.has_argument(argument));
    let mut arguments = Profile::ALL.iter().map(|profile| format!("--server={profile}"));
    match arguments.find(|argument| !has(argument)) {
        Some(argument) => Err(format!("no case has {argument}")),
        None => Ok(()),
    }
}

fn each_case_says_what_it_shows(cases: &Cases) -> Checked<()> {
    let is_sentence = |about: &str| about.ends_with('.') && about.contains(' ');
    match cases.iter().find(|(_, case)| !is_sentence(&case.about)) {
        Some((name, case)) => Err(format!("{name}: {}", case.about)),
        None => Ok(()),
    }
}

fn a_baseline_that_is_written_holds_everything(cases: &Cases) -> Checked<()> {
    let case = cases.get("broken-link").ok_or("there is no case broken-link")?;
    let folder = case.lay_out()?;
    run(case, folder.path(), &["--baseline=b.jsonl", "--write-baseline"])?;
    let ran = run(case, folder.path(), &["--baseline=b.jsonl"])?;
    if ran.exit == Some(0) && ran.findings.is_empty() {
        return Ok(());
    }
    Err(format!("with the baseline:\n{}{}", ran.findings, ran.stderr))
}
