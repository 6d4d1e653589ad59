//! The host and port of a URL in one form.

/// Normalized host and port: no user, lower case, without the [default port][port].
///
/// [port]: https://url.spec.whatwg.org/#default-port
pub(crate) fn authority(scheme: &str, net_loc: &str) -> Option<String> {
    let host = net_loc.rsplit_once('@').map_or(net_loc, |(_, host)| host);
    let digits = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) if digits(port) => (host, port),
        _ => (host, ""),
    };
    let is_usual = match port {
        "" => true,
        "80" => scheme.eq_ignore_ascii_case("http"),
        "443" => scheme.eq_ignore_ascii_case("https"),
        _ => false,
    };
    let mut host = match host {
        "" => String::new(),
        _ => ::url::Host::parse(host).ok()?.to_string(),
    };
    if host.ends_with('.') {
        host.pop();
    }
    if !is_usual {
        host.push(':');
        host.push_str(port);
    }
    Some(host)
}
