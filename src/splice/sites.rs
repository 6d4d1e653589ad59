//! Decides on the candidates of an HTML page, and turns the decisions into edits. A fast path
//! handles most links, and code that both engines share handles the rest.

use std::cell::OnceCell;
use std::ops::Range;

use super::page::{Output, Page, pass_edits};
use super::tags::{
    self, LoadedFile, Tag, TagEdit, TextElements, begins_with_text, element_name, find_base_href,
    is_a, is_base, is_special_link, remove_base,
};
use super::value::{ElementText, SourceText, Value};

use crate::attributes::{Rule, Spot, TEXT, is_css};
use crate::base::BaseHref;
use crate::block::all;
use crate::edit::{Edit, Edits};
use crate::error::{Error, Limits, Location};
use crate::grammar::Grammar;
use crate::link::{
    Anchor, AnchorKind, CONTENT, Details, Document, HIDDEN, JsonScript, LinkPass, SameDocument,
    Siblings, Site,
};
use crate::reference;
use crate::scan::{
    Candidate, Candidates, Fact, Interest, NameId, Namespace, Piece, Placement, Quote, ScanOptions,
    TextKind, extents_of, find_all_bases,
};
use crate::url::{JoinResult, Joiner};
use crate::value::Container;

/// Decides on the candidates of a page.
pub(super) struct PageDecider<'d> {
    pub(super) page: &'d Page<'d>,
    pub(super) document: &'d Document,
    pub(super) candidates: &'d Candidates,
    pub(super) interest: &'d Interest,
    /// The parts of the page whose links are ignored, in ascending order.
    pub(super) ignored: &'d [Range<usize>],
    /// The offset of the `base` element, if the element changes the base URL; 0 otherwise.
    base_start: usize,
    /// The `a` elements, and the elements with raw text; each list is built on first use.
    text_elements: [OnceCell<TextElements<'d>>; 2],
}

impl<'d> PageDecider<'d> {
    pub(super) fn new(
        (page, candidates, interest): (&'d Page<'d>, &'d Candidates, &'d Interest),
        document: &'d Document,
        ignored: &'d [Range<usize>],
    ) -> Self {
        let base = candidates.base.filter(|_| document.has_own_base());
        let base_start = base.map_or(0, |base| base.start);
        let text_elements = Default::default();
        Self { page, document, candidates, interest, ignored, base_start, text_elements }
    }

    /// Returns the list that an element of this name belongs to: the `a` elements, or the elements
    /// with raw text; `None` for any other name.
    fn find_texts(&self, element: &str) -> Option<&TextElements<'d>> {
        let kinds = [&["a"][..], &HIDDEN];
        let kind = kinds.iter().position(|names| names.contains(&element))?;
        let find = || TextElements::new(self.page, self.candidates, kinds[kind]);
        Some(self.text_elements[kind].get_or_init(find))
    }

    /// Decides on every candidate, and passes the edits to `output` in order.
    pub(super) fn decide_each(
        &self,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let indices = 0..self.candidates.list.len();
        if !self.candidates.is_unordered {
            return self.decide_range(indices, pass, output);
        }
        let mut edits = Edits::new(pass.max_output, Some(self.page.locate(0)));
        self.decide_range(indices, pass, &mut edits)?;
        edits.sort();
        pass_edits(&edits, output)
    }

    /// Decides on a range of the candidates, in the order of the scan.
    pub(super) fn decide_range(
        &self,
        indices: Range<usize>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let joiner = self.new_joiner(pass);
        let may_skip = pass.is_visiting() && !self.document.is_nested() && self.page.is_plain();
        for candidate in &self.candidates.list[indices] {
            let is_done = match &joiner {
                Some(joiner) => self.join(joiner, candidate, pass, output)?,
                None => may_skip && self.can_skip(candidate, pass)?,
            };
            if !is_done {
                self.decide(candidate, pass, output)?;
            }
        }
        Ok(())
    }

    /// Collects the edits of `integrity` and `crossorigin` attributes.
    fn collect_integrity_edits(&self, pass: &mut LinkPass<'_>) -> Vec<TagEdit> {
        let mut edits = Vec::new();
        if !pass.edits_integrity() {
            return edits;
        }
        for candidate in &self.candidates.list {
            let attribute = self.interest.name(candidate.name);
            let name = element_name(self.page, candidate);
            let Some(grammar) = tags::loaded_file_grammar(&name, attribute) else { continue };
            let (element, value) = (candidate.element as usize, candidate.value());
            let is_link = name == "link";
            let is_ignored = pass.is_ignored || self.is_ignored(element);
            LoadedFile { element, is_link, value, grammar, document: self.document, is_ignored }
                .edit(self.page, pass, &mut edits);
        }
        edits
    }

    /// Creates the fast path, if no decision needs more than the URL. A nested document has no fast
    /// path: the value around it may write a reference with character references, and a prefix
    /// would then replace more of the source than necessary.
    fn new_joiner(&self, pass: &LinkPass<'_>) -> Option<Joiner<'d>> {
        let is_simple = pass.needs_urls_alone()
            && pass.settings.same_document == SameDocument::Rewrite
            && !self.document.is_nested()
            && !self.document.is_in_markdown
            && self.ignored.is_empty()
            && !pass.is_ignored
            && pass.settings.ignored.is_empty();
        let base = self.document.established.layer.base();
        is_simple.then(|| Joiner::new(base, pass.settings.standard)).flatten()
    }

    /// Takes the fast path for a candidate, if possible: inserts a prefix before its reference, or
    /// counts it as unchanged. Returns whether the candidate is done.
    #[inline]
    fn join(
        &self,
        joiner: &Joiner<'_>,
        candidate: &Candidate,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<bool, Error> {
        if !self.is_plain(candidate) || self.is_before_base(candidate) {
            return Ok(false);
        }
        let span = candidate.value();
        if Limits::exceeds(pass.settings.limits.reference, span.len())
            || pass.may_name_file(&self.page.bytes()[span.clone()])
        {
            return Ok(false);
        }
        let join = joiner.join(self.page.bytes(), span.clone());
        if join == JoinResult::Unsure {
            return Ok(false);
        }
        let is_listing = pass.is_listing();
        let reference = if is_listing { self.page.as_utf8(span.clone()) } else { None };
        if is_listing && reference.is_none() {
            return Ok(false);
        }
        pass.make_room(|| Some(Location::Byte(self.page.source_range(span.clone()).start)))?;
        pass.counts.links += 1;
        match join {
            JoinResult::Prefixed { .. } if is_listing => pass.counts.kept += 1,
            JoinResult::Prefixed { prefix, skip } => {
                pass.counts.rewritten += 1;
                output.edit_plain(span.start..span.start + skip, prefix)?;
            }
            JoinResult::Unresolved => pass.counts.unresolved += 1,
            JoinResult::Absolute | JoinResult::Unsure => pass.counts.absolute += 1,
        }
        if let Some(reference) = reference {
            self.decide_or_list(candidate, Some((reference, &join)), pass, output)?;
        }
        Ok(true)
    }

    /// Whether the visitor needs no call for a candidate; ignored links take the slow path.
    #[inline]
    fn can_skip(&self, candidate: &Candidate, pass: &mut LinkPass<'_>) -> Result<bool, Error> {
        if !self.is_plain(candidate)
            || self.is_ignored(candidate.element as usize)
            || is_special_link(self.page, candidate)
        {
            return Ok(false);
        }
        let span = candidate.value();
        let bytes = &self.page.bytes()[span.clone()];
        let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'&';
        if Limits::exceeds(pass.settings.limits.reference, bytes.len()) || !all(bytes, is_plain) {
            return Ok(false);
        }
        // All bytes are ASCII.
        let Ok(reference) = std::str::from_utf8(bytes) else { return Ok(false) };
        pass.make_room(|| Some(Location::Byte(self.page.source_range(span.clone()).start)))?;
        let is_a = is_a(self.page, candidate);
        Ok(pass.can_skip(is_a, reference, self.document.established.layer.base()))
    }

    fn is_before_base(&self, candidate: &Candidate) -> bool {
        (candidate.element as usize) < self.base_start
    }

    /// Whether the names alone make the attribute a single URL without special rules.
    fn is_plain(&self, candidate: &Candidate) -> bool {
        self.interest.is_plain(candidate.name)
            && candidate.namespace == Namespace::Html
            && !is_base(self.page, candidate)
    }

    /// Takes the slow path for a candidate: reports its fact, if it has one, and decides on its
    /// links by the code that both engines share.
    ///
    /// Never inlined, to keep the loop of the fast path small.
    #[inline(never)]
    fn decide(
        &self,
        candidate: &Candidate,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let is_ignored = self.is_ignored(candidate.element as usize);
        if let Some(fact) = self.interest.fact(candidate.name) {
            self.report(fact, candidate, is_ignored, pass);
            if !self.interest.is_link(candidate.name) {
                return Ok(());
            }
        }
        if is_ignored && pass.skips_ignored() {
            return Ok(());
        }
        let outer = pass.is_ignored;
        pass.is_ignored |= is_ignored;
        pass.is_before_base = self.is_before_base(candidate)
            && self.candidates.find_noscript(candidate.element).is_none();
        let decided = self.decide_or_list(candidate, None, pass, output);
        pass.is_ignored = outer;
        decided
    }

    /// Looks a candidate up in the table of attributes, and decides on each of its references. With
    /// `joined`, only lists the link on which [`PageDecider::join`] has decided.
    fn decide_or_list(
        &self,
        candidate: &Candidate,
        joined: Option<(&str, &JoinResult<'_>)>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let name = element_name(self.page, candidate);
        // The parser renames `image`:
        // https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody
        let is_img = name == "image" && candidate.namespace == Namespace::Html;
        let element = if is_img { "img" } else { &*name };
        let is_text = matches!(candidate.name, NameId::TEXT | NameId::PIECES);
        if matches!(candidate.name, NameId::JSON | NameId::JSON_PIECES) {
            return self.decide_script(candidate, pass, output);
        }
        let attribute = if is_text { TEXT } else { self.interest.name(candidate.name) };
        let tag = Tag::new(self.page, candidate.element);
        let sibling = |name: &str| match name {
            TEXT if element != "a" => None,
            TEXT => Some(self.find_texts(element)?.read_text(self.page, candidate)),
            CONTENT => Some(self.find_texts(element)?.read_content(self.page, candidate.element)),
            _ => tag.read_value(name),
        };
        let selection = &pass.settings.selection;
        let spot = if self.is_plain(candidate) && begins_with_text(self.page, candidate) {
            Some(Spot::PLAIN)
        } else {
            selection.find(element, candidate.namespace, attribute, sibling)
        };
        let Some(spot) = spot else { return Ok(()) };
        if is_text && !is_css(candidate.namespace, sibling("type").as_deref()) {
            return Ok(());
        }
        let codebase = (spot.rule == Rule::Codebase).then(|| sibling("codebase")).flatten();
        let details = Details::default();
        let siblings = Siblings::new(&sibling, &details);
        let site =
            Site { element, namespace: candidate.namespace, attribute, spot, codebase, siblings };
        if let Some(joined) = joined {
            let span = self.page.source_range(candidate.value());
            pass.list(self.document, &site, joined, span);
            return Ok(());
        }
        match candidate.name {
            NameId::TEXT => {
                let Candidate { value_start: start, value_end: end, .. } = *candidate;
                let pieces = [Piece { start, end, kind: TextKind::Raw }];
                ElementText::new(self.page, &pieces).decide(self.document, &site, pass, output)
            }
            NameId::PIECES => {
                let pieces = &self.candidates.pieces[candidate.value()];
                ElementText::new(self.page, pieces).decide(self.document, &site, pass, output)
            }
            _ => self.decide_attribute(candidate, &site, pass, output),
        }
    }

    /// Decides on the text of a `script` element, if its `type` is that of JSON.
    fn decide_script(
        &self,
        candidate: &Candidate,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let tag = Tag::new(self.page, candidate.element);
        let language = tag.read_value("type").and_then(|kind| JsonScript::from_type(&kind));
        let is_inline =
            !JsonScript::is_elsewhere(candidate.namespace, |name| tag.read_value(name).is_some());
        let Some(language) = language.filter(|_| is_inline) else { return Ok(()) };
        let Candidate { value_start: start, value_end: end, .. } = *candidate;
        let raw = [Piece { start, end, kind: TextKind::Raw }];
        let pieces = match candidate.name {
            NameId::JSON => &raw,
            _ => &self.candidates.pieces[candidate.value()],
        };
        ElementText::new(self.page, pieces).decide_script(language, self.document, pass, output)
    }

    /// Reports an anchor, or the use of a map, unless a nested document has it.
    fn report(&self, fact: Fact, candidate: &Candidate, is_ignored: bool, pass: &mut LinkPass<'_>) {
        let Some(visit) = pass.visitor().filter(|_| !self.document.is_nested()) else { return };
        let kind = match fact {
            Fact::Id => AnchorKind::Id,
            Fact::Name if is_a(self.page, candidate) => AnchorKind::Name,
            Fact::UseMap => return visit.usemap(),
            Fact::Name | Fact::Marker | Fact::Encoding => return,
        };
        let element = &*element_name(self.page, candidate);
        let value = self.page.decode_value(candidate.value());
        let span = self.page.source_range(candidate.value());
        visit.anchor(&Anchor { kind, element, value: &value, span, is_ignored });
    }

    /// Whether an offset is in a part of the page whose links are ignored.
    pub(super) fn is_ignored(&self, at: usize) -> bool {
        let next = self.ignored.partition_point(|part| part.end <= at);
        self.ignored.get(next).is_some_and(|part| part.start <= at)
    }

    fn decide_attribute(
        &self,
        candidate: &Candidate,
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let mut in_noscript;
        let output = if self.candidates.find_noscript(candidate.element).is_some() {
            in_noscript = NoscriptOutput(output);
            &mut in_noscript
        } else {
            output
        };
        let text = self.page.decode(candidate.value());
        let source = SourceText { start: candidate.value().start, text: &text };
        let value = Value::new(source, reference::Context::Attribute);
        let context =
            ValueContext { page: self.page, document: self.document, interest: self.interest };
        let quote = match candidate.quote {
            Quote::Double => reference::Quote::Double,
            Quote::Single => reference::Quote::Single,
            // All edits of the value decide whether it needs quotes, so they are collected first.
            quote => {
                let location = self.page.locate(candidate.value().start);
                let mut edits = Edits::new(pass.max_output, Some(location));
                context.decide_value(&value, site, pass, &mut edits)?;
                let needs_quotes = |text: &str| {
                    // https://spec.commonmark.org/0.31.2/#unquoted-attribute-value
                    let is_in_markdown = self.document.is_in_markdown;
                    reference::needs_quotes(text) || (is_in_markdown && text.contains(['=', '<']))
                };
                return value.edit_unquoted(quote, needs_quotes, &edits, output);
            }
        };
        let mut value_output = value.output_to(quote, output);
        context.decide_value(&value, site, pass, &mut value_output)?;
        value_output.finish()
    }
}

/// Escapes `<` in edits of attributes inside a `noscript`: a browser that runs scripts reads the
/// content as text, which an end tag in a value would end.
struct NoscriptOutput<'o>(&'o mut dyn Output);

impl Output for NoscriptOutput<'_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        self.0.edit(span, &text.replace('<', "&lt;"), container)
    }
}

/// The context for decisions on a value: its page and its document.
#[derive(Clone, Copy)]
pub(super) struct ValueContext<'d> {
    pub(super) page: &'d Page<'d>,
    pub(super) document: &'d Document,
    pub(super) interest: &'d Interest,
}

impl ValueContext<'_> {
    /// Decides on the references in a value, and passes the edits of its text to `output`.
    pub(super) fn decide_value(
        self,
        value: &Value<'_>,
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        if site.spot.grammar == Grammar::Html {
            let enclosing = self.page.source_range(value.whole_span());
            return self.decide_nested(value.text(), enclosing, pass, output);
        }
        let span_of = |span: Range<usize>| Some(self.page.source_range(value.byte_range(span)));
        let mut apply = |edit: Edit<'_>| output.edit(edit.span, edit.text, edit.container);
        pass.value(self.document, site, value.text(), &span_of, &mut apply)
    }

    /// Decides on every link of the nested document `text`, and passes the edits of its text to
    /// `output` in order. `enclosing` is the range of the source that contains the document.
    ///
    /// Recurses into documents nested deeper, up to the limit on `srcdoc` nesting.
    pub(super) fn decide_nested(
        self,
        text: &str,
        enclosing: Range<usize>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let Self { document: outer, interest, .. } = self;
        let page = Page::from_document(text);
        // This call checks the limit on nesting, so it precedes the scan.
        let inner = outer.nested(None, Some(enclosing.clone()), pass.settings)?;
        let mut candidates = Candidates::default();
        candidates.scan(page.bytes(), interest, ScanOptions::new(interest));
        let href =
            find_base_href(&page, candidates.base, pass.settings).and_then(BaseHref::into_counted);
        let document = match href {
            Some(href) => outer.nested(Some(&href), Some(enclosing), pass.settings)?,
            None => inner,
        };
        decide(&page, &document, &candidates, pass, interest, output)
    }
}

/// Decides on every link in the text of a `noscript` element, for the DOM engine. Returns the edits
/// of the text.
pub(crate) fn decide_noscript(
    text: &str,
    is_quirky: bool,
    document: &Document,
    pass: &mut LinkPass<'_>,
    interest: &Interest,
) -> Result<Edits, Error> {
    let start = if is_quirky { "<noscript>" } else { "<!DOCTYPE html><noscript>" };
    let whole = format!("{start}{text}");
    let page = Page::from_text(&whole);
    let mut candidates = Candidates::default();
    candidates.scan(page.bytes(), interest, ScanOptions::new(interest));
    let mut edits = Edits::new(pass.max_output, None);
    let mut output = ShiftedEdits { start: start.len(), edits: &mut edits };
    decide(&page, document, &candidates, pass, interest, &mut output)
        .map_err(Error::without_location)?;
    Ok(edits)
}

/// Shifts edits of a text that follows `start` other bytes to offsets in the text itself.
struct ShiftedEdits<'e> {
    start: usize,
    edits: &'e mut Edits,
}

impl Output for ShiftedEdits<'_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        let span = span.start - self.start..span.end - self.start;
        self.edits.push(Edit { span, text, container })
    }
}

/// Finds the parts of a page whose links are ignored, in ascending order.
pub(super) fn find_ignored(
    page: &Page<'_>,
    candidates: &Candidates,
    pass: &LinkPass<'_>,
) -> Vec<Range<usize>> {
    if candidates.has_marker || pass.may_have_marker_class(page.bytes()) {
        extents_of(page.bytes(), pass.markers())
    } else {
        Vec::new()
    }
}

/// Decides on every candidate of a page, and passes the edits to `output` in order. Also corrects
/// the parts of the page that depend on the new URLs: removes `base` elements if they would be
/// wrong, edits `integrity` and `crossorigin`, and notes edits of parts with a hash.
pub(super) fn decide(
    page: &Page<'_>,
    document: &Document,
    candidates: &Candidates,
    pass: &mut LinkPass<'_>,
    interest: &Interest,
    output: &mut dyn Output,
) -> Result<(), Error> {
    let ignored = find_ignored(page, candidates, pass);
    let decider = PageDecider::new((page, candidates, interest), document, &ignored);
    let removes_bases = document.removes_bases(pass.settings) && candidates.has_base;
    let tag_edits = decider.collect_integrity_edits(pass);
    let hashed = if pass.follows_policy() {
        tags::find_hashed_parts(page, candidates, interest)
    } else {
        Vec::new()
    };
    if !removes_bases && tag_edits.is_empty() && hashed.is_empty() {
        return decider.decide_each(pass, output);
    }
    let mut edits = Edits::new(pass.max_output, Some(page.locate(0)));
    decider.decide_each(pass, &mut edits)?;
    pass.notes.has_stale_digests |= edits.iter().any(|edit| {
        let next = hashed.partition_point(|span| span.end <= edit.span.start);
        hashed.get(next).is_some_and(|span| span.start <= edit.span.start)
    });
    tags::add_edits(tag_edits, &mut edits)?;
    // Browsers without scripts read a `base` in a `noscript`; in a template it never applies.
    let bases = if removes_bases { find_all_bases(page.bytes()) } else { Vec::new() };
    for base in bases.into_iter().filter(|base| base.place != Placement::Template) {
        remove_base(page, base.start, &mut edits)?;
    }
    edits.sort();
    pass_edits(&edits, output)
}
