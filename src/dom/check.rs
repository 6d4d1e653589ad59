//! Checks that browsers read the output of the DOM engine as its tree.
//!
//! Some trees cannot be written as HTML: foster parenting and the rules for SVG and MathML create
//! elements where their tags, in the order of the tree, would not put them. Sanitizers know this as
//! mutation XSS: markup that is inert in the source becomes active in the output. So the output is
//! parsed, and the trees are compared.

use html5ever::Attribute;
use markup5ever_rcdom::NodeData;

use super::parse::{Tree, parse};
use super::reading::differs;
use crate::error::Error;
use crate::link::Settings;

/// Fails unless parsing `written` results in `tree`.
pub(super) fn check(tree: &Tree, written: &str, settings: &Settings) -> Result<(), Error> {
    compare(tree, &parse(written, &settings.limits)?)
}

fn compare(expected: &Tree, found: &Tree) -> Result<(), Error> {
    let (expected, found) = (flatten(expected), flatten(found));
    if expected == found {
        return Ok(());
    }
    let same = expected.bytes().zip(found.bytes()).take_while(|(one, other)| one == other).count();
    let before = String::from_utf8_lossy(&expected.as_bytes()[..same]);
    let element = before.rsplit_once("\0<").and_then(|(_, element)| element.split('\0').next());
    Err(differs(element.unwrap_or("html")))
}

/// Concatenates all nodes of a tree. A NUL, which no text of a parser contains, begins and ends
/// each.
fn flatten(tree: &Tree) -> String {
    let mut text = format!("{:?}", tree.quirks_mode);
    let mut work = vec![Some(tree.document.clone())];
    while let Some(step) = work.pop() {
        let Some(node) = step else {
            text.push_str("\0/");
            continue;
        };
        let mut parent = node.clone();
        match &node.data {
            NodeData::Text { contents } => {
                // The tree builder may split a text into several nodes.
                text.push_str(&contents.borrow());
                continue;
            }
            NodeData::Element { name, attrs, template_contents, .. } => {
                text.extend(["\0<", &name.local, "\0", &name.ns]);
                for Attribute { name, value } in attrs.borrow().iter() {
                    let prefix = name.prefix.as_deref().unwrap_or_default();
                    text.extend(["\0 ", prefix, ":", &name.local, "\0", value]);
                }
                text.push_str("\0>");
                parent = template_contents.borrow().clone().unwrap_or(parent);
            }
            NodeData::Doctype { name, public_id, system_id } => {
                text.extend(["\0!", name, "\0", public_id, "\0", system_id]);
            }
            NodeData::Comment { contents } | NodeData::ProcessingInstruction { contents, .. } => {
                text.extend(["\0-", contents]);
            }
            NodeData::Document => {}
        }
        work.push(None);
        work.extend(parent.children.borrow().iter().rev().cloned().map(Some));
    }
    text
}
