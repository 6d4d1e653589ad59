//! Sites that move and that are opened from the disk, whose pages name digests, in Chromium.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use libtest_mimic::Trial;

use super::browser::{Browser, no_chromium};
use super::links::absolve;
use super::trial::{no_program, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("digests of a site that moves", &[no_program("python3"), no_chromium()], moved),
        trial("a page with digests, from the disk", &[no_chromium()], opened),
    ]
}

const SHEET: &str = "p { color: rgb(1, 2, 3); background: url(/i.png) }";
const DIGEST: &str = "sha384-NbgLpPCUqPJeJrPt1NU8QvQZQSS46I9fKO2Vic+dm84P5HeyAYbmYx3XBClpA1Pq";
const SCRIPT: &str = "document.title = 'loaded';";
const PAGE: &str = "<!DOCTYPE html><title>x</title><p>x</p>\
    <link rel=stylesheet href=/s.css integrity=sha384-NbgLpPCUqPJeJrPt1NU8QvQZQSS46I9fKO2Vic+dm84P5HeyAYbmYx3XBClpA1Pq>\
    <script src=/x.js crossorigin integrity=sha384-iDSo7Wm8yRHfSLW5JYHLgaP3y3AP50WpUIvEC8Y8K2t413CQKx+x8nUYFe9Z9B4R></script>";

/// Whether the style sheet and the script of the open page were loaded.
const LOADED: &str = "[getComputedStyle(document.querySelector('p')).color == 'rgb(1, 2, 3)',
    document.title == 'loaded'].join()";

fn write_site(folder: &Path) {
    fs::create_dir(folder.join("site")).unwrap();
    for (name, text) in [("index.html", PAGE), ("s.css", SHEET), ("x.js", SCRIPT), ("i.png", "")] {
        fs::write(folder.join("site").join(name), text).unwrap();
    }
}

/// The server of a folder.
struct FolderServer(Child);

impl FolderServer {
    /// Starts it, and returns its URL too.
    fn start(folder: &Path) -> (Self, String) {
        let mut command = Command::new("python3");
        command.args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]).current_dir(folder);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let server = Self(child);
        let url = line.split(['(', ')']).find(|part| part.starts_with("http://")).unwrap();
        (server, url.to_owned())
    }
}

impl Drop for FolderServer {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

fn moved(folder: &Path) {
    write_site(folder);
    fs::create_dir(folder.join("served")).unwrap();
    let to = ["--map", "http://h.example/=http://h.example/new/"];
    let run = ["rewrite", "-b", "http://h.example/", "site", "-o", "served/new", "--copy-assets"];
    absolve(folder, &[&run[..], &to].concat());
    let page = fs::read_to_string(folder.join("served/new/index.html")).unwrap();
    let new = page.split("s.css integrity=").nth(1).and_then(|rest| rest.split('>').next());
    fs::write(folder.join("served/new/old.html"), page.replace(new.unwrap(), DIGEST)).unwrap();
    let (_server, url) = FolderServer::start(&folder.join("served"));
    let mut browser = Browser::start();
    browser.open(&format!("{url}new/index.html"));
    assert_eq!(browser.evaluate(LOADED), "true,true");
    // The old digest is that of another content.
    browser.open(&format!("{url}new/old.html"));
    assert_eq!(browser.evaluate(LOADED), "false,true");
}

fn opened(folder: &Path) {
    write_site(folder);
    let run = ["rewrite", "--to", "offline", "-b", "http://h.example/", "site", "-o", "disk"];
    absolve(folder, &[&run[..], &["--copy-assets"]].concat());
    let disk = fs::canonicalize(folder.join("disk")).unwrap();
    let old = PAGE.replace("=/", "=").replace(DIGEST, "sha256-AAAA");
    fs::write(disk.join("old.html"), old).unwrap();
    let mut browser = Browser::start();
    browser.open_file(&disk.join("index.html"));
    assert_eq!(browser.evaluate(LOADED), "true,true");
    browser.open_file(&disk.join("old.html"));
    assert_eq!(browser.evaluate(LOADED), "false,false");
}
