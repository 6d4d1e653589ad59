//! From text to html5ever's tree, with a bound on depth and with a note of which
//! elements are clones.
//!
//! The tree builder makes several elements of one formatting start tag: it opens
//! formatting elements anew in each block, and splits misnested ones. A link is
//! a place in the source, so only the element that a start tag itself was
//! inserted as may count.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::{Rc, Weak};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, TokenizerResult, local_name, ns};
use markup5ever_rcdom::{Handle, Node, NodeData, RcDom};

use super::encoding;
use crate::error::{Error, Limit, Location};
use crate::link::Limits;

/// Bytes of the shortest formatting element, as it is written: `<b></b>`. By how
/// many are made it is known early that the limit on output will be reached, as
/// where each of many paragraphs opens hundreds of them anew.
const SHORTEST_ELEMENT: usize = 7;

/// Text is handed over in pieces of this many bytes, so that a limit that was
/// reached ends the work.
const PIECE: usize = 64 * 1024;

/// Whether the content of `noscript` is text, as it is in a browser that runs scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scripting {
    Off,
    On,
}

/// A parsed document.
pub(super) struct Tree {
    pub(super) document: Handle,
    pub(super) quirks_mode: QuirksMode,
    has_noscript: bool,
    clones: HashSet<*const Node>,
}

impl Tree {
    /// Whether the element is a copy that the tree builder made of another one.
    pub(super) fn is_clone(&self, node: &Handle) -> bool {
        self.clones.contains(&Rc::as_ptr(node))
    }

    pub(super) fn has_clones(&self) -> bool {
        !self.clones.is_empty()
    }

    /// Whether a `noscript` element was made.
    pub(super) fn has_noscript(&self) -> bool {
        self.has_noscript
    }
}

/// Parses a whole document.
pub(super) fn parse(text: &str, limits: &Limits, scripting: Scripting) -> Result<Tree, Error> {
    let sink = Sink {
        dom: RcDom::default(),
        max_depth: limits.depth,
        is_too_deep: Cell::new(false),
        clones: RefCell::default(),
        last_made: RefCell::default(),
        made: Cell::new(0),
        max_made: limits.max_output(text.len()) / SHORTEST_ELEMENT,
        merged: RefCell::default(),
        has_noscript: Cell::new(false),
        content: RefCell::default(),
    };
    let scripting_enabled = scripting == Scripting::On;
    let options = TreeBuilderOpts { scripting_enabled, ..TreeBuilderOpts::default() };
    let tokens = Tokens { builder: TreeBuilder::new(sink, options), failed: Cell::new(None) };
    // The caller took the byte order mark off. html5ever drops the character where it begins any
    // piece of input, also after an encoding declaration.
    let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(tokens, options);
    let input = BufferQueue::default();
    let mut rest = text;
    while !rest.is_empty() && tokenizer.sink.failed.get().is_none() {
        let (piece, after) = rest.split_at(piece_end(rest));
        input.push_back(StrTendril::from_slice(piece));
        rest = after;
        feed(&tokenizer, &input);
    }
    if tokenizer.sink.failed.get().is_none() {
        tokenizer.end();
    }
    if let Some((limit, line)) = tokenizer.sink.failed.get() {
        let max = if limit == Limit::Depth { limits.depth } else { limits.max_output(text.len()) };
        return Err(Error::limit(limit, max, Some(Location::Line(line))));
    }
    let Sink { dom, clones, has_noscript, .. } = tokenizer.sink.builder.sink;
    Ok(Tree {
        document: dom.document,
        quirks_mode: dom.quirks_mode.get(),
        has_noscript: has_noscript.get(),
        clones: clones.into_inner(),
    })
}

fn piece_end(text: &str) -> usize {
    (PIECE..text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len())
}

/// The tokenizer stops at scripts and at encoding declarations; neither matters
/// here.
fn feed(tokenizer: &Tokenizer<Tokens>, input: &BufferQueue) {
    while !matches!(tokenizer.feed(input), TokenizerResult::Done) {}
}

/// Sits between tokenizer and tree builder.
struct Tokens {
    builder: TreeBuilder<Handle, Sink>,
    /// The limit that was reached, and the line; what follows is dropped.
    failed: Cell<Option<(Limit, u64)>>,
}

impl TokenSink for Tokens {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if self.failed.get().is_some() {
            return TokenSinkResult::Continue;
        }
        let formatting = match &token {
            Token::TagToken(Tag { kind: TagKind::StartTag, name, .. }) if is_formatting(name) => {
                Some(name.clone())
            }
            _ => None,
        };
        let sink = &self.builder.sink;
        sink.last_made.borrow_mut().take();
        let token = encoding::without_bare_charset(token, &mut sink.content.borrow_mut());
        let result = self.builder.process_token(token, line);
        sink.content.borrow_mut().take();
        // The tree builder opens old formatting elements first, and the tag's own last.
        if let Some((made, name)) = sink.last_made.borrow_mut().take()
            && formatting.is_some_and(|formatting| formatting == name)
        {
            sink.clones.borrow_mut().remove(&made);
        }
        let has_too_many = sink.max_made != 0 && sink.made.get() > sink.max_made;
        if sink.is_too_deep.get() {
            self.failed.set(Some((Limit::Depth, line)));
        } else if has_too_many {
            self.failed.set(Some((Limit::Output, line)));
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// The [formatting](https://html.spec.whatwg.org/multipage/parsing.html#formatting)
/// elements, the only ones that are ever cloned.
fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

/// `RcDom`, with a bound on depth.
struct Sink {
    dom: RcDom,
    max_depth: usize,
    is_too_deep: Cell<bool>,
    /// Formatting elements that are not the one their start tag was inserted as.
    clones: RefCell<HashSet<*const Node>>,
    /// How many formatting elements have been made.
    made: Cell<usize>,
    max_made: usize,
    /// The names of the attributes of elements that others were merged into.
    merged: RefCell<HashMap<*const Node, HashSet<QualName>>>,
    /// The formatting element made last for the current token.
    last_made: RefCell<Option<(*const Node, LocalName)>>,
    has_noscript: Cell<bool>,
    /// The name of the current token, and the value of its `content` that is kept from the
    /// tree builder.
    content: RefCell<Option<(LocalName, StrTendril)>>,
}

impl Sink {
    fn watch_depth(&self, parent: &Handle, child: &NodeOrText<Handle>) {
        if self.max_depth == 0 || matches!(child, NodeOrText::AppendText(_)) {
            return;
        }
        let mut depth = 1;
        let mut node = parent_of(parent);
        while let Some(parent) = node {
            depth += 1;
            if depth > self.max_depth {
                self.is_too_deep.set(true);
                return;
            }
            node = parent_of(&parent);
        }
    }
}

/// The parent of a node, and its place there. It is looked for from the end, where
/// the tree builder works: `RcDom` looks from the start, which takes quadratic
/// time where much is put in front of one table.
fn place_of(node: &Handle) -> Option<(Handle, usize)> {
    let parent = parent_of(node)?;
    let index = parent.children.borrow().iter().rposition(|child| Rc::ptr_eq(child, node))?;
    Some((parent, index))
}

fn parent_of(node: &Handle) -> Option<Handle> {
    let parent = node.parent.take();
    let handle = parent.as_ref().and_then(Weak::upgrade);
    node.parent.set(parent);
    handle
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    // Kept, they would take memory without bound.
    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.dom.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.dom.elem_name(target)
    }

    fn create_element(
        &self,
        name: QualName,
        mut attrs: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        if let Some((_, content)) =
            self.content.borrow_mut().take_if(|(element, _)| *element == name.local)
        {
            encoding::put_back(&mut attrs, content);
        }
        let is_noscript = name.ns == ns!(html) && name.local == local_name!("noscript");
        self.has_noscript.set(self.has_noscript.get() || is_noscript);
        let formatting =
            (name.ns == ns!(html) && is_formatting(&name.local)).then(|| name.local.clone());
        let node = self.dom.create_element(name, attrs, flags);
        if let NodeData::Element { template_contents, .. } = &node.data
            && let Some(contents) = &*template_contents.borrow()
        {
            // The contents have no parent in the tree; depth is counted through this one.
            contents.parent.set(Some(Rc::downgrade(&node)));
        }
        let pointer = Rc::as_ptr(&node);
        if let Some(name) = formatting {
            self.made.set(self.made.get() + 1);
            self.clones.borrow_mut().insert(pointer);
            *self.last_made.borrow_mut() = Some((pointer, name));
        } else {
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
        self.watch_depth(parent, &child);
        self.dom.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        prev_element: &Handle,
        child: NodeOrText<Handle>,
    ) {
        if parent_of(element).is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(prev_element, child);
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
        self.watch_depth(sibling, &child);
        let Some((parent, index)) = place_of(sibling) else { return };
        match child {
            NodeOrText::AppendNode(node) => {
                self.remove_from_parent(&node);
                node.parent.set(Some(Rc::downgrade(&parent)));
                // Taking it out can have moved the sibling.
                let index = place_of(sibling).map_or(index, |(_, index)| index);
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
        // Each `html` or `body` tag merges into the same element: its names are kept, so
        // that many such tags do not read them all again and again.
        let mut merged = self.merged.borrow_mut();
        let names = merged.entry(Rc::as_ptr(target)).or_insert_with(|| {
            existing.borrow().iter().map(|attribute| attribute.name.clone()).collect()
        });
        let new = attrs.into_iter().filter(|attribute| names.insert(attribute.name.clone()));
        existing.borrow_mut().extend(new);
    }

    fn remove_from_parent(&self, target: &Handle) {
        if let Some((parent, index)) = place_of(target) {
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
