//! RFC 1808, [Relative Uniform Resource Locators][rfc]: parsing (section 2.4) and resolving
//! (section 4), exactly as written and in the order of the RFC.
//!
//! Characters are never re-encoded, added or dropped, except where a `NOTE:` says so. The caller
//! removes white space around a reference ([`super::clean`]). Nothing is validated: by this RFC
//! every string is a reference.
//!
//! [rfc]: https://www.rfc-editor.org/rfc/rfc1808

#![expect(
    clippy::inline_always,
    reason = "a third of the time goes into handing small structures over otherwise"
)]

use std::fmt;

/// The components of a URL, as slices of it ([section 2.1][rfc]).
///
/// `None` is a missing component; `Some("")` is a delimiter with nothing after it. `to_string`
/// returns the URL that the components were parsed from.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.1
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Components<'u> {
    /// The text before the first `:`.
    pub scheme: Option<&'u str>,
    /// The network location after `//`: user, password, host and port.
    pub net_loc: Option<&'u str>,
    /// The path, including a leading slash.
    pub path: &'u str,
    /// The object parameters after the first `;`.
    pub params: Option<&'u str>,
    /// The query after the first `?`.
    pub query: Option<&'u str>,
    /// The fragment after the first `#`.
    pub fragment: Option<&'u str>,
}

impl<'u> Components<'u> {
    /// Parses a URL or reference, in the order of [section 2.4][rfc].
    ///
    /// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.4
    #[must_use]
    pub fn parse(url: &'u str) -> Self {
        // 2.4.1 Parsing the Fragment Identifier
        let (rest, fragment) = split_off(url, '#');
        // 2.4.2 Parsing the Scheme
        let (scheme, rest) = match scheme_end(rest) {
            Some(colon) => (Some(&rest[..colon]), &rest[colon + 1..]),
            None => (None, rest),
        };
        // 2.4.3 Parsing the Network Location/Login
        let (net_loc, rest) = match rest.strip_prefix("//") {
            // NOTE: the RFC ends a net_loc only at the next slash, which makes the query of
            // `http://h?q` a part of the host. Here a `?` ends it too.
            Some(rest) => {
                let end = rest.find(['/', '?']).unwrap_or(rest.len());
                (Some(&rest[..end]), &rest[end..])
            }
            None => (None, rest),
        };
        // 2.4.4 Parsing the Query Information
        let (rest, query) = split_off(rest, '?');
        // 2.4.5 Parsing the Parameters
        let (path, params) = split_off(rest, ';');
        // 2.4.6 Parsing the Path
        Self { scheme, net_loc, path, params, query, fragment }
    }
}

impl fmt::Display for Components<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let around = [
            ("", self.scheme, ":"),
            ("//", self.net_loc, ""),
            ("", Some(self.path), ""),
            (";", self.params, ""),
            ("?", self.query, ""),
            ("#", self.fragment, ""),
        ];
        for (before, component, after) in around {
            if let Some(component) = component {
                write!(f, "{before}{component}{after}")?;
            }
        }
        Ok(())
    }
}

/// The end offsets of the components of a URL, delimiters included. A component begins where the
/// one before it ends, so a missing component has an empty range. The fragment ends with the URL.
#[derive(Debug, Clone, Copy)]
struct ComponentEnds {
    scheme: usize,
    net_loc: usize,
    path: usize,
    params: usize,
    query: usize,
}

impl ComponentEnds {
    fn parse(url: &str) -> Self {
        let components = Components::parse(url);
        let end_after = |end: usize, component: Option<&str>, delimiter: usize| {
            end + component.map_or(0, |component| component.len() + delimiter)
        };
        let scheme = end_after(0, components.scheme, 1);
        let net_loc = end_after(scheme, components.net_loc, 2);
        let path = net_loc + components.path.len();
        let params = end_after(path, components.params, 1);
        let query = end_after(params, components.query, 1);
        Self { scheme, net_loc, path, params, query }
    }

    fn has_net_loc(&self) -> bool {
        self.net_loc > self.scheme
    }
}

const NOT_SCHEME: u8 = 1;
const PARAMS: u8 = 4;
const QUERY: u8 = 8;
const FRAGMENT: u8 = 16;

/// The classes of each byte, as bits of the constants [`NOT_SCHEME`] to [`FRAGMENT`].
static CLASSES: [u8; 256] = {
    let mut classes = [NOT_SCHEME; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        let is_scheme_byte = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        classes[byte as usize] = if is_scheme_byte { 0 } else { NOT_SCHEME };
        byte += 1;
    }
    classes[b';' as usize] |= PARAMS;
    classes[b'?' as usize] |= QUERY;
    classes[b'#' as usize] |= FRAGMENT;
    classes
};

/// Finds the first byte in any of the classes, from the offset `from` on; the end if there is none.
#[inline]
fn find_class(bytes: &[u8], from: usize, classes: u8) -> usize {
    let is_end = |&byte: &u8| CLASSES[usize::from(byte)] & classes != 0;
    let length = bytes.get(from..).and_then(|rest| rest.iter().position(is_end));
    length.map_or(bytes.len(), |length| from + length)
}

fn split_off(text: &str, delimiter: char) -> (&str, Option<&str>) {
    text.split_once(delimiter).map_or((text, None), |(before, rest)| (before, Some(rest)))
}

/// Finds the offset of the scheme's `:`, if the text begins with a scheme ([section 2.4.2][rfc]).
///
/// By that section, a scheme may begin with a digit, `+`, `-` or `.`, so `12:30.html` has the
/// scheme `12`.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.4.2
#[must_use]
pub fn scheme_end(text: &str) -> Option<usize> {
    let end = find_class(text.as_bytes(), 0, NOT_SCHEME);
    (end > 0 && text.as_bytes().get(end) == Some(&b':')).then_some(end)
}

/// A prepared base URL: resolving takes one allocation, and does not parse the base again.
#[derive(Debug, Clone)]
pub(super) struct PreparedBase {
    /// Scheme, `net_loc` and the base's path up to its rightmost slash, after steps 6a to 6d;
    /// `None` if this text is a prefix of the base.
    text: Option<String>,
    /// The length of the prefix of the base up to that slash.
    length: usize,
    /// The offset of the first segment: after the slash that the path begins with, which is not
    /// part of a segment.
    first_segment: usize,
    /// The ends of the components of the base URL.
    base_ends: ComponentEnds,
}

impl PreparedBase {
    pub(super) fn new(base_url: &str) -> Self {
        let base = ComponentEnds::parse(base_url);
        let path = &base_url[base.net_loc..base.path];
        // Section 4, step 6: up to and including the rightmost slash.
        let directory = &path[..path.rfind('/').map_or(0, |slash| slash + 1)];
        let length = base.net_loc + directory.len();
        // NOTE: a path after a net_loc begins with a slash (section 2.2:
        // `net_path = "//" net_loc [ abs_path ]`), so base `http://h` with `g` results in
        // `http://h/g`.
        let has_slash = directory.starts_with('/') || base.has_net_loc();
        let first_segment = base.net_loc + usize::from(has_slash);
        let segments = directory.strip_prefix('/').unwrap_or(directory);
        let is_slice = directory.starts_with('/') == has_slash
            && !segments.starts_with('.')
            && find_dot_segment(segments).is_none();
        let text = (!is_slice).then(|| {
            // Leaves room for a slash after a net_loc.
            let mut text = String::with_capacity(length + 1);
            text.push_str(&base_url[..base.net_loc]);
            text.push_str(if has_slash { "/" } else { "" });
            push_segments(&mut text, first_segment, segments);
            text
        });
        Self { text, length, first_segment, base_ends: base }
    }

    fn text<'u>(&'u self, base_url: &'u str) -> &'u str {
        self.text.as_deref().unwrap_or(&base_url[..self.length])
    }
}

/// A step of [section 4][rfc] that resolving took.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-4
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// 2a: the reference is empty and inherits the entire base URL.
    InheritAll,
    /// 2b: the reference has a scheme and is absolute.
    Absolute,
    /// 2c: the scheme is inherited.
    InheritScheme,
    /// 3: the reference has a network location of its own.
    OwnNetLoc,
    /// 3: the network location is inherited.
    InheritNetLoc,
    /// 4: the path begins with a slash and is kept.
    AbsolutePath,
    /// 5: the path is empty and is inherited.
    InheritPath,
    /// 5a: the reference has parameters of its own.
    OwnParams,
    /// 5a: the parameters are inherited.
    InheritParams,
    /// 5b: the reference has a query of its own.
    OwnQuery,
    /// 5b: the query is inherited.
    InheritQuery,
    /// 6: the path is appended to the base's directory, 6a to 6d.
    Merge,
    /// 7: the components are combined.
    Recombine,
}

impl Step {
    /// Returns the step's number in the RFC: `2a` to `7`.
    #[must_use]
    pub fn number(self) -> &'static str {
        self.row().0
    }

    /// Returns the action of the step, as a clause.
    #[must_use]
    pub fn action(self) -> &'static str {
        self.row().1
    }

    fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::InheritAll => ("2a", "the reference is empty: it is the entire base URL"),
            Self::Absolute => ("2b", "it has a scheme: it is absolute and stays as it is"),
            Self::InheritScheme => ("2c", "it has no scheme: inherit the base's"),
            Self::OwnNetLoc => ("3", "it has a net_loc: go to step 7"),
            Self::InheritNetLoc => ("3", "it has no net_loc: inherit the base's"),
            Self::AbsolutePath => ("4", "its path begins with a slash: go to step 7"),
            Self::InheritPath => ("5", "its path is empty: inherit the base's"),
            Self::OwnParams => ("5a", "it has params: go to step 7"),
            Self::InheritParams => ("5a", "it has no params: inherit the base's"),
            Self::OwnQuery => ("5b", "it has a query: go to step 7"),
            Self::InheritQuery => ("5b", "it has no query: inherit the base's"),
            Self::Merge => ("6", "append its path to the base's directory, remove . and .."),
            Self::Recombine => ("7", "put the components together"),
        }
    }
}

/// The result of resolving. Almost every result consists of the beginning of the base and the end
/// of the reference, so it is represented by slices of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Joined<'u> {
    /// The reference has a scheme: it is absolute and stays unchanged.
    Absolute,
    /// The inherited part of the base, the text between both (`/` or empty), and the end of the
    /// reference.
    Slices(&'u str, &'static str, &'u str),
    /// The reference has dot segments inside, or the base has no `net_loc`.
    Text(String),
}

impl Joined<'_> {
    /// Returns the URL, in a single allocation; `None` if the reference stays unchanged.
    #[must_use]
    #[inline(always)]
    pub fn into_url(self) -> Option<String> {
        match self {
            Self::Absolute => None,
            Self::Slices(inherited, between, tail) => {
                let length = inherited.len() + between.len() + tail.len();
                let mut out = String::with_capacity(length);
                out.push_str(inherited);
                // A call for an empty string costs as much as one for a few bytes.
                if !between.is_empty() {
                    out.push_str(between);
                }
                out.push_str(tail);
                Some(out)
            }
            Self::Text(text) => Some(text),
        }
    }
}

/// Resolves `reference` against `base_url`, whose prepared form is `prepared`, and calls `on_step`
/// for each step ([section 4][rfc]).
///
/// The caller handles step 1, an unknown base.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-4
#[inline(always)]
pub(super) fn resolve<'u>(
    base_url: &'u str,
    prepared: &'u PreparedBase,
    reference: &'u str,
    mut on_step: impl FnMut(Step),
) -> Joined<'u> {
    // Step 2a.
    if reference.is_empty() {
        on_step(Step::InheritAll);
        return Joined::Slices(base_url, "", "");
    }
    // Step 2b.
    if scheme_end(reference).is_some() {
        on_step(Step::Absolute);
        return Joined::Absolute;
    }
    let base = &prepared.base_ends;
    // Step 2c.
    on_step(Step::InheritScheme);
    // Step 3.
    let rest = reference.strip_prefix("//").unwrap_or(reference);
    if rest.len() < reference.len() && !matches!(first_byte(rest), None | Some(b'/' | b'?' | b'#'))
    {
        on_step(Step::OwnNetLoc);
        on_step(Step::Recombine);
        return Joined::Slices(&base_url[..base.scheme], "", reference);
    }
    // NOTE: an empty net_loc (`//`) inherits that of the base like a missing one: base
    // `file:///a/b` with `../c` results in `file:///c`.
    on_step(Step::InheritNetLoc);
    let joined = match first_byte(rest) {
        // Step 4.
        Some(b'/') => {
            on_step(Step::AbsolutePath);
            Joined::Slices(&base_url[..base.net_loc], "", rest)
        }
        None | Some(b';' | b'?' | b'#') => inherit_path(base_url, base, rest, &mut on_step),
        // Step 6.
        Some(_) => {
            on_step(Step::Merge);
            merge(prepared, prepared.text(base_url), rest)
        }
    };
    // Step 7.
    on_step(Step::Recombine);
    if base.has_net_loc() { joined } else { protect_path(joined, base.scheme) }
}

/// Keeps a path that begins with two slashes from being read as a `net_loc`.
///
/// NOTE: such a path gets a `/.` before it.
#[cold]
fn protect_path(joined: Joined<'_>, path_start: usize) -> Joined<'_> {
    let mut text = joined.into_url().unwrap_or_default();
    if text[path_start..].starts_with("//") {
        text.insert_str(path_start, "/.");
    }
    Joined::Text(text)
}

#[inline(always)]
fn first_byte(text: &str) -> Option<u8> {
    text.as_bytes().first().copied()
}

/// Step 5: a reference without path inherits the base's path, and the components after the path up
/// to the first that the reference has. Empty params and an empty query are treated as missing.
#[inline(always)]
fn inherit_path<'u>(
    base_url: &'u str,
    base: &ComponentEnds,
    reference: &'u str,
    on_step: &mut impl FnMut(Step),
) -> Joined<'u> {
    on_step(Step::InheritPath);
    let tail = reference.strip_prefix(';').unwrap_or(reference);
    // Step 5a.
    if tail.len() < reference.len() && !matches!(first_byte(tail), None | Some(b'?' | b'#')) {
        on_step(Step::OwnParams);
        // NOTE: params after a net_loc belong to a path, and a path there begins with a slash: base
        // `http://h` with `;x` results in `http://h/;x`.
        let slash = if base.has_net_loc() && base.path == base.net_loc { "/" } else { "" };
        return Joined::Slices(&base_url[..base.path], slash, reference);
    }
    on_step(Step::InheritParams);
    // Step 5b.
    let fragment = tail.strip_prefix('?').unwrap_or(tail);
    if fragment.len() < tail.len() && !matches!(first_byte(fragment), None | Some(b'#')) {
        on_step(Step::OwnQuery);
        return Joined::Slices(&base_url[..base.params], "", tail);
    }
    on_step(Step::InheritQuery);
    Joined::Slices(&base_url[..base.query], "", fragment)
}

/// Step 6: appends a reference that begins with a path to the base's directory.
#[inline(always)]
fn merge<'u>(prepared: &PreparedBase, mut inherited: &'u str, reference: &'u str) -> Joined<'u> {
    let mut rest = reference;
    // Dot segments at the start only shorten the two slices.
    while first_byte(rest) == Some(b'.') {
        if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix("../") {
            match strip_last_segment(inherited, prepared.first_segment) {
                Some(parent) => (inherited, rest) = (parent, after),
                None => break,
            }
        } else {
            break;
        }
    }
    // The remaining `../` lead above the root, and stay in the path.
    let mut plain = rest;
    while let Some(after) = plain.strip_prefix("../") {
        plain = after;
    }
    if first_byte(plain) != Some(b'.') && find_dot_segment(plain).is_none() {
        return Joined::Slices(inherited, "", rest);
    }
    let path_end = find_class(rest.as_bytes(), 0, PARAMS | QUERY | FRAGMENT);
    let mut out = String::with_capacity(inherited.len() + rest.len());
    out.push_str(inherited);
    push_segments(&mut out, prepared.first_segment, &rest[..path_end]);
    out.push_str(&rest[path_end..]);
    Joined::Text(out)
}

/// Appends the segments of a relative `path` to `out`, whose segments begin at `first_segment`:
/// steps 6a to 6d.
///
/// Removing the leftmost `<segment>/../` repeatedly (6c) is equivalent to removing the last segment
/// written at each `..`, as the text written so far never contains the pattern. Each byte is
/// written and removed at most once.
fn push_segments(out: &mut String, first_segment: usize, path: &str) {
    let mut rest = path;
    while !rest.is_empty() {
        // 6a, 6b.
        if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else if rest == "." {
            return;
        // 6c, 6d.
        } else if rest.starts_with("../") || rest == ".." {
            let (segment, after) = rest.split_at(rest.len().min(3));
            match strip_last_segment(out, first_segment).map(str::len) {
                Some(length) => out.truncate(length),
                None => out.push_str(segment),
            }
            rest = after;
        // NOTE: an empty segment is a segment: `a//../b` results in `a/b`.
        } else {
            let (segments, after) = rest.split_at(find_dot_segment(rest).unwrap_or(rest.len()));
            out.push_str(segments);
            rest = after;
        }
    }
}

/// Finds the start of the next segment that begins with a dot, except for the first segment.
#[inline(always)]
fn find_dot_segment(path: &str) -> Option<usize> {
    path.as_bytes().windows(2).position(|pair| pair == b"/.").map(|slash| slash + 1)
}

/// Strips the last segment of `text`, whose segments begin at `first_segment`. `None` if that
/// segment is incomplete, or is a `..`, which must stay.
#[inline(always)]
fn strip_last_segment(text: &str, first_segment: usize) -> Option<&str> {
    let segments = text.as_bytes().get(first_segment..)?.strip_suffix(b"/")?;
    let start = segments.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    if &segments[start..] == b".." { None } else { Some(&text[..first_segment + start]) }
}
