//! Findings about the canonical URL and the translations that a page states.

use crate::audit::container::document::Scope;
use crate::audit::context::Pass;
use crate::audit::page::auditor::{MAX_TRANSLATIONS, PageAuditor};
use crate::audit::page::occurrence::ResolvedLink;
use crate::audit::reference::{Relation, is_language_tag};
use crate::audit::rules::Rule;
use crate::audit::target::{LinkScope, Problem};

impl PageAuditor<'_> {
    /// Whether a canonical URL differs from the first one of the page. One that does not resolve has
    /// its own finding.
    fn is_other_canonical(&mut self, url: Option<&str>) -> bool {
        let Some(url) = url else { return false };
        let url = ::url::Url::parse(url).map_or_else(|_| url.to_owned(), String::from);
        *self.facts.canonical.get_or_insert_with(|| url.clone()) != url
    }

    /// Audits what a `link` element states about the page; in a recheck, whether its translation
    /// names this page.
    pub(super) fn relation(&mut self, resolved_link: ResolvedLink<'_>) {
        if !matches!(self.sink.lookup.scope, Scope::Site) || self.is_no_page() {
            return;
        }
        let ResolvedLink { link, resolved, .. } = resolved_link;
        let (relation, file) = (link.relation(), resolved.target.file);
        match (relation, self.pass) {
            (None, _) | (Some(Relation::Canonical), Pass::Recheck(_)) => {}
            (Some(Relation::Canonical), Pass::Read) => {
                if self.is_other_canonical(resolved.url.as_deref()) {
                    let rule = Rule::DuplicateCanonical;
                    self.add_problem(resolved_link, Problem::new(rule, rule.summary()));
                }
                let is_own = file == Some(self.number());
                self.facts.is_copy |= resolved.target.scope == LinkScope::Internal && !is_own;
            }
            (Some(Relation::Translation), Pass::Read) => {
                let tag = (link.sibling)("hreflang").unwrap_or_default();
                if !is_language_tag(tag.trim_ascii()) {
                    let message = format!("hreflang '{tag}' is not a language tag such as en-US");
                    self.add_problem(resolved_link, Problem::new(Rule::InvalidHreflang, message));
                }
                if let Some(file) = file.filter(|&file| file != self.number())
                    && self.facts.translations.len() <= 2 * MAX_TRANSLATIONS
                {
                    self.facts.translations.push(file);
                }
            }
            (Some(Relation::Translation), Pass::Recheck(_)) => {
                if let Some(file) = file
                    && self.context.state.is_one_way(self.number(), file)
                {
                    let shown = self.sink.lookup.site.shown(file);
                    let message =
                        format!("'{}' does not name this page as a translation", shown.display());
                    let problem = Problem::new(Rule::OneWayHreflang, message);
                    self.add_problem(resolved_link, Problem { target: Some(shown), ..problem });
                }
            }
        }
    }
}
