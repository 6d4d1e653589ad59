//! Names of members, and references to them.

use std::collections::HashSet;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::container::ContainerError;
use crate::container::zip::Directory;

/// Maximum bytes and folders of a name: an audit has the paths of all folders in memory.
const MAX_BYTES: usize = 1024;
const MAX_FOLDERS: usize = 32;

/// What a URL has escapes for.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// What separates the segments of a reference.
const SLASHES: [char; 2] = ['/', '\\'];

/// Checks that every member has a name of its own, and one for which [`problem`] finds no reason.
pub(super) fn check(directory: &Directory) -> Result<(), ContainerError> {
    let members = &directory.members;
    let mut names = HashSet::with_capacity(members.len());
    for member in members {
        directory.check_name(member)?;
        if let Some(what) = problem(&member.name) {
            return Err(ContainerError::of(&member.name, what));
        }
        if !names.insert(member.name.trim_end_matches('/')) {
            return Err(ContainerError::of(&member.name, "two members have this name"));
        }
    }
    let files = members.iter().filter(|member| !member.is_folder());
    let files: HashSet<_> = files.map(|member| &*member.name).collect();
    for member in members {
        let mut folders = member.name.match_indices('/').map(|(at, _)| &member.name[..at]);
        if let Some(folder) = folders.find(|folder| files.contains(folder)) {
            let what = format!("its folder is a file too, '{folder}'");
            return Err(ContainerError::of(&member.name, what));
        }
    }
    Ok(())
}

/// Why a name could lead out of a folder into which the book is unpacked, or cannot be the name of a
/// file in a book ([file paths and names](https://www.w3.org/TR/epub-33/#sec-container-filenames)).
pub(super) fn problem(name: &str) -> Option<&'static str> {
    let bytes = name.as_bytes();
    let file = name.strip_suffix('/').unwrap_or(name);
    let is_drive =
        bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
    match () {
        () if name.is_empty() => Some("a member has no name"),
        () if name.starts_with('/') || is_drive => Some("the name is an absolute path"),
        () if name.contains('\\') => Some("the name has a backslash"),
        () if name.chars().any(char::is_control) => Some("the name has a control character"),
        () if file.split('/').any(|segment| segment == "..") => {
            Some("the name leads out of the book")
        }
        () if file.split('/').any(|segment| matches!(segment, "" | ".")) => {
            Some("the name has an empty segment, or one that is a dot")
        }
        () if name.len() > MAX_BYTES || file.matches('/').count() > MAX_FOLDERS => {
            Some("the name has more than 1024 bytes, or more than 32 folders")
        }
        () => None,
    }
}

/// The name of the member that a reference in a member leads to, without its fragment; `None` for a
/// URL with a scheme or a host, and for a name that is not UTF-8.
///
/// `..` segments at the root are dropped, as the
/// [container root URL](https://www.w3.org/TR/epub-33/#sec-container-iri) asks for, and a backslash
/// is a slash, as in [browsers](https://url.spec.whatwg.org/#relative-slash-state).
pub(super) fn resolve(reference: &str, from: &str) -> Option<String> {
    let reference = reference.trim_matches(|c: char| c <= ' ');
    let path = &reference[..reference.find(['#', '?']).unwrap_or(reference.len())];
    let has_scheme = path.split(SLASHES).next().is_some_and(|first| first.contains(':'));
    let slashes = path.len() - path.trim_start_matches(SLASHES).len();
    if has_scheme || slashes > 1 {
        return None;
    }
    if path.is_empty() {
        return Some(from.to_owned());
    }
    let folder =
        if slashes > 0 { "" } else { from.rsplit_once('/').map_or("", |(folder, _)| folder) };
    let mut segments: Vec<String> =
        folder.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect();
    for segment in path.split(SLASHES) {
        match &*percent_decode_str(segment).decode_utf8().ok()? {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name.to_owned()),
        }
    }
    Some(segments.join("/"))
}

/// The URL of a member of a book whose root has this URL.
pub(super) fn url(root: &str, name: &str) -> String {
    let mut url = root[..root.find(['?', '#']).unwrap_or(root.len())].to_owned();
    if !url.ends_with('/') {
        url.push('/');
    }
    url.extend(utf8_percent_encode(name, ESCAPED));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_the_book() {
        for name in ["mimetype", "OEBPS/a b.xhtml", "OEBPS/", "..a/b..", "ä/ü.xhtml"] {
            assert_eq!(problem(name), None, "{name}");
        }
        for name in [
            "",
            "/etc/passwd",
            "C:/x",
            "c:x",
            "a\\b",
            "../x",
            "a/../../x",
            "a/..",
            "a//b",
            "./a",
            "a\nb",
            "a\0",
            "/",
        ] {
            assert!(problem(name).is_some(), "{name}");
        }
        for (name, is_short) in [("a/".repeat(32) + "x", true), ("a/".repeat(33) + "x", false)] {
            assert_eq!(problem(&name).is_none(), is_short, "{name}");
        }
        assert!(problem(&"x".repeat(1024)).is_none() && problem(&"x".repeat(1025)).is_some());
    }

    #[test]
    fn a_reference_leads_to_a_member() {
        let to = |reference| resolve(reference, "OEBPS/text/a.xhtml");
        assert_eq!(to("b.xhtml#x").as_deref(), Some("OEBPS/text/b.xhtml"));
        assert_eq!(to("../i%20m/%C3%A4.png?x").as_deref(), Some("OEBPS/i m/ä.png"));
        assert_eq!(to("../../../../a/./b").as_deref(), Some("a/b"));
        assert_eq!(to("/a").as_deref(), Some("a"));
        assert_eq!(to("#x").as_deref(), Some("OEBPS/text/a.xhtml"));
        assert_eq!(to("..\\b.xhtml").as_deref(), Some("OEBPS/b.xhtml"));
        assert_eq!(to("\\a").as_deref(), Some("a"));
        assert_eq!(to("a%5Cb").as_deref(), Some("OEBPS/text/a\\b"));
        for reference in ["https://h/", "//h/a", "\\/h", "mailto:a", "%FF"] {
            assert_eq!(to(reference), None, "{reference}");
        }
        assert_eq!(resolve("100%", "a").as_deref(), Some("100%"));
        assert_eq!(url("http://h?q", "a b/ä.xhtml"), "http://h/a%20b/%C3%A4.xhtml");
    }
}
