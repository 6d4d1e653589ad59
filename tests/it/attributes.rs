//! Every row of the attribute table: a page made from it shows the link.

use absolve::attributes::{DefaultState, Elements, Namespace, Row, Rule, TABLE, TEXT};
use absolve::grammar::Grammar;
use absolve::{Engine, LinkOutcome, Rewriter};

/// Retrieval URL of the page, and layer below its `base`.
const DOCUMENT: &str = "http://doc.example/dir/page.html";
const BASE: &str = "<base href=http://base.example/a/b>";
const REFERENCE: &str = "x/y?q&r";
const BY_BASE: &str = "http://base.example/a/x/y?q&r";
const BY_DOCUMENT: &str = "http://doc.example/dir/x/y?q&r";

/// Elements that a parser takes in one place only: what is before the start
/// tag.
const PLACES: &[(&str, &str)] = &[
    ("html", "<!DOCTYPE html>"),
    ("head", "<html>"),
    ("base", "<head>"),
    ("body", "<head><BASE></head>"),
    ("frame", "<head><BASE></head><frameset>"),
    ("thead", "<BASE><table>"),
    ("tbody", "<BASE><table>"),
    ("tfoot", "<BASE><table>"),
    ("tr", "<BASE><table><tbody>"),
    ("td", "<BASE><table><tbody><tr>"),
    ("th", "<BASE><table><tbody><tr>"),
    ("col", "<BASE><table><colgroup>"),
    ("colgroup", "<BASE><table>"),
];

/// A link as a test writes it: element, attribute, reference, URL.
type Seen = (String, String, String, Option<String>);

fn rewriter(engine: Engine) -> Rewriter {
    Rewriter::new().base_url(DOCUMENT).unwrap().engine(engine)
}

/// The links of a page by both engines, without the `base` that the page has for
/// the sake of the others.
#[track_caller]
fn links(page: &str) -> Vec<Seen> {
    let by = |engine| {
        let mut links = Vec::new();
        let visit = |link: &absolve::Link<'_>| {
            if link.reference() != "http://base.example/a/b" {
                let url = link.url().map(str::to_owned);
                let [element, attribute, reference] =
                    [link.element(), link.attribute(), link.reference()].map(str::to_owned);
                links.push((element, attribute, reference, url));
            }
        };
        rewriter(engine).links(page.as_bytes(), visit).unwrap();
        links
    };
    let links = by(Engine::Dom);
    assert_eq!(by(Engine::Splice), links, "the engines differ on {page}");
    links
}

/// Holds the links of a page, with the base in it, against what is expected.
#[track_caller]
fn shows(body: &str, expected: &[(&str, &str, &str, &str)]) {
    let found = links(&format!("{BASE}{body}"));
    let expected: Vec<Seen> = expected
        .iter()
        .map(|&(element, attribute, reference, url)| {
            let [element, attribute, reference, url] =
                [element, attribute, reference, url].map(str::to_owned);
            (element, attribute, reference, Some(url))
        })
        .collect();
    assert_eq!(found, expected, "{body}");
}

/// Rewrites a page with the base in it, and looks for a part of the result.
#[track_caller]
fn becomes(body: &str, part: &str) {
    let page = format!("{BASE}{body}");
    let result = rewriter(Engine::Dom).rewrite(page.as_bytes()).unwrap();
    let text = String::from_utf8_lossy(result.bytes());
    assert!(text.contains(part), "{body}\nbecomes {text}\nwithout {part}");
}

/// The elements that a row is tried on, each with what is before its tag.
fn places(row: &Row) -> Vec<(&'static str, String)> {
    let html = |name| {
        let place = PLACES.iter().find(|(element, _)| *element == name);
        (name, place.map_or(BASE, |(_, before)| before).replace("<BASE>", BASE))
    };
    let foreign = |name| (name, format!("{BASE}<svg>"));
    match row.elements {
        Elements::Named(Namespace::Html, names) => names.iter().map(|&name| html(name)).collect(),
        Elements::Named(Namespace::Svg, names) => names.iter().map(|&name| foreign(name)).collect(),
        Elements::Named(Namespace::MathMl, names) => {
            names.iter().map(|&name| (name, BASE.to_owned())).collect()
        }
        Elements::AnySvg => vec![foreign("path"), foreign("g")],
        // HTML has no such elements: see tests/it/xml.rs.
        Elements::Named(..) => Vec::new(),
        Elements::Any => {
            let mut places = vec![foreign("path"), foreign("a"), ("mi", format!("{BASE}<math>"))];
            if row.rule != Rule::Foreign {
                places.extend(["a", "img", "p", "x-y", "noscript"].map(html));
            }
            places
        }
    }
}

/// How a value of a grammar holds the reference.
fn value(grammar: Grammar) -> String {
    let reference = REFERENCE.replace('&', "&amp;");
    match grammar {
        Grammar::UrlList => format!("http://h/ {reference}"),
        Grammar::CommaList => format!("http://h/, {reference}"),
        Grammar::Srcset => format!("http://h/ 1x, {reference} 2x"),
        Grammar::Refresh => format!("5; url={reference}"),
        Grammar::Css => format!("color: red; background: url({reference})"),
        Grammar::Html => format!("<a href='{}'>", reference.replace('&', "&amp;")),
        Grammar::FuncIri => format!("url({reference}) none"),
        _ => reference,
    }
}

/// A page for every element and attribute of a row.
fn pages(row: &Row) -> Vec<(&'static str, &'static str, String)> {
    let value = value(row.grammar.unwrap_or(Grammar::Url));
    let page = |element, attribute, before: &str| {
        let beside = if row.rule == Rule::Refresh { " http-equiv=Refresh" } else { "" };
        let page = match attribute {
            TEXT => format!("{before}<{element}>p {{ background: url({REFERENCE}) }}</{element}>"),
            _ => format!("{before}<{element}{beside} {attribute}=\"{value}\">"),
        };
        (element, attribute, page)
    };
    let mut pages = Vec::new();
    for (element, before) in places(row) {
        pages.extend(row.attributes.iter().map(|&attribute| page(element, attribute, &before)));
    }
    pages
}

#[test]
fn every_row_shows_its_links() {
    let mut shown = 0;
    for row in TABLE.iter().filter(|row| row.counts == DefaultState::Always) {
        for (element, attribute, page) in pages(row) {
            let is_without_base = page.find(BASE).is_none();
            let url = if is_without_base { BY_DOCUMENT } else { BY_BASE };
            let (name, named) = match row.grammar {
                Some(Grammar::Html) => ("a", "href"),
                _ => (element, attribute),
            };
            let expected =
                (name.to_owned(), named.to_owned(), REFERENCE.to_owned(), Some(url.to_owned()));
            let found: Vec<_> =
                links(&page).into_iter().filter(|link| link.2 != "http://h/").collect();
            assert_eq!(found, std::slice::from_ref(&expected), "{page}");
            let tag = format!("<{element} {attribute}=");
            let upper_case = page.replace(&tag, &tag.to_uppercase());
            let found: Vec<_> =
                links(&upper_case).into_iter().filter(|link| link.2 != "http://h/").collect();
            assert_eq!(found, [expected], "{upper_case}");
            shown += 1;
        }
    }
    assert!(shown >= 130, "only {shown} pages");
}

#[test]
fn rows_off_by_default_show_nothing() {
    for row in TABLE.iter().filter(|row| row.counts != DefaultState::Always) {
        for (_, _, page) in pages(row) {
            assert_eq!(links(&page), [], "{page}");
        }
    }
    shows("<meta property=og:image content=i.png><meta name=twitter:image content=i.png>", &[]);
}

#[test]
fn a_base_element_is_resolved_against_the_layer_below() {
    let seen = |href: &str, url: &str| {
        vec![("base".into(), "href".into(), href.to_owned(), Some(url.to_owned()))]
    };
    assert_eq!(links("<base href=../up/>"), seen("../up/", "http://doc.example/up/"));
    let two = links(&format!("{BASE}<base href=two/>"));
    assert_eq!(two, seen("two/", "http://doc.example/dir/two/"));
    becomes("<base href=two/>", r#"<base href="http://doc.example/dir/two/">"#);
}

#[test]
fn a_manifest_is_resolved_against_the_document_url() {
    let page = format!("<html manifest=m><head>{BASE}");
    let url = Some("http://doc.example/dir/m".to_owned());
    assert_eq!(links(&page), [("html".into(), "manifest".into(), "m".into(), url)]);
}

/// Attributes whose empty value a browser fetches nothing for, each with what is before
/// its tag.
const EMPTY: &[(&str, &str, &str)] = &[
    ("", "img", "src"),
    ("", "iframe", "src"),
    ("", "embed", "src"),
    ("", "object", "data"),
    ("", "script", "src"),
    ("", "audio", "src"),
    ("", "video", "src"),
    ("", "video", "poster"),
    ("<video>", "source", "src"),
    ("<video>", "track", "src"),
    ("", "input type=image", "src"),
    ("", "input", "formaction"),
    ("", "button", "formaction"),
    ("", "form", "action"),
    ("", "link rel=stylesheet", "href"),
    ("", "table", "background"),
    ("<table>", "colgroup", "background"),
    ("<table><colgroup>", "col", "background"),
    ("<table><tbody><tr>", "td", "background"),
    ("", "img", "longdesc"),
    ("", "img", "lowsrc"),
    ("", "blockquote", "cite"),
    ("<svg>", "image", "href"),
    ("<svg>", "use", "xlink:href"),
    ("<svg>", "script", "href"),
    ("", "x-y", "src"),
];

/// The values that are empty: without a value, and with white space alone.
const EMPTY_VALUES: &[&str] = &["", "=''", "=\"\"", "=' \t\n'", "='&#32;'"];

#[test]
fn an_empty_value_stays_where_a_browser_fetches_nothing() {
    for &(before, tag, attribute) in EMPTY {
        for value in EMPTY_VALUES {
            let with_base = format!("{BASE}{before}<{tag} {attribute}{value}>");
            for page in [with_base.clone(), with_base.replace(BASE, "")] {
                for rewriter in [rewriter(Engine::Splice), Rewriter::new()] {
                    let result = rewriter.rewrite(page.as_bytes()).unwrap();
                    assert_eq!(String::from_utf8_lossy(result.bytes()), page);
                    let counts = result.counts();
                    assert_eq!((counts.kept, counts.unresolved), (1, 0), "{page} {counts:?}");
                }
            }
            let (_, name, reference, url) = links(&with_base).remove(0);
            assert_eq!((&*name, reference.trim(), url), (attribute, "", None), "{with_base}");
            becomes(&with_base, &format!("{attribute}=\""));
        }
    }
}

#[test]
fn every_row_says_what_an_empty_value_means() {
    let one_url =
        |row: &&Row| row.counts == DefaultState::Always && row.grammar == Some(Grammar::Url);
    for row in TABLE.iter().filter(one_url) {
        for (element, before) in places(row) {
            for attribute in row.attributes {
                let page = format!("{before}<{element} {attribute}=''>");
                let is_link =
                    matches!((element, *attribute), ("a" | "area", "href") | ("a", "xlink:href"));
                let expected = is_link || element == "base";
                let found = links(&page).into_iter().find(|link| link.2.is_empty());
                assert_eq!(found.unwrap().3.is_some(), expected, "{page}");
            }
        }
    }
    shows("<a href=''>", &[("a", "href", "", "http://base.example/a/b")]);
    shows("<area href=' '>", &[("area", "href", " ", "http://base.example/a/b")]);
    shows("<svg><a href=''>", &[("a", "href", "", "http://base.example/a/b")]);
    shows("<svg><a xlink:href=''>", &[("a", "xlink:href", "", "http://base.example/a/b")]);
    becomes("<svg><a xlink:href=' '>", r#"<a xlink:href="http://base.example/a/b">"#);
    becomes("<a href=''>", r#"<a href="http://base.example/a/b">"#);
}

/// Elements that end foreign content, so that they are those of HTML everywhere.
const OF_HTML: &[&str] =
    &["blockquote", "body", "embed", "head", "img", "meta", "table", "th", "td", "tr"];

#[test]
fn attributes_of_html_elements_count_on_these_alone() {
    let mut tried = 0;
    for row in TABLE {
        let Elements::Named(Namespace::Html, names) = row.elements else { continue };
        for element in names.iter().filter(|name| !OF_HTML.contains(name)) {
            for attribute in row.attributes {
                // SVG has these, and all elements have `href`.
                let counts = matches!((*element, *attribute), ("a", "ping") | (_, TEXT | "href"));
                if counts || !(row.counts == DefaultState::Always) {
                    continue;
                }
                for foreign in ["svg", "math"] {
                    let value = value(row.grammar.unwrap());
                    shows(&format!("<{foreign}><{element} {attribute}=\"{value}\">"), &[]);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried >= 50, "{tried}");
    shows("<math><a ping=x>", &[]);
    shows("<svg><a ping=x>", &[("a", "ping", "x", "http://base.example/a/x")]);
    shows("<svg><math altimg=x>", &[]);
    shows("<math altimg=x>", &[("math", "altimg", "x", "http://base.example/a/x")]);
    shows("<svg><video src=x poster=y>", &[("video", "src", "x", "http://base.example/a/x")]);
    let inside = [("form", "action", "x", "http://base.example/a/x")];
    shows("<svg><foreignObject><form action=x>", &inside);
}

#[test]
fn an_attribute_that_the_user_adds_keeps_an_empty_value() {
    let rewriter = rewriter(Engine::Splice).attribute("*:data-x=url".parse().unwrap());
    let result = rewriter.rewrite(b"<p data-x=''><p data-x=y>").unwrap();
    assert_eq!(result.bytes(), b"<p data-x=''><p data-x=http://doc.example/dir/y>");
}

#[test]
fn a_class_that_the_user_adds_is_read() {
    let page =
        b"<p class=\"x\" id=y><a class=\"z\" href=\"w\"><noscript><p class=\"v\"></noscript>";
    let url = |name: &str| format!("http://doc.example/dir/{name}");
    let [x, z, w, v] = ["x", "z", "w", "v"].map(url);
    let rewritten = rewriter(Engine::Splice).rewrite(page).unwrap();
    let expected = format!(
        "<p class=\"x\" id=y><a class=\"z\" href=\"{w}\"><noscript><p class=\"v\"></noscript>"
    );
    assert_eq!(rewritten.bytes(), expected.as_bytes());
    let own = rewriter(Engine::Splice).attribute("*:class=url".parse().unwrap());
    let expected = format!(
        "<p class=\"{x}\" id=y><a class=\"{z}\" href=\"{w}\"><noscript><p class=\"{v}\"></noscript>"
    );
    assert_eq!(own.rewrite(page).unwrap().bytes(), expected.as_bytes());
}

#[test]
fn a_fragment_stays_where_it_names_a_part_of_the_drawing() {
    for element in ["use", "linearGradient", "textPath", "feImage", "animate"] {
        shows(&format!("<svg><{element} href='#x'>"), &[]);
        shows(&format!("<svg><{element} xlink:href=' #x'>"), &[]);
        becomes(&format!("<svg><{element} href='#x'>"), &format!("<{element} href=\"#x\">"));
    }
    let with_path = [("use", "href", "p#x", "http://base.example/a/p#x")];
    shows("<svg><use href='p#x'>", &with_path);
    shows("<svg><a href='#x'>", &[("a", "href", "#x", "http://base.example/a/b#x")]);
    shows("<a href='#x'>", &[("a", "href", "#x", "http://base.example/a/b#x")]);
    shows("<use href='#x'>", &[("use", "href", "#x", "http://base.example/a/b#x")]);
}

#[test]
fn what_html_4_resolves_against_a_codebase_stays_and_data_does_not() {
    let object = "<object codebase=c/ data=d classid=e archive='f g'>";
    let expected = [
        ("object", "codebase", "c/", "http://base.example/a/c/"),
        ("object", "data", "d", "http://base.example/a/d"),
        ("object", "classid", "e", "http://base.example/a/c/e"),
        ("object", "archive", "f", "http://base.example/a/c/f"),
        ("object", "archive", "g", "http://base.example/a/c/g"),
    ];
    shows(object, &expected);
    becomes(object, r#"data="http://base.example/a/d" classid="e" archive="f g""#);
    becomes("<object data=d>", r#"data="http://base.example/a/d""#);
    becomes("<object codebase=c/ classid=clsid:x>", r#"classid="clsid:x""#);
    becomes("<applet codebase=c/ src=d>", r#"src="http://base.example/a/d""#);
    let page = format!("{BASE}{object}");
    let mut kept = 0;
    let count = |link: &absolve::Link<'_>| {
        kept += usize::from(matches!(link.outcome(), LinkOutcome::Kept(_)));
    };
    rewriter(Engine::Splice).links(page.as_bytes(), count).unwrap();
    assert_eq!(kept, 3);
}

/// Pages with a customizable `select`: the references of their images here, and in the tree of the
/// [HTML Standard][spec], which clones the selected `option` over the content of `selectedcontent`.
///
/// html5ever 0.40 does not, so that what the page has there counts as well. A row whose two lists
/// are the same once the parser clones is no difference any more.
///
/// [spec]: https://html.spec.whatwg.org/multipage/form-elements.html#maybe-clone-an-option-into-selectedcontent
const SELECTED_CONTENT: &[(&str, &[&str], &[&str])] = &[
    (
        "<select><button><selectedcontent><img src=old></selectedcontent></button>\
         <option selected><img src=new></option></select>",
        &["old", "new"],
        &["new", "new"],
    ),
    (
        "<select><button><selectedcontent></selectedcontent></button>\
         <option selected><img src=new></option></select>",
        &["new"],
        &["new", "new"],
    ),
];

#[test]
fn the_content_of_selectedcontent_counts_as_it_is_written() {
    for (page, here, standard) in SELECTED_CONTENT {
        let found: Vec<_> = links(page).into_iter().map(|link| link.2).collect();
        assert_eq!(&found, here, "{page}");
        assert_ne!(here, standard, "{page}: no known difference");
    }
}

/// Pages with a link that html5ever 0.40 does not find, which reads other elements than browsers.
const READ_IN_TWO_WAYS: &[&str] = &[
    "<mi><svg><title><svg></mi><a xlink:href=x>",
    "<math><annotation-xml encoding=text/html></p></annotation-xml><style><a href=x>",
];

#[test]
fn the_dom_engine_refuses_a_page_whose_links_it_does_not_find() {
    for page in READ_IN_TWO_WAYS {
        let mut found = Vec::new();
        let visit = |link: &absolve::Link<'_>| found.push(link.reference().to_owned());
        rewriter(Engine::Splice).links(page.as_bytes(), visit).unwrap();
        assert_eq!(found, ["x"], "{page}");
        let error = rewriter(Engine::Dom).links(page.as_bytes(), |_| {}).unwrap_err();
        assert!(error.is_tree_change(), "{page}: {error}");
    }
}

#[test]
fn xlink_href_counts_in_foreign_content_only() {
    shows("<a xlink:href=x>", &[]);
    shows("<svg><foreignObject><a xlink:href=x>", &[]);
    shows("<math><mtext><a xlink:href=x>", &[]);
    shows("<svg><a xlink:href=x>", &[("a", "xlink:href", "x", "http://base.example/a/x")]);
    shows("<math><mi xlink:href=x>", &[("mi", "xlink:href", "x", "http://base.example/a/x")]);
    becomes("<svg><a xlink:href=x>", r#"xlink:href="http://base.example/a/x""#);
}

#[test]
fn names_are_read_in_any_case_and_the_first_attribute_counts() {
    shows("<A HREF=x>", &[("a", "href", "x", "http://base.example/a/x")]);
    shows("<a href=x href=y HREF=z>", &[("a", "href", "x", "http://base.example/a/x")]);
    shows("<svg><FEIMAGE HREF=x>", &[("feimage", "href", "x", "http://base.example/a/x")]);
    shows("<image src=x>", &[("img", "src", "x", "http://base.example/a/x")]);
    shows(
        "<a href=x?a&amp;b&#x26;c>",
        &[("a", "href", "x?a&b&c", "http://base.example/a/x?a&b&c")],
    );
}

#[test]
fn markup_that_is_no_element_shows_nothing() {
    for around in ["<!--*-->", "<title>*</title>", "<textarea>*</textarea>", "<script>*</script>"] {
        shows(&around.replace('*', "<a href=x>"), &[]);
    }
    for around in ["<noscript>*</noscript>", "<template>*</template>", "<body><noscript>*"] {
        let expected = [("a", "href", "x", "http://base.example/a/x")];
        shows(&around.replace('*', "<a href=x>"), &expected);
    }
}
