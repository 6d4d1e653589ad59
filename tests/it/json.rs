//! JSON Feed, and scripts that are JSON: import maps and speculation rules.

use std::fmt::Write;

use absolve::url::Maps;
use absolve::url::Standard;
use absolve::{Engine, FeedBase, Form, Policy, Rewriter, Syntax};
use proptest::prelude::*;
use proptest::sample::select;

const VERSION: &str = r#""version":"https:\/\/jsonfeed.org\/version\/1.1""#;

fn rewriter() -> Rewriter {
    Rewriter::new().base_url("http://h/d/p").unwrap()
}

fn feeds() -> Rewriter {
    rewriter().syntax(Syntax::JsonFeed)
}

#[track_caller]
fn becomes(rewriter: &Rewriter, source: &str, expected: &str) {
    let once = rewriter.rewrite(source.as_bytes()).unwrap();
    assert_eq!(str::from_utf8(once.bytes()).unwrap(), expected);
    let twice = rewriter.rewrite(expected.as_bytes()).unwrap();
    assert_eq!(str::from_utf8(twice.bytes()).unwrap(), expected, "a second run");
    let same = rewriter.rewrite_with(source.as_bytes(), |_| None).unwrap();
    assert_eq!(same.bytes(), source.as_bytes());
}

/// The members of a feed, after its version.
#[track_caller]
fn feed(rewriter: &Rewriter, source: &str, expected: &str) {
    let of = |members: &str| format!("\u{feff}{{ {VERSION} , {members} }}\r\n");
    becomes(rewriter, &of(source), &of(expected));
}

#[test]
fn a_feed_has_links_in_its_members_items_attachments_and_authors() {
    for name in ["home_page_url", "feed_url", "next_url", "icon", "favicon"] {
        feed(&feeds(), &format!(r#""{name}":"a""#), &format!(r#""{name}":"http://h/d/a""#));
    }
    for name in ["url", "external_url", "image", "banner_image"] {
        let items = |url: &str| format!(r#""items":[{{}},{{"{name}" : "{url}"}}]"#);
        feed(&feeds(), &items("a"), &items("http://h/d/a"));
    }
    let rest = |url: &str| {
        format!(
            r#""author":{{"url":"{url}"}},"authors":[{{"avatar":"{url}"}}],"items":[{{
            "authors":[{{"url":"{url}","name":"a"}}],"attachments":[1,{{"url":"{url}","title":"b"}}]}}]"#
        )
    };
    feed(&feeds(), &rest("..\\/a"), &rest("http://h\\/a"));
    let escaped = |url: &str| format!(r#""\u0069tems":[{{"\u0075rl":"{url}"}}]"#);
    feed(&feeds(), &escaped("a"), &escaped("http://h/d/a"));
    for other in [
        r#""title":"a","id":"b","url":"c","_own":{"url":"d"}"#,
        r#""items":[{"id":"a","tags":["b"],"title":"c","_own":{"url":"d"},"content_text":"<a href=e>"}]"#,
        r#""items":{"url":"a"},"attachments":[{"url":"b"}]"#,
        r#""home_page_url":"","icon":"data:,","feed_url":"https:\/\/i\/"#,
    ] {
        let other = if other.ends_with('/') { format!("{other}\"") } else { other.to_owned() };
        feed(&feeds(), &other, &other);
    }
}

#[test]
fn html_in_a_feed_is_edited_where_its_links_are() {
    let html = |text: &str| format!(r#""items":[{{"content_html":"{text}"}}]"#);
    let is = |source: &str, expected: &str| feed(&feeds(), &html(source), &html(expected));
    is(r#"<a href=\"x\">\u00e9\n<\/a>"#, r#"<a href=\"http://h/d/x\">\u00e9\n<\/a>"#);
    is(r"\u003cimg src=x>", r"\u003cimg src=http://h/d/x>");
    is(r"<img srcset='a 1x,\tb 2x'>", r"<img srcset='http://h/d/a 1x,\thttp://h/d/b 2x'>");
    is(r"<a href=..\/x>", r"<a href=http://h\/x>");
    is(
        r#"<base href=\"\/b\/\"><a href=x>"#,
        r#"<base href=\"http://h\/b\/\"><a href=http://h/b/x>"#,
    );
    // A new value that needs quotes gets escaped ones.
    let decide = feeds();
    let source = format!("{{{VERSION},{}}}", html("<a href=x>"));
    let new = decide.rewrite_with(source.as_bytes(), |_| Some("a b\\".to_owned())).unwrap();
    let expected = source.replace("href=x", r#"href=\"a b\\\""#);
    assert_eq!(str::from_utf8(new.bytes()).unwrap(), expected);
}

#[test]
fn html_in_a_feed_may_be_relative_to_the_url_of_its_item() {
    let item = |url: &str, link: &str| {
        format!(
            r#""items":[{{"content_html":"<a href={link}>","url":"{url}"}},{{"content_html":"<a href=http://h/d/y>"}}]"#
        )
    };
    let by_item = feeds().feed_base(FeedBase::Item);
    feed(&by_item, &item(r"e\u002f", "x"), &item("http://h/d/e\\u002f", "http://h/d/e/x"));
    feed(&by_item, &item("mailto:a", "x"), &item("mailto:a", "http://h/d/x"));
    feed(&feeds(), &item("e/", "x"), &item("http://h/d/e/", "http://h/d/x"));
    let relative = by_item.policy(Policy::form(Form::Relative));
    feed(&relative, &item("e/", "x"), &item("http://h/d/e/", "http://h/d/e/x"));
}

#[test]
fn what_is_no_feed_is_an_error_with_its_place() {
    for (source, expected) in [
        (
            &b"{}"[..],
            "line 1, column 1: not well-formed JSON: no version of JSON Feed, https://jsonfeed.org/version/1.1",
        ),
        (b"{\n \"a\": x}", "line 2, column 7: not well-formed JSON: expected a value"),
        (b"{\"\xff\"}", "line 1, column 3: not well-formed JSON: bytes that are not UTF-8"),
        (b"", "line 1, column 1: not well-formed JSON: expected a value"),
    ] {
        let error = feeds().rewrite(source).unwrap_err();
        assert!(error.is_not_well_formed());
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// Checks the text of a rewritten script in both engines.
#[track_caller]
fn script(rewriter: &Rewriter, kind: &str, source: &str, expected: &str) {
    let page =
        |text: &str| format!("<head><script type={kind}>{text}</script></head><body></body>");
    becomes(rewriter, &page(source), &page(expected));
    // A template makes the fast scanner bail out.
    let exact = |text: &str| format!("{}<template></template>", page(text));
    becomes(rewriter, &exact(source), &exact(expected));
    let source = page(source);
    let dom = rewriter.clone().engine(Engine::Dom).rewrite(source.as_bytes()).unwrap();
    let text = str::from_utf8(dom.bytes()).unwrap();
    assert!(text.contains(&format!(">{expected}</script>")), "{text}");
}

#[test]
fn an_import_map_has_urls_in_names_and_values() {
    let map = |url: &str, other: &str| {
        format!(
            r#"{{"imports":{{"a":"{url}/x.js","{url}/b/":"{other}","c":null}},"scopes":{{"{url}/":{{"d":"{url}/y.js"}}}},
            "integrity":{{"{url}/x.js":"sha384-x"}},"other":{{"{url}":"{url}"}}}}"#
        )
    };
    let expected =
        |url: &str| map(url, "e").replace(&format!(r#"{{"{url}":"{url}"}}"#), r#"{"./m":"./m"}"#);
    script(&rewriter(), "importmap", &map("./m", "e"), &expected("http://h/d/m"));
    script(
        &rewriter(),
        "'ImportMap'",
        r#"{"imports":{"a":"\/x"}}"#,
        r#"{"imports":{"a":"http://h\/x"}}"#,
    );
    script(
        &rewriter(),
        "importmap",
        r#"{"scopes":{"a/":{}}}"#,
        r#"{"scopes":{"http://h/d/a/":{}}}"#,
    );
    script(
        &rewriter(),
        "importmap",
        r#"{"\u0069mports":{"\u0061":"./x"},"scopes":{"":{},"\u002fs/":{"":"./y"}}}"#,
        r#"{"\u0069mports":{"\u0061":"http://h/d/x"},"scopes":{"http://h/d/p":{},"http://h\u002fs/":{"":"http://h/d/y"}}}"#,
    );
    for kind in ["module", "text/javascript", "application/ld+json", "' importmap'", "import"] {
        let same = r#"{"imports":{"a":"./x"}}"#;
        script(&rewriter(), kind, same, same);
    }
    let with_src = "<script type=importmap src=http://h/>{\"imports\":{\"a\":\"./x\"}}</script>";
    becomes(&rewriter(), with_src, with_src);
}

#[test]
fn a_script_of_svg_may_be_an_import_map() {
    let in_svg = |script: &str| format!("<svg>{script}<a href=http://h/></a></svg>");
    let is = |source: &str, expected: &str| {
        becomes(&rewriter(), &in_svg(source), &in_svg(expected));
        let dom = rewriter().engine(Engine::Dom);
        let dom = dom.rewrite(in_svg(source).as_bytes()).unwrap().into_bytes().into_owned();
        let text = String::from_utf8(dom).unwrap().replace("&quot;", "\"");
        let expected = expected.replace("<![CDATA[", "").replace("]]>", "");
        let expected = &expected[expected.find('>').unwrap()..];
        assert!(text.contains(expected), "{text}");
    };
    let (map, new) =
        (r#"{"imports":{"a":"./x?b&amp;c"}}"#, r#"{"imports":{"a":"http://h/d/x?b&amp;c"}}"#);
    let script = |text: &str| format!("<script type=importmap>{text}</script>");
    is(&script(map), &script(new));
    let in_two = |start: &str, end: &str| script(&format!("<![CDATA[{start}]]>{end}"));
    is(
        &in_two(r#"{"imports":{"a":"#, r#""./x"}}"#),
        &in_two(r#"{"imports":{"a":"#, r#""http://h/d/x"}}"#),
    );
    is(
        "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"x\"]}]}</script>",
        "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"http://h/d/x\"]}]}</script>",
    );
    for same in [
        script(map).replace("importmap", "module"),
        script(map).replace(" type", " href=http://h/ type"),
        script(map).replace(" type", " xlink:href=http://h/ type"),
        "<script type=importmap></script>".to_owned(),
    ] {
        is(&same, &same);
    }
    let source = format!("<svg xmlns='http://www.w3.org/2000/svg'>{}</svg>", script(map));
    let source = source.replace("type=importmap", "type='importmap'");
    let xml = rewriter().syntax(Syntax::Xml).rewrite(source.as_bytes()).unwrap().into_bytes();
    assert_eq!(String::from_utf8_lossy(&xml), source.replace("./x", "http://h/d/x"));
}

#[test]
fn a_relative_specifier_keeps_its_dot() {
    let relative = rewriter().policy(Policy::form(Form::Relative));
    let map = |url: &str| format!(r#"{{"imports":{{"a":"{url}","{url}":"b"}}}}"#);
    script(&relative, "importmap", &map("http://h/d/x.js"), &map("./x.js"));
    script(&relative, "importmap", &map("http://h/x.js"), &map("../x.js"));
    script(&relative, "importmap", &map("./x.js"), &map("./x.js"));
}

#[test]
fn speculation_rules_have_lists_of_urls() {
    let rules = |url: &str| {
        format!(
            r#"{{"prefetch":[{{"urls":["{url}"],"where":{{"href_matches":"/a"}}}}],"prerender":[{{"source":"list","urls":["{url}"]}}]}}"#
        )
    };
    script(&rewriter(), "speculationrules", &rules("x?a=1&b"), &rules("http://h/d/x?a=1&b"));
    let escaped = |url: &str| rules(url).replace("urls", r"\u0075rls");
    script(&rewriter(), "speculationrules", &escaped("x"), &escaped("http://h/d/x"));
    script(&rewriter(), "SpeculationRules", &rules("\\/x"), &rules("http://h\\/x"));
}

#[test]
fn patterns_of_speculation_rules_move_with_urls() {
    let mut maps = Maps::new();
    maps.add("http://o/", "http://n/m/").unwrap();
    let moved =
        |maps: &Maps| rewriter().policy(absolve::Direction::default().maps(maps.clone()).into());
    let rules = |patterns: [&str; 6]| {
        let [first, second, third, fourth, fifth, sixth] = patterns;
        format!(
            r#"{{"prefetch":[{{"where":{{"and":[{{"href_matches":"{first}"}},{{"not":{{"href_matches":["{second}","{third}","{fourth}"]}}}},
            {{"selector_matches":"/a"}},{{"or":[{{"href_matches":"{fifth}"}},{{"href_matches":"{sixth}"}}]}}]}}}}]}}"#
        )
    };
    let source = ["/a/*", "http://o/c?*", "http://o/a", "*", "http://*.o/x", "http://o/:id(x)"];
    let new = ["/a/*", "http://n/m/c?*", "http://n/m/a", "*", "http://*.o/x", "http://n/m/:id(x)"];
    script(&moved(&maps), "speculationrules", &rules(source), &rules(new));
    script(&rewriter(), "speculationrules", &rules(source), &rules(source));
    // The page moves too.
    maps.add("http://h/", "http://i/n/").unwrap();
    let page = format!("<script type=speculationrules>{}</script>", rules(["/a/*"; 6]));
    let result = moved(&maps).rewrite(page.as_bytes()).unwrap();
    assert_eq!(String::from_utf8_lossy(result.bytes()).matches("\"/n/a/*\"").count(), 6);
}

#[test]
fn scripts_of_xhtml_are_read_as_those_of_html() {
    let xhtml = rewriter().syntax(Syntax::Xml);
    let page = |kind: &str, text: &str| {
        format!(
            "<html xmlns='http://www.w3.org/1999/xhtml'><head><script type='{kind}'>{text}</script></head></html>"
        )
    };
    let rules = |url: &str| format!(r#"{{"prefetch":[{{"urls":["{url}"]}}]}}"#);
    for (kind, source, expected) in [
        ("importmap", r#"{"imports":{"a":"./x"}}"#, r#"{"imports":{"a":"http://h/d/x"}}"#),
        ("speculationrules", &*rules("x?a&amp;b"), &*rules("http://h/d/x?a&amp;b")),
        (
            "importmap",
            r#"<![CDATA[{"imports":{"a":"./x"}}]]>"#,
            r#"<![CDATA[{"imports":{"a":"http://h/d/x"}}]]>"#,
        ),
        ("module", r#"{"imports":{"a":"./x"}}"#, r#"{"imports":{"a":"./x"}}"#),
    ] {
        becomes(&xhtml, &page(kind, source), &page(kind, expected));
    }
    let with_src = page("importmap' src='http://h/", r#"{"imports":{"a":"./x"}}"#);
    becomes(&xhtml, &with_src, &with_src);
}

#[test]
fn scripts_resolve_as_their_page_does_and_malformed_ones_stay() {
    let page = r#"<base href=/b/><script type=importmap>{"imports":{"a":"./x"}}</script>"#;
    let expected = page.replace("/b/>", "http://h/b/>").replace("./x", "http://h/b/x");
    becomes(&rewriter(), page, &expected);
    for malformed in
        ["{\"imports\":{\"a\":\"./x\"},}", "", "x", "<!-- {\"imports\":{\"a\":\"./x\"}} -->"]
    {
        script(&rewriter(), "importmap", malformed, malformed);
    }
    let mut found = Vec::new();
    let all = r#"<script type=importmap>{"imports":{"a":"./x"},"scopes":{"/s/":{}}}</script>"#;
    let links = rewriter().links(all.as_bytes(), |link| {
        let span = &all[link.span().unwrap()];
        found.push(format!(
            "{} {} {} {span}",
            link.element(),
            link.attribute(),
            link.url().unwrap()
        ));
    });
    assert_eq!(links.unwrap().counts().links, 2);
    assert_eq!(found, ["script imports http://h/d/x ./x", "script scopes http://h/s/ /s/"]);
    let only = rewriter().only("scopes");
    becomes(&only, all, &all.replace("/s/", "http://h/s/"));
}

/// The [states of scripts] depend on comments and tags in the text, which no new URL may change.
///
/// [states of scripts]: https://html.spec.whatwg.org/multipage/parsing.html#script-data-escaped-state
#[test]
fn a_script_ends_where_it_ended() {
    let whatwg = rewriter().standard(Standard::Whatwg);
    let map = |url: &str, other: &str| format!(r#"{{"imports":{{"a":"{url}","b":"{other}"}}}}"#);
    let kept = |rewriter: &Rewriter, source: &str| {
        let page = format!("<script type=importmap>{source}</script>");
        let dom = rewriter.clone().engine(Engine::Dom);
        let summary = rewriter.rewrite(page.as_bytes()).unwrap().into_summary();
        let other = dom.rewrite(page.as_bytes()).unwrap().into_summary();
        assert_eq!(summary.kept_scripts(), other.kept_scripts());
        assert_eq!(summary.counts(), other.counts());
        assert_eq!(summary.counts().rewritten == 0, summary.kept_scripts() == 1);
        summary.kept_scripts()
    };
    for url in ["./<!--", "./x-->", "./<SCRIPT>", "./<script/", "./a<script b", "/x/<!--><script>"]
    {
        let source = map(url, "./c");
        script(&whatwg, "importmap", &source, &source);
        assert_eq!(kept(&whatwg, &source), 1, "{url}");
        let written = source.replace("./c", "http://h/d/c").replace("\"./", "\"http://h/d/");
        let written = written.replace("\"/x", "\"http://h/x");
        script(&rewriter(), "importmap", &source, &written);
        assert_eq!(kept(&rewriter(), &source), 0, "{url}");
    }
    // In an escaped text, an end tag is text.
    let inert = map("./<!--<script>", "</script><a href=x>");
    script(&whatwg, "importmap", &inert, &inert);
    let inert = map("./<!--<script>-->", "./x").replace("\"b\"", "\"</scripty\"");
    script(&whatwg, "importmap", &inert, &inert);
    // Marks outside of the spans that are replaced decide nothing.
    let beside = map("./c", "<!-- <script> -->");
    script(&whatwg, "importmap", &beside, &beside.replace("./c", "http://h/d/c"));
    for [url, written] in [
        ["./<scripty", "http://h/d/%3Cscripty"],
        ["./<!-x->", "http://h/d/%3C!-x-%3E"],
        [r"./\u003C!--", "http://h/d/%3C!--"],
        [r"./--\u003E", "http://h/d/--%3E"],
    ] {
        script(&whatwg, "importmap", &map(url, "c"), &map(written, "c"));
    }
    // A base URL brings none.
    let marked = Rewriter::new().base_url("http://h/<!--/--></script>/p").unwrap();
    let written = r"http://h/\u003c!--/--\u003e\u003c/script\u003e/x";
    script(&marked, "importmap", &map("./x", "c"), &map(written, "c"));
    let rules = r#"{"prefetch":[{"urls":["x<!--","y"]}]}"#;
    script(&whatwg, "speculationrules", rules, rules);
    let nested =
        "<iframe srcdoc='<script type=importmap>{\"imports\":{\"a\":\"./&lt;!--\"}}</script>'>";
    becomes(&whatwg, nested, nested);
}

/// Parts of JSON, of which many in a row are none.
const PARTS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "1",
    "null",
    " ",
    "\"a\"",
    "\"./x\":\"../y\"",
    "\"url\":\"z\"",
    "\"imports\":{",
    "\"scopes\":{\"/s\":{",
    "}}",
    "\"urls\":[\"u\"]",
    "\"items\":[{",
    "}]",
    "\"content_html\":\"<a href=\\\"v\\\">\\u003cimg src=w>\"",
    "\"\\ud83d\\ude00\"",
    "\"\\",
    "<",
    "\u{e9}",
    "\"authors\":[{\"avatar\":\"\\/t\"}]",
    "<!--",
    "</script>",
];

/// Parts of a string in a script that decide where that ends.
const MARKS: &[&str] = &[
    "./",
    "/",
    "<!--",
    "-->",
    "--",
    ">",
    "-",
    "<",
    "<script ",
    "<script>",
    "</script>",
    "x",
    "../",
    "\",\"b\":\"./",
];

fn holds(rewriter: &Rewriter, source: &[u8]) -> Result<(), TestCaseError> {
    let Ok(first) = rewriter.rewrite(source) else { return Ok(()) };
    let second = rewriter.rewrite(first.bytes());
    prop_assert!(second.is_ok());
    let second = second.unwrap();
    prop_assert_eq!(second.bytes(), first.bytes());
    let same = rewriter.rewrite_with(source, |_| None).unwrap();
    prop_assert_eq!(same.bytes(), source);
    // Changes are in the spans of links.
    let mut spans = Vec::new();
    rewriter.links(source, |link| spans.extend(link.enclosing().or(link.span()))).unwrap();
    spans.dedup();
    let (mut rest, mut done) = (first.bytes(), 0);
    for span in spans.into_iter().filter(|span| !span.is_empty()) {
        let between = &source[done..span.start.max(done)];
        let at = memchr::memmem::find(rest, between);
        prop_assert!(at.is_some());
        rest = &rest[at.unwrap() + between.len()..];
        done = span.end.max(done);
    }
    prop_assert!(rest.ends_with(&source[done..]));
    Ok(())
}

proptest! {
    #[test]
    fn json_of_any_parts_keeps_the_properties_of_rewriting(parts in prop::collection::vec(select(PARTS), 0..24)) {
        let text = parts.concat();
        holds(&feeds(), format!("{{{VERSION},{text}}}").as_bytes())?;
        holds(&feeds().feed_base(FeedBase::Item), format!("{{{VERSION},\"items\":[{{{text}}}]}}").as_bytes())?;
        for kind in ["importmap", "speculationrules"] {
            holds(&rewriter(), format!("<script type={kind}>{text}</script>").as_bytes())?;
            holds(&rewriter(), format!("<script type={kind}>{{{text}}}</script>").as_bytes())?;
        }
    }

    #[test]
    fn a_script_of_any_parts_ends_where_it_ended(parts in prop::collection::vec(select(MARKS), 0..12)) {
        let text = parts.concat();
        let page = format!("<script type=importmap>{{\"imports\":{{\"a\":\"{text}\"}}}}</script><a href=u>\
            </script><a href=v>--></script><a href=w></script>");
        let based = Rewriter::new().base_url("http://h/--/a-->/p").unwrap();
        for rewriter in [based.clone(), based.standard(Standard::Whatwg)] {
            // The links after the script are as many as before.
            let after = |source: &[u8]| {
                let mut found = Vec::new();
                let visit = |link: &absolve::Link<'_>| found.extend(link.url().map(str::to_owned));
                rewriter.links(source, visit).unwrap();
                found.retain(|url| url.ends_with(['u', 'v', 'w']));
                found
            };
            holds(&rewriter, page.as_bytes())?;
            let new = rewriter.rewrite(page.as_bytes()).unwrap();
            prop_assert_eq!(after(page.as_bytes()), after(new.bytes()));
            let dom = rewriter.clone().engine(Engine::Dom).rewrite(page.as_bytes()).unwrap();
            prop_assert_eq!(after(page.as_bytes()), after(dom.bytes()));
            prop_assert_eq!(new.counts(), dom.counts());
        }
    }

    #[test]
    fn any_bytes_keep_the_properties_of_rewriting(source in prop::collection::vec(any::<u8>(), 0..64)) {
        holds(&feeds(), &source)?;
    }
}

#[test]
fn deep_and_long_json_takes_linear_time() {
    let deep = format!("{{{VERSION},\"items\":{}", "[".repeat(100_000));
    assert!(feeds().rewrite(deep.as_bytes()).is_err());
    let mut long = format!("{{{VERSION},\"items\":[{{}}");
    for number in 0..2_000 {
        write!(long, ",{{\"url\":\"{number}\",\"content_html\":\"<a href=x>\"}}").unwrap();
    }
    long += "]}";
    let rewritten = feeds().feed_base(FeedBase::Item).rewrite(long.as_bytes()).unwrap();
    assert_eq!(rewritten.counts().rewritten, 4_000);
}
