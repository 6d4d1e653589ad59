//! The audits of one run: one for the report, and with `--fix` one for each round of fixes.

use absolve_files::Monitor;
use absolve_site::AuditReport;
use absolve_site::report::Comparison;

use super::fix::{Applied, Round, Rounds};

use crate::args::AuditArgs;
use crate::run::audit::{AuditFor, AuditJob};
use crate::session::signals::Signals;

/// The job, and what each of its audits needs.
pub(super) struct SiteAudits<'a> {
    pub(super) args: &'a AuditArgs,
    pub(super) job: &'a AuditJob,
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
                    self.audit(AuditFor::Fixes(fixing.safety()), &mut self.job.comparison());
                is_partial = !found.unlisted.is_empty();
                let may_fix = rounds.begin(&found) && !self.is_stopped();
                if may_fix && self.fix(applied, &mut found) == Round::Written {
                    continue;
                }
            }
            let mut comparison = self.job.comparison();
            let mut audited = self.audit(AuditFor::Report, &mut comparison);
            let is_complete = audited.unlisted.is_empty() || !fixing.fix;
            let for_fixes = AuditFor::Fixes(fixing.safety());
            let mut fixable =
                (!is_complete).then(|| self.audit(for_fixes, &mut self.job.comparison()));
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

    fn audit(&self, for_what: AuditFor, comparison: &mut Option<Comparison<'_>>) -> AuditReport {
        self.job.audit(self.progress, for_what, comparison.as_mut())
    }

    fn fix(&self, applied: &mut Applied, found: &mut AuditReport) -> Round {
        // Before the pages change, since their paragraphs are searched for.
        if self.args.fixing.writes() {
            self.job.locate(&mut found.findings);
        }
        applied.fix(self.args, self.job, &found.findings, self.signals)
    }

    fn is_stopped(&self) -> bool {
        self.signals.received().is_some()
    }
}
