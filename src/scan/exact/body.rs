//! The "in body" insertion mode.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody>

use super::elements::{Form, Kind, NONE, Scope};
use super::names::{
    A, APPLET, AREA, BODY, BR, BUTTON, CAPTION, COL, COLGROUP, DD, DT, EMBED, FORM, FRAME,
    FRAMESET, H1, H2, H3, H4, H5, H6, HEAD, HR, HTML, IFRAME, IMAGE, IMG, INPUT, Id, KEYGEN, LI,
    LISTING, MARQUEE, MATH, NOBR, NOEMBED, NOSCRIPT, OBJECT, OPTGROUP, OPTION, P, PARAM, PLAINTEXT,
    PRE, RB, RP, RT, RTC, RUBY, SELECT, SOURCE, SVG, TABLE, TBODY, TD, TEMPLATE, TEXTAREA, TFOOT,
    TH, THEAD, TR, TRACK, WBR, XMP,
};
use super::sets::{BLOCK, FORMATTING, HEAD_CONTENT, HEADING, is};
use super::tag::Tag;
use super::tree::{Content, Insertion, Mode, Step, Tree};
use super::{Placement, TreeAction};

const HEADINGS: &[Id] = &[H1, H2, H3, H4, H5, H6];

impl Tree {
    pub(super) fn start_in_body(&mut self, tag: &Tag<'_>) -> Insertion {
        match tag.name {
            NOSCRIPT if !self.is_noscript() => self.insert_closed(Content::Raw),
            name if is(name, FORMATTING) => self.start_formatting(tag),
            name if is(name, HEAD_CONTENT) => self.start_head_content(tag),
            name if is(name, BLOCK | HEADING) => self.start_block(tag),
            P | PRE | LISTING | LI | DD | DT | PLAINTEXT => self.start_block(tag),
            HTML | BODY | FRAMESET => self.start_root(tag),
            FORM => self.start_form(tag),
            BUTTON | SELECT | APPLET | MARQUEE | OBJECT => self.start_scope(tag),
            TABLE => {
                if !self.quirks {
                    self.close_p();
                }
                self.frameset_ok = false;
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
            MATH => self.start_foreign_root(tag, Kind::MathMl),
            SVG => self.start_foreign_root(tag, Kind::Svg),
            // Known elsewhere only: ignored.
            CAPTION | COL | COLGROUP | FRAME | HEAD | TBODY | TD | TFOOT | TH | THEAD | TR => {
                Insertion::dropped()
            }
            _ => self.start_content(tag),
        }
    }

    /// Elements that go in as they come, `option` and `optgroup` among them.
    fn start_content(&mut self, tag: &Tag<'_>) -> Insertion {
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
            self.stack.adopt(NOBR);
            self.stack.reconstruct();
        }
        let built = self.insert_closed(Content::Markup);
        self.stack.push_formatting(tag.name, tag.start, |start| tag.digest_at(start));
        built
    }

    fn start_block(&mut self, tag: &Tag<'_>) -> Insertion {
        match tag.name {
            LI | DD | DT => {
                self.frameset_ok = false;
                self.close_item(tag.name);
            }
            PRE | LISTING => self.frameset_ok = false,
            _ => {}
        }
        self.close_p();
        if is(tag.name, HEADING) && self.stack.current_has(HEADING) {
            self.stack.pop();
        }
        let built = self.insert(tag);
        match tag.name {
            PLAINTEXT => Insertion { content: Content::Plaintext, ..built },
            _ => built,
        }
    }

    /// A `p` element in button scope ends.
    fn close_p(&mut self) {
        if self.stack.in_scope(Scope::Button, P) {
            self.stack.pop_through(P);
        }
    }

    /// An open `li` ends at the next one, a `dd` or `dt` at the next of either.
    fn close_item(&mut self, name: Id) {
        let open = self.stack.nearest_hard();
        match (name, open) {
            (LI, Some(LI)) => self.stack.pop_through(LI),
            (DD | DT, Some(open @ (DD | DT))) => self.stack.pop_through(open),
            _ => {}
        }
    }

    /// `html`, `body` and `frameset` where a body is open.
    fn start_root(&mut self, tag: &Tag<'_>) -> Insertion {
        let has_body = self.stack.len() > 1 && {
            let second = self.stack.entry(1);
            second.kind == Kind::Html && second.name == BODY
        };
        let merged = Insertion::html(TreeAction::Merged, Placement::Body, Content::Markup);
        match tag.name {
            HTML if !self.stack.in_template() => merged,
            BODY if has_body && !self.stack.in_template() => {
                self.frameset_ok = false;
                merged
            }
            FRAMESET if has_body && self.frameset_ok => {
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
        let built = self.insert(tag);
        if !in_template {
            self.stack.form = Form::Open(self.stack.len() - 1);
        }
        built
    }

    /// `button`, `select`, and the elements that put a marker on the list.
    fn start_scope(&mut self, tag: &Tag<'_>) -> Insertion {
        let has_marker = matches!(tag.name, APPLET | MARQUEE | OBJECT);
        if !has_marker && self.stack.in_scope(Scope::Default, tag.name) {
            self.stack.pop_through(tag.name);
            if tag.name == SELECT {
                return Insertion::dropped();
            }
        }
        self.stack.reconstruct();
        let built = self.insert(tag);
        if has_marker {
            self.stack.formatting.push_marker();
        }
        self.frameset_ok = false;
        built
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
            self.frameset_ok = false;
        }
        self.insert_closed(Content::Markup)
    }

    fn start_raw(&mut self, tag: &Tag<'_>) -> Insertion {
        if tag.name == XMP {
            self.close_p();
            self.stack.reconstruct();
        }
        if tag.name != NOEMBED {
            self.frameset_ok = false;
        }
        self.insert_closed(Content::Raw)
    }

    pub(super) fn end_in_body(&mut self, name: Id) -> Step<()> {
        match name {
            TEMPLATE => self.end_template(),
            BODY | HTML => {
                if self.stack.in_scope(Scope::Default, BODY) {
                    self.mode = Mode::AfterBody;
                    if name == HTML {
                        return Step::Again;
                    }
                }
            }
            FORM => self.end_form(),
            P => self.close_p(),
            LI => {
                self.close_in_scope(Scope::List, name);
            }
            APPLET | MARQUEE | OBJECT => {
                if self.close_in_scope(Scope::Default, name) {
                    self.stack.clear_to_marker();
                }
            }
            BR => {
                self.stack.reconstruct();
                self.frameset_ok = false;
            }
            PRE | LISTING | BUTTON | SELECT | DD | DT => {
                self.close_in_scope(Scope::Default, name);
            }
            _ if is(name, BLOCK) => {
                self.close_in_scope(Scope::Default, name);
            }
            _ if is(name, HEADING) => {
                self.stack.pop_through_any(Scope::Default, HEADINGS);
            }
            _ if is(name, FORMATTING) => {
                self.stack.adopt(name);
            }
            _ => self.stack.close_other(name),
        }
        Step::Done(())
    }

    fn close_in_scope(&mut self, scope: Scope, name: Id) -> bool {
        let found = self.stack.in_scope(scope, name);
        if found {
            self.stack.pop_through(name);
        }
        found
    }

    fn end_form(&mut self) {
        if self.stack.in_template() {
            self.close_in_scope(Scope::Default, FORM);
            return;
        }
        let form = std::mem::replace(&mut self.stack.form, Form::Null);
        let Form::Open(index) = form else { return };
        debug_assert_ne!(index, NONE);
        if index >= self.stack.boundary(Scope::Default) {
            self.generate_implied_end_tags();
            self.stack.kill(index);
        }
    }
}
