//! XML documents in archives: XHTML, SVG, feeds.

use std::ops::ControlFlow;

use absolve::Syntax;
use absolve::container::warc::Reader;

use crate::warc::archive::{Run, field, gzip, heads, record, records};

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg'><a href='x'/></svg>";
const XHTML: &str =
    "<html xmlns='http://www.w3.org/1999/xhtml'><script src='x'/><a href='y'/></html>";
const ATOM: &str =
    "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='c/'><link href='x'/></feed>";
const RSS: &str = "<rss><channel><link>x</link></channel></rss>";

fn of_type(content_type: &str, header: &str, body: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n{header}\r\n{body}");
    record("response", 2, "", block.as_bytes())
}

#[test]
fn xml_is_rewritten_by_its_media_type() {
    let absolute = "http://h/2/";
    for (media_type, source) in [
        ("application/xhtml+xml", XHTML),
        ("image/svg+xml", SVG),
        ("application/atom+xml", ATOM),
        ("application/rss+xml", RSS),
        ("Application/XML", ATOM),
        ("text/xml", SVG),
    ] {
        let archive = of_type(&format!("{media_type}; charset=utf-8"), "", source);
        for archive in [archive.clone(), gzip(&archive)] {
            let came = Run::in_place().on(&archive);
            assert_eq!((came.totals.rewritten, came.totals.failed), (1, 0), "{:?}", came.reports);
            let again = Run::in_place().on(&came.archive);
            assert!(again.archive == came.archive, "{:?}", again.reports);
        }
        let came = Run::default().on(&archive);
        assert!(came.archive.starts_with(&archive));
        let (kind, new) = records(&came.archive).pop().unwrap();
        let new = String::from_utf8(new).unwrap();
        assert!(kind == "conversion" && new.contains(absolute), "{new}");
        let expected = format!("{}; charset=utf-8", media_type.to_ascii_lowercase());
        let content_type = field(&heads(&came.archive)[1], "Content-Type");
        assert_eq!(content_type.as_deref(), Some(&*expected));
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
    let archive = of_type("image/svg+xml; charset=utf-8", header, &source);
    let came = Run::default().on(&archive);
    let (_, new) = records(&came.archive).pop().unwrap();
    let expected = source.replace("'x'", "'http://i/x'");
    assert_eq!(String::from_utf8(new).unwrap(), expected);
    let content_type = field(&heads(&came.archive)[1], "Content-Type");
    assert_eq!(content_type.as_deref(), Some("image/svg+xml; charset=utf-8"));
}

#[test]
fn a_record_that_is_not_well_formed_stays() {
    let broken = of_type("image/svg+xml", "", &SVG.replace("<a ", "\n <b><a "));
    let archive = [of_type("image/svg+xml", "", SVG), broken, of_type("text/xml", "", RSS)];
    for run in [Run::default(), Run::in_place()] {
        let came = run.on(&archive.concat());
        assert_eq!((came.totals.rewritten, came.totals.failed), (2, 1), "{:?}", came.reports);
        let bytes = &archive[1];
        assert!(came.archive.windows(bytes.len()).any(|window| window == bytes));
        let why = came.reports.iter().find(|report| report.contains("well-formed")).unwrap();
        assert!(why.contains("line 2, column "), "{why}");
    }
}

#[test]
fn errors_are_rewritten_with_all_statuses_alone() {
    let gone = String::from_utf8(of_type("application/xhtml+xml", "", XHTML)).unwrap();
    let gone = gone.replace("200 OK", "404 No");
    let came = Run::default().on(gone.as_bytes());
    assert_eq!((came.totals.rewritten, came.totals.copied), (0, 1), "{:?}", came.reports);
    let statuses = absolve::container::warc::Statuses::All;
    let came = Run { statuses, ..Run::default() }.on(gone.as_bytes());
    assert_eq!(came.totals.rewritten, 1, "{:?}", came.reports);
}
