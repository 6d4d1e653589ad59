//! Symbolic links: skipped, followed where they stay in the tree, made again.

use super::site::{PAGE, Site, done};

/// A site with links of all kinds.
fn linked() -> Site {
    let site = Site::small();
    site.write("outside/o.html", PAGE);
    site.link("../outside", "site/folder-outside");
    site.link("../outside/o.html", "site/outside.html");
    site.link("nowhere", "site/nowhere.html");
    site.link("..", "site/d/loop");
    site.link("s.css", "site/t.css");
    site
}

#[test]
fn they_are_not_followed() {
    let site = linked();
    let named = ["2 symbolic links skipped; --follow-symlinks includes them, --verbose lists them"];
    site.absolve("rewrite -b http://h/ site -o out").ends(0).says(&named);
    site.absolve("rewrite -b http://h/ site -w")
        .ends(0)
        .says(&named)
        .counts("rewrote 2 files; 2 skipped");
    site.holds("out", &[("a.html", &done("")), ("d/b.html", &done("d/"))]);
    site.has("outside/o.html", PAGE);
}

#[test]
fn they_are_made_again_beside_the_other_files() {
    let site = linked();
    site.absolve("rewrite -b http://h/ site -o out --copy-assets").ends(0);
    site.holds(
        "out",
        &[
            ("a.html", &done("")),
            ("d/b.html", &done("d/")),
            ("d/loop", "-> .."),
            ("folder-outside", "-> ../outside"),
            ("nowhere.html", "-> nowhere"),
            ("outside.html", "-> ../outside/o.html"),
            ("s.css", "a{}"),
            ("t.css", "-> s.css"),
        ],
    );
    site.has("outside/o.html", PAGE);
}

#[test]
fn they_are_followed_only_to_what_is_in_the_tree() {
    let site = linked();
    site.link("a.html", "site/e.html");
    site.link("d", "site/f");
    let run = site.absolve("rewrite -b http://h/ site -o out --follow-symlinks").ends(2).says(&[
        "site/folder-outside: skipped: symbolic link whose target is outside the tree",
        "site/outside.html: skipped: symbolic link whose target is outside the tree",
        "site/d/loop: skipped: symbolic link to a folder above it",
        "site/f/loop: skipped: symbolic link to a folder above it",
        "site/nowhere.html: cannot read: no such file",
    ]);
    run.counts("rewrote 4 files; 4 skipped, 1 failed");
    let a = done("");
    site.holds(
        "out",
        &[("a.html", &a), ("d/b.html", &done("d/")), ("e.html", &a), ("f/b.html", &done("f/"))],
    );
}

/// A link keeps being one, and the file has the links of its own place.
#[test]
fn in_place_a_file_is_rewritten_once_under_its_own_name() {
    let site = Site::small();
    site.link("d/b.html", "site/0.html");
    site.link("d", "site/1");
    site.link("../a.html", "site/d/z.html");
    site.absolve("rewrite -b http://h/ site -w --follow-symlinks")
        .ends(0)
        .says(&["site/0.html: skipped: the same file as site/", "site/d/z.html: skipped: the same"])
        .counts("rewrote 2 files; 4 skipped");
    site.holds(
        "site",
        &[
            ("0.html", "-> d/b.html"),
            ("1", "-> d"),
            ("a.html", &done("")),
            ("d/b.html", &done("d/")),
            ("d/z.html", "-> ../a.html"),
            ("s.css", "a{}"),
        ],
    );
}

#[test]
fn a_root_that_is_a_link_is_refused_in_place() {
    let site = Site::small();
    site.link("site", "link");
    site.absolve("rewrite -b http://h/ link -w")
        .ends(2)
        .says(&["absolve: link: symbolic link; give the path of its target, or"]);
    site.link("site/a.html", "link.html");
    site.absolve("rewrite -b http://h/ link.html -w").ends(2);
    site.has("site/a.html", PAGE);
}

#[test]
fn a_root_that_is_a_link_is_followed_where_that_is_said() {
    for args in ["link/ -w", "link -w --follow-symlinks", "link/. -w", "link/d/.. -w"] {
        let site = Site::small();
        site.link("site", "link");
        site.absolve(&format!("rewrite -b http://h/ {args}")).ends(0);
        site.has("site/a.html", &done(""));
        site.has("site/d/b.html", &done("d/"));
        assert!(site.path("link").is_symlink());
    }
}

#[test]
fn a_root_that_is_only_read_may_be_a_link() {
    let site = Site::small();
    site.link("site", "link");
    site.absolve("rewrite -b http://h/ link -o out").ends(0);
    site.holds("out", &[("a.html", &done("")), ("d/b.html", &done("d/"))]);
    let run = site.absolve("links -b http://h/ link --format tsv").ends(0);
    assert!(String::from_utf8_lossy(&run.stdout).contains("link/a.html\t1\t9\t"));
}

/// A link in the output under the name of a document is not followed either.
#[test]
fn links_in_the_output_lead_nowhere() {
    let site = Site::small();
    site.write("mine.html", "mine");
    site.write("mine/b.html", "mine");
    site.write("out/", "");
    site.link("../mine.html", "out/a.html");
    site.link("../mine", "out/d");
    let run = site.absolve("rewrite -b http://h/ site -o out --force").ends(2);
    assert!(!run.stderr.is_empty());
    site.has("mine.html", "mine");
    site.has("mine/b.html", "mine");
}
