//! Rows of the table: a URL, and the file that it leads to.

use super::*;

/// `path`, with a slash where there is one; `^` in front where it climbs too high.
fn shown(located: &Location<'_>) -> String {
    match located {
        Location::Inside { path, has_trailing_slash, above_root, fragment, query } => format!(
            "{}{}{}{}{}",
            if *above_root { "^" } else { "" },
            String::from_utf8_lossy(path),
            if *has_trailing_slash { "/" } else { "" },
            query.map(|query| format!("?{query}")).unwrap_or_default(),
            fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default(),
        ),
        Location::Outside { path, .. } => format!("outside {}", String::from_utf8_lossy(path)),
        Location::External => "external".to_owned(),
        Location::NotHierarchical => "none".to_owned(),
    }
}

#[track_caller]
fn leads(base: &str, url: &str, expected: &str) {
    let deployment = Deployment::at(base).unwrap().with_alias("www.h").unwrap();
    assert_eq!(shown(&deployment.locate(url)), expected, "{url} on {base}");
}

#[test]
fn a_url_below_the_base_is_a_file() {
    leads("https://h/", "https://h/a/b.html", "a/b.html");
    leads("https://h/", "https://h/a/", "a/");
    leads("https://h/", "https://h/", "/");
    leads("https://h/", "https://h", "/");
    leads("https://h", "https://h?q", "/?q");
    leads("https://h/", "https://h/a?b/c?d#e/f?g", "a?b/c?d#e/f?g");
    leads("https://h/", "https://h/a?#", "a?#");
    leads("https://h/", "https://h/a;x=1", "a;x=1");
    leads("https://h/?q#f", "https://h/a", "a");
}

#[test]
fn the_host_may_be_written_otherwise() {
    leads("https://h/", "HTTPS://H/a", "a");
    leads("https://h/", "https://h:443/a", "a");
    leads("https://h/", "http://h/a", "a");
    leads("https://h/", "http://h:80/a", "a");
    leads("https://h/", "https://user:word@h./a", "a");
    leads("https://h/", "https://www.H/a", "a");
    leads("https://h/", "https://h:80/a", "external");
    leads("https://h:8443/", "https://h:8443/a", "a");
    leads("https://h:8443/", "https://h/a", "external");
    leads("https://\u{e4}.example/", "https://xn--4ca.example/a", "a");
    leads("file:///srv/", "file:///srv/a", "a");
    leads("file:///srv/", "http:///srv/a", "external");
}

#[test]
fn another_place_is_not_looked_up() {
    leads("https://h/", "https://i/a", "external");
    leads("https://h/", "https://h.i/a", "external");
    leads("https://h/", "ftp://h/a", "external");
    leads("https://h/", "http:a", "external");
    leads("https://h/", "mailto:a@h", "none");
    leads("https://h/", "data:,https://h/a", "none");
    leads("https://h/", "https://[/", "external");
}

#[test]
fn a_prefix_is_taken_off() {
    leads("https://h/p/q", "https://h/p/q/a", "a");
    leads("https://h/p/", "https://h/p/", "/");
    leads("https://h/p/", "https://h/p", "");
    leads("https://h/p/", "https://h/pq", "outside pq");
    leads("https://h/p/", "https://h/a", "outside a");
    leads("https://h/p/", "https://h/p/../a", "outside a");
    leads("https://h/p/", "https://h/x/../p/a", "a");
    leads("https://h/my%20p/", "https://h/my p/a", "a");
    leads("https://h/p/", "https://h/%70/a", "a");
    leads("https://h/p/", "https://h/../p/a", "^a");
}

#[test]
fn dots_never_lead_out() {
    leads("https://h/", "https://h/../a", "^a");
    leads("https://h/", "https://h/a/../../b/../../c/", "^c/");
    leads("https://h/", "https://h/a/./b/..", "a/");
    leads("https://h/", "https://h/.", "/");
    leads("https://h/", "https://h/%2e%2E/a", "^a");
    leads("https://h/", "https://h/..%2f..%2Fetc/passwd", "..%2f..%2Fetc/passwd");
    leads("https://h/", "https://h/...", "...");
    leads("https://h/", "https://h/.well-known/x", ".well-known/x");
}

#[test]
fn segments_are_decoded_and_empty_ones_do_not_count() {
    leads("https://h/", "https://h/a%20b%", "a b%");
    leads("https://h/", "https://h/a%00", "a%00");
    leads("https://h/", "https://h/a%3Fb%23c", "a?b#c");
    leads("https://h/", "https://h//a//b//", "a/b/");
    leads("https://h/", "https://h/a//../b", "a/b");
    leads("https://h/", "https://h/%C3%A4", "\u{e4}");
    leads("https://h/", "https://h/\u{e4}", "\u{e4}");
    let located = Deployment::at("https://h/").unwrap();
    let Location::Inside { path, .. } = located.locate("https://h/%E4") else { panic!() };
    assert_eq!(&*path, b"\xe4");
}

#[test]
fn a_nameless_host_shows_paths_alone() {
    let nameless = Deployment::default();
    let url = nameless.page_url(Path::new("a b/c.html"));
    assert_eq!(nameless.shown(&url), "/a%20b/c.html");
    assert_eq!(shown(&nameless.locate(&url)), "a b/c.html");
    assert_eq!(shown(&nameless.locate("http://h/")), "external");
    assert!(nameless.is_nameless() && !nameless.is_secure());
    let named = Deployment::at("https://h/p").unwrap();
    assert!(named.is_secure() && !named.is_nameless());
    assert_eq!(named.shown("https://h/p/"), "https://h/p/");
    assert_eq!(named.page_url(Path::new("a.html")), "https://h/p/a.html");
}

#[test]
fn an_alias_is_a_host() {
    for alias in ["", "a/b", "https://h", "*.h", "a b", "h?"] {
        let error = Deployment::default().with_alias(alias).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("'{alias}' is not a host, expected a name such as www.example.org")
        );
    }
}

#[track_caller]
fn redirects(to: &str, expected: &str) {
    assert_eq!(Deployment::at("https://h/p/").unwrap().redirect_url(to), expected);
}

#[test]
fn a_redirect_counts_from_the_root_of_the_site() {
    redirects("/a/b?c#d", "https://h/p/a/b?c#d");
    redirects("/", "https://h/p/");
    redirects("/a:b", "https://h/p/a:b");
    redirects("http://i/", "http://i/");
    redirects("//i/a", "https://i/a");
}

#[test]
fn a_reference_that_climbs_too_high_is_seen_whatever_the_standard() {
    let climbs = |base: &str, reference| climbs_above_root(&Base::new(base).unwrap(), reference);
    assert!(climbs("http://h/a/b", "../../c"));
    assert!(climbs("http://h/a", "/../c"));
    assert!(!climbs("http://h/a/b", "../c"));
    assert!(!climbs("http://h/a/b", "c..d"));
    assert!(!climbs("http://h/a/b", "?../../.."));
}
