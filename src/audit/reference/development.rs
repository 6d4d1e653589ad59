//! URLs of the machine that a site was built on.

use std::net::IpAddr;

use ::url::{Host, Url};

use crate::url::clean;
use crate::url::rfc1808::Components;

/// [`Rule::LeakedDevelopmentUrl`](crate::audit::reference::Rule::LeakedDevelopmentUrl), for an
/// absolute reference and its URL: a path on a Windows drive, a `file:` URL, or a loopback or
/// unspecified host.
#[must_use]
pub fn development_url(reference: &str, url: &str) -> Option<&'static str> {
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
    local_host(url).map(|_| "a local host: it leads to the visitor's own machine")
}

/// Whether the host of a URL is the machine of whoever follows a link.
#[must_use]
pub fn is_local(url: &str) -> bool {
    local_host(url).is_some()
}

/// A host that is the machine of whoever follows a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LocalHost {
    /// [Loopback](https://www.rfc-editor.org/rfc/rfc6761#section-6.3).
    Loopback,
    /// `0.0.0.0` or `[::]`, for which systems connect to themselves.
    Unspecified,
}

/// The local host of a URL, in any spelling that browsers read so, such as `127.1`.
pub(super) fn local_host(url: &str) -> Option<LocalHost> {
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
    match () {
        () if address.is_loopback() => Some(LocalHost::Loopback),
        () if address.is_unspecified() => Some(LocalHost::Unspecified),
        () => None,
    }
}

/// Whether a host is clearly a name, and not that of a local host: most are, and need no parser.
fn is_other_name(net_loc: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let last = net_loc.rsplit('.').next().unwrap_or_default();
    net_loc.bytes().all(is_plain)
        && last.starts_with(|first: char| first.is_ascii_alphabetic())
        && !last.eq_ignore_ascii_case("localhost")
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
            assert!(development_url(url, url).is_some(), "{url}");
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
            assert_eq!(development_url(url, url), None, "{url}");
        }
    }
}
