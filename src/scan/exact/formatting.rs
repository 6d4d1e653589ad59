//! The list of active formatting elements.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#the-list-of-active-formatting-elements>
//!
//! A doubly linked list of items, and for each name the items of that name linked once more. A
//! marker is not an item but opens a region; only the items of the last region are ever inspected.

use super::names::{Id, KNOWN};

/// No entry, node or item. A source would need over 4 Gi elements to reach it.
pub(super) const NONE: u32 = u32::MAX;

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
