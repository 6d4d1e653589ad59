//! Modes of files that exclude the user who runs the command.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;

use super::site::{PAGE, Run, Site, done};
use super::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let missing = no_user();
    vec![
        trial("an_unreadable_asset_is_reported", missing, an_unreadable_asset_is_reported),
        trial("an_unreadable_file_is_reported", missing, an_unreadable_file_is_reported),
        trial("an_unreadable_folder_is_reported", missing, an_unreadable_folder_is_reported),
        trial(
            "a_folder_without_write_permission_is_reported",
            missing,
            a_folder_without_write_permission_is_reported,
        ),
        trial("an_unreadable_document_is_an_error", missing, an_unreadable_document_is_an_error),
    ]
}

/// The user id of `nobody`, who runs the command where the tests run as root.
const NOBODY: u32 = 65534;

/// Why no user can be had whom modes keep out and who can run the command.
fn no_user() -> Option<&'static str> {
    let site = Site::new(&[("locked", "")]);
    site.set_mode("locked", 0o000);
    hand_over(&site);
    let mut locked = as_user(Command::new("cat"));
    locked.arg(site.path("locked")).stderr(Stdio::null());
    // Some users are let in though they are not root, and some may not enter the folder of the
    // command.
    let mut version = as_user(site.command());
    version.arg("--version").stdout(Stdio::null());
    let is_kept_out = locked.status().is_ok_and(|status| !status.success());
    let can_run = version.status().is_ok_and(|status| status.success());
    (!is_kept_out || !can_run).then_some("no user whom modes keep out can run the command")
}

fn is_root() -> bool {
    tempfile::tempdir().unwrap().path().metadata().unwrap().uid() == 0
}

fn as_user(mut command: Command) -> Command {
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn hand_over(site: &Site) {
    if is_root() {
        site.set_mode("", 0o777);
        let mut everything = Command::new("chown");
        everything.args(["-Rh", &format!("{NOBODY}:{NOBODY}")]).arg(site.path(""));
        assert!(everything.status().unwrap().success());
    }
}

/// Runs the command as the user.
fn run(site: &Site, args: &str) -> Run {
    hand_over(site);
    let mut command = as_user(site.command());
    command.args(args.split_whitespace());
    Run::start(command, "")
}

fn an_unreadable_asset_is_reported() {
    let site = Site::small();
    site.set_mode("site/s.css", 0o000);
    run(&site, "rewrite -b http://h/ site -o out --copy-assets")
        .ends(2)
        .says(&["site/s.css: cannot read: permission denied; make it readable"])
        .counts("rewrote 2 files; 1 failed");
    site.holds("out", &[("a.html", &done("")), ("d/b.html", &done("d/"))]);
}

fn an_unreadable_file_is_reported() {
    let site = Site::small();
    site.set_mode("site/a.html", 0o000);
    for (args, root) in [("-o out", "out"), ("-w", "site")] {
        run(&site, &format!("rewrite -b http://h/ site {args}"))
            .ends(2)
            .says(&["site/a.html: cannot read: permission denied; make it readable"])
            .counts("rewrote 1 file; 1 failed");
        site.has(&format!("{root}/d/b.html"), &done("d/"));
    }
    run(&site, "links site").ends(2).says(&["site/a.html: cannot read: "]);
}

fn an_unreadable_folder_is_reported() {
    let site = Site::small();
    site.set_mode("site/d", 0o000);
    run(&site, "rewrite -b http://h/ site -o out")
        .ends(2)
        .says(&["site/d: cannot read: permission denied; make it readable"])
        .counts("rewrote 1 file; 1 failed");
    site.holds("out", &[("a.html", &done(""))]);
    site.set_mode("site/d", 0o755);
}

fn a_folder_without_write_permission_is_reported() {
    let site = Site::small();
    site.write("out/", "");
    site.set_mode("out", 0o555);
    for path in ["site", "site/d"] {
        site.set_mode(path, 0o555);
    }
    for (args, message) in [
        ("site -o out", "out: it may not be written to; change its mode, or give another"),
        ("site -o out/er", "out/er: it may not be written to; change its mode, or give another"),
        ("site -w", "site: it may not be written to; make it writable, or write to another"),
    ] {
        run(&site, &format!("rewrite -b http://h/ {args}")).ends(2).says(&[message]);
    }
    site.holds("site", &[("a.html", PAGE), ("d/b.html", PAGE), ("s.css", "a{}")]);
    assert_eq!(fs::read_dir(site.path("out")).unwrap().count(), 0);
    for path in ["site", "site/d", "out"] {
        site.set_mode(path, 0o755);
    }
}

fn an_unreadable_document_is_an_error() {
    let site = Site::small();
    site.set_mode("site/a.html", 0o000);
    run(&site, "rewrite -b http://h/ site/a.html -o out.html")
        .ends(2)
        .says(&["site/a.html: cannot read: permission denied; make it readable"]);
    assert!(!site.path("out.html").exists());
}
