//! Whole messages: which base counts, what is rewritten, and what stays.

use absolve::BaseElement;
use absolve::Rewriter;
use absolve::{Error, Limit, Limits};
use encoding_rs::{ISO_2022_JP, KOI8_R, SHIFT_JIS, WINDOWS_1252};

use super::{Message, PartKind};

/// A header, an empty line, and a body.
fn entity(header: &str, body: &str) -> String {
    format!("{header}Content-Type: text/html\n\n{body}")
}

/// A multipart that holds parts.
fn multipart(boundary: &str, header: &str, parts: &[String]) -> String {
    let parts: Vec<_> = parts.iter().map(|part| format!("--{boundary}\n{part}\n")).collect();
    let parts = parts.concat();
    format!(
        "{header}Content-Type: multipart/related; boundary=\"{boundary}\"\n\n{parts}--{boundary}--\n"
    )
}

/// Checks the URL of the link `x` in the last part, and the source of its base.
#[track_caller]
fn assert_resolves(file: &str, given: Option<&str>, expected: Option<(&str, &str)>) {
    for ending in ["\n", "\r\n"] {
        let file = file.replace('\n', ending);
        let mut rewriter = Rewriter::new();
        if let Some(given) = given {
            rewriter = rewriter.base_url(given).unwrap();
        }
        let message = Message::read(file.as_bytes(), &rewriter).unwrap();
        let mut found = None;
        let reports = message.links(|_, link, spans| {
            if link.reference() == "x" {
                assert_eq!(&file[spans.reference.unwrap()], "x");
                found = Some((link.url().map(str::to_owned), link.base_source().name()));
            }
        });
        assert_eq!(reports.failures(), []);
        let expected = match expected {
            Some((url, source)) => (Some(url.to_owned()), source),
            None => (None, "none"),
        };
        assert_eq!(found, Some(expected), "{file}");
    }
}

#[test]
fn every_layer_of_section_3_beats_those_below() {
    let given = Some("http://given/");
    let snapshot = "Snapshot-Content-Location: http://saved/\n";
    let link = "<a href=x>";
    // 3.4 and 3.3.
    assert_resolves(&entity("A: b\n", link), None, None);
    assert_resolves(&entity("A: b\n", link), given, Some(("http://given/x", "retrieval-url")));
    assert_resolves(&entity(snapshot, link), None, Some(("http://saved/x", "snapshot-location")));
    assert_resolves(&entity(snapshot, link), given, Some(("http://given/x", "retrieval-url")));
    // 3.1, in the header and in the document.
    let base = format!("{snapshot}Base: <URL:http://base/>\n");
    assert_resolves(&entity(&base, link), given, Some(("http://base/x", "base-header")));
    let location = format!("{base}Content-Location: http://location/a\n");
    assert_resolves(
        &entity(&location, link),
        given,
        Some(("http://location/x", "content-location")),
    );
    let content = format!("{location}Content-Base: http://content/\n");
    assert_resolves(&entity(&content, link), given, Some(("http://content/x", "content-base")));
    let element = format!("<base href=http://element/>{link}");
    assert_resolves(&entity(&content, &element), given, Some(("http://element/x", "base-element")));
}

#[test]
fn the_entity_around_counts_three_deep() {
    let given = Some("http://given/");
    let link = || entity("", "<a href=x>");
    let nested = |outer: &str, middle: &str, inner: &str, part: String| {
        let inner = multipart("inner", inner, &[part]);
        let middle = format!("{middle}Content-Type: message/rfc822\n\nA: b\n{inner}");
        multipart("outer", outer, &[entity("", "first"), middle])
    };
    let (outer, middle, inner) = (
        "Base: <URL:http://outer/>\n",
        "Content-Location: http://middle/\n",
        "Content-Base: http://inner/\n",
    );
    assert_resolves(&nested("", "", "", link()), None, None);
    assert_resolves(&nested("", "", "", link()), given, Some(("http://given/x", "retrieval-url")));
    assert_resolves(&nested(outer, "", "", link()), given, Some(("http://outer/x", "enclosing")));
    assert_resolves(
        &nested(outer, middle, "", link()),
        given,
        Some(("http://middle/x", "enclosing")),
    );
    assert_resolves(
        &nested(outer, middle, inner, link()),
        given,
        Some(("http://inner/x", "enclosing")),
    );
    let own = entity("Content-Location: http://own/\n", "<a href=x>");
    assert_resolves(
        &nested(outer, middle, inner, own),
        given,
        Some(("http://own/x", "content-location")),
    );
    let element = entity("Content-Location: http://own/\n", "<base href=http://e/><a href=x>");
    assert_resolves(
        &nested(outer, middle, inner, element),
        given,
        Some(("http://e/x", "base-element")),
    );
    // Each relative to the one around it.
    let part = entity("Content-Location: c/\n", "<base href=d/><a href=x>");
    let deep = nested(outer, "Content-Location: a/\n", "Content-Location: b/\n", part);
    assert_resolves(&deep, given, Some(("http://outer/a/b/c/d/x", "base-element")));
    // A saved page inside a message remembers its own URL.
    let saved = "Snapshot-Content-Location: http://saved/\n";
    assert_resolves(
        &nested("", "", saved, link()),
        None,
        Some(("http://saved/x", "snapshot-location")),
    );
    assert_resolves(&nested(outer, "", saved, link()), None, Some(("http://outer/x", "enclosing")));
}

#[test]
fn what_is_not_usable_does_not_count() {
    let link = "<a href=x>";
    let header = "Content-Base: cid:a\nContent-Location: cid:b\nBase: <URL: http://h/\n\ta/>\n";
    assert_resolves(&entity(header, link), None, Some(("http://h/a/x", "base-header")));
    assert_resolves(&entity("Content-Location: a/b\n", link), None, None);
    let header = "Content-Location: a/b\nBase: <URL:http://h/>\n";
    assert_resolves(&entity(header, link), None, Some(("http://h/a/x", "content-location")));
}

#[track_caller]
fn assert_rewrites(file: &[u8], expected: &[u8]) {
    let rewriter = Rewriter::new().base_url("http://h/").unwrap();
    let message = Message::read(file, &rewriter).unwrap();
    let rewritten = message.rewrite().unwrap();
    let show = |bytes: &[u8]| bytes.escape_ascii().to_string().replace("\\n", "\\n\n");
    assert_eq!(show(rewritten.bytes()), show(expected));
    assert_eq!(rewritten.is_changed(), file != expected);
    let again = Message::read(expected, &rewriter).unwrap().rewrite().unwrap();
    assert!(!again.is_changed(), "a second run changes something");
}

#[test]
fn only_what_changes_is_written() {
    let file = b"Subject: =?utf-8?q?a?=\r\n\tb\nContent-Type: multipart/related; boundary=B\r\n\r\npreamble\r\n\
        --B\r\nContent-Type: text/html\nContent-Location:\r\n a/b \r\n\r\n<a href=x><img src=cid:1>\r\n\
        --B\r\nContent-Location: c.png\r\nContent-Transfer-Encoding: base64\r\n\r\n<a href=x>\r\n\
        --B--\r\n<a href=x>";
    let expected = b"Subject: =?utf-8?q?a?=\r\n\tb\nContent-Type: multipart/related; boundary=B\r\n\r\npreamble\r\n\
        --B\r\nContent-Type: text/html\nContent-Location:\r\n http://h/a/b \r\n\r\n<a href=http://h/a/x><img src=cid:1>\r\n\
        --B\r\nContent-Location: http://h/c.png\r\nContent-Transfer-Encoding: base64\r\n\r\n<a href=x>\r\n\
        --B--\r\n<a href=x>";
    assert_rewrites(file, expected);
}

#[test]
fn the_charset_of_the_part_counts() {
    let header = b"Content-Type: text/html; charset=shift_jis\nContent-Transfer-Encoding: ";
    // The trail byte of the character is a backslash.
    let page = b"<style>a{b:url('\x83\x5c.png')}</style>";
    let new = b"<style>a{b:url('http://h/\x83\x5c.png')}</style>";
    assert_rewrites(
        &[header, &b"8bit\n\n"[..], page].concat(),
        &[header, &b"8bit\n\n"[..], new].concat(),
    );
    let quoted = b"<style>a{b:url('=83=5C.png')}</style>";
    let new = b"<style>a{b:url('http://h/=83=5C.png')}</style>";
    let encoding = &b"quoted-printable\n\n"[..];
    assert_rewrites(&[header, encoding, quoted].concat(), &[header, encoding, new].concat());
    let encoding = &b"base64\n\n"[..];
    // `<style>a{b:url('`, then what changes.
    let base64 = b"PHN0eWxlPmF7Yjp1cmwoJ4NcLnBuZycpfTwvc3R5bGU+";
    let new = b"PHN0eWxlPmF7Yjp1cmwoJ2h0dHA6Ly9oL4NcLnBuZycpfTwvc3R5bGU+";
    assert_rewrites(&[header, encoding, base64].concat(), &[header, encoding, new].concat());

    let file = [header, &b"8bit\n\n"[..], page].concat();
    let reports = Message::read(&file, &Rewriter::new()).unwrap().links(|_, _, _| {});
    assert_eq!(reports.summaries()[0].summary.encoding(), SHIFT_JIS);
    let rewriter = Rewriter::new().encoding("latin1").unwrap();
    let reports = Message::read(&file, &rewriter).unwrap().links(|_, _, _| {});
    assert_eq!(reports.summaries()[0].summary.encoding(), WINDOWS_1252);
}

#[test]
fn a_late_declaration_counts_where_the_header_has_no_charset() {
    let padding = "x".repeat(1100);
    // The last character is made of `<` and `a` and others, which are no tag.
    let page = |base: &str| {
        format!("<!--{padding}--><meta charset=iso-2022-jp><a href='{base}\u{1b}$B$<<a\u{1b}(B'>")
    };
    let (page, new) = (page(""), page("http://h/"));
    let header = "Content-Type: text/html\nContent-Transfer-Encoding: 8bit\n\n";
    let file = [header, &page].concat();
    assert_rewrites(file.as_bytes(), [header, &new].concat().as_bytes());
    let encoding = |file: &str| {
        let message = Message::read(file.as_bytes(), &Rewriter::new()).unwrap();
        message.links(|_, _, _| {}).summaries()[0].summary.encoding()
    };
    assert_eq!(encoding(&file), ISO_2022_JP);
    assert_eq!(encoding(&file.replace("text/html", "text/html; charset=koi8-r")), KOI8_R);
}

#[test]
fn seven_bits_stay_seven() {
    assert_rewrites(
        b"Content-Type: text/html\n\n<base href='//h/&eacute;/'><a href=x>",
        b"Content-Type: text/html\n\n<base href='http://h/&eacute;/'><a href=http://h/&#233;/x>",
    );
    assert_rewrites(
        "Content-Location: \u{e9}/\nContent-Type: text/html\n\n".as_bytes(),
        b"Content-Location: http://h/%C3%A9/\nContent-Type: text/html\n\n",
    );
}

#[test]
fn kinds_and_numbers_go_by_the_order_of_the_file() {
    let inner = entity("A: b\n", "");
    let parts = [entity("", ""), format!("Content-Type: message/rfc822\n\n{inner}"), "\n".into()];
    let file = multipart("b", "", &parts);
    let message = Message::read(file.as_bytes(), &Rewriter::new()).unwrap();
    let found: Vec<_> =
        message.parts().map(|part| (part.number(), part.parent(), part.kind())).collect();
    assert_eq!(
        found,
        [
            (0, None, PartKind::Multipart),
            (1, Some(0), PartKind::Html),
            (2, Some(0), PartKind::Message),
            (3, Some(2), PartKind::Html),
            (4, Some(0), PartKind::Other),
        ]
    );
}

/// The report of a message that has a failing part, and stays as it is.
#[track_caller]
fn only_failure(file: &str, rewriter: &Rewriter) -> Error {
    let rewritten = Message::read(file.as_bytes(), rewriter).unwrap().rewrite().unwrap();
    assert!(!rewritten.is_changed());
    let [error] = rewritten.summary().failures() else { panic!("{rewritten:?}") };
    error.clone()
}

#[test]
fn the_other_parts_of_a_message_are_done() {
    let deep = format!("Content-Type: message/rfc822\n\n{}", entity("", "<a href=x>"));
    let header = format!("{}Content-Type: text/html\n\n<a href=x>", "A: b\n".repeat(300_000));
    let many = entity("", "<a href=x><a href=x><a href=x>");
    let parts = [entity("", "<a href=x>"), deep, header, many, entity("", "<a href=x>")];
    let mut limits = Limits::default();
    limits.links = 2;
    limits.part_depth = 1;
    let rewriter = Rewriter::new().base_url("http://h/").unwrap().limits(limits);
    let file = multipart("b", "", &parts);
    let rewritten = Message::read(file.as_bytes(), &rewriter).unwrap().rewrite().unwrap();
    let failed: Vec<_> =
        rewritten.summary().failures().iter().map(|e| (e.part(), e.limit_reached())).collect();
    let expected = [(3, Limit::PartDepth), (4, Limit::Header), (5, Limit::Links)];
    assert_eq!(failed, expected.map(|(part, limit)| (Some(part), Some(limit))));
    let done = file.replacen("href=x", "href=http://h/x", 1);
    let (before, last) = done.rsplit_once("href=x").unwrap();
    assert_eq!(
        rewritten.bytes().escape_ascii().to_string(),
        format!("{before}href=http://h/x{last}").as_bytes().escape_ascii().to_string()
    );

    let mut limits = Limits::default();
    limits.parts = 3;
    let rewriter = Rewriter::new().base_url("http://h/").unwrap().limits(limits);
    let rewritten = Message::read(file.as_bytes(), &rewriter).unwrap().rewrite().unwrap();
    let [error] = rewritten.summary().failures() else { panic!() };
    assert_eq!((error.part(), error.limit_reached()), (None, Some(Limit::Parts)));
    assert_eq!(rewritten.bytes(), done.as_bytes());
}

#[test]
fn a_base_url_that_is_too_long_is_that_of_its_part() {
    let long = format!("Content-Location: http://h/{}\n", "a".repeat(9000));
    let image = format!("{long}Content-Type: image/gif\n\n");
    let inner = multipart("c", &long, &[entity("", "<a href=x>")]);
    let file = multipart("b", "", &[image, inner, entity("", "<a href=x>")]);
    let rewriter = Rewriter::new().base_url("http://h/").unwrap();
    let message = Message::read(file.as_bytes(), &rewriter).unwrap();
    let mut found = Vec::new();
    let reports =
        message.links(|part, link, _| found.push((part.number(), link.url().map(str::to_owned))));
    assert_eq!(found, [(4, Some("http://h/x".to_owned()))]);
    let [error] = reports.failures() else { panic!("{reports:?}") };
    assert_eq!((error.part(), error.limit_reached()), (Some(2), Some(Limit::BaseUrl)));
}

#[test]
fn errors_name_the_part_and_the_byte_of_the_file() {
    let page = format!("{}<a href=x><a href=y>", "=\n".repeat(10));
    let header = "Content-Transfer-Encoding: quoted-printable\n";
    let page = page.replace("href=", "href=3D");
    let file = multipart("b", "", &[entity(header, &page)]);
    let mut limits = Limits::default();
    limits.links = 1;
    let rewriter = Rewriter::new().limits(limits);
    let error = only_failure(&file, &rewriter);
    assert_eq!((error.part(), error.limit_reached()), (Some(1), Some(Limit::Links)));
    let offset = file.find("y>").unwrap();
    assert!(error.to_string().starts_with(&format!("byte {offset}: ")), "{error}");
}

#[test]
fn a_part_does_not_come_to_hold_its_own_boundary() {
    let file = multipart("b", "", &[entity("", "\n<base href=http://h/>--b\n<a href=x>")]);
    let rewriter = Rewriter::new().base_element(BaseElement::Remove);
    let error = only_failure(&file, &rewriter);
    assert_eq!(error.part(), Some(1));
    assert!(error.to_string().starts_with("a line of it would read as a boundary"), "{error}");
}

#[test]
fn parts_have_names_and_locations() {
    let parts = [
        entity("Content-ID: <a%b@h>\nContent-Location: http://h/x/\n", ""),
        entity("Content-ID: (c) <b@h>\nContent-Location: y\n", ""),
        entity("Content-Location: cid:c@h\nContent-ID: <>\n", ""),
    ];
    let file = multipart("b", "Content-Base: http://i/\n", &parts);
    let message = Message::read(file.as_bytes(), &Rewriter::new()).unwrap();
    let found: Vec<_> = message.parts().map(|part| (part.content_id(), part.location())).collect();
    assert_eq!(
        found,
        [
            (None, None),
            (Some("a%b@h"), Some("http://h/x/")),
            (Some("b@h"), Some("http://i/y")),
            (None, Some("cid:c@h")),
        ]
    );
}
