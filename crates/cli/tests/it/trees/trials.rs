//! Trial runs, which show changes and totals, and write nothing.

use std::fs;
use std::process::Command;

use super::site::{PAGE, Run, Site, done};

/// Runs, and finds everything as it was.
#[track_caller]
fn leaves_all(site: &Site, args: &str) -> Run {
    let before = site.state("");
    let run = site.absolve(&format!("rewrite -b http://h/ {args}"));
    assert!(site.state("") == before, "{args}");
    run
}

#[test]
fn check_says_whether_something_would_change() {
    let site = Site::small();
    let counts = "would rewrite 2 files";
    let list = "would rewrite site/a.html\nwould rewrite site/d/b.html\n";
    leaves_all(&site, "site --check").ends(1).counts(counts).prints(list);
    leaves_all(&site, "site --check -q").ends(1).prints("");
    leaves_all(&site, "site --check -l").ends(1).prints("site/a.html\nsite/d/b.html\n");
    leaves_all(&site, "site/a.html --check").ends(1).prints("would rewrite site/a.html\n");
    leaves_all(&site, "site/a.html site/d --root-dir . --check").ends(1);
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    let counts = "would rewrite nothing; 2 unchanged";
    leaves_all(&site, "site --check").ends(0).counts(counts).prints("");
    leaves_all(&site, "site --diff").ends(0).prints("");
    leaves_all(&site, "site -l").ends(0).prints("");
    leaves_all(&site, "site --check --limit input=9").ends(2);
}

/// On a terminal a progress bar would be between the lines.
#[test]
#[cfg(target_os = "linux")]
fn what_changes_is_listed_on_lines_of_its_own() {
    let site = Site::small();
    for number in 0..300 {
        site.write(format!("site/{number}.html"), PAGE);
    }
    for (options, least) in [("--check", 302), ("-l", 302), ("--diff", 302 * 5)] {
        let command =
            format!("{} rewrite -b http://h/ site {options}", env!("CARGO_BIN_EXE_absolve"));
        let mut script = Command::new("script");
        let run = script.args(["-qec", &command, "/dev/null"]).current_dir(site.path(""));
        let run = run.stdin(std::process::Stdio::null()).output().unwrap();
        let text = String::from_utf8(run.stdout).unwrap();
        assert!(!text.contains("/302 files"), "{options}: {text}");
        assert!(text.lines().count() >= least, "{options}: {text}");
    }
}

#[test]
fn what_changes_is_listed_where_it_is_written_too() {
    let site = Site::small();
    site.write("site/none.html", "");
    let list = "site/a.html\nsite/d/b.html\n";
    site.absolve("rewrite -b http://h/ site -o out -l").ends(0).prints(list);
    site.absolve("rewrite -b http://h/ site -w -l").ends(0).prints(list);
}

#[test]
fn a_dry_run_writes_nothing_and_foresees_everything() {
    let site = Site::small();
    fs::hard_link(site.path("site/a.html"), site.path("site/second.html")).unwrap();
    site.write("site/d/b.html.orig", "mine");
    let counts = "would rewrite 3 files; 2 copied";
    leaves_all(&site, "site -n -o out --copy-assets").ends(0).counts(counts);
    let counts = "would rewrite 1 file; 2 skipped";
    leaves_all(&site, "site -n -w").ends(0).counts(counts);
    let counts = "would rewrite 3 files";
    leaves_all(&site, "site -n -w --break-hardlinks").ends(0).counts(counts);
    leaves_all(&site, "site -n --break-hardlinks").ends(0).counts(counts);
    leaves_all(&site, "site -n -w --backup")
        .ends(2)
        .says(&["site/d/b.html: its backup b.html.orig exists already"]);
}

#[test]
fn what_is_shown_of_a_file_with_several_names_is_what_a_run_in_place_does() {
    let site = Site::small();
    fs::hard_link(site.path("site/a.html"), site.path("site/second.html")).unwrap();
    let skipped = "would rewrite 1 file; 2 skipped";
    for &(how, code) in PREVIEWS {
        let run = leaves_all(&site, &format!("site {how}")).ends(code).counts(skipped);
        let run = run.says(&["site/a.html: skipped: ", "site/second.html: skipped: "]);
        let listed = String::from_utf8(run.stdout).unwrap();
        assert_eq!(listed.matches("a.html").count(), 0, "{how}");
        for option in [how, "-w"] {
            let run = leaves_all(&site, &format!("site/a.html {option}"));
            run.ends(2).says(&["absolve: site/a.html: "]);
        }
        leaves_all(&site, &format!("site {how} --break-hardlinks"))
            .ends(code)
            .counts("would rewrite 3 files");
    }
}

/// The ways to show what a run in place does, and its exit code if files would change.
const PREVIEWS: &[(&str, i32)] = &[("--check", 1), ("--diff", 1), ("-n", 0), ("-l", 0)];

#[test]
fn a_file_that_is_found_twice_is_shown_once() {
    for &(how, code) in PREVIEWS {
        let site = Site::small();
        let again = ["site/a.html: skipped: the same file as site/a.html"];
        let counts = "would rewrite 2 files; 1 skipped";
        let run = leaves_all(&site, &format!("--root-dir . site site/a.html {how}")).ends(code);
        let run = run.says(&again).counts(counts);
        let shown = String::from_utf8(run.stdout).unwrap();
        assert_eq!(shown.matches("+++ b/site/a.html").count(), usize::from(how == "--diff"));
        let run = site.absolve("rewrite -b http://h/ --root-dir . site site/a.html -w").ends(0);
        run.says(&again).counts("rewrote 2 files; 1 skipped");
    }
}

#[test]
fn what_is_shown_of_a_symbolic_link_is_what_a_run_in_place_does() {
    for &(how, code) in PREVIEWS {
        let site = Site::small();
        site.link("a.html", "site/link.html");
        site.link("site", "to-site");
        let skipped =
            ["1 symbolic link skipped; --follow-symlinks includes them, --verbose lists them"];
        leaves_all(&site, &format!("site {how}")).ends(code).says(&skipped);
        leaves_all(&site, &format!("to-site/ {how}")).ends(code);
        for path in ["site/link.html", "to-site"] {
            let refused = format!("{path}: symbolic link; give the path of its target");
            for options in [how, "-w"] {
                leaves_all(&site, &format!("{path} {options}")).ends(2).says(&[&refused]);
            }
        }
        let followed = format!("site/link.html {how} --follow-symlinks");
        leaves_all(&site, &followed).ends(code);
    }
}

#[test]
fn a_dry_run_into_a_file_foresees_what_a_run_does() {
    let site = Site::small();
    site.write("old.html", "old");
    site.write("read-only.html", "old");
    site.write("same.html", done(""));
    for path in ["read-only.html", "same.html"] {
        site.set_mode(path, 0o400);
    }
    let counts = "would rewrite 1 file";
    for output in ["old.html", "new.html", "same.html"] {
        let args = format!("-n site/a.html -o {output} --force");
        leaves_all(&site, &args).ends(0).counts(counts);
        let args = format!("-n -l site/a.html -o {output} --force");
        leaves_all(&site, &args).ends(0).prints("site/a.html\n");
    }
    for (output, why) in [
        ("read-only.html", "cannot write: it is read-only, make it writable, or write to another"),
        ("none/x.html", "cannot write: no such file or directory"),
    ] {
        for trial in ["-n ", ""] {
            let args = format!("{trial}site/a.html -o {output} --force");
            leaves_all(&site, &args).ends(2).says(&[&format!("absolve: {output}: {why}")]);
        }
    }
}

#[test]
fn a_dry_run_into_a_folder_with_files_foresees_what_a_run_does() {
    let site = Site::small();
    site.write("out/a.html", "mine");
    site.write("out/d/b.html", done("d/"));
    site.write("out/s.css", "mine");
    for path in ["out/a.html", "out/d/b.html", "out/s.css"] {
        site.set_mode(path, 0o400);
    }
    let errors = ["a.html", "s.css"].map(|name| {
        format!("site/{name}: cannot write out/{name}: it is read-only, make it writable, or write to another")
    });
    let args = "rewrite -b http://h/ site -o out --force --copy-assets";
    let messages = [&*errors[0], &*errors[1]];
    let would = "would rewrite nothing; 1 unchanged, 2 failed";
    site.absolve(&format!("{args} -n")).ends(2).counts(would).says(&messages);
    let done = "rewrote nothing; 1 unchanged, 2 failed";
    site.absolve(args).ends(2).counts(done).says(&messages);
    site.has("out/a.html", "mine");
    site.has("out/s.css", "mine");
}

#[test]
fn diffs_are_colored_on_request() {
    let site = Site::small();
    let run = site.absolve("--color always rewrite -b http://h/ site --diff").ends(1);
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(text.contains("\u{1b}[31m-<a href=x>1</a>\u{1b}[0m\n"), "{text}");
}

/// The numbers of one part of the statistics, and their sum but for the first.
fn numbers(stats: &serde_json::Value, part: &str) -> (u64, u64) {
    let numbers = stats[part].as_object().unwrap();
    let all: u64 = numbers.values().map(|value| value.as_u64().unwrap()).sum();
    let seen = numbers["seen"].as_u64().unwrap();
    (seen, all - seen)
}

#[test]
fn statistics_add_up() {
    let site = Site::small();
    site.write(
        "site/own.html",
        "<base href=http://o/><a href=x><a href=http://o/y><a href=mailto:z>",
    );
    site.write("site/none.html", "");
    site.write("site/large.html", PAGE.repeat(99));
    site.link("a.html", "site/link.html");
    site.pipe("site/pipe");
    for (args, code, seen) in [
        ("-n", 2, 7),
        ("--check", 2, 7),
        ("-o out", 2, 7),
        ("-o all --copy-assets", 2, 8),
        ("-o out --force", 2, 7),
        ("-o follow --follow-symlinks", 2, 7),
        ("-w", 2, 7),
    ] {
        let run = site
            .absolve(&format!("rewrite -b http://h/ site --limit input=999 --stats json {args}"));
        let stats: serde_json::Value = serde_json::from_slice(&run.ends(code).stdout).unwrap();
        assert_eq!(numbers(&stats, "files"), (seen, seen), "{args}: {stats}");
        let (links, sum) = numbers(&stats, "links");
        assert_eq!(links, sum, "{args}: {stats}");
        assert_eq!(stats["files"]["failed"], 1, "{args}: {stats}");
        assert!(stats["seconds"].as_f64().unwrap() >= 0.0);
    }
}

#[test]
fn statistics_of_one_document_are_the_same() {
    let site = Site::small();
    // If stdout has the document, the statistics are on stderr.
    for (args, document) in [
        ("site/a.html", done("")),
        ("-", done("")),
        ("-o - site/a.html", done("")),
        ("site/a.html --check", String::new()),
        ("site/a.html -n", String::new()),
        ("site/a.html -n -o -", String::new()),
        ("site/a.html -o o.html", String::new()),
        ("site/a.html -w", String::new()),
    ] {
        let args = format!("rewrite -b http://h/ --stats json {args}");
        let code = i32::from(args.contains("--check"));
        let run = site.absolve_with(args.split(' '), PAGE).ends(code);
        let stats = if document.is_empty() {
            run.stdout.as_slice()
        } else {
            assert_eq!(String::from_utf8_lossy(&run.stdout), document, "{args}");
            run.stderr.as_bytes()
        };
        let stats: serde_json::Value = serde_json::from_slice(stats).unwrap();
        assert_eq!(stats["files"]["rewritten"], 1, "{args}: {stats}");
        assert_eq!(stats["links"]["rewritten"], 1, "{args}: {stats}");
    }
    site.has("o.html", &done(""));
}

#[test]
fn nothing_found_is_an_error_unless_that_is_allowed() {
    let site = Site::new(&[("site/s.css", "a{}"), ("site/d/", ""), ("list", "")]);
    let in_site = "site: no documents found; select files with --include";
    let found = "no documents found; select files with --include";
    for (args, message) in [
        ("rewrite site -w", in_site),
        ("rewrite site --check", in_site),
        ("rewrite site -o out --copy-assets", in_site),
        ("rewrite site --diff", in_site),
        ("links site", in_site),
        ("links site site/d", found),
        ("links --files-from list", found),
        ("rewrite --files-from list -w", found),
    ] {
        site.absolve(args).ends(2).says(&[message]);
        assert!(!site.path("out").exists(), "{args}");
    }
    for args in ["rewrite site -o out --copy-assets", "links site", "links --files-from list"] {
        site.absolve(&format!("{args} --allow-empty")).ends(0);
    }
    site.has("out/s.css", "a{}");
    site.absolve("rewrite site --allow-empty").ends(0).prints("").says(&["no documents found"]);
    // Files that were skipped or could not be read still count as found.
    site.link("../site/s.css", "site/link.html");
    site.absolve("rewrite site -w").ends(0);
    site.absolve("rewrite no -w").ends(2).says(&["no: cannot read"]);
}

const BASED: &str = "<base href=http://h/><a href=x>";

/// A site with documents that have a base, and this many that have none.
fn without_base(documents: usize) -> Site {
    let site = Site::new(&[("site/based.html", BASED), ("site/z.html", "<a href=http://h/>")]);
    for number in 10..10 + documents {
        site.write(format!("site/n{number}.html"), PAGE);
    }
    site
}

#[test]
fn documents_without_a_base_url_are_named() {
    let lines =
        |number: usize| (10..10 + number).map(|number| format!("absolve:   site/n{number}.html\n"));
    for (documents, option, shown, rest) in [
        (1, "", 1, ""),
        (10, "", 10, ""),
        (12, "", 10, "absolve:   and 2 more, --verbose names them\n"),
        (12, "-v", 12, ""),
    ] {
        let site = without_base(documents);
        let named = lines(shown).collect::<String>() + rest;
        for how in ["-n -w", "--check", "--diff", "-w", "-o out"] {
            let run = site.absolve(&format!("rewrite site {how} {option}"));
            assert!(
                run.stderr.contains(&format!("--base-map:\n{named}absolve: ")),
                "{}",
                run.stderr
            );
        }
        let quiet = site.absolve("rewrite -q site -n -w").ends(0);
        assert_eq!(quiet.stderr, "");
        let all = site.absolve("rewrite site -n -w -b http://h/").ends(0);
        assert!(!all.stderr.contains("without a base URL"), "{}", all.stderr);
        let run = site.absolve("rewrite site -n -w --stats json").ends(0);
        let stats: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(stats["without_base"]["count"], documents);
        assert_eq!(stats["without_base"]["names"].as_array().unwrap().len(), documents);
        assert_eq!(stats["without_base"]["names"][0], "site/n10.html");
    }
}

#[test]
fn strict_fails_where_relative_links_stay() {
    for (documents, code) in [(0, 0), (1, 1)] {
        let site = without_base(documents);
        for args in ["-w", "-o out", "--diff --include z.html", "-l"] {
            let code = if args.contains("z.html") { 0 } else { code };
            site.absolve(&format!("rewrite --strict site {args}")).ends(code);
        }
        // A failed file changes the exit code, and the others are written all the same.
        site.has("site/based.html", "<base href=http://h/><a href=http://h/x>");
        site.absolve("rewrite --strict site --limit input=9 -w").ends(2);
    }
    let site = Site::new(&[]);
    site.absolve_with(["rewrite", "--strict"], PAGE).ends(1).prints(PAGE);
    site.absolve_with(["rewrite", "--strict"], BASED).ends(0);
    let message = "MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<a href=x>\r\n";
    site.write("m.eml", message);
    let run = site.absolve("rewrite --strict -n m.eml").ends(1);
    run.says(&["(links: 1 without a base URL)", "  m.eml!0"]);
}

#[test]
fn strict_names_documents_with_quiet_too() {
    let (site, advice) = (without_base(12), "without a base URL; give it with");
    site.write("site/inert.html", "<base href=about:srcdoc><a href=x>");
    for how in ["-n -w", "-n -o out", "--check", "-l", "-w"] {
        let run = site.absolve(&format!("rewrite -q --strict site {how}")).ends(1);
        let documents: Vec<_> =
            run.stderr.lines().filter_map(|line| line.strip_prefix("absolve:   ")).collect();
        let expected = (10..22).map(|number| format!("site/n{number}.html"));
        let expected: Vec<_> = ["site/inert.html".to_owned()].into_iter().chain(expected).collect();
        assert_eq!(documents, expected, "{how}");
        run.says(&[advice, "1 document with a base element whose URL"]);
    }
    site.write("m.eml", "MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<a href=x>\r\n");
    site.absolve("rewrite -q --strict m.eml -n").ends(1).says(&["  m.eml!0"]);
    let run = site.absolve_with(["rewrite", "-q", "--strict"], PAGE).ends(1);
    run.says(&["stdin: 1 link stays relative"]);
    let run = site.absolve_with(["rewrite", "-q"], PAGE).ends(0);
    assert_eq!(run.stderr, "");
}
