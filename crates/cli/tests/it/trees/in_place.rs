//! In place: what a file keeps, and what is left alone.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;

use super::site::{PAGE, Site, done};

#[test]
fn a_second_run_writes_nothing() {
    let site = Site::small();
    let args = "rewrite -b http://h/ site -w";
    site.absolve(args).ends(0).counts("rewrote 2 files");
    let first = site.state("site");
    site.absolve(args).ends(0).counts("rewrote nothing; 2 unchanged");
    assert_eq!(site.state("site"), first);
}

#[test]
fn a_document_without_links_to_change_is_not_touched() {
    let site = Site::new(&[("site/a.html", "<a href=http://o/>1</a>"), ("site/b.html", PAGE)]);
    let before = site.state("site");
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    let after = site.state("site");
    assert_eq!(before["a.html"], after["a.html"]);
    assert_ne!(before["b.html"].inode, after["b.html"].inode);
}

#[test]
fn modes_are_kept() {
    const MODES: &[u32] = &[0o600, 0o644, 0o755, 0o666, 0o604, 0o4755, 0o2755];
    let site = Site::new(&[]);
    for mode in MODES {
        site.write(format!("site/{mode:o}.html"), PAGE);
        site.set_mode(&format!("site/{mode:o}.html"), *mode);
    }
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    for mode in MODES {
        site.has_mode(&format!("site/{mode:o}.html"), *mode);
        site.has(&format!("site/{mode:o}.html"), &done(""));
    }
}

#[test]
fn a_file_with_several_names_is_skipped_and_reported() {
    let site = Site::small();
    fs::hard_link(site.path("site/a.html"), site.path("other")).unwrap();
    let before = site.state("site");
    site.absolve("rewrite -b http://h/ site -w")
        .ends(0)
        .says(&["site/a.html: skipped: file has 2 hard links; break hard links to rewrite"])
        .counts("rewrote 1 file; 1 skipped");
    assert_eq!(site.state("site")["a.html"], before["a.html"]);
    site.has("site/d/b.html", &done("d/"));
}

/// A run skips such files of a folder, and refuses one that is given, like a symbolic link.
#[test]
fn a_file_with_several_names_that_is_given_is_an_error() {
    let site = Site::small();
    fs::hard_link(site.path("site/a.html"), site.path("site/a.html.other")).unwrap();
    site.write("list", "site/a.html\nsite/d/b.html\n");
    let message =
        |path: &str| format!("absolve: {path}: file has 2 hard links; break hard links to rewrite");
    for (args, path) in
        [("site/a.html", "site/a.html"), ("--files-from list --root-dir .", "site/a.html")]
    {
        let args = format!("rewrite -b http://h/ -w {args}");
        site.absolve(&args).ends(2).says(&[&message(path)]);
    }
    site.has("site/a.html", PAGE);
    site.has("site/d/b.html", &done("site/d/"));
    site.absolve("rewrite -b http://h/ -w --break-hardlinks site/a.html").ends(0);
    site.has("site/a.html", &done(""));
}

#[test]
fn a_hard_link_is_broken_on_request() {
    let site = Site::small();
    fs::hard_link(site.path("site/a.html"), site.path("other")).unwrap();
    site.absolve("rewrite -b http://h/ site -w --break-hardlinks").ends(0);
    site.has("site/a.html", &done(""));
    site.has("other", PAGE);
    assert_eq!(fs::metadata(site.path("other")).unwrap().nlink(), 1);
}

#[test]
fn several_names_do_not_matter_to_another_folder() {
    let site = Site::small();
    fs::hard_link(site.path("site/a.html"), site.path("site/c.html")).unwrap();
    site.absolve("rewrite -b http://h/ site -o out").ends(0);
    let a = done("");
    site.holds("out", &[("a.html", &a), ("c.html", &a), ("d/b.html", &done("d/"))]);
}

#[test]
fn pipes_are_skipped_and_counted() {
    let site = Site::small();
    site.pipe("site/p.html");
    site.pipe("site/q");
    for args in ["-w", "-o out --copy-assets"] {
        let run = site.absolve(&format!("--verbose rewrite -b http://h/ site {args}")).ends(0);
        assert!(run.stderr.contains(" 2 skipped\n"), "{}", run.stderr);
        run.says(&[
            "site/p.html: skipped: not a regular file",
            "site/q: skipped: not a regular file",
        ]);
    }
    site.holds("out", &[("a.html", &done("")), ("d/b.html", &done("d/")), ("s.css", "a{}")]);
}

#[test]
fn what_a_killed_run_left_goes_and_is_no_document() {
    let site = Site::small();
    site.write("site/d/.absolve-tmp-0123456789abcdef-1", "half");
    site.absolve("rewrite -b http://h/ site -w").ends(0).counts("rewrote 2 files");
    site.holds("site", &[("a.html", &done("")), ("d/b.html", &done("d/")), ("s.css", "a{}")]);
}

#[test]
fn what_a_killed_run_left_beside_a_file_goes() {
    let site = Site::small();
    site.write("site/d/.absolve-tmp-0123456789abcdef-1", "half");
    site.write("site/.absolve-tmp-0123456789abcdef-1", "half");
    site.absolve("rewrite -b http://h/d/b.html site/d/b.html -w").ends(0);
    let left = ("site/.absolve-tmp-0123456789abcdef-1", "half");
    site.has(left.0, left.1);
    site.holds("site/d", &[("b.html", &done("d/"))]);
}

#[test]
fn one_file_is_rewritten_in_place_with_its_own_url() {
    let site = Site::small();
    site.absolve("rewrite -b http://h/p/q.html site/d/b.html -w").ends(0);
    site.has("site/d/b.html", &done("p/"));
}

/// A folder in which a run beside this one puts its tree together is none of its own.
#[test]
fn the_folder_of_a_run_beside_it_is_left_alone() {
    let site = Site::small();
    site.write("site/.absolve-tmp-0123456789abcdef-0/x.html", PAGE);
    let folder = File::open(site.path("site/.absolve-tmp-0123456789abcdef-0")).unwrap();
    folder.lock().unwrap();
    for args in ["-o out --copy-assets", "-w"] {
        let run = site.absolve(&format!("rewrite -b http://h/ site {args}")).ends(0);
        assert!(run.stderr.contains(": rewrote 2 files, "), "{}", run.stderr);
    }
    site.holds("out", &[("a.html", &done("")), ("d/b.html", &done("d/")), ("s.css", "a{}")]);
    site.has("site/.absolve-tmp-0123456789abcdef-0/x.html", PAGE);
}

/// A file whose name only begins like that of a temporary file belongs to somebody else.
#[test]
fn only_exact_names_of_temporary_files_are_removed() {
    let site = Site::small();
    let mine = [
        ("site/.absolve-tmp-notes", "mine"),
        ("site/.absolve-tmp-0123456789abcdef-1.bak", "mine"),
        ("site/.absolve-tmp-0123456789abcdef-2/mine.txt", "mine"),
        ("site/d/.absolve-tmp-/mine.html", PAGE),
    ];
    for (path, text) in mine {
        site.write(path, text);
    }
    site.link("a.html", "site/.absolve-tmp-0123456789abcdef-3");
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    for (path, _) in &mine[..3] {
        site.has(path, "mine");
    }
    site.has("site/d/.absolve-tmp-/mine.html", &done("d/.absolve-tmp-/"));
    assert!(site.path("site/.absolve-tmp-0123456789abcdef-3").is_symlink());
}
