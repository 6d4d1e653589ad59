//! Computes URLs from paths in a mirror by wget or `HTTrack`, whose folders are named after hosts.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use absolve::named_enum;
use absolve::url::Base;

use crate::paths::retrieval_url;

/// The naming of the folders of a mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Layout {
    /// Folder names have no meaning for URLs.
    #[default]
    Unmapped,
    /// The first folder is the host, the others are the path: `example.com/dir/page.html`, as
    /// wget and `HTTrack` write it. A parent folder `http` or `https` is the scheme
    /// (`wget --protocol-directories`); without one, this scheme applies.
    HostPath(Scheme),
}

named_enum! {
    /// The scheme of URLs whose folders do not name it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Scheme {
        /// `http:`
        #[default]
        Http = "http",
        /// `https:`
        Https = "https",
    }
}

impl Scheme {
    fn from_folder(name: &OsStr) -> Option<Self> {
        Self::ALL.iter().copied().find(|scheme| name == scheme.name())
    }
}

/// Caches the results of [`HostFolders::path_from_host`] by root and path, since a run may have
/// many files in few folders.
#[derive(Debug, Clone, Default)]
pub(super) struct HostFolders(Arc<Mutex<HashMap<(PathBuf, PathBuf), PathBuf>>>);

impl HostFolders {
    /// Returns the path of a folder from its host or scheme on, such as `https/example.com/docs`;
    /// if no folder is named after a host or scheme, the path below the root.
    pub(super) fn path_from_host(&self, root: &Path, below: &Path) -> io::Result<PathBuf> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (root.to_owned(), below.to_owned());
        if let Some(folder) = cache.get(&key) {
            return Ok(folder.clone());
        }
        let root_end = find_host_in_root(root, contains_hosts)?;
        let folder = if root_end.as_os_str().is_empty() {
            strip_before_host(root, below, contains_hosts)?
        } else {
            root_end.join(below)
        };
        cache.insert(key, folder.clone());
        Ok(folder)
    }
}

/// Strips the folders before the first one that is named after a host or scheme. If no folder is,
/// strips those up to the last project of `HTTrack`.
///
/// Only the first host is in effect, since a folder of a site may have a name like a host:
/// `docs.example.com/api/java.base`.
fn strip_before_host(
    root: &Path,
    below: &Path,
    contains_hosts: impl Fn(&Path) -> io::Result<bool>,
) -> io::Result<PathBuf> {
    let names: Vec<&OsStr> = below.iter().collect();
    let names_host = |index: usize| names.get(index).copied().and_then(parse_authority).is_some();
    let mut start = 0;
    for index in 0..names.len() {
        if Scheme::from_folder(names[index]).is_some() && names_host(index + 1) {
            return Ok(names[index..].iter().collect());
        }
        if !names_host(index) {
            continue;
        }
        // A project with the name of a host contains folders of hosts.
        let folder = root.join(names[..=index].iter().collect::<PathBuf>());
        match contains_hosts(&folder) {
            Ok(true) => start = index + 1,
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => return Ok(names[index..].iter().collect()),
        }
    }
    Ok(names[start..].iter().collect())
}

/// Returns the end of the root path, from the nearest folder that is named after a host or its
/// scheme; empty if no folder is.
///
/// A folder that is named after a host and contains folders of hosts is a project of `HTTrack`, so
/// the hosts are deeper.
fn find_host_in_root(
    root: &Path,
    contains_hosts: impl Fn(&Path) -> io::Result<bool>,
) -> io::Result<PathBuf> {
    let is_scheme = |folder: &Path| folder.file_name().and_then(Scheme::from_folder).is_some();
    if is_scheme(root) {
        return Ok(root.file_name().map_or_else(PathBuf::new, PathBuf::from));
    }
    let names_host = |folder: &&Path| folder.file_name().and_then(parse_authority).is_some();
    let Some(host) = root.ancestors().find(names_host) else { return Ok(PathBuf::new()) };
    if contains_hosts(root)? || host != root && contains_hosts(host)? {
        return Ok(PathBuf::new());
    }
    let first = host.parent().filter(|parent| is_scheme(parent)).unwrap_or(host);
    let end = first.parent().and_then(|parent| root.strip_prefix(parent).ok());
    Ok(end.map_or_else(PathBuf::new, Path::to_owned))
}

/// Whether a folder, or a folder of a scheme in it, contains folders of hosts.
fn contains_hosts(root: &Path) -> io::Result<bool> {
    let has_host = |names: &[OsString]| names.iter().any(|name| parse_authority(name).is_some());
    let names = list_layout_folders(root)?;
    if has_host(&names) {
        return Ok(true);
    }
    for name in names.iter().filter(|name| Scheme::from_folder(name).is_some()) {
        if has_host(&list_layout_folders(&root.join(name))?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Lists the folders of hosts in a folder as (scheme, host, path); if there are none, the folder
/// itself, if a host names it.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn host_folders(root: &Path) -> io::Result<Vec<(Option<Scheme>, String, PathBuf)>> {
    let mut hosts = Vec::new();
    for name in list_layout_folders(root)? {
        match parse_authority(&name) {
            Some(host) => hosts.push((None, host, name.into())),
            None => {
                for inner in list_layout_folders(&root.join(&name))? {
                    let host = parse_authority(&inner);
                    let path = Path::new(&name).join(inner);
                    hosts.extend(host.map(|host| (Scheme::from_folder(&name), host, path)));
                }
            }
        }
    }
    if hosts.is_empty()
        && let Some(host) = root.canonicalize()?.file_name().and_then(parse_authority)
    {
        hosts.push((None, host, PathBuf::new()));
    }
    Ok(hosts)
}

/// Lists the folders in a folder that are named after hosts or schemes.
fn list_layout_folders(root: &Path) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name();
        if parse_authority(&name).is_none() && Scheme::from_folder(&name).is_none() {
            continue;
        }
        match fs::metadata(entry.path()) {
            Ok(metadata) if metadata.is_dir() => names.push(name),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(names)
}

/// Computes the URL of a file from its path in a mirror, which begins with the host or the scheme.
pub(super) fn compute_url(scheme: Scheme, path: &Path) -> Option<String> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let names = parts.map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let names = names.collect::<Option<Vec<_>>>()?;
    let (file, folders) = names.split_last()?;
    let folder_scheme = folders.first().and_then(|first| Scheme::from_folder(first));
    let (scheme, folders) =
        folder_scheme.map_or((scheme, folders), |scheme| (scheme, &folders[1..]));
    let (host, folders) = folders.split_first()?;
    let base = format!("{}://{}/", scheme.name(), parse_authority(host)?);
    Some(retrieval_url(&Base::new(&base).ok()?, folders.iter().map(Path::new), file))
}

/// Extensions of files, which folders of a mirror may have too. A name with one is not a host.
const FILE_EXTENSIONS: &[&str] = &[
    "asp", "aspx", "cgi", "css", "gif", "htm", "html", "jpg", "js", "json", "jsp", "pdf", "php",
    "png", "shtml", "svg", "txt", "xhtml", "xml",
];

/// Whether a parent folder of a file is named after a host, as in a mirror.
#[must_use]
pub fn is_below_host(file: &Path) -> bool {
    file.parent().is_some_and(|folder| folder.iter().any(|name| parse_authority(name).is_some()))
}

/// Parses the name of a folder as a host and an optional port.
///
/// A host is `localhost`, an IPv4 address, or labels of which the last has only letters or is
/// internationalized (`xn--`). A port follows a colon, or a plus on systems whose names cannot
/// contain colons; `HTTrack` writes an underscore, which no host name has before digits alone.
fn parse_authority(name: &OsStr) -> Option<String> {
    let name = name.to_str()?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let split = name
        .split_once([':', '+'])
        .or_else(|| name.rsplit_once('_').filter(|(_, port)| is_digits(port)));
    let (host, port) = split.map_or((name, None), |(host, port)| (host, Some(port)));
    let is_port = port.is_none_or(|port| is_digits(port) && port.parse::<u16>().is_ok());
    if !(is_host(host) && is_port) {
        return None;
    }
    Some(port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

fn is_host(host: &str) -> bool {
    if host == "localhost" || host.parse::<std::net::Ipv4Addr>().is_ok() {
        return true;
    }
    let labels = host.strip_suffix('.').unwrap_or(host);
    let Some((others, last)) = labels.rsplit_once('.') else { return false };
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
    };
    let is_top_level = last.starts_with("xn--")
        || last.chars().count() > 1 && last.chars().all(char::is_alphabetic);
    let is_file = FILE_EXTENSIONS.iter().any(|end| last.eq_ignore_ascii_case(end));
    others.split('.').all(is_label) && is_label(last) && is_top_level && !is_file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn layout(path: &str, url: Option<&str>) {
        assert_eq!(compute_url(Scheme::Http, Path::new(path)).as_deref(), url, "{path}");
        // The given scheme applies if the folders have none.
        let names_scheme = path.trim_start_matches("./").starts_with("http");
        let other = if names_scheme { "http://" } else { "https://" };
        let https = url.map(|url| url.replace("http://", other));
        assert_eq!(compute_url(Scheme::Https, Path::new(path)), https, "{path}");
    }

    #[test]
    fn the_first_folder_is_a_host() {
        for (path, url) in [
            ("example.com/dir/page.html", "http://example.com/dir/page.html"),
            ("./example.com/a b;c.html", "http://example.com/a%20b%3Bc.html"),
            ("127.0.0.1:8000/a.html", "http://127.0.0.1:8000/a.html"),
            ("h.example+8080/a.html", "http://h.example:8080/a.html"),
            ("h.example_8080/a.html", "http://h.example:8080/a.html"),
            ("a_1.example/a.html", "http://a_1.example/a.html"),
            ("localhost/a.html", "http://localhost/a.html"),
            ("b\u{fc}cher.example/a", "http://b\u{fc}cher.example/a"),
            ("h.xn--p1ai/a", "http://h.xn--p1ai/a"),
            ("h.example./a", "http://h.example./a"),
            ("example.com/index.html", "http://example.com/index.html"),
            ("example.com/index.php/a", "http://example.com/index.php/a"),
        ] {
            layout(path, Some(url));
        }
        for path in [
            "page.html",
            "example.com",
            "docs/page.html",
            "../h.example/a",
            "/h.example/a",
            "..a/b",
            "",
            "a b.c/d",
            "v1.2/a.html",
            "1.2.3/a.html",
            "index.php/a",
            "node.js/a.html",
            "site.d/a.html",
            "h..example/a",
            "h.example:x/a",
            "h.example:/a",
            "h.example:+80/a",
            "h.example:99999/a",
            "user@h.example/a",
        ] {
            layout(path, None);
        }
    }

    #[test]
    fn a_folder_around_the_host_is_a_scheme() {
        layout("https/example.com/dir/a.html", Some("https://example.com/dir/a.html"));
        layout("http/example.com/a.html", Some("http://example.com/a.html"));
        layout("./https/h.example:8443/a", Some("https://h.example:8443/a"));
        layout("https/docs/a.html", None);
        layout("https/example.com", None);
        layout("HTTPS/example.com/a", None);
        layout("ftp/example.com/a", None);
    }

    #[test]
    fn a_name_has_a_query() {
        layout("h.example/a.php?x=1&y=2", Some("http://h.example/a.php?x=1&y=2"));
        layout(
            "h.example/d/index.html?p=a b%2Fc#d",
            Some("http://h.example/d/index.html?p=a%20b%2Fc%23d"),
        );
        layout("h.example/a.php?x=1.html", Some("http://h.example/a.php?x=1"));
        layout("h.example/?x", Some("http://h.example/%3Fx"));
        layout("h.example/a?b/c.html", Some("http://h.example/a%3Fb/c.html"));
        layout("h.example/a.php@x=1", Some("http://h.example/a.php?x=1"));
        layout("h.example/a@2x.html", Some("http://h.example/a@2x.html"));
    }

    #[test]
    fn the_root_may_be_the_folder_of_the_host() {
        for (root, names) in [
            ("/m/example.com", "example.com"),
            ("/m/https/example.com", "https/example.com"),
            ("/m/https", "https"),
            ("/m/example.com/docs/old", "example.com/docs/old"),
            ("/example.com/docs", "example.com/docs"),
            ("/m/https/example.com/docs", "https/example.com/docs"),
            ("/m/a.example/b.example/docs", "b.example/docs"),
            ("/m/docs", ""),
            ("/m/v1.2", ""),
            ("/", ""),
            ("", ""),
        ] {
            assert_eq!(
                find_host_in_root(Path::new(root), |_| Ok(false)).unwrap(),
                Path::new(names),
                "{root}"
            );
        }
        // The folder is a project, which contains the hosts.
        let project = Path::new("/m/example.com");
        assert_eq!(find_host_in_root(project, |_| Ok(true)).unwrap(), Path::new(""));
        let is_project = |folder: &Path| Ok(folder.ends_with("example.com"));
        assert_eq!(
            find_host_in_root(Path::new("/m/example.com/docs"), is_project).unwrap(),
            Path::new("")
        );
        // A folder that cannot be read is an error, whatever its name is.
        assert!(find_host_in_root(project, |_| Err(io::ErrorKind::Other.into())).is_err());
        assert!(
            HostFolders::default()
                .path_from_host(Path::new("/m/no.example"), Path::new(""))
                .is_err()
        );
    }
}
