//! Models of servers, which answer a path with a file, a redirect or nothing.
//!
//! | | plain | github-pages | netlify | file |
//! |---|---|---|---|---|
//! | index page | `index.html`, `.htm`, `.xhtml`, `.xht` | `index.html` | `index.html` | none |
//! | `a` for `a.html` | no | yes | yes | no |
//! | `a/` for `a.html` | no | no | redirects to `a` | no |
//! | folder without slash | redirects | redirects | redirects | a listing |
//! | letter case | matters | matters | is ignored | matters |
//! | redirects file | no | no | `_redirects`, `netlify.toml` | no |
//!
//! All of them merge slashes, as [nginx] and [Apache] do by default.
//!
//! - `plain`: the defaults of [nginx][index] and [Apache][slash] for a folder of files.
//! - `github-pages`: [index pages][entry] and [extensionless pages][permalinks]. Names are
//!   case-sensitive. If a site has `a.html` and `a/index.html`, `a` is answered with the first and
//!   `a/` with the second ([observed]).
//! - `netlify`: `index.html`, "pretty URLs" that redirect `a/` to `a` if there is an `a.html`
//!   ([observed]), names stored in [lower case][lower], and the
//!   [redirects file](crate::Redirects).
//! - `file`: a browser that opens the folder from disk shows a listing for a link to a folder.
//!
//! A path that is answered with an error page (`404.html`) is missing: its link is broken.
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
    /// Whether sites are served only by https by default.
    #[must_use]
    #[doc(hidden)]
    pub fn is_secure(self) -> bool {
        matches!(self, Self::GithubPages | Self::Netlify)
    }

    /// Returns the file in the root that the server sends for missing paths.
    pub(crate) fn error_page(self) -> Option<&'static str> {
        matches!(self, Self::GithubPages | Self::Netlify).then_some("404.html")
    }

    /// Returns the file in the root that contains redirect rules.
    #[must_use]
    #[doc(hidden)]
    pub fn redirects_file(self) -> Option<&'static str> {
        (self == Self::Netlify).then_some("_redirects")
    }
}

/// The answer to `page` if there is a `page.html`.
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

/// Whether a redirect is permanent, and the same for every visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permanence {
    /// The redirect may change, or applies to some visitors only.
    Temporary,
    /// The redirect is permanent (301, 308).
    Permanent,
}

impl Permanence {
    /// Returns the permanence of a redirect with this status.
    pub(crate) fn from_status(status: u16) -> Self {
        if matches!(status, 301 | 308) { Self::Permanent } else { Self::Temporary }
    }
}

/// A server, which answers paths with files.
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
    /// A file, by its path in [`Files`](crate::Files).
    File(Vec<u8>),
    /// A redirect to the same path with a slash, which is answered with this file.
    RedirectsToSlash(Vec<u8>),
    /// A file whose path differs from the request in letter case.
    CaseDiffers(Vec<u8>),
    /// A redirect to another path or URL.
    Redirect {
        /// The target: a path from the root of the site, or a URL.
        to: String,
        /// The line of the redirects file; `None` if the server redirects without a rule.
        line: Option<u64>,
        /// Whether the redirect is permanent.
        permanence: Permanence,
    },
    /// The content of another host or of a program of the host, which the server fetches.
    Proxied {
        /// The URL, or the path of the program.
        to: String,
        /// The line of the redirects file.
        line: u64,
    },
    /// Not found: a line of the redirects file rewrites to a path that does not exist.
    BrokenRewrite {
        /// The path that does not exist.
        to: String,
        /// The line of the redirects file.
        line: u64,
    },
    /// A listing or an error: this folder has no index page.
    FolderWithoutIndex(Vec<u8>),
    /// Not found.
    Missing,
}

impl Server {
    /// Creates a server of this kind, without redirect rules.
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

        /// Sets whether names are case-sensitive.
        #[doc(hidden)]
        pub fn with_case(case: Case) => case = case;

        /// Sets the redirect rules.
        #[doc(hidden)]
        pub fn with_redirects(redirects: Redirects) => redirects = redirects;
    }

    /// Returns the names of index pages, in order of precedence.
    #[must_use]
    pub fn index(&self) -> &[String] {
        &self.index
    }

    /// Returns the kind of the server.
    pub(crate) fn profile(&self) -> Profile {
        self.profile
    }

    /// Returns the redirect rules.
    #[must_use]
    #[doc(hidden)]
    pub fn redirects(&self) -> &Redirects {
        &self.redirects
    }
}

/// Whether the target of a redirect is a program of the host, such as a function.
pub(crate) fn is_host_program(to: &str) -> bool {
    to.starts_with("/.netlify/")
}

impl Server {
    /// Answers a path in the form that [`Deployment::locate`](crate::Deployment::locate) returns.
    ///
    /// Redirects are not followed. Forced rules precede files; other rules apply without a file.
    #[must_use]
    #[doc(hidden)]
    pub fn answer(
        &self,
        files: &Files,
        path: &[u8],
        has_trailing_slash: bool,
        query: Option<&str>,
    ) -> Answer {
        let (answer, file) = self.find_content(files, path, has_trailing_slash);
        if self.redirects.is_empty() {
            return answer;
        }
        let find_rule = |phase| self.redirects.first(path, query, phase);
        let phases = if file.is_some() {
            &[RulePhase::Forced][..]
        } else {
            &[RulePhase::Unconditional, RulePhase::Conditional]
        };
        let matched = phases.iter().find_map(|&phase| Some((find_rule(phase)?, phase)));
        match matched {
            Some((matched, phase)) => {
                self.apply(files, matched, phase, file.is_some().then_some(answer))
            }
            None => answer,
        }
    }

    /// Whether at most one file or folder answers a path regardless of case.
    ///
    /// If the server answers `page` with `page.html`, a folder `page` is a second answer.
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

    /// Returns the numbers of the files that the server sends for missing paths, sorted.
    pub(crate) fn error_pages(&self, files: &Files) -> Vec<usize> {
        let fixed = self.profile().error_page().and_then(|name| files.find_file(name.as_bytes()));
        let by_rule = self.redirects.error_pages().filter_map(|to| self.rewrite(files, to));
        let mut pages: Vec<_> = by_rule.filter_map(|path| files.find(path)).chain(fixed).collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    }

    /// Applies a rule. `content` is the answer without rules; `None` if there is no file.
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
                let permanence = match phase {
                    RulePhase::Conditional => Permanence::Temporary,
                    _ => Permanence::from_status(status),
                };
                Answer::Redirect { to, line: Some(line), permanence }
            }
            400.. => Answer::Missing,
            _ if !is_path => Answer::Proxied { to, line },
            _ if is_host_program(&to) => Answer::Proxied { to, line },
            _ => match self.rewrite(files, &to) {
                Some(file) => Answer::File(file.into()),
                None => content.unwrap_or(Answer::BrokenRewrite { to, line }),
            },
        }
    }

    /// Finds the file of a rewritten path; rules do not apply to it again.
    fn rewrite<'f>(&self, files: &'f Files, to: &str) -> Option<&'f [u8]> {
        let root = crate::Deployment::default();
        match root.locate(&root.redirect_url(to)) {
            crate::Location::Inside { path, has_trailing_slash, .. } => {
                self.find_content(files, &path, has_trailing_slash).1
            }
            _ => None,
        }
    }
}

impl Server {
    /// Answers a path without redirect rules. Also returns the file that a visitor gets in the end,
    /// if need be after a redirect of the server.
    pub(crate) fn find_content<'f>(
        &self,
        files: &'f Files,
        path: &[u8],
        has_trailing_slash: bool,
    ) -> (Answer, Option<&'f [u8]>) {
        let lookup = FileLookup { files, case: self.case };
        let found = lookup.find(path);
        let page = match self.extensionless {
            Extensionless::Missing => None,
            _ if path.is_empty() => None,
            _ => lookup.find_file(&[path, b".html"].concat()),
        };
        let index = match found {
            Some((folder, FileKind::Folder)) => {
                self.index.iter().find_map(|name| lookup.find_file(&join(folder, name.as_bytes())))
            }
            _ => None,
        };
        let removes_slash = self.extensionless == Extensionless::ServedWithoutSlash;
        let (answer, file) = match (found, page, index, has_trailing_slash) {
            (Some((file, FileKind::File)), .., false) => (Answer::File(file.into()), file),
            (_, Some(page), _, false) => (Answer::File(page.into()), page),
            (_, Some(page), _, true) if removes_slash => (redirect_to_page(page), page),
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

/// Creates the redirect to the URL of a page without its extension.
fn redirect_to_page(page: &[u8]) -> Answer {
    let path = percent_encode(&page[..page.len() - ".html".len()], NOT_IN_A_NAME);
    Answer::Redirect { to: format!("/{path}"), line: None, permanence: Permanence::Permanent }
}

/// Looks up paths with the case sensitivity of a server.
#[derive(Clone, Copy)]
struct FileLookup<'f> {
    files: &'f Files,
    case: Case,
}

impl<'f> FileLookup<'f> {
    fn find(self, path: &[u8]) -> Option<(&'f [u8], FileKind)> {
        match self.case {
            Case::Counts => self.files.get(self.files.find(path)?),
            Case::Ignored => self.files.ignoring_case(path),
        }
    }

    fn find_file(self, path: &[u8]) -> Option<&'f [u8]> {
        self.find(path).filter(|(_, kind)| *kind == FileKind::File).map(|(path, _)| path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::site::deployment::{Deployment, Location};
    use crate::site::files::Files;

    fn show(answer: Answer) -> String {
        let join = |mark: &str, path: Vec<u8>| format!("{mark}{}", String::from_utf8_lossy(&path));
        match answer {
            Answer::File(path) => join("", path),
            Answer::RedirectsToSlash(path) => join("slash ", path),
            Answer::CaseDiffers(path) => join("case ", path),
            Answer::Redirect { to, line, .. } => {
                format!("to {to}{}", line.map(|line| format!(" by {line}")).unwrap_or_default())
            }
            Answer::Proxied { to, line } => format!("proxy {to} by {line}"),
            Answer::BrokenRewrite { to, line } => format!("broken {to} by {line}"),
            Answer::FolderWithoutIndex(path) => join("no index in ", path),
            Answer::Missing => "missing".to_owned(),
        }
    }

    fn answer(server: &Server, files: &Files, path: &str) -> String {
        let root = Deployment::default();
        let url = format!("{}{path}", root.base());
        let Location::Inside { path, has_trailing_slash, query, .. } = root.locate(&url) else {
            panic!("{url}")
        };
        show(server.answer(files, &path, has_trailing_slash, query))
    }

    /// The site of <https://github.com/slorber/trailing-slash-guide>, and more.
    fn site() -> Files {
        Files::from_paths(&[
            "index.html",
            "file.html",
            "folder/index.html",
            "both.html",
            "both/index.html",
            "old/index.htm",
            "xml/index.xhtml",
            "short/index.xht",
            "listed/x.png",
            "Docs/Page.html",
        ])
    }

    #[track_caller]
    fn answers(path: &str, expected: [&str; 4]) {
        for (profile, expected) in Profile::ALL.iter().zip(expected) {
            assert_eq!(answer(&Server::new(*profile), &site(), path), expected, "{profile} {path}");
        }
    }

    #[test]
    fn each_server_answers_in_its_way() {
        //       path                plain, GitHub Pages, Netlify, file
        answers("", ["index.html", "index.html", "index.html", "no index in "]);
        answers("file", ["missing", "file.html", "file.html", "missing"]);
        answers("file/", ["missing", "missing", "to /file", "missing"]);
        answers("file.html", ["file.html"; 4]);
        answers("file.html/", ["missing"; 4]);
        let slash = "slash folder/index.html";
        answers("folder", [slash, slash, slash, "no index in folder"]);
        let index = "folder/index.html";
        answers("folder/", [index, index, index, "no index in folder"]);
        answers("folder/index.html", [index; 4]);
        answers("both", ["slash both/index.html", "both.html", "both.html", "no index in both"]);
        let index = "both/index.html";
        answers("both/", [index, index, "to /both", "no index in both"]);
        answers("both.html", ["both.html"; 4]);
        answers("both/index.html", [index; 4]);
        let none = "no index in old";
        answers("old/", ["old/index.htm", none, none, none]);
        let none = "no index in xml";
        answers("xml/", ["xml/index.xhtml", none, none, none]);
        let none = "no index in short";
        answers("short/", ["short/index.xht", none, none, none]);
        answers("listed", ["no index in listed"; 4]);
        answers("listed/", ["no index in listed"; 4]);
        answers("nothing", ["missing"; 4]);
        answers("nothing/", ["missing"; 4]);
        answers("file.html?x#y", ["file.html"; 4]);
        answers("docs/page.html", ["missing", "missing", "case Docs/Page.html", "missing"]);
        answers("docs/page", ["missing", "missing", "case Docs/Page.html", "missing"]);
        answers("Docs/Page", ["missing", "Docs/Page.html", "Docs/Page.html", "missing"]);
        answers("FOLDER", ["missing", "missing", "case folder/index.html", "missing"]);
        answers("FILE/", ["missing", "missing", "case file.html", "missing"]);
        answers("a%2Fb", ["missing"; 4]);
        answers("folder//index.html", ["folder/index.html"; 4]);
    }

    #[test]
    fn each_rule_is_set_by_itself() {
        let plain = Server::new(Profile::Plain);
        let index = plain.clone().with_index(vec!["x.png".to_owned(), "index.html".to_owned()]);
        assert_eq!(answer(&index, &site(), "listed/"), "listed/x.png");
        assert_eq!(index.index(), ["x.png", "index.html"]);
        let extensionless = plain.clone().with_extensionless(Extensionless::Served);
        assert_eq!(answer(&extensionless, &site(), "file"), "file.html");
        assert_eq!(answer(&extensionless, &site(), "file/"), "missing");
        let case = plain.with_case(Case::Ignored);
        assert_eq!(answer(&case, &site(), "FILE.html"), "case file.html");
    }

    #[track_caller]
    fn redirects(text: &str, path: &str, expected: &str) {
        let server = Server::new(Profile::Netlify).with_redirects(Redirects::parse(text));
        assert!(server.redirects().problems().is_empty(), "{text}");
        assert_eq!(answer(&server, &site(), path), expected, "{path} by {text}");
    }

    #[test]
    fn redirects_are_answered() {
        redirects("/a /file", "a", "to /file by 1");
        redirects("/a /file", "a/", "to /file by 1");
        redirects("/a/* /:splat 302", "a/b/c", "to /b/c by 1");
        redirects("\n/a https://h/ 301", "a", "to https://h/ by 2");
        redirects("/a /gone 404", "a", "missing");
        redirects("/listed /file", "listed", "to /file by 1");
    }

    #[test]
    fn a_file_goes_before_a_rule_that_is_not_forced() {
        redirects("/* /index.html 200", "file.html", "file.html");
        redirects("/* /index.html 200", "a/b", "index.html");
        redirects("/file /a", "file", "file.html");
        redirects("/file /a 301!", "file", "to /a by 1");
        redirects("/file /a\n/file /b 301!", "file", "to /b by 2");
        redirects("/folder /a", "folder", "slash folder/index.html");
    }

    #[test]
    fn a_rewriting_answers_with_what_is_there() {
        redirects("/a /file 200", "a", "file.html");
        redirects("/a /folder 200", "a", "folder/index.html");
        redirects("/a /gone 200", "a", "broken /gone by 1");
        redirects("/a /b 200\n/b /file 301", "a", "broken /b by 1");
        redirects("/* /index.html 200!", "file.html", "index.html");
        redirects("/a https://h/ 200", "a", "proxy https://h/ by 1");
        redirects("/a /.netlify/functions/f 200", "a", "proxy /.netlify/functions/f by 1");
    }

    #[test]
    fn a_condition_counts_where_nothing_else_does() {
        redirects("/a /de 302 Country=de", "a", "to /de by 1");
        redirects("/a /de 302 Country=de\n/a /en", "a", "to /en by 2");
        redirects("/file /de 302! Country=de", "file", "file.html");
    }

    #[test]
    fn a_profile_has_one_name() {
        for profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(*profile));
        }
        assert_eq!("apache".parse::<Profile>(), Err(UnknownProfile));
        assert_eq!(Profile::Netlify.redirects_file(), Some("_redirects"));
        assert_eq!(Profile::Plain.redirects_file(), None);
    }
}
