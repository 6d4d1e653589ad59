//! A trial, and what it needs.

use std::path::Path;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;

/// A trial in a folder of its own, or one that is ignored and names what is missing.
pub(crate) fn trial(name: &str, missing: &[Option<String>], test: fn(&Path)) -> Trial {
    let missing: Vec<&str> = missing.iter().flatten().map(|why| &**why).collect();
    if !missing.is_empty() {
        let name = format!("{name} ({})", missing.join(", "));
        return Trial::test(name, || Ok(())).with_ignored_flag(true);
    }
    Trial::test(name, move || {
        test(tempfile::tempdir()?.path());
        Ok(())
    })
}

/// Why a program cannot be had.
pub(crate) fn no_program(name: &str) -> Option<String> {
    let is_there = succeeds(Command::new(name).arg("--version"));
    (!is_there).then(|| format!("{name} is not installed"))
}

/// Why a module of Python cannot be had.
pub(crate) fn no_module(name: &str) -> Option<String> {
    let is_there = succeeds(Command::new("python3").args(["-c", &format!("import {name}")]));
    (!is_there).then(|| format!("{name} is not installed for python3"))
}

/// Why files have no extended attributes where folders for tests are.
pub(crate) fn no_xattrs() -> Option<String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let set = ::xattr::set(file.path(), "user.absolve", b"x");
    set.err().map(|error| format!("no extended attributes: {error}"))
}

fn succeeds(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs a program in a folder, to its end.
#[track_caller]
pub(crate) fn run(folder: &Path, program: &str, args: &[&str]) {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {}\n{stderr}", output.status);
}

/// Runs a Python script with arguments, and returns its output.
pub(crate) fn python(script: &str, args: &[&Path]) -> String {
    let output = Command::new("python3").args(["-c", script]).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
