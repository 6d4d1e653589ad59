//! Addresses and hosts without a scheme, which browsers take for names of files.

use crate::audit::fix::Safety;
use crate::url::clean;

/// Top-level domains that few files have as their extension: if no such file exists, `example.com` is
/// a host and `readme.md` is not.
const TOP_LEVEL: &[&str] =
    &["com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "io", "dev", "app"];

/// What a reference without a scheme probably means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingScheme {
    /// An address, with its `mailto:` URL.
    Address(String),
    /// A host, with its `https:` URL; `http:` for this machine (`localhost`).
    Host(String),
}

impl MissingScheme {
    /// The reference as it should be written.
    #[must_use]
    pub fn meant(&self) -> &str {
        match self {
            Self::Address(url) | Self::Host(url) => url,
        }
    }

    /// How certain it is that no file is meant; `None` if it is only a hint.
    #[must_use]
    pub fn safety(&self) -> Option<Safety> {
        match self {
            Self::Address(url) => {
                let end = url.find(['?', '#']).unwrap_or(url.len());
                let last = url[..end].rsplit('.').next().unwrap_or("");
                is_top_level(last).then_some(Safety::Safe)
            }
            // A host may be one without https.
            Self::Host(_) => None,
        }
    }

    /// The problem.
    #[must_use]
    pub fn message(&self) -> &'static str {
        match self {
            Self::Address(_) => "an address without mailto: in front",
            Self::Host(url) if url.starts_with("http:") => "a host without http:// in front",
            Self::Host(_) => "a host without https:// in front",
        }
    }
}

/// [`Rule::MissingScheme`](crate::audit::reference::Rule::MissingScheme), for a reference
/// whose target does not exist, or whose scheme is unknown.
///
/// An address has one `@` and a host with a dot; a host begins with `www.`, ends in a top-level
/// domain that is not an extension of files, or has a port
/// ([RFC 1808 section 2.4.3][rfc]: a host needs `//`). A name such as `notes.org` alone may be a file
/// ([`possible_host`]).
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.4.3
#[must_use]
pub fn missing_scheme(reference: &str) -> Option<MissingScheme> {
    let reference = clean(reference);
    let end = reference.find(['/', '?', '#']).unwrap_or(reference.len());
    let (first, rest) = reference.split_at(end);
    if let Some((name, host)) = first.split_once('@') {
        let is_address = is_local_part(name) && is_mail_domain(host) && !rest.starts_with('/');
        return is_address.then(|| MissingScheme::Address(format!("mailto:{reference}")));
    }
    let (host, port) = match first.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (first, None),
    };
    let is_local = host.eq_ignore_ascii_case("localhost");
    let is_host = match port {
        Some(port) => is_port(port) && (is_domain(host) || is_local),
        None => is_host_name(host) && !is_file_name(host, rest),
    };
    let scheme = if is_local { "http" } else { "https" };
    is_host.then(|| MissingScheme::Host(format!("{scheme}://{reference}")))
}

/// The host that a reference means ([`missing_scheme`]).
#[must_use]
pub fn missing_host(reference: &str) -> Option<MissingScheme> {
    missing_scheme(reference).filter(|meant| matches!(meant, MissingScheme::Host(_)))
}

/// The address that a reference means ([`missing_scheme`]); only a link that a reader follows may
/// be one.
#[must_use]
pub fn missing_mailto(reference: &str) -> Option<MissingScheme> {
    missing_scheme(reference).filter(|meant| matches!(meant, MissingScheme::Address(_)))
}

/// The URL of a host, if the reference may be one, and as well a missing file: `notes.org`.
#[must_use]
pub fn possible_host(reference: &str) -> Option<String> {
    let reference = clean(reference);
    let end = reference.find(['/', '?', '#']).unwrap_or(reference.len());
    let (name, rest) = reference.split_at(end);
    (is_host_name(name) && is_file_name(name, rest)).then(|| format!("https://{reference}"))
}

/// Whether the name of a host looks like that of a file: `name.extension`, without a path after it.
fn is_file_name(host: &str, rest: &str) -> bool {
    !rest.starts_with('/') && !begins_with_www(host) && host.matches('.').count() == 1
}

/// Whether a name is a domain that may be a host.
fn is_host_name(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or("");
    is_domain(name) && (begins_with_www(name) || is_top_level(last))
}

fn begins_with_www(name: &str) -> bool {
    name.get(..4).is_some_and(|www| www.eq_ignore_ascii_case("www."))
}

fn is_mail_domain(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or("");
    // `left-pad@1.3.0` is a version.
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    // A top-level domain of two letters is that of a country; `logo@2x.png` is a file.
    let is_of_domains = is_top_level(last) || last.len() == 2;
    is_domain(host) && !host.split('.').any(is_number) && is_of_domains
}

fn is_top_level(end: &str) -> bool {
    TOP_LEVEL.iter().any(|known| known.eq_ignore_ascii_case(end))
}

fn is_port(port: &str) -> bool {
    (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// [`dot-atom`](https://www.rfc-editor.org/rfc/rfc5322#section-3.2.3).
fn is_local_part(name: &str) -> bool {
    let is_atext =
        |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "!$%&'*+-=^_`{|}~.".contains(c);
    !name.is_empty() && !name.starts_with('.') && !name.ends_with('.') && name.chars().all(is_atext)
}

/// Whether a name consists of labels with dots between them, the last of which begins with a
/// letter.
fn is_domain(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c == '-' || !c.is_ascii() || c.is_ascii_alphanumeric())
    };
    let top = host.rsplit('.').next().unwrap_or("");
    host.contains('.')
        && host.split('.').all(is_label)
        && top.chars().count() > 1
        && top.starts_with(|c: char| !c.is_ascii() || c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn means(reference: &str, expected: Option<&str>) {
        let missing = missing_scheme(reference);
        assert_eq!(missing.as_ref().map(MissingScheme::meant), expected, "{reference}");
    }

    #[test]
    fn an_address_lacks_mailto() {
        means("pgsql-docs@lists.postgresql.org", Some("mailto:pgsql-docs@lists.postgresql.org"));
        means(" a.b+c@h.org?subject=x ", Some("mailto:a.b+c@h.org?subject=x"));
        means("a@b", None);
        means("@h.org", None);
        means("a@h.org/b", None);
        means("dir/a@h.org", None);
        means("logo@2x.png", None);
        means("a@b@h.org", None);
        for file in ["a@b.docx", "demo@v2.ipynb", "_mixins@old.scss", "clip@home.MOV"] {
            means(file, None);
        }
        means(".a@h.org", None);
    }

    #[test]
    fn an_address_is_certain_by_its_domain() {
        let safety = |reference: &str| missing_scheme(reference).and_then(|meant| meant.safety());
        for certain in ["a@h.org", "a@h.example.COM?subject=x.docx", "a@b.info#x"] {
            assert_eq!(safety(certain), Some(Safety::Safe), "{certain}");
        }
        for uncertain in ["a@h.de", "a@main.rs", "a@b.uk?c.org", "www.example.org"] {
            assert!(missing_scheme(uncertain).is_some(), "{uncertain}");
            assert_eq!(safety(uncertain), None, "{uncertain}");
        }
    }

    #[test]
    fn a_host_lacks_slashes() {
        means("www.example.org", Some("https://www.example.org"));
        means("WWW.example.de/a", Some("https://WWW.example.de/a"));
        means("example.com/a?b", Some("https://example.com/a?b"));
        means("example.com:8080/a", Some("https://example.com:8080/a"));
        means("docs.example.org", Some("https://docs.example.org"));
        means("localhost:8080", Some("http://localhost:8080"));
        means("LocalHost:8000/x", Some("http://LocalHost:8000/x"));
        means("notes.org", None);
        means("readme.md", None);
        means("page.html", None);
        means("a/example.com", None);
        means("www.", None);
        means("www..org", None);
        means("com", None);
        means("mailto:a@h.org", None);
        means("http://example.com", None);
        means("urn:12", None);
        means("1.2.3", None);
        means("", None);
    }

    #[test]
    fn a_name_may_be_a_host_or_a_file() {
        let may_be = |reference: &str, expected: Option<&str>| {
            assert_eq!(possible_host(reference).as_deref(), expected, "{reference}");
        };
        may_be("notes.org", Some("https://notes.org"));
        may_be(" example.com?x ", Some("https://example.com?x"));
        may_be("example.com/", None);
        may_be("www.org", None);
        may_be("docs.example.org", None);
        may_be("notes.md", None);
        may_be("a/notes.org", None);
        may_be("h@notes.org", None);
    }
}
