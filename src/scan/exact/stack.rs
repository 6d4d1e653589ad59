//! The stack of open elements and the list of active formatting elements, as indexed names.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#the-stack-of-open-elements>
//!
//! The rules distinguish two sorts of elements:
//!
//! - **Entries**: special HTML elements and all foreign elements, whose order never changes. An
//!   entry that leaves the stack from the middle, such as a `form`, stays as a dead entry, so
//!   indices stay valid. Each property, such as bounding a scope, has a list of its entries, of
//!   which the last is the nearest.
//! - **Nodes**: the other HTML elements (`span`, `b`, unknown names). They only decide whether the
//!   current node is an HTML element, and which end tags close them. A node is in the group of the
//!   entry below it, a doubly linked list, as the adoption agency moves nodes.
//!
//! A query takes constant time. A change takes time proportional to the elements that it removes,
//! and each element is removed once.

use super::names::{
    DEFAULT_SCOPE, ENDS_ITEM_SEARCH, FORM, INDEXED_COUNT, Id, KNOWN_COUNT, SCRIPT, SPECIAL, STYLE,
    Traits, has_trait, iterate_indexed, traits,
};

/// The index of no entry, node or item: no source has 4 Gi elements.
pub(super) const NONE: u32 = u32::MAX;

/// The namespace of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    Html,
    Svg,
    MathMl,
}

/// The effect of a foreign element on the tokens inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integration {
    /// The tokens follow the rules for foreign content.
    None,
    /// <https://html.spec.whatwg.org/multipage/parsing.html#mathml-text-integration-point>
    Text,
    /// <https://html.spec.whatwg.org/multipage/parsing.html#html-integration-point>
    Html,
    /// An `annotation-xml` that is both of these.
    HtmlAnnotation,
    /// An `annotation-xml` that is not an integration point.
    Annotation,
}

/// A special HTML element or a foreign element on the stack.
#[derive(Clone, Debug)]
pub(super) struct StackEntry {
    pub(super) name: Id,
    pub(super) kind: EntryKind,
    pub(super) integration: Integration,
    /// Whether the entry has left the middle of the stack. A dead entry has an empty group, and is
    /// never at the top.
    pub(super) is_dead: bool,
    /// The next lower entry with the same name, among HTML entries or among foreign entries.
    pub(super) previous: u32,
    /// The lowest entry of the run of adjacent foreign entries that ends here.
    pub(super) run: u32,
    /// The lowest and the highest node of the group.
    pub(super) first: u32,
    pub(super) last: u32,
}

impl StackEntry {
    /// <https://html.spec.whatwg.org/multipage/parsing.html#special>
    pub(super) fn is_special(&self) -> bool {
        self.kind == EntryKind::Html || self.integration != Integration::None
    }
}

/// An HTML element that is not special.
#[derive(Clone, Debug)]
pub(super) struct StackNode {
    pub(super) name: Id,
    /// The entry whose group contains the node.
    pub(super) owner: u32,
    /// The nodes below and above it in the group.
    pub(super) previous: u32,
    pub(super) next: u32,
    /// The nodes of the same name below and above it on the stack.
    pub(super) previous_same: u32,
    pub(super) next_same: u32,
    /// The item of the node in the list of active formatting elements.
    pub(super) item: u32,
}

/// The highest HTML entry, foreign entry and node of a name.
#[derive(Clone, Copy)]
pub(super) struct Highest {
    pub(super) html: u32,
    pub(super) foreign: u32,
    pub(super) node: u32,
}

/// The value for a name without an open element.
const NO_ELEMENT: Highest = Highest { html: NONE, foreign: NONE, node: NONE };

/// The form element pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormPointer {
    Null,
    /// The pointer refers to an entry.
    Open(u32),
    /// The pointer refers to an element that has left the stack.
    Closed,
}

/// The stack of open elements and the list of active formatting elements.
pub(super) struct Stack {
    pub(super) entries: Vec<StackEntry>,
    pub(super) nodes: Vec<StackNode>,
    pub(super) formatting: FormattingList,
    pub(super) form: FormPointer,
    /// The number of `style` and `script` elements of SVG on the stack.
    pub(super) styles_open: usize,
    /// The number of such elements that were popped, but not yet reported.
    pub(super) styles_closed: usize,
    /// The unused indices of `nodes`.
    free: Vec<u32>,
    /// The highest elements by index of their name.
    pub(super) highest: Vec<Highest>,
    /// By index of a property: the entries that have it, in ascending order; some may be dead.
    pub(super) by_trait: [Vec<u32>; INDEXED_COUNT],
}

/// The buffers of a stack, which serve one document after another: new buffers would grow by copies
/// to memory that is not in the caches.
#[derive(Debug, Default)]
pub(crate) struct ScannerBuffers {
    entries: Vec<StackEntry>,
    nodes: Vec<StackNode>,
    by_trait: [Vec<u32>; INDEXED_COUNT],
}

/// Whether the sink receives the text of an element, as it may be CSS or JSON.
pub(super) fn reports_text(name: Id, kind: EntryKind) -> bool {
    kind == EntryKind::Svg && (name == STYLE || name == SCRIPT)
}

/// Returns the properties of an entry. Foreign integration points are special and bound scopes.
fn entry_traits(name: Id, kind: EntryKind, integration: Integration) -> Traits {
    match (kind, integration) {
        (EntryKind::Html, _) => traits(name),
        (_, Integration::None) => 0,
        _ => DEFAULT_SCOPE | SPECIAL | ENDS_ITEM_SEARCH,
    }
}

/// Narrows an index to 32 bits; `NONE` if it does not fit.
fn to_index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}

impl Stack {
    pub(super) fn new(buffers: &mut ScannerBuffers) -> Self {
        let ScannerBuffers { mut entries, mut nodes, mut by_trait } = std::mem::take(buffers);
        entries.clear();
        nodes.clear();
        by_trait.iter_mut().for_each(Vec::clear);
        Stack {
            entries,
            nodes,
            formatting: FormattingList::default(),
            form: FormPointer::Null,
            styles_open: 0,
            styles_closed: 0,
            free: Vec::new(),
            highest: vec![NO_ELEMENT; KNOWN_COUNT],
            by_trait,
        }
    }

    /// Returns the buffers, for the next document.
    pub(super) fn into_buffers(self) -> ScannerBuffers {
        ScannerBuffers { entries: self.entries, nodes: self.nodes, by_trait: self.by_trait }
    }

    /// Grows the table of names to `count` names.
    pub(super) fn grow_names(&mut self, count: usize) {
        if count > self.highest.len() {
            self.highest.resize(count, NO_ELEMENT);
        }
    }

    pub(super) fn len(&self) -> u32 {
        to_index(self.entries.len())
    }

    /// Whether the current node is an entry of this name.
    pub(super) fn is_innermost(&self, name: Id) -> bool {
        self.entries.last().is_some_and(|top| top.name == name && top.last == NONE)
    }

    pub(super) fn entry(&self, index: u32) -> &StackEntry {
        &self.entries[index as usize]
    }

    /// Pushes an HTML element; returns the index of its node, if the element is not special.
    #[inline]
    pub(super) fn push(&mut self, name: Id) -> Option<u32> {
        if has_trait(name, SPECIAL) {
            self.push_entry(name, EntryKind::Html, Integration::None);
            return None;
        }
        Some(self.push_node(name))
    }

    /// Pushes a special or foreign element.
    pub(super) fn push_entry(&mut self, name: Id, kind: EntryKind, integration: Integration) {
        let index = self.len();
        for property in iterate_indexed(entry_traits(name, kind, integration)) {
            self.by_trait[property].push(index);
        }
        if reports_text(name, kind) {
            self.styles_open += 1;
        }
        let highest = &mut self.highest[name.index()];
        let highest =
            if kind == EntryKind::Html { &mut highest.html } else { &mut highest.foreign };
        let previous = std::mem::replace(highest, index);
        let run = match self.entries.last() {
            Some(below)
                if kind != EntryKind::Html
                    && below.kind != EntryKind::Html
                    && below.last == NONE =>
            {
                below.run
            }
            _ => index,
        };
        self.entries.push(StackEntry {
            name,
            kind,
            integration,
            is_dead: false,
            previous,
            run,
            first: NONE,
            last: NONE,
        });
    }

    fn push_node(&mut self, name: Id) -> u32 {
        let owner = self.len() - 1;
        let previous = self.entries[owner as usize].last;
        let previous_same = self.highest[name.index()].node;
        let node = StackNode {
            name,
            owner,
            previous,
            next: NONE,
            previous_same,
            next_same: NONE,
            item: NONE,
        };
        let id = if let Some(id) = self.free.pop() {
            self.nodes[id as usize] = node;
            id
        } else {
            self.nodes.push(node);
            to_index(self.nodes.len() - 1)
        };
        if previous_same != NONE {
            self.nodes[previous_same as usize].next_same = id;
        }
        self.highest[name.index()].node = id;
        self.append(owner, id);
        id
    }

    /// Adds a node at the top of the group of `owner`.
    fn append(&mut self, owner: u32, id: u32) {
        let group = &mut self.entries[owner as usize];
        let previous = std::mem::replace(&mut group.last, id);
        if previous == NONE {
            group.first = id;
        } else {
            self.nodes[previous as usize].next = id;
        }
        self.nodes[id as usize].previous = previous;
        self.nodes[id as usize].next = NONE;
    }

    /// Removes a node from its group.
    fn detach(&mut self, id: u32) {
        let StackNode { owner, previous, next, .. } = self.nodes[id as usize];
        match previous {
            NONE => self.entries[owner as usize].first = next,
            _ => self.nodes[previous as usize].next = next,
        }
        match next {
            NONE => self.entries[owner as usize].last = previous,
            _ => self.nodes[next as usize].previous = previous,
        }
    }

    /// Moves a node to the bottom of the group of a higher entry.
    ///
    /// The list of its namesakes stays in order: the nodes in between have left the stack.
    pub(super) fn lift(&mut self, id: u32, owner: u32) {
        self.detach(id);
        let group = &mut self.entries[owner as usize];
        let next = std::mem::replace(&mut group.first, id);
        match next {
            NONE => group.last = id,
            _ => self.nodes[next as usize].previous = id,
        }
        let node = &mut self.nodes[id as usize];
        (node.owner, node.previous, node.next) = (owner, NONE, next);
    }

    /// Removes a node from the stack; its item stays in the list of formatting elements.
    pub(super) fn remove_node(&mut self, id: u32) {
        self.detach(id);
        let StackNode { name, previous_same, next_same, item, .. } = self.nodes[id as usize];
        match next_same {
            NONE => self.highest[name.index()].node = previous_same,
            _ => self.nodes[next_same as usize].previous_same = previous_same,
        }
        if previous_same != NONE {
            self.nodes[previous_same as usize].next_same = next_same;
        }
        if item != NONE {
            self.formatting.close(item);
        }
        self.free.push(id);
    }

    /// Pops all nodes above the top entry.
    pub(super) fn clear_group(&mut self) {
        while let Some(last) = self.entries.last().map(|top| top.last).filter(|&last| last != NONE)
        {
            self.remove_node(last);
        }
    }

    /// Pops the top entry with its group, and the dead entries directly below it.
    fn pop_entry(&mut self) {
        loop {
            self.clear_group();
            let Some(entry) = self.entries.pop() else { return };
            let index = self.len();
            for property in iterate_indexed(entry_traits(entry.name, entry.kind, entry.integration))
            {
                self.by_trait[property].pop_if(|last| *last == index);
            }
            let highest = &mut self.highest[entry.name.index()];
            let highest = match entry.kind {
                EntryKind::Html => &mut highest.html,
                _ => &mut highest.foreign,
            };
            if *highest == index {
                *highest = entry.previous;
            }
            if entry.name == FORM && self.form == FormPointer::Open(index) {
                self.form = FormPointer::Closed;
            }
            if reports_text(entry.name, entry.kind) && !entry.is_dead {
                self.styles_open -= 1;
                self.styles_closed += 1;
            }
            if !self.entries.last().is_some_and(|top| top.is_dead) {
                return;
            }
        }
    }

    /// Pops the current node.
    pub(super) fn pop(&mut self) {
        match self.entries.last().map(|top| top.last) {
            Some(NONE) => self.pop_entry(),
            Some(last) => self.remove_node(last),
            None => {}
        }
    }

    /// Pops until `length` entries and their groups are left.
    pub(super) fn truncate(&mut self, length: u32) {
        while self.len() > length {
            self.pop_entry();
        }
    }

    /// Pops a node and all elements above it.
    pub(super) fn truncate_node(&mut self, id: u32) {
        let owner = self.nodes[id as usize].owner;
        self.truncate(owner + 1);
        while let Some(last) = self.entries.get(owner as usize).map(|top| top.last) {
            if last == NONE {
                return;
            }
            self.remove_node(last);
            if last == id {
                return;
            }
        }
    }

    /// Removes an entry, which stays as a dead entry unless it is at the top; moves its group down.
    pub(super) fn remove_entry(&mut self, index: u32) {
        if index == 0 {
            return;
        }
        loop {
            let id = self.entries[index as usize].first;
            if id == NONE {
                break;
            }
            self.detach(id);
            self.nodes[id as usize].owner = index - 1;
            self.append(index - 1, id);
        }
        if index + 1 == self.len() {
            self.pop_entry();
        } else {
            let entry = &mut self.entries[index as usize];
            (entry.is_dead, entry.run) = (true, index);
            if reports_text(entry.name, entry.kind) {
                self.styles_open -= 1;
            }
        }
    }
}

/// An item of the list of active formatting elements: a start tag.
#[derive(Clone, Debug)]
pub(super) struct FormattingItem {
    pub(super) name: Id,
    /// The offset of the start tag.
    pub(super) start: usize,
    /// The digest of the attributes, if a comparison has needed it.
    pub(super) digest: Option<u64>,
    /// The node of its element on the stack; [`NONE`] if the element is closed.
    pub(super) node: u32,
    /// The number of markers before the item.
    region: u32,
    /// The items before and after it in the list.
    pub(super) previous: u32,
    pub(super) next: u32,
    /// The items of the same name before and after it in the list.
    pub(super) previous_same: u32,
    next_same: u32,
}

/// The list of active formatting elements.
///
/// <https://html.spec.whatwg.org/multipage/parsing.html#the-list-of-active-formatting-elements>
///
/// A doubly linked list of items, and for each name a second list of the items of that name. A
/// marker is not an item, but begins a region; all queries only inspect the last region.
pub(super) struct FormattingList {
    pub(super) items: Vec<FormattingItem>,
    /// The unused indices of `items`.
    free: Vec<u32>,
    /// The last item of the list.
    pub(super) tail: u32,
    /// The number of markers in the list.
    region: u32,
    /// The last item of each name.
    last: [u32; KNOWN_COUNT],
    /// The number of cloned elements, by reopening or the adoption agency; `usize::MAX` if unknown.
    pub(super) clones: usize,
}

impl Default for FormattingList {
    fn default() -> Self {
        FormattingList {
            items: Vec::new(),
            free: Vec::new(),
            tail: NONE,
            region: 0,
            last: [NONE; KNOWN_COUNT],
            clones: 0,
        }
    }
}

impl FormattingList {
    /// Adds a formatting element that is open as `node`; returns the index of the item.
    pub(super) fn push(&mut self, name: Id, start: usize, node: u32) -> u32 {
        let item = FormattingItem {
            name,
            start,
            digest: None,
            node,
            region: self.region,
            previous: self.tail,
            next: NONE,
            previous_same: self.last[name.index()],
            next_same: NONE,
        };
        let (previous, previous_same) = (item.previous, item.previous_same);
        let id = if let Some(id) = self.free.pop() {
            self.items[id as usize] = item;
            id
        } else {
            self.items.push(item);
            u32::try_from(self.items.len() - 1).unwrap_or(NONE)
        };
        if previous != NONE {
            self.items[previous as usize].next = id;
        }
        if previous_same != NONE {
            self.items[previous_same as usize].next_same = id;
        }
        self.last[name.index()] = id;
        self.tail = id;
        id
    }

    pub(super) fn add_clone(&mut self) {
        self.clones = self.clones.saturating_add(1);
    }

    /// Adds a marker.
    pub(super) fn push_marker(&mut self) {
        self.region += 1;
    }

    /// Returns an item, if it is after the last marker.
    fn find_in_region(&self, id: u32) -> Option<&FormattingItem> {
        self.items.get(id as usize).filter(|item| item.region == self.region)
    }

    /// Finds the last item of a name after the last marker.
    pub(super) fn find(&self, name: Id) -> Option<u32> {
        let id = self.last[name.index()];
        self.find_in_region(id).map(|_| id)
    }

    /// Finds the previous item of the same name, after the last marker.
    pub(super) fn find_before(&self, id: u32) -> Option<u32> {
        let id = self.items[id as usize].previous_same;
        self.find_in_region(id).map(|_| id)
    }

    /// Records that the element of an item has left the stack.
    pub(super) fn close(&mut self, id: u32) {
        self.items[id as usize].node = NONE;
    }

    /// Whether the element of the last item is closed: the next text or tag reopens elements.
    #[inline]
    pub(super) fn needs_reopening(&self) -> bool {
        self.is_closed(self.tail)
    }

    /// Whether an item is after the last marker, and its element is not open.
    #[inline]
    pub(super) fn is_closed(&self, id: u32) -> bool {
        self.find_in_region(id).is_some_and(|item| item.node == NONE)
    }

    /// Unlinks an item from its neighbours in the list.
    fn detach(&mut self, id: u32) {
        let FormattingItem { previous, next, .. } = self.items[id as usize];
        match next {
            NONE => self.tail = previous,
            _ => self.items[next as usize].previous = previous,
        }
        if previous != NONE {
            self.items[previous as usize].next = next;
        }
    }

    /// Removes an item; returns its node.
    pub(super) fn remove(&mut self, id: u32) -> u32 {
        self.detach(id);
        let FormattingItem { name, node, previous_same, next_same, .. } = self.items[id as usize];
        match next_same {
            NONE => self.last[name.index()] = previous_same,
            _ => self.items[next_same as usize].previous_same = previous_same,
        }
        if previous_same != NONE {
            self.items[previous_same as usize].next_same = next_same;
        }
        self.free.push(id);
        node
    }

    /// Moves an item after another item of its region; it must stay the last item of its name.
    pub(super) fn move_after(&mut self, id: u32, other: u32) {
        self.detach(id);
        let next = self.items[other as usize].next;
        match next {
            NONE => self.tail = id,
            _ => self.items[next as usize].previous = id,
        }
        self.items[other as usize].next = id;
        let item = &mut self.items[id as usize];
        (item.previous, item.next) = (other, next);
    }

    /// Removes the last item after the last marker, or the marker; returns the node of the item.
    pub(super) fn pop(&mut self) -> Option<u32> {
        if self.find_in_region(self.tail).is_some() {
            return Some(self.remove(self.tail));
        }
        self.region = self.region.saturating_sub(1);
        None
    }
}
