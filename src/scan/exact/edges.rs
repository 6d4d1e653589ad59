//! The insertion modes before and after the body, and those of framesets.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#the-initial-insertion-mode> and following.

use super::Placement;
use super::elements::{Kind, Point};
use super::names::{BODY, BR, FRAME, FRAMESET, HEAD, HTML, Id, NOFRAMES, NOSCRIPT, TEMPLATE};
use super::sets::{HEAD_CONTENT, is};
use super::tag::Tag;
use super::tree::{Content, Insertion, Mode, Step, Tree};

impl Tree {
    /// What the modes up to "after head" do with a token they have no rule for: open or close the
    /// element whose tag is missing, and go on.
    pub(super) fn leave_before_body<T>(&mut self, mode: Mode) -> Step<T> {
        match mode {
            Mode::Initial => {
                self.quirks = true;
                self.again(Mode::BeforeHtml)
            }
            Mode::BeforeHtml => {
                self.push(HTML);
                self.again(Mode::BeforeHead)
            }
            Mode::BeforeHead => {
                self.push(HEAD);
                self.has_head = true;
                self.again(Mode::InHead)
            }
            Mode::InHead => {
                self.stack.pop();
                self.again(Mode::AfterHead)
            }
            _ => {
                self.push(BODY);
                self.again(Mode::InBody)
            }
        }
    }

    pub(super) fn push(&mut self, name: Id) {
        self.stack.push_entry(name, Kind::Html, Point::None);
    }

    pub(super) fn start_before_body(&mut self, mode: Mode, tag: &Tag<'_>) -> Step<Insertion> {
        match (mode, tag.name) {
            (Mode::BeforeHtml, HTML) => {
                self.mode = Mode::BeforeHead;
                return Step::Done(self.insert(tag));
            }
            (Mode::Initial | Mode::BeforeHtml, _) => return self.leave_before_body(mode),
            (_, HTML) => return Step::Done(self.start_in_body(tag)),
            _ => {}
        }
        match mode {
            Mode::BeforeHead if tag.name == HEAD => {
                let built = self.insert(tag);
                self.has_head = true;
                self.mode = Mode::InHead;
                Step::Done(built)
            }
            Mode::InHead => self.start_in_head(tag),
            Mode::AfterHead => self.start_after_head(tag),
            _ => self.leave_before_body(mode),
        }
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead>
    fn start_in_head(&mut self, tag: &Tag<'_>) -> Step<Insertion> {
        match tag.name {
            NOSCRIPT => Step::Done(self.insert_closed(Content::Raw)),
            HEAD => Step::Done(Insertion::dropped()),
            name if is(name, HEAD_CONTENT) => Step::Done(self.start_head_content(tag)),
            _ => self.leave_before_body(Mode::InHead),
        }
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#the-after-head-insertion-mode>
    ///
    /// Content of the head goes back there. The `head` is not pushed for that: it would be removed
    /// again before the next token.
    fn start_after_head(&mut self, tag: &Tag<'_>) -> Step<Insertion> {
        match tag.name {
            BODY => {
                self.frameset_ok = false;
                self.mode = Mode::InBody;
                Step::Done(self.insert(tag))
            }
            FRAMESET => {
                self.mode = Mode::InFrameset;
                Step::Done(self.insert(tag))
            }
            HEAD => Step::Done(Insertion::dropped()),
            name if is(name, HEAD_CONTENT) => {
                Step::Done(Insertion { place: Placement::Head, ..self.start_head_content(tag) })
            }
            _ => self.leave_before_body(Mode::AfterHead),
        }
    }

    pub(super) fn end_before_body(&mut self, mode: Mode, name: Id) -> Step<()> {
        match (mode, name) {
            (Mode::InHead, HEAD) => {
                self.stack.pop();
                self.mode = Mode::AfterHead;
            }
            (Mode::InHead | Mode::AfterHead, TEMPLATE) => self.end_template(),
            (Mode::Initial, _)
            | (Mode::BeforeHtml | Mode::BeforeHead, HEAD | BODY | HTML | BR)
            | (Mode::InHead | Mode::AfterHead, BODY | HTML | BR) => {
                return self.leave_before_body(mode);
            }
            _ => {}
        }
        Step::Done(())
    }

    pub(super) fn start_after_body(&mut self, mode: Mode, tag: &Tag<'_>) -> Step<Insertion> {
        match (mode, tag.name) {
            (_, HTML) => Step::Done(self.start_in_body(tag)),
            (Mode::AfterBody | Mode::AfterAfterBody, _) => self.again(Mode::InBody),
            (Mode::InFrameset, FRAMESET) => Step::Done(self.insert(tag)),
            (Mode::InFrameset, FRAME) => Step::Done(self.insert_closed(Content::Markup)),
            (_, NOFRAMES) => Step::Done(self.start_head_content(tag)),
            _ => Step::Done(Insertion::dropped()),
        }
    }

    pub(super) fn end_after_body(&mut self, mode: Mode, name: Id) -> Step<()> {
        match (mode, name) {
            (Mode::AfterBody, HTML) => self.mode = Mode::AfterAfterBody,
            (Mode::AfterFrameset, HTML) => self.mode = Mode::AfterAfterFrameset,
            (Mode::AfterBody | Mode::AfterAfterBody, _) => return self.again(Mode::InBody),
            (Mode::InFrameset, FRAMESET) if self.stack.len() > 1 => {
                self.stack.pop();
                if !self.stack.current_is(FRAMESET) {
                    self.mode = Mode::AfterFrameset;
                }
            }
            _ => {}
        }
        Step::Done(())
    }
}
