//! Some documents fail: the others are done, and each is named once.

use super::site::{PAGE, Site, done};

/// Twenty documents, of which two are too large for `--limit input=99`.
fn many() -> Site {
    let site = Site::new(&[]);
    for number in 0..20 {
        let page = if number % 12 == 3 { PAGE.repeat(20) } else { PAGE.to_owned() };
        site.write(format!("site/p{number:02}.html"), page);
    }
    site
}

const LARGE: &str =
    ": the document exceeds 99 bytes, the limit for documents; raise --limit input=N";

#[test]
fn the_others_are_done() {
    for (args, root) in [("-o out", "out"), ("-w", "site")] {
        let site = many();
        let before = site.state("site");
        let run =
            site.absolve(&format!("rewrite -b http://h/ site {args} --limit input=99")).ends(2);
        let run = run.counts("rewrote 18 files; 2 failed");
        run.says(&[&format!("site/p03.html{LARGE}"), &format!("site/p15.html{LARGE}")]);
        for number in 0..20 {
            let page = format!("p{number:02}.html");
            if number % 12 != 3 {
                site.has(&format!("{root}/{page}"), &done(""));
            } else if root == "site" {
                assert_eq!(site.state(root)[&page], before[&page]);
            } else {
                assert!(!site.path("out").join(page).exists());
            }
        }
    }
}

#[test]
fn failures_stand_at_the_end_and_stay_where_it_is_quiet() {
    let site = many();
    site.write("site/z.html", "<base href=mailto:x><a href=y>");
    let run = site.absolve("rewrite -b http://h/ site -o out --limit input=99").ends(2);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(lines[0].starts_with("absolve: site/z.html: "), "{lines:?}");
    assert!(lines[1].contains("p03") && lines[2].contains("p15"), "{lines:?}");
    let run = site.absolve("-q rewrite -b http://h/ site -o quiet --limit input=99").ends(2);
    assert_eq!(run.stderr.lines().collect::<Vec<_>>(), lines[1..3]);
}

/// In place, as the one output, and as a file of an output folder.
#[test]
fn a_read_only_file_is_never_replaced() {
    let site = Site::small();
    site.write("out/a.html", "mine");
    site.write("site/c.txt", "text");
    site.write("out/c.txt", "mine");
    for path in ["site/a.html", "out/a.html", "out/c.txt"] {
        site.set_mode(path, 0o400);
    }
    for (args, path) in [
        ("site -w", "site/a.html"),
        ("site/a.html -w", "site/a.html"),
        ("site/d/b.html -o out/a.html --force", "out/a.html"),
        ("site -o out --force", "out/a.html"),
        ("site -o out --force --copy-assets", "out/c.txt"),
    ] {
        site.absolve(&format!("rewrite -b http://h/ {args}")).ends(2).says(&[&match path
            .strip_prefix("out/")
        {
            Some(name) if args.starts_with("site -o") => {
                format!("site/{name}: cannot write {path}: it is read-only, make it writable")
            }
            _ => format!("{path}: cannot write: it is read-only, make it writable"),
        }]);
    }
    site.absolve("rewrite -b http://h/ site -o out --force -n --copy-assets").ends(2).says(&[
        "site/a.html: cannot write out/a.html: it is read-only",
        "site/c.txt: cannot write out/c.txt: it is read-only",
    ]);
    site.has("site/a.html", PAGE);
    site.has("site/d/b.html", &done("d/"));
    site.has("out/a.html", "mine");
    site.has("out/c.txt", "mine");
}

/// A sparse file: nobody has to read it to know that it is too large.
#[test]
fn what_is_too_large_is_refused_by_its_size() {
    let site = Site::new(&[]);
    let names = ["large.html", "large.mhtml"];
    for name in names {
        let file = std::fs::File::create(site.path(name)).unwrap();
        // Larger than the memory of most machines.
        file.set_len(1 << 42).unwrap();
    }
    let end = "the document exceeds 4294967295 bytes, and positions in a document have 32 bits";
    for name in names {
        for (options, message) in [
            ("", end),
            ("--limit input=0", end),
            ("--limit input=4G", end),
            ("--limit input=99", end),
        ] {
            let message = format!("absolve: {name}: {message}");
            for command in ["rewrite -b http://h/", "rewrite -w -b http://h/", "links"] {
                let args = format!("{command} {name} {options}");
                site.absolve(&args).ends(2).says(&[&message]);
            }
        }
    }
    let limit = "the document exceeds 64 MiB, the limit for documents; raise --limit input=N (0 = no limit)";
    for size in [(1 << 26) + 1, u64::from(u32::MAX)] {
        let file = std::fs::File::create(site.path("smaller.html")).unwrap();
        file.set_len(size).unwrap();
        let message = format!("absolve: smaller.html: {limit}");
        site.absolve("rewrite -w -b http://h/ smaller.html").ends(2).says(&[&message]);
    }
    std::fs::remove_file(site.path("smaller.html")).unwrap();
    site.absolve("rewrite -b http://h/ . -n -w --limit input=0").ends(2).says(&[
        &format!("absolve: ./large.html: {end}"),
        &format!("absolve: ./large.mhtml: {end}"),
    ]);
}

#[test]
fn links_are_listed_of_the_others() {
    let site = many();
    let run = site.absolve("links site --limit input=99 --format tsv").ends(2);
    assert_eq!(String::from_utf8_lossy(&run.stdout).lines().count(), 1 + 18);
    run.says(&[&format!("site/p03.html{LARGE}"), &format!("site/p15.html{LARGE}")]);
}

#[test]
fn a_root_that_does_not_exist_is_reported() {
    let site = Site::small();
    site.absolve("rewrite -b http://h/ --root-dir . no site -o out")
        .ends(2)
        .says(&["absolve: no: cannot read: no such file or directory"])
        .counts("rewrote 2 files; 1 failed");
    site.holds("out", &[("site/a.html", &done("site/")), ("site/d/b.html", &done("site/d/"))]);
    let before = site.state("");
    site.absolve("rewrite -b http://h/ no -w").ends(2);
    site.absolve("rewrite -b http://h/ no -o new").ends(2);
    assert_eq!(site.state(""), before);
}
