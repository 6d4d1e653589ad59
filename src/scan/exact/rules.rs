//! Opens and closes elements: scopes, formatting elements, and the adoption agency algorithm.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#adoption-agency-algorithm>

use super::names::{
    BUTTON_SCOPE, DECIDES_MODE, DEFAULT_SCOPE, ENDS_ITEM_SEARCH, Id, KNOWN_COUNT, LIST_SCOPE,
    SPECIAL, TABLE_SCOPE, TEMPLATE, Traits, has_trait, iterate_indexed,
};
use super::stack::{EntryKind, NONE, Stack, StackEntry};

/// The set of elements that bound a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Default,
    List,
    Button,
    Table,
}

impl Stack {
    /// Returns the current node, if that is an entry.
    #[inline]
    pub(super) fn current_entry(&self) -> Option<&StackEntry> {
        self.entries.last().filter(|top| top.last == NONE)
    }

    /// Returns the current node, if that is foreign.
    #[inline]
    pub(super) fn current_foreign(&self) -> Option<&StackEntry> {
        self.current_entry().filter(|top| top.kind != EntryKind::Html)
    }

    /// Whether the current node is an HTML element of this name.
    pub(super) fn current_is(&self, name: Id) -> bool {
        match self.entries.last() {
            Some(top) if top.last != NONE => self.nodes[top.last as usize].name == name,
            Some(top) => top.kind == EntryKind::Html && top.name == name,
            None => false,
        }
    }

    /// Whether the current node is an HTML element with one of the properties.
    pub(super) fn current_has(&self, wanted: Traits) -> bool {
        match self.entries.last() {
            Some(top) if top.last != NONE => has_trait(self.nodes[top.last as usize].name, wanted),
            Some(top) => top.kind == EntryKind::Html && has_trait(top.name, wanted),
            None => false,
        }
    }

    /// Finds the highest HTML entry of a name.
    fn find_highest_entry(&mut self, name: Id) -> Option<u32> {
        find_live(&mut self.highest[name.index()].html, &self.entries)
    }

    /// Finds the highest foreign entry of a name.
    pub(super) fn find_highest_foreign(&mut self, name: Id) -> Option<u32> {
        find_live(&mut self.highest[name.index()].foreign, &self.entries)
    }

    /// Finds the highest node of a name.
    fn find_highest_node(&self, name: Id) -> Option<u32> {
        Some(self.highest[name.index()].node).filter(|&id| id != NONE)
    }

    /// Whether a `template` is on the stack.
    #[inline]
    pub(super) fn in_template(&self) -> bool {
        self.has(TEMPLATE)
    }

    /// Whether an HTML entry of this name is on the stack; not for `form`, which may be dead.
    #[inline]
    pub(super) fn has(&self, name: Id) -> bool {
        self.highest[name.index()].html != NONE
    }

    /// Finds the highest entry with one of the properties, dead or not; else the root.
    fn find_highest_with(&self, wanted: Traits) -> u32 {
        let lists = iterate_indexed(wanted).map(|property| &self.by_trait[property]);
        lists.filter_map(|list| list.last().copied()).max().unwrap_or(0)
    }

    /// Finds the nearest boundary of a scope.
    pub(super) fn find_boundary(&self, scope: Scope) -> u32 {
        self.find_highest_with(match scope {
            Scope::Default => DEFAULT_SCOPE,
            Scope::List => DEFAULT_SCOPE | LIST_SCOPE,
            Scope::Button => DEFAULT_SCOPE | BUTTON_SCOPE,
            Scope::Table => TABLE_SCOPE,
        })
    }

    /// Finds the nearest special element.
    fn find_nearest_special(&mut self) -> u32 {
        self.drop_dead(SPECIAL);
        self.find_highest_with(SPECIAL)
    }

    /// Finds the nearest element of [`ENDS_ITEM_SEARCH`], which a new item closes if it is an item.
    pub(super) fn find_item_to_close(&mut self) -> Option<Id> {
        self.drop_dead(ENDS_ITEM_SEARCH);
        let entry = self.entries.get(self.find_highest_with(ENDS_ITEM_SEARCH) as usize)?;
        (entry.kind == EntryKind::Html).then_some(entry.name)
    }

    /// Removes the dead entries at the ends of the lists for these properties.
    fn drop_dead(&mut self, wanted: Traits) {
        for property in iterate_indexed(wanted) {
            while self.by_trait[property]
                .pop_if(|last| self.entries[*last as usize].is_dead)
                .is_some()
            {}
        }
    }

    /// Finds the name of the nearest element that decides the insertion mode.
    pub(super) fn find_mode_element(&self) -> Option<Id> {
        Some(self.entries.get(self.find_highest_with(DECIDES_MODE) as usize)?.name)
    }

    /// Finds the lowest entry of the run of foreign elements that ends with the current node.
    ///
    /// A run grows downwards when an HTML element between two runs leaves the middle of the stack.
    /// The search stores its result in every run that it passes, so it passes each run once.
    pub(super) fn find_foreign_run(&mut self) -> u32 {
        let top = self.len().saturating_sub(1);
        let Some(mut run) = self.entries.last().map(|top| top.run) else { return 0 };
        while let Some(next) = self.find_run_below(run) {
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

    /// Finds the start of the run that ends directly below another run, if there is one.
    fn find_run_below(&self, run: u32) -> Option<u32> {
        let below = &self.entries[run.checked_sub(1)? as usize];
        let is_foreign = below.kind != EntryKind::Html || below.is_dead;
        (is_foreign && below.last == NONE).then(|| below.run.min(run - 1))
    }

    /// Whether the entry is on the stack.
    fn is_live(&self, index: u32) -> bool {
        self.entries.get(index as usize).is_some_and(|entry| !entry.is_dead)
    }
}

/// Finds the highest live entry of a name. Stores it in `highest`, to pass each dead entry once.
fn find_live(highest: &mut u32, entries: &[StackEntry]) -> Option<u32> {
    while *highest != NONE && entries[*highest as usize].is_dead {
        *highest = entries[*highest as usize].previous;
    }
    (*highest != NONE).then_some(*highest)
}

/// Maximum formatting elements that are reopened at once, or compared with a new one.
///
/// NOTE: the Standard has no limit. Without a limit, each `<p>` after n unclosed formatting
/// elements takes n steps. Reopened elements only decide whether an end tag inside an integration
/// point of foreign content closes that point, and for this the last elements are enough.
const MAX_INSPECTED: usize = 64;

/// The outcome of the adoption agency algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adoption {
    /// The algorithm did not apply to the item in the list, which stays in the list.
    NotApplied,
    /// The algorithm closed the element, or found none.
    Done,
}

impl Stack {
    /// <https://html.spec.whatwg.org/multipage/parsing.html#has-an-element-in-the-specific-scope>
    pub(super) fn in_scope(&mut self, scope: Scope, name: Id) -> bool {
        let entry = self.find_highest_entry(name);
        let node = self.find_highest_node(name).map(|id| self.nodes[id as usize].owner);
        entry.max(node).is_some_and(|index| index >= self.find_boundary(scope))
    }

    /// Pops the highest HTML element of this name, and all above it.
    pub(super) fn pop_through(&mut self, name: Id) {
        if let Some(index) = self.find_highest_entry(name) {
            self.truncate(index);
        } else if let Some(id) = self.find_highest_node(name) {
            self.truncate_node(id);
        }
    }

    /// Pops the highest of these HTML elements, and all above it, if the element is in scope.
    pub(super) fn pop_through_any(&mut self, scope: Scope, names: &[Id]) -> bool {
        match self.find_highest_named(names) {
            Some(index) if index >= self.find_boundary(scope) => {
                self.truncate(index);
                true
            }
            _ => false,
        }
    }

    /// Finds the highest entry with any of these names.
    fn find_highest_named(&mut self, names: &[Id]) -> Option<u32> {
        names.iter().filter_map(|&name| self.find_highest_entry(name)).max()
    }

    /// Pops until the current node is one of these HTML elements, or the root.
    pub(super) fn pop_to(&mut self, names: &[Id]) {
        let index = self.find_highest_named(names).unwrap_or(0);
        self.truncate(index + 1);
        self.clear_group();
    }

    /// Processes an end tag for which the body has no rule: "any other end tag".
    ///
    /// <https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody>
    pub(super) fn close_other(&mut self, name: Id) {
        let special = self.find_nearest_special();
        if let Some(index) = self.find_highest_entry(name) {
            if index >= special {
                self.truncate(index);
            }
        } else if let Some(id) = self.find_highest_node(name)
            && self.nodes[id as usize].owner >= special
        {
            self.truncate_node(id);
        }
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#reconstruct-the-active-formatting-elements>
    pub(super) fn reconstruct(&mut self) {
        if !self.formatting.needs_reopening() {
            return;
        }
        let mut id = self.formatting.tail;
        for _ in 1..MAX_INSPECTED {
            let previous = self.formatting.items[id as usize].previous;
            if !self.formatting.is_closed(previous) {
                break;
            }
            id = previous;
        }
        if self.formatting.is_closed(self.formatting.items[id as usize].previous) {
            self.formatting.clones = usize::MAX;
        }
        while id != NONE {
            let item = &self.formatting.items[id as usize];
            let (name, next) = (item.name, item.next);
            if let Some(node) = self.push(name) {
                self.nodes[node as usize].item = id;
                self.formatting.items[id as usize].node = node;
                self.formatting.add_clone();
            }
            id = next;
        }
    }

    /// Pushes a formatting element onto the stack and the list.
    ///
    /// `hash` maps the offset of a start tag to a hash, which is equal for equal attributes.
    pub(super) fn push_formatting(&mut self, name: Id, start: usize, hash: impl Fn(usize) -> u64) {
        self.apply_noahs_ark(name, start, hash);
        if let Some(node) = self.push(name) {
            self.nodes[node as usize].item = self.formatting.push(name, start, node);
        }
    }

    /// Removes the earliest of three elements after the last marker that are equal to a new element
    /// ([Noah's Ark clause][spec]).
    ///
    /// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#push-onto-the-list-of-active-formatting-elements
    fn apply_noahs_ark(&mut self, name: Id, start: usize, digest: impl Fn(usize) -> u64) {
        let mut namesakes = 0;
        let mut id = self.formatting.find(name);
        while let Some(at) = id.filter(|_| namesakes < MAX_INSPECTED) {
            namesakes += 1;
            id = self.formatting.find_before(at);
        }
        if namesakes < 3 {
            return;
        }
        let wanted = digest(start);
        let (mut equal, mut earliest) = (0, NONE);
        let mut id = self.formatting.find(name);
        for _ in 0..namesakes {
            let Some(at) = id else { break };
            let item = &mut self.formatting.items[at as usize];
            let start = item.start;
            if *item.digest.get_or_insert_with(|| digest(start)) == wanted {
                equal += 1;
                earliest = at;
            }
            id = self.formatting.find_before(at);
        }
        if equal >= 3 {
            self.forget(earliest);
        }
    }

    /// Removes an item from the list; its element stays open.
    fn forget(&mut self, item: u32) {
        let node = self.formatting.remove(item);
        if node != NONE {
            self.nodes[node as usize].item = NONE;
        }
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#clear-the-list-of-active-formatting-elements-up-to-the-last-marker>
    pub(super) fn clear_to_marker(&mut self) {
        while let Some(node) = self.formatting.pop() {
            if node != NONE {
                self.nodes[node as usize].item = NONE;
            }
        }
    }

    /// Closes the `a` on the list of formatting elements, as a start tag `a` does.
    pub(super) fn close_a(&mut self, name: Id) {
        let Some(item) = self.formatting.find(name) else { return };
        if self.run_adoption_agency(name) == Adoption::NotApplied {
            let node = self.formatting.remove(item);
            if node != NONE {
                self.nodes[node as usize].item = NONE;
                self.remove_node(node);
            }
        }
    }

    /// Runs the adoption agency algorithm, in at most eight rounds as in the Standard.
    pub(super) fn run_adoption_agency(&mut self, subject: Id) -> Adoption {
        debug_assert!(subject.index() < KNOWN_COUNT);
        let current = self.entries.last().map_or(NONE, |top| top.last);
        if current != NONE {
            let node = &self.nodes[current as usize];
            if node.name == subject && node.item == NONE {
                self.remove_node(current);
                return Adoption::NotApplied;
            }
        }
        for round in 0..8 {
            let Some(item) = self.formatting.find(subject) else {
                self.close_other(subject);
                return Adoption::Done;
            };
            let node = self.formatting.items[item as usize].node;
            if node == NONE {
                self.formatting.remove(item);
                return Adoption::Done;
            }
            let owner = self.nodes[node as usize].owner;
            if owner < self.find_boundary(Scope::Default) {
                return if round == 0 { Adoption::NotApplied } else { Adoption::Done };
            }
            let Some(block) = self.find_furthest_block(owner) else {
                self.forget(item);
                self.truncate_node(node);
                return Adoption::Done;
            };
            let bookmark = self.remove_between(node, owner, block);
            self.formatting.add_clone();
            if bookmark != NONE {
                self.formatting.move_after(item, bookmark);
            }
            self.lift(node, block);
        }
        Adoption::Done
    }

    /// Finds the lowest special element above an entry, the "furthest block". The total time is
    /// linear: the caller pops or removes the elements that a search passed.
    fn find_furthest_block(&self, owner: u32) -> Option<u32> {
        (owner + 1..self.len()).find(|&index| self.is_live(index) && self.entry(index).is_special())
    }

    /// Removes the elements between the formatting element and the furthest block, but keeps
    /// formatting elements among the highest three elements. Returns the item of the highest kept
    /// element, the bookmark of the algorithm, or [`NONE`].
    fn remove_between(&mut self, formatting: u32, owner: u32, block: u32) -> u32 {
        let (mut passed, mut bookmark) = (0, NONE);
        for index in (owner..block).rev() {
            let mut id = self.entry(index).last;
            while id != NONE && id != formatting {
                let previous = self.nodes[id as usize].previous;
                let item = self.nodes[id as usize].item;
                passed += 1;
                if item == NONE {
                    self.remove_node(id);
                } else if passed > 3 {
                    self.forget(item);
                    self.remove_node(id);
                } else {
                    self.formatting.add_clone();
                    bookmark = if bookmark == NONE { item } else { bookmark };
                }
                id = previous;
            }
            if index > owner && self.is_live(index) && self.entry(index).kind != EntryKind::Html {
                passed += 1;
                self.remove_entry(index);
            }
        }
        bookmark
    }
}
