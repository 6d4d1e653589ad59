//! How a server answers a path.
//!
//! | | plain | github-pages | netlify | file |
//! |---|---|---|---|---|
//! | index page | `index.html`, `index.htm` | `index.html` | `index.html` | none |
//! | `a` for `a.html` | no | yes | yes | no |
//! | `a/` for `a.html` | no | no | redirects to `a` | no |
//! | folder without slash | redirects | redirects | redirects | a listing |
//! | case | counts | counts | is ignored | counts |
//! | redirects file | no | no | `_redirects` | no |
//!
//! Every one of them merges slashes, as [nginx] and [Apache] do by default.
//!
//! - `plain`: what [nginx][index] and [Apache][slash] do with a folder of files.
//! - `github-pages`: [index pages][entry] and [extensionless ones][permalinks]. Names are
//!   distinguished by case, and where there are `a.html` and `a/index.html`, `a` is the
//!   first and `a/` the second ([observed]).
//! - `netlify`: `index.html`, "pretty URLs" that lead `a/` to `a` where there is an
//!   `a.html` ([observed]), names stored in [lower case][lower], and the
//!   [redirects file](crate::audit::Redirects).
//! - `file`: a browser that opens the folder from a disk shows a listing where the
//!   link leads to a folder.
//!
//! Left out: what is kept from being published (`_drafts` by Jekyll), and pages for
//! what is missing (`404.html`), which make no link whole.
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

use std::path::PathBuf;

use crate::audit::site::redirect_rules::Redirects;
use crate::named::named_enum;

named_enum! {
    /// A kind of server.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    #[non_exhaustive]
    pub enum Profile {
        /// A server of files, without configuration.
        #[default]
        Plain = "plain",
        /// GitHub Pages.
        GithubPages = "github-pages",
        /// Netlify.
        Netlify = "netlify",
        /// No server: a browser reads the files.
        File = "file",
    }

    /// A name that is no profile.
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
    /// It is not.
    #[default]
    Missing,
    /// It is; `page/` is not.
    Served,
    /// It is, and `page/` redirects there.
    ServedWithoutSlash,
}

/// Whether upper and lower case letters are the same in names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Case {
    /// They are not.
    #[default]
    Counts,
    /// They are.
    Ignored,
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
    /// This file.
    File(PathBuf),
    /// A redirect to the same path with a slash, where this file is.
    RedirectsToSlash(PathBuf),
    /// This file, whose name has other upper and lower case letters.
    CaseDiffers(PathBuf),
    /// A redirect: the path that it leads to counts from the root of the site, if it is
    /// no URL.
    Redirect {
        /// A path or URL ([`Deployment::redirect_url`](crate::audit::Deployment::redirect_url)).
        to: String,
        /// The line of the redirects file; `None` where the server does so by itself.
        line: Option<u64>,
    },
    /// What another host has at this URL.
    Proxied {
        /// The URL.
        to: String,
        /// The line of the redirects file.
        line: u64,
    },
    /// A line of the redirects file says to answer with what is at this path, and there
    /// is nothing.
    BrokenRewrite {
        /// The path.
        to: String,
        /// The line of the redirects file.
        line: u64,
    },
    /// A listing, or a refusal: this folder has no index page.
    FolderWithoutIndex(PathBuf),
    /// Nothing.
    Missing,
}

impl Server {
    /// A server of this kind, without redirects.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        let index: &[&str] = match profile {
            Profile::Plain => &["index.html", "index.htm"],
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

    /// The names of index pages, the first one that there is counts.
    #[must_use]
    pub fn with_index(mut self, names: Vec<String>) -> Self {
        self.index = names;
        self
    }

    /// Whether pages are served without their extension.
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

    /// What is redirected.
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

    /// What is redirected.
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
