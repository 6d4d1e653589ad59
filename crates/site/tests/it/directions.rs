//! Files that belong to a site.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use absolve::{Credentials, Direction, Form, Rewriter};
use absolve_files::{Globs, Symlinks};
use absolve_site::{Deployment, OpenedBy, Profile, Server, Site, SiteTargets};

/// The reference in a link becomes this one, and another run changes nothing.
#[track_caller]
fn link(rewriter: &Rewriter, reference: &str, expected: &str) {
    let link = |reference: &str| format!("<a href=\"{reference}\">");
    for reference in [reference, expected] {
        let page = link(reference);
        let result = rewriter.rewrite(page.as_bytes()).unwrap();
        assert_eq!(std::str::from_utf8(result.bytes()), Ok(&*link(expected)), "{reference}");
    }
}

fn rewriter(root: &Path, url: &str, opened_by: OpenedBy) -> Rewriter {
    let site = Site::walk(root, root, &Globs::default(), Symlinks::Followed).unwrap();
    let deployment = Deployment::parse(url).unwrap();
    let targets = SiteTargets::new(site, deployment, Server::new(Profile::Plain), opened_by);
    let direction = Direction::new(Form::Relative).targets(Arc::new(targets));
    let page = format!("{url}d/index.html");
    Rewriter::new().base_url(&page).unwrap().policy(direction.into())
}

/// A site with pages, and with names that mean something in URLs.
fn site(root: &Path) {
    fs::create_dir_all(root.join("d/e")).unwrap();
    for name in
        ["index.html", "a.html", "d/index.html", "d/b.html", "d/12:30.html", "d/e/index.html"]
    {
        fs::write(root.join(name), "").unwrap();
    }
    for name in ["d/what?.html", "d/50%.html", "d/a b.html", "d/new\nline.html", "d/caf\u{e9}.html"]
    {
        fs::write(root.join(name), "").unwrap();
    }
}

#[test]
fn user_and_password_of_the_base_url_are_no_other_site() {
    let folder = tempfile::tempdir().unwrap();
    site(folder.path());
    for opened_by in [OpenedBy::Server, OpenedBy::File] {
        let relative = rewriter(folder.path(), "http://u:p@h/dir/", opened_by);
        link(&relative, "http://h/dir/a.html", "../a.html");
        link(&relative, "/dir/d/b.html", "b.html");
        link(&relative, "http://h/dir/none.html", "http://h/dir/none.html");
        link(&relative, "http://u:p@h/dir/a.html", "http://u:p@h/dir/a.html");
        let keeps = relative.credentials(Credentials::Keep);
        link(&keeps, "http://h/dir/a.html", "../a.html");
        link(&keeps, "http://u:p@h/dir/a.html", "../a.html");
        link(&keeps, "http://u:q@h/dir/a.html", "http://u:q@h/dir/a.html");
        link(&keeps, "/dir/none.html", "http://u:p@h/dir/none.html");
    }
}

#[test]
fn a_host_with_a_dot_at_its_end_is_another() {
    let folder = tempfile::tempdir().unwrap();
    site(folder.path());
    let relative = rewriter(folder.path(), "http://h:81/", OpenedBy::Server);
    link(&relative, "http://h:81/a.html", "../a.html");
    link(&relative, "http://h.:81/a.html", "http://h.:81/a.html");
    let relative = rewriter(folder.path(), "http://h./", OpenedBy::Server);
    link(&relative, "http://h./a.html", "../a.html");
    link(&relative, "http://h/a.html", "http://h/a.html");
}

#[test]
fn names_are_found_and_never_read_as_something_else() {
    let folder = tempfile::tempdir().unwrap();
    site(folder.path());
    for opened_by in [OpenedBy::Server, OpenedBy::File] {
        let relative = rewriter(folder.path(), "http://h/", opened_by);
        let to = |reference, expected| link(&relative, reference, expected);
        to("http://h/d/12:30.html", "./12:30.html");
        to("./12:30.html", "./12:30.html");
        to("http://h/d/what%3F.html", "what%3F.html");
        to("http://h/d/50%25.html", "50%25.html");
        to("http://h/d/a%20b.html", "a%20b.html");
        to("http://h/d/new%0Aline.html", "new%0Aline.html");
        to("http://h/d/caf%C3%A9.html", "caf%C3%A9.html");
        to("../../../a.html", "http://h/../../a.html");
        to("http://h/d/%2e%2e/%2e%2e/a.html", "http://h/d/%2e%2e/%2e%2e/a.html");
        to("#f", "#f");
        to("", "");
    }
    let server = rewriter(folder.path(), "http://h/", OpenedBy::Server);
    link(&server, "?q", "?q");
    link(&server, "e/", "e/");
    link(&server, "what?.html", "http://h/d/what?.html");
    let file = rewriter(folder.path(), "http://h/", OpenedBy::File);
    link(&file, "?q", "?q");
    link(&file, "e/", "e/index.html");
    // A name that wget gives.
    link(&file, "what?.html", "what%3F.html");
}

/// Servers answer with it at any depth.
#[test]
fn the_page_for_missing_urls_has_links_from_the_root() {
    let folder = tempfile::tempdir().unwrap();
    site(folder.path());
    fs::write(folder.path().join("404.html"), "").unwrap();
    let at = |opened_by, page: &str| {
        rewriter(folder.path(), "http://h/s/", opened_by).base_url(page).unwrap()
    };
    let server = at(OpenedBy::Server, "http://h/s/404.html");
    for (reference, expected) in [
        ("a.html", "/s/a.html"),
        ("./", "/s/"),
        ("d/b.html?q#f", "/s/d/b.html?q#f"),
        ("#f", "#f"),
        ("", ""),
        ("none.html", "http://h/s/none.html"),
        ("/x", "http://h/x"),
    ] {
        link(&server, reference, expected);
    }
    link(&at(OpenedBy::Server, "http://h/s/d/404.html"), "b.html", "/s/d/b.html");
    link(&at(OpenedBy::Server, "http://h/s/a404.html"), "/s/a.html", "a.html");
    link(&at(OpenedBy::File, "http://h/s/404.html"), "/s/d/", "d/index.html");
}

/// Servers and the audit follow them.
#[test]
fn symbolic_links_are_files_of_the_site() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("site");
    site(&root);
    fs::write(folder.path().join("outside.html"), "").unwrap();
    symlink("../outside.html", root.join("out.html")).unwrap();
    symlink("../nowhere.html", root.join("broken.html")).unwrap();
    let relative = rewriter(&root, "http://h/", OpenedBy::Server);
    link(&relative, "/out.html", "../out.html");
    link(&relative, "/broken.html", "http://h/broken.html");
}

#[test]
fn queries_with_slashes_have_the_names_that_wget_gives() {
    let folder = tempfile::tempdir().unwrap();
    site(folder.path());
    for name in ["list?u=%2Fa.html", "list?v=%2Fa", "d/index.html?x=%2Fy"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let relative = rewriter(folder.path(), "http://h/", OpenedBy::File);
    link(&relative, "/list?u=/a", "../list%3Fu=%252Fa.html");
    link(&relative, "/list?v=%2Fa", "../list%3Fv=%252Fa");
    link(&relative, "/d/?x=/y", "index.html%3Fx=%252Fy");
    link(&relative, "http:b.html", "b.html");
}

#[test]
fn a_name_with_encoded_characters_is_that_of_the_decoded_url() {
    let folder = tempfile::tempdir().unwrap();
    site(folder.path());
    fs::create_dir(folder.path().join("d%3Ae")).unwrap();
    for name in [
        "File%3AX.html",
        "caf%C3%A9.html",
        "CS%2061B.mp4",
        "list%3fid=1",
        "q@u=http%3A%2F%2Fx.html",
        "a:b",
        "a%3Ab",
        "d%3Ae/index.html",
        "x%2Fy%3Az",
        "aA.html",
        "p?self=1.html",
        "p.html",
        "%2E%2E",
    ] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let file = rewriter(folder.path(), "http://h/", OpenedBy::File);
    link(&file, "/File:X", "../File%253AX.html");
    link(&file, "/File:X.html?q#f", "../File%253AX.html?q#f");
    link(&file, "/caf%C3%A9", "../caf%25C3%25A9.html");
    link(&file, "/CS%2061B.mp4", "../CS%252061B.mp4");
    link(&file, "/list?id=1", "../list%253fid=1");
    link(&file, "/q?u=http://x", "../q@u=http%253A%252F%252Fx.html");
    link(&file, "/a:b", "../a:b");
    link(&file, "/a%253Ab", "../a%253Ab");
    link(&file, "/d:e/", "../d%253Ae/index.html");
    link(&file, "/x%2fy:z", "../x%252Fy%253Az");
    // wget decodes twice.
    link(&file, "/a%2541", "../aA.html");
    // wget adds an extension to the name of the page, and to that with a query.
    link(&file, "/p.html?self=1", "../p%3Fself=1.html");
    link(&file, "/File:Y", "http://h/File:Y");
    let server = rewriter(folder.path(), "http://h/", OpenedBy::Server);
    link(&server, "/File:X.html", "../File%253AX.html");
    link(&server, "/File:X", "http://h/File:X");
    link(&server, "/d:e", "../d%253Ae/index.html");
}

#[test]
fn a_base_after_an_empty_segment_is_another() {
    let folder = tempfile::tempdir().unwrap();
    site(folder.path());
    let relative = rewriter(folder.path(), "http://h/base/", OpenedBy::Server);
    link(&relative, "http://h//base/d/b.html", "http://h//base/d/b.html");
    link(&relative, "http://h/base/d/b.html", "b.html");
    link(&relative, "http://h/x/../base/d/b.html", "b.html");
}
