//! Paths of URLs as a server of files reads them.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// A path of a URL, as a server of files reads it.
pub(super) struct ServerPath {
    pub(super) path: Vec<u8>,
    pub(super) has_trailing_slash: bool,
    pub(super) above_root: bool,
}

impl ServerPath {
    /// Parses the path of an absolute URL: empty, or with a leading slash.
    pub(super) fn new(path: &str) -> Self {
        let mut segments: Vec<Cow<'_, [u8]>> = Vec::new();
        let mut above_root = false;
        let mut has_trailing_slash = true;
        for segment in path.split('/').skip(1) {
            let segment = decoded(segment);
            has_trailing_slash = matches!(&*segment, b"" | b"." | b"..");
            match &*segment {
                b"." => {}
                b".." => above_root |= segments.pop().is_none(),
                // The next `..` removes an empty segment, so that it counts until then.
                _ => segments.push(segment),
            }
        }
        segments.retain(|segment| !segment.is_empty());
        Self { path: segments.join(&b'/'), has_trailing_slash, above_root }
    }
}

/// A segment, percent-decoded.
///
/// NOTE: segments with `%2F` or `%00` stay as written: no file name has these bytes, and a decoded
/// slash would split the segment.
fn decoded(segment: &str) -> Cow<'_, [u8]> {
    let bytes: Cow<'_, [u8]> = percent_decode_str(segment).into();
    if bytes.contains(&b'/') || bytes.contains(&0) {
        Cow::Borrowed(segment.as_bytes())
    } else {
        bytes
    }
}

/// The rest of a path below a folder; `None` if it is not below.
pub(super) fn below<'p>(folder: &[u8], path: &'p [u8]) -> Option<&'p [u8]> {
    if folder.is_empty() {
        return Some(path);
    }
    match path.strip_prefix(folder)? {
        [] => Some(b""),
        [b'/', path @ ..] => Some(path),
        _ => None,
    }
}
