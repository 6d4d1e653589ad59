//! RFC 1808 section 4 as a child would do it: copied strings, and the patterns
//! of step 6 removed one by one, leftmost first. Slow and plainly right.

#[derive(Default, Clone)]
struct Parts {
    scheme: String,
    net_loc: Option<String>,
    slash: bool,
    path: String,
    params: Option<String>,
    query: Option<String>,
    fragment: Option<String>,
}

/// Section 2.4.
fn parse(url: &str) -> Parts {
    let mut parts = Parts::default();
    let mut rest = url.to_owned();
    if let Some(at) = rest.find('#') {
        parts.fragment = Some(rest[at + 1..].to_owned());
        rest.truncate(at);
    }
    if let Some(at) = rest.find(':') {
        let before = &rest[..at];
        if !before.is_empty()
            && before.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
        {
            before.clone_into(&mut parts.scheme);
            rest = rest[at + 1..].to_owned();
        }
    }
    if rest.starts_with("//") {
        let end = rest[2..].find(['/', '?']).map_or(rest.len(), |at| at + 2);
        parts.net_loc = Some(rest[2..end].to_owned());
        rest = rest[end..].to_owned();
    }
    if let Some(at) = rest.find('?') {
        parts.query = Some(rest[at + 1..].to_owned());
        rest.truncate(at);
    }
    if let Some(at) = rest.find(';') {
        parts.params = Some(rest[at + 1..].to_owned());
        rest.truncate(at);
    }
    parts.slash = rest.starts_with('/');
    rest.strip_prefix('/').unwrap_or(&rest).clone_into(&mut parts.path);
    parts
}

fn empty(component: Option<&String>) -> bool {
    component.is_none_or(String::is_empty)
}

/// Steps 6a to 6d on a path without its first slash.
fn remove_dots(path: &str) -> String {
    let mut segments: Vec<&str> = path.split('/').collect();
    // 6a: every "./" of a complete segment.
    while let Some(at) =
        segments.iter().position(|s| *s == ".").filter(|at| at + 1 < segments.len())
    {
        segments.remove(at);
    }
    // 6b: a "." at the end.
    if let Some(last) = segments.last_mut().filter(|last| **last == ".") {
        *last = "";
    }
    // 6c: the leftmost "<segment>/../", until there is none.
    while let Some(at) = (0..segments.len().saturating_sub(2))
        .find(|&at| segments[at] != ".." && segments[at + 1] == "..")
    {
        segments.drain(at..at + 2);
    }
    // 6d: "<segment>/.." at the end.
    if matches!(segments[..], [.., segment, ".."] if segment != "..") {
        segments.truncate(segments.len() - 2);
        segments.push("");
    }
    segments.join("/")
}

/// Section 4, on what is left when the white space that never counts is gone.
pub(crate) fn resolve(base: &str, reference: &str) -> String {
    let strip = |text: &str| text.trim_matches(|c| c <= ' ').replace(['\t', '\n', '\r'], "");
    let (base, reference) = (strip(base), strip(reference));
    if reference.is_empty() {
        return base;
    }
    let base = parse(&base);
    let mut url = parse(&reference);
    if !url.scheme.is_empty() {
        return reference;
    }
    url.scheme = base.scheme;
    if empty(url.net_loc.as_ref()) {
        url.net_loc = base.net_loc;
        if !url.slash {
            if url.path.is_empty() {
                (url.slash, url.path) = (base.slash, base.path);
                if empty(url.params.as_ref()) {
                    url.params = base.params;
                    if empty(url.query.as_ref()) {
                        url.query = base.query;
                    }
                }
            } else {
                let directory = base.path.rfind('/').map_or("", |at| &base.path[..=at]);
                url.path = remove_dots(&format!("{directory}{}", url.path));
                // The design's note: a path after a net_loc begins with a slash.
                url.slash = base.slash || url.net_loc.is_some();
            }
        }
    }
    recombine(&url)
}

/// Step 7, with the design's notes.
fn recombine(url: &Parts) -> String {
    let mut path = if url.slash { "/".to_owned() } else { String::new() } + &url.path;
    if url.net_loc.is_some() && path.is_empty() && url.params.is_some() {
        path.push('/');
    }
    if url.net_loc.is_none() && path.starts_with("//") {
        path.insert_str(0, "/.");
    }
    let with = |delimiter: &str, component: Option<&String>| {
        component.map_or(String::new(), |text| format!("{delimiter}{text}"))
    };
    let scheme = if url.scheme.is_empty() { String::new() } else { format!("{}:", url.scheme) };
    scheme
        + &with("//", url.net_loc.as_ref())
        + &path
        + &with(";", url.params.as_ref())
        + &with("?", url.query.as_ref())
        + &with("#", url.fragment.as_ref())
}
