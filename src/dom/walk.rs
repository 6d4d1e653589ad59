//! Finding the base and the links in html5ever's tree, and changing them there.

use std::collections::HashMap;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName};
use markup5ever_rcdom::{Handle, NodeData};

use super::elements::{anchor_text, each_element, namespace, qualified, remove_bases, value};
use super::guarded::parse;
use super::parse::{Scripting, Tree};
use super::serialize::serialize;
use super::verify;
use crate::attributes::{self, Namespace, Rule, Spot};
use crate::base::BaseHref;
use crate::edit::Edits;
use crate::encoding::mark_of_text;
use crate::error::Error;
use crate::grammar::Grammar;
use crate::link::{self, Details, Document, JsonScript, LinkPass, Siblings, Site};
use crate::splice;

/// Decides on every link, changes the tree, and says whether anything changed.
pub(super) fn decide(
    tree: &Tree,
    document: &Document,
    pass: &mut LinkPass<'_>,
) -> Result<bool, Error> {
    let mut is_changed = decide_elements(tree, document, pass)?;
    if document.removes_bases(pass.settings) {
        is_changed |= remove_bases(tree);
    }
    Ok(is_changed)
}

/// Decides on the links of a document inside a value; its new text, if it
/// changes.
///
/// It calls itself for the documents inside that one, as deep as the limit on
/// `srcdoc` nesting allows.
fn nested(text: &str, outer: &Document, pass: &mut LinkPass<'_>) -> Result<Option<String>, Error> {
    let (mark, text) = text.split_at(mark_of_text(text));
    let tree = parse(text, pass.settings, Scripting::Off)?;
    let href = splice::base_href_in(text, pass.settings).and_then(BaseHref::own);
    let document = outer.nested(href.as_deref(), None, pass.settings)?;
    if !decide(&tree, &document, pass)? {
        return Ok(None);
    }
    let written = serialize(&tree, text);
    verify::check(&tree, text, &written, pass.settings)?;
    Ok(Some(format!("{mark}{written}")))
}

/// Decides on the links of every element.
fn decide_elements(
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
    let sibling = |name: &str| match name {
        attributes::TEXT => (lower_case == "a").then(|| anchor_text(node)),
        _ => value(node, name).map(|value| value.to_string()),
    };
    let find =
        |attribute: &str| pass.settings.selection.find(&lower_case, namespace, attribute, sibling);
    let details = Details::default();
    let siblings = Siblings::new(&sibling, &details);
    let spots: Vec<_> = (0..attrs.borrow().len())
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
            nested(&value, document, pass)?
        } else {
            let site = Site {
                element: &lower_case,
                namespace,
                attribute: &attribute,
                spot,
                codebase: codebase(spot),
                siblings,
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
        let site =
            Site { element: &lower_case, namespace, attribute, spot, codebase: None, siblings };
        change_text(node, |text| edits(text, document, &site, pass))?;
    }
    let language = || JsonScript::of_type(&sibling("type")?).filter(|_| sibling("src").is_none());
    if lower_case == "script"
        && namespace == Namespace::Html
        && let Some(language) = language()
    {
        change_text(node, |text| {
            let mut edits = Edits::new(pass.max_output, None);
            link::script(language, text, document, pass, &|_| None, &mut |edit| edits.push(edit))?;
            Ok(edits)
        })?;
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

/// Changes the text of an element, which may be in several nodes: an edit goes where it begins, and
/// takes its part from the rest.
fn change_text(
    node: &Handle,
    edits: impl FnOnce(&str) -> Result<Edits, Error>,
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
    let edits = edits(&whole)?;
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
