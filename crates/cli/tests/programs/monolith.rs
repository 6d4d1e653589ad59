//! Pages by monolith; its MHTML is tried with that of Chromium.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use super::links::{absolve, base, links, urls};
use super::server::Server;
use super::trial::{no_program, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let missing = [no_program("monolith")];
    vec![
        trial("a page by monolith", &missing, page),
        trial("a page from a file by monolith", &missing, from_a_file),
    ]
}

/// Monolith makes all links absolute but those to the page itself, and embeds its files.
fn page(folder: &Path) {
    let server = Server::start();
    let url = server.url_of("/index.html");
    run(folder, "monolith", &["-q", "-o", "page.html", &url]);
    let found = links(folder, &[]);
    assert_eq!(base(&found, "page.html"), (&*url, "monolith"));
    let urls = urls(&found, "page.html");
    for url in server.links_of("/index.html") {
        let is_loaded = ["/s.css", "/i.png", "/d/f.html"].iter().any(|path| url.ends_with(path));
        assert_eq!(urls.contains(&url), !is_loaded, "{url} {urls:?}");
    }
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("<a href=\"#here\">"));
    absolve(folder, &["rewrite", "-w", "page.html"]);
    let written = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(written.contains(&format!("<a href=\"{url}#here\">")), "{written}");
}

/// Of a file it says `local source`.
fn from_a_file(folder: &Path) {
    fs::write(folder.join("a.html"), "<a href=#x>x</a>").unwrap();
    run(folder, "monolith", &["-q", "-o", "page.html", "a.html"]);
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("local source"));
    assert_eq!(base(&links(folder, &[]), "page.html"), ("", "none"));
}
