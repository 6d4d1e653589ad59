//! The "in body" insertion mode.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody>

use super::elements::{Form, Kind, NONE, Scope};
use super::names::{
    A, BODY, DD, DT, FORM, FRAMESET, H1, H2, H3, H4, H5, H6, HTML, INPUT, Id, LI, NOBR, NOEMBED,
    NOSCRIPT, OPTGROUP, OPTION, P, PLAINTEXT, RTC, RUBY, SELECT, TEMPLATE, XMP,
};
use super::sets::{HEADING, Rule, is, rule};
use super::tag::Tag;
use super::tree::{Content, Insertion, Mode, Step, Tree};
use super::{Placement, Rules, TreeAction};

const HEADINGS: &[Id] = &[H1, H2, H3, H4, H5, H6];

impl Tree {
    pub(super) fn start_in_body(&mut self, tag: &Tag<'_>) -> Insertion {
        match rule(tag.name) {
            Rule::Other if tag.name == NOSCRIPT && self.stack.rules == Rules::Scripting => {
                self.insert_raw(Content::Raw)
            }
            Rule::Other | Rule::Option | Rule::Optgroup => self.start_content(tag),
            Rule::Formatting | Rule::A | Rule::Nobr => self.start_formatting(tag),
            Rule::Block | Rule::P | Rule::Heading | Rule::Pre | Rule::Item | Rule::Plaintext => {
                self.start_block(tag)
            }
            Rule::Html | Rule::Body | Rule::Frameset => self.start_root(tag),
            Rule::Head => self.start_head_content(tag),
            Rule::Form => self.start_form(tag),
            Rule::Button | Rule::Object | Rule::Select => self.start_scope(tag),
            Rule::Table => {
                if !self.quirks {
                    self.close_p();
                }
                self.frameset_ok = false;
                self.mode = Mode::InTable;
                self.insert(tag)
            }
            Rule::Void | Rule::Br | Rule::Input | Rule::Param | Rule::Hr => self.start_void(tag),
            Rule::Textarea | Rule::Xmp | Rule::Iframe | Rule::Noembed => self.start_raw(tag),
            Rule::RubyBase | Rule::RubyText => {
                if self.stack.in_scope(Scope::Default, RUBY) {
                    match rule(tag.name) {
                        Rule::RubyBase => self.generate_implied_end_tags(),
                        _ => self.generate_implied_end_tags_except(RTC),
                    }
                }
                self.insert(tag)
            }
            Rule::Math => self.start_foreign_root(tag, Kind::MathMl),
            Rule::Svg => self.start_foreign_root(tag, Kind::Svg),
            Rule::Misplaced => Insertion::dropped(),
        }
    }

    /// Elements that go in as they come, `option` and `optgroup` among them.
    fn start_content(&mut self, tag: &Tag<'_>) -> Insertion {
        let rule = rule(tag.name);
        if rule != Rule::Other {
            if self.stack.in_scope(Scope::Default, SELECT) {
                match rule {
                    Rule::Option => self.generate_implied_end_tags_except(OPTGROUP),
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
        let built = self.insert_void(tag);
        self.stack.push_formatting(tag.name, tag.start, |start| tag.digest_at(start));
        built
    }

    fn start_block(&mut self, tag: &Tag<'_>) -> Insertion {
        match rule(tag.name) {
            Rule::Item => {
                self.frameset_ok = false;
                self.close_item(tag.name);
            }
            Rule::Pre => self.frameset_ok = false,
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
        let own = rule(tag.name);
        if own != Rule::Object && self.stack.in_scope(Scope::Default, tag.name) {
            self.stack.pop_through(tag.name);
            if own == Rule::Select {
                return Insertion::dropped();
            }
        }
        self.stack.reconstruct();
        let built = self.insert(tag);
        if own == Rule::Object {
            self.stack.formatting.push_marker();
        }
        self.frameset_ok = false;
        built
    }

    fn start_void(&mut self, tag: &Tag<'_>) -> Insertion {
        match rule(tag.name) {
            Rule::Param => return self.insert_void(tag),
            Rule::Hr => {
                self.close_p();
                if self.stack.in_scope(Scope::Default, SELECT) {
                    self.generate_implied_end_tags();
                }
            }
            Rule::Input => {
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
        self.insert_void(tag)
    }

    fn start_raw(&mut self, tag: &Tag<'_>) -> Insertion {
        if tag.name == XMP {
            self.close_p();
            self.stack.reconstruct();
        }
        if tag.name != NOEMBED {
            self.frameset_ok = false;
        }
        self.insert_raw(Content::Raw)
    }

    pub(super) fn end_in_body(&mut self, name: Id) -> Step<()> {
        match rule(name) {
            Rule::Head if name == TEMPLATE => self.end_template(),
            Rule::Body | Rule::Html => {
                if self.stack.in_scope(Scope::Default, BODY) {
                    self.mode = Mode::AfterBody;
                    if name == HTML {
                        return Step::Again;
                    }
                }
            }
            Rule::Block | Rule::Pre | Rule::Button | Rule::Select => {
                self.close_in_scope(Scope::Default, name);
            }
            Rule::Form => self.end_form(),
            Rule::P => self.close_p(),
            Rule::Item => {
                let scope = if name == LI { Scope::List } else { Scope::Default };
                self.close_in_scope(scope, name);
            }
            Rule::Heading => {
                self.stack.pop_through_any(Scope::Default, HEADINGS);
            }
            Rule::Formatting | Rule::A | Rule::Nobr => {
                self.stack.adopt(name);
            }
            Rule::Object => {
                if self.close_in_scope(Scope::Default, name) {
                    self.stack.clear_to_marker();
                }
            }
            Rule::Br => {
                self.stack.reconstruct();
                self.frameset_ok = false;
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
