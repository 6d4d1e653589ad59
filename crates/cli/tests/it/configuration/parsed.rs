//! Input that the crates refuse which parse options, configurations, baselines, redirects and
//! sitemaps: deep, long, or out of range. The command says so, and does not stop by a panic.

use std::iter;

use crate::trees::site::{PAGE, Site};

fn deep(open: &str, close: &str, depth: usize) -> String {
    open.repeat(depth) + &close.repeat(depth)
}

/// Runs the command, and fails where it panicked; the exit code is one of these.
#[track_caller]
fn runs(site: &Site, args: &[&str], codes: &[i32]) {
    let output = site.command().args(args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let shown: String = stderr.chars().take(300).collect();
    let first: Vec<String> = args.iter().map(|arg| arg.chars().take(60).collect()).collect();
    assert!(
        !stderr.contains("a bug stopped it") && !stderr.contains("panicked"),
        "{first:?}: {shown}"
    );
    assert!(output.status.code().is_some_and(|code| codes.contains(&code)), "{first:?}: {shown}");
}

#[test]
fn hostile_values_of_options_are_refused() {
    let site = Site::new(&[("site/a.html", PAGE)]);
    let rows: &[(&str, &str, String)] = &[
        ("audit", "--include", deep("{", "}", 240)),
        ("audit", "--exclude", deep("{a,", "}", 10_000)),
        ("audit", "--include", "[a-z]".repeat(20_000)),
        ("audit", "--ignore-link", deep("{a,", "}", 240)),
        ("rewrite", "--include", deep("{", "}", 60_000)),
        ("links", "--exclude", deep("{", "}", 240)),
        ("audit", "--base-url", format!("http://[{}", "::".repeat(50_000))),
        ("audit", "--base-url", "http://h:99999999999/".to_owned()),
        ("audit", "--base-url", format!("http://xn--{}/", "a".repeat(50_000))),
        ("audit", "--alias", "xn--999999999".to_owned()),
        ("audit", "--encoding", "x".repeat(100_000)),
        ("audit", "--attr", "a".repeat(100_000)),
        ("audit", "--attr", "a:b=c=d".to_owned()),
        ("audit", "--rule", "=".repeat(100_000)),
        ("audit", "--limit", format!("input={}", "9".repeat(50))),
        ("audit", "--limit", "input=18446744073709551615G".to_owned()),
        ("audit", "--limit", "links=-1".to_owned()),
        ("audit", "--jobs", "257".to_owned()),
        ("audit", "--format", "=".repeat(1000)),
        ("audit", "--server", "\u{1b}[31m".to_owned()),
        ("rewrite", "--learn", ",".repeat(1000)),
        ("rewrite", "--sync", String::new()),
        ("rewrite", "--backup", "/".to_owned()),
    ];
    for (command, option, value) in rows {
        runs(&site, &[command, "site", &format!("{option}={value}")], &[2]);
    }
}

#[test]
fn hostile_configurations_are_refused() {
    let site = Site::new(&[("site/a.html", PAGE)]);
    let key = |lines: &str| format!("[audit]\n{lines}\n");
    let many = || iter::repeat_n("'a',", 20_000).collect::<String>();
    let rows = [
        key(&format!("include = ['{}']", deep("{", "}", 240))),
        key(&format!("exclude = ['{}']", deep("{a,", "}", 5000))),
        key(&format!("ignore-link = ['{}']", deep("{", "}", 240))),
        key(&format!("only = {}", deep("[", "]", 100_000))),
        key(&format!("only = {}1{}", "{a = ".repeat(100_000), "}".repeat(100_000))),
        key(&format!("a{} = 1", ".a".repeat(100_000))),
        format!("[{}a]", "a.".repeat(100_000)),
        format!("[[{}a]]", "a.".repeat(100_000)),
        key(&format!("jobs = 0x{}", "f".repeat(100_000))),
        key(&format!("jobs = {}", "9".repeat(100_000))),
        key("jobs = 1e99999999"),
        key("jobs = nan"),
        key("jobs = 9999-99-99T99:99:99.99999999999999999999"),
        key("jobs = 1979-05-27T07:32:00.999999999999999999999999999Z"),
        key("jobs = 00:32:00"),
        key("server = \"\\uD800\""),
        key("server = '''"),
        key("server = \"\\U00110000\""),
        key(&format!("rule = [{}]", many())),
        key(&format!("base-url = 'http://[{}'", ":".repeat(100_000))),
        key(&format!("path = [{}]", many())),
        "\u{feff}[audit".to_owned(),
        "\0".to_owned(),
    ];
    for text in rows {
        site.write("c.toml", &text);
        runs(&site, &["audit", "--config", "c.toml"], &[2]);
        site.write("c.toml", text.replace("[audit]", "[rewrite]"));
        runs(&site, &["rewrite", "--config", "c.toml"], &[2]);
    }
}

#[test]
fn hostile_baselines_are_refused() {
    let site = Site::new(&[("site/a.html", PAGE)]);
    let rows = [
        deep("[", "]", 1_000_000),
        "{\"a\":".repeat(1_000_000),
        "{\"file\":\"a\",\"rule\":\"x\",\"count\":1e999}".to_owned(),
        "{\"file\":\"a\",\"rule\":\"x\",\"count\":-1}".to_owned(),
        "{\"file\":\"\\ud800\",\"rule\":\"x\"}".to_owned(),
        "{\"file\":\"a\",\"file_bytes\":[-1],\"rule\":\"x\"}".to_owned(),
        "\u{feff}{}".to_owned(),
        "\0".to_owned(),
    ];
    for text in rows {
        site.write("b.json", text);
        runs(&site, &["audit", "site", "--baseline", "b.json"], &[2]);
    }
    site.write(
        "b.json",
        "{\"file\":\"a\",\"rule\":\"x\",\"count\":18446744073709551615}\n".repeat(2),
    );
    runs(&site, &["audit", "site", "--baseline", "b.json"], &[1]);
}

#[test]
fn hostile_redirects_sitemaps_and_base_maps_end_without_a_panic() {
    let site = Site::new(&[("site/a.html", PAGE)]);
    let redirects = [
        format!("/{} /x 99999999999999999999!\n", ":a/".repeat(100_000)),
        format!("/a {} 301\n", ":a".repeat(100_000)),
        format!("/a http://[{} 301\n/%ff%00/* /:splat/:splat 200!\n", ":".repeat(100_000)),
        "\0 \0 \0\n".to_owned(),
    ];
    for text in redirects {
        site.write("r", text);
        runs(&site, &["audit", "site", "--redirects", "r"], &[1]);
    }
    let sitemaps = [
        "<a>".repeat(1_000_000),
        format!("<!DOCTYPE {}", "[".repeat(1_000_000)),
        "<loc>&#x110000;&#0;&#99999999999;</loc>".to_owned(),
        format!("<loc>http://[{}</loc>", ":".repeat(100_000)),
        "<".to_owned(),
        "<![CDATA[".to_owned(),
        "</loc></loc><loc a='".to_owned(),
    ];
    for text in sitemaps {
        site.write("site/s.xml", text);
        runs(&site, &["audit", "site", "--sitemap", "site/s.xml"], &[1]);
    }
    for url in
        [format!("http://[{}", ":".repeat(100_000)), format!("http://xn--{}/", "a".repeat(9999))]
    {
        site.write("map", format!("site/a.html\t{url}\n"));
        runs(&site, &["rewrite", "site", "--check", "--base-map", "map"], &[2]);
    }
}
