//! Converts paths of files: from bytes, to slashes, and to the URL that a file was retrieved from
//! or is served at.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use absolve::url::{Base, masked};
use memchr::memmem;
use percent_encoding::{AsciiSet, CONTROLS, percent_encode};

/// Bytes that would end a path or change its meaning if unescaped, and those that [RFC 1808
/// section 2.2][rfc] does not allow in a path.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.2
pub const NOT_IN_A_NAME: &AsciiSet =
    &NOT_IN_A_QUERY.add(b'%').add(b';').add(b'?').add(b'[').add(b']').add(b'{').add(b'|').add(b'}');

/// Bytes that would end the query of a URL or are invalid in it; `%` stays, since wget has encoded
/// queries.
const NOT_IN_A_QUERY: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`');

/// The marks between a name and a query: wget writes `?`, or `@` if it restricts names for Windows,
/// where wget2 writes `%3F`; other programs write `%3f`.
///
/// NOTE: `@` also occurs in paths (`/@user`, `a@2x.png`): it is a mark before `=` alone.
pub const QUERY_MARKS: &[&[u8]] = &[b"?", b"%3F", b"%3f", AT_SIGN];

const AT_SIGN: &[u8] = b"@";

/// The extensions that wget adds to a name: none, or one by `--adjust-extension`.
pub const ADDED_EXTENSIONS: &[&[u8]] = &[b"", b".html", b".css"];

/// Returns the URL that a file was retrieved from, by the URL of the root and the path below it.
///
/// The root's URL loses query and fragment, and gets a slash at its end. A query that wget wrote
/// into the name becomes a query again: `list?page=1.html` was `list?page=1`. A character that wget
/// encoded stays encoded: `File%3AX` was `File:X`.
#[must_use]
pub fn url_below(root: &Base, path: &Path) -> String {
    retrieval_url(root, path.parent(), path.file_name().unwrap_or_default())
}

/// Computes [`url_below`] for a file in a folder whose path is given in parts.
pub(super) fn retrieval_url<'p>(
    root: &Base,
    folder: impl IntoIterator<Item = &'p Path>,
    file: &OsStr,
) -> String {
    let mut url = join_parts(root, folder, encode_unencoded);
    if !url.ends_with('/') {
        url.push('/');
    }
    let (name, query) = split_query(file.as_encoded_bytes());
    encode_unencoded(&mut url, name);
    if let Some(query) = query {
        url.push('?');
        url.extend(percent_encode(query, NOT_IN_A_QUERY));
    }
    url
}

/// Splits the name of a file from the query that wget writes into it, without the extension that
/// wget adds.
fn split_query(file: &[u8]) -> (&[u8], Option<&[u8]>) {
    let marks = QUERY_MARKS.iter().filter_map(|mark| {
        let at = memmem::find(file, mark)?;
        (*mark != AT_SIGN || file[at..].contains(&b'=')).then_some((at, mark.len()))
    });
    let Some((at, mark)) = marks.min().filter(|&(at, _)| at > 0) else { return (file, None) };
    let query = &file[at + mark..];
    let query = ADDED_EXTENSIONS.iter().rev().find_map(|end| query.strip_suffix(*end));
    match query {
        Some(query) if !query.is_empty() => (&file[..at], Some(query)),
        _ => (file, None),
    }
}

/// Returns the URL at which a file server has a file, by the URL of the root and the path below it.
#[must_use]
pub fn served_url(root: &Base, path: &Path) -> String {
    join_parts(root, [path], |url, name| url.extend(percent_encode(name, NOT_IN_A_NAME)))
}

/// Appends a name to a URL. Percent-encoded characters stay, since a program that saves pages
/// encoded them. No program encodes characters that every URL and every file system allows
/// ([RFC 3986, 2.3][rfc]), so their `%` is part of the name.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc3986#section-2.3
fn encode_unencoded(url: &mut String, name: &[u8]) {
    for (number, part) in name.split(|&byte| byte == b'%').enumerate() {
        if number > 0 {
            let byte = part.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
            let byte = byte.and_then(|digits| std::str::from_utf8(digits).ok());
            let byte = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let is_encoded =
                byte.is_some_and(|byte| !(byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)));
            url.push_str(if is_encoded { "%" } else { "%25" });
        }
        url.extend(percent_encode(part, NOT_IN_A_NAME));
    }
}

/// Appends the names of a path to the root's URL, without its query and fragment.
fn join_parts<'p>(
    root: &Base,
    path: impl IntoIterator<Item = &'p Path>,
    push_name: impl Fn(&mut String, &[u8]),
) -> String {
    let root = root.as_str();
    let mut url = root[..root.find(['?', '#']).unwrap_or(root.len())].to_owned();
    if !url.ends_with('/') {
        url.push('/');
    }
    for part in path.into_iter().flat_map(Path::components) {
        if let Component::Normal(name) = part {
            if !url.ends_with('/') {
                url.push('/');
            }
            push_name(&mut url, name.as_encoded_bytes());
        }
    }
    url
}

/// Checks that a base URL can be that of a folder, so files in it have URLs.
///
/// # Errors
///
/// If it has a query or a fragment, or its last segment looks like a file name, with a dot and
/// without a slash after it.
pub fn check_folder_url(root: &Base) -> Result<(), String> {
    let url = masked(root.as_str());
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let host = url.find("://").map_or(0, |scheme| scheme + "://".len());
    // Only the text after the host is checked, since a host has dots, too.
    let path = url[host..end].find('/').map_or("", |start| &url[host + start..end]);
    let segment = path.rsplit_once('/').map_or("", |(_, segment)| segment);
    let folder = &url[..end - segment.len()];
    let is_file = segment.trim_matches('.').contains('.');
    let why = match (is_file, url[end..].chars().next()) {
        (true, _) => format!(
            "the URL of a folder is needed, and '{segment}' looks like a file; \
             did you mean '{folder}'? write '{}/' if the folder is served there",
            &url[..end]
        ),
        (false, Some(mark)) => {
            let part = if mark == '?' { "query" } else { "fragment" };
            let slash = if url[..end].ends_with('/') { "" } else { "/" };
            format!("a folder URL cannot have a {part}; did you mean '{}{slash}'?", &url[..end])
        }
        (false, None) => return Ok(()),
    };
    Err(format!("the base URL '{url}': {why}"))
}

/// Returns the path with these [bytes](std::ffi::OsStr::as_encoded_bytes); `None` for bytes that no
/// path of the system has.
#[must_use]
pub fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Some(PathBuf::from(OsStr::from_bytes(bytes)))
    }
    #[cfg(windows)]
    {
        use std::os::windows::ffi::OsStringExt;
        Some(std::ffi::OsString::from_wide(&decode_wtf8(bytes)?).into())
    }
    #[cfg(not(any(unix, windows)))]
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Returns a path with `/` between its names, as reports write paths on every system. On Windows,
/// two kinds of paths stay: those that begin with `\\?\` or `\\.\`, where `/` is part of a name,
/// and those in quotes, as git writes them, where `\` begins an escape.
#[must_use]
pub fn with_slashes(path: PathBuf) -> PathBuf {
    let bytes = path.as_os_str().as_encoded_bytes();
    let stays = [&br"\\?\"[..], br"\\.\", b"\""].iter().any(|first| bytes.starts_with(first));
    if !cfg!(windows) || stays || !bytes.contains(&b'\\') {
        return path;
    }
    let slash = |&byte: &u8| if byte == b'\\' { b'/' } else { byte };
    path_of(&bytes.iter().map(slash).collect::<Vec<_>>()).unwrap_or(path)
}

/// Decodes a Windows name from [WTF-8](https://simonsapin.github.io/wtf-8/) to UTF-16. A lone
/// surrogate, which UTF-8 cannot encode, has three bytes.
#[cfg(any(windows, test))]
fn decode_wtf8(mut bytes: &[u8]) -> Option<Vec<u16>> {
    let mut wide = Vec::with_capacity(bytes.len());
    loop {
        let length = match std::str::from_utf8(bytes) {
            Ok(text) => {
                wide.extend(text.encode_utf16());
                return Some(wide);
            }
            Err(error) => error.valid_up_to(),
        };
        wide.extend(std::str::from_utf8(&bytes[..length]).ok()?.encode_utf16());
        let [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, rest @ ..] = &bytes[length..] else {
            return None;
        };
        wide.push(0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f));
        bytes = rest;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use absolve::url::Standard;

    use super::*;

    #[track_caller]
    fn below(root: &str, path: &str, url: &str) {
        let root = Base::new(root).unwrap();
        assert_eq!(url_below(&root, Path::new(path)), url);
        let (unparsed, parsed) =
            (root.with_same_authority(url.to_owned()).unwrap(), Base::new(url).unwrap());
        for &standard in Standard::ALL {
            let of = |base| standard.resolve(Some(base), "../x?y");
            assert_eq!(of(&unparsed), of(&parsed), "{url}");
        }
    }

    #[test]
    fn a_path_is_added_to_the_roots_url() {
        below("http://h", "a.html", "http://h/a.html");
        below("http://h/", "a/b.html", "http://h/a/b.html");
        below("http://h/p", "a.html", "http://h/p/a.html");
        below("http://h/p/?q#f", "a.html", "http://h/p/a.html");
        below("file:///p", "a.html", "file:///p/a.html");
        below("foo://", "a.html", "foo://a.html");
        assert!(Base::new("foo://").unwrap().with_same_authority("foo://a:b".to_owned()).is_err());
    }

    #[test]
    fn what_would_end_the_path_is_encoded() {
        below("http://h/", "a;b#d%e f.html", "http://h/a%3Bb%23d%25e%20f.html");
        below("http://h/", "\u{e9}", "http://h/%C3%A9");
        below("http://h/", "./a:b=c&d+e~f@g", "http://h/a:b=c&d+e~f@g");
        let separates = cfg!(windows);
        below("http://h/", "a\\b", if separates { "http://h/a/b" } else { "http://h/a%5Cb" });
        below("http://h/", "b\n", "http://h/b%0A");
    }

    #[test]
    fn a_query_in_a_name_is_one_again() {
        below("http://h/", "list.html?page=1.html", "http://h/list.html?page=1");
        below("http://h/", "d/list.html%3Fpage=1.html", "http://h/d/list.html?page=1");
        below("http://h/", "a?b%3Fc?d", "http://h/a?b%3Fc?d");
        below("http://h/", "a.css?v=3.css", "http://h/a.css?v=3");
        below("http://h/", "a?b%2F c#d;e.htm", "http://h/a?b%2F%20c%23d;e.htm");
        // A question, and a name that is only a query.
        below("http://h/", "What?.html", "http://h/What%3F.html");
        below("http://h/", "?a=b.html", "http://h/%3Fa=b.html");
        below("http://h/", "a?b/c.html", "http://h/a%3Fb/c.html");
        let served = served_url(&Base::new("http://h/").unwrap(), Path::new("a?b=c.html"));
        assert_eq!(served, "http://h/a%3Fb=c.html");
    }

    #[test]
    fn an_encoded_character_in_a_name_is_that_of_the_url() {
        below("http://h/", "File%3AX.html", "http://h/File%3AX.html");
        below("http://h/", "d%3ae/100%25.html", "http://h/d%3ae/100%25.html");
        below("http://h/", "50%.html", "http://h/50%25.html");
        below("http://h/", "%%3A%4\u{e9}", "http://h/%25%3A%254%C3%A9");
        below("http://h/", "list%3fid=%41.html", "http://h/list?id=%41");
        // No program encodes these.
        below("http://h/", "%2e%2E/%41.html", "http://h/%252e%252E/%2541.html");
        let served = served_url(&Base::new("http://h/").unwrap(), Path::new("File%3AX.html"));
        assert_eq!(served, "http://h/File%253AX.html");
    }

    #[track_caller]
    fn is_folder(root: &str, error: Option<&str>) {
        let checked = check_folder_url(&Base::new(root).unwrap());
        assert_eq!(checked.err().as_deref(), error);
    }

    #[test]
    fn a_url_that_looks_like_that_of_a_file_is_no_folders() {
        for root in [
            "https://example.org",
            "https://example.org/",
            "https://example.org:8080",
            "http://h/docs",
            "http://h/v1.2/",
            "http://h/index.html/",
            "http://h/a.b/docs",
            "http://h/.well-known",
            "file:///srv/www",
            "file:///",
        ] {
            is_folder(root, None);
        }
        let file = |url: &str, segment: &str, folder: &str| {
            format!(
                "the base URL '{url}': the URL of a folder is needed, and '{segment}' looks like a \
                 file; did you mean '{folder}'? write '{url}/' if the folder is served there"
            )
        };
        for (root, segment, folder) in [
            ("https://h/docs/index.html", "index.html", "https://h/docs/"),
            ("https://h/index.html", "index.html", "https://h/"),
            ("https://h/v1.2", "v1.2", "https://h/"),
            ("file:///srv/a.html", "a.html", "file:///srv/"),
        ] {
            is_folder(root, Some(&file(root, segment, folder)));
        }
        let query = "the base URL 'https://h/docs?x=1.2': a folder URL cannot have a \
                     query; did you mean 'https://h/docs/'?";
        is_folder("https://h/docs?x=1.2", Some(query));
        let fragment = "the base URL 'https://h/#/a.html': a folder URL cannot have a \
                        fragment; did you mean 'https://h/'?";
        is_folder("https://h/#/a.html", Some(fragment));
        let secret = check_folder_url(&Base::new("https://u:secret@h/a.html").unwrap());
        assert!(!secret.unwrap_err().contains("secret"));
    }

    #[test]
    #[cfg(unix)]
    fn a_name_that_is_not_utf_8_is_its_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let name = OsStr::from_bytes(b"\xe9.html");
        let url = url_below(&Base::new("http://h/").unwrap(), Path::new(name));
        assert_eq!(url, "http://h/%E9.html");
    }

    #[test]
    fn a_surrogate_may_be_alone() {
        let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
        for text in ["", "a/b.html", "\u{e9}\u{1f980}\u{d7ff}\u{e000}"] {
            assert_eq!(decode_wtf8(text.as_bytes()), Some(units(text)));
        }
        let alone = [&b"a"[..], b"\xed\xa0\x80", b"/", b"\xed\xbf\xbf"].concat();
        assert_eq!(decode_wtf8(&alone), Some(vec![0x61, 0xd800, 0x2f, 0xdfff]));
        for bytes in [&b"\xff"[..], b"a\xed", b"\xed\xa0", b"\xed\xa0\x41", b"\xc3"] {
            assert_eq!(decode_wtf8(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn only_windows_has_other_separators() {
        let shown = |path: &str| with_slashes(path.into()).into_os_string().into_string().unwrap();
        let slashes = if cfg!(windows) { "C:/a/b" } else { r"C:\a/b" };
        assert_eq!(shown(r"C:\a/b"), slashes);
        assert_eq!(shown(r"\\?\C:\a"), r"\\?\C:\a");
        assert_eq!(shown(r#""caf\303\251""#), r#""caf\303\251""#);
        assert_eq!(
            shown(r"\\server\share\a"),
            if cfg!(windows) { "//server/share/a" } else { r"\\server\share\a" }
        );
        assert_eq!(shown("a/b"), "a/b");
        assert_eq!(path_of(b"a/b").as_deref(), Some(Path::new("a/b")));
    }
}
