//! The summary of an audit, as in the JSON report.

use std::collections::BTreeMap;

use absolve::audit::{Level, Safety};
use pyo3::prelude::*;

use super::report::Audited;

/// The numbers of findings, pages and links.
#[pyclass(frozen, get_all, eq, module = "absolve")]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct AuditSummary {
    errors: u64,
    warnings: u64,
    notes: u64,
    known: Option<u64>,
    pages: u64,
    links: u64,
    internal: u64,
    external: u64,
    outside: u64,
    ignored: u64,
    unlisted: BTreeMap<&'static str, u64>,
    unsearched: u64,
    base_url_hint: Option<String>,
    fixable: u64,
}

impl AuditSummary {
    pub(super) fn new(audited: &Audited) -> Self {
        let report = &audited.report;
        let mut summary = Self {
            known: audited.diff.as_ref().map(absolve::report::BaselineDiff::known),
            pages: report.pages,
            links: report.links,
            internal: report.by_scope.internal,
            external: report.by_scope.external,
            outside: report.by_scope.outside,
            ignored: report.by_scope.ignored,
            unlisted: report.unlisted.iter().map(|of| (of.rule.id(), of.count)).collect(),
            unsearched: report.unsearched,
            base_url_hint: absolve::report::Context::new(report).base_url_hint(),
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
