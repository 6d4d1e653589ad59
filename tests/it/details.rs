//! The URLs of links alone, and what their elements say about them.

use absolve::url::Standard;
use absolve::{Buffers, Detail, Engine, Limits, Rewriter, SameDocument, Syntax};
use proptest::prelude::*;
use proptest::sample::select;

fn rewriter() -> Rewriter {
    Rewriter::new().base_url("http://h/a/b").unwrap()
}

fn details(rewriter: &Rewriter, source: &[u8], detail: Detail) -> Vec<Option<String>> {
    let mut found = Vec::new();
    let add = |link: &absolve::Link<'_>| found.push(link.detail(detail).map(str::to_owned));
    rewriter.links(source, add).unwrap();
    found
}

fn urls(rewriter: &Rewriter, source: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let add = |url: &str| found.push(url.to_owned());
    rewriter.urls(source, &mut Buffers::new(), add).unwrap();
    found
}

fn urls_of_links(rewriter: &Rewriter, source: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let add = |link: &absolve::Link<'_>| found.extend(link.url().map(str::to_owned));
    rewriter.links(source, add).unwrap();
    found
}

#[test]
fn the_text_of_an_element_is_that_of_its_words() {
    for (source, expected) in [
        ("<a href=x> a  b\n\t c </a> d", "a b c"),
        ("<a href=x>a&nbsp;\u{a0} b</a>", "a b"),
        ("<a href=x><b>a</b>b <i> c</i></a>", "ab c"),
        ("<a href=x>1 &lt; 2 &amp;amp; &#x41;</a>", "1 < 2 &amp; A"),
        ("<a href=x>1 < 2</a>", "1 < 2"),
        ("<a href=x>a<img alt='b &amp; c'>d</a>", "a b & c d"),
        ("<a href=x><img alt=''> a<img></a>", "a"),
        ("<a href=x>a<!-- </a> -->b</a>c", "ab"),
        ("<a href=x>a<script>'</a>'</script>b<style></a></style>c</a>", "abc"),
        ("<a href=x>a<abbr title='</a>'>b</abbr></a>c", "ab"),
        ("<a href=x title='>'>a</a>", "a"),
        ("<A HREF=x>a</A >b", "a"),
        ("<a href=x>a</abbr>b</a>c", "ab"),
        ("<a href=x>a<p>b</p>c</a>", "abc"),
        ("<a href=x>a", "a"),
        ("<a href=x>a<a name=y>b</a>", "a"),
        ("<a href=x></a>b", ""),
        ("<a href=x>a<x:a>b</x:a>c<x:script>d</a>", "abcd"),
    ] {
        for engine in [Engine::Splice, Engine::Dom] {
            let found = details(&rewriter().engine(engine), source.as_bytes(), Detail::Text);
            assert_eq!(found, [Some(expected.to_owned())], "{source} {engine:?}");
        }
    }
}

#[test]
fn each_link_has_the_text_of_its_own_element() {
    let source = "<a href=x ping='y z'>a<area href=x>b<a href=x>c</a><img src=x><svg><a \
                  href=x>d</a></svg><iframe srcdoc='<a href=x>e</a>'></iframe>";
    let found = details(&rewriter(), source.as_bytes(), Detail::Text);
    let expected =
        [Some("ab"), Some("ab"), Some("ab"), None, Some("c"), None, Some("d"), Some("e")];
    assert_eq!(found, expected.map(|text| text.map(str::to_owned)));
}

#[test]
fn the_content_of_an_element_is_as_it_is_written() {
    for (source, expected) in [
        ("<a href=x> a  b\r\n\tc </a> d", " a  b\n\tc "),
        ("<a href=x>1 &lt; 2 &amp;amp; &nbsp;</a>", "1 < 2 &amp; \u{a0}"),
        ("<a href=x>a<img alt=b>c<!-- </a> -->d</a>", "acd"),
        ("<a href=x>a<script>'</a>&amp;'</script>b<style></a></style>c</a>", "a'</a>&amp;'b</a>c"),
        ("<a href=x>a<a name=y>b</a>", "a"),
        ("<script src=x>a &lt; <a>b</script>c", "a &lt; <a>b"),
        ("<iframe src=x><a href=y></iframe>", "<a href=y>"),
    ] {
        let found = details(&rewriter(), source.as_bytes(), Detail::Content);
        assert_eq!(found, [Some(expected.to_owned())], "{source}");
    }
    let long = "\u{20ac} ".repeat(1000);
    let source = format!("<a href=x>{long}</a><area href=x><q cite=x>a</q>");
    let found = details(&rewriter(), source.as_bytes(), Detail::Content);
    assert_eq!(found, [Some(long), None, None]);
}

#[test]
fn the_text_of_xml_is_that_of_xml() {
    let rewriter = rewriter().syntax(Syntax::Xml);
    for (content, expected) in [
        ("<a href='x'>a<![CDATA[<b>]]>&#65;<i/>c</a>d", "a<b>Ac"),
        ("<a href='x'/>b", ""),
        ("<a href='x'>a<!--> </a> -->b<?c </a>?>d</a>", "abd"),
        ("<h:a xmlns:h='http://www.w3.org/1999/xhtml' href='x'>a<b/></h:a>c", "a"),
        ("<a href='x'>a<img alt='b'/>c<script>d</script>e</a>f", "a b ce"),
        ("<a href='x'>a<script/>b</a>", "ab"),
    ] {
        let source = format!("<html xmlns='http://www.w3.org/1999/xhtml'>{content}</html>");
        let found = details(&rewriter, source.as_bytes(), Detail::Text);
        assert_eq!(found, [Some(expected.to_owned())], "{source}");
    }
}

#[test]
fn the_text_is_in_the_encoding_of_the_page() {
    let rewriter = rewriter().encoding("windows-1252").unwrap();
    assert_eq!(details(&rewriter, b"<a href=x>\xe9</a>", Detail::Text), [Some("\u{e9}".into())]);
    let rewriter = rewriter.encoding("utf-16le").unwrap();
    let source: Vec<u8> =
        "<a href=x>\u{e9}</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(details(&rewriter, &source, Detail::Text), [Some("\u{e9}".into())]);
}

#[test]
fn details_are_attributes_cut_off_between_characters() {
    let source = "<a href=x rel='a&amp;b' hreflang=de>c</a><img src=x title=' t '>";
    let found = |detail| details(&rewriter(), source.as_bytes(), detail);
    assert_eq!(found(Detail::Rel), [Some("a&b".to_owned()), None]);
    assert_eq!(found(Detail::Hreflang), [Some("de".to_owned()), None]);
    assert_eq!(found(Detail::Title), [None, Some(" t ".to_owned())]);
    let long = "\u{20ac}".repeat(1000);
    let source = format!("<a href=x title={long}>{long}</a>");
    for detail in [Detail::Title, Detail::Text] {
        let expected = "\u{20ac}".repeat(Detail::MAX_LENGTH / 3);
        assert_eq!(details(&rewriter(), source.as_bytes(), detail), [Some(expected)]);
    }
}

#[test]
fn urls_are_those_of_the_links() {
    let latin = rewriter().encoding("windows-1252").unwrap();
    for (source, expected) in [
        (
            &b"<a href=x><img src=../y><a href='#z'>"[..],
            &["http://h/a/x", "http://h/y", "http://h/a/b#z"][..],
        ),
        (b"<base href=//g/><a href='a b'><a href=>", &["http://g/", "http://g/a b", "http://g/"]),
        (b"<a href=mailto:x><a href='javascript:'>", &["mailto:x", "javascript:"]),
        (
            b"<img srcset='a, b 2x'><p style='background:url(c)'>",
            &["http://h/a/a", "http://h/a/b", "http://h/a/c"],
        ),
        (b"<a href=\xc3\xa9>", &["http://h/a/\u{c3}\u{a9}"]),
    ] {
        assert_eq!(urls(&latin, source), expected);
    }
    assert_eq!(urls(&Rewriter::new(), b"<a href=x><a href=y:z>"), ["y:z"]);
    let source = b"<a href=x><a href=y>";
    let mut limits = Limits::default();
    limits.links = 1;
    assert!(rewriter().limits(limits).urls(source, &mut Buffers::new(), |_| {}).is_err());
    let counts = rewriter().urls(source, &mut Buffers::new(), |_| {}).unwrap().counts();
    assert_eq!((counts.links, counts.kept), (2, 2));
}

const PIECES: &[&str] = &[
    "<a href=",
    "<img src='",
    "<base href=",
    "<a ping='",
    "x",
    "/y",
    "../z",
    "#",
    "?q",
    "&amp;",
    "\u{e9}",
    " ",
    ">",
    "'",
    "</a>",
    "<svg>",
    "<style>",
    "<!--",
    "-->",
    "url(",
    ")",
    "http://g/",
    "HTTP:",
    "//g:80",
    "\\",
    "\t",
    "\n",
    "<script>",
    "</script>",
    "<title>",
    "\0",
    "<img alt=b>",
    "<iframe srcdoc='",
];

proptest! {
    #[test]
    fn urls_of_any_document_are_those_of_its_links(
        pieces in proptest::collection::vec(select(PIECES), 0..24),
        label in select(&["utf-8", "windows-1252", "shift_jis", "utf-16le"][..]),
        same in select(&[SameDocument::Rewrite, SameDocument::Keep][..]),
        standard in select(Standard::ALL),
        has_base in any::<bool>(),
    ) {
        let source = pieces.concat().into_bytes();
        let rewriter = if has_base { rewriter() } else { Rewriter::new() };
        let rewriter = rewriter.encoding(label).unwrap().same_document(same).standard(standard);
        prop_assert_eq!(urls(&rewriter, &source), urls_of_links(&rewriter, &source));
        for text in details(&rewriter, &source, Detail::Text).into_iter().flatten() {
            let words: Vec<&str> = text.split_whitespace().collect();
            prop_assert_eq!(&words.join(" "), &text);
        }
    }
}
