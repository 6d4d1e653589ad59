//! html5ever's tree of a document, start tag by start tag.
//!
//! The start tags of the tokenizer are numbered, and the tree has the outcome of each: its
//! element, the attributes that another element took over, or nothing. The content of `noscript`,
//! which is text to the tree builder, is a document of its own, where no script runs.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, ExpandedName, QualName, TokenizerResult};
use markup5ever_rcdom::{Handle, Node, NodeData, RcDom};

/// A start tag's part of the tree.
#[derive(Default)]
pub(crate) struct Made {
    /// The attributes that an element in the tree has from it, in lower case.
    pub(crate) attributes: HashSet<String>,
    /// Whether the tag's own element is in the tree.
    pub(crate) is_element: bool,
    /// Whether it is in a `noscript`, which both engines read in the same way.
    pub(crate) is_in_noscript: bool,
}

/// A document as html5ever sees it.
pub(crate) struct Tree {
    /// The result of each start tag of the source.
    pub(crate) tags: Vec<Made>,
    /// The elements in tree order with the names of their attributes; no clones.
    pub(crate) elements: Vec<(String, Vec<String>)>,
}

/// Parses a document, scripting on; `None` if html5ever panics.
pub(crate) fn parse(text: &str) -> Option<Tree> {
    catch_unwind(AssertUnwindSafe(|| read(text, true))).ok()
}

fn read(text: &str, scripting_enabled: bool) -> Tree {
    let sink = Sink::default();
    let options = TreeBuilderOpts { scripting_enabled, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(sink, options);
    let tokens = Tokens { builder, noscript: RefCell::default() };
    let tokenizer =
        Tokenizer::new(tokens, TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() });
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.builder.sink.into_tree()
}

/// The content of a `noscript`, read as that of a body.
fn read_noscript(text: &str, is_quirky: bool) -> Tree {
    let start = if is_quirky { "<body>" } else { "<!DOCTYPE html><body>" };
    let mut tree = read(&format!("{start}{text}"), false);
    tree.tags.remove(0);
    tree
}

/// Effects of processing a start tag.
#[derive(Default)]
struct Effect {
    own: Option<Handle>,
    merged: Option<(Handle, Vec<Attribute>)>,
    /// The content of the `noscript` that it begins.
    noscript: Option<Tree>,
}

#[derive(Default)]
struct Sink {
    dom: RcDom,
    /// The element made last for the current token.
    last_made: RefCell<Option<Handle>>,
    merged: RefCell<Option<(Handle, Vec<Attribute>)>>,
    /// Copies, and elements that the tree builder made without a tag.
    made: RefCell<Vec<Handle>>,
    effects: RefCell<Vec<Effect>>,
}

struct Tokens {
    builder: TreeBuilder<Handle, Sink>,
    /// The text so far of the `noscript` that is open.
    noscript: RefCell<Option<String>>,
}

impl Tokens {
    /// Takes in a token as far as it is of the text of a `noscript`.
    fn read_noscript(&self, token: &Token) {
        let mut noscript = self.noscript.borrow_mut();
        let Some(text) = noscript.as_mut() else { return };
        match token {
            Token::CharacterTokens(characters) => text.push_str(characters),
            Token::NullCharacterToken => text.push('\u{fffd}'),
            Token::ParseError(_) => {}
            _ => {
                let sink = &self.builder.sink;
                let is_quirky = sink.dom.quirks_mode.get() == QuirksMode::Quirks;
                let tree = noscript.take().map(|text| read_noscript(&text, is_quirky));
                if let Some(effect) = sink.effects.borrow_mut().last_mut() {
                    effect.noscript = tree;
                }
            }
        }
    }
}

impl TokenSink for Tokens {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        self.read_noscript(&token);
        let tag = match &token {
            Token::TagToken(tag @ Tag { kind: TagKind::StartTag, .. }) => Some(tag.clone()),
            _ => None,
        };
        let sink = &self.builder.sink;
        sink.last_made.borrow_mut().take();
        sink.merged.borrow_mut().take();
        let result = self.builder.process_token(token, line);
        if let Some(tag) = tag {
            let own = sink.last_made.borrow_mut().take().filter(|node| is_element_of(node, &tag));
            let merged = sink.merged.borrow_mut().take();
            if matches!(result, TokenSinkResult::RawData(_)) && &*tag.name == "noscript" {
                *self.noscript.borrow_mut() = Some(String::new());
            }
            sink.effects.borrow_mut().push(Effect { own, merged, noscript: None });
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

/// Whether an element is the tag's own: what is made last has its name and its attributes, unless
/// the tag is dropped.
fn is_element_of(node: &Handle, tag: &Tag) -> bool {
    let NodeData::Element { name, attrs, .. } = &node.data else { return false };
    let is_image = &*tag.name == "image" && &*name.local == "img";
    (is_image || name.local.eq_ignore_ascii_case(&tag.name))
        && attrs.borrow().len() == tag.attrs.len()
        && attrs.borrow().iter().zip(&tag.attrs).all(|(one, other)| one.value == other.value)
}

impl Sink {
    fn into_tree(self) -> Tree {
        let own: HashSet<*const Node> = self
            .effects
            .borrow()
            .iter()
            .filter_map(|one| one.own.as_ref())
            .map(Rc::as_ptr)
            .collect();
        let mut in_tree = HashSet::new();
        let mut elements = Vec::new();
        let mut open = vec![self.dom.document.clone()];
        while let Some(node) = open.pop() {
            in_tree.insert(Rc::as_ptr(&node));
            if let NodeData::Element { name, attrs, template_contents, .. } = &node.data {
                // Elements that the tree builder adds by itself have no attributes.
                if own.contains(&Rc::as_ptr(&node)) || !is_formatting(&name.local) {
                    let names = attrs.borrow().iter().map(|one| qualified(&one.name)).collect();
                    elements.push((name.local.to_string(), names));
                }
                open.extend(template_contents.borrow().clone());
            }
            open.extend(node.children.borrow().iter().rev().cloned());
        }
        let mut tags = Vec::new();
        for effect in self.effects.into_inner() {
            let own = effect.made(&in_tree);
            let is_there = own.is_element;
            tags.push(own);
            if let Some(noscript) = effect.noscript {
                let made = |made| {
                    let made = Made { is_in_noscript: true, ..made };
                    if is_there { made } else { Made::default() }
                };
                tags.extend(noscript.tags.into_iter().map(made));
                elements.extend(noscript.elements);
            }
        }
        Tree { tags, elements }
    }
}

impl Effect {
    fn made(&self, in_tree: &HashSet<*const Node>) -> Made {
        let is_in_tree = |node: &Handle| in_tree.contains(&Rc::as_ptr(node));
        let mut attributes = HashSet::new();
        let own = self.own.as_ref().filter(|node| is_in_tree(node));
        if let Some(NodeData::Element { attrs, .. }) = own.map(|node| &node.data) {
            attributes.extend(attrs.borrow().iter().map(|one| qualified(&one.name)));
        }
        if let Some((target, taken)) = &self.merged
            && is_in_tree(target)
        {
            attributes.extend(taken.iter().map(|one| qualified(&one.name)));
        }
        Made { attributes, is_element: own.is_some(), is_in_noscript: false }
    }
}

/// <https://html.spec.whatwg.org/multipage/parsing.html#formatting>
fn is_formatting(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt",
        "u",
    ];
    NAMES.contains(&name)
}

/// An attribute's name in lower case, with its prefix.
fn qualified(name: &QualName) -> String {
    match &name.prefix {
        Some(prefix) if !prefix.is_empty() => format!("{prefix}:{}", name.local),
        _ => name.local.to_string(),
    }
    .to_ascii_lowercase()
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let node = self.dom.create_element(name, attrs, flags);
        *self.last_made.borrow_mut() = Some(node.clone());
        // Kept, so that no other element gets the same address.
        self.made.borrow_mut().push(node.clone());
        node
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        let NodeData::Element { attrs: old, .. } = &target.data else { return };
        let is_missing =
            |one: &&Attribute| !old.borrow().iter().any(|other| other.name == one.name);
        let missing = attrs.iter().filter(is_missing).cloned().collect();
        *self.merged.borrow_mut() = Some((target.clone(), missing));
        self.dom.add_attrs_if_missing(target, attrs);
    }

    fn get_document(&self) -> Handle {
        self.dom.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.dom.elem_name(target)
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        self.dom.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        self.dom.create_pi(target, data)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.dom.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        self.dom.append_based_on_parent_node(element, previous, child);
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
        self.dom.append_before_sibling(sibling, child);
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.dom.remove_from_parent(target);
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
