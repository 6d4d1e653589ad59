//! Properties of all forms, on generated pages.

use absolve::url::clean;
use absolve::{Form, Rewriter};
use proptest::prelude::*;

use super::{URL, mover, moving, rewriter, text};

fn absolute(page: &str) -> String {
    text(&rewriter(Form::Absolute), page)
}

/// Pieces of references, of which many mean something at one place alone.
fn reference() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("/"),
        Just(".."),
        Just("../"),
        Just("."),
        Just("./"),
        Just("a"),
        Just("b/"),
        Just("page.html"),
        Just("12:30"),
        Just("?"),
        Just("#"),
        Just("%2e"),
        Just("%3F"),
        Just("%25"),
        Just("http://h/"),
        Just("http://h"),
        Just("//h/"),
        Just("//i/"),
        Just(":"),
        Just(";"),
        Just("\\"),
        Just("@"),
        Just("\u{e9}"),
        Just("q=1"),
        Just("http:"),
        Just("&amp;"),
        Just("\n"),
        Just(" "),
        Just(","),
    ];
    prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_link_leads_where_it_led(references in prop::collection::vec(reference(), 1..4), base in "(<base href=(/x/|//i/y|c)>)?") {
        let page = references.iter().fold(base, |page, one| page + "<a href=\"" + one + "\">");
        let expected = absolute(&page);
        for form in [Form::Relative, Form::RootRelative] {
            let written = text(&rewriter(form), &page);
            prop_assert_eq!(&text(&rewriter(form), &written), &written, "twice {} {:?}", page, form);
            let mut urls = [Vec::new(), Vec::new()];
            for (page, urls) in [&expected, &absolute(&written)].iter().zip(&mut urls) {
                let bare = Rewriter::new();
                bare.links(page.as_bytes(), |link| {
                    if link.element() == "a" {
                        urls.push(link.reference().to_owned());
                    }
                }).unwrap();
            }
            let pairs = urls[0].iter().zip(&urls[1]);
            for (one, other) in pairs.filter(|(one, _)| !is_read_otherwise(one)) {
                let same = url::Url::parse(one).ok() == url::Url::parse(other).ok();
                prop_assert!(one == other || same, "{} {:?}: {} {}", page, form, one, other);
            }
        }
    }

    #[test]
    fn nothing_but_values_changes(reference in reference()) {
        let page = format!("<p class=x>\u{1}<A HREF='{reference}' id=y></A >");
        for form in [Form::Relative, Form::RootRelative, Form::AsWritten] {
            let written = text(&rewriter(form), &page);
            let is_kept = written.starts_with("<p class=x>\u{1}<A HREF='")
                && written.ends_with("' id=y></A >");
            prop_assert!(is_kept, "{written}");
        }
    }
}

/// Whether browsers resolve what is absolute by RFC 1808.
fn is_read_otherwise(url: &str) -> bool {
    let url = clean(url);
    url.starts_with("http:") && !url.starts_with("http://")
}

/// The references of the `a` elements of a page.
fn references(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let bare = Rewriter::new();
    bare.links(page.as_bytes(), |link| {
        if link.element() == "a" {
            found.push(clean(link.reference()).into_owned());
        }
    })
    .unwrap();
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Links of a page that moves lead to where the rules have their targets.
    #[test]
    fn a_link_that_moves_leads_where_its_target_is(
        links in prop::collection::vec(reference(), 1..4),
        base in "(<base href=(/x/|//i/y|c)>)?",
        rule in 0..4_usize,
    ) {
        let rules = [
            ("http://h/", "http://n/sub/"),
            ("http://h/", "http://h/sub/"),
            ("http://h/a/", "http://n/c/d/"),
            ("http://h/a/b/", "http://h/"),
        ];
        let maps = moving(&rules[rule..=rule]);
        let page = links.iter().fold(base, |page, one| page + "<a href=\"" + one + "\">");
        let moved = text(&mover(&rules[rule..=rule]), &page);
        let url = maps.map(URL).unwrap();
        let to_absolute = Rewriter::new().base_url(&url).unwrap();
        let found = references(&text(&to_absolute, &moved));
        for ((link, old), new) in links.iter().zip(references(&absolute(&page))).zip(found) {
            if is_read_otherwise(&old) {
                continue;
            }
            let expected = maps.map(&old).unwrap_or_else(|| old.clone());
            let same = url::Url::parse(&expected).ok() == url::Url::parse(&new).ok();
            prop_assert!(expected == new || same, "{page} {moved}: {link}: {expected} {new}");
        }
    }
}
