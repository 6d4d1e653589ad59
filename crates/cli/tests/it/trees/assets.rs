//! The other files of a tree.

use std::fs;

use super::site::{PAGE, Site, done};

#[test]
fn they_are_equal_to_the_last_byte() {
    let site = Site::small();
    let bytes: Vec<u8> = (0..=250).cycle().take(300_000).collect();
    site.write("site/i/large.png", &bytes);
    site.write("site/i/empty", "");
    site.write("site/a.epub", "PK\u{3}\u{4}");
    site.absolve("rewrite -b http://h/ site -o out --copy-assets")
        .ends(0)
        .counts("rewrote 2 files; 4 copied");
    assert!(fs::read(site.path("out/i/large.png")).unwrap() == bytes);
    site.has("out/i/empty", "");
    site.has("out/a.epub", "PK\u{3}\u{4}");
}

#[test]
fn files_and_folders_have_the_modes_of_the_tree() {
    let site = Site::small();
    site.write("site/tool", "");
    site.write("site/narrow/c.html", PAGE);
    let modes = [
        ("/a.html", 0o600),
        ("/s.css", 0o444),
        ("/tool", 0o755),
        ("/d", 0o700),
        ("/narrow", 0o555),
        ("/narrow/c.html", 0o640),
        ("", 0o750),
    ];
    for (path, mode) in modes {
        site.set_mode(&format!("site{path}"), mode);
    }
    for (run, args) in [("one", "site -o one"), ("two/site", "site nothing --root-dir . -o two")] {
        site.write("nothing/n.html", "");
        site.absolve(&format!("rewrite -b http://h/ {args} --copy-assets")).ends(0);
        for (path, mode) in modes {
            site.has_mode(&format!("{run}{path}"), mode);
        }
        site.set_mode(&format!("{run}/narrow"), 0o755);
    }
    site.set_mode("site/narrow", 0o755);
}

/// A folder that is there has the mode that somebody gave it.
#[test]
fn a_folder_that_is_there_keeps_its_mode() {
    let site = Site::small();
    site.set_mode("site", 0o700);
    site.write("out/d/", "");
    site.set_mode("out", 0o755);
    site.set_mode("out/d", 0o711);
    site.absolve("rewrite -b http://h/ site -o out --force").ends(0);
    site.has_mode("out", 0o755);
    site.has_mode("out/d", 0o711);
}

#[test]
fn folders_without_files_are_not_made() {
    let site = Site::small();
    site.write("site/empty/er/", "");
    site.write("site/only/s.css", "");
    site.absolve("rewrite -b http://h/ site -o out").ends(0);
    site.holds("out", &[("a.html", &done("")), ("d/b.html", &done("d/"))]);
}
