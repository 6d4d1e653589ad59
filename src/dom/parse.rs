//! Parses text into html5ever's tree, and refuses documents that browsers read in another way.
//!
//! html5ever departs from the HTML Standard around integration points of foreign content, in
//! templates, and at `search` (the tests of this file have examples). Its tree may therefore lack
//! links that a browser finds. To detect this, the exact scanner, which reads as browsers do, reads
//! each text before the parser. Both must turn each start tag into an element in the same
//! namespace, or drop it, and must agree on whether the current node is foreign wherever the next
//! token depends on it. Then both read the same tags. The number of cloned formatting elements must
//! be equal too.
//!
//! Some trees cannot be written as HTML: foster parenting and the rules for SVG and MathML create
//! elements where their tags, in the order of the tree, would not put them. Sanitizers know this as
//! mutation XSS: markup that is inert in the source becomes active in the output. Therefore
//! [`check_round_trip`] parses the output again and compares the trees.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Arguments;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, TokenizerResult, local_name};
use markup5ever_rcdom::{Handle, Node, NodeData};
use memchr::memchr_iter;

use super::sink::{DomSink, namespace};
use crate::error::{Error, Limit, Limits, Location, shortened};
use crate::link::Settings;
use crate::scan::{self, Namespace, StartTag, TreeAction, count_attributes, exact};

/// Bytes of text that the tokenizer receives at once. An exceeded limit ends the work between two
/// pieces.
const PIECE_LENGTH: usize = 64 * 1024;

/// A parsed document.
pub(super) struct DomTree {
    pub(super) document: Handle,
    pub(super) quirks_mode: QuirksMode,
    clones: HashSet<*const Node>,
}

impl DomTree {
    /// Whether the tree builder created the element as a copy of another element.
    pub(super) fn is_clone(&self, node: &Handle) -> bool {
        self.clones.contains(&Rc::as_ptr(node))
    }

    pub(super) fn has_clones(&self) -> bool {
        !self.clones.is_empty()
    }
}

/// Parses a document within limits. Fails if the parser panics, or reads other elements than
/// browsers do.
pub(super) fn parse(text: &str, limits: &Limits) -> Result<DomTree, Error> {
    let expected = TreeDecisions::scan(text, limits.attributes)?;
    // A panic drops the tree, so its broken state is never used.
    let parse = AssertUnwindSafe(|| parse_expecting(expected, text, limits));
    catch_unwind(parse).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Error::parser(text.unwrap_or("it panicked"))
    })?
}

/// Parses a document, and fails unless the tree builder makes the expected decisions.
fn parse_expecting(expected: TreeDecisions, text: &str, limits: &Limits) -> Result<DomTree, Error> {
    // The content of `noscript` is text, whose links `splice::decide_noscript` finds.
    let options = TreeBuilderOpts { scripting_enabled: true, ..TreeBuilderOpts::default() };
    let sink = ComparingSink {
        builder: TreeBuilder::new(DomSink::new(limits, text.len()), options),
        expected,
        actual: RefCell::default(),
        error: RefCell::default(),
    };
    // The caller removed the byte order mark. html5ever would drop one at the start of any piece of
    // input, also after an encoding declaration.
    let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(sink, options);
    let input = BufferQueue::default();
    let mut rest = text;
    while !rest.is_empty() && !tokenizer.sink.has_failed() {
        let (piece, after) = rest.split_at(find_piece_end(rest));
        input.push_back(StrTendril::from_slice(piece));
        rest = after;
        feed(&tokenizer, &input);
    }
    if !tokenizer.sink.has_failed() {
        tokenizer.end();
    }
    let ComparingSink { builder, expected, actual, error, .. } = tokenizer.sink;
    if let Some(error) = error.into_inner() {
        return Err(error);
    }
    let DomSink { dom, clones, clone_count, .. } = builder.sink;
    if !actual.into_inner().is_complete(&expected, clone_count.get()) {
        return Err(mismatch_error("html"));
    }
    Ok(DomTree {
        document: dom.document,
        quirks_mode: dom.quirks_mode.get(),
        clones: clones.into_inner(),
    })
}

fn find_piece_end(text: &str) -> usize {
    (PIECE_LENGTH..text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len())
}

/// Passes all input to the tokenizer, which pauses at scripts and encoding declarations.
fn feed(tokenizer: &Tokenizer<ComparingSink>, input: &BufferQueue) {
    while !matches!(tokenizer.feed(input), TokenizerResult::Done) {}
}

/// Passes tokens from the tokenizer to the tree builder, and compares the decisions of the tree
/// builder with the decisions of browsers.
struct ComparingSink {
    builder: TreeBuilder<Handle, DomSink>,
    expected: TreeDecisions,
    actual: RefCell<TreeDecisions>,
    /// The reason to stop, after which tokens are dropped.
    error: RefCell<Option<Error>>,
}

impl ComparingSink {
    fn has_failed(&self) -> bool {
        self.error.borrow().is_some()
    }

    /// Records a decision, and fails if another decision is expected.
    fn record(&self, decision: TreeDecision, tag: Arguments<'_>) {
        if !self.actual.borrow_mut().add_expected(&self.expected, decision) {
            self.error.borrow_mut().get_or_insert_with(|| mismatch_error(&tag.to_string()));
        }
    }

    /// Records whether the current node is foreign, and returns it.
    fn record_current_node(&self, tag: Arguments<'_>) -> bool {
        let is_foreign = self.builder.adjusted_current_node_present_but_not_in_html_namespace();
        self.record(TreeDecision::Foreign(is_foreign), tag);
        is_foreign
    }

    /// Takes the namespace of the element that the start tag became, if any. The tree builder
    /// creates implied elements and clones first, and the tag's own element last.
    fn take_namespace(&self, tag: &str) -> Option<Namespace> {
        let (node, name) = self.builder.sink.last_created.take()?;
        let is_image = tag == "image" && name.local == local_name!("img");
        if !is_image && !str::eq_ignore_ascii_case(&name.local, tag) {
            return None;
        }
        self.builder.sink.set_original(node);
        Some(namespace(&name))
    }
}

impl TokenSink for ComparingSink {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if self.has_failed() {
            return TokenSinkResult::Continue;
        }
        let tag = match &token {
            Token::TagToken(Tag { kind, name, .. }) => Some((*kind, name.clone())),
            _ => None,
        };
        let sink = &self.builder.sink;
        sink.last_created.take();
        let result = self.builder.process_token(token, line);
        match tag {
            Some((TagKind::StartTag, name)) => {
                self.record(TreeDecision::Tag(self.take_namespace(&name)), format_args!("{name}"));
            }
            Some((TagKind::EndTag, name)) => {
                self.record_current_node(format_args!("/{name}"));
            }
            None => {}
        }
        if let Some((limit, max)) = sink.exceeded_limit() {
            self.error.replace(Some(Error::limit(limit, max, Some(Location::Line(line)))));
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    // The tokenizer asks at `<!`, because only foreign content has CDATA sections.
    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.record_current_node(format_args!("!"))
    }
}

/// A decision of a tree builder on which the reading of the rest of the text depends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeDecision {
    /// The namespace of the element that a start tag becomes, or `None` if it becomes no element.
    Tag(Option<Namespace>),
    /// Whether the current node is foreign.
    Foreign(bool),
}

/// The decisions of a tree builder about a text, in order.
#[derive(Default)]
pub(super) struct TreeDecisions {
    list: Vec<TreeDecision>,
    /// The number of clones of formatting elements; `usize::MAX` if the scanner does not know it.
    clone_count: usize,
}

impl TreeDecisions {
    /// Reads a text as browsers do. Fails if a tag has more attributes than the limit, as html5ever
    /// compares each attribute with all attributes before it.
    pub(super) fn scan(text: &str, max_attributes: usize) -> Result<Self, Error> {
        let max = if max_attributes == 0 { usize::MAX } else { max_attributes };
        let text = text.as_bytes();
        let mut sink = DecisionSink { text, decisions: Self::default(), max, exceeded: None };
        let _ = exact::scan(text, &mut sink);
        match sink.exceeded {
            Some(at) => {
                let line = 1 + memchr_iter(b'\n', &text[..at]).count() as u64;
                Err(Error::limit(Limit::Attributes, max, Some(Location::Line(line))))
            }
            None => Ok(sink.decisions),
        }
    }

    /// Adds a decision. html5ever may ask twice about the current node at the same declaration, so
    /// a repeated decision about it is dropped.
    fn add(&mut self, decision: TreeDecision) {
        if matches!(decision, TreeDecision::Tag(_)) || self.list.last() != Some(&decision) {
            self.list.push(decision);
        }
    }

    /// Adds a decision, and returns whether it is the expected one.
    pub(super) fn add_expected(&mut self, expected: &Self, decision: TreeDecision) -> bool {
        self.add(decision);
        expected.list.get(self.list.len() - 1) == self.list.last()
    }

    /// Whether no decision is missing at the end, and the number of clones is the expected one.
    pub(super) fn is_complete(&self, expected: &Self, clones: usize) -> bool {
        self.list.len() == expected.list.len()
            && [usize::MAX, clones].contains(&expected.clone_count)
    }
}

/// Creates the error for a document in which browsers read other elements, from this tag on.
pub(super) fn mismatch_error(tag: &str) -> Error {
    Error::tree(format!(
        "browsers would read other elements than in the source, from <{}> on, and inert markup could become active",
        shortened(tag).escape_debug()
    ))
}

struct DecisionSink<'t> {
    text: &'t [u8],
    decisions: TreeDecisions,
    max: usize,
    /// The offset of the first tag that has too many attributes.
    exceeded: Option<usize>,
}

impl scan::Sink for DecisionSink<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        if tag.attribute_count > self.max {
            self.exceeded = self.exceeded.or(Some(tag.span.start));
        }
        // The parser reads the content of `noscript` as text.
        if tag.is_in_noscript {
            return ControlFlow::Continue(());
        }
        let is_element = tag.action == TreeAction::Inserted;
        self.decisions.add(TreeDecision::Tag(is_element.then_some(tag.namespace)));
        if self.exceeded.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    // The parser also reads the attributes of end tags and of unfinished tags. An attribute takes
    // at least two bytes, and most end tags have no attributes.
    fn other_tag(&mut self, span: Range<usize>) {
        if span.len() / 2 > self.max && count_attributes(self.text, span.clone()) > self.max {
            self.exceeded = self.exceeded.or(Some(span.start));
        }
    }

    fn current_node(&mut self, is_foreign: bool) {
        self.decisions.add(TreeDecision::Foreign(is_foreign));
    }

    fn clones(&mut self, count: usize) {
        self.decisions.clone_count = count;
    }
}

/// Fails unless parsing `written` results in `tree`.
pub(super) fn check_round_trip(
    tree: &DomTree,
    written: &str,
    settings: &Settings,
) -> Result<(), Error> {
    compare(tree, &parse(written, &settings.limits)?)
}

/// Fails unless two trees are equal; the error names the element in which they begin to differ.
fn compare(expected: &DomTree, actual: &DomTree) -> Result<(), Error> {
    let (expected, actual) = (flatten(expected), flatten(actual));
    if expected == actual {
        return Ok(());
    }
    let common = expected.bytes().zip(actual.bytes()).take_while(|(a, b)| a == b).count();
    let before = String::from_utf8_lossy(&expected.as_bytes()[..common]);
    let element = before.rsplit_once("\0<").and_then(|(_, element)| element.split('\0').next());
    Err(mismatch_error(element.unwrap_or("html")))
}

/// Concatenates all nodes of a tree, so that equal texts mean equal trees. A NUL delimits each
/// node, because no text from a parser contains a NUL.
fn flatten(tree: &DomTree) -> String {
    let mut text = format!("{:?}", tree.quirks_mode);
    // `None` ends the node whose children were pushed after it.
    let mut stack = vec![Some(tree.document.clone())];
    while let Some(entry) = stack.pop() {
        let Some(node) = entry else {
            text.push_str("\0/");
            continue;
        };
        let mut parent = node.clone();
        match &node.data {
            NodeData::Text { contents } => {
                // The tree builder may split a text into several nodes.
                text.push_str(&contents.borrow());
                continue;
            }
            NodeData::Element { name, attrs, template_contents, .. } => {
                text.extend(["\0<", &name.local, "\0", &name.ns]);
                for Attribute { name, value } in attrs.borrow().iter() {
                    let prefix = name.prefix.as_deref().unwrap_or_default();
                    text.extend(["\0 ", prefix, ":", &name.local, "\0", value]);
                }
                text.push_str("\0>");
                parent = template_contents.borrow().clone().unwrap_or(parent);
            }
            NodeData::Doctype { name, public_id, system_id } => {
                text.extend(["\0!", name, "\0", public_id, "\0", system_id]);
            }
            NodeData::Comment { contents } | NodeData::ProcessingInstruction { contents, .. } => {
                text.extend(["\0-", contents]);
            }
            NodeData::Document => {}
        }
        stack.push(None);
        stack.extend(parent.children.borrow().iter().rev().cloned().map(Some));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, expected: Option<&str>) {
        let found = parse(text, &Limits::default()).map(|_| ());
        match (found.map_err(|error| error.to_string()), expected) {
            (Ok(()), None) => {}
            (Err(error), Some(tag)) if error.contains(&format!("from <{tag}> on")) => {}
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn the_readings_agree_on_ordinary_documents() {
        reads("<p>x<template><p></template><table><tr><td></table>", None);
        reads("<template><tr><td>x</td></tr></template><svg><title>x</title><path/></svg>", None);
        reads("<p><search><form><p></form></search><MATH><mi>x</mi></MATH>", None);
        reads("<math><annotation-xml encoding=text/html><p>x</p></annotation-xml></math>", None);
    }

    #[test]
    fn the_readings_differ() {
        reads("<template><thead><tbody>", Some("tbody"));
        reads("<template><tbody><b></tbody> <tr>", Some("html"));
        reads("<math><annotation-xml encoding=text/html><svg><p></p></annotation-xml>", Some("/p"));
        reads("<math><annotation-xml encoding=text/html></br></annotation-xml>", Some("/br"));
        reads("<span><svg><desc><i></span></i></desc><style><a>", Some("style"));
        reads("<search><template><thead><TBODY>", Some("tbody"));
        reads("<svg><desc><i></svg></i><![CDATA[x]]>", None);
    }
}
