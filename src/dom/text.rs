//! The text of a document as a reader sees it.

use markup5ever_rcdom::{Handle, NodeData};

use super::parse::Tree;

/// Elements that are a part of a line.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "dfn", "em", "font", "i", "kbd",
    "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var",
];

/// Elements whose content nobody sees.
const HIDDEN: &[&str] = &["head", "script", "style", "template", "noscript"];

enum Step {
    Node(Handle),
    Space,
}

/// The text of a document, with a space where an element begins or ends that is not part
/// of a line; scripts, styles and templates not included.
pub(super) fn text(tree: &Tree) -> String {
    let mut text = String::new();
    let mut work = vec![Step::Node(tree.document.clone())];
    while let Some(step) = work.pop() {
        let Step::Node(node) = step else {
            text.push(' ');
            continue;
        };
        match &node.data {
            NodeData::Text { contents } => text.push_str(&contents.borrow()),
            NodeData::Element { name, .. } if HIDDEN.contains(&&*name.local) => continue,
            NodeData::Element { name, .. } if !INLINE.contains(&&*name.local) => {
                text.push(' ');
                work.push(Step::Space);
            }
            _ => {}
        }
        work.extend(node.children.borrow().iter().rev().map(|child| Step::Node(child.clone())));
    }
    text
}
