//! Records of an archive, as `warc::read` shows them.

use std::ops::ControlFlow;

use absolve::Rewriter;
use absolve_archive::warc::{ArchiveLimits, Reader, RecordProblem};

use crate::warc::archive::{gzip, other, page, record};

#[test]
fn every_document_is_shown_with_its_place_and_its_base() {
    let resource =
        record("resource", 2, "Content-Type: text/html; charset=big5\r\n", b"<a href=y>");
    let archive = [gzip(&page(0, "<a href=x>")), other(1, b""), resource].concat();
    let mut seen = Vec::new();
    let result = Reader::new(&archive[..]).pages(|found| {
        let page = found.unwrap();
        let rewriter = page.rewriter(&Rewriter::new());
        let summary = rewriter.links(page.document(), |link| {
            let id = page.record().headers().text("WARC-Record-ID").unwrap().into_owned();
            seen.push(format!("{} {id} {}", page.position(), link.url().unwrap()));
        });
        seen.push(summary.unwrap().encoding().name().to_owned());
        seen.push(page.base().1.to_string());
        ControlFlow::Continue(())
    });
    assert!(result.is_ok());
    let third = gzip(&page(0, "<a href=x>")).len() + other(1, b"").len();
    let first = ["@0 <urn:test:0> http://h/0/x", "UTF-8", "target-uri"];
    let third = [&format!("@{third} <urn:test:2> http://h/2/y"), "Big5", "target-uri"];
    assert_eq!(seen, [first, third].concat());
}

#[test]
fn a_page_has_the_fields_of_its_record_and_its_response() {
    let block = b"HTTP/1.1 404 Not Found\r\nContent-Type: Text/HTML\r\nVary: a\r\n\r\n<p>";
    let archive = [record("response", 0, "", block), record("resource", 1, "", b"<p>")].concat();
    let mut seen = Vec::new();
    let result = Reader::new(&archive[..]).pages(|found| {
        let page = found.unwrap();
        let headers = page.http_headers();
        let vary = headers.as_ref().and_then(|headers| headers.text("Vary"));
        let (url, date) = (page.url().unwrap(), page.date().unwrap_or_default());
        seen.push(format!("{url} {date} {:?} {} {vary:?}", page.status(), page.media_type()));
        ControlFlow::Continue(())
    });
    assert!(result.is_ok());
    let first = "http://h/0/ 2020-01-01T00:00:00Z Some(404) text/html Some(\"a\")";
    assert_eq!(seen, [first, "http://h/1/ 2020-01-01T00:00:00Z None text/html None"]);
}

#[test]
fn spaces_in_a_target_uri_are_encoded() {
    let archive = String::from_utf8(page(0, "<a href=b>")).unwrap();
    let archive = archive.replace("http://h/0/", "http://h/my page/x");
    let mut urls = Vec::new();
    let result = Reader::new(archive.as_bytes()).pages(|found| {
        let page = found.unwrap();
        let rewriter = page.rewriter(&Rewriter::new());
        let links =
            rewriter.links(page.document(), |link| urls.extend(link.url().map(str::to_owned)));
        assert!(links.is_ok());
        ControlFlow::Continue(())
    });
    assert!(result.is_ok());
    assert_eq!(urls, ["http://h/my%20page/b"]);
}

#[test]
fn problems_are_shown_in_their_place() {
    let archive = [page(0, ""), b"junk".to_vec(), b"\n".to_vec(), page(1, "")].concat();
    let mut seen = Vec::new();
    let result = Reader::new(&archive[..]).pages(|found| {
        seen.push(match found {
            Ok(page) => page.position().offset,
            Err(entry) => {
                assert_ne!(entry.problem, RecordProblem::TooLarge);
                entry.position.offset
            }
        });
        ControlFlow::Continue(())
    });
    assert!(result.is_ok());
    let first = page(0, "").len() as u64;
    assert_eq!(seen, [0, first, first + 5]);
}

#[test]
fn documents_are_worked_on_in_threads_and_come_in_order() {
    let mut archive = Vec::new();
    for number in 0..200 {
        let junk = if number % 7 == 0 { &b"junk\n"[..] } else { b"" };
        archive.extend([&gzip(&page(number, "<a href=x>")), junk].concat());
    }
    let (mut shown, mut seen) = (Vec::new(), Vec::new());
    Reader::new(&archive[..])
        .pages(|found| {
            shown.push(found.map_or_else(|entry| entry.position, |page| page.position()));
            ControlFlow::Continue(())
        })
        .unwrap();
    let jobs = absolve_archive::jobs::Workers::new(3);
    Reader::new(&archive[..])
        .pages_in_order(
            &jobs,
            |_, found| found.map_or_else(|entry| entry.position, |page| page.position()),
            |again, place| {
                let shown = again.show(|found| found.is_ok_and(|page| page.position() == place));
                assert_eq!((again.position(), shown), (place, seen.len() % 8 != 1), "{place}");
                seen.push(place);
                if seen.len() == 225 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        )
        .unwrap();
    assert_eq!((shown.len(), seen.len()), (229, 225));
    assert_eq!(seen, shown[..225]);
}

/// The encoding of the only page, and its first link.
fn encoding_and_link(archive: &[u8]) -> (String, String) {
    let mut found = None;
    let read = Reader::new(archive).pages(|page| {
        let page = page.unwrap();
        let mut url = None;
        let shown = page.rewriter(&Rewriter::new()).links(page.document(), |link| {
            url.get_or_insert_with(|| link.reference().to_owned());
        });
        found = Some((shown.unwrap().encoding().name().to_owned(), url.unwrap()));
        ControlFlow::Continue(())
    });
    read.unwrap();
    found.unwrap()
}

#[test]
fn the_charset_of_the_http_header_counts() {
    let block =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=shift_jis\r\n\r\n<a href=\x83\x5c>";
    let found = encoding_and_link(&record("response", 0, "", block));
    assert_eq!(found, ("Shift_JIS".to_owned(), "\u{30bd}".to_owned()));
}

#[test]
fn a_late_declaration_counts_where_the_http_header_has_no_charset() {
    let response = |header: &str, link: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html{header}\r\n\r\n<!--");
        let end = b"--><meta charset=shift_jis><a href=";
        [head.as_bytes(), &[b'x'; 1100], end, link, b">"].concat()
    };
    for (header, charset) in [("", "Shift_JIS"), ("; charset=latin1", "windows-1252")] {
        let archive = record("response", 0, "", &response(header, b"\x83\x5c.png"));
        assert_eq!(encoding_and_link(&archive).0, charset, "{header}");
    }
}

#[test]
fn what_there_is_for_each_url_is_shown() {
    let moved = record("response", 1, "", b"HTTP/1.1 302 Found\r\nLocation: ../2\r\n\r\n");
    let large = record("resource", 2, "Content-Type: text/html\r\n", &[b'x'; 400]);
    let members = [gzip(&[page(0, ""), moved].concat()), b"junk\n".to_vec(), gzip(&large)];
    let mut seen = Vec::new();
    let mut bounds = ArchiveLimits::default();
    bounds.record = 300;
    let result = Reader::new(&members.concat()[..]).limits(bounds).captures(|found| {
        let Ok(capture) = found else {
            seen.push(found.unwrap_err().problem.to_string());
            return ControlFlow::Continue(());
        };
        let location = capture.location.unwrap_or_default();
        let status = capture.status.unwrap_or_default();
        seen.push(format!("{} {status} {location} {}", capture.url, capture.syntax.is_some()));
        assert_eq!(capture.position.within > 0, status == 302);
        ControlFlow::Continue(())
    });
    assert!(result.is_ok());
    assert_eq!(
        seen,
        [
            "http://h/0/ 200  true",
            "http://h/1/ 302 ../2 false",
            "expected a record that begins with WARC/",
            "http://h/2/ 0  false"
        ]
    );
}
