//! The base is that of the tree that html5ever builds where scripts run, which has text in
//! `noscript`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use absolve::{BaseScope, Engine, Summary};
use html5ever::driver::ParseOpts;
use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{local_name, ns, parse_document};
use markup5ever_rcdom::{NodeData, RcDom};

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

/// The `href` of the first `base` element that has one.
fn in_tree(text: &str, scope: BaseScope) -> Option<String> {
    let tree_builder = TreeBuilderOpts { scripting_enabled: true, ..TreeBuilderOpts::default() };
    let tokenizer = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let dom = parse_document(RcDom::default(), ParseOpts { tokenizer, tree_builder }).one(text);
    let mut work = vec![(dom.document.clone(), scope == BaseScope::Document)];
    while let Some((node, mut is_in_scope)) = work.pop() {
        if let NodeData::Element { name, attrs, .. } = &node.data
            && name.ns == ns!(html)
        {
            is_in_scope |= name.local == local_name!("head");
            let attrs = attrs.borrow();
            let href = attrs.iter().find(|one| one.name.local == local_name!("href"));
            if let Some(href) = href
                && is_in_scope
                && name.local == local_name!("base")
            {
                return Some(href.value.to_string());
            }
        }
        work.extend(node.children.borrow().iter().rev().map(|child| (child.clone(), is_in_scope)));
    }
    None
}
