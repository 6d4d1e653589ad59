//! The elements of html5ever's tree: their attributes, and those named `base`.

use std::borrow::Cow;
use std::rc::Rc;

use html5ever::tendril::StrTendril;
use html5ever::{QualName, local_name, ns};
use markup5ever_rcdom::{Handle, NodeData};

use super::parse::Tree;
use crate::link::{AnchorText, HIDDEN, MARKERS};

/// The context of an element.
#[derive(Clone, Copy, Default)]
pub(super) struct Scope {
    pub(super) is_template: bool,
    /// Whether the element, or one around it, has a marker.
    ///
    /// NOTE: nodes that the tree builder moves out of that element, such as the text between the
    /// rows of a table, count as outside of it here, and as inside in the other engine.
    pub(super) is_ignored: bool,
}

/// Removes the `base` elements that have an `href`, or only the `href` if one has a `target`. Those
/// in templates never count, and stay. Returns whether any was removed.
pub(super) fn remove_bases(tree: &Tree) -> bool {
    let mut bases = Vec::new();
    each_element(tree, |node, name, scope| {
        if is_base(name) && !scope.is_template && value(node, "href").is_some() {
            bases.push(node.clone());
        }
    });
    let is_changed = !bases.is_empty();
    for base in bases {
        let NodeData::Element { attrs, .. } = &base.data else { continue };
        if value(&base, "target").is_some() {
            attrs.borrow_mut().retain(|attribute| qualified(&attribute.name) != "href");
            continue;
        }
        let parent = base.parent.take();
        if let Some(parent) = parent.and_then(|parent| parent.upgrade()) {
            parent.children.borrow_mut().retain(|child| !Rc::ptr_eq(child, &base));
        }
    }
    is_changed
}

pub(super) fn is_base(name: &QualName) -> bool {
    name.ns == ns!(html) && name.local == local_name!("base")
}

/// Calls `visit` for every element in tree order, including the contents of templates, without
/// recursion.
pub(super) fn each_element(tree: &Tree, mut visit: impl FnMut(&Handle, &QualName, Scope)) {
    let mut work = vec![(tree.document.clone(), Scope::default())];
    while let Some((node, mut scope)) = work.pop() {
        if let NodeData::Element { name, template_contents, .. } = &node.data {
            scope.is_ignored |= value(&node, MARKERS[0]).is_some() && !tree.is_clone(&node);
            visit(&node, name, scope);
            if let Some(contents) = &*template_contents.borrow() {
                work.push((contents.clone(), Scope { is_template: true, ..scope }));
            }
        }
        work.extend(node.children.borrow().iter().rev().map(|child| (child.clone(), scope)));
    }
}

/// The value of the attribute with this name and without prefix.
pub(super) fn value(node: &Handle, name: &str) -> Option<StrTendril> {
    let NodeData::Element { attrs, .. } = &node.data else {
        return None;
    };
    let attrs = attrs.borrow();
    let found = attrs.iter().find(|attribute| qualified(&attribute.name) == name)?;
    Some(found.value.clone())
}

/// The text of an `a` element, up to the next `a`.
pub(super) fn anchor_text(node: &Handle) -> String {
    let mut text = AnchorText::default();
    let mut work = vec![node.clone()];
    while let Some(next) = work.pop().filter(|_| !text.is_full()) {
        if let NodeData::Text { contents } = &next.data {
            text.push(&contents.borrow());
        }
        if let NodeData::Element { name, .. } = &next.data
            && !Rc::ptr_eq(&next, node)
        {
            match &*name.local {
                "a" => break,
                "img" => text.push_word(value(&next, "alt").as_deref().unwrap_or_default()),
                name if HIDDEN.contains(&name) => continue,
                _ => {}
            }
        }
        work.extend(next.children.borrow().iter().rev().cloned());
    }
    text.finish()
}

/// The name of an attribute in lower case, with its prefix.
pub(super) fn qualified(name: &QualName) -> Cow<'_, str> {
    match &name.prefix {
        Some(prefix) if !prefix.is_empty() => {
            Cow::Owned(format!("{prefix}:{}", str::to_ascii_lowercase(&name.local)))
        }
        _ if name.local.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            Cow::Owned(str::to_ascii_lowercase(&name.local))
        }
        _ => Cow::Borrowed(&name.local),
    }
}
