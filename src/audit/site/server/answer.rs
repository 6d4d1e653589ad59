//! Answers a path from the files and the redirect rules.

use super::{Answer, Extensionless, Permanence, Server, is_of_the_host};
use crate::audit::site::files::Files;
use crate::audit::site::redirect_rules::{RedirectMatch, RulePhase};

impl Server {
    /// Answers a path, as [`Deployment::locate`](crate::audit::Deployment::locate)
    /// returns it.
    ///
    /// Redirects are not followed.
    #[must_use]
    #[doc(hidden)]
    pub fn answer(
        &self,
        files: &Files,
        path: &[u8],
        has_trailing_slash: bool,
        query: Option<&str>,
    ) -> Answer {
        let (answer, file) = self.content(files, path, has_trailing_slash);
        if self.redirects.is_empty() {
            return answer;
        }
        let rule = |phase| self.redirects.first(path, query, phase);
        let phases = if file.is_some() {
            &[RulePhase::Forced][..]
        } else {
            &[RulePhase::Unconditional, RulePhase::Conditional]
        };
        let matched = phases.iter().find_map(|&phase| Some((rule(phase)?, phase)));
        match matched {
            Some((matched, phase)) => {
                self.apply(files, matched, phase, file.is_some().then_some(answer))
            }
            None => answer,
        }
    }

    /// Whether at most one page answers a path or one that equals it regardless of case.
    ///
    /// A server that answers `page` with `page.html` has two where there is a folder `page` too.
    pub(crate) fn is_only_in_any_case(
        &self,
        files: &Files,
        path: &[u8],
        has_trailing_slash: bool,
    ) -> bool {
        let served = [path, b".html"].concat();
        let adds_extension = match self.extensionless {
            Extensionless::Missing => false,
            Extensionless::Served => !has_trailing_slash,
            Extensionless::ServedWithoutSlash => true,
        };
        let is_also_page = adds_extension && files.ignoring_case(&served).is_some();
        let names = files.ignoring_case(path).map_or(0, |_| 1) + u8::from(is_also_page);
        names <= 1
            && files.is_only_in_any_case(path)
            && (!is_also_page || files.is_only_in_any_case(&served))
    }

    /// The answer of a rule; `content` is that without it, if there is a file.
    fn apply(
        &self,
        files: &Files,
        matched: RedirectMatch,
        phase: RulePhase,
        content: Option<Answer>,
    ) -> Answer {
        let RedirectMatch { to, status, line } = matched;
        let is_path = to.starts_with('/') && !to.starts_with("//");
        match status {
            300..400 => {
                let is_permanent = matches!(status, 301 | 308) && phase != RulePhase::Conditional;
                let permanence =
                    if is_permanent { Permanence::Permanent } else { Permanence::Temporary };
                Answer::Redirect { to, line: Some(line), permanence }
            }
            400.. => Answer::Missing,
            _ if !is_path => Answer::Proxied { to, line },
            _ if is_of_the_host(&to) => Answer::Proxied { to, line },
            _ => match self.rewritten(files, &to) {
                Some(file) => Answer::File(file.into()),
                None => content.unwrap_or(Answer::BrokenRewrite { to, line }),
            },
        }
    }

    /// The file of a rewritten path; no rule applies again.
    fn rewritten<'f>(&self, files: &'f Files, to: &str) -> Option<&'f [u8]> {
        let root = crate::audit::Deployment::default();
        match root.locate(&root.redirect_url(to)) {
            crate::audit::Location::Inside { path, has_trailing_slash, .. } => {
                self.content(files, &path, has_trailing_slash).1
            }
            _ => None,
        }
    }
}
