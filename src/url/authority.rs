//! The host and port of a URL in one form.

/// Normalized host and port: no user, lower case, without the [default port][port]. A host with a dot
/// at its end is [another one][host].
///
/// [port]: https://url.spec.whatwg.org/#default-port
/// [host]: https://url.spec.whatwg.org/#concept-host-equals
pub(crate) fn authority(scheme: &str, net_loc: &str) -> Option<String> {
    let (host, port) = host_and_port(net_loc);
    let is_usual = match port {
        "" => true,
        "80" => scheme.eq_ignore_ascii_case("http"),
        "443" => scheme.eq_ignore_ascii_case("https"),
        _ => false,
    };
    let mut host = normalized(host)?;
    if !is_usual {
        host.push(':');
        host.push_str(port);
    }
    Some(host)
}

/// Whether two hosts are the same, at whatever port.
pub(crate) fn have_one_host(one: &str, other: &str) -> bool {
    let host = |net_loc| normalized(host_and_port(net_loc).0);
    host(one).is_some_and(|own| host(other) == Some(own))
}

/// The host without user and password, and the port.
fn host_and_port(net_loc: &str) -> (&str, &str) {
    let host = net_loc.rsplit_once('@').map_or(net_loc, |(_, host)| host);
    let digits = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    match host.rsplit_once(':') {
        Some((host, port)) if digits(port) => (host, port),
        _ => (host, ""),
    }
}

fn normalized(host: &str) -> Option<String> {
    match host {
        "" => Some(String::new()),
        _ => Some(::url::Host::parse(host).ok()?.to_string()),
    }
}
