//! The content of `noscript`: text where scripts run, which ends at the end tag, and whose links count.

use absolve::{
    Anchor, BaseElement, BaseSource, Buffers, Detail, Engine, Link, Rewriter, SameDocument, Visit,
    detect,
};

/// Text that hides all that follows, in a document without `noscript`.
const UNCLOSED: &[&str] = &[
    "<iframe />",
    "<IFRAME>",
    "<style>",
    "<style>a { background: url('",
    "<script>",
    "<script><!--<script>",
    "<title>",
    "<textarea>",
    "<xmp>",
    "<noembed>",
    "<noframes>",
    "<plaintext>",
    "<template>",
    "<template><table>",
    "<frameset>",
    "<svg>",
    "<svg><style>",
    "<svg><title>",
    "<svg><![CDATA[",
    "<math><annotation-xml encoding=text/html>",
    "<select>",
    "<table><tr><td>",
    "<noscript>",
    "<!--",
    "<!--->-",
    "<!doctype",
    "<?php",
    "</p",
    "<p title='",
    "<p title=\"",
    "<p title=",
    "<p ",
    "<p",
    "<",
];

fn rewriter() -> Rewriter {
    Rewriter::new().base_url("http://h/d/e").unwrap()
}

/// Holds that both engines, and both scanners, give a page links with these references.
#[track_caller]
fn links(page: &str, references: &[&str]) {
    let with_template = format!("{page}<template></template>");
    for engine in [Engine::Splice, Engine::Dom] {
        for page in [page, &with_template] {
            let mut found = Vec::new();
            let add = |link: &Link<'_>| {
                found.push(link.reference().to_owned());
                if let Some(span) = link.span() {
                    assert_eq!(&page[span], link.reference(), "{page}");
                }
                assert_eq!(link.span().is_some(), engine == Engine::Splice);
            };
            rewriter().engine(engine).links(page.as_bytes(), add).unwrap();
            assert_eq!(found, references, "{engine:?}: {page}");
        }
    }
}

/// Holds that both scanners rewrite a page to this.
#[track_caller]
fn gives(rewriter: &Rewriter, page: &str, expected: &str) {
    for end in ["", "<template></template>"] {
        let page = format!("{page}{end}");
        let result = rewriter.rewrite(page.as_bytes()).unwrap();
        let written = std::str::from_utf8(result.bytes()).unwrap();
        assert_eq!(written, format!("{expected}{end}"), "{page}");
        let again = rewriter.rewrite(written.as_bytes()).unwrap();
        assert!(!again.is_changed(), "{page}");
    }
}

#[test]
fn what_is_unclosed_in_it_hides_nothing_after_it() {
    for unclosed in UNCLOSED {
        for (before, after) in [
            ("", "<link href=3>"),
            ("<head>", "</head><a href=3></a>"),
            ("<body><p>", "<a href=3></a>"),
            ("<table><tr>", "<td><a href=3></a></table>"),
            ("<select>", "<option><img src=3></select>"),
            ("<svg><desc>", "</desc></svg><a href=3></a>"),
            ("<template>", "</template><a href=3></a>"),
        ] {
            for end in ["</noscript>", "</NOSCRIPT\n >", "</noscript/>"] {
                let page =
                    format!("{before}<noscript><img src=1><b src=2></b>{unclosed}{end}{after}");
                links(&page, &["1", "2", "3"]);
            }
        }
        // Without an end tag, it is all the rest.
        let page = format!("<a href=0></a><noscript><img src=1>{unclosed}");
        let mut found = Vec::new();
        let add = |link: &Link<'_>| found.push(link.reference().to_owned());
        rewriter().links(page.as_bytes(), add).unwrap();
        assert_eq!(found, ["0", "1"], "{page}");
    }
}

#[test]
fn what_is_unclosed_in_it_hides_the_rest_of_it() {
    links("<noscript><!--<a href=1></noscript><a href=2>--></a>", &["2"]);
    links("<noscript><p title='<a href=1></noscript><a href=2>'></a>", &["2"]);
    links("<noscript><a href=1</noscript><a href=2></a>", &["2"]);
    links("<noscript><iframe src=1 /><a href=2></noscript><a href=3></a>", &["1", "3"]);
    links("<noscript><a href=1><noscript><a href=2></noscript><a href=3></a>", &["1", "2", "3"]);
    links("<noscript></noscripts><a href=1></noscript><a href=2></a>", &["1", "2"]);
}

#[test]
fn in_svg_it_is_an_element_like_others() {
    links("<svg><noscript><style></noscript><a href=1></a></svg>", &["1"]);
    links("<svg><noscript><!--</noscript><a href=1>--></noscript></svg><a href=2></a>", &["2"]);
}

#[test]
fn its_links_are_rewritten_in_place() {
    gives(
        &rewriter(),
        "<noscript><img src=x srcset='a, b 2x'><style>p{background:url(y)}</noscript><a href=z>",
        "<noscript><img src=http://h/d/x srcset='http://h/d/a, http://h/d/b 2x'>\
         <style>p{background:url(http://h/d/y)}</noscript><a href=http://h/d/z>",
    );
    gives(
        &rewriter(),
        "<noscript><iframe srcdoc='&lt;noscript>&lt;!--&lt;/noscript>&lt;a href=x>'></noscript>",
        "<noscript><iframe srcdoc='&lt;noscript>&lt;!--&lt;/noscript>&lt;a \
         href=http://h/d/x>'></noscript>",
    );
    gives(
        &rewriter(),
        "<iframe srcdoc='<noscript><!--</noscript><a href=x>'></iframe>",
        "<iframe srcdoc='<noscript><!--</noscript><a href=http://h/d/x>'></iframe>",
    );
    gives(
        &rewriter(),
        "<noscript><script type=importmap>{\"imports\":{\"a\":\"./b\"}}</noscript><a href=c>",
        "<noscript><script type=importmap>{\"imports\":{\"a\":\"http://h/d/b\"}}</noscript>\
         <a href=http://h/d/c>",
    );
}

#[test]
fn the_dom_engine_writes_its_text() {
    for (page, expected) in [
        ("<noscript><img src=x><!--</noscript>", "<noscript><img src=http://h/d/x><!--</noscript>"),
        (
            "<p><noscript>a &lt; b<style>p{background:url(y)}</noscript>",
            "<p><noscript>a &lt; b<style>p{background:url(http://h/d/y)}</noscript></p>",
        ),
        (
            "<svg><noscript><a href=x></a></noscript></svg>",
            "<svg><noscript><a href=\"http://h/d/x\"></a></noscript></svg>",
        ),
        (
            "<iframe srcdoc='<noscript><img src=x></noscript>'></iframe>",
            "<noscript><img src=http://h/d/x></noscript>",
        ),
        (
            "<iframe srcdoc='<style>p{background:url(y)}</style>'></iframe>",
            "<style>p{background:url(http://h/d/y)}</style>",
        ),
    ] {
        let result = rewriter().engine(Engine::Dom).rewrite(page.as_bytes()).unwrap();
        let written = String::from_utf8_lossy(result.bytes()).replace("&lt;", "<");
        let written = written.replace("&gt;", ">").replace("&quot;", "\"");
        assert!(written.contains(&expected.replace("&lt;", "<")), "{written}");
    }
    let page = "<noscript><p><base href=f/ ></noscript><base href=g/ ><a href=x>";
    let remove = rewriter().engine(Engine::Dom).base_element(BaseElement::Remove);
    let result = remove.rewrite(page.as_bytes()).unwrap();
    let written = String::from_utf8_lossy(result.bytes()).into_owned();
    assert!(written.contains("<noscript><p></noscript>"), "{written}");
    assert!(written.contains("<a href=\"http://h/d/g/x\">"), "{written}");
}

/// An end tag in a value would end the element where scripts run.
#[test]
fn no_new_value_ends_it() {
    let page = "<noscript><a href=x><a href='y'><p style='background:url(z)'>\
                <style>p{background:url(z)}</style><iframe srcdoc='<a href=v>'></iframe></noscript>";
    for engine in [Engine::Splice, Engine::Dom] {
        let rewriter = rewriter().engine(engine);
        let decide = |link: &Link<'_>| Some(format!("</noscript>{}", link.reference()));
        let result = rewriter.rewrite_with(page.as_bytes(), decide).unwrap();
        let written = String::from_utf8_lossy(result.bytes()).into_owned();
        assert_eq!(written.matches("</noscript").count(), 1, "{written}");
        let mut found = Vec::new();
        let add = |link: &Link<'_>| found.push(link.reference().to_owned());
        rewriter.links(written.as_bytes(), add).unwrap();
        let expected = ["x", "y", "z", "z", "v"].map(|old| format!("</noscript>{old}"));
        assert_eq!(found, expected, "{written}");
    }
}

#[test]
fn no_base_in_it_counts() {
    for content in ["<base href=f/ >", "<p><base href=f/ >", "<!--<base href=f/ >"] {
        for end in ["</noscript>", ""] {
            let page = format!("<head><noscript>{content}{end}");
            let base = rewriter().rewrite(page.as_bytes()).unwrap();
            assert_eq!(base.base_source(), BaseSource::RetrievalUrl, "{page}");
            assert!(base.rejected_base().is_none(), "{page}");
        }
        let page = format!("<head><noscript>{content}</noscript><base href=g/ >");
        let base = rewriter().rewrite(page.as_bytes()).unwrap();
        assert_eq!(base.base().unwrap().as_str(), "http://h/d/g/", "{page}");
    }
    gives(
        &rewriter().base_element(BaseElement::Remove),
        "<noscript><base href=f/><style></noscript><base href=g/><a href=x>",
        "<noscript><style></noscript><a href=http://h/d/g/x>",
    );
}

#[test]
fn it_declares_no_encoding_of_its_own() {
    let padding = "x".repeat(2000);
    let page = format!("{padding}<noscript><meta charset=shift_jis><!--</noscript><p>");
    assert_eq!(detect(page.as_bytes(), None).encoding.name(), "UTF-8");
    let page = format!("{padding}<noscript><!--</noscript><meta charset=shift_jis><!--</noscript>");
    assert_eq!(detect(page.as_bytes(), None).encoding.name(), "Shift_JIS");
    // The prescan of browsers knows no elements.
    let page = "<noscript><meta charset=shift_jis></noscript><p>";
    assert_eq!(detect(page.as_bytes(), None).encoding.name(), "Shift_JIS");
}

#[test]
fn links_in_it_are_found_in_every_encoding() {
    let page = "<p>\u{65e5}<noscript><img src='\u{672c}'><!--</noscript><a href=x>";
    for label in ["shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "utf-8"] {
        let (source, ..) = absolve::encoding::for_label(label).unwrap().encode(page);
        let rewriter = rewriter().encoding(label).unwrap().same_document(SameDocument::Keep);
        let mut found = Vec::new();
        let add = |link: &Link<'_>| found.push(link.reference().to_owned());
        rewriter.links(&source, add).unwrap();
        assert_eq!(found, ["\u{672c}", "x"], "{label}");
    }
}

#[test]
fn a_link_has_the_text_that_readers_see() {
    let page = "<a href=1>a<noscript><img alt=b><!--</noscript>c</a>d<noscript><a href=2>e<!--\
                </noscript>f<noscript><a href=3>g</noscript>h<a href=4>i</a>";
    let mut found = Vec::new();
    let add = |link: &Link<'_>| found.push(link.detail(Detail::Text).unwrap().to_owned());
    rewriter().links(page.as_bytes(), add).unwrap();
    assert_eq!(found, ["ac", "e", "g", "i"]);
    let page = "<a href=1>a<noscript><img alt=b></noscript>c</a>";
    let mut found = Vec::new();
    let add = |link: &Link<'_>| found.push(link.detail(Detail::Text).unwrap().to_owned());
    rewriter().engine(Engine::Dom).links(page.as_bytes(), add).unwrap();
    assert_eq!(found, ["ac"]);
}

#[derive(Default)]
struct Seen {
    links: Vec<String>,
    anchors: Vec<String>,
}

impl Visit for Seen {
    fn link(&mut self, link: &Link<'_>) {
        self.links.push(link.reference().to_owned());
    }

    fn anchor(&mut self, anchor: &Anchor<'_>) {
        self.anchors.push(anchor.value().to_owned());
    }
}

#[test]
fn an_inspection_shows_its_anchors_and_follows_markers() {
    let inspected = |page: &str| {
        let mut seen = Seen::default();
        rewriter().inspect(page.as_bytes(), &mut Buffers::new(), &mut seen).unwrap();
        (seen.links, seen.anchors)
    };
    for end in ["", "<template>"] {
        let page = format!("<noscript><p id=a><!--<p id=b></noscript><p id=c>{end}");
        assert_eq!(inspected(&page), (vec![], vec!["a".to_owned(), "c".to_owned()]), "{page}");
    }
    let shows = |page: &str, links: &[&str]| assert_eq!(inspected(page).0, links, "{page}");
    let marker = "data-absolve-ignore";
    shows(&format!("<noscript {marker}><a href=1><!--</noscript><a href=2>"), &["2"]);
    shows(&format!("<noscript {marker}><noscript><a href=1></noscript><a href=2>"), &["2"]);
    shows(&format!("<noscript><p {marker}><a href=1></noscript><a href=2>"), &["2"]);
    shows(&format!("<noscript><i {marker}><a href=1></noscript><a href=2></i>"), &["2"]);
    shows(&format!("<noscript {marker}><a href=1>"), &[]);
    shows(
        &format!("<p {marker}><noscript></p><a href=1></noscript><a href=2></p><a href=3>"),
        &["3"],
    );
}
