//! Rows of the table: a path, and what each server answers.

use super::*;

use crate::site::deployment::{Deployment, Location};
use crate::site::files::Files;

fn shown(answer: Answer) -> String {
    let with = |what: &str, path: Vec<u8>| format!("{what}{}", String::from_utf8_lossy(&path));
    match answer {
        Answer::File(path) => with("", path),
        Answer::RedirectsToSlash(path) => with("slash ", path),
        Answer::CaseDiffers(path) => with("case ", path),
        Answer::Redirect { to, line, .. } => {
            format!("to {to}{}", line.map(|line| format!(" by {line}")).unwrap_or_default())
        }
        Answer::Proxied { to, line } => format!("proxy {to} by {line}"),
        Answer::BrokenRewrite { to, line } => format!("broken {to} by {line}"),
        Answer::FolderWithoutIndex(path) => with("no index in ", path),
        Answer::Missing => "missing".to_owned(),
    }
}

fn answer(server: &Server, files: &Files, path: &str) -> String {
    let root = Deployment::default();
    let url = format!("{}{path}", root.base());
    let Location::Inside { path, has_trailing_slash, query, .. } = root.locate(&url) else {
        panic!("{url}")
    };
    shown(server.answer(files, &path, has_trailing_slash, query))
}

/// The site of <https://github.com/slorber/trailing-slash-guide>, and more.
fn site() -> Files {
    Files::of(&[
        "index.html",
        "file.html",
        "folder/index.html",
        "both.html",
        "both/index.html",
        "old/index.htm",
        "xml/index.xhtml",
        "short/index.xht",
        "listed/x.png",
        "Docs/Page.html",
    ])
}

#[track_caller]
fn answers(path: &str, expected: [&str; 4]) {
    for (profile, expected) in Profile::ALL.iter().zip(expected) {
        assert_eq!(answer(&Server::new(*profile), &site(), path), expected, "{profile} {path}");
    }
}

#[test]
fn each_server_answers_in_its_way() {
    //       path                plain, GitHub Pages, Netlify, file
    answers("", ["index.html", "index.html", "index.html", "no index in "]);
    answers("file", ["missing", "file.html", "file.html", "missing"]);
    answers("file/", ["missing", "missing", "to /file", "missing"]);
    answers("file.html", ["file.html"; 4]);
    answers("file.html/", ["missing"; 4]);
    let slash = "slash folder/index.html";
    answers("folder", [slash, slash, slash, "no index in folder"]);
    let index = "folder/index.html";
    answers("folder/", [index, index, index, "no index in folder"]);
    answers("folder/index.html", [index; 4]);
    answers("both", ["slash both/index.html", "both.html", "both.html", "no index in both"]);
    let index = "both/index.html";
    answers("both/", [index, index, "to /both", "no index in both"]);
    answers("both.html", ["both.html"; 4]);
    answers("both/index.html", [index; 4]);
    let none = "no index in old";
    answers("old/", ["old/index.htm", none, none, none]);
    let none = "no index in xml";
    answers("xml/", ["xml/index.xhtml", none, none, none]);
    let none = "no index in short";
    answers("short/", ["short/index.xht", none, none, none]);
    answers("listed", ["no index in listed"; 4]);
    answers("listed/", ["no index in listed"; 4]);
    answers("nothing", ["missing"; 4]);
    answers("nothing/", ["missing"; 4]);
    answers("file.html?x#y", ["file.html"; 4]);
    answers("docs/page.html", ["missing", "missing", "case Docs/Page.html", "missing"]);
    answers("docs/page", ["missing", "missing", "case Docs/Page.html", "missing"]);
    answers("Docs/Page", ["missing", "Docs/Page.html", "Docs/Page.html", "missing"]);
    answers("FOLDER", ["missing", "missing", "case folder/index.html", "missing"]);
    answers("FILE/", ["missing", "missing", "case file.html", "missing"]);
    answers("a%2Fb", ["missing"; 4]);
    answers("folder//index.html", ["folder/index.html"; 4]);
}

#[test]
fn each_rule_is_set_by_itself() {
    let plain = Server::new(Profile::Plain);
    let index = plain.clone().with_index(vec!["x.png".to_owned(), "index.html".to_owned()]);
    assert_eq!(answer(&index, &site(), "listed/"), "listed/x.png");
    assert_eq!(index.index(), ["x.png", "index.html"]);
    let extensionless = plain.clone().with_extensionless(Extensionless::Served);
    assert_eq!(answer(&extensionless, &site(), "file"), "file.html");
    assert_eq!(answer(&extensionless, &site(), "file/"), "missing");
    let case = plain.with_case(Case::Ignored);
    assert_eq!(answer(&case, &site(), "FILE.html"), "case file.html");
}

#[track_caller]
fn redirects(text: &str, path: &str, expected: &str) {
    let server = Server::new(Profile::Netlify).with_redirects(Redirects::parse(text));
    assert!(server.redirects().problems().is_empty(), "{text}");
    assert_eq!(answer(&server, &site(), path), expected, "{path} by {text}");
}

#[test]
fn redirects_are_answered() {
    redirects("/a /file", "a", "to /file by 1");
    redirects("/a /file", "a/", "to /file by 1");
    redirects("/a/* /:splat 302", "a/b/c", "to /b/c by 1");
    redirects("\n/a https://h/ 301", "a", "to https://h/ by 2");
    redirects("/a /gone 404", "a", "missing");
    redirects("/listed /file", "listed", "to /file by 1");
}

#[test]
fn a_file_goes_before_a_rule_that_is_not_forced() {
    redirects("/* /index.html 200", "file.html", "file.html");
    redirects("/* /index.html 200", "a/b", "index.html");
    redirects("/file /a", "file", "file.html");
    redirects("/file /a 301!", "file", "to /a by 1");
    redirects("/file /a\n/file /b 301!", "file", "to /b by 2");
    redirects("/folder /a", "folder", "slash folder/index.html");
}

#[test]
fn a_rewriting_answers_with_what_is_there() {
    redirects("/a /file 200", "a", "file.html");
    redirects("/a /folder 200", "a", "folder/index.html");
    redirects("/a /gone 200", "a", "broken /gone by 1");
    redirects("/a /b 200\n/b /file 301", "a", "broken /b by 1");
    redirects("/* /index.html 200!", "file.html", "index.html");
    redirects("/a https://h/ 200", "a", "proxy https://h/ by 1");
    redirects("/a /.netlify/functions/f 200", "a", "proxy /.netlify/functions/f by 1");
}

#[test]
fn a_condition_counts_where_nothing_else_does() {
    redirects("/a /de 302 Country=de", "a", "to /de by 1");
    redirects("/a /de 302 Country=de\n/a /en", "a", "to /en by 2");
    redirects("/file /de 302! Country=de", "file", "file.html");
}

#[test]
fn a_profile_has_one_name() {
    for profile in Profile::ALL {
        assert_eq!(profile.name().parse(), Ok(*profile));
    }
    assert_eq!("apache".parse::<Profile>(), Err(UnknownProfile));
    assert_eq!(Profile::Netlify.redirects_file(), Some("_redirects"));
    assert_eq!(Profile::Plain.redirects_file(), None);
}
