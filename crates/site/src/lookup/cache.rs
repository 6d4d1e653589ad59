//! Caches resolved references for all pages of a folder.

use std::sync::Arc;

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
    known: HashMap<Box<str>, Arc<ResolvedReference>>,
    /// Approximate bytes of the known references.
    size: usize,
    /// The empty reference: most links with only a fragment follow another such link.
    empty: Option<Arc<ResolvedReference>>,
}

/// Limit on the bytes of a cache, about: 8 MiB, some 20,000 references. A cache that reaches it is
/// cleared.
const MAX_SIZE: usize = 8 << 20;

/// The longest reference, in bytes, that is cached.
const MAX_KEPT: usize = 2048;

impl ResolutionCache {
    /// Resolves a reference without its fragment, in a document with this base; `resolve` returns
    /// its URL.
    pub(crate) fn of<'u>(
        &mut self,
        reference: &str,
        base: Option<&Base>,
        standard: Standard,
        resolve: impl FnOnce() -> Option<&'u str>,
        lookup: &Lookup<'_>,
    ) -> Arc<ResolvedReference> {
        if let Some(known) = self.known(reference, base, standard) {
            return Arc::clone(known);
        }
        let url = resolve().map(|url| split_fragment(url).0);
        let resolved = Arc::new(ResolvedReference::new(reference, base, standard, url, lookup));
        if url.is_none() {
            // Its fragment may be what is refused.
        } else if reference.is_empty() {
            self.empty = Some(Arc::clone(&resolved));
        } else if counts_from_folder(reference, standard) {
            self.size += reference.len() + resolved.size();
            self.known.insert(reference.into(), Arc::clone(&resolved));
        }
        resolved
    }

    /// The cached result for a reference, if there is one.
    pub(crate) fn known(
        &mut self,
        reference: &str,
        base: Option<&Base>,
        standard: Standard,
    ) -> Option<&Arc<ResolvedReference>> {
        self.turn_to_base(base.map_or("", Base::as_str), standard);
        match reference {
            "" => self.empty.as_ref(),
            reference => self.known.get(reference),
        }
    }

    /// Removes the entries that are wrong for another base.
    fn turn_to_base(&mut self, base: &str, standard: Standard) {
        if self.base == base && self.standard == standard && self.size < MAX_SIZE {
            return;
        }
        base.clone_into(&mut self.base);
        self.empty = None;
        let folder = folder_of(base);
        if self.folder != folder || self.standard != standard || self.size >= MAX_SIZE {
            self.known.clear();
            self.size = 0;
            folder.clone_into(&mut self.folder);
            self.standard = standard;
        }
    }
}

/// The part of a base URL that references with a path resolve against: up to the last slash of its
/// path, or all of it without a path.
pub(crate) fn folder_of(base: &str) -> &str {
    let end = base.find(['?', '#']).unwrap_or(base.len());
    // Whether parameters (`;x`) belong to the path depends on the standard; browsers read a
    // backslash as a slash, and leave out the others.
    let is_unclear = base.contains([';', '\\', '\t', '\n', '\r']);
    let slash = base[..end].rfind('/').filter(|_| !is_unclear);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_folder(base: &str, expected: &str) {
        assert_eq!(folder_of(base), expected, "{base}");
    }

    #[test]
    fn a_base_counts_up_to_its_folder() {
        is_folder("http://h/a/b?c/d#e/f", "http://h/a/");
        is_folder("http://h/", "http://h/");
        is_folder("http://h", "http://h");
        is_folder("http://h?a/b", "http://h?a/b");
        is_folder("file:///a", "file:///a");
        is_folder("http://h/a;b/c", "http://h/a;b/c");
        is_folder("http://h/a\\b/c", "http://h/a\\b/c");
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
}
