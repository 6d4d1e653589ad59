//! Rules that move URLs, row by row.

use super::*;

fn maps(rules: &[(&str, &str)]) -> Maps {
    let mut maps = Maps::new();
    for (old, new) in rules {
        maps.add(old, new).unwrap();
    }
    maps
}

#[track_caller]
fn moves(rules: &[(&str, &str)], url: &str, expected: Option<&str>) {
    assert_eq!(maps(rules).map(url).as_deref(), expected, "{url}");
}

#[test]
fn what_is_beneath_one_url_is_beneath_another() {
    let rules = &[("http://h/a", "https://n/b")];
    moves(rules, "http://h/a", Some("https://n/b"));
    moves(rules, "http://h/a/", Some("https://n/b/"));
    moves(rules, "http://h/a/x/y?q#f", Some("https://n/b/x/y?q#f"));
    moves(rules, "http://h/a?q", Some("https://n/b?q"));
    moves(rules, "http://h/a#f", Some("https://n/b#f"));
    moves(rules, "http://h/ab", None);
    moves(rules, "http://h/a;x", None);
    moves(rules, "http://h/", None);
    moves(rules, "http://ha/a", None);
    moves(rules, "http://h.evil/a", None);
    moves(rules, "https://h/a", None);
    moves(rules, "http://h:81/a", None);
    moves(rules, "mailto:a@h", None);
    moves(rules, "/a", None);
}

#[test]
fn slashes_are_neither_lost_nor_doubled() {
    moves(&[("http://h/a/", "http://n/b/")], "http://h/a/x", Some("http://n/b/x"));
    moves(&[("http://h/a/", "http://n/b")], "http://h/a/x", Some("http://n/b/x"));
    moves(&[("http://h/a/", "http://n/b")], "http://h/a/", Some("http://n/b/"));
    moves(&[("http://h/a/", "http://n/b")], "http://h/a", None);
    moves(&[("http://h/a", "http://n/b/")], "http://h/a/x", Some("http://n/b/x"));
    moves(&[("http://h/a", "http://n/b/")], "http://h/a", Some("http://n/b/"));
    moves(&[("http://h/a", "http://n")], "http://h/a/x", Some("http://n/x"));
    moves(&[("http://h", "http://n")], "http://h/x", Some("http://n/x"));
    moves(&[("http://h", "http://n")], "http://h?q", Some("http://n?q"));
    moves(&[("http://h/", "http://n/b/")], "http://h", Some("http://n/b/"));
    moves(&[("http://h/", "http://n/b/")], "http://h//x", Some("http://n/b//x"));
    let both = &[("http://h/a", "http://file/"), ("http://h/a/", "http://folder/")];
    moves(both, "http://h/a", Some("http://file/"));
    moves(both, "http://h/a/x", Some("http://folder/x"));
}

#[test]
fn the_longest_rule_counts_and_once() {
    let rules = &[
        ("http://h/", "http://n/"),
        ("http://h/a/b", "http://m/"),
        ("http://n/", "http://h/"),
        ("http://m/", "http://h/a/b/"),
    ];
    moves(rules, "http://h/a/b/c", Some("http://m/c"));
    moves(rules, "http://h/a/bc", Some("http://n/a/bc"));
    moves(rules, "http://n/x", Some("http://h/x"));
    moves(&[("http://h/", "http://h/sub/")], "http://h/sub/x", Some("http://h/sub/sub/x"));
}

#[test]
fn urls_are_compared_as_browsers_read_them() {
    let rules = &[("http://b\u{fc}cher.example/caf\u{e9} 1/", "http://n/")];
    moves(rules, "http://xn--bcher-kva.example/caf%C3%A9%201/x", Some("http://n/x"));
    moves(rules, "HTTP://B\u{dc}CHER.EXAMPLE:80/caf%c3%a9 1/\u{e9}", Some("http://n/\u{e9}"));
    moves(&[("http://h/a%2Fb", "http://n/")], "http://h/a/b", None);
    moves(&[("http://h/a%2Fb", "http://n/")], "http://h/a%2fb/c", Some("http://n/c"));
    moves(&[("http://h/a%2fb", "http://n/")], "http://h/a%2Fb", Some("http://n/"));
    moves(&[("http://h/a%2fb", "http://n/")], "http://h/a%252Fb", None);
    moves(&[("http://h/a/", "http://n/")], "http:\\\\h\\a\\x?q\\#\\", Some("http://n/x?q\\#\\"));
    moves(&[("http://h\\a\\", "http://n\\b")], "http://h/a/x", Some("http://n/b/x"));
    moves(&[("http://h/a/", "http://n/")], "http://h\\ab", None);
    // By RFC 1808, backslashes are data.
    moves(&[("http://h/", "http://n/")], "http://h/\\evil/x", Some("http://n/\\evil/x"));
    moves(&[("http://h/a/", "http://n/")], "http://h/a\\x\\y", Some("http://n/x\\y"));
    moves(&[("http://u/", "http://n/")], "http://u\\@h/x", Some("http://n/@h/x"));
    moves(&[("x://h/a/", "http://n/")], "x://h/a\\x", None);
    moves(&[("http://h/", "http://n/")], "http://h./x", None);
    moves(&[("http://h./", "http://n/")], "http://h./x", Some("http://n/x"));
    moves(&[("http://h/%7Eu/", "http://n/")], "http://h/~u/x", Some("http://n/x"));
    moves(&[("http://127.0.0.1/", "http://n/")], "http://0x7f.1/x", Some("http://n/x"));
    moves(&[("file:///srv/www/", "https://n/")], "file:///srv/www/x", Some("https://n/x"));
}

#[test]
fn dots_lead_neither_in_nor_out() {
    let rules = &[("http://h/a/", "http://n/b/")];
    moves(rules, "http://h/a/../c", None);
    moves(rules, "http://h/a/%2E%2e/c", None);
    moves(rules, "http://h/c/../a/x", Some("http://n/b/x"));
    moves(rules, "http://h/a/x/../y", Some("http://n/b/y"));
    moves(&[("http://h/", "http://n/b/")], "http://h/../../x", Some("http://n/b/x"));
    moves(&[("http://h/c/../a/", "http://n/c/../b/")], "http://h/a/x", Some("http://n/b/x"));
}

#[test]
fn passwords_do_not_go_to_another_host() {
    moves(&[("http://h/", "http://n/")], "http://u:p@h/x", None);
    moves(&[("http://h/", "http://h.n/")], "http://u:p@h/x", None);
    moves(&[("http://h/", "https://h/")], "http://u:p@h/x", Some("https://u:p@h/x"));
    moves(&[("http://h/", "http://H:8000/")], "http://u:p@h/x", Some("http://u:p@H:8000/x"));
    moves(&[("http://h/", "http://h/b/")], "http://u:p@h/x", Some("http://u:p@h/b/x"));
    moves(&[("http://h/", "http://n/")], "http://@h/x", Some("http://n/x"));
    moves(&[("http://h/", "http://n/")], "http://h@evil/x", None);
}

#[track_caller]
fn refuses(old: &str, new: &str, why: &str) {
    let error = maps(&[("http://h/twice", "http://n/")]).add(old, new).unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn a_rule_has_two_urls() {
    refuses("/a", "http://n/", "the URL '/a' is not usable: it has no scheme");
    refuses("http://h/", "n", "it has no scheme");
    refuses("mailto:a", "http://n/", "mailto:");
    refuses("x:/a", "http://n/", "has no host");
    refuses("http://h/?q", "http://n/", "a query");
    refuses("http://h/", "http://n/#f", "a fragment");
    refuses("http://u:secret@h/", "http://n/", "user and password");
    refuses("http://h/twice", "http://other/", "is moved to 'http://n/' too");
    assert!(maps(&[("http://h/", "http://n/"), ("http://h", "http://n/")]).len() == 1);
}

#[test]
fn rules_are_read_from_lines() {
    let mut maps = Maps::new();
    maps.add_lines("\u{feff}http://h/a\thttp://n/\r\n\nhttp://h/b\thttp://m/").unwrap();
    assert_eq!((maps.len(), maps.is_empty()), (2, false));
    assert_eq!(maps.map("http://h/b/x").as_deref(), Some("http://m/x"));
    let error = maps.add_lines("http://h/c\thttp://n/\nhttp://h/d").unwrap_err();
    assert_eq!(error.to_string(), "line 2: expected a URL, a tab and a URL");
    let error = maps.add_lines("# moves\nhttp://h/d\thttp://n/\rhttp://h/e").unwrap_err();
    assert_eq!(error.to_string(), "line 2: the URL of a map cannot have a control character");
}

#[test]
fn the_new_url_is_encoded_once() {
    let rules = &[("http://h/", "http://n/a b<\"'>%20\u{e9}/")];
    moves(rules, "http://h/x", Some("http://n/a%20b%3C%22'%3E%20\u{e9}/x"));
}

#[test]
fn a_rule_is_split_before_the_second_url() {
    let split = Maps::split;
    assert_eq!(split("http://h/=http://n/"), Some(("http://h/", "http://n/")));
    assert_eq!(split("http://h/a=b=http://n/c=d"), Some(("http://h/a=b", "http://n/c=d")));
    assert_eq!(split("http://h/=n"), None);
}

/// Finds the longest rule by comparing the URL with every rule.
fn naive(rules: &[(String, String)], url: &str) -> Option<String> {
    let beneath = |(old, new): &(String, String)| {
        let whole = old.strip_suffix('/').unwrap_or(old);
        let rest = url.strip_prefix(whole)?;
        let is_beneath = rest.starts_with('/') || !old.ends_with('/') && rest.is_empty();
        let new = if rest.starts_with('/') { new.trim_end_matches('/') } else { new };
        is_beneath.then(|| (old.len(), format!("{new}{rest}")))
    };
    rules.iter().filter_map(beneath).max_by_key(|(length, _)| *length).map(|(_, url)| url)
}

/// 10,000 rules over few segments, so that most share all segments except the last ones.
#[test]
fn many_rules_are_compared_like_one() {
    let segment = |number: usize| ["a", "b", "ab", "c1", "c", "d", "e", "f", "g", "h"][number % 10];
    let path = |number: usize| -> String {
        let parts = [1, 10, 100, 1000].map(|part| segment(number / part));
        format!("http://h/{}", parts[..=number % 4].join("/"))
    };
    let mut maps = Maps::new();
    let mut rules = Vec::new();
    for number in 0..10_000 {
        let slash = if number % 3 == 0 { "/" } else { "" };
        let (old, new) = (path(number) + slash, format!("http://n{number}/x"));
        if maps.add(&old, &new).is_ok() {
            rules.push((old, new));
        }
    }
    let mut moved = 0;
    for number in 0..2_000 {
        let url = path(number * 7) + ["", "/", "/x", "x", "/a/b/c"][number % 5];
        let expected = naive(&rules, &url);
        moved += usize::from(expected.is_some());
        assert_eq!(maps.map(&url), expected, "{url}");
    }
    assert!(moved > 1_000, "{moved}");
}
