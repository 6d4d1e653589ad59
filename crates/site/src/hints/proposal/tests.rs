use absolve::url::{Base, Standard};

use super::*;

use crate::site::deployment::Deployment;

/// The reference that is written for a target, on a page of `https://h/manual/`; a target that ends
/// with a slash is a folder.
#[track_caller]
fn is(page: &str, reference: &str, target: &str, expected: &str) {
    let has_trailing_slash = target.ends_with('/') || target.is_empty();
    let path = target.trim_end_matches('/').as_bytes().into();
    means(page, reference, &Meant::Path { path, has_trailing_slash }, expected);
}

#[track_caller]
fn means(page: &str, reference: &str, meant: &Meant, expected: &str) {
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
    is("a/x", "../b/C.html?q#f", "b/c.html", "../b/c.html?q#f");
    is("a/x", "/manual/b/C.html?q#f", "b/c.html", "/manual/b/c.html?q#f");
    is("a/x", "//h/manual/b/C.html", "b/c.html", "//h/manual/b/c.html");
    is("a/x", "HTTPS://h/manual/b/C.html#f", "b/c.html", "HTTPS://h/manual/b/c.html#f");
    is("x", "C.html", "c.html", "c.html");
    is("x", " C.html\n", "c.html", "c.html");
}

#[test]
fn the_author_s_spelling_stays_where_the_paths_agree() {
    is("a/x", "./B/../../A/%62/C", "A/b/c", "./B/../../A/%62/c");
    is("a/x", "../a/%7EB/c", "a/~b/c", "../a/~b/c");
    is("a/x", "../A/%62", "a/b", "../a/%62");
    is("a/x", "../B//c", "b/c", "../b/c");
    is("x", "B/./c", "b/c", "b/c");
    is("x", "%41/b%20c", "A/B c", "%41/B%20c");
}

#[test]
fn names_are_encoded_as_the_author_does() {
    is("x", "A b", "a b", "a%20b");
    is("x", "A%23", "a#", "a%23");
    is("x", "A:b", "a:b", "-");
    is("x", "y/A:b", "a:b", "./a:b");
    is("x", "%C3%84", "\u{e4}", "%C3%A4");
    is("x", "\u{c4}", "\u{e4}", "\u{e4}");
    is("x", "\u{c4} b", "\u{e4} b", "\u{e4}%20b");
}

#[test]
fn slashes_and_prefixes_are_added_and_removed() {
    is("x", "docs", "docs/", "docs/");
    is("x", "docs?q#f", "docs/", "docs/?q#f");
    is("a/x", "..", "", "../");
    is("a/x", "/manual", "", "/manual/");
    is("x", "a.html/", "a.html", "a.html");
    is("x", "guide.html", "guide/index.html", "guide/index.html");
    is("a/x", "guide", "a/guide.html", "guide.html");
    is("a/x", "/guide/%7Ea#f", "guide/~a", "/manual/guide/%7Ea#f");
    is("a/x", "https://h/guide/", "guide/", "https://h/manual/guide/");
    is("a/x", "/", "", "/manual/");
}

#[test]
fn a_reference_with_backslashes_keeps_its_form() {
    is("a/b/x", "\\guide.html", "guide.html", "/manual/guide.html");
    is("a/b/x", "\\\\h\\guide.html", "guide.html", "//h/manual/guide.html");
    is("a/b/x", "/\\h/guide.html?q", "guide.html", "//h/manual/guide.html?q");
    is("a/b/x", "c\\..\\D.html#\\", "a/b/d.html", "c/../d.html#\\");
}

#[test]
fn another_folder_is_written_anew() {
    is("a/b/x", "c", "a/d", "../d");
    is("a/x", "c", "", "../");
    is("a/x", "c", "a/", "./");
    is("a/x", "../../c", "a/c", "c");
    is("a/b/x", "../../../c/", "c/", "../../c/");
    is("a/x", "../a/C", "a/c", "../a/c");
    is("a/x", "/c", "a/d/", "/manual/a/d/");
    is("a/x", "c?q", "b/", "../b/?q");
}

#[test]
fn a_url_of_the_site_takes_the_author_s_form() {
    let url = |url: &str| Meant::Url(url.to_owned());
    means("a/x", "old", &url("https://h/manual/new"), "../new");
    means("a/x", "/manual/old", &url("https://h/manual/new"), "/manual/new");
    means("x", "old?q#f", &url("https://h/manual/new"), "new?q#f");
    means("x", "old?q#f", &url("https://h/manual/new?p#g"), "new?p#g");
    means("x", "old?q#f", &url("https://other/new"), "https://other/new?q#f");
    means("x", "old", &url("https://other/"), "https://other/");
}

#[test]
fn an_anchor_is_encoded_and_a_text_stays() {
    let anchor = |anchor: &str| Meant::Anchor(anchor.to_owned());
    means("x", "y?q#Abc", &anchor("abc"), "y?q#abc");
    means("x", "#A b", &anchor("a b"), "#a%20b");
    means("x", "#A%20b", &anchor("a%20b"), "#a%2520b");
    means("x", "#A:~:text=t", &anchor("a"), "#a:~:text=t");
    means("x", "#\u{c4}", &anchor("\u{e4}"), "#\u{e4}");
    means("x", "#%C3%84", &anchor("\u{e4}"), "#%C3%A4");
    means("x", "#a", &anchor("top"), "-");
}

#[test]
fn a_reference_that_cannot_be_shaped_is_not_proposed() {
    let path = Meant::file(b"a");
    let deployment = &Deployment::parse("https://h/").unwrap();
    let standard = Standard::Rfc1808;
    let without_base = AuthoredReference { reference: "A", base: None, standard, deployment };
    assert_eq!(without_base.shape(&path), None);
    is("x", "c", "c", "-");
    means("x", "a\\b", &Meant::Reference("a/b".to_owned()), "a/b");
}
