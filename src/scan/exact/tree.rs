//! Tree construction without a tree: the insertion modes, and the dispatch of tokens to them or to
//! the rules for foreign content.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#tree-construction>

use super::super::text::TextRun;
use super::names::{
    ANNOTATION_XML, BODY, BR, BREAKOUT, CAPTION, COL, COLGROUP, DESC, FONT, FOREIGN_OBJECT,
    FRAMESET, HEAD, HEAD_CONTENT, HTML, IMPLIED, Id, MALIGNMARK, MGLYPH, MI, MN, MO, MS, MTEXT,
    NOFRAMES, P, SCRIPT, STYLE, SVG, TABLE, TABLE_TEXT, TBODY, TD, TEMPLATE, TFOOT, TH, THEAD,
    TITLE, TR, has_trait,
};
use super::stack::{EntryKind, FormPointer, Integration, ScannerBuffers, Stack};
use super::token::Tag;
use super::{Namespace, Placement, TreeAction};

/// An [insertion mode](https://html.spec.whatwg.org/multipage/parsing.html#the-insertion-mode). The
/// modes after the body come last, as the dispatch compares modes by their order.
///
/// "Text" and "in table text" are not modes here: the scanner reads raw text at once, and
/// [`Tree::table_text`] records text in tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    AfterHead,
    InBody,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// The kind of content that the tokenizer reads after a start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Markup,
    /// Raw text, with or without character references: up to the end tag of the same name.
    Raw,
    Script,
    Plaintext,
}

/// The element that a start tag becomes, if any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insertion {
    pub(super) action: TreeAction,
    pub(super) namespace: Namespace,
    pub(super) place: Placement,
    pub(super) content: Content,
}

impl Insertion {
    pub(super) fn dropped() -> Self {
        Insertion::html(TreeAction::Dropped, Placement::Body, Content::Markup)
    }

    pub(super) fn html(action: TreeAction, place: Placement, content: Content) -> Self {
        Insertion { action, namespace: Namespace::Html, place, content }
    }
}

/// The outcome of an insertion mode for a token.
pub(super) enum Outcome<T> {
    Done(T),
    /// The token must be processed once more, in the mode that is now current.
    Again,
}

/// Whether the text in a table since the last tag or comment is more than white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableText {
    Space,
    Other,
}

/// The kind of source that the tree is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TreeSource {
    Document,
    /// The content of a `noscript`; a `noscript` inside it is an ordinary element.
    Noscript,
}

/// The state of tree construction.
pub(super) struct Tree {
    pub(super) stack: Stack,
    pub(super) mode: Mode,
    pub(super) template_modes: Vec<Mode>,
    /// The frameset-ok flag: a `frameset` may still replace the body.
    pub(super) is_frameset_ok: bool,
    pub(super) is_quirks: bool,
    pub(super) has_head: bool,
    origin: TreeSource,
    table_text: TableText,
}

impl Tree {
    pub(super) fn new(buffers: &mut ScannerBuffers) -> Self {
        Tree {
            stack: Stack::new(buffers),
            mode: Mode::Initial,
            template_modes: Vec::new(),
            is_frameset_ok: true,
            is_quirks: false,
            has_head: false,
            origin: TreeSource::Document,
            table_text: TableText::Space,
        }
    }

    /// Creates the tree for the content of a `noscript`, which is read as the content of a body.
    pub(super) fn new_in_noscript(is_quirks: bool, buffers: &mut ScannerBuffers) -> Self {
        let tree = Tree::new(buffers);
        let origin = TreeSource::Noscript;
        let mut tree = Tree { is_quirks, has_head: true, origin, ..tree };
        (tree.mode, tree.is_frameset_ok) = (Mode::InBody, false);
        tree.push(HTML);
        tree.push(BODY);
        tree
    }

    /// Whether the source is the content of a `noscript`.
    pub(super) fn is_noscript(&self) -> bool {
        self.origin == TreeSource::Noscript
    }

    /// Sets quirks mode from a doctype, which has an effect in the initial mode only.
    pub(super) fn process_doctype(&mut self, is_quirks: bool) {
        if self.mode == Mode::Initial {
            self.is_quirks = is_quirks;
            self.mode = Mode::BeforeHtml;
        }
    }

    /// Ends the text in a table. A comment has no other effect.
    pub(super) fn process_comment(&mut self) {
        self.flush_table_text();
    }

    pub(super) fn process_start_tag(&mut self, tag: &Tag<'_>) -> Insertion {
        self.flush_table_text();
        loop {
            if self.is_foreign_start(tag) {
                return self.start_in_foreign(tag);
            }
            if let Outcome::Done(insertion) = self.process_start_tag_in(self.mode, tag) {
                return insertion;
            }
        }
    }

    pub(super) fn process_end_tag(&mut self, name: Id) {
        self.flush_table_text();
        if self.stack.current_foreign().is_some() && self.end_in_foreign(name) {
            return;
        }
        // From here on, the rules of the mode apply. The loop need not check for foreign content
        // again: an end tag that changes the mode leaves an HTML element as the current node.
        while let Outcome::Again = self.process_end_tag_in(self.mode, name) {}
    }

    /// Processes a start tag by the rules of a mode for HTML content.
    fn process_start_tag_in(&mut self, mode: Mode, tag: &Tag<'_>) -> Outcome<Insertion> {
        match mode {
            Mode::InBody => Outcome::Done(self.start_in_body(tag)),
            Mode::InTable => self.start_in_table(tag),
            Mode::InCaption => self.start_in_caption(tag),
            Mode::InColumnGroup => self.start_in_column_group(tag),
            Mode::InTableBody => self.start_in_table_body(tag),
            Mode::InRow => self.start_in_row(tag),
            Mode::InCell => self.start_in_cell(tag),
            Mode::InTemplate => self.start_in_template(tag),
            _ if mode >= Mode::AfterBody => self.start_after_body(mode, tag),
            _ => self.start_before_body(mode, tag),
        }
    }

    /// Processes an end tag by the rules of a mode for HTML content.
    fn process_end_tag_in(&mut self, mode: Mode, name: Id) -> Outcome<()> {
        match mode {
            Mode::InBody => self.end_in_body(name),
            Mode::InTable => self.end_in_table(name),
            Mode::InCaption => self.end_in_caption(name),
            Mode::InColumnGroup => self.end_in_column_group(name),
            Mode::InTableBody => self.end_in_table_body(name),
            Mode::InRow => self.end_in_row(name),
            Mode::InCell => self.end_in_cell(name),
            Mode::InTemplate => {
                if name == TEMPLATE {
                    self.end_template();
                }
                Outcome::Done(())
            }
            _ if mode >= Mode::AfterBody => self.end_after_body(mode, name),
            _ => self.end_before_body(mode, name),
        }
    }

    /// Switches the mode and processes the token again.
    pub(super) fn reprocess_in<T>(&mut self, mode: Mode) -> Outcome<T> {
        self.mode = mode;
        Outcome::Again
    }

    /// Finds the part of the tree that would receive an element now.
    pub(super) fn find_placement(&self) -> Placement {
        if self.stack.in_template() {
            Placement::Template
        } else if self.stack.has(HEAD) {
            Placement::Head
        } else {
            Placement::Body
        }
    }

    /// Inserts an HTML element and leaves it open.
    pub(super) fn insert(&mut self, tag: &Tag<'_>) -> Insertion {
        let insertion = self.insert_closed(Content::Markup);
        self.stack.push(tag.name);
        insertion
    }

    /// Inserts an HTML element that is closed before the next token.
    pub(super) fn insert_closed(&self, content: Content) -> Insertion {
        Insertion::html(TreeAction::Inserted, self.find_placement(), content)
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#generate-implied-end-tags>
    pub(super) fn generate_implied_end_tags(&mut self) {
        while self.stack.current_has(IMPLIED) {
            self.stack.pop();
        }
    }

    /// Generates implied end tags, except for one name.
    pub(super) fn generate_implied_end_tags_except(&mut self, name: Id) {
        while self.stack.current_has(IMPLIED) && !self.stack.current_is(name) {
            self.stack.pop();
        }
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#reset-the-insertion-mode-appropriately>
    pub(super) fn reset_mode(&mut self) {
        self.mode = match self.stack.find_mode_element() {
            Some(TD | TH) => Mode::InCell,
            Some(TR) => Mode::InRow,
            Some(TBODY | THEAD | TFOOT) => Mode::InTableBody,
            Some(CAPTION) => Mode::InCaption,
            Some(COLGROUP) => Mode::InColumnGroup,
            Some(TABLE) => Mode::InTable,
            Some(TEMPLATE) => self.template_modes.last().copied().unwrap_or(Mode::InTemplate),
            Some(HEAD) => Mode::InHead,
            Some(FRAMESET) => Mode::InFrameset,
            Some(HTML) if !self.has_head => Mode::BeforeHead,
            Some(HTML) => Mode::AfterHead,
            _ => Mode::InBody,
        };
    }

    /// Inserts an element by the rules of "in head", to which other modes refer.
    pub(super) fn start_head_content(&mut self, tag: &Tag<'_>) -> Insertion {
        match tag.name {
            TITLE | NOFRAMES | STYLE => self.insert_closed(Content::Raw),
            SCRIPT => self.insert_closed(Content::Script),
            TEMPLATE => {
                self.stack.formatting.push_marker();
                self.is_frameset_ok = false;
                self.mode = Mode::InTemplate;
                self.template_modes.push(Mode::InTemplate);
                self.insert(tag)
            }
            _ => self.insert_closed(Content::Markup),
        }
    }

    /// Processes the end tag `template`, which has the same rule in all modes.
    pub(super) fn end_template(&mut self) {
        if self.stack.in_template() {
            self.stack.pop_through(TEMPLATE);
            self.stack.clear_to_marker();
            self.template_modes.pop();
            self.reset_mode();
        }
    }

    /// <https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-intemplate>
    fn start_in_template(&mut self, tag: &Tag<'_>) -> Outcome<Insertion> {
        if has_trait(tag.name, HEAD_CONTENT) {
            return Outcome::Done(self.start_head_content(tag));
        }
        let mode = match tag.name {
            CAPTION | COLGROUP | TBODY | TFOOT | THEAD => Mode::InTable,
            COL => Mode::InColumnGroup,
            TR => Mode::InTableBody,
            TD | TH => Mode::InRow,
            _ => Mode::InBody,
        };
        self.template_modes.pop();
        self.template_modes.push(mode);
        self.reprocess_in(mode)
    }

    /// Whether text can have no effect on the tree until the next tag.
    pub(super) fn ignores_text(&self) -> bool {
        let body_ignores = !self.is_frameset_ok && !self.stack.formatting.needs_reopening();
        match self.mode {
            Mode::InBody | Mode::InCaption | Mode::InCell | Mode::InTemplate => body_ignores,
            Mode::InTable | Mode::InTableBody | Mode::InRow => {
                body_ignores && (self.table_text == TableText::Other || !self.defers_text())
            }
            Mode::InFrameset | Mode::AfterFrameset => true,
            Mode::AfterAfterFrameset => !self.stack.formatting.needs_reopening(),
            _ => false,
        }
    }

    /// Whether tree construction decides on text only when the next tag or comment follows.
    fn defers_text(&self) -> bool {
        self.stack.current_has(TABLE_TEXT) || self.stack.current_is(TEMPLATE)
    }

    /// Processes a run of characters of the same kind.
    pub(super) fn process_characters(&mut self, run: TextRun) {
        // In the text of a `noscript`, NUL is U+FFFD.
        let run = if self.is_noscript() && run == TextRun::Null { TextRun::Other } else { run };
        if self.is_foreign_text() {
            if run == TextRun::Other {
                self.is_frameset_ok = false;
            }
            return;
        }
        while let Outcome::Again = self.process_characters_in(self.mode, run) {}
    }

    fn process_characters_in(&mut self, mode: Mode, run: TextRun) -> Outcome<()> {
        match mode {
            Mode::InBody | Mode::InCaption | Mode::InCell | Mode::InTemplate => {
                self.process_characters_in_body(run);
            }
            Mode::InTable | Mode::InTableBody | Mode::InRow => {
                if !self.defers_text() {
                    self.process_characters_in_body(run);
                } else if run == TextRun::Other {
                    self.table_text = TableText::Other;
                }
            }
            Mode::AfterBody | Mode::AfterAfterBody | Mode::AfterAfterFrameset
                if run == TextRun::Space =>
            {
                self.process_characters_in_body(run);
            }
            Mode::AfterBody | Mode::AfterAfterBody => return self.reprocess_in(Mode::InBody),
            Mode::InFrameset | Mode::AfterFrameset | Mode::AfterAfterFrameset => {}
            _ if run == TextRun::Space => {}
            Mode::InColumnGroup if self.stack.current_is(COLGROUP) => {
                self.stack.pop();
                return self.reprocess_in(Mode::InTable);
            }
            Mode::InColumnGroup => {}
            _ => return self.imply_tag(mode),
        }
        Outcome::Done(())
    }

    fn process_characters_in_body(&mut self, run: TextRun) {
        if run == TextRun::Null {
            return;
        }
        self.stack.reconstruct();
        if run == TextRun::Other {
            self.is_frameset_ok = false;
        }
    }

    /// Decides on the text in a table, which ends at every token except characters.
    pub(super) fn flush_table_text(&mut self) {
        if std::mem::replace(&mut self.table_text, TableText::Space) == TableText::Other {
            self.stack.reconstruct();
            self.is_frameset_ok = false;
        }
    }

    /// Whether the form element pointer is not null.
    pub(super) fn has_form(&self) -> bool {
        self.stack.form != FormPointer::Null
    }
}

/// Returns the kind of integration point that a foreign start tag opens.
fn find_integration(tag: &Tag<'_>, kind: EntryKind) -> Integration {
    match (kind, tag.name) {
        (EntryKind::MathMl, MI | MO | MN | MS | MTEXT) => Integration::Text,
        (EntryKind::MathMl, ANNOTATION_XML) if tag.is_html_annotation() => {
            Integration::HtmlAnnotation
        }
        (EntryKind::MathMl, ANNOTATION_XML) => Integration::Annotation,
        (EntryKind::Svg, FOREIGN_OBJECT | DESC | TITLE) => Integration::Html,
        _ => Integration::None,
    }
}

impl Tree {
    /// Whether a start tag follows the rules for foreign content.
    ///
    /// <https://html.spec.whatwg.org/multipage/parsing.html#tree-construction-dispatcher>
    fn is_foreign_start(&self, tag: &Tag<'_>) -> bool {
        self.stack.current_foreign().is_some_and(|current| match current.integration {
            Integration::None => true,
            Integration::Text => matches!(tag.name, MGLYPH | MALIGNMARK),
            Integration::Html | Integration::HtmlAnnotation => false,
            Integration::Annotation => tag.name != SVG,
        })
    }

    /// Whether text follows the rules for foreign content.
    fn is_foreign_text(&self) -> bool {
        self.stack.current_foreign().is_some_and(|current| {
            matches!(current.integration, Integration::None | Integration::Annotation)
        })
    }

    fn start_in_foreign(&mut self, tag: &Tag<'_>) -> Insertion {
        if has_trait(tag.name, BREAKOUT) || (tag.name == FONT && tag.is_html_font()) {
            self.break_out();
            // The rules of the mode apply even in foreign content, as for a `p` in `mi`.
            return match self.process_start_tag_in(self.mode, tag) {
                Outcome::Done(insertion) => insertion,
                Outcome::Again => self.process_start_tag(tag),
            };
        }
        let kind = self.stack.current_foreign().map_or(EntryKind::Svg, |current| current.kind);
        self.insert_foreign(tag, kind)
    }

    /// Processes a start tag `svg` or `math` in HTML content.
    pub(super) fn start_foreign_root(&mut self, tag: &Tag<'_>, kind: EntryKind) -> Insertion {
        self.stack.reconstruct();
        self.insert_foreign(tag, kind)
    }

    fn insert_foreign(&mut self, tag: &Tag<'_>, kind: EntryKind) -> Insertion {
        let namespace = match kind {
            EntryKind::Html => Namespace::Html,
            EntryKind::Svg => Namespace::Svg,
            EntryKind::MathMl => Namespace::MathMl,
        };
        let insertion = Insertion {
            action: TreeAction::Inserted,
            namespace,
            place: self.find_placement(),
            content: Content::Markup,
        };
        if !tag.is_self_closing {
            self.stack.push_entry(tag.name, kind, find_integration(tag, kind));
        }
        insertion
    }

    /// Pops foreign elements up to an integration point, which accepts HTML content.
    fn break_out(&mut self) {
        while let Some(current) = self.stack.current_foreign() {
            match current.integration {
                Integration::Text | Integration::Html | Integration::HtmlAnnotation => return,
                _ => self.stack.pop(),
            }
        }
    }

    /// Processes an end tag in foreign content; `false` if the rules of the mode apply instead.
    fn end_in_foreign(&mut self, name: Id) -> bool {
        if matches!(name, BR | P) {
            self.break_out();
            return false;
        }
        let run = self.stack.find_foreign_run();
        match self.stack.find_highest_foreign(name) {
            Some(index) if index >= run => {
                self.stack.truncate(index);
                true
            }
            _ => false,
        }
    }
}
