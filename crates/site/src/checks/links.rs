//! Rules about the target of a link, and its use by the element.

use absolve::attributes::TEXT;
use absolve::grammar::Grammar;
use absolve::url::clean;
use absolve::url::rfc1808::scheme_end;
use absolve::{BaseSource, Syntax};

use crate::checks::references;
use crate::checks::schemes::find_address;
use crate::checks::urls::is_local;
use crate::elements::{
    classify_mixed_content, is_defined, leads_to_http, must_be_absolute, takes_posts,
};
use crate::{
    Deployment, Level, LinkCheck, LinkScope, Location, Meant, Occurrence, PageAuditor, Problem,
    Proposal, Relation, ResolvedLink, Rule, Safety, Site, Wording, loaded_kind,
    missing_scheme_problem, path_search, rows,
};

rows! {
    BrokenFormAction: Warn, Target;
        summary: "target of a form does not exist",
        reason: "A program on the server may answer it, which no file shows; otherwise the server \
                 answers 404. This finding replaces broken-link for action and formaction.",
        example: "<form action=\"search.cgi\"> where there is no file search.cgi",
        fix: "Correct the reference, or ignore the program with --ignore-link.";

    UnknownLink: Note, Target;
        summary: "broken href or src of an element that HTML gives none",
        reason: "Browsers ignore the attribute; only a script or another program may use it. This \
                 finding replaces the one that a link would have.",
        example: "<gtkdoclink href=\"GObject\">, <div src=\"missing.png\">",
        fix: "Remove the attribute, or ignore it if a script reads it.";

    RelativeOnErrorPage: Warn, Message;
        summary: "a relative link on a page that answers missing paths",
        reason: "The server sends the page for a missing path at any depth, and browsers resolve its \
                 links against that path. --server github-pages and netlify send 404.html so, and \
                 redirects files with 404 or 410 name others.",
        example: "<img src=\"img/logo.png\"> in 404.html, which answers /docs/gone",
        fix: "Begin the links with a slash, or add a base element such as <base href=\"/\">.";

    OwnHostAbsolute: Note, Url;
        summary: "an absolute link to the site itself",
        reason: "A preview, mirror or local copy of the site links back to the published one. \
                 rel=canonical and rel=alternate must be absolute and are not reported.",
        example: "<a href=\"https://example.org/about.html\"> on https://example.org/",
        fix: "Write a relative reference, such as /about.html.";

    MixedContent: Warn, Url;
        summary: "an https page loads a resource over http",
        reason: "Browsers block it (scripts, styles, frames, fonts, srcset) or use https instead \
                 (images, audio, video), even if the host does not support https.",
        example: "<script src=\"http://cdn.example.org/x.js\">",
        fix: "Write https:// if the host supports it, or copy the file into the site.";

    InsecureLink: Off, Url;
        summary: "a link leads to an http: URL",
        reason: "Others on the network can read and change what is transferred.",
        example: "<a href=\"http://example.org/\">",
        fix: "Write https:// if the host supports it.";
}

pub(super) const LINKS: &[LinkCheck] = &[check_target, check_absolute];

/// Reports the problems of a link and of its target, apart from its fragment.
fn check_target(auditor: &mut PageAuditor<'_>, resolved_link: ResolvedLink<'_>) {
    if !auditor.reports_links() {
        return;
    }
    let ResolvedLink { link, resolved, .. } = resolved_link;
    let checks: Vec<_> = references::check(link.reference).collect();
    let is_refused =
        resolved.target.problems.iter().any(|problem| problem.rule == Rule::InvalidReference);
    // A server answers 400 before it looks for the file.
    let is_bad_request = checks.iter().any(|(check, _)| check.rule == Rule::BadPercent)
        && auditor.sink.level(Rule::BadPercent).is_some();
    let names_a_host = link.is_host_hint();
    let page = find_page_for_resource(auditor, resolved_link);
    let is_page = page.is_some();
    if let Some(problem) = page {
        auditor.add_problem(resolved_link, problem);
    }
    for problem in &resolved.target.problems {
        let address = missing_mailto_problem(problem, resolved_link);
        let mut problem = address.unwrap_or_else(|| problem.clone());
        match problem.rule {
            rule if names_a_host && !concerns_host(rule) => continue,
            Rule::BrokenLink if is_bad_request => continue,
            Rule::LinkToRedirect | Rule::MissingTrailingSlash if is_page => continue,
            // A codebase is a folder that need not have a page.
            Rule::DirectoryWithoutIndex if link.attribute == Some("codebase") => continue,
            Rule::BrokenLink if link.grammar == Grammar::Refresh => {
                problem.rule = Rule::BrokenRedirect;
            }
            // A text often names the server that its reader runs.
            Rule::LeakedDevelopmentUrl
                if link.element == Some("a")
                    && is_href(link)
                    && resolved_link.url().is_some_and(|url| is_local(&url)) =>
            {
                problem.max_level = Level::Note;
            }
            _ => {}
        }
        auditor.add_problem(resolved_link, problem);
    }
    if let Some(problem) = find_relative_on_error_page(auditor, resolved_link) {
        auditor.add_problem(resolved_link, problem);
    }
    for (check, message) in checks {
        if is_refused && check.needs_url {
            continue;
        }
        let mut problem = Problem::new(check.rule, message);
        if let Some(detail) = (check.detail)(link.reference) {
            problem.message = format!("{detail}: {message}").into();
        }
        if let Some(write) = check.write.filter(|_| !is_bad_request) {
            let rewritten = write(link.reference);
            problem =
                propose_rewrite(problem, rewritten, resolved_link, auditor.sink.lookup.deployment);
        }
        auditor.add_problem(resolved_link, problem);
    }
}

/// Finds the problem of a relative reference on an error page: the server sends the page for paths
/// at any depth, where the reference leads elsewhere.
fn find_relative_on_error_page(
    auditor: &PageAuditor<'_>,
    resolved_link: ResolvedLink<'_>,
) -> Option<Problem> {
    let ResolvedLink { link, resolved, .. } = resolved_link;
    let reference = clean(link.reference);
    let is_relative = scheme_end(&reference).is_none()
        && !reference.starts_with(['/', '\\', '?', '#'])
        && link.base_source != BaseSource::BaseElement;
    if !auditor.is_error_page || !is_relative || resolved.target.file.is_none() {
        return None;
    }
    let message = "the server sends this page at any depth, where a relative link leads elsewhere";
    let problem = Problem::new(Rule::RelativeOnErrorPage, message);
    let (url, deployment) = (resolved_link.url()?, auditor.sink.lookup.deployment);
    let meant = Meant::Reference(deployment.without_host(&url).to_owned());
    // Without a base URL, the site may be served below another path.
    let safety = (!deployment.is_nameless()).then_some(Safety::Safe);
    Some(problem.proposing(meant, Wording::Write, safety))
}

/// Finds the problem of a link that should load another kind of file, but leads to a page.
/// Placeholders such as `src="#"` load nothing.
pub(super) fn find_page_for_resource(
    auditor: &PageAuditor<'_>,
    resolved_link: ResolvedLink<'_>,
) -> Option<Problem> {
    let ResolvedLink { link, resolved, fragment } = resolved_link;
    let lookup = &auditor.sink.lookup;
    let (page, url) = (resolved.target.file?, resolved.url.as_deref()?);
    if !lookup.site.is_page_by_name(page) || clean(link.reference).starts_with(['#', '?']) {
        return None;
    }
    let (element, attribute) = (link.element.unwrap_or(""), link.attribute.unwrap_or(""));
    let kind = loaded_kind(element, attribute, link.grammar, link.sibling)?;
    let is_style = matches!(link.grammar, Grammar::Css | Grammar::Stylesheet);
    // A style may use an element of SVG in a page.
    let is_element = is_style && fragment.is_some() && lookup.is_url_of(url, page);
    (!is_element).then(|| page_problem(lookup.site, lookup.deployment, kind, url, page))
}

/// Creates the problem of a link that loads another kind of file, and gets a page from the server.
fn page_problem(
    site: &Site,
    deployment: &Deployment,
    kind: &str,
    url: &str,
    page: usize,
) -> Problem {
    let name = String::from_utf8_lossy(site.path(page));
    let (message, path) = match deployment.locate(url) {
        Location::Inside { path, has_trailing_slash, .. } if *path != *site.path(page) => {
            let shown = String::from_utf8_lossy(&path);
            let message =
                format!("it loads {kind}, and the server answers '{shown}' with the page '{name}'");
            (message, Some((path, has_trailing_slash)))
        }
        _ => (format!("it loads {kind}, and '{name}' is a page"), None),
    };
    let target = path.as_ref().map_or(site.path(page), |(path, _)| path);
    Problem {
        target: Some(site.shown_path(target)),
        search: path.as_ref().map(|(path, slash)| path_search(path, *slash)),
        ..Problem::new(Rule::BrokenLink, message)
    }
}

/// Reports absolute links to the site itself, mixed content and insecure links.
fn check_absolute(auditor: &mut PageAuditor<'_>, resolved_link: ResolvedLink<'_>) {
    let ResolvedLink { link, resolved, .. } = resolved_link;
    if !auditor.reports_links() || !(resolved.is_own_absolute || resolved.is_insecure) {
        return;
    }
    let rel = (link.sibling)("rel");
    let (rel, element) = (rel.as_deref(), link.element.unwrap_or(""));
    // URLs in a style sheet are loaded like those in a style element.
    let is_style = link.grammar == Grammar::Stylesheet;
    let attribute = link.attribute.unwrap_or(if is_style { TEXT } else { "" });
    // Readers of feeds and sitemaps need absolute URLs.
    let may_be_relative = !auditor.is_xml() && !must_be_absolute(element, rel);
    if resolved.is_own_absolute && may_be_relative {
        let message = "an absolute link to the site itself";
        auditor.add_problem(resolved_link, Problem::new(Rule::OwnHostAbsolute, message));
    }
    let Some(target) = resolved.url.as_deref().filter(|_| resolved.is_insecure) else { return };
    let class = classify_mixed_content(element, attribute, rel, target)
        .filter(|_| auditor.sink.lookup.deployment.is_secure());
    if let Some(class) = class {
        auditor.add_problem(resolved_link, Problem::new(Rule::MixedContent, class.message()));
    } else if is_http(link.reference) && leads_to_http(element, attribute, rel, target) {
        auditor.add_problem(
            resolved_link,
            Problem::new(Rule::InsecureLink, "it leads to an http: URL"),
        );
    }
}

fn is_href(link: &Occurrence<'_>) -> bool {
    matches!(link.attribute, Some("href" | "xlink:href"))
}

/// Whether a rule also applies to a link whose host alone browsers use.
fn concerns_host(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::InvalidReference
            | Rule::MissingScheme
            | Rule::BadScheme
            | Rule::LeakedDevelopmentUrl
            | Rule::ForbiddenHost
    )
}

/// Returns the problem of an address without `mailto:`, which replaces the problem of a missing
/// file. Only `a` and `area` elements link to addresses; an image or a style sheet is a file.
fn missing_mailto_problem(
    problem: &Problem,
    ResolvedLink { link, resolved, .. }: ResolvedLink<'_>,
) -> Option<Problem> {
    let is_followed = matches!(link.element, Some("a" | "area")) && is_href(link);
    let is_redirect = |other: &Problem| other.rule == Rule::LinkToRedirect;
    if problem.rule != Rule::BrokenLink
        || !is_followed
        || resolved.target.problems.iter().any(is_redirect)
    {
        return None;
    }
    let target = problem.target.clone();
    find_address(link.reference).map(|meant| Problem { target, ..missing_scheme_problem(&meant) })
}

/// Proposes to write the reference in the form in which browsers read it. If another problem of the
/// link has a fix, its proposal is used instead, as each fix alone must lead to the target.
fn propose_rewrite(
    problem: Problem,
    rewritten: String,
    ResolvedLink { link, resolved, .. }: ResolvedLink<'_>,
    deployment: &Deployment,
) -> Problem {
    let target = &resolved.target;
    let is_certain = |proposal: &Proposal| proposal.safety != Some(Safety::Unsafe);
    let mut problems = target.problems.iter();
    let with_proposal = problems.find(|other| other.proposal.as_deref().is_some_and(is_certain));
    let is_fixed = |other: &&Problem| {
        other.proposal.as_ref().is_some_and(|proposal| proposal.safety.is_some())
            && link.is_fixable(other.rule, deployment)
    };
    if let Some(other) = with_proposal.filter(is_fixed) {
        return Problem { proposal: other.proposal.clone(), ..problem };
    }
    if with_proposal.is_none() && target.file.is_none() && target.scope == LinkScope::Internal {
        let search = target.problems.iter().find_map(|other| other.search.clone());
        return Problem { search, ..problem };
    }
    let meant = Meant::Reference(rewritten);
    // The audit does not check a URL outside the site, so its proposal is only a hint.
    let is_checked = with_proposal.is_some() || target.scope != LinkScope::Outside;
    problem.proposing(meant, Wording::Write, is_checked.then_some(Safety::Safe))
}

fn is_http(reference: &str) -> bool {
    let reference = clean(reference);
    reference.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("http:"))
}

/// Reports a link with an empty value, which has no target.
pub(super) fn check_empty(auditor: &mut PageAuditor<'_>, link: &Occurrence<'_>) {
    // An empty action is a usual way to write the page itself.
    let is_action = matches!(link.attribute, Some("action" | "formaction"));
    if auditor.is_first_pass()
        && !is_action
        && !auditor.context.audit.ignores(link.reference, || link.url())
    {
        let message = "an empty value, for which browsers fetch nothing";
        auditor.sink.add_link(link, None, Problem::new(Rule::EmptyReference, message));
    }
}

impl Occurrence<'_> {
    /// Returns the rule to report for this link, if an ordinary link would violate `rule`.
    ///
    /// A form often leads to a program of the server, which is not a file, and browsers ignore a
    /// URL in an attribute that HTML does not define.
    pub(crate) fn rule_for(&self, rule: Rule, syntax: Syntax) -> Rule {
        let (Some(element), Some(attribute)) = (self.element, self.attribute) else { return rule };
        if matches!(
            rule,
            Rule::BrokenLink
                | Rule::DirectoryWithoutIndex
                | Rule::MissingTrailingSlash
                | Rule::LinkToRedirect
        ) && let Some(relation) = self.relation()
        {
            return match relation {
                Relation::Canonical => Rule::BrokenCanonical,
                Relation::Translation => Rule::BrokenHreflang,
            };
        }
        let is_form = takes_posts(element, attribute);
        match rule {
            Rule::BrokenLink | Rule::DirectoryWithoutIndex if is_form => Rule::BrokenFormAction,
            _ if rule.level() == Level::Error && !is_defined(element, attribute, syntax) => {
                Rule::UnknownLink
            }
            _ => rule,
        }
    }

    /// Whether a finding of this rule about the link may have a fix, not only a hint.
    pub(crate) fn is_fixable(&self, rule: Rule, deployment: &Deployment) -> bool {
        // A codebase is the base of other attributes, and browsers ignore unknown attributes.
        let is_base = self.attribute == Some("codebase");
        !is_base
            && rule != Rule::UnknownLink
            && !(rule == Rule::MissingPrefix && self.has_base_elsewhere(deployment))
    }

    /// Whether the link is relative to a `base` element outside the site. The element itself may
    /// lack the prefix of the site; when it is corrected, a link with the prefix would break.
    fn has_base_elsewhere(&self, deployment: &Deployment) -> bool {
        let reference = clean(self.reference);
        let is_relative = scheme_end(&reference).is_none() && !reference.starts_with(['/', '\\']);
        is_relative
            && self.base_source == BaseSource::BaseElement
            && self.base.is_some_and(|base| {
                !matches!(deployment.locate(base.as_str()), Location::Inside { .. })
            })
    }
}
