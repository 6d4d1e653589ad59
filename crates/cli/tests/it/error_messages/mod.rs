//! Messages after a wrong option, file or configuration: the tables beside this file have an example
//! of each kind, with the command that prints it.
//!
//! `ERROR_MESSAGES=overwrite cargo test --test it error_messages` writes what is printed now.

mod files;
pub(crate) mod literals;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::trees::site::Site;

/// The tables, by their topics.
const TABLES: &[&str] = &["options", "files", "configuration", "containers"];

fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/error_messages").join(name)
}

/// A command for a shell, and what it prints on stderr.
struct Row<'a> {
    command: &'a str,
    stderr: String,
}

/// Splits a table into rows: a line that begins with `$ ` is a command, the lines after it are its
/// output, and a line that begins with `# ` is a comment.
fn rows(table: &str) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        match (line.strip_prefix("$ "), rows.last_mut()) {
            (Some(command), _) => rows.push(Row { command, stderr: String::new() }),
            (None, Some(row)) => row.stderr.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    for row in &mut rows {
        row.stderr.truncate(row.stderr.trim_end().len());
    }
    rows
}

/// The exit code of a command, its stdout, and its stderr without the line end.
fn run(site: &Site, command: &str) -> (Option<i32>, String, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_absolve")).parent().unwrap();
    let path = env::var_os("PATH").unwrap();
    let path = env::join_paths([binary.to_owned()].into_iter().chain(env::split_paths(&path)));
    // If `PATH` is set, a name without a path makes a copy of this process to start it.
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).current_dir(site.path("")).stdin(Stdio::null());
    // On GitHub, annotations are printed as well.
    shell.env("PATH", path.unwrap()).env("COLUMNS", "100").env_remove("GITHUB_ACTIONS");
    let output = shell.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let stderr = text(output.stderr).trim_end().to_owned();
    // The last line of each usage error.
    let stderr = stderr.strip_suffix("\n\nFor more information, try '--help'.").unwrap_or(&stderr);
    (output.status.code(), text(output.stdout), stderr.to_owned())
}

/// Each command prints its message on stderr and nothing on stdout, ends with exit code 2, and
/// writes nothing.
#[track_caller]
fn check(name: &str) {
    let site = files::site();
    let before = content(&site);
    let table = fs::read_to_string(beside(&format!("{name}.txt"))).unwrap();
    let mut wrong = Vec::new();
    for Row { command, stderr } in rows(&table) {
        let (code, stdout, printed) = run(&site, command);
        if (code, &*stdout) != (Some(2), "") {
            wrong.push(format!(
                "ends with {code:?} and prints {stdout:?}:\n$ {command}\n{printed}\n"
            ));
        }
        assert!(content(&site) == before, "writes something: $ {command}\n{printed}");
        if printed != stderr && !is_overwriting() {
            wrong.push(format!("prints:\n$ {command}\n{printed}\n"));
        }
    }
    if is_overwriting() {
        overwrite(&site, name, &table);
    }
    assert!(wrong.is_empty(), "{name}.txt:\n{}", wrong.join("\n"));
}

fn is_overwriting() -> bool {
    env::var_os("ERROR_MESSAGES").is_some_and(|value| value == "overwrite")
}

/// Writes a table with what its commands print now.
fn overwrite(site: &Site, name: &str, table: &str) {
    let mut written = String::new();
    for line in table.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            written.extend([line, "\n", &run(site, command).2, "\n\n"]);
        } else if line.starts_with('#') {
            written.extend([line, "\n\n"]);
        }
    }
    fs::write(beside(&format!("{name}.txt")), written.trim_end().to_owned() + "\n").unwrap();
}

/// Returns the files below the folder without their times of change, because a temporary file
/// changes that of its folder.
fn content(site: &Site) -> Vec<(String, u64, u32, String)> {
    let state = site.state("");
    state.into_iter().map(|(path, state)| (path, state.inode, state.mode, state.text)).collect()
}

#[test]
fn wrong_options_get_the_messages_of_their_table() {
    check("options");
}

#[test]
fn wrong_files_get_the_messages_of_their_table() {
    check("files");
}

#[test]
fn wrong_configurations_get_the_messages_of_their_table() {
    check("configuration");
}

#[test]
fn wrong_containers_get_the_messages_of_their_table() {
    check("containers");
}
