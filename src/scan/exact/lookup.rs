//! Questions to the stack of open elements. None of them walks it.

use super::elements::{Entry, Kind, NONE, Scope};
use super::names::{Id, TEMPLATE};
use super::sets::{
    ANCHOR, BUTTON_SCOPE, DEFAULT_SCOPE, HARD, LIST_SCOPE, SPECIAL, TABLE_SCOPE, Traits, is,
    nearest,
};
use super::stack::Stack;

impl Stack {
    /// The current node where it is an entry.
    #[inline]
    pub(super) fn current_entry(&self) -> Option<&Entry> {
        self.entries.last().filter(|top| top.last == NONE)
    }

    /// The current node where it is foreign.
    #[inline]
    pub(super) fn current_foreign(&self) -> Option<&Entry> {
        self.current_entry().filter(|top| top.kind != Kind::Html)
    }

    /// Whether the current node is an HTML element of this name.
    pub(super) fn current_is(&self, name: Id) -> bool {
        match self.entries.last() {
            Some(top) if top.last != NONE => self.nodes[top.last as usize].name == name,
            Some(top) => top.kind == Kind::Html && top.name == name,
            None => false,
        }
    }

    /// Whether the current node is an HTML element with one of the properties.
    pub(super) fn current_has(&self, wanted: Traits) -> bool {
        match self.entries.last() {
            Some(top) if top.last != NONE => is(self.nodes[top.last as usize].name, wanted),
            Some(top) => top.kind == Kind::Html && is(top.name, wanted),
            None => false,
        }
    }

    /// The highest HTML entry of a name.
    pub(super) fn highest_entry(&mut self, name: Id) -> Option<u32> {
        live(&mut self.highest[name.index()].html, &self.entries)
    }

    /// The highest foreign entry of a name.
    pub(super) fn highest_foreign(&mut self, name: Id) -> Option<u32> {
        live(&mut self.highest[name.index()].foreign, &self.entries)
    }

    /// The highest node of a name.
    pub(super) fn highest_node(&self, name: Id) -> Option<u32> {
        Some(self.highest[name.index()].node).filter(|&id| id != NONE)
    }

    /// Whether there is a `template` on the stack.
    #[inline]
    pub(super) fn in_template(&self) -> bool {
        self.has(TEMPLATE)
    }

    /// Whether an HTML entry of this name is on the stack; not for `form`.
    #[inline]
    pub(super) fn has(&self, name: Id) -> bool {
        self.highest[name.index()].html != NONE
    }

    /// The highest entry with one of the properties, dead or not; the root bounds everything.
    fn highest_with(&self, wanted: Traits) -> u32 {
        let lists = nearest(wanted).map(|place| &self.with[place]);
        lists.filter_map(|list| list.last().copied()).max().unwrap_or(0)
    }

    /// The nearest boundary of a scope.
    pub(super) fn boundary(&self, scope: Scope) -> u32 {
        self.highest_with(match scope {
            Scope::Default => DEFAULT_SCOPE,
            Scope::List => DEFAULT_SCOPE | LIST_SCOPE,
            Scope::Button => DEFAULT_SCOPE | BUTTON_SCOPE,
            Scope::Table => TABLE_SCOPE,
        })
    }

    /// The nearest special element.
    pub(super) fn nearest_special(&mut self) -> u32 {
        self.forget_dead(SPECIAL);
        self.highest_with(SPECIAL)
    }

    /// The name of the nearest special HTML element that is no `address`, `div` or `p`.
    pub(super) fn nearest_hard(&mut self) -> Option<Id> {
        self.forget_dead(HARD);
        let entry = self.entries.get(self.highest_with(HARD) as usize)?;
        (entry.kind == Kind::Html).then_some(entry.name)
    }

    /// Takes the dead entries off the end of a list.
    fn forget_dead(&mut self, wanted: Traits) {
        for place in nearest(wanted) {
            while self.with[place].pop_if(|last| self.entries[*last as usize].dead).is_some() {}
        }
    }

    /// The name of the nearest element that decides the insertion mode.
    pub(super) fn anchor(&self) -> Option<Id> {
        Some(self.entries.get(self.highest_with(ANCHOR) as usize)?.name)
    }

    /// The lowest of the foreign elements that follow each other down from the current node.
    ///
    /// A run grows downwards when an HTML element between two of them leaves from the middle.
    /// Every run passed on the way learns the result, so that none is passed twice.
    pub(super) fn foreign_run(&mut self) -> u32 {
        let top = self.len().saturating_sub(1);
        let Some(mut run) = self.entries.last().map(|top| top.run) else { return 0 };
        while let Some(next) = self.run_below(run) {
            run = next;
        }
        let mut at = top;
        while at > run {
            let next = self.entries[at as usize].run;
            self.entries[at as usize].run = run;
            at = next.saturating_sub(1);
        }
        run
    }

    /// Where the run begins that ends right under a run.
    fn run_below(&self, run: u32) -> Option<u32> {
        let below = &self.entries[run.checked_sub(1)? as usize];
        let is_foreign = below.kind != Kind::Html || below.dead;
        (is_foreign && below.last == NONE).then(|| below.run.min(run - 1))
    }

    /// Whether the entry still counts.
    pub(super) fn is_live(&self, index: u32) -> bool {
        self.entries.get(index as usize).is_some_and(|entry| !entry.dead)
    }
}

/// The highest entry of a name that still counts, which is then known without those above it.
fn live(highest: &mut u32, entries: &[Entry]) -> Option<u32> {
    while *highest != NONE && entries[*highest as usize].dead {
        *highest = entries[*highest as usize].previous;
    }
    (*highest != NONE).then_some(*highest)
}
