//! The keys of an index: SURTs, URLs whose order is that of sites and their paths.
//!
//! They equal those of [surt] 0.3 for Python, by which `cdxj-indexer` writes and pywb searches
//! them: a scheme, `www.` and letter case do not count, escapes are undone and written again, query
//! parameters are sorted, and session IDs are left out.
//!
//! NOTE: an ASCII form of a name in other letters is that of the URL Standard (UTS 46, made
//! transitional as in IDNA 2003), not of Python's older tables.
//!
//! The crate `surt-rs` 0.1 has other rules: it refuses URLs with other schemes than `http` and
//! `https`, keeps fragments, undoes escapes once, and takes addresses as the URL Standard does.
//!
//! [surt]: https://pypi.org/project/surt/

mod escapes;
mod host;
mod session;

use std::fmt::Write;

use escapes::{escaped, unescaped};
use host::canonical_host;

/// The key of a URL; a URL that the rules do not cover is its own key.
pub(super) fn surt(url: &str) -> String {
    match url {
        "" => "-".to_owned(),
        _ if url.starts_with("filedesc") => url.to_owned(),
        _ => plain_key(url).or_else(|| key(url)).unwrap_or_else(|| url.to_owned()),
    }
}

/// The key of a URL of letters, digits, dots and dashes, for which few rules count; `None` for
/// others. An index of 1,000,000 small records takes 1.2 s less of 21 s with it.
fn plain_key(url: &str) -> Option<String> {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"))?;
    let (host, path) = rest.split_at(rest.find('/')?);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_label = |label: &str| !label.is_empty() && label.bytes().all(is_plain);
    // Others may be numbers of an IPv4 address.
    let is_name = host.as_bytes().last().is_some_and(u8::is_ascii_alphabetic);
    if !is_name || !host.split('.').all(is_label) || host.as_bytes()[0].eq_ignore_ascii_case(&b'w')
    {
        return None;
    }
    let mut key = String::with_capacity(url.len());
    for label in host.rsplit('.') {
        key.push_str(label);
        key.push(',');
    }
    key.pop();
    key.push(')');
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        let is_empty_path = is_last && key.ends_with(')');
        let is_plain = segment.bytes().all(|byte| is_plain(byte) || byte == b'.');
        match segment {
            "" if is_empty_path => key.push('/'),
            // A slash at the end does not count.
            "" if is_last => {}
            "" | "." | ".." => return None,
            _ if !is_plain => return None,
            _ => key.extend(["/", segment]),
        }
    }
    key.make_ascii_lowercase();
    Some(key)
}

/// The parts of a URL, by the expression of [RFC 3986 appendix B][rfc].
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc3986#appendix-B
struct Parts<'u> {
    scheme: &'u str,
    authority: &'u str,
    path: &'u str,
    query: &'u str,
}

impl<'u> Parts<'u> {
    fn of(url: &'u str) -> Self {
        let url = url.split('#').next().unwrap_or_default();
        let (scheme, rest) = scheme(url).unwrap_or(("", url));
        let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = match before.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            None => ("", before),
        };
        Self { scheme, authority, path, query }
    }
}

fn key(url: &str) -> Option<String> {
    let is_space = |c: char| c.is_ascii_whitespace() || c == '\x0b';
    let mut url = url.trim_matches(is_space).replace(['\n', '\r', '\t'], "");
    if scheme(&url).is_none() {
        url.insert_str(0, "http://");
    }
    let parts = Parts::of(last_protocol(&url));
    let (host, port) = host_and_port(parts.authority)?;
    let (mut host, mut path) = (host, parts.path.to_owned());
    if host.is_none() && parts.scheme.starts_with("http") && !path.is_empty() {
        // As in `http:////host/`.
        let (first, rest) = path
            .trim_start_matches('/')
            .split_once('/')
            .unwrap_or((path.trim_start_matches('/'), ""));
        (host, path) = (Some(first.to_owned()), format!("/{rest}"));
    }
    let host = host.map(|host| canonical_host(&host)).unwrap_or_default();
    let mut key = String::new();
    if host.is_empty() {
        write!(key, "{}:", parts.scheme).ok()?;
    } else {
        let host = if parts.scheme == "dns" { &*host } else { without_www(&host) };
        let labels: Vec<&str> = host.rsplit('.').collect();
        key.push_str(&labels.join(","));
        if let Some(port) = port.filter(|&port| port != default_port(parts.scheme)) {
            write!(key, ":{port}").ok()?;
        }
        key.push(')');
    }
    let path = unescaped(path.as_bytes());
    let path = if host.is_empty() { path } else { normal_path(&path) };
    let path = session::without_path_session(escaped(&path).to_ascii_lowercase());
    let query = session::without_query_session(escaped(&unescaped(parts.query.as_bytes())));
    let query = sorted_query(&query.to_ascii_lowercase());
    key.push_str(path.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(&path));
    if path.is_empty() && !query.is_empty() {
        key.push('/');
    }
    if !query.is_empty() {
        key.push('?');
        key.push_str(&query);
    }
    Some(key)
}

/// The scheme of a URL, and what is after its colon.
fn scheme(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme.then_some((scheme, rest))
}

/// The URL without protocols before its last, as in `http://https://host/`.
fn last_protocol(url: &str) -> &str {
    let after = |url| {
        let url: &str = url;
        url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"))
    };
    let mut url = url;
    while let Some(inner) = after(url).filter(|&inner| after(inner).is_some()) {
        url = inner;
    }
    url
}

/// The host without user names, in lower case, and the port; `None` if the port is malformed.
fn host_and_port(authority: &str) -> Option<(Option<String>, Option<u16>)> {
    let authority = authority.trim_end_matches(':');
    let (_, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (host, port) = match host.split_once('[') {
        Some((_, inside)) => {
            let (host, after) = inside.split_once(']').unwrap_or((inside, ""));
            (host, after.split_once(':').map_or("", |(_, port)| port))
        }
        None => host.split_once(':').unwrap_or((host, "")),
    };
    let port = match port {
        "" => None,
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(digits.trim_start_matches('0'))
        }
        _ => return None,
    };
    let port = match port {
        None | Some("") => None,
        Some(digits) => Some(digits.parse().ok()?),
    };
    // A zone keeps its case.
    let (name, zone) = host.split_at(host.find('%').unwrap_or(host.len()));
    Some(((!host.is_empty()).then(|| name.to_ascii_lowercase() + zone), port))
}

fn default_port(scheme: &str) -> u16 {
    match &*scheme.to_ascii_lowercase() {
        "http" => 80,
        "https" => 443,
        _ => 0,
    }
}

/// The host without `www.`, or `www2.`.
fn without_www(host: &str) -> &str {
    let rest =
        host.strip_prefix("www").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.and_then(|rest| rest.strip_prefix('.')).unwrap_or(host)
}

/// The path without empty and dot segments.
fn normal_path(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|&byte| byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    let mut normal = b"/".to_vec();
    let last = kept.pop().unwrap_or_default();
    for segment in kept.into_iter().filter(|segment| !segment.is_empty()) {
        normal.extend_from_slice(segment);
        normal.push(b'/');
    }
    normal.extend_from_slice(last);
    normal
}

/// The parameters of a query, sorted by name, then by value.
fn sorted_query(query: &str) -> String {
    if query.len() <= 1 {
        return query.to_owned();
    }
    let mut parameters: Vec<Vec<&str>> =
        query.split('&').map(|parameter| parameter.splitn(2, '=').collect()).collect();
    parameters.sort_unstable();
    let parameters: Vec<String> = parameters.iter().map(|parameter| parameter.join("=")).collect();
    parameters.join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// URLs, and what surt 0.3.1 for Python gives for them.
    const KEYS: &[(&str, &str)] = &[
        ("http://www.example.org/", "org,example)/"),
        (
            "https://WWW2.Example.Org:443/A/B/../C//./d/?b=2&a=1&a=0#frag",
            "org,example)/a/c/d?a=0&a=1&b=2",
        ),
        ("http://example.org:8080/x?", "org,example:8080)/x"),
        ("http://example.org:/x/", "org,example)/x"),
        ("http://example.org:0/", "org,example)/"),
        ("http://example.org:99999/", "http://example.org:99999/"),
        ("http://user:pw@example.org/", "org,example)/"),
        ("http://[2001:DB8::1]:81/p", "2001:db8::1:81)/p"),
        ("dns:Example.org", "dns:example.org"),
        ("filedesc:foo", "filedesc:foo"),
        ("mailto:A@b.example", "mailto:a@b.example"),
        ("urn:pageinfo:http://example.org/Page", "urn:pageinfo:http://example.org/page"),
        ("HTTP://EXAMPLE.ORG/Path", "org,example)/path"),
        ("http://https://http://www.example.org/", "org,example)/"),
        ("http:////www.vikings.example", "example,vikings)/"),
        ("example.org/no/scheme", "org,example)/no/scheme"),
        ("http://1.2.3.4/", "4,3,2,1)/"),
        ("http://3232235777/", "1,1,168,192)/"),
        ("http://0177.0.0.1/", "1,0,0,127)/"),
        ("http://1.010.0.1/", "1,0,8,1)/"),
        ("http://10.1/", "1,0,0,10)/"),
        ("http://1.256/", "0,1,0,1)/"),
        ("http://1.2.3.4.5/", "5,4,3,2,1)/"),
        ("http://1.08/", "08,1)/"),
        ("http://café.example/é?é=è", "example,xn--caf-dma)/%c3%a9?%c3%a9=%c3%a8"),
        ("http://caf%C3%A9.example/%E9", "example,xn--caf-dma)/%e9"),
        ("http://straße.example/", "example,strasse)/"),
        ("http://例え。テスト/", "xn--zckzah,xn--r8jz45g)/"),
        ("http://bücher..example/", "example,b%c3%bccher)/"),
        ("http://a...b./", "b,,a)/"),
        ("http://./x", "http:/x"),
        ("http://www.com/", "com)/"),
        ("http://example.org/%2525252541%00%7f%23%3F", "org,example)/a%00%7f%23?"),
        (
            "http://example.org/?x=1&jsessionid=0123456789ABCDEF0123456789ABCDEF&y=2",
            "org,example)/?x=1&y=2",
        ),
        ("http://example.org/?a=1&SID=0123456789ABCDEF0123456789ABCDEF", "org,example)/?&a=1"),
        (
            "http://example.org/?ASPSESSIONIDabcdefgh=abcdefghijklmnopqrstuvwx&z=1",
            "org,example)/?z=1",
        ),
        ("http://example.org/?b=3&cfid=1&cftoken=2&a", "org,example)/?a&b=3"),
        ("http://example.org/?cfid=&cftoken=2", "org,example)/?cfid=&cftoken=2"),
        (
            "http://example.org/(S(abcdefghijklmnopqrstuvwx))/Default.aspx?x",
            "org,example)/default.aspx?x",
        ),
        (
            "http://example.org/a/(A(abcdefghijklmnopqrstuvwx)S(abcdefghijklmnopqrstuvw1))/d/page.aspx",
            "org,example)/a/d/page.aspx",
        ),
        (
            "http://example.org/(abcdefghijklmnopqrstuvwx)/page.aspx.html",
            "org,example)/page.aspx.html",
        ),
        (
            "http://example.org/(abcdefghijklmnopqrstuvwx)/.aspx",
            "org,example)/(abcdefghijklmnopqrstuvwx)/.aspx",
        ),
        ("http://example.org/?b&a=&a&=x&&c==2=3", "org,example)/?&=x&a&a=&b&c==2=3"),
        ("http://example.org/../../a/..", "org,example)/"),
        ("http://example.org?q=1", "org,example)/?q=1"),
        ("ftp://ftp.example.org:21/X", "org,example,ftp:21)/x"),
        ("http://exa mple.org/a b", "org,exa%20mple)/a%20b"),
        ("http:", "http:"),
        ("http:///path/only", "path)/only"),
    ];

    #[test]
    fn keys_are_those_of_python() {
        for (url, expected) in KEYS {
            assert_eq!(surt(url), *expected, "{url}");
        }
        assert_eq!(surt(""), "-");
    }

    #[test]
    fn plain_keys_are_those_of_the_rules() {
        const ATOMS: &[&str] = &[
            "a", "B", "1", "0x", ".", "/", "..", "-", "_", "w", "www.", "com", "%", ":", "//", "?",
        ];
        let mut count = 0;
        for number in 0..ATOMS.len().pow(5) {
            let atom = |place: u32| ATOMS[number / ATOMS.len().pow(place) % ATOMS.len()];
            let url = format!("http://{}{}{}{}{}", atom(0), atom(1), atom(2), atom(3), atom(4));
            let Some(plain) = plain_key(&url) else { continue };
            assert_eq!(Some(plain), key(&url), "{url}");
            count += 1;
        }
        assert!(count > 15_000, "{count}");
        assert!(plain_key("https://example.org/a/b.html").is_some());
    }
}
