//! Style sheets in archives.

use std::ops::ControlFlow;

use absolve::Syntax;
use absolve_archive::warc::{Reader, RecordSelection};

use crate::warc::archive::{Run, gzip, page, record};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/css; charset=windows-1252\r\n";
const SHEET: &[u8] = b"@import 'x';\r\na{b:url(\"\xe9\")}";

fn sheet(header: &str) -> Vec<u8> {
    let block = [HEAD.as_bytes(), header.as_bytes(), b"\r\n", SHEET].concat();
    record("response", 1, "", &block)
}

#[test]
fn the_base_of_a_style_sheet_is_its_own_url() {
    let archive = sheet("Content-Base: http://i/\r\nBase: http://i/\r\n");
    for archive in [archive.clone(), gzip(&archive)] {
        let pages = Run::default().on(&archive).pages;
        assert_eq!(pages, ["@import 'http://h/1/x';\r\na{b:url(\"http://h/1/\u{fffd}\")}"]);
    }
}

#[test]
fn resources_and_conversions_can_be_style_sheets() {
    let fields = "Content-Type: text/css; charset=windows-1252\r\n";
    for kind in ["resource", "conversion"] {
        assert_eq!(Run::default().on(&record(kind, 1, fields, SHEET)).counts(), (1, 0));
    }
}

#[test]
fn style_sheets_can_be_left_out() {
    let archive = [sheet(""), page(2, "<a href=x>")].concat();
    let shown = |selection: RecordSelection| {
        let mut seen = Vec::new();
        let read = Reader::new(&archive[..]).select(selection).pages(|found| {
            seen.push(found.unwrap().syntax());
            ControlFlow::Continue(())
        });
        read.unwrap();
        seen
    };
    assert_eq!(shown(RecordSelection::default().media_type("text/html")), [Syntax::Html]);
    assert_eq!(shown(RecordSelection::default()), [Syntax::Css, Syntax::Html]);
    assert_eq!(shown(RecordSelection::default().media_type("text/css")), [Syntax::Css]);
}
