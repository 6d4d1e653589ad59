//! What is on the stack of open elements. No types of a public interface.

use super::names::Id;

/// No entry, node or item. A source would need over 4 Gi elements to reach it.
pub(super) const NONE: u32 = u32::MAX;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Html,
    Svg,
    MathMl,
}

/// What a foreign element does to the tokens inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// Nothing.
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

/// Which elements bound a scope.
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
    /// Removed from the middle; it only holds its place. Never the top, and without a group.
    pub(super) dead: bool,
    /// The entry below with the same name, HTML and foreign ones apart.
    pub(super) previous: u32,
    /// The lowest entry of the foreign ones that follow each other down from here.
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
    /// The entry whose group it is in.
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
    /// It points at an entry.
    Open(u32),
    /// It points at an element that has left the stack.
    Closed,
}
