//! How a server answers a path.
//!
//! | | plain | github-pages | netlify | file |
//! |---|---|---|---|---|
//! | index page | `index.html`, `.htm`, `.xhtml`, `.xht` | `index.html` | `index.html` | none |
//! | `a` for `a.html` | no | yes | yes | no |
//! | `a/` for `a.html` | no | no | redirects to `a` | no |
//! | folder without slash | redirects | redirects | redirects | a listing |
//! | case | counts | counts | is ignored | counts |
//! | redirects file | no | no | `_redirects`, `netlify.toml` | no |
//!
//! All of them merge slashes, as [nginx] and [Apache] do by default.
//!
//! - `plain`: what [nginx][index] and [Apache][slash] do with a folder of files.
//! - `github-pages`: [index pages][entry] and [extensionless ones][permalinks]. Names are
//!   distinguished by case, and where there are `a.html` and `a/index.html`, `a` is the
//!   first and `a/` the second ([observed]).
//! - `netlify`: `index.html`, "pretty URLs" that lead `a/` to `a` where there is an
//!   `a.html` ([observed]), names stored in [lower case][lower], and the
//!   [redirects file](crate::Redirects).
//! - `file`: a browser that opens the folder from disk shows a listing for a link to a folder.
//!
//! Left out: error pages (`404.html`), which do not repair a link.
//!
//! [nginx]: https://nginx.org/en/docs/http/ngx_http_core_module.html#merge_slashes
//! [Apache]: https://httpd.apache.org/docs/2.4/mod/core.html#mergeslashes
//! [index]: https://nginx.org/en/docs/http/ngx_http_index_module.html
//! [slash]: https://httpd.apache.org/docs/2.4/mod/mod_dir.html
//! [entry]: https://docs.github.com/en/pages/getting-started-with-github-pages/creating-a-github-pages-site
//! [permalinks]: https://jekyllrb.com/docs/permalinks/#extensionless-permalinks
//! [observed]: https://github.com/slorber/trailing-slash-guide
//! [lower]: https://www.jvt.me/posts/2019/11/11/gotcha-netlify-lowercase/

use absolve::{named_enum, setters};
use absolve_files::NOT_IN_A_NAME;
use percent_encoding::percent_encode;

use crate::site::redirect_rules::RulePhase;
use crate::{FileKind, Files, RedirectMatch, Redirects, join};

named_enum! {
    /// A kind of server.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    #[non_exhaustive]
    pub enum Profile {
        /// A server of files with its default configuration.
        #[default]
        Plain = "plain",
        /// GitHub Pages.
        GithubPages = "github-pages",
        /// Netlify.
        Netlify = "netlify",
        /// No server: a browser opens the files.
        File = "file",
    }

    /// The error of a name that is not a profile.
    pub struct UnknownProfile = "no such server, expected plain, github-pages, netlify or file";
}

impl Profile {
    /// Whether sites are served by https alone, unless somebody turns that off.
    #[must_use]
    #[doc(hidden)]
    pub fn is_secure(self) -> bool {
        matches!(self, Self::GithubPages | Self::Netlify)
    }

    /// The file in the root that answers missing paths.
    pub(crate) fn error_page(self) -> Option<&'static str> {
        matches!(self, Self::GithubPages | Self::Netlify).then_some("404.html")
    }

    /// The file in the root that redirects are read from.
    #[must_use]
    #[doc(hidden)]
    pub fn redirects_file(self) -> Option<&'static str> {
        (self == Self::Netlify).then_some("_redirects")
    }
}

/// Whether `page` is answered with `page.html`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Extensionless {
    /// `page` is missing.
    #[default]
    Missing,
    /// `page` is served; `page/` is missing.
    Served,
    /// `page` is served, and `page/` redirects to it.
    ServedWithoutSlash,
}

/// Whether names are case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Case {
    /// Names are case-sensitive.
    #[default]
    Counts,
    /// Case is ignored.
    Ignored,
}

/// Whether a redirect is the same for every visitor, and stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permanence {
    /// The redirect may change, or depends on the visitor.
    Temporary,
    /// The redirect is permanent (301, 308).
    Permanent,
}

/// How a server answers paths.
///
/// ```
/// use absolve_site::{Profile, Server};
///
/// let server = Server::new(Profile::Plain).with_index(vec!["default.html".to_owned()]);
/// assert_eq!(server.index(), ["default.html"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Server {
    profile: Profile,
    index: Vec<String>,
    extensionless: Extensionless,
    case: Case,
    redirects: Redirects,
}

/// The answer of a server to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This file, by its path in [`Files`](crate::Files).
    File(Vec<u8>),
    /// A redirect to the same path with a slash, which serves this file.
    RedirectsToSlash(Vec<u8>),
    /// This file, whose name differs in case.
    CaseDiffers(Vec<u8>),
    /// A redirect, to a path from the root of the site or a URL.
    Redirect {
        /// A path or URL ([`Deployment::redirect_url`](crate::Deployment::redirect_url)).
        to: String,
        /// The line of the redirects file; `None` if the server itself redirects.
        line: Option<u64>,
        /// Whether it stays.
        permanence: Permanence,
    },
    /// The content of this URL on another host.
    Proxied {
        /// The URL.
        to: String,
        /// The line of the redirects file.
        line: u64,
    },
    /// Nothing: a line of the redirects file rewrites to a path that does not exist.
    BrokenRewrite {
        /// The path.
        to: String,
        /// The line of the redirects file.
        line: u64,
    },
    /// A listing or an error: this folder has no index page.
    FolderWithoutIndex(Vec<u8>),
    /// Nothing.
    Missing,
}

impl Server {
    /// A server of this kind, without redirects.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        let index: &[&str] = match profile {
            Profile::Plain => &["index.html", "index.htm", "index.xhtml", "index.xht"],
            Profile::GithubPages | Profile::Netlify => &["index.html"],
            Profile::File => &[],
        };
        let (extensionless, case) = match profile {
            Profile::Plain | Profile::File => (Extensionless::Missing, Case::Counts),
            Profile::GithubPages => (Extensionless::Served, Case::Counts),
            Profile::Netlify => (Extensionless::ServedWithoutSlash, Case::Ignored),
        };
        let index = index.iter().map(|&name| name.to_owned()).collect();
        Self { profile, index, extensionless, case, redirects: Redirects::default() }
    }

    setters! {
        /// Sets the names of index pages; the first that exists is served.
        pub fn with_index(names: Vec<String>) => index = names;

        /// Sets whether pages are served without their extension.
        #[doc(hidden)]
        pub fn with_extensionless(extensionless: Extensionless) => extensionless = extensionless;

        /// Whether names are case-sensitive.
        #[doc(hidden)]
        pub fn with_case(case: Case) => case = case;

        /// Sets the redirect rules.
        #[doc(hidden)]
        pub fn with_redirects(redirects: Redirects) => redirects = redirects;
    }

    /// The names of index pages.
    #[must_use]
    pub fn index(&self) -> &[String] {
        &self.index
    }

    /// The kind of the server.
    pub(crate) fn profile(&self) -> Profile {
        self.profile
    }

    /// The redirect rules.
    #[must_use]
    #[doc(hidden)]
    pub fn redirects(&self) -> &Redirects {
        &self.redirects
    }
}

/// Whether the target of a redirect is a program of the host, such as a function.
pub(crate) fn is_of_the_host(to: &str) -> bool {
    to.starts_with("/.netlify/")
}

impl Server {
    /// Answers a path, as [`Deployment::locate`](crate::Deployment::locate)
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

    /// The numbers of the files that answer missing paths, at any depth of the site, sorted.
    pub(crate) fn error_pages(&self, files: &Files) -> Vec<usize> {
        let own = self.profile().error_page().and_then(|name| files.find_file(name.as_bytes()));
        let by_rule = self.redirects.error_pages().filter_map(|to| self.rewritten(files, to));
        let mut pages: Vec<_> = by_rule.filter_map(|path| files.find(path)).chain(own).collect();
        pages.sort_unstable();
        pages.dedup();
        pages
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
        let root = crate::Deployment::default();
        match root.locate(&root.redirect_url(to)) {
            crate::Location::Inside { path, has_trailing_slash, .. } => {
                self.content(files, &path, has_trailing_slash).1
            }
            _ => None,
        }
    }
}

impl Server {
    /// The answer without redirect rules, and the file that a visitor gets in the end, perhaps
    /// after a redirect.
    pub(crate) fn content<'f>(
        &self,
        files: &'f Files,
        path: &[u8],
        has_trailing_slash: bool,
    ) -> (Answer, Option<&'f [u8]>) {
        let lookup = Lookup { files, case: self.case };
        let found = lookup.find(path);
        let page = match self.extensionless {
            Extensionless::Missing => None,
            _ if path.is_empty() => None,
            _ => lookup.file(&[path, b".html"].concat()),
        };
        let index = match found {
            Some((folder, FileKind::Folder)) => {
                self.index.iter().find_map(|name| lookup.file(&join(folder, name.as_bytes())))
            }
            _ => None,
        };
        let leaves_slash = self.extensionless == Extensionless::ServedWithoutSlash;
        let (answer, file) = match (found, page, index, has_trailing_slash) {
            (Some((file, FileKind::File)), .., false) => (Answer::File(file.into()), file),
            (_, Some(page), _, false) => (Answer::File(page.into()), page),
            (_, Some(page), _, true) if leaves_slash => (without_slash(page), page),
            (_, _, Some(index), true) => (Answer::File(index.into()), index),
            (_, _, Some(index), false) => (Answer::RedirectsToSlash(index.into()), index),
            (Some((folder, FileKind::Folder)), ..) => {
                return (Answer::FolderWithoutIndex(folder.into()), None);
            }
            _ => return (Answer::Missing, None),
        };
        if self.case == Case::Ignored && !file.starts_with(path) {
            return (Answer::CaseDiffers(file.into()), Some(file));
        }
        (answer, Some(file))
    }
}

/// The redirect to a page without its extension.
fn without_slash(page: &[u8]) -> Answer {
    let path = percent_encode(&page[..page.len() - ".html".len()], NOT_IN_A_NAME);
    Answer::Redirect { to: format!("/{path}"), line: None, permanence: Permanence::Permanent }
}

#[derive(Clone, Copy)]
struct Lookup<'f> {
    files: &'f Files,
    case: Case,
}

impl<'f> Lookup<'f> {
    fn find(self, path: &[u8]) -> Option<(&'f [u8], FileKind)> {
        match self.case {
            Case::Counts => self.files.get(self.files.find(path)?),
            Case::Ignored => self.files.ignoring_case(path),
        }
    }

    fn file(self, path: &[u8]) -> Option<&'f [u8]> {
        self.find(path).filter(|(_, kind)| *kind == FileKind::File).map(|(path, _)| path)
    }
}

#[cfg(test)]
#[path = "server/tests.rs"]
mod tests;
