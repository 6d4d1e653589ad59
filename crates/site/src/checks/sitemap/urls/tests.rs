//! The syntax of sitemaps: their URLs, their kinds, and files that are not sitemaps.

use super::*;

#[track_caller]
fn urls(source: &str, expected: &[(&str, &str)]) {
    let mut found = Vec::new();
    let read = Syntax::Xml.each_url(source.as_bytes(), |_, url, span| {
        found.push((url.to_owned(), source[span].to_owned()));
    });
    let expected: Vec<_> =
        expected.iter().map(|(url, span)| ((*url).to_owned(), (*span).to_owned())).collect();
    assert_eq!((read, found), (Ok(Kind::Urls), expected), "{source}");
}

#[test]
fn a_url_is_the_text_of_a_loc() {
    urls("<urlset><url><loc> http://h/a </loc></url></urlset>", &[("http://h/a", "http://h/a")]);
    let in_set = |text: &str| format!("<urlset>{text}</urlset>");
    urls("\u{feff}<urlset><loc>b?c&amp;d</loc></urlset>", &[("b?c&d", "b?c&amp;d")]);
    urls(&in_set("<loc><![CDATA[b&c]]></loc>"), &[("b&c", "<![CDATA[b&c]]>")]);
    urls(&in_set("<image:loc xmlns:image='x'>b</image:loc><c>d</c>"), &[("b", "b")]);
    urls(&in_set("<!--<loc>b</loc>-->"), &[]);
    urls(&in_set("<loc> </loc><loc/>"), &[("", ""), ("", "<loc/>")]);
    urls("<?xml version='1.0'?><!--a--> <s:urlset xmlns:s='x'/> ", &[]);
}

#[test]
fn a_url_of_a_text_is_a_line() {
    let text = "\u{feff}http://h/a\r\n\n  http://h/a b \nc";
    let mut found = Vec::new();
    let read = Syntax::Text.each_url(text.as_bytes(), |_, url, span| {
        assert_eq!(url, &text[span]);
        found.push(url.to_owned());
    });
    assert_eq!(
        (read, found),
        (Ok(Kind::Urls), ["http://h/a", "http://h/a b", "c"].map(str::to_owned).into())
    );
}

#[test]
fn the_name_says_the_syntax() {
    assert_eq!(Syntax::of_name(b"maps/A.XML"), Some(Syntax::Xml));
    assert_eq!(Syntax::of_name(b"a.xml.gz"), Some(Syntax::Xml));
    assert_eq!(Syntax::of_name(b"a.txt"), Some(Syntax::Text));
    assert_eq!(Syntax::of_name(b"a.txt.GZ"), Some(Syntax::Text));
    assert_eq!(Syntax::of_name(b"feed.rss"), None);
}

#[test]
fn what_is_no_xml_is_reported() {
    let read = Syntax::Xml.each_url(b"<urlset><loc>b</urlset>", |_, _, _| {});
    assert!(read.unwrap_err().starts_with("it is not XML: "));
    let refuses = |source: &[u8], why: &str| {
        let read = Syntax::Xml.each_url(source, |_, _, _| {});
        assert_eq!(read, Err(why.to_owned()), "{source:?}");
    };
    refuses(b"<urlset><loc>&b;c</loc></urlset>", "&b; is not known, at byte 13");
    refuses(b"<urlset><loc>\xe9</loc></urlset>", "it is not UTF-8, at byte 13");
    refuses(b"\xff\xfe<\0a\0", "it is not UTF-8, at byte 0");
    refuses(b"garbage", "it is not XML: text outside of an element, at byte 0");
    refuses(b"<urlset/><urlset/>", "it is not XML: a second root element, at byte 9");
    refuses(b"<urlset><url><loc>b", "it is incomplete: it ends inside of an element");
    refuses(b"<html><loc>b", "its root element is <html>, expected <urlset> or <sitemapindex>");
    refuses(b"<!--a-->", "it has no element, expected <urlset> or <sitemapindex>");
    refuses(b"\xef\xbb\xbf \n", "it is empty, expected the URLs of pages");
}

#[test]
fn the_root_says_the_kind() {
    let kind = |source: &str| Syntax::Xml.each_url(source.as_bytes(), |_, _, _| {});
    assert_eq!(kind("<s:sitemapindex xmlns:s='x'/>"), Ok(Kind::Index));
    assert_eq!(kind("<rss><channel/></rss>"), Ok(Kind::Feed));
    assert_eq!(kind("<feed/>"), Ok(Kind::Feed));
}
