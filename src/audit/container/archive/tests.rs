//! What URLs come to in an archive.

use super::*;
use crate::audit::target::LinkScope;
use crate::container::warc::RecordPosition;
use crate::link::Syntax;
use crate::url::Standard;

/// What a capture is made of: its URL, its status or `kind`, and where it redirects.
type Row<'a> = (&'a str, &'a str, &'a str);

/// The archive of these captures; those of pages are numbered from 10 in their order.
fn archive(rows: &[Row<'_>]) -> Archive {
    let mut archive = Archive::default();
    for (&(url, what, location), page) in rows.iter().zip(10..) {
        let status = what.parse().ok();
        let capture = Capture {
            position: RecordPosition { offset: 0, within: 0 },
            kind: if status.is_some() { "response" } else { what }.to_owned(),
            url: url.to_owned(),
            status,
            location: Some(location.to_owned()).filter(|location| !location.is_empty()),
            document: status.map(|_| Syntax::Html),
            is_selected: true,
            ..Capture::default()
        };
        assert!(archive.add(&capture, status.map(|_| page)).is_continue());
    }
    archive
}

/// Where a URL leads, and its problems.
#[track_caller]
fn leads_to(rows: &[Row<'_>], url: &str, expected: (LinkScope, Option<usize>, &[&str])) {
    let target = archive(rows).target(url, url, None, Standard::default());
    let problems: Vec<&str> = target.problems.iter().map(|problem| &*problem.message).collect();
    assert_eq!((target.scope, target.file, &*problems), expected, "{url}");
}

#[test]
fn what_is_held_is_there() {
    let rows = [("http://h/a", "200", ""), ("http://h/b", "resource", "")];
    leads_to(&rows, "https://h/a", (LinkScope::Internal, Some(10), &[]));
    leads_to(&rows, "http://h/b", (LinkScope::Internal, None, &[]));
    leads_to(
        &rows,
        "http://h/c",
        (LinkScope::Internal, None, &["target 'http://h/c' is not in the archive"]),
    );
    leads_to(&rows, "http://i/c", (LinkScope::External, None, &[]));
    leads_to(&rows, "mailto:a@h", (LinkScope::External, None, &[]));
}

#[test]
fn the_last_good_one_counts() {
    let a = "http://h/a";
    leads_to(
        &[(a, "404", ""), (a, "200", ""), (a, "500", "")],
        a,
        (LinkScope::Internal, Some(11), &[]),
    );
    leads_to(&[(a, "200", ""), (a, "200", "")], a, (LinkScope::Internal, Some(11), &[]));
    leads_to(&[(a, "200", ""), (a, "revisit", "")], a, (LinkScope::Internal, Some(10), &[]));
    let problems = ["the archive has status 500 for this URL"];
    leads_to(&[(a, "404", ""), (a, "500", "")], a, (LinkScope::Internal, None, &problems));
}

#[test]
fn redirects_are_followed() {
    let rows = [
        ("http://h/a", "301", "/b"),
        ("http://h/b", "302", "http://i/c#x"),
        ("http://i/c", "200", ""),
        ("http://h/d", "301", "/gone"),
        ("http://h/e", "301", "http://elsewhere/"),
        ("http://h/f", "301", "f2"),
        ("http://h/f2", "301", "f"),
        ("http://h/g", "301", "https://h/g"),
        ("http://h/k", "301", ""),
        ("http://h/l", "301", "/m"),
        ("http://h/m", "410", ""),
        ("http://h/n", "302", "/n#x"),
        ("http://h/o", "302", "/n"),
    ];
    let redirect = |to: &str| format!("the archive has a redirect to '{to}' for this URL");
    let problems = redirect("http://h/b");
    leads_to(&rows, "http://h/a", (LinkScope::Internal, Some(12), &[&problems]));
    let gone = "it redirects to 'http://h/gone', which is not in the archive";
    leads_to(&rows, "http://h/d", (LinkScope::Internal, None, &[gone]));
    let problems = redirect("http://elsewhere/");
    leads_to(&rows, "http://h/e", (LinkScope::Internal, None, &[&problems]));
    let endless = |at| {
        format!("the redirects of the archive never end: more than 20, or a circle with '{at}'")
    };
    leads_to(&rows, "http://h/f", (LinkScope::Internal, None, &[&endless("http://h/f2")]));
    leads_to(&rows, "http://h/n", (LinkScope::Internal, None, &[&endless("http://h/n")]));
    leads_to(&rows, "https://h/o", (LinkScope::Internal, None, &[&endless("http://h/n")]));
    let problems = redirect("https://h/g");
    leads_to(&rows, "http://h/g", (LinkScope::Internal, None, &[&problems]));
    leads_to(&rows, "http://h/k", (LinkScope::Internal, Some(18), &[]));
    let gone = "it redirects to 'http://h/m', for which the archive has status 410";
    leads_to(&rows, "http://h/l", (LinkScope::Internal, None, &[gone]));
}

#[test]
fn it_says_where_its_room_ends() {
    let mut archive = archive(&[("http://h/a", "200", "")]);
    archive.size = MAX_INDEX;
    let position = RecordPosition { offset: 0, within: 0 };
    let capture = Capture {
        position,
        kind: "resource".to_owned(),
        url: "http://h/b".to_owned(),
        is_selected: true,
        ..Capture::default()
    };
    assert!(archive.failure().is_none());
    assert!(archive.add(&capture, None).is_break());
    assert!(archive.failure().is_some_and(|failure| failure.to_string().contains("256 MiB")));
    assert!(archive.target("http://h/b", "b", None, Standard::default()).problems.is_empty());
}
