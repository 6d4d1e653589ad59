//! Finding the base and the links in html5ever's tree, and changing them there.

use std::borrow::Cow;
use std::collections::HashMap;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};
use markup5ever_rcdom::{Handle, NodeData};

use super::parse::Tree;
use crate::attributes::Namespace;
use crate::error::Error;
use crate::link::{Document, Element, Run, ValueEdit};

/// Where an element stands, as far as a base is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Head,
    Template,
    Elsewhere,
}

/// The `href` of the first `base` element that has one, in the head.
pub(super) fn base_href(tree: &Tree) -> Option<String> {
    let mut found = None;
    each_element(tree, |node, name, scope| {
        let is_base = name.ns == ns!(html) && name.local == local_name!("base");
        if found.is_none() && is_base && scope == Scope::Head {
            found = value(node, "href").map(|href| href.to_string());
        }
    });
    found
}

/// Decides on every link, and changes the tree as decided.
pub(super) fn decide(tree: &Tree, document: &Document, run: &mut Run<'_>) -> Result<(), Error> {
    let mut clones = Vec::new();
    let mut decided = HashMap::new();
    let mut result = Ok(());
    each_element(tree, |node, name, _| {
        if tree.is_clone(node) {
            clones.push(node.clone());
        } else if result.is_ok() {
            result = element(node, name, document, run, |name, old, new| {
                if tree.has_clones() {
                    decided.insert((qualified(name).into_owned(), old.to_string()), new.clone());
                }
            });
        }
    });
    result?;
    // A clone has the attributes of the element that it was made from, and so its links.
    for clone in clones {
        let NodeData::Element { attrs, .. } = &clone.data else { continue };
        for Attribute { name, value } in attrs.borrow_mut().iter_mut() {
            if let Some(new) = decided.get(&(qualified(name).into_owned(), value.to_string())) {
                *value = new.clone();
            }
        }
    }
    Ok(())
}

/// Calls `visit` with every element in tree order, the contents of templates
/// included, without recursion.
fn each_element(tree: &Tree, mut visit: impl FnMut(&Handle, &QualName, Scope)) {
    let mut work = vec![(tree.document.clone(), Scope::Elsewhere)];
    while let Some((node, scope)) = work.pop() {
        let mut inner = scope;
        if let NodeData::Element { name, template_contents, .. } = &node.data {
            visit(&node, name, scope);
            if name.ns == ns!(html) && name.local == local_name!("head") {
                inner = Scope::Head;
            }
            if let Some(contents) = &*template_contents.borrow() {
                work.push((contents.clone(), Scope::Template));
            }
        }
        let inner = if scope == Scope::Template { scope } else { inner };
        work.extend(node.children.borrow().iter().rev().map(|child| (child.clone(), inner)));
    }
}

/// Decides on the links of one element; `changed` learns each attribute that
/// changes, with its old and its new value.
fn element(
    node: &Handle,
    name: &QualName,
    document: &Document,
    run: &mut Run<'_>,
    mut changed: impl FnMut(&QualName, &StrTendril, &StrTendril),
) -> Result<(), Error> {
    let NodeData::Element { attrs, .. } = &node.data else {
        return Ok(());
    };
    let lower_case = str::to_ascii_lowercase(&name.local);
    let sibling = |name: &str| value(node, name).map(|value| Cow::Owned(value.to_string()));
    let element = Element { name: &lower_case, namespace: namespace(name), attribute: &sibling };
    let count = attrs.borrow().len();
    for index in 0..count {
        // The decision function must not find the attributes borrowed.
        let Attribute { name, value } = attrs.borrow()[index].clone();
        let attribute = qualified(&name);
        let Some(row) = element.row(&attribute) else { continue };
        let edits = run.value(document, &element, &attribute, row, &value, &|_| None)?;
        if !edits.is_empty() {
            let new = StrTendril::from(edited(&value, &edits));
            changed(&name, &value, &new);
            attrs.borrow_mut()[index].value = new;
        }
    }
    Ok(())
}

fn edited(value: &str, edits: &[ValueEdit]) -> String {
    let mut out = String::with_capacity(value.len());
    let mut from = 0;
    for edit in edits {
        out.push_str(&value[from..edit.span.start]);
        out.push_str(&edit.text);
        from = edit.span.end;
    }
    out + &value[from..]
}

/// The value of the attribute of this name, which has no prefix.
fn value(node: &Handle, name: &str) -> Option<StrTendril> {
    let NodeData::Element { attrs, .. } = &node.data else {
        return None;
    };
    let attrs = attrs.borrow();
    let found = attrs.iter().find(|attribute| qualified(&attribute.name) == name)?;
    Some(found.value.clone())
}

/// The attribute's name in lower case, with its prefix.
fn qualified(name: &QualName) -> Cow<'_, str> {
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

fn namespace(name: &QualName) -> Namespace {
    match name.ns {
        ns!(svg) => Namespace::Svg,
        ns!(mathml) => Namespace::MathMl,
        _ => Namespace::Html,
    }
}
