//! The base URL that the summary of an audit proposes in place of the given one.

use std::fmt::Write as _;
use std::fs;

use absolve_archive::jobs::Workers;
use absolve_files::{Globs, Symlinks};
use absolve_site::{
    Audit, Deployment, FindingLimits, Level, LikelyBase, Profile, Rule, Server, Site,
};

/// Returns the base URL that an audit of three pages proposes; `links` has the number of each.
fn proposed(base_url: &str, links: &[(&str, usize)]) -> Option<LikelyBase> {
    proposed_by(|audit| audit, base_url, links)
}

/// Returns the proposal of an audit with other options.
fn proposed_by(
    options: fn(Audit) -> Audit,
    base_url: &str,
    links: &[(&str, usize)],
) -> Option<LikelyBase> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let mut page = String::new();
    for (reference, times) in links {
        let _ = write!(page, "{}", format!("<a href='{reference}'>x</a>\n").repeat(*times));
    }
    for (name, text) in [("index.html", &*page), ("a.html", ""), ("sub/b.html", "")] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let site = Site::walk(folder.path(), folder.path(), &Globs::default(), Symlinks::Kept).unwrap();
    let deployment = if base_url.is_empty() {
        Deployment::default()
    } else {
        Deployment::parse(base_url).unwrap()
    };
    let audit = options(Audit::new(deployment, Server::new(Profile::Plain)));
    audit.run(&site, &Workers::new(1), &()).likely_base
}

#[test]
fn the_base_url_that_fits_most_links_is_proposed() {
    let links = [("/docs/a.html", 6), ("/docs/sub/b.html?x#y", 6), ("/shop/", 5), ("/w/a.html", 6)];
    let likely = proposed("https://u:p@h:81/w/", &links).unwrap();
    assert_eq!(likely.base_url.as_deref(), Some("https://***@h:81/docs/"));
    assert_eq!((likely.links, likely.of), (12, 23));
    let links = [("/a/b%20c/a.html", 6), ("/a/b%20c/sub/b.html", 6), ("a.html", 50)];
    let likely = proposed("http://h/", &[("/a.html", 1)]);
    assert_eq!(likely, None);
    let likely = proposed("http://h/w/", &links).unwrap();
    assert_eq!(likely.base_url.as_deref(), Some("http://h/a/b%20c/"));
}

#[test]
fn a_base_url_that_is_too_short_is_completed() {
    let links = [("/w/docs/a.html", 6), ("/w/docs/sub/b.html#x", 6), ("/a.html", 5)];
    for base_url in ["https://h/", "https://h/w/"] {
        let likely = proposed(base_url, &links).unwrap();
        assert_eq!(likely.base_url.as_deref(), Some("https://h/w/docs/"), "{base_url}");
        assert_eq!((likely.links, likely.of), (12, 17));
    }
    // Most links fit.
    assert_eq!(proposed("https://h/", &[links[0], links[1], ("/a.html", 12)]), None);
    // The pages of another folder are missing.
    assert_eq!(proposed("https://h/", &[("/docs/c.html", 20), ("/docs/", 20)]), None);
}

#[test]
fn a_missing_folder_at_the_start_of_most_links_is_proposed_without_a_base_url() {
    let likely = proposed("", &[("/docs/a.html", 10), ("/gone.html", 1)]).unwrap();
    assert_eq!((likely.links, likely.of), (10, 11));
    // The folder exists, or few links lead there.
    assert_eq!(proposed("", &[("/sub/a.html", 10), ("/gone.html", 1)]), None);
    assert_eq!(proposed("", &[("/docs/a.html", 9), ("/gone.html", 1)]), None);
}

fn limited(audit: Audit, limit: fn(&mut FindingLimits)) -> Audit {
    let mut limits = FindingLimits::default();
    limit(&mut limits);
    audit.finding_limits(limits)
}

#[test]
fn neither_levels_nor_limits_hide_the_proposal() {
    let links = [("/docs/a.html", 6), ("/docs/sub/b.html?x#y", 6), ("/w/a.html", 5)];
    let options: [fn(Audit) -> Audit; 3] = [
        |audit| audit.level(Rule::OutsideBase, Level::Off).level(Rule::BrokenLink, Level::Off),
        |audit| limited(audit, |limits| limits.findings = 1),
        |audit| limited(audit, |limits| limits.size = 1),
    ];
    for base_url in ["http://h/w/", "http://h/"] {
        for options in options {
            let likely = proposed_by(options, base_url, &links).unwrap();
            assert_eq!((likely.links, likely.of), (12, 17), "{base_url}");
        }
    }
}

#[test]
fn a_base_url_that_may_be_right_stays() {
    for links in [
        // The proposal would break equally many links.
        &[("/docs/a.html", 6), ("/docs/sub/b.html", 6), ("/w/a.html", 12)][..],
        // Few.
        &[("/docs/a.html", 4), ("/docs/sub/b.html", 5)],
        // Pages of another site of the host, one of which has the name of one here.
        &[("/shop/", 20), ("/shop/index.html", 20), ("/shop/a.html", 20), ("/shop/c.html", 2)],
        // No base URL fits most.
        &[("/docs/a.html", 6), ("/docs/sub/b.html", 6), ("/", 13)],
        // The site may be at the root of the host; each link is an error.
        &[("/a.html", 20), ("/sub/b.html", 20)],
    ] {
        assert_eq!(proposed("https://h/w/", links), None, "{links:?}");
    }
}
