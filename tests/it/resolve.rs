//! The examples of RFC 1808 by three standards, the resolver against a naive twin and against the
//! crates of the other standards, and base URLs.

use absolve::url::{Base, Resolution, Standard, rfc1808::Components};
use proptest::prelude::*;

/// The base of RFC 1808 section 5.
const BASE: &str = "http://a/b/c/d;p?q#f";

fn resolve(standard: Standard, base: &str, reference: &str) -> Option<String> {
    let base = Base::unchecked(base);
    let resolution = standard.resolve(Some(&base), reference).ok()?;
    resolution.url().map(str::to_owned)
}

/// In `tests/data/resolve.tsv`, `=` means "as rfc1808" and `!` "refused". Its first 39 rows are the
/// examples of RFC 1808, [normal] and [abnormal].
///
/// [normal]: https://www.rfc-editor.org/rfc/rfc1808#section-5.1
/// [abnormal]: https://www.rfc-editor.org/rfc/rfc1808#section-5.2
#[test]
fn each_standard_resolves_the_examples_of_rfc_1808_and_others() {
    let mut rows = 0;
    for (number, line) in include_str!("../data/resolve.tsv").lines().enumerate().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [base, reference, rfc1808, rfc3986, whatwg] = cells[..] else {
            panic!("line {}: expected 5 cells: {line:?}", number + 1);
        };
        let expected = [
            (Standard::Rfc1808, rfc1808),
            (Standard::Rfc3986, rfc3986),
            (Standard::Whatwg, whatwg),
        ];
        for (standard, cell) in expected {
            let expected = match cell {
                "=" => Some(rfc1808),
                "!" => None,
                url => Some(url),
            };
            let url = resolve(standard, base, reference);
            assert_eq!(
                url.as_deref(),
                expected,
                "line {}: {standard} {base} {reference}",
                number + 1
            );
        }
        rows += 1;
    }
    assert!(rows >= 39 + 30, "the table has {rows} rows");
    let examples = include_str!("../data/resolve.tsv").lines().skip(1).take(39);
    assert!(examples.clone().all(|line| line.starts_with(BASE)));
}

/// Keeps no seeds: a case that fails becomes a named row.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// Strings of the characters that decide how a URL is read.
fn url_text() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        6 => prop::sample::select(vec!["/", "//", ".", "..", "../", "./", "a", "b", "g", "é"]),
        3 => prop::sample::select(vec![";", "?", "#", ":", "a:", "http:", "@", "%2e", "\\", "1:"]),
        1 => prop::sample::select(vec![" ", "\t", "\n", "\u{0}", "[", "]", "&", "="]),
    ];
    prop::collection::vec(atom, 0..12).prop_map(|atoms| atoms.concat())
}

fn base_text() -> impl Strategy<Value = String> {
    let head = prop::sample::select(vec![
        "http://a",
        "http://",
        "http:",
        "http:/",
        "x://h:1",
        "file://",
        "file:",
        "x:a",
        "http://a/b/c",
    ]);
    (head, url_text()).prop_map(|(head, tail)| head.to_owned() + &tail)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_resolver_equals_its_naive_twin(base in base_text(), reference in url_text()) {
        let url = resolve(Standard::Rfc1808, &base, &reference);
        prop_assert_eq!(url, Some(crate::naive::resolve(&base, &reference)));
    }

    #[test]
    fn a_resolved_reference_resolves_to_itself(base in base_text(), reference in url_text()) {
        for &standard in Standard::ALL {
            if let Some(url) = resolve(standard, &base, &reference) {
                // A space before the base's fragment can end up last, and does not count there.
                let kept = absolve::url::clean(&url).into_owned();
                prop_assert_eq!(resolve(standard, &base, &url), Some(kept), "{}", standard);
            }
        }
    }

    #[test]
    fn a_result_parses_to_the_components_it_was_built_from(base in base_text(), reference in url_text()) {
        let base = Base::unchecked(&base);
        let reference = absolve::url::clean(&reference);
        let embedded = Components::parse(&reference);
        if embedded.scheme.is_some() || reference.is_empty() {
            return Ok(());
        }
        let url = base.resolve_rfc1808(&reference, |_| {});
        let (built, base) = (Components::parse(&url), Components::parse(base.as_str()));
        let own_net_loc = embedded.net_loc.filter(|net_loc| !net_loc.is_empty());
        prop_assert_eq!(built.scheme, base.scheme);
        prop_assert_eq!(built.net_loc, own_net_loc.or(base.net_loc), "a path became a host, or a host a path");
        prop_assert_eq!(built.fragment, embedded.fragment);
        prop_assert_eq!(built.to_string(), &*url);
        if !embedded.path.is_empty() {
            prop_assert_eq!(built.params, embedded.params);
            prop_assert_eq!(built.query, embedded.query);
            let name = |path: &str| path[path.rfind('/').map_or(0, |slash| slash + 1)..].to_owned();
            let last = name(embedded.path);
            if last != "." && last != ".." {
                prop_assert_eq!(name(built.path), last);
            }
        }
    }

    #[test]
    fn no_input_panics(base in ".{0,40}", reference in ".{0,40}") {
        for &standard in Standard::ALL {
            let _ = standard.resolve(Some(&Base::unchecked(&base)), &reference);
            if let Ok(base) = Base::new(&base) {
                let _ = standard.resolve(Some(&base), &reference);
            }
        }
    }
}

/// Cases in which the standards agree: a base with an authority and a path without dot segments, a
/// reference without params, empty segments or empty components, and no more `..` than the base has
/// folders.
mod agreement {
    use super::*;

    fn plain_reference() -> impl Strategy<Value = String> {
        let segment = "[a-z0-9_~-]{1,4}";
        let path = prop_oneof![
            ("(\\.\\./){0,3}", prop::collection::vec(segment, 1..4))
                .prop_map(|(up, segments)| up + &segments.join("/")),
            prop::collection::vec(segment, 1..4)
                .prop_map(|segments| format!("/{}", segments.join("/"))),
            ("[a-z]{1,3}/\\./", segment).prop_map(|(folder, name)| folder + &name),
        ];
        (path, "(\\?[a-z]{1,3}(=[a-z]{1,2})?)?", "(#[a-z]{1,3})?")
            .prop_map(|(path, query, fragment)| path + &query + &fragment)
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn all_three_give_the_same(
            folders in prop::collection::vec("[a-z]{1,3}", 3..6),
            tail in "[a-z]{0,3}(\\?[a-z]{1,2})?(#[a-z])?",
            reference in plain_reference(),
        ) {
            let base = format!("http://host.example/{}/{tail}", folders.join("/"));
            let url = resolve(Standard::Rfc1808, &base, &reference);
            prop_assert!(url.is_some());
            prop_assert_eq!(&resolve(Standard::Rfc3986, &base, &reference), &url, "rfc3986");
            prop_assert_eq!(&resolve(Standard::Whatwg, &base, &reference), &url, "whatwg");
        }
    }
}

/// At least 100,000 pairs, and every one of them another than the last run's
/// would be: all strings of up to five atoms, against bases of every shape.
#[test]
fn brute_force_against_the_naive_twin() {
    const ATOMS: &[&str] = &["/", ".", "..", "a", ";", "?", "#", "x:"];
    const BASES: &[&str] = &[
        BASE,
        "http://h",
        "http://h?q",
        "http://h/;p",
        "file:///a/b",
        "file:/a//b",
        "x:a/b/c",
        "x:",
        "http://h/a/../../b/./c",
    ];
    let mut references = vec![String::new()];
    let mut start = 0;
    for _ in 0..5 {
        let end = references.len();
        for index in start..end {
            for atom in ATOMS {
                references.push(references[index].clone() + atom);
            }
        }
        start = end;
    }
    let mut pairs = 0;
    for base in BASES {
        let ready = Base::unchecked(base);
        for reference in &references {
            let expected = crate::naive::resolve(base, reference);
            let resolution = Standard::Rfc1808.resolve(Some(&ready), reference).unwrap();
            assert_eq!(resolution.url(), Some(&*expected), "{base:?} {reference:?}");
            pairs += 1;
        }
    }
    assert!(pairs >= 100_000, "{pairs} pairs");
}

#[test]
fn an_absolute_reference_stays_as_it_is() {
    let base = Base::unchecked(BASE);
    for &standard in Standard::ALL {
        let url = standard.resolve(Some(&base), " HTTPS://User@Host \n").unwrap();
        assert_eq!(url, Resolution::Absolute("HTTPS://User@Host".into()), "{standard}");
    }
}

#[track_caller]
fn refused(base: &str, why: &str) {
    let error = Base::new(base).unwrap_err();
    assert!(error.is_unusable_base() && error.to_string().contains(why), "{base:?}: {error}");
}

/// The design's section "The base": what is usable.
#[test]
fn a_base_is_usable_under_every_standard_or_not_at_all() {
    refused("page.html", "no scheme");
    refused("", "no scheme");
    refused("//host/", "no scheme");
    for scheme in [
        "mailto",
        "news",
        "telnet",
        "data",
        "javascript",
        "about",
        "blob",
        "cid",
        "mid",
        "tel",
        "urn",
    ] {
        refused(
            &format!("{}:/x", scheme.to_uppercase()),
            &format!("no reference resolves against {scheme}: URLs"),
        );
    }
    refused("http:x", "expected a / after http:");
    refused("http://[::1/", "invalid IPv6 address");
    refused("http://", "empty host");
    refused("http://user:secret@[/", "http://***@[/");
    for usable in ["http://h", "HTTP://h/", "file:///a", "http:/h", " x:/y ", "http://h/\u{e9}"] {
        assert!(Base::new(usable).is_ok(), "{usable}");
    }
}

#[test]
fn credentials_are_taken_out_of_a_base() {
    let without = |url: &str| Base::new(url).unwrap().without_credentials().as_str().to_owned();
    assert_eq!(without("http://u:p@h/d@e"), "http://h/d@e");
    assert_eq!(without("http:/u:p@h/"), "http:/h/");
    assert_eq!(without("http://@h/"), "http://h/");
    assert_eq!(without("x://u@h?//v@i"), "x://h?//v@i");
    assert_eq!(without("x:/u:p@h"), "x:/u:p@h");
    assert_eq!(without("http://h/u:p@i"), "http://h/u:p@i");
}
