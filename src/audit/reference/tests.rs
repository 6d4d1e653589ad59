//! Rows of the table: a reference, and the rules that it is found by.

use super::*;

#[track_caller]
fn finds(reference: &str, expected: &[Rule]) {
    let found: Vec<_> = check(reference).map(|(rule, _)| rule).collect();
    assert_eq!(found, expected, "{reference}");
}

#[test]
fn a_good_reference_is_not_found() {
    for reference in [
        "a.html",
        "../a/b.html?c=d#e",
        "#a",
        "?a:b",
        "./a:b",
        "a/b:c",
        "http://h/a%20b",
        "mailto:a@h",
        "tel:+1-201",
        "data:,100%",
        "javascript:a%b\\c",
        "a?b\\c",
        "a#b\\c",
        "/a@b",
    ] {
        finds(reference, &[]);
    }
}

#[test]
fn a_mailto_needs_somebody() {
    finds("mailto:", &[Rule::BadMailto]);
    finds("MAILTO: ", &[Rule::BadMailto]);
    finds("mailto:?", &[Rule::BadMailto]);
    finds("mailto:h.org", &[Rule::BadMailto]);
    finds("mailto:a@", &[Rule::BadMailto]);
    finds("mailto:@h", &[Rule::BadMailto]);
    finds("mailto:a@h,b", &[Rule::BadMailto]);
    finds("mailto:a@h,b@h?subject=x", &[]);
    finds("mailto:a%40h", &[]);
    finds("mailto:?subject=x", &[]);
    finds("mailto:%22a,b%22@h", &[]);
}

#[test]
fn a_tel_needs_a_number() {
    finds("tel:", &[Rule::BadTel]);
    finds("tel:+;ext=1", &[Rule::BadTel]);
    finds("tel:*100%23", &[]);
    finds("tel:0800-FLOWERS", &[]);
}

#[test]
fn a_percent_sign_needs_two_digits() {
    finds("100%", &[Rule::BadPercent]);
    finds("http://h/%x?%y#%z", &[Rule::BadPercent]);
    finds("a%2", &[Rule::BadPercent]);
    finds("a%zz", &[Rule::BadPercent]);
    finds("a?b%", &[Rule::BadPercentInQuery]);
    finds("mailto:a@h?subject=50%", &[Rule::BadPercentInQuery]);
    finds("a#100%", &[]);
    finds("#%zz?%", &[]);
    finds("a%20%2Gb", &[Rule::BadPercent]);
    finds("a%2e%2E", &[]);
}

#[test]
fn a_backslash_is_found_before_the_query() {
    finds("a\\b", &[Rule::Backslash]);
    finds("http:\\\\h\\a", &[Rule::Backslash]);
    finds("\\\\h\\a", &[Rule::Backslash]);
    finds("x:a\\b", &[]);
}

#[test]
fn an_empty_reference_is_found() {
    finds("", &[Rule::EmptyReference]);
    finds(" \n", &[Rule::EmptyReference]);
}

#[test]
fn a_colon_makes_a_scheme_of_a_segment() {
    finds("12:30.html", &[Rule::ColonInFirstSegment]);
    finds("a b:c", &[Rule::ColonInFirstSegment]);
    finds(":a", &[Rule::ColonInFirstSegment]);
    finds("\u{e4}:b", &[Rule::ColonInFirstSegment]);
    finds("this:that", &[]);
    assert_eq!(unknown_scheme("this:that"), Some("this"));
    assert_eq!(unknown_scheme(" File:x.png"), None);
    assert_eq!(unknown_scheme("this://that"), None);
    assert_eq!(unknown_scheme("that"), None);
}

#[test]
fn a_host_without_a_scheme_is_found() {
    finds("//h/a", &[Rule::ProtocolRelative]);
    finds(" //h/a:b", &[Rule::ProtocolRelative]);
    finds("/a//b", &[]);
}

#[test]
fn an_ftp_url_of_a_directory_is_found() {
    for url in ["ftp://h/a;type=d", "FTP://h/a;TYPE=D?x#y", "ftp://h/a;x;type=d"] {
        assert!(ftp_type_d(url).is_some(), "{url}");
    }
    for url in ["ftp://h/a;type=i", "http://h/a;type=d", "ftp://h/a?;type=d"] {
        assert_eq!(ftp_type_d(url), None, "{url}");
    }
}

#[test]
fn a_relative_base_is_found() {
    for href in ["/", "a/", "//h/", ""] {
        assert!(relative_base(href).is_some(), "{href}");
    }
    assert_eq!(relative_base(" http://h/"), None);
}

#[test]
fn the_checks_are_in_the_order_of_the_rules() {
    assert!(CHECKS.is_sorted_by_key(|check| check.rule));
}
