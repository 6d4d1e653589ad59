//! Outputs that are names of open descriptors, such as `/dev/stdout`: what a shell's `>> FILE`
//! appends to keeps what it has.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const OLD: &str = "what was there\n";
const PAGE: &str = "<a href=x>1</a>";
const REWRITTEN: &str = "<a href=http://h/x>1</a>";

/// A folder with a document, an archive, a symbolic link to stdout, and a file to append to.
struct Site {
    folder: TempDir,
}

impl Site {
    fn new() -> Self {
        let site = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(site.path("in.html"), PAGE).unwrap();
        fs::write(site.path("in.warc"), archive()).unwrap();
        symlink("/dev/stdout", site.path("link")).unwrap();
        fs::write(site.path("file"), OLD).unwrap();
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn appended(&self) -> File {
        File::options().append(true).open(self.path("file")).unwrap()
    }

    fn absolve(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// What the file has after a run with stdout and stderr, and stderr where it is not a file.
    #[track_caller]
    fn appends(&self, args: &[&str], code: i32) -> (String, String) {
        fs::write(self.path("file"), OLD).unwrap();
        let output = self.absolve(args).stdout(self.appended()).output().unwrap();
        let stderr = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        let file = fs::read_to_string(self.path("file")).unwrap();
        let new = file.strip_prefix(OLD).map(str::to_owned);
        (new.unwrap_or_else(|| panic!("{args:?}: {file}")), stderr)
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A web archive with one page.
fn archive() -> String {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{PAGE}");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n\
         Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n\
         {block}\r\n\r\n",
        block.len()
    )
}

const NAMES: &[&str] = &["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link", "./link"];

#[test]
fn a_document_is_appended() {
    let site = Site::new();
    for name in NAMES {
        let args = ["rewrite", "-b", "http://h/", "in.html", "-o", name];
        assert_eq!(site.appends(&args, 0), (REWRITTEN.to_owned(), String::new()), "{name}");
    }
    assert!(site.path("link").is_symlink());
}

#[test]
fn the_summary_is_not_in_the_document() {
    let site = Site::new();
    for name in NAMES {
        let args = ["rewrite", "-b", "http://h/", "in.html", "--stats", "json", "-o", name];
        let (file, stderr) = site.appends(&args, 0);
        assert_eq!(file, REWRITTEN, "{name}");
        assert!(stderr.starts_with("{\"interrupted\":false"), "{name}: {stderr}");
    }
}

#[test]
fn an_archive_is_appended() {
    let site = Site::new();
    for name in NAMES {
        let (file, stderr) =
            site.appends(&["rewrite", "in.warc", "--stats", "json", "-o", name], 0);
        assert!(file.contains("\r\n\r\nWARC/1.0\r\nWARC-Type: conversion"), "{name}: {file}");
        assert!(stderr.contains("\"records\""), "{name}: {stderr}");
    }
}

#[test]
fn a_descriptor_without_a_stream_is_appended() {
    let site = Site::new();
    let script = "exec \"$0\" rewrite -b http://h/ \"$1\" -o \"$2\" 3>> file";
    for (input, name, start) in [
        ("in.html", "/dev/fd/3", REWRITTEN),
        ("in.html", "/proc/self/fd/3", REWRITTEN),
        ("in.warc", "/dev/fd/3", "WARC/1.0\r\n"),
    ] {
        fs::write(site.path("file"), OLD).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_absolve"), input, name]);
        let output = command.current_dir(site.folder.path()).output().unwrap();
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        let file = fs::read_to_string(site.path("file")).unwrap();
        assert!(file.starts_with(&format!("{OLD}{start}")), "{name}: {file}");
    }
}

/// A shell's commands write one after the other, each where the last one ended.
#[test]
fn the_position_is_that_of_other_programs() {
    let site = Site::new();
    let script = "{ echo a; \"$0\" rewrite -b http://h/ in.html -o /dev/stdout; echo b; } > file";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_absolve")]).current_dir(site.folder.path());
    assert!(command.status().unwrap().success());
    let file = fs::read_to_string(site.path("file")).unwrap();
    assert_eq!(file, format!("a\n{REWRITTEN}b\n"));
}

#[test]
fn a_pipe_gets_the_document() {
    let site = Site::new();
    for name in ["/dev/stdout", "link"] {
        let output =
            site.absolve(&["rewrite", "-b", "http://h/", "in.html", "-o", name]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), REWRITTEN, "{name}");
    }
}

#[test]
fn a_report_and_a_baseline_are_appended() {
    let site = Site::new();
    for name in ["/dev/stdout", "/dev/fd/1", "link"] {
        let (file, _) = site.appends(&["audit", ".", "--format", &format!("jsonl={name}")], 1);
        assert!(file.starts_with("{\"rule\""), "{name}: {file}");
        let args = ["audit", ".", "--write-baseline", "--baseline", name];
        let (file, _) = site.appends(&args, 0);
        assert!(file.starts_with("{\"rule\""), "{name}: {file}");
    }
    let args = ["audit", ".", "--format=text", "--format=json=/dev/stdout"];
    let (file, stderr) = site.appends(&args, 2);
    assert_eq!(file, "");
    assert!(stderr.contains("only one report goes to stdout"), "{stderr}");
}

#[test]
fn nothing_is_rewritten_in_place_by_such_a_name() {
    let site = Site::new();
    let refused = "it is an open descriptor and not a file; give the path of the file";
    for name in ["/dev/stdout", "/dev/fd/1", "link"] {
        for follow in [&[][..], &["--follow-symlinks"]] {
            for kind in ["html", "warc"] {
                let args = [&["rewrite", "-w", "-b", "http://h/", "--as", kind, name], follow];
                let (file, stderr) = site.appends(&args.concat(), 2);
                assert!(stderr.contains(refused), "{args:?}: {stderr}");
                assert_eq!(file, "");
            }
        }
    }
    let (file, stderr) = site.appends(&["rewrite", "-b", "http://h/", ".", "-o", "/dev/stdout"], 2);
    assert_eq!(file, "");
    assert!(stderr.contains("cannot write several documents to stdout"), "{stderr}");
}

#[test]
fn a_trial_writes_nothing() {
    let site = Site::new();
    for input in ["in.html", "in.warc"] {
        let args = ["rewrite", "-b", "http://h/", "-n", input, "-o"];
        for name in ["/dev/stdout", "/dev/fd/2"] {
            let (file, _) = site.appends(&[&args[..], &[name]].concat(), 0);
            assert_eq!(file, "", "{name}");
        }
    }
}

/// What another program has open is not replaced either.
#[test]
fn the_descriptor_of_another_process_is_appended() {
    let site = Site::new();
    let mut other = Command::new("cat");
    let mut other = other.stdin(Stdio::piped()).stdout(site.appended()).spawn().unwrap();
    let name = format!("/proc/{}/fd/1", other.id());
    assert!(Path::new(&name).exists());
    let (file, _) = site.appends(&["rewrite", "-b", "http://h/", "in.html", "-o", &name], 0);
    assert_eq!(file, REWRITTEN);
    other.stdin.take().unwrap().write_all(b"its own").unwrap();
    other.wait().unwrap();
    let file = fs::read_to_string(site.path("file")).unwrap();
    assert_eq!(file, format!("{OLD}{REWRITTEN}its own"));
}
