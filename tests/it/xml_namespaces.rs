//! Namespaces of XML documents, what the document type declares of them, values with entities, and
//! the form that links of feeds and sitemaps need.

use absolve::{BaseElement, Form, LinkOutcome, Policy, Rewriter, Syntax};

const SVG: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";

fn rewriter() -> Rewriter {
    Rewriter::new().base_url("http://h/d/p.xml").unwrap().syntax(Syntax::Xml)
}

/// `@` in the document is where its links are made absolute.
#[track_caller]
fn is(source: &str) {
    let written = source.replace('@', "");
    let result = rewriter().rewrite(written.as_bytes()).unwrap();
    assert_eq!(str::from_utf8(result.bytes()).unwrap(), source.replace('@', "http://h/d/"));
    assert_eq!(result.summary().unknown_namespace(), None, "{source}");
}

/// No link is found, and the library says why.
#[track_caller]
fn is_unknown(source: &str, what: &str) {
    let result = rewriter().rewrite(source.as_bytes()).unwrap();
    assert_eq!(str::from_utf8(result.bytes()).unwrap(), source);
    assert_eq!(result.summary().unknown_namespace(), Some(what), "{source}");
}

#[track_caller]
fn becomes(policy: Policy, source: &str, expected: &str) {
    let result = rewriter().policy(policy).rewrite(source.as_bytes()).unwrap().into_bytes();
    assert_eq!(str::from_utf8(&result).unwrap(), expected);
}

#[track_caller]
fn fails(source: &str, expected: &str) {
    let error = rewriter().rewrite(source.as_bytes()).unwrap_err().to_string();
    let why = error.replace("not well-formed XML: ", "");
    assert_eq!(why.strip_suffix("; correct it, or read it as HTML"), Some(expected));
}

#[test]
fn a_namespace_may_be_an_entity_of_the_internal_subset() {
    is(&format!(
        "<!DOCTYPE svg [<!ENTITY s '{SVG}'><!ENTITY x '{XLINK}'>]>\
        <svg xmlns='&s;' xmlns:x='&x;'><a x:href='@b'/><image href='@c'/></svg>"
    ));
    is(&format!(
        "<!DOCTYPE svg SYSTEM 'x' [<!ENTITY s '{SVG}'>]><svg xmlns='&s;'><a href='@b'/></svg>"
    ));
    is(
        "<!DOCTYPE svg [<!ENTITY s 'http://www.w3.org'>]><svg xmlns='&s;/2000&#47;svg'><a href='@b'/></svg>",
    );
    is(&format!(
        "<!DOCTYPE s:svg [<!ENTITY s '{SVG}'>]><s:svg xmlns:s='&s;'><s:a href='@b'/><a href='b'/></s:svg>"
    ));
}

#[test]
fn a_default_of_the_document_type_is_not_read() {
    let subset = format!(
        "<!ATTLIST svg xmlns CDATA #FIXED '{SVG}' xmlns:x CDATA '{XLINK}' x:href CDATA 'y'>"
    );
    let svg = |rest: &str| format!("<!DOCTYPE svg [{subset}]><svg{rest}</svg>");
    is_unknown(&svg("><a href='b'/>"), "svg");
    // A prefix may be one that the document type declares.
    is_unknown(&svg(&format!(" xmlns='{SVG}'><a x:href='b' y:href='c'/>")), "x:href");
    is_unknown(&svg(&format!(" xmlns='{SVG}'><x:a href='b' />")), "x:a");
    is(&svg(&format!(" xmlns='{SVG}' xmlns:x='{XLINK}'><a x:href='@b'/>")));
}

#[test]
fn a_namespace_that_is_not_known_is_said() {
    is_unknown("<!DOCTYPE svg SYSTEM 'x'><svg xmlns='&s;'><a href='b'/></svg>", "&s;");
    is_unknown(
        "<!DOCTYPE svg [<!ENTITY s SYSTEM 'x'>]><svg xmlns='&s;'><a href='b'/></svg>",
        "&s;",
    );
    is_unknown(
        "<!DOCTYPE svg [<!ENTITY t 'x'><!ENTITY s '&t;'>]><svg xmlns='&s;'><a href='b'/></svg>",
        "&s;",
    );
    is_unknown("<!DOCTYPE svg [<!ENTITY % p SYSTEM 'x'>%p;]><svg><a href='b'/></svg>", "svg");
    is_unknown("<html><a href='b'/></html>", "html");
    is("<book><a href='b'/></book>");
}

#[test]
fn what_namespaces_forbid_is_an_error() {
    fails("<a xmlns:xml='foo'/>", "line 1, column 4: the prefix 'xml' cannot be bound to 'foo'");
    is("<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>");
    fails(
        "<a xmlns='http://www.w3.org/XML/1998/namespace'/>",
        "line 1, column 4: 'http://www.w3.org/XML/1998/namespace' cannot be the default namespace",
    );
    fails(
        "<a xmlns:b='http://www.w3.org/2000/xmlns/'/>",
        "line 1, column 4: the prefix 'b' cannot be bound to 'http://www.w3.org/2000/xmlns/'",
    );
    fails("<a xmlns:b=''/>", "line 1, column 4: the prefix 'b' cannot be bound to ''");
    fails("<a xmlns:xmlns='b'/>", "line 1, column 4: the prefix 'xmlns' cannot be bound to 'b'");
}

#[test]
fn two_attributes_have_two_expanded_names() {
    fails(
        "<a xmlns:b='u' xmlns:c='u' b:d='' c:d=''/>",
        "line 1, column 35: the attribute 'c:d' is there twice, by its namespace",
    );
    fails(
        "<r xmlns:b='u'><a xmlns:c='&#117;' b:d='' c:d=''/></r>",
        "line 1, column 43: the attribute 'c:d' is there twice, by its namespace",
    );
    is("<a xmlns:b='u' xmlns:c='v' b:d='' c:d='' d=''/>");
    is("<r xmlns:b='u' xmlns:c='u'><a xmlns:c='v' b:d='' c:d=''/><a b:d='' c:e=''/></r>");
}

#[test]
fn what_is_no_reference_is_said() {
    fails("<a>&#0;</a>", "line 1, column 4: '&#0;' is not a character of XML");
    fails("<a b='&#xFFFF;'/>", "line 1, column 7: '&#xFFFF;' is not a character of XML");
    fails("<a>&#x;</a>", "line 1, column 4: '&#x;' is not a character of XML");
    is("<!DOCTYPE a SYSTEM 'x'><a>&f;</a>");
}

#[test]
fn a_base_stays_beside_a_value_with_an_entity() {
    let feed = |base: &str, link: &str| {
        format!(
            "<!DOCTYPE feed [<!ENTITY e 'x'>]><feed xmlns='http://www.w3.org/2005/Atom' xml:base='{base}'>\
            <link href='&e;'/><link href='{link}'/><entry><link href='{link}'/></entry></feed>"
        )
    };
    becomes(Policy::form(Form::Relative), &feed("/e/", "y"), &feed("/e/", "y"));
    becomes(Policy::form(Form::Relative), &feed("/e/", "http://h/d/y"), &feed("/e/", "../d/y"));
    becomes(Policy::form(Form::RootRelative), &feed("/e/", "y"), &feed("/e/", "/e/y"));
    let page = |base: &str, link: &str| {
        format!(
            "<!DOCTYPE html [<!ENTITY e 'x'>]><html xmlns='http://www.w3.org/1999/xhtml'>\
            <head><base href='{base}'/></head><a href='{link}'/><a href='&e;'/></html>"
        )
    };
    becomes(Policy::form(Form::Relative), &page("/e/", "/d/y"), &page("/e/", "../d/y"));
    let removing = rewriter().base_element(BaseElement::Remove);
    let source = page("/e/", "y");
    let written = removing.rewrite(source.as_bytes()).unwrap();
    assert_eq!(str::from_utf8(written.bytes()).unwrap(), page("/e/", "http://h/e/y"));
    // Without such a value, it goes; and one of another element too.
    let feed = |base: &str, link: &str| {
        format!(
            "<!DOCTYPE feed [<!ENTITY e 'x'>]><feed xmlns='http://www.w3.org/2005/Atom'>\
            <entry{base}><link href='{link}'/></entry><link href='&e;'/></feed>"
        )
    };
    becomes(Policy::form(Form::Relative), &feed(" xml:base='/e/'", "y"), &feed(" ", "../e/y"));
}

#[test]
fn a_base_with_an_entity_is_not_known() {
    let page = "<!DOCTYPE html [<!ENTITY e 'x'>]><html xmlns='http://www.w3.org/1999/xhtml'>\
        <head><link href='a'/><base href='&e;'/></head><a href='b'/></html>";
    becomes(Policy::default(), page, page);
    becomes(Policy::form(Form::Relative), page, page);
    let feed = |links: &str| {
        format!(
            "<!DOCTYPE feed [<!ENTITY e 'x'>]><feed xmlns='http://www.w3.org/2005/Atom'><entry \
            xml:base='&e;'>\n<link href='a'/><link href='http://h/d/b'/>{links}</entry></feed>"
        )
    };
    // An absolute xml:base inside counts, and a relative one does not.
    let source = feed(
        "<source xml:base='http://i/'><link href='a'/></source>\
        <source xml:base='e/'><link href='a'/></source>",
    );
    let expected = feed(
        "<source xml:base='http://i/'><link href='http://i/a'/></source>\
        <source xml:base='e/'><link href='a'/></source>",
    );
    becomes(Policy::default(), &source, &expected);
    let removing = rewriter().base_element(BaseElement::Remove);
    let written = removing.rewrite(source.as_bytes()).unwrap();
    let expected = expected.replace(" xml:base='http://i/'", " ");
    assert_eq!(str::from_utf8(written.bytes()).unwrap(), expected);
    let counts = written.counts();
    assert_eq!((counts.kept, counts.unresolved, counts.absolute), (1, 3, 2));
    // An absolute link does not become relative to an unknown base.
    becomes(Policy::form(Form::Relative), &feed(""), &feed(""));
}

#[test]
fn a_value_with_an_entity_is_listed_without_a_url() {
    let source =
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a xmlns='http://www.w3.org/1999/xhtml' href='&e;b&#99;'/>";
    let mut found = Vec::new();
    let summary = rewriter().links(source.as_bytes(), |link| {
        assert_eq!(*link.outcome(), LinkOutcome::Entity);
        found.push((link.reference().to_owned(), link.url().map(str::to_owned), link.span()));
    });
    let span = source.find("&e;b").unwrap();
    assert_eq!(found, [("&e;bc".to_owned(), None, Some(span..span + 9))]);
    assert_eq!(summary.unwrap().counts().links, 1);
}

#[test]
fn links_of_feeds_and_sitemaps_stay_absolute() {
    let stays = |source: &str| {
        for form in [Form::Relative, Form::RootRelative] {
            becomes(
                Policy::form(form),
                &source.replace('@', ""),
                &source.replace('@', "http://h/d/"),
            );
            let absolute = source.replace('@', "http://h/d/");
            becomes(Policy::form(form), &absolute, &absolute);
        }
    };
    stays(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:x='http://www.w3.org/1999/xhtml'>\
        <url><loc>@a</loc><x:link rel='alternate' href='@b'/></url></urlset>",
    );
    stays(
        "<rss xmlns:atom='http://www.w3.org/2005/Atom' xmlns:c='http://purl.org/rss/1.0/modules/content/'>\
        <channel><link>@a</link><atom:link href='@b'/><item><enclosure url='@c'/><guid>@d/</guid>\
        <description>&lt;a href='@e'></description><c:encoded><![CDATA[<img src='@f'>]]></c:encoded></item></channel></rss>",
    );
    // Atom has `xml:base`, and a reference of Media RSS in it does not.
    becomes(
        Policy::form(Form::Relative),
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:m='http://search.yahoo.com/mrss/'>\
        <link href='http://h/d/a'/><m:content url='b'/><summary type='html'>&lt;a href='http://h/d/c'></summary></feed>",
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:m='http://search.yahoo.com/mrss/'>\
        <link href='a'/><m:content url='http://h/d/b'/><summary type='html'>&lt;a href='c'></summary></feed>",
    );
    // An instruction is for the document alone.
    becomes(
        Policy::form(Form::Relative),
        "<?xml-stylesheet href='http://h/d/s'?><rss><channel><link>http://h/d/a</link></channel></rss>",
        "<?xml-stylesheet href='s'?><rss><channel><link>http://h/d/a</link></channel></rss>",
    );
}

#[test]
fn sitemaps_without_their_namespace_are_sitemaps() {
    is("<urlset><url><loc>@a</loc></url></urlset>");
    is("<sitemapindex><sitemap><loc>@a</loc></sitemap></sitemapindex>");
    is(
        "<urlset xmlns='https://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>@a</loc></url></urlset>",
    );
    is("<list><loc>a</loc></list>");
}

#[test]
fn names_are_compared_by_case() {
    is(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><LOC>a</LOC><loc>@b</loc></url></urlset>",
    );
    is("<rss><channel><Link>a</Link><link>@b</link></channel></rss>");
    is(
        "<rss xmlns:m='http://search.yahoo.com/mrss/'><m:subTitle href='@a'/><m:subtitle href='b'/></rss>",
    );
    is(&format!("<svg xmlns='{SVG}'><linearGradient href='#a'/><linearGradient href='@b'/></svg>"));
}

#[test]
fn new_values_have_the_characters_of_the_declared_encoding() {
    let written = |encoding: &str, link: &[u8]| {
        let source = [
            format!("<?xml version='1.0' encoding='{encoding}'?><rss><channel>").as_bytes(),
            link,
            b"</channel></rss>",
        ]
        .concat();
        let rewriter = rewriter().base_url("http://h/é€/").unwrap();
        let result = rewriter.rewrite(&source).unwrap().into_bytes().into_owned();
        let start = result.windows(9).position(|part| part == b"<channel>").unwrap() + 9;
        result[start..result.len() - b"</channel></rss>".len()].to_vec()
    };
    let is = |encoding, link: &[u8], expected: &[u8]| {
        let found = written(encoding, link);
        assert_eq!(found, expected, "{encoding}: {}", String::from_utf8_lossy(&found));
    };
    is("us-ascii", b"<link>a</link>", b"<link>http://h/&#233;&#8364;/a</link>");
    is("ISO-8859-1", b"<link>a</link>", b"<link>http://h/\xe9&#8364;/a</link>");
    is("csISOLatin1", b"<link>a</link>", b"<link>http://h/\xe9&#8364;/a</link>");
    is("windows-1252", b"<link>a</link>", b"<link>http://h/\xe9\x80/a</link>");
    is("iso-8859-9", b"<link>a</link>", b"<link>http://h/&#233;&#8364;/a</link>");
    is("ISO-8859-15", b"<link>a</link>", b"<link>http://h/\xe9\xa4/a</link>");
    // No reference can be written in a CDATA section.
    is(
        "us-ascii",
        b"<link><![CDATA[a]]></link>",
        b"<link><![CDATA[http://h/%C3%A9%E2%82%AC/a]]></link>",
    );
    is(
        "us-ascii",
        b"<description><![CDATA[<a href=b>]]></description>",
        b"<description><![CDATA[<a href=http://h/&#233;&#8364;/b>]]></description>",
    );
    let error =
        rewriter().rewrite(b"<?xml version='1.0' encoding='us-ascii'?><a>\xe9</a>").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("line 1, column 45: not well-formed XML: bytes that are not US-ASCII"),
        "{error}"
    );
}

#[test]
fn an_xml_base_that_is_not_usable_is_reported() {
    let said = |base: &str| {
        let feed = format!(
            "<!DOCTYPE feed [<!ENTITY e 'x'>]><feed xmlns='http://www.w3.org/2005/Atom'>\n\
            <entry xml:base='{base}'><link href='x'/></entry></feed>"
        );
        let result = rewriter().rewrite(feed.as_bytes()).unwrap();
        result.summary().rejected_base().map(|base| (base.place(), base.leaves_unresolved()))
    };
    assert_eq!(said("mailto:x"), Some(("xml:base", true)));
    assert_eq!(said("http://["), Some(("xml:base", false)));
    assert_eq!(said("http://h/&e;"), Some(("xml:base", true)));
    assert_eq!(said("/e/"), None);
}

#[test]
fn a_base_that_is_not_usable_has_a_line_and_a_column() {
    let is = |source: &str, expected: &str| {
        let source = format!("<!DOCTYPE a [<!ENTITY e 'x'>]>\n{source}");
        let result = rewriter().rewrite(source.as_bytes()).unwrap();
        assert_eq!(result.rejected_base().unwrap().to_string(), expected);
    };
    let link = "<a xmlns='http://www.w3.org/1999/xhtml' href='b'/>";
    let why = "leaves relative references unresolved: the base URL '&e;' is not usable: it has an entity, \
        and entities are not expanded";
    is(
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><base href='&e;'/></head></html>",
        &format!("line 2, column 62: the base element {why}"),
    );
    is(&format!("<é xml:base='&e;'>{link}</é>"), &format!("line 2, column 14: the xml:base {why}"));
    is(
        &format!("<é xml:base='data:,'>{link}</é>"),
        "line 2, column 14: the xml:base does not count: the base URL 'data:,' is not usable: no \
        reference resolves against data: URLs",
    );
}
