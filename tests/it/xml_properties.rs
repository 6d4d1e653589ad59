//! Properties of every XML document: totality, locality, idempotence, and linear time.

use std::fmt::Write;
use std::time::{Duration, Instant};

use absolve::{Form, Limit, Limits, Policy, Rewriter, Syntax};
use proptest::prelude::*;
use proptest::sample::select;

/// Parts of documents, of which most in a row are not well-formed.
const PARTS: &[&str] = &[
    "<a href='x'>",
    "<a href=\"../y&amp;z\"/>",
    "</a>",
    "<s:use x:href='#i'/>",
    "<s:image x:href='j'/>",
    "<style>",
    "</style>",
    "p{b:url(k)}",
    "<![CDATA[q{c:url(l)}]]>",
    "<!-- m -->",
    "<?n o?>",
    "&amp;",
    "&#65;",
    "&e;",
    "\u{e9}",
    "\r\n",
    "<base href='/p/'/>",
    "<f:link href='q'/>",
    "<f:summary type='html'>",
    "</f:summary>",
    "&lt;a href=&quot;r&quot;>",
    "<f:entry xml:base='t/'>",
    "</f:entry>",
    "<f:icon> u </f:icon>",
    "<!DOCTYPE a [<!ENTITY e 'v'>]>",
    "<iframe srcdoc='&lt;a href=w>'/>",
    "<",
    ">",
    "'",
    "]]>",
    " ",
];

/// The roots: whether `xml:base` or `base` counts depends on them.
const ROOTS: &[&str] = &["html", "f:feed", "rss"];

const NAMESPACES: &str = "xmlns='http://www.w3.org/1999/xhtml' xmlns:s='http://www.w3.org/2000/svg' \
    xmlns:x='http://www.w3.org/1999/xlink' xmlns:f='http://www.w3.org/2005/Atom'";

fn rewriter() -> Rewriter {
    Rewriter::new().base_url("http://h/d/p").unwrap().syntax(Syntax::Xml)
}

/// The rewritten document if it is well-formed.
fn holds(source: &[u8]) -> Result<bool, TestCaseError> {
    let Ok(first) = rewriter().rewrite(source) else { return Ok(false) };
    let second = rewriter().rewrite(first.bytes());
    prop_assert!(second.is_ok(), "{:?}", String::from_utf8_lossy(first.bytes()));
    let second = second.unwrap();
    prop_assert_eq!(second.bytes(), first.bytes());
    let same = rewriter().rewrite_with(source, |_| None).unwrap();
    prop_assert_eq!(same.bytes(), source);
    let mut spans = Vec::new();
    rewriter().links(source, |link| spans.extend(link.span())).unwrap();
    // Changes are inside of the spans.
    let new = rewriter().rewrite_with(source, |_| Some("http://new/?a&b".to_owned())).unwrap();
    let mut rest = new.bytes();
    let mut done = 0;
    for span in spans.iter().filter(|span| !span.is_empty()) {
        if span.start < done {
            continue;
        }
        let between = &source[done..span.start];
        let at = memchr::memmem::find(rest, between);
        prop_assert!(at.is_some(), "{:?}", String::from_utf8_lossy(new.bytes()));
        rest = &rest[at.unwrap() + between.len()..];
        done = span.end;
    }
    prop_assert!(rest.ends_with(&source[done..]));
    prop_assert!(rewriter().rewrite(new.bytes()).is_ok());
    Ok(true)
}

/// Returns the URLs of a document's links, without its bases.
fn urls(source: &[u8]) -> Vec<Option<String>> {
    let mut urls = Vec::new();
    let read = rewriter().links(source, |link| {
        if link.element() != "base" && link.attribute() != "xml:base" {
            urls.push(link.url().map(str::to_owned));
        }
    });
    read.unwrap();
    urls
}

proptest! {
    #[test]
    fn parts_in_any_order_keep_the_properties_of_rewriting(root in select(ROOTS), parts in prop::collection::vec(select(PARTS), 0..12)) {
        let parts = parts.concat();
        holds(format!("<{root} {NAMESPACES}>{parts}</{root}>").as_bytes())?;
        holds(parts.as_bytes())?;
    }

    /// Relative links, without the bases, lead where the links led.
    #[test]
    fn relative_links_lead_to_the_same_urls(root in select(ROOTS), parts in prop::collection::vec(select(PARTS), 0..12)) {
        let source = format!("<{root} {NAMESPACES}>{}</{root}>", parts.concat());
        for form in [Form::Relative, Form::RootRelative] {
            let rewriter = rewriter().policy(Policy::form(form));
            if let Ok(relative) = rewriter.rewrite(source.as_bytes()) {
                prop_assert_eq!(urls(relative.bytes()), urls(source.as_bytes()), "{:?} {}", form, String::from_utf8_lossy(relative.bytes()));
            }
        }
    }

    #[test]
    fn any_bytes_keep_the_properties_of_rewriting(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        holds(&bytes)?;
        holds(&[b"<a>", &bytes[..], b"</a>"].concat())?;
    }
}

/// Reads a document with all limits off, in time that no quadratic algorithm has.
#[track_caller]
fn is_linear(source: &str, is_well_formed: bool) {
    let start = Instant::now();
    let mut limits = Limits::default();
    (limits.links, limits.output) = (0, 0);
    let result = rewriter().limits(limits).rewrite(source.as_bytes()).map(|new| new.bytes().len());
    assert_eq!(result.is_ok(), is_well_formed, "{result:?}");
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn hostile_documents_take_linear_time() {
    let attributes = (0..250_000).fold(String::new(), |mut text, number| {
        write!(text, " a{number}='x'").unwrap();
        text
    });
    is_linear(&format!("<a{attributes}/>"), true);
    is_linear(&format!("<a{attributes} a7=''/>"), false);
    let depth = 250_000;
    is_linear(&format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth)), true);
    is_linear(&"<a>".repeat(depth), false);
    let namespaces = (0..100_000).fold(String::new(), |mut text, number| {
        write!(
            text,
            "<a xmlns:n{number}='u{number}' xmlns='http://www.w3.org/1999/xhtml' href='x'>"
        )
        .unwrap();
        text
    });
    is_linear(&format!("{namespaces}{}", "</a>".repeat(100_000)), true);
    let uri = "u".repeat(1_000_000);
    let tags = "<a b:d='' c:d=''/>".repeat(100_000);
    is_linear(&format!("<a xmlns:b='{uri}1' xmlns:c='{uri}2'>{tags}</a>"), true);
    is_linear(&format!("<a>{}</a>", "&amp;".repeat(1_000_000)), true);
    is_linear(&format!("<a>{}</a>", "<!-- --><![CDATA[]]>".repeat(200_000)), true);
}

#[test]
fn entities_cost_nothing() {
    let mut laughs = String::from("<!DOCTYPE a [<!ENTITY l0 'ha'>");
    for number in 1..100 {
        let before = format!("&l{};", number - 1).repeat(10);
        write!(laughs, "<!ENTITY l{number} '{before}'>").unwrap();
    }
    is_linear(
        &format!("{laughs}<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a b='&l99;'>&l99;&x;</a>"),
        true,
    );
}

#[test]
fn nested_bases_are_bounded() {
    let root = "<feed xmlns='http://www.w3.org/2005/Atom'>";
    let relative = format!("{root}{}", "<entry xml:base='a/'>".repeat(30_000));
    is_linear(&format!("{relative}{}</feed>", "</entry>".repeat(30_000)), false);
    let long = format!("<entry xml:base='http://h/{}/'>", "x".repeat(8000));
    let same = format!("{root}{long}{}", "<entry xml:base='.'>".repeat(100_000));
    let same = format!("{same}{}</feed>", "</entry>".repeat(100_001));
    is_linear(&same, false);
    let error = rewriter().rewrite(same.as_bytes());
    let error = error.unwrap_err();
    assert_eq!(error.limit_reached(), Some(Limit::BaseUrls), "{error}");
    // Bases of siblings are not nested.
    let rows =
        format!("{root}{}</feed>", "<entry xml:base='a/'><link href='b'/></entry>".repeat(30_000));
    is_linear(&rows, true);
}
