//! Whole documents, one row each.

#![allow(clippy::format_push_string, reason = "a log is easier to read than to write")]

use std::ops::{ControlFlow, Range};

use super::{Namespace, Placement, Rules, Sink, StartTag, TextKind, TreeAction, scan, scan_by};

/// Records the events that it gets.
#[derive(Default)]
struct Log<'s> {
    source: &'s str,
    tags: String,
    styles: String,
    comments: String,
    left: Option<usize>,
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
        self.tags.push_str(&format!("{place}{namespace}{} ", &self.source[tag.name.clone()]));
        self.left = self.left.map(|left| left.saturating_sub(1));
        if self.left == Some(0) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
    log_by(Rules::Standard, source)
}

fn log_by(rules: Rules, source: &str) -> Log<'_> {
    let mut log = Log { source, ..Log::default() };
    assert!(scan_by(rules, source.as_bytes(), &mut log).is_continue());
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
    tags("<noscript><link><base>", "^noscript ^link ^base");
    tags("<template><base></template><base>", "^template t:base ^base");
    tags("</head><template><base></template><base>", "^template t:base ^base");
    tags("<body><html><body><head>", "body +html +body -head");
    tags("<!--><base>", "^base");
    tags("<svg><base>", "svg:svg svg:base");
}

#[test]
fn noscript_holds_text_where_scripts_run() {
    #[track_caller]
    fn differs(source: &str, off: &str, on: &str) {
        tags(source, off);
        assert_eq!(log_by(Rules::Scripting, source).tags.trim_end(), on, "{source}");
    }
    differs("<noscript><img></noscript><base>", "^noscript img base", "^noscript ^base");
    differs("<noscript><link><base></noscript>", "^noscript ^link ^base", "^noscript");
    differs(
        "<noscript><noscript><p></noscript><base>",
        "^noscript -noscript p base",
        "^noscript ^base",
    );
    differs("<noscript><!--</noscript><base>-->", "^noscript", "^noscript ^base");
    differs("<noscript><style></noscript><base>", "^noscript ^style", "^noscript ^base");
    differs("<head><noscript><base>", "head ^noscript ^base", "head ^noscript");
    differs("<p><noscript><base></noscript><base>", "p noscript base base", "p noscript base");
    differs(
        "<svg><noscript><base>",
        "svg:svg svg:noscript svg:base",
        "svg:svg svg:noscript svg:base",
    );
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

/// In each, the end tag of the integration point closes it or not because of a formatting element.
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
    let mut log = Log { source, left: Some(2), ..Log::default() };
    assert!(scan(source.as_bytes(), &mut log).is_break());
    assert_eq!(log.tags, "a b ");
}

#[test]
fn the_oracle_differs() {
    #[track_caller]
    fn differs(source: &str, standard: &str, oracle: &str) {
        tags(source, standard);
        assert_eq!(log_by(Rules::Html5ever, source).tags.trim_end(), oracle, "{source}");
    }
    differs("<template><thead><tbody>", "^template t:thead t:tbody", "^template t:thead -tbody");
    differs(
        "<span><svg><desc><i></span></i></desc><style><a>",
        "span svg:svg svg:desc i svg:style svg:a",
        "span svg:svg svg:desc i style",
    );
    // A breakout tag inside foreign content inside an `annotation-xml` with HTML.
    differs(
        "<math><annotation-xml encoding=text/html><svg><p></p></annotation-xml><style><a>",
        "math:math math:annotation-xml svg:svg p math:style math:a",
        "math:math math:annotation-xml svg:svg p style",
    );
}
