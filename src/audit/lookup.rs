//! Looks up URLs in the site, as its server answers them.

pub(crate) mod cache;
mod outside;
pub(crate) mod plain;
pub(crate) mod resolved;

use std::borrow::Cow;
use std::sync::Arc;

use crate::audit::container::document::Scope;
use crate::audit::container::fingerprint::BasePrefixes;
use crate::audit::external::ExternalStatuses;
use crate::audit::fix::Safety;
use crate::audit::forbidden::ForbiddenHost;
use crate::audit::hints::{Meant, Proposal, Search, Wording};
use crate::audit::reference::{missing_host, possible_host};
use crate::audit::rules::Rule;
use crate::audit::site::Site;
use crate::audit::site::deployment::{Deployment, Location};
use crate::audit::site::files::FileKind;
use crate::audit::site::server::{Answer, Permanence, Server};
use crate::audit::target::{
    FragmentSource, LinkScope, MAX_REDIRECTS, Problem, Target, above_root_of, elsewhere,
    without_scheme,
};
use crate::url::Standard;

/// Looks up URLs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookup<'a> {
    pub(crate) site: &'a Site,
    pub(crate) deployment: &'a Deployment,
    pub(crate) server: &'a Server,
    /// The standard that resolves references.
    pub(crate) standard: Standard,
    /// Where the reference is.
    pub(crate) scope: Scope<'a>,
    /// The prefixes of the base URL, in a container.
    pub(crate) prefixes: Option<&'a BasePrefixes>,
    /// The hosts that links must not lead to.
    pub(crate) forbidden: &'a [ForbiddenHost],
    /// Whether [`Rule::StandardsDiffer`] is on, which costs a second resolution.
    pub(crate) compares_standards: bool,
    /// The answers of other servers, if a link checker got them.
    pub(crate) external: Option<&'a ExternalStatuses>,
}

/// The path of a URL in the site.
struct RequestPath<'u> {
    path: Cow<'u, [u8]>,
    has_trailing_slash: bool,
    query: Option<&'u str>,
}

/// The end of a chain of redirects.
enum RedirectOutcome {
    File(Vec<u8>),
    NoIndex(Vec<u8>),
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
    /// A URL as findings show it: without the host of a site that has none, and with user and password
    /// masked.
    pub(crate) fn shown<'u>(&self, url: &'u str) -> Cow<'u, str> {
        match self.standard.masked(None, url) {
            Cow::Borrowed(url) => self.deployment.shown(url).into(),
            masked @ Cow::Owned(_) => masked,
        }
    }

    /// The target of a redirect as findings show it.
    pub(crate) fn shown_redirect<'u>(&self, to: &'u str) -> Cow<'u, str> {
        self.standard.masked(Some(self.deployment.base()), to)
    }

    /// Whether pages are served by https.
    pub(crate) fn is_secure(&self) -> bool {
        match self.scope {
            Scope::Site => self.deployment.is_secure(),
            Scope::Message { .. } => false,
            Scope::Archive { is_secure, .. } => is_secure,
        }
    }

    /// Whether no link to a URL has a finding about the answer of another server.
    fn has_good_answer(&self, scope: LinkScope, url: &str) -> bool {
        scope == LinkScope::Internal || self.external.is_none_or(|answers| answers.is_good(url))
    }

    /// Looks up a URL; `reference` is its source text.
    pub(crate) fn target(&self, url: &str, reference: &str) -> Target {
        if let Scope::Message { parts, .. } = self.scope
            && let Some(target) = parts.target(url, self.prefixes)
        {
            return target;
        }
        let location = self.deployment.locate(url);
        let Location::Inside { path, has_trailing_slash, above_root, query, .. } = location else {
            return match (self.scope, location) {
                (Scope::Archive { archive, .. }, _) => {
                    archive.target(url, reference, self.prefixes, self.standard)
                }
                (Scope::Site, Location::Outside { path, has_trailing_slash, query, .. }) => {
                    self.outside(&RequestPath { path: path.into(), has_trailing_slash, query })
                }
                _ => elsewhere(reference),
            };
        };
        if self.site.is_container() {
            return baseless(reference);
        }
        let mut target = Target::in_site(None);
        if above_root {
            target.problems.push(above_root_of(&path));
        }
        let request = RequestPath { path, has_trailing_slash, query };
        match self.follow(&request, &mut target) {
            RedirectOutcome::File(path) => target.file = self.site.files().find(&path),
            RedirectOutcome::Elsewhere | RedirectOutcome::InCircles => {}
            // Folders outside the root are not listed.
            RedirectOutcome::NoIndex(folder) if self.site.is_outside(&folder) => {}
            RedirectOutcome::NoIndex(folder) => target.add_broken_end(self.no_index(&folder)),
            RedirectOutcome::Missing { path, has_trailing_slash } => {
                if !self.site.is_outside(&path) {
                    let is_redirected = *path != *request.path;
                    let missing = self.missing(&path, has_trailing_slash, reference, is_redirected);
                    target.add_broken_end(missing);
                }
            }
            RedirectOutcome::BrokenRewrite { to, line } => {
                let to = self.shown_redirect(&to);
                let message = format!(
                    "line {line} of the redirects file answers with '{to}', which does not exist"
                );
                target.add_broken_end(Problem::new(Rule::BrokenLink, message));
            }
        }
        target
    }

    /// Follows redirects, and adds their problems to the target.
    fn follow(&self, request: &RequestPath<'_>, target: &mut Target) -> RedirectOutcome {
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
                        problems.push(redirected(&self.shown_redirect(&to), line));
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
        let to = self.shown_redirect(to);
        match self.follow(&request, &mut Target::in_site(None)) {
            RedirectOutcome::File(_)
            | RedirectOutcome::Elsewhere
            | RedirectOutcome::BrokenRewrite { .. } => None,
            RedirectOutcome::InCircles => Some(Problem::new(
                Rule::RedirectLoop,
                format!("target '{to}' redirects in a circle"),
            )),
            RedirectOutcome::NoIndex(folder) if self.site.is_outside(&folder) => None,
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

    fn missing(&self, path: &[u8], slash: bool, reference: &str, is_redirected: bool) -> Problem {
        if !is_redirected && let Some(meant) = missing_host(reference) {
            let target = Some(self.site.shown_path(path));
            return Problem { target, ..without_scheme(&meant) };
        }
        let shown = String::from_utf8_lossy(path);
        let message = match (is_redirected, slash && !path.is_empty()) {
            (true, _) => format!("it redirects to '{shown}', which does not exist"),
            (false, true) => format!("target '{shown}/' does not exist"),
            (false, false) => format!("target '{shown}' does not exist"),
        };
        let message = match self.site.dangling(path) {
            Some(to) => {
                format!("target '{shown}' is a symbolic link to nothing, '{}'", to.display())
            }
            None => message,
        };
        let host = possible_host(reference).filter(|_| !is_redirected);
        Problem {
            hint: host.map(|url| format!("did you mean {url}?")),
            search: Some(search_of(path, slash)),
            target: Some(self.site.shown_path(path)),
            ..Problem::new(Rule::BrokenLink, message)
        }
    }

    fn no_index(&self, folder: &[u8]) -> Problem {
        let names = self.server.index();
        let message = match names {
            [] => "a folder: a browser shows a listing".to_owned(),
            names => format!("a folder without {}", names.join(" or ")),
        };
        Problem {
            search: Some(Arc::new(Search::Folder(folder.into()))),
            target: Some(self.site.shown_path(folder)),
            ..Problem::new(Rule::DirectoryWithoutIndex, message)
        }
    }

    fn without_slash(&self, path: &[u8]) -> Problem {
        let message = "a folder without a trailing slash: the server answers with a redirect";
        Problem {
            target: Some(self.site.shown_path(path)),
            ..Problem::new(Rule::MissingTrailingSlash, message).proposing(
                Meant::folder(path),
                Wording::Write,
                Some(Safety::Safe),
            )
        }
    }

    /// The problem of a path whose file has a name in another case.
    fn other_case(&self, path: &[u8], file: &[u8]) -> Problem {
        // The server may have added an extension or the name of an index page.
        let meant = file.get(..path.len()).unwrap_or(file);
        let is_below = file.get(meant.len()) == Some(&b'/');
        let kind = if is_below { FileKind::Folder } else { FileKind::File };
        let meant = Meant::of_kind(meant, kind);
        let safety = self.site.files().is_only_in_any_case(path).then_some(Safety::Safe);
        Problem {
            target: Some(self.site.shown_path(file)),
            ..Problem::new(Rule::CaseMismatch, "link and file name differ in letter case")
                .proposing(meant, Wording::Write, safety)
        }
    }
}

fn search_of(path: &[u8], has_trailing_slash: bool) -> Arc<Search> {
    Arc::new(Search::Path { path: path.into(), has_trailing_slash })
}

/// The target of a relative reference in a container without a base URL.
fn baseless(reference: &str) -> Target {
    let problem = missing_host(reference).map_or_else(
        || {
            let message = "a relative reference without a base URL; give one with --base-url";
            Problem::new(Rule::BrokenLink, message)
        },
        |meant| without_scheme(&meant),
    );
    Target { problems: vec![problem], ..Target::in_site(None) }
}

fn redirected(to: &str, line: Option<u64>) -> Problem {
    let message = match line {
        Some(line) => format!("line {line} of the redirects file redirects to '{to}'"),
        None => format!("the server redirects to '{to}'"),
    };
    Problem::new(Rule::LinkToRedirect, message)
}
