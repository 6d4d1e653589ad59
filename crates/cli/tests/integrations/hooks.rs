//! The hooks of pre-commit.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::Trial;

use super::trial::{no_program, run, trial};
use super::{no_file, path_with_command, project_path};

const HOOKS: &str = ".pre-commit-hooks.yaml";

pub(crate) fn trials() -> Vec<Trial> {
    let needed = || [no_file(HOOKS), no_program("pre-commit"), no_program("git")];
    vec![
        trial("hooks as pre-commit wants them", &needed(), are_valid),
        trial("pre-commit try-repo", &needed(), are_tried),
    ]
}

fn are_valid(folder: &Path) {
    run(folder, "pre-commit", &["validate-manifest", project_path(HOOKS).to_str().unwrap()]);
}

/// The folder of the site is that of absolve.toml; a broken link fails the hook. The hook that
/// compiles absolve runs the same command by `.ci/hook`.
fn are_tried(folder: &Path) {
    let hooks = folder.join("hooks");
    fs::create_dir(&hooks).unwrap();
    fs::copy(project_path(HOOKS), hooks.join(HOOKS)).unwrap();
    repository(&hooks);
    let site = folder.join("site");
    fs::create_dir_all(site.join("public")).unwrap();
    fs::write(site.join("absolve.toml"), "[audit]\npath = \"public\"\n").unwrap();
    fs::write(site.join("public/a.html"), "<p><a href=b.html>b</a></p>\n").unwrap();
    repository(&site);

    let output = tried(folder, &hooks, &site);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("error[broken-link]: ") && printed.contains("exit code: 1"),
        "{printed}"
    );
    fs::write(site.join("public/b.html"), "<p>b</p>\n").unwrap();
    let output = tried(folder, &hooks, &site);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("Passed"), "{printed}");
}

fn tried(folder: &Path, hooks: &Path, site: &Path) -> Output {
    let mut command = Command::new("pre-commit");
    command.arg("try-repo").arg(hooks).args(["absolve-audit-system", "--all-files"]);
    command.env("PRE_COMMIT_HOME", folder.join("home")).env("PATH", path_with_command());
    command.env_remove("GITHUB_ACTIONS").current_dir(site).output().unwrap()
}

/// Makes a folder a repository with one commit.
fn repository(folder: &Path) {
    run(folder, "git", &["init", "-q"]);
    run(folder, "git", &["add", "-A"]);
    let name = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
    run(folder, "git", &[&name[..], &["commit", "-q", "-m", "Begin"]].concat());
}
