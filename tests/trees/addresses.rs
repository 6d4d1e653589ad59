//! The retrieval URLs of files: what their relative links become.

use super::site::{PAGE, Site};

/// A page at this path below the root has this URL for its folder.
#[track_caller]
fn resolves(base: &str, path: &str, folder: &str) {
    let site = Site::new(&[(&format!("site/{path}"), PAGE)]);
    for args in [["-o", "out"].as_slice(), &["-w"]] {
        site.absolve_with(["rewrite", "-b", base, "site"].iter().chain(args), "").ends(0);
    }
    let expected = PAGE.replace("=x", &format!("={folder}x"));
    site.has(&format!("out/{path}"), &expected);
    site.has(&format!("site/{path}"), &expected);
}

#[test]
fn a_path_below_the_root_is_a_path_below_the_base_url() {
    resolves("http://h/", "a.html", "http://h/");
    resolves("http://h/", "d/e/a.html", "http://h/d/e/");
    resolves("http://h", "d/a.html", "http://h/d/");
    resolves("http://h/p", "a.html", "http://h/p/");
    resolves("http://h/p/index.html", "d/a.html", "http://h/p/index.html/d/");
    resolves("http://h/p/?q=1/2#f", "d/a.html", "http://h/p/d/");
    resolves("http://h/p?q", "a.html", "http://h/p/");
    resolves("file:///srv/www", "d/a.html", "file:///srv/www/d/");
}

#[test]
fn what_a_name_holds_is_encoded() {
    resolves("http://h/", "a;b/c.html", "http://h/a%3Bb/");
    resolves("http://h/", "a?b/c.html", "http://h/a%3Fb/");
    resolves("http://h/", "a#b/c.html", "http://h/a%23b/");
    resolves("http://h/", "100%/c.html", "http://h/100%25/");
    resolves("http://h/", "%41/c.html", "http://h/%2541/");
    resolves("http://h/", "a b/c.html", "http://h/a%20b/");
    resolves("http://h/", "caf\u{e9}/c.html", "http://h/caf%C3%A9/");
    resolves("http://h/", "http:/c.html", "http://h/http:/");
    resolves("http://h/", "a\\b/c.html", "http://h/a%5Cb/");
}

/// What `;`, `?` and `#` hide from resolution shows in links that keep the name.
#[test]
fn the_name_itself_is_encoded_too() {
    let site = Site::new(&[("site/a;b?c#d.html", "<a href='#top'>1</a>")]);
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    site.has("site/a;b?c#d.html", "<a href='http://h/a%3Bb%3Fc%23d.html#top'>1</a>");
}

#[test]
fn a_documents_own_base_goes_before_its_place() {
    let site = Site::new(&[
        ("site/d/own.html", "<base href=http://o/p/><a href=x>"),
        ("site/d/up.html", "<base href=../up/><a href=x>"),
        ("site/d/root.html", "<base href=/><a href=x>"),
    ]);
    site.absolve("rewrite -b http://h/ site -w").ends(0);
    site.has("site/d/own.html", "<base href=http://o/p/><a href=http://o/p/x>");
    site.has("site/d/up.html", "<base href=http://h/up/><a href=http://h/up/x>");
    site.has("site/d/root.html", "<base href=http://h/><a href=http://h/x>");
}

#[test]
fn links_tell_the_same_urls() {
    let site = Site::new(&[("site/a b/c.html", PAGE)]);
    let run = site.absolve("links -b http://h/p?q site --format jsonl").ends(0);
    let link: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(link["file"], "site/a b/c.html");
    assert_eq!(link["url"], "http://h/p/a%20b/x");
    assert_eq!(link["base"], "http://h/p/a%20b/c.html");
    assert_eq!(link["base_source"], "retrieval-url");
}
