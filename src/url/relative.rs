//! Computes references to a URL: relative references, and paths from the root of the host.
//!
//! Resolves every computed reference again, by the standard and as browsers do, as a check.

use std::borrow::Cow;

use super::parts::is_special;
use super::parts::{Parts, authority, leads_above_root, parse_dots, without_dots};
use super::rfc1808::scheme_end;
use super::{Base, Resolution, Standard};

/// The way to write a reference from a page to a fragment of the same page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnPage {
    /// `#fragment`
    Fragment,
    /// `page.html#fragment`: in CSS, `#fragment` alone is a local URL without base.
    Name,
}

/// Returns the shortest relative reference from the folder of `from` to `to`, with the query and
/// the fragment of `to`. If the two differ only in query or fragment, the reference has no path.
/// `None` if `to` has another origin, or dot segments.
///
/// The reference is never empty, as most attributes ignore an empty value.
pub(crate) fn make_relative(
    standard: Standard,
    from: &Base,
    to: &str,
    own_page: OwnPage,
) -> Option<String> {
    let page = Parts::of(from.as_str())?;
    let to = &*adapt_to_origin(page, to)?;
    let target = Parts::of(to)?;
    let (query, fragment) = target.query_and_fragment();
    if page.path == target.path && own_page == OwnPage::Fragment {
        let is_page = page.query_and_fragment().0 == query;
        let reference = if is_page { fragment } else { target.rest };
        let is_short = is_page && !fragment.is_empty() || !is_page && query.len() > 1;
        if is_short && leads_to(standard, from, reference, to) {
            return Some(reference.to_owned());
        }
    }
    let reference = write_path(find_folder(standard, page.path), target.path) + target.rest;
    leads_to(standard, from, &reference, to).then_some(reference)
}

/// Returns the path of `to` from the root of the host, with query and fragment. `None` if `to` has
/// another origin than `from`, or dot segments that lead above the root.
pub(crate) fn make_root_relative(standard: Standard, from: &Base, to: &str) -> Option<String> {
    // Browsers read a backslash as a slash, so dot segments may lead elsewhere in browsers.
    let has_one_reading = |path: &str| !leads_above_root(path) && !path.contains('\\');
    let plain = Parts::of(to).filter(|parts| has_one_reading(parts.path)).and_then(|parts| {
        let Parts { scheme, net_loc, path, rest } = parts;
        Some(format!("{scheme}://{net_loc}{}{rest}", without_dots(path)?))
    });
    let to = plain.as_deref().unwrap_or(to);
    let to = &*adapt_to_origin(Parts::of(from.as_str())?, to)?;
    let target = Parts::of(to)?;
    let path = if target.path.is_empty() { "/" } else { target.path };
    let reference = format!("{path}{}", target.rest);
    leads_to(standard, from, &reference, to).then_some(reference)
}

/// Whether the path of a URL has dot segments. In a resolved URL, dot segments lead above the root.
#[must_use]
pub fn has_dots(url: Parts<'_>) -> bool {
    url.path.split('/').any(|segment| parse_dots(segment).is_some())
}

/// Whether two URLs have the same scheme, host and port, and the second has the user and password
/// of the first, or none.
pub(crate) fn is_same_origin(one: Parts<'_>, other: Parts<'_>) -> bool {
    let is_other_user = other.credentials().is_some() && other.credentials() != one.credentials();
    if is_other_user || !one.scheme.eq_ignore_ascii_case(other.scheme) {
        return false;
    }
    let host = |parts: Parts<'_>| authority(parts.scheme, parts.net_loc);
    one.net_loc == other.net_loc || host(one).is_some_and(|same| host(other) == Some(same))
}

/// Adds the user and password of `page` to a URL of the same origin, as relative references of the
/// page inherit them. `None` if the URL has another origin, or dot segments.
fn adapt_to_origin<'u>(page: Parts<'_>, to: &'u str) -> Option<Cow<'u, str>> {
    let target = Parts::of(to)?;
    if !is_same_origin(page, target) || has_dots(target) {
        return None;
    }
    match page.credentials() {
        Some(user) if target.credentials().is_none() => Some(Cow::Owned(target.with_user(user))),
        _ => Some(Cow::Borrowed(to)),
    }
}

/// Returns the folder of a path, with a trailing slash.
fn find_folder(standard: Standard, path: &str) -> &str {
    // RFC 1808 removes parameters before it removes the last segment.
    let path = match standard {
        Standard::Rfc1808 => path.split(';').next().unwrap_or_default(),
        _ => path,
    };
    path.rfind('/').map_or("/", |slash| &path[..=slash])
}

/// Writes the relative path from a folder to a path.
fn write_path(folder: &str, path: &str) -> String {
    let path = if path.is_empty() { "/" } else { path };
    let equal = folder.bytes().zip(path.bytes()).take_while(|(one, other)| one == other).count();
    let common = folder[..equal].rfind('/').map_or(0, |slash| slash + 1);
    let mut reference = "../".repeat(folder[common..].matches('/').count());
    let rest = &path[common..];
    if reference.is_empty() && needs_dot(rest) {
        reference.push_str("./");
    }
    reference.push_str(rest);
    reference
}

/// Whether a relative path without `./` is empty, or is read as another kind of reference.
fn needs_dot(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    first.is_empty()
        || first.contains(':')
        || first.starts_with(['\\', ';'])
        || first.as_bytes()[0] <= b' '
}

/// Resolves a reference such as `http:x`, which has a scheme but no `//`, as browsers do.
///
/// By RFC 1808 the reference is absolute, but browsers resolve it against a base of the same scheme
/// ([URL Standard](https://url.spec.whatwg.org/#special-relative-or-authority-state)). Against a
/// base of another scheme, browsers read a host after the scheme. `None` if neither `base` nor
/// `new`, the base after the rewrite, has the scheme: then the reference keeps its meaning.
pub(crate) fn read_by_browsers(base: &Base, new: Option<&Base>, reference: &str) -> Option<String> {
    let colon = scheme_end(reference)?;
    let (scheme, rest) = (&reference[..colon], &reference[colon + 1..]);
    let has_scheme =
        |base: &Base| base.whatwg().is_some_and(|base| scheme.eq_ignore_ascii_case(base.scheme()));
    if !is_special(scheme)
        || !(has_scheme(base) || new.is_some_and(has_scheme))
        || rest.trim_start_matches(['/', '\\']).len() + 2 <= rest.len()
    {
        return None;
    }
    Some(base.whatwg()?.join(reference).ok()?.into())
}

/// Whether a reference resolves to a URL, both by the standard and in browsers.
fn leads_to(standard: Standard, from: &Base, reference: &str, to: &str) -> bool {
    let Ok(Resolution::Resolved(url)) = standard.resolve(Some(from), reference) else {
        return false;
    };
    let to_url = || ::url::Url::parse(to).ok();
    if url != to && !to_url().is_some_and(|to| ::url::Url::parse(&url).is_ok_and(|url| url == to)) {
        return false;
    }
    if is_plain(reference) {
        return true;
    }
    match (from.whatwg(), to_url()) {
        (Some(from), Some(to)) => from.join(reference).is_ok_and(|url| url == to),
        _ => true,
    }
}

/// Whether browsers and all standards read a reference in the same way: a path of usual characters
/// that begins with a name or with dots.
fn is_plain(reference: &str) -> bool {
    let is_plain_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/#+,=&".contains(&byte);
    reference.starts_with(|first: char| first.is_ascii_alphanumeric() || matches!(first, '.' | '_'))
        && !reference.contains("/.")
        && reference.bytes().all(is_plain_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn leads(from: &str, to: &str, expected: Option<&str>) {
        let from = Base::new(from).unwrap();
        for &standard in Standard::ALL {
            assert_eq!(
                make_relative(standard, &from, to, OwnPage::Fragment).as_deref(),
                expected,
                "{standard} {from} {to}"
            );
        }
    }

    const PAGE: &str = "http://h/a/b/page.html";

    #[test]
    fn a_reference_is_as_short_as_it_can_be() {
        leads(PAGE, "http://h/a/b/c.html", Some("c.html"));
        leads(PAGE, "http://h/a/b/c/d.html?q=/x#f/y", Some("c/d.html?q=/x#f/y"));
        leads(PAGE, "http://h/a/c.html", Some("../c.html"));
        leads(PAGE, "http://h/a/bc/d", Some("../bc/d"));
        leads(PAGE, "http://h/x/y/", Some("../../x/y/"));
        leads(PAGE, "http://h/", Some("../../"));
        leads(PAGE, "http://h/a/", Some("../"));
        leads(PAGE, "http://h/a/b/", Some("./"));
        leads(PAGE, "http://h/a/b/?q", Some("./?q"));
        leads(PAGE, "http://h/a/b", Some("../b"));
        leads("http://h", "http://h/a", Some("a"));
        leads("http://h/a?x=/y", "http://h/b", Some("b"));
        leads("file:///a/b", "file:///a/c", Some("c"));
    }

    #[test]
    fn the_page_itself_has_a_fragment_or_its_name() {
        leads(PAGE, "http://h/a/b/page.html#x", Some("#x"));
        leads(PAGE, PAGE, Some("page.html"));
        leads(PAGE, "http://h/a/b/page.html?q#x", Some("?q#x"));
        leads(PAGE, "http://h/a/b/page.html?q", Some("?q"));
        leads(PAGE, "http://h/a/b/page.html?", Some("page.html?"));
        leads("http://h/a?p", "http://h/a?q", Some("?q"));
        leads("http://h/a/", "http://h/a/#x", Some("#x"));
        leads("http://h/a/", "http://h/a/", Some("./"));
        leads("http://h/a?q", "http://h/a#x", Some("a#x"));
        leads("http://h/a?q", "http://h/a?q#x", Some("#x"));
    }

    #[test]
    fn a_name_is_never_read_as_something_else() {
        leads(PAGE, "http://h/a/b/12:30.html", Some("./12:30.html"));
        leads(PAGE, "http://h/a/b/javascript:x", Some("./javascript:x"));
        leads(PAGE, "http://h/a/12:30.html", Some("../12:30.html"));
        leads(PAGE, "http://h/a/b/c/12:30.html", Some("c/12:30.html"));
        leads(PAGE, "http://h/a/b/a%3Fb%25c%20d.html", Some("a%3Fb%25c%20d.html"));
        leads(PAGE, "http://h/a/b/a%0Ab.html", Some("a%0Ab.html"));
        leads(PAGE, "http://h/a/b/%2e%2e", None);
        leads("http://h/a", "http://h//evil.example/x", Some(".//evil.example/x"));
        leads("http://h/a/b", "http://h//x", Some("..//x"));
    }

    #[test]
    fn another_host_and_credentials_have_none() {
        leads(PAGE, "http://i/a/b/c.html", None);
        leads(PAGE, "https://h/a/b/c.html", None);
        leads(PAGE, "http://h:81/a/b/c.html", None);
        leads(PAGE, "http://u:p@h/a/b/c.html", None);
        leads("http://u:p@h/a/b", "http://u:p@h/a/c", Some("c"));
        leads("http://u:p@h/a/b", "http://h/a/c", Some("c"));
        leads("http://u:p@h/a/b", "http://u:x@h/a/c", None);
        leads("http://u:p@h/a/b", "http://i/a/c", None);
        leads(PAGE, "http://h./a/b/c.html", None);
        leads("http://h./a/b", "http://h./a/c", Some("c"));
        leads(PAGE, "http://h\\a\\b\\c.html", None);
        leads(PAGE, "mailto:a@b", None);
        leads(PAGE, "http:x", None);
        leads(PAGE, "HTTP://H:80/a/b/c.html", Some("c.html"));
    }

    #[track_caller]
    fn leads_from_root(from: &str, to: &str, expected: Option<&str>) {
        let from = Base::new(from).unwrap();
        for &standard in Standard::ALL {
            let path = make_root_relative(standard, &from, to);
            assert_eq!(path.as_deref(), expected, "{standard} {to}");
        }
    }

    #[test]
    fn a_path_is_from_the_root_of_the_host() {
        leads_from_root(PAGE, "http://h/a/b/c.html?q#f", Some("/a/b/c.html?q#f"));
        leads_from_root(PAGE, "http://h", Some("/"));
        leads_from_root(PAGE, "http://h?q", Some("/?q"));
        leads_from_root(PAGE, "http://h/12:30", Some("/12:30"));
        leads_from_root(PAGE, "http://h/a/../b", Some("/b"));
        leads_from_root(PAGE, "http://h/a/./b/..?q", Some("/a/?q"));
        leads_from_root(PAGE, "http://h/a/../../b", None);
        leads_from_root(PAGE, "http://h//evil.example/x", None);
        leads_from_root(PAGE, "http://h/\\evil.example/x", None);
        leads_from_root(PAGE, "http://i/a", None);
        leads_from_root(PAGE, "http://u:p@h/a", None);
        leads_from_root(PAGE, "http://h./a", None);
    }
}
