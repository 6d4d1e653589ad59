//! Sources of the retrieval URLs of files, layer by layer.

use std::fs;

use libtest_mimic::Trial;

use super::site::{Run, Site};
use super::{no_xattrs, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        #[cfg(target_os = "linux")]
        trial("each_layer_beats_those_below_it", no_xattrs(), each_layer_beats_those_below_it),
        #[cfg(target_os = "linux")]
        trial("what_is_learned_can_be_named", no_xattrs(), what_is_learned_can_be_named),
        #[cfg(target_os = "linux")]
        trial(
            "what_is_not_usable_is_passed_over_and_reported",
            no_xattrs(),
            what_is_not_usable_is_passed_over_and_reported,
        ),
        #[cfg(target_os = "linux")]
        trial(
            "what_wget_converted_has_the_url_of_what_it_was",
            no_xattrs(),
            what_wget_converted_has_the_url_of_what_it_was,
        ),
        #[cfg(target_os = "linux")]
        trial("what_is_too_long_is_passed_over", no_xattrs(), what_is_too_long_is_passed_over),
        trial(
            "a_layout_counts_from_the_folder_that_is_given",
            None,
            a_layout_counts_from_the_folder_that_is_given,
        ),
        trial(
            "the_folder_that_is_given_may_be_that_of_a_host",
            None,
            the_folder_that_is_given_may_be_that_of_a_host,
        ),
        trial("the_query_in_a_name_is_one", None, the_query_in_a_name_is_one),
        trial(
            "a_base_map_has_paths_as_they_are_given_or_below_the_root",
            None,
            a_base_map_has_paths_as_they_are_given_or_below_the_root,
        ),
        trial("a_pipe_is_not_looked_at_twice", None, a_pipe_is_not_looked_at_twice),
    ]
}

const PAGE: &str = "h.example/d/a.html";
const MARK: &str = "<!-- saved from url=(14)http://mark/d/ -->";

/// Sources of a page's URL: the name in reports, the URL, and how it is given.
const LAYERS: &[(&str, &str, &str)] = &[
    ("base-element", "http://element/d/", "<base href=http://element/d/>"),
    ("base-map", "http://map/d/", "--base-map"),
    ("retrieval-url", "http://given/", "-b"),
    ("saved-from", "http://mark/d/", MARK),
    ("original", "http://original/d/", "<link rel=original href=http://original/d/>"),
    ("xattr", "http://xattr/d/", ""),
    ("zone-identifier", "http://zone/d/", ""),
    ("layout", "http://h.example/d/", "--layout"),
    ("none", "", ""),
];

/// A page that has these layers, in a folder of its own, and the options for the others.
fn site(layers: &[(&str, &str, &str)]) -> (Site, Vec<&'static str>) {
    let mut page = String::new();
    let mut args = Vec::new();
    let site = Site::new(&[]);
    for &(layer, url, text) in layers {
        match layer {
            "base-map" => {
                site.write("map.tsv", format!("h.example/d/a.html\t{url}\n"));
                args.extend(["--base-map", "map.tsv"]);
            }
            "retrieval-url" => args.extend(["-b", "http://given/h.example/d/"]),
            "zone-identifier" => {
                let zone = format!("[ZoneTransfer]\r\nZoneId=3\r\nHostUrl={url}\r\n");
                site.write(format!("{PAGE}:Zone.Identifier"), zone);
            }
            "layout" => args.extend(["--layout", "host-path"]),
            _ => page.push_str(text),
        }
    }
    site.write(PAGE, page + "<a href=x>");
    if layers.iter().any(|(layer, ..)| *layer == "xattr") {
        set_xattr(&site, "http://xattr/d/");
    }
    (site, args)
}

#[cfg(target_os = "linux")]
fn set_xattr(site: &Site, url: &str) {
    set_xattr_of(site, PAGE, url);
}

#[cfg(target_os = "linux")]
fn set_xattr_of(site: &Site, path: &str, url: &str) {
    use rustix::fs::{XattrFlags, setxattr};
    let name = "user.xdg.origin.url";
    setxattr(site.path(path), name, url.as_bytes(), XattrFlags::empty()).unwrap();
}

/// The base of the page's own link, as `absolve links` has it.
#[track_caller]
fn base_of(site: &Site, args: &[&str], path: &str) -> (String, String) {
    let run = site.absolve_with(["links", "--format", "tsv", path].iter().chain(args), "").ends(0);
    let text = String::from_utf8(run.stdout).unwrap();
    let row = text.lines().find(|line| line.contains("\ta\thref\t")).unwrap();
    let cells: Vec<&str> = row.split('\t').collect();
    (cells[10].to_owned(), cells[8].to_owned())
}

#[cfg(target_os = "linux")]
fn each_layer_beats_those_below_it() {
    set_xattr(&site(&[]).0, "http://xattr/");
    for start in 0..LAYERS.len() {
        let (source, url, _) = LAYERS[start];
        let (site, args) = site(&LAYERS[start..]);
        let expected = if url.is_empty() { String::new() } else { format!("{url}x") };
        if source == "retrieval-url" {
            // The base URL is that of the file, and of no folder.
            let file = ("retrieval-url".to_owned(), "http://given/h.example/d/x".to_owned());
            assert_eq!(base_of(&site, &args, PAGE), file);
            continue;
        }
        for path in [PAGE, "."] {
            let found = base_of(&site, &args, path);
            assert_eq!(found, (source.to_owned(), expected.clone()), "{path}");
        }
        // A rewriting uses this base too, and a second one changes nothing.
        let args: Vec<&str> = ["rewrite", "-w", "."].into_iter().chain(args).collect();
        site.absolve_with(&args, "").ends(0);
        let once = fs::read_to_string(site.path(PAGE)).unwrap();
        let link = if expected.is_empty() { "x" } else { &expected };
        assert!(once.ends_with(&format!("<a href={link}>")), "{once}");
        let check: Vec<&str> =
            args.iter().map(|&arg| if arg == "-w" { "--check" } else { arg }).collect();
        site.absolve_with(&check, "").ends(0);
    }
}

#[cfg(target_os = "linux")]
fn what_is_learned_can_be_named() {
    let (site, args) = site(&LAYERS[3..]);
    set_xattr(&site, "http://xattr/d/");
    for (list, source) in [
        ("saved-from", "saved-from"),
        ("xattr,original", "original"),
        ("zone-identifier,xattr", "xattr"),
        ("zone-identifier", "zone-identifier"),
        ("monolith", "layout"),
        ("none", "layout"),
    ] {
        let args: Vec<&str> = args.iter().copied().chain(["--learn", list]).collect();
        assert_eq!(base_of(&site, &args, PAGE).0, source, "{list}");
        assert_eq!(base_of(&site, &args, ".").0, source, "{list}");
    }
    assert_eq!(base_of(&site, &["--learn", "none"], PAGE).0, "none");
}

#[cfg(target_os = "linux")]
fn what_is_not_usable_is_passed_over_and_reported() {
    let (site, _) = site(&LAYERS[6..]);
    set_xattr(&site, "file:///a");
    site.write(format!("{PAGE}:Zone.Identifier"), "HostUrl=about:internet\n");
    let message = |source: &str| format!("absolve: {PAGE}: {source} does not count: the base URL");
    let (xattr, zone) = (message("xattr"), message("zone-identifier"));
    for command in ["rewrite", "links"] {
        let args = [command, "-v", "--layout", "host-path", PAGE];
        site.absolve_with(args, "").ends(0).says(&[&xattr, &zone]);
        let quiet = site.absolve_with([command, "--layout", "host-path", PAGE], "").ends(0);
        assert_eq!(quiet.stderr, "");
    }
    site.absolve("links -v h.example --root-dir . --layout host-path")
        .ends(0)
        .says(&[&xattr, &zone]);
}

#[cfg(target_os = "linux")]
fn what_wget_converted_has_the_url_of_what_it_was() {
    for original in ["h.example/d/a.html.orig", "h.example/d/a.orig"] {
        let (site, _) = site(&LAYERS[6..]);
        site.write(original, "");
        set_xattr_of(&site, original, "http://original/d/");
        let found = |source: &str, url: &str| (source.to_owned(), format!("{url}x"));
        assert_eq!(base_of(&site, &[], PAGE), found("xattr", "http://original/d/"));
        assert_eq!(base_of(&site, &[], "."), found("xattr", "http://original/d/"));
        set_xattr(&site, "http://own/d/");
        assert_eq!(base_of(&site, &[], PAGE), found("xattr", "http://own/d/"));
    }
}

#[cfg(target_os = "linux")]
fn what_is_too_long_is_passed_over() {
    let (site, _) = site(&[]);
    set_xattr(&site, &format!("http://h/{}", "a".repeat(100)));
    let short = ["--limit", "base-url=50"];
    assert_eq!(base_of(&site, &short, PAGE).0, "none");
    assert_eq!(base_of(&site, &[], PAGE).0, "xattr");
}

fn a_layout_counts_from_the_folder_that_is_given() {
    let (site, _) = site(&[]);
    let url = "http://h.example/d/x".to_owned();
    let layout = ["--layout", "host-path"];
    for args in [&["."][..], &[PAGE], &["h.example", "--root-dir", "."], &[PAGE, "h.example"]] {
        let args: Vec<&str> = args.iter().copied().chain(layout).collect();
        assert_eq!(base_of(&site, &args[1..], args[0]).1, url, "{args:?}");
    }
}

/// Mirrors: the folder, the current folder, the given path, and the URL of `d/a.html` there.
const MIRRORS: &[(&str, &str, &str, &str)] = &[
    ("h.example", "", "h.example", "http://h.example/d/"),
    ("h.example", "", "./h.example/", "http://h.example/d/"),
    ("h.example", "h.example", ".", "http://h.example/d/"),
    ("h.example", "h.example", "d/a.html", "http://h.example/d/"),
    ("h.example", "h.example", "d/a.html --root-dir .", "http://h.example/d/"),
    ("h.example", "", "h.example/d", "http://h.example/d/"),
    ("h.example", "h.example/d", ".", "http://h.example/d/"),
    ("h.example", "h.example/d", "a.html", "http://h.example/d/"),
    ("https/h.example", "https/h.example/d", "a.html", "https://h.example/d/"),
    ("john.doe/mirror/https/h.example", "john.doe", "mirror", "https://h.example/d/"),
    ("h.example", "other", "../h.example", "http://h.example/d/"),
    ("h.example", "h.example/d", "../../h.example", "http://h.example/d/"),
    ("h.example", "", "h.example --root-dir h.example", "http://h.example/d/"),
    ("h.example_8080", "", "h.example_8080", "http://h.example:8080/d/"),
    ("m/h.example", "", "m", "http://h.example/d/"),
    ("m/h.example", "", "m/h.example", "http://h.example/d/"),
    ("m/https/h.example", "", "m", "https://h.example/d/"),
    ("m/https/h.example", "", "m/https", "https://h.example/d/"),
    ("m/https/h.example", "", "m/https/h.example", "https://h.example/d/"),
    ("m/https/h.example", "m/https", ".", "https://h.example/d/"),
    // A file, several paths, and a list, from above the folder of the host.
    ("m/h.example", "", "m/h.example/d/a.html", "http://h.example/d/"),
    ("m/h.example", "", "m/h.example/d/a.html m/h.example/d", "http://h.example/d/"),
    ("m/h.example", "", "m/h.example/d m/h.example/d/a.html", "http://h.example/d/"),
    ("m/h.example", "", "--files-from list", "http://h.example/d/"),
    ("m/h.example", "other", "../m/h.example/d/a.html", "http://h.example/d/"),
    ("n/m/https/h.example", "", "n/m/https/h.example/d/a.html", "https://h.example/d/"),
    ("n/m/https/h.example", "n", "m/https/h.example/d", "https://h.example/d/"),
    ("m/h.example/api/java.base", "", "--files-from list", "http://h.example/api/java.base/d/"),
    ("old.backup/h.example", "", "old.backup other", "http://h.example/d/"),
    (
        "m/h.example/api/java.base",
        "m",
        "h.example/api/java.base/d/a.html",
        "http://h.example/api/java.base/d/",
    ),
    ("m/old.backup/h.example", "", "m/old.backup/h.example/d/a.html", "http://h.example/d/"),
    ("old.backup/h.example", "", "old.backup/h.example/d/a.html", "http://h.example/d/"),
    ("m/docs", "", "m/docs/d/a.html", ""),
    // A project with the name of its host, or of another.
    ("h.example/h.example", "", "h.example", "http://h.example/d/"),
    ("old.backup/h.example", "", "old.backup", "http://h.example/d/"),
    // Not those of hosts.
    ("v1.2", "", "v1.2", ""),
    ("docs", "", "docs", ""),
    ("docs/sub", "", "docs/sub", ""),
];

fn the_folder_that_is_given_may_be_that_of_a_host() {
    for &(mirror, current, given, folder) in MIRRORS {
        for (layout, scheme) in
            [("host-path", "http"), ("host-path=http", "http"), ("host-path=https", "https")]
        {
            let site = Site::new(&[("other/", "")]);
            site.write(format!("{mirror}/d/a.html"), "<a href=x>");
            site.write("list", format!("{mirror}/d/a.html\n"));
            let mut command = site.command();
            command.current_dir(site.path(current)).args(["links", "--format", "jsonl"]);
            command.args(["--layout", layout]).args(given.split(' '));
            let run = Run::start(command, "").ends(0);
            let first = run.stdout.split(|&byte| byte == b'\n').next().unwrap();
            let link: serde_json::Value = serde_json::from_slice(first).unwrap();
            let names_scheme = mirror.contains("https");
            let folder = if names_scheme {
                folder.to_owned()
            } else {
                folder.replace("http:", &format!("{scheme}:"))
            };
            let url = (!folder.is_empty()).then(|| format!("{folder}x"));
            assert_eq!(link["url"].as_str(), url.as_deref(), "{mirror} {given} in {current:?}");
        }
    }
    let site = Site::small();
    site.absolve("links site --layout host-path=ftp")
        .ends(2)
        .says(&["invalid value 'host-path=ftp'"]);
}

fn the_query_in_a_name_is_one() {
    let site = Site::new(&[("h.example/a.php?x=1&y=2", "<a href='#top'>1</a>")]);
    let run = site.absolve("links h.example/a.php?x=1&y=2 --layout host-path --format jsonl");
    let link: serde_json::Value = serde_json::from_slice(&run.ends(0).stdout).unwrap();
    assert_eq!(link["url"], "http://h.example/a.php?x=1&y=2#top");
}

fn a_base_map_has_paths_as_they_are_given_or_below_the_root() {
    let (site, _) = site(&[]);
    let found = ("base-map".to_owned(), "http://map/x".to_owned());
    for (listed, args) in [
        (PAGE, &[PAGE][..]),
        (PAGE, &["./h.example/d/a.html"]),
        (PAGE, &["."]),
        (PAGE, &["h.example"]),
        ("d/a.html", &["h.example"]),
        ("d/a.html", &[PAGE, "--root-dir", "h.example"]),
        (PAGE, &["h.example/d", "--root-dir", "."]),
    ] {
        site.write("map.tsv", format!("other.html\thttp://o/\n{listed}\thttp://map/\n"));
        let args: Vec<&str> = args.iter().copied().chain(["--base-map", "map.tsv"]).collect();
        assert_eq!(base_of(&site, &args[1..], args[0]), found, "{listed} {args:?}");
    }
    site.write("map.tsv", "-\thttp://map/\n");
    let args = ["rewrite", "--base-map", "map.tsv"];
    site.absolve_with(args, "<a href=x>").ends(0).prints("<a href=http://map/x>");
}

fn a_pipe_is_not_looked_at_twice() {
    let site = Site::new(&[]);
    site.pipe("pipe.html");
    let mut writer = std::process::Command::new("sh");
    writer.arg("-c").arg(format!("printf %s '{MARK}<a href=x>' > pipe.html"));
    let mut writer = writer.current_dir(site.path("")).spawn().unwrap();
    let written = format!("{MARK}<a href=http://mark/d/x>");
    site.absolve("rewrite pipe.html").ends(0).prints(&written);
    writer.wait().unwrap();
}
