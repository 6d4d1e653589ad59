//! Edits of a file that put other references in the place of links.

use std::collections::HashMap;
use std::ops::Range;

use encoding_rs::{Encoding, ISO_2022_JP};

use crate::audit::finding::Finding;
use crate::audit::options::Audit;
use crate::audit::pass::stylesheet;
use crate::audit::site::Site;
use crate::batch::Failure;
use crate::edit::Patches;
use crate::encoding::{Decoding, Detected};
use crate::grammar::Grammar;
use crate::link::Link;
use crate::rewrite::detect;
use crate::value::references;

/// A link, and the reference to write in its place.
#[derive(Debug)]
pub(crate) struct Replacement<'f> {
    span: Range<usize>,
    /// The reference that the link must have, so that a file that changed is not edited.
    old: &'f str,
    /// The base URL that it must have, as findings show it.
    base: Option<&'f str>,
    new: &'f str,
}

impl<'f> Replacement<'f> {
    /// The replacement of the link that a finding is about.
    pub(crate) fn of(finding: &'f Finding, new: &'f str) -> Option<Self> {
        let span = finding.span.clone()?;
        Some(Self { span, old: finding.reference.as_deref()?, base: finding.base.as_deref(), new })
    }
}

/// An edit of the bytes of a file.
#[derive(Debug, Clone)]
pub(crate) struct SourceEdit {
    pub(crate) span: Range<usize>,
    pub(crate) bytes: Vec<u8>,
    /// The bytes as text.
    pub(crate) text: String,
}

/// The edit of each replacement, and the encoding of the file; `None` if the file has no such link, another replacement has the
/// same place, or the link is in a document inside the page.
///
/// # Errors
///
/// If the file cannot be read as a page.
pub(crate) fn source_edits(
    audit: &Audit,
    site: &Site,
    file: usize,
    source: &[u8],
    wanted: &[Replacement<'_>],
) -> Result<(Vec<Option<SourceEdit>>, Detected), Failure> {
    let mut by_span: HashMap<(usize, usize), usize> = HashMap::new();
    for (number, one) in wanted.iter().enumerate() {
        by_span.entry((one.span.start, one.span.end)).or_insert(number);
    }
    let mut is_found = vec![false; wanted.len()];
    let mut decide = |span: Range<usize>, reference: &str, base: Option<&str>| {
        let number = *by_span.get(&(span.start, span.end))?;
        let Replacement { old, base: expected, new, .. } = wanted[number];
        is_found[number] = reference == old && base == expected;
        is_found[number].then(|| new.to_owned())
    };
    let (patches, detected) = if site.is_style(file) {
        let base = audit.url_of(file, site);
        let base = audit.deployment().shown(&base);
        style_patches(source, |span, reference| decide(span, reference, Some(base)))
    } else {
        let mut decide = |link: &Link<'_>| {
            let span = link.span().filter(|_| link.enclosing().is_none())?;
            let base = link.base().map(|base| audit.deployment().shown(base.as_str()));
            decide(span, link.reference(), base)
        };
        let rewriter = audit.rewriter_for(file, site)?;
        let (patches, summary) = rewriter.patches_with(source, &mut decide)?;
        (patches, detect(source, Some(summary.encoding())))
    };
    let patches: Vec<(Range<usize>, &[u8])> = patches.iter().collect();
    let edit = |(number, one): (usize, &Replacement<'_>)| {
        let first = *by_span.get(&(one.span.start, one.span.end))?;
        let is_same = number == first || wanted[first].new == one.new;
        (is_found[first] && is_same)
            .then(|| edit_at(source, &patches, &one.span, detected.encoding))?
    };
    let edits: Vec<_> = wanted.iter().enumerate().map(edit).collect();
    if reads_back(audit, site, file, source, wanted, &edits)? {
        Ok((edits, detected))
    } else {
        Ok((vec![None; wanted.len()], detected))
    }
}

/// The source with edits.
pub(crate) fn edited<'e>(source: &[u8], edits: impl Iterator<Item = &'e SourceEdit>) -> Vec<u8> {
    let mut edits: Vec<&SourceEdit> = edits.collect();
    edits.sort_by_key(|edit| edit.span.start);
    // Several findings about one link have the same edit.
    edits.dedup_by_key(|edit| edit.span.clone());
    let mut edited = Vec::with_capacity(source.len());
    let mut done = 0;
    for edit in edits {
        edited.extend_from_slice(&source[done..edit.span.start]);
        edited.extend_from_slice(&edit.bytes);
        done = edit.span.end;
    }
    edited.extend_from_slice(&source[done..]);
    edited
}

/// Whether the edited file has the new references, and all others as before.
fn reads_back(
    audit: &Audit,
    site: &Site,
    file: usize,
    source: &[u8],
    wanted: &[Replacement<'_>],
    edits: &[Option<SourceEdit>],
) -> Result<bool, Failure> {
    let done = wanted.iter().zip(edits).filter(|(_, edit)| edit.is_some());
    let new: HashMap<(usize, usize), &str> =
        done.map(|(one, _)| ((one.span.start, one.span.end), one.new)).collect();
    let mut expected = Vec::new();
    read(audit, site, file, source, &mut |span, reference| {
        let new = span.and_then(|span| new.get(&(span.start, span.end)).copied());
        expected.push(new.unwrap_or(reference).to_owned());
    })?;
    let mut found = Vec::with_capacity(expected.len());
    let edited = edited(source, edits.iter().flatten());
    read(audit, site, file, &edited, &mut |_, reference| found.push(reference.to_owned()))?;
    Ok(found == expected)
}

/// Shows every reference of a file; without its span if it is in a document inside the page.
fn read(
    audit: &Audit,
    site: &Site,
    file: usize,
    source: &[u8],
    show: &mut dyn FnMut(Option<Range<usize>>, &str),
) -> Result<(), Failure> {
    if site.is_style(file) {
        style_patches(source, |span, reference| {
            show(Some(span), reference);
            None
        });
        return Ok(());
    }
    let rewriter = audit.rewriter_for(file, site)?;
    rewriter.links(source, |link| {
        show(link.span().filter(|_| link.enclosing().is_none()), link.reference());
    })?;
    Ok(())
}

/// The patches in a span as one edit of it, or of the part that they change if only that is valid
/// text; `None` if they reach further.
fn edit_at(
    source: &[u8],
    patches: &[(Range<usize>, &[u8])],
    span: &Range<usize>,
    encoding: &'static Encoding,
) -> Option<SourceEdit> {
    let first = patches.partition_point(|(patch, _)| patch.end < span.start);
    let own = &patches[first..];
    let own = &own[..own.partition_point(|(patch, _)| patch.start <= span.end)];
    let (start, end) = (own.first()?.0.start.min(span.start), own.last()?.0.end.max(span.end));
    if start < span.start || end > span.end {
        // An edit that covers other bytes belongs to more than this link.
        return None;
    }
    // Text that is not valid in the encoding cannot be written back by who applies the edit.
    let changed = own.first()?.0.start..own.last()?.0.end;
    // A part of a text in an encoding with states may begin in any of them.
    let is_stateless = encoding != ISO_2022_JP;
    let part = || is_stateless.then(|| decoded_edit(source, own, changed, encoding)).flatten();
    decoded_edit(source, own, start..end, encoding).or_else(part)
}

/// The patches in a span as one edit of it; `None` if its text is not valid in the encoding.
fn decoded_edit(
    source: &[u8],
    patches: &[(Range<usize>, &[u8])],
    span: Range<usize>,
    encoding: &'static Encoding,
) -> Option<SourceEdit> {
    let mut bytes = Vec::new();
    let mut done = span.start;
    for (patch, new) in patches {
        bytes.extend_from_slice(&source[done..patch.start]);
        bytes.extend_from_slice(new);
        done = patch.end;
    }
    bytes.extend_from_slice(&source[done..span.end]);
    let (text, had_errors) = encoding.decode_without_bom_handling(&bytes);
    // A replacement character may stand for bytes of the source, which it would overwrite.
    let is_guess = || encoding.decode_without_bom_handling(&source[span.clone()]).1;
    if had_errors || (text.contains(char::REPLACEMENT_CHARACTER) && is_guess()) {
        return None;
    }
    let text = text.into_owned();
    Some(SourceEdit { span, bytes, text })
}

/// The edits of a style sheet.
fn style_patches(
    source: &[u8],
    mut decide: impl FnMut(Range<usize>, &str) -> Option<String>,
) -> (Patches, Detected) {
    let detected = stylesheet::detect(source);
    let decoding = Decoding::new(detected.encoding, &source[detected.bom..]);
    let mut patches = Patches::default();
    references(Grammar::Stylesheet, decoding.text(), &mut |found| {
        let span = decoding.source_range(found.span.clone());
        let span = detected.bom + span.start..detected.bom + span.end;
        if let Some(new) = decide(span.clone(), &found.reference) {
            // An edit has no byte order mark.
            let inner = Detected { bom: 0, ..detected };
            patches.push(span, &inner.encode(&found.container.escape(&new), b""));
        }
    });
    (patches, detected)
}
