//! Hosts that links must not lead to.

use std::fmt;

use ::url::{Host, Url};

use crate::url::masked;

/// A host that the links of a site must not lead to, with its subdomains.
///
/// ```
/// use absolve::audit::ForbiddenHost;
///
/// let host = ForbiddenHost::new("tracker.example")?;
/// assert!(host.matches("https://cdn.tracker.example:8443/t.js"));
/// assert!(!host.matches("https://nottracker.example/"));
/// # Ok::<(), absolve::audit::InvalidForbiddenHost>(())
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
    /// If it is not a host, as with a scheme, a port, a path or a `*`.
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
        Url::parse(url).is_ok_and(|url| self.has(&url))
    }

    fn has(&self, url: &Url) -> bool {
        match (url.host(), &self.0) {
            (Some(Host::Domain(name)), Host::Domain(own)) => {
                let name = name.trim_end_matches('.').to_ascii_lowercase();
                let before = name.strip_suffix(own.as_str());
                before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
            }
            (Some(Host::Ipv4(address)), Host::Ipv4(own)) => address == *own,
            (Some(Host::Ipv6(address)), Host::Ipv6(own)) => address == *own,
            _ => false,
        }
    }
}

/// The message of the first of these hosts that a URL leads to.
pub(crate) fn forbidden(url: &str, hosts: &[ForbiddenHost]) -> Option<String> {
    if hosts.is_empty() {
        return None;
    }
    let url = Url::parse(url).ok()?;
    let ForbiddenHost(host) = hosts.iter().find(|host| host.has(&url))?;
    Some(format!("it leads to the forbidden host '{host}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
