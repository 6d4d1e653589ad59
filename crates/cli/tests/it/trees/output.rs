//! Into another folder, or in place: the same bytes, in the same places.

use std::os::unix::fs::{FileTypeExt, MetadataExt};

use super::site::{PAGE, Site, done};

#[test]
fn another_folder_and_in_place_get_the_same() {
    let site = Site::small();
    site.absolve("rewrite -b http://h/ site -o out").ends(0);
    site.absolve("rewrite -b http://h/ site -o full --copy-assets").ends(0);
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    let (a, b) = (done(""), done("d/"));
    site.holds("out", &[("a.html", &a), ("d/b.html", &b)]);
    site.holds("full", &[("a.html", &a), ("d/b.html", &b), ("s.css", "a{}")]);
    site.holds("site", &[("a.html", &a), ("d/b.html", &b), ("s.css", "a{}")]);
}

#[test]
fn without_a_base_url_only_documents_with_their_own_change() {
    let own = "<base href=http://o/p/><a href=x>1</a>";
    let site = Site::new(&[("site/a.html", PAGE), ("site/own.html", own)]);
    site.absolve("rewrite site -o out").ends(0).says(&["give it with --base-url"]);
    site.holds(
        "out",
        &[("a.html", PAGE), ("own.html", "<base href=http://o/p/><a href=http://o/p/x>1</a>")],
    );
}

#[test]
fn the_advice_names_what_gives_the_base_url() {
    let site = Site::new(&[
        ("a.html", PAGE),
        ("b.html", PAGE),
        ("mirror/example.org/a.html", PAGE),
        ("mirror/cdn.example.org/b.html", PAGE),
        ("map", "other.html\thttp://h/\n"),
    ]);
    let (map, layout) =
        ("or in map, which lacks it", ", or with --layout host-path, as a folder has");
    for (args, advice) in [
        ("a.html", "give it with --base-url or --base-map"),
        ("a.html b.html", "give it with --base-url or --base-map"),
        ("a.html --base-map map", map),
        ("a.html b.html --base-map map", map),
        ("mirror", layout),
        ("mirror/example.org/a.html", layout),
    ] {
        site.absolve(&format!("rewrite -n {args}")).ends(0).says(&[advice]);
        site.absolve(&format!("links {args}")).ends(0).says(&[advice]);
        assert_eq!(site.absolve(&format!("-q links {args}")).ends(0).stderr, "", "{args}");
    }
    site.absolve("rewrite a.html").ends(0).says(&["give it with --base-url or --base-map"]);
    assert_eq!(site.absolve("links mirror --layout host-path").ends(0).stderr, "");
}

#[test]
fn hidden_files_and_folders_are_files_and_folders() {
    let site = Site::new(&[("site/.a.html", PAGE), ("site/.d/b.html", PAGE)]);
    site.absolve("rewrite -b http://h/ site -o out").ends(0);
    site.holds("out", &[(".a.html", &done("")), (".d/b.html", &done(".d/"))]);
}

#[test]
fn several_roots_stand_under_their_last_names() {
    let site = Site::new(&[("p/one/a.html", PAGE), ("q/two/d/b.html", PAGE), ("q/c.html", PAGE)]);
    site.absolve("rewrite -b http://h/ --root-dir . p/one q/two/ ./q/c.html -o out").ends(0);
    site.holds(
        "out",
        &[
            ("one/a.html", &done("p/one/")),
            ("two/d/b.html", &done("q/two/d/")),
            ("c.html", &done("q/")),
        ],
    );
}

#[test]
fn folders_above_the_output_are_made() {
    let site = Site::small();
    site.absolve("rewrite -b http://h/ site -o new/er/est").ends(0);
    site.holds("new", &[("er/est/a.html", &done("")), ("er/est/d/b.html", &done("d/"))]);
}

#[test]
fn a_second_run_into_the_same_folder_writes_nothing() {
    let site = Site::small();
    let args = "rewrite -b http://h/ site -o out --copy-assets --force";
    site.absolve(args).ends(0).counts("rewrote 2 files; 1 copied");
    let first = site.state("out");
    site.absolve(args).ends(0).counts("rewrote nothing; 3 unchanged");
    assert_eq!(site.state("out"), first);
}

#[test]
fn one_rule_decides_what_is_replaced() {
    let site = Site::small();
    for (name, text) in [("old.html", "old"), ("new.html", "")] {
        site.write(name, text);
    }
    site.write("full/x", "");
    for (args, output) in [("site/a.html", "old.html"), ("site", "full")] {
        let before = site.state("");
        for option in ["", "-n"] {
            let run = site.absolve(&format!("rewrite -b http://h/ {args} -o {output} {option}"));
            run.ends(2).says(&["--force"]);
        }
        assert_eq!(site.state(""), before);
    }
    site.absolve("rewrite -b http://h/ site/a.html -o old.html --force").ends(0);
    site.absolve("rewrite -b http://h/ site/a.html -o new.html").ends(0);
    for name in ["old.html", "new.html"] {
        site.has(name, &done(""));
    }
}

#[test]
fn one_file_goes_into_a_folder_with_its_name_and_mode() {
    let site = Site::small();
    site.write("out/", "");
    site.set_mode("site/a.html", 0o600);
    site.absolve("rewrite -b http://h/ site/a.html -o out").ends(0);
    site.has("out/a.html", &done(""));
    site.has_mode("out/a.html", 0o600);
    site.absolve("rewrite -b http://h/ site/a.html -o out/")
        .ends(2)
        .says(&["out/a.html: it exists"]);
    site.absolve("rewrite -b http://h/ site/a.html -o site").ends(2).says(&["is the input itself"]);
    site.absolve("rewrite -b http://h/ site/a.html -o no/")
        .ends(2)
        .says(&["no/a.html: cannot write"]);
    site.absolve_with(["rewrite", "-o", "out"], PAGE).ends(2).says(&["out: cannot write"]);
    assert!(!site.path("no").exists());
}

#[test]
fn force_replaces_what_differs_and_leaves_what_is_no_output() {
    let site = Site::small();
    site.write("out/a.html", "old");
    site.write("out/s.css", "old");
    site.write("out/other", "mine");
    site.absolve("rewrite -b http://h/ site -o out --copy-assets --force").ends(0);
    site.holds(
        "out",
        &[("a.html", &done("")), ("d/b.html", &done("d/")), ("other", "mine"), ("s.css", "a{}")],
    );
}

#[test]
fn what_is_replaced_keeps_its_mode_and_what_is_no_file_stays() {
    let site = Site::small();
    site.write("out/a.html", "old");
    site.set_mode("out/a.html", 0o600);
    site.pipe("out/s.css");
    site.absolve("rewrite -b http://h/ site -o out --copy-assets --force")
        .ends(2)
        .says(&["site/s.css: cannot write out/s.css: it is not a regular file"]);
    assert_eq!(site.metadata("out/a.html").mode() & 0o777, 0o600);
    assert!(site.metadata("out/s.css").file_type().is_fifo());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let site = Site::new(&[]);
    for number in 0..60 {
        site.write(format!("site/{}/p{number}.html", number % 7), PAGE.repeat(number + 1));
    }
    for jobs in ["1", "8"] {
        site.absolve(&format!("rewrite -b http://h/ site -o out{jobs} -j{jobs}")).ends(0);
    }
    let texts = |root| {
        let state = site.state(root);
        state.into_iter().map(|(path, state)| (path, state.text)).collect::<Vec<_>>()
    };
    assert_eq!(texts("out1"), texts("out8"));
    for format in ["text", "jsonl", "tsv"] {
        let links = |jobs| {
            let args = format!("links -b http://h/ site --format {format} -j{jobs}");
            site.absolve(&args).ends(0).stdout
        };
        let one = links(1);
        assert!(one.len() > 60 * PAGE.len());
        assert!(one == links(8), "{format}");
    }
    let diff = |jobs| site.absolve(&format!("rewrite --diff -b http://h/ site -j{jobs}")).ends(1);
    assert!(diff(1).stdout == diff(8).stdout);
}

/// A list that nobody reads to its end takes nothing away from the files, nor from the
/// exit code.
#[test]
fn a_list_that_is_not_read_does_not_stop_the_writing() {
    for (args, code) in [("", 0), (" --limit input=9", 2)] {
        let site = Site::small();
        site.write("site/c.html", "<a href>");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = site.command();
        let args = format!("rewrite -b http://h/ site -o out -l{args}");
        command.args(args.split_whitespace()).stdout(writer);
        assert_eq!(command.status().unwrap().code(), Some(code), "{args}");
        site.has("out/c.html", "<a href=\"http://h/c.html\">");
    }
}
