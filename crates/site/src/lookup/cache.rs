//! Spares the lookup of most links: plain references name their file, and others are cached for all
//! pages of a folder.

use std::sync::Arc;

use absolve::internal::all;
use absolve::url::rfc1808::scheme_end;
use absolve::url::{Base, Standard};

use crate::{HashMap, Lookup, ResolvedReference, split_fragment};

/// The resolved references of a folder, for a single thread.
///
/// All pages of a folder share them: a reference with a path resolves against the base URL up to
/// its last slash.
#[derive(Debug, Default)]
pub(crate) struct ResolutionCache {
    /// The base of the last reference.
    base: String,
    folder: String,
    standard: Standard,
    references: HashMap<Box<str>, Arc<ResolvedReference>>,
    /// Approximate bytes of the known references.
    size: usize,
    /// The empty reference: most links with only a fragment follow another such link.
    empty: Option<Arc<ResolvedReference>>,
}

/// Limit on the bytes of a cache, about: 8 MiB, some 20,000 references. A cache that reaches it is
/// cleared.
const MAX_SIZE: usize = 8 << 20;

/// Maximum length of a cached reference, in bytes.
const MAX_KEPT: usize = 2048;

impl ResolutionCache {
    /// Resolves a reference without its fragment, in a document with this base; `resolve` returns
    /// its URL.
    pub(crate) fn resolve<'u>(
        &mut self,
        reference: &str,
        base: Option<&Base>,
        standard: Standard,
        resolve: impl FnOnce() -> Option<&'u str>,
        lookup: &Lookup<'_>,
    ) -> Arc<ResolvedReference> {
        if let Some(known) = self.find(reference, base, standard) {
            return Arc::clone(known);
        }
        let url = resolve().map(|url| split_fragment(url).0);
        let resolved = Arc::new(ResolvedReference::new(reference, base, standard, url, lookup));
        if url.is_none() {
            // A browser may refuse the fragment alone.
        } else if reference.is_empty() {
            self.empty = Some(Arc::clone(&resolved));
        } else if counts_from_folder(reference, standard) {
            self.size += reference.len() + resolved.size();
            self.references.insert(reference.into(), Arc::clone(&resolved));
        }
        resolved
    }

    /// Finds the cached result for a reference.
    pub(crate) fn find(
        &mut self,
        reference: &str,
        base: Option<&Base>,
        standard: Standard,
    ) -> Option<&Arc<ResolvedReference>> {
        self.set_base(base.map_or("", Base::as_str), standard);
        match reference {
            "" => self.empty.as_ref(),
            reference => self.references.get(reference),
        }
    }

    /// Sets the base, and removes the entries that are wrong for it.
    fn set_base(&mut self, base: &str, standard: Standard) {
        if self.base == base && self.standard == standard && self.size < MAX_SIZE {
            return;
        }
        base.clone_into(&mut self.base);
        self.empty = None;
        let folder = folder_of(base);
        if self.folder != folder || self.standard != standard || self.size >= MAX_SIZE {
            self.references.clear();
            self.size = 0;
            folder.clone_into(&mut self.folder);
            self.standard = standard;
        }
    }
}

/// The part of a base URL that references with a path resolve against: up to the last slash of its
/// path, or all of it without a path.
pub(crate) fn folder_of(base: &str) -> &str {
    let end = memchr::memchr2(b'?', b'#', base.as_bytes()).unwrap_or(base.len());
    // Whether parameters (`;x`) belong to the path depends on the standard; browsers read a
    // backslash as a slash, and leave out the others.
    let is_clear =
        all(base.as_bytes(), |byte| !matches!(byte, b';' | b'\\' | b'\t' | b'\n' | b'\r'));
    let slash = base[..end].rfind('/').filter(|_| is_clear);
    // The slashes before a host do not belong to the path.
    let slash = slash.filter(|&slash| !base[..slash].ends_with([':', '/']));
    slash.map_or(base, |slash| &base[..=slash])
}

/// Whether a reference resolves alike on all pages of a folder, as it has a path or a host, and is
/// short enough to be cached.
pub(crate) fn counts_from_folder(reference: &str, standard: Standard) -> bool {
    let has_path = |rest: &str| rest.starts_with(|c| c > ' ' && !matches!(c, '?' | ';' | '#'));
    // A browser reads `http:?x` as `?x`, and encodes a query in the page's encoding.
    let is_same = !standard.is_of_browsers()
        || (reference.is_ascii() && !reference.contains(['\t', '\n', '\r']));
    // Without a host, `//?x` is `?x` for RFC 1808.
    let has_host = reference.strip_prefix("//").is_none_or(has_path);
    has_path(reference)
        && has_host
        && is_same
        && reference.len() <= MAX_KEPT
        && scheme_end(reference).is_none_or(|colon| has_path(&reference[colon + 1..]))
}

/// Finds the file of a plain relative reference, without a URL in between.
///
/// Most links of a site are relative paths of unreserved characters, for which every standard and
/// every server agree: the path below the folder of the base names the file. Such a link needs one
/// lookup by path, and nothing is kept for it: on a site of 100,000 pages with 50 links each to
/// random pages (`ABSOLVE_AUDIT_PAGES=100000 cargo bench --bench audit`) a cache of references by
/// folder missed for most links, and took 8.0 s where this takes 2.6 s.
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

    use absolve::url::Standard;
    use absolve_files::{Walk, WriteMode};

    use super::*;
    use crate::lookup::cache::ResolutionCache;
    use crate::site::Site;
    use crate::site::deployment::Deployment;
    use crate::site::files::{Files, path_of};
    use crate::site::server::{Profile, Server};

    #[track_caller]
    fn assert_folder(base: &str, expected: &str) {
        assert_eq!(folder_of(base), expected, "{base}");
    }

    #[test]
    fn a_base_counts_up_to_its_folder() {
        assert_folder("http://h/a/b?c/d#e/f", "http://h/a/");
        assert_folder("http://h/", "http://h/");
        assert_folder("http://h", "http://h");
        assert_folder("http://h?a/b", "http://h?a/b");
        assert_folder("file:///a", "file:///a");
        assert_folder("http://h/a;b/c", "http://h/a;b/c");
        assert_folder("http://h/a\\b/c", "http://h/a\\b/c");
    }

    #[test]
    fn what_is_the_same_in_a_folder_has_a_path() {
        for reference in ["a", "../a?b", "/a", "//h", "http://h", "\u{e4}?\u{e4}"] {
            assert!(counts_from_folder(reference, Standard::Rfc1808), "{reference}");
        }
        for reference in ["", "//", "//?a", "?a", ";a", " a", "http:?a", "http:", &"a".repeat(4000)]
        {
            assert!(!counts_from_folder(reference, Standard::Rfc1808), "{reference}");
        }
        assert!(!counts_from_folder("a?\u{e4}", Standard::Whatwg));
    }

    const NAMES: &[&str] =
        &["index.html", "a/b.html", "a/c/d.html", "a/c/.d", "a.b/x", "e/index.html"];

    /// Asserts the file of a reference from a page of this URL, by both lookups.
    #[track_caller]
    fn assert_file(reference: &str, page: &str, expected: Option<&str>) {
        let tree = Walk::new(WriteMode::Read).finish();
        let site = Site::new(Files::from_paths(NAMES), tree, PathBuf::new(), PathBuf::new());
        let (deployment, server) =
            (Deployment::parse("http://h/s/").unwrap(), Server::new(Profile::Plain));
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
        // Each reference leaves nothing in the buffer for the next one.
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
                let whole = cache.resolve(reference, Some(&base), standard, url, &lookup);
                assert!(
                    file.is_none() || (file == whole.target.file && whole.is_good),
                    "{reference}"
                );
            }
        }
    }

    #[test]
    fn a_plain_reference_names_a_file() {
        assert_file("a/b.html", "http://h/s/", Some("a/b.html"));
        assert_file("a/b.html", "http://h/s/x?q", None);
        assert_file("b.html", "http://h/s/a/x.html", Some("a/b.html"));
        assert_file("../a/b.html", "http://h/s/a/c/x", None);
        assert_file("../b.html", "http://h/s/a/c/x", Some("a/b.html"));
        assert_file("../../index.html", "http://h/s/a/c/x", Some("index.html"));
        assert_file("../a.b/x", "http://h/s/e/", Some("a.b/x"));
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
            assert_file(reference, "http://h/s/", None);
        }
        for page in
            ["http://other/s/", "http://h/", "http://h/s/.x/y", "http://h/s/a;p/y", "http://h/s//"]
        {
            assert_file("index.html", page, None);
        }
    }
}
