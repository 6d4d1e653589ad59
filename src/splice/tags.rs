//! Edits of tags: removes `base` elements, and outdated attributes that describe the file that an
//! element loads: [`integrity`](https://www.w3.org/TR/SRI/#the-integrity-attribute), and
//! `crossorigin`.

use std::ops::Range;

use super::candidate::Tag;
use super::page::Page;
use super::write::Output;

use crate::edit::Edits;
use crate::error::Error;
use crate::grammar::Grammar;
use crate::link::{Document, LinkPass, Renewal};
use crate::scan::{
    Attribute, Candidate, Candidates, Interest, NameId, Piece, attributes_of, every_attribute_of,
};
use crate::url::{Base, Parts, Resolution, have_one_origin};
use crate::value::references;

/// A part of the page, and its replacement in ASCII.
pub(super) type TagEdit = (Range<usize>, String);

/// Adds edits of tags, which may be out of order.
pub(super) fn add_edits(list: Vec<TagEdit>, edits: &mut Edits) -> Result<(), Error> {
    list.into_iter().try_for_each(|(span, text)| edits.plain(span, &text))
}

/// The elements whose loading these attributes control.
const ELEMENTS: [&str; 6] = ["audio", "image", "img", "link", "script", "video"];

/// An attribute that names the file that its element loads.
pub(super) struct Loading<'l> {
    /// The offset of the element's name in the page.
    pub(super) element: usize,
    /// Whether it is a `link` element.
    pub(super) is_link: bool,
    pub(super) value: Range<usize>,
    pub(super) grammar: Grammar,
    pub(super) document: &'l Document,
    /// Whether the link is ignored: the file may change all the same.
    pub(super) is_ignored: bool,
}

/// The grammar in which an attribute names the file that its element loads; both names are in lower
/// case.
pub(super) fn grammar(element: &str, attribute: &str) -> Option<Grammar> {
    let grammar = match attribute {
        "href" | "src" | "xlink:href" | "poster" => Grammar::Url,
        "srcset" | "imagesrcset" => Grammar::Srcset,
        _ => return None,
    };
    ELEMENTS.contains(&element).then_some(grammar)
}

impl Loading<'_> {
    /// Adds the edits of the element's other attributes.
    pub(super) fn edit(&self, page: &Page<'_>, pass: &mut LinkPass<'_>, edits: &mut Vec<TagEdit>) {
        let bytes = page.bytes();
        let is = |one: &Attribute, name: &[u8]| bytes[one.name.clone()].eq_ignore_ascii_case(name);
        let attributes: Vec<_> = every_attribute_of(bytes, self.element)
            .filter(|one| is(one, b"integrity") || is(one, b"crossorigin"))
            .collect();
        if attributes.is_empty() {
            return;
        }
        let settings = pass.settings;
        references(self.grammar, &page.value(self.value.clone()), &mut |found| {
            let base = self.document.established.layer.base();
            let resolved = settings.standard.resolve(base, &found.reference);
            let Some(url) = resolved.as_ref().ok().and_then(Resolution::url) else { return };
            let direction = settings.policy.direction();
            if direction.is_some_and(|one| one.leads_to_disk(url)) && !self.is_ignored {
                edits.extend(attributes.iter().map(|one| without(bytes, one)));
            } else if let Some(renewals) = &settings.renewals
                && let Some(integrity) = attributes.iter().find(|one| is(one, b"integrity"))
            {
                let old = page.value(integrity.value.clone());
                match renewals.renewal(url, &old) {
                    Renewal::Renewed(new) => edits.push((integrity.value.clone(), new)),
                    Renewal::Stays => {}
                    // The file changes too if its own site moves.
                    Renewal::Unknown => {
                        pass.notes.has_stale_digests |= self.is_link
                            && base.is_some_and(|base| is_on_host(base, url))
                            && direction
                                .and_then(|one| one.moved(url))
                                .is_some_and(|new| new != url)
                            && !old.trim().is_empty();
                    }
                }
            }
        });
    }
}

/// Whether a URL has the origin of a base.
fn is_on_host(base: &Base, url: &str) -> bool {
    let own = (Parts::of(base.as_str()), Parts::of(url));
    matches!(own, (Some(own), Some(parts)) if have_one_origin(own, parts))
}

/// The parts of a page whose [hashes][spec] a policy in the page may list: the text of `style` and
/// `script` elements, and `style` attributes. They are in order, and empty if no policy has hashes.
///
/// [spec]: https://www.w3.org/TR/CSP3/#match-element-to-source-list
pub(super) fn hashed(
    page: &Page<'_>,
    candidates: &Candidates,
    interest: &Interest,
) -> Vec<Range<usize>> {
    let (content, style) = (interest.find(b"content"), interest.find(b"style"));
    let has_hashes = |candidate: &&Candidate| {
        let equiv = || Tag::new(page, candidate.element).value("http-equiv");
        Some(candidate.name) == content
            && equiv().is_some_and(|one| one.trim().eq_ignore_ascii_case("content-security-policy"))
            && page.value(candidate.value()).to_ascii_lowercase().contains("'sha")
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

/// Removes an attribute and the white space before it, unless that separates its neighbours.
fn without(bytes: &[u8], attribute: &Attribute) -> TagEdit {
    let start = attribute.name.start;
    let end = attribute.value.end + usize::from(attribute.quote.is_mark());
    let rest = &bytes[end..];
    // A `=` after the attribute begins a name, and must not follow another name.
    if rest.trim_ascii_start().starts_with(b"=") {
        return (start..end, "/".to_owned());
    }
    let is_separated = rest.first().is_none_or(|&next| next.is_ascii_whitespace() || next == b'>');
    let before = bytes[..start].trim_ascii_end().len();
    let start = if is_separated { before } else { start };
    (start..end, String::new())
}

/// Removes the `base` element whose tag begins at `start`, or only its `href` if it has a `target`.
pub(super) fn remove_base(
    page: &Page<'_>,
    start: usize,
    output: &mut dyn Output,
) -> Result<(), Error> {
    let bytes = page.bytes();
    let attributes: Vec<_> = every_attribute_of(bytes, start + 1).collect();
    let is = |one: &Attribute, name: &[u8]| bytes[one.name.clone()].eq_ignore_ascii_case(name);
    if !attributes.iter().any(|one| is(one, b"target")) {
        return output.plain(start..attributes_of(bytes, start + 1).1, "");
    }
    // After the first `href` there may be another, which would count then.
    for href in attributes.iter().filter(|one| is(one, b"href")) {
        let end = href.value.end + usize::from(href.quote.is_mark());
        // A `=` after the attribute begins a name, and must not follow another name.
        let next = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
        let text = if next == Some(&b'=') { "/" } else { "" };
        output.plain(href.name.start..end, text)?;
    }
    Ok(())
}
