//! The insertion modes before, in and after the body, and of framesets.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#the-initial-insertion-mode> and following.

use super::names::{
    A, APPLET, AREA, BLOCK, BODY, BR, BUTTON, CAPTION, COL, COLGROUP, DD, DT, EMBED, FORM,
    FORMATTING, FRAME, FRAMESET, H1, H2, H3, H4, H5, H6, HEAD, HEAD_CONTENT, HEADING, HR, HTML,
    IFRAME, IMAGE, IMG, INPUT, Id, KEYGEN, LI, LISTING, MARQUEE, MATH, NOBR, NOEMBED, NOFRAMES,
    NOSCRIPT, OBJECT, OPTGROUP, OPTION, P, PARAM, PLAINTEXT, PRE, RB, RP, RT, RTC, RUBY, SELECT,
    SOURCE, SVG, TABLE, TBODY, TD, TEMPLATE, TEXTAREA, TFOOT, TH, THEAD, TR, TRACK, WBR, XMP,
    has_trait,
};
use super::rules::Scope;
use super::stack::{EntryKind, FormPointer, Integration, NONE};
use super::token::Tag;
use super::tree::{Content, Insertion, Mode, Outcome, Tree};
use super::{Placement, TreeAction};

const HEADINGS: &[Id] = &[H1, H2, H3, H4, H5, H6];

impl Tree {
    pub(super) fn start_in_body(&mut self, tag: &Tag<'_>) -> Insertion {
        match tag.name {
            NOSCRIPT if !self.is_noscript() => self.insert_closed(Content::Raw),
            name if has_trait(name, FORMATTING) => self.start_formatting(tag),
            name if has_trait(name, HEAD_CONTENT) => self.start_head_content(tag),
            name if has_trait(name, BLOCK | HEADING) => self.start_block(tag),
            P | PRE | LISTING | LI | DD | DT | PLAINTEXT => self.start_block(tag),
            HTML | BODY | FRAMESET => self.start_root(tag),
            FORM => self.start_form(tag),
            BUTTON | SELECT | APPLET | MARQUEE | OBJECT => self.start_scope(tag),
            TABLE => {
                if !self.is_quirks {
                    self.close_p();
                }
                self.is_frameset_ok = false;
                self.mode = Mode::InTable;
                self.insert(tag)
            }
            AREA | BR | EMBED | HR | IMAGE | IMG | INPUT | KEYGEN | PARAM | SOURCE | TRACK
            | WBR => self.start_void(tag),
            IFRAME | NOEMBED | TEXTAREA | XMP => self.start_raw(tag),
            RB | RP | RT | RTC => {
                if self.stack.in_scope(Scope::Default, RUBY) {
                    match tag.name {
                        RB | RTC => self.generate_implied_end_tags(),
                        _ => self.generate_implied_end_tags_except(RTC),
                    }
                }
                self.insert(tag)
            }
            MATH => self.start_foreign_root(tag, EntryKind::MathMl),
            SVG => self.start_foreign_root(tag, EntryKind::Svg),
            // The body ignores these tags, for which only other modes have rules.
            CAPTION | COL | COLGROUP | FRAME | HEAD | TBODY | TD | TFOOT | TH | THEAD | TR => {
                Insertion::dropped()
            }
            _ => self.start_other(tag),
        }
    }

    /// Inserts an `option`, an `optgroup`, or an element whose start tag has no rule in the body.
    fn start_other(&mut self, tag: &Tag<'_>) -> Insertion {
        if matches!(tag.name, OPTION | OPTGROUP) {
            if self.stack.in_scope(Scope::Default, SELECT) {
                match tag.name {
                    OPTION => self.generate_implied_end_tags_except(OPTGROUP),
                    _ => self.generate_implied_end_tags(),
                }
            } else if self.stack.current_is(OPTION) {
                self.stack.pop();
            }
        }
        self.stack.reconstruct();
        self.insert(tag)
    }

    fn start_formatting(&mut self, tag: &Tag<'_>) -> Insertion {
        if tag.name == A {
            self.stack.close_a(A);
        }
        self.stack.reconstruct();
        if tag.name == NOBR && self.stack.in_scope(Scope::Default, NOBR) {
            self.stack.run_adoption_agency(NOBR);
            self.stack.reconstruct();
        }
        let insertion = self.insert_closed(Content::Markup);
        self.stack.push_formatting(tag.name, tag.start, |start| tag.digest_at(start));
        insertion
    }

    fn start_block(&mut self, tag: &Tag<'_>) -> Insertion {
        match tag.name {
            LI | DD | DT => {
                self.is_frameset_ok = false;
                self.close_item(tag.name);
            }
            PRE | LISTING => self.is_frameset_ok = false,
            _ => {}
        }
        self.close_p();
        if has_trait(tag.name, HEADING) && self.stack.current_has(HEADING) {
            self.stack.pop();
        }
        let insertion = self.insert(tag);
        match tag.name {
            PLAINTEXT => Insertion { content: Content::Plaintext, ..insertion },
            _ => insertion,
        }
    }

    /// Closes a `p` element that is in button scope.
    fn close_p(&mut self) {
        if self.stack.in_scope(Scope::Button, P) {
            self.stack.pop_through(P);
        }
    }

    /// Closes the open item before another one: an `li`, or a `dd` or `dt`.
    fn close_item(&mut self, name: Id) {
        match (name, self.stack.find_item_to_close()) {
            (LI, Some(LI)) => self.stack.pop_through(LI),
            (DD | DT, Some(open @ (DD | DT))) => self.stack.pop_through(open),
            _ => {}
        }
    }

    /// Processes a start tag `html`, `body` or `frameset`, which may merge or replace the body.
    fn start_root(&mut self, tag: &Tag<'_>) -> Insertion {
        let has_body = self.stack.len() > 1 && {
            let second = self.stack.entry(1);
            second.kind == EntryKind::Html && second.name == BODY
        };
        let merged = Insertion::html(TreeAction::Merged, Placement::Body, Content::Markup);
        match tag.name {
            HTML if !self.stack.in_template() => merged,
            BODY if has_body && !self.stack.in_template() => {
                self.is_frameset_ok = false;
                merged
            }
            FRAMESET if has_body && self.is_frameset_ok => {
                self.stack.truncate(1);
                self.stack.clear_group();
                self.mode = Mode::InFrameset;
                self.insert(tag)
            }
            _ => Insertion::dropped(),
        }
    }

    fn start_form(&mut self, tag: &Tag<'_>) -> Insertion {
        let in_template = self.stack.in_template();
        if self.has_form() && !in_template {
            return Insertion::dropped();
        }
        self.close_p();
        let insertion = self.insert(tag);
        if !in_template {
            self.stack.form = FormPointer::Open(self.stack.len() - 1);
        }
        insertion
    }

    /// Inserts a `button`, a `select`, or an element that adds a marker to the list of formatting
    /// elements.
    fn start_scope(&mut self, tag: &Tag<'_>) -> Insertion {
        let adds_marker = matches!(tag.name, APPLET | MARQUEE | OBJECT);
        if !adds_marker && self.stack.in_scope(Scope::Default, tag.name) {
            self.stack.pop_through(tag.name);
            if tag.name == SELECT {
                return Insertion::dropped();
            }
        }
        self.stack.reconstruct();
        let insertion = self.insert(tag);
        if adds_marker {
            self.stack.formatting.push_marker();
        }
        self.is_frameset_ok = false;
        insertion
    }

    fn start_void(&mut self, tag: &Tag<'_>) -> Insertion {
        match tag.name {
            PARAM | SOURCE | TRACK => return self.insert_closed(Content::Markup),
            HR => {
                self.close_p();
                if self.stack.in_scope(Scope::Default, SELECT) {
                    self.generate_implied_end_tags();
                }
            }
            INPUT => {
                if self.stack.in_scope(Scope::Default, SELECT) {
                    self.stack.pop_through(SELECT);
                }
                self.stack.reconstruct();
            }
            _ => self.stack.reconstruct(),
        }
        if tag.name != INPUT || !tag.is_hidden() {
            self.is_frameset_ok = false;
        }
        self.insert_closed(Content::Markup)
    }

    fn start_raw(&mut self, tag: &Tag<'_>) -> Insertion {
        if tag.name == XMP {
            self.close_p();
            self.stack.reconstruct();
        }
        if tag.name != NOEMBED {
            self.is_frameset_ok = false;
        }
        self.insert_closed(Content::Raw)
    }

    pub(super) fn end_in_body(&mut self, name: Id) -> Outcome<()> {
        match name {
            TEMPLATE => self.end_template(),
            BODY | HTML => {
                if self.stack.in_scope(Scope::Default, BODY) {
                    self.mode = Mode::AfterBody;
                    if name == HTML {
                        return Outcome::Again;
                    }
                }
            }
            FORM => self.end_form(),
            P => self.close_p(),
            LI => _ = self.close_in_scope(Scope::List, name),
            APPLET | MARQUEE | OBJECT => {
                if self.close_in_scope(Scope::Default, name) {
                    self.stack.clear_to_marker();
                }
            }
            BR => {
                self.stack.reconstruct();
                self.is_frameset_ok = false;
            }
            PRE | LISTING | BUTTON | SELECT | DD | DT => {
                self.close_in_scope(Scope::Default, name);
            }
            _ if has_trait(name, BLOCK) => _ = self.close_in_scope(Scope::Default, name),
            _ if has_trait(name, HEADING) => {
                _ = self.stack.pop_through_any(Scope::Default, HEADINGS);
            }
            _ if has_trait(name, FORMATTING) => _ = self.stack.run_adoption_agency(name),
            _ => self.stack.close_other(name),
        }
        Outcome::Done(())
    }

    fn close_in_scope(&mut self, scope: Scope, name: Id) -> bool {
        let is_open = self.stack.in_scope(scope, name);
        if is_open {
            self.stack.pop_through(name);
        }
        is_open
    }

    fn end_form(&mut self) {
        if self.stack.in_template() {
            self.close_in_scope(Scope::Default, FORM);
            return;
        }
        let form = std::mem::replace(&mut self.stack.form, FormPointer::Null);
        let FormPointer::Open(index) = form else { return };
        debug_assert_ne!(index, NONE);
        if index >= self.stack.find_boundary(Scope::Default) {
            self.generate_implied_end_tags();
            self.stack.remove_entry(index);
        }
    }
}

impl Tree {
    /// Handles a token for which a mode up to "after head" has no rule: opens or closes the element
    /// whose tag is missing, and processes the token again.
    pub(super) fn imply_tag<T>(&mut self, mode: Mode) -> Outcome<T> {
        match mode {
            Mode::Initial => {
                self.is_quirks = true;
                self.reprocess_in(Mode::BeforeHtml)
            }
            Mode::BeforeHtml => {
                self.push(HTML);
                self.reprocess_in(Mode::BeforeHead)
            }
            Mode::BeforeHead => {
                self.push(HEAD);
                self.has_head = true;
                self.reprocess_in(Mode::InHead)
            }
            Mode::InHead => {
                self.stack.pop();
                self.reprocess_in(Mode::AfterHead)
            }
            _ => {
                self.push(BODY);
                self.reprocess_in(Mode::InBody)
            }
        }
    }

    /// Opens a special HTML element without a tag.
    pub(super) fn push(&mut self, name: Id) {
        self.stack.push_entry(name, EntryKind::Html, Integration::None);
    }

    pub(super) fn start_before_body(&mut self, mode: Mode, tag: &Tag<'_>) -> Outcome<Insertion> {
        match (mode, tag.name) {
            (Mode::BeforeHtml, HTML) => {
                self.mode = Mode::BeforeHead;
                return Outcome::Done(self.insert(tag));
            }
            (Mode::Initial | Mode::BeforeHtml, _) => return self.imply_tag(mode),
            (_, HTML) => return Outcome::Done(self.start_in_body(tag)),
            _ => {}
        }
        match mode {
            Mode::BeforeHead if tag.name == HEAD => {
                let insertion = self.insert(tag);
                self.has_head = true;
                self.mode = Mode::InHead;
                Outcome::Done(insertion)
            }
            Mode::InHead => self.start_in_head(tag),
            Mode::AfterHead => self.start_after_head(tag),
            _ => self.imply_tag(mode),
        }
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead>
    fn start_in_head(&mut self, tag: &Tag<'_>) -> Outcome<Insertion> {
        match tag.name {
            NOSCRIPT => Outcome::Done(self.insert_closed(Content::Raw)),
            HEAD => Outcome::Done(Insertion::dropped()),
            name if has_trait(name, HEAD_CONTENT) => Outcome::Done(self.start_head_content(tag)),
            _ => self.imply_tag(Mode::InHead),
        }
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#the-after-head-insertion-mode>
    ///
    /// Content of the head is moved back into the head. The Standard pushes the `head` only for
    /// this token, so it is not pushed here.
    fn start_after_head(&mut self, tag: &Tag<'_>) -> Outcome<Insertion> {
        match tag.name {
            BODY => {
                self.is_frameset_ok = false;
                self.mode = Mode::InBody;
                Outcome::Done(self.insert(tag))
            }
            FRAMESET => {
                self.mode = Mode::InFrameset;
                Outcome::Done(self.insert(tag))
            }
            HEAD => Outcome::Done(Insertion::dropped()),
            name if has_trait(name, HEAD_CONTENT) => {
                Outcome::Done(Insertion { place: Placement::Head, ..self.start_head_content(tag) })
            }
            _ => self.imply_tag(Mode::AfterHead),
        }
    }

    pub(super) fn end_before_body(&mut self, mode: Mode, name: Id) -> Outcome<()> {
        match (mode, name) {
            (Mode::InHead, HEAD) => {
                self.stack.pop();
                self.mode = Mode::AfterHead;
            }
            (Mode::InHead | Mode::AfterHead, TEMPLATE) => self.end_template(),
            (Mode::Initial, _)
            | (Mode::BeforeHtml | Mode::BeforeHead, HEAD | BODY | HTML | BR)
            | (Mode::InHead | Mode::AfterHead, BODY | HTML | BR) => return self.imply_tag(mode),
            _ => {}
        }
        Outcome::Done(())
    }

    pub(super) fn start_after_body(&mut self, mode: Mode, tag: &Tag<'_>) -> Outcome<Insertion> {
        match (mode, tag.name) {
            (_, HTML) => Outcome::Done(self.start_in_body(tag)),
            (Mode::AfterBody | Mode::AfterAfterBody, _) => self.reprocess_in(Mode::InBody),
            (Mode::InFrameset, FRAMESET) => Outcome::Done(self.insert(tag)),
            (Mode::InFrameset, FRAME) => Outcome::Done(self.insert_closed(Content::Markup)),
            (_, NOFRAMES) => Outcome::Done(self.start_head_content(tag)),
            _ => Outcome::Done(Insertion::dropped()),
        }
    }

    pub(super) fn end_after_body(&mut self, mode: Mode, name: Id) -> Outcome<()> {
        match (mode, name) {
            (Mode::AfterBody, HTML) => self.mode = Mode::AfterAfterBody,
            (Mode::AfterFrameset, HTML) => self.mode = Mode::AfterAfterFrameset,
            (Mode::AfterBody | Mode::AfterAfterBody, _) => return self.reprocess_in(Mode::InBody),
            (Mode::InFrameset, FRAMESET) if self.stack.len() > 1 => {
                self.stack.pop();
                if !self.stack.current_is(FRAMESET) {
                    self.mode = Mode::AfterFrameset;
                }
            }
            _ => {}
        }
        Outcome::Done(())
    }
}
