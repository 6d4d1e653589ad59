//! Every option of the rewriter, on the splice engine: what goes in, and what comes
//! out, byte for byte.

use absolve::{BaseElement, BaseScope, Credentials, Engine, Limit, Limits, Rewriter, SameDocument};

fn rewriter() -> Rewriter {
    Rewriter::new().base_url("http://h/d/e").unwrap()
}

#[track_caller]
fn gives(rewriter: &Rewriter, source: &str, expected: &str) {
    let result = rewriter.rewrite(source.as_bytes()).unwrap();
    assert_eq!(String::from_utf8_lossy(result.bytes()), expected, "{source}");
    let counts = result.counts();
    let sum = counts.rewritten + counts.absolute + counts.kept + counts.unresolved + counts.invalid;
    assert_eq!(counts.links, sum, "{counts:?}");
}

#[track_caller]
fn becomes(source: &str, expected: &str) {
    gives(&rewriter(), source, expected);
}

#[test]
fn only_the_reference_changes() {
    becomes("<A  HREF = 'x'  id=1 >", "<A  HREF = 'http://h/d/x'  id=1 >");
    becomes("<a href=x>", "<a href=http://h/d/x>");
    becomes("<a href=x/>", "<a href=http://h/d/x/>");
    becomes("<a href='../x?a=1&amp;b=2'>", "<a href='http://h/x?a=1&amp;b=2'>");
    becomes("<a href='&#46;&#46;/x'>", "<a href='http://h/x'>");
    becomes("<a href=' x\n'>", "<a href='http://h/d/x'>");
    becomes("<a href='x\ny'>", "<a href='http://h/d/xy'>");
    becomes("\u{feff}<a href=x>\r\n\0", "\u{feff}<a href=http://h/d/x>\r\n\0");
    becomes("<a href=mailto:x href=y>", "<a href=mailto:x href=y>");
    becomes("<image src=x>", "<image src=http://h/d/x>");
}

#[test]
fn a_value_gets_what_it_needs_and_never_ends_early() {
    becomes("<a href>", "<a href=\"http://h/d/e\">");
    becomes("<a href id=x>", "<a href=\"http://h/d/e\" id=x>");
    becomes("<a href= >", "<a href= http://h/d/e>");
    becomes("<a href=''>", "<a href='http://h/d/e'>");
    let with = |base: &str| Rewriter::new().base_url(base).unwrap();
    gives(&with("http://h/a'b\"c/"), "<a href=x>", "<a href=\"http://h/a'b&quot;c/x\">");
    gives(&with("http://h/a'b\"c/"), "<a href='x'>", "<a href='http://h/a&#39;b\"c/x'>");
    gives(&with("http://h/a b/"), "<a href=x>", "<a href=\"http://h/a b/x\">");
    gives(&with("http://h/a b/"), "<a href=x\"y>", "<a href='http://h/a b/x\"y'>");
    gives(&with("http://h/a b/"), "<a href=x\"y'z>", "<a href=\"http://h/a b/x&quot;y'z\">");
    gives(&with("http://h/?a&copy"), "<a href='#x'>", "<a href='http://h/?a&amp;copy#x'>");
    gives(&with("http://h/?a&b=1"), "<a href='#x'>", "<a href='http://h/?a&b=1#x'>");
    gives(&with("http://h/?a>b"), "<a href=#x>", "<a href=\"http://h/?a>b#x\">");
}

#[test]
fn every_grammar_changes_its_references_alone() {
    becomes(
        "<img srcset=' a.png  1x,b.png 2x '>",
        "<img srcset=' http://h/d/a.png  1x,http://h/d/b.png 2x '>",
    );
    becomes("<a ping=' x  y '>", "<a ping=' http://h/d/x  http://h/d/y '>");
    becomes("<applet archive='a , b'>", "<applet archive='http://h/d/a , http://h/d/b'>");
    becomes(
        "<meta http-equiv=Refresh content=' 5 ; URL=x '>",
        "<meta http-equiv=Refresh content=' 5 ; URL=http://h/d/x '>",
    );
    becomes(
        "<p style=\"background: url( 'x' ) /* url(y) */\">",
        "<p style=\"background: url( 'http://h/d/x' ) /* url(y) */\">",
    );
    becomes(
        "<style>@import \"x\"; a { b: url(y) }</style>",
        "<style>@import \"http://h/d/x\"; a { b: url(http://h/d/y) }</style>",
    );
    becomes(
        "<style type=text/less>a { b: url(y) }</style>",
        "<style type=text/less>a { b: url(y) }</style>",
    );
    becomes("<svg><path fill='url(x#y) red'>", "<svg><path fill='url(http://h/d/x#y) red'>");
    becomes("<svg><path fill='url(#y)'>", "<svg><path fill='url(#y)'>");
    becomes("<svg><style>a { b: url(x&amp;y) }", "<svg><style>a { b: url(http://h/d/x&amp;y) }");
    becomes(
        "<iframe srcdoc=\"<a href='x'>&lt;a href=y>\">",
        "<iframe srcdoc=\"<a href='http://h/d/x'>&lt;a href=http://h/d/y>\">",
    );
    becomes(
        "<iframe srcdoc='<base href=http://i/><iframe srcdoc=&quot;<a href=&amp;quot;x&amp;quot;>&quot;>'>",
        "<iframe srcdoc='<base href=http://i/><iframe srcdoc=&quot;<a href=&amp;quot;http://i/x&amp;quot;>&quot;>'>",
    );
}

#[test]
fn attributes_are_narrowed_and_extended() {
    let source =
        "<img src=a srcset=b data-zoom=c data-src=d style='x: url(e)'><style>url(f)</style>";
    gives(
        &rewriter().only("src"),
        source,
        "<img src=http://h/d/a srcset=b data-zoom=c data-src=d style='x: url(e)'><style>url(f)</style>",
    );
    gives(
        &rewriter()
            .only("data-zoom")
            .only("(text)")
            .attribute("img:data-zoom=url".parse().unwrap()),
        source,
        "<img src=a srcset=b data-zoom=http://h/d/c data-src=d style='x: url(e)'><style>url(http://h/d/f)</style>",
    );
    gives(
        &rewriter().lazy().only("data-src"),
        source,
        "<img src=a srcset=b data-zoom=c data-src=http://h/d/d style='x: url(e)'><style>url(f)</style>",
    );
    let meta = "<meta property=og:image content=a><meta name=author content=b>";
    becomes(meta, meta);
    gives(
        &rewriter().meta(),
        meta,
        "<meta property=og:image content=http://h/d/a><meta name=author content=b>",
    );
    // The base counts whatever else does.
    gives(
        &rewriter().only("src"),
        "<base href=//i/><img src=a><a href=b>",
        "<base href=//i/><img src=http://i/a><a href=b>",
    );
}

#[test]
fn a_base_element_that_leaves_links_unresolved_is_not_removed() {
    for engine in [Engine::Splice, Engine::Dom] {
        let removing = || Rewriter::new().engine(engine).base_element(BaseElement::Remove);
        let given = removing().base_url("http://h/d/p").unwrap();
        let rewrites = |rewriter: &Rewriter, head: &str, links: &str| {
            let page = format!("<html><head>{head}</head><body>{links}</body></html>");
            let result = rewriter.rewrite(page.as_bytes()).unwrap();
            let text = std::str::from_utf8(result.bytes()).unwrap().replace("&quot;", "'");
            text.replace('"', "'")
        };
        for href in ["about:srcdoc", "blob:http://h/1", "mailto:a@b", "urn:x", "x:y"] {
            let base = format!("<base href='{href}'>");
            let page = rewrites(&given, &base, "<a href='p'>x</a>");
            assert!(page.contains(&base) && page.contains("<a href='p'>"), "{page}");
            let targeted = format!("<base target='_top' href='{href}'><base href='/f/'>");
            let page = rewrites(&given, &targeted, "<a href='p'>x</a>");
            assert!(page.contains(&targeted) && page.contains("<a href='p'>"), "{page}");
            // Inside of another document, and around one.
            let inner = format!("<iframe srcdoc=\"{base}<a href=p>\"></iframe><a href='q'>x</a>");
            let page = rewrites(&given, "<base href='/f/'>", &inner);
            assert!(page.contains(href) && page.contains("'http://h/f/q'"), "{page}");
            assert!(!page.contains("<base href='/f/'>") && !page.contains("/p"), "{page}");
            let inner = "<iframe srcdoc=\"<base href=http://i/><a href=p>\"></iframe>";
            let page = rewrites(&given, &base, inner);
            assert!(page.contains(&base) && page.contains("http://i/p"), "{page}");
            assert!(!page.contains("base href=http://i/"), "{page}");
        }
        // A relative one, where no URL is known that it is relative to.
        let page = rewrites(&removing(), "<base href='f/'>", "<a href='p'>x</a>");
        assert!(page.contains("<base href='f/'>") && page.contains("<a href='p'>"), "{page}");
        // A base element that browsers ignore.
        let page = rewrites(&given, "<base href='data:x'>", "<a href='p'>x</a>");
        assert!(!page.contains("<base") && page.contains("'http://h/d/p'"), "{page}");
    }
}

#[test]
fn base_elements_count_and_stay_as_the_options_say() {
    let source = "<base target=_top href='f/'><a href=x><body><base href=g/>";
    becomes(
        source,
        "<base target=_top href='http://h/d/f/'><a href=http://h/d/f/x><body><base href=http://h/d/g/>",
    );
    gives(
        &rewriter().base_element(BaseElement::Keep),
        source,
        "<base target=_top href='f/'><a href=http://h/d/f/x><body><base href=g/>",
    );
    gives(
        &rewriter().base_element(BaseElement::Remove),
        source,
        "<base target=_top ><a href=http://h/d/f/x><body>",
    );
    // A repeated attribute is removed each time, and no name gets in front of a `=`.
    gives(
        &rewriter().base_element(BaseElement::Remove),
        "<base href='' href=g/ target=t><base a HREF=x =b target=t>",
        "<base   target=t><base a / =b target=t>",
    );
    let in_body = "<body><base href=f/><a href=x>";
    becomes(in_body, "<body><base href=http://h/d/f/><a href=http://h/d/x>");
    gives(
        &rewriter().base_scope(BaseScope::Document),
        in_body,
        "<body><base href=http://h/d/f/><a href=http://h/d/f/x>",
    );
    // Browsers that run scripts find no element in a `noscript`.
    becomes(
        "<noscript><img src=x><base href=f/></noscript><base href=g/><a href=x>",
        "<noscript><img src=http://h/d/g/x><base href=http://h/d/f/></noscript><base href=http://h/d/g/><a href=http://h/d/g/x>",
    );
    gives(
        &rewriter().base_scope(BaseScope::Document),
        "<template><base href=f/></template><a href=x>",
        "<template><base href=http://h/d/f/></template><a href=http://h/d/x>",
    );
}

#[test]
fn references_to_the_document_itself_stay_where_that_is_asked() {
    let keep = rewriter().same_document(SameDocument::Keep);
    gives(&keep, "<a href=#x><a href=''><a href=y>", "<a href=#x><a href=''><a href=http://h/d/y>");
    gives(&keep, "<base href=http://i/><a href=#x>", "<base href=http://i/><a href=http://i/#x>");
    becomes("<a href=#x>", "<a href=http://h/d/e#x>");
}

#[test]
fn credentials_are_copied_where_that_is_asked() {
    let base = Rewriter::new().base_url("http://u:p@h/d/").unwrap();
    gives(&base, "<a href=x>", "<a href=http://h/d/x>");
    gives(&base, "<a href=//h/y><a href=''>", "<a href=http://h/y><a href='http://h/d/'>");
    gives(&base.clone().credentials(Credentials::Keep), "<a href=x>", "<a href=http://u:p@h/d/x>");
}

#[track_caller]
fn reaches(limit: Limit, set: fn(&mut Limits), source: &str, place: &str) {
    let mut limits = Limits::default();
    set(&mut limits);
    let rewriter = rewriter().limits(limits).engine(Engine::Splice);
    let error = rewriter.rewrite(source.as_bytes()).unwrap_err();
    assert_eq!(error.limit_reached(), Some(limit), "{error}");
    assert!(error.to_string().starts_with(place), "{error}");
    let links = rewriter.links(source.as_bytes(), |_| {});
    assert_eq!(links.is_err(), limit != Limit::Output, "{error}");
}

#[test]
fn a_limit_names_its_place() {
    reaches(Limit::Input, |limits| limits.input = 3, "<a href=x>", "the document exceeds 3 bytes");
    reaches(
        Limit::Links,
        |limits| limits.links = 1,
        "<a href=x><a href=y>",
        "byte 18: the document",
    );
    reaches(
        Limit::Reference,
        |limits| limits.reference = 1,
        "<p><a href=xy>",
        "byte 11: a relative",
    );
    reaches(
        Limit::BaseUrl,
        |limits| limits.base_url = 9,
        "<base href=http://host/>",
        "byte 0: the base URL",
    );
    reaches(
        Limit::Output,
        |limits| limits.output = 40,
        "<p><a href=x><p><a href=y>",
        "byte 24: the document",
    );
    let nested = "<iframe srcdoc='<iframe srcdoc=\"<a href=x>\">'>";
    reaches(Limit::Srcdoc, |limits| limits.srcdoc = 1, nested, "byte 16: srcdoc nesting exceeds 1");
    // A base of 6,000 bytes before each of 20,000 links is more than 16 times the input.
    let bomb =
        format!("<base href=http://h/{}/>{}", "x".repeat(6_000), "<a href=x>".repeat(20_000));
    reaches(Limit::Output, |_| {}, &bomb, "byte ");
    let long = format!("<a href='{}'><a href='data:,{0}'>", "x".repeat(70_000));
    reaches(Limit::Reference, |_| {}, &long, "byte 9: a relative reference exceeds 64 KiB");
}

#[test]
fn new_text_never_goes_on_with_a_character_reference() {
    becomes("<p style=\"x:url(&quot../x&quot)\">", "<p style=\"x:url(&quot;http://h/x&quot)\">");
    becomes("<p style=\"x:url&#x28../x)\">", "<p style=\"x:url&#x28http://h/x)\">");
    let base = Rewriter::new().base_url("file:///d/e").unwrap();
    gives(&base, "<p style=\"x:url&#x28../x)\">", "<p style=\"x:url&#x28;file:///x)\">");
    gives(
        &base,
        "<iframe srcdoc=\"<a href&#x3d>\">",
        "<iframe srcdoc=\"<a href&#x3d;file:///d/e>\">",
    );
}

#[test]
fn a_character_reference_that_an_edit_begins_in_keeps_its_other_half() {
    becomes(
        "<meta http-equiv=refresh content=\"0;url&bne;x\">",
        "<meta http-equiv=refresh content=\"0;url=http://h/d/\u{20e5}x\">",
    );
    becomes(
        "<iframe srcdoc=\"<a href&bne;x>\">",
        "<iframe srcdoc=\"<a href=http://h/d/\u{20e5}x>\">",
    );
    let quoted = Rewriter::new().base_url("http://h/a'b/").unwrap();
    gives(
        &quoted,
        "<iframe srcdoc=\"<a href&bne;x>\">",
        "<iframe srcdoc=\"<a href=&quot;http://h/a'b/\u{20e5}x&quot;>\">",
    );
    gives(
        &quoted,
        "<iframe srcdoc=\"<a href&bne;>\">",
        "<iframe srcdoc=\"<a href=&quot;http://h/a'b/\u{20e5}&quot;>\">",
    );
}

#[test]
fn strict_refuses_that_links_stay_relative() {
    let strict = Rewriter::new().strict();
    let error = strict.rewrite(b"<a href=x><a href=http://h/>").unwrap_err();
    assert_eq!(error.to_string(), "1 link stays relative; give a base URL");
    assert!(strict.rewrite(b"<base href=http://h/><a href=x>").is_ok());
    assert!(strict.base_url("http://h/").unwrap().rewrite(b"<a href=x>").is_ok());
}
