//! The stack of open elements, names only, indexed for every query.
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

use super::formatting::{Formatting, NONE};
use super::names::{
    ANCHOR, BUTTON_SCOPE, DEFAULT_SCOPE, FORM, HARD, Id, KNOWN, LIST_SCOPE, NEAREST, SCRIPT,
    SPECIAL, STYLE, TABLE_SCOPE, TEMPLATE, Traits, is, nearest, traits,
};

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

impl Stack {
    /// The current node if it is an entry.
    #[inline]
    pub(super) fn current_entry(&self) -> Option<&Entry> {
        self.entries.last().filter(|top| top.last == NONE)
    }

    /// The current node if it is foreign.
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

    /// The highest entry with one of the properties, dead or not; the root, which bounds every
    /// scope, if there is none.
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

    /// The name of the nearest special HTML element other than `address`, `div` and `p`.
    pub(super) fn nearest_hard(&mut self) -> Option<Id> {
        self.forget_dead(HARD);
        let entry = self.entries.get(self.highest_with(HARD) as usize)?;
        (entry.kind == Kind::Html).then_some(entry.name)
    }

    /// Removes the dead entries at the end of the lists of the properties.
    fn forget_dead(&mut self, wanted: Traits) {
        for place in nearest(wanted) {
            while self.with[place].pop_if(|last| self.entries[*last as usize].dead).is_some() {}
        }
    }

    /// The name of the nearest element that decides the insertion mode.
    pub(super) fn anchor(&self) -> Option<Id> {
        Some(self.entries.get(self.highest_with(ANCHOR) as usize)?.name)
    }

    /// The lowest entry of the run of foreign elements that ends with the current node.
    ///
    /// A run grows downwards when an HTML element between two runs leaves from the middle. The
    /// search stores its result in every run that it passes, so that it passes none twice.
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

    /// The start of the run that ends right below another run.
    fn run_below(&self, run: u32) -> Option<u32> {
        let below = &self.entries[run.checked_sub(1)? as usize];
        let is_foreign = below.kind != Kind::Html || below.dead;
        (is_foreign && below.last == NONE).then(|| below.run.min(run - 1))
    }

    /// Whether the entry is on the stack.
    pub(super) fn is_live(&self, index: u32) -> bool {
        self.entries.get(index as usize).is_some_and(|entry| !entry.dead)
    }
}

/// The highest live entry of a name; stores it, so that dead ones are passed only once.
fn live(highest: &mut u32, entries: &[Entry]) -> Option<u32> {
    while *highest != NONE && entries[*highest as usize].dead {
        *highest = entries[*highest as usize].previous;
    }
    (*highest != NONE).then_some(*highest)
}
