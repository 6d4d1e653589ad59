use absolve::url::{Base, Standard};

use super::*;

use crate::site::deployment::Deployment;

/// Asserts the reference that is written for a target, on a page of `https://h/manual/`; a target
/// that ends with a slash is a folder.
#[track_caller]
fn assert_shape(page: &str, reference: &str, target: &str, expected: &str) {
    let has_trailing_slash = target.ends_with('/') || target.is_empty();
    let path = target.trim_end_matches('/').as_bytes().into();
    assert_meaning(page, reference, &Meant::Path { path, has_trailing_slash }, expected);
}

#[track_caller]
fn assert_meaning(page: &str, reference: &str, meant: &Meant, expected: &str) {
    let base = Base::new(&format!("https://h/manual/{page}")).unwrap();
    let deployment = &Deployment::parse("https://h/manual/").unwrap();
    for standard in [Standard::Rfc1808, Standard::Whatwg] {
        let author = AuthoredReference { reference, base: Some(&base), standard, deployment };
        let shaped = author.shape(meant);
        assert_eq!(shaped.as_deref().unwrap_or("-"), expected, "{reference} by {standard}");
    }
}

#[test]
fn a_reference_keeps_its_form_its_query_and_its_fragment() {
    assert_shape("a/x", "../b/C.html?q#f", "b/c.html", "../b/c.html?q#f");
    assert_shape("a/x", "/manual/b/C.html?q#f", "b/c.html", "/manual/b/c.html?q#f");
    assert_shape("a/x", "//h/manual/b/C.html", "b/c.html", "//h/manual/b/c.html");
    assert_shape("a/x", "HTTPS://h/manual/b/C.html#f", "b/c.html", "HTTPS://h/manual/b/c.html#f");
    assert_shape("x", "C.html", "c.html", "c.html");
    assert_shape("x", " C.html\n", "c.html", "c.html");
}

#[test]
fn the_author_s_spelling_stays_where_the_paths_agree() {
    assert_shape("a/x", "./B/../../A/%62/C", "A/b/c", "./B/../../A/%62/c");
    assert_shape("a/x", "../a/%7EB/c", "a/~b/c", "../a/~b/c");
    assert_shape("a/x", "../A/%62", "a/b", "../a/%62");
    assert_shape("a/x", "../B//c", "b/c", "../b/c");
    assert_shape("x", "B/./c", "b/c", "b/c");
    assert_shape("x", "%41/b%20c", "A/B c", "%41/B%20c");
}

#[test]
fn names_are_encoded_as_the_author_does() {
    assert_shape("x", "A b", "a b", "a%20b");
    assert_shape("x", "A%23", "a#", "a%23");
    assert_shape("x", "A:b", "a:b", "-");
    assert_shape("x", "y/A:b", "a:b", "./a:b");
    assert_shape("x", "%C3%84", "\u{e4}", "%C3%A4");
    assert_shape("x", "\u{c4}", "\u{e4}", "\u{e4}");
    assert_shape("x", "\u{c4} b", "\u{e4} b", "\u{e4}%20b");
}

#[test]
fn slashes_and_prefixes_are_added_and_removed() {
    assert_shape("x", "docs", "docs/", "docs/");
    assert_shape("x", "docs?q#f", "docs/", "docs/?q#f");
    assert_shape("a/x", "..", "", "../");
    assert_shape("a/x", "/manual", "", "/manual/");
    assert_shape("x", "a.html/", "a.html", "a.html");
    assert_shape("x", "guide.html", "guide/index.html", "guide/index.html");
    assert_shape("a/x", "guide", "a/guide.html", "guide.html");
    assert_shape("a/x", "/guide/%7Ea#f", "guide/~a", "/manual/guide/%7Ea#f");
    assert_shape("a/x", "https://h/guide/", "guide/", "https://h/manual/guide/");
    assert_shape("a/x", "/", "", "/manual/");
}

#[test]
fn a_reference_with_backslashes_keeps_its_form() {
    assert_shape("a/b/x", "\\guide.html", "guide.html", "/manual/guide.html");
    assert_shape("a/b/x", "\\\\h\\guide.html", "guide.html", "//h/manual/guide.html");
    assert_shape("a/b/x", "/\\h/guide.html?q", "guide.html", "//h/manual/guide.html?q");
    assert_shape("a/b/x", "c\\..\\D.html#\\", "a/b/d.html", "c/../d.html#\\");
}

#[test]
fn another_folder_is_written_anew() {
    assert_shape("a/b/x", "c", "a/d", "../d");
    assert_shape("a/x", "c", "", "../");
    assert_shape("a/x", "c", "a/", "./");
    assert_shape("a/x", "../../c", "a/c", "c");
    assert_shape("a/b/x", "../../../c/", "c/", "../../c/");
    assert_shape("a/x", "../a/C", "a/c", "../a/c");
    assert_shape("a/x", "/c", "a/d/", "/manual/a/d/");
    assert_shape("a/x", "c?q", "b/", "../b/?q");
}

#[test]
fn a_url_of_the_site_takes_the_author_s_form() {
    let url = |url: &str| Meant::Url(url.to_owned());
    assert_meaning("a/x", "old", &url("https://h/manual/new"), "../new");
    assert_meaning("a/x", "/manual/old", &url("https://h/manual/new"), "/manual/new");
    assert_meaning("x", "old?q#f", &url("https://h/manual/new"), "new?q#f");
    assert_meaning("x", "old?q#f", &url("https://h/manual/new?p#g"), "new?p#g");
    assert_meaning("x", "old?q#f", &url("https://other/new"), "https://other/new?q#f");
    assert_meaning("x", "old", &url("https://other/"), "https://other/");
}

#[test]
fn an_anchor_is_encoded_and_a_text_stays() {
    let anchor = |anchor: &str| Meant::Anchor(anchor.to_owned());
    assert_meaning("x", "y?q#Abc", &anchor("abc"), "y?q#abc");
    assert_meaning("x", "#A b", &anchor("a b"), "#a%20b");
    assert_meaning("x", "#A%20b", &anchor("a%20b"), "#a%2520b");
    assert_meaning("x", "#A:~:text=t", &anchor("a"), "#a:~:text=t");
    assert_meaning("x", "#\u{c4}", &anchor("\u{e4}"), "#\u{e4}");
    assert_meaning("x", "#%C3%84", &anchor("\u{e4}"), "#%C3%A4");
    assert_meaning("x", "#a", &anchor("top"), "-");
}

#[test]
fn a_reference_that_cannot_be_shaped_is_not_proposed() {
    let path = Meant::file(b"a");
    let deployment = &Deployment::parse("https://h/").unwrap();
    let standard = Standard::Rfc1808;
    let without_base = AuthoredReference { reference: "A", base: None, standard, deployment };
    assert_eq!(without_base.shape(&path), None);
    assert_shape("x", "c", "c", "-");
    assert_meaning("x", "a\\b", &Meant::Reference("a/b".to_owned()), "a/b");
}
