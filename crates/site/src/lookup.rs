//! Looks up URLs in the site, as its server answers them.

pub(crate) mod cache;
pub(crate) mod resolved;

use std::borrow::Cow;

use absolve::url::Standard;

use crate::checks::schemes::external_target;
use crate::checks::targets;
use crate::target::MAX_REDIRECTS;
use crate::{
    Answer, Deployment, ExternalStatuses, ForbiddenHost, FragmentSource, LinkScope, Location,
    Meant, Permanence, Problem, Proposal, Safety, Server, Site, Target, Wording,
    above_root_problem,
};

/// The site, its server, and the options that decide the targets of URLs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookup<'a> {
    pub(crate) site: &'a Site,
    pub(crate) deployment: &'a Deployment,
    pub(crate) server: &'a Server,
    /// The standard that resolves references.
    pub(crate) standard: Standard,
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

/// The end of a chain of redirects; `Elsewhere` is outside the site, or the answer of a program.
pub(crate) enum RedirectOutcome {
    File(Vec<u8>),
    MissingIndex(Vec<u8>),
    Missing { path: Vec<u8>, has_trailing_slash: bool },
    BrokenRewrite { to: String, line: u64 },
    Elsewhere,
    Loop,
}

/// The URL that a chain of redirects ends at.
struct RedirectEnd {
    /// The URL, with the fragment of the last redirect that has one.
    url: String,
    permanence: Permanence,
}

impl RedirectEnd {
    /// Adds the fragment of the preceding URL, unless the URL has its own.
    fn inherit_fragment(&mut self, preceding: &str) {
        if let Some((_, fragment)) = preceding.split_once('#').filter(|_| !self.url.contains('#')) {
            self.url.push('#');
            self.url.push_str(fragment);
        }
    }

    /// Adds the slash with which the server redirects to a folder.
    fn add_slash(&mut self) {
        let end = self.url.find(['?', '#']).unwrap_or(self.url.len());
        self.url.insert(end, '/');
    }
}

/// The file that a URL names if the prefix of the site is added to it.
struct Unprefixed {
    /// The path of the URL, from the root of the site.
    path: Vec<u8>,
    has_trailing_slash: bool,
    file: Vec<u8>,
}

impl Lookup<'_> {
    /// Returns a URL as findings show it: with user and password masked, and without the
    /// placeholder host of a site without a base URL.
    pub(crate) fn shown<'u>(&self, url: &'u str) -> Cow<'u, str> {
        match self.standard.masked(None, url) {
            Cow::Borrowed(url) => self.deployment.shown(url).into(),
            masked @ Cow::Owned(_) => masked,
        }
    }

    /// Returns the target of a redirect as findings show it.
    pub(crate) fn show_redirect<'u>(&self, to: &'u str) -> Cow<'u, str> {
        self.standard.masked(Some(self.deployment.base()), to)
    }

    /// Whether links to a URL have no finding about the answer of another server.
    fn has_good_answer(&self, scope: LinkScope, url: &str) -> bool {
        scope == LinkScope::Internal || self.external.is_none_or(|answers| answers.is_good(url))
    }

    /// Looks up a URL; `reference` is its source text.
    pub(crate) fn look_up(&self, url: &str, reference: &str) -> Target {
        let location = self.deployment.locate(url);
        let Location::Inside { path, has_trailing_slash, above_root, query, .. } = location else {
            return match location {
                Location::Outside { path, has_trailing_slash, query, .. } => self
                    .look_up_outside(&RequestPath { path: path.into(), has_trailing_slash, query }),
                _ => external_target(reference),
            };
        };
        let mut target = Target::in_site(None);
        if above_root {
            target.problems.push(above_root_problem(&path));
        }
        let request = RequestPath { path, has_trailing_slash, query };
        match self.follow(&request, &mut target) {
            RedirectOutcome::File(path) => target.file = self.site.files().find(&path),
            RedirectOutcome::Elsewhere | RedirectOutcome::Loop => {}
            // Folders outside the root are not listed.
            RedirectOutcome::MissingIndex(folder) if self.site.is_outside(&folder) => {}
            RedirectOutcome::MissingIndex(folder) => {
                target.add_broken_end(targets::missing_index_problem(
                    self.site,
                    self.server,
                    &folder,
                ));
            }
            RedirectOutcome::Missing { path, has_trailing_slash } => {
                if !self.site.is_outside(&path) {
                    let is_redirected = *path != *request.path;
                    let missing = targets::missing_file_problem(
                        self.site,
                        &path,
                        has_trailing_slash,
                        reference,
                        is_redirected,
                    );
                    target.add_broken_end(missing);
                }
            }
            RedirectOutcome::BrokenRewrite { to, line } => {
                let to = self.show_redirect(&to);
                let position = self.server.redirects().shown_place(line);
                target.add_broken_end(targets::broken_rewrite_problem(&position, &to));
            }
        }
        target
    }

    /// Follows redirects, and adds their problems to the target, with the last URL as a proposal.
    fn follow(&self, request: &RequestPath<'_>, target: &mut Target) -> RedirectOutcome {
        let known_problems = target.problems.len();
        let mut end = None;
        let outcome = self.follow_chain(request, &mut target.problems, &mut end);
        let Some(RedirectEnd { url, permanence }) = end else { return outcome };
        target.fragment_source = FragmentSource::Link.after(&url);
        if matches!(outcome, RedirectOutcome::File(_) | RedirectOutcome::Elsewhere)
            && let Some(problem) = target.problems.get_mut(known_problems)
        {
            // The first new problem is the problem of the first redirect.
            // A temporary redirect may lead elsewhere tomorrow.
            let safety = (permanence == Permanence::Permanent).then_some(Safety::Safe);
            let proposal = Proposal::new(Meant::Url(url), Wording::LinkTo, safety);
            problem.proposal = Some(Box::new(proposal));
        }
        outcome
    }

    /// Follows redirects, and sets `end` to the URL that the last redirect leads to.
    fn follow_chain(
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
                        problems.push(targets::missing_slash_problem(self.site, &path));
                    }
                    if let Some(end) = end {
                        end.add_slash();
                    }
                    return RedirectOutcome::File(file);
                }
                Answer::CaseDiffers(file) => {
                    problems.push(targets::wrong_case_problem(self.site, &path, &file));
                    return RedirectOutcome::File(file);
                }
                Answer::FolderWithoutIndex(folder) => return RedirectOutcome::MissingIndex(folder),
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
                        problems.push(targets::redirect_problem(
                            self.server,
                            &self.show_redirect(&to),
                            line,
                        ));
                    }
                    let url = self.deployment.redirect_url(&to);
                    let preceding = end.take();
                    let permanence =
                        preceding.as_ref().map_or(permanence, |end| end.permanence.min(permanence));
                    let located = self.deployment.locate(&url);
                    // Without a base URL, the scheme of the site is unknown.
                    let is_schemeless = self.deployment.is_nameless() && to.starts_with("//");
                    let shown = if is_schemeless { to } else { url.clone() };
                    let next = end.insert(RedirectEnd { url: shown, permanence });
                    if let Some(preceding) = preceding {
                        next.inherit_fragment(&preceding.url);
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
        RedirectOutcome::Loop
    }

    /// Follows redirects from the target of a redirect; `None` if that is outside the site.
    pub(crate) fn follow_redirect(&self, to: &str) -> Option<RedirectOutcome> {
        let url = self.deployment.redirect_url(to);
        let Location::Inside { path, has_trailing_slash, query, .. } = self.deployment.locate(&url)
        else {
            return None;
        };
        let request = RequestPath { path, has_trailing_slash, query };
        Some(self.follow(&request, &mut Target::in_site(None)))
    }

    /// Whether the path of a URL is the path of a file, without a redirect or an index page.
    pub(crate) fn is_url_of(&self, url: &str, file: usize) -> bool {
        matches!(self.deployment.locate(url), Location::Inside { path, .. } if *path == *self.site.path(file))
    }

    /// Looks up a URL outside the base path; the target has the problem, but no file.
    fn look_up_outside(&self, request: &RequestPath<'_>) -> Target {
        let base = self.deployment.base_path();
        let problem = match self.find_unprefixed(request) {
            Some(Unprefixed { path, has_trailing_slash, file }) => {
                let meant = Meant::Path { path: path.into(), has_trailing_slash };
                targets::missing_prefix_problem(base, &file, meant)
            }
            None => targets::outside_base_problem(base),
        };
        Target { scope: LinkScope::Outside, problems: vec![problem], ..Target::in_site(None) }
    }

    /// Finds the file at the path of a URL outside the base path, as if the site were at the root
    /// of the host. The root itself has no file, as the host has pages of its own there.
    fn find_unprefixed(&self, request: &RequestPath<'_>) -> Option<Unprefixed> {
        let RequestPath { path, has_trailing_slash, query } = request;
        let slash = *has_trailing_slash;
        // Most hosts have files with these names at their root.
        let root_names = ["index.html", "robots.txt", "favicon.ico"];
        if path.is_empty() || root_names.iter().any(|name| name.as_bytes() == &**path) {
            return None;
        }
        let site_path = path.to_vec();
        Some(match self.server.answer(self.site.files(), path, slash, *query) {
            Answer::File(file) => Unprefixed { path: site_path, has_trailing_slash: slash, file },
            Answer::RedirectsToSlash(file) => {
                Unprefixed { path: site_path, has_trailing_slash: true, file }
            }
            Answer::CaseDiffers(file) => {
                Unprefixed { path: file.clone(), has_trailing_slash: false, file }
            }
            _ => return None,
        })
    }
}
