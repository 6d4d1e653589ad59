//! From text to html5ever's tree, with a bound on depth and with a note of which
//! elements are clones.

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use html5ever::TokenizerResult;
use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use markup5ever_rcdom::{Handle, Node};

use super::encoding;
use super::sink::{Sink, is_formatting};
use crate::error::{Error, Limit, Location};
use crate::link::Limits;

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
    let sink = Sink::new(limits, text.len());
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
        if sink.is_too_deep.get() {
            self.failed.set(Some((Limit::Depth, line)));
        } else if sink.has_too_many() {
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
