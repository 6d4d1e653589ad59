//! The deployment of a site: maps URLs to its files.
//!
//! URLs are parsed as servers do, regardless of the standard that resolved them: a path starts at
//! the root of the host, surplus `..` segments are dropped, segments are percent-decoded, and empty
//! segments are ignored. Parameters (`;x`) are part of the name, as on servers of files.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use absolve::Error;
use absolve::url::rfc1808::Components;
use absolve::url::{Base, Standard, authority, masked};
use absolve_files::served_url;
use percent_encoding::percent_decode_str;

use crate::site::redirect_rules::is_web;

/// The base URL if no host is given; [RFC 2606 section 2][rfc] reserves the domain `.invalid`.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc2606#section-2
const NAMELESS: &str = "http://nameless.invalid/";

/// The base URL if no host is given, and the server answers by https.
const SECURE_NAMELESS: &str = "https://nameless.invalid/";

/// The URL of the root of a site, and other names of its host.
///
/// ```
/// use std::path::Path;
///
/// use absolve_site::Deployment;
///
/// let deployment = Deployment::parse("https://example.org/manual/")?.with_alias("www.example.org")?;
/// let url = deployment.page_url(Path::new("docs/a b.html"));
/// assert_eq!(url, "https://example.org/manual/docs/a%20b.html");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Deployment {
    base: Base,
    /// The path of the base: decoded, without dot segments and empty segments.
    prefix: Vec<u8>,
    /// The normalized host of the base, then its aliases.
    hosts: Vec<String>,
}

/// The location of a URL, relative to the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location<'u> {
    /// In the site.
    Inside {
        /// Relative to the root, percent-decoded, without dot segments and empty segments.
        path: Cow<'u, [u8]>,
        /// Whether the path of the URL ends with a slash or a dot segment.
        has_trailing_slash: bool,
        /// Whether the path of the URL has `..` segments that lead above the root of the host.
        above_root: bool,
        /// The text after `#`.
        fragment: Option<&'u str>,
        /// The text after `?`.
        query: Option<&'u str>,
    },
    /// On the host of the site, outside the path of the base.
    Outside {
        /// Relative to the root of the host, percent-decoded, without dot and empty segments.
        path: Vec<u8>,
        /// Whether the path of the URL ends with a slash or a dot segment.
        has_trailing_slash: bool,
        /// The text after `#`.
        fragment: Option<&'u str>,
        /// The text after `?`.
        query: Option<&'u str>,
    },
    /// On another host.
    External,
    /// Without a hierarchical path: `mailto:`, `data:`.
    NotHierarchical,
}

/// The error of an alias that is not a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidAlias(String);

impl absolve::HasAdvice for InvalidAlias {}

impl fmt::Display for InvalidAlias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is not a host, expected a name such as www.example.org", masked(&self.0))
    }
}

impl std::error::Error for InvalidAlias {}

impl Default for Deployment {
    /// Creates a deployment at the root of a host without a name.
    fn default() -> Self {
        Self::new(&Base::unchecked(NAMELESS))
    }
}

impl Deployment {
    /// Creates a deployment at a URL. Its query and fragment are removed, and a missing trailing
    /// slash is added.
    #[must_use]
    pub fn new(base: &Base) -> Self {
        let base = Base::unchecked(&served_url(base, Path::new("")));
        let parts = Components::parse(base.as_str());
        let host = normalize_host(parts.scheme.unwrap_or(""), parts.net_loc.unwrap_or(""));
        let path = ServerPath::new(parts.path).path;
        Self { base, prefix: path, hosts: vec![host.unwrap_or_default()] }
    }

    /// Creates a deployment at the root of a host without a name that answers by https.
    #[must_use]
    #[doc(hidden)]
    pub fn secure() -> Self {
        Self::new(&Base::unchecked(SECURE_NAMELESS))
    }

    /// Parses a URL, and creates a deployment at it.
    ///
    /// # Errors
    ///
    /// If the URL is not usable as a base URL.
    pub fn parse(base_url: &str) -> Result<Self, Error> {
        Base::new(base_url).map(|base| Self::new(&base))
    }

    /// Removes the user and password from the URL of the root.
    pub(crate) fn without_credentials(self) -> Self {
        Self { base: self.base.without_credentials(), ..self }
    }

    /// Adds another name of the host, with a port if it is not the default.
    ///
    /// # Errors
    ///
    /// If the name is not a host.
    pub fn with_alias(mut self, host: &str) -> Result<Self, InvalidAlias> {
        let normalised = normalize_host("https", host).filter(|name| {
            !name.is_empty() && !host.contains(['/', '@', '?', '#']) && !name.contains('*')
        });
        self.hosts.push(normalised.ok_or_else(|| InvalidAlias(host.to_owned()))?);
        Ok(self)
    }

    /// Returns the URL of the root, with a trailing slash.
    #[must_use]
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// Whether no host is given.
    #[must_use]
    pub fn is_nameless(&self) -> bool {
        [NAMELESS, SECURE_NAMELESS].contains(&self.base.as_str())
    }

    /// Whether pages are served by https.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        has_scheme(self.base.as_str(), "https")
    }

    /// Returns the URL of a page, from its path relative to the root.
    #[must_use]
    pub fn page_url(&self, path: &Path) -> String {
        served_url(&self.base, path)
    }

    /// Returns the path of the root's URL, with slashes at both ends.
    #[doc(hidden)]
    #[must_use]
    pub fn base_path(&self) -> &str {
        self.without_host(self.base.as_str())
    }

    /// Strips scheme and host from a URL of [`Deployment::page_url`].
    pub(crate) fn without_host<'u>(&self, url: &'u str) -> &'u str {
        let parts = Components::parse(self.base.as_str());
        let host = |host: &str| "://".len() + host.len();
        let start = parts.scheme.map_or(0, str::len) + parts.net_loc.map_or(0, host);
        url.get(start..).unwrap_or(url)
    }

    /// Returns a URL as reports show it: on a nameless host, only its path.
    #[must_use]
    #[doc(hidden)]
    pub fn shown<'u>(&self, url: &'u str) -> &'u str {
        let base = self.base.as_str();
        if self.is_nameless() && url.starts_with(base) { &url[base.len() - 1..] } else { url }
    }

    /// Restores a whole URL from its form in reports: the inverse of [`Deployment::shown`].
    pub(crate) fn whole<'u>(&self, shown: &'u str) -> Cow<'u, str> {
        if self.is_nameless() && shown.starts_with('/') {
            Cow::Owned(format!("{}{}", self.base.as_str(), &shown[1..]))
        } else {
            Cow::Borrowed(shown)
        }
    }

    /// Returns the decoded path of the base URL, without a slash at either end.
    pub(crate) fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// Resolves the target of a redirect; paths are relative to the root of the site.
    pub(crate) fn redirect_url(&self, to: &str) -> String {
        let is_absolute = Components::parse(to).scheme.is_some() || to.starts_with("//");
        let reference = if is_absolute { to } else { to.trim_start_matches('/') };
        // With `./` in front, the first segment may contain a colon and is not read as a scheme.
        let guard = if is_absolute { "" } else { "./" };
        self.base.resolve_rfc1808(&format!("{guard}{reference}"), |_| {})
    }

    /// Locates an absolute URL.
    ///
    /// `http` and `https` URLs lead to the same site if both have the default port.
    #[must_use]
    #[doc(hidden)]
    pub fn locate<'u>(&self, url: &'u str) -> Location<'u> {
        let (rest, fragment) = split_off(url, b'#');
        let (rest, query) = split_off(rest, b'?');
        // The fast path of most URLs, which needs no parsing and no allocation.
        if let Some(path) = rest.strip_prefix(self.base.as_str()).filter(|path| is_plain(path)) {
            let (path, has_trailing_slash) = match path.strip_suffix('/') {
                Some(path) => (path, true),
                None => (path, path.is_empty()),
            };
            let path = Cow::Borrowed(path.as_bytes());
            return Location::Inside {
                path,
                has_trailing_slash,
                above_root: false,
                fragment,
                query,
            };
        }
        let parts = Components::parse(url);
        let (Some(scheme), Some(net_loc)) = (parts.scheme, parts.net_loc) else {
            return locate_without_host(url);
        };
        let is_site = self.has_scheme(scheme)
            && normalize_host(scheme, net_loc).is_some_and(|host| self.hosts.contains(&host));
        if !is_site {
            return Location::External;
        }
        let start = scheme.len() + "://".len() + net_loc.len();
        let ServerPath { path, has_trailing_slash, above_root } = ServerPath::new(&rest[start..]);
        match strip_folder(&self.prefix, &path) {
            Some(path) => {
                let path = Cow::Owned(path.to_vec());
                Location::Inside { path, has_trailing_slash, above_root, fragment, query }
            }
            None => Location::Outside { path, has_trailing_slash, fragment, query },
        }
    }

    /// Whether URLs of a scheme may lead to the site.
    fn has_scheme(&self, scheme: &str) -> bool {
        let site_scheme = Components::parse(self.base.as_str()).scheme.unwrap_or("");
        scheme.eq_ignore_ascii_case(site_scheme) || (is_web(scheme) && is_web(site_scheme))
    }
}

/// Normalizes the host and port of a URL.
///
/// NOTE: browsers distinguish `h.` from `h`; both names lead to the same server.
fn normalize_host(scheme: &str, net_loc: &str) -> Option<String> {
    let host = authority(scheme, net_loc)?;
    Some(match host.strip_suffix('.') {
        Some(host) => host.to_owned(),
        None => host.replace(".:", ":"),
    })
}

/// Whether a reference has `..` segments that lead above the root of the host. RFC 1808 decides for
/// every standard, because only it keeps surplus segments in the URL.
#[must_use]
pub fn climbs_above_root(base: &Base, reference: &str) -> bool {
    reference.contains("..")
        && Standard::Rfc1808.resolve(Some(base), reference).is_ok_and(|resolution| {
            resolution
                .url()
                .is_some_and(|url| ServerPath::new(Components::parse(url).path).above_root)
        })
}

/// Locates a URL without a host; browsers find a host in URLs with a special scheme.
fn locate_without_host(url: &str) -> Location<'_> {
    let is_special = ["http:", "https:", "ws:", "wss:", "ftp:", "file:"].iter().any(|special| {
        url.get(..special.len()).is_some_and(|start| start.eq_ignore_ascii_case(special))
    });
    if is_special { Location::External } else { Location::NotHierarchical }
}

fn has_scheme(url: &str, expected: &str) -> bool {
    Components::parse(url).scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(expected))
}

fn split_off(text: &str, delimiter: u8) -> (&str, Option<&str>) {
    match memchr::memchr(delimiter, text.as_bytes()) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// Whether a path after a slash needs no decoding and no normalization: it has no `%`, no empty
/// segment and no segment with a leading dot.
fn is_plain(path: &str) -> bool {
    let mut previous = b'/';
    path.bytes().all(|byte| {
        let is_plain = byte != b'%' && !(previous == b'/' && matches!(byte, b'/' | b'.'));
        previous = byte;
        is_plain
    })
}

/// The path of a URL, decoded and normalized as a server of files does.
pub(super) struct ServerPath {
    pub(super) path: Vec<u8>,
    pub(super) has_trailing_slash: bool,
    pub(super) above_root: bool,
}

impl ServerPath {
    /// Parses the path of an absolute URL: empty, or with a leading slash.
    pub(super) fn new(path: &str) -> Self {
        let mut segments: Vec<Cow<'_, [u8]>> = Vec::new();
        let mut above_root = false;
        let mut has_trailing_slash = true;
        for segment in path.split('/').skip(1) {
            let segment = decode_segment(segment);
            has_trailing_slash = matches!(&*segment, b"" | b"." | b"..");
            match &*segment {
                b"." => {}
                b".." => above_root |= segments.pop().is_none(),
                // Empty segments stay until the end, because a `..` after one removes it.
                _ => segments.push(segment),
            }
        }
        segments.retain(|segment| !segment.is_empty());
        Self { path: segments.join(&b'/'), has_trailing_slash, above_root }
    }
}

/// Percent-decodes a segment.
///
/// NOTE: segments with `%2F` or `%00` stay encoded: no file name has these bytes, and a decoded
/// slash would split the segment.
fn decode_segment(segment: &str) -> Cow<'_, [u8]> {
    let bytes: Cow<'_, [u8]> = percent_decode_str(segment).into();
    if bytes.contains(&b'/') || bytes.contains(&0) {
        Cow::Borrowed(segment.as_bytes())
    } else {
        bytes
    }
}

/// Strips a folder from a path; returns `None` if the path is not inside the folder.
pub(super) fn strip_folder<'p>(folder: &[u8], path: &'p [u8]) -> Option<&'p [u8]> {
    if folder.is_empty() {
        return Some(path);
    }
    match path.strip_prefix(folder)? {
        [] => Some(b""),
        [b'/', path @ ..] => Some(path),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows a path, with a slash if there is one, and `^` in front if it leads above the root.
    fn show(located: &Location<'_>) -> String {
        match located {
            Location::Inside { path, has_trailing_slash, above_root, fragment, query } => format!(
                "{}{}{}{}{}",
                if *above_root { "^" } else { "" },
                String::from_utf8_lossy(path),
                if *has_trailing_slash { "/" } else { "" },
                query.map(|query| format!("?{query}")).unwrap_or_default(),
                fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default(),
            ),
            Location::Outside { path, .. } => format!("outside {}", String::from_utf8_lossy(path)),
            Location::External => "external".to_owned(),
            Location::NotHierarchical => "none".to_owned(),
        }
    }

    #[track_caller]
    fn leads(base: &str, url: &str, expected: &str) {
        let deployment = Deployment::parse(base).unwrap().with_alias("www.h").unwrap();
        assert_eq!(show(&deployment.locate(url)), expected, "{url} on {base}");
    }

    #[test]
    fn a_url_below_the_base_is_a_file() {
        leads("https://h/", "https://h/a/b.html", "a/b.html");
        leads("https://h/", "https://h/a/", "a/");
        leads("https://h/", "https://h/", "/");
        leads("https://h/", "https://h", "/");
        leads("https://h", "https://h?q", "/?q");
        leads("https://h/", "https://h/a?b/c?d#e/f?g", "a?b/c?d#e/f?g");
        leads("https://h/", "https://h/a?#", "a?#");
        leads("https://h/", "https://h/a;x=1", "a;x=1");
        leads("https://h/?q#f", "https://h/a", "a");
    }

    #[test]
    fn the_host_may_be_written_otherwise() {
        leads("https://h/", "HTTPS://H/a", "a");
        leads("https://h/", "https://h:443/a", "a");
        leads("https://h/", "http://h/a", "a");
        leads("https://h/", "http://h:80/a", "a");
        leads("https://h/", "https://user:word@h./a", "a");
        leads("https://h/", "https://www.H/a", "a");
        leads("https://h/", "https://h:80/a", "external");
        leads("https://h:8443/", "https://h:8443/a", "a");
        leads("https://h:8443/", "https://h/a", "external");
        leads("https://\u{e4}.example/", "https://xn--4ca.example/a", "a");
        leads("file:///srv/", "file:///srv/a", "a");
        leads("file:///srv/", "http:///srv/a", "external");
    }

    #[test]
    fn another_place_is_not_looked_up() {
        leads("https://h/", "https://i/a", "external");
        leads("https://h/", "https://h.i/a", "external");
        leads("https://h/", "ftp://h/a", "external");
        leads("https://h/", "http:a", "external");
        leads("https://h/", "mailto:a@h", "none");
        leads("https://h/", "data:,https://h/a", "none");
        leads("https://h/", "https://[/", "external");
    }

    #[test]
    fn a_prefix_is_taken_off() {
        leads("https://h/p/q", "https://h/p/q/a", "a");
        leads("https://h/p/", "https://h/p/", "/");
        leads("https://h/p/", "https://h/p", "");
        leads("https://h/p/", "https://h/pq", "outside pq");
        leads("https://h/p/", "https://h/a", "outside a");
        leads("https://h/p/", "https://h/p/../a", "outside a");
        leads("https://h/p/", "https://h/x/../p/a", "a");
        leads("https://h/my%20p/", "https://h/my p/a", "a");
        leads("https://h/p/", "https://h/%70/a", "a");
        leads("https://h/p/", "https://h/../p/a", "^a");
    }

    #[test]
    fn dots_never_lead_out() {
        leads("https://h/", "https://h/../a", "^a");
        leads("https://h/", "https://h/a/../../b/../../c/", "^c/");
        leads("https://h/", "https://h/a/./b/..", "a/");
        leads("https://h/", "https://h/.", "/");
        leads("https://h/", "https://h/%2e%2E/a", "^a");
        leads("https://h/", "https://h/..%2f..%2Fetc/passwd", "..%2f..%2Fetc/passwd");
        leads("https://h/", "https://h/...", "...");
        leads("https://h/", "https://h/.well-known/x", ".well-known/x");
    }

    #[test]
    fn segments_are_decoded_and_empty_ones_do_not_count() {
        leads("https://h/", "https://h/a%20b%", "a b%");
        leads("https://h/", "https://h/a%00", "a%00");
        leads("https://h/", "https://h/a%3Fb%23c", "a?b#c");
        leads("https://h/", "https://h//a//b//", "a/b/");
        leads("https://h/", "https://h/a//../b", "a/b");
        leads("https://h/", "https://h/%C3%A4", "\u{e4}");
        leads("https://h/", "https://h/\u{e4}", "\u{e4}");
        let located = Deployment::parse("https://h/").unwrap();
        let Location::Inside { path, .. } = located.locate("https://h/%E4") else { panic!() };
        assert_eq!(&*path, b"\xe4");
    }

    #[test]
    fn a_nameless_host_shows_paths_alone() {
        let nameless = Deployment::default();
        let url = nameless.page_url(Path::new("a b/c.html"));
        assert_eq!(nameless.shown(&url), "/a%20b/c.html");
        assert_eq!(show(&nameless.locate(&url)), "a b/c.html");
        assert_eq!(show(&nameless.locate("http://h/")), "external");
        assert!(nameless.is_nameless() && !nameless.is_secure());
        let named = Deployment::parse("https://h/p").unwrap();
        assert!(named.is_secure() && !named.is_nameless());
        assert_eq!(named.shown("https://h/p/"), "https://h/p/");
        assert_eq!(named.page_url(Path::new("a.html")), "https://h/p/a.html");
    }

    #[test]
    fn an_alias_is_a_host() {
        for alias in ["", "a/b", "https://h", "*.h", "a b", "h?"] {
            let error = Deployment::default().with_alias(alias).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("'{alias}' is not a host, expected a name such as www.example.org")
            );
        }
    }

    #[track_caller]
    fn redirects(to: &str, expected: &str) {
        assert_eq!(Deployment::parse("https://h/p/").unwrap().redirect_url(to), expected);
    }

    #[test]
    fn a_redirect_counts_from_the_root_of_the_site() {
        redirects("/a/b?c#d", "https://h/p/a/b?c#d");
        redirects("/", "https://h/p/");
        redirects("/a:b", "https://h/p/a:b");
        redirects("http://i/", "http://i/");
        redirects("//i/a", "https://i/a");
    }

    #[test]
    fn a_reference_that_climbs_too_high_is_seen_whatever_the_standard() {
        let climbs =
            |base: &str, reference| climbs_above_root(&Base::new(base).unwrap(), reference);
        assert!(climbs("http://h/a/b", "../../c"));
        assert!(climbs("http://h/a", "/../c"));
        assert!(!climbs("http://h/a/b", "../c"));
        assert!(!climbs("http://h/a/b", "c..d"));
        assert!(!climbs("http://h/a/b", "?../../.."));
    }
}
