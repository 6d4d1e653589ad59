//! Follows the redirects of the server.

use std::borrow::Cow;
use std::path::PathBuf;

use super::{Lookup, RequestPath, search_of};
use crate::audit::fix::Safety;
use crate::audit::hints::{Meant, Proposal, Wording};
use crate::audit::rules::Rule;
use crate::audit::site::deployment::Location;
use crate::audit::site::files::bytes_of;
use crate::audit::site::server::{Answer, Permanence};
use crate::audit::target::{FragmentSource, MAX_REDIRECTS, Problem, Target};

/// The end of a chain of redirects.
pub(super) enum RedirectOutcome {
    File(PathBuf),
    NoIndex(PathBuf),
    Missing { path: Vec<u8>, has_trailing_slash: bool },
    BrokenRewrite { to: String, line: u64 },
    Elsewhere,
    InCircles,
}

/// The URL that a chain of redirects ends at.
struct RedirectEnd {
    /// With the fragment of the last redirect that has one.
    url: String,
    permanence: Permanence,
}

impl RedirectEnd {
    /// Adds the fragment of the redirect before it, unless it has its own.
    fn inherit_fragment(&mut self, before: &str) {
        if let Some((_, fragment)) = before.split_once('#').filter(|_| !self.url.contains('#')) {
            self.url.push('#');
            self.url.push_str(fragment);
        }
    }

    /// Adds the slash that the server adds to a folder.
    fn add_slash(&mut self) {
        let end = self.url.find(['?', '#']).unwrap_or(self.url.len());
        self.url.insert(end, '/');
    }
}

impl Lookup<'_> {
    /// Follows redirects, and adds their problems to the target.
    pub(super) fn follow(&self, request: &RequestPath<'_>, target: &mut Target) -> RedirectOutcome {
        let first = target.problems.len();
        let mut end = None;
        let outcome = self.follow_to(request, &mut target.problems, &mut end);
        let Some(RedirectEnd { url, permanence }) = end else { return outcome };
        target.fragment_source = FragmentSource::Link.after(&url);
        if matches!(outcome, RedirectOutcome::File(_) | RedirectOutcome::Elsewhere)
            && let Some(problem) = target.problems.get_mut(first)
        {
            // A temporary redirect may lead elsewhere tomorrow.
            let safety = (permanence == Permanence::Permanent).then_some(Safety::Safe);
            let proposal = Proposal::new(Meant::Url(url), Wording::LinkTo, safety);
            problem.proposal = Some(Box::new(proposal));
        }
        outcome
    }

    /// Follows redirects; `end` is the URL that the last of them leads to.
    fn follow_to(
        &self,
        request: &RequestPath<'_>,
        problems: &mut Vec<Problem>,
        end: &mut Option<RedirectEnd>,
    ) -> RedirectOutcome {
        let mut path = Cow::Borrowed(&*request.path);
        let mut slash = request.has_trailing_slash;
        let mut query = request.query.map(str::to_owned);
        for hop in 0..=MAX_REDIRECTS {
            match self.server.answer(self.site.files(), &path, slash, query.as_deref()) {
                Answer::File(file) => return RedirectOutcome::File(file),
                Answer::RedirectsToSlash(file) => {
                    if hop == 0 {
                        problems.push(self.without_slash(&path));
                    }
                    if let Some(end) = end {
                        end.add_slash();
                    }
                    return RedirectOutcome::File(file);
                }
                Answer::CaseDiffers(file) => {
                    problems.push(self.other_case(&path, &file));
                    return RedirectOutcome::File(file);
                }
                Answer::FolderWithoutIndex(folder) => return RedirectOutcome::NoIndex(folder),
                Answer::Missing => {
                    let path = path.into_owned();
                    return RedirectOutcome::Missing { path, has_trailing_slash: slash };
                }
                Answer::Proxied { .. } => return RedirectOutcome::Elsewhere,
                Answer::BrokenRewrite { to, line } => {
                    return RedirectOutcome::BrokenRewrite { to, line };
                }
                Answer::Redirect { to, line, permanence } => {
                    if hop == 0 {
                        problems.push(redirected(&to, line));
                    }
                    let url = self.deployment.redirect_url(&to);
                    let before = end.take();
                    let all =
                        before.as_ref().map_or(permanence, |end| end.permanence.min(permanence));
                    let located = self.deployment.locate(&url);
                    // Without a base URL, the scheme of the site is unknown.
                    let is_schemeless = self.deployment.is_nameless() && to.starts_with("//");
                    let shown = if is_schemeless { to } else { url.clone() };
                    let next = end.insert(RedirectEnd { url: shown, permanence: all });
                    if let Some(before) = before {
                        next.inherit_fragment(&before.url);
                    }
                    let Location::Inside {
                        path: next, has_trailing_slash, query: next_query, ..
                    } = located
                    else {
                        return RedirectOutcome::Elsewhere;
                    };
                    path = Cow::Owned(next.into_owned());
                    slash = has_trailing_slash;
                    query = next_query.map(str::to_owned);
                }
            }
        }
        RedirectOutcome::InCircles
    }

    /// The problem of the target of a line of the redirects file, if there is one.
    pub(crate) fn redirect(&self, to: &str) -> Option<Problem> {
        let url = self.deployment.redirect_url(to);
        let Location::Inside { path, has_trailing_slash, query, .. } = self.deployment.locate(&url)
        else {
            return None;
        };
        let request = RequestPath { path, has_trailing_slash, query };
        match self.follow(&request, &mut Target::in_site(None)) {
            RedirectOutcome::File(_)
            | RedirectOutcome::Elsewhere
            | RedirectOutcome::BrokenRewrite { .. } => None,
            RedirectOutcome::InCircles => Some(Problem::new(
                Rule::RedirectLoop,
                format!("target '{to}' redirects in a circle"),
            )),
            RedirectOutcome::NoIndex(folder) if self.site.is_outside(&bytes_of(&folder)) => None,
            RedirectOutcome::NoIndex(_) => {
                let message = format!("it leads to '{to}', a folder that has no index page");
                Some(Problem::new(Rule::BrokenRedirect, message))
            }
            RedirectOutcome::Missing { path, has_trailing_slash } => {
                if self.site.is_outside(&path) {
                    return None;
                }
                Some(Problem {
                    search: Some(search_of(&path, has_trailing_slash)),
                    target: Some(self.site.shown_path(&path)),
                    ..Problem::new(
                        Rule::BrokenRedirect,
                        format!("it leads to '{to}', which does not exist"),
                    )
                })
            }
        }
    }
}

fn redirected(to: &str, line: Option<u64>) -> Problem {
    let message = match line {
        Some(line) => format!("line {line} of the redirects file redirects to '{to}'"),
        None => format!("the server redirects to '{to}'"),
    };
    Problem::new(Rule::LinkToRedirect, message)
}
