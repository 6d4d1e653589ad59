//! Links that become absolute and relative again, by the programs of `docs/comparison`, which have
//! nothing of absolve; mirrors by wget; pages that Chromium opens from the disk.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use libtest_mimic::Trial;
use percent_encoding::percent_decode_str;

use super::browser::{Browser, no_chromium};
use super::links::absolve;
use super::trial::{no_program, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let python = || no_program("python3");
    vec![
        trial("relative links lead to the same files", &[python()], same_targets),
        trial("a mirror by wget, made relative", &[python(), no_program("wget")], mirrored),
        trial("names of files by wget", &[python(), no_program("wget")], named),
        trial("relative links from the disk, in Chromium", &[python(), no_chromium()], opened),
    ]
}

const COMPARISON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/comparison");

/// A site in the folder `site`, and its server.
struct Served {
    child: Child,
    /// With a slash at its end.
    url: String,
}

impl Served {
    fn start(folder: &Path) -> Self {
        Self::start_program(folder, &[include_str!("directions/site.py"), COMPARISON, "site"])
    }

    /// The server that a program in Python is.
    fn start_program(folder: &Path, program: &[&str]) -> Self {
        let mut command = Command::new("python3");
        command.arg("-c").args(program);
        command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { child, url: format!("http://127.0.0.1:{}/", port.trim()) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Each link of the folder `new` leads to the file that it leads to in `old`.
#[track_caller]
fn compare(folder: &Path, url: &str, old: &str, new: &str, opened_by: &str) {
    let program = format!("{COMPARISON}/directions.py");
    let mut command = Command::new("python3");
    command.args(["-B", &program, url, old, new, opened_by]).current_dir(folder);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{old} {new} {opened_by}: {stdout}{stderr}");
    let pages = stdout.split("pages: ").nth(1).and_then(|rest| rest.split(',').next());
    assert!(pages.unwrap().parse::<usize>().unwrap() >= 20, "{stdout}");
}

fn same_targets(folder: &Path) {
    let url = "https://h.example/dir/";
    drop(Served::start(folder));
    let to_absolute = |from: &str, to: &str| {
        let args = ["rewrite", "-b", url, from, "-o", to, "--copy-assets"];
        let only = ["--base-element", "remove", "--include", "*.html", "--include", "*.css"];
        absolve(folder, &[&args[..], &only].concat());
    };
    to_absolute("site", "absolute");
    compare(folder, url, "site", "absolute", "server");
    for (form, opened_by) in [("relative", "server"), ("offline", "file")] {
        let made = format!("for-{opened_by}");
        let form = ["rewrite", "--to", form, "-b", url];
        absolve(folder, &[&form[..], &["absolute", "-o", &made, "--copy-assets"]].concat());
        compare(folder, url, "site", &made, opened_by);
        // Twice is once.
        absolve(folder, &[&form[..], &[&made, "--check"]].concat());
    }
    to_absolute("for-server", "again");
    run(folder, "diff", &["-r", "absolute", "again"]);
}

/// Mirrors a site with wget, like a user.
fn mirrored(folder: &Path) {
    let server = Served::start(folder);
    let mut command = Command::new("wget");
    command.args(["-q", "-r", "-p", "-E", "-nH", "-P", "mirror", "-e", "robots=off", &server.url]);
    // Pages are missing.
    assert_eq!(command.current_dir(folder).status().unwrap().code(), Some(8));
    let form = ["rewrite", "--to", "offline", "-b", &server.url];
    absolve(folder, &[&form[..], &["mirror", "-o", "made", "--copy-assets"]].concat());
    compare(folder, &server.url, "mirror", "made", "file");
}

/// In each mode of names, with and without added extensions.
fn named(folder: &Path) {
    let program = include_str!("directions/names.py");
    let server = Served::start_program(folder, &[program]);
    for names in ["unix", "windows", "ascii"] {
        for extensions in [None, Some("-E")] {
            let (mirror, made) = ("mirror".to_owned() + names, "made".to_owned() + names);
            let mirror = mirror + extensions.unwrap_or_default();
            let made = made + extensions.unwrap_or_default();
            let restriction = format!("--restrict-file-names={names}");
            let mut command = Command::new("wget");
            command
                .args(["-q", "-r", "-l", "2", "-nH", "-e", "robots=off", &restriction])
                .args(extensions);
            command.args(["-P", &mirror, &server.url]).env("LC_ALL", "C.UTF-8");
            assert!(command.current_dir(folder).status().unwrap().success());
            let form = ["rewrite", "--to", "offline", "-b", &server.url, "--include", "*"];
            absolve(folder, &[&form[..], &[&mirror, "-o", &made]].concat());
            run(folder, "python3", &["-c", program, &made]);
        }
    }
}

/// The file of a URL below that of a folder, without its fragment.
fn file_of(url: &str, folder: &str) -> Option<String> {
    let path = url.strip_prefix(folder)?.split('#').next()?;
    let path = percent_decode_str(path).decode_utf8().unwrap().into_owned();
    Some(if path.is_empty() || path.ends_with('/') { path + "index.html" } else { path })
}

fn opened(folder: &Path) {
    let server = Served::start(folder);
    let form = ["rewrite", "--to", "offline", "-b", &server.url];
    absolve(folder, &[&form[..], &["site", "-o", "made", "--copy-assets"]].concat());
    let made = fs::canonicalize(folder.join("made")).unwrap();
    let disk = format!("file://{}/", made.display());
    let more = (0..12).map(|number| format!("more/{number}/p{number}.html"));
    let pages = ["index.html", "docs/index.html", "docs/page.html", "base/b.html", "12:30.html"];
    let mut browser = Browser::start();
    let mut found = 0;
    for page in pages.into_iter().map(str::to_owned).chain(more) {
        let mut look = |url: &str| {
            browser.open(&format!("{url}{page}"));
            let shown = browser.look();
            let is_inner = shown.len() > 1;
            let mut urls: Vec<String> = Vec::new();
            for dom in shown {
                urls.extend([dom.links, dom.images, dom.styles].concat());
            }
            assert_eq!(is_inner, page == "index.html", "{page}");
            urls
        };
        let (live, opened) = (look(&server.url), look(&disk));
        assert_eq!(live.len(), opened.len(), "{page}: {live:?} {opened:?}");
        for (live, opened) in live.iter().zip(&opened) {
            let file = file_of(live, &server.url).filter(|file| made.join(file).is_file());
            match file {
                Some(file) => {
                    assert_eq!(file_of(opened, &disk).as_ref(), Some(&file), "{page}: {live}");
                    found += 1;
                }
                // A folder is its index page; inline pictures and missing pages have no file.
                None => assert!(
                    !opened.starts_with("file:")
                        || file_of(opened, &disk).is_some_and(|file| {
                            made.join(file.split('?').next().unwrap()).is_file()
                        }),
                    "{page}: {live} {opened}"
                ),
            }
        }
    }
    assert!(found > 80, "{found}");
}
