//! The audits of one run: one for the report, and with `--fix` one for each round of fixes.

use std::path::Path;

use super::fix::{Applied, Round, Rounds};
use super::setup::Setup;
use crate::audit::{AuditReport, Finding, Safety, Sources};
use crate::batch::{Monitor, Workers};
use crate::cli::args::AuditArgs;
use crate::cli::session::signals::Signals;
use crate::report::{Baseline, Comparison};

/// The site, and what each of its audits needs.
pub(super) struct SiteAudits<'a> {
    pub(super) args: &'a AuditArgs,
    pub(super) setup: &'a Setup,
    pub(super) sources: Option<&'a Sources>,
    pub(super) baseline: Option<Baseline>,
    pub(super) root: &'a Path,
    pub(super) workers: &'a Workers,
    pub(super) progress: &'a dyn Monitor,
    pub(super) signals: &'a Signals,
}

/// The last audit of a run.
pub(super) struct LastAudit<'a> {
    pub(super) audited: AuditReport,
    pub(super) comparison: Option<Comparison<'a>>,
    /// All findings with a fix, if those of the report are not all that there are.
    pub(super) fixable: Option<AuditReport>,
}

impl<'a> SiteAudits<'a> {
    /// Audits the site, and with `--fix` again after each round that wrote a file.
    pub(super) fn run(&self, applied: &mut Applied) -> LastAudit<'a> {
        let fixing = &self.args.fixing;
        let mut rounds = Rounds::new(fixing);
        let mut is_partial = false;
        loop {
            // After a part of what is to fix, the next one needs no report before it.
            if is_partial {
                let mut found =
                    self.audit(AuditFor::Fixes(fixing.safety()), &mut self.comparison());
                is_partial = !found.unlisted.is_empty();
                let may_fix = rounds.begin(&found) && !self.is_stopped();
                if may_fix && self.fix(applied, &mut found) == Round::Written {
                    continue;
                }
            }
            let mut comparison = self.comparison();
            let mut audited = self.audit(AuditFor::Report, &mut comparison);
            let is_complete = audited.unlisted.is_empty() || !fixing.fix;
            let for_fixes = AuditFor::Fixes(fixing.safety());
            let mut fixable = (!is_complete).then(|| self.audit(for_fixes, &mut self.comparison()));
            let for_fixes = fixable.is_some();
            let found = fixable.as_mut().unwrap_or(&mut audited);
            is_partial = for_fixes && !found.unlisted.is_empty();
            let is_last = !rounds.begin(found) || self.is_stopped();
            if is_last || self.fix(applied, found) == Round::Idle {
                applied.end(fixing, found);
                return LastAudit { audited, comparison, fixable };
            }
        }
    }

    fn comparison(&self) -> Option<Comparison<'a>> {
        self.baseline.clone().map(|baseline| baseline.compare(self.root))
    }

    fn audit(&self, for_what: AuditFor, comparison: &mut Option<Comparison<'_>>) -> AuditReport {
        audit(self.setup, self.workers, self.progress, for_what, comparison.as_mut())
    }

    fn fix(&self, applied: &mut Applied, found: &mut AuditReport) -> Round {
        // Before the pages change, since their paragraphs are searched for.
        if let Some(sources) = self.sources.filter(|_| self.args.fixing.writes()) {
            let encoding = self.args.reading.encoding();
            sources.locate(&mut found.findings, &self.setup.site, encoding, self.workers);
        }
        applied.fix(self.args, self.setup, &found.findings, self.workers, self.signals)
    }

    fn is_stopped(&self) -> bool {
        self.signals.received().is_some()
    }
}

/// The findings that an audit is for.
#[derive(Clone, Copy)]
pub enum AuditFor {
    Report,
    /// Those with a fix that is so certain, also beyond the number that reports list.
    Fixes(Safety),
}

/// Audits the site without the known findings.
pub fn audit(
    setup: &Setup,
    workers: &Workers,
    monitor: &dyn Monitor,
    for_what: AuditFor,
    comparison: Option<&mut Comparison<'_>>,
) -> AuditReport {
    let Setup { audit, site, .. } = setup;
    let mut is_known =
        comparison.map(|comparison| |finding: &Finding| comparison.is_known(finding));
    let is_known =
        is_known.as_mut().map(|is_known| -> &mut dyn FnMut(&Finding) -> bool { is_known });
    match (for_what, is_known) {
        (AuditFor::Report, None) => audit.run(site, workers, monitor),
        (AuditFor::Report, Some(is_known)) => audit.run_without(site, workers, monitor, is_known),
        (AuditFor::Fixes(safety), is_known) => {
            audit.run_for_fixes(site, workers, monitor, safety, is_known)
        }
    }
}
