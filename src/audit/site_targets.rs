//! The URLs that lead to files of a site, for links that become relative.

mod hosts;
mod recorded;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use percent_encoding::percent_decode_str;

use crate::audit::container::document::Scope;
use crate::audit::lookup::Lookup;
use crate::audit::site::Site;
use crate::audit::site::deployment::{Deployment, Location};
use crate::audit::site::files::path_of;
use crate::audit::site::server::Server;
use crate::batch::{ADDED_EXTENSIONS, QUERY_MARKS};
use crate::link::{Placement, Targets};
use crate::named::named_enum;
use crate::url::{Parts, Standard, has_dots, without_dots};

pub use hosts::HostTargets;
pub use recorded::RecordedTargets;

named_enum! {
    /// What opens pages whose links are relative.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    #[non_exhaustive]
    pub enum OpenedBy {
        /// A server, which answers the URL of a folder with its index page.
        #[default]
        Server = "server",
        /// A browser, from the disk: links name files.
        File = "file",
    }

    /// The error of a name that is none of them.
    pub struct UnknownOpener = "expected server or file";
}

/// The URLs that lead to files of a site, as [`Audit`](crate::audit::Audit) finds them.
///
/// A URL of the site has the scheme of the deployment, and is beneath its URL. It has no user and
/// password, or those of the deployment's URL; a dot at the end of a host makes another host. A file
/// is also found by the names that wget gives: `page?id=1` or `page?id=1.html` for `page?id=1`, and,
/// with [`OpenedBy::File`], `page.html` for `page`.
///
/// ```
/// use std::sync::Arc;
///
/// use absolve::audit::{Deployment, OpenedBy, Profile, Server, Site, SiteTargets};
/// use absolve::batch::{Globs, Symlinks};
/// use absolve::{Direction, Form, Rewriter};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let root = folder.path();
/// # std::fs::create_dir(root.join("docs"))?;
/// # std::fs::write(root.join("docs/index.html"), "")?;
///
/// let site = Site::walk(root, root, &Globs::default(), Symlinks::default())?;
/// let deployment = Deployment::at("https://example.org/")?;
/// let targets = SiteTargets::new(site, deployment, Server::new(Profile::Plain), OpenedBy::File);
/// let direction = Direction::new(Form::Relative).targets(Arc::new(targets));
/// let rewriter = Rewriter::new().base_url("https://example.org/a.html")?.policy(direction.into());
/// let page = rewriter.rewrite(b"<a href=/docs/#x><a href=/missing>")?;
/// let expected = b"<a href=docs/index.html#x><a href=https://example.org/missing>";
/// assert_eq!(page.bytes(), expected);
/// # Ok(())
/// # }
/// ```
pub struct SiteTargets {
    site: Site,
    deployment: Deployment,
    server: Server,
    opened_by: OpenedBy,
    /// The user and password of the site's URL.
    credentials: Option<String>,
}

impl SiteTargets {
    /// The files of a site at its URL, as this server finds them.
    #[must_use]
    pub fn new(site: Site, deployment: Deployment, server: Server, opened_by: OpenedBy) -> Self {
        let credentials = Parts::of(deployment.base().as_str()).and_then(Parts::credentials);
        let credentials = credentials.map(str::to_owned);
        let deployment = deployment.without_credentials();
        Self { site, deployment, server, opened_by, credentials }
    }

    /// The URL of a file by its path, in the site.
    #[must_use]
    pub fn url_of(&self, path: &Path) -> String {
        self.deployment.page_url(path)
    }

    /// The file that the server answers a URL with.
    fn file(&self, url: &str) -> Option<&[u8]> {
        let lookup = Lookup {
            site: &self.site,
            deployment: &self.deployment,
            server: &self.server,
            standard: Standard::default(),
            scope: Scope::Site,
            prefixes: None,
            forbidden: &[],
            compares_standards: false,
            external: None,
        };
        let number = lookup.target(url, url).file?;
        self.site.files().get(number).map(|(path, _)| path)
    }

    /// The file that a program saved under the URL's path and query, or under a name that has an
    /// extension added.
    fn saved(&self, path: &[u8], has_trailing_slash: bool, query: Option<&str>) -> Option<Vec<u8>> {
        let mut name = path.to_vec();
        if has_trailing_slash {
            if !name.is_empty() {
                name.push(b'/');
            }
            name.extend_from_slice(b"index.html");
        }
        let names = match query {
            None => vec![name],
            Some(query) => {
                let decoded: Cow<'_, [u8]> = percent_decode_str(query).into();
                // wget writes a slash, which no name has, as `%2F`.
                let names = decoded.split(|&byte| byte == b'/').collect::<Vec<_>>();
                let queries = [query.as_bytes(), &decoded, &names.join(&b"%2F"[..])];
                let with = |mark: &&[u8]| queries.map(|query| [&name, *mark, query].concat());
                QUERY_MARKS.iter().flat_map(with).collect()
            }
        };
        let mut names = names
            .iter()
            .flat_map(|name| ADDED_EXTENSIONS.iter().map(move |end| [name, *end].concat()));
        let is_file = |name: &Vec<u8>| self.site.files().find_file(name).is_some();
        names.find(is_file)
    }

    /// Where a URL leads whose path is in the site.
    fn inside<'u>(&self, url: &'u str, location: Location<'_>) -> Placement<'u> {
        let Location::Inside { path, has_trailing_slash, above_root, fragment, query } = location
        else {
            return Placement::Outside;
        };
        if above_root {
            return Placement::Outside;
        }
        // To a server, an extension alone is a query, and not one that wget wrote.
        let is_in_name = |query: &&str| {
            self.opened_by == OpenedBy::File || !ADDED_EXTENSIONS.contains(&query.as_bytes())
        };
        let saved = query.filter(is_in_name);
        let saved = saved.and_then(|_| self.saved(&path, has_trailing_slash, query));
        let (file, query) = match (saved, self.opened_by) {
            (Some(file), _) => (file, None),
            (None, OpenedBy::Server) => {
                let is_root = path.is_empty() && !has_trailing_slash;
                if is_root && self.deployment.base_path() != "/" || self.file(url).is_none() {
                    return Placement::Outside;
                }
                if self.is_plain(url) {
                    return Placement::InSite(Cow::Borrowed(url));
                }
                let mut url = self.deployment.page_url(&path_of(&path));
                if has_trailing_slash && !url.ends_with('/') {
                    url.push('/');
                }
                return Placement::InSite(Cow::Owned(with_rest(url, query, fragment)));
            }
            (None, OpenedBy::File) => {
                let found = self.file(url).map(<[u8]>::to_vec);
                match found.or_else(|| self.saved(&path, has_trailing_slash, None)) {
                    Some(file) => (file, query),
                    None => return Placement::Outside,
                }
            }
        };
        let url = self.deployment.page_url(&path_of(&file));
        Placement::InSite(Cow::Owned(with_rest(url, query, fragment)))
    }

    /// Whether a URL begins with that of the site, and is not normalised by a server.
    fn is_plain(&self, url: &str) -> bool {
        url.starts_with(self.deployment.base().as_str())
            && Parts::of(url).is_some_and(|parts| !has_dots(parts))
    }

    /// Whether a URL may be one of the site: it has its scheme, and no other name for its host.
    fn may_have(&self, parts: Parts<'_>) -> bool {
        let Some(own) = Parts::of(self.deployment.base().as_str()) else { return false };
        own.scheme.eq_ignore_ascii_case(parts.scheme)
            && ends_with_dot(own.net_loc) == ends_with_dot(parts.net_loc)
            && has_names_of(parts.path, own.path)
    }
}

impl Targets for SiteTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        let Some(parts) = Parts::of(url).filter(|&parts| self.may_have(parts)) else {
            return Placement::Outside;
        };
        let Some(user) = parts.credentials() else {
            return self.inside(url, self.deployment.locate(url));
        };
        if self.credentials.as_deref() != Some(user) {
            return Placement::Outside;
        }
        let without = parts.without_user();
        match self.inside(&without, self.deployment.locate(&without)) {
            // It stays absolute in a document whose base has lost them.
            Placement::InSite(url) => match Parts::of(&url) {
                Some(parts) => Placement::InSite(Cow::Owned(parts.with_user(user))),
                None => Placement::Outside,
            },
            Placement::Outside | Placement::Kept => Placement::Outside,
        }
    }
}

impl fmt::Debug for SiteTargets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SiteTargets").field("opened_by", &self.opened_by).finish_non_exhaustive()
    }
}

/// Whether the segments of a path are empty where those of the base are: `//base/` is not `/base/`.
fn has_names_of(path: &str, base: &str) -> bool {
    let plain = without_dots(path);
    let path = plain.as_deref().unwrap_or(path);
    let (base, _) = base.rsplit_once('/').unwrap_or_default();
    let segments = path.split('/').zip(base.split('/'));
    segments.skip(1).all(|(own, name)| own.is_empty() == name.is_empty())
}

/// Whether a host ends with a dot.
fn ends_with_dot(net_loc: &str) -> bool {
    let host = net_loc.trim_end_matches(|one: char| one.is_ascii_digit());
    net_loc.ends_with('.') || host.ends_with(".:")
}

/// A URL with a query and a fragment.
fn with_rest(mut url: String, query: Option<&str>, fragment: Option<&str>) -> String {
    for (mark, part) in [('?', query), ('#', fragment)] {
        if let Some(part) = part {
            url.push(mark);
            url.push_str(part);
        }
    }
    url
}
