//! Fixes: finds their edits in the source of a file, and applies them to the files of a site.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use absolve::encoding::{Detected, Lines};
use absolve::{Buffers, Error, Link, Rewriter, Syntax, Visit, detect};
use absolve_files::{Editor, Failure, FileBuffers};
use encoding_rs::{Encoding, ISO_2022_JP};

use crate::{Audit, AuditContext, Draft, Finding, Fix, Safety, Site};

/// The fixes of an audit's findings, by file; an [`Editor`] that applies them.
///
/// An edit fails if the file changed since the audit; the file stays as it is.
///
/// ```
/// use absolve_site::{Audit, Deployment, Fixes, Profile, Safety, Server, Site};
/// use absolve_archive::jobs::Workers;
/// use absolve_files::{Destination, Globs, Origins, Rewriting, Symlinks, Walk, WriteMode};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let root = folder.path();
/// # std::fs::write(root.join("index.html"), "<a href=Index.HTML>x</a>")?;
///
/// let site = Site::walk(root, root, &Globs::default(), Symlinks::default())?;
/// let audit = Audit::new(Deployment::default(), Server::new(Profile::Plain));
/// let workers = Workers::new(0);
/// let findings = audit.run(&site, &workers, &()).findings;
///
/// let fixes = Fixes::new(&audit, &site, &findings, Safety::Safe);
/// let mut walk = Walk::new(WriteMode::Replace);
/// fixes.files().for_each(|file| walk.add(file, Default::default()));
/// let (rewriter, origins) = (Default::default(), Origins::default());
/// Rewriting::new(&rewriter, &origins, &Destination::InPlace).editor(&fixes).run(
///     &walk.finish(),
///     &workers,
///     &(),
///     &mut |_, report| assert!(!report.has_failed()),
/// );
/// assert_eq!(std::fs::read(root.join("index.html"))?, b"<a href=index.html>x</a>");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Fixes<'a> {
    audit: &'a Audit,
    site: &'a Site,
    files: BTreeMap<&'a Path, FileFixes<'a>>,
}

/// The fixes of a file.
#[derive(Debug, Default)]
struct FileFixes<'a> {
    /// The findings with the fixes to write.
    written: Vec<&'a Finding>,
    /// The findings with the same fixes about other names of the file.
    repeated: Vec<&'a Finding>,
}

impl<'a> Fixes<'a> {
    /// Selects the fixes that are at least as certain as `safety`: with [`Safety::Unsafe`], all.
    #[must_use]
    pub fn new(audit: &'a Audit, site: &'a Site, findings: &'a [Finding], safety: Safety) -> Self {
        let mut files: BTreeMap<&Path, FileFixes<'_>> = BTreeMap::new();
        let mut repeated = Vec::new();
        for finding in findings {
            if finding.fix.as_ref().is_some_and(|fix| fix.safety <= safety) {
                let number = site.number_of(&finding.file);
                match number.map(|number| site.first_name(number)) {
                    first if first == number => {
                        files.entry(&finding.file).or_default().written.push(finding);
                    }
                    first => repeated.extend(first.map(|first| (site.shown(first), finding))),
                }
            }
        }
        // A file with several names is written once, by its first name.
        for (first, finding) in repeated {
            if let Some(file) = files.get_mut(&*first) {
                file.repeated.push(finding);
            }
        }
        Self { audit, site, files }
    }

    /// Returns the files to edit, in order, each by its first name.
    pub fn files(&self) -> impl Iterator<Item = &'a Path> {
        self.files.keys().copied()
    }

    /// Returns the findings that an edit of a file fixes, including those about its other names.
    pub fn findings(&self, file: &Path) -> impl Iterator<Item = &'a Finding> {
        self.files
            .get(file)
            .into_iter()
            .flat_map(|fixes| fixes.written.iter().chain(&fixes.repeated).copied())
    }

    /// Finds the edits of a file; `None` if it changed since the audit.
    fn confirm_edits(&self, file: &Path, source: &[u8]) -> Option<Vec<SourceEdit>> {
        let FileFixes { written, .. } = self.files.get(file)?;
        let fixes: Option<Vec<&Fix>> = written.iter().map(|finding| finding.fix.as_ref()).collect();
        let fixes = fixes?;
        let replacements = written.iter().zip(&fixes);
        let replacements =
            replacements.map(|(finding, fix)| Replacement::new(finding, &fix.reference));
        let replacements: Option<Vec<_>> = replacements.collect();
        let number = self.site.number_of(file)?;
        let (edits, _) = find_edits(self.audit, self.site, number, source, &replacements?).ok()?;
        let expected = fixes.iter().zip(edits).map(|(fix, edit)| {
            edit.ok().filter(|edit| edit.span == fix.span && edit.text == fix.replacement)
        });
        expected.collect()
    }
}

impl Editor for Fixes<'_> {
    fn edit(&self, path: &Path, source: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        if !self.files.contains_key(path) {
            return Ok(None);
        }
        let edits = self.confirm_edits(path, source).ok_or_else(|| {
            Failure::new("it changed since the audit, and was left as it was; run again")
        })?;
        Ok(Some(apply_edits(source, edits.iter())))
    }
}

/// A link, and the reference to write in its place.
#[derive(Debug)]
pub(crate) struct Replacement<'f> {
    span: Range<usize>,
    /// The reference that the link must have, so that a file that changed is not edited.
    old: &'f str,
    /// The base URL that the link must have, as findings show it.
    base: Option<&'f str>,
    new: &'f str,
}

impl<'f> Replacement<'f> {
    /// Creates the replacement of the link that a finding is about.
    pub(crate) fn new(finding: &'f Finding, new: &'f str) -> Option<Self> {
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

/// The reason that a reference is not replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditError {
    /// The file has no such link, or the link is in a document inside the page.
    NoLink,
    /// Another replacement has the same span.
    Conflict,
    /// In the edited file, this reference or another one would be read otherwise.
    ChangesReading,
}

/// Finds the edit of each replacement, and detects the encoding of the file. The edited file is
/// read back, to refuse edits that change other references.
///
/// # Errors
///
/// If the file cannot be read as a page.
pub(crate) fn find_edits(
    audit: &Audit,
    site: &Site,
    file: usize,
    source: &[u8],
    replacements: &[Replacement<'_>],
) -> Result<(Vec<Result<SourceEdit, EditError>>, Detected), Failure> {
    let mut by_span: HashMap<(usize, usize), usize> = HashMap::new();
    for (number, replacement) in replacements.iter().enumerate() {
        by_span.entry((replacement.span.start, replacement.span.end)).or_insert(number);
    }
    let mut is_found = vec![false; replacements.len()];
    let mut decide = |link: &Link<'_>| {
        let span = link.span().filter(|_| link.enclosing().is_none())?;
        let number = *by_span.get(&(span.start, span.end))?;
        let Replacement { old, base: expected_base, new, .. } = replacements[number];
        let base = link.base().map(|base| audit.deployment.shown(base.as_str()));
        is_found[number] = link.reference() == old && base == expected_base;
        is_found[number].then(|| new.to_owned())
    };
    let rewriter = audit.rewriter_for(file, site)?;
    let (patches, summary) = rewriter.patches_with(source, &mut decide)?;
    let detected = match rewriter.settings().syntax {
        Syntax::Html => detect(source, Some(summary.encoding())),
        _ => rewriter.detect(source),
    };
    let patches: Vec<(Range<usize>, &[u8])> = patches.iter().collect();
    let find_edit = |replacement: &Replacement<'_>| {
        let span = &replacement.span;
        let first = by_span[&(span.start, span.end)];
        if !is_found[first] {
            return Err(EditError::NoLink);
        }
        if replacements[first].new != replacement.new {
            return Err(EditError::Conflict);
        }
        combine_patches(source, &patches, span, detected.encoding).ok_or(EditError::ChangesReading)
    };
    let mut edits: Vec<_> = replacements.iter().map(find_edit).collect();
    if edits.iter().any(Result::is_ok) {
        let mut readback = Readback::new(&rewriter, source)?;
        for number in readback.find_failing(replacements, &edits) {
            edits[number] = Err(EditError::ChangesReading);
        }
    }
    Ok((edits, detected))
}

/// Applies edits to the source.
pub(crate) fn apply_edits<'e>(
    source: &[u8],
    edits: impl Iterator<Item = &'e SourceEdit>,
) -> Vec<u8> {
    let mut edits: Vec<&SourceEdit> = edits.collect();
    edits.sort_by_key(|edit| edit.span.start);
    // Several findings about one link have the same edit.
    edits.dedup_by_key(|edit| edit.span.clone());
    let mut edited = Vec::with_capacity(source.len());
    let mut copied_to = 0;
    for edit in edits {
        edited.extend_from_slice(&source[copied_to..edit.span.start]);
        edited.extend_from_slice(&edit.bytes);
        copied_to = edit.span.end;
    }
    edited.extend_from_slice(&source[copied_to..]);
    edited
}

/// Maximum readings of an edited file, so that the time depends only on its size.
const MAX_READINGS: usize = 64;

/// A replacement with its number and its edit, which may cover only the part that changes.
type TriedEdit<'e> = (usize, &'e Replacement<'e>, &'e SourceEdit);

/// Reads edited files back, to find the edits that change how references are read.
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

    /// Finds the numbers of the edits to drop, so that the others read back together. Usually no
    /// edit fails, and the file is read once; otherwise halves of the edits are tried.
    fn find_failing(
        &mut self,
        replacements: &[Replacement<'_>],
        edits: &[Result<SourceEdit, EditError>],
    ) -> Vec<usize> {
        let mut all: Vec<TriedEdit<'_>> = (0..)
            .zip(replacements.iter().zip(edits))
            .filter_map(|(number, (new, edit))| Some((number, new, edit.as_ref().ok()?)))
            .collect();
        // Equal edits usually all fail or all succeed: sorting makes them adjacent.
        all.sort_by_key(|(number, replacement, edit)| (replacement.new, &*edit.bytes, *number));
        let (mut kept, mut failing) = (Vec::new(), Vec::new());
        let mut pending = vec![&all[..]];
        while let Some(tried) = pending.pop() {
            let kept_before = kept.len();
            kept.extend_from_slice(tried);
            if self.reads_back(&kept) {
                continue;
            }
            kept.truncate(kept_before);
            let Some((head, others)) = tried.split_first() else { continue };
            let is_equal =
                |other: &TriedEdit<'_>| other.1.new == head.1.new && other.2.bytes == head.2.bytes;
            // If the first of equal edits fails alone, all of them fail without further readings.
            if others.iter().all(is_equal) {
                kept.push(*head);
                if others.is_empty() || !self.reads_back(&kept) {
                    kept.truncate(kept_before);
                    failing.extend(tried.iter().map(|(number, ..)| *number));
                    continue;
                }
                kept.truncate(kept_before);
            }
            let (before, after) = tried.split_at(tried.len() / 2);
            pending.extend([after, before]);
        }
        failing
    }

    /// Whether the file with these edits has their new references, and all others are unchanged.
    fn reads_back(&mut self, edits: &[TriedEdit<'_>]) -> bool {
        self.readings += 1;
        if self.readings > MAX_READINGS {
            return false;
        }
        let edited = apply_edits(self.source, edits.iter().map(|(_, _, edit)| *edit));
        let span_key = |span: &Range<usize>| (span.start, span.end);
        let new: HashMap<(usize, usize), &str> =
            edits.iter().map(|(_, to, _)| (span_key(&to.span), to.new)).collect();
        let mut expected = self.references.iter().map(|(span, reference)| {
            let new = span.as_ref().and_then(|span| new.get(&span_key(span)).copied());
            new.unwrap_or(reference)
        });
        let mut is_same = true;
        let mut show = |_, reference: &str| is_same &= expected.next() == Some(reference);
        let read = self.rewriter.inspect(&edited, &mut Buffers::new(), &mut References(&mut show));
        read.is_ok() && is_same && expected.next().is_none()
    }
}

/// Shows every reference as written; no URL is resolved, to save time.
struct References<'s>(&'s mut dyn FnMut(Option<Range<usize>>, &str));

impl Visit for References<'_> {
    fn link(&mut self, link: &Link<'_>) {
        (self.0)(link.span().filter(|_| link.enclosing().is_none()), link.reference());
    }

    /// Markers make no difference, because ignored links are shown, too.
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

/// Combines the patches in a span into one edit: of the whole span, or only of the changed part if
/// the span is not valid text. `None` if neither is valid, or if the patches exceed the span.
fn combine_patches(
    source: &[u8],
    patches: &[(Range<usize>, &[u8])],
    span: &Range<usize>,
    encoding: &'static Encoding,
) -> Option<SourceEdit> {
    let first = patches.partition_point(|(patch, _)| patch.end < span.start);
    let inner = &patches[first..];
    let inner = &inner[..inner.partition_point(|(patch, _)| patch.start <= span.end)];
    let (start, end) = (inner.first()?.0.start.min(span.start), inner.last()?.0.end.max(span.end));
    if start < span.start || end > span.end {
        // An edit that covers other bytes belongs to more than this link.
        return None;
    }
    // Programs that apply the edit cannot write text that is not valid in the encoding.
    let changed = inner.first()?.0.start..inner.last()?.0.end;
    // In an encoding with states, the state at the beginning of a part is unknown.
    let is_stateless = encoding != ISO_2022_JP;
    let part = || is_stateless.then(|| join_patches(source, inner, changed, encoding)).flatten();
    join_patches(source, inner, start..end, encoding).or_else(part)
}

/// Joins the patches in a span to one edit; `None` if its text is not valid in the encoding.
fn join_patches(
    source: &[u8],
    patches: &[(Range<usize>, &[u8])],
    span: Range<usize>,
    encoding: &'static Encoding,
) -> Option<SourceEdit> {
    let mut bytes = Vec::new();
    let mut copied_to = span.start;
    for (patch, new) in patches {
        bytes.extend_from_slice(&source[copied_to..patch.start]);
        bytes.extend_from_slice(new);
        copied_to = patch.end;
    }
    bytes.extend_from_slice(&source[copied_to..span.end]);
    let (text, had_errors) = encoding.decode_without_bom_handling(&bytes);
    // A replacement character may stand for invalid bytes of the source, which the edit would lose.
    let is_source_invalid = || encoding.decode_without_bom_handling(&source[span.clone()]).1;
    if had_errors || (text.contains(char::REPLACEMENT_CHARACTER) && is_source_invalid()) {
        return None;
    }
    let text = text.into_owned();
    Some(SourceEdit { span, bytes, text })
}

/// Maximum files that are read at a time.
const FILES_AT_A_TIME: usize = 64;

/// Adds fixes to the findings whose edits can be found in the sources.
pub(crate) fn place_fixes(context: &AuditContext<'_>, mut drafts: Vec<Draft>) -> Vec<Finding> {
    let files = list_fixable_files(context, &drafts);
    let mut placed = Vec::new();
    context.workers.map_ordered(
        files.len(),
        FILES_AT_A_TIME,
        |file_buffers, at| find_fixes(context, file_buffers, &drafts, &files[at]),
        |numbers, results| {
            for (at, fixes) in numbers.zip(results) {
                placed.extend(files[at].drafts.iter().copied().zip(fixes));
            }
            ControlFlow::Continue(())
        },
    );
    for (number, fix) in placed {
        let finding = &mut drafts[number].finding;
        match fix {
            Ok(fix) => finding.fix = Some(fix),
            Err(EditError::ChangesReading) => {
                append_to_hint(finding, "written there, it would be read otherwise");
            }
            Err(EditError::NoLink | EditError::Conflict) => {}
        }
    }
    drop_conflicting_fixes(context, &mut drafts);
    drafts.into_iter().map(|draft| *draft.finding).collect()
}

/// Drops the fixes of a file with several names, unless all names need the same fix: a relative
/// link leads elsewhere from each folder, and may be right in one of them.
fn drop_conflicting_fixes(context: &AuditContext<'_>, drafts: &mut [Draft]) {
    let site = context.site;
    let names = site.names_of_linked_files();
    if names.is_empty() {
        return;
    }
    let find_fix = |draft: &Draft| {
        let Finding { file, fix: Some(fix), .. } = &*draft.finding else { return None };
        let number = site.number_of(file)?;
        let first = site.first_name(number);
        let edit = (first, fix.span.clone(), fix.replacement.clone(), fix.safety);
        names.contains_key(&first).then_some((number, edit))
    };
    let all: HashSet<_> = drafts.iter().filter_map(find_fix).collect();
    for draft in drafts {
        let Some((number, edit)) = find_fix(draft) else { continue };
        let lacks_edit = |name: &&usize| !all.contains(&(**name, edit.clone()));
        let Some(&lacking) = names[&edit.0].iter().find(lacks_edit) else { continue };
        // The hint shows another name: the first name, or else a name that lacks the fix.
        let other = if edit.0 == number { lacking } else { edit.0 };
        draft.finding.fix = None;
        let why = format!("the file is also {}", site.shown(other).display());
        append_to_hint(&mut draft.finding, &why);
    }
}

/// Appends to the hint of a finding the reason that `--fix` does not apply it.
fn append_to_hint(finding: &mut Finding, why: &str) {
    if let Some(hint) = &mut finding.hint {
        let _ = write!(hint, " (--fix leaves it: {why})");
    }
}

/// A file with findings that can be fixed.
struct FixableFile {
    number: usize,
    /// The numbers of these findings in the list of all.
    drafts: Vec<usize>,
}

/// Lists the pages and style sheets with fixes. The findings of a file are adjacent in `drafts`.
fn list_fixable_files(context: &AuditContext<'_>, drafts: &[Draft]) -> Vec<FixableFile> {
    let mut files: Vec<(&Finding, FixableFile)> = Vec::new();
    let is_fixable = |draft: &Draft| draft.fix.is_some() && draft.finding.span.is_some();
    let fixable = drafts.iter().enumerate().filter(|(_, draft)| is_fixable(draft));
    for (number, Draft { finding, .. }) in fixable {
        if let Some((first, file)) = files.last_mut()
            && first.file == finding.file
        {
            file.drafts.push(number);
        } else if let Some(file) = context.site.number_of(&finding.file)
            && context.site.is_document(file)
        {
            files.push((finding, FixableFile { number: file, drafts: vec![number] }));
        }
    }
    let mut files: Vec<FixableFile> = files.into_iter().map(|(_, file)| file).collect();
    for file in &mut files {
        // Only the first of several fixes for a link is written: the most certain one.
        file.drafts.sort_by_key(|&number| {
            let Draft { finding, fix, .. } = &drafts[number];
            let start = finding.span.as_ref().map(|span| span.start);
            (start, fix.as_ref().map(|fix| fix.safety))
        });
    }
    files
}

/// Finds the fix of each finding of a file; empty if the file cannot be read.
fn find_fixes(
    context: &AuditContext<'_>,
    file_buffers: &mut FileBuffers,
    drafts: &[Draft],
    file: &FixableFile,
) -> Vec<Result<Fix, EditError>> {
    let (audit, site) = (context.audit, context.site);
    let replacements: Vec<Replacement<'_>> = file
        .drafts
        .iter()
        .filter_map(|&number| {
            let Draft { finding, fix, .. } = &drafts[number];
            Replacement::new(finding, &fix.as_ref()?.reference)
        })
        .collect();
    if context.monitor.is_stopped()
        || site.read_into(file.number, file_buffers, &audit.limits()).is_err()
    {
        return Vec::new();
    }
    let source = file_buffers.source();
    let Ok((edits, detected)) = find_edits(audit, site, file.number, source, &replacements) else {
        return Vec::new();
    };
    let mut lines = Lines::new(source, detected);
    let fixes = file.drafts.iter().zip(edits).map(|(&number, edit)| {
        let (edit, fix) = (edit?, drafts[number].fix.as_ref().ok_or(EditError::NoLink)?);
        Ok(Fix {
            start: lines.locate(edit.span.start),
            end: lines.locate(edit.span.end),
            span: edit.span,
            replacement: edit.text,
            reference: fix.reference.clone(),
            safety: fix.safety,
        })
    });
    fixes.collect()
}
