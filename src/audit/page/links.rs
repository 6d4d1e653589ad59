//! Findings about one link alone.

use crate::attributes::TEXT;
use crate::audit::container::document::Scope;
use crate::audit::fix::Safety;
use crate::audit::hints::{Meant, Proposal, Wording};
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::occurrence::ResolvedLink;
use crate::audit::reference::{
    self, has_to_be_absolute, insecure_link, missing_mailto, mixed_content,
};
use crate::audit::rules::Rule;
use crate::audit::site::deployment::Deployment;
use crate::audit::target::{LinkScope, Problem, without_scheme};
use crate::grammar::Grammar;
use crate::url::clean;

impl PageAuditor<'_> {
    /// Reports what is wrong with a link, apart from its fragment.
    pub(super) fn report(&mut self, resolved_link: ResolvedLink<'_>) {
        if !self.sink.is_reported {
            return;
        }
        let ResolvedLink { link, resolved, .. } = resolved_link;
        let checks: Vec<_> = reference::check(link.reference).collect();
        let is_refused =
            resolved.target.problems.iter().any(|problem| problem.rule == Rule::InvalidReference);
        // A server answers 400 before it looks for the file.
        let is_bad_request = checks.iter().any(|(rule, _)| *rule == Rule::BadPercent)
            && self.sink.level(Rule::BadPercent).is_some();
        let names_a_host = link.names_a_host();
        for problem in &resolved.target.problems {
            let address = without_mailto(problem, resolved_link);
            let problem = address.as_ref().unwrap_or(problem);
            match problem.rule {
                rule if names_a_host && !concerns_host(rule) => {}
                Rule::BrokenLink if is_bad_request => {}
                // A codebase is a folder that need not have a page.
                Rule::DirectoryWithoutIndex if link.attribute == Some("codebase") => {}
                Rule::BrokenLink if link.grammar == Grammar::Refresh => {
                    let problem = Problem { rule: Rule::BrokenRedirect, ..problem.clone() };
                    self.add_problem(resolved_link, problem);
                }
                _ => self.add_problem(resolved_link, problem.clone()),
            }
        }
        for (rule, message) in checks {
            let is_percent = matches!(rule, Rule::BadPercent | Rule::BadPercentInQuery);
            // Without a valid host, a scheme helps nothing.
            if is_refused && (is_percent || rule == Rule::ProtocolRelative) {
                continue;
            }
            let mut problem = Problem::new(rule, message);
            if is_percent && let Some(escape) = reference::bad_escape(link.reference) {
                problem.message = format!("escape '{escape}': {message}").into();
            }
            if rule == Rule::Backslash && !is_bad_request {
                problem = without_backslash(problem, resolved_link, self.sink.lookup.deployment);
            }
            self.add_problem(resolved_link, problem);
        }
        self.report_in_book(resolved_link);
        self.report_external(resolved_link);
        if resolved.is_own_absolute || resolved.is_insecure {
            self.report_absolute(resolved_link);
        }
    }

    /// Adds the finding about a link.
    pub(super) fn add_problem(&mut self, resolved_link: ResolvedLink<'_>, problem: Problem) {
        self.sink.add_link(resolved_link.link, resolved_link.url().as_deref(), problem);
    }

    /// Reports what depends on how the element uses the URL.
    fn report_absolute(&mut self, resolved_link: ResolvedLink<'_>) {
        let ResolvedLink { link, resolved, .. } = resolved_link;
        let rel = (link.sibling)("rel");
        let (rel, element) = (rel.as_deref(), link.element.unwrap_or(""));
        // URLs in a style sheet are loaded like those in a style element.
        let is_style = link.grammar == Grammar::Stylesheet;
        let attribute = link.attribute.unwrap_or(if is_style { TEXT } else { "" });
        // Readers of feeds and sitemaps need absolute URLs.
        let may_be_relative = !self.is_no_page() && !has_to_be_absolute(element, rel);
        if resolved.is_own_absolute && may_be_relative {
            let message = "an absolute link to the site itself";
            self.add_problem(resolved_link, Problem::new(Rule::OwnHostAbsolute, message));
        }
        let Some(target) = resolved.url.as_deref().filter(|_| resolved.is_insecure) else { return };
        let class =
            mixed_content(element, attribute, rel, target).filter(|_| self.sink.lookup.is_secure());
        if let Some(class) = class {
            self.add_problem(resolved_link, Problem::new(Rule::MixedContent, class.message()));
        } else if matches!(self.sink.lookup.scope, Scope::Site)
            && is_http(link.reference)
            && insecure_link(element, attribute, rel, target)
        {
            self.add_problem(
                resolved_link,
                Problem::new(Rule::InsecureLink, "it leads to an http: URL"),
            );
        }
    }
}

/// Whether a rule concerns a link of which browsers use only the host.
fn concerns_host(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::InvalidReference
            | Rule::MissingScheme
            | Rule::LeakedDevelopmentUrl
            | Rule::ForbiddenHost
    )
}

/// The problem of a link to an address, in place of that of a missing file. Readers follow only the
/// links of these elements; an image or a style sheet is a file.
fn without_mailto(
    problem: &Problem,
    ResolvedLink { link, resolved, .. }: ResolvedLink<'_>,
) -> Option<Problem> {
    let is_missing = matches!(problem.rule, Rule::BrokenLink | Rule::NotCaptured);
    let is_followed = matches!(link.element, Some("a" | "area"))
        && matches!(link.attribute, Some("href" | "xlink:href"));
    let is_redirect = |other: &Problem| other.rule == Rule::LinkToRedirect;
    if !is_missing || !is_followed || resolved.target.problems.iter().any(is_redirect) {
        return None;
    }
    let target = problem.target.clone();
    missing_mailto(link.reference).map(|meant| Problem { target, ..without_scheme(&meant) })
}

/// Adds the proposal for a reference with a backslash, which browsers read as a slash. Another
/// problem of the link with a fix has the same proposal, so that each of them leads to the target.
fn without_backslash(
    problem: Problem,
    ResolvedLink { link, resolved, .. }: ResolvedLink<'_>,
    deployment: &Deployment,
) -> Problem {
    let target = &resolved.target;
    let is_certain = |proposal: &Proposal| proposal.safety != Some(Safety::Unsafe);
    let mut problems = target.problems.iter();
    let proposing = problems.find(|other| other.proposal.as_deref().is_some_and(is_certain));
    let is_fixed = |other: &&Problem| {
        other.proposal.as_ref().is_some_and(|proposal| proposal.safety.is_some())
            && link.is_fixable(other.rule, deployment)
    };
    if let Some(other) = proposing.filter(is_fixed) {
        return Problem { proposal: other.proposal.clone(), ..problem };
    }
    if proposing.is_none() && target.file.is_none() && target.scope == LinkScope::Internal {
        let search = target.problems.iter().find_map(|other| other.search.clone());
        return Problem { search, ..problem };
    }
    let meant = Meant::Reference(reference::with_slashes(link.reference));
    // A URL outside the site that no file shows is not checked.
    let is_checked = proposing.is_some() || target.scope != LinkScope::Outside;
    problem.proposing(meant, Wording::Write, is_checked.then_some(Safety::Safe))
}

fn is_http(reference: &str) -> bool {
    let reference = clean(reference);
    reference.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("http:"))
}
