//! Rows of the table: a reference, and the rules that it is found by.

use super::*;

#[track_caller]
fn finds(reference: &str, expected: &[Rule]) {
    let found: Vec<_> = check(reference).map(|(check, _)| check.rule).collect();
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
    finds("mailto:a@h;b@h", &[Rule::BadMailto]);
    finds("mailto:%22a;b%22@h", &[]);
    finds("mailto:A <a@h>", &[Rule::BadMailto]);
    finds("mailto:%ZZ@h", &[Rule::BadMailto]);
    for bad in ["a@b.c&subject=x", "a b@c.de", "a%20b@c.de", "a@b c", "a@b..c", "a@@b.c", "a@.b"] {
        finds(&format!("mailto:{bad}"), &[Rule::BadMailto]);
    }
    for good in ["a&b@c.de", "a@b, c@d", "a@b?subject=x&body=a b@..c", "%22a b@c%22@d", "a@[::1]"] {
        finds(&format!("mailto:{good}"), &[]);
    }
    finds("mailto:a%25b@h?subject=%C3%A4;b", &[]);
}

#[test]
fn an_invisible_character_is_found_in_every_form() {
    for reference in [
        "https://h/a\u{200b}",
        "https://h/a%E2%80%8B",
        "\u{feff}https://h/",
        "a\u{ad}b.html",
        "mailto:a@h\u{200b}",
        "?q=\u{202e}x",
    ] {
        let found: Vec<_> = check(reference).map(|(check, _)| check.rule).collect();
        assert!(found.contains(&Rule::InvisibleCharacter), "{reference:?}: {found:?}");
    }
    for reference in ["\u{e4}.html", "a\u{200c}b", "a#\u{200b}", "data:,\u{200b}", "%E2%80"] {
        let found: Vec<_> = check(reference).map(|(check, _)| check.rule).collect();
        assert!(!found.contains(&Rule::InvisibleCharacter), "{reference:?}: {found:?}");
    }
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
fn the_checks_are_in_the_order_of_the_rules() {
    assert!(CHECKS.is_sorted_by_key(|check| check.rule));
}
