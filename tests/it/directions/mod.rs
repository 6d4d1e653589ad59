//! Links in other forms and other places: relative, from the root, and moved.

use absolve::url::{Maps, Standard};
use absolve::{
    BaseElement, Credentials, Direction, Engine, Form, Policy, Rewriter, SameDocument, Syntax,
};

mod properties;

const URL: &str = "http://h/a/b/page.html";

fn rewriter(form: Form) -> Rewriter {
    Rewriter::new().base_url(URL).unwrap().policy(Policy::form(form))
}

fn moving(rules: &[(&str, &str)]) -> Maps {
    let mut maps = Maps::new();
    for (old, new) in rules {
        maps.add(old, new).unwrap();
    }
    maps
}

fn text(rewriter: &Rewriter, page: &str) -> String {
    let result = rewriter.rewrite(page.as_bytes()).unwrap();
    String::from_utf8(result.bytes().to_vec()).unwrap()
}

/// The page becomes this one, and another run changes nothing.
#[track_caller]
fn becomes(rewriter: &Rewriter, page: &str, expected: &str) {
    assert_eq!(text(rewriter, page), expected);
    assert_eq!(text(rewriter, expected), expected, "again");
}

/// The reference in a link becomes this one.
#[track_caller]
fn link(rewriter: &Rewriter, reference: &str, expected: &str) {
    becomes(rewriter, &format!("<a href=\"{reference}\">"), &format!("<a href=\"{expected}\">"));
}

#[test]
fn links_become_relative() {
    let to = |reference, expected| link(&rewriter(Form::Relative), reference, expected);
    to("http://h/a/b/c.html", "c.html");
    to("/a/c?q#f", "../c?q#f");
    to("../../x/", "../../x/");
    to("../b/./c", "c");
    to("http://h", "../../");
    to("/a/b/", "./");
    to(" c\n.html ", " c\n.html ");
    to(" ./c\n.html ", "c.html");
    to(" c.html ", " c.html ");
    to("/a/b/12:30.html", "./12:30.html");
    to("./12:30.html", "./12:30.html");
    to("/a/b/c d.html", "c d.html");
    to("%3Fx%25.html", "%3Fx%25.html");
    // Elsewhere.
    to("//i/x", "http://i/x");
    to("https://h/x", "https://h/x");
    to("http://h:81/x", "http://h:81/x");
    to("http://u:p@h/x", "http://u:p@h/x");
    to("mailto:a@b", "mailto:a@b");
    to("javascript:x", "javascript:x");
    to("data:,x", "data:,x");
    // Above the root.
    to("../../../x", "http://h/../x");
    to("/%2e%2e/x", "http://h/%2e%2e/x");
}

#[test]
fn references_to_the_page_itself_stay() {
    let to = |reference, expected| link(&rewriter(Form::Relative), reference, expected);
    to("", "");
    to("#f", "#f");
    to("page.html#f", "#f");
    to("/a/b/page.html", "page.html");
    to("?q", "?q");
    to("page.html?q#f", "?q#f");
    let root = |reference, expected| link(&rewriter(Form::RootRelative), reference, expected);
    root("#f", "#f");
    root("?q", "/a/b/page.html?q");
    let keeps = rewriter(Form::Relative).same_document(SameDocument::Keep);
    link(&keeps, "#f", "#f");
    // In CSS, a fragment alone is another thing.
    let css = "<style>a{b:url(page.html#f)}</style>";
    becomes(&rewriter(Form::Relative), css, css);
}

#[test]
fn links_become_relative_to_the_root() {
    let to = |reference, expected| link(&rewriter(Form::RootRelative), reference, expected);
    to("c.html", "/a/b/c.html");
    to("http://h", "/");
    to("http://H:80/x?q#f", "/x?q#f");
    to("../../12:30", "/12:30");
    to("//i/x", "http://i/x");
    to("http://h//i/x", "http://h//i/x");
    to("http://h/x/../y", "/y");
    to("../../../x", "http://h/../x");
    to("mailto:a@b", "mailto:a@b");
}

/// A copy that names itself the original would be another page to search engines.
#[test]
fn statements_of_urls_are_absolute() {
    for form in [Form::Relative, Form::RootRelative] {
        let form = rewriter(form).meta();
        for engine in [Engine::Splice, Engine::Dom] {
            let rewriter = form.clone().engine(engine);
            let rewritten = |page: &str, reference: &str| {
                let page = text(&rewriter, &page.replace('@', reference));
                assert!(page.contains("http://h/x\""), "{page}");
                assert_eq!(text(&rewriter, &page), page);
            };
            for page in [
                "<link rel=\"canonical\" href=\"@\">",
                "<link href=\"@\" rel=\"shortlink CANONICAL\">",
                "<link rel=\"alternate\" hreflang=\"de\" href=\"@\">",
                "<meta property=\"og:url\" content=\"@\">",
                "<meta name=\"twitter:image\" content=\"@\">",
                "<meta itemprop=\"image\" content=\"@\">",
            ] {
                for reference in ["http://h/x", "/x", "../../x"] {
                    rewritten(page, reference);
                }
            }
        }
    }
    let relative = rewriter(Form::Relative).meta();
    let xhtml = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><link rel=\"canonical\" href=\"@\"/></head></html>";
    let xml = relative.clone().syntax(Syntax::Xml);
    becomes(&xml, &xhtml.replace('@', "x"), &xhtml.replace('@', "http://h/a/b/x"));
    // Links that a browser or a reader loads with the page.
    for page in [
        "<link rel=stylesheet href=@>",
        "<link rel=\"alternate stylesheet\" href=@>",
        "<link rel=alternate type=application/rss+xml hreflang=de href=@>",
        "<meta name=msapplication-TileImage content=@>",
        "<a rel=canonical href=@>",
    ] {
        becomes(&relative, &page.replace('@', "/x"), &page.replace('@', "../../x"));
    }
    // Rules that move URLs apply to such links.
    let maps = moving(&[("http://h/", "http://n/")]);
    let moved = Direction::new(Form::Relative).maps(maps);
    let moved = Rewriter::new().base_url(URL).unwrap().policy(moved.into());
    let page = text(&moved, "<link rel=canonical href=/x>");
    assert_eq!(page, "<link rel=canonical href=http://n/x>");
}

#[test]
fn a_base_element_goes() {
    let relative = rewriter(Form::Relative);
    becomes(&relative, "<base href=/x/><a href=y>", "<a href=../../x/y>");
    becomes(&relative, "<base href=/x/><a href=#f>", "<a href=../../x/#f>");
    becomes(&relative, "<base href=/x/ target=t><a href=y>", "<base  target=t><a href=../../x/y>");
    becomes(&relative, "<base target=t><a href=y>", "<base target=t><a href=y>");
    becomes(&rewriter(Form::RootRelative), "<base href=/x/><a href=y>", "<a href=/x/y>");
    // A base element in a template never counts.
    let template = "<template><base href=/x/></template><a href=y>";
    let expected = "<template><base href=/x/></template><a href=/a/b/y>";
    becomes(&rewriter(Form::RootRelative), template, expected);
    let written = text(&rewriter(Form::RootRelative).engine(Engine::Dom), template);
    assert!(written.contains("<base href=\"/x/\">"), "{written}");
    // Nothing resolves against it, and it protects links that have no meaning.
    let inert = "<base href=about:srcdoc><a href=y>";
    becomes(&relative, inert, inert);
    // Attributes that do not count need it: references lead from there.
    let only = relative.clone().only("src");
    becomes(
        &only,
        "<base href=/x/><a href=y><img src=/z>",
        "<base href=/x/><a href=y><img src=../z>",
    );
    // An option keeps it.
    let keeps = relative.clone().base_element(BaseElement::Keep);
    becomes(
        &keeps,
        "<base href=/x/><a href=y><a href=/z>",
        "<base href=/x/><a href=y><a href=../z>",
    );
    let fits = relative.base_element(BaseElement::Absolute);
    becomes(&fits, "<base href=/x/><a href=/x/y>", "<base href=../../x/><a href=y>");
}

#[test]
fn documents_inside_documents_follow_the_outer_one() {
    let page = "<base href=/x/><iframe srcdoc='<a href=y>'></iframe>";
    becomes(&rewriter(Form::Relative), page, "<iframe srcdoc='<a href=../../x/y>'></iframe>");
    let page = "<iframe srcdoc='<base href=/x/><a href=y>'></iframe>";
    becomes(&rewriter(Form::Relative), page, "<iframe srcdoc='<a href=../../x/y>'></iframe>");
}

#[test]
fn every_grammar_has_relative_links() {
    let to = |page: &str, expected: &str| becomes(&rewriter(Form::Relative), page, expected);
    to(
        "<img srcset='http://h/a/b/c 1x, /d 2x, //i/e 3x'>",
        "<img srcset='c 1x, ../../d 2x, http://i/e 3x'>",
    );
    to("<img srcset='http://h/a/b/,c 1x'>", "<img srcset='%2Cc 1x'>");
    to(
        "<meta http-equiv=refresh content='1; url=http://h/a/b/c'>",
        "<meta http-equiv=refresh content='1; url=c'>",
    );
    to("<p style='a:url(http://h/a/c)'>", "<p style='a:url(../c)'>");
    to("<style>@import 'http://h/a/b/c';</style>", "<style>@import 'c';</style>");
    to("<a href=http://h/a/b/>x</a>", "<a href=./>x</a>");
    to("<a href=http://h/a/b/c&amp;d>x</a>", "<a href=c&amp;d>x</a>");
}

#[test]
fn style_sheets_have_their_own_base() {
    let rewriter = rewriter(Form::Relative).syntax(Syntax::Css);
    let sheet = "@import 'http://h/a/b/c.css'; a { b: url(/d.png) url(#f) image-set('//i/x' 1x) }";
    let expected = "@import 'c.css'; a { b: url(../../d.png) url(#f) image-set('http://i/x' 1x) }";
    becomes(&rewriter, sheet, expected);
}

#[test]
fn both_engines_write_equal_links() {
    for form in [Form::Relative, Form::RootRelative] {
        let tree = rewriter(form).engine(Engine::Dom);
        let page = "<base href=/x/><a href=y>y</a><img srcset='/z 2x'>";
        let (written, splice) = (text(&tree, page), text(&rewriter(form), page));
        let mut links = [Vec::new(), Vec::new()];
        for (page, links) in [written, splice].iter().zip(&mut links) {
            let bare = Rewriter::new();
            bare.links(page.as_bytes(), |link| links.push(link.reference().to_owned())).unwrap();
        }
        assert_eq!(links[0], links[1]);
    }
}

fn mover(rules: &[(&str, &str)]) -> Rewriter {
    let direction = Direction::new(Form::AsWritten).maps(moving(rules));
    Rewriter::new().base_url(URL).unwrap().policy(direction.into())
}

/// A link of the page at [`URL`] becomes this one.
#[track_caller]
fn moves(rules: &[(&str, &str)], reference: &str, expected: &str) {
    let page = format!("<a href=\"{reference}\">");
    assert_eq!(text(&mover(rules), &page), format!("<a href=\"{expected}\">"));
}

#[test]
fn links_move_and_keep_their_form() {
    let host = &[("http://h/", "https://n/")];
    moves(host, "http://h/x?q#f", "https://n/x?q#f");
    moves(host, "/x", "/x");
    moves(host, "../x", "../x");
    moves(host, "#f", "#f");
    moves(host, "//h/x", "//n/x");
    moves(host, "//i/x", "//i/x");
    moves(host, "http://u:p@h/x", "http://u:p@h/x");
    moves(host, "http://i/x", "http://i/x");
    moves(host, "http://hh/x", "http://hh/x");
    moves(host, "mailto:a@h", "mailto:a@h");
    moves(&[("http://i/", "https://i/")], "//i/x", "https://i/x");
    moves(&[("http://i/", "http://n/")], "//i/x", "//n/x");
    let secure = &[("http://h/", "https://h/")];
    moves(secure, "http://u:p@h/x", "https://u:p@h/x");
    moves(secure, "//h/x", "//h/x");
    moves(secure, "//i/x", "//i/x");
    moves(secure, "http:\\\\h\\x", "https://h/x");
    let path = &[("http://h/", "http://h/new/")];
    moves(path, "http://h/x", "http://h/new/x");
    moves(path, "/x", "/new/x");
    moves(path, "../x", "../x");
    moves(path, "../../../x", "../../x");
    let part = &[("http://h/a/", "http://n/c/")];
    moves(part, "http://h/a/x", "http://n/c/x");
    moves(part, "../x", "../x");
    moves(part, "/a/x", "/c/x");
    moves(part, "/x", "http://h/x");
    moves(part, "///x", "http://h/x");
    moves(part, "../../x", "http://h/x");
    let other = &[("http://h/x", "http://h/y"), ("http://h/z", "http://n/z")];
    moves(other, "../../x/1", "../../y/1");
    moves(other, "/x", "/y");
    moves(other, "/z/1", "http://n/z/1");
    moves(other, "c", "c");
}

#[test]
fn each_link_moves_once() {
    let chain =
        &[("http://x/", "http://y/"), ("http://y/", "http://z/"), ("http://z/", "http://x/")];
    moves(chain, "http://x/1", "http://y/1");
    moves(chain, "http://y/1", "http://z/1");
    moves(chain, "http://z/1", "http://x/1");
}

#[test]
fn a_base_element_moves_too() {
    let page = "<base href=http://h/d/><a href=x><a href=/y><a href=http://h/z>";
    let expected = "<base href=https://n/d/><a href=x><a href=/y><a href=https://n/z>";
    assert_eq!(text(&mover(&[("http://h/", "https://n/")]), page), expected);
    let expected = "<base href=http://h/new/d/><a href=x><a href=/new/y><a href=http://h/new/z>";
    assert_eq!(text(&mover(&[("http://h/", "http://h/new/")]), page), expected);
    let page = "<base href=/d/><iframe srcdoc='<a href=x><a href=/y>'></iframe>";
    let expected = "<base href=/new/d/><iframe srcdoc='<a href=x><a href=/new/y>'></iframe>";
    assert_eq!(text(&mover(&[("http://h/", "http://h/new/")]), page), expected);
}

#[test]
fn a_base_element_that_is_kept_does_not_move() {
    let keeps = mover(&[("http://h/", "http://n/new/")]).base_element(BaseElement::Keep);
    let page = "<base href=http://h/d/><a href=x><a href=/y>";
    let expected = "<base href=http://h/d/><a href=http://n/new/d/x><a href=http://n/new/y>";
    assert_eq!(text(&keeps, page), expected);
    let page = "<base href=d/><a href=x><a href=/y><a href=../z>";
    let expected = "<base href=d/><a href=x><a href=/new/y><a href=../z>";
    assert_eq!(text(&keeps, page), expected);
}

#[test]
fn user_and_password_of_the_base_url_name_no_other_site() {
    let with = |form| {
        let rewriter = Rewriter::new().base_url("http://u:p@h/a/b/page.html").unwrap();
        rewriter.policy(Policy::form(form))
    };
    let relative = with(Form::Relative);
    link(&relative, "http://h/a/c", "../c");
    link(&relative, "/a/c", "../c");
    link(&relative, "c", "c");
    link(&relative, "http://u:p@h/a/c", "http://u:p@h/a/c");
    link(&with(Form::RootRelative), "http://h/a/c", "/a/c");
    // Relative links have them too.
    let keeps = with(Form::Relative).credentials(Credentials::Keep);
    link(&keeps, "http://h/a/c", "../c");
    link(&keeps, "http://u:p@h/a/c", "../c");
    link(&keeps, "http://u:q@h/a/c", "http://u:q@h/a/c");
    let keeps = with(Form::RootRelative).credentials(Credentials::Keep);
    link(&keeps, "http://u:p@h/a/c", "/a/c");
}

#[test]
fn other_spellings_of_the_host() {
    let relative = rewriter(Form::Relative);
    link(&relative, "http://H:80/a/c", "../c");
    link(&relative, "http://h./a/c", "http://h./a/c");
    link(&relative, "http:\\\\h\\a\\c", "http:\\\\h\\a\\c");
}

#[test]
fn documents_without_a_url_have_links_that_move() {
    let direction = Direction::new(Form::AsWritten).maps(moving(&[("http://h/", "https://n/")]));
    let rewriter = Rewriter::new().policy(direction.into());
    let result = rewriter.rewrite(b"<a href=http://h/x><a href=/y>").unwrap();
    assert_eq!(result.bytes(), b"<a href=https://n/x><a href=/y>");
    assert_eq!((result.counts().rewritten, result.counts().unresolved), (1, 1));
}

#[test]
fn links_move_into_another_form() {
    let maps = moving(&[("http://h/", "https://n/new/")]);
    let to = |form| {
        let direction = Direction::new(form).maps(maps.clone());
        let rewriter = Rewriter::new().base_url(URL).unwrap().policy(direction.into());
        move |reference: &str, expected: &str| {
            let page = format!("<a href=\"{reference}\">");
            assert_eq!(text(&rewriter, &page), format!("<a href=\"{expected}\">"));
        }
    };
    to(Form::Absolute)("c", "https://n/new/a/b/c");
    to(Form::RootRelative)("c", "/new/a/b/c");
    to(Form::RootRelative)("https://n/x", "/x");
    to(Form::RootRelative)("http://i/x", "http://i/x");
    to(Form::Relative)("http://h/a/c", "../c");
    let maps = moving(&[("https://h/", "http://h/"), ("http://i/", "https://i/")]);
    let direction = Direction::new(Form::Relative).maps(maps);
    let rewriter = Rewriter::new().base_url(URL).unwrap().policy(direction.into());
    link(&rewriter, "https://h/a/c", "../c");
    link(&rewriter, "//i/c", "https://i/c");
}

#[test]
fn backslashes_are_data_when_a_page_moves() {
    let maps = moving(&[("http://h/", "http://i/")]);
    let moved = Direction::new(Form::AsWritten).maps(maps);
    let rewriter = Rewriter::new().base_url(URL).unwrap().policy(moved.into());
    for reference in ["/\\evil/x", "\\\\evil\\x", "\\x\\y", "x\\y"] {
        link(&rewriter, reference, reference);
    }
}

#[test]
fn a_scheme_without_a_host_is_read_as_browsers_do() {
    link(&rewriter(Form::Relative), "http:c", "c");
    link(&rewriter(Form::RootRelative), "http:c", "/a/b/c");
    link(&rewriter(Form::Absolute), "http:c", "http:c");
    let by = |old: &str, new: &str| {
        let direction = Direction::new(Form::AsWritten).maps(moving(&[(old, new)]));
        Rewriter::new().base_url(URL).unwrap().policy(direction.into())
    };
    let once = |rewriter: &Rewriter, expected: &str| {
        assert_eq!(text(rewriter, "<a href=http:c>"), format!("<a href={expected}>"));
    };
    once(&by("http://h/", "https://h/"), "https://h/a/b/c");
    once(&by("http://h/", "http://i/"), "http:c");
    once(&by("http://j/", "https://j/"), "http:c");
}

#[test]
fn a_scheme_without_a_host_keeps_its_host_where_the_page_gets_that_scheme() {
    let maps = moving(&[("http://h/", "https://h/"), ("https://j/", "https://n/")]);
    for form in [Form::AsWritten, Form::RootRelative] {
        let direction = Direction::new(form).maps(maps.clone());
        for &standard in Standard::ALL {
            let to = |reference: &str, expected: &str| {
                let direction = Policy::from(direction.clone());
                let rewriter = Rewriter::new().base_url(URL).unwrap().standard(standard);
                let page = text(&rewriter.policy(direction), &format!("<a href=\"{reference}\">"));
                assert_eq!(page, format!("<a href=\"{expected}\">"), "{form:?} {standard}");
            };
            to("https:c", "https://c/");
            to("HTTPS:/c/d?e", "https://c/d?e");
            to("https:j/d", "https://n/d");
            to("https://c", "https://c");
            to("wss:c", "wss:c");
        }
    }
}
