//! Resolving: RFC 1808, [section 4][rfc], without step 1 (an unknown base), and without removing
//! white space around the reference.
//!
//! [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-4

#![expect(
    clippy::inline_always,
    reason = "a third of the time goes into handing small structures over otherwise"
)]

use super::{Ends, FRAGMENT, PARAMS, QUERY, end, scheme_end};

/// A prepared base URL: resolving against it takes one allocation, and does not parse the base
/// again.
#[derive(Debug, Clone)]
pub(in crate::url) struct Directory {
    /// Scheme, `net_loc` and the base's path up to its rightmost slash, after steps 6a to 6d;
    /// `None` if the base begins with that text.
    text: Option<String>,
    /// The length of that text in the base.
    length: usize,
    /// The offset of its first segment: after the slash that the path begins with, which is not
    /// part of a segment.
    first_segment: usize,
    /// The ends of the components of the base URL.
    base: Ends,
}

impl Directory {
    pub(in crate::url) fn new(base_url: &str) -> Self {
        let base = Ends::parse(base_url);
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
            && dot_segment(segments).is_none();
        let text = (!is_slice).then(|| {
            // Leaves room for a slash after a net_loc.
            let mut text = String::with_capacity(length + 1);
            text.push_str(&base_url[..base.net_loc]);
            text.push_str(if has_slash { "/" } else { "" });
            push_segments(&mut text, first_segment, segments);
            text
        });
        Self { text, length, first_segment, base }
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
    /// The step's number in the RFC: `2a` to `7`.
    #[must_use]
    pub fn number(self) -> &'static str {
        self.row().0
    }

    /// The action of the step, as a clause.
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
/// of the reference, and so is represented by slices of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Joined<'u> {
    /// The reference has a scheme: it is absolute and stays unchanged.
    Absolute,
    /// The inherited part of the base, the text between (`/`, `/.` or empty), and the end of the
    /// reference.
    Slices(&'u str, &'static str, &'u str),
    /// The reference has dot segments inside, so that slices are not enough.
    Text(String),
}

impl Joined<'_> {
    /// The URL, in a single allocation; `None` if the reference stays unchanged.
    #[must_use]
    #[inline(always)]
    pub fn into_url(self) -> Option<String> {
        match self {
            Self::Absolute => None,
            Self::Slices(inherited, between, own) => {
                let length = inherited.len() + between.len() + own.len();
                let mut out = String::with_capacity(length);
                push_slices(&mut out, inherited, between, own);
                Some(out)
            }
            Self::Text(text) => Some(text),
        }
    }

    /// Appends the URL, unless the reference stays unchanged.
    #[inline(always)]
    pub fn push_to(&self, out: &mut String) {
        match *self {
            Self::Absolute => {}
            Self::Slices(inherited, between, own) => push_slices(out, inherited, between, own),
            Self::Text(ref text) => out.push_str(text),
        }
    }
}

#[inline(always)]
fn push_slices(out: &mut String, inherited: &str, between: &str, own: &str) {
    out.push_str(inherited);
    // A call for an empty string costs as much as one for a few bytes.
    if !between.is_empty() {
        out.push_str(between);
    }
    out.push_str(own);
}

/// Resolves `reference` against the base of `text` and `directory`, and calls `taken` for each step
/// ([section 4][rfc]).
///
/// The caller handles step 1, an unknown base.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-4
#[inline(always)]
pub(in crate::url) fn resolve<'u>(
    base_url: &'u str,
    directory: &'u Directory,
    reference: &'u str,
    mut taken: impl FnMut(Step),
) -> Joined<'u> {
    // Step 2a.
    if reference.is_empty() {
        taken(Step::InheritAll);
        return Joined::Slices(base_url, "", "");
    }
    // Step 2b.
    if scheme_end(reference).is_some() {
        taken(Step::Absolute);
        return Joined::Absolute;
    }
    let base = &directory.base;
    // Step 2c.
    taken(Step::InheritScheme);
    // Step 3.
    let after = reference.strip_prefix("//").unwrap_or(reference);
    if after.len() < reference.len() && !matches!(first(after), None | Some(b'/' | b'?' | b'#')) {
        taken(Step::OwnNetLoc);
        taken(Step::Recombine);
        return Joined::Slices(&base_url[..base.scheme], "", reference);
    }
    // NOTE: an empty net_loc (`//`) inherits that of the base like a missing one: base
    // `file:///a/b` with `../c` results in `file:///c`.
    taken(Step::InheritNetLoc);
    let joined = match first(after) {
        // Step 4.
        Some(b'/') => {
            taken(Step::AbsolutePath);
            Joined::Slices(&base_url[..base.net_loc], "", after)
        }
        None | Some(b';' | b'?' | b'#') => inherit_path(base_url, base, after, &mut taken),
        // Step 6.
        Some(_) => {
            taken(Step::Merge);
            merge(directory, directory.text(base_url), after)
        }
    };
    // Step 7.
    taken(Step::Recombine);
    if base.has_net_loc() { joined } else { without_net_loc(joined, base.scheme) }
}

/// NOTE: without a `net_loc`, a path that begins with two slashes would be read as a `net_loc`;
/// `/.` before it keeps it a path.
#[cold]
fn without_net_loc(joined: Joined<'_>, scheme: usize) -> Joined<'_> {
    let mut text = joined.into_url().unwrap_or_default();
    if text[scheme..].starts_with("//") {
        text.insert_str(scheme, "/.");
    }
    Joined::Text(text)
}

#[inline(always)]
fn first(text: &str) -> Option<u8> {
    text.as_bytes().first().copied()
}

/// Step 5: a reference without path inherits the base's path, and the components after it up to the
/// first that the reference has. Empty params and an empty query count as missing.
#[inline(always)]
fn inherit_path<'u>(
    base_url: &'u str,
    base: &Ends,
    reference: &'u str,
    taken: &mut impl FnMut(Step),
) -> Joined<'u> {
    taken(Step::InheritPath);
    let own = reference.strip_prefix(';').unwrap_or(reference);
    // Step 5a.
    if own.len() < reference.len() && !matches!(first(own), None | Some(b'?' | b'#')) {
        taken(Step::OwnParams);
        // NOTE: params after a net_loc belong to a path, and a path there begins with a slash: base
        // `http://h` with `;x` results in `http://h/;x`.
        let slash = if base.has_net_loc() && base.path == base.net_loc { "/" } else { "" };
        return Joined::Slices(&base_url[..base.path], slash, reference);
    }
    taken(Step::InheritParams);
    // Step 5b.
    let fragment = own.strip_prefix('?').unwrap_or(own);
    if fragment.len() < own.len() && !matches!(first(fragment), None | Some(b'#')) {
        taken(Step::OwnQuery);
        return Joined::Slices(&base_url[..base.params], "", own);
    }
    taken(Step::InheritQuery);
    Joined::Slices(&base_url[..base.query], "", fragment)
}

/// Step 6: appends a reference that begins with a path to the base's directory.
#[inline(always)]
fn merge<'u>(directory: &Directory, mut inherited: &'u str, reference: &'u str) -> Joined<'u> {
    let mut own = reference;
    // Dot segments at the start only shorten the two slices.
    while first(own) == Some(b'.') {
        if let Some(after) = own.strip_prefix("./") {
            own = after;
        } else if let Some(after) = own.strip_prefix("../") {
            match parent(inherited, directory.first_segment) {
                Some(parent) => (inherited, own) = (parent, after),
                None => break,
            }
        } else {
            break;
        }
    }
    // Segments `..` that lead above the root stay in the path.
    let mut plain = own;
    while let Some(after) = plain.strip_prefix("../") {
        plain = after;
    }
    if first(plain) != Some(b'.') && dot_segment(plain).is_none() {
        return Joined::Slices(inherited, "", own);
    }
    let path = end(own.as_bytes(), 0, PARAMS | QUERY | FRAGMENT);
    let mut out = String::with_capacity(inherited.len() + own.len());
    out.push_str(inherited);
    push_segments(&mut out, directory.first_segment, &own[..path]);
    out.push_str(&own[path..]);
    Joined::Text(out)
}

/// Appends the segments of a relative `path` to `out`, whose segments begin at `first`: steps 6a to
/// 6d.
///
/// Removing the leftmost `<segment>/../` repeatedly (6c) is equivalent to removing the last segment
/// written at each `..`, as the text written so far never contains the pattern. Each byte is
/// written and removed at most once.
fn push_segments(out: &mut String, first: usize, path: &str) {
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
            match parent(out, first).map(str::len) {
                Some(length) => out.truncate(length),
                None => out.push_str(segment),
            }
            rest = after;
        // NOTE: an empty segment counts as a segment: `a//../b` results in `a/b`.
        } else {
            let (segments, after) = rest.split_at(dot_segment(rest).unwrap_or(rest.len()));
            out.push_str(segments);
            rest = after;
        }
    }
}

/// The start of the next segment that begins with a dot, except for the first segment.
#[inline(always)]
fn dot_segment(path: &str) -> Option<usize> {
    path.as_bytes().windows(2).position(|pair| pair == b"/.").map(|slash| slash + 1)
}

/// Removes the last segment of `text`, whose segments begin at `first`. `None` if that segment is
/// incomplete, or is a `..`, which must stay.
#[inline(always)]
fn parent(text: &str, first: usize) -> Option<&str> {
    let segments = text.as_bytes().get(first..)?.strip_suffix(b"/")?;
    let start = segments.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    if &segments[start..] == b".." { None } else { Some(&text[..first + start]) }
}
