//! Mutation XSS: pages that are inert as they are read, and active once a parser's tree of them
//! has been written out and is read again.
//!
//! The shapes are those of the literature on sanitizers: bypasses of `DOMPurify`, of the Closure
//! library and of `mXSS` filters. The DOM engine refuses each, or writes a document with the same
//! tree; the splice engine changes no node and no attribute but the values of links.

use absolve::{BaseElement, Engine, Rewriter};
use html5ever::driver::ParseOpts;
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{local_name, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// Expected result of the DOM engine for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dom {
    /// The engine refuses to write the page.
    Refuses,
    /// The engine writes a page with an equal tree.
    Writes,
}
use Dom::{Refuses, Writes};

/// Pages.
#[rustfmt::skip]
const PAGES: &[(Dom, &str)] = &[
    // MathML text integration points, and `mglyph` in a table that is foster parented.
    (Refuses, r"<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>"),
    (Refuses, r#"<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">"#),
    (Refuses, r#"<math><mtext><table><mglyph><style><math>x<!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">"#),
    (Refuses, r#"<math><mtext><table><malignmark><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">"#),
    (Refuses, r#"<math><mi><table><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>">"#),
    (Writes, r#"<math><mtext><option><FAKEFAKE><option></option><mglyph><svg><mtext><style><a title="</style><img src='#' onerror='alert(1)'>">"#),
    (Refuses, r#"<math><mtext><h1><a><h6></a></h6><mglyph><svg><mtext><style><a title="</style><img src onerror='alert(1)'>"></style></h1>"#),
    (Writes, r#"<math><mtext><table><caption><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">"#),
    (Writes, r#"<math><mo><table><tr><td><mglyph><style><!--</style><a title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">"#),
    (Writes, r#"<math><annotation-xml encoding="text/html"><table><mglyph><style><!--</style><p title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">"#),
    (Writes, r#"<math><annotation-xml><style><!--</style><p title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"></annotation-xml></math>"#),
    // Pages that html5ever reads in another way than browsers.
    (Refuses, r#"<!DOCTYPE html><body><p><math><annotation-xml encoding="text/html"><p></p></annotation-xml><style><!--</style><img src=x onerror="1">--></style></math>"#),
    (Refuses, r#"<body><math><annotation-xml encoding="text/html"></br></annotation-xml><style><!--</style><img src=x onerror=1>--></style></math>"#),
    (Refuses, r#"<!DOCTYPE html><ANNOTATION-XML><math><Annotation-XML encoding="TEXT/html"><svg><p></p></annotation-xml><style><!--</style><img src=x onerror=1>--></style></math>"#),
    (Refuses, r"<!DOCTYPE html><template><thead><tbody><tr></template>"),
    (Refuses, r"<!DOCTYPE html><span><svg><desc><i></span></i></desc><style><!--</style><img src=x onerror=1>--></style></svg>"),
    // SVG.
    (Writes, r#"<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">"#),
    (Writes, r#"<svg></br><style><a id="</style><img src=1 onerror=alert(1)>">"#),
    (Writes, r#"<svg><p><style><a id="</style><img src=1 onerror=alert(1)>">"#),
    (Writes, r"<svg><style>&lt;img src=1 onerror=alert(1)&gt;</style></svg>"),
    (Writes, r#"<svg><style><!--</style><a title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"></svg>"#),
    (Writes, r#"<svg><title><style><a title="</style><img src=1 onerror=alert(1)>"></title></svg>"#),
    (Writes, r#"<svg><desc><table><svg><style><!--</style><a title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">"#),
    (Writes, r#"<svg><foreignobject><table><svg><title><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">"#),
    (Writes, r"<svg><!--</svg><img src=1 onerror=alert(1)>--></svg>"),
    (Writes, r"<svg><![CDATA[</svg><img src=1 onerror=alert(1)>]]></svg>"),
    (Writes, r"<svg><script>&lt;/script&gt;&lt;img src=1 onerror=alert(1)&gt;</script></svg>"),
    (Writes, r#"<svg><xmp><a title="</xmp><img src=1 onerror=alert(1)>"></xmp></svg>"#),
    (Writes, r#"<svg><noscript><a title="</noscript><img src=1 onerror=alert(1)>"></noscript></svg>"#),
    // Elements whose text is raw in some browsers, or in some places.
    (Writes, r#"<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>"#),
    (Writes, r"<head><noscript><p><img src=x onerror=alert(1)></noscript>"),
    (Writes, r"<noscript><style></noscript><img src=x onerror=alert(1)></style></noscript>"),
    (Writes, r"<noscript><!--</noscript><img src=x onerror=alert(1)>--></noscript>"),
    (Writes, r"<p><noscript>&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;</noscript>"),
    (Writes, r"<noscript>&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;</noscript>"),
    (Writes, r#"<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>"#),
    (Writes, r#"<noembed><p title="</noembed><img src=x onerror=alert(1)>"></noembed>"#),
    (Writes, r#"<noframes><p title="</noframes><img src=x onerror=alert(1)>"></noframes>"#),
    (Writes, r#"<iframe><p title="</iframe><img src=x onerror=alert(1)>"></iframe>"#),
    (Writes, r"<plaintext></plaintext><img src=x onerror=alert(1)>"),
    (Refuses, r"<table><plaintext><img src=x onerror=alert(1)>"),
    (Writes, r#"<title><p title="</title><img src=x onerror=alert(1)>"></title>"#),
    (Writes, r#"<textarea><p title="</textarea><img src=x onerror=alert(1)>"></textarea>"#),
    (Writes, r"<script><!--<script></script><img src=x onerror=alert(1)>"),
    // `select`, which drops most tags, and templates.
    (Writes, r"<select><style></select><img src=x onerror=alert(1)></style></select>"),
    (Writes, r#"<select><template><style><!--</template><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">"#),
    (Writes, r#"<select><option><svg><style><a title="</style><img src=1 onerror=alert(1)>"></select>"#),
    (Writes, r#"<template><style><!--</style></template><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">"#),
    (Refuses, r#"<template><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"></template>"#),
    // White space in a template, around which the parser alone opens formatting elements anew.
    (Refuses, r"<template><tbody><b></tbody> <tr><td>z</template>"),
    (Refuses, r"<template><tr><a href=y></tr> <tr><td>z</template>"),
    (Refuses, r"<template><thead><i><b></thead> <!--x--></template>"),
    (Refuses, r"<div><template><tr><nobr></tr>&#32;</template></div>"),
    (Writes, r"<template><tr>y<td>z</template>"),
    (Writes, r"<template><tbody><b></tbody>y<tr><td>z</template>"),
    (Writes, r"<template><tbody><b></b></tbody> <tr> <td>z</template>"),
    (Writes, r"<template><tr><b>y<td>z</template>"),
    // Nesting that tags in the order of the tree do not make.
    (Refuses, r"<form id=outer><div></form><form id=inner><input></form>"),
    (Refuses, r"<table><tr><td><form><table><tr></form><form id=b></form></table>"),
    (Refuses, r"<a id=x><table><tr><a id=y><td></td></tr></table></a>"),
    (Refuses, r"<nobr><table><tr><nobr><td></table>"),
    (Refuses, r"<button><p><table><button></table></p></button>"),
    (Writes, r"<b><p><i><div></b>x</i></div>"),
    (Refuses, r"<p><table><p></table>"),
    (Writes, r"<!DOCTYPE html><p><table><p></table>"),
    (Writes, r"<!DOCTYPE html PUBLIC><p><table></table>"),
    (Refuses, r#"<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" ""><p>"#),
    // Characters that a parser drops at the start of an element.
    (Writes, "<pre>\n\n<b>x</b></pre><textarea>\n\nx</textarea><listing>\n\nx</listing>"),
    (Writes, "<textarea>\n&lt;/textarea&gt;&lt;img src=1 onerror=alert(1)&gt;</textarea>"),
    // Quotes, back ticks and references in attributes, and names that hold odd characters.
    (Writes, r#"<img alt="``onerror=alert(1)"><p title="&lt;/p&gt;&quot;&amp;quot;&nbsp;">"#),
    (Writes, r#"<x'y"z<=1 a'b"c<d=e><img alt=x =onerror=alert(1)>"#),
    (Writes, r"<!x--!><img src=x onerror=alert(1)>--><!--x--!><?x ><!-><!--->"),
];

const PREFIX: &str = "http://h.example/d/";

fn rewriter(engine: Engine) -> Rewriter {
    Rewriter::new().base_url("http://h.example/d/page").unwrap().engine(engine)
}

fn parse(text: &str, scripting_enabled: bool) -> RcDom {
    let tree_builder = TreeBuilderOpts { scripting_enabled, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    parse_document(RcDom::default(), options).one(text)
}

/// The nodes of a document, a line each, without what making a link absolute adds.
fn nodes(text: &str, scripting_enabled: bool) -> Vec<String> {
    let dom = parse(text, scripting_enabled);
    let mut lines = vec![format!("{:?}", dom.quirks_mode.get())];
    write(&dom.document, 0, scripting_enabled, &mut lines);
    lines
}

fn write(node: &Handle, depth: usize, scripting_enabled: bool, lines: &mut Vec<String>) {
    let mut is_noscript = false;
    let line = match &node.data {
        NodeData::Document => "document".to_owned(),
        NodeData::Doctype { name, public_id, system_id } => {
            format!("doctype {name} {public_id} {system_id}")
        }
        NodeData::Text { contents } => format!("text {}", contents.borrow()),
        NodeData::Comment { contents } => format!("comment {contents}"),
        NodeData::ProcessingInstruction { contents, .. } => format!("instruction {contents}"),
        NodeData::Element { name, attrs, .. } => {
            is_noscript = name.local == local_name!("noscript");
            let mut line = format!("element {name:?}");
            for attribute in attrs.borrow().iter() {
                let value = attribute.value.replace(PREFIX, "");
                line.extend([" ", &format!("{:?}", attribute.name), "=", &value]);
            }
            line
        }
    };
    // The tree builder may make several nodes of one piece of text.
    let joins = line.strip_prefix("text ").zip(lines.last_mut());
    let start = format!("{depth} text ");
    match joins {
        Some((text, last)) if last.starts_with(&start) => last.push_str(text),
        _ => lines.push(format!("{depth} {line}")),
    }
    if is_noscript && scripting_enabled {
        return;
    }
    if let NodeData::Element { template_contents, .. } = &node.data
        && let Some(contents) = &*template_contents.borrow()
    {
        write(contents, depth + 1, scripting_enabled, lines);
    }
    for child in node.children.borrow().iter() {
        write(child, depth + 1, scripting_enabled, lines);
    }
}

/// Ways to read a page, by whether scripts run. The content of a `noscript` is text to both engines;
/// a browser without scripts reads another page if the content has the end tag.
fn readings(page: &str) -> &'static [bool] {
    if page.starts_with("<noscript>") || page.starts_with("<head><noscript>") {
        &[true]
    } else {
        &[false, true]
    }
}

/// The pages, each with a link at its end.
fn pages() -> impl Iterator<Item = (Dom, String)> {
    PAGES.iter().map(|&(dom, shape)| (dom, format!("{shape}<a href=x></a>")))
}

#[test]
fn the_dom_engine_writes_the_same_tree_or_nothing() {
    let mut differences = Vec::new();
    for (expected, page) in pages() {
        let found = match rewriter(Engine::Dom).rewrite(page.as_bytes()) {
            Err(error) => {
                assert!(error.is_tree_change(), "{page}: {error}");
                assert!(error.to_string().contains("use the splice engine"), "{error}");
                Refuses
            }
            Ok(result) => {
                let written = std::str::from_utf8(result.bytes()).unwrap();
                for &scripting_enabled in readings(&page) {
                    let (found, expected) =
                        (nodes(written, scripting_enabled), nodes(&page, scripting_enabled));
                    assert_eq!(found, expected, "{page}");
                }
                Writes
            }
        };
        if found != expected {
            differences.push(format!("{found:?} {page}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn the_splice_engine_changes_links_alone() {
    assert!(PAGES.len() >= 30);
    for (_, page) in pages() {
        let result = rewriter(Engine::Splice).rewrite(page.as_bytes()).unwrap();
        let written = std::str::from_utf8(result.bytes()).unwrap();
        for &scripting_enabled in readings(&page) {
            let (found, expected) =
                (nodes(written, scripting_enabled), nodes(&page, scripting_enabled));
            assert_eq!(found, expected, "{page}");
        }
        let without = |text: &str| text.replace(PREFIX, "");
        assert_eq!(without(written), page);
    }
}

#[test]
fn a_base_element_that_is_taken_out_is_no_difference() {
    let page =
        "<base href=/d/><base target=t href=x><p><noscript><base href=y></noscript><a href=x></a>";
    let rewriter = rewriter(Engine::Dom).base_element(BaseElement::Remove);
    let result = rewriter.rewrite(page.as_bytes()).unwrap();
    let written = std::str::from_utf8(result.bytes()).unwrap();
    assert!(!written.contains("<base href"), "{written}");
    assert!(written.contains("<base target=\"t\">"), "{written}");
}

#[test]
fn a_document_in_a_value_is_checked_as_well() {
    let (_, page) = pages().nth(1).unwrap();
    let page =
        format!("<iframe srcdoc='{}'></iframe>", page.replace('&', "&amp;").replace('\'', "&#39;"));
    let error = rewriter(Engine::Dom).rewrite(page.as_bytes()).unwrap_err();
    assert!(error.is_tree_change(), "{error}");
    rewriter(Engine::Splice).rewrite(page.as_bytes()).unwrap();
}
