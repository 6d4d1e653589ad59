//! Finds the files that URLs lead to, so that links to them become relative.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::{fmt, io};

use absolve::url::{Base, Parts, Standard, authority, has_dots, without_dots};
use absolve::{Placement, Targets, named_enum};
use absolve_files::{ADDED_EXTENSIONS, QUERY_MARKS, Scheme, host_folders};
use percent_encoding::{percent_decode, percent_decode_str};

use crate::{Deployment, FileKind, Files, Location, Lookup, Server, Site, path_of};

named_enum! {
    /// The program that opens pages with relative links.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    #[non_exhaustive]
    pub enum OpenedBy {
        /// A server, which answers the URL of a folder with its index page.
        #[default]
        Server = "server",
        /// A browser, from the disk: links name files, index pages included.
        File = "file",
    }

    /// The error of a name that is not an opener.
    pub struct UnknownOpener = "expected server or file";
}

/// Finds the files of a site by their URLs, as [`Audit`](crate::Audit) does.
///
/// A URL of the site has the scheme of the deployment, and is inside its URL. It has no user and
/// password, or those of the deployment's URL. Hosts with and without a dot at the end differ.
///
/// A file is also found by the names that wget gives: `page?id=1` or `page?id=1.html` for
/// `page?id=1`, and, with [`OpenedBy::File`], `page.html` for `page`. If no file has the name of a
/// URL, percent-decoded file names are compared too: `File%3AX` for `File:X`.
///
/// ```
/// use std::sync::Arc;
///
/// use absolve_site::{Deployment, OpenedBy, Profile, Server, Site, SiteTargets};
/// use absolve_files::{Globs, Symlinks};
/// use absolve::{Direction, Form, Rewriter};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let root = folder.path();
/// # std::fs::create_dir(root.join("docs"))?;
/// # std::fs::write(root.join("docs/index.html"), "")?;
///
/// let site = Site::walk(root, root, &Globs::default(), Symlinks::default())?;
/// let deployment = Deployment::parse("https://example.org/")?;
/// let targets = SiteTargets::new(site, deployment, Server::new(Profile::Plain), OpenedBy::File);
/// let direction = Direction::new(Form::Relative).targets(Arc::new(targets));
/// let rewriter = Rewriter::new().base_url("https://example.org/a.html")?.policy(direction.into());
/// let page = rewriter.rewrite(b"<a href=/docs/#x><a href=/missing>")?;
/// let expected = b"<a href=docs/index.html#x><a href=https://example.org/missing>";
/// assert_eq!(page.bytes(), expected);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SiteTargets {
    site: Site,
    deployment: Deployment,
    server: Server,
    opened_by: OpenedBy,
    decoded_names: Option<DecodedNames>,
    /// The user and password of the site's URL.
    credentials: Option<String>,
}

impl SiteTargets {
    /// Creates the targets in a site at its URL, as this server finds them.
    #[must_use]
    pub fn new(site: Site, deployment: Deployment, server: Server, opened_by: OpenedBy) -> Self {
        let credentials = Parts::of(deployment.base().as_str()).and_then(Parts::credentials);
        let credentials = credentials.map(str::to_owned);
        let deployment = deployment.without_credentials();
        let decoded_names = DecodedNames::new(site.files());
        Self { site, deployment, server, opened_by, decoded_names, credentials }
    }

    /// Returns the URL of a file, from its path in the site.
    #[must_use]
    pub fn url_of(&self, path: &Path) -> String {
        self.deployment.page_url(path)
    }

    /// Finds the file that the server answers a URL with.
    fn find_file(&self, url: &str) -> Option<&[u8]> {
        let lookup = Lookup {
            site: &self.site,
            deployment: &self.deployment,
            server: &self.server,
            standard: Standard::default(),
            forbidden: &[],
            compares_standards: false,
            external: None,
        };
        let number = lookup.look_up(url, url).file?;
        self.site.files().get(number).map(|(path, _)| path)
    }

    /// Finds a file by its percent-decoded name. If there is no such file, decodes the path once
    /// more, because wget decodes names twice.
    fn find_by_decoded_name(
        &self,
        path: &[u8],
        find: impl Fn(&Files, &[u8]) -> Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let find_decoded = |path: &[u8]| {
            let names = self.decoded_names.as_ref()?;
            names.disk_path(&find(&names.files, path)?).map(<[u8]>::to_vec)
        };
        find_decoded(path).or_else(|| {
            let decoded = Some(percent_decode_path(path)).filter(|decoded| decoded != path)?;
            find(self.site.files(), &decoded).or_else(|| find_decoded(&decoded))
        })
    }

    /// Finds the file with which the server answers a path, by percent-decoded file names.
    fn find_decoded_file(&self, path: &[u8], has_trailing_slash: bool) -> Option<Vec<u8>> {
        self.find_by_decoded_name(path, |files, path| {
            self.server.find_content(files, path, has_trailing_slash).1.map(<[u8]>::to_vec)
        })
    }

    /// Finds the file that a program saved under a URL's path and query, perhaps with an added
    /// extension.
    fn find_saved(
        &self,
        path: &[u8],
        has_trailing_slash: bool,
        query: Option<&str>,
    ) -> Option<Vec<u8>> {
        let find = |files: &Files, path: &[u8]| {
            let is_file = |name: &Vec<u8>| files.find_file(name).is_some();
            list_saved_names(path, has_trailing_slash, query).find(is_file)
        };
        find(self.site.files(), path).or_else(|| self.find_by_decoded_name(path, find))
    }

    /// Finds the file of a URL at a location; other locations, and missing files, are outside.
    fn place_inside<'u>(&self, url: &'u str, location: Location<'_>) -> Placement<'u> {
        let Location::Inside { path, has_trailing_slash, above_root, fragment, query } = location
        else {
            return Placement::Outside;
        };
        if above_root {
            return Placement::Outside;
        }
        // For a server, `?.html` is a query; on disk, it may be an extension that wget added.
        let is_in_name = |query: &&str| {
            self.opened_by == OpenedBy::File || !ADDED_EXTENSIONS.contains(&query.as_bytes())
        };
        let saved = query.filter(is_in_name);
        let saved = saved.and_then(|_| {
            // A page `/p` that wget saved as `p.html` has the URL `/p.html` here, so its link
            // `?a=1` has the URL `/p.html?a=1` and leads to the file `p?a=1.html`.
            let with_extension = || self.find_saved(path.strip_suffix(b".html")?, false, query);
            self.find_saved(&path, has_trailing_slash, query).or_else(with_extension)
        });
        let (file, query) = match (saved, self.opened_by) {
            (Some(file), _) => (file, None),
            (None, OpenedBy::Server) => {
                let is_root = path.is_empty() && !has_trailing_slash;
                if is_root && self.deployment.base_path() != "/" {
                    return Placement::Outside;
                }
                if self.find_file(url).is_some() {
                    if self.is_plain(url) {
                        return Placement::InSite(Cow::Borrowed(url));
                    }
                    let mut url = self.deployment.page_url(&path_of(&path));
                    if has_trailing_slash && !url.ends_with('/') {
                        url.push('/');
                    }
                    return Placement::InSite(Cow::Owned(append_rest(url, query, fragment)));
                }
                match self.find_decoded_file(&path, has_trailing_slash) {
                    Some(file) => (file, query),
                    None => return Placement::Outside,
                }
            }
            (None, OpenedBy::File) => {
                let found = self.find_file(url).map(<[u8]>::to_vec);
                let found = found.or_else(|| self.find_decoded_file(&path, has_trailing_slash));
                match found.or_else(|| self.find_saved(&path, has_trailing_slash, None)) {
                    Some(file) => (file, query),
                    None => return Placement::Outside,
                }
            }
        };
        let url = self.deployment.page_url(&path_of(&file));
        Placement::InSite(Cow::Owned(append_rest(url, query, fragment)))
    }

    /// Whether a URL begins with that of the site, and has no dot segments for a server to remove.
    fn is_plain(&self, url: &str) -> bool {
        url.starts_with(self.deployment.base().as_str())
            && Parts::of(url).is_some_and(|parts| !has_dots(parts))
    }

    /// Whether a URL may be in the site: it has the scheme of the site, either both hosts or
    /// neither end with a dot, and the paths have the same empty segments.
    fn may_be_in_site(&self, parts: Parts<'_>) -> bool {
        let Some(site) = Parts::of(self.deployment.base().as_str()) else { return false };
        site.scheme.eq_ignore_ascii_case(parts.scheme)
            && ends_with_dot(site.net_loc) == ends_with_dot(parts.net_loc)
            && has_same_empty_segments(parts.path, site.path)
    }
}

impl Targets for SiteTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        let Some(parts) = Parts::of(url).filter(|&parts| self.may_be_in_site(parts)) else {
            return Placement::Outside;
        };
        let Some(user) = parts.credentials() else {
            return self.place_inside(url, self.deployment.locate(url));
        };
        if self.credentials.as_deref() != Some(user) {
            return Placement::Outside;
        }
        let without = parts.without_user();
        match self.place_inside(&without, self.deployment.locate(&without)) {
            // With its credentials, the URL stays absolute in a document whose base lacks them.
            Placement::InSite(url) => match Parts::of(&url) {
                Some(parts) => Placement::InSite(Cow::Owned(parts.with_user(user))),
                None => Placement::Outside,
            },
            Placement::Outside | Placement::Kept => Placement::Outside,
        }
    }

    fn is_on_disk(&self) -> bool {
        self.opened_by == OpenedBy::File
    }

    /// Whether a page is `404.html`, which servers send for any missing path.
    fn is_sent_anywhere(&self, url: &Base) -> bool {
        let path = Parts::of(url.as_str()).map_or("", |parts| parts.path);
        self.opened_by == OpenedBy::Server && path.ends_with("/404.html")
    }
}

/// Lists the names that a program may save a URL under, with and without an added extension.
fn list_saved_names(
    path: &[u8],
    has_trailing_slash: bool,
    query: Option<&str>,
) -> impl Iterator<Item = Vec<u8>> + use<> {
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
            let plain: Cow<'_, [u8]> = percent_decode_str(query).into();
            // wget writes a slash as `%2F`, because no file name may contain it.
            let parts = plain.split(|&byte| byte == b'/').collect::<Vec<_>>();
            let queries = [query.as_bytes(), &plain, &parts.join(&b"%2F"[..])];
            let append_queries = |mark: &&[u8]| queries.map(|query| [&name, *mark, query].concat());
            QUERY_MARKS.iter().flat_map(append_queries).collect()
        }
    };
    let extend = |name: Vec<u8>| ADDED_EXTENSIONS.iter().map(move |end| [&name, *end].concat());
    names.into_iter().flat_map(extend)
}

/// Whether a path has empty segments where the base has them: `//base/` differs from `/base/`.
fn has_same_empty_segments(path: &str, base: &str) -> bool {
    let plain = without_dots(path);
    let path = plain.as_deref().unwrap_or(path);
    let (base, _) = base.rsplit_once('/').unwrap_or_default();
    let segments = path.split('/').zip(base.split('/'));
    segments.skip(1).all(|(name, base_name)| name.is_empty() == base_name.is_empty())
}

/// Whether the host of an authority, which may have a port, ends with a dot.
fn ends_with_dot(net_loc: &str) -> bool {
    let host = net_loc.trim_end_matches(|c: char| c.is_ascii_digit());
    net_loc.ends_with('.') || host.ends_with(".:")
}

/// Appends a query and a fragment to a URL.
fn append_rest(mut url: String, query: Option<&str>, fragment: Option<&str>) -> String {
    for (mark, part) in [('?', query), ('#', fragment)] {
        if let Some(part) = part {
            url.push(mark);
            url.push_str(part);
        }
    }
    url
}

/// Finds files by recorded URLs first, and then the other files of a site.
///
/// A program that saves pages may give a file any name, and record its URL in a list or in the
/// file.
pub struct RecordedTargets {
    /// By recorded URL, normalized and without fragment: the URL of the file in the site.
    files: HashMap<String, String>,
    others: Box<dyn Targets>,
}

impl RecordedTargets {
    /// Creates the targets from recorded URLs, each with the URL of its file in the site. If a URL
    /// is recorded twice, the first file is used.
    #[must_use]
    pub fn new(
        others: Box<dyn Targets>,
        recorded: impl IntoIterator<Item = (Base, String)>,
    ) -> Self {
        let mut files = HashMap::new();
        for (url, file) in recorded {
            files.entry(normalize_key(url.as_str())).or_insert(file);
        }
        Self { files, others }
    }
}

impl Targets for RecordedTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        if self.files.is_empty() {
            return self.others.find(url);
        }
        match self.files.get(&normalize_key(url)) {
            Some(file) => {
                let fragment = url.find('#').map_or("", |at| &url[at..]);
                Placement::InSite(Cow::Owned(format!("{file}{fragment}")))
            }
            None => self.others.find(url),
        }
    }

    fn is_sent_anywhere(&self, url: &Base) -> bool {
        self.others.is_sent_anywhere(url)
    }

    fn document(&self, url: &Base) -> Option<Base> {
        match self.files.get(&normalize_key(url.as_str())) {
            Some(file) => Base::new(file).ok(),
            None => self.others.document(url),
        }
    }

    fn is_on_disk(&self) -> bool {
        self.others.is_on_disk()
    }
}

impl fmt::Debug for RecordedTargets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedTargets").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

/// Removes the fragment of a URL, and normalizes its scheme, host, port and empty path.
fn normalize_key(url: &str) -> String {
    let whole = &url[..url.find('#').unwrap_or(url.len())];
    let has_only_host =
        |parts: &Parts<'_>| !parts.net_loc.is_empty() && parts.credentials().is_none();
    let Some(parts) = Parts::of(whole).filter(has_only_host) else { return whole.to_owned() };
    let scheme = parts.scheme.to_ascii_lowercase();
    let host = normalize_authority(&scheme, parts.net_loc);
    let rest = &whole[parts.scheme.len() + "://".len() + parts.net_loc.len()..];
    let slash = if rest.starts_with('/') { "" } else { "/" };
    format!("{scheme}://{host}{slash}{rest}")
}

/// The URL at which a mirror's folder is deployed, to compute relative links. No page of the web
/// has a URL inside it ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606#section-2)).
const ROOT: &str = "http://mirror.invalid/";

/// Finds the files of a mirror of several hosts, as [`SiteTargets`] does for a single host. Each
/// host has a folder with its name ([`Layout::HostPath`](absolve_files::Layout::HostPath)).
#[derive(Debug)]
pub struct HostTargets {
    files: SiteTargets,
    /// The URL of each host's folder, by scheme and authority; a folder without a scheme contains
    /// the pages of all schemes.
    hosts: HashMap<(Option<Scheme>, String), String>,
}

impl HostTargets {
    /// Creates the targets in the site of a folder.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn new(root: &Path, site: Site, server: Server, opened_by: OpenedBy) -> io::Result<Self> {
        let deployment =
            Deployment::parse(ROOT).map_err(|error| io::Error::other(error.to_string()))?;
        let folders = host_folders(root)?.into_iter();
        let hosts = folders.map(|(scheme, host, path)| {
            let host = normalize_authority(scheme.map_or("", Scheme::name), &host);
            ((scheme, host), deployment.page_url(&path))
        });
        let hosts = hosts.collect();
        Ok(Self { files: SiteTargets::new(site, deployment, server, opened_by), hosts })
    }

    /// Returns the URL of a file in the folder, from its path.
    #[must_use]
    pub fn url_of(&self, path: &Path) -> String {
        self.files.url_of(path)
    }

    /// Converts a URL on its host to the URL in the folder, if the host has a folder.
    fn url_in_folder(&self, url: &str) -> Option<String> {
        let parts = Parts::of(url).filter(|parts| parts.credentials().is_none())?;
        let is_scheme = |scheme: &&Scheme| parts.scheme.eq_ignore_ascii_case(scheme.name());
        let scheme = *Scheme::ALL.iter().find(is_scheme)?;
        let host = normalize_authority(scheme.name(), parts.net_loc);
        let with_scheme = self.hosts.get(&(Some(scheme), host.clone()));
        let folder = with_scheme.or_else(|| self.hosts.get(&(None, host)))?;
        let after = url.find("://")? + "://".len() + parts.net_loc.len();
        let rest = &url[after..];
        let slash = if rest.starts_with('/') { "" } else { "/" };
        Some(format!("{folder}{slash}{rest}"))
    }
}

/// Normalizes a host and port as the URL Standard does; folder names may have non-ASCII letters.
fn normalize_authority(scheme: &str, net_loc: &str) -> String {
    authority(scheme, net_loc).unwrap_or_else(|| net_loc.to_ascii_lowercase())
}

impl Targets for HostTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        let Some(url) = self.url_in_folder(url) else { return Placement::Outside };
        match self.files.find(&url) {
            Placement::InSite(url) => Placement::InSite(url.into_owned().into()),
            Placement::Outside | Placement::Kept => Placement::Outside,
        }
    }

    fn document(&self, url: &Base) -> Option<Base> {
        let url = self.url_in_folder(url.as_str())?;
        match self.files.find(&url) {
            Placement::InSite(file) => Base::new(&file).ok(),
            Placement::Outside | Placement::Kept => Base::new(&url).ok(),
        }
    }

    fn is_on_disk(&self) -> bool {
        self.files.is_on_disk()
    }
}

/// Files whose names have percent-encoded characters, by their decoded names. wget writes
/// `File%3AX` for `File:X` with `--restrict-file-names=windows`, and `%D0%A0` with `ascii`.
/// `curl -O` keeps the name in the URL.
#[derive(Debug)]
struct DecodedNames {
    files: Files,
    /// By decoded path: the path on disk.
    disk_paths: HashMap<Vec<u8>, Vec<u8>>,
}

impl DecodedNames {
    /// Decodes the names of files; returns `None` if no name has an encoded character.
    fn new(site_files: &Files) -> Option<Self> {
        let mut disk_paths = HashMap::new();
        for (path, kind) in site_files.iter().filter(|(path, _)| path.contains(&b'%')) {
            let decoded = percent_decode_path(path);
            if kind == FileKind::File && decoded != path {
                disk_paths.entry(decoded).or_insert_with(|| path.to_vec());
            }
        }
        let files = Files::new(disk_paths.keys().map(|path| (path_of(path), FileKind::File)));
        (!disk_paths.is_empty()).then_some(Self { files, disk_paths })
    }

    /// Returns the path on disk of a file, from its decoded path.
    fn disk_path(&self, decoded: &[u8]) -> Option<&[u8]> {
        self.disk_paths.get(decoded).map(Vec::as_slice)
    }
}

/// Decodes the percent-encoded characters of a path, except slashes, which no name contains.
fn percent_decode_path(path: &[u8]) -> Vec<u8> {
    let decode_name = |name: &[u8]| {
        let bytes = percent_decode(name).collect::<Vec<_>>();
        bytes.split(|&byte| byte == b'/').collect::<Vec<_>>().join(&b"%2F"[..])
    };
    path.split(|&byte| byte == b'/').map(decode_name).collect::<Vec<_>>().join(&b'/')
}
