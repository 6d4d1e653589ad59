//! XML documents: rows, namespaces, bases, encodings, and what is not well-formed.

use absolve::url::Maps;
use absolve::{BaseElement, Direction, Form, Policy, Rewriter, Syntax};

const BASE: &str = "http://h/d/p.xml";

fn rewriter() -> Rewriter {
    Rewriter::new().base_url(BASE).unwrap().syntax(Syntax::Xml)
}

#[track_caller]
fn is(source: &str, expected: &str) {
    let result = rewriter().rewrite(source.as_bytes()).unwrap();
    assert_eq!(str::from_utf8(result.bytes()).unwrap(), expected);
    // A second run makes no edit.
    let expected = expected.as_bytes();
    assert_eq!(rewriter().rewrite(expected).unwrap().bytes(), expected);
}

/// Checks a rewriting between two parts that stay.
#[track_caller]
fn becomes(frame: (&str, &str), source: &str, expected: &str) {
    let (before, after) = frame;
    is(&format!("{before}{source}{after}"), &format!("{before}{expected}{after}"));
}

#[track_caller]
fn fails(source: &[u8], expected: &str) {
    let error = rewriter().rewrite(source).unwrap_err();
    assert!(error.is_not_well_formed(), "{error}");
    let text = error.to_string();
    let end = "; correct it, or read it as HTML";
    assert_eq!(text.strip_suffix(end), Some(expected), "{text}");
}

const XHTML: (&str, &str) = ("<html xmlns='http://www.w3.org/1999/xhtml'><head>", "</head></html>");
const ATOM: (&str, &str) = ("<feed xmlns=\"http://www.w3.org/2005/Atom\">", "</feed>");
const RSS: (&str, &str) = (
    "<rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel>",
    "</channel></rss>",
);

#[test]
fn xhtml_has_the_rows_of_html() {
    becomes(
        XHTML,
        "<script src='s.js'/><a href='b'/>",
        "<script src='http://h/d/s.js'/><a href='http://h/d/b'/>",
    );
    becomes(
        XHTML,
        "<img srcset='a 1x, b 2x'/>",
        "<img srcset='http://h/d/a 1x, http://h/d/b 2x'/>",
    );
    becomes(XHTML, "<style>a{b:url(c)}</style>", "<style>a{b:url(http://h/d/c)}</style>");
    becomes(
        XHTML,
        "<style><![CDATA[a{b:url(c)}]]></style>",
        "<style><![CDATA[a{b:url(http://h/d/c)}]]></style>",
    );
    becomes(
        XHTML,
        "<iframe srcdoc=\"&lt;a href='x'>\"/>",
        "<iframe srcdoc=\"&lt;a href='http://h/d/x'>\"/>",
    );
    becomes(
        XHTML,
        "<meta http-equiv='refresh' content='0;url=x'/>",
        "<meta http-equiv='refresh' content='0;url=http://h/d/x'/>",
    );
    becomes(
        XHTML,
        "<object codebase='c/' classid='x'/>",
        "<object codebase='http://h/d/c/' classid='x'/>",
    );
    // Names are compared by case.
    becomes(XHTML, "<A HREF='b'/><A href='b'/>", "<A HREF='b'/><A href='http://h/d/b'/>");
    becomes(
        XHTML,
        "<!-- <a href='b'/> --><![CDATA[<a href='b'/>]]>",
        "<!-- <a href='b'/> --><![CDATA[<a href='b'/>]]>",
    );
}

#[test]
fn the_base_of_xhtml_counts_in_the_head() {
    becomes(
        XHTML,
        "<link href='a'/><base href='/e/'/>",
        "<link href='http://h/e/a'/><base href='http://h/e/'/>",
    );
    is(
        "<html xmlns='http://www.w3.org/1999/xhtml'><body><base href='/e/'/><a href='b'/></body></html>",
        "<html xmlns='http://www.w3.org/1999/xhtml'><body><base href='http://h/e/'/><a href='http://h/d/b'/></body></html>",
    );
    let page = "<html xmlns='http://www.w3.org/1999/xhtml'><body><base href='/e/'/></body></html>";
    let summary = rewriter().links(page.as_bytes(), |_| {}).unwrap();
    assert!(summary.rejected_base().unwrap().is_outside_head());
}

#[test]
fn namespaces_are_those_of_uris() {
    is("<html><a href='b'/></html>", "<html><a href='b'/></html>");
    is(
        "<h:a xmlns:h='http://www.w3.org/1999/xhtml' href='b' h:href='c'/>",
        "<h:a xmlns:h='http://www.w3.org/1999/xhtml' href='http://h/d/b' h:href='c'/>",
    );
    is(
        "<s:svg xmlns:s='http://www.w3.org/2000/svg' xmlns:l='http://www.w3.org/1999/xlink'><s:use l:href='a#b'/><s:use l:href='#b'/></s:svg>",
        "<s:svg xmlns:s='http://www.w3.org/2000/svg' xmlns:l='http://www.w3.org/1999/xlink'><s:use l:href='http://h/d/a#b'/><s:use l:href='#b'/></s:svg>",
    );
    is(
        "<svg xmlns='http://www.w3.org/2000/svg'><a xmlns='x:y' href='b'/><a href='b'/><linearGradient href='c'/></svg>",
        "<svg xmlns='http://www.w3.org/2000/svg'><a xmlns='x:y' href='b'/><a href='http://h/d/b'/><linearGradient href='http://h/d/c'/></svg>",
    );
    is(
        "<math xmlns='http://www.w3.org/1998/Math/MathML' altimg='a'><mi href='b'/></math>",
        "<math xmlns='http://www.w3.org/1998/Math/MathML' altimg='http://h/d/a'><mi href='http://h/d/b'/></math>",
    );
    is(
        "<svg xmlns='http://www.w3.org/2000/&#115;vg'><image href='b' fill='url(c)' style='d:url(e)'/></svg>",
        "<svg xmlns='http://www.w3.org/2000/&#115;vg'><image href='http://h/d/b' fill='url(http://h/d/c)' style='d:url(http://h/d/e)'/></svg>",
    );
}

#[test]
fn elements_of_atom_have_links() {
    becomes(
        ATOM,
        "<link href='a'/><link href=''/>",
        "<link href='http://h/d/a'/><link href='http://h/d/p.xml'/>",
    );
    becomes(
        ATOM,
        "<entry><content src='a'/></entry>",
        "<entry><content src='http://h/d/a'/></entry>",
    );
    becomes(
        ATOM,
        "<icon> a </icon><logo>\nb\n</logo>",
        "<icon> http://h/d/a </icon><logo>\nhttp://h/d/b\n</logo>",
    );
    becomes(ATOM, "<author><uri>a</uri></author>", "<author><uri>http://h/d/a</uri></author>");
    becomes(ATOM, "<generator uri='a'/>", "<generator uri='http://h/d/a'/>");
    becomes(
        ATOM,
        "<id>a</id><summary>&lt;a href='b'></summary>",
        "<id>a</id><summary>&lt;a href='b'></summary>",
    );
    becomes(
        ATOM,
        "<summary type='html'>&lt;a href='b?c&amp;amp;d'></summary>",
        "<summary type='html'>&lt;a href='http://h/d/b?c&amp;amp;d'></summary>",
    );
    becomes(
        ATOM,
        "<content type='text/html; charset=utf-8'>&lt;a href=b></content>",
        "<content type='text/html; charset=utf-8'>&lt;a href=http://h/d/b></content>",
    );
    becomes(
        ATOM,
        "<content type='html'><![CDATA[<a href=b>]]>&lt;img src=\"c\"/></content>",
        "<content type='html'><![CDATA[<a href=http://h/d/b>]]>&lt;img src=\"http://h/d/c\"/></content>",
    );
    becomes(
        ATOM,
        "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><a href='b'/></div></content>",
        "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><a href='http://h/d/b'/></div></content>",
    );
}

#[test]
fn xml_base_counts_in_feeds_and_nests() {
    becomes(
        ATOM,
        "<entry xml:base='e/'><link href='a'/><content xml:base='f/' type='html'>&lt;a href=b></content><link href='c'/></entry><link href='d'/>",
        "<entry xml:base='http://h/d/e/'><link href='http://h/d/e/a'/><content xml:base='http://h/d/e/f/' type='html'>&lt;a href=http://h/d/e/f/b></content><link href='http://h/d/e/c'/></entry><link href='http://h/d/d'/>",
    );
    // Browsers do not know it.
    becomes(
        XHTML,
        "<p xml:base='e/'><a href='b'/></p>",
        "<p xml:base='e/'><a href='http://h/d/b'/></p>",
    );
    // An attribute that counts as a base is no link, even for a caller who adds it.
    let added = rewriter().attribute("*:xml:base=url".parse().unwrap());
    let source = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='e/'><link href='a'/></feed>";
    let of = |rewriter: &Rewriter| rewriter.rewrite(source.as_bytes()).unwrap().into_bytes();
    assert_eq!(of(&added), of(&rewriter()));
    assert_eq!(
        of(&added.base_element(BaseElement::Keep)),
        source.replacen("'a'", "'http://h/d/e/a'", 1).as_bytes()
    );
}

#[test]
fn elements_of_rss_have_links() {
    becomes(
        RSS,
        "<link>a</link><docs>b</docs>",
        "<link>http://h/d/a</link><docs>http://h/d/b</docs>",
    );
    becomes(RSS, "<image><url>a</url></image>", "<image><url>http://h/d/a</url></image>");
    becomes(
        RSS,
        "<item><comments>a</comments></item>",
        "<item><comments>http://h/d/a</comments></item>",
    );
    becomes(
        RSS,
        "<enclosure url='a'/><source url='b'/>",
        "<enclosure url='http://h/d/a'/><source url='http://h/d/b'/>",
    );
    becomes(
        RSS,
        "<guid>a/</guid><guid isPermaLink='true'>b/c</guid><guid isPermaLink='false'>c/</guid>",
        "<guid>http://h/d/a/</guid><guid isPermaLink='true'>http://h/d/b/c</guid><guid isPermaLink='false'>c/</guid>",
    );
    becomes(
        RSS,
        "<description>&lt;a href=&quot;b&quot;&gt;</description><content:encoded><![CDATA[<img src='c'>]]></content:encoded>",
        "<description>&lt;a href=&quot;http://h/d/b&quot;&gt;</description><content:encoded><![CDATA[<img src='http://h/d/c'>]]></content:encoded>",
    );
    // Elements without namespace are those of RSS in RSS alone.
    is("<x><link>a</link></x>", "<x><link>a</link></x>");
}

#[test]
fn sitemaps_books_and_style_sheets_have_links() {
    is(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:i='http://www.google.com/schemas/sitemap-image/1.1' xmlns:v='http://www.google.com/schemas/sitemap-video/1.1' xmlns:x='http://www.w3.org/1999/xhtml'><url><loc>/a?b&amp;c</loc><i:image><i:loc>b</i:loc></i:image><v:video><v:content_loc>c</v:content_loc></v:video><x:link rel='alternate' href='d'/></url></urlset>",
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:i='http://www.google.com/schemas/sitemap-image/1.1' xmlns:v='http://www.google.com/schemas/sitemap-video/1.1' xmlns:x='http://www.w3.org/1999/xhtml'><url><loc>http://h/a?b&amp;c</loc><i:image><i:loc>http://h/d/b</i:loc></i:image><v:video><v:content_loc>http://h/d/c</v:content_loc></v:video><x:link rel='alternate' href='http://h/d/d'/></url></urlset>",
    );
    is(
        "<package xmlns='http://www.idpf.org/2007/opf'><manifest><item href='a.xhtml'/></manifest><guide><reference href='b'/></guide></package>",
        "<package xmlns='http://www.idpf.org/2007/opf'><manifest><item href='http://h/d/a.xhtml'/></manifest><guide><reference href='http://h/d/b'/></guide></package>",
    );
    is(
        "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'><navMap><navPoint><content src='a#b'/></navPoint></navMap></ncx>",
        "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'><navMap><navPoint><content src='http://h/d/a#b'/></navPoint></navMap></ncx>",
    );
    is(
        "<smil xmlns='http://www.w3.org/ns/SMIL' xmlns:e='http://www.idpf.org/2007/ops'><body e:textref='a' textref='b'><par><text src='a#b'/><audio src='c'/></par></body></smil>",
        "<smil xmlns='http://www.w3.org/ns/SMIL' xmlns:e='http://www.idpf.org/2007/ops'><body e:textref='http://h/d/a' textref='b'><par><text src='http://h/d/a#b'/><audio src='http://h/d/c'/></par></body></smil>",
    );
    is(
        "<t:stylesheet xmlns:t='http://www.w3.org/1999/XSL/Transform' xmlns='http://www.w3.org/1999/xhtml'><t:import href='a'/><t:include href='b'/><t:template><a href='{c}'/></t:template></t:stylesheet>",
        "<t:stylesheet xmlns:t='http://www.w3.org/1999/XSL/Transform' xmlns='http://www.w3.org/1999/xhtml'><t:import href='http://h/d/a'/><t:include href='http://h/d/b'/><t:template><a href='{c}'/></t:template></t:stylesheet>",
    );
    is(
        "<?xml version='1.0'?>\n<?xml-stylesheet type='text/css' href='a.css'?><?xml-stylesheet href=\"#b\"?><?other href='c'?><x/>",
        "<?xml version='1.0'?>\n<?xml-stylesheet type='text/css' href='http://h/d/a.css'?><?xml-stylesheet href=\"#b\"?><?other href='c'?><x/>",
    );
}

#[test]
fn new_text_is_escaped_for_xml() {
    let source = format!("{}<a href='x'/><a href=\"x\"/>{}", XHTML.0, XHTML.1);
    let result = rewriter().rewrite_with(source.as_bytes(), |_| Some("a?b&copy=<'\">".into()));
    let expected = "<a href='a?b&amp;copy=&lt;&#39;\">'/><a href=\"a?b&amp;copy=&lt;'&quot;>\"/>";
    let expected = format!("{}{expected}{}", XHTML.0, XHTML.1);
    assert_eq!(str::from_utf8(result.unwrap().bytes()).unwrap(), expected);
    let source = format!("{}<icon>x</icon>{}", ATOM.0, ATOM.1);
    let result = rewriter().rewrite_with(source.as_bytes(), |_| Some("a&b]]>".into()));
    let expected = format!("{}<icon>a&amp;b]]&gt;</icon>{}", ATOM.0, ATOM.1);
    assert_eq!(str::from_utf8(result.unwrap().bytes()).unwrap(), expected);
}

#[test]
fn entities_are_never_expanded() {
    let source = "<!DOCTYPE html [<!ENTITY x \"a > b\"><!-- ' ]> --><?p ]> ?>]><html xmlns='http://www.w3.org/1999/xhtml'><a href='b&x;'/><a href='c'/>&x;</html>";
    let result = rewriter().rewrite(source.as_bytes()).unwrap();
    let expected = source.replace("'c'", "'http://h/d/c'");
    assert_eq!(str::from_utf8(result.bytes()).unwrap(), expected);
    let counts = result.counts();
    assert_eq!((counts.links, counts.kept, counts.rewritten), (2, 1, 1));
    fails(
        b"<a>&nbsp;</a>",
        "line 1, column 4: not well-formed XML: the entity '&nbsp;' is not declared",
    );
    // The replacement text of an entity is not checked.
    for source in [
        "<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f 'x&e;'>]><a>&e;</a>",
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'x'>]><a b='&e;'/>",
        "<!DOCTYPE a [<!ENTITY e '<b>'>]><a>&e;</a>",
        "<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 'x'><a>&e;</a>",
    ] {
        is(source, source);
    }
    fails(
        b"<!DOCTYPE a [<!ENTITY e 'x'>]>\n<a>&e;&f;</a>",
        "line 2, column 7: not well-formed XML: the entity '&f;' is not declared",
    );
}

/// An entity of text, one of markup of HTML, and one that names a type.
const ENTITIES: &str =
    "<!DOCTYPE a [<!ENTITY t '&#160;'><!ENTITY m '&#38;lt;a href=x>'><!ENTITY k 'html'>]>";

/// A document with these entities stays, with this number of kept values.
#[track_caller]
fn keeps((before, after): (&str, &str), source: &str, kept: usize) {
    let source = format!("{ENTITIES}{before}{source}{after}");
    let result = rewriter().rewrite(source.as_bytes()).unwrap();
    assert_eq!(str::from_utf8(result.bytes()).unwrap(), source);
    let counts = result.counts();
    assert_eq!((counts.links, counts.kept), (kept, kept), "{source}");
}

#[test]
fn html_with_an_entity_is_kept() {
    keeps(RSS, "<description>a&t;&lt;a href='x'></description>", 1);
    keeps(RSS, "<description>&t;<![CDATA[<a href='x'>]]></description>", 1);
    keeps(RSS, "<content:encoded>&m;</content:encoded>", 1);
    keeps(RSS, "<description>a&t;b</description>", 0);
    keeps(ATOM, "<content type='html'>a&t;&lt;a href='x'></content>", 1);
    keeps(ATOM, "<content type='text'>a&t;&lt;a href='x'></content>", 0);
    keeps(XHTML, "<iframe srcdoc='&t;&lt;a href=x>'/>", 1);
    keeps(XHTML, "<iframe srcdoc='&t;'/>", 0);
}

#[test]
fn an_entity_that_decides_keeps_what_may_be_a_link() {
    keeps(RSS, "<guid isPermaLink='&k;'>x</guid>", 1);
    keeps(ATOM, "<content type='&k;'>&lt;a href='x'></content>", 1);
    keeps(XHTML, "<meta http-equiv='&k;' content='0;url=x'/>", 1);
    keeps(XHTML, "<meta title='&k;' content='0;url=x'/>", 0);
}

#[test]
fn a_base_around_an_entity_of_markup_stays() {
    let removes = |root: &str, source: &str, expected: &str| {
        let entities = "<!ENTITY d '<a href=\"x\"/>'><!ENTITY t '&#160;'><!ENTITY f SYSTEM 'f'>";
        let frame = |text: &str| format!("<!DOCTYPE html SYSTEM 'x' [{entities}]>{root}{text}");
        let rewriter = rewriter().base_element(BaseElement::Remove);
        let source = frame(source);
        let result = rewriter.rewrite(source.as_bytes()).unwrap();
        assert_eq!(str::from_utf8(result.bytes()).unwrap(), frame(expected));
    };
    let html = "<html xmlns='http://www.w3.org/1999/xhtml'><head>";
    for (content, base) in [
        ("&d;", "<base href='p/'/>"),
        ("&f;", "<base href='p/'/>"),
        ("&undeclared;", "<base href='p/'/>"),
        ("&t;&nbsp;&amp;", "<base />"),
    ] {
        removes(
            html,
            &format!("<base href='p/'/></head><p>{content}</p></html>"),
            &format!("{base}</head><p>{content}</p></html>"),
        );
    }
    removes(
        "<feed xmlns='http://www.w3.org/2005/Atom'>",
        "<entry xml:base='a/'>&d;<source xml:base='b/'/></entry><entry xml:base='c/'/></feed>",
        "<entry xml:base='a/'>&d;<source /></entry><entry /></feed>",
    );
}

#[test]
fn the_first_base_that_a_reference_needs_is_rejected() {
    let rejects = |source: &str, expected: Option<&str>| {
        let source = format!("<feed xmlns='http://www.w3.org/2005/Atom' {source}</feed>");
        let result = rewriter().rewrite(source.as_bytes()).unwrap();
        let found = result.rejected_base().map(|base| base.location().unwrap().to_string());
        assert_eq!(found.as_deref(), expected, "{source}");
    };
    let harmless = "><entry xml:base='mailto:x'/>\n";
    let needed = "<entry xml:base='mailto:y'><link href='b'/></entry>";
    rejects(harmless, None);
    rejects(&format!("{harmless}{needed}"), Some("line 2, column 18"));
    rejects("xml:base='mailto:u'\n><entry xml:base='http://e/'><link href='b'/></entry>", None);
    rejects("xml:base='mailto:u'\n><link href='http://e/'/>", None);
    let first = Some("line 1, column 53");
    rejects("xml:base='mailto:u'\n><entry xml:base='q/'/>", first);
    rejects("xml:base='mailto:u'\n><entry xml:base=''><link href='b'/></entry>", first);
    rejects("xml:base='mailto:u'\n><entry xml:base='data:,'><link href='b'/></entry>", first);
    rejects("xml:base='data:,'\n><link href='b'/>", first);
    rejects("xml:base='data:,'\n><link href='mailto:b'/>", None);
    let html = |text: &str| format!("xml:base='mailto:u'\n><title type='html'>{text}</title>");
    rejects(&html("&lt;a href=b>"), first);
    rejects(&html("&lt;base href='http://e/'>&lt;a href=b>"), None);
}

#[test]
fn the_internal_subset_is_skipped() {
    for subset in [
        "",
        "<!ELEMENT a (b,c|d)><!ELEMENT b >",
        "<!ENTITY x SYSTEM \"y\"NDATA n><!NOTATION n>",
        "<!ATTLIST a b FOO '<' c CDATA \"]>\">",
        "<!-- ]> -- ' --><?p ]> ' ?>%p;",
        "<!ENTITY e ']><a href=\"x\"/>'>",
        "<!FOO>text",
    ] {
        becomes(
            (&format!("<!DOCTYPE a [{subset}] >"), ""),
            "<a xmlns='http://www.w3.org/1999/xhtml' href='b'/>",
            "<a xmlns='http://www.w3.org/1999/xhtml' href='http://h/d/b'/>",
        );
    }
}

#[test]
fn encodings_are_those_of_the_mark_and_the_declaration() {
    let text = "<?xml version=\"1.0\" encoding=\"X\"?><svg xmlns=\"http://www.w3.org/2000/svg\"><a href=\"\u{e9}\"/></svg>";
    for (label, mark) in [
        ("utf-16le", &b"\xff\xfe"[..]),
        ("utf-16be", b"\xfe\xff"),
        ("utf-16le", b""),
        ("iso-8859-1", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("gb18030", b""),
    ] {
        let encoding = absolve::encoding::for_label(label).unwrap();
        let detected = absolve::encoding::Detected { encoding, bom: mark.len() };
        let text = text.replace('X', label);
        let source = detected.encode(&text, mark);
        let expected = detected.encode(&text.replace("\u{e9}", "http://h/d/\u{e9}"), mark);
        assert_eq!(rewriter().rewrite(&source).unwrap().bytes(), expected, "{label}");
    }
    fails(
        b"<?xml version='1.0' encoding='utf-7'?><a/>",
        "line 1, column 1: not well-formed XML: unknown encoding 'utf-7'",
    );
    fails(
        b"<?xml version='1.0' encoding='utf-16'?><a/>",
        "line 1, column 1: not well-formed XML: the document is not in the encoding 'utf-16' that it declares",
    );
    fails(
        b"<a>\n\xc3\xa9\xe9</a>",
        "line 2, column 2: not well-formed XML: bytes that are not UTF-8",
    );
}

#[test]
fn us_ascii_has_no_other_bytes_whoever_names_it() {
    let source = b"<?xml version='1.0'?>\n<a>\xe9</a>";
    for label in ["us-ascii", " ASCII", "ANSI_X3.4-1968"] {
        let error = rewriter().encoding(label).unwrap().rewrite(source).unwrap_err().to_string();
        let expected = "line 2, column 4: not well-formed XML: bytes that are not US-ASCII";
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(rewriter().encoding("iso-8859-1").unwrap().rewrite(source).is_ok());
    // A byte order mark counts before it, and HTML has no such rule.
    let marked = [b"\xef\xbb\xbf", &b"<a>\xc3\xa9</a>"[..]].concat();
    assert!(rewriter().encoding("us-ascii").unwrap().rewrite(&marked).is_ok());
    let html = rewriter().syntax(Syntax::Html).encoding("us-ascii").unwrap();
    assert!(html.rewrite(source).is_ok());
}

#[test]
fn characters_are_those_of_xml_in_every_encoding() {
    let document = |encoding: &str, byte: u8, link: &str| {
        let start = format!(
            "<?xml version='1.0' encoding='{encoding}'?><feed xmlns='http://www.w3.org/2005/Atom'>"
        );
        let end = format!("<link href='{link}'/></feed>");
        [start.as_bytes(), &[byte], end.as_bytes()].concat()
    };
    // U+0080 and U+007F are allowed.
    for (encoding, byte) in [("Shift_JIS", 0x80), ("Shift_JIS", 0x7f), ("iso-8859-2", 0x80)] {
        let source = document(encoding, byte, "a");
        let result = rewriter().rewrite(&source).unwrap();
        assert_eq!(result.bytes(), document(encoding, byte, "http://h/d/a"), "{encoding}");
    }
    for (encoding, byte, why) in [
        ("Shift_JIS", 0x01, "the character U+0001"),
        ("Shift_JIS", 0xa0, "bytes that are not Shift_JIS"),
        ("iso-8859-2", 0x1f, "the character U+001F"),
    ] {
        let error = rewriter().rewrite(&document(encoding, byte, "a")).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn what_is_not_well_formed_is_an_error() {
    for (source, expected) in [
        ("", "line 1, column 1: not well-formed XML: there is no root element"),
        (
            "<a>\n<b></a>",
            "line 2, column 4: not well-formed XML: the end tag 'a' does not match the start tag 'b'",
        ),
        ("<a>\n<b>", "line 2, column 1: not well-formed XML: the element 'b' is not closed"),
        ("<a/><b/>", "line 1, column 5: not well-formed XML: a second root element"),
        ("<a/>b", "line 1, column 5: not well-formed XML: text outside of the root element"),
        ("</a>", "line 1, column 1: not well-formed XML: the end tag 'a' has no start tag"),
        (
            "<a b/>",
            "line 1, column 4: not well-formed XML: the attribute 'b' has no value in quotes",
        ),
        (
            "<a b=c/>",
            "line 1, column 4: not well-formed XML: the attribute 'b' has no value in quotes",
        ),
        (
            "<a b='1'c='2'/>",
            "line 1, column 9: not well-formed XML: white space is missing before an attribute",
        ),
        (
            "<a b='1' b='2'/>",
            "line 1, column 10: not well-formed XML: the attribute 'b' is there twice",
        ),
        ("<a b='<'/>", "line 1, column 7: not well-formed XML: '<' in an attribute value"),
        (
            "<a b='&'/>",
            "line 1, column 7: not well-formed XML: '&' begins no reference; write it as &amp;",
        ),
        (
            "<a>]]></a>",
            "line 1, column 4: not well-formed XML: ']]>' in text; write its '>' as &gt;",
        ),
        ("<b:a/>", "line 1, column 2: not well-formed XML: the prefix 'b' is not declared"),
        ("<a b:c=''/>", "line 1, column 4: not well-formed XML: the prefix 'b' is not declared"),
        ("<1/>", "line 1, column 2: not well-formed XML: '1' is not the name of an element"),
        (
            " <!----> <?xml version='1.0'?><a/>",
            "line 1, column 10: not well-formed XML: an XML declaration must be at the start of the document",
        ),
        (
            "<a/><!DOCTYPE a>",
            "line 1, column 5: not well-formed XML: a document type declaration must come once, before the root element",
        ),
        (
            "<!DOCTYPE a [<a/>",
            "line 1, column 1: not well-formed XML: syntax error: DOCTYPE not closed: `>` not found before end of input",
        ),
        ("<a>\u{1}</a>", "line 1, column 4: not well-formed XML: the character U+0001"),
    ] {
        fails(source.as_bytes(), expected);
    }
}

#[test]
fn white_space_before_the_declaration_is_skipped() {
    for before in ["\n", " \r\n\t", "\u{feff}\n"] {
        let of = |link| format!("{before}<?xml version='1.0'?>{}{link}{}", RSS.0, RSS.1);
        is(&of("<link>a</link>"), &of("<link>http://h/d/a</link>"));
    }
    let source = b"\n <?xml version='1.0' encoding='iso-8859-1'?><html xmlns='http://www.w3.org/1999/xhtml'><a href='\xe9'/></html>";
    let mut urls = Vec::new();
    let summary = rewriter().links(source, |link| urls.push(link.reference().to_owned())).unwrap();
    assert_eq!(urls, ["é"]);
    let (why, place) = summary.tolerated_fault().unwrap();
    assert!(why.starts_with("white space before the XML declaration"), "{why}");
    assert_eq!(place.to_string(), "line 2, column 2");
    for source in ["<?xml version='1.0'?><a/>", " \n<?xml-stylesheet href='b'?><a/>", "\n<a/>"] {
        assert!(rewriter().links(source.as_bytes(), |_| {}).unwrap().tolerated_fault().is_none());
    }
}

#[test]
fn a_feed_is_not_to_be_read_as_html() {
    let sitemap = ("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>", "</urlset>");
    for ((before, after), is_page) in
        [(RSS, false), (ATOM, false), (sitemap, false), (XHTML, true), (("<a>", "</a>"), true)]
    {
        let source = format!("{before}&{after}");
        let error = rewriter().rewrite(source.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("; correct it"), "{error}");
        assert_eq!(error.ends_with("or read it as HTML"), is_page, "{error}");
    }
}

#[test]
fn unfinished_markup_is_an_error() {
    for source in [
        "<a",
        "<a b='",
        "<a><!-- -- --></a>",
        "<a><!--",
        "<a><![CDATA[",
        "<a>&",
        "<a>&b",
        "<a><?xml ?></a>",
        "<a/><?",
        "<",
        "<a></",
        "<!x>",
    ] {
        let error = rewriter().rewrite(source.as_bytes()).unwrap_err();
        assert!(error.is_not_well_formed(), "{source}: {error}");
    }
}

/// Rewrites where bases are removed.
#[track_caller]
fn without_bases(rewriter: &Rewriter, frame: (&str, &str), source: &str, expected: &str) {
    let (before, after) = frame;
    let rewriter = rewriter.clone().base_element(BaseElement::Remove);
    let source = format!("{before}{source}{after}");
    let new = rewriter.rewrite(source.as_bytes()).unwrap();
    assert_eq!(str::from_utf8(new.bytes()).unwrap(), format!("{before}{expected}{after}"));
}

#[test]
fn a_removed_base_is_gone() {
    let source = "<base href='/e/' target='t'/><link href='a'/>";
    without_bases(&rewriter(), XHTML, source, "<base  target='t'/><link href='http://h/e/a'/>");
    let source = "<entry xml:base='e/'><link href='a'/><entry xml:base='f/'><link href='b'/></entry></entry>";
    let expected = "<entry ><link href='http://h/d/e/a'/><entry ><link href='http://h/d/e/f/b'/></entry></entry>";
    without_bases(&rewriter(), ATOM, source, expected);
}

#[test]
fn links_become_relative_in_scopes_too() {
    let relative = rewriter().policy(Policy::form(Form::Relative));
    let source = "<link href='http://h/x'/><entry xml:base='e/'><link href='a'/><entry xml:base='f/'><link href='b'/></entry></entry>";
    let expected =
        "<link href='../x'/><entry ><link href='e/a'/><entry ><link href='e/f/b'/></entry></entry>";
    without_bases(&relative, ATOM, source, expected);
    let source = "<base href='/e/'/><link href='a'/>";
    without_bases(&relative, XHTML, source, "<base /><link href='../e/a'/>");
}

const EXTENSIONS: (&str, &str) = (
    "<rss version='2.0' xmlns:podcast='https://podcastindex.org/namespace/1.0' \
     xmlns:p='https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md' \
     xmlns:googleplay='http://www.google.com/schemas/play-podcasts/1.0' \
     xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' \
     xmlns:psc='http://podlove.org/simple-chapters' \
     xmlns:wfw='http://wellformedweb.org/CommentAPI/' \
     xmlns:media='http://search.yahoo.com/mrss/' \
     xmlns:thr='http://purl.org/syndication/thread/1.0'><channel><item>",
    "</item></channel></rss>",
);

#[test]
fn extensions_of_feeds_have_links() {
    for (source, at) in [
        ("<podcast:transcript url='@' type='text/vtt'/>", "t.vtt"),
        ("<p:chapters url='@'/>", "c.json"),
        ("<podcast:funding url='@'>Support</podcast:funding>", "f"),
        ("<podcast:person href='@' img='@'>A</podcast:person>", "../p"),
        ("<podcast:trailer url='@'/><podcast:license url='@'>a</podcast:license>", "t"),
        ("<podcast:alternateEnclosure><podcast:source uri='@'/></podcast:alternateEnclosure>", "s"),
        ("<podcast:images srcset='@ 1w'/>", "/i"),
        ("<podcast:image href='@'/><podcast:contentLink href='@'>a</podcast:contentLink>", "/i"),
        ("<googleplay:image href='@'/>", "i.png"),
        ("<psc:chapters><psc:chapter start='0' href='@' image='@'/></psc:chapters>", "x"),
        ("<wfw:comment>@</wfw:comment><wfw:commentRss>@</wfw:commentRss>", "x"),
        ("<wfw:commentRSS>\n@ </wfw:commentRSS>", "x"),
        ("<media:embed url='@'/><media:copyright url='@'>a</media:copyright>", "x"),
        ("<media:backLinks><media:backLink>@</media:backLink></media:backLinks>", "x"),
        ("<media:description type='html'>&lt;a href='@'></media:description>", "x"),
        ("<media:title type='html'><![CDATA[<img src='@'>]]></media:title>", "x"),
        ("<itunes:summary><![CDATA[<a href='@'>a</a> b]]></itunes:summary>", "x"),
        ("<thr:in-reply-to ref='r' href='@' source='@'/>", "x"),
    ] {
        let url = match at.strip_prefix("../").or_else(|| at.strip_prefix('/')) {
            Some(rest) => format!("http://h/{rest}"),
            None => format!("http://h/d/{at}"),
        };
        let (source, expected) = (source.replace('@', at), source.replace('@', &url));
        becomes(EXTENSIONS, &source, &expected);
    }
    for same in [
        "<podcast:guid>a/b</podcast:guid><podcast:location geo='geo:1,2'>a/b</podcast:location>",
        "<podcast:person>a/b</podcast:person><podcast:soundbite url='x'/>",
        "<media:description>&lt;a href='x'></media:description>",
        "<media:description type='plain'>&lt;a href='x'></media:description>",
        "<thr:in-reply-to ref='a/b'/><psc:chapters href='x'/>",
        "<podcast:transcript xmlns:podcast='urn:x' url='x'/>",
    ] {
        becomes(EXTENSIONS, same, same);
    }
}

#[test]
fn the_identity_of_an_item_is_a_link_only_with_a_slash() {
    for same in [
        "<guid>post-17</guid>",
        "<guid>article 54 at example.com</guid>",
        "<guid><![CDATA[1558978626260]]></guid>",
        "<guid>67a1f6b0-9a3e-4d7c-8c4f-8f8b0f3a6f01</guid>",
        "<guid isPermaLink='True'>post-17</guid>",
        "<guid isPermaLink='FALSE'>/p/17</guid>",
        "<guid ispermalink='false'>/p/17</guid>",
        "<guid isPermaLink=' false '>p/17</guid>",
        "<guid>tag:h,2026:/p/17</guid>",
        "<guid>urn:uuid:67a1f6b0</guid>",
        "<guid>http:p/17</guid>",
    ] {
        becomes(RSS, same, same);
    }
    for (source, expected) in [
        ("<guid>/p/17</guid>", "<guid>http://h/p/17</guid>"),
        ("<guid isPermaLink='TRUE'>p/17</guid>", "<guid isPermaLink='TRUE'>http://h/d/p/17</guid>"),
        ("<guid isPermaLink=''>p/17</guid>", "<guid isPermaLink=''>http://h/d/p/17</guid>"),
    ] {
        becomes(RSS, source, expected);
    }
    let mut found = Vec::new();
    let source =
        "<rss><channel><item><guid>17</guid><guid>http://h/17</guid></item></channel></rss>";
    rewriter().links(source.as_bytes(), |link| found.push(link.reference().to_owned())).unwrap();
    assert_eq!(found, ["http://h/17"]);
}

#[test]
fn the_identity_of_an_item_stays_where_links_move() {
    let mut maps = Maps::new();
    maps.add("http://h/", "https://n/").unwrap();
    let moves = Direction::new(Form::AsWritten).maps(maps);
    let source = "<rss><channel><item><guid>http://h/17</guid><link>http://h/17</link></item></channel></rss>";
    let expected = source.replace("<link>http://h/", "<link>https://n/");
    let result = rewriter().policy(moves.into()).rewrite(source.as_bytes()).unwrap();
    assert_eq!(str::from_utf8(result.bytes()).unwrap(), expected);
    for form in [Form::Relative, Form::RootRelative, Form::Absolute] {
        let result = rewriter().policy(Policy::form(form)).rewrite(source.as_bytes()).unwrap();
        assert_eq!(str::from_utf8(result.bytes()).unwrap(), source);
    }
}

#[test]
fn an_element_has_no_attributes_of_the_text_and_the_tags_after_it() {
    becomes(
        XHTML,
        "<style>a{b:url(c)}</style><script type='text/javascript'/>",
        "<style>a{b:url(http://h/d/c)}</style><script type='text/javascript'/>",
    );
    becomes(
        RSS,
        "<guid>x/</guid><guid isPermaLink=\"false\">y/</guid>",
        "<guid>http://h/d/x/</guid><guid isPermaLink=\"false\">y/</guid>",
    );
    for text in [
        "<title>The type=\"html\" of &lt;a href=\"x\"></title>",
        "<title>&lt;img/src=x></title><content type=\"html\">t</content>",
        "<summary>&lt;input type=\"html\" src=\"x\"></summary>",
    ] {
        becomes(ATOM, text, text);
    }
}

#[test]
fn a_prefix_of_rows_that_stands_for_another_namespace_is_none() {
    let svg = ("<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='urn:y'>", "</svg>");
    becomes(svg, "<a xlink:href='b'/>", "<a xlink:href='b'/>");
    let svg = (
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:l='http://www.w3.org/1999/xlink'>",
        "</svg>",
    );
    becomes(svg, "<a l:href='b'/>", "<a l:href='http://h/d/b'/>");
}

#[test]
fn the_parts_of_a_declaration_are_not_checked() {
    for source in ["<?xml version='2.0'?><a/>", "<!doctype a><a/>", "<!DOCTYPE a PUBLIC 'b'><a/>"] {
        is(source, source);
    }
}

#[test]
fn names_are_those_of_the_standard() {
    is("<caf\u{e9} xmlns:\u{65e5}='urn:x'/>", "<caf\u{e9} xmlns:\u{65e5}='urn:x'/>");
    for source in ["<\u{d7}/>", "<a \u{d7}='x'/>", "<a><?\u{d7} x?></a>"] {
        assert!(
            rewriter().rewrite(source.as_bytes()).unwrap_err().is_not_well_formed(),
            "{source}"
        );
    }
}
