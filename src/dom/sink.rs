//! Builds html5ever's tree, limits its depth, and records the elements that are clones.
//!
//! The tree builder may create several elements for a formatting start tag: it reopens formatting
//! elements in each block, and splits misnested ones. A link is a span of the source, so only the
//! element that was created for the start tag itself may have links.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::{Rc, Weak};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, LocalName, QualName, ns};
use markup5ever_rcdom::{Handle, Node, NodeData, RcDom};

use crate::attributes::Namespace;
use crate::error::{Limit, Limits};

/// Bytes of the shortest formatting element: `<b></b>`. With it, the number of clones shows early
/// that the output will exceed its limit, for example if each of many paragraphs reopens hundreds
/// of elements.
const MIN_ELEMENT_LEN: usize = 7;

/// Whether an element is a
/// [formatting](https://html.spec.whatwg.org/multipage/parsing.html#formatting) element: only these
/// are cloned.
fn is_formatting(name: &LocalName) -> bool {
    const NAMES: [&str; 14] = [
        "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt",
        "u",
    ];
    NAMES.contains(&&**name)
}

pub(super) fn namespace(name: &QualName) -> Namespace {
    match name.ns {
        ns!(svg) => Namespace::Svg,
        ns!(mathml) => Namespace::MathMl,
        _ => Namespace::Html,
    }
}

/// `RcDom` with limits, and a record of clones.
pub(super) struct DomSink {
    pub(super) dom: RcDom,
    max_depth: usize,
    is_too_deep: Cell<bool>,
    /// The formatting elements that were not inserted for their own start tag.
    pub(super) clones: RefCell<HashSet<*const Node>>,
    pub(super) clone_count: Cell<usize>,
    max_output: usize,
    /// The names of the attributes of elements into which tags were merged.
    merged: RefCell<HashMap<*const Node, HashSet<QualName>>>,
    /// The element that was created last for the current token.
    pub(super) last_created: RefCell<Option<(*const Node, QualName)>>,
}

impl DomSink {
    /// Creates an empty tree, for a document of this length.
    pub(super) fn new(limits: &Limits, length: usize) -> Self {
        Self {
            dom: RcDom::default(),
            max_depth: limits.depth,
            is_too_deep: Cell::new(false),
            clones: RefCell::default(),
            last_created: RefCell::default(),
            clone_count: Cell::new(0),
            max_output: limits.max_output(length),
            merged: RefCell::default(),
        }
    }

    /// Returns the exceeded limit, if any: the limit on depth, or the limit on output if the clones
    /// alone exceed it.
    pub(super) fn exceeded_limit(&self) -> Option<(Limit, usize)> {
        if self.is_too_deep.get() {
            return Some((Limit::Depth, self.max_depth));
        }
        let is_too_long =
            Limits::exceeds(self.max_output / MIN_ELEMENT_LEN, self.clone_count.get());
        is_too_long.then_some((Limit::Output, self.max_output))
    }

    /// Marks an element as inserted for its own start tag.
    pub(super) fn set_original(&self, node: *const Node) {
        if self.clones.borrow_mut().remove(&node) {
            self.clone_count.set(self.clone_count.get() - 1);
        }
    }

    /// Sets `is_too_deep` if a new child of this parent exceeds the limit on depth.
    fn check_depth(&self, parent: &Handle, child: &NodeOrText<Handle>) {
        if self.max_depth == 0 || matches!(child, NodeOrText::AppendText(_)) {
            return;
        }
        let mut depth = 1;
        let mut node = find_parent(parent);
        while let Some(parent) = node {
            depth += 1;
            if depth > self.max_depth {
                self.is_too_deep.set(true);
                return;
            }
            node = find_parent(&parent);
        }
    }
}

/// Finds the parent of a node, and the node's index there. Searches from the end, near which the
/// tree builder works: `RcDom` searches from the start, which takes quadratic time if many nodes
/// are inserted before the same table.
fn find_position(node: &Handle) -> Option<(Handle, usize)> {
    let parent = find_parent(node)?;
    let index = parent.children.borrow().iter().rposition(|child| Rc::ptr_eq(child, node))?;
    Some((parent, index))
}

fn find_parent(node: &Handle) -> Option<Handle> {
    let parent = node.parent.take();
    let handle = parent.as_ref().and_then(Weak::upgrade);
    node.parent.set(parent);
    handle
}

impl TreeSink for DomSink {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    // Stored errors would take memory without limit.
    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.dom.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.dom.elem_name(target)
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let may_be_clone = name.ns == ns!(html) && is_formatting(&name.local);
        let node = self.dom.create_element(name.clone(), attrs, flags);
        if let NodeData::Element { template_contents, .. } = &node.data
            && let Some(contents) = &*template_contents.borrow()
        {
            // The contents of a template have no parent; with this one, `check_depth` can go on.
            contents.parent.set(Some(Rc::downgrade(&node)));
        }
        let pointer = Rc::as_ptr(&node);
        *self.last_created.borrow_mut() = Some((pointer, name));
        // A clone, until `set_original` finds that it is the element of a start tag.
        if may_be_clone {
            self.clone_count.set(self.clone_count.get() + 1);
            self.clones.borrow_mut().insert(pointer);
        } else {
            // A clone that was dropped may have had the same address.
            self.clones.borrow_mut().remove(&pointer);
        }
        node
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        self.dom.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        self.dom.create_pi(target, data)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.check_depth(parent, &child);
        self.dom.append(parent, child);
    }

    fn append_based_on_parent_node(&self, node: &Handle, prev: &Handle, child: NodeOrText<Handle>) {
        if find_parent(node).is_some() {
            self.append_before_sibling(node, child);
        } else {
            self.append(prev, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.dom.append_doctype_to_document(name, public, system);
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.dom.get_template_contents(target)
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        self.dom.same_node(x, y)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.dom.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        self.check_depth(sibling, &child);
        let Some((parent, index)) = find_position(sibling) else { return };
        match child {
            NodeOrText::AppendNode(node) => {
                self.remove_from_parent(&node);
                node.parent.set(Some(Rc::downgrade(&parent)));
                // The removal may have moved the sibling.
                let index = find_position(sibling).map_or(index, |(_, index)| index);
                parent.children.borrow_mut().insert(index, node);
            }
            NodeOrText::AppendText(text) => {
                let before =
                    index.checked_sub(1).map(|before| parent.children.borrow()[before].clone());
                if let Some(NodeData::Text { contents }) = before.as_ref().map(|node| &node.data) {
                    contents.borrow_mut().push_tendril(&text);
                    return;
                }
                let node = Node::new(NodeData::Text { contents: RefCell::new(text) });
                node.parent.set(Some(Rc::downgrade(&parent)));
                parent.children.borrow_mut().insert(index, node);
            }
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        let NodeData::Element { attrs: existing, .. } = &target.data else { return };
        // All `html` or `body` tags merge into the same element, whose names are cached: otherwise
        // each tag would read them again.
        let mut merged = self.merged.borrow_mut();
        let names = merged.entry(Rc::as_ptr(target)).or_insert_with(|| {
            existing.borrow().iter().map(|attribute| attribute.name.clone()).collect()
        });
        let new = attrs.into_iter().filter(|attribute| names.insert(attribute.name.clone()));
        existing.borrow_mut().extend(new);
    }

    fn remove_from_parent(&self, target: &Handle) {
        if let Some((parent, index)) = find_position(target) {
            parent.children.borrow_mut().remove(index);
            target.parent.set(None);
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.dom.reparent_children(node, new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        self.dom.is_mathml_annotation_xml_integration_point(target)
    }

    fn maybe_clone_an_option_into_selectedcontent(&self, option: &Handle) {
        self.dom.maybe_clone_an_option_into_selectedcontent(option);
    }
}
