//! Names, owners and attributes of files, and the program `patch`.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, chown};
use std::process::Command;

use libtest_mimic::Trial;

use super::site::{PAGE, Site, done};
use super::{no_xattrs, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let names = no_bytes_in_names();
    vec![
        trial(
            "a_name_that_is_not_utf_8_is_kept_and_encoded",
            names,
            a_name_that_is_not_utf_8_is_kept_and_encoded,
        ),
        trial(
            "links_give_the_bytes_of_a_name_that_is_not_utf_8",
            names,
            links_give_the_bytes_of_a_name_that_is_not_utf_8,
        ),
        trial(
            "changed_documents_are_listed_under_their_names",
            names,
            changed_documents_are_listed_under_their_names,
        ),
        trial("the_owner_is_kept", no_chown(), the_owner_is_kept),
        #[cfg(target_os = "linux")]
        trial("extended_attributes_are_kept", no_xattrs(), extended_attributes_are_kept),
        trial(
            "patch_makes_of_the_old_tree_the_new_one",
            no_patch(),
            patch_makes_of_the_old_tree_the_new_one,
        ),
    ]
}

fn no_bytes_in_names() -> Option<&'static str> {
    let folder = tempfile::tempdir().unwrap();
    let made = fs::create_dir(folder.path().join(OsStr::from_bytes(b"\xe9")));
    made.is_err().then_some("the file system takes only names in UTF-8")
}

fn no_chown() -> Option<&'static str> {
    let file = tempfile::NamedTempFile::new().unwrap();
    chown(file.path(), Some(1234), Some(2345)).is_err().then_some("only root gives files away")
}

/// Not every system has it, and not every one reads names in quotes.
fn no_patch() -> Option<&'static str> {
    let output = Command::new("patch").arg("--version").output();
    let is_gnu = output.is_ok_and(|output| output.stdout.starts_with(b"GNU patch 2."));
    (!is_gnu).then_some("GNU patch is not installed")
}

fn a_name_that_is_not_utf_8_is_kept_and_encoded() {
    let site = Site::small();
    fs::create_dir_all(site.path(OsStr::from_bytes(b"site/\xe9 d"))).unwrap();
    let page = OsStr::from_bytes(b"site/\xe9 d/\xff.html");
    site.write(page, PAGE);
    site.absolve("rewrite -b http://h/ site -o out").ends(0);
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    for root in ["out", "site"] {
        let path = OsStr::from_bytes(b"\xe9 d/\xff.html");
        assert_eq!(fs::read_to_string(site.path(root).join(path)).unwrap(), done("%E9%20d/"));
    }
}

fn links_give_the_bytes_of_a_name_that_is_not_utf_8() {
    let site = Site::small();
    fs::create_dir_all(site.path(OsStr::from_bytes(b"site/\xe9 d"))).unwrap();
    site.write(OsStr::from_bytes(b"site/\xe9 d/a.html"), PAGE);
    let run = site.absolve("links -b http://h/ site --format jsonl").ends(0);
    let links: Vec<serde_json::Value> = run
        .stdout
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert_eq!(links.len(), 3);
    assert!(links[0].get("file_bytes").is_none());
    let bytes = links[2]["file_bytes"].as_array().unwrap();
    let bytes: Vec<u8> =
        bytes.iter().map(|byte| u8::try_from(byte.as_u64().unwrap()).unwrap()).collect();
    assert_eq!(bytes, b"site/\xe9 d/a.html");
    assert_eq!(links[2]["file"], "site/\u{fffd} d/a.html");
    assert_eq!(links[2]["url"], "http://h/%E9%20d/x");
}

/// The list of changed documents can be the input of another run.
fn changed_documents_are_listed_under_their_names() {
    let site = Site::small();
    fs::create_dir_all(site.path(OsStr::from_bytes(b"site/\xe9 d"))).unwrap();
    site.write(OsStr::from_bytes(b"site/\xe9 d/a.html"), PAGE);
    site.write("site/none.html", "");
    let run = site.absolve("rewrite -l -b http://h/ site").ends(0);
    assert_eq!(run.stdout, b"site/a.html\nsite/d/b.html\nsite/\xe9 d/a.html\n");
    fs::write(site.path("list"), run.stdout).unwrap();
    site.absolve("rewrite -b http://h/ --root-dir site --files-from list -w").ends(0);
    site.absolve("rewrite --check -b http://h/ site").ends(0);
}

fn the_owner_is_kept() {
    let site = Site::small();
    let path = site.path("site/a.html");
    chown(&path, Some(1234), Some(2345)).unwrap();
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.uid(), metadata.gid()), (1234, 2345));
    site.has("site/a.html", &done(""));
}

#[cfg(target_os = "linux")]
fn extended_attributes_are_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let site = Site::small();
    let path = site.path("site/a.html");
    setxattr(&path, "user.absolve", b"kept", XattrFlags::empty()).unwrap();
    site.absolve("rewrite -b http://h/ site -w --backup").ends(0);
    let value = |path| {
        let mut value = [0; 16];
        let length = getxattr(path, "user.absolve", &mut value).unwrap();
        value[..length].to_vec()
    };
    assert_eq!(value(&path), b"kept");
    assert_eq!(value(&site.path("site/a.html.orig")), b"kept");
}

fn patch_makes_of_the_old_tree_the_new_one() {
    let site = Site::new(&[
        ("site/a.html", "1\n2\n3\n4\n<a href=x>\n6\n7\n8\n9\n10\n11\n12\n<a href=y>"),
        ("site/with space.html", PAGE),
        ("site/quote\"\\.html", PAGE),
        ("site/\u{e9}\u{1f600}.html", PAGE),
        ("site/tab\there.html", PAGE),
        ("site/crlf.html", "<p>\r\n<a href=x>\r\n"),
        ("site/two.html", "<a href=' \nx'>\n<p>\n<a\nhref=y>\n"),
    ]);
    let diff = site.absolve("rewrite -b http://h/ site --diff").ends(1).stdout;
    site.absolve("rewrite -b http://h/ site -o new").ends(0);
    fs::write(site.path("diff"), diff).unwrap();
    let patch = |args: &[&str]| {
        let mut command = Command::new("patch");
        command.args(args).current_dir(site.path("")).env("LC_ALL", "C.UTF-8");
        command.stdin(File::open(site.path("diff")).unwrap()).output()
    };
    let output = patch(&["-p1", "--binary", "--no-backup-if-mismatch"]).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let texts = |root| {
        let state = site.state(root);
        state.into_iter().map(|(path, state)| (path, state.text)).collect::<Vec<_>>()
    };
    assert_eq!(texts("site"), texts("new"));
}
