//! Rules about links that leave the site, by the answers that a link checker got.

use absolve::url::clean;

use crate::external::requested_url;
use crate::{
    ExternalStatus, LinkCheck, LinkScope, Meant, PageAuditor, Problem, ResolvedLink, Rule, Safety,
    Wording, is_requested, rows,
};

rows! {
    BrokenExternal: Error, Target;
        summary: "a link checker found that an external URL does not work",
        reason: "The server answers with an error, or not at all. absolve fetches nothing: \
                 --external-status names the file with the answers.",
        example: "<a href=\"https://example.org/gone\">, where example.org answers 404",
        fix: "Correct the URL, remove the link, or ignore it if the server only refuses the link \
              checker.";

    MovedExternal: Note, Target;
        summary: "a link checker found that an external URL moved permanently",
        reason: "The link works, but costs an additional request, and only as long as the old \
                 server redirects.",
        example: "<a href=\"http://example.org/\">, which answers 301 with https://example.org/",
        fix: "Link to the target of the redirect; --fix --unsafe-fixes writes it.";

    UncheckedExternal: Off, Target;
        summary: "the file of --external-status does not have an external URL",
        reason: "Nobody knows whether the link works: it is new, or the link checker left it out.",
        example: "<a href=\"https://example.org/new\">, written after the last check",
        fix: "Check the links again: absolve links --external --unique --format url lists them.";
}

pub(super) const LINKS: &[LinkCheck] = &[check_answer];

/// Reports a link to another site that is broken, moved or unchecked, if there is a file with
/// answers.
fn check_answer(auditor: &mut PageAuditor<'_>, resolved_link: ResolvedLink<'_>) {
    let ResolvedLink { link, resolved, .. } = resolved_link;
    let Some(statuses) = auditor.sink.lookup.external else { return };
    let (element, attribute) = (link.element.unwrap_or(""), link.attribute.unwrap_or(""));
    let rel = (link.sibling)("rel");
    if !auditor.reports_links()
        || resolved.target.scope == LinkScope::Internal
        || !is_requested(element, attribute, rel.as_deref())
    {
        return;
    }
    let Some(url) = resolved_link.url() else { return };
    let problem = match statuses.status(&url) {
        None | Some(ExternalStatus::Good) => return,
        Some(ExternalStatus::Broken(failure)) => {
            let mut message = failure.message();
            if let Some(end) = &failure.end {
                let end = auditor.sink.lookup.shown(end);
                message = format!("{message} after a redirect to '{end}'");
            }
            Problem::new(Rule::BrokenExternal, message)
        }
        Some(ExternalStatus::Moved(to)) => {
            let Some(new) = find_moved_reference(link.reference, &url, to) else { return };
            let message =
                format!("it redirects permanently to '{}'", auditor.sink.lookup.shown(to));
            let (meant, safety) = (Meant::Reference(new), Some(Safety::Unsafe));
            Problem::new(Rule::MovedExternal, message).proposing(meant, Wording::LinkTo, safety)
        }
        Some(ExternalStatus::Unchecked) => {
            let message = "the answers of the link checker do not have this URL";
            Problem::new(Rule::UncheckedExternal, message)
        }
    };
    auditor.add_problem(resolved_link, problem);
}

/// Finds the reference to write for a URL that moved, with the fragment of the link unless the new
/// URL has one; `None` if only the scheme differs and the reference has no scheme.
fn find_moved_reference(reference: &str, url: &str, to: &str) -> Option<String> {
    let after_scheme = |url: &str| url.split_once(':').map(|(_, rest)| rest.to_owned());
    let old = requested_url(url)?;
    let fragment = old.fragment().filter(|_| !to.contains('#'));
    let new = fragment.map_or_else(|| to.to_owned(), |fragment| format!("{to}#{fragment}"));
    let is_same = after_scheme(&new) == after_scheme(old.as_str());
    (!is_same || !clean(reference).starts_with("//")).then_some(new)
}
