//! Runs that are refused before anything is written.

use super::site::{PAGE, Site};

/// A run is refused with this message, and nothing is written anywhere.
#[track_caller]
fn refuses(site: &Site, args: &str, message: &str) {
    let before = texts(site);
    site.absolve(&format!("rewrite -b http://h/ {args}")).ends(2).says(&[message]);
    assert_eq!(texts(site), before, "{args}");
}

fn texts(site: &Site) -> Vec<(String, u64, u32, String)> {
    let state = site.state("");
    state.into_iter().map(|(path, state)| (path, state.inode, state.mode, state.text)).collect()
}

#[test]
fn an_output_inside_the_input_is_refused() {
    let site = Site::small();
    let message = "it is inside the input tree site; give one outside of it";
    for output in ["site/out", "site/d", "site/new/er", "site/../site/out", "./site//d"] {
        refuses(&site, &format!("site -o {output}"), message);
        refuses(&site, &format!("site -o {output} --force"), message);
    }
    site.link("site", "link");
    refuses(&site, "site -o link/out", message);
    refuses(&site, "link -o site/out", "it is inside the input tree link");
    site.link("../site/d", "site/to");
    refuses(&site, "site -o site/to --force", message);
    site.write("out/", "");
    site.link("../site/d", "out/to");
    refuses(&site, "site -o out/to --force", message);
}

#[test]
fn an_input_inside_the_output_is_refused() {
    let site = Site::small();
    refuses(&site, "site/d -o site --force", "the input tree site/d is inside it; give another");
    refuses(&site, "site/d -o . --force", "the input tree site/d is inside it; give another");
    site.link("site/d", "link");
    refuses(&site, "link -o site --force", "the input tree link is inside it; give another");
}

#[test]
fn an_output_that_is_the_input_is_refused() {
    let site = Site::small();
    let message = "it is the input tree itself; give another, or -w to rewrite in place";
    site.link("site", "link");
    for args in
        ["site -o site", "site -o site/", "site -o site/d/..", "site -o link", "link -o site"]
    {
        refuses(&site, args, message);
        refuses(&site, &format!("{args} --force"), message);
    }
    site.write("site/c.html", PAGE);
    refuses(
        &site,
        "site/a.html site/c.html --root-dir . -o site --force",
        "the input is in it; give another",
    );
    site.write("list", "site/a.html\nsite/c.html\n");
    refuses(
        &site,
        "--files-from list --root-dir . -o . --force",
        "an input is in it and could be written over; give another",
    );
    refuses(&site, "--files-from list --root-dir site -o site --force", "the input is in it");
    refuses(&site, "site/a.html -o link/a.html", "is the input itself");
}

#[test]
fn an_output_that_is_not_empty_is_refused() {
    let site = Site::small();
    site.write("out/mine", "");
    refuses(
        &site,
        "site -o out",
        "out: the folder is not empty; give one that is, or allow other files in it (--force",
    );
    refuses(&site, "site -n -o out", "out: the folder is not empty");
}

#[test]
fn a_trial_removes_nothing() {
    let site = Site::small();
    let remains = [
        ".absolve-tmp-0123456789abcdef-4/.absolve-tmp-0123456789abcdef-5/a.html",
        "out/.absolve-tmp-0123456789abcdef-1",
        "out/.absolve-tmp-0123456789abcdef-2/.absolve-tmp-0123456789abcdef-3/a.html",
    ];
    for path in remains {
        site.write(path, "half");
    }
    let before = texts(&site);
    site.absolve("rewrite -b http://h/ site -n -o out").ends(0);
    site.absolve("rewrite -b http://h/ out -n -w --allow-empty").ends(0);
    assert_eq!(texts(&site), before);
    site.absolve("rewrite -b http://h/ site -o out").ends(0);
    site.holds(
        "out",
        &[("a.html", &super::site::done("")), ("d/b.html", &super::site::done("d/"))],
    );
    assert!(!site.path(".absolve-tmp-0123456789abcdef-4").exists());
    site.write("more/.absolve-tmp-mine/notes", "mine");
    let message =
        "more: the folder is not empty; give one that is, or allow other files in it (--force";
    refuses(&site, "site -n -o more", message);
    refuses(&site, "site -o more", message);
}

#[test]
fn an_output_that_is_no_folder_is_refused() {
    let site = Site::small();
    site.write("out", "mine");
    refuses(&site, "site -o out", "out: it is not a folder, which several documents need");
    refuses(&site, "site -o out/er", "out/er: cannot write there: not a directory");
    refuses(&site, "site -o -", "cannot write several documents to stdout; give --output DIR");
    refuses(&site, "site", "cannot write several documents to stdout; give --output DIR");
    site.link("nowhere", "link");
    refuses(
        &site,
        "site -o link",
        "link: cannot make the folder: a symbolic link or a file has its name",
    );
}

#[test]
fn documents_that_would_have_one_name_are_refused() {
    let site = Site::new(&[("p/a.html", PAGE), ("q/a.html", PAGE), ("r/p/b.html", PAGE)]);
    refuses(
        &site,
        "p/a.html q/a.html --root-dir . -o out",
        "absolve: q/a.html: it would have the same name in the output as p/a.html; rename one",
    );
    refuses(
        &site,
        "p r/p --root-dir . -o out",
        "absolve: r/p: it would have the same name in the output as p;",
    );
    site.write("s/p", PAGE);
    refuses(&site, "p s/p --root-dir . -o out", "it would have the same name in the output as ");
}

#[test]
fn stdin_is_refused_where_paths_are_wanted() {
    let site = Site::small();
    refuses(&site, "- -w", "stdin cannot be rewritten in place, give paths");
    refuses(&site, "site - -w", "stdin (-) cannot be one of several, give it alone");
    refuses(&site, "site -w -l --stats json", "cannot both go to stdout; give only one");
    refuses(&site, "site --stats json", "cannot write several documents to stdout");
}

#[test]
fn an_output_that_holds_another_input_is_refused() {
    let list = "x/a.html\nout/x/a.html\n";
    let site = Site::new(&[("x/a.html", PAGE), ("out/x/a.html", PAGE), ("list", list)]);
    let message = "out: an input is in it and could be written over; give another";
    refuses(&site, "--files-from list --root-dir . -o out --force", message);
}
