//! From the candidates of a scan to edits: the fast way for most, and the way
//! that both engines share for the rest.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::value::{self, Value};
use super::write::{self, Output};
use super::{Page, style};
use crate::attributes::{Rule, Spot, TEXT, is_css};
use crate::edit::{Edit, Edits};
use crate::error::{Error, Place};
use crate::grammar::Grammar;
use crate::link::{
    Anchor, AnchorKind, Document, Limits, Run, SameDocument, Settings, Siblings, Site,
};
use crate::reference;
use crate::scan::{
    Attribute, Candidate, Candidates, Comments, Fact, Interest, NameId, Namespace, Piece, Quote,
    TextKind, Wanted, attributes_of, every_attribute_of,
};
use crate::url::{Join, Joiner, Standard};

/// The candidates of one document, and what deciding on them needs.
pub(super) struct Sites<'d> {
    page: &'d Page<'d>,
    document: &'d Document,
    candidates: &'d Candidates,
    interest: &'d Interest,
    settings: &'d Settings,
    /// The parts of the page whose links are left alone, in order.
    ignored: &'d [Range<usize>],
}

impl<'d> Sites<'d> {
    pub(super) fn new(
        page: &'d Page<'d>,
        document: &'d Document,
        candidates: &'d Candidates,
        interest: &'d Interest,
        settings: &'d Settings,
    ) -> Self {
        Self { page, document, candidates, interest, settings, ignored: &[] }
    }

    /// The same without the links of these parts, which are in order.
    pub(super) fn ignoring(self, ignored: &'d [Range<usize>]) -> Self {
        Self { ignored, ..self }
    }

    /// Decides on every candidate, and gives the edits to `output` in order.
    pub(super) fn each(&self, run: &mut Run<'_>, output: &mut dyn Output) -> Result<(), Error> {
        if !self.candidates.is_unordered {
            return self.each_as_found(run, output);
        }
        let mut edits = Edits::new(run.max_output, Some(self.page.place(0)));
        self.each_as_found(run, &mut edits)?;
        edits.sort();
        write::pass(&edits, output)
    }

    fn each_as_found(&self, run: &mut Run<'_>, output: &mut dyn Output) -> Result<(), Error> {
        let joiner = self.joiner(run);
        let shows = run.is_showing() && !self.document.is_nested() && self.page.is_plain();
        for candidate in &self.candidates.list {
            let is_done = match &joiner {
                Some(joiner) => self.join(joiner, candidate, run, output)?,
                None => shows && self.passes(candidate, run)?,
            };
            if !is_done {
                self.decide(candidate, run, output)?;
            }
        }
        Ok(())
    }

    /// The fast way, where nobody is asked and references are resolved by RFC
    /// 1808. In a document inside a value, a prefix would take more of the source
    /// than it needs to where that writes the reference with character references.
    fn joiner(&self, run: &Run<'_>) -> Option<Joiner<'d>> {
        let is_simple = run.is_absolute()
            && self.settings.standard == Standard::Rfc1808
            && self.settings.same_document == SameDocument::Rewrite
            && !self.document.is_nested();
        let base = self.document.established.layer.base().filter(|_| is_simple)?;
        Joiner::new(base)
    }

    /// Puts a prefix in front of a reference, if that is all it needs.
    #[inline]
    fn join(
        &self,
        joiner: &Joiner<'_>,
        candidate: &Candidate,
        run: &mut Run<'_>,
        output: &mut dyn Output,
    ) -> Result<bool, Error> {
        if !self.is_plain(candidate) {
            return Ok(false);
        }
        let span = candidate.value();
        let reference = &self.page.bytes()[span.clone()];
        if Limits::exceeds(self.settings.limits.reference, reference.len()) {
            return Ok(false);
        }
        let join = joiner.join(reference);
        if join == Join::Unsure {
            return Ok(false);
        }
        run.make_room(|| Some(Place::Byte(self.page.source_range(span.clone()).start)))?;
        run.counts.links += 1;
        match join {
            Join::Prefixed { prefix, skip } => {
                run.counts.rewritten += 1;
                output.plain(span.start..span.start + skip, prefix)?;
            }
            _ => run.counts.absolute += 1,
        }
        Ok(true)
    }

    /// Whether a link may be passed over: one that stands as it is written, and is not
    /// left alone already.
    #[inline]
    fn passes(&self, candidate: &Candidate, run: &mut Run<'_>) -> Result<bool, Error> {
        if !self.is_plain(candidate) || self.is_ignored(candidate.element) {
            return Ok(false);
        }
        let span = candidate.value();
        let bytes = &self.page.bytes()[span.clone()];
        let stands = |byte: &u8| byte.is_ascii_graphic() && *byte != b'&';
        if Limits::exceeds(self.settings.limits.reference, bytes.len()) || !bytes.iter().all(stands)
        {
            return Ok(false);
        }
        // All of it is ASCII.
        let Ok(reference) = std::str::from_utf8(bytes) else { return Ok(false) };
        run.make_room(|| Some(Place::Byte(self.page.source_range(span.clone()).start)))?;
        Ok(run.passes(reference, self.document.established.layer.base()))
    }

    /// Whether its name alone makes it a URL by no special rule.
    fn is_plain(&self, candidate: &Candidate) -> bool {
        self.interest.is_plain(candidate.name)
            && candidate.namespace == Namespace::Html
            && !self.is_base(candidate)
    }

    /// Whether the value's first byte shows that it is not empty, nor white space alone.
    fn begins_with_text(&self, candidate: &Candidate) -> bool {
        // A character reference may stand for white space.
        self.page.bytes()[candidate.value()]
            .first()
            .is_some_and(|&byte| byte > b' ' && byte != b'&')
    }

    /// The element's name as a parser has it.
    fn element_name(&self, candidate: &Candidate) -> Cow<'_, str> {
        let bytes = self.page.bytes();
        let span = candidate.element(bytes);
        let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        match std::str::from_utf8(&bytes[span.clone()]) {
            Ok(name) if name.bytes().all(is_lower) => Cow::Borrowed(name),
            _ => {
                let name = self.page.text(span).text().to_ascii_lowercase();
                Cow::Owned(name.replace('\0', "\u{fffd}"))
            }
        }
    }

    fn is_base(&self, candidate: &Candidate) -> bool {
        let rest = &self.page.bytes()[candidate.element as usize..];
        rest[0] | 0x20 == b'b'
            && rest[..candidate.element(self.page.bytes()).len()].eq_ignore_ascii_case(b"base")
    }

    /// The way of both engines: what it is by the table, its references one by
    /// one, and what changes in its value.
    ///
    /// Out of line, so that the loop over the links that need none of it stays small.
    #[inline(never)]
    fn decide(
        &self,
        candidate: &Candidate,
        run: &mut Run<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let is_ignored = self.is_ignored(candidate.element);
        if let Some(fact) = self.interest.fact(candidate.name) {
            self.fact(fact, candidate, is_ignored, run);
            if !self.interest.is_link(candidate.name) {
                return Ok(());
            }
        }
        if is_ignored {
            return Ok(());
        }
        if candidate.name == NameId::COMMENT {
            return self.comment(candidate.value(), run, output);
        }
        let name = self.element_name(candidate);
        // The parser calls it so: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody
        let is_img = name == "image" && candidate.namespace == Namespace::Html;
        let element = if is_img { "img" } else { &*name };
        let is_text = matches!(candidate.name, NameId::TEXT | NameId::PIECES);
        let attribute = if is_text { TEXT } else { self.interest.name(candidate.name) };
        let tag = Tag { page: self.page, element: candidate.element, attributes: OnceCell::new() };
        let sibling = |name: &str| tag.value(name);
        let selection = &self.settings.selection;
        let found = if self.is_plain(candidate) && self.begins_with_text(candidate) {
            Some(Spot::PLAIN)
        } else {
            selection.find(element, candidate.namespace, attribute, sibling)
        };
        let Some(spot) = found else { return Ok(()) };
        if is_text && !is_css(candidate.namespace, sibling("type").as_deref()) {
            return Ok(());
        }
        let codebase = (spot.rule == Rule::Codebase).then(|| sibling("codebase")).flatten();
        let siblings = Siblings(&sibling);
        let site = Site { element, attribute, spot, codebase, siblings };
        match candidate.name {
            NameId::TEXT => {
                let Candidate { value_start: start, value_end: end, .. } = *candidate;
                let pieces = [Piece { start, end, kind: TextKind::Raw }];
                style::pieces(self.page, &pieces, self.document, &site, run, output)
            }
            NameId::PIECES => {
                let pieces = &self.candidates.pieces[candidate.value()];
                style::pieces(self.page, pieces, self.document, &site, run, output)
            }
            _ => self.attribute(candidate, &site, run, output),
        }
    }

    /// Tells of an anchor; those of a document inside this one are not this one's.
    fn fact(&self, fact: Fact, candidate: &Candidate, is_ignored: bool, run: &mut Run<'_>) {
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
        let element = &*self.element_name(candidate);
        let value = self.page.value(candidate.value());
        let span = self.page.source_range(candidate.value());
        run.anchor(&Anchor { kind, element, value: &value, span, is_ignored });
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
        run: &mut Run<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let text = self.page.text(candidate.value());
        let value = Value::new(value::Place { start: candidate.value().start, text: &text });
        let quote = match candidate.quote {
            Quote::Double => reference::Quote::Double,
            Quote::Single => reference::Quote::Single,
            // Whether it needs quotes is known when all of its edits are.
            quote => {
                let place = self.page.place(candidate.value().start);
                let mut edits = Edits::new(run.max_output, Some(place));
                self.value(&value, candidate, site, run, &mut edits)?;
                return value.edit_unquoted(quote, &edits, output);
            }
        };
        let mut within = value.within(quote, output);
        self.value(&value, candidate, site, run, &mut within)?;
        within.finish()
    }

    /// Decides on what stands in a value, and gives the edits of its text to `output`.
    fn value(
        &self,
        value: &Value<'_>,
        candidate: &Candidate,
        site: &Site<'_>,
        run: &mut Run<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        if site.spot.grammar == Grammar::Html {
            let enclosing = self.page.source_range(candidate.value());
            return super::nested(
                value.text(),
                self.document,
                enclosing,
                run,
                self.interest,
                output,
            );
        }
        let span_of = |span: Range<usize>| Some(self.page.source_range(value.bytes(span)));
        let mut give = |edit: Edit<'_>| output.edit(edit.span, edit.text, edit.container);
        run.value(self.document, site, value.text(), &span_of, &mut give)
    }

    /// Decides on what stands in a conditional comment.
    pub(super) fn comment(
        &self,
        span: Range<usize>,
        run: &mut Run<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let bytes = self.page.bytes();
        let Some(inner) = conditional(&bytes[span.clone()]) else { return Ok(()) };
        let start = span.start + inner.start;
        let mut candidates = Candidates::default();
        let wanted =
            Wanted { comments: Comments::Skip, ..super::wanted(self.settings, self.interest) };
        candidates.scan(&bytes[start..span.start + inner.end], self.interest, wanted);
        candidates.shift(start);
        let sites = Sites { candidates: &candidates, ..*self };
        sites.each(run, output)
    }

    /// Takes the `base` element out whose tag begins at `start`; one that has a
    /// `target` loses its `href` alone.
    pub(super) fn remove_base(&self, start: usize, output: &mut dyn Output) -> Result<(), Error> {
        let bytes = self.page.bytes();
        let attributes = every_attribute_of(bytes, start + 1);
        let is = |one: &Attribute, name: &[u8]| bytes[one.name.clone()].eq_ignore_ascii_case(name);
        if !attributes.iter().any(|one| is(one, b"target")) {
            return output.plain(start..attributes_of(bytes, start + 1).1, "");
        }
        // Behind the first stands, perhaps, one that would count without it.
        for href in attributes.iter().filter(|one| is(one, b"href")) {
            let end = href.value.end + usize::from(href.quote.is_mark());
            // A `=` behind it is the start of a name, and must not come behind another.
            let next = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
            let text = if next == Some(&b'=') { "/" } else { "" };
            output.plain(href.name.start..end, text)?;
        }
        Ok(())
    }
}

/// The start tag of a candidate's element.
struct Tag<'d> {
    page: &'d Page<'d>,
    element: u32,
    /// Read when one is first asked for.
    attributes: OnceCell<Vec<Attribute>>,
}

impl Tag<'_> {
    fn value(&self, name: &str) -> Option<String> {
        let bytes = self.page.bytes();
        let found = self
            .attributes
            .get_or_init(|| attributes_of(bytes, self.element as usize).0)
            .iter()
            .find(|one| bytes[one.name.clone()].eq_ignore_ascii_case(name.as_bytes()))?;
        Some(self.page.value(found.value.clone()).into_owned())
    }
}

/// The markup inside the text of a [conditional comment][spec]: between `[if …]>`
/// and `<![endif]`.
///
/// [spec]: https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/compatibility/ms537512(v=vs.85)
fn conditional(text: &[u8]) -> Option<Range<usize>> {
    let trimmed = text.trim_ascii_start();
    let is_if = trimmed.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"[if"));
    let start = memchr::memmem::find(text, b"]>").filter(|_| is_if)? + 2;
    let end = memchr::memmem::rfind(text, b"<!")?;
    let tail = text.get(end..)?.trim_ascii_end();
    (tail.eq_ignore_ascii_case(b"<![endif]") && start <= end).then_some(start..end)
}
