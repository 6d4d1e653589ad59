//! Links that move in messages.

use absolve::url::Maps;
use absolve::{Direction, Form, Policy, Rewriter};
use absolve_archive::Message;

fn moving(rules: &[(&str, &str)]) -> Maps {
    let mut maps = Maps::new();
    for (old, new) in rules {
        maps.add(old, new).unwrap();
    }
    maps
}

fn mover(rules: &[(&str, &str)]) -> Rewriter {
    Rewriter::new().policy(Direction::new(Form::AsWritten).maps(moving(rules)).into())
}

const MESSAGE: &str = "Content-Type: multipart/related; boundary=b\r\n\
    Snapshot-Content-Location: http://old/d/p.html\r\n\r\n\
    --b\r\nContent-Type: text/html\r\nContent-Location: http://old/d/p.html\r\n\r\n\
    <link href=http://old/s.css><a href=/x><a href=y><a href=//i/z><a href=#f>\r\n\
    --b\r\nContent-Type: text/css\r\nContent-Location: http://old/s.css\r\n\r\n\
    a { b: url(http://old/i.png) url(/j.png) url(k.png) }\r\n\
    --b\r\nContent-Type: image/png\r\nContent-Location: http://old/i.png\r\n\r\n\r\n--b--\r\n";

fn message(rewriter: &Rewriter, file: &str) -> String {
    let message = Message::read(file.as_bytes(), rewriter).unwrap();
    let rewritten = message.rewrite().unwrap();
    assert_eq!(rewritten.summary().failures(), []);
    String::from_utf8(rewritten.bytes().to_vec()).unwrap()
}

#[test]
fn parts_of_messages_move_with_their_urls() {
    let expected = MESSAGE
        .replace("http://old/", "http://new/sub/")
        .replace("href=/x", "href=/sub/x")
        .replace("url(/j.png)", "url(/sub/j.png)");
    assert_eq!(message(&mover(&[("http://old/", "http://new/sub/")]), MESSAGE), expected);
    // A link of one part leads to another before and after.
    let part = mover(&[("http://old/d/", "http://new/d/")]);
    let expected =
        MESSAGE.replace("http://old/d/", "http://new/d/").replace("href=/x", "href=http://old/x");
    assert_eq!(message(&part, MESSAGE), expected);
    assert_eq!(
        message(&mover(&[("http://i/", "http://n/")]), MESSAGE),
        MESSAGE.replace("//i/", "//n/")
    );
}

#[test]
fn relative_fields_of_messages_move() {
    let file = "Content-Type: text/html\r\nContent-Location: c\r\nContent-Base: http://old/d/\r\n\r\n\
        <a href=/x><a href=y>";
    let expected = file
        .replace("Location: c", "Location: http://new/sub/d/c")
        .replace("http://old/", "http://new/sub/")
        .replace("=/x", "=/sub/x");
    assert_eq!(message(&mover(&[("http://old/", "http://new/sub/")]), file), expected);
}

#[test]
fn style_sheets_of_messages_follow_the_policy() {
    let expected = MESSAGE
        .replace("href=http://old/s.css", "href=../s.css")
        .replace("href=/x", "href=../x")
        .replace("href=//i", "href=http://i")
        .replace("url(http://old/i.png) url(/j.png)", "url(i.png) url(j.png)");
    let relative = Rewriter::new().policy(Policy::form(Form::Relative));
    assert_eq!(message(&relative, MESSAGE), expected);
    assert!(message(&Rewriter::new(), MESSAGE).contains("url(/j.png) url(k.png)"));
}

#[test]
fn an_absolute_policy_with_maps_reads_style_sheets() {
    let mut maps = Maps::new();
    maps.add("http://old/", "http://new/").unwrap();
    let rewriter = Rewriter::new().policy(Direction::new(Form::Absolute).maps(maps).into());
    let out = message(&rewriter, MESSAGE);
    assert!(
        out.contains("url(http://new/i.png) url(http://new/j.png) url(http://new/k.png)"),
        "{out}"
    );
}
