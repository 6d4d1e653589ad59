//! Whether a document that is written out is read as the tree that it was written from.
//!
//! Some trees cannot be written as HTML: foster parenting and the rules for SVG and MathML
//! make elements are where their tags, in the order of the tree, would not put them.
//! Sanitizers know this as mutation XSS: markup that is inert in the source becomes
//! active in the output. So the written document is parsed, and its tree is compared.
//!
//! html5ever's reading is that of a browser: [`parse`] fails elsewhere.
//!
//! A browser that runs scripts reads the content of `noscript` as text. Where there is such
//! an element, the source and the written document are also compared as that browser reads
//! them.

use html5ever::{local_name, ns};
use markup5ever_rcdom::{Handle, NodeData};

use super::elements::remove_bases;
use super::guarded::parse;
use super::parse::{Scripting, Tree};
use super::refusal::tree_changed;
use crate::error::Error;
use crate::link::{BaseElement, Settings};

/// What of two trees has to be the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// Every node, attribute and value.
    All,
    /// Elements, the names of their attributes, and text: what a change of links and the
    /// content of `noscript` leave as they are.
    Shape,
}

/// Fails unless `written` is read as `tree`, which was parsed from `source` and changed since.
pub(super) fn check(
    tree: &Tree,
    source: &str,
    written: &str,
    settings: &Settings,
) -> Result<(), Error> {
    let read = parse(written, settings, Scripting::Off)?;
    if let Some(element) = difference(tree, &read, Compared::All) {
        return Err(tree_changed(&element, "parser"));
    }
    drop(read);
    if !tree.has_noscript() {
        return Ok(());
    }
    let source = parse(source, settings, Scripting::On)?;
    let written = parse(written, settings, Scripting::On)?;
    if settings.base_element() == BaseElement::Remove {
        // What is left of those in a `noscript` is text.
        remove_bases(&source);
        remove_bases(&written);
    }
    match difference(&source, &written, Compared::Shape) {
        Some(element) => Err(tree_changed(&element, "browser that runs scripts")),
        None => Ok(()),
    }
}

/// The name of an element whose attributes or children differ.
fn difference(left: &Tree, right: &Tree, compared: Compared) -> Option<String> {
    if left.quirks_mode != right.quirks_mode {
        return Some("!DOCTYPE".to_owned());
    }
    let mut work = vec![(left.document.clone(), right.document.clone())];
    while let Some((left, right)) = work.pop() {
        if !is_same(&left, &right, compared)
            || !compare_children(&left, &right, compared, &mut work)
        {
            return Some(name_of(&left));
        }
    }
    None
}

/// Whether two nodes are alike, apart from what is in them.
fn is_same(left: &Handle, right: &Handle, compared: Compared) -> bool {
    match (&left.data, &right.data) {
        (NodeData::Document, NodeData::Document) => true,
        (
            NodeData::Doctype { name, public_id, system_id },
            NodeData::Doctype { name: other, public_id: other_public, system_id: other_system },
        ) => (name, public_id, system_id) == (other, other_public, other_system),
        (NodeData::Comment { contents }, NodeData::Comment { contents: other }) => {
            compared == Compared::Shape || contents == other
        }
        (
            NodeData::Element { name, attrs, .. },
            NodeData::Element { name: other, attrs: other_attrs, .. },
        ) => {
            let (attrs, other_attrs) = (attrs.borrow(), other_attrs.borrow());
            name == other
                && attrs.len() == other_attrs.len()
                && attrs.iter().zip(&*other_attrs).all(|(one, other)| {
                    one.name == other.name
                        && (compared == Compared::Shape || one.value == other.value)
                })
        }
        _ => false,
    }
}

/// Compares the text in two nodes, and leaves their other children in pairs to be compared;
/// `false` where there is no pair for one.
fn compare_children(
    left: &Handle,
    right: &Handle,
    compared: Compared,
    work: &mut Vec<(Handle, Handle)>,
) -> bool {
    let (left_parent, right_parent) = (contents_of(left), contents_of(right));
    let (left_children, right_children) =
        (left_parent.children.borrow(), right_parent.children.borrow());
    let (mut left_rest, mut right_rest) = (&left_children[..], &right_children[..]);
    let skips_text = compared == Compared::Shape && has_own_text(left);
    loop {
        let (text, left_nodes) = split_text(left_rest);
        let (other_text, right_nodes) = split_text(right_rest);
        if !skips_text && text != other_text {
            return false;
        }
        match (left_nodes.split_first(), right_nodes.split_first()) {
            (None, None) => return true,
            (Some((left, rest)), Some((right, other))) => {
                work.push((left.clone(), right.clone()));
                (left_rest, right_rest) = (rest, other);
            }
            _ => return false,
        }
    }
}

/// What holds the children of a node: of a template, its contents.
fn contents_of(node: &Handle) -> Handle {
    match &node.data {
        NodeData::Element { template_contents, .. } => {
            template_contents.borrow().clone().unwrap_or_else(|| node.clone())
        }
        _ => node.clone(),
    }
}

/// Whether the text of an element changes with its links, or with how it is written.
fn has_own_text(node: &Handle) -> bool {
    match &node.data {
        NodeData::Element { name, .. } => {
            matches!(name.local, local_name!("style"))
                || (name.ns == ns!(html) && name.local == local_name!("noscript"))
        }
        _ => false,
    }
}

/// The text that nodes begin with, and the others. The tree builder may make several nodes of
/// one piece of text, which makes no difference.
fn split_text(nodes: &[Handle]) -> (String, &[Handle]) {
    let mut text = String::new();
    for (index, node) in nodes.iter().enumerate() {
        match &node.data {
            NodeData::Text { contents } => text.push_str(&contents.borrow()),
            _ => return (text, &nodes[index..]),
        }
    }
    (text, &[])
}

fn name_of(node: &Handle) -> String {
    match &node.data {
        NodeData::Element { name, .. } => name.local.to_string(),
        NodeData::Doctype { .. } => "!DOCTYPE".to_owned(),
        NodeData::Comment { .. } => "!--".to_owned(),
        _ => "html".to_owned(),
    }
}
