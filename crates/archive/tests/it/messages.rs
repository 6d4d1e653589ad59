//! Properties of messages: what is not rewritten stays byte for byte, what is becomes what
//! it becomes as a document alone, and a second run changes nothing.

use absolve::{BaseElement, Limit, Rewriter};
use absolve_archive::{Message, PartKind};
use proptest::prelude::*;

/// Pieces of documents: `\n` becomes the line end of the message.
#[rustfmt::skip]
const PIECES: [&[u8]; 26] = [
    b"<a href=x>", b"<img src='../a b.png'>", b"<a href=\"?q&amp;r=1\">", b"<a href=cid:1>",
    b"<a href=http://e/>", b"<base href=/d/>", b"<style>a{b:url(c)}</style>", b"<a href='\n y \n'>",
    b"<base href=/d/>--b0\n", b" <base href=/d/>\n",
    b"\n", b"\n", b"\n", b"--", b"--b", b"--b0x", b" ", b"\t", b"=", b"=41", b"text", b"-->",
    b"\xc3\xa9", b"\xe2\x82\xac\xe2\x82\xac", b"\xff", b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

#[derive(Debug, Clone)]
enum Node {
    Html { location: &'static str, transfer: Transfer, document: Vec<u8> },
    Other(Vec<u8>),
    Multipart { location: &'static str, parts: Vec<Node> },
    Message(Box<Node>),
}

#[derive(Debug, Clone)]
enum Transfer {
    Plain,
    /// With a soft break after each piece of this number of bytes, and white space in front of line ends.
    Quoted(usize, &'static str),
    /// With this number of characters in a line.
    Base64(usize),
}

fn document() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(prop::sample::select(&PIECES[..]), 0..30).prop_map(|v| v.concat())
}

fn transfer() -> impl Strategy<Value = Transfer> {
    prop_oneof![
        Just(Transfer::Plain),
        (1_usize..75, prop::sample::select(&["", " ", "\t "][..]))
            .prop_map(|(every, padding)| Transfer::Quoted(every, padding)),
        (4_usize..80).prop_map(Transfer::Base64),
    ]
}

fn location() -> impl Strategy<Value = &'static str> {
    let all: &[_] = &[
        "",
        "",
        "Content-Location: http://l/a/\n",
        "Content-Location:\n\tb/c\n",
        "Content-Base: http://c/\n",
        "Base: <URL:http://\n base/>\n",
        "Content-Location: cid:f@x\n",
    ];
    prop::sample::select(all)
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        3 => (location(), transfer(), document())
            .prop_map(|(location, transfer, document)| Node::Html { location, transfer, document }),
        1 => document().prop_map(Node::Other),
    ];
    leaf.prop_recursive(4, 12, 4, |inner| {
        prop_oneof![
            (location(), proptest::collection::vec(inner.clone(), 0..4))
                .prop_map(|(location, parts)| Node::Multipart { location, parts }),
            inner.prop_map(|inner| Node::Message(Box::new(inner))),
        ]
    })
}

/// Writes a message, and returns its HTML documents in order.
fn write(
    node: &Node,
    depth: usize,
    ending: &[u8],
    out: &mut Vec<u8>,
    documents: &mut Vec<Vec<u8>>,
) {
    let header = |text: &str, out: &mut Vec<u8>| out.extend(with_ending(text.as_bytes(), ending));
    match node {
        Node::Html { location, transfer, document } => {
            let document = with_ending(document, ending);
            let (name, body) = match transfer {
                Transfer::Plain => ("8bit", document.clone()),
                Transfer::Quoted(every, padding) => {
                    ("quoted-printable", quoted(&document, *every, padding, ending))
                }
                Transfer::Base64(width) => ("base64", base64(&document, *width, ending)),
            };
            header(
                &format!(
                    "{location}Content-Type: text/html\nContent-Transfer-Encoding: {name}\n\n"
                ),
                out,
            );
            out.extend(body);
            documents.push(document);
        }
        Node::Other(body) => {
            header("X-Folded: a\n\tb\n\n", out);
            out.extend(with_ending(body, ending));
        }
        Node::Multipart { location, parts } => {
            header(
                &format!("{location}Content-Type: multipart/related;\n boundary=b{depth}\n\nx\n"),
                out,
            );
            for part in parts {
                header(&format!("\n--b{depth}\n"), out);
                write(part, depth + 1, ending, out, documents);
            }
            header(&format!("\n--b{depth}-- \n"), out);
        }
        Node::Message(inner) => {
            header("Content-Type: message/rfc822\n\n", out);
            write(inner, depth + 1, ending, out, documents);
        }
    }
}

fn with_ending(text: &[u8], ending: &[u8]) -> Vec<u8> {
    text.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(ending)
}

fn quoted(text: &[u8], every: usize, padding: &str, ending: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut column = 0;
    while let [byte, after @ ..] = rest {
        if rest.starts_with(ending) {
            out.extend([padding.as_bytes(), ending].concat());
            (rest, column) = (&rest[ending.len()..], 0);
            continue;
        }
        if column >= every {
            out.extend([b"=", ending].concat());
            column = 0;
        }
        match byte {
            b'!'..=b'<' | b'>'..=b'~' if column > 0 || *byte != b'-' => out.push(*byte),
            b' ' | b'\t' if !after.is_empty() && !after.starts_with(ending) => out.push(*byte),
            _ => out.extend(format!("={byte:02X}").into_bytes()),
        }
        // An escape takes more of the line, so that some lines are long.
        (rest, column) = (after, column + 1);
    }
    // A line would end in white space where none does.
    while matches!(out.last(), Some(b' ' | b'\t')) {
        let blank = out.pop().unwrap_or_default();
        out.extend(format!("={blank:02X}").into_bytes());
    }
    out
}

fn base64(text: &[u8], width: usize, ending: &[u8]) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut characters = Vec::new();
    for quantum in text.chunks(3) {
        let byte = |index: usize| u32::from(quantum.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digits = (0..4).map(|index| alphabet[(bits >> (18 - 6 * index) & 63) as usize]);
        characters.extend(digits.take(quantum.len() + 1));
        characters.extend(std::iter::repeat_n(b'=', 3 - quantum.len()));
    }
    characters.chunks(width).collect::<Vec<_>>().join(ending)
}

/// The file without the bodies of its HTML parts.
fn frame(file: &[u8]) -> String {
    let message = Message::read(file, &Rewriter::new()).unwrap();
    let mut frame = Vec::new();
    let mut done = 0;
    for part in message.parts().filter(|part| part.kind() == PartKind::Html) {
        frame.extend_from_slice(&file[done..part.body().start]);
        done = part.body().end;
    }
    frame.extend_from_slice(&file[done..]);
    frame.escape_ascii().to_string()
}

/// Whether the lines of quoted-printable that are new have 76 columns at most.
fn are_short(old: &[u8], new: &[u8]) -> bool {
    let lines =
        |text: &[u8]| text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let is_quoted = new.windows(3).any(|at| at == b"=3D" || at == b"=3C");
    let (old, new) = (lines(old), lines(new));
    !is_quoted || new.iter().all(|line| old.contains(line) || line.trim_ascii_end().len() <= 76)
}

proptest! {
    #[test]
    fn messages_keep_what_does_not_change(node in node(), crlf: bool, removes: bool) {
        let ending: &[u8] = if crlf { b"\r\n" } else { b"\n" };
        let (mut file, mut documents) = (b"Subject: a\n".to_vec(), Vec::new());
        write(&node, 0, ending, &mut file, &mut documents);

        let none = Rewriter::new().only("x-none");
        let rewritten = Message::read(&file, &none).unwrap().rewrite().unwrap();
        prop_assert_eq!(rewritten.is_changed(), rewritten.summary().relative_location_count() > 0);
        if !rewritten.is_changed() {
            prop_assert_eq!(rewritten.bytes(), &file[..]);
        }

        let element = if removes { BaseElement::Remove } else { BaseElement::Absolute };
        let rewriter = Rewriter::new().base_url("http://given/x/").unwrap().base_element(element);
        let message = Message::read(&file, &rewriter).unwrap();
        let rewritten = message.rewrite().unwrap();
        if !rewritten.summary().failures().is_empty() {
            // A part that is not encoded would come to hold its boundary.
            prop_assert!(removes && file.windows(5).any(|at| at == b">--b0"));
            return Ok(());
        }
        let again = Message::read(rewritten.bytes(), &rewriter).unwrap();
        let html = message.parts().zip(again.parts()).filter(|(part, _)| part.kind() == PartKind::Html);
        let mut documents = documents.iter();
        for (old, new) in html {
            let document = old.document().unwrap();
            prop_assert_eq!(document.bytes(), documents.next().unwrap());
            let alone = old.rewriter().rewrite(document.bytes()).unwrap();
            prop_assert!(are_short(&file[old.body()], &rewritten.bytes()[new.body()]));
            let new = new.document().unwrap();
            prop_assert_eq!(new.bytes().escape_ascii().to_string(), alone.bytes().escape_ascii().to_string());
        }
        prop_assert!(documents.next().is_none());
        prop_assert_eq!(again.parts().count(), message.parts().count());
        prop_assert!(!again.rewrite().unwrap().is_changed());
        if rewritten.summary().relative_location_count() == 0 {
            prop_assert_eq!(frame(&file), frame(rewritten.bytes()));
        }
    }

    #[test]
    fn links_stand_where_they_are_said_to(node in node()) {
        let (mut file, mut documents) = (b"Subject: a\n".to_vec(), Vec::new());
        write(&node, 0, b"\n", &mut file, &mut documents);
        let message = Message::read(&file, &Rewriter::new()).unwrap();
        let reports = message.links(|part, link, spans| {
            let bytes = spans.reference.expect("the engine gives spans");
            let body = part.body();
            assert!(body.start <= bytes.start && bytes.end <= body.end);
            let document = part.document().expect("it has links");
            assert_eq!(document.span_in_file(link.span().expect("as above")), bytes);
            if link.reference() == "x" && file[bytes.clone()].len() == 1 {
                assert_eq!(&file[bytes], b"x");
            }
        });
        prop_assert!(reports.failures().is_empty());
    }

    #[test]
    fn any_bytes_are_read(file: Vec<u8>, text in "(Content-(Type|Location): ?|multipart/x; boundary=b|--b|text/html|\n|\r\n|<a href=|a:|=){0,40}") {
        for file in [&file[..], text.as_bytes(), &[b"Content-Type: text/html\n\n", &file[..]].concat()] {
            let Ok(message) = Message::read(file, &Rewriter::new()) else { continue };
            let _ = message.rewrite();
        }
    }
}

#[track_caller]
fn reaches(file: &[u8], expected: Limit) {
    let rewritten = Message::read(file, &Rewriter::new()).and_then(|message| message.rewrite());
    let reached = match rewritten {
        Ok(rewritten) => rewritten.summary().failures()[0].limit_reached(),
        Err(error) => error.limit_reached(),
    };
    assert_eq!(reached, Some(expected));
}

#[test]
fn long_base_urls_of_messages_reach_a_limit() {
    let multipart = "Content-Type: multipart/mixed; boundary=b\n\n";
    let base =
        format!("Content-Base: http://h/{}\nContent-Type: text/html\n\n", "a".repeat(10_000));
    reaches(base.as_bytes(), Limit::BaseUrl);
    let part = "--b\nContent-Location: a\n\n".repeat(9000);
    let file = format!("Content-Base: http://h/{}/\n{multipart}{part}", "a".repeat(8000));
    reaches(file.as_bytes(), Limit::Output);
    // Every part may grow, but not all of them together.
    let base = format!("Content-Base: http://h/{}/\n", "a".repeat(8000));
    let part = format!("--b\nContent-Type: text/html\n\n{}\n", "<a href=x>".repeat(100));
    let file = format!("{base}{multipart}{}", part.repeat(100));
    reaches(file.as_bytes(), Limit::Output);
}
