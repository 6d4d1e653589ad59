//! Style sheets that are documents: what is a link in them, their encodings and limits.

use std::time::Instant;

use absolve::grammar::Grammar;
use absolve::{BaseSource, Buffers, Engine, Limit, Limits, Link, Rewriter, Syntax};
use encoding_rs::{Encoding, SHIFT_JIS, UTF_16LE, WINDOWS_1252};

const URL: &str = "http://h/css/a.css";

fn rewriter() -> Rewriter {
    Rewriter::new().base_url(URL).unwrap().syntax(Syntax::Css)
}

#[track_caller]
fn becomes(rewriter: &Rewriter, source: impl AsRef<[u8]>, expected: impl AsRef<[u8]>) {
    let (source, expected) = (source.as_ref(), expected.as_ref());
    let shown = String::from_utf8_lossy;
    let result = rewriter.rewrite(source).unwrap();
    assert_eq!(shown(result.bytes()), shown(expected), "{}", shown(source));
    assert_eq!(result.bytes(), expected, "{}", shown(source));
    let mut buffers = Buffers::new();
    let page = Rewriter::new().base_url("http://h/").unwrap();
    page.rewrite_in(b"<base href=x><a href=y><style>@import 'z'</style>", &mut buffers).unwrap();
    assert_eq!(rewriter.rewrite_in(source, &mut buffers).unwrap().bytes(), expected);
    let again = rewriter.rewrite(expected).unwrap();
    assert!(!again.is_changed(), "{}", shown(expected));
    let mut links = 0;
    assert_eq!(rewriter.links(source, |_| links += 1).unwrap().counts().links, links);
    assert_eq!(result.counts().links, links);
}

#[test]
fn references_become_absolute_and_nothing_else_changes() {
    let same = |text: &str| becomes(&rewriter(), text, text);
    becomes(
        &rewriter(),
        "\u{feff}@charset \"utf-8\";\r\n@import 'b.css' screen;\r\n@import url( ../c.css );\r\n\
         a { background: URL(\"d.png\"), image-set('e.png' 1x, url(f) 2x) } /* url(g) */\r\n",
        "\u{feff}@charset \"utf-8\";\r\n@import 'http://h/css/b.css' screen;\r\n\
         @import url( http://h/c.css );\r\na { background: URL(\"http://h/css/d.png\"), \
         image-set('http://h/css/e.png' 1x, url(http://h/css/f) 2x) } /* url(g) */\r\n",
    );
    becomes(&rewriter(), "@import 'a\\\r\nb\\29 '", "@import 'http://h/css/ab)'");
    becomes(&rewriter(), "a{b:url(c", "a{b:url(http://h/css/c");
    same("");
    same("a { b: url(#c) url() url(data:,x) url(http://h/) 'd' }");
    // Markup means nothing here.
    same("<style>@import 'b'</style><a href=c>&#117;rl(d)");
    becomes(&rewriter(), "<!-- @import 'b'; -->", "<!-- @import 'http://h/css/b'; -->");
    becomes(&rewriter(), "a{b:url(&amp;)}</style>", "a{b:url(http://h/css/&amp;)}</style>");
}

#[test]
fn nothing_but_its_own_url_is_the_base() {
    let sheet = b"/* <!-- saved from url=(0009)http://i/ --> */<base href=http://j/>a{b:url(c)}";
    let result = Rewriter::new().syntax(Syntax::Css).rewrite(sheet).unwrap();
    assert_eq!((result.counts().unresolved, result.base()), (1, None));
    let result = rewriter().rewrite(sheet).unwrap();
    assert_eq!((result.counts().rewritten, result.base_source()), (1, BaseSource::RetrievalUrl));
}

#[test]
fn a_link_has_no_element() {
    let mut seen = Vec::new();
    let sheet = b"\xef\xbb\xbfa{b:url(c)}";
    let mut visit = |link: &Link<'_>| {
        seen.push((link.element().to_owned(), link.attribute().to_owned(), link.grammar()));
        assert_eq!(link.span(), Some(11..12));
        assert_eq!(link.url(), Some("http://h/css/c"));
    };
    rewriter().links(sheet, &mut visit).unwrap();
    // A style sheet has no tree.
    rewriter().engine(Engine::Dom).links(sheet, &mut visit).unwrap();
    let expected = (String::new(), "(text)".to_owned(), Grammar::Stylesheet);
    assert_eq!(seen, [expected.clone(), expected]);
    becomes(&rewriter().engine(Engine::Dom), "a{b:url(c)}<p>", "a{b:url(http://h/css/c)}<p>");
}

#[test]
fn the_selection_of_attributes_counts() {
    let text = rewriter().only("(text)");
    becomes(&text, "a{b:url(c)}", "a{b:url(http://h/css/c)}");
    becomes(&rewriter().only("href"), "a{b:url(c)}", "a{b:url(c)}");
}

#[test]
fn a_decision_replaces_links() {
    let result = rewriter().rewrite_with(b"a{b:url(c)url(d)}", |link| {
        (link.reference() == "c").then(|| "x(y".to_owned())
    });
    assert_eq!(result.unwrap().bytes(), b"a{b:url(x\\(y)url(d)}");
}

/// The text in an encoding.
fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
    if encoding == UTF_16LE {
        return text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    }
    let (bytes, _, has_errors) = encoding.encode(text);
    assert!(!has_errors, "{text}");
    bytes.into_owned()
}

#[test]
fn every_encoding_is_kept() {
    let sheet = |name: &str, prefix: &str| format!("{name}a{{b:url({prefix}\u{e9}.png)}}");
    let charset = "@charset \"latin1\";";
    becomes(
        &rewriter(),
        encoded(&sheet(charset, ""), WINDOWS_1252),
        encoded(&sheet(charset, "http://h/css/"), WINDOWS_1252),
    );
    let both =
        |prefix: &str, text: &str| encoded(&format!("\u{feff}{}", sheet(prefix, text)), UTF_16LE);
    becomes(&rewriter(), both("", ""), both("", "http://h/css/"));
    // A second byte that is `\` in ASCII.
    let tables =
        |prefix: &str| encoded(&format!("a{{b:url({prefix}\u{8868}.png) '\u{8868}'}}"), SHIFT_JIS);
    let named = rewriter().encoding("shift_jis").unwrap();
    becomes(&named, tables(""), tables("http://h/css/"));
    // The rule counts less than the header, and bytes that are invalid stay.
    becomes(
        &rewriter().encoding("utf-8").unwrap(),
        b"@charset \"latin1\";a{b:url(\xe9c)}",
        b"@charset \"latin1\";a{b:url(http://h/css/\xe9c)}",
    );
    becomes(&rewriter(), b"a{b:url(c\xff) '\xff'}", b"a{b:url(http://h/css/c\xff) '\xff'}");
    let unread = rewriter().encoding("iso-2022-kr").unwrap();
    assert!(unread.rewrite(b"a{b:url(c)}").unwrap().summary().is_unreadable());
}

#[test]
fn queries_are_in_utf_8() {
    let named = rewriter().encoding("latin1").unwrap().standard(absolve::url::Standard::Whatwg);
    becomes(&named, b"a{b:url(?\xe9)}", b"a{b:url(http://h/css/a.css?%C3%A9)}");
}

#[test]
fn each_limit_is_an_error() {
    let refused = |change: fn(&mut Limits), source: &[u8]| {
        let mut limits = Limits::default();
        change(&mut limits);
        rewriter().limits(limits).rewrite(source).unwrap_err().limit_reached()
    };
    let sheet = b"a{b:url(c)url(d)}";
    assert_eq!(refused(|limits| limits.input = 5, sheet), Some(Limit::Input));
    assert_eq!(refused(|limits| limits.links = 1, sheet), Some(Limit::Links));
    assert_eq!(refused(|limits| limits.output = 30, sheet), Some(Limit::Output));
    assert_eq!(refused(|limits| limits.base_url = 5, sheet), Some(Limit::BaseUrl));
    assert_eq!(refused(|limits| limits.reference = 2, b"a{b:url(ccc)}"), Some(Limit::Reference));
}

/// Time grows with the size, whatever the sheet has.
#[test]
fn hostile_sheets_take_linear_time() {
    let parts = ["{", "(", "[", "url(", "\\", "@import ", "/*", "'", "\"\\\n", "a{b:url(c)}", "\r"];
    for part in parts {
        let seconds = |size: usize| {
            let sheet = part.repeat(size / part.len());
            let start = Instant::now();
            rewriter().rewrite(sheet.as_bytes()).unwrap();
            start.elapsed().as_secs_f64()
        };
        let (small, large) = (seconds(1 << 17), seconds(1 << 20));
        assert!(large < small * 40.0 + 0.5, "{part:?}: {small} s, {large} s");
    }
}
