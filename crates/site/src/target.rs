//! The target of a URL, and its problems.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Level, LinkScope, Meant, Proposal, Rule, Safety, Search, Wording};

pub(crate) use crate::external::MAX_REDIRECTS;

/// A problem of a target, which becomes a finding at each link to it.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) rule: Rule,
    /// The highest level of a finding; it does not apply if the kind of the link replaces the rule.
    pub(crate) max_level: Level,
    pub(crate) message: Cow<'static, str>,
    /// A hint that proposes no reference; a `proposal` has its own hint.
    pub(crate) hint: Option<String>,
    /// The probable target of the link, which becomes the hint, and the fix if it is certain.
    pub(crate) proposal: Option<Box<Proposal>>,
    /// The search that may find a hint after all pages have been read.
    pub(crate) search: Option<Arc<Search>>,
    /// The path at which the audit looked for the target, as reports show it.
    pub(crate) target: Option<PathBuf>,
}

impl Problem {
    pub(crate) fn new(rule: Rule, message: impl Into<Cow<'static, str>>) -> Self {
        let message = message.into();
        let max_level = Level::Error;
        Self { rule, max_level, message, hint: None, proposal: None, search: None, target: None }
    }

    /// Adds a proposal, which becomes the hint, and also the fix if it has a safety.
    pub(crate) fn proposing(self, meant: Meant, wording: Wording, safety: Option<Safety>) -> Self {
        Self { proposal: Some(Box::new(Proposal::new(meant, wording, safety))), ..self }
    }

    /// Adds the path at which the audit looked for the target.
    pub(crate) fn with_target(self, target: PathBuf) -> Self {
        Self { target: Some(target), ..self }
    }

    /// Estimates the memory of the problem, in bytes.
    pub(crate) fn size(&self) -> usize {
        let hint = self.hint.as_ref().map_or(0, String::len);
        let target = self.target.as_ref().map_or(0, |target| target.as_os_str().len());
        let search = self.search.as_ref().map_or(0, |search| search.text_size());
        let proposal =
            self.proposal.as_ref().map_or(0, |hint| size_of_val(&**hint) + hint.text_size());
        size_of_val(self) + self.message.len() + hint + target + search + proposal
    }
}

/// The URL whose fragment a browser uses. The fragment of a redirect's URL, if it has one, replaces
/// the fragment of the link ([fetch](https://fetch.spec.whatwg.org/#concept-http-redirect-fetch)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FragmentSource {
    Link,
    Redirect,
}

impl FragmentSource {
    /// Returns the source after a redirect to a URL.
    pub(crate) fn after(self, redirect_url: &str) -> Self {
        if redirect_url.contains('#') { Self::Redirect } else { self }
    }
}

/// The target of a URL without its fragment.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) scope: LinkScope,
    /// The number of the file that is served.
    pub(crate) file: Option<usize>,
    pub(crate) fragment_source: FragmentSource,
    pub(crate) problems: Vec<Problem>,
}

impl Target {
    pub(crate) const OUTSIDE: Self = Self::new(LinkScope::External, None);

    /// Creates a target in the site, without problems.
    pub(crate) const fn in_site(file: Option<usize>) -> Self {
        Self::new(LinkScope::Internal, file)
    }

    const fn new(scope: LinkScope, file: Option<usize>) -> Self {
        Self { scope, file, fragment_source: FragmentSource::Link, problems: Vec::new() }
    }

    /// Adds a problem of the last URL in a chain of redirects. The link does not work, so the
    /// finding that it leads to a redirect is dropped.
    pub(crate) fn add_broken_end(&mut self, problem: Problem) {
        self.problems.retain(|other| other.rule != Rule::LinkToRedirect);
        self.problems.push(problem);
    }
}
