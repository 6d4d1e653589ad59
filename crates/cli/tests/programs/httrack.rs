//! Mirrors by `HTTrack`.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use super::links::{absolve, base, links, urls};
use super::server::Server;
use super::trial::{no_program, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("a mirror by HTTrack", &[no_program("httrack")], mirrored)]
}

/// `HTTrack` makes links relative to where the files lie, in a folder named by host and
/// port. It writes its comment twice, after the tag `<html>` and before `</html>`, and not
/// at all where there is no such tag. In the comment is neither the scheme nor an escaped
/// space, and it is UTF-8 in a page of any encoding. A `base` element stays as it is, with
/// the links that go by it.
fn mirrored(folder: &Path) {
    let server = Server::start();
    // Quiet, no top index, no robots.txt, and as fast as the machine is.
    let options = ["-q", "-I0", "-s0", "-c8", "-A100000000"];
    run(folder, "httrack", &[&options[..], &["-O", ".", &server.url_of("/index.html")]].concat());
    let host = server.url.strip_prefix("http://").unwrap().replace(':', "_");
    let found = links(folder, &[]);
    for (path, name, url) in [
        ("/index.html", "/index.html", "/index.html"),
        ("/d/a.html", "/d/a.html", "/d/a.html"),
        ("/d/e/g.html", "/d/e/g.html", "/d/e/g.html"),
        ("/based.html", "/based.html", "/based.html"),
        ("/my%20d/caf%C3%A9.html", "/my d/caf\u{e9}.html", "/my%20d/caf\u{e9}.html"),
    ] {
        let file = format!("{host}{name}");
        let page = fs::read(folder.join(&file)).unwrap();
        let comments = String::from_utf8_lossy(&page).matches("<!-- Mirrored from ").count();
        assert_eq!(comments, 2, "{file}");
        assert_eq!(base(&found, &file), (&*server.url_of(url), "httrack"), "{file}");
        let escaped: Vec<_> =
            urls(&found, &file).iter().map(|url| url.replace("%c3%a9", "%C3%A9")).collect();
        assert_eq!(escaped, server.links_of(path), "{file}");
    }
    let silent = format!("{host}/d/f.html");
    assert_eq!(base(&found, &silent), ("", "none"));
    let by_layout = links(folder, &["--layout", "host-path"]);
    assert_eq!(base(&by_layout, &silent), (&*server.url_of("/d/f.html"), "layout"));
    assert_eq!(urls(&by_layout, &silent), server.links_of("/d/f.html"));

    absolve(folder, &["rewrite", "-w", "."]);
    let page = fs::read_to_string(folder.join(format!("{host}/d/a.html"))).unwrap();
    assert!(page.contains(&format!("href={}", server.url_of("/d/e/g.html"))), "{page}");
    assert_eq!(absolve(folder, &["rewrite", "--check", "-l", "."]), "");
}
