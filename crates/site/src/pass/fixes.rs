//! Finds the places of fixes in the source.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use absolve::encoding::Lines;
use absolve_files::FileBuffers;

use crate::{AuditContext, Draft, Finding, Fix, Replacement, Unwritten, source_edits};

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
        let finding = &mut drafts[number].finding;
        match fix {
            Ok(fix) => finding.fix = Some(fix),
            Err(Unwritten::ReadsOtherwise) => {
                explain(finding, "written there, it would be read otherwise");
            }
            Err(Unwritten::NoLink | Unwritten::Taken) => {}
        }
    }
    leave_other_names(context, &mut drafts);
    drafts.into_iter().map(|draft| *draft.finding).collect()
}

/// Leaves a file that has several names as it is, unless all of them need the same fix: a relative
/// link leads elsewhere from each folder, and may be right in one of them.
fn leave_other_names(context: &AuditContext<'_>, drafts: &mut [Draft]) {
    let site = context.site;
    let names = site.names_of_linked_files();
    if names.is_empty() {
        return;
    }
    let fixed = |draft: &Draft| {
        let Finding { file, fix: Some(fix), .. } = &*draft.finding else { return None };
        let number = site.number_of(file)?;
        let first = site.first_name(number);
        let edit = (first, fix.span.clone(), fix.replacement.clone(), fix.safety);
        names.contains_key(&first).then_some((number, edit))
    };
    let all: HashSet<_> = drafts.iter().filter_map(fixed).collect();
    for draft in drafts {
        let Some((number, edit)) = fixed(draft) else { continue };
        let lacks_it = |name: &&usize| !all.contains(&(**name, edit.clone()));
        let Some(&lacking) = names[&edit.0].iter().find(lacks_it) else { continue };
        // The hint has another name of the file: one that lacks the fix, or else the first one.
        let other = if edit.0 == number { lacking } else { edit.0 };
        draft.finding.fix = None;
        let why = format!("the file is also {}", site.shown(other).display());
        explain(&mut draft.finding, &why);
    }
}

/// Adds to the hint of a finding why `--fix` does not follow it.
fn explain(finding: &mut Finding, why: &str) {
    if let Some(hint) = &mut finding.hint {
        let _ = write!(hint, " (--fix leaves it: {why})");
    }
}

/// A file with findings that can be fixed.
struct FixableFile {
    number: usize,
    /// The numbers of these findings.
    drafts: Vec<usize>,
}

/// The pages and style sheets with fixes. The findings of a file come side by side.
fn fixable_files(context: &AuditContext<'_>, drafts: &[Draft]) -> Vec<FixableFile> {
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
        // The first of several fixes for the same link is written.
        file.drafts.sort_by_key(|&number| {
            let Draft { finding, fix, .. } = &drafts[number];
            let start = finding.span.as_ref().map(|span| span.start);
            (start, fix.as_ref().map(|fix| fix.safety))
        });
    }
    files
}

/// The fixes of a file.
fn fixes_of(
    context: &AuditContext<'_>,
    file_buffers: &mut FileBuffers,
    drafts: &[Draft],
    file: &FixableFile,
) -> Vec<Result<Fix, Unwritten>> {
    let (audit, site) = (context.audit, context.site);
    let wanted: Vec<Replacement<'_>> = file
        .drafts
        .iter()
        .filter_map(|&number| {
            let Draft { finding, fix, .. } = &drafts[number];
            Replacement::of(finding, &fix.as_ref()?.reference)
        })
        .collect();
    if context.monitor.is_stopped()
        || site.read_number(file.number, file_buffers, &audit.limits()).is_err()
    {
        return Vec::new();
    }
    let source = file_buffers.source();
    let Ok((edits, detected)) = source_edits(audit, site, file.number, source, &wanted) else {
        return Vec::new();
    };
    let mut lines = Lines::new(source, detected);
    let fixes = file.drafts.iter().zip(edits).map(|(&number, edit)| {
        let (edit, fix) = (edit?, drafts[number].fix.as_ref().ok_or(Unwritten::NoLink)?);
        Ok(Fix {
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
