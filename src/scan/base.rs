//! The `base` elements of a document, as a browser that runs scripts has them.
//!
//! To such a browser the content of `noscript` is text: it neither ends the head nor holds a
//! `base`. Its links count all the same, so that a scan without scripting finds those.

use std::ops::ControlFlow;

use super::events::{Namespace, Placement, Sink, StartTag, TreeAction};
use super::exact::{self, Rules};
use super::tags::{has_href, may_have_tag};
use crate::link::BaseScope;

/// A `base` element with an `href`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BaseElement {
    /// Where its tag begins.
    pub(crate) start: usize,
    pub(crate) place: Placement,
}

impl BaseElement {
    /// Whether it counts if it is the first.
    pub(crate) fn counts(self, scope: BaseScope) -> bool {
        match self.place {
            Placement::Head => true,
            Placement::Body => scope == BaseScope::Document,
            Placement::Template => false,
        }
    }
}

/// The first that is not in a template. If it is not in the head, the head ended before it, so that
/// no later one is.
pub(crate) fn first_base(source: &[u8]) -> Option<BaseElement> {
    find(Rules::Scripting, source, Wanted::First).pop()
}

/// All of them by these rules, in the order of the source.
pub(crate) fn all_bases(rules: Rules, source: &[u8]) -> Vec<BaseElement> {
    find(rules, source, Wanted::All)
}

fn find(rules: Rules, source: &[u8], wanted: Wanted) -> Vec<BaseElement> {
    let mut finder = Finder { source, wanted, found: Vec::new() };
    let _ = exact::scan_by(rules, source, &mut finder);
    finder.found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    First,
    All,
}

struct Finder<'s> {
    source: &'s [u8],
    wanted: Wanted,
    found: Vec<BaseElement>,
}

impl Sink for Finder<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        if tag.namespace != Namespace::Html || tag.action != TreeAction::Inserted {
            return ControlFlow::Continue(());
        }
        let name = &self.source[tag.name.clone()];
        if name.eq_ignore_ascii_case(b"frameset") {
            // It replaces the body, if there is one.
            self.found.retain(|base| base.place != Placement::Body);
        }
        if !name.eq_ignore_ascii_case(b"base") || !has_href(self.source, tag.name.end) {
            return ControlFlow::Continue(());
        }
        let base = BaseElement { start: tag.span.start, place: tag.place };
        if self.wanted == Wanted::All {
            self.found.push(base);
        } else if self.found.is_empty() && base.place != Placement::Template {
            self.found.push(base);
            let is_replaced = || may_have_tag(&self.source[tag.span.end..], b"frameset");
            if base.place == Placement::Head || !is_replaced() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}
