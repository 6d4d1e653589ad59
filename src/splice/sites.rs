//! From the candidates of a scan to edits: the fast way for most, and the way
//! that both engines share for the rest.

use std::cell::OnceCell;
use std::ops::Range;

use super::anchor::Anchors;
use super::base_element::remove_base;
use super::candidate::{Tag, begins_with_text, element_name, is_base, is_special_link};
use super::page::Page;
use super::scanned::{base_href, options};
use super::style;
use super::value::{self, Value};
use super::write::{self, Output};
use crate::attributes::{Rule, Spot, TEXT, is_css};
use crate::base::BaseHref;
use crate::block::all;
use crate::edit::{Edit, Edits};
use crate::error::{Error, Location};
use crate::grammar::Grammar;
use crate::link::{
    Anchor, AnchorKind, CONTENT, Details, Document, HIDDEN, JsonScript, Limits, LinkPass,
    SameDocument, Siblings, Site,
};
use crate::reference;
use crate::scan::{
    Candidate, Candidates, Fact, Interest, NameId, Namespace, Piece, Placement, Quote, Rules,
    TextKind, all_bases,
};
use crate::url::{Join, Joiner};

/// The candidates of one document, and what deciding on them needs.
pub(super) struct Sites<'d> {
    pub(super) page: &'d Page<'d>,
    pub(super) document: &'d Document,
    pub(super) candidates: &'d Candidates,
    pub(super) interest: &'d Interest,
    /// The parts of the page whose links are left alone, in order.
    pub(super) ignored: &'d [Range<usize>],
    anchors: [OnceCell<Anchors>; 2],
}

impl<'d> Sites<'d> {
    pub(super) fn new(
        (page, candidates, interest): (&'d Page<'d>, &'d Candidates, &'d Interest),
        document: &'d Document,
        ignored: &'d [Range<usize>],
    ) -> Self {
        Self { page, document, candidates, interest, ignored, anchors: Default::default() }
    }

    /// The `a` elements, or those with raw text; none for an element of another name.
    fn anchors(&self, element: &str) -> Option<&Anchors> {
        let kinds = [&["a"][..], &HIDDEN];
        let kind = kinds.iter().position(|names| names.contains(&element))?;
        let find = || Anchors::new(self.page, self.candidates, kinds[kind]);
        Some(self.anchors[kind].get_or_init(find))
    }

    /// Decides on every candidate, and gives the edits to `output` in order.
    pub(super) fn each(
        &self,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let numbers = 0..self.candidates.list.len();
        if !self.candidates.is_unordered {
            return self.each_of(numbers, pass, output);
        }
        let mut edits = Edits::new(pass.max_output, Some(self.page.place(0)));
        self.each_of(numbers, pass, &mut edits)?;
        edits.sort();
        write::pass(&edits, output)
    }

    /// Decides on some of the candidates, in the order in which they were found.
    pub(super) fn each_of(
        &self,
        numbers: Range<usize>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let joiner = self.joiner(pass);
        let shows = pass.is_visiting() && !self.document.is_nested() && self.page.is_plain();
        for candidate in &self.candidates.list[numbers] {
            let is_done = match &joiner {
                Some(joiner) => self.join(joiner, candidate, pass, output)?,
                None => shows && self.can_skip(candidate, pass)?,
            };
            if !is_done {
                self.decide(candidate, pass, output)?;
            }
        }
        Ok(())
    }

    /// The fast way, where nobody is asked. In a document inside a value, a prefix would take more
    /// of the source than it needs to where that writes the reference with character references.
    fn joiner(&self, pass: &LinkPass<'_>) -> Option<Joiner<'d>> {
        let is_simple = pass.needs_urls_alone()
            && pass.settings.same_document == SameDocument::Rewrite
            && !self.document.is_nested()
            && !self.document.is_in_markdown();
        let base = self.document.established.layer.base();
        is_simple.then(|| Joiner::new(base, pass.settings.standard)).flatten()
    }

    /// Puts a prefix in front of a reference, if that is all it needs.
    #[inline]
    fn join(
        &self,
        joiner: &Joiner<'_>,
        candidate: &Candidate,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<bool, Error> {
        if !self.is_plain(candidate) {
            return Ok(false);
        }
        let span = candidate.value();
        if Limits::exceeds(pass.settings.limits.reference, span.len()) {
            return Ok(false);
        }
        let join = joiner.join(self.page.bytes(), span.clone());
        if join == Join::Unsure {
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
            Join::Prefixed { .. } if is_listing => pass.counts.kept += 1,
            Join::Prefixed { prefix, skip } => {
                pass.counts.rewritten += 1;
                output.plain(span.start..span.start + skip, prefix)?;
            }
            Join::Unresolved => pass.counts.unresolved += 1,
            Join::Absolute | Join::Unsure => pass.counts.absolute += 1,
        }
        if let Some(reference) = reference {
            self.show(candidate, Some((reference, &join)), pass, output)?;
        }
        Ok(true)
    }

    /// Whether a link may be skipped: one that stays as written, and is not
    /// left alone already.
    #[inline]
    fn can_skip(&self, candidate: &Candidate, pass: &mut LinkPass<'_>) -> Result<bool, Error> {
        if !self.is_plain(candidate)
            || self.is_ignored(candidate.element)
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
        // All of it is ASCII.
        let Ok(reference) = std::str::from_utf8(bytes) else { return Ok(false) };
        pass.make_room(|| Some(Location::Byte(self.page.source_range(span.clone()).start)))?;
        Ok(pass.can_skip(reference, self.document.established.layer.base()))
    }

    /// Whether its name alone makes it a URL by no special rule.
    fn is_plain(&self, candidate: &Candidate) -> bool {
        self.interest.is_plain(candidate.name)
            && candidate.namespace == Namespace::Html
            && !is_base(self.page, candidate)
    }

    /// The way of both engines: what it is by the table, its references one by
    /// one, and what changes in its value.
    ///
    /// Out of line, so that the loop over the links that need none of it stays small.
    #[inline(never)]
    fn decide(
        &self,
        candidate: &Candidate,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let is_ignored = self.is_ignored(candidate.element);
        if let Some(fact) = self.interest.fact(candidate.name) {
            self.fact(fact, candidate, is_ignored, pass);
            if !self.interest.is_link(candidate.name) {
                return Ok(());
            }
        }
        if is_ignored && !pass.takes_ignored() {
            return Ok(());
        }
        let outer = pass.is_ignored;
        pass.is_ignored |= is_ignored;
        let shown = self.show(candidate, None, pass, output);
        pass.is_ignored = outer;
        shown
    }

    /// Decides on a candidate that is not a comment, or gives the link that was joined.
    fn show(
        &self,
        candidate: &Candidate,
        joined: Option<(&str, &Join<'_>)>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let name = element_name(self.page, candidate);
        // The parser calls it so: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody
        let is_img = name == "image" && candidate.namespace == Namespace::Html;
        let element = if is_img { "img" } else { &*name };
        let is_text = matches!(candidate.name, NameId::TEXT | NameId::PIECES);
        if candidate.name == NameId::JSON {
            return self.script(candidate, pass, output);
        }
        let attribute = if is_text { TEXT } else { self.interest.name(candidate.name) };
        let tag = Tag::new(self.page, candidate.element);
        let sibling = |name: &str| match name {
            TEXT if element != "a" => None,
            TEXT => Some(self.anchors(element)?.text(self.page, candidate)),
            CONTENT => Some(self.anchors(element)?.content(self.page, candidate.element)),
            _ => tag.value(name),
        };
        let selection = &pass.settings.selection;
        let found = if self.is_plain(candidate) && begins_with_text(self.page, candidate) {
            Some(Spot::PLAIN)
        } else {
            selection.find(element, candidate.namespace, attribute, sibling)
        };
        let Some(spot) = found else { return Ok(()) };
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
                style::pieces(self.page, &pieces, self.document, &site, pass, output)
            }
            NameId::PIECES => {
                let pieces = &self.candidates.pieces[candidate.value()];
                style::pieces(self.page, pieces, self.document, &site, pass, output)
            }
            _ => self.attribute(candidate, &site, pass, output),
        }
    }

    /// Decides on the text of a `script` element that may be JSON.
    fn script(
        &self,
        candidate: &Candidate,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let tag = Tag::new(self.page, candidate.element);
        let language = tag.value("type").and_then(|kind| JsonScript::of_type(&kind));
        let Some(language) = language.filter(|_| tag.value("src").is_none()) else { return Ok(()) };
        let Candidate { value_start: start, value_end: end, .. } = *candidate;
        let pieces = [Piece { start, end, kind: TextKind::Raw }];
        style::script(self.page, &pieces, language, self.document, pass, output)
    }

    /// Reports an anchor; those of a document inside this one are not this one's.
    fn fact(&self, fact: Fact, candidate: &Candidate, is_ignored: bool, pass: &mut LinkPass<'_>) {
        let kind = match fact {
            Fact::Id => AnchorKind::Id,
            Fact::Name => AnchorKind::Name,
            Fact::Marker | Fact::Encoding => return,
        };
        let bytes = self.page.bytes();
        let is_a = || bytes[candidate.element(bytes)].eq_ignore_ascii_case(b"a");
        if self.document.is_nested() || (kind == AnchorKind::Name && !is_a()) {
            return;
        }
        let element = &*element_name(self.page, candidate);
        let value = self.page.value(candidate.value());
        let span = self.page.source_range(candidate.value());
        pass.anchor(&Anchor { kind, element, value: &value, span, is_ignored });
    }

    fn is_ignored(&self, element: u32) -> bool {
        let element = element as usize;
        let next = self.ignored.partition_point(|part| part.end <= element);
        self.ignored.get(next).is_some_and(|part| part.start <= element)
    }

    fn attribute(
        &self,
        candidate: &Candidate,
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let text = self.page.text(candidate.value());
        let source = value::SourceText { start: candidate.value().start, text: &text };
        let value = Value::new(source, reference::Context::Attribute);
        let quote = match candidate.quote {
            Quote::Double => reference::Quote::Double,
            Quote::Single => reference::Quote::Single,
            // Whether it needs quotes is known when all of its edits are.
            quote => {
                let place = self.page.place(candidate.value().start);
                let mut edits = Edits::new(pass.max_output, Some(place));
                self.value(&value, candidate, site, pass, &mut edits)?;
                let needs_quotes = |text: &str| {
                    // https://spec.commonmark.org/0.31.2/#unquoted-attribute-value
                    let is_in_markdown = self.document.is_in_markdown();
                    reference::needs_quotes(text) || (is_in_markdown && text.contains(['=', '<']))
                };
                return value.edit_unquoted(quote, needs_quotes, &edits, output);
            }
        };
        let mut value_output = value.output_to(quote, output);
        self.value(&value, candidate, site, pass, &mut value_output)?;
        value_output.finish()
    }

    /// Decides on what is in a value, and gives the edits of its text to `output`.
    fn value(
        &self,
        value: &Value<'_>,
        candidate: &Candidate,
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        if site.spot.grammar == Grammar::Html {
            let enclosing = self.page.source_range(candidate.value());
            return nested(value.text(), self.document, enclosing, pass, self.interest, output);
        }
        let span_of = |span: Range<usize>| Some(self.page.source_range(value.bytes(span)));
        let mut give = |edit: Edit<'_>| output.edit(edit.span, edit.text, edit.container);
        pass.value(self.document, site, value.text(), &span_of, &mut give)
    }
}

/// Decides on every link of a document inside a value, and gives the edits of its
/// text to `output` in order.
///
/// It calls itself for the documents inside that one, as deep as the limit on
/// `srcdoc` nesting allows.
pub(super) fn nested(
    text: &str,
    outer: &Document,
    enclosing: Range<usize>,
    pass: &mut LinkPass<'_>,
    interest: &Interest,
    output: &mut dyn Output,
) -> Result<(), Error> {
    let page = Page::of_document(text);
    // The limit goes first: what is too deep is not read.
    let inner = outer.nested(None, Some(enclosing.clone()), pass.settings)?;
    let mut candidates = Candidates::default();
    candidates.scan(page.bytes(), interest, options(interest));
    let document = match base_href(&page, candidates.base, pass.settings).and_then(BaseHref::own) {
        Some(href) => outer.nested(Some(&href), Some(enclosing), pass.settings)?,
        None => inner,
    };
    decide(&page, &document, &candidates, pass, interest, output)
}

/// Decides on every candidate, and gives the edits to `output` in order.
pub(super) fn decide(
    page: &Page<'_>,
    document: &Document,
    candidates: &Candidates,
    pass: &mut LinkPass<'_>,
    interest: &Interest,
    output: &mut dyn Output,
) -> Result<(), Error> {
    let sites = Sites::new((page, candidates, interest), document, &[]);
    if !document.removes_bases(pass.settings) || !candidates.has_base {
        return sites.each(pass, output);
    }
    let mut edits = Edits::new(pass.max_output, Some(page.place(0)));
    sites.each(pass, &mut edits)?;
    // Browsers without scripts see those in `noscript`, and no browser those in templates.
    let bases = all_bases(Rules::Standard, page.bytes()).into_iter();
    for base in bases.filter(|base| base.place != Placement::Template) {
        remove_base(page, base.start, &mut edits)?;
    }
    edits.sort();
    write::pass(&edits, output)
}
