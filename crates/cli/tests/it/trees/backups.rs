//! The old file under another name.

use std::fs;

use super::site::{PAGE, Site, done};

#[test]
fn the_old_file_goes_on_under_its_name_and_a_suffix() {
    for (option, suffix) in [("--backup", ".orig"), ("--backup=~", "~"), ("--backup=.old", ".old")]
    {
        let site = Site::small();
        let before = site.state("site");
        site.absolve(&format!("rewrite -b http://h/ site -w {option}")).ends(0);
        let (a, b) = (format!("a.html{suffix}"), format!("d/b.html{suffix}"));
        site.holds(
            "site",
            &[
                ("a.html", &done("")),
                (&a, PAGE),
                ("d/b.html", &done("d/")),
                (&b, PAGE),
                ("s.css", "a{}"),
            ],
        );
        // The backup is the old file itself, with its inode and its metadata.
        assert_eq!(site.state("site")[&a], before["a.html"]);
    }
}

#[test]
fn a_backup_that_is_there_is_never_lost() {
    let site = Site::small();
    site.write("site/a.html.orig", "mine");
    let before = site.state("site");
    site.absolve("rewrite -b http://h/ site -w --backup")
        .ends(2)
        .says(&["site/a.html: its backup a.html.orig exists already; remove it, or give"])
        .counts("rewrote 1 file; 1 failed");
    let after = site.state("site");
    assert_eq!(after["a.html"], before["a.html"]);
    assert_eq!(after["a.html.orig"], before["a.html.orig"]);
    site.has("site/d/b.html", &done("d/"));
}

#[test]
fn a_second_run_keeps_the_first_backups() {
    let site = Site::small();
    site.absolve("rewrite -b http://h/ site -w --backup").ends(0);
    let first = site.state("site");
    site.absolve("rewrite -b http://h/ site -w --backup").ends(0);
    assert_eq!(site.state("site"), first);
}

/// A run that was killed between the two names left the file under both.
#[test]
fn a_backup_that_is_the_file_itself_is_taken() {
    let site = Site::small();
    fs::hard_link(site.path("site/a.html"), site.path("site/a.html.orig")).unwrap();
    site.absolve("rewrite -b http://h/ site -w --backup").ends(0);
    site.has("site/a.html", &done(""));
    site.has("site/a.html.orig", PAGE);
}

#[test]
fn a_suffix_stays_in_the_folder() {
    let site = Site::small();
    for option in ["--backup=/x", "--backup=/../x", "--backup="] {
        site.absolve(&format!("rewrite -b http://h/ site -w {option}")).ends(2);
    }
    site.has("site/a.html", PAGE);
}
