//! RFC 1808, [Relative Uniform Resource Locators][rfc]: parsing (section 2.4)
//! and resolving (section 4), to the letter and in the RFC's order.
//!
//! Characters are never re-encoded, added or dropped, except where a `NOTE:`
//! below says so. White space around a reference is the caller's to remove
//! ([`super::clean`]). Nothing is validated: by this RFC every string is a
//! reference.
//!
//! [rfc]: https://www.rfc-editor.org/rfc/rfc1808

use std::fmt;

/// The components of a URL, as slices of it ([section 2.1][rfc]).
///
/// `None` is a component that is not there; `Some("")` is one whose delimiter
/// stands with nothing behind it. Written out again (`to_string`), the
/// components give the URL that they were parsed from.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.1
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Components<'u> {
    /// What stands before the first `:`, without it.
    pub scheme: Option<&'u str>,
    /// The network location behind `//`: user, password, host and port.
    pub net_loc: Option<&'u str>,
    /// The path, with the slash that it begins with, if it does.
    pub path: &'u str,
    /// The object parameters behind the first `;`.
    pub params: Option<&'u str>,
    /// The query behind the first `?`.
    pub query: Option<&'u str>,
    /// The fragment behind the first `#`.
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
            // NOTE: the RFC ends a net_loc at the next slash alone, which makes the
            // query of `http://h?q` a part of the host. It ends at a `?` as well.
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

    /// The path up to and including its rightmost slash (section 4, step 6).
    fn directory(&self) -> &'u str {
        &self.path[..self.path.rfind('/').map_or(0, |slash| slash + 1)]
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

/// Where the scheme's `:` stands, if the text begins with a scheme:
/// [section 2.4.2][rfc].
///
/// By the letter of that section a scheme may begin with a digit, `+`, `-` or
/// `.`, so `12:30.html` has the scheme `12`.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.4.2
#[must_use]
pub fn scheme_end(text: &str) -> Option<usize> {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let end = text.bytes().position(|byte| !is_scheme(&byte))?;
    (end > 0 && text.as_bytes()[end] == b':').then_some(end)
}

fn split_off(text: &str, delimiter: char) -> (&str, Option<&str>) {
    match text.split_once(delimiter) {
        Some((before, behind)) => (before, Some(behind)),
        None => (text, None),
    }
}

/// A base URL made ready, so that resolving against it costs one allocation and
/// no second look at the base's own dot segments.
#[derive(Debug, Clone)]
pub(super) struct Directory {
    /// Scheme, `net_loc` and the base's path up to its rightmost slash, with steps
    /// 6a to 6d done.
    text: String,
    /// Where the path begins in `text`.
    path: usize,
    /// Where the first segment begins: behind the slash that the path begins
    /// with, which is no part of a segment.
    first_segment: usize,
}

impl Directory {
    pub(super) fn new(base: &Components<'_>) -> Self {
        let mut text = String::new();
        push_origin(&mut text, base);
        let path = text.len();
        let directory = base.directory();
        // NOTE: a path behind a net_loc begins with a slash (section 2.2: `net_path =
        // "//" net_loc [ abs_path ]`), so base `http://h` with `g` gives `http://h/g`.
        if directory.starts_with('/') || base.net_loc.is_some() {
            text.push('/');
        }
        let first_segment = text.len();
        let segments = directory.strip_prefix('/').unwrap_or(directory);
        push_segments(&mut text, first_segment, segments);
        Self { text, path, first_segment }
    }
}

/// One step of [section 4][rfc], as it was taken.
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
    /// 4: the path begins with a slash and stands.
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
    /// 7: the components are put together.
    Recombine,
}

impl Step {
    /// The step's number in the RFC: `2a` to `7`.
    #[must_use]
    pub fn number(self) -> &'static str {
        self.row().0
    }

    /// What the step did, in one clause.
    #[must_use]
    pub fn action(self) -> &'static str {
        self.row().1
    }

    fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::InheritAll => ("2a", "the reference is empty: it is the entire base URL"),
            Self::Absolute => ("2b", "it has a scheme: it is absolute and stands as it is"),
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

/// Resolves `reference` against the base that `text` and `directory` were made
/// from, and tells `taken` each step ([section 4][rfc]).
///
/// Step 1, a base that is unknown, is the caller's. One allocation: the result.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-4
pub(super) fn resolve(
    base_url: &str,
    directory: &Directory,
    reference: &str,
    mut taken: impl FnMut(Step),
) -> String {
    // Step 2a.
    if reference.is_empty() {
        taken(Step::InheritAll);
        return base_url.to_owned();
    }
    let embedded = Components::parse(reference);
    // Step 2b.
    if embedded.scheme.is_some() {
        taken(Step::Absolute);
        return reference.to_owned();
    }
    let base = Components::parse(base_url);
    // The longest result: an inherited base, two characters for a path that must not
    // become a host, one for a path behind a net_loc.
    let mut out = String::with_capacity(base_url.len() + reference.len() + 3);
    // Step 2c.
    taken(Step::InheritScheme);
    let has_net_loc = embedded.net_loc.is_some_and(|net_loc| !net_loc.is_empty());
    // Step 3.
    let (net_loc, path) = if has_net_loc {
        taken(Step::OwnNetLoc);
        push_origin(&mut out, &Components { net_loc: embedded.net_loc, ..base });
        let path = out.len();
        push_path(&mut out, embedded.net_loc, &embedded);
        (embedded.net_loc, path)
    } else {
        taken(Step::InheritNetLoc);
        push_origin(&mut out, &base);
        let path = out.len();
        // Steps 4 to 6.
        push_relative(&mut out, &base, directory, &embedded, &mut taken);
        (base.net_loc, path)
    };
    // Step 7.
    taken(Step::Recombine);
    // NOTE: a path that begins with two slashes where no net_loc stands would be read
    // as a net_loc; `/.` before it keeps it a path.
    if net_loc.is_none() && out[path..].starts_with("//") {
        out.insert_str(path, "/.");
    }
    push_component(&mut out, '#', embedded.fragment);
    out
}

/// Steps 4 to 6: the path, parameters and query of a reference without scheme
/// and `net_loc`.
fn push_relative(
    out: &mut String,
    base: &Components<'_>,
    directory: &Directory,
    embedded: &Components<'_>,
    taken: &mut impl FnMut(Step),
) {
    let is_given = |component: Option<&str>| component.is_some_and(|text| !text.is_empty());
    // Step 4.
    if embedded.path.starts_with('/') {
        taken(Step::AbsolutePath);
        push_path(out, base.net_loc, embedded);
    // Step 5.
    } else if embedded.path.is_empty() {
        taken(Step::InheritPath);
        let (mut params, mut query) = (embedded.params, embedded.query);
        // Step 5a.
        if is_given(params) {
            taken(Step::OwnParams);
        } else {
            taken(Step::InheritParams);
            params = base.params;
            // Step 5b.
            if is_given(query) {
                taken(Step::OwnQuery);
            } else {
                taken(Step::InheritQuery);
                query = base.query;
            }
        }
        push_path(out, base.net_loc, &Components { path: base.path, params, query, ..*embedded });
    // Step 6.
    } else {
        taken(Step::Merge);
        out.push_str(&directory.text[directory.path..]);
        let first_segment = out.len() - directory.text.len() + directory.first_segment;
        push_segments(out, first_segment, embedded.path);
        push_component(out, ';', embedded.params);
        push_component(out, '?', embedded.query);
    }
}

fn push_origin(out: &mut String, url: &Components<'_>) {
    if let Some(scheme) = url.scheme {
        out.push_str(scheme);
        out.push(':');
    }
    // NOTE: `//` with nothing behind it is inherited like any net_loc: base
    // `file:///a/b` with `../c` gives `file:///c`.
    if let Some(net_loc) = url.net_loc {
        out.push_str("//");
        out.push_str(net_loc);
    }
}

/// The path, params and query of `url`, behind `net_loc`.
fn push_path(out: &mut String, net_loc: Option<&str>, url: &Components<'_>) {
    // NOTE: params behind a net_loc are a path's, and a path there begins with a slash:
    // base `http://h` with `;x` gives `http://h/;x`.
    if net_loc.is_some() && url.path.is_empty() && url.params.is_some() {
        out.push('/');
    }
    out.push_str(url.path);
    push_component(out, ';', url.params);
    push_component(out, '?', url.query);
}

fn push_component(out: &mut String, delimiter: char, component: Option<&str>) {
    if let Some(component) = component {
        out.push(delimiter);
        out.push_str(component);
    }
}

/// Appends the segments of a relative `path` to `out`, whose segments begin at
/// `first`: steps 6a to 6d.
///
/// Removing the leftmost `<segment>/../` until none is left (6c) is the same as
/// taking back the last segment written at each `..`: what stands left of it
/// holds no such pattern any more. Each byte is written and taken back once.
fn push_segments(out: &mut String, first: usize, path: &str) {
    if !path.starts_with('.') && !path.contains("/.") {
        out.push_str(path);
        return;
    }
    for segment in path.split_inclusive('/') {
        match segment {
            // 6a, 6b.
            "./" | "." => {}
            // 6c, 6d. A segment that is `..` itself is not taken back.
            "../" | ".." => match last_segment(out, first) {
                Some(start) if &out[start..] != "../" => out.truncate(start),
                _ => out.push_str(segment),
            },
            // NOTE: an empty segment is a segment like every other: `a//../b` gives `a/b`.
            _ => out.push_str(segment),
        }
    }
}

/// Where the last of the complete segments behind `first` begins.
fn last_segment(out: &str, first: usize) -> Option<usize> {
    let segments = out[first..].strip_suffix('/')?;
    Some(first + segments.rfind('/').map_or(0, |slash| slash + 1))
}
