//! The retrieval URLs of files: what their relative links become.

use super::site::{PAGE, Run, Site, done};

/// A page at this path below the root has this URL for its folder.
#[track_caller]
fn resolves(base: &str, path: &str, folder: &str) {
    let site = Site::new(&[(&format!("site/{path}"), PAGE)]);
    for args in [["-o", "out"].as_slice(), &["-w"]] {
        site.absolve_with(["rewrite", "-b", base, "site"].iter().chain(args), "").ends(0);
    }
    let expected = PAGE.replace("=x", &format!("={folder}x"));
    site.has(&format!("out/{path}"), &expected);
    site.has(&format!("site/{path}"), &expected);
}

#[test]
fn a_path_below_the_root_is_a_path_below_the_base_url() {
    resolves("http://h/", "d/e/a.html", "http://h/d/e/");
    resolves("http://h/p", "a.html", "http://h/p/");
    resolves("file:///srv/www", "d/a.html", "file:///srv/www/d/");
}

#[test]
fn what_a_name_holds_is_encoded() {
    resolves("http://h/", "a;b/c.html", "http://h/a%3Bb/");
    resolves("http://h/", "http:/c.html", "http://h/http:/");
}

/// Links keep the parts of a name that `;` and `#` hide from resolution.
#[test]
fn the_name_itself_is_encoded_too() {
    let site = Site::new(&[("site/a;b#d.html", "<a href='#top'>1</a>")]);
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    site.has("site/a;b#d.html", "<a href='http://h/a%3Bb%23d.html#top'>1</a>");
}

/// A file of a mirror has one URL, wherever that of its folder comes from.
#[test]
fn the_query_in_a_name_of_a_mirror_is_one_again() {
    const PAGE: &str = "<a href='?page=2'>2</a><a href='#top'>t</a>";
    const DONE: &str = "<a href='http://h.example/d/list.html?page=2'>2</a><a href='http://h.example/d/list.html?page=1#top'>t</a>";
    for name in ["list.html?page=1.html", "list.html%3Fpage=1.html"] {
        for args in [
            "-b http://h.example/ h.example",
            "-b http://h.example/d/ h.example/d",
            "-b http://h.example/ --root-dir h.example h.example/d",
            "--layout host-path .",
            "--layout host-path h.example/d",
        ] {
            let site = Site::new(&[(&format!("h.example/d/{name}"), PAGE)]);
            site.absolve(&format!("rewrite {args} -w")).ends(0);
            site.has(&format!("h.example/d/{name}"), DONE);
        }
        let site = Site::new(&[(&format!("h.example/d/{name}"), PAGE)]);
        for args in ["-b http://h.example/ --root-dir h.example", "--layout host-path"] {
            site.absolve(&format!("rewrite {args} h.example/d/{name}")).ends(0).prints(DONE);
        }
        let run = site.absolve("links -b http://h.example/ h.example --format jsonl").ends(0);
        let first = run.stdout.split(|&byte| byte == b'\n').next().unwrap();
        let link: serde_json::Value = serde_json::from_slice(first).unwrap();
        assert_eq!(link["base"], "http://h.example/d/list.html?page=1");
    }
}

/// A server of files gives such a file for its name alone.
#[test]
fn an_audit_knows_files_by_their_names() {
    let site = Site::new(&[
        ("site/index.html", "<a href='list.html%3Fpage=1.html#x'>1</a>"),
        ("site/list.html?page=1.html", "<a id=x href='?page=2'>2</a><a href=index.html>i</a>"),
    ]);
    site.absolve("audit site").ends(0);
    site.write("site/index.html", "<a href='list.html?page=1'>1</a>");
    site.absolve("audit site").ends(1);
}

#[test]
fn a_documents_own_base_goes_before_its_place() {
    let site = Site::new(&[
        ("site/d/own.html", "<base href=http://o/p/><a href=x>"),
        ("site/d/up.html", "<base href=../up/><a href=x>"),
        ("site/d/root.html", "<base href=/><a href=x>"),
    ]);
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    site.has("site/d/own.html", "<base href=http://o/p/><a href=http://o/p/x>");
    site.has("site/d/up.html", "<base href=http://h/up/><a href=http://h/up/x>");
    site.has("site/d/root.html", "<base href=http://h/><a href=http://h/x>");
}

#[test]
fn links_tell_the_same_urls() {
    let site = Site::new(&[("site/a b/c.html", PAGE)]);
    let run = site.absolve("links -b http://h/p site --format jsonl").ends(0);
    let link: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(link["file"], "site/a b/c.html");
    assert_eq!(link["url"], "http://h/p/a%20b/x");
    assert_eq!(link["base"], "http://h/p/a%20b/c.html");
    assert_eq!(link["base_source"], "retrieval-url");
}

/// The paths and options beside a base URL decide which folder or file it is the URL of.
#[test]
fn what_a_base_url_is_the_url_of_does_not_depend_on_how_many_files_match() {
    const WAYS: &[&str] = &["--root-dir DIR", "--base-map", "one path at a time"];
    let with_stdin = |site: &Site, args: &str, stdin: &str| {
        site.absolve_with(
            ["links", "-b", "http://h/p/", "--format", "jsonl"].into_iter().chain(args.split(' ')),
            stdin,
        )
    };
    for (args, stdin, url) in [
        ("site/a.html", "", Some("http://h/p/x")),
        ("site/d", "", Some("http://h/p/x")),
        ("site/d/", "", Some("http://h/p/x")),
        ("-", PAGE, Some("http://h/p/x")),
        ("site/d/b.html --root-dir .", "", Some("http://h/p/site/d/x")),
        ("site/d/b.html --root-dir site", "", Some("http://h/p/d/x")),
        ("site/d --root-dir site", "", Some("http://h/p/d/x")),
        ("site/d/b.html site/d/b.html --root-dir site", "", Some("http://h/p/d/x")),
        ("--files-from - --root-dir site", "site/d/b.html\n", Some("http://h/p/d/x")),
        ("site/a.html site/d/b.html", "", None),
        ("site/a.html site/d", "", None),
        ("site/d site/d", "", None),
        ("--files-from -", "site/a.html\n", None),
        ("--files-from -", "", None),
    ] {
        let site = Site::small();
        let run = with_stdin(&site, args, stdin);
        let Some(url) = url else {
            let run = run.ends(2).says(WAYS);
            assert_eq!(run.stdout, b"", "{args}");
            continue;
        };
        let run = run.ends(0);
        let first = run.stdout.split(|&byte| byte == b'\n').next().unwrap();
        let link: serde_json::Value = serde_json::from_slice(first).unwrap();
        assert_eq!(link["url"], url, "{args}");
    }
    let site = Site::small();
    with_stdin(&site, "- --root-dir site", PAGE).ends(2).says(&["stdin: --root-dir is not for"]);
    site.write("c.warc", "");
    let what = "c.warc: --root-dir is not for stdin and web archives";
    site.absolve("links -b http://h/ --root-dir . c.warc").ends(2).says(&[what]);
}

#[test]
fn one_file_below_a_root_is_one_document() {
    let url = done("p/site/");
    let site = Site::small();
    site.absolve("rewrite -b http://h/p/ --root-dir . site/a.html").ends(0).prints(&url);
    let run = |args: &str| {
        let mut command = site.command();
        command.current_dir(site.path("site")).args(args.split(' '));
        Run::start(command, "")
    };
    run("rewrite -b http://h/p/ --root-dir .. a.html").ends(0).prints(&url);
    site.absolve("rewrite -b http://h/p/ --root-dir . site/a.html -o out.html").ends(0);
    site.has("out.html", &url);
    site.absolve("rewrite -b http://h/p/ --root-dir no site/a.html")
        .ends(2)
        .says(&["no: cannot be the --root-dir"]);
    site.write("map", "a.html\thttp://h/m/\n");
    let mapped = site.absolve("rewrite --base-map map --root-dir site site/a.html").ends(0);
    mapped.prints(&done("m/"));
    site.write("o/a.html", PAGE);
    site.absolve("rewrite -b http://h/p/ --root-dir site o/a.html")
        .ends(2)
        .says(&["o/a.html: it is not in --root-dir site; give a folder above it"]);
    site.absolve("rewrite --root-dir site o/a.html").ends(0).prints(PAGE);
    site.absolve("rewrite -b http://h/p/ --root-dir . site/a.html -w").ends(0);
    site.has("site/a.html", &url);
}

#[test]
fn several_files_have_urls_of_their_own_without_a_base_url() {
    let site = Site::small();
    site.write("map", "site/a.html\thttp://h/m/\n");
    site.absolve("rewrite -w site/a.html site/d/b.html --base-map map").ends(0);
    site.has("site/a.html", &done("m/"));
    site.has("site/d/b.html", PAGE);
}

#[test]
fn a_folder_does_not_have_the_url_of_a_file() {
    let site = Site::small();
    for (base, folder) in [
        ("http://h/p/index.html", "http://h/p/"),
        ("http://h/p?q", "http://h/p/"),
        ("http://h/p/#f", "http://h/p/"),
    ] {
        let ask = format!("the base URL '{base}': ");
        let meant = format!("did you mean '{folder}'?");
        for args in [
            "rewrite -w site",
            "links site",
            "audit site",
            "audit site/d --root-dir site",
            "rewrite -w site/a.html --root-dir site",
            "links --files-from list --root-dir site",
        ] {
            site.write("list", "site/a.html\n");
            site.absolve(&format!("{args} -b {base}")).ends(2).says(&[&ask, &meant]);
        }
        site.has("site/a.html", PAGE);
        // A single file may have any URL.
        site.absolve(&format!("links site/a.html -b {base}")).ends(0);
    }
}
