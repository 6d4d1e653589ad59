//! Finds the base and the links in html5ever's tree, and changes them there.

use std::cell::OnceCell;
use std::collections::HashMap;

use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName};
use markup5ever_rcdom::{Handle, NodeData};

use super::check::check;
use super::elements::{anchor_text, each_element, is_base, qualified, remove_bases, value};
use super::parse::{Tree, parse};
use super::serialize::serialize;
use super::sink::namespace;
use crate::attributes::{self, Namespace, Rule, Spot};
use crate::base::BaseHref;
use crate::edit::Edits;
use crate::encoding::mark_of_text;
use crate::error::Error;
use crate::grammar::Grammar;
use crate::link::{self, Details, Document, JsonScript, LinkPass, Siblings, Site};
use crate::scan::Interest;
use crate::splice;

/// Decides on every link, changes the tree, and returns whether anything changed.
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

/// Decides on the links of a nested document; returns its new text if it changes.
///
/// Recurses into the documents nested in that one, up to the limit on `srcdoc` nesting.
fn nested(text: &str, outer: &Document, pass: &mut LinkPass<'_>) -> Result<Option<String>, Error> {
    let (mark, text) = text.split_at(mark_of_text(text));
    let tree = parse(text, &pass.settings.limits)?;
    let href = splice::base_href_in(text, pass.settings).and_then(BaseHref::into_counted);
    let document = outer.nested(href.as_deref(), None, pass.settings)?;
    if !decide(&tree, &document, pass)? {
        return Ok(None);
    }
    let written = serialize(&tree, text);
    check(&tree, &written, pass.settings)?;
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
    let interest = OnceCell::new();
    let mut is_before_base = document.has_own_base();
    let outer = pass.is_ignored;
    each_element(tree, |node, name, scope| {
        let is_own = !scope.is_template;
        pass.is_ignored = outer || scope.is_ignored;
        is_before_base &= !(is_own && is_base(name) && value(node, "href").is_some());
        pass.is_before_base = is_before_base && is_own;
        if tree.is_clone(node) {
            clones.push(node.clone());
        } else if result.is_ok() {
            let element_name = &name.local;
            let text = element(node, name, document, pass, |name, old, new| {
                is_changed = true;
                if tree.has_clones() {
                    let key =
                        (element_name.to_string(), qualified(name).into_owned(), old.to_string());
                    decided.insert(key, new.clone());
                }
            });
            let text = text.and_then(|is_own| {
                let is_noscript =
                    namespace(name) == Namespace::Html && &**element_name == "noscript";
                let selection = &pass.settings.selection;
                let interest = || interest.get_or_init(|| Interest::new(selection));
                let is_quirky = tree.quirks_mode == QuirksMode::Quirks;
                let edits =
                    |text: &str| splice::noscript(text, is_quirky, document, pass, interest());
                Ok(is_own || is_noscript && change_text(node, edits)?)
            });
            match text {
                Ok(is_text) => is_changed |= is_text,
                Err(error) => result = Err(error),
            }
        }
    });
    pass.is_ignored = outer;
    result?;
    // A clone has the attributes of the original element, and so its links.
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

/// Decides on the links of an element; `changed` receives each attribute that changes, with its old
/// and its new value. Returns whether the text changed.
fn element(
    node: &Handle,
    name: &QualName,
    document: &Document,
    pass: &mut LinkPass<'_>,
    mut changed: impl FnMut(&QualName, &StrTendril, &StrTendril),
) -> Result<bool, Error> {
    let NodeData::Element { attrs, .. } = &node.data else {
        return Ok(false);
    };
    let mut is_changed = false;
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
        // The attributes must not be borrowed while the decision function runs.
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
        is_changed |= change_text(node, |text| edits(text, document, &site, pass))?;
    }
    let is_own = || !JsonScript::is_elsewhere(namespace, |name| sibling(name).is_some());
    let language = || JsonScript::from_type(&sibling("type")?).filter(|_| is_own());
    if lower_case == "script"
        && namespace != Namespace::MathMl
        && let Some(language) = language()
    {
        is_changed |= script(node, language, document, pass)?;
    }
    Ok(is_changed)
}

/// Decides on the links in the text of a script that holds JSON, and returns whether it changed.
fn script(
    node: &Handle,
    language: JsonScript,
    document: &Document,
    pass: &mut LinkPass<'_>,
) -> Result<bool, Error> {
    change_text(node, |text| {
        let mut edits = Edits::new(pass.max_output, None);
        link::decide_on_script(language, text, document, pass, &|_| None, &mut |edit| {
            edits.push(edit)
        })?;
        Ok(edits)
    })
}

/// Decides on every reference in a value; returns the edits.
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

/// Changes the text of an element, which may be in several nodes: the new text goes into the node
/// in which an edit begins, and the replaced text is removed from the nodes after it. Returns
/// whether there was an edit.
fn change_text(
    node: &Handle,
    edits: impl FnOnce(&str) -> Result<Edits, Error>,
) -> Result<bool, Error> {
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
        return Ok(false);
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
    Ok(true)
}
