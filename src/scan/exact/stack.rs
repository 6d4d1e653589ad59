//! The stack of open elements and the list of active formatting elements, names only, indexed for
//! every query.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#the-stack-of-open-elements>
//!
//! Elements are of two sorts, as the rules treat them differently:
//!
//! - **Entries**: special HTML elements and all foreign ones. Their order never changes and only a
//!   `form` ever leaves from the middle, so an entry keeps its index for life. Each property, such
//!   as bounding a scope, has a list of its entries, the last of which is the nearest.
//! - **Nodes**: the other HTML elements (`span`, `b`, unknown names). They only decide whether the
//!   current node is an HTML element, and which end tags close them. Each node is in the group of
//!   the entry under it, a doubly linked list, so that the adoption agency can move it.
//!
//! Every query is O(1), and every change is paid for by the element that it removes.

use super::names::{
    DEFAULT_SCOPE, FORM, HARD, Id, KNOWN, NEAREST, SCRIPT, SPECIAL, STYLE, Traits, is, nearest,
    traits,
};

/// No entry, node or item. A source would need over 4 Gi elements to reach it.
pub(super) const NONE: u32 = u32::MAX;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Html,
    Svg,
    MathMl,
}

/// The effect of a foreign element on the tokens inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// No effect.
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

/// The set of elements that bound a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Default,
    List,
    Button,
    Table,
}

/// A special HTML element or a foreign element on the stack.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: Id,
    pub(super) kind: Kind,
    pub(super) point: Point,
    /// Removed from the middle; it only keeps its index. Never the top, and without a group.
    pub(super) dead: bool,
    /// The entry below with the same name; HTML and foreign entries are separate.
    pub(super) previous: u32,
    /// The lowest entry of the run of adjacent foreign entries that ends here.
    pub(super) run: u32,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Entry {
    /// <https://html.spec.whatwg.org/multipage/parsing.html#special>
    pub(super) fn is_special(&self) -> bool {
        self.kind == Kind::Html || self.point != Point::None
    }
}

/// An HTML element that is not special.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) name: Id,
    /// The entry whose group contains the node.
    pub(super) owner: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    pub(super) previous_same: u32,
    pub(super) next_same: u32,
    /// Its item in the list of active formatting elements.
    pub(super) item: u32,
}

/// The highest elements of a name.
#[derive(Clone, Copy)]
pub(super) struct Highest {
    pub(super) html: u32,
    pub(super) foreign: u32,
    pub(super) node: u32,
}

/// No element of the name.
pub(super) const ABSENT: Highest = Highest { html: NONE, foreign: NONE, node: NONE };

/// The form element pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Null,
    /// The pointer refers to an entry.
    Open(u32),
    /// The pointer refers to an element that has left the stack.
    Closed,
}

/// The stack of open elements and the list of active formatting elements.
pub(super) struct Stack {
    pub(super) entries: Vec<Entry>,
    pub(super) nodes: Vec<Node>,
    pub(super) formatting: Formatting,
    pub(super) form: Form,
    /// `style` and `script` elements of SVG on the stack.
    pub(super) styles_open: usize,
    /// The elements that were popped and not yet reported.
    pub(super) styles_closed: usize,
    free: Vec<u32>,
    pub(super) highest: Vec<Highest>,
    /// By index of a property: the entries that have it, possibly dead ones too.
    pub(super) with: [Vec<u32>; NEAREST],
}

/// The buffers of a stack, reused from one document to the next: growing them again for each would
/// copy their contents out of reach of the caches.
#[derive(Debug, Default)]
pub(crate) struct ScannerBuffers {
    entries: Vec<Entry>,
    nodes: Vec<Node>,
    with: [Vec<u32>; NEAREST],
}

/// Whether the text of a foreign element is reported.
pub(super) fn has_text(name: Id, kind: Kind) -> bool {
    kind == Kind::Svg && (name == STYLE || name == SCRIPT)
}

/// The properties of an entry; a foreign element has those of the HTML element that it acts as.
fn entry_traits(name: Id, kind: Kind, point: Point) -> Traits {
    match (kind, point) {
        (Kind::Html, _) => traits(name),
        (_, Point::None) => 0,
        _ => DEFAULT_SCOPE | SPECIAL | HARD,
    }
}

/// Narrows a table index; `NONE` if it does not fit.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}

impl Stack {
    pub(super) fn new(room: &mut ScannerBuffers) -> Self {
        let ScannerBuffers { mut entries, mut nodes, mut with } = std::mem::take(room);
        entries.clear();
        nodes.clear();
        with.iter_mut().for_each(Vec::clear);
        Stack {
            entries,
            nodes,
            formatting: Formatting::default(),
            form: Form::Null,
            styles_open: 0,
            styles_closed: 0,
            free: Vec::new(),
            highest: vec![ABSENT; KNOWN],
            with,
        }
    }

    /// Returns the buffers, for the next document.
    pub(super) fn into_room(self) -> ScannerBuffers {
        ScannerBuffers { entries: self.entries, nodes: self.nodes, with: self.with }
    }

    /// Grows the table of names to `count` names.
    pub(super) fn grow(&mut self, count: usize) {
        if count > self.highest.len() {
            self.highest.resize(count, ABSENT);
        }
    }

    pub(super) fn len(&self) -> u32 {
        number(self.entries.len())
    }

    /// Whether the current node is an entry of this name.
    pub(super) fn is_innermost(&self, name: Id) -> bool {
        self.entries.last().is_some_and(|top| top.name == name && top.last == NONE)
    }

    pub(super) fn entry(&self, index: u32) -> &Entry {
        &self.entries[index as usize]
    }

    /// Pushes an HTML element; returns the number of its node if it is not special.
    #[inline]
    pub(super) fn push(&mut self, name: Id) -> Option<u32> {
        if is(name, SPECIAL) {
            self.push_entry(name, Kind::Html, Point::None);
            return None;
        }
        Some(self.push_node(name))
    }

    /// Pushes a special or foreign element.
    pub(super) fn push_entry(&mut self, name: Id, kind: Kind, point: Point) {
        let index = self.len();
        for place in nearest(entry_traits(name, kind, point)) {
            self.with[place].push(index);
        }
        if has_text(name, kind) {
            self.styles_open += 1;
        }
        let highest = &mut self.highest[name.index()];
        let highest = if kind == Kind::Html { &mut highest.html } else { &mut highest.foreign };
        let previous = std::mem::replace(highest, index);
        let run = match self.entries.last() {
            Some(below) if kind != Kind::Html && below.kind != Kind::Html && below.last == NONE => {
                below.run
            }
            _ => index,
        };
        self.entries.push(Entry {
            name,
            kind,
            point,
            dead: false,
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
        let node =
            Node { name, owner, previous, next: NONE, previous_same, next_same: NONE, item: NONE };
        let id = if let Some(id) = self.free.pop() {
            self.nodes[id as usize] = node;
            id
        } else {
            self.nodes.push(node);
            number(self.nodes.len() - 1)
        };
        if previous_same != NONE {
            self.nodes[previous_same as usize].next_same = id;
        }
        self.highest[name.index()].node = id;
        self.append(owner, id);
        id
    }

    /// Makes the node the highest of a group.
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

    /// Takes the node out of its group.
    fn detach(&mut self, id: u32) {
        let Node { owner, previous, next, .. } = self.nodes[id as usize];
        match previous {
            NONE => self.entries[owner as usize].first = next,
            _ => self.nodes[previous as usize].next = next,
        }
        match next {
            NONE => self.entries[owner as usize].last = previous,
            _ => self.nodes[next as usize].previous = previous,
        }
    }

    /// Moves the node to the bottom of the group of a higher entry.
    ///
    /// Nodes of the same name keep their order: those in between left the stack before.
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

    /// Removes the node from the stack; its item in the list stays.
    pub(super) fn remove_node(&mut self, id: u32) {
        self.detach(id);
        let Node { name, previous_same, next_same, item, .. } = self.nodes[id as usize];
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

    /// Pops the nodes above the top entry.
    pub(super) fn clear_group(&mut self) {
        while let Some(last) = self.entries.last().map(|top| top.last).filter(|&last| last != NONE)
        {
            self.remove_node(last);
        }
    }

    /// Pops the top entry and its group, and dead entries under it.
    fn pop_entry(&mut self) {
        loop {
            self.clear_group();
            let Some(entry) = self.entries.pop() else { return };
            let index = self.len();
            for place in nearest(entry_traits(entry.name, entry.kind, entry.point)) {
                self.with[place].pop_if(|last| *last == index);
            }
            let highest = &mut self.highest[entry.name.index()];
            let highest = match entry.kind {
                Kind::Html => &mut highest.html,
                _ => &mut highest.foreign,
            };
            if *highest == index {
                *highest = entry.previous;
            }
            if entry.name == FORM && self.form == Form::Open(index) {
                self.form = Form::Closed;
            }
            if has_text(entry.name, entry.kind) && !entry.dead {
                self.styles_open -= 1;
                self.styles_closed += 1;
            }
            if !self.entries.last().is_some_and(|top| top.dead) {
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

    /// Pops the node and all elements above it.
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

    /// Removes an entry from the middle of the stack; the entry below receives its group.
    pub(super) fn kill(&mut self, index: u32) {
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
            (entry.dead, entry.run) = (true, index);
            if has_text(entry.name, entry.kind) {
                self.styles_open -= 1;
            }
        }
    }
}

/// An item of the list: the start tag that a formatting element was created from.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) name: Id,
    /// The offset of the start tag.
    pub(super) start: usize,
    /// The digest of the attributes, once it was needed.
    pub(super) digest: Option<u64>,
    /// The node on the stack that represents it.
    pub(super) node: u32,
    region: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    pub(super) previous_same: u32,
    next_same: u32,
}

/// The list of active formatting elements.
///
/// <https://html.spec.whatwg.org/multipage/parsing.html#the-list-of-active-formatting-elements>
///
/// A doubly linked list of items, and for each name the items of that name linked once more. A
/// marker is not an item but opens a region; only the items of the last region are ever inspected.
pub(super) struct Formatting {
    pub(super) items: Vec<Item>,
    free: Vec<u32>,
    pub(super) tail: u32,
    region: u32,
    last: [u32; KNOWN],
    /// The number of elements that were created from items, by reopening or by the adoption agency;
    /// the largest number if it is unknown.
    pub(super) clones: usize,
}

impl Default for Formatting {
    fn default() -> Self {
        Formatting {
            items: Vec::new(),
            free: Vec::new(),
            tail: NONE,
            region: 0,
            last: [NONE; KNOWN],
            clones: 0,
        }
    }
}

impl Formatting {
    /// Adds a formatting element that is open as `node`.
    pub(super) fn push(&mut self, name: Id, start: usize, node: u32) -> u32 {
        let item = Item {
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

    /// The item, if it exists and is after the last marker.
    fn in_region(&self, id: u32) -> Option<&Item> {
        self.items.get(id as usize).filter(|item| item.region == self.region)
    }

    /// The last item of a name after the last marker.
    pub(super) fn find(&self, name: Id) -> Option<u32> {
        let id = self.last[name.index()];
        self.in_region(id).map(|_| id)
    }

    /// The previous item of the same name, after the last marker.
    pub(super) fn find_before(&self, id: u32) -> Option<u32> {
        let id = self.items[id as usize].previous_same;
        self.in_region(id).map(|_| id)
    }

    /// Records that the element of the item left the stack.
    pub(super) fn close(&mut self, id: u32) {
        self.items[id as usize].node = NONE;
    }

    /// Whether the last item after the last marker belongs to an element that is not open.
    #[inline]
    pub(super) fn is_waiting(&self) -> bool {
        self.is_closed(self.tail)
    }

    /// Whether the item is after the last marker and its element is not open.
    #[inline]
    pub(super) fn is_closed(&self, id: u32) -> bool {
        self.in_region(id).is_some_and(|item| item.node == NONE)
    }

    /// Unlinks the item from the order of the list.
    fn detach(&mut self, id: u32) {
        let Item { previous, next, .. } = self.items[id as usize];
        match next {
            NONE => self.tail = previous,
            _ => self.items[next as usize].previous = previous,
        }
        if previous != NONE {
            self.items[previous as usize].next = next;
        }
    }

    /// Removes the item; returns its node.
    pub(super) fn remove(&mut self, id: u32) -> u32 {
        self.detach(id);
        let Item { name, node, previous_same, next_same, .. } = self.items[id as usize];
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

    /// Moves the item after another one of its region; it must be and stay the last of its name.
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
        if self.in_region(self.tail).is_some() {
            return Some(self.remove(self.tail));
        }
        self.region = self.region.saturating_sub(1);
        None
    }
}
