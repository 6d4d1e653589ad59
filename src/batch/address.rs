//! The retrieval URL of a file in a tree.

use std::path::{Component, Path};

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};

use crate::url::Base;

/// What would end the path, or be read as something else, if it were written as it
/// is; and what [RFC 1808 section 2.2][rfc] does not have in a path.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.2
pub(crate) const NOT_IN_A_NAME: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b';')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The URL of a file from that of the root and its path below the root.
///
/// The root's URL loses query and fragment, and gets a slash at its end.
#[must_use]
pub fn url_below(root: &Base, path: &Path) -> String {
    let root = root.as_str();
    let mut url = root[..root.find(['?', '#']).unwrap_or(root.len())].to_owned();
    if !url.ends_with('/') {
        url.push('/');
    }
    for part in path.components() {
        if let Component::Normal(name) = part {
            if !url.ends_with('/') {
                url.push('/');
            }
            url.extend(percent_encode(name.as_encoded_bytes(), NOT_IN_A_NAME));
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn below(root: &str, path: &str, url: &str) {
        assert_eq!(url_below(&Base::new(root).unwrap(), Path::new(path)), url);
    }

    #[test]
    fn a_path_is_added_to_the_roots_url() {
        below("http://h", "a.html", "http://h/a.html");
        below("http://h/", "a/b.html", "http://h/a/b.html");
        below("http://h/p", "a.html", "http://h/p/a.html");
        below("http://h/p/?q#f", "a.html", "http://h/p/a.html");
        below("file:///p", "a.html", "file:///p/a.html");
    }

    #[test]
    fn what_would_end_the_path_is_encoded() {
        below("http://h/", "a;b?c#d%e f.html", "http://h/a%3Bb%3Fc%23d%25e%20f.html");
        below("http://h/", "\u{e9}", "http://h/%C3%A9");
        below("http://h/", "a:b=c&d+e~f@g", "http://h/a:b=c&d+e~f@g");
        below("http://h/", "a\\b\n", "http://h/a%5Cb%0A");
    }

    #[test]
    #[cfg(unix)]
    fn a_name_that_is_not_utf_8_is_its_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"\xe9.html");
        let url = url_below(&Base::new("http://h/").unwrap(), Path::new(name));
        assert_eq!(url, "http://h/%E9.html");
    }
}
