//! [RFC 1808 section 3](https://www.rfc-editor.org/rfc/rfc1808#section-3) as a table: the
//! base URL of a document is that of the innermost layer that has one, whichever of them do.
//!
//! Each case is a set of layers that have a base URL, and every set is tried.

use std::ops::ControlFlow;

use absolve::Rewriter;
use absolve_archive::Message;
use absolve_archive::warc::Reader;

/// A layer: its host, and where the base URL is said to come from if it counts.
type Layer = (&'static str, &'static str);

/// Tries every set of layers, from the outermost to the innermost. `links` gives what the
/// link `x` resolves to and where its base came from, if the layers of the set are there.
fn each_beats_those_below(
    layers: &[Layer],
    links: impl Fn(&dyn Fn(&str) -> bool) -> (Option<String>, String),
) {
    for set in 0..1_u32 << layers.len() {
        let has = |host: &str| {
            let at = layers.iter().position(|(name, _)| *name == host).unwrap();
            set & 1 << at != 0
        };
        let innermost = layers.iter().rev().find(|(host, _)| has(host));
        let expected = match innermost {
            Some((host, source)) => (Some(format!("http://{host}/x")), (*source).to_owned()),
            None => (None, "none".to_owned()),
        };
        let there: Vec<_> = layers.iter().map(|(host, _)| *host).filter(|host| has(host)).collect();
        assert_eq!(links(&has), expected, "{there:?}");
    }
}

fn given(has: &dyn Fn(&str) -> bool) -> Rewriter {
    let rewriter = Rewriter::new();
    if has("given") { rewriter.base_url("http://given/").unwrap() } else { rewriter }
}

/// A text, if its layer is there.
fn part(has: &dyn Fn(&str) -> bool, host: &str, text: &str) -> String {
    if has(host) { text.replace("HOST", host) } else { String::new() }
}

/// A message in a part of a message, three deep, and a document in it.
#[test]
fn the_innermost_layer_of_a_message_counts() {
    let layers = [
        ("given", "retrieval-url"),
        ("outer", "enclosing"),
        ("middle", "enclosing"),
        ("inner", "enclosing"),
        ("header", "base-header"),
        ("location", "content-location"),
        ("content", "content-base"),
        ("element", "base-element"),
    ];
    each_beats_those_below(&layers, |has| {
        let part = |host: &str, text: &str| part(has, host, text);
        let file = [
            "Content-Type: multipart/mixed; boundary=a\n",
            &part("outer", "Base: <URL:http://HOST/>\n"),
            "\n--a\nContent-Type: message/rfc822\n\nSubject: middle\n",
            &part("middle", "Content-Location: http://HOST/page\n"),
            "Content-Type: multipart/related; boundary=b\n\n--b\n",
            &part("inner", "Content-Base: http://HOST/\n"),
            "Content-Type: multipart/alternative; boundary=c\n\n--c\nContent-Type: text/html\n",
            &part("header", "Base: <URL:http://HOST/>\n"),
            &part("location", "Content-Location: http://HOST/page\n"),
            &part("content", "Content-Base: http://HOST/\n"),
            "\n",
            &part("element", "<base href=http://HOST/>"),
            "<a href=x>\n--c--\n--b--\n--a--\n",
        ]
        .concat();
        let rewriter = given(has);
        let message = Message::read(file.as_bytes(), &rewriter).unwrap();
        let mut found = Vec::new();
        let reports = message.links(|part, link, _| {
            if link.element() == "a" {
                assert_eq!(part.number(), 4);
                found.push((link.url().map(str::to_owned), link.base_source().to_string()));
            }
        });
        assert_eq!((found.len(), reports.failures()), (1, &[][..]), "{file}");
        found.remove(0)
    });
}

/// A document in a document, three deep.
#[test]
fn the_innermost_layer_of_a_srcdoc_counts() {
    let layers = [
        ("given", "enclosing"),
        ("page", "enclosing"),
        ("first", "enclosing"),
        ("second", "enclosing"),
        ("third", "base-element"),
    ];
    let base = "<base href=http://HOST/>";
    each_beats_those_below(&layers, |has| {
        let mut document = String::from("<a href=x>");
        for host in ["third", "second", "first"] {
            document = part(has, host, base) + &document;
            let value = document.replace('&', "&amp;").replace('"', "&quot;");
            document = format!("<iframe srcdoc=\"{value}\"></iframe>");
        }
        document = part(has, "page", base) + &document;
        let mut found = Vec::new();
        let summary = given(has).links(document.as_bytes(), |link| {
            if link.element() == "a" {
                found.push((link.url().map(str::to_owned), link.base_source().to_string()));
            }
        });
        assert!(summary.is_ok() && found.len() == 1, "{document}");
        found.remove(0)
    });
}

/// A response in a web archive.
#[test]
fn the_innermost_layer_of_a_web_archive_counts() {
    let layers = [
        ("given", "retrieval-url"),
        ("target", "target-uri"),
        ("header", "base-header"),
        ("content", "content-base"),
        ("element", "base-element"),
    ];
    each_beats_those_below(&layers, |has| {
        let part = |host: &str, text: &str| part(has, host, text);
        let block = [
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Location: http://no/\r\n",
            &part("header", "Base: <URL:http://HOST/>\r\n"),
            &part("content", "Content-Base: http://HOST/\r\n"),
            "\r\n",
            &part("element", "<base href=http://HOST/>"),
            "<a href=x>",
        ]
        .concat();
        let archive = [
            "WARC/1.1\r\nWARC-Type: response\r\n",
            &part("target", "WARC-Target-URI: <http://HOST/>\r\n"),
            &format!("Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()),
        ]
        .concat();
        let mut found = Vec::new();
        let read = Reader::new(archive.as_bytes()).pages(|page| {
            let page = page.unwrap();
            let shown = page.rewriter(&given(has)).links(page.document(), |link| {
                if link.element() == "a" {
                    found.push((link.url().map(str::to_owned), link.base_source().to_string()));
                }
            });
            assert!(shown.is_ok());
            ControlFlow::Continue(())
        });
        assert!(read.is_ok() && found.len() == 1, "{archive}");
        found.remove(0)
    });
}
