//! The base is that of the tree that html5ever builds where scripts run, which has text in
//! `noscript`; of one outside the head, the source says whether its author has it there.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use absolve::{BaseScope, Engine, Summary};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{TokenizerResult, local_name, ns};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use super::{Settings, found, same};

pub(super) fn is_that_of_the_tree(
    settings: &Settings,
    text: &str,
    summary: &Summary,
) -> Result<(), String> {
    let Ok(href) = catch_unwind(AssertUnwindSafe(|| in_tree(text, settings.scope))) else {
        return Ok(());
    };
    let href = href.map(|href| href.replace('&', "&amp;").replace('"', "&quot;"));
    let alone = href.map_or(String::new(), |href| format!("<base href=\"{href}\">"));
    let settings = Settings { encoding: Some("utf-8"), ..settings.clone() };
    let (_, expected) = found(&settings.rewriter(Engine::Splice), alone.as_bytes())?;
    let base = |summary: &Summary| (summary.base().map(ToString::to_string), summary.base_source());
    same("the base and that of the tree", &base(summary), &base(&expected))
}

/// The `href` of the `base` element that counts.
fn in_tree(text: &str, scope: BaseScope) -> Option<String> {
    let options = TreeBuilderOpts { scripting_enabled: true, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(RcDom::default(), options);
    let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(Heads { builder, early: RefCell::default() }, options);
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let Heads { builder, early } = tokenizer.sink;
    let Base { node, href, is_in_head } = bases(&builder.sink).into_iter().next()?;
    let is_early = || early.borrow().iter().flatten().any(|one| Rc::ptr_eq(one, &node));
    (is_in_head || scope == BaseScope::Document || is_early()).then_some(href)
}

/// The tree builder, with a look at what was there when the head ended in the source.
struct Heads {
    builder: TreeBuilder<Handle, RcDom>,
    /// The `base` elements before the end tag of the head and the start tag of the body.
    early: RefCell<Option<Vec<Handle>>>,
}

impl TokenSink for Heads {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        let is_end = match &token {
            Token::TagToken(tag) => matches!(
                (tag.kind, &*tag.name),
                (TagKind::EndTag, "head") | (TagKind::StartTag, "body")
            ),
            _ => false,
        };
        if is_end {
            let found = || bases(&self.builder.sink).into_iter().map(|base| base.node).collect();
            self.early.borrow_mut().get_or_insert_with(found);
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

struct Base {
    node: Handle,
    href: String,
    is_in_head: bool,
}

/// The `base` elements that have an `href`, in the order of the tree.
fn bases(dom: &RcDom) -> Vec<Base> {
    let mut found = Vec::new();
    let mut work = vec![(dom.document.clone(), false)];
    while let Some((node, mut is_in_head)) = work.pop() {
        if let NodeData::Element { name, attrs, .. } = &node.data
            && name.ns == ns!(html)
        {
            is_in_head |= name.local == local_name!("head");
            let attrs = attrs.borrow();
            let href = attrs.iter().find(|one| one.name.local == local_name!("href"));
            if let Some(href) = href
                && name.local == local_name!("base")
            {
                let (node, href) = (node.clone(), href.value.to_string());
                found.push(Base { node, href, is_in_head });
            }
        }
        work.extend(node.children.borrow().iter().rev().map(|child| (child.clone(), is_in_head)));
    }
    found
}
