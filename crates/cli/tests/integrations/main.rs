//! Places that run the audit for others: the hooks of pre-commit, the action, and the recipes of
//! `docs/ci.md`; and the schema that editors use for `absolve.toml`.
//!
//! Each trial is ignored where its program is not installed, with the reason in the name:
//! `pip install pre-commit check-jsonschema`. The published package has no hooks and no action.

#![cfg_attr(unix, expect(clippy::unwrap_used, reason = "a test fails by panicking"))]

#[cfg(unix)]
mod action;
#[cfg(unix)]
mod hooks;
#[cfg(unix)]
mod recipes;
#[cfg(unix)]
mod schema;
#[cfg(unix)]
#[path = "../programs/trial.rs"]
#[expect(dead_code, reason = "trials of programs need more of it")]
mod trial;

fn main() {
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), trials()).exit();
}

#[cfg(unix)]
fn trials() -> Vec<libtest_mimic::Trial> {
    let trials = [action::trials(), hooks::trials(), recipes::trials(), schema::trials()];
    trials.into_iter().flatten().collect()
}

#[cfg(not(unix))]
fn trials() -> Vec<libtest_mimic::Trial> {
    Vec::new()
}

/// A file of the project.
#[cfg(unix)]
fn project_path(name: &str) -> std::path::PathBuf {
    std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name)
}

/// Why a file of the project is not there.
#[cfg(unix)]
fn no_file(name: &str) -> Option<String> {
    (!project_path(name).exists()).then(|| format!("{name} is not in the package"))
}

/// `PATH` with the command of this build first.
#[cfg(unix)]
fn path_with_command() -> std::ffi::OsString {
    let command = std::path::Path::new(env!("CARGO_BIN_EXE_absolve"));
    let mut path = command.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    path
}
