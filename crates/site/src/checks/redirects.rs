//! Rules about redirects: of pages, of the lines of a redirects file, and links to redirects.

use std::path::{Path, PathBuf};

use absolve::grammar::Grammar;

use crate::site::server::is_host_program;
use crate::{
    AuditContext, Collector, Draft, Finding, Level, LinkCheck, LinkScope, Lookup, Meant,
    PageAuditor, Problem, Recheck, RedirectOutcome, Refresh, ResolvedLink, Rule, SiteCheck,
    TargetCheck, Wording, path_search, rows,
};

rows! {
    BrokenRedirect: Error, Url;
        summary: "redirect target does not exist, or the rule is malformed",
        reason: "Visitors of the old URL are redirected to a page that does not exist. The server \
                 ignores a line of a redirects file that it cannot read.",
        example: "/old /new 301, where there is no new.html",
        fix: "Correct the target, in the meta refresh or in the redirects file.";

    RedirectLoop: Error, Url;
        summary: "redirects lead in a circle",
        reason: "A browser stops after some 20 redirects and shows an error.",
        example: "/a /b 301 and /b /a 301",
        fix: "Point one of the redirects at a page.";

    LinkToRedirect: Note, Url;
        summary: "the link leads to a redirect",
        reason: "The link works, but costs an additional request.",
        example: "<a href=\"old.html\"> where old.html only redirects to new.html",
        fix: "Link to the target of the redirect.";
}

pub(super) const RECHECKS: &[TargetCheck] = &[select_redirecting];

pub(super) const LINKS: &[LinkCheck] = &[check_refresh];

pub(super) const SITE: &[SiteCheck] = &[check_circles, check_lines];

/// Maximum delay of a refresh that makes a page a redirect.
const MAX_DELAY_SECONDS: u64 = 10;

/// Reports pages that redirect in a circle.
fn check_circles(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    for file in context.state.find_circles() {
        // Other files are read only for their anchors.
        if !context.site.is_page(file) || !context.audit.reports(file) {
            continue;
        }
        if let Some(refresh) = context.state.refresh(file) {
            let message = "the page redirects to others that lead back to it".to_owned();
            collector.add(Finding { message, ..refresh.finding.clone() });
        }
    }
}

/// Reports lines of the redirects files that are malformed, or whose target does not exist.
fn check_lines(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let (audit, redirects) = (context.audit, context.lookup.server.redirects());
    let is_reported = |file: &Path| {
        let number = context.site.find(file);
        number.map_or(audit.report_only.is_none(), |number| audit.reports(number))
    };
    // The file and the line in it, if findings of the file are reported.
    let locate_line = |line: u64| {
        let (file, line) = redirects.place(line);
        let file = audit.redirects_files.get(file).filter(|file| is_reported(file))?;
        Some((file.clone(), line))
    };
    let finding_at = |rule: Rule, (file, line): (PathBuf, u64), message: String| Finding {
        line: Some(line),
        ..audit.finding(rule, file, message)
    };
    for problem in redirects.problems() {
        let Some(position) = locate_line(problem.line) else { continue };
        collector.add(finding_at(Rule::BrokenRedirect, position, problem.message.to_owned()));
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
        // A placeholder has a value only for a link, and the answer of a function is unknown.
        if to.split('/').any(|segment| segment.starts_with(':')) || is_host_program(to) {
            continue;
        }
        let Some(position) = locate_line(line) else { continue };
        if let Some(problem) = find_line_problem(&context.lookup, to) {
            let finding = Finding {
                url: Some(context.lookup.show_redirect(to).into_owned()),
                hint: problem.hint,
                target: problem.target,
                ..finding_at(problem.rule, position, problem.message.into_owned())
            };
            collector.add(Draft { search: problem.search, ..Draft::from(finding) });
        }
    }
}

/// Finds the problem of `to`, the target of a line of a redirects file.
fn find_line_problem(lookup: &Lookup<'_>, to: &str) -> Option<Problem> {
    let shown = lookup.show_redirect(to);
    match lookup.follow_redirect(to)? {
        RedirectOutcome::File(_)
        | RedirectOutcome::Elsewhere
        | RedirectOutcome::BrokenRewrite { .. } => None,
        RedirectOutcome::Loop => {
            let message = format!("target '{shown}' redirects in a circle");
            Some(Problem::new(Rule::RedirectLoop, message))
        }
        RedirectOutcome::MissingIndex(folder) if lookup.site.is_outside(&folder) => None,
        RedirectOutcome::MissingIndex(_) => {
            let message = format!("it leads to '{shown}', a folder that has no index page");
            Some(Problem::new(Rule::BrokenRedirect, message))
        }
        RedirectOutcome::Missing { path, .. } if lookup.site.is_outside(&path) => None,
        RedirectOutcome::Missing { path, has_trailing_slash } => {
            let message = format!("it leads to '{shown}', which does not exist");
            Some(Problem {
                search: Some(path_search(&path, has_trailing_slash)),
                target: Some(lookup.site.shown_path(&path)),
                ..Problem::new(Rule::BrokenRedirect, message)
            })
        }
    }
}

/// Records the redirect of a page: its first refresh that leads elsewhere after a short delay.
fn check_refresh(auditor: &mut PageAuditor<'_>, resolved_link: ResolvedLink<'_>) {
    let ResolvedLink { link, resolved, .. } = resolved_link;
    if link.grammar != Grammar::Refresh || !auditor.is_first_pass() {
        return;
    }
    let to = resolved.target.file;
    // A page with a longer delay is meant to be read.
    let delay = (link.sibling)("content").and_then(|content| parse_delay(&content));
    if to == Some(auditor.number())
        || delay.is_some_and(|delay| delay > MAX_DELAY_SECONDS)
        || auditor.facts.refresh.is_some()
        || link.is_nested
        || (to.is_none() && resolved.target.scope == LinkScope::Internal)
    {
        return;
    }
    let rule = Rule::RedirectLoop;
    let (level, url) = (auditor.context.audit.level_of(rule), resolved_link.url());
    let finding =
        auditor.sink.with_file(link.finding(rule, level, &auditor.sink.lookup, url.as_deref()));
    auditor.facts.refresh = Some(Refresh { to, finding });
}

/// Parses the seconds before a refresh.
fn parse_delay(content: &str) -> Option<u64> {
    let content = content.trim_start();
    let end = content.find(|c: char| !c.is_ascii_digit()).unwrap_or(content.len());
    content[..end].parse().ok()
}

/// Selects the pages with links to pages that redirect.
fn select_redirecting(context: &AuditContext<'_>, recheck: &mut Recheck) {
    if context.audit.level_of(Rule::LinkToRedirect) == Level::Off {
        return;
    }
    recheck.problems.circles = context.state.find_circles();
    for (file, refresh) in context.state.redirecting() {
        recheck.pages.add(context.state.requests.links_to(file));
        recheck.problems.redirecting.insert(file, redirect_problem(context, refresh));
    }
}

/// Creates the problem of links to a page that redirects; it proposes the last page of the chain.
fn redirect_problem(context: &AuditContext<'_>, refresh: &Refresh) -> Problem {
    let problem = Problem::new(Rule::LinkToRedirect, "the page only redirects (meta refresh)");
    let Some(last) = context.state.last_refresh(refresh) else { return problem };
    let Some(url) = &last.finding.url else { return problem };
    let url = context.lookup.deployment.whole(url).into_owned();
    // Readers see a page that refreshes, and its target may change: the proposal is only a hint.
    problem.proposing(Meant::Url(url), Wording::LinkTo, None)
}
