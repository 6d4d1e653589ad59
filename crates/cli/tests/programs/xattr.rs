//! Programs that write the URL of a file into its extended attribute: wget and curl.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use super::links::{absolve, base, links, urls};
use super::server::Server;
use super::trial::{no_program, no_xattrs, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let wget = [no_program("wget"), no_xattrs()];
    vec![
        trial("a mirror by wget -r -k -K --xattr", &wget, mirrored),
        trial("a page by wget -k -K --xattr", &wget, converted),
        trial("a page by wget -E -k -K --xattr", &wget, renamed),
        trial("a page by wget --xattr", &wget, fetched),
        trial("a page by curl --xattr", &[no_program("curl"), no_xattrs()], fetched_by_curl),
    ]
}

const ATTRIBUTE: &str = "user.xdg.origin.url";

fn attribute(path: &Path) -> Option<String> {
    let value = ::xattr::get(path, ATTRIBUTE).unwrap();
    value.map(|value| String::from_utf8(value).unwrap())
}

/// `-k` makes links relative to where the files lie, which is as the server has them, and
/// writes the page as a new file, which has no attribute; `-K` keeps what it was as `.orig`,
/// which has one. Quotes come around values, and a `base` element is emptied.
fn mirrored(folder: &Path) {
    let server = Server::start();
    let url = server.url_of("/index.html");
    run(folder, "wget", &["-q", "-r", "-k", "-K", "--xattr", &url]);
    let found = links(folder, &[]);
    let host = server.url.strip_prefix("http://").unwrap();
    for (path, name) in [
        ("/index.html", "/index.html"),
        ("/d/a.html", "/d/a.html"),
        ("/d/f.html", "/d/f.html"),
        ("/based.html", "/based.html"),
        ("/d/e/g.html", "/d/e/g.html"),
        ("/my%20d/caf%C3%A9.html", "/my d/caf\u{e9}.html"),
    ] {
        let file = format!("{host}{name}");
        let url = server.url_of(path);
        assert_eq!(attribute(&folder.join(&file)), None, "{file}");
        assert_eq!(attribute(&folder.join(format!("{file}.orig"))), Some(url.clone()), "{file}");
        assert_eq!(base(&found, &file), (&*url, "xattr"), "{file}");
        assert_eq!(urls(&found, &file), server.links_of(path), "{file}");
    }
    let page = fs::read_to_string(folder.join(format!("{host}/d/a.html"))).unwrap();
    assert!(page.contains("href=\"e/g.html\""), "{page}");
    let page = fs::read_to_string(folder.join(format!("{host}/based.html"))).unwrap();
    assert!(page.contains("<base href=\"\" "), "{page}");
    absolve(folder, &["rewrite", "-w", "."]);
    let page = fs::read_to_string(folder.join(format!("{host}/d/a.html"))).unwrap();
    assert!(page.contains(&format!("href=\"{}\"", server.url_of("/d/e/g.html"))), "{page}");
    assert_eq!(absolve(folder, &["rewrite", "--check", "-l", "."]), "");
}

/// Of one page, `-k` makes every link absolute.
fn converted(folder: &Path) {
    let server = Server::start();
    run(folder, "wget", &["-q", "-k", "-K", "--xattr", &server.url_of("/d/a.html")]);
    let found = links(folder, &[]);
    assert_eq!(base(&found, "a.html"), (&*server.url_of("/d/a.html"), "xattr"));
    assert_eq!(urls(&found, "a.html"), server.links_of("/d/a.html"));
    assert_eq!(absolve(folder, &["rewrite", "--check", "-l", "."]), "");
}

/// `-E` puts `.html` after the name, and `-K` puts `.orig` in its place.
fn renamed(folder: &Path) {
    let server = Server::start();
    let url = server.url_of("/d/f.html?x=y");
    run(folder, "wget", &["-q", "-E", "-k", "-K", "--xattr", &url]);
    assert_eq!(attribute(&folder.join("f.html?x=y.orig")), Some(url.clone()));
    assert_eq!(base(&links(folder, &[]), "f.html?x=y.html"), (&*url, "xattr"));
}

fn fetched(folder: &Path) {
    let server = Server::start();
    is_as_served(folder, &server, &["wget", "-q", "--xattr"]);
}

fn fetched_by_curl(folder: &Path) {
    let server = Server::start();
    is_as_served(folder, &server, &["curl", "-s", "--xattr", "-O"]);
}

fn is_as_served(folder: &Path, server: &Server, command: &[&str]) {
    let url = server.url_of("/d/a.html");
    run(folder, command[0], &[&command[1..], &[&url]].concat());
    assert_eq!(attribute(&folder.join("a.html")), Some(url.clone()));
    let found = links(folder, &[]);
    assert_eq!(base(&found, "a.html"), (&*url, "xattr"));
    assert_eq!(urls(&found, "a.html"), server.links_of("/d/a.html"));
}
