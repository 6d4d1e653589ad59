//! The action of GitHub: its description, and the script that it runs; and the workflows of this
//! project.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::Trial;

use super::trial::{no_program, run, trial};
use super::{no_file, path_with_command, project_path};

const ACTION: &str = "action.yml";
const WORKFLOWS: [&str; 3] = [
    ".github/workflows/advisories.yml",
    ".github/workflows/ci.yml",
    ".github/workflows/release.yml",
];
const SCRIPT: &str = ".ci/action";

pub(crate) fn trials() -> Vec<Trial> {
    let schema = [no_file(ACTION), no_program("check-jsonschema")];
    let workflow = [no_file(WORKFLOWS[0]), no_program("check-jsonschema")];
    let script = [no_file(SCRIPT), no_program("bash")];
    vec![
        trial("the action follows its schema", &schema, |folder| {
            is_valid(folder, ACTION, "vendor.github-actions");
        }),
        trial("the workflows follow their schema", &workflow, |folder| {
            for file in WORKFLOWS {
                is_valid(folder, file, "vendor.github-workflows");
            }
        }),
        trial("the key of the action's cache", &[no_file(ACTION), no_program("bash")], has_key),
        trial("the action writes its reports", &script, writes_reports),
        trial("the action without an audit", &script, fails),
        trial("the action with a path like an option", &script, takes_no_option),
    ]
}

fn is_valid(folder: &Path, file: &str, schema: &str) {
    let file = project_path(file);
    run(folder, "check-jsonschema", &["--builtin-schema", schema, file.to_str().unwrap()]);
}

/// Runs the first step of the action as GitHub does.
fn has_key(folder: &Path) {
    let action = fs::read_to_string(project_path(ACTION)).unwrap();
    let (_, step) = action.split_once("- id: sources\n").unwrap();
    let (_, script) = step.split_once("run: |\n").unwrap();
    let (script, _) = script.split_once("\n\n").unwrap();
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
    command.env("GITHUB_ACTION_PATH", project_path("")).env("GITHUB_OUTPUT", folder.join("key"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let key = fs::read_to_string(folder.join("key")).unwrap();
    assert!(key.starts_with("sum=") && key.trim().len() > 8, "{key}");
}

/// Output of a run of the script.
struct Audited {
    output: Output,
    /// `$GITHUB_OUTPUT`, and `$GITHUB_STEP_SUMMARY`.
    outputs: String,
    summary: String,
}

fn audited(folder: &Path, path: &str, args: &str) -> Audited {
    let mut command = Command::new("bash");
    command.arg(project_path(SCRIPT)).current_dir(folder);
    command.env("PATH", path_with_command()).env("RUNNER_TEMP", folder);
    command.env("INPUT_PATH", path).env("INPUT_ARGS", args);
    let file = |name: &str| folder.join(name);
    command.env("GITHUB_OUTPUT", file("outputs")).env("GITHUB_STEP_SUMMARY", file("summary"));
    let output = command.output().unwrap();
    let read = |name: &str| fs::read_to_string(file(name)).unwrap_or_default();
    Audited { output, outputs: read("outputs"), summary: read("summary") }
}

fn writes_reports(folder: &Path) {
    let site = folder.join("my site; exit 7");
    fs::create_dir(&site).unwrap();
    fs::write(site.join("a.html"), "<p><a href=b.html>b</a></p>\n").unwrap();
    let path = site.file_name().unwrap().to_str().unwrap();
    let args = "--rule\norphan-page=warn\n\n--base-url=https://example.org/$(exit 8)/\n";
    let Audited { output, outputs, summary } = audited(folder, path, args);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.starts_with("::error file=my site; exit 7/a.html,line=1,"), "{printed}");
    assert!(printed.contains("title=orphan-page"), "{printed}");
    assert!(summary.contains("## Audit of links"), "{summary}");
    let files: Vec<&str> =
        outputs.lines().filter_map(|line| line.split_once('=')).map(|(_, file)| file).collect();
    let [sarif, page] = files[..] else { panic!("{outputs}") };
    assert!(fs::read_to_string(sarif).unwrap().contains("\"version\":\"2.1.0\""));
    assert!(fs::read_to_string(page).unwrap().contains("<html"));
}

fn takes_no_option(folder: &Path) {
    let config = "[audit]\nformat = [\"json=evil.json\"]\npath = \".\"\n";
    fs::write(folder.join("evil.toml"), config).unwrap();
    fs::write(folder.join("a.html"), "<a href=b>b</a>").unwrap();
    let Audited { output, outputs, .. } = audited(folder, "--config=evil.toml", "");
    assert_eq!((output.status.code(), &*outputs), (Some(2), ""));
    assert!(!folder.join("evil.json").exists());
    let site = folder.join("--config=evil.toml");
    fs::create_dir(&site).unwrap();
    fs::write(site.join("a.html"), "<a href=a.html>a</a>").unwrap();
    let Audited { output, .. } = audited(folder, "--config=evil.toml", "--no-config");
    assert_eq!(output.status.code(), Some(0));
}

fn fails(folder: &Path) {
    let Audited { output, outputs, summary } = audited(folder, "nowhere", "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!((&*outputs, &*summary), ("", ""));
}
