//! Findings about links that leave the site, by the answers that a link checker got.

use crate::audit::external::{ExternalStatus, requested_url};
use crate::audit::fix::Safety;
use crate::audit::hints::{Meant, Wording};
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::occurrence::ResolvedLink;
use crate::audit::reference::is_requested;
use crate::audit::rules::Rule;
use crate::audit::target::{LinkScope, Problem};
use crate::url::clean;

impl PageAuditor<'_> {
    /// Reports a link to another site that is broken, moved or unchecked, if there is a file with
    /// answers.
    pub(super) fn report_external(&mut self, resolved_link: ResolvedLink<'_>) {
        let ResolvedLink { link, resolved, .. } = resolved_link;
        let Some(statuses) = self.sink.lookup.external else { return };
        let (element, attribute) = (link.element.unwrap_or(""), link.attribute.unwrap_or(""));
        let rel = (link.sibling)("rel");
        if resolved.target.scope == LinkScope::Internal
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
                    let end = self.sink.lookup.shown(end);
                    message = format!("{message} after a redirect to '{end}'");
                }
                Problem::new(Rule::BrokenExternal, message)
            }
            Some(ExternalStatus::Moved(to)) => {
                let Some(new) = moved_reference(link.reference, &url, to) else { return };
                let message =
                    format!("it redirects permanently to '{}'", self.sink.lookup.shown(to));
                let (meant, safety) = (Meant::Reference(new), Some(Safety::Unsafe));
                Problem::new(Rule::MovedExternal, message).proposing(meant, Wording::LinkTo, safety)
            }
            Some(ExternalStatus::Unchecked) => {
                let message = "the answers of the link checker do not have this URL";
                Problem::new(Rule::UncheckedExternal, message)
            }
        };
        self.add_problem(resolved_link, problem);
    }
}

/// The reference to write for a URL that moved, with the fragment of the link unless the new URL has
/// one; `None` if only the scheme differs and the reference has none.
fn moved_reference(reference: &str, url: &str, to: &str) -> Option<String> {
    let after_scheme = |url: &str| url.split_once(':').map(|(_, rest)| rest.to_owned());
    let old = requested_url(url)?;
    let fragment = old.fragment().filter(|_| !to.contains('#'));
    let new = fragment.map_or_else(|| to.to_owned(), |fragment| format!("{to}#{fragment}"));
    let is_same = after_scheme(&new) == after_scheme(old.as_str());
    (!is_same || !clean(reference).starts_with("//")).then_some(new)
}
