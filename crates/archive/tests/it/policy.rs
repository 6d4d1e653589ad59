//! A policy replaces the links of documents, messages and archives alike.

use std::ops::ControlFlow;

use absolve::{Buffers, Engine, Policy, Rewriter};
use absolve_archive::Format;
use absolve_archive::warc::Reader;

/// Moves links to another host, and leaves those of `mailto:`.
fn rewriter() -> Rewriter {
    let policy = Policy::custom(|link| Some(link.url()?.replace("http://h/", "https://new/")));
    Rewriter::new().base_url("http://h/a/").unwrap().policy(policy)
}

const PAGE: &str = "<a href=b>b</a><img srcset='c 1x, /d 2x'><a href=mailto:x@y>x</a>";
const NEW: &str = "<a href=https://new/a/b>b</a><img srcset='https://new/a/c 1x, https://new/d 2x'><a href=mailto:x@y>x</a>";

#[test]
fn a_policy_replaces_links_of_documents() {
    let result = rewriter().rewrite(PAGE.as_bytes()).unwrap();
    assert_eq!(std::str::from_utf8(result.bytes()), Ok(NEW));
    assert_eq!((result.counts().rewritten, result.counts().absolute), (3, 1));
    let again = rewriter().rewrite(NEW.as_bytes()).unwrap();
    assert!(!again.is_changed());
    let tree = rewriter().engine(Engine::Dom).rewrite(PAGE.as_bytes()).unwrap();
    assert!(
        std::str::from_utf8(tree.bytes()).unwrap().contains("https://new/a/c 1x, https://new/d 2x")
    );
}

#[test]
fn a_policy_replaces_links_of_messages() {
    let head = "Content-Type: text/html\r\n\r\n";
    let file = format!("{head}{PAGE}");
    let mut buffers = Buffers::new();
    let result =
        absolve_archive::rewrite(file.as_bytes(), Format::Message, &rewriter(), &mut buffers)
            .unwrap();
    assert_eq!(std::str::from_utf8(result.bytes()), Ok(&*format!("{head}{NEW}")));
}

#[test]
fn a_policy_replaces_links_of_archives() {
    let head = "WARC/1.1\r\nWARC-Type: resource\r\nContent-Type: text/html\r\nWARC-Target-URI: http://h/a/\r\n";
    let archive = format!("{head}Content-Length: {}\r\n\r\n{PAGE}\r\n\r\n", PAGE.len());
    let mut new = Vec::new();
    let read = Reader::new(archive.as_bytes()).pages(|page| {
        let page = page.unwrap();
        new =
            page.rewriter(&rewriter()).rewrite(page.document()).unwrap().into_bytes().into_owned();
        ControlFlow::Continue(())
    });
    read.unwrap();
    assert_eq!(std::str::from_utf8(&new), Ok(NEW));
}
