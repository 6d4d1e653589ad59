//! Rules about the URL that a reference resolves to.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use ::url::{Host, Url};
use absolve::url::rfc1808::{Components, scheme_end};
use absolve::url::{clean, masked};

use crate::{LinkScope, Rule, after_scheme, rows};

rows! {
    FtpTypeD: Off, Reference, Rfc;
        summary: "an ftp: URL has ;type=d",
        reason: "RFC 1808 section 5.3 advises against it: links in the listing resolve against the \
                 wrong folder.",
        example: "<a href=\"ftp://example.org/pub;type=d\">",
        fix: "Write a trailing slash instead.";

    ForbiddenHost: Error, Url;
        summary: "a link to a host that --forbid-host names",
        reason: "The hosts are those that a site must not link to or load from, such as a staging server, \
                 a tracker or a domain that was given up. Their subdomains are included.",
        example: "<script src=\"https://cdn.tracker.example/t.js\"> with --forbid-host tracker.example",
        fix: "Remove the link, or write the URL on another host.";

    LeakedDevelopmentUrl: Warn, Message;
        summary: "a URL of the machine that the site was built on",
        reason: "It leads each visitor to the visitor's own machine, where nothing answers. A link of the \
                 text (a href) to a local host is a note, as it may name the visitor's own server.",
        example: "<a href=\"http://localhost:3000/\">, <img src=\"file:///C:/site/a.png\">, \
                  <img src=\"C:\\site\\a.png\">",
        fix: "Write a relative reference, or the URL that visitors can reach.";
}

/// A URL that a reference resolves to, with its scope and the forbidden hosts.
pub(crate) struct NamedUrl<'u> {
    pub(crate) reference: &'u str,
    pub(crate) url: &'u str,
    pub(crate) scope: LinkScope,
    pub(crate) forbidden: &'u [ForbiddenHost],
}

/// Returns the message if a URL violates a rule.
type UrlCheck = fn(&NamedUrl<'_>) -> Option<Cow<'static, str>>;

/// The checks of a URL that need no file of the site.
pub(crate) const CHECKS: &[(Rule, UrlCheck)] = &[
    (Rule::FtpTypeD, |named| check_ftp_type_d(named.url).map(Cow::Borrowed)),
    (Rule::LeakedDevelopmentUrl, |named| named.check_leak().map(Cow::Borrowed)),
    (Rule::ForbiddenHost, |named| named.check_forbidden().map(Cow::Owned)),
];

impl NamedUrl<'_> {
    fn check_leak(&self) -> Option<&'static str> {
        let Self { reference, url, scope, .. } = *self;
        let is_absolute = scheme_end(reference).is_some() || reference.starts_with("//");
        let may_leak = is_absolute && scope == LinkScope::External;
        may_leak.then(|| check_development_url(reference, url)).flatten()
    }

    /// Returns the message about the first forbidden host that matches the URL.
    fn check_forbidden(&self) -> Option<String> {
        if self.forbidden.is_empty() || self.scope == LinkScope::Internal {
            return None;
        }
        let url = Url::parse(self.url).ok()?;
        let ForbiddenHost(host) = self.forbidden.iter().find(|host| host.matches_url(&url))?;
        Some(format!("it leads to the forbidden host '{host}'"))
    }
}

/// [`Rule::FtpTypeD`], of the URL that a reference resolves to
/// ([RFC 1808 section 5.3](https://www.rfc-editor.org/rfc/rfc1808#section-5.3)).
fn check_ftp_type_d(url: &str) -> Option<&'static str> {
    after_scheme(url, "ftp")?;
    let params = Components::parse(url).params?;
    let is_directory = params.split(';').any(|param| param.eq_ignore_ascii_case("type=d"));
    is_directory.then_some("an ftp: URL with ;type=d; write a trailing slash instead")
}

/// [`Rule::LeakedDevelopmentUrl`], for an absolute reference and its URL: a path on a Windows
/// drive, a `file:` URL, or a loopback or unspecified host.
fn check_development_url(reference: &str, url: &str) -> Option<&'static str> {
    let reference = clean(reference);
    if let [drive, b':', b'/' | b'\\', ..] = reference.as_bytes()
        && drive.is_ascii_alphabetic()
    {
        return Some("a path on a Windows drive: it exists on one machine only");
    }
    let parts = Components::parse(url);
    if parts.scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("file")) {
        return Some("a file: URL: it leads to a file of the visitor's machine");
    }
    find_local_host(url).map(|_| "a local host: it leads to the visitor's own machine")
}

/// Whether the host of a URL is the visitor's own machine.
pub(crate) fn is_local(url: &str) -> bool {
    find_local_host(url).is_some()
}

/// A host that is the visitor's own machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocalHost {
    /// [Loopback](https://www.rfc-editor.org/rfc/rfc6761#section-6.3).
    Loopback,
    /// `0.0.0.0` or `[::]`, for which systems connect to themselves.
    Unspecified,
}

/// Finds the local host of a URL, in any spelling that browsers accept, such as `127.1`.
pub(crate) fn find_local_host(url: &str) -> Option<LocalHost> {
    if Components::parse(url).net_loc.is_some_and(is_other_name) {
        return None;
    }
    let url = Url::parse(url).ok()?;
    let address = match url.host()? {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            if name == "localhost" || name.ends_with(".localhost") {
                return Some(LocalHost::Loopback);
            }
            // An address in a URL whose scheme is not special.
            IpAddr::V4(name.parse().ok()?)
        }
        Host::Ipv4(address) => IpAddr::V4(address),
        Host::Ipv6(address) => IpAddr::V6(address).to_canonical(),
    };
    if address.is_loopback() {
        Some(LocalHost::Loopback)
    } else {
        address.is_unspecified().then_some(LocalHost::Unspecified)
    }
}

/// Whether a host is clearly a name other than `localhost`. Most hosts are, and need no URL parser.
fn is_other_name(net_loc: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let last = net_loc.rsplit('.').next().unwrap_or_default();
    net_loc.bytes().all(is_plain)
        && last.starts_with(|c: char| c.is_ascii_alphabetic())
        && !last.eq_ignore_ascii_case("localhost")
}

/// A host that the links of a site must not lead to, with its subdomains.
///
/// ```
/// use absolve_site::ForbiddenHost;
///
/// let host = ForbiddenHost::new("tracker.example")?;
/// assert!(host.matches("https://cdn.tracker.example:8443/t.js"));
/// assert!(!host.matches("https://nottracker.example/"));
/// # Ok::<(), absolve_site::InvalidForbiddenHost>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForbiddenHost(Host);

/// The error of a text that is not a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidForbiddenHost(String);

impl fmt::Display for InvalidForbiddenHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = masked(&self.0);
        write!(f, "'{host}' is not a host, expected a name such as tracker.example without a port")
    }
}

impl std::error::Error for InvalidForbiddenHost {}

impl ForbiddenHost {
    /// Parses the name or the address of a host, by the [URL Standard][spec].
    ///
    /// # Errors
    ///
    /// If the text is not a host: for example, if it has a scheme, a port, a path or a `*`.
    ///
    /// [spec]: https://url.spec.whatwg.org/#concept-host-parser
    pub fn new(host: &str) -> Result<Self, InvalidForbiddenHost> {
        let name = host.trim_start_matches('.').trim_end_matches('.');
        match Host::parse(name) {
            Ok(parsed) if !name.contains('*') => Ok(Self(parsed)),
            _ => Err(InvalidForbiddenHost(host.to_owned())),
        }
    }

    /// Whether the host of a URL is this one or a subdomain of it.
    #[must_use]
    pub fn matches(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| self.matches_url(&url))
    }

    fn matches_url(&self, url: &Url) -> bool {
        match (url.host(), &self.0) {
            (Some(Host::Domain(name)), Host::Domain(forbidden)) => {
                let name = name.trim_end_matches('.').to_ascii_lowercase();
                let prefix = name.strip_suffix(forbidden.as_str());
                prefix.is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('.'))
            }
            (Some(Host::Ipv4(address)), Host::Ipv4(forbidden)) => address == *forbidden,
            (Some(Host::Ipv6(address)), Host::Ipv6(forbidden)) => address == *forbidden,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_of_the_machine_is_found() {
        for url in [
            "http://localhost:3000/a",
            "https://u@LOCALHOST/",
            "ws://a.localhost",
            "http://127.0.0.1",
            "http://127.1.2.3:80/",
            "http://0.0.0.0:8000/",
            "http://[::1]:80/",
            "http://127.1/",
            "http://0x7f.1/",
            "http://2130706433/",
            "http://[::ffff:127.0.0.1]/",
            "http://0/",
            "http://[::]/",
            "http://%6cocalhost./",
            "postgres://127.0.0.1/",
            "file:///srv/a.html",
            "FILE://h/a",
            "C:\\a\\b.png",
            "d:/a",
        ] {
            assert!(check_development_url(url, url).is_some(), "{url}");
        }
        for url in [
            "http://localhost.org/",
            "http://128.0.0.1/",
            "http://h/localhost",
            "mailto:a@localhost",
            "c:a",
            "http://[::2]/",
            "http://[::ffff:128.0.0.1]/",
            "http://128.1/",
            "http://2130706433.example/",
            "http://1.2.3.4.5/",
        ] {
            assert_eq!(check_development_url(url, url), None, "{url}");
        }
    }

    #[test]
    fn a_host_has_its_subdomains() {
        for (host, url, expected) in [
            ("h.example", "https://h.example/a", true),
            ("H.example.", "HTTP://a.b.h.EXAMPLE.:81/", true),
            (".h.example", "ws://u:p@h.example", true),
            ("k\u{e4}se.example", "https://xn--kse-qla.example/", true),
            ("h.example", "x://A.H.example/", true),
            ("h.example", "https://ah.example/", false),
            ("h.example", "https://example/h.example", false),
            ("127.0.0.1", "http://127.1/", true),
            ("[::1]", "http://[0::1]/", true),
            ("0.0.1", "http://1.0.0.1/", false),
            ("h.example", "mailto:a@h.example", false),
        ] {
            assert_eq!(ForbiddenHost::new(host).unwrap().matches(url), expected, "{host} {url}");
        }
    }

    #[test]
    fn other_texts_are_no_hosts() {
        for text in ["", ".", "*.h", "h:80", "http://h", "h/a", "a b", "u@h"] {
            assert!(ForbiddenHost::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_ftp_url_of_a_directory_is_found() {
        for url in ["ftp://h/a;type=d", "FTP://h/a;TYPE=D?x#y", "ftp://h/a;x;type=d"] {
            assert!(check_ftp_type_d(url).is_some(), "{url}");
        }
        for url in ["ftp://h/a;type=i", "http://h/a;type=d", "ftp://h/a?;type=d"] {
            assert_eq!(check_ftp_type_d(url), None, "{url}");
        }
    }
}
