//! The summary of an audit, as in the JSON report.

use std::collections::BTreeMap;

use absolve::audit::{AuditReport, Level, Safety};
use absolve::report::{BaselineDiff, Context};
use pyo3::prelude::*;

/// The numbers of findings, pages and links, as in the JSON report.
#[pyclass(frozen, get_all, eq, hash, module = "absolve")]
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct AuditSummary {
    /// Findings of level `error`.
    errors: u64,
    /// Findings of level `warn`.
    warnings: u64,
    /// Findings of level `note`.
    notes: u64,
    /// Findings that the `baseline` lists; `None` without one.
    known: Option<u64>,
    /// Pages that were checked.
    pages: u64,
    /// Their links.
    links: u64,
    /// Links into the site.
    internal: u64,
    /// Links elsewhere, which are not looked up.
    external: u64,
    /// Links to the host of the site, outside the path of its base URL.
    outside: u64,
    /// Links that `ignore_link` leaves out.
    ignored: u64,
    /// Findings that are counted and not listed, by rule.
    unlisted: BTreeMap<&'static str, u64>,
    /// Targets without a search for similar names.
    unsearched: u64,
    /// The base URL that may be missing, as a question.
    base_url_hint: Option<String>,
    /// Listed findings that `absolve audit --fix` fixes.
    fixable: u64,
}

impl AuditSummary {
    pub(super) fn new(report: &AuditReport, diff: Option<&BaselineDiff>) -> Self {
        let mut summary = Self {
            known: diff.map(BaselineDiff::known),
            pages: report.pages,
            links: report.links,
            internal: report.by_scope.internal,
            external: report.by_scope.external,
            outside: report.by_scope.outside,
            ignored: report.by_scope.ignored,
            unlisted: report.unlisted.iter().map(|of| (of.rule.id(), of.count)).collect(),
            unsearched: report.unsearched,
            base_url_hint: Context::new(report).base_url_hint(),
            ..Self::default()
        };
        let listed = report.findings.iter().map(|finding| (finding.level, 1));
        let unlisted = report.unlisted.iter().map(|unlisted| (unlisted.level, unlisted.count));
        for (level, count) in listed.chain(unlisted) {
            *match level {
                Level::Error => &mut summary.errors,
                Level::Warn => &mut summary.warnings,
                _ => &mut summary.notes,
            } += count;
        }
        let fixes = report.findings.iter().filter_map(|finding| finding.fix.as_ref());
        summary.fixable = fixes.filter(|fix| fix.safety == Safety::Safe).count() as u64;
        summary
    }
}

#[pymethods]
impl AuditSummary {
    fn __repr__(&self) -> String {
        let Self { errors, warnings, notes, pages, links, .. } = self;
        format!(
            "AuditSummary(errors={errors}, warnings={warnings}, notes={notes}, pages={pages}, \
             links={links})"
        )
    }
}
