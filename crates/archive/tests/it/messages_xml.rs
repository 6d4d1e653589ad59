//! XML parts of messages and MHTML files: XHTML, SVG, feeds.

use std::fmt::Write as _;

use absolve::Rewriter;
use absolve_archive::{Message, PartKind};

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg'><a href='x'/></svg>";

fn message(parts: &[(&str, &str)]) -> String {
    let mut text = "Content-Type: multipart/related; boundary=b\r\n\r\n".to_owned();
    for (header, body) in parts {
        write!(text, "--b\r\n{header}\r\nContent-Location: http://h/d/p\r\n\r\n{body}\r\n")
            .unwrap();
    }
    text + "--b--\r\n"
}

#[test]
fn xml_parts_are_rewritten_by_their_media_type() {
    for media_type in [
        "application/xhtml+xml",
        "image/svg+xml",
        "Application/Atom+XML",
        "application/rss+xml",
        "application/xml",
        "text/xml",
        "text/xsl",
    ] {
        let file = message(&[(&format!("Content-Type: {media_type}"), SVG)]);
        let rewriter = Rewriter::new();
        let message = Message::read(file.as_bytes(), &rewriter).unwrap();
        assert_eq!(message.parts().nth(1).unwrap().kind(), PartKind::Xml, "{media_type}");
        let result = message.rewrite().unwrap();
        let expected = file.replace("'x'", "'http://h/d/x'");
        assert_eq!(String::from_utf8_lossy(result.bytes()), expected);
        let mut seen = Vec::new();
        message.links(|part, link, spans| {
            let span = spans.reference.unwrap();
            assert_eq!(&file.as_bytes()[span], b"x");
            seen.push((part.number(), link.url().unwrap().to_owned()));
        });
        assert_eq!(seen, [(1, "http://h/d/x".to_owned())]);
    }
}

#[test]
fn a_part_in_us_ascii_has_no_other_bytes() {
    let file = message(&[("Content-Type: image/svg+xml; charset=us-ascii", "<svg>\u{e9}</svg>")]);
    let rewriter = Rewriter::new();
    let result = Message::read(file.as_bytes(), &rewriter).unwrap().rewrite().unwrap();
    let [failure] = result.summary().failures() else { panic!("{:?}", result.summary()) };
    let expected = "line 1, column 6: not well-formed XML: bytes that are not US-ASCII";
    assert_eq!(failure.to_string(), expected);
    assert_eq!(result.bytes(), file.as_bytes());
}

#[test]
fn parts_keep_their_transfer_encoding() {
    let header = "Content-Type: image/svg+xml\r\nContent-Transfer-Encoding: quoted-printable";
    let file = message(&[(header, &SVG.replace('=', "=3D"))]);
    let rewriter = Rewriter::new();
    let message = Message::read(file.as_bytes(), &rewriter).unwrap();
    let result = message.rewrite().unwrap();
    let text = String::from_utf8_lossy(result.bytes()).replace("=\r\n", "");
    assert!(text.contains("href=3D'http://h/d/x'"), "{text}");
}

#[test]
fn a_part_of_seven_bits_stays_so() {
    let rewriter = Rewriter::new().base_url("http://h/é/").unwrap();
    let file = format!("Content-Type: text/xml\r\n\r\n{SVG}");
    let message = Message::read(file.as_bytes(), &rewriter).unwrap();
    let result = message.rewrite().unwrap();
    assert!(result.bytes().is_ascii());
    let text = String::from_utf8_lossy(result.bytes());
    assert!(text.contains("'http://h/&#233;/x'"), "{text}");
}

#[test]
fn a_part_that_is_not_well_formed_stays() {
    let broken = SVG.replace("<a ", "\r\n <a><b");
    let (svg, xhtml) = ("Content-Type: image/svg+xml", "Content-Type: application/xhtml+xml");
    let file = message(&[(svg, SVG), (xhtml, &broken), (svg, SVG)]);
    let rewriter = Rewriter::new();
    let message = Message::read(file.as_bytes(), &rewriter).unwrap();
    let result = message.rewrite().unwrap();
    let failures = result.summary().failures();
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].part(), Some(2));
    assert!(failures[0].is_not_well_formed(), "{}", failures[0]);
    assert!(failures[0].to_string().starts_with("line 2, column 6: "), "{}", failures[0]);
    let text = String::from_utf8_lossy(result.bytes());
    assert!(text.contains(&broken) && text.matches("http://h/d/x").count() == 2, "{text}");
}
