//! Finds the places of fixes in the source.

use std::ops::ControlFlow;

use crate::audit::context::AuditContext;
use crate::audit::context::draft::Draft;
use crate::audit::finding::Finding;
use crate::audit::fix::Fix;
use crate::audit::pass::source_edits::{Replacement, source_edits};
use crate::batch::FileBuffers;
use crate::encoding::Lines;
use crate::url::masked;

/// Files that are read at a time.
const WINDOW: usize = 64;

/// The findings, with the fixes of those that can be fixed.
pub(crate) fn place(context: &AuditContext<'_>, mut drafts: Vec<Draft>) -> Vec<Finding> {
    let files = fixable_files(context, &drafts);
    let mut placed = Vec::new();
    context.workers.map_ordered(
        files.len(),
        WINDOW,
        |file_buffers, at| fixes_of(context, file_buffers, &drafts, &files[at]),
        |numbers, found| {
            for (at, fixes) in numbers.zip(found) {
                placed.extend(files[at].drafts.iter().copied().zip(fixes));
            }
            ControlFlow::Continue(())
        },
    );
    for (number, fix) in placed {
        drafts[number].finding.fix = fix;
    }
    drafts.into_iter().map(|draft| draft.finding).collect()
}

/// A file with findings that can be fixed.
struct FixableFile {
    number: usize,
    /// The numbers of these findings.
    drafts: Vec<usize>,
}

/// The pages and style sheets with fixes; findings of one file come side by side.
fn fixable_files(context: &AuditContext<'_>, drafts: &[Draft]) -> Vec<FixableFile> {
    let mut files: Vec<(&Finding, FixableFile)> = Vec::new();
    let fixable = drafts.iter().enumerate().filter(|(_, draft)| is_fixable(draft));
    for (number, Draft { finding, .. }) in fixable {
        if let Some((first, file)) = files.last_mut()
            && first.file == finding.file
        {
            file.drafts.push(number);
        } else if let Some(file) = context.site.number_of(&finding.file)
            && (context.site.is_page(file) || context.site.is_style(file))
        {
            files.push((finding, FixableFile { number: file, drafts: vec![number] }));
        }
    }
    files.into_iter().map(|(_, file)| file).collect()
}

/// Whether a finding has a fix, and no text that reports mask: who applies a fix compares them.
fn is_fixable(draft: &Draft) -> bool {
    let Draft { finding, fix: Some(fix), .. } = draft else { return false };
    let texts = [finding.reference.as_deref(), finding.base.as_deref(), Some(&*fix.reference)];
    finding.span.is_some() && texts.into_iter().flatten().all(|text| masked(text) == text)
}

/// The fixes of one file.
fn fixes_of(
    context: &AuditContext<'_>,
    file_buffers: &mut FileBuffers,
    drafts: &[Draft],
    file: &FixableFile,
) -> Vec<Option<Fix>> {
    let (audit, site) = (context.audit, context.site);
    let wanted: Vec<Replacement<'_>> = file
        .drafts
        .iter()
        .filter_map(|&number| {
            let Draft { finding, fix, .. } = &drafts[number];
            Replacement::of(finding, &fix.as_ref()?.reference)
        })
        .collect();
    if site.read_number(file.number, file_buffers, &audit.limits()).is_err() {
        return Vec::new();
    }
    let source = file_buffers.source();
    let Ok((edits, detected)) = source_edits(audit, site, file.number, source, &wanted) else {
        return Vec::new();
    };
    let mut lines = Lines::new(source, detected);
    let fixes = file.drafts.iter().zip(edits).map(|(&number, edit)| {
        let (edit, fix) = (edit?, drafts[number].fix.as_ref()?);
        Some(Fix {
            start: lines.place(edit.span.start),
            end: lines.place(edit.span.end),
            span: edit.span,
            replacement: edit.text,
            reference: fix.reference.clone(),
            safety: fix.safety,
        })
    });
    fixes.collect()
}
