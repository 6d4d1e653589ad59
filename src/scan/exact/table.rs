//! The insertion modes of tables.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-intable> and following. Foster
//! parenting moves elements in the tree only, and changes neither the open elements nor the events.

use super::names::{
    BODY, CAPTION, COL, COLGROUP, FORM, HTML, INPUT, Id, SCRIPT, STYLE, TABLE, TBODY, TD, TEMPLATE,
    TFOOT, TH, THEAD, TR,
};
use super::rules::Scope;
use super::stack::FormPointer;
use super::token::Tag;
use super::tree::{Content, Insertion, Mode, Outcome, Tree};

/// The elements at which "clear the stack back to a … context" stops.
const TABLE_CONTEXT: &[Id] = &[TABLE, TEMPLATE, HTML];
const BODY_CONTEXT: &[Id] = &[TBODY, TFOOT, THEAD, TEMPLATE, HTML];
const ROW_CONTEXT: &[Id] = &[TR, TEMPLATE, HTML];
const CELLS: &[Id] = &[TD, TH];

/// Returns the outcome of a start tag: processed again if it closed an element, or dropped.
fn retry_if(has_closed: bool) -> Outcome<Insertion> {
    if has_closed { Outcome::Again } else { Outcome::Done(Insertion::dropped()) }
}

/// Returns the outcome of an end tag: processed again if it closed an inner element, or done.
fn retry_end_if(has_closed: bool) -> Outcome<()> {
    if has_closed { Outcome::Again } else { Outcome::Done(()) }
}

impl Tree {
    fn in_table_scope(&mut self, name: Id) -> bool {
        self.stack.in_scope(Scope::Table, name)
    }

    pub(super) fn start_in_table(&mut self, tag: &Tag<'_>) -> Outcome<Insertion> {
        match tag.name {
            CAPTION => {
                self.stack.pop_to(TABLE_CONTEXT);
                self.stack.formatting.push_marker();
                self.mode = Mode::InCaption;
                Outcome::Done(self.insert(tag))
            }
            COLGROUP | TBODY | TFOOT | THEAD => {
                self.stack.pop_to(TABLE_CONTEXT);
                self.mode = match tag.name {
                    COLGROUP => Mode::InColumnGroup,
                    _ => Mode::InTableBody,
                };
                Outcome::Done(self.insert(tag))
            }
            COL => {
                self.stack.pop_to(TABLE_CONTEXT);
                self.push(COLGROUP);
                self.reprocess_in(Mode::InColumnGroup)
            }
            TD | TH | TR => {
                self.stack.pop_to(TABLE_CONTEXT);
                self.push(TBODY);
                self.reprocess_in(Mode::InTableBody)
            }
            TABLE => retry_if(self.close_table()),
            STYLE | SCRIPT | TEMPLATE => Outcome::Done(self.start_head_content(tag)),
            INPUT if tag.is_hidden() => Outcome::Done(self.insert_closed(Content::Markup)),
            FORM if self.stack.in_template() || self.has_form() => {
                Outcome::Done(Insertion::dropped())
            }
            FORM => {
                self.stack.form = FormPointer::Closed;
                Outcome::Done(self.insert_closed(Content::Markup))
            }
            _ => Outcome::Done(self.start_in_body(tag)),
        }
    }

    /// Closes the table, if one is in scope; returns whether it did.
    fn close_table(&mut self) -> bool {
        let is_open = self.in_table_scope(TABLE);
        if is_open {
            self.stack.pop_through(TABLE);
            self.reset_mode();
        }
        is_open
    }

    pub(super) fn end_in_table(&mut self, name: Id) -> Outcome<()> {
        match name {
            TABLE => _ = self.close_table(),
            BODY | CAPTION | COL | COLGROUP | HTML | TBODY | TD | TFOOT | TH | THEAD | TR => {}
            TEMPLATE => self.end_template(),
            _ => return self.end_in_body(name),
        }
        Outcome::Done(())
    }

    /// Closes the caption, if one is in scope; returns whether it did.
    fn close_caption(&mut self) -> bool {
        let is_open = self.in_table_scope(CAPTION);
        if is_open {
            self.stack.pop_through(CAPTION);
            self.stack.clear_to_marker();
            self.mode = Mode::InTable;
        }
        is_open
    }

    pub(super) fn start_in_caption(&mut self, tag: &Tag<'_>) -> Outcome<Insertion> {
        match tag.name {
            CAPTION | COL | COLGROUP | TBODY | TD | TFOOT | TH | THEAD | TR => {
                retry_if(self.close_caption())
            }
            _ => Outcome::Done(self.start_in_body(tag)),
        }
    }

    pub(super) fn end_in_caption(&mut self, name: Id) -> Outcome<()> {
        match name {
            CAPTION => _ = self.close_caption(),
            TABLE => return retry_end_if(self.close_caption()),
            BODY | COL | COLGROUP | HTML | TBODY | TD | TFOOT | TH | THEAD | TR => {}
            _ => return self.end_in_body(name),
        }
        Outcome::Done(())
    }

    pub(super) fn start_in_column_group(&mut self, tag: &Tag<'_>) -> Outcome<Insertion> {
        match tag.name {
            HTML => Outcome::Done(self.start_in_body(tag)),
            COL => Outcome::Done(self.insert_closed(Content::Markup)),
            TEMPLATE => Outcome::Done(self.start_head_content(tag)),
            _ if self.stack.current_is(COLGROUP) => {
                self.stack.pop();
                self.reprocess_in(Mode::InTable)
            }
            _ => Outcome::Done(Insertion::dropped()),
        }
    }

    pub(super) fn end_in_column_group(&mut self, name: Id) -> Outcome<()> {
        match name {
            COL => {}
            TEMPLATE => self.end_template(),
            _ if self.stack.current_is(COLGROUP) => {
                self.stack.pop();
                self.mode = Mode::InTable;
                if name != COLGROUP {
                    return Outcome::Again;
                }
            }
            _ => {}
        }
        Outcome::Done(())
    }

    pub(super) fn start_in_table_body(&mut self, tag: &Tag<'_>) -> Outcome<Insertion> {
        match tag.name {
            TR => {
                self.stack.pop_to(BODY_CONTEXT);
                self.mode = Mode::InRow;
                Outcome::Done(self.insert(tag))
            }
            TH | TD => {
                self.stack.pop_to(BODY_CONTEXT);
                self.push(TR);
                self.reprocess_in(Mode::InRow)
            }
            CAPTION | COL | COLGROUP | TBODY | TFOOT | THEAD => retry_if(self.close_row_group()),
            _ => self.start_in_table(tag),
        }
    }

    /// Closes the innermost element of a context and enters a mode, if `is_open`.
    fn close_to(&mut self, is_open: bool, context: &[Id], mode: Mode) -> bool {
        if is_open {
            self.stack.pop_to(context);
            self.stack.pop();
            self.mode = mode;
        }
        is_open
    }

    /// Closes the row group, if one is in scope; returns whether it did.
    fn close_row_group(&mut self) -> bool {
        let is_open = [TBODY, THEAD, TFOOT].into_iter().any(|name| self.in_table_scope(name));
        self.close_to(is_open, BODY_CONTEXT, Mode::InTable)
    }

    pub(super) fn end_in_table_body(&mut self, name: Id) -> Outcome<()> {
        match name {
            TBODY | TFOOT | THEAD => {
                let is_open = self.in_table_scope(name);
                self.close_to(is_open, BODY_CONTEXT, Mode::InTable);
            }
            TABLE => return retry_end_if(self.close_row_group()),
            BODY | CAPTION | COL | COLGROUP | HTML | TD | TH | TR => {}
            _ => return self.end_in_table(name),
        }
        Outcome::Done(())
    }

    /// Closes the row, if one is in scope; returns whether it did.
    fn close_row(&mut self) -> bool {
        let is_open = self.in_table_scope(TR);
        self.close_to(is_open, ROW_CONTEXT, Mode::InTableBody)
    }

    pub(super) fn start_in_row(&mut self, tag: &Tag<'_>) -> Outcome<Insertion> {
        match tag.name {
            TH | TD => {
                self.stack.pop_to(ROW_CONTEXT);
                self.mode = Mode::InCell;
                let insertion = self.insert(tag);
                self.stack.formatting.push_marker();
                Outcome::Done(insertion)
            }
            CAPTION | COL | COLGROUP | TBODY | TFOOT | THEAD | TR => retry_if(self.close_row()),
            _ => self.start_in_table(tag),
        }
    }

    pub(super) fn end_in_row(&mut self, name: Id) -> Outcome<()> {
        match name {
            TR => _ = self.close_row(),
            TABLE => return retry_end_if(self.close_row()),
            TBODY | TFOOT | THEAD => {
                return retry_end_if(self.in_table_scope(name) && self.close_row());
            }
            BODY | CAPTION | COL | COLGROUP | HTML | TD | TH => {}
            _ => return self.end_in_table(name),
        }
        Outcome::Done(())
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#close-the-cell>
    fn close_cell(&mut self) -> bool {
        let is_open = self.stack.pop_through_any(Scope::Table, CELLS);
        if is_open {
            self.stack.clear_to_marker();
            self.mode = Mode::InRow;
        }
        is_open
    }

    pub(super) fn start_in_cell(&mut self, tag: &Tag<'_>) -> Outcome<Insertion> {
        match tag.name {
            CAPTION | COL | COLGROUP | TBODY | TD | TFOOT | TH | THEAD | TR => {
                retry_if(self.close_cell())
            }
            _ => Outcome::Done(self.start_in_body(tag)),
        }
    }

    pub(super) fn end_in_cell(&mut self, name: Id) -> Outcome<()> {
        match name {
            TD | TH => {
                if self.in_table_scope(name) {
                    self.stack.pop_through(name);
                    self.stack.clear_to_marker();
                    self.mode = Mode::InRow;
                }
            }
            TABLE | TBODY | TFOOT | THEAD | TR => {
                if self.in_table_scope(name) {
                    self.close_cell();
                    return self.reprocess_in(Mode::InRow);
                }
            }
            BODY | CAPTION | COL | COLGROUP | HTML => {}
            _ => return self.end_in_body(name),
        }
        Outcome::Done(())
    }
}
