//! Processes the text of URLs: removes characters that parsers ignore, splits URLs around the path,
//! removes dot segments, and normalizes host and port.

use std::borrow::Cow;

use super::rfc1808::scheme_end;

/// Removes C0 controls and spaces around a reference, and TAB, LF and CR inside it: the first steps
/// of the [basic URL parser][parser].
///
/// NOTE: RFC 1808 has no such rule. Without it, `\x01javascript:x` is a path, but runs in browsers.
///
/// [parser]: https://url.spec.whatwg.org/#concept-basic-url-parser
#[must_use]
#[inline]
pub fn clean(reference: &str) -> Cow<'_, str> {
    if reference.bytes().all(|byte| byte > b' ') {
        return Cow::Borrowed(reference);
    }
    clean_thoroughly(reference)
}

#[cold]
fn clean_thoroughly(reference: &str) -> Cow<'_, str> {
    let trimmed = reference.trim_matches(|c| c <= ' ');
    if trimmed.bytes().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r')) {
        Cow::Owned(trimmed.replace(['\t', '\n', '\r'], ""))
    } else {
        Cow::Borrowed(trimmed)
    }
}

/// Whether a character is invisible: a zero-width space, a byte order mark, a soft hyphen, or a
/// character that changes the direction of text.
///
/// The joiners U+200C and U+200D are not among them: they are letters of some scripts, and parts of
/// emoji.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// The parts of an absolute URL, as slices: those before its path, the path, and those after it.
/// Parameters belong to the path, as on file servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'u> {
    #[doc(hidden)]
    pub scheme: &'u str,
    /// The text between `//` and the path.
    #[doc(hidden)]
    pub net_loc: &'u str,
    #[doc(hidden)]
    pub path: &'u str,
    /// The query and the fragment, each with its delimiter.
    pub(crate) rest: &'u str,
}

impl<'u> Parts<'u> {
    /// Splits a URL; `None` if it has no scheme or no `//` after the scheme.
    #[must_use]
    #[doc(hidden)]
    pub fn of(url: &'u str) -> Option<Self> {
        let colon = scheme_end(url)?;
        let after = url[colon + 1..].strip_prefix("//")?;
        let end = after.find(['/', '?', '#']).unwrap_or(after.len());
        let (net_loc, after) = after.split_at(end);
        let (path, rest) = after.split_at(after.find(['?', '#']).unwrap_or(after.len()));
        Some(Self { scheme: &url[..colon], net_loc, path, rest })
    }

    /// Returns the query with its `?`, and the fragment with its `#`.
    pub(crate) fn query_and_fragment(self) -> (&'u str, &'u str) {
        self.rest.split_at(self.rest.find('#').unwrap_or(self.rest.len()))
    }

    /// Returns user and password, if the URL has them.
    #[must_use]
    #[doc(hidden)]
    pub fn credentials(self) -> Option<&'u str> {
        self.net_loc.rsplit_once('@').map(|(credentials, _)| credentials)
    }

    /// Adds user and password to a URL without them.
    #[must_use]
    #[doc(hidden)]
    pub fn with_user(self, user: &str) -> String {
        let Self { scheme, net_loc, path, rest } = self;
        format!("{scheme}://{user}@{net_loc}{path}{rest}")
    }

    /// Returns the URL without user and password.
    #[must_use]
    #[doc(hidden)]
    pub fn without_user(self) -> String {
        let Self { scheme, net_loc, path, rest } = self;
        let host = net_loc.rsplit_once('@').map_or(net_loc, |(_, host)| host);
        format!("{scheme}://{host}{path}{rest}")
    }
}

/// Parses a dot segment, `.` or `..`, also percent-encoded; `None` for any other segment
/// ([URL Standard](https://url.spec.whatwg.org/#double-dot-path-segment)).
pub(crate) fn parse_dots(segment: &str) -> Option<Dots> {
    let is_dot = |segment: &str| segment == "." || segment.eq_ignore_ascii_case("%2e");
    let may_be_dots = segment.starts_with('.') || segment.starts_with('%');
    if !may_be_dots || segment.len() > 6 {
        return None;
    }
    if is_dot(segment) {
        return Some(Dots::Current);
    }
    let dot_length = if segment.starts_with('.') { 1 } else { 3 };
    let (first, second) = segment.split_at_checked(dot_length)?;
    (is_dot(first) && is_dot(second)).then_some(Dots::Parent)
}

/// A dot segment, which names no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dots {
    /// `.`
    Current,
    /// `..`
    Parent,
}

/// Whether dot segments of a path lead above the root.
pub(crate) fn leads_above_root(path: &str) -> bool {
    let depths = path.split('/').skip(1).scan(0_usize, |depth, segment| {
        let before = *depth;
        match parse_dots(segment) {
            Some(Dots::Current) => {}
            Some(Dots::Parent) => *depth = before.saturating_sub(1),
            None => *depth += 1,
        }
        Some(before == 0 && parse_dots(segment) == Some(Dots::Parent))
    });
    { depths }.any(|is_above| is_above)
}

/// Removes all dot segments from a path, as browsers do, even dot segments that lead above the
/// root. `None` if the path has no dot segment.
#[must_use]
pub fn without_dots(path: &str) -> Option<String> {
    if !path.split('/').any(|segment| parse_dots(segment).is_some()) {
        return None;
    }
    let mut segments = Vec::new();
    let mut ends_in_dots = false;
    for segment in path.split('/').skip(1) {
        ends_in_dots = true;
        match parse_dots(segment) {
            Some(Dots::Current) => {}
            Some(Dots::Parent) => drop(segments.pop()),
            None => {
                ends_in_dots = false;
                segments.push(segment);
            }
        }
    }
    let mut clean = String::with_capacity(path.len());
    for segment in segments {
        clean.push('/');
        clean.push_str(segment);
    }
    if ends_in_dots {
        clean.push('/');
    }
    Some(clean)
}

/// Normalizes host and port: no user, lower case, and no [default port][port]. A host with a
/// trailing dot is [a different host][host]. `None` if the host is malformed.
///
/// [port]: https://url.spec.whatwg.org/#default-port
/// [host]: https://url.spec.whatwg.org/#concept-host-equals
#[must_use]
pub fn authority(scheme: &str, net_loc: &str) -> Option<String> {
    let (host, port) = split_host_and_port(net_loc);
    let is_default_port = match port {
        "" => true,
        "80" => scheme.eq_ignore_ascii_case("http"),
        "443" => scheme.eq_ignore_ascii_case("https"),
        _ => false,
    };
    let mut host = normalize_host(host)?;
    if !is_default_port {
        host.push(':');
        host.push_str(port);
    }
    Some(host)
}

/// Whether two hosts are the same, regardless of the port.
pub(crate) fn have_same_host(one: &str, other: &str) -> bool {
    let host = |net_loc| normalize_host(split_host_and_port(net_loc).0);
    host(one).is_some_and(|same| host(other) == Some(same))
}

/// Splits off user and password, and returns the host and the port.
fn split_host_and_port(net_loc: &str) -> (&str, &str) {
    let host = net_loc.rsplit_once('@').map_or(net_loc, |(_, host)| host);
    let digits = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    host.rsplit_once(':').filter(|(_, port)| digits(port)).unwrap_or((host, ""))
}

fn normalize_host(host: &str) -> Option<String> {
    match host {
        "" => Some(String::new()),
        _ => Some(::url::Host::parse(host).ok()?.to_string()),
    }
}

/// The schemes without a hierarchy for relative references: those that [RFC 1808 section 2.3][rfc]
/// lists as never used with relative URLs, and later schemes of the same kind.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.3
#[rustfmt::skip]
pub(super) const NOT_HIERARCHICAL: &[&str] = &[
    "mailto", "news", "telnet", "data", "javascript", "about", "blob", "cid", "mid", "tel", "urn",
];

/// The schemes for which browsers read a host after any number of slashes: the
/// [special schemes](https://url.spec.whatwg.org/#special-scheme) except `file`.
const SPECIAL: &[&str] = &["http", "https", "ws", "wss", "ftp"];

pub(super) fn is_special(scheme: &str) -> bool {
    SPECIAL.iter().any(|special| scheme.eq_ignore_ascii_case(special))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn cleans_to(reference: &str, expected: &str) {
        assert_eq!(clean(reference), expected);
    }

    #[test]
    fn white_space_and_controls_do_not_count() {
        cleans_to("a b", "a b");
        cleans_to(" \u{c}a\u{0} ", "a");
        cleans_to("\u{1}javascript:x", "javascript:x");
        cleans_to("a\r\n\tb", "ab");
        cleans_to("\u{a0}a\u{7f}", "\u{a0}a\u{7f}");
        cleans_to(" \n ", "");
    }

    #[track_caller]
    fn cuts(url: &str, parts: Option<(&str, &str, &str, &str)>) {
        let cut = Parts::of(url).map(|parts| (parts.scheme, parts.net_loc, parts.path, parts.rest));
        assert_eq!(cut, parts, "{url}");
    }

    #[test]
    fn a_url_has_four_parts() {
        cuts("http://h/a;b/c?d#e", Some(("http", "h", "/a;b/c", "?d#e")));
        cuts("http://u:p@h:8", Some(("http", "u:p@h:8", "", "")));
        cuts("http://h#/x", Some(("http", "h", "", "#/x")));
        cuts("http://h?/x", Some(("http", "h", "", "?/x")));
        cuts("file:///a", Some(("file", "", "/a", "")));
        cuts("mailto:a@b", None);
        cuts("//h/a", None);
        cuts("a/b", None);
    }

    #[track_caller]
    fn cleans(path: &str, expected: Option<&str>) {
        assert_eq!(without_dots(path).as_deref(), expected, "{path}");
    }

    #[test]
    fn segments_of_dots_are_taken_out() {
        cleans("/a/b", None);
        cleans("/a/.b/..c/...", None);
        cleans("/a/./b", Some("/a/b"));
        cleans("/a/../b", Some("/b"));
        cleans("/../../b", Some("/b"));
        cleans("/a/..", Some("/"));
        cleans("/a/.", Some("/a/"));
        cleans("/a/%2e%2E/b", Some("/b"));
        cleans("/a/.%2e/b", Some("/b"));
        cleans("/a/%2e./b", Some("/b"));
        cleans("/a/%2e/b", Some("/a/b"));
        cleans("/a//../b", Some("/a/b"));
        cleans("/\u{e9}/%\u{e9}\u{e9}/.\u{e9}", None);
    }
}
