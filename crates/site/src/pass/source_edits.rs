//! Edits of a file that put other references in the place of links.

use std::collections::HashMap;
use std::ops::Range;

use absolve::Error;
use absolve::encoding::Detected;
use absolve::{Buffers, Rewriter, detect};
use absolve::{Link, Syntax, Visit};
use absolve_files::Failure;
use encoding_rs::{Encoding, ISO_2022_JP};

use crate::{Audit, Finding, Site};

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

/// Why a reference is not replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unwritten {
    /// The file has no such link, or the link is in a document inside the page.
    NoLink,
    /// Another replacement has the same place.
    Taken,
    /// The edited file would have another reference there, or other ones elsewhere.
    ReadsOtherwise,
}

/// The edit of each replacement, and the encoding of the file.
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
) -> Result<(Vec<Result<SourceEdit, Unwritten>>, Detected), Failure> {
    let mut by_span: HashMap<(usize, usize), usize> = HashMap::new();
    for (number, one) in wanted.iter().enumerate() {
        by_span.entry((one.span.start, one.span.end)).or_insert(number);
    }
    let mut is_found = vec![false; wanted.len()];
    let mut decide = |link: &Link<'_>| {
        let span = link.span().filter(|_| link.enclosing().is_none())?;
        let number = *by_span.get(&(span.start, span.end))?;
        let Replacement { old, base: expected, new, .. } = wanted[number];
        let base = link.base().map(|base| audit.deployment.shown(base.as_str()));
        is_found[number] = link.reference() == old && base == expected;
        is_found[number].then(|| new.to_owned())
    };
    let rewriter = audit.rewriter_for(file, site)?;
    let (patches, summary) = rewriter.patches_with(source, &mut decide)?;
    let detected = match rewriter.settings().syntax {
        Syntax::Html => detect(source, Some(summary.encoding())),
        _ => rewriter.detect(source),
    };
    let patches: Vec<(Range<usize>, &[u8])> = patches.iter().collect();
    let edit = |one: &Replacement<'_>| {
        let first = by_span[&(one.span.start, one.span.end)];
        match () {
            () if !is_found[first] => Err(Unwritten::NoLink),
            () if wanted[first].new != one.new => Err(Unwritten::Taken),
            () => edit_at(source, &patches, &one.span, detected.encoding)
                .ok_or(Unwritten::ReadsOtherwise),
        }
    };
    let mut edits: Vec<_> = wanted.iter().map(edit).collect();
    if edits.iter().any(Result::is_ok) {
        let mut readback = Readback::new(&rewriter, source)?;
        for number in readback.failing(wanted, &edits) {
            edits[number] = Err(Unwritten::ReadsOtherwise);
        }
    }
    Ok((edits, detected))
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

/// Maximum readings of an edited file, so that its time grows with its size alone.
const MAX_READINGS: usize = 64;

/// A replacement with its number and its edit, which may cover only the part that changes.
type TriedEdit<'e> = (usize, &'e Replacement<'e>, &'e SourceEdit);

/// Reads edited files, to find edits after which references read otherwise.
struct Readback<'r> {
    rewriter: &'r Rewriter,
    source: &'r [u8],
    /// The references of the source, in order, with their spans.
    references: Vec<(Option<Range<usize>>, String)>,
    readings: usize,
}

impl<'r> Readback<'r> {
    fn new(rewriter: &'r Rewriter, source: &'r [u8]) -> Result<Self, Error> {
        let mut references = Vec::new();
        let mut show = |span, reference: &str| references.push((span, reference.to_owned()));
        rewriter.inspect(source, &mut Buffers::new(), &mut References(&mut show))?;
        Ok(Self { rewriter, source, references, readings: 0 })
    }

    /// The numbers of the edits to leave out, so that the others read back together. Usually no
    /// edit fails, and the file is read once; otherwise halves of the edits are tried.
    fn failing(
        &mut self,
        wanted: &[Replacement<'_>],
        edits: &[Result<SourceEdit, Unwritten>],
    ) -> Vec<usize> {
        let mut all: Vec<TriedEdit<'_>> = (0..)
            .zip(wanted.iter().zip(edits))
            .filter_map(|(number, (one, edit))| Some((number, one, edit.as_ref().ok()?)))
            .collect();
        // Equal ones side by side: most often, all or none of them fail.
        all.sort_by_key(|(number, one, edit)| (one.new, &*edit.bytes, *number));
        let (mut kept, mut failing) = (Vec::new(), Vec::new());
        let mut pending = vec![&all[..]];
        while let Some(tried) = pending.pop() {
            let before = kept.len();
            kept.extend_from_slice(tried);
            if self.reads_back(&kept) {
                continue;
            }
            kept.truncate(before);
            let Some((one, others)) = tried.split_first() else { continue };
            let is_equal =
                |other: &TriedEdit<'_>| other.1.new == one.1.new && other.2.bytes == one.2.bytes;
            if others.iter().all(is_equal) {
                kept.push(*one);
                if others.is_empty() || !self.reads_back(&kept) {
                    kept.truncate(before);
                    failing.extend(tried.iter().map(|(number, ..)| *number));
                    continue;
                }
                kept.truncate(before);
            }
            let (first, second) = tried.split_at(tried.len() / 2);
            pending.extend([second, first]);
        }
        failing
    }

    /// Whether the file with these edits has their new references, and all others as before.
    fn reads_back(&mut self, edits: &[TriedEdit<'_>]) -> bool {
        self.readings += 1;
        if self.readings > MAX_READINGS {
            return false;
        }
        let edited = edited(self.source, edits.iter().map(|(_, _, edit)| *edit));
        let place = |span: &Range<usize>| (span.start, span.end);
        let new: HashMap<(usize, usize), &str> =
            edits.iter().map(|(_, one, _)| (place(&one.span), one.new)).collect();
        let mut expected = self.references.iter().map(|(span, reference)| {
            let new = span.as_ref().and_then(|span| new.get(&place(span)).copied());
            new.unwrap_or(reference)
        });
        let mut is_same = true;
        let mut show = |_, reference: &str| is_same &= expected.next() == Some(reference);
        let read = self.rewriter.inspect(&edited, &mut Buffers::new(), &mut References(&mut show));
        read.is_ok() && is_same && expected.next().is_none()
    }
}

/// Shows every reference, without its URL, which would take half of the time.
struct References<'s>(&'s mut dyn FnMut(Option<Range<usize>>, &str));

impl Visit for References<'_> {
    fn link(&mut self, link: &Link<'_>) {
        (self.0)(link.span().filter(|_| link.enclosing().is_none()), link.reference());
    }

    /// Markers make no difference here.
    fn may_have_marker_class(&self, _: &[u8]) -> bool {
        false
    }

    fn takes_ignored(&self) -> bool {
        true
    }

    fn ignored_link(&mut self, link: &Link<'_>) {
        self.link(link);
    }
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
    // A host that applies the edit cannot write text that is not valid in the encoding.
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
