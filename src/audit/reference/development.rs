//! URLs of the machine that a site was built on.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::url::clean;
use crate::url::rfc1808::Components;

/// [`Rule::LeakedDevelopmentUrl`](crate::audit::reference::Rule::LeakedDevelopmentUrl), for an
/// absolute reference and its URL: a path on a Windows drive, a `file:` URL, or a [loopback][spec]
/// host.
///
/// [spec]: https://www.rfc-editor.org/rfc/rfc6761#section-6.3
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
    let host = parts.net_loc?;
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    is_local(host).then_some("a local host: it leads to the visitor's own machine")
}

/// Whether a host, with or without a port, is the machine itself.
fn is_local(host: &str) -> bool {
    if let Some((address, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return address.parse().is_ok_and(|ip: Ipv6Addr| ip.is_loopback());
    }
    let name = host.split(':').next().unwrap_or(host).trim_end_matches('.').to_ascii_lowercase();
    let is_address = |ip: Ipv4Addr| ip.is_loopback() || ip.is_unspecified();
    name == "localhost" || name.ends_with(".localhost") || name.parse().is_ok_and(is_address)
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
        ] {
            assert_eq!(development_url(url, url), None, "{url}");
        }
    }
}
