//! MHTML by Chromium, and in Chromium.

use std::fs;
use std::path::Path;

use absolve::{BaseSource, Rewriter};
use absolve_archive::Message;
use libtest_mimic::Trial;

use super::browser::{Browser, Dom, no_chromium};
use super::server::Server;
use super::trial::{no_program, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("MHTML by Chromium", &[no_chromium()], saved),
        trial("relative links in MHTML, in Chromium", &[no_chromium()], made_relative),
        trial(
            "MHTML by monolith, in Chromium",
            &[no_program("monolith"), no_chromium()],
            reads_pages_of_monolith,
        ),
    ]
}

fn read(file: &str) -> Message<'_> {
    Message::read(file.as_bytes(), &Rewriter::new()).unwrap()
}

/// The references of the links in all parts that are relative, with what they come to.
fn relative(file: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let shown = read(file).links(|_, link, _| {
        let url = link.url().unwrap();
        if url != link.reference() {
            found.push((link.reference().to_owned(), url.to_owned()));
        }
    });
    assert_eq!(shown.failures(), []);
    found
}

fn rewritten(file: &str) -> String {
    let message = read(file);
    let rewritten = message.rewrite().unwrap();
    let file = String::from_utf8(rewritten.into_bytes().into_owned()).unwrap();
    assert!(!read(&file).rewrite().unwrap().is_changed());
    file
}

/// Opens a message in Chromium, and returns its documents.
fn shown(browser: &mut Browser, folder: &Path, file: &str) -> Vec<Dom> {
    let path = folder.join("page.mhtml");
    fs::write(&path, file).unwrap();
    browser.open_file(&path);
    browser.look()
}

/// Chromium makes the links of what it saves absolute, in `text/html` parts that are
/// quoted-printable, UTF-8, and have a `Content-Location`, and puts `cid:` into the `src` of
/// frames. It leaves `style` attributes as they are.
fn saved(folder: &Path) {
    let server = Server::start();
    let mut browser = Browser::start();
    browser.open(&server.url_of("/index.html"));
    let live = browser.look();
    let file = browser.save();
    let message = read(&file);
    let mut bases = Vec::new();
    let sources = message.links(|part, link, _| {
        assert_eq!(link.base_source(), BaseSource::ContentLocation);
        bases.push(part.base().unwrap().as_str().to_owned());
    });
    // Two pages and a style sheet.
    assert_eq!((sources.summaries().len(), sources.failures()), (3, &[][..]));
    bases.dedup();
    assert_eq!(bases, ["/index.html", "/s.css", "/d/f.html"].map(|page| server.url_of(page)));
    // In a `style` attribute and in the style sheet.
    let image = || ("i.png".to_owned(), server.url_of("/i.png"));
    assert_eq!(relative(&file), [image(), image()]);
    let only = Rewriter::new().only("href").only("src");
    let message = Message::read(file.as_bytes(), &only).unwrap();
    assert!(!message.rewrite().unwrap().is_changed());

    let new = rewritten(&file);
    let opened = shown(&mut browser, folder, &new);
    assert_eq!(opened, live);
    assert_eq!(opened, shown(&mut browser, folder, &file));
}

/// Makes the links of the HTML parts relative to the folder that each is in, with no line
/// broken within one.
fn with_relative_links(file: &str, server: &Server) -> String {
    let boundary = file.split('"').find(|text| text.starts_with("----Multipart")).unwrap();
    let part = |part: &str| {
        if !part.contains("Content-Type: text/html") {
            return part.to_owned();
        }
        let (head, body) = part.split_once("\r\n\r\n").unwrap();
        let page = head.split("Content-Location: ").nth(1).unwrap().lines().next().unwrap();
        let folder = &page[..=page.rfind('/').unwrap()];
        let body = body.replace("=\r\n", "").replace(&format!("=3D\"{page}#"), "=3D\"#");
        let body = body.replace(&format!("=3D\"{folder}"), "=3D\"");
        format!("{head}\r\n\r\n{}", body.replace(&format!("=3D\"{}/", server.url), "=3D\"/"))
    };
    file.split(boundary).map(part).collect::<Vec<_>>().join(boundary)
}

fn made_relative(folder: &Path) {
    let server = Server::start();
    let mut browser = Browser::start();
    browser.open(&server.url_of("/index.html"));
    let live = browser.look();
    let saved = browser.save();
    let file = with_relative_links(&saved, &server);
    let found = relative(&file);
    let references: Vec<&str> = found.iter().map(|(reference, _)| &**reference).collect();
    let expected = [
        "s.css",
        "d/a.html#x",
        "#here",
        "i.png",
        "my%20d/caf%C3%A9.html",
        "i.png",
        "i.png",
        "e/g.html",
    ];
    assert_eq!(references, expected);
    // The base of a frame is its `cid:` in Chromium, which makes nothing absolute.
    let [page, frame] = &shown(&mut browser, folder, &file)[..] else { panic!() };
    assert_eq!((page, &*frame.links), (&live[0], &["e/g.html".to_owned()][..]));

    let new = rewritten(&file);
    // Style sheets of messages stay.
    assert_eq!(relative(&new), [("i.png".to_owned(), server.url_of("/i.png"))]);
    assert_eq!(shown(&mut browser, folder, &new), live);
}

/// monolith leaves the links of frames as they are.
fn reads_pages_of_monolith(folder: &Path) {
    let server = Server::start();
    run(folder, "monolith", &["-q", "-m", "-o", "page.mhtml", &server.url_of("/index.html")]);
    let file = fs::read_to_string(folder.join("page.mhtml")).unwrap();
    let new = rewritten(&file);
    let found = relative(&file);
    assert!(found.contains(&("e/g.html".to_owned(), server.url_of("/d/e/g.html"))), "{found:?}");
    assert_eq!(relative(&new), []);
    let mut browser = Browser::start();
    let (old, new) = (shown(&mut browser, folder, &file), shown(&mut browser, folder, &new));
    assert_eq!(old, new);
}
