//! Reads the URL of a file that a download program recorded in an extended attribute or in a file
//! beside it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use absolve::encoding;

use crate::folder::Folder;

/// A file whose retrieval URL may be in its attributes or in a file beside it.
pub(super) struct FileSources<'f> {
    pub(super) folder: &'f Folder,
    pub(super) name: &'f OsStr,
}

impl FileSources<'_> {
    /// Opens the file, or another in its folder, if it is a regular file.
    pub(super) fn open(&self, name: &OsStr) -> io::Result<Option<File>> {
        match self.folder.read(name) {
            Ok(file) => Ok(file.metadata()?.is_file().then_some(file)),
            Err(error) if is_absent(&error) => Ok(None),
            // Opening a symbolic link or a socket fails too, but is no error here.
            Err(error) => match self.folder.identity(name) {
                Ok(identity) if !identity.is_file => Ok(None),
                Err(error) if is_absent(&error) => Ok(None),
                _ => Err(error),
            },
        }
    }
}

/// Whether an error means that no such file exists; no file has a name that is too long.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename)
}

/// Reads [the attribute][xdg] that wget, curl and browsers write, from the file or from its
/// original: `wget -k` converts links in a new file without it, and `-K` keeps the old file.
///
/// [xdg]: https://www.freedesktop.org/wiki/CommonExtendedAttributes/
pub(super) fn read_xattr(sources: &FileSources<'_>) -> io::Result<Option<String>> {
    let url = read_origin_url(sources, sources.name)?;
    if url.is_some() {
        return Ok(url);
    }
    for name in list_originals(sources.name) {
        let url = read_origin_url(sources, &name)?;
        if url.is_some() {
            return Ok(url);
        }
    }
    Ok(None)
}

/// Whether the file itself has the attribute.
pub(super) fn has_own_xattr(sources: &FileSources<'_>) -> io::Result<bool> {
    Ok(read_origin_url(sources, sources.name)?.is_some())
}

#[cfg(unix)]
fn read_origin_url(sources: &FileSources<'_>, name: &OsStr) -> io::Result<Option<String>> {
    use xattr::FileExt;
    let Some(file) = sources.open(name)? else { return Ok(None) };
    let value = match file.get_xattr("user.xdg.origin.url") {
        // The file system has no attributes.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => None,
        value => value?,
    };
    let text = value.and_then(|value| String::from_utf8(value).ok());
    Ok(text.map(|text| text.trim_end_matches('\0').to_owned()))
}

/// Other systems have no such attributes.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn read_origin_url(_: &FileSources<'_>, _: &OsStr) -> io::Result<Option<String>> {
    Ok(None)
}

/// Lists possible names of an original by `wget -K`: `.orig` is added, or replaces `.html`.
fn list_originals(name: &OsStr) -> Vec<OsString> {
    let with_orig = |stem: &OsStr| [stem, ".orig".as_ref()].into_iter().collect();
    let path = Path::new(name);
    let is_html = path.extension().is_some_and(|extension| extension == "html");
    let stem = path.file_stem().filter(|_| is_html);
    [Some(name), stem].into_iter().flatten().map(with_orig).collect()
}

/// Reads the `HostUrl` of [the stream][zone] in which Windows records the source of a file. The
/// stream is a separate file on other systems.
///
/// [zone]: https://learn.microsoft.com/en-us/openspecs/windows_protocols/ms-fscc/6e3f7352-d11c-4d76-8c39-2516a9df36e8
pub(super) fn read_zone_identifier(sources: &FileSources<'_>) -> io::Result<Option<String>> {
    /// Maximum bytes that are read; no real stream is longer.
    const MAX_BYTES: u64 = 64 * 1024;
    let name: OsString = [sources.name, ":Zone.Identifier".as_ref()].into_iter().collect();
    let Some(file) = sources.open(&name)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(parse_host_url(&bytes))
}

fn parse_host_url(bytes: &[u8]) -> Option<String> {
    let text = encoding::detect(bytes, None).decode(bytes);
    let mut entries = text.lines().filter_map(|line| line.split_once('='));
    let (_, url) = entries.find(|(key, _)| key.trim().eq_ignore_ascii_case("HostUrl"))?;
    Some(url.trim().to_owned()).filter(|url| !url.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wget_converted_has_another_name() {
        for (name, names) in [
            ("a.html", &["a.html.orig", "a.orig"][..]),
            ("a?x=1.html", &["a?x=1.html.orig", "a?x=1.orig"]),
            ("a.htm", &["a.htm.orig"]),
            ("html", &["html.orig"]),
            (".html", &[".html.orig"]),
        ] {
            assert_eq!(list_originals(name.as_ref()), names, "{name}");
        }
    }

    #[test]
    fn a_zone_identifier_has_a_host_url() {
        for (zone, url) in [
            // Chrome and Edge; a private window.
            (
                "[ZoneTransfer]\r\nZoneId=3\r\nReferrerUrl=http://r/\r\nHostUrl=http://h/a=b\r\n",
                "http://h/a=b",
            ),
            ("[ZoneTransfer]\r\nZoneId=3\r\nHostUrl=about:internet\r\n", "about:internet"),
            // Firefox; Edge before it was Chromium; a program that writes lines of Unix.
            (
                "[ZoneTransfer]\r\nZoneId=3\r\nReferrerUrl=http://r/?HostUrl=x\r\nHostUrl=http://h/\r\n",
                "http://h/",
            ),
            (
                "[ZoneTransfer]\r\nLastWriterPackageFamilyName=E\r\nZoneId=3\r\nHostUrl=http://h/\r\nHostIpAddress=::1\r\n",
                "http://h/",
            ),
            ("hosturl = http://h/ \n", "http://h/"),
            ("[ZoneTransfer]\nZoneId=3", ""),
            ("HostUrl=", ""),
        ] {
            let url = Some(url.to_owned()).filter(|url| !url.is_empty());
            assert_eq!(parse_host_url(zone.as_bytes()), url, "{zone}");
            assert_eq!(parse_host_url(&[b"\xef\xbb\xbf", zone.as_bytes()].concat()), url, "{zone}");
            let wide: Vec<u8> = "\u{feff}"
                .encode_utf16()
                .chain(zone.encode_utf16())
                .flat_map(u16::to_le_bytes)
                .collect();
            assert_eq!(parse_host_url(&wide), url, "{zone}");
        }
    }
}
