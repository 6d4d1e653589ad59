//! A checkout that a stranger made: it may not write outside of its folder, replace what is no
//! report, or read what is elsewhere.

use std::fs;

use crate::site::{PAGE, Run, Site};

/// A page whose links would be shell commands in a report that is a script.
const HOSTILE: &str = "<a href='x\n\"; touch ../owned #'>1</a>\n";

/// The checkout, and what is around it.
fn checkout() -> Site {
    let site = Site::new(&[
        ("secret.txt", "secret\n"),
        ("outside/page.html", HOSTILE),
        ("outside/list", "x"),
        ("outside/empty/", ""),
        ("checkout/site/index.html", HOSTILE),
        ("checkout/site/a.txt", "a file of the site"),
        ("checkout/report.txt", "not a report\n"),
        ("checkout/notes.md", "## Notes\n\nx; checked 1 page with 1 link\n"),
        ("checkout/data.jsonl", "{\"name\":1}\n"),
        ("checkout/out/", ""),
        ("checkout/.git/hooks/", ""),
        ("checkout/.github/workflows/", ""),
        ("checkout/_redirects", "/* /../../secret.txt 200!\n"),
        ("checkout/site/_redirects", "/a /../../../secret.txt 200\n/b file:///etc/passwd\n"),
        ("checkout/site/sitemap.xml", "<urlset><url><loc>file:///etc/passwd</loc></url></urlset>"),
        (
            "checkout/base.jsonl",
            "{\"rule\":\"broken-link\",\"file\":\"../../secret.txt\",\"reference\":\"x\"}\n",
        ),
        ("checkout/map", "../outside/page.html\thttp://h/\n"),
        ("checkout/list", "../outside/page.html\n"),
    ]);
    site.link("../outside", "checkout/folder");
    site.link("../secret.txt", "checkout/file.txt");
    site.link("../absent.txt", "checkout/dangling.txt");
    site.link("report.txt", "checkout/inner.txt");
    site.link("../absent.jsonl", "checkout/file.jsonl");
    site.link("..", "checkout/site/above");
    site.pipe("checkout/pipe.txt");
    site
}

/// Runs in the checkout, and fails where anything but these files is new or changed.
#[track_caller]
fn changes(site: &Site, config: &str, args: &str, written: &[&str]) -> (Option<i32>, String) {
    site.write("checkout/absolve.toml", config);
    let before = site.state("");
    let mut command = site.command();
    // There, annotations come by themselves.
    command.env_remove("GITHUB_ACTIONS").current_dir(site.path("checkout"));
    let output = command.args(args.split_whitespace()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let after = site.state("");
    let mut changed: Vec<&str> = Vec::new();
    for path in before.keys().chain(after.keys()) {
        let text = |state: Option<&crate::site::State>| state.map(|state| state.text.clone());
        if text(before.get(path)) != text(after.get(path)) && !changed.contains(&&**path) {
            changed.push(path);
        }
    }
    assert_eq!(changed, written, "{config}\n{args}\n{stderr}");
    assert!(!stderr.contains("secret\n") && !stderr.contains("a bug stopped it"), "{stderr}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("secret\n"), "{config}");
    (output.status.code(), stderr)
}

#[test]
fn a_report_goes_nowhere_but_to_a_new_file_or_a_report_below() {
    let targets = [
        "tsv=../x.tsv",
        "tsv=site/../../x.tsv",
        "text=../secret.txt",
        "text=/tmp/absolve-test-of-a-hostile-checkout.txt",
        "text=folder/x.txt",
        "text=file.txt",
        "text=dangling.txt",
        "text=inner.txt",
        "text=site/above/x.txt",
        "text=pipe.txt",
        "text=/dev/stdout",
        "text=report.txt",
        "text=site/a.txt",
        "text=site/index.html",
        "text=absolve.toml",
        "text=.git/hooks/pre-commit",
        "text=.git/hooks/pre-commit.txt",
        "text=.github/workflows/x.txt",
        "text=.x.txt",
        "text=conftest.py",
        "text=Makefile",
        "text=x.sh",
        "text=git~1/hooks/x.txt",
        "text=out",
        "text=absent/x.txt",
        "text=x\\u0000.txt",
        "text=x.txt:y.txt",
        "jsonl=data.jsonl",
        "json=package.py",
        "json=base.jsonl",
        "markdown=notes.md",
        "html=site/index.html",
        "html=x.htm",
        "junit=x.html",
        "sarif=x.sarif.py",
        "github=x.yml",
    ];
    let site = checkout();
    for target in targets {
        let config = format!("[audit]\npath = 'site'\nformat = [\"{target}\"]\n");
        let (code, stderr) = changes(&site, &config, "audit", &[]);
        assert_eq!(code, Some(2), "{target}: {stderr}");
        assert!(stderr.contains("--config"), "{target}: {stderr}");
    }
}

#[test]
fn a_report_below_is_written_and_written_again() {
    let site = checkout();
    for target in [
        "text=new.txt",
        "jsonl=out/new.jsonl",
        "json=./new.json",
        "sarif=new.sarif",
        "junit=new.xml",
        "github=out/annotations.txt",
        "markdown=new.md",
        "tsv=new.tsv",
        "html=new.html",
    ] {
        let config = format!("[audit]\npath = 'site'\nformat = ['{target}']\n");
        let file = target.split_once('=').unwrap().1.trim_start_matches("./");
        let path = format!("checkout/{file}");
        assert_eq!(changes(&site, &config, "audit", &[&path]).0, Some(1), "{target}");
        let report = fs::read(site.path(&path)).unwrap();
        // The report of another page replaces the first.
        site.write("checkout/site/b.html", HOSTILE);
        assert_eq!(changes(&site, &config, "audit", &[&path]).0, Some(1), "{target}");
        fs::remove_file(site.path("checkout/site/b.html")).unwrap();
        assert_eq!(changes(&site, &config, "audit", &[&path]).0, Some(1), "{target}");
        assert_eq!(fs::read(site.path(&path)).unwrap(), report, "{target}");
    }
}

#[test]
fn a_history_grows_below_its_folder_and_replaces_no_other_file() {
    let site = checkout();
    let audit = |target: &str, written: &[&str]| {
        let config = format!("[audit]\npath = 'site'\nformat = ['text']\nhistory = '{target}'\n");
        changes(&site, &config, "audit", written)
    };
    for target in [
        "../h.jsonl",
        "/tmp/absolve-test-of-a-hostile-checkout.jsonl",
        "folder/h.jsonl",
        "h.txt",
        ".h.jsonl",
        ".git/hooks/h.jsonl",
        "file.jsonl",
        "data.jsonl",
        "base.jsonl",
    ] {
        let (code, stderr) = audit(target, &[]);
        assert_eq!(code, Some(2), "{target}: {stderr}");
    }
    for runs in 1..=3 {
        assert_eq!(audit("out/h.jsonl", &["checkout/out/h.jsonl"]).0, Some(1));
        let history = fs::read_to_string(site.path("checkout/out/h.jsonl")).unwrap();
        assert_eq!(history.lines().count(), runs, "{history}");
    }
    // Only its end is read, and all of it stays.
    let history = fs::read_to_string(site.path("checkout/out/h.jsonl")).unwrap();
    let long = history.repeat(3000);
    site.write("checkout/out/h.jsonl", &long);
    assert_eq!(audit("out/h.jsonl", &["checkout/out/h.jsonl"]).0, Some(1));
    let longer = fs::read_to_string(site.path("checkout/out/h.jsonl")).unwrap();
    let line = longer.strip_prefix(&long).unwrap();
    assert!(longer.len() > 1 << 20 && history.contains(&line[line.find(",\"errors").unwrap()..]));
}

#[test]
fn its_patterns_are_limited() {
    let site = checkout();
    let audit = |bytes: usize, rest: &str, args: &str| {
        let half = "x".repeat(bytes / 2);
        let config = format!("[audit]\nignore-link = ['{half}', '{half}']\n{rest}");
        changes(&site, &config, args, &[])
    };
    assert_eq!(audit(4096, "", "audit site").0, Some(1));
    let (code, stderr) = audit(4096, "exclude = ['y']\n", "audit site");
    let message = "absolve.toml:3:12: the patterns up to this one have more than 4096 bytes, which no \
                   configuration that is found may have; trust this file with --config";
    assert_eq!((code, &*stderr), (Some(2), &*format!("absolve: {message}\n")));
    assert_eq!(audit(4098, "", "audit site").0, Some(2));
    assert_eq!(audit(8000, "", "audit site --ignore-link y").0, Some(1));
    assert_eq!(audit(4098, "", "audit site --config absolve.toml").0, Some(1));
}

#[test]
fn what_is_read_is_below_its_folder() {
    let settings = [
        "root-dir = '..'",
        "root-dir = '/'",
        "root-dir = 'folder'",
        "redirects = '../secret.txt'",
        "redirects = 'file.txt'",
        "redirects = 'pipe.txt'",
        "redirects = '/dev/zero'",
        "sitemap = '../secret.txt'",
        "sitemap = 'file.txt'",
        "baseline = '../outside/list'",
        "baseline = 'folder/list'",
        "baseline = 'file.txt'",
        "baseline = 'pipe.txt'",
        "report-only = ['site/above/file.txt']",
        "path = '..'",
        "path = '../outside'",
        "path = 'folder'",
        "path = '/'",
        "path = '.'",
        "path = 'site/..'",
        "path = 'pipe.txt'",
        "path = ['site/above']",
    ];
    let site = checkout();
    for setting in settings {
        let path = if setting.starts_with("path") { "" } else { "path = 'site'\n" };
        let config = format!("[audit]\n{path}{setting}\n");
        let (code, stderr) = changes(&site, &config, "audit", &[]);
        assert_eq!(code, Some(2), "{setting}: {stderr}");
        assert!(
            stderr.contains("absolve.toml:") && stderr.contains("--config"),
            "{setting}: {stderr}"
        );
    }
    // What redirects, sitemaps and baselines name is looked up in the site alone.
    for setting in
        ["redirects = '_redirects'", "server = 'netlify'", "sitemap = 'site/sitemap.xml'"]
    {
        let config = format!("[audit]\npath = 'site'\n{setting}\nbaseline = 'base.jsonl'\n");
        let (code, stderr) = changes(&site, &config, "audit", &[]);
        assert!(matches!(code, Some(0 | 1)), "{setting}: {stderr}");
    }
}

#[test]
fn no_descriptor_is_read() {
    let site = checkout();
    for (link, to) in [("stdin.txt", "/dev/stdin"), ("fd", "/dev/fd"), ("gone.txt", "absent.txt")] {
        site.link(to, &format!("checkout/{link}"));
    }
    let baseline = "{\"rule\":\"broken-link\",\"file\":\"index.html\",\"reference\":\"x\"}\n";
    let tables = [
        ("audit", "path = 'site'\nbaseline", baseline),
        ("audit", "path = 'site'\nredirects", "/a /b 301\n"),
        ("audit", "path = 'site'\nsitemap", "<urlset></urlset>"),
        ("audit", "path = 'site'\nroot-dir", ""),
        ("audit", "path", PAGE),
        ("rewrite", "path = 'site'\noutput = 'new'\nbase-map", "site/index.html\thttp://h/\n"),
        ("rewrite", "base-url = 'http://h/'\noutput = 'new'\nfiles-from", "site/index.html\n"),
        ("rewrite", "base-url = 'http://h/'\noutput = 'new.html'\npath", PAGE),
    ];
    for (table, key, stdin) in tables {
        for path in [
            "/dev/stdin",
            "/dev/fd/0",
            "/dev/fd/9",
            "/proc/self/fd/0",
            "/proc/thread-self/fd/0",
            "stdin.txt",
            "fd/0",
            "gone.txt",
            "/absent/file",
            "../absent.txt",
            "site/../../absent.txt",
            "absent/../../secret.txt",
        ] {
            site.write("checkout/absolve.toml", format!("[{table}]\n{key} = '{path}'\n"));
            let mut command = site.command();
            command.arg(table).current_dir(site.path("checkout"));
            let run = Run::of(command, stdin);
            assert!(run.stderr.contains("absolve.toml:"), "{key} {path}: {}", run.stderr);
            assert!(run.stderr.contains("--config"), "{key} {path}: {}", run.stderr);
            run.ends(2);
        }
        // A file below may be absent, which the one that reads it reports.
        for path in ["absent.txt", "site/absent/a.txt"] {
            site.write("checkout/absolve.toml", format!("[{table}]\n{key} = '{path}'\n"));
            let mut command = site.command();
            command.arg(table).current_dir(site.path("checkout"));
            let run = Run::of(command, stdin);
            assert!(
                run.stderr.contains(path) || key.ends_with("path"),
                "{key} {path}: {}",
                run.stderr
            );
            run.ends(2);
        }
        assert!(!site.path("checkout/new").exists() && !site.path("checkout/new.html").exists());
    }
    // A list below the folder has no such paths either.
    site.write("checkout/absolve.toml", "[rewrite]\noutput = 'new'\nfiles-from = 'list'\n");
    for path in ["/dev/stdin", "fd/0", "stdin.txt", "../absent.html"] {
        site.write("checkout/list", path);
        let mut command = site.command();
        command.args(["rewrite", "--root-dir", ".", "-b", "http://h/"]);
        command.current_dir(site.path("checkout"));
        Run::of(command, PAGE).ends(2).says(&["is in the list list"]);
    }
}

#[test]
fn a_baseline_is_written_where_that_is_typed_and_over_a_baseline_alone() {
    let site = checkout();
    let audit = |baseline: &str, more: &str, args: &str, written: &[&str]| {
        let config = format!("[audit]\npath = 'site'\nbaseline = '{baseline}'\n{more}\n");
        changes(&site, &config, args, written)
    };
    let (code, stderr) = audit("new.jsonl", "write-baseline = true", "audit", &[]);
    assert!(code == Some(2) && stderr.contains("absolve.toml:4:18: 'write-baseline'"), "{stderr}");
    for baseline in
        ["../x.jsonl", "data.jsonl", "report.txt", "new.py", ".new.jsonl", "file.txt", "inner.txt"]
    {
        let (code, stderr) = audit(baseline, "", "audit --write-baseline", &[]);
        assert_eq!(code, Some(2), "{baseline}: {stderr}");
    }
    let path = "checkout/new.jsonl";
    assert_eq!(audit("new.jsonl", "", "audit --write-baseline", &[path]).0, Some(0));
    assert_eq!(audit("new.jsonl", "", "audit", &[]).0, Some(0));
    site.write("checkout/site/b.html", HOSTILE);
    assert_eq!(audit("new.jsonl", "", "audit --write-baseline", &[path]).0, Some(0));
    // The user may name any file.
    let typed = "audit --write-baseline --baseline data.jsonl";
    assert_eq!(audit("new.jsonl", "", typed, &["checkout/data.jsonl"]).0, Some(0));
}

#[test]
fn what_has_to_be_typed_is_an_error_that_says_so() {
    for (setting, key) in [("write = true", "write"), ("output = 'o'\nforce = true", "force")] {
        let config = format!("[rewrite]\npath = 'site'\nbase-url = 'http://h/'\n{setting}\n");
        let (code, stderr) = changes(&checkout(), &config, "rewrite", &[]);
        let error = format!(
            "'{key}' is not allowed in a configuration that is found automatically; type --{key}, \
             or name the file with --config"
        );
        assert!(code == Some(2) && stderr.contains(&error), "{stderr}");
    }
}

#[test]
fn a_typed_mode_that_writes_nothing_is_no_error() {
    let config = "[rewrite]\nbase-url = 'http://h/'\nwrite = true\n";
    for (args, expected) in [
        ("rewrite site -n", 0),
        ("rewrite site -l", 0),
        ("rewrite site -n -l", 0),
        ("rewrite site --check", 1),
        ("rewrite site --diff", 1),
        ("rewrite -", 0),
        ("rewrite", 0),
        ("rewrite site", 2),
    ] {
        let (code, stderr) = changes(&checkout(), config, args, &[]);
        assert_eq!(code, Some(expected), "{args}: {stderr}");
    }
}

#[test]
fn documents_are_replaced_and_written_where_that_is_typed() {
    let settings = [
        "path = 'site'\nwrite = true",
        "path = 'site'\noutput = 'out'\nforce = true",
        "path = 'site'\noutput = '../x'",
        "path = 'site'\noutput = '/tmp/absolve-test-of-a-hostile-checkout'",
        "path = 'site'\noutput = 'folder/x'",
        "path = 'site'\noutput = 'folder'",
        "path = 'site'\noutput = '.git/x'",
        "path = 'site'\noutput = 'site/above/x'",
        "path = 'site'\noutput = 'dangling.txt'",
        "path = 'site/index.html'\noutput = 'report.txt'",
        "path = 'site/index.html'\noutput = 'conftest.py'",
        "path = 'site/index.html'\noutput = 'Makefile'",
        "path = 'site/index.html'\noutput = 'pipe.txt'",
        "path = 'site'\nbackup = '/../x'\noutput = 'new'",
        "path = '../outside'\noutput = 'new'",
        "path = ['site', 'folder']\noutput = 'new'",
        "path = '.'\noutput = 'new'",
        "path = '.git'\noutput = 'new'",
        "files-from = '../outside/list'\noutput = 'new'",
        "files-from = 'list'\noutput = 'new'",
        "files-from = 'pipe.txt'\noutput = 'new'",
        "path = 'site'\nbase-map = 'file.txt'\noutput = 'new'",
        "path = 'site'\nroot-dir = '..'\noutput = 'new'",
    ];
    let site = checkout();
    for setting in settings {
        let config = format!("[rewrite]\nbase-url = 'http://h/'\n{setting}\n");
        let (code, stderr) = changes(&site, &config, "rewrite", &[]);
        assert_eq!(code, Some(2), "{setting}: {stderr}");
        let advice = ["--config", "--files-from", "backup"];
        assert!(advice.iter().any(|advice| stderr.contains(advice)), "{setting}: {stderr}");
    }
    let config = "[rewrite]\npath = 'site'\nbase-url = 'http://h/'\nbackup = '.py'\n";
    let (code, stderr) = changes(&site, config, "rewrite -w", &[]);
    assert!(code == Some(2) && stderr.contains("only .orig, .bak"), "{stderr}");
    for typed in ["rewrite -w", "rewrite -w --force", "rewrite -o new"] {
        let config = "[rewrite]\nbase-url = 'http://h/'\nfiles-from = 'list'\n";
        let (code, stderr) = changes(&site, config, typed, &[]);
        assert_eq!(code, Some(2), "{typed}: {stderr}");
    }
}

/// What git runs or a shell reads, and documents beside it.
fn with_hooks() -> Site {
    let site = checkout();
    for file in
        [".git/hooks/post-commit", ".profile", "site/.git/h", "site/.x.html", "site/Makefile"]
    {
        site.write(format!("checkout/{file}"), HOSTILE);
    }
    site.link("../.git", "checkout/site/hooks");
    site
}

#[test]
fn what_is_rewritten_are_documents_in_no_hidden_folder() {
    let site = with_hooks();
    for (name, lists) in [
        ("list", ".git/hooks/post-commit\nsite/index.html\n"),
        ("list", ".profile\n"),
        ("list", "site/.git/h\n"),
        ("list", "site/.x.html\n"),
        ("list", "site/Makefile\n"),
        ("list", "site/hooks/hooks/post-commit\n"),
        ("list", ".git\n"),
    ] {
        site.write(format!("checkout/{name}"), lists);
        for typed in ["rewrite -w --root-dir .", "rewrite -o new --root-dir ."] {
            let config = "[rewrite]\nbase-url = 'http://h/'\nfiles-from = 'list'\n";
            let (code, stderr) = changes(&site, config, typed, &[]);
            assert_eq!(code, Some(2), "{lists}: {stderr}");
            assert!(stderr.contains("is in the list list"), "{lists}: {stderr}");
        }
    }
    for setting in [
        "path = 'site/Makefile'",
        "path = 'site/.x.html'",
        "path = 'site/.git/h'",
        "path = 'site/hooks'",
        "path = 'site/hooks/'",
        "path = 'site/hooks/hooks'",
        "path = 'site'\nfollow-symlinks = true",
    ] {
        let config = format!("[rewrite]\nbase-url = 'http://h/'\n{setting}\n");
        let (code, stderr) = changes(&site, &config, "rewrite -w", &[]);
        assert_eq!(code, Some(2), "{setting}: {stderr}");
        assert!(stderr.contains("absolve.toml:"), "{setting}: {stderr}");
    }
}

#[test]
fn a_pattern_chooses_no_more_than_documents() {
    let page = "checkout/site/index.html";
    let hidden = "checkout/site/.x.html";
    let list = "path = 'site'\ninclude = ['*']";
    for (keys, typed, written) in [
        (list, "rewrite -w", &[page][..]),
        ("include = ['*']", "rewrite -w site", &[page]),
        ("include = ['.git/*', 'Make*']", "rewrite -w --allow-empty site", &[]),
        (list, "rewrite -w --follow-symlinks", &[page]),
        // What the user types counts.
        ("path = 'site'\ninclude = ['*']", "rewrite -w site/Makefile", &["checkout/site/Makefile"]),
        ("", "rewrite -w site", &[hidden, page]),
    ] {
        let site = with_hooks();
        let config = format!("[rewrite]\nbase-url = 'http://h/'\n{keys}\n");
        let (code, stderr) = changes(&site, &config, typed, written);
        assert_eq!(code, Some(0), "{keys}, {typed}: {stderr}");
        let is_partial = keys.contains("include") && !typed.contains("Makefile");
        assert_eq!(stderr.contains(" left out: "), is_partial, "{keys}, {typed}: {stderr}");
    }
}

#[test]
fn a_tree_in_the_output_has_no_hidden_names() {
    let site = with_hooks();
    site.write("checkout/absolve.toml", "");
    let config = "[rewrite]\npath = 'site'\nbase-url = 'http://h/'\noutput = 'new'\n";
    let (code, stderr) = changes(&site, &format!("{config}copy-assets = true\n"), "rewrite", &[]);
    assert!(code == Some(2) && stderr.contains("'copy-assets'"), "{stderr}");
    let written = ["checkout/new/", "checkout/new/index.html", "checkout/new/sitemap.xml"];
    let (code, stderr) = changes(&site, config, "rewrite -v", &written);
    assert!(code == Some(0) && stderr.contains("1 file left out: "), "{stderr}");
    assert!(stderr.contains("\nabsolve:   site/.x.html"), "{stderr}");
    let config = "[rewrite]\npath = 'site'\nbase-url = 'http://h/'\n";
    let written = [
        "checkout/more/",
        "checkout/more/Makefile",
        "checkout/more/_redirects",
        "checkout/more/a.txt",
        "checkout/more/above",
        "checkout/more/hooks",
        "checkout/more/index.html",
        "checkout/more/sitemap.xml",
    ];
    let (code, stderr) = changes(&site, config, "rewrite -o more --copy-assets", &written);
    assert!(code == Some(0) && stderr.contains("2 files left out: "), "{stderr}");
}

#[test]
fn a_configuration_that_is_elsewhere_is_not_read() {
    let site = checkout();
    fs::remove_file(site.path("checkout/report.txt")).unwrap();
    for file in ["../secret.txt", "../absent.txt", "pipe.txt", "site", "/dev/zero"] {
        site.link(file, "checkout/absolve.toml");
        let mut command = site.command();
        let output = command.args(["audit", "site"]).current_dir(site.path("checkout")).output();
        let output = output.unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{file}: {stderr}");
        assert!(stderr.contains("cannot read") && !stderr.contains("secret\n"), "{file}: {stderr}");
        fs::remove_file(site.path("checkout/absolve.toml")).unwrap();
    }
}

#[test]
fn a_configuration_that_is_named_is_trusted() {
    let site = Site::new(&[
        ("c/absolve.toml", "[audit]\npath = '../site'\nformat = ['tsv=../x.sh']\n"),
        ("c/r.toml", "[rewrite]\npath = '../site'\nbase-url = 'http://h/'\nwrite = true\n"),
        ("site/a.html", PAGE),
        ("x.sh", ""),
    ]);
    site.absolve("audit --config c/absolve.toml").ends(1);
    assert!(fs::read_to_string(site.path("x.sh")).unwrap().starts_with("rule\t"));
    site.absolve("rewrite --config c/r.toml").ends(0);
    site.has("site/a.html", "<a href=http://h/x>1</a>\n");
}
