//! Broken redirects: of pages in a circle, and of lines of a redirects file.

use crate::audit::context::{AuditContext, Collector, Draft};
use crate::audit::finding::Finding;
use crate::audit::rules::{Level, Rule};
use crate::audit::site::server::is_of_the_host;

/// Reports pages that redirect in a circle.
pub(crate) fn circles(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    for file in context.state.in_circles() {
        // Other files are read only for their anchors.
        let is_audited = context.is_page(file) && context.containers.is_audited(file);
        if !is_audited || !context.audit.reports(context.containers.file(file)) {
            continue;
        }
        if let Some(refresh) = context.state.refresh(file) {
            let message = "the page redirects to others that lead back to it".to_owned();
            collector.add(Finding { message, ..refresh.finding.clone() });
        }
    }
}

/// Reports lines of the redirects file that are malformed, or whose target does not exist.
pub(crate) fn lines(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let (audit, redirects) = (context.audit, context.lookup.server.redirects());
    let Some(file) = audit.redirects_file.as_deref() else { return };
    if !context.site.find(file).map_or(audit.report_only.is_none(), |number| audit.reports(number))
    {
        return;
    }
    let at = |rule: Rule, line: u64, message: String| Finding {
        line: Some(line),
        ..audit.finding(rule, file.to_owned(), message)
    };
    for problem in redirects.problems() {
        collector.add(at(Rule::BrokenRedirect, problem.line, problem.message.to_owned()));
    }
    if [Rule::BrokenRedirect, Rule::RedirectLoop].map(|rule| audit.level_of(rule))
        == [Level::Off; 2]
    {
        return;
    }
    for (to, line) in redirects.targets() {
        if context.monitor.is_stopped() {
            return;
        }
        // Only a link has a value for a placeholder, and the answer of a function is unknown.
        if to.split('/').any(|segment| segment.starts_with(':')) || is_of_the_host(to) {
            continue;
        }
        if let Some(problem) = context.lookup.redirect(to) {
            let finding = Finding {
                url: Some(context.lookup.shown_redirect(to).into_owned()),
                hint: problem.hint,
                target: problem.target,
                ..at(problem.rule, line, problem.message.into_owned())
            };
            collector.add(Draft { search: problem.search, ..Draft::from(finding) });
        }
    }
}
