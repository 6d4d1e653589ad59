//! Parses text into html5ever's tree, limits its depth, and records which elements are clones.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Arguments;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use html5ever::TokenizerResult;
use html5ever::interface::QuirksMode;
use html5ever::local_name;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use markup5ever_rcdom::{Handle, Node};

use super::reading::{Reading, Step, differs};
use super::sink::{Sink, namespace};
use crate::error::{Error, Limits, Location};
use crate::scan::Namespace;

/// Text is passed on in pieces of this many bytes, so that an exceeded limit ends the work.
const PIECE: usize = 64 * 1024;

/// A parsed document.
pub(super) struct Tree {
    pub(super) document: Handle,
    pub(super) quirks_mode: QuirksMode,
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
}

/// Parses a whole document within limits. Fails if the parser panics, or reads other elements than
/// browsers.
pub(super) fn parse(text: &str, limits: &Limits) -> Result<Tree, Error> {
    let expected = Reading::scan(text, limits.attributes)?;
    // The panic drops the tree, so none of its state is observed afterwards.
    let parse = AssertUnwindSafe(|| parse_as(expected, text, limits));
    catch_unwind(parse).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Error::parser(text.unwrap_or("it panicked"))
    })?
}

fn parse_as(expected: Reading, text: &str, limits: &Limits) -> Result<Tree, Error> {
    // The content of `noscript` is text, whose links `walk` finds.
    let options = TreeBuilderOpts { scripting_enabled: true, ..TreeBuilderOpts::default() };
    let tokens = Tokens {
        builder: TreeBuilder::new(Sink::new(limits, text.len()), options),
        expected,
        found: RefCell::default(),
        failed: RefCell::default(),
    };
    // The caller removed the byte order mark. html5ever drops the character at the start of any
    // piece of input, also after an encoding declaration.
    let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(tokens, options);
    let input = BufferQueue::default();
    let mut rest = text;
    while !rest.is_empty() && !tokenizer.sink.has_failed() {
        let (piece, after) = rest.split_at(piece_end(rest));
        input.push_back(StrTendril::from_slice(piece));
        rest = after;
        feed(&tokenizer, &input);
    }
    if !tokenizer.sink.has_failed() {
        tokenizer.end();
    }
    let Tokens { builder, expected, found, failed, .. } = tokenizer.sink;
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    let Sink { dom, clones, cloned, .. } = builder.sink;
    if !found.into_inner().is_complete(&expected, cloned.get()) {
        return Err(differs("html"));
    }
    Ok(Tree {
        document: dom.document,
        quirks_mode: dom.quirks_mode.get(),
        clones: clones.into_inner(),
    })
}

fn piece_end(text: &str) -> usize {
    (PIECE..text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len())
}

/// The tokenizer pauses at scripts and at encoding declarations; neither matters here.
fn feed(tokenizer: &Tokenizer<Tokens>, input: &BufferQueue) {
    while !matches!(tokenizer.feed(input), TokenizerResult::Done) {}
}

/// Passes tokens from the tokenizer to the tree builder.
struct Tokens {
    builder: TreeBuilder<Handle, Sink>,
    expected: Reading,
    found: RefCell<Reading>,
    /// The reason to stop; later tokens are dropped.
    failed: RefCell<Option<Error>>,
}

impl Tokens {
    fn has_failed(&self) -> bool {
        self.failed.borrow().is_some()
    }

    /// Records a step, and fails if another step is expected.
    fn add(&self, step: Step, tag: Arguments<'_>) {
        if !self.found.borrow_mut().follow(&self.expected, step) {
            self.failed.borrow_mut().get_or_insert_with(|| differs(&tag.to_string()));
        }
    }

    fn add_current_node(&self, tag: Arguments<'_>) -> bool {
        let is_foreign = self.builder.adjusted_current_node_present_but_not_in_html_namespace();
        self.add(Step::Foreign(is_foreign), tag);
        is_foreign
    }

    /// The namespace of the element that the start tag became. The tree builder creates implied
    /// elements and clones first, and the tag's own element last.
    fn own_namespace(&self, tag: &str) -> Option<Namespace> {
        let (node, name) = self.builder.sink.last_made.take()?;
        let is_image = tag == "image" && name.local == local_name!("img");
        if !is_image && !str::eq_ignore_ascii_case(&name.local, tag) {
            return None;
        }
        self.builder.sink.set_original(node);
        Some(namespace(&name))
    }
}

impl TokenSink for Tokens {
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
        sink.last_made.take();
        let result = self.builder.process_token(token, line);
        match tag {
            Some((TagKind::StartTag, name)) => {
                self.add(Step::Tag(self.own_namespace(&name)), format_args!("{name}"));
            }
            Some((TagKind::EndTag, name)) => {
                self.add_current_node(format_args!("/{name}"));
            }
            None => {}
        }
        if let Some((limit, max)) = sink.exceeded() {
            self.failed.replace(Some(Error::limit(limit, max, Some(Location::Line(line)))));
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.add_current_node(format_args!("!"))
    }
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
