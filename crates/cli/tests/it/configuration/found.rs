//! A checkout that a stranger made: its configuration writes nothing, and reads nothing elsewhere.

use std::fs;

use crate::trees::site::{PAGE, Run, Site};

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
        let text =
            |state: Option<&crate::trees::site::State>| state.map(|state| state.text.clone());
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
fn what_writes_has_to_be_typed() {
    let audit = [
        "format = ['sarif=new.sarif']",
        "format = ['text', 'text=../secret.txt']",
        "history = 'new.jsonl'",
        "source-url = 'https://other.example/{file}#L{line}'",
        "baseline = 'new.jsonl'\nwrite-baseline = true",
        "fix = true",
        "fix = true\nbackup = '.bak'",
    ];
    let rewrite = [
        "write = true",
        "write = true\nbackup = '.py'",
        "output = 'new'",
        "output = '../new'",
        "output = 'new'\ncopy-assets = true",
        "include = ['*']",
        "follow-symlinks = true",
    ];
    let site = checkout();
    for (table, settings) in [("audit", &audit[..]), ("rewrite", &rewrite)] {
        for setting in settings {
            let config = format!("[{table}]\npath = 'site'\nbase-url = 'http://h/'\n{setting}\n");
            let (code, stderr) = changes(&site, &config, table, &[]);
            let why = "not allowed in a configuration that is found automatically; type --";
            assert!(code == Some(2) && stderr.contains(why), "{setting}: {stderr}");
            assert!(stderr.contains("absolve.toml:"), "{setting}: {stderr}");
        }
    }
}

#[test]
fn a_diff_of_fixes_may_be_of_its_path() {
    let site = checkout();
    let audit = "[audit]\npath = 'site'\nserver = 'github-pages'\n";
    assert_eq!(changes(&site, audit, "audit --fix --diff", &[]).0, Some(0));
    let (code, stderr) = changes(&site, audit, "audit --fix", &[]);
    assert!(code == Some(2) && stderr.contains("sets 'path'"), "{stderr}");
}

#[test]
fn what_is_typed_is_written() {
    let site = checkout();
    let audit = "[audit]\npath = 'site'\nbaseline = 'new.jsonl'\n";
    let path = "checkout/new.jsonl";
    assert_eq!(changes(&site, audit, "audit --write-baseline", &[path]).0, Some(0));
    assert_eq!(changes(&site, audit, "audit", &[]).0, Some(0));
    let report = "audit --format sarif=../x.sarif";
    assert_eq!(changes(&site, audit, report, &["x.sarif"]).0, Some(0));
    let rewrite = "[rewrite]\npath = 'site'\nbase-url = 'http://h/'\n";
    let page = "checkout/site/index.html";
    assert_eq!(changes(&site, rewrite, "rewrite -w", &[page]).0, Some(0));
}

#[test]
fn what_is_read_is_below_its_folder() {
    let audit = [
        "root-dir = '..'",
        "root-dir = '/'",
        "root-dir = 'folder'",
        "redirects = '../secret.txt'",
        "redirects = 'file.txt'",
        "redirects = 'pipe.txt'",
        "redirects = '/dev/zero'",
        "sitemap = 'site/../../secret.txt'",
        "baseline = 'folder/list'",
        "external-status = '../secret.txt'",
        "report-only = ['site/above/file.txt']",
        "report-only = ['-']",
        "path = '..'",
        "path = 'folder'",
        "path = '.'",
        "path = 'site/..'",
        "path = 'pipe.txt'",
    ];
    let rewrite = [
        "path = '../outside'",
        "path = ['site', 'folder']",
        "path = '.'",
        "path = '.git'",
        "path = 'site/.x.html'",
        "path = 'site/hooks'",
        "files-from = '../outside/list'",
        "files-from = '-'",
        "path = '-'",
        "path = 'site'\nbase-map = 'file.txt'",
        "path = 'site'\nroot-dir = '..'",
    ];
    let site = checkout();
    site.write("checkout/site/.x.html", HOSTILE);
    site.link("../.git", "checkout/site/hooks");
    for (table, args, settings) in
        [("audit", "audit", &audit[..]), ("rewrite", "rewrite -w", &rewrite)]
    {
        for setting in settings {
            let has_path = setting.contains("path = ") || setting.contains("files-from");
            let path = if has_path { "" } else { "path = 'site'\n" };
            let config = format!("[{table}]\n{path}{setting}\n");
            let (code, stderr) = changes(&site, &config, args, &[]);
            assert_eq!(code, Some(2), "{setting}: {stderr}");
            let says = ["absolve.toml:", "--config"].iter().all(|part| stderr.contains(part));
            assert!(says, "{setting}: {stderr}");
        }
    }
    // Redirects, sitemaps and baselines are looked up in the site alone.
    for setting in
        ["redirects = '_redirects'", "server = 'netlify'", "sitemap = 'site/sitemap.xml'"]
    {
        let config = format!("[audit]\npath = 'site'\n{setting}\nbaseline = 'base.jsonl'\n");
        let (code, stderr) = changes(&site, &config, "audit", &[]);
        assert!(matches!(code, Some(0 | 1)), "{setting}: {stderr}");
    }
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
fn a_history_grows_and_only_its_end_is_read() {
    let site = checkout();
    let audit = "audit --history out/h.jsonl";
    let config = "[audit]\npath = 'site'\n";
    for runs in 1..=3 {
        assert_eq!(changes(&site, config, audit, &["checkout/out/h.jsonl"]).0, Some(1));
        let history = fs::read_to_string(site.path("checkout/out/h.jsonl")).unwrap();
        assert_eq!(history.lines().count(), runs, "{history}");
    }
    let history = fs::read_to_string(site.path("checkout/out/h.jsonl")).unwrap();
    let long = history.repeat(3000);
    site.write("checkout/out/h.jsonl", &long);
    assert_eq!(changes(&site, config, audit, &["checkout/out/h.jsonl"]).0, Some(1));
    let longer = fs::read_to_string(site.path("checkout/out/h.jsonl")).unwrap();
    let line = longer.strip_prefix(&long).unwrap();
    assert!(longer.len() > 1 << 20 && history.contains(&line[line.find(",\"errors").unwrap()..]));
}

#[test]
fn a_list_names_files_below_its_folder() {
    let site = checkout();
    site.write("checkout/.git/hooks/post-commit", HOSTILE);
    site.link("../.git", "checkout/site/hooks");
    site.link("/dev/fd", "checkout/fd");
    let config = "[rewrite]\nbase-url = 'http://h/'\nfiles-from = 'list'\n";
    for path in [
        "../outside/page.html",
        "../absent.html",
        "/dev/stdin",
        "fd/0",
        "folder/page.html",
        ".git/hooks/post-commit",
        "site/hooks/hooks/post-commit",
    ] {
        site.write("checkout/list", format!("site/index.html\n{path}\n"));
        let (code, stderr) = changes(&site, config, "rewrite -w --root-dir .", &[]);
        assert_eq!(code, Some(2), "{path}: {stderr}");
        assert!(stderr.contains("is in the list list"), "{path}: {stderr}");
    }
    site.write("checkout/list", "site/index.html\n");
    let page = "checkout/site/index.html";
    assert_eq!(changes(&site, config, "rewrite -w --root-dir .", &[page]).0, Some(0));
}

#[test]
fn no_descriptor_is_read() {
    let site = checkout();
    for (link, to) in [("stdin.txt", "/dev/stdin"), ("fd", "/dev/fd")] {
        site.link(to, &format!("checkout/{link}"));
    }
    let baseline = "{\"rule\":\"broken-link\",\"file\":\"index.html\",\"reference\":\"x\"}\n";
    for path in ["/dev/stdin", "/dev/fd/9", "/proc/self/fd/0", "stdin.txt", "fd/0"] {
        let config = format!("[audit]\npath = 'site'\nbaseline = '{path}'\n");
        site.write("checkout/absolve.toml", config);
        let mut command = site.command();
        command.arg("audit").current_dir(site.path("checkout"));
        let run = Run::start(command, baseline);
        run.ends(2).says(&["absolve.toml:", "--config"]);
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
        ("c/absolve.toml", "[audit]\npath = '../site'\nformat = ['jsonl=../x.sh']\n"),
        ("c/r.toml", "[rewrite]\npath = '../site'\nbase-url = 'http://h/'\nwrite = true\n"),
        ("site/a.html", PAGE),
        ("x.sh", ""),
    ]);
    site.absolve("audit --config c/absolve.toml").ends(1);
    assert!(fs::read_to_string(site.path("x.sh")).unwrap().starts_with("{\"rule\""));
    site.absolve("rewrite --config c/r.toml").ends(0);
    site.has("site/a.html", "<a href=http://h/x>1</a>\n");
}
