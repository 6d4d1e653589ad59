//! The DOM engine: applies the decisions to html5ever's tree, and writes the tree out again.
//!
//! The engine keeps the meaning of a document, but not its bytes, and does not know the spans of
//! links. It is slower than the splice engine. html5ever does not bound the cost of a document, and
//! panics on a few documents. Therefore the engine limits the depth of the tree and the attributes
//! of a tag, and reports a panic as an error of the document. It parses its output again, and fails
//! if the tree would change.

mod parse;
mod serialize;
mod sink;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};
use markup5ever_rcdom::{Handle, NodeData};

use crate::attributes::{self, Namespace, Rule, Spot};
use crate::base::{BaseHref, BaseLayer, ResolvedBase};
use crate::edit::Edits;
use crate::encoding::{Detected, mark_of_text};
use crate::error::{Error, Limit, Limits};
use crate::grammar::Grammar;
use crate::learn;
use crate::link::{
    self, AnchorText, Details, Document, HIDDEN, JsonScript, LinkPass, MARKERS, Siblings, Site,
};
use crate::scan::Interest;
use crate::splice::{self, SpliceBuffers};
use parse::{DomTree, check_round_trip, parse};
use serialize::serialize;
use sink::namespace;

/// A document in the form that this engine reads.
pub(crate) struct Decoded<'s> {
    text: Cow<'s, str>,
    /// Whether HTML reads markup as script text, because a `script` ends with `/>` as in XML.
    pub(crate) hides_markup: bool,
}

impl<'s> Decoded<'s> {
    /// Decodes a document; returns `None` if no decoder reads its encoding.
    #[expect(clippy::unnecessary_wraps, reason = "a build without the engine has an error")]
    pub(crate) fn new(
        source: &'s [u8],
        detected: Detected,
        interest: &Interest,
        buffers: &mut SpliceBuffers,
    ) -> Result<Option<Self>, Error> {
        let decoded = (!detected.is_replacement()).then(|| {
            let text = detected.decode(source);
            let hides_markup = splice::hides_markup_in(&text, interest, buffers);
            Self { text, hides_markup }
        });
        Ok(decoded)
    }
}

/// Decides on every link of a document, and returns its base.
pub(crate) fn links(
    Decoded { text, .. }: &Decoded<'_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<ResolvedBase, Error> {
    decide_document(&parse(text, &pass.settings.limits)?, text, below, pass)
}

/// Decides on every link of a document, and returns the rewritten document and its base.
pub(crate) fn rewrite(
    source: &[u8],
    Decoded { text, .. }: &Decoded<'_>,
    detected: Detected,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<(Vec<u8>, ResolvedBase), Error> {
    let limits = &pass.settings.limits;
    let tree = parse(text, limits)?;
    let established = decide_document(&tree, text, below, pass)?;
    let serialized = serialize(&tree, text);
    let written = detected.encode(&serialized, source);
    let max = limits.max_output(source.len());
    if Limits::exceeds(max, written.len()) {
        return Err(Error::limit(Limit::Output, max, None));
    }
    // Decoding may return other characters than were encoded.
    let decoded = detected.decode(&written);
    let Err(error) = check_round_trip(&tree, &decoded, pass.settings) else {
        return Ok((written, established));
    };
    let is_encoding =
        decoded != serialized && check_round_trip(&tree, &serialized, pass.settings).is_ok();
    Err(match detected.find_lost_character(text).filter(|_| is_encoding) {
        Some(lost) => Error::tree(format!(
            "the encoding {} cannot hold U+{:04X} in a comment, script, style or name",
            detected.encoding.name(),
            u32::from(lost)
        )),
        None => error,
    })
}

/// Decides on every link of the tree of a text, and changes the tree; returns its base.
fn decide_document(
    tree: &DomTree,
    text: &str,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<ResolvedBase, Error> {
    pass.has_spans = false;
    let document =
        learn::open_document(splice::find_base_href_in(text, pass.settings), below, pass, None)?;
    decide(tree, &document, pass)?;
    Ok(document.established)
}

/// Decides on every link of a tree, changes the tree, and returns whether anything changed.
fn decide(tree: &DomTree, document: &Document, pass: &mut LinkPass<'_>) -> Result<bool, Error> {
    let mut is_changed = decide_all(tree, document, pass)?;
    if document.removes_bases(pass.settings) {
        is_changed |= remove_bases(tree);
    }
    Ok(is_changed)
}

/// Decides on the links of a nested document; returns its new text if there is a change.
///
/// Recurses into the documents inside it, up to the limit on `srcdoc` nesting.
fn decide_nested(
    text: &str,
    outer: &Document,
    pass: &mut LinkPass<'_>,
) -> Result<Option<String>, Error> {
    let (mark, text) = text.split_at(mark_of_text(text));
    let tree = parse(text, &pass.settings.limits)?;
    let href = splice::find_base_href_in(text, pass.settings).and_then(BaseHref::into_counted);
    let document = outer.nested(href.as_deref(), None, pass.settings)?;
    if !decide(&tree, &document, pass)? {
        return Ok(None);
    }
    let written = serialize(&tree, text);
    check_round_trip(&tree, &written, pass.settings)?;
    Ok(Some(format!("{mark}{written}")))
}

/// Decides on the links of every element, and returns whether anything changed.
fn decide_all(tree: &DomTree, document: &Document, pass: &mut LinkPass<'_>) -> Result<bool, Error> {
    let mut clones = Vec::new();
    let mut decided = HashMap::new();
    let mut result = Ok(());
    let mut is_changed = false;
    let interest = OnceCell::new();
    let mut is_before_base = document.has_own_base();
    let was_ignored = pass.is_ignored;
    visit_elements(tree, |node, name, context| {
        let is_in_tree = !context.is_in_template;
        pass.is_ignored = was_ignored || context.is_ignored;
        is_before_base &= !(is_in_tree && is_base(name) && find_value(node, "href").is_some());
        pass.is_before_base = is_before_base && is_in_tree;
        if tree.is_clone(node) {
            clones.push(node.clone());
        } else if result.is_ok() {
            let tag_name = &name.local;
            let decision = decide_element(node, name, document, pass, |name, old, new| {
                is_changed = true;
                if tree.has_clones() {
                    let attribute = full_name(name).into_owned();
                    let key = (tag_name.to_string(), attribute, old.to_string());
                    decided.insert(key, new.clone());
                }
            });
            let decision = decision.and_then(|is_text_changed| {
                let is_noscript = namespace(name) == Namespace::Html && &**tag_name == "noscript";
                let selection = &pass.settings.selection;
                let interest = || interest.get_or_init(|| Interest::new(selection));
                let is_quirky = tree.quirks_mode == QuirksMode::Quirks;
                let decide_text = |text: &str| {
                    splice::decide_noscript(text, is_quirky, document, pass, interest())
                };
                Ok(is_text_changed || is_noscript && change_text(node, decide_text)?)
            });
            match decision {
                Ok(is_text_changed) => is_changed |= is_text_changed,
                Err(error) => result = Err(error),
            }
        }
    });
    pass.is_ignored = was_ignored;
    result?;
    // A clone has the attributes of its original, so its values change in the same way.
    for clone in clones {
        let NodeData::Element { name: tag_name, attrs, .. } = &clone.data else { continue };
        for Attribute { name, value } in attrs.borrow_mut().iter_mut() {
            let key = (tag_name.local.to_string(), full_name(name).into_owned(), value.to_string());
            if let Some(new) = decided.get(&key) {
                *value = new.clone();
            }
        }
    }
    Ok(is_changed)
}

/// Decides on the links of an element. Calls `on_change` with the name of each attribute that
/// changes, its old and its new value; returns whether the text of the element changed.
fn decide_element(
    node: &Handle,
    name: &QualName,
    document: &Document,
    pass: &mut LinkPass<'_>,
    mut on_change: impl FnMut(&QualName, &StrTendril, &StrTendril),
) -> Result<bool, Error> {
    let NodeData::Element { attrs, .. } = &node.data else { return Ok(false) };
    let mut is_changed = false;
    let element = str::to_ascii_lowercase(&name.local);
    let namespace = namespace(name);
    let sibling = |name: &str| match name {
        attributes::TEXT => (element == "a").then(|| read_anchor_text(node)),
        _ => find_value(node, name).map(|value| value.to_string()),
    };
    let find =
        |attribute: &str| pass.settings.selection.find(&element, namespace, attribute, sibling);
    let details = Details::default();
    let siblings = Siblings::new(&sibling, &details);
    let spots: Vec<_> = (0..attrs.borrow().len())
        .filter_map(|index| Some((index, find(&full_name(&attrs.borrow()[index].name))?)))
        .collect();
    let text = find(attributes::TEXT)
        .filter(|_| attributes::is_css(namespace, sibling("type").as_deref()));
    let codebase =
        |spot: Spot| (spot.rule == Rule::Codebase).then(|| sibling("codebase")).flatten();
    for (index, spot) in spots {
        // The attributes must not be borrowed while the decision function runs.
        let Attribute { name, value } = attrs.borrow()[index].clone();
        let attribute = full_name(&name);
        let new = if spot.grammar == Grammar::Html {
            decide_nested(&value, document, pass)?
        } else {
            let site = Site {
                element: &element,
                namespace,
                attribute: &attribute,
                spot,
                codebase: codebase(spot),
                siblings,
            };
            let edits = decide_value(&value, document, &site, pass)?;
            (!edits.is_empty()).then(|| edits.apply(&value))
        };
        if let Some(new) = new.map(StrTendril::from) {
            on_change(&name, &value, &new);
            attrs.borrow_mut()[index].value = new;
        }
    }
    if let Some(spot) = text {
        let attribute = attributes::TEXT;
        let site = Site { element: &element, namespace, attribute, spot, codebase: None, siblings };
        is_changed |= change_text(node, |text| decide_value(text, document, &site, pass))?;
    }
    let is_inline = || !JsonScript::is_elsewhere(namespace, |name| sibling(name).is_some());
    let language = || JsonScript::from_type(&sibling("type")?).filter(|_| is_inline());
    if element == "script"
        && namespace != Namespace::MathMl
        && let Some(language) = language()
    {
        is_changed |= decide_script(node, language, document, pass)?;
    }
    Ok(is_changed)
}

/// Decides on the links in a script that is JSON, and returns whether its text changed.
fn decide_script(
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

/// Decides on every reference in a value, and returns the edits.
fn decide_value(
    value: &str,
    document: &Document,
    site: &Site<'_>,
    pass: &mut LinkPass<'_>,
) -> Result<Edits, Error> {
    let mut edits = Edits::new(pass.max_output, None);
    pass.value(document, site, value, &|_| None, &mut |edit| edits.push(edit))?;
    Ok(edits)
}

/// Changes the text of an element, which may have several text nodes. New text goes into the node
/// in which an edit begins, and replaced text is removed from the nodes after it. Returns whether
/// there was an edit.
fn change_text(
    node: &Handle,
    decide: impl FnOnce(&str) -> Result<Edits, Error>,
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
    let edits = decide(&whole)?;
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

/// The properties that an element has from the elements around it.
#[derive(Clone, Copy, Default)]
struct ElementContext {
    is_in_template: bool,
    /// Whether the element, or one around it, has a marker.
    ///
    /// NOTE: the tree builder moves some nodes out of an element, such as the text between the rows
    /// of a table. This engine treats them as outside of the element, and the splice engine as
    /// inside.
    is_ignored: bool,
}

/// Removes the `base` elements that have an `href`, or only their `href` if they have a `target`.
/// Leaves the elements in templates, which never take effect. Returns whether there was a change.
fn remove_bases(tree: &DomTree) -> bool {
    let mut bases = Vec::new();
    visit_elements(tree, |node, name, context| {
        if is_base(name) && !context.is_in_template && find_value(node, "href").is_some() {
            bases.push(node.clone());
        }
    });
    let is_changed = !bases.is_empty();
    for base in bases {
        let NodeData::Element { attrs, .. } = &base.data else { continue };
        if find_value(&base, "target").is_some() {
            attrs.borrow_mut().retain(|attribute| full_name(&attribute.name) != "href");
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

/// Calls `visit` for every element in tree order, including the contents of templates, without
/// recursion.
fn visit_elements(tree: &DomTree, mut visit: impl FnMut(&Handle, &QualName, ElementContext)) {
    let mut stack = vec![(tree.document.clone(), ElementContext::default())];
    while let Some((node, mut context)) = stack.pop() {
        if let NodeData::Element { name, template_contents, .. } = &node.data {
            context.is_ignored |= find_value(&node, MARKERS[0]).is_some() && !tree.is_clone(&node);
            visit(&node, name, context);
            if let Some(contents) = &*template_contents.borrow() {
                stack.push((contents.clone(), ElementContext { is_in_template: true, ..context }));
            }
        }
        stack.extend(node.children.borrow().iter().rev().map(|child| (child.clone(), context)));
    }
}

/// Finds the value of the attribute with this name, which is in lower case and has its prefix.
fn find_value(node: &Handle, name: &str) -> Option<StrTendril> {
    let NodeData::Element { attrs, .. } = &node.data else { return None };
    let attrs = attrs.borrow();
    let attribute = attrs.iter().find(|other| full_name(&other.name) == name)?;
    Some(attribute.value.clone())
}

/// Reads the text of an `a` element, up to the next `a`.
fn read_anchor_text(node: &Handle) -> String {
    let mut text = AnchorText::default();
    let mut stack = vec![node.clone()];
    while let Some(next) = stack.pop().filter(|_| !text.is_full()) {
        if let NodeData::Text { contents } = &next.data {
            text.push(&contents.borrow());
        }
        if let NodeData::Element { name, .. } = &next.data
            && !Rc::ptr_eq(&next, node)
        {
            match &*name.local {
                "a" => break,
                "img" => text.push_word(find_value(&next, "alt").as_deref().unwrap_or_default()),
                name if HIDDEN.contains(&name) => continue,
                _ => {}
            }
        }
        stack.extend(next.children.borrow().iter().rev().cloned());
    }
    text.finish()
}

/// Returns the name of an attribute in lower case, with its prefix.
fn full_name(name: &QualName) -> Cow<'_, str> {
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
