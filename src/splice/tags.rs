//! Reads the tags of a page, and edits the attributes that become wrong if links change: `base`
//! elements, and `crossorigin` and
//! [`integrity`](https://www.w3.org/TR/SRI/#the-integrity-attribute) of elements that load a file.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::page::{Output, Page};
use super::value::context_for;
use crate::base::{BaseHref, BaseLayer};
use crate::edit::Edits;
use crate::error::Error;
use crate::grammar::Grammar;
use crate::learn;
use crate::link::{
    AnchorText, BasePlace, BaseTag, Document, IntegrityUpdate, LinkPass, Settings, Syntax,
};
use crate::reference::decode;
use crate::scan::{
    AnchorPart, Attribute, BaseElement, Candidate, Candidates, Interest, NameId, Piece, Placement,
    find_all_bases, find_first_base, iterate_attributes, read_anchor_text, read_attributes,
};
use crate::url::{Base, Parts, Resolution, is_same_origin};
use crate::value::references;

/// Whether the first byte proves that the value of a candidate is more than white space.
pub(super) fn begins_with_text(page: &Page<'_>, candidate: &Candidate) -> bool {
    // A character reference may represent white space.
    page.bytes()[candidate.value()].first().is_some_and(|&byte| byte > b' ' && byte != b'&')
}

/// Returns the name of a candidate's element as a parser reports it.
pub(super) fn element_name<'p>(page: &'p Page<'_>, candidate: &Candidate) -> Cow<'p, str> {
    let bytes = page.bytes();
    let span = candidate.tag_name(bytes);
    let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    match std::str::from_utf8(&bytes[span.clone()]) {
        Ok(name) if name.bytes().all(is_lower) => Cow::Borrowed(name),
        _ => {
            let name = page.decode(span).text().to_ascii_lowercase();
            Cow::Owned(name.replace('\0', "\u{fffd}"))
        }
    }
}

/// Whether the element of a candidate is a `base`.
#[inline]
pub(super) fn is_base(page: &Page<'_>, candidate: &Candidate) -> bool {
    let is_base = || page.bytes()[candidate.tag_name(page.bytes())].eq_ignore_ascii_case(b"base");
    page.bytes()[candidate.element as usize] | 0x20 == b'b' && is_base()
}

/// Whether the element of a candidate is an `a`.
#[inline]
pub(super) fn is_a(page: &Page<'_>, candidate: &Candidate) -> bool {
    let rest = &page.bytes()[candidate.element as usize..];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    rest[0] | 0x20 == b'a' && rest.get(1).is_some_and(is_end)
}

/// Whether a visitor needs more of an element than its URL: a `link` to the page's canonical URL,
/// to an alternate or to a host, or a `link` or `script` with the digest of the file that it loads.
#[inline]
pub(super) fn is_special_link(page: &Page<'_>, candidate: &Candidate) -> bool {
    let first = page.bytes()[candidate.element as usize] | 0x20;
    matches!(first, b'l' | b's') && has_special_attribute(page, candidate)
}

fn has_special_attribute(page: &Page<'_>, candidate: &Candidate) -> bool {
    let name = &page.bytes()[candidate.tag_name(page.bytes())];
    let is_link = name.eq_ignore_ascii_case(b"link");
    if !is_link && !name.eq_ignore_ascii_case(b"script") {
        return false;
    }
    let tag = Tag::new(page, candidate.element);
    let is_special = |kind: &str| {
        ["canonical", "alternate", "preconnect", "dns-prefetch"]
            .iter()
            .any(|special| kind.eq_ignore_ascii_case(special))
    };
    tag.read_value("integrity").is_some()
        || is_link
            && tag.read_value("rel").is_some_and(|rel| rel.split_ascii_whitespace().any(is_special))
}

/// The start tag of a candidate's element.
pub(super) struct Tag<'d> {
    page: &'d Page<'d>,
    element: u32,
}

impl<'d> Tag<'d> {
    pub(super) fn new(page: &'d Page<'d>, element: u32) -> Self {
        Self { page, element }
    }

    pub(super) fn read_value(&self, name: &str) -> Option<String> {
        let bytes = self.page.bytes();
        let attribute = iterate_attributes(bytes, self.element as usize)
            .find(|other| bytes[other.name.clone()].eq_ignore_ascii_case(name.as_bytes()))?;
        Some(self.page.decode_value(attribute.value).into_owned())
    }
}

/// The candidates' elements with certain names, as offsets in order.
///
/// The text of an element ends before the next element of these, even if a tree builder nests them.
/// Therefore reading all texts takes linear time.
pub(super) struct TextElements<'d> {
    starts: Vec<u32>,
    candidates: &'d Candidates,
}

impl<'d> TextElements<'d> {
    pub(super) fn new(page: &Page<'_>, candidates: &'d Candidates, names: &[&str]) -> Self {
        let bytes = page.bytes();
        let is_named = |candidate: &&Candidate| {
            let written = &bytes[candidate.tag_name(bytes)];
            names.iter().any(|name| written.eq_ignore_ascii_case(name.as_bytes()))
        };
        let elements = candidates.list.iter().filter(is_named);
        let mut starts: Vec<u32> = elements.map(|candidate| candidate.element).collect();
        starts.sort_unstable();
        Self { starts, candidates }
    }

    /// Reads the text of the element that has an attribute, without markup.
    pub(super) fn read_text(&self, page: &Page<'_>, attribute: &Candidate) -> String {
        let Candidate { element, value_end, quote, .. } = *attribute;
        let attribute_end = value_end as usize + usize::from(quote.is_mark());
        let tag = (element as usize, Some(attribute_end));
        read_text(page, Syntax::Html, tag, self.find_end(page, element))
    }

    /// Reads the text of an element, including scripts and style sheets.
    pub(super) fn read_content(&self, page: &Page<'_>, element: u32) -> String {
        let mut content = String::new();
        let source = &page.bytes()[..self.find_end(page, element)];
        let _ended = read_anchor_text(source, Syntax::Html, (element as usize, None), |part| {
            if let AnchorPart::Text(piece) | AnchorPart::Hidden(piece) = part {
                content
                    .push_str(&decode(page.decode(piece.span()).text(), context_for(piece.kind)));
            }
            ControlFlow::Continue(())
        });
        content
    }

    /// Finds the offset at which the text of an element ends at the latest.
    fn find_end(&self, page: &Page<'_>, element: u32) -> usize {
        let noscript = self.candidates.find_noscript(element);
        let end = noscript.map_or(page.bytes().len(), |content| content.end);
        let next = self.starts.partition_point(|&start| start <= element);
        self.starts.get(next).map_or(end, |&next| end.min(next as usize - 1))
    }
}

/// Reads the text of an element up to `end`, or up to the maximum of [`AnchorText`].
pub(super) fn read_text(
    page: &Page<'_>,
    syntax: Syntax,
    tag: (usize, Option<usize>),
    end: usize,
) -> String {
    let mut text = AnchorText::default();
    let _ended = read_anchor_text(&page.bytes()[..end], syntax, tag, |part| {
        match part {
            AnchorPart::Text(piece) => {
                text.push(&decode(page.decode(piece.span()).text(), context_for(piece.kind)));
            }
            AnchorPart::Alt(span) => text.push_word(&page.decode_value(span)),
            AnchorPart::Hidden(_) => {}
        }
        if text.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    text.finish()
}

/// Finds the `base` elements with an `href` outside of `noscript`, in the order of the source.
pub(super) fn find_base_tags(
    page: &Page<'_>,
    candidates: &Candidates,
    settings: &Settings,
) -> Vec<BaseTag> {
    if !candidates.has_base {
        return Vec::new();
    }
    let effective = candidates.base.filter(|base| base.is_in_effect(settings.base_scope));
    let bases = find_all_bases(page.bytes()).into_iter();
    let tags = bases.filter(|base| !base.is_in_noscript).filter_map(|base| {
        Some(BaseTag {
            href: page.source_range(find_href(page, base)?.value),
            place: match base.place {
                Placement::Head => BasePlace::Head,
                Placement::Body => BasePlace::Body,
                Placement::Template => BasePlace::Template,
            },
            counts: effective.is_some_and(|effective| effective.start == base.start),
        })
    });
    tags.collect()
}

/// Creates the document of a page with its base, from the `base` element, text or caller.
pub(super) fn establish_base(
    page: &Page<'_>,
    candidates: &Candidates,
    below: &BaseLayer,
    pass: &LinkPass<'_>,
) -> Result<Document, Error> {
    let location = candidates.base.map(|base| page.locate(base.start));
    let href = find_base_href(page, candidates.base, pass.settings);
    learn::open_document(href, below, pass, location)
}

/// Finds the `href` of the first `base` element of a decoded document, for the DOM engine.
pub(crate) fn find_base_href_in(text: &str, settings: &Settings) -> Option<BaseHref> {
    find_base_href(&Page::from_text(text), find_first_base(text.as_bytes()), settings)
}

/// Reads the `href` of the first `base` element, if there is one.
pub(super) fn find_base_href(
    page: &Page<'_>,
    base: Option<BaseElement>,
    settings: &Settings,
) -> Option<BaseHref> {
    let base = base?;
    let text = page.decode_value(find_href(page, base)?.value).into_owned();
    Some(BaseHref { text, counts: base.is_in_effect(settings.base_scope) })
}

fn find_href(page: &Page<'_>, base: BaseElement) -> Option<Attribute> {
    let bytes = page.bytes();
    let (attributes, _) = read_attributes(bytes, base.start + 1);
    attributes.into_iter().find(|other| bytes[other.name.clone()].eq_ignore_ascii_case(b"href"))
}

/// An edit of a tag: a part of the page, and its replacement in ASCII.
pub(super) type TagEdit = (Range<usize>, String);

/// Adds edits of tags to the edits of a page; the caller sorts them.
pub(super) fn add_edits(list: Vec<TagEdit>, edits: &mut Edits) -> Result<(), Error> {
    list.into_iter().try_for_each(|(span, text)| edits.edit_plain(span, &text))
}

/// The elements that load a file, and can have `integrity` or `crossorigin`.
const LOADING_ELEMENTS: [&str; 6] = ["audio", "image", "img", "link", "script", "video"];

/// The attribute with the URL of the file that its element loads.
pub(super) struct LoadedFile<'l> {
    /// The offset of the element's name in the page.
    pub(super) element: usize,
    /// Whether the element is a `link`.
    pub(super) is_link: bool,
    pub(super) value: Range<usize>,
    pub(super) grammar: Grammar,
    pub(super) document: &'l Document,
    /// Whether the link is ignored. Even then its file may change, and its digest with it.
    pub(super) is_ignored: bool,
}

/// Returns the grammar of an attribute with the URL of the file that its element loads; `None` for
/// any other attribute. Both names are in lower case.
pub(super) fn loaded_file_grammar(element: &str, attribute: &str) -> Option<Grammar> {
    let grammar = match attribute {
        "href" | "src" | "xlink:href" | "poster" => Grammar::Url,
        "srcset" | "imagesrcset" => Grammar::Srcset,
        _ => return None,
    };
    LOADING_ELEMENTS.contains(&element).then_some(grammar)
}

impl LoadedFile<'_> {
    /// Adds the edits that keep the element's `integrity` and `crossorigin` correct: removes both
    /// if the link leads to a file on disk, and renews the digests of a file that was rewritten.
    pub(super) fn edit(&self, page: &Page<'_>, pass: &mut LinkPass<'_>, edits: &mut Vec<TagEdit>) {
        let bytes = page.bytes();
        let has_name =
            |other: &Attribute, name| bytes[other.name.clone()].eq_ignore_ascii_case(name);
        let attributes: Vec<_> = iterate_attributes(bytes, self.element)
            .filter(|other| has_name(other, b"integrity") || has_name(other, b"crossorigin"))
            .collect();
        if attributes.is_empty() {
            return;
        }
        let settings = pass.settings;
        references(self.grammar, &page.decode_value(self.value.clone()), &mut |link| {
            let base = self.document.established.layer.base();
            let resolved = settings.standard.resolve(base, &link.reference);
            let Some(url) = resolved.as_ref().ok().and_then(Resolution::url) else { return };
            let direction = settings.policy.direction();
            if direction.is_some_and(|direction| direction.leads_to_disk(url)) && !self.is_ignored {
                edits.extend(attributes.iter().map(|attribute| remove_attribute(bytes, attribute)));
            } else if let Some(digests) = &settings.edited_digests
                && let Some(integrity) =
                    attributes.iter().find(|other| has_name(other, b"integrity"))
            {
                let old = page.decode_value(integrity.value.clone());
                match digests.update_integrity(url, &old) {
                    IntegrityUpdate::Renewed(new) => edits.push((integrity.value.clone(), new)),
                    IntegrityUpdate::Stays => {}
                    // If the site moves, its style sheets change too, and their digests with them.
                    IntegrityUpdate::Unknown => {
                        pass.notes.has_stale_digests |= self.is_link
                            && base.is_some_and(|base| has_origin_of(base, url))
                            && direction
                                .and_then(|direction| direction.moved(url))
                                .is_some_and(|new| new != url)
                            && !old.trim().is_empty();
                    }
                }
            }
        });
    }
}

/// Whether a URL and a base have the same origin.
fn has_origin_of(base: &Base, url: &str) -> bool {
    let parts = (Parts::of(base.as_str()), Parts::of(url));
    matches!(parts, (Some(base), Some(url)) if is_same_origin(base, url))
}

/// Finds the parts of a page whose [hashes][spec] a policy in the page may list, in order: the text
/// of `style` and `script` elements, and `style` attributes; none if no policy has hashes.
///
/// [spec]: https://www.w3.org/TR/CSP3/#match-element-to-source-list
pub(super) fn find_hashed_parts(
    page: &Page<'_>,
    candidates: &Candidates,
    interest: &Interest,
) -> Vec<Range<usize>> {
    let (content, style) = (interest.find(b"content"), interest.find(b"style"));
    let has_hashes = |candidate: &&Candidate| {
        let equiv = || Tag::new(page, candidate.element).read_value("http-equiv");
        Some(candidate.name) == content
            && equiv().is_some_and(|key| key.trim().eq_ignore_ascii_case("content-security-policy"))
            && page.decode_value(candidate.value()).to_ascii_lowercase().contains("'sha")
    };
    if !candidates.list.iter().any(|candidate| has_hashes(&candidate)) {
        return Vec::new();
    }
    let mut spans = Vec::new();
    for candidate in &candidates.list {
        match candidate.name {
            NameId::TEXT | NameId::JSON => spans.push(candidate.value()),
            NameId::PIECES => {
                spans.extend(candidates.pieces[candidate.value()].iter().map(Piece::span));
            }
            name if Some(name) == style => spans.push(candidate.value()),
            _ => {}
        }
    }
    spans.sort_by_key(|span| span.start);
    spans
}

/// Removes an attribute, and the white space before it unless its neighbours need it.
fn remove_attribute(bytes: &[u8], attribute: &Attribute) -> TagEdit {
    let start = attribute.name.start;
    let end = attribute.value.end + usize::from(attribute.quote.is_mark());
    let rest = &bytes[end..];
    // A `=` after the attribute begins the next name: directly after a name it would begin a value.
    if rest.trim_ascii_start().starts_with(b"=") {
        return (start..end, "/".to_owned());
    }
    let is_separated = rest.first().is_none_or(|&next| next.is_ascii_whitespace() || next == b'>');
    let before = bytes[..start].trim_ascii_end().len();
    let start = if is_separated { before } else { start };
    (start..end, String::new())
}

/// Removes the `base` element whose tag begins at `at`, or only its `href` if it has a `target`.
pub(super) fn remove_base(page: &Page<'_>, at: usize, out: &mut dyn Output) -> Result<(), Error> {
    let bytes = page.bytes();
    let attributes: Vec<_> = iterate_attributes(bytes, at + 1).collect();
    let has_name = |other: &Attribute, name| bytes[other.name.clone()].eq_ignore_ascii_case(name);
    if !attributes.iter().any(|other| has_name(other, b"target")) {
        return out.edit_plain(at..read_attributes(bytes, at + 1).1, "");
    }
    // Without the first `href`, a parser would read a second `href`.
    for href in attributes.iter().filter(|other| has_name(other, b"href")) {
        let end = href.value.end + usize::from(href.quote.is_mark());
        // A `=` after the attribute begins the next name, and must not follow a name directly.
        let next = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
        let text = if next == Some(&b'=') { "/" } else { "" };
        out.edit_plain(href.name.start..end, text)?;
    }
    Ok(())
}
