//! SVG and `MathML` content: the tokens that follow its rules, and its end.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign>

use super::names::{
    ANNOTATION_XML, BR, BREAKOUT, DESC, FONT, FOREIGN_OBJECT, Id, MALIGNMARK, MGLYPH, MI, MN, MO,
    MS, MTEXT, P, SVG, TITLE, is,
};
use super::stack::{Kind, Point};
use super::tag::Tag;
use super::tree::{Content, Insertion, Step, Tree};
use super::{Namespace, TreeAction};

/// The kind of integration point that a foreign element is.
fn point(tag: &Tag<'_>, kind: Kind) -> Point {
    match (kind, tag.name) {
        (Kind::MathMl, MI | MO | MN | MS | MTEXT) => Point::Text,
        (Kind::MathMl, ANNOTATION_XML) if tag.is_html_annotation() => Point::HtmlAnnotation,
        (Kind::MathMl, ANNOTATION_XML) => Point::Annotation,
        (Kind::Svg, FOREIGN_OBJECT | DESC | TITLE) => Point::Html,
        _ => Point::None,
    }
}

impl Tree {
    /// Whether a start tag follows the rules for foreign content.
    ///
    /// <https://html.spec.whatwg.org/multipage/parsing.html#tree-construction-dispatcher>
    pub(super) fn is_foreign_start(&self, tag: &Tag<'_>) -> bool {
        self.stack.current_foreign().is_some_and(|current| match current.point {
            Point::None => true,
            Point::Text => matches!(tag.name, MGLYPH | MALIGNMARK),
            Point::Html | Point::HtmlAnnotation => false,
            Point::Annotation => tag.name != SVG,
        })
    }

    /// Whether text follows the rules for foreign content.
    pub(super) fn is_foreign_text(&self) -> bool {
        self.stack
            .current_foreign()
            .is_some_and(|current| matches!(current.point, Point::None | Point::Annotation))
    }

    pub(super) fn start_in_foreign(&mut self, tag: &Tag<'_>) -> Insertion {
        if is(tag.name, BREAKOUT) || (tag.name == FONT && tag.is_html_font()) {
            self.break_out();
            // The rules of the mode, whatever the current node is: `p` in `mi`.
            return match self.start_in(self.mode, tag) {
                Step::Done(built) => built,
                Step::Again => self.start(tag),
            };
        }
        let kind = self.stack.current_foreign().map_or(Kind::Svg, |current| current.kind);
        self.insert_foreign(tag, kind)
    }

    /// `svg` and `math` in HTML content.
    pub(super) fn start_foreign_root(&mut self, tag: &Tag<'_>, kind: Kind) -> Insertion {
        self.stack.reconstruct();
        self.insert_foreign(tag, kind)
    }

    fn insert_foreign(&mut self, tag: &Tag<'_>, kind: Kind) -> Insertion {
        let namespace = match kind {
            Kind::Html => Namespace::Html,
            Kind::Svg => Namespace::Svg,
            Kind::MathMl => Namespace::MathMl,
        };
        let built = Insertion {
            action: TreeAction::Inserted,
            namespace,
            place: self.place(),
            content: Content::Markup,
        };
        if !tag.self_closing {
            self.stack.push_entry(tag.name, kind, point(tag, kind));
        }
        built
    }

    /// Pops foreign elements up to an integration point, which accepts HTML content.
    fn break_out(&mut self) {
        while let Some(current) = self.stack.current_foreign() {
            match current.point {
                Point::Text | Point::Html | Point::HtmlAnnotation => return,
                _ => self.stack.pop(),
            }
        }
    }

    /// Processes an end tag while the current node is foreign; returns whether it is done.
    pub(super) fn end_in_foreign(&mut self, name: Id) -> bool {
        if matches!(name, BR | P) {
            self.break_out();
            return false;
        }
        let run = self.stack.foreign_run();
        match self.stack.highest_foreign(name) {
            Some(index) if index >= run => {
                self.stack.truncate(index);
                true
            }
            _ => false,
        }
    }
}
