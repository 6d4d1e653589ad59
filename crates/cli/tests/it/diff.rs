//! `rewrite --diff` is a patch that git takes.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Runs a program, with `stdin` piped in.
fn run(folder: &Path, program: &str, args: &[&OsStr], stdin: &[u8]) -> Output {
    let mut command = Command::new(program);
    // Neither the user's configuration of git nor a repository above the folder may count.
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CEILING_DIRECTORIES", "/");
    command.args(args).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn absolve(folder: &Path, args: &[&OsStr]) -> Output {
    run(folder, env!("CARGO_BIN_EXE_absolve"), args, b"")
}

fn words(args: &str) -> Vec<&OsStr> {
    args.split(' ').map(OsStr::new).collect()
}

/// Documents, by what could go wrong with them in a patch.
const DOCUMENTS: &[&[u8]] = &[
    b"<a href=x>\n",
    b"<a href=x>",
    b"1\n2\n3\n4\n5\n<a href=x>\n6\n7\n8\n9\n<a href=y>",
    b"<a href=x>\n1\n2",
    b"<p>\r\n<a href=x>\r\n<p>\r\n",
    b"<a href=x>\r\n<p>\r<a href=y>\r",
    b"<a title=\"\x1b[2J\xff\xfe\" href=x>\n\n\n",
    b"<a href='\nx'>\n<p>",
    b"--- a\n+++ b\n@@ -1 +1 @@\n<a href=x>\n-- \n",
];

/// Names, by what could go wrong with them in a header.
const NAMES: &[&[u8]] = &[
    b"a.html",
    b"d/e/a.html",
    b"with space.html",
    b"d e/ f .html",
    b"\xc3\xa9.html",
    b"\xff\xe9 \x01.html",
    b"tab\tquote\"back\\slash.html",
    b"line\nend.html",
    b"b/-x.html",
];

/// A repository with every document under every name.
fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let git = run(folder.path(), "git", &words("init -q"), b"");
    assert!(git.status.success(), "git is needed: {git:?}");
    for (number, document) in DOCUMENTS.iter().enumerate() {
        for name in NAMES {
            let path = folder.path().join(format!("site/{number}")).join(OsStr::from_bytes(name));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, document).unwrap();
        }
    }
    folder
}

/// The files of a folder and what they hold.
fn files(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut work = vec![folder.to_owned()];
    while let Some(path) = work.pop() {
        if path.is_dir() {
            work.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let below = path.strip_prefix(folder).unwrap().to_owned();
            files.push((below, fs::read(path).unwrap()));
        }
    }
    files.sort();
    files
}

/// The diff that `args` give in `below` changes the files of `site` as `-w` does.
#[track_caller]
fn applies(below: &str, args: &str, apply: (&str, &str)) {
    let (patched, written) = (repository(), repository());
    let below = |folder: &TempDir| folder.path().join(below);
    let diff = absolve(&below(&patched), &words(&format!("{args} --diff")));
    assert_eq!(diff.status.code(), Some(1), "{diff:?}");
    let applied = run(&below(&patched), apply.0, &words(apply.1), &diff.stdout);
    assert!(applied.status.success(), "{applied:?}\n{}", String::from_utf8_lossy(&diff.stdout));
    assert_eq!(absolve(&below(&written), &words(&format!("{args} -w"))).status.code(), Some(0));
    let (patched, written) =
        (files(&patched.path().join("site")), files(&written.path().join("site")));
    assert_eq!(patched.len(), DOCUMENTS.len() * NAMES.len());
    assert!(patched == written);
}

#[test]
fn git_takes_the_diff_of_a_folder() {
    applies("", "rewrite -b http://h/ site", ("git", "apply"));
    applies("", "rewrite -b http://h/ ./site/", ("git", "apply"));
    applies("site", "rewrite -b http://h/ .", ("git", "apply"));
}

#[test]
fn git_takes_the_diff_of_a_file() {
    let folder = repository();
    for (number, document) in DOCUMENTS.iter().enumerate() {
        for name in NAMES {
            let path = Path::new(&format!("site/{number}")).join(OsStr::from_bytes(name));
            let diff = absolve(
                folder.path(),
                &[&words("rewrite -b http://h/ --diff --")[..], &[path.as_os_str()]].concat(),
            );
            let applied = run(folder.path(), "git", &words("apply"), &diff.stdout);
            assert!(applied.status.success(), "{path:?} {applied:?}");
            assert_ne!(fs::read(folder.path().join(&path)).unwrap(), *document, "{path:?}");
        }
    }
}

#[test]
fn git_takes_the_diff_of_any_path_below_the_current_folder() {
    // The output is compared with that of the plain path, which git takes.
    let folder = repository();
    std::os::unix::fs::symlink("site", folder.path().join("link")).unwrap();
    let root = folder.path().to_str().unwrap();
    let diff = |below: &str, path: &str| {
        let args = format!("rewrite -b http://h/ --diff {path}");
        let output = absolve(&folder.path().join(below), &words(&args));
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        output.stdout
    };
    let plain = diff("", "site");
    for path in
        [&format!("{root}/site"), "site/../site", "./site/0/..", "link/", "site/0/../../link/."]
    {
        assert!(diff("", path) == plain, "{path}");
    }
    assert!(diff("site", "../site/1/../2") == diff("site", "2"));
    let applied = run(folder.path(), "git", &words("apply"), &plain);
    assert!(applied.status.success(), "{applied:?}");
}

#[test]
fn a_file_elsewhere_has_its_path_from_the_root_folder() {
    for program in ["git -C / apply", "patch -d / -p1"] {
        let folder = repository();
        let path = folder.path().join("site/1/a.html");
        for given in ["../1/a.html", path.to_str().unwrap()] {
            fs::write(&path, DOCUMENTS[0]).unwrap();
            let args = format!("rewrite -b http://h/ --diff {given}");
            let diff = absolve(&folder.path().join("site/0"), &words(&args));
            let (program, args) = program.split_once(' ').unwrap();
            let applied = run(&folder.path().join("site/0"), program, &words(args), &diff.stdout);
            assert!(applied.status.success(), "{applied:?}");
            assert_eq!(fs::read(&path).unwrap(), b"<a href=http://h/x>\n");
        }
    }
}

#[test]
fn stdin_has_a_name() {
    let args = words("rewrite -b http://h/ --diff");
    let output = run(Path::new("/"), env!("CARGO_BIN_EXE_absolve"), &args, b"<a href=x>\n");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "--- a/stdin\n+++ b/stdin\n@@ -1 +1 @@\n-<a href=x>\n+<a href=http://h/x>\n"
    );
}
