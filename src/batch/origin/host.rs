//! Folder names that are names of hosts.

use std::ffi::OsStr;
use std::path::Path;

/// File extensions that also end folder names in mirrors; no host ends so.
const FILES: &[&str] = &[
    "asp", "aspx", "cgi", "css", "gif", "htm", "html", "jpg", "js", "json", "jsp", "pdf", "php",
    "png", "shtml", "svg", "txt", "xhtml", "xml",
];

/// Whether a folder that a file is in has the name of a host, as in a mirror.
#[must_use]
pub fn is_below_host(file: &Path) -> bool {
    file.parent().is_some_and(|folder| folder.iter().any(|name| authority(name).is_some()))
}

/// The host and port that a folder is named after.
///
/// A host is `localhost`, an IPv4 address, or labels with a last one of letters. A port follows a
/// colon, or a plus where names cannot contain colons; `HTTrack` writes an underscore, which no
/// host name has before digits alone.
pub(super) fn authority(name: &OsStr) -> Option<String> {
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
    let is_last = last.starts_with("xn--")
        || last.chars().count() > 1 && last.chars().all(char::is_alphabetic);
    let is_file = FILES.iter().any(|end| last.eq_ignore_ascii_case(end));
    others.split('.').all(is_label) && is_label(last) && is_last && !is_file
}
