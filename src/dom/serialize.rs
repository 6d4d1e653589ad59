//! Writes html5ever's tree as text: the [fragment serialization][spec] of the HTML Standard, and
//! the parts that the Standard's algorithm loses.
//!
//! These parts are the contents of templates, the public and system identifiers of the doctype, a
//! line feed at the start of `pre`, `textarea` and `listing` (a parser drops the first), and
//! carriage returns (a parser would turn them into line feeds). After `plaintext`, which has no
//! end, no element is closed.
//!
//! [spec]: https://html.spec.whatwg.org/multipage/parsing.html#serialising-html-fragments

use html5ever::interface::QuirksMode;
use html5ever::{LocalName, QualName, local_name, ns};
use markup5ever_rcdom::{Handle, NodeData};

use super::parse::DomTree;

/// Writes the tree of this source, without recursion.
///
/// An XML declaration at the start is a comment in the tree. As it can declare the encoding, it is
/// written unchanged.
pub(super) fn serialize(tree: &DomTree, source: &str) -> String {
    let quirks_mode = tree.quirks_mode;
    let mut html = HtmlWriter { out: String::new(), is_in_plaintext: false, quirks_mode };
    let mut stack = Vec::new();
    push_children(&mut stack, &tree.document, None);
    while let Some(write) = stack.pop() {
        match write {
            Pending::EndTag(name) => html.write_end_tag(&name),
            Pending::Node(node, parent) => match &node.data {
                NodeData::Element { name, template_contents, .. } => {
                    html.write_start_tag(&node);
                    if is_void(name) {
                        continue;
                    }
                    stack.push(Pending::EndTag(name.clone()));
                    // Only scripts can add children to a template besides its contents.
                    match &*template_contents.borrow() {
                        Some(contents) => push_children(&mut stack, contents, None),
                        None => push_children(&mut stack, &node, find_html_name(name).as_ref()),
                    }
                }
                NodeData::Text { contents } => html.write_text(&contents.borrow(), parent.as_ref()),
                NodeData::Comment { contents }
                    if html.out.is_empty() && source.starts_with("<?x") =>
                {
                    html.write_parts("<", contents, ">");
                }
                NodeData::Comment { contents } => html.write_parts("<!--", contents, "-->"),
                NodeData::Doctype { name, public_id, system_id } => {
                    html.write_doctype(name, public_id, system_id);
                }
                NodeData::ProcessingInstruction { contents, .. } => {
                    html.write_parts("<?", contents, ">");
                }
                NodeData::Document => {}
            },
        }
    }
    html.out
}

/// A part of the tree that is not written yet.
enum Pending {
    /// A node with its children, and the name of the HTML element around it.
    Node(Handle, Option<LocalName>),
    EndTag(QualName),
}

fn push_children(stack: &mut Vec<Pending>, node: &Handle, name: Option<&LocalName>) {
    let children = node.children.borrow();
    stack.extend(children.iter().rev().map(|child| Pending::Node(child.clone(), name.cloned())));
}

fn find_html_name(name: &QualName) -> Option<LocalName> {
    (name.ns == ns!(html)).then(|| name.local.clone())
}

/// Whether an element has no end tag: the [void][void] elements, and others that the Standard's
/// algorithm treats like them.
///
/// [void]: https://html.spec.whatwg.org/multipage/syntax.html#void-elements
fn is_void(name: &QualName) -> bool {
    const NAMES: [&str; 18] = [
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
        "keygen", "link", "meta", "param", "source", "track", "wbr",
    ];
    name.ns == ns!(html) && NAMES.contains(&&*name.local)
}

/// Whether the text of the element is raw in a browser that runs scripts.
fn is_raw_text(name: &LocalName) -> bool {
    const NAMES: [&str; 8] =
        ["style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext", "noscript"];
    NAMES.contains(&&**name)
}

struct HtmlWriter {
    out: String,
    /// Whether a `plaintext` element has begun, in which all text is raw up to the end.
    is_in_plaintext: bool,
    quirks_mode: QuirksMode,
}

impl HtmlWriter {
    fn write_parts(&mut self, before: &str, text: &str, after: &str) {
        self.out.extend([before, text, after]);
    }

    fn write_start_tag(&mut self, node: &Handle) {
        let NodeData::Element { name, attrs, .. } = &node.data else { return };
        self.out.push('<');
        self.out.push_str(&name.local);
        for attribute in attrs.borrow().iter() {
            self.out.push(' ');
            if let Some(prefix) = &attribute.name.prefix
                && !prefix.is_empty()
            {
                self.out.extend([&**prefix, ":"]);
            }
            self.write_parts(&attribute.name.local, "", "=\"");
            self.write_escaped(&attribute.value, EscapeContext::Attribute);
            self.out.push('"');
        }
        self.out.push('>');
        let Some(name) = find_html_name(name) else { return };
        self.is_in_plaintext |= name == local_name!("plaintext");
        let drops_line_feed = ["pre", "textarea", "listing"].contains(&&*name);
        if drops_line_feed && begins_with_line_feed(node) {
            self.out.push('\n');
        }
    }

    fn write_end_tag(&mut self, name: &QualName) {
        if !self.is_in_plaintext {
            self.write_parts("</", &name.local, ">");
        }
    }

    fn write_text(&mut self, text: &str, parent: Option<&LocalName>) {
        if self.is_in_plaintext || parent.is_some_and(is_raw_text) {
            self.out.push_str(text);
        } else {
            self.write_escaped(text, EscapeContext::Text);
        }
    }

    fn write_doctype(&mut self, name: &str, public: &str, system: &str) {
        self.write_parts("<!DOCTYPE ", name, "");
        if !public.is_empty() {
            self.write_identifier(" PUBLIC ", public);
        } else if self.quirks_mode == QuirksMode::Quirks && name == "html" && system.is_empty() {
            // The tree does not record the error that set quirks mode. A keyword without identifier
            // sets it again.
            self.out.push_str(" PUBLIC");
        }
        if !system.is_empty() {
            self.write_identifier(if public.is_empty() { " SYSTEM " } else { " " }, system);
        }
        self.out.push('>');
    }

    /// Writes an identifier in the kind of quotes that it does not contain; it never contains both.
    fn write_identifier(&mut self, keyword: &str, identifier: &str) {
        let quote = if identifier.contains('"') { "'" } else { "\"" };
        self.out.push_str(keyword);
        self.write_parts(quote, identifier, quote);
    }

    fn write_escaped(&mut self, text: &str, context: EscapeContext) {
        let mut rest = text;
        while let Some(at) = rest.find(['&', '\u{a0}', '<', '>', '"', '\r']) {
            let special = rest[at..].chars().next().unwrap_or_default();
            self.out.push_str(&rest[..at]);
            match special {
                '&' => self.out.push_str("&amp;"),
                '\u{a0}' => self.out.push_str("&nbsp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '\r' => self.out.push_str("&#13;"),
                '"' if context == EscapeContext::Attribute => self.out.push_str("&quot;"),
                other => self.out.push(other),
            }
            rest = &rest[at + special.len_utf8()..];
        }
        self.out.push_str(rest);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EscapeContext {
    Attribute,
    Text,
}

fn begins_with_line_feed(node: &Handle) -> bool {
    node.children.borrow().first().is_some_and(|first| match &first.data {
        NodeData::Text { contents } => contents.borrow().starts_with('\n'),
        _ => false,
    })
}
