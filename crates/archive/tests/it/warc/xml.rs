//! XML documents in archives: XHTML, SVG, feeds.

use std::ops::ControlFlow;

use absolve::Syntax;
use absolve_archive::warc::Reader;

use crate::warc::archive::{Run, gzip, record};

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg'><a href='x'/></svg>";
const XHTML: &str =
    "<html xmlns='http://www.w3.org/1999/xhtml'><script src='x'/><a href='y'/></html>";
const ATOM: &str =
    "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='c/'><link href='x'/></feed>";
const RSS: &str = "<rss><channel><link>x</link></channel></rss>";

fn make_response(content_type: &str, header: &str, body: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n{header}\r\n{body}");
    record("response", 2, "", block.as_bytes())
}

#[test]
fn xml_is_read_by_its_media_type() {
    for (media_type, source) in [
        ("application/xhtml+xml", XHTML),
        ("image/svg+xml", SVG),
        ("application/atom+xml", ATOM),
        ("application/rss+xml", RSS),
        ("Application/XML", ATOM),
        ("text/xml", SVG),
    ] {
        let archive = make_response(&format!("{media_type}; charset=utf-8"), "", source);
        for archive in [archive.clone(), gzip(&archive)] {
            let [new] = &Run::default().on(&archive).pages[..] else { panic!("{media_type}") };
            assert!(new.contains("http://h/2/"), "{new}");
        }
        let mut seen = Vec::new();
        let read = Reader::new(&archive[..]).pages(|page| {
            seen.push(page.unwrap().syntax());
            ControlFlow::Continue(())
        });
        read.unwrap();
        assert_eq!(seen, [Syntax::Xml]);
    }
}

#[test]
fn the_header_gives_the_base_and_the_encoding() {
    let header = "Content-Base: http://i/\r\n";
    let source = format!("<?xml version='1.0' encoding='koi8-r'?>{SVG}");
    let archive = make_response("image/svg+xml; charset=utf-8", header, &source);
    assert_eq!(Run::default().on(&archive).pages, [source.replace("'x'", "'http://i/x'")]);
}
