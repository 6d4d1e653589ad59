//! The links of a document by html5ever's own tree, found independently of the library: by the
//! stock `RcDom`, a walk of its own, and a short list of the attributes of grammar `url`.
//!
//! Scripts run: the content of `noscript` is text, and read like a body without scripts.
//!
//! A start tag of a formatting element can be in the tree as several elements. The tokens show the
//! number of tags: of each formatting element with a link, the tree may show that number with its
//! name and value, the first ones in tree order. This counts a link too many if the tree builder
//! drops such a tag and clones another with an equal value, which no document of the suites does.

use std::cell::RefCell;
use std::collections::HashMap;

use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, QualName, TokenizerResult, ns};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// Element, attribute and value of a link.
pub(crate) type Place = (String, String, String);

const FORMATTING: &[&str] = &[
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// Attributes of HTML that hold one URL, beside `href`, `src` and `xlink:href`.
const URLS: &[(&[&str], &[&str])] = &[
    (&["video"], &["poster"]),
    (&["object"], &["data", "codebase", "classid"]),
    (&["applet"], &["codebase"]),
    (&["form", "isindex"], &["action"]),
    (&["button", "input"], &["formaction"]),
    (&["blockquote", "q", "ins", "del"], &["cite"]),
    (
        &[
            "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "col", "colgroup",
            "layer", "ilayer",
        ],
        &["background"],
    ),
    (&["img", "frame", "iframe"], &["longdesc"]),
    (&["img"], &["lowsrc"]),
    (&["img", "input"], &["dynsrc"]),
    (&["html"], &["manifest"]),
    (&["embed"], &["pluginspage", "pluginurl"]),
    (&["command", "menuitem"], &["icon"]),
];

/// SVG elements in which a fragment names a part of the drawing.
const PARTS: &str = " use image feImage linearGradient radialGradient pattern textPath mpath filter \
    animate animateMotion animateTransform set discard cursor tref glyphRef altGlyph color-profile ";

/// The links of grammar `url`, in tree order.
pub(crate) fn links(text: &str) -> Vec<Place> {
    links_of(text, true)
}

fn links_of(text: &str, scripting_enabled: bool) -> Vec<Place> {
    let (document, mut tags, is_quirky) = parse(text, scripting_enabled);
    let mut links = Vec::new();
    // A node that is dropped takes its descendants out of the tree, so the root stays.
    let mut work = vec![document.clone()];
    while let Some(node) = work.pop() {
        work.extend(node.children.borrow().iter().rev().cloned());
        let NodeData::Element { name, attrs, template_contents, .. } = &node.data else {
            continue;
        };
        work.extend(template_contents.borrow().clone());
        for attribute in attrs.borrow().iter().filter(|attribute| is_link(name, attribute)) {
            let place = place(&name.local, attribute);
            if name.ns == ns!(html) && FORMATTING.contains(&&*name.local) {
                let left = tags.entry(place.clone()).or_default();
                if *left == 0 {
                    continue;
                }
                *left -= 1;
            }
            links.push(place);
        }
        if scripting_enabled && name.ns == ns!(html) && &*name.local == "noscript" {
            let start = if is_quirky { "<body>" } else { "<!DOCTYPE html><body>" };
            links.extend(links_of(&format!("{start}{}", text_of(&node)), false));
        }
    }
    links
}

fn text_of(node: &Handle) -> String {
    let children = node.children.borrow();
    let text = |child: &Handle| match &child.data {
        NodeData::Text { contents } => contents.borrow().to_string(),
        _ => String::new(),
    };
    children.iter().map(text).collect()
}

fn place(element: &str, Attribute { name, value }: &Attribute) -> Place {
    let prefix = if name.ns == ns!(xlink) { "xlink:" } else { "" };
    (element.to_ascii_lowercase(), format!("{prefix}{}", name.local), value.to_string())
}

fn is_link(element: &QualName, attribute: &Attribute) -> bool {
    let (local, name) = (&*element.local, &*attribute.name.local);
    let value = attribute.value.trim_matches(|c| c <= ' ');
    let is_href = match attribute.name.ns {
        ns!() => name == "href" || name == "src",
        ns!(xlink) => name == "href",
        _ => return false,
    };
    if is_href {
        let names_a_part = element.ns == ns!(svg)
            && PARTS.contains(&format!(" {local} "))
            && name == "href"
            && value.starts_with('#');
        return !names_a_part;
    }
    match element.ns {
        ns!(html) => {
            URLS.iter().any(|(elements, names)| elements.contains(&local) && names.contains(&name))
        }
        ns!(mathml) => (local, name) == ("math", "altimg"),
        _ => false,
    }
}

/// The document, and how many start tags there were of each formatting element
/// with each attribute and value; and whether it is in quirks mode.
fn parse(text: &str, scripting_enabled: bool) -> (Handle, HashMap<Place, usize>, bool) {
    let options = TreeBuilderOpts { scripting_enabled, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(RcDom::default(), options);
    let sink = Counting { builder, tags: RefCell::default() };
    let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(sink, options);
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let Counting { builder, tags } = tokenizer.sink;
    let is_quirky = builder.sink.quirks_mode.get() == QuirksMode::Quirks;
    (builder.sink.document, tags.into_inner(), is_quirky)
}

/// The tree builder, with a look at the tokens that it gets.
struct Counting {
    builder: TreeBuilder<Handle, RcDom>,
    tags: RefCell<HashMap<Place, usize>>,
}

impl TokenSink for Counting {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if let Token::TagToken(tag) = &token
            && tag.kind == TagKind::StartTag
            && FORMATTING.contains(&&*tag.name)
        {
            for attribute in &tag.attrs {
                *self.tags.borrow_mut().entry(place(&tag.name, attribute)).or_default() += 1;
            }
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}
