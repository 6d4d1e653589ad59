//! Lists of files, and what paths count from.

use super::site::{PAGE, Site, done};

/// A list is read, and its files are in the output in place below the root.
#[track_caller]
fn lists(list: &str) {
    let site = Site::small();
    site.write("other.html", PAGE);
    site.write("list", list);
    let args = "rewrite -b http://h/ --root-dir . --files-from list -o out";
    site.absolve(args).ends(0).counts("rewrote 2 files");
    site.holds("out", &[("other.html", &done("")), ("site/d/b.html", &done("site/d/"))]);
    let args = "rewrite -b http://h/ --root-dir . --files-from - -o in";
    site.absolve_with(args.split(' '), list).ends(0);
    assert_eq!(texts(&site, "in"), texts(&site, "out"));
}

fn texts(site: &Site, root: &str) -> Vec<(String, String)> {
    site.state(root).into_iter().map(|(path, state)| (path, state.text)).collect()
}

#[test]
fn a_list_has_a_path_a_line() {
    lists("other.html\nsite/d/b.html\n");
    lists("other.html\nsite/d/b.html");
    lists("./other.html\r\n\r\nsite//d/b.html\r\n");
    lists("site/d\nother.html\n");
    lists("other.html\0site/d/b.html\0");
    lists("other.html\0site/d/b.html");
}

#[test]
fn with_nul_a_name_may_hold_line_ends() {
    let site = Site::new(&[("a\r\n.html", PAGE), ("list", "a\r\n.html\0")]);
    site.absolve("rewrite -b http://h/ --root-dir . --files-from list -w").ends(0);
    site.has("a\r\n.html", &done(""));
}

#[test]
fn a_file_that_is_listed_twice_is_written_once() {
    let site = Site::small();
    site.write("list", "site/a.html\nsite\n./site/a.html\n");
    let counts = "rewrote 2 files; 2 skipped";
    site.absolve("rewrite -b http://h/ --root-dir . --files-from list -o out")
        .ends(0)
        .says(&["./site/a.html: skipped: the same file as site/a.html"])
        .counts(counts);
    site.holds("out", &[("site/a.html", &done("site/")), ("site/d/b.html", &done("site/d/"))]);
    site.absolve("rewrite -b http://h/ --root-dir . --files-from list -w").ends(0).counts(counts);
    site.absolve("rewrite -b http://h/ --root-dir . site site/../site -o twice").ends(0);
    site.holds("twice", &[("site/a.html", &done("site/")), ("site/d/b.html", &done("site/d/"))]);
}

#[test]
fn a_listed_file_that_does_not_exist_is_reported() {
    let site = Site::small();
    site.write("list", "site/a.html\nno.html\n");
    site.absolve("rewrite -b http://h/ --root-dir . --files-from list -o out")
        .ends(2)
        .says(&["no.html: cannot read: no such file or directory"])
        .counts("rewrote 1 file; 1 failed");
    site.holds("out", &[("site/a.html", &done("site/"))]);
}

#[test]
fn a_list_that_cannot_be_read_is_an_error() {
    let site = Site::small();
    for list in ["no", "site"] {
        site.absolve(&format!("rewrite -b http://h/ --root-dir . --files-from {list} -w"))
            .ends(2)
            .says(&[&format!("{list}: cannot read the list of files: ")]);
    }
    site.absolve("rewrite --files-from list site -w").ends(2);
    site.has("site/a.html", PAGE);
}

#[test]
fn paths_count_from_the_root_that_is_given() {
    let site = Site::small();
    site.write("list", "site/a.html\nsite/d/b.html\n");
    site.absolve("rewrite -b http://h/ --root-dir site --files-from list -o out").ends(0);
    site.holds("out", &[("a.html", &done("")), ("d/b.html", &done("d/"))]);
    site.absolve("rewrite -b http://h/p --root-dir site site/d site/a.html -o two").ends(0);
    site.holds("two", &[("a.html", &done("p/")), ("d/b.html", &done("p/d/"))]);
}

/// --root-dir decides which folder the base URL is the URL of, not where files go.
#[test]
fn the_contents_of_one_root_go_straight_into_the_output() {
    let site = Site::small();
    site.absolve("rewrite -b http://h/ --root-dir . site -o out").ends(0);
    site.holds("out", &[("a.html", &done("site/")), ("d/b.html", &done("site/d/"))]);
    site.absolve("rewrite -b http://h/ --root-dir . site/d/b.html -w").ends(0);
    site.has("site/d/b.html", &done("site/d/"));
}

#[test]
fn what_is_not_below_the_root_has_no_url() {
    let site = Site::small();
    site.write("other/c.html", PAGE);
    site.absolve("rewrite -b http://h/ --root-dir site site/a.html other/c.html -w")
        .ends(2)
        .says(&["other/c.html: it is not in --root-dir site; give a folder above it"]);
    site.absolve("rewrite -b http://h/ --root-dir no site -w")
        .ends(2)
        .says(&["no: cannot be the --root-dir: no such file or directory"]);
    site.has("site/a.html", PAGE);
    site.has("other/c.html", PAGE);
}

#[test]
fn an_audit_reports_on_the_files_of_a_list() {
    let broken = "<!doctype html><html lang=en><title>x</title><a href=gone>g</a>";
    let site = Site::new(&[("s/a.html", broken), ("s/b.html", broken), ("c.md", "")]);
    let audit = |names: &str, stdin: &str| {
        let args = format!("audit s --format concise --report-only {names}");
        site.absolve_with(args.split_whitespace(), stdin)
    };
    let of_a = "s/a.html:1:54: error[broken-link]: target 'gone' does not exist\n";
    audit("s/a.html", "").ends(1).prints(of_a);
    let skipped = "--report-only: 2 names of no file of the site skipped, first c.md";
    audit("-", "c.md\ns/a.html\ngone.html\n").ends(1).says(&[skipped]).prints(of_a);
    audit("-", "c.md\n").ends(0).prints("");
    audit("-", "").ends(0).prints("");
    let none = "--report-only: 2 names of no file of the site skipped, first";
    audit("c.md gone.html", "").ends(0).says(&[&format!("{none} c.md")]).prints("");
    for after_list in ["--report-only s/a.html s", "--report-only s/a.html --report-only c.md s"] {
        let args = format!("audit --format concise {after_list} -j 1");
        site.absolve(&args).ends(1).prints(of_a);
    }
    audit("gone.html c.md", "").ends(0).says(&[&format!("{none} gone.html")]).prints("");
}

#[test]
fn an_audit_reads_the_names_that_git_quotes() {
    let broken = "<!doctype html><html lang=en><title>x</title><a href=gone>g</a>";
    let site = Site::new(&[("s/\u{fc}.html", broken), ("s/b.html", broken)]);
    let args = ["audit", "s", "--format", "concise", "--report-only", "-"];
    let of_one = "s/\u{fc}.html:1:54: error[broken-link]: target 'gone' does not exist\n";
    site.absolve_with(args, "\"s/\\303\\274.html\"\n").ends(1).prints(of_one);
}

#[test]
fn fixes_of_built_pages_name_their_sources() {
    let page = "<!doctype html><html lang=en><title>x</title><p>One <a href=B.html>b</a></p>";
    let site = Site::new(&[
        ("s/a.html", page),
        ("s/b.html", "<!doctype html><html lang=en><title>y</title>"),
        ("docs/a.md", "# T\n\nOne [b](B.md)\n"),
    ]);
    let undone = "built pages were changed, and the next build undoes that; correct docs/a.md:3";
    let run = site.absolve("audit s --sources docs --fix");
    run.ends(0).says(&[undone]).prints(
        "fixed: broken-link at s/a.html:1:61, from docs/a.md:3: 'B.html' is now 'b.html'\n\
         1 finding fixed\nno findings; checked 2 pages with 1 link (1 internal)\n",
    );
    site.write("s/a.html", page.replace("<p>", "<nav><a href=B.html>n</a></nav><p>"));
    let unknown = "; no line of --sources is known for 1 finding\n";
    site.absolve("audit s --sources docs --fix").ends(0).says(&[&format!("{undone}{unknown}")]);
    site.write("s/a.html", page.replace("One", "Other"));
    let undone = "absolve: built pages were changed, and the next build undoes that";
    site.absolve("audit s --sources docs --fix").ends(0).says(&[&format!("{undone}{unknown}")]);
}

#[test]
fn an_audit_reports_on_what_listed_sources_made() {
    let page = |text: &str| {
        format!("<!doctype html><html lang=en><title>x</title>\n<p>{text} <a href=gone>g</a></p>")
    };
    let site = Site::new(&[
        ("s/a.html", &page("One")),
        ("s/b.html", &page("Two")),
        ("s/c.html", &page("Three")),
        ("docs/a.md", "One [g](gone)\n"),
        ("docs/b.md", "Two [g](gone)\n"),
    ]);
    let audit = |names: &str, stdin: &str| {
        let args = format!("audit s --sources docs --format concise --report-only {names}");
        site.absolve_with(args.split_whitespace(), stdin)
    };
    let error = "error[broken-link]: target 'gone' does not exist";
    let of_b = format!("s/b.html:2:16: {error} (docs/b.md:1)\n");
    audit("docs/b.md", "").ends(1).prints(&of_b);
    audit("./docs/../docs/b.md", "").ends(1).prints(&of_b);
    let both = format!("{of_b}s/c.html:2:18: {error}\n");
    audit("-", "docs/b.md\ns/c.html\ndocs/gone.md\n").ends(1).prints(&both);
    audit("- docs/b.md", "s/c.html\n").ends(1).prints(&both);
    audit("docs/b.md --fix --diff", "").ends(0).says(&["1 name of no file of the site skipped"]);
}
