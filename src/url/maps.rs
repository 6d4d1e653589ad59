//! Moves URLs to new URLs by rules, which form a tree for each host.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use super::parts::is_special;
use super::parts::{Parts, authority, have_same_host, without_dots};
use super::rfc1808::scheme_end;
use super::{Base, masked};

/// Rules that move URLs: URLs beneath an old URL move beneath a new one.
///
/// The longest matching rule applies, and only once: its result is not moved again. Rules match
/// whole segments: `http://h/ab` is not beneath `http://h/a`. If the old URL of a rule ends with a
/// slash, the rule only matches URLs with that slash; the root of a host needs no slash. Hosts,
/// percent-encoded characters and backslashes are compared as browsers read them, after dot
/// segments are removed. Query, fragment, user and password stay; a URL with user and password does
/// not move to another host.
///
/// The time of a lookup depends on the length of the URL, but not on the number of rules.
///
/// ```
/// use absolve::url::Maps;
///
/// let mut maps = Maps::new();
/// maps.add("https://staging.example.org/", "https://example.org/shop/")?;
/// maps.add("https://staging.example.org/blog", "https://blog.example.org")?;
/// let url = maps.map("https://staging.example.org/cart?id=1#top");
/// assert_eq!(url.as_deref(), Some("https://example.org/shop/cart?id=1#top"));
/// let url = maps.map("https://staging.example.org/blog/post");
/// assert_eq!(url.as_deref(), Some("https://blog.example.org/post"));
/// assert_eq!(maps.map("https://example.org/"), None);
/// # Ok::<(), absolve::url::InvalidMap>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Maps {
    /// By origin as [`normalize_origin`] writes it: the index of the root of the origin's tree.
    origins: HashMap<Box<str>, usize>,
    nodes: Vec<MapNode>,
    rule_count: usize,
}

/// A node of a tree: the URL of a host, or of a segment in its parent.
#[derive(Debug, Clone, Default)]
struct MapNode {
    /// The indices of the child nodes, by the percent-decoded bytes of their segments.
    children: HashMap<Box<[u8]>, usize>,
    /// The new URL for this URL and all beneath it.
    whole: Option<NewUrl>,
    /// The new URL for all beneath a slash after this URL; takes precedence over `whole`.
    beneath: Option<NewUrl>,
}

/// The URL that a rule moves to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NewUrl {
    url: Box<str>,
    /// Whether the host stays the same; scheme and port may change.
    keeps_host: bool,
}

/// The reason why a rule that moves URLs cannot be used, and the rule's line if it is from a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidMap {
    line: Option<usize>,
    problem: String,
}

impl InvalidMap {
    fn new(problem: impl Into<String>) -> Self {
        Self { line: None, problem: problem.into() }
    }
}

impl fmt::Display for InvalidMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for InvalidMap {}

impl Maps {
    /// Creates a set without rules.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule: URLs beneath `old` move beneath `new`.
    ///
    /// # Errors
    ///
    /// If a URL is not usable as a base URL, or has a query, a fragment, or user and password; or
    /// if another rule moves the same URL elsewhere.
    pub fn add(&mut self, old: &str, new: &str) -> Result<(), InvalidMap> {
        let (old, new) = (check_url(old)?, check_url(new)?);
        let parts = |url| Parts::of(url).ok_or_else(|| report_no_host(url));
        let (from, to) = (parts(old.as_str())?, parts(new.as_str())?);
        let old_origin = normalize_origin(from).ok_or_else(|| report_no_host(old.as_str()))?;
        let keeps_host = have_same_host(from.net_loc, to.net_loc);
        let root = self.origins.get(&*old_origin).copied();
        let mut index = root.unwrap_or_else(|| self.add_node());
        self.origins.entry(old_origin.into()).or_insert(index);
        let path = without_dots(from.path).map_or(Cow::Borrowed(from.path), Cow::Owned);
        let (names, has_slash) = match path.strip_suffix('/') {
            Some(names) => (names, true),
            None => (&*path, false),
        };
        for segment in names.split('/').skip(1) {
            let key = percent_decode(segment);
            index = if let Some(&child) = self.nodes[index].children.get(&*key) {
                child
            } else {
                let child = self.add_node();
                self.nodes[index].children.insert(key.into(), child);
                child
            };
        }
        let node = &mut self.nodes[index];
        let is_root = names.is_empty();
        let moved = if has_slash && !is_root { &mut node.beneath } else { &mut node.whole };
        let path = without_dots(to.path).map_or(Cow::Borrowed(to.path), Cow::Owned);
        let url = format!("{}://{}{}", to.scheme, to.net_loc, percent_encode(&path));
        let new_url = NewUrl { url: url.into(), keeps_host };
        match moved.replace(new_url) {
            Some(other) if Some(&other) != moved.as_ref() => {
                let problem = format!("'{old}' is moved to '{}' too, give it once", other.url);
                *moved = Some(other);
                Err(InvalidMap::new(problem))
            }
            other => {
                self.rule_count += usize::from(other.is_none());
                Ok(())
            }
        }
    }

    /// Reads rules from lines: the old URL, a tab and the new URL. Skips empty lines and lines that
    /// begin with `#`.
    ///
    /// # Errors
    ///
    /// If a line is malformed or has a rule that cannot be used.
    pub fn add_lines(&mut self, text: &str) -> Result<(), InvalidMap> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1..).zip(text.split('\n')) {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let rule = match line.split_once('\t') {
                Some((old, new)) if !new.contains('\t') => self.add(old, new),
                _ => Err(InvalidMap::new("expected a URL, a tab and a URL")),
            };
            rule.map_err(|why| InvalidMap { line: Some(number), ..why })?;
        }
        Ok(())
    }

    /// Splits a rule of the form `OLD=NEW` at the first `=` that an absolute URL follows.
    #[doc(hidden)]
    #[must_use]
    pub fn split(rule: &str) -> Option<(&str, &str)> {
        let is_url = |text: &str| Parts::of(text.trim_start()).is_some();
        let mut ends = rule.match_indices('=').map(|(at, _)| (&rule[..at], &rule[at + 1..]));
        ends.find(|(_, new)| is_url(new))
    }

    /// Returns the number of rules.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rule_count
    }

    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rule_count == 0
    }

    /// Moves an absolute URL; `None` if no rule applies, or its password would move to another
    /// host.
    #[must_use]
    pub fn map(&self, url: &str) -> Option<String> {
        let slashes = &*with_slashes(url);
        let parts = Parts::of(slashes)?;
        let root = self.find_root(parts)?;
        let path = without_dots(parts.path).map_or(Cow::Borrowed(parts.path), Cow::Owned);
        let (moved, end) = self.find_longest(root, &path)?;
        let (slash, mut rest) = path[end..].split_at(usize::from(path.len() > end));
        // By RFC 1808, backslashes are data: the path after the replaced part keeps them.
        let original = Parts::of(url).filter(|original| original.net_loc == parts.net_loc);
        if let (Cow::Borrowed(_), Some(original)) = (&path, original) {
            rest = &original.path[end + slash.len()..];
        }
        let mut new = &*moved.url;
        if !slash.is_empty() {
            new = new.strip_suffix('/').unwrap_or(new);
        }
        let credentials = parts.credentials().filter(|credentials| !credentials.is_empty());
        if credentials.is_some() && !moved.keeps_host {
            return None;
        }
        let host = new.find("://").map_or(0, |scheme| scheme + "://".len());
        let mut mapped = String::with_capacity(url.len() + new.len());
        mapped.push_str(&new[..host]);
        if let Some(credentials) = credentials {
            mapped.push_str(credentials);
            mapped.push('@');
        }
        mapped.push_str(&new[host..]);
        mapped.push_str(slash);
        mapped.push_str(rest);
        mapped.push_str(parts.rest);
        Some(mapped)
    }

    fn add_node(&mut self) -> usize {
        self.nodes.push(MapNode::default());
        self.nodes.len() - 1
    }

    /// Finds the root of the tree for the origin of a URL.
    fn find_root(&self, parts: Parts<'_>) -> Option<usize> {
        // Most links take this path, with a single allocation and without parsing the host.
        if is_normalized(parts) {
            let origin = format!("{}://{}", parts.scheme, parts.net_loc);
            return self.origins.get(&*origin).copied();
        }
        self.origins.get(&*normalize_origin(parts)?).copied()
    }

    /// Finds the longest rule for a path, and the length of the path that it matches.
    fn find_longest(&self, root: usize, path: &str) -> Option<(&NewUrl, usize)> {
        let mut node = &self.nodes[root];
        let mut longest = node.whole.as_ref().map(|moved| (moved, 0));
        let mut end = 0;
        for segment in path.split('/').skip(1) {
            let Some(&child) = node.children.get(&*percent_decode(segment)) else { break };
            node = &self.nodes[child];
            end += 1 + segment.len();
            let beneath = node.beneath.as_ref().filter(|_| path[end..].starts_with('/'));
            if let Some(moved) = beneath.or(node.whole.as_ref()) {
                longest = Some((moved, end));
            }
        }
        longest
    }
}

/// Parses a URL of a rule, and rejects parts that a rule cannot have.
fn check_url(url: &str) -> Result<Base, InvalidMap> {
    // The URL parser drops line ends, so it would join two rules that a lone CR separates.
    if url.contains(char::is_control) {
        return Err(InvalidMap::new("the URL of a map cannot have a control character"));
    }
    let base = Base::new(&with_slashes(url))
        .map_err(|error| InvalidMap::new(error.adapt_to_map().to_string()))?;
    let Some(parts) = Parts::of(base.as_str()) else { return Err(report_no_host(base.as_str())) };
    let excess = if parts.credentials().is_some() {
        "user and password"
    } else if parts.rest.starts_with('?') {
        "a query"
    } else if !parts.rest.is_empty() {
        "a fragment"
    } else {
        return Ok(base);
    };
    let url = masked(base.as_str());
    Err(InvalidMap::new(format!("the URL '{url}' of a map cannot have {excess}; leave it out")))
}

fn report_no_host(url: &str) -> InvalidMap {
    let url = masked(url);
    InvalidMap::new(format!("the URL '{url}' has no host, expected one such as http://host/"))
}

/// Whether [`normalize_origin`] would return scheme and host unchanged.
fn is_normalized(Parts { scheme, net_loc, .. }: Parts<'_>) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
    // A host that ends in a digit may be an address, which has many forms.
    scheme.bytes().all(|byte| byte.is_ascii_lowercase())
        && net_loc.bytes().all(is_plain)
        && net_loc.ends_with(|last: char| last.is_ascii_lowercase())
        && !net_loc.contains("0x")
}

/// Returns scheme, host and port in a normalized form.
fn normalize_origin(parts: Parts<'_>) -> Option<String> {
    let host = authority(parts.scheme, parts.net_loc)?;
    Some(format!("{}://{host}", parts.scheme.to_ascii_lowercase()))
}

/// Percent-encodes the characters of a path that URLs cannot have; non-ASCII characters stay
/// ([URL Standard](https://url.spec.whatwg.org/#path-percent-encode-set)).
fn percent_encode(path: &str) -> String {
    let encode = |c: char| match c {
        ' ' | '"' | '<' | '>' | '^' | '`' | '{' | '|' | '}' => format!("%{:02X}", u32::from(c)),
        _ => c.to_string(),
    };
    path.chars().map(encode).collect()
}

/// Replaces the backslashes before the query that browsers read as slashes, in schemes such as
/// `http` ([URL Standard](https://url.spec.whatwg.org/#path-state)).
fn with_slashes(url: &str) -> Cow<'_, str> {
    if !url.contains('\\') {
        return Cow::Borrowed(url);
    }
    let end = url.find(['?', '#']).unwrap_or(url.len());
    match scheme_end(url) {
        Some(colon) if is_special(&url[..colon]) => {
            Cow::Owned(url[..end].replace('\\', "/") + &url[end..])
        }
        _ => Cow::Borrowed(url),
    }
}

/// Percent-decodes a segment, except for encoded percent signs and slashes.
fn percent_decode(segment: &str) -> Cow<'_, [u8]> {
    let bytes = segment.as_bytes();
    if !bytes.contains(&b'%') {
        return Cow::Borrowed(bytes);
    }
    let digit = |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        match byte {
            // These stay encoded, in upper case: decoded, they would make different URLs equal.
            Some(b'%') => out.extend_from_slice(b"%25"),
            Some(b'/') => out.extend_from_slice(b"%2F"),
            Some(byte) => out.push(byte),
            None => out.push(bytes[at]),
        }
        at += if byte.is_some() { 3 } else { 1 };
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maps(rules: &[(&str, &str)]) -> Maps {
        let mut maps = Maps::new();
        for (old, new) in rules {
            maps.add(old, new).unwrap();
        }
        maps
    }

    #[track_caller]
    fn moves(rules: &[(&str, &str)], url: &str, expected: Option<&str>) {
        assert_eq!(maps(rules).map(url).as_deref(), expected, "{url}");
    }

    #[test]
    fn what_is_beneath_one_url_is_beneath_another() {
        let rules = &[("http://h/a", "https://n/b")];
        moves(rules, "http://h/a", Some("https://n/b"));
        moves(rules, "http://h/a/", Some("https://n/b/"));
        moves(rules, "http://h/a/x/y?q#f", Some("https://n/b/x/y?q#f"));
        moves(rules, "http://h/a?q", Some("https://n/b?q"));
        moves(rules, "http://h/a#f", Some("https://n/b#f"));
        moves(rules, "http://h/ab", None);
        moves(rules, "http://h/a;x", None);
        moves(rules, "http://h/", None);
        moves(rules, "http://ha/a", None);
        moves(rules, "http://h.evil/a", None);
        moves(rules, "https://h/a", None);
        moves(rules, "http://h:81/a", None);
        moves(rules, "mailto:a@h", None);
        moves(rules, "/a", None);
    }

    #[test]
    fn slashes_are_neither_lost_nor_doubled() {
        moves(&[("http://h/a/", "http://n/b/")], "http://h/a/x", Some("http://n/b/x"));
        moves(&[("http://h/a/", "http://n/b")], "http://h/a/x", Some("http://n/b/x"));
        moves(&[("http://h/a/", "http://n/b")], "http://h/a/", Some("http://n/b/"));
        moves(&[("http://h/a/", "http://n/b")], "http://h/a", None);
        moves(&[("http://h/a", "http://n/b/")], "http://h/a/x", Some("http://n/b/x"));
        moves(&[("http://h/a", "http://n/b/")], "http://h/a", Some("http://n/b/"));
        moves(&[("http://h/a", "http://n")], "http://h/a/x", Some("http://n/x"));
        moves(&[("http://h", "http://n")], "http://h/x", Some("http://n/x"));
        moves(&[("http://h", "http://n")], "http://h?q", Some("http://n?q"));
        moves(&[("http://h/", "http://n/b/")], "http://h", Some("http://n/b/"));
        moves(&[("http://h/", "http://n/b/")], "http://h//x", Some("http://n/b//x"));
        let both = &[("http://h/a", "http://file/"), ("http://h/a/", "http://folder/")];
        moves(both, "http://h/a", Some("http://file/"));
        moves(both, "http://h/a/x", Some("http://folder/x"));
    }

    #[test]
    fn the_longest_rule_counts_and_once() {
        let rules = &[
            ("http://h/", "http://n/"),
            ("http://h/a/b", "http://m/"),
            ("http://n/", "http://h/"),
            ("http://m/", "http://h/a/b/"),
        ];
        moves(rules, "http://h/a/b/c", Some("http://m/c"));
        moves(rules, "http://h/a/bc", Some("http://n/a/bc"));
        moves(rules, "http://n/x", Some("http://h/x"));
        moves(&[("http://h/", "http://h/sub/")], "http://h/sub/x", Some("http://h/sub/sub/x"));
    }

    #[test]
    fn urls_are_compared_as_browsers_read_them() {
        let rules = &[("http://b\u{fc}cher.example/caf\u{e9} 1/", "http://n/")];
        moves(rules, "http://xn--bcher-kva.example/caf%C3%A9%201/x", Some("http://n/x"));
        moves(rules, "HTTP://B\u{dc}CHER.EXAMPLE:80/caf%c3%a9 1/\u{e9}", Some("http://n/\u{e9}"));
        moves(&[("http://h/a%2Fb", "http://n/")], "http://h/a/b", None);
        moves(&[("http://h/a%2Fb", "http://n/")], "http://h/a%2fb/c", Some("http://n/c"));
        moves(&[("http://h/a%2fb", "http://n/")], "http://h/a%2Fb", Some("http://n/"));
        moves(&[("http://h/a%2fb", "http://n/")], "http://h/a%252Fb", None);
        moves(
            &[("http://h/a/", "http://n/")],
            "http:\\\\h\\a\\x?q\\#\\",
            Some("http://n/x?q\\#\\"),
        );
        moves(&[("http://h\\a\\", "http://n\\b")], "http://h/a/x", Some("http://n/b/x"));
        moves(&[("http://h/a/", "http://n/")], "http://h\\ab", None);
        // By RFC 1808, backslashes are data.
        moves(&[("http://h/", "http://n/")], "http://h/\\evil/x", Some("http://n/\\evil/x"));
        moves(&[("http://h/a/", "http://n/")], "http://h/a\\x\\y", Some("http://n/x\\y"));
        moves(&[("http://u/", "http://n/")], "http://u\\@h/x", Some("http://n/@h/x"));
        moves(&[("x://h/a/", "http://n/")], "x://h/a\\x", None);
        moves(&[("http://h/", "http://n/")], "http://h./x", None);
        moves(&[("http://h./", "http://n/")], "http://h./x", Some("http://n/x"));
        moves(&[("http://h/%7Eu/", "http://n/")], "http://h/~u/x", Some("http://n/x"));
        moves(&[("http://127.0.0.1/", "http://n/")], "http://0x7f.1/x", Some("http://n/x"));
        moves(&[("file:///srv/www/", "https://n/")], "file:///srv/www/x", Some("https://n/x"));
    }

    #[test]
    fn dots_lead_neither_in_nor_out() {
        let rules = &[("http://h/a/", "http://n/b/")];
        moves(rules, "http://h/a/../c", None);
        moves(rules, "http://h/a/%2E%2e/c", None);
        moves(rules, "http://h/c/../a/x", Some("http://n/b/x"));
        moves(rules, "http://h/a/x/../y", Some("http://n/b/y"));
        moves(&[("http://h/", "http://n/b/")], "http://h/../../x", Some("http://n/b/x"));
        moves(&[("http://h/c/../a/", "http://n/c/../b/")], "http://h/a/x", Some("http://n/b/x"));
    }

    #[test]
    fn passwords_do_not_go_to_another_host() {
        moves(&[("http://h/", "http://n/")], "http://u:p@h/x", None);
        moves(&[("http://h/", "http://h.n/")], "http://u:p@h/x", None);
        moves(&[("http://h/", "https://h/")], "http://u:p@h/x", Some("https://u:p@h/x"));
        moves(&[("http://h/", "http://H:8000/")], "http://u:p@h/x", Some("http://u:p@H:8000/x"));
        moves(&[("http://h/", "http://h/b/")], "http://u:p@h/x", Some("http://u:p@h/b/x"));
        moves(&[("http://h/", "http://n/")], "http://@h/x", Some("http://n/x"));
        moves(&[("http://h/", "http://n/")], "http://h@evil/x", None);
    }

    #[track_caller]
    fn refuses(old: &str, new: &str, why: &str) {
        let error = maps(&[("http://h/twice", "http://n/")]).add(old, new).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn a_rule_has_two_urls() {
        refuses("/a", "http://n/", "the URL '/a' is not usable: it has no scheme");
        refuses("http://h/", "n", "it has no scheme");
        refuses("mailto:a", "http://n/", "mailto:");
        refuses("x:/a", "http://n/", "has no host");
        refuses("http://h/?q", "http://n/", "a query");
        refuses("http://h/", "http://n/#f", "a fragment");
        refuses("http://u:secret@h/", "http://n/", "user and password");
        refuses("http://h/twice", "http://other/", "is moved to 'http://n/' too");
        assert!(maps(&[("http://h/", "http://n/"), ("http://h", "http://n/")]).len() == 1);
    }

    #[test]
    fn rules_are_read_from_lines() {
        let mut maps = Maps::new();
        maps.add_lines("\u{feff}http://h/a\thttp://n/\r\n\nhttp://h/b\thttp://m/").unwrap();
        assert_eq!((maps.len(), maps.is_empty()), (2, false));
        assert_eq!(maps.map("http://h/b/x").as_deref(), Some("http://m/x"));
        let error = maps.add_lines("http://h/c\thttp://n/\nhttp://h/d").unwrap_err();
        assert_eq!(error.to_string(), "line 2: expected a URL, a tab and a URL");
        let error = maps.add_lines("# moves\nhttp://h/d\thttp://n/\rhttp://h/e").unwrap_err();
        assert_eq!(error.to_string(), "line 2: the URL of a map cannot have a control character");
    }

    #[test]
    fn the_new_url_is_encoded_once() {
        let rules = &[("http://h/", "http://n/a b<\"'>%20\u{e9}/")];
        moves(rules, "http://h/x", Some("http://n/a%20b%3C%22'%3E%20\u{e9}/x"));
    }

    #[test]
    fn a_rule_is_split_before_the_second_url() {
        let split = Maps::split;
        assert_eq!(split("http://h/=http://n/"), Some(("http://h/", "http://n/")));
        assert_eq!(split("http://h/a=b=http://n/c=d"), Some(("http://h/a=b", "http://n/c=d")));
        assert_eq!(split("http://h/=n"), None);
    }

    /// Finds the longest rule by comparing the URL with every rule.
    fn naive(rules: &[(String, String)], url: &str) -> Option<String> {
        let beneath = |(old, new): &(String, String)| {
            let whole = old.strip_suffix('/').unwrap_or(old);
            let rest = url.strip_prefix(whole)?;
            let is_beneath = rest.starts_with('/') || !old.ends_with('/') && rest.is_empty();
            let new = if rest.starts_with('/') { new.trim_end_matches('/') } else { new };
            is_beneath.then(|| (old.len(), format!("{new}{rest}")))
        };
        rules.iter().filter_map(beneath).max_by_key(|(length, _)| *length).map(|(_, url)| url)
    }

    /// 10,000 rules over few segments, so that most share all segments except the last ones.
    #[test]
    fn many_rules_are_compared_like_one() {
        let segment =
            |number: usize| ["a", "b", "ab", "c1", "c", "d", "e", "f", "g", "h"][number % 10];
        let path = |number: usize| -> String {
            let parts = [1, 10, 100, 1000].map(|part| segment(number / part));
            format!("http://h/{}", parts[..=number % 4].join("/"))
        };
        let mut maps = Maps::new();
        let mut rules = Vec::new();
        for number in 0..10_000 {
            let slash = if number % 3 == 0 { "/" } else { "" };
            let (old, new) = (path(number) + slash, format!("http://n{number}/x"));
            if maps.add(&old, &new).is_ok() {
                rules.push((old, new));
            }
        }
        let mut moved = 0;
        for number in 0..2_000 {
            let url = path(number * 7) + ["", "/", "/x", "x", "/a/b/c"][number % 5];
            let expected = naive(&rules, &url);
            moved += usize::from(expected.is_some());
            assert_eq!(maps.map(&url), expected, "{url}");
        }
        assert!(moved > 1_000, "{moved}");
    }
}
