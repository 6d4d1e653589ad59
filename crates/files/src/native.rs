//! Paths as each system has them.

use std::path::PathBuf;

/// The path of the bytes that [`OsStr::as_encoded_bytes`](std::ffi::OsStr::as_encoded_bytes)
/// gives; `None` for bytes that the system has in no path.
#[must_use]
pub fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Some(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
    }
    #[cfg(windows)]
    {
        use std::os::windows::ffi::OsStringExt;
        Some(std::ffi::OsString::from_wide(&wide(bytes)?).into())
    }
    #[cfg(not(any(unix, windows)))]
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// A path with `/` between its names, as reports have it on every system. On Windows, two paths
/// stay: one that begins with `\\?\` or `\\.\`, where `/` is part of a name, and one in quotes, as
/// git writes it, where `\` begins an escape.
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

/// The UTF-16 of a name of Windows, in which a surrogate may be alone: as three bytes
/// ([WTF-8](https://simonsapin.github.io/wtf-8/)).
#[cfg(any(windows, test))]
fn wide(mut bytes: &[u8]) -> Option<Vec<u16>> {
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
    use super::*;
    use std::path::Path;

    #[test]
    fn a_surrogate_may_be_alone() {
        let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
        for text in ["", "a/b.html", "\u{e9}\u{1f980}\u{d7ff}\u{e000}"] {
            assert_eq!(wide(text.as_bytes()), Some(units(text)));
        }
        let alone = [&b"a"[..], b"\xed\xa0\x80", b"/", b"\xed\xbf\xbf"].concat();
        assert_eq!(wide(&alone), Some(vec![0x61, 0xd800, 0x2f, 0xdfff]));
        for bytes in [&b"\xff"[..], b"a\xed", b"\xed\xa0", b"\xed\xa0\x41", b"\xc3"] {
            assert_eq!(wide(bytes), None, "{bytes:?}");
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
