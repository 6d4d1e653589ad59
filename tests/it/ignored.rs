//! Links that stay because a pattern or an attribute says so.

use absolve::{BaseElement, Direction, Engine, Form, LinkPattern, Policy, Rewriter, Syntax};

fn rewriter(patterns: &[&str]) -> Rewriter {
    let patterns = patterns.iter().map(|pattern| LinkPattern::new(pattern).unwrap()).collect();
    Rewriter::new().base_url("http://h/d/").unwrap().ignore_links(patterns)
}

fn links(rewriter: &Rewriter, page: &str) -> Vec<String> {
    let mut links = Vec::new();
    rewriter.links(page.as_bytes(), |link| links.push(link.reference().to_owned())).unwrap();
    links
}

/// These are the links, for both engines and both scanners, and the only ones that a decision and
/// the default change.
#[track_caller]
fn lists(patterns: &[&str], page: &str, expected: &[&str]) {
    let rewriter = rewriter(patterns);
    for page in [page.to_owned(), format!("{page}<template></template>")] {
        assert_eq!(links(&rewriter, &page), expected, "{page}");
        assert_eq!(links(&rewriter.clone().engine(Engine::Dom), &page), expected, "{page}");
        let all = links(&Rewriter::new(), &page.replace("absolve", "x")).len();
        for rewriter in [rewriter.clone(), rewriter.clone().policy(Policy::default())] {
            let result = rewriter.rewrite(page.as_bytes()).unwrap();
            let counts = result.counts();
            assert_eq!((counts.links, counts.rewritten), (all, expected.len()), "{page}");
            assert_eq!(counts.kept, all - expected.len(), "{page}");
        }
        let mut decided = Vec::new();
        let result = rewriter.rewrite_with(page.as_bytes(), |link| {
            decided.push(link.reference().to_owned());
            Some("http://other/".to_owned())
        });
        assert_eq!(decided, expected, "{page}");
        assert_eq!(result.unwrap().counts().rewritten, expected.len(), "{page}");
    }
}

#[test]
fn a_pattern_matches_the_reference_or_the_url() {
    let page = "<a href='{{ url }}'></a><a href='*|URL|*'></a><a href='${x}'></a><a href=x></a>";
    lists(&["{{*}}", "*|*|*", "${*}"], page, &["x"]);
    lists(&["http://h/d/x"], page, &["{{ url }}", "*|URL|*", "${x}"]);
    lists(&["h", "http://h"], page, &["{{ url }}", "*|URL|*", "${x}", "x"]);
    let page =
        "<img srcset='a 1x, b 2x'><p style='a:url(a)'><iframe srcdoc='<img src=a>'></iframe>";
    lists(&["a"], page, &["b"]);
    let page =
        "<style>@import 'a'; p { x: url(b) }</style><meta http-equiv=refresh content='0; url=a'>";
    lists(&["a"], page, &["b"]);
}

#[test]
fn a_marker_counts_for_its_element_and_what_is_in_it() {
    let lists = |page: &str, expected: &[&str]| {
        lists(&[], &page.replace('@', "data-absolve-ignore"), expected);
    };
    lists("<img src=a @><img src=b>", &["b"]);
    lists("<img @=no src=a srcset='b 1x'><img src=c>", &["c"]);
    lists("<p @><a href=a></a></p><a href=b></a>", &["b"]);
    lists("<div @><div><img src=a></div><style>p{x:url(b)}</style></div><img src=c>", &["c"]);
    lists(
        "<div @><iframe srcdoc='<a href=a>'></iframe></div><iframe srcdoc='<p @><a href=b></a></p><a href=c>'></iframe>",
        &["c"],
    );
    lists(
        "<noscript><p @><img src=a></p><img src=b></noscript><noscript @><img src=c></noscript>",
        &["b"],
    );
    lists("<template><p @><img src=a></p><img src=b></template>", &["b"]);
    lists("<ul><li @><a href=a></a><li><a href=b></a></ul>", &["b"]);
    lists("<a @ href=a>1<a href=b>2</a>", &["b"]);
    lists("<p><b @>1</p><p><a href=a></a>", &["a"]);
    lists("<svg @><image href=a /></svg><svg><image href=b @ /><image href=c /></svg>", &["c"]);
    lists(
        "<p data-proofer-ignore><a href=a></a></p><p class=data-proofer-ignore><a href=b></a></p>",
        &["a", "b"],
    );
    let upper = "<P DATA-ABSOLVE-IGNORE><A HREF=a></A></P><a href=b></a>";
    assert_eq!(links(&rewriter(&[]), upper), ["b"]);
}

#[track_caller]
fn becomes(syntax: Syntax, patterns: &[&str], source: &str, expected: &str) {
    let source = source.replace('@', "data-absolve-ignore");
    let result = rewriter(patterns).syntax(syntax).rewrite(source.as_bytes()).map(|result| {
        let counts = result.counts();
        assert_eq!(counts.links, counts.rewritten + counts.kept, "{source}");
        String::from_utf8_lossy(result.bytes()).into_owned()
    });
    assert_eq!(result.unwrap(), expected.replace('@', "data-absolve-ignore"), "{source}");
}

#[test]
fn other_documents_have_links_to_ignore() {
    becomes(
        Syntax::Xml,
        &["{{*}}"],
        "<html xmlns='http://www.w3.org/1999/xhtml'><p @=''><a href='a'/></p><a href='b'/><a href='{{ u }}'/></html>",
        "<html xmlns='http://www.w3.org/1999/xhtml'><p @=''><a href='a'/></p><a href='http://h/d/b'/><a href='{{ u }}'/></html>",
    );
    becomes(
        Syntax::Xml,
        &["{{*}}"],
        "<rss><channel><item><description>&lt;p @>&lt;img src=a>&lt;/p>&lt;img src='{{ u }}'>&lt;img src=c></description></item></channel></rss>",
        "<rss><channel><item><description>&lt;p @>&lt;img src=a>&lt;/p>&lt;img src='{{ u }}'>&lt;img src=http://h/d/c></description></item></channel></rss>",
    );
    becomes(
        Syntax::Css,
        &["*.css"],
        "@import 'a.css'; p { x: url(b.png) }",
        "@import 'a.css'; p { x: url(http://h/d/b.png) }",
    );
    becomes(
        Syntax::JsonFeed,
        &["a"],
        r#"{"version": "https://jsonfeed.org/version/1.1", "icon": "a", "favicon": "b"}"#,
        r#"{"version": "https://jsonfeed.org/version/1.1", "icon": "a", "favicon": "http://h/d/b"}"#,
    );
    becomes(
        Syntax::Markdown,
        &["<%*%>"],
        "[a](<%= y %>) [b](c)",
        "[a](<%= y %>) [b](http://h/d/c)",
    );
    becomes(
        Syntax::Markdown,
        &["{{*}}"],
        "[1](a) [2](<{{ u }}>)\n\n<div @>\n\n[3](b)\n\n</div>\n\n![4](c)\n",
        "[1](http://h/d/a) [2](<{{ u }}>)\n\n<div @>\n\n[3](b)\n\n</div>\n\n![4](http://h/d/c)\n",
    );
}

/// An ignored link gives no warning: it needs no base.
#[test]
fn a_link_to_ignore_is_not_unresolved() {
    let patterns = vec![LinkPattern::new("{{*}}").unwrap()];
    let rewriter = Rewriter::new().ignore_links(patterns);
    let counts =
        rewriter.rewrite(b"<a href='{{ url }}'></a><p data-absolve-ignore><a href=x>").unwrap();
    assert_eq!((counts.counts().unresolved, counts.counts().kept), (0, 2));
    let page = b"<link rel=stylesheet href=a.css data-absolve-ignore><base href=/x/>";
    let before = rewriter.base_url("http://h/").unwrap().rewrite(page).unwrap();
    assert_eq!(before.into_summary().links_before_base(), 0);
}

/// A template has white space or commas, and is read as several references.
#[test]
fn a_template_in_a_list_stays() {
    let page = "<source srcset='{{ img }} 2x'><img srcset='a 1x, {{ b }}'><a ping='{{ p }}' href=x></a>\
        <img srcset='{{ img | size: 1, 2 }} 2x'><img src=' {{ y }}\n'><img srcset='{{a}} 1x, c 2x'>";
    lists(&["{{*}}"], page, &["x", "c"]);
}

/// Links that stay need the `base` element, or the `xml:base`, as they are written.
#[test]
fn bases_of_links_to_ignore_stay() {
    let relative = || Policy::Directed(Direction::default().form(Form::RootRelative).into());
    let removing = || Rewriter::new().base_element(BaseElement::Remove);
    for engine in [Engine::Splice, Engine::Dom] {
        for rewriter in [removing(), Rewriter::new().policy(relative())] {
            let rewriter = rewriter.engine(engine).base_url("http://h/d/p").unwrap();
            let stays = |rewriter: &Rewriter, page: &str, expected: bool| {
                let page = format!("<head><base href=\"/zz/\"></head>{page}");
                let result = rewriter.rewrite(page.as_bytes()).unwrap();
                let text = std::str::from_utf8(result.bytes()).unwrap();
                assert_eq!(text.contains("<base href=\"/zz/\">"), expected, "{text}");
                assert!(text.contains("/zz/y") && !text.contains("/zz/keep"), "{text}");
            };
            let patterns = vec![LinkPattern::new("keep*").unwrap()];
            stays(
                &rewriter.clone().ignore_links(patterns),
                "<a href=keep></a><a href=y></a>",
                true,
            );
            stays(&rewriter, "<a href=keep DATA-absolve-ignore></a><a href=y></a>", true);
            let nested = "<iframe srcdoc='<a href=keep data-absolve-ignore>'></iframe>";
            stays(&rewriter, &format!("{nested}<a href=y></a>"), true);
            stays(&rewriter, "<a href=y data-proofer-ignore></a>", false);
            let page = "<iframe data-absolve-ignore srcdoc=\"<base href='/zz/'><a href='keep'>\">";
            let result = rewriter.rewrite(page.as_bytes()).unwrap();
            let text = String::from_utf8_lossy(result.bytes());
            let text = text.replace("&lt;", "<").replace("&gt;", ">");
            assert!(text.contains("<base href='/zz/'><a href='keep'>"), "{text}");
        }
    }
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom'><entry xml:base='/e/'>\
        <link href='a' data-absolve-ignore=''/><link href='b'/></entry></feed>";
    let rewriter = removing().base_url("http://h/").unwrap().syntax(Syntax::Xml);
    let result = rewriter.rewrite(feed.as_bytes()).unwrap();
    let expected = feed.replace("'b'", "'http://h/e/b'");
    assert_eq!(std::str::from_utf8(result.bytes()).unwrap(), expected);
    let rewriter = rewriter.ignore_links(vec![LinkPattern::new("a").unwrap()]);
    let feed = feed.replace("data-absolve-ignore", "id");
    let result = rewriter.rewrite(feed.as_bytes()).unwrap();
    assert_eq!(std::str::from_utf8(result.bytes()).unwrap(), feed.replace("'b'", "'http://h/e/b'"));
}
