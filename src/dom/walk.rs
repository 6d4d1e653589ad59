//! Finding the base and the links in html5ever's tree, and changing them there.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};
use markup5ever_rcdom::{Handle, Node, NodeData};

use super::parse::Tree;
use crate::attributes::{self, Namespace, Rule, Spot};
use crate::edit::Edits;
use crate::error::Error;
use crate::grammar::Grammar;
use crate::link::{BaseScope, Document, LinkPass, Siblings, Site};
use crate::scan::Interest;
use crate::splice;

/// Where an element stands, as far as a base is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Head,
    Template,
    Elsewhere,
}

/// The `href` of the first `base` element that has one, where it counts.
pub(super) fn base_href(tree: &Tree, counts: BaseScope) -> Option<String> {
    let mut found = None;
    each_element(tree, |node, name, scope| {
        let is_in_scope =
            scope == Scope::Head || (counts == BaseScope::Document && scope == Scope::Elsewhere);
        if found.is_none() && is_base(name) && is_in_scope {
            found = value(node, "href").map(|href| href.to_string());
        }
    });
    found
}

/// Takes the `base` elements out that have an `href`; one that has a `target`
/// loses its `href` alone. Says whether there was one.
pub(super) fn remove_bases(tree: &Tree) -> bool {
    let mut bases = Vec::new();
    each_element(tree, |node, name, _| {
        if is_base(name) && value(node, "href").is_some() {
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

fn is_base(name: &QualName) -> bool {
    name.ns == ns!(html) && name.local == local_name!("base")
}

/// Decides on every link, changes the tree as decided, and says whether anything
/// changed.
pub(super) fn decide(
    tree: &Tree,
    document: &Document,
    pass: &mut LinkPass<'_>,
) -> Result<bool, Error> {
    let mut clones = Vec::new();
    let mut decided = HashMap::new();
    let mut result = Ok(());
    let mut is_changed = false;
    each_element(tree, |node, name, _| {
        if tree.is_clone(node) {
            clones.push(node.clone());
        } else if result.is_ok() {
            let element_name = &name.local;
            result = element(node, name, document, pass, |name, old, new| {
                is_changed = true;
                if tree.has_clones() {
                    let key =
                        (element_name.to_string(), qualified(name).into_owned(), old.to_string());
                    decided.insert(key, new.clone());
                }
            });
        }
    });
    result?;
    // A clone has the attributes of the element that it was made from, and so its links.
    for clone in clones {
        let NodeData::Element { name: element_name, attrs, .. } = &clone.data else { continue };
        for Attribute { name, value } in attrs.borrow_mut().iter_mut() {
            let key =
                (element_name.local.to_string(), qualified(name).into_owned(), value.to_string());
            if let Some(new) = decided.get(&key) {
                *value = new.clone();
            }
        }
    }
    Ok(is_changed)
}

/// Decides on the links in conditional comments, and says whether anything
/// changed.
pub(super) fn decide_comments(
    tree: &Tree,
    document: &Document,
    pass: &mut LinkPass<'_>,
) -> Result<bool, Error> {
    let interest = Interest::new(&pass.settings.selection);
    let mut is_changed = false;
    let mut work = vec![tree.document.clone()];
    while let Some(node) = work.pop() {
        if let NodeData::Element { template_contents, .. } = &node.data {
            work.extend(template_contents.borrow().clone());
        }
        for child in node.children.borrow_mut().iter_mut() {
            if let NodeData::Comment { contents } = &child.data
                && let Some(text) = splice::comment(contents, document, pass, &interest)?
            {
                *child = Node::new(NodeData::Comment { contents: StrTendril::from(text) });
                is_changed = true;
            }
            work.push(child.clone());
        }
    }
    Ok(is_changed)
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
    pass: &mut LinkPass<'_>,
    mut changed: impl FnMut(&QualName, &StrTendril, &StrTendril),
) -> Result<(), Error> {
    let NodeData::Element { attrs, .. } = &node.data else {
        return Ok(());
    };
    let lower_case = str::to_ascii_lowercase(&name.local);
    let namespace = namespace(name);
    let sibling = |name: &str| value(node, name).map(|value| value.to_string());
    let find =
        |attribute: &str| pass.settings.selection.find(&lower_case, namespace, attribute, sibling);
    let count = attrs.borrow().len();
    let spots: Vec<_> = (0..count)
        .filter_map(|index| Some((index, find(&qualified(&attrs.borrow()[index].name))?)))
        .collect();
    let text = find(attributes::TEXT)
        .filter(|_| attributes::is_css(namespace, sibling("type").as_deref()));
    let codebase =
        |spot: Spot| (spot.rule == Rule::Codebase).then(|| sibling("codebase")).flatten();
    for (index, spot) in spots {
        // The decision function must not find the attributes borrowed.
        let Attribute { name, value } = attrs.borrow()[index].clone();
        let attribute = qualified(&name);
        let new = if spot.grammar == Grammar::Html {
            super::nested(&value, document, pass)?
        } else {
            let site = Site {
                element: &lower_case,
                attribute: &attribute,
                spot,
                codebase: codebase(spot),
                siblings: Siblings(&sibling),
            };
            let edits = edits(&value, document, &site, pass)?;
            (!edits.is_empty()).then(|| edits.apply(&value))
        };
        if let Some(new) = new.map(StrTendril::from) {
            changed(&name, &value, &new);
            attrs.borrow_mut()[index].value = new;
        }
    }
    if let Some(spot) = text {
        let attribute = attributes::TEXT;
        let siblings = Siblings(&sibling);
        let site = Site { element: &lower_case, attribute, spot, codebase: None, siblings };
        style_text(node, document, &site, pass)?;
    }
    Ok(())
}

/// Decides on every reference in a value; what changes in it.
fn edits(
    value: &str,
    document: &Document,
    site: &Site<'_>,
    pass: &mut LinkPass<'_>,
) -> Result<Edits, Error> {
    let mut edits = Edits::new(pass.max_output, None);
    pass.value(document, site, value, &|_| None, &mut |edit| edits.push(edit))?;
    Ok(edits)
}

/// Decides on the references in the text of a `style` element, which may stand in
/// several nodes: an edit goes where it begins, and takes its part from the rest.
fn style_text(
    node: &Handle,
    document: &Document,
    site: &Site<'_>,
    pass: &mut LinkPass<'_>,
) -> Result<(), Error> {
    let children = node.children.borrow().clone();
    let texts: Vec<_> = children
        .iter()
        .filter_map(|child| match &child.data {
            NodeData::Text { contents } => Some(contents),
            _ => None,
        })
        .collect();
    let whole: String = texts.iter().map(|text| text.borrow().to_string()).collect();
    let edits = edits(&whole, document, site, pass)?;
    if edits.is_empty() {
        return Ok(());
    }
    let mut edits = edits.iter().peekable();
    let mut start = 0;
    for text in texts {
        let end = start + text.borrow().len();
        let mut new = String::new();
        let mut from = start;
        while let Some(edit) = edits.peek().filter(|edit| edit.span.start < end) {
            if edit.span.start >= from {
                new.push_str(&whole[from..edit.span.start]);
                new.push_str(edit.text);
            }
            from = edit.span.end.clamp(from, end);
            if edit.span.end > end {
                break;
            }
            edits.next();
        }
        new.push_str(&whole[from..end]);
        *text.borrow_mut() = StrTendril::from(new);
        start = end;
    }
    Ok(())
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
