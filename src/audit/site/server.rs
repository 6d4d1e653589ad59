//! How a server answers a path.
//!
//! | | plain | github-pages | netlify | file |
//! |---|---|---|---|---|
//! | index page | `index.html`, `.htm`, `.xhtml`, `.xht` | `index.html` | `index.html` | none |
//! | `a` for `a.html` | no | yes | yes | no |
//! | `a/` for `a.html` | no | no | redirects to `a` | no |
//! | folder without slash | redirects | redirects | redirects | a listing |
//! | case | counts | counts | is ignored | counts |
//! | redirects file | no | no | `_redirects` | no |
//!
//! All of them merge slashes, as [nginx] and [Apache] do by default.
//!
//! - `plain`: what [nginx][index] and [Apache][slash] do with a folder of files.
//! - `github-pages`: [index pages][entry] and [extensionless ones][permalinks]. Names are
//!   distinguished by case, and where there are `a.html` and `a/index.html`, `a` is the
//!   first and `a/` the second ([observed]).
//! - `netlify`: `index.html`, "pretty URLs" that lead `a/` to `a` where there is an
//!   `a.html` ([observed]), names stored in [lower case][lower], and the
//!   [redirects file](crate::audit::Redirects).
//! - `file`: a browser that opens the folder from disk shows a listing for a link to a folder.
//!
//! Left out: files that are not published (`_drafts` of Jekyll), and error pages (`404.html`),
//! which do not repair a link.
//!
//! [nginx]: https://nginx.org/en/docs/http/ngx_http_core_module.html#merge_slashes
//! [Apache]: https://httpd.apache.org/docs/2.4/mod/core.html#mergeslashes
//! [index]: https://nginx.org/en/docs/http/ngx_http_index_module.html
//! [slash]: https://httpd.apache.org/docs/2.4/mod/mod_dir.html
//! [entry]: https://docs.github.com/en/pages/getting-started-with-github-pages/creating-a-github-pages-site
//! [permalinks]: https://jekyllrb.com/docs/permalinks/#extensionless-permalinks
//! [observed]: https://github.com/slorber/trailing-slash-guide
//! [lower]: https://www.jvt.me/posts/2019/11/11/gotcha-netlify-lowercase/

mod answer;
mod content;

use crate::audit::site::redirect_rules::Redirects;
use crate::named::named_enum;

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
    /// It may change, or depends on the visitor.
    Temporary,
    /// It is permanent (301, 308).
    Permanent,
}

/// How a server answers paths.
///
/// ```
/// use absolve::audit::{Profile, Server};
///
/// let server = Server::new(Profile::Plain).with_index(vec!["default.html".to_owned()]);
/// assert_eq!(server.index(), ["default.html"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Server {
    index: Vec<String>,
    extensionless: Extensionless,
    case: Case,
    redirects: Redirects,
}

/// What a server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This file, by its path in [`Files`](crate::audit::Files).
    File(Vec<u8>),
    /// A redirect to the same path with a slash, which serves this file.
    RedirectsToSlash(Vec<u8>),
    /// This file, whose name differs in case.
    CaseDiffers(Vec<u8>),
    /// A redirect, to a path from the root of the site or a URL.
    Redirect {
        /// A path or URL ([`Deployment::redirect_url`](crate::audit::Deployment::redirect_url)).
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
        Self { index, extensionless, case, redirects: Redirects::default() }
    }

    /// Sets the names of index pages; the first that exists is served.
    #[must_use]
    pub fn with_index(mut self, names: Vec<String>) -> Self {
        self.index = names;
        self
    }

    /// Sets whether pages are served without their extension.
    #[must_use]
    #[doc(hidden)]
    pub fn with_extensionless(mut self, extensionless: Extensionless) -> Self {
        self.extensionless = extensionless;
        self
    }

    /// Whether names are case-sensitive.
    #[must_use]
    #[doc(hidden)]
    pub fn with_case(mut self, case: Case) -> Self {
        self.case = case;
        self
    }

    /// Sets the redirect rules.
    #[must_use]
    #[doc(hidden)]
    pub fn with_redirects(mut self, redirects: Redirects) -> Self {
        self.redirects = redirects;
        self
    }

    /// The names of index pages.
    #[must_use]
    pub fn index(&self) -> &[String] {
        &self.index
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

#[cfg(test)]
#[path = "server/tests.rs"]
mod tests;
