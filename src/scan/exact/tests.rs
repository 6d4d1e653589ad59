//! Whole documents, one row each.

#![allow(clippy::format_push_string, reason = "a log is easier to read than to write")]

use std::ops::{ControlFlow, Range};

use super::{Namespace, Placement, Sink, StartTag, TextKind, TreeAction, scan};

/// Records the events that it gets.
#[derive(Default)]
struct Log<'s> {
    source: &'s str,
    tags: String,
    styles: String,
    comments: String,
    remaining: Option<usize>,
}

impl Sink for Log<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        let place = match (tag.action, tag.place) {
            (TreeAction::Dropped, _) => "-",
            (TreeAction::Merged, _) => "+",
            (_, Placement::Head) => "^",
            (_, Placement::Template) => "t:",
            (_, Placement::Body) => "",
        };
        let namespace = match tag.namespace {
            Namespace::Html => "",
            Namespace::Svg => "svg:",
            Namespace::MathMl => "math:",
            _ => "other:",
        };
        let noscript = if tag.is_in_noscript { "n:" } else { "" };
        let name = &self.source[tag.name.clone()];
        let (mark, place) = if place.len() == 1 { (place, "") } else { ("", place) };
        self.tags.push_str(&format!("{mark}{noscript}{place}{namespace}{name} "));
        self.remaining = self.remaining.map(|count| count.saturating_sub(1));
        if self.remaining == Some(0) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn style_text(&mut self, span: Range<usize>, kind: TextKind) {
        self.styles.push_str(&format!("{kind:?}:{}|", &self.source[span]));
    }

    fn style_end(&mut self) {
        self.styles.push('.');
    }

    fn comment(&mut self, span: Range<usize>) {
        self.comments.push_str(&format!("{}|", &self.source[span]));
    }
}

fn log(source: &str) -> Log<'_> {
    let mut log = Log { source, ..Log::default() };
    assert!(scan(source.as_bytes(), &mut log).is_continue());
    log
}

#[track_caller]
fn tags(source: &str, expected: &str) {
    assert_eq!(log(source).tags.trim_end(), expected, "{source}");
}

#[test]
fn heads() {
    tags("<base>", "^base");
    tags("<html><head><title><base></title><base>", "html head ^title ^base");
    tags("<head></head><base><p><base>", "head ^base p base");
    tags("x<base>", "base");
    tags("&#32;<base>", "^base");
    tags("&nbsp;<base>", "base");
    tags("<head>&Tab;<base>", "head ^base");
    tags("<noscript><link><base>", "^noscript n:link n:base");
    tags("<template><base></template><base>", "^template t:base ^base");
    tags("</head><template><base></template><base>", "^template t:base ^base");
    tags("<body><html><body><head>", "body +html +body -head");
    tags("<!--><base>", "^base");
    tags("<svg><base>", "svg:svg svg:base");
}

/// An `n:` marks tags in the content of a `noscript`.
#[test]
fn a_noscript_ends_at_its_end_tag() {
    const UNCLOSED: &[(&str, &str)] = &[
        ("<iframe src=x />", "n:iframe"),
        ("<style>", "n:style"),
        ("<STYLE>a{", "n:STYLE"),
        ("<script>", "n:script"),
        ("<script><!--<script>", "n:script"),
        ("<title>", "n:title"),
        ("<textarea>", "n:textarea"),
        ("<xmp>", "n:xmp"),
        ("<noembed>", "n:noembed"),
        ("<noframes>", "n:noframes"),
        ("<plaintext>", "n:plaintext"),
        ("<svg>", "n:svg:svg"),
        ("<svg><style>", "n:svg:svg n:svg:style"),
        ("<svg><![CDATA[", "n:svg:svg"),
        ("<math><mi>", "n:math:math n:math:mi"),
        ("<template>", "n:template"),
        ("<template><tr>", "n:template n:t:tr"),
        ("<select><option>", "n:select n:option"),
        ("<table><tr>", "n:table n:tr"),
        ("<noscript>", "n:noscript"),
        ("<p><b><a>", "n:p n:b n:a"),
        ("<!--", ""),
        ("<!-", ""),
        ("<!doctype", ""),
        ("<?x", ""),
        ("</x", ""),
        ("<b title='", ""),
        ("<b title=\"", ""),
        ("<b title=x", ""),
        ("<b", ""),
        ("<", ""),
        ("<frameset><p>", "-n:frameset n:p"),
        ("</body></html><p>", "n:p"),
        ("<body><html>", "+n:body +n:html"),
        ("<tr><head>", "-n:tr -n:head"),
    ];
    for (content, inside) in UNCLOSED {
        for end in ["</noscript>", "</NoScript\n>", "</noscript/>", "</noscript x='>'>"] {
            let expected = |before: &str, after: &str| {
                let all = [before, inside, after];
                let words: Vec<_> = all.into_iter().filter(|text| !text.is_empty()).collect();
                words.join(" ")
            };
            let source = format!("<noscript>{content}{end}<link><base>");
            tags(&source, &expected("^noscript", "^link ^base"));
            let source = format!("<p><noscript>{content}{end}<a><style></style><b>");
            tags(&source, &expected("p noscript", "a style b"));
            let source = format!("<table><tr><noscript>{content}{end}<td>");
            tags(&source, &expected("table tr noscript", "td"));
            let source = format!("<select><noscript>{content}{end}<option>");
            tags(&source, &expected("select noscript", "option"));
        }
        // Without an end tag, the content extends to the end.
        let source = format!("<noscript>{content}");
        tags(&source, format!("^noscript {inside}").trim_end());
    }
}

#[test]
fn what_is_no_end_tag_of_a_noscript_is_its_content() {
    tags("<noscript></noscripts><a></noscript><b>", "^noscript n:a b");
    tags("<noscript></ noscript><a></noscript><b>", "^noscript n:a b");
    tags("<noscript><a></noscript", "^noscript n:a");
    tags("<noscript><noscript></noscript><base></noscript>", "^noscript n:noscript ^base");
    tags("<noscript><!--</noscript><a>--></noscript>", "^noscript a");
    tags("<noscript>x</noscript><noscript><a></noscript><b>", "^noscript ^noscript n:a b");
}

#[test]
fn a_noscript_of_other_content_is_an_element() {
    tags("<svg><noscript><base>", "svg:svg svg:noscript svg:base");
    tags("<svg><noscript><style></noscript><a>", "svg:svg svg:noscript svg:style svg:a");
    tags("<math><noscript><!--</noscript><a>-->", "math:math math:noscript");
    tags("<svg><desc><noscript><style></noscript><a>", "svg:svg svg:desc noscript n:style a");
    tags("<math><mi><noscript><!--</noscript><a>", "math:math math:mi noscript a");
    tags("<template><noscript><!--</noscript><a>", "^template t:noscript t:a");
    tags("<title><noscript></title><a>", "^title a");
    tags("<frameset><noscript><frame>", "frameset -noscript frame");
    tags("<colgroup><noscript><!--</noscript><a>", "-colgroup noscript a");
}

#[test]
fn a_noscript_neither_opens_nor_closes_elements() {
    tags("<noscript></head><p></noscript><base>", "^noscript n:p ^base");
    tags("<p><noscript></p></noscript><svg><p><style>", "p noscript svg:svg p style");
    tags("<noscript><svg></noscript></svg><style><a>", "^noscript n:svg:svg ^style");
    tags(
        "<svg><desc><noscript></desc></svg></noscript><style><a>",
        "svg:svg svg:desc noscript style",
    );
    tags("<b><noscript></b></noscript><svg><b><style>", "b noscript svg:svg b style");
}

#[test]
fn styles_of_a_noscript_end_with_it() {
    assert_eq!(log("<noscript><style>a</noscript>b<style>c</style>").styles, "Raw:a|.Raw:c|.");
    assert_eq!(log("<noscript><svg><style>a</noscript>b").styles, "Escapable:a|.");
    assert_eq!(log("<noscript><svg><style>a").styles, "Escapable:a|.");
}

#[test]
fn raw_text_and_foreign_content() {
    tags("<style><a></style><a>", "^style a");
    tags("<svg><style><a></style></svg><a>", "svg:svg svg:style svg:a a");
    tags("<svg><title><style><a>", "svg:svg svg:title style");
    tags("<svg/><style><a>", "svg:svg style");
    tags("<svg><p><style><a>", "svg:svg p style");
    tags("<svg></p><style><a>", "svg:svg style");
    tags("<svg><font><font size=1>", "svg:svg svg:font font");
    tags("<svg><![CDATA[<a>]]><b>", "svg:svg b");
    tags("<![CDATA[<a>]]><b>", "b");
    tags("<math><mi><mglyph><mi></mi><a>", "math:math math:mi math:mglyph math:mi math:a");
    tags("<math><annotation-xml encoding=text&#47;HTML><a>", "math:math math:annotation-xml a");
    tags("<math><annotation-xml><a><svg>", "math:math math:annotation-xml math:a math:svg");
    tags("<math><annotation-xml><svg><a>", "math:math math:annotation-xml svg:svg svg:a");
    tags("<plaintext><a>", "plaintext");
    tags("<table><plaintext><a>", "table plaintext");
    tags("<image>", "image");
    tags("<a><b href='", "a");
}

#[test]
fn tags_that_are_dropped() {
    tags("<tr><a>", "-tr a");
    tags("<table><tr><td><tr>", "table tr td tr");
    tags("<form><form></form><form>", "form -form form");
    tags("<table><form><form>", "table form -form");
    tags("<select><select><select>", "select -select select");
    tags("<frameset><a><frame></frameset><noframes><a></noframes>", "frameset -a frame noframes");
    tags("<p><frameset>", "p frameset");
    tags("<p>x<frameset>", "p -frameset");
    tags("<input type=hidden><frameset>", "input frameset");
    tags("<br><frameset>", "br -frameset");
    tags("<template><tr><a></tr><caption>", "^template t:tr t:a -caption");
    tags("<table><colgroup><a><col>", "table colgroup a col");
}

/// In each row, a formatting element decides whether the end tag of the integration point closes
/// it.
#[test]
fn formatting_elements_decide() {
    const RAW: &str = "<svg><desc><p><b></p>x</desc><style><a>";
    tags(RAW, "svg:svg svg:desc p b style");
    tags("<svg><desc><p><b></p></desc><style><a>", "svg:svg svg:desc p b svg:style svg:a");
    tags(
        "<svg><desc><b><b><b><b><p></b></b></b></b></p></desc><style><a>",
        "svg:svg svg:desc b b b b p style",
    );
    tags(
        "<svg><desc><b><b><b 1><b><p></b></b></b></b></p></desc><style><a>",
        "svg:svg svg:desc b b b b p svg:style svg:a",
    );
    // Quirks mode: the table does not close the `p`.
    tags("<svg><desc><p><table></table></desc><style><a>", "svg:svg svg:desc p table style");
    tags(
        "<!doctype html><svg><desc><p><table></table></desc><style><a>",
        "svg:svg svg:desc p table svg:style svg:a",
    );
}

#[test]
fn styles() {
    assert_eq!(log("<style>a<b></style>").styles, "Raw:a<b>|.");
    assert_eq!(log("<style>a").styles, "Raw:a|.");
    assert_eq!(log("<style>a</style b").styles, "Raw:a|.");
    assert_eq!(
        log("<svg><style>a&lt;<![CDATA[b]]><g>c</g>d</style>e").styles,
        "Escapable:a&lt;|Cdata:b|Escapable:d|."
    );
    assert_eq!(log("<svg><style/><style>a<p><style>b").styles, ".Escapable:a|.Raw:b|.");
    assert_eq!(log("<svg><style>").styles, ".");
    assert_eq!(log("<math><style>a").styles, "");
}

#[test]
fn comments() {
    assert_eq!(log("<!--a--><!b><?c></ d><!---->").comments, "a||");
    assert_eq!(log("<title><!--a--></title><svg><title><!--b").comments, "b|");
}

#[test]
fn the_sink_can_stop() {
    let source = "<a><b><i>";
    let mut log = Log { source, remaining: Some(2), ..Log::default() };
    assert!(scan(source.as_bytes(), &mut log).is_break());
    assert_eq!(log.tags, "a b ");
}

/// html5ever 0.40 builds different elements for these.
#[test]
fn a_tree_builder_easily_reads_other_elements() {
    tags("<template><thead><tbody>", "^template t:thead t:tbody");
    tags(
        "<span><svg><desc><i></span></i></desc><style><a>",
        "span svg:svg svg:desc i svg:style svg:a",
    );
    // A breakout tag inside foreign content inside an `annotation-xml` with HTML.
    tags(
        "<math><annotation-xml encoding=text/html><svg><p></p></annotation-xml><style><a>",
        "math:math math:annotation-xml svg:svg p math:style math:a",
    );
}
