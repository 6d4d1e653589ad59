//! The base URL that the summary of an audit proposes in place of the given one.

use std::fmt::Write as _;
use std::fs;

use absolve::audit::{Audit, Deployment, LikelyBase, Profile, Server, Site};
use absolve::batch::{Globs, Symlinks, Workers};

/// What an audit of three pages at a base URL proposes; a page has these links, so many of each.
fn proposed(base_url: &str, links: &[(&str, usize)]) -> Option<LikelyBase> {
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
    let deployment = Deployment::at(base_url).unwrap();
    let audit = Audit::new(deployment, Server::new(Profile::Plain));
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
fn a_base_url_that_may_be_right_stays() {
    for links in [
        // As many stay.
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
