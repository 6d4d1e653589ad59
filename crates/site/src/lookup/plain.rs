//! Finds the file of a plain relative reference without a URL in between.
//!
//! Most links of a site are relative paths of unreserved characters, for which every standard and
//! every server agree: the path below the folder of the base names the file. Such a link needs
//! one lookup by path, and nothing is kept for it: on a site of 100,000 pages with 50 links each
//! to random pages (`ABSOLVE_AUDIT_PAGES=100000 cargo bench --bench audit`) a cache of references
//! by folder missed for most links, and took 8.0 s where this takes 2.6 s.

use absolve::internal::all;
use absolve::url::Base;

use crate::Lookup;

/// Joins plain references to the folder of a base, in buffers of its own.
#[derive(Debug, Default)]
pub(crate) struct PlainPaths {
    /// The base of the last reference.
    base: String,
    /// The folder of the base, with a slash at its end unless it is the root; `None` if the base is
    /// not a plain URL below the site's.
    folder: Option<String>,
    path: Vec<u8>,
}

impl PlainPaths {
    /// The number of the file that a reference leads to; `None` where only the whole lookup can say
    /// what it leads to.
    pub(crate) fn file(
        &mut self,
        reference: &str,
        base: &Base,
        lookup: &Lookup<'_>,
    ) -> Option<usize> {
        if self.base != base.as_str() {
            base.as_str().clone_into(&mut self.base);
            self.folder = folder_below(lookup, base).map(str::to_owned);
        }
        let (mut folder, mut rest) = (self.folder.as_ref()?.as_bytes(), reference.as_bytes());
        while let Some(above) = rest.strip_prefix(b"../") {
            let parent = folder.strip_suffix(b"/")?;
            folder = &parent[..memchr::memrchr(b'/', parent).map_or(0, |slash| slash + 1)];
            rest = above;
        }
        if !names_a_file(rest) {
            return None;
        }
        self.path.clear();
        self.path.extend_from_slice(folder);
        self.path.extend_from_slice(rest);
        lookup.site.files().find_file(&self.path)
    }
}

/// The folder of a base below the site's URL, with a slash at its end unless it is the root; `None`
/// where the whole lookup is needed.
fn folder_below<'b>(lookup: &Lookup<'_>, base: &'b Base) -> Option<&'b str> {
    let path = base.as_str().strip_prefix(lookup.deployment.base().as_str())?;
    let folder = &path[..memchr::memrchr(b'/', path.as_bytes()).map_or(0, |slash| slash + 1)];
    (lookup.server.redirects().is_empty()
        && all(path.as_bytes(), is_plain)
        && is_canonical(folder.as_bytes()))
    .then_some(folder)
}

/// Whether a path without `..` is that of a file as every standard and server reads it.
fn names_a_file(path: &[u8]) -> bool {
    !path.is_empty() && !path.ends_with(b"/") && all(path, is_plain) && is_canonical(path)
}

/// Whether no segment is empty or begins with a dot.
fn is_canonical(path: &[u8]) -> bool {
    let begins = |rest: &[u8]| !matches!(rest.first(), Some(b'/' | b'.'));
    begins(path) && memchr::memchr_iter(b'/', path).all(|slash| begins(&path[slash + 1..]))
}

/// Characters that stand for themselves in a path ([RFC 1808 section 2.2][rfc]), and the slash.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.2
fn is_plain(byte: u8) -> bool {
    // Few comparisons: `-`, `.`, `/` and the digits follow each other.
    (byte | 0x20).is_ascii_lowercase() || matches!(byte, b'-'..=b'9' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::lookup::cache::ResolutionCache;
    use crate::site::Site;
    use crate::site::deployment::Deployment;
    use crate::site::files::{Files, path_of};
    use crate::site::server::{Profile, Server};
    use absolve::url::Standard;
    use absolve_files::{Walk, WriteMode};

    const NAMES: &[&str] =
        &["index.html", "a/b.html", "a/c/d.html", "a/c/.d", "a.b/x", "e/index.html"];

    /// Compares both ways to the file of a reference, from a page of this URL.
    #[track_caller]
    fn is_file(reference: &str, page: &str, expected: Option<&str>) {
        let tree = Walk::new(WriteMode::Read).finish();
        let site = Site::new(Files::of(NAMES), tree, PathBuf::new(), PathBuf::new());
        let (deployment, server) =
            (Deployment::at("http://h/s/").unwrap(), Server::new(Profile::Plain));
        let lookup = Lookup {
            site: &site,
            deployment: &deployment,
            server: &server,
            standard: Standard::default(),
            forbidden: &[],
            compares_standards: true,
            external: None,
        };
        let base = Base::new(page).unwrap();
        let mut plain = PlainPaths::default();
        // A reference before it leaves nothing in the buffer.
        for before in ["../../../x", "a/b.html", "../e/x"] {
            let _ = plain.file(before, &base, &lookup);
            let file = plain.file(reference, &base, &lookup);
            let name = file.map(|file| path_of(site.files().get(file).unwrap().0));
            assert_eq!(
                name.as_deref(),
                expected.map(std::path::Path::new),
                "{reference} on {page}"
            );
            for standard in [Standard::Rfc1808, Standard::Whatwg] {
                let url = standard.resolve(Some(&base), reference).unwrap();
                let url = || url.url();
                let mut cache = ResolutionCache::default();
                let whole = cache.of(reference, Some(&base), standard, url, &lookup);
                assert!(
                    file.is_none() || (file == whole.target.file && whole.is_good),
                    "{reference}"
                );
            }
        }
    }

    #[test]
    fn a_plain_reference_names_a_file() {
        is_file("a/b.html", "http://h/s/", Some("a/b.html"));
        is_file("a/b.html", "http://h/s/x?q", None);
        is_file("b.html", "http://h/s/a/x.html", Some("a/b.html"));
        is_file("../a/b.html", "http://h/s/a/c/x", None);
        is_file("../b.html", "http://h/s/a/c/x", Some("a/b.html"));
        is_file("../../index.html", "http://h/s/a/c/x", Some("index.html"));
        is_file("../a.b/x", "http://h/s/e/", Some("a.b/x"));
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_whole_lookup() {
        for reference in [
            "",
            "/s/index.html",
            "./index.html",
            "a//b.html",
            "a/./b.html",
            "a/../index.html",
            "e/",
            "e",
            "a/c/.d",
            "../s/index.html",
            "../../index.html",
            "index%2Ehtml",
            "index.html?q",
            "index.html;p",
            "http:index.html",
            "//h/s/index.html",
            "a\\b.html",
            " index.html",
            "missing.html",
            "..",
            ".",
        ] {
            is_file(reference, "http://h/s/", None);
        }
        for page in
            ["http://other/s/", "http://h/", "http://h/s/.x/y", "http://h/s/a;p/y", "http://h/s//"]
        {
            is_file("index.html", page, None);
        }
    }
}
