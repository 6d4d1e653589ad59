//! What a reference comes to, once for all links of a folder that are written alike.

use std::borrow::Cow;
use std::sync::Arc;

use crate::audit::container::document::Scope;
use crate::audit::container::fingerprint::Beginnings;
use crate::audit::hash::HashMap;
use crate::audit::lookup::Lookup;
use crate::audit::reference::{ftp_type_d, is_insecure, unknown_scheme};
use crate::audit::rules::Rule;
use crate::audit::site::deployment::{Located, climbs_above_root};
use crate::audit::target::{LinkScope, Problem, Target, above_root_of};
use crate::url::rfc1808::scheme_end;
use crate::url::{Base, Standard, clean};

/// What a reference without its fragment comes to.
#[derive(Debug)]
pub(crate) struct ResolvedReference {
    /// What it resolves to.
    pub(crate) url: Option<String>,
    pub(crate) target: Target,
    /// Whether it is an absolute URL of the site itself.
    pub(crate) is_own_absolute: bool,
    /// Whether it leads to an `http:` URL of another machine.
    pub(crate) is_insecure: bool,
    /// Whether nothing can be found of it whatever the element, but for its fragment,
    /// which an empty reference has to have.
    pub(crate) is_good: bool,
}

/// Resolved references that are the same for every page of a folder, as a base URL counts up to
/// its last slash where a reference has a path.
///
/// It is for one thread, and holds one folder's.
#[derive(Debug, Default)]
pub(crate) struct ResolutionCache {
    /// Where the references stand, by [`Scope::id`].
    scope: (usize, bool),
    /// The base of the last reading.
    base: String,
    folder: String,
    /// What is known of the base, in a container.
    beginnings: Option<Beginnings>,
    standard: Standard,
    known: HashMap<Box<str>, Arc<ResolvedReference>>,
    /// Bytes that those take, about.
    size: usize,
    /// That of an empty reference: most links that name nothing but a fragment follow
    /// another such link.
    empty: Option<Arc<ResolvedReference>>,
}

/// Bytes that readings may take in each thread, about: 8 MiB, which are some 20,000
/// readings. A folder whose pages have more begins anew.
const MAX_SIZE: usize = 8 << 20;

/// The bytes of the longest reference whose reading is kept.
const MAX_KEPT: usize = 2048;

impl ResolutionCache {
    /// The reading of a reference without its fragment, as it is in a document with
    /// this base; `resolve` tells what it resolves to.
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
        if self.beginnings.is_none() {
            self.beginnings = lookup.scope.beginnings(&self.base);
        }
        let lookup = &Lookup { beginnings: self.beginnings.as_ref(), ..*lookup };
        let reading = Arc::new(ResolvedReference::new(reference, base, standard, url, lookup));
        if reference.is_empty() {
            self.empty = Some(Arc::clone(&reading));
        } else if counts_from_folder(reference, standard) {
            self.size += reference.len() + reading.size();
            self.known.insert(reference.into(), Arc::clone(&reading));
        }
        reading
    }

    /// The same, where it is known already.
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

    /// Forgets what does not count elsewhere.
    pub(crate) fn turn_to(&mut self, scope: Scope<'_>) {
        if self.scope != scope.id() {
            *self = Self { scope: scope.id(), ..Self::default() };
        }
    }

    /// Forgets what does not count with another base.
    fn turn_to_base(&mut self, base: &str, standard: Standard) {
        if self.base == base && self.standard == standard && self.size < MAX_SIZE {
            return;
        }
        base.clone_into(&mut self.base);
        self.empty = None;
        self.beginnings = None;
        let folder = folder_of(base);
        if self.folder != folder || self.standard != standard || self.size >= MAX_SIZE {
            self.known.clear();
            self.size = 0;
            folder.clone_into(&mut self.folder);
            self.standard = standard;
        }
    }
}

/// What of a base URL counts for references with a path: all up to the last slash of
/// its path; all of it where it has no path.
fn folder_of(base: &str) -> &str {
    let end = base.find(['?', '#']).unwrap_or(base.len());
    // Whether what stands behind `;` is of the path depends on the standard.
    let slash = base[..end].rfind('/').filter(|_| !base.contains(';'));
    // The slashes before a host are none of a path.
    let slash = slash.filter(|&slash| !base[..slash].ends_with([':', '/']));
    slash.map_or(base, |slash| &base[..=slash])
}

/// Whether a reference has a path or a host of its own, and so is the same wherever it
/// stands in a folder. The longest ones are not kept, be they so or not.
fn counts_from_folder(reference: &str, standard: Standard) -> bool {
    let has_path = |rest: &str| rest.starts_with(|c| c > ' ' && !matches!(c, '?' | ';' | '#'));
    // A browser takes `http:?x` for `?x`, and encodes a query as the page is encoded.
    let is_same = !standard.is_of_browsers() || reference.is_ascii();
    has_path(reference)
        && is_same
        && reference.len() <= MAX_KEPT
        && scheme_end(reference).is_none_or(|colon| has_path(&reference[colon + 1..]))
}

impl ResolvedReference {
    fn new(
        reference: &str,
        base: Option<&Base>,
        standard: Standard,
        url: Option<&str>,
        lookup: &Lookup<'_>,
    ) -> Self {
        let reference = &*clean(reference);
        let Some(url) = url else {
            let refused = "a browser refuses it";
            return Self::refused(None, Problem::new(Rule::InvalidReference, refused));
        };
        let browser = Browser::new(base, reference, standard, url);
        if let Browser::Refuses(why) = browser {
            let message = format!("a browser refuses what it resolves to: {why}");
            return Self::refused(Some(url), Problem::new(Rule::InvalidReference, message));
        }
        let mut target = lookup.target(url, reference);
        if let Browser::Agrees(theirs) | Browser::GoesTo(theirs) = &browser
            && is_read_by_a_browser(reference)
        {
            // That it works in browsers alone is a finding of its own.
            let seen = lookup.target(theirs, reference);
            if seen.file.is_some() || target.scope == LinkScope::External {
                target = seen;
            }
        }
        let is_above = || base.is_some_and(|base| climbs_above_root(base, reference));
        if standard != Standard::Rfc1808
            && let Located::Inside { path, .. } = lookup.deployment.locate(url)
            && is_above()
        {
            target.problems.insert(0, above_root_of(&path));
        }
        if lookup.scope.is_held()
            && target.scope == LinkScope::Internal
            && is_above()
            && let Ok(url) = ::url::Url::parse(url)
        {
            let path = url.path().trim_start_matches('/');
            target.problems.insert(0, above_root_of(path.as_bytes()));
        }
        if let Some(colon) = colon_of_a_file(reference, base, lookup) {
            target.problems.push(colon);
        }
        if let Some(message) = ftp_type_d(url) {
            target.problems.push(Problem::new(Rule::FtpTypeD, message));
        }
        if let Browser::GoesTo(other) = browser {
            let difference = difference(&target, reference, standard, [url, &other], lookup);
            target.problems.extend(difference);
        }
        let is_absolute = scheme_end(reference).is_some() || reference.starts_with("//");
        let is_nameless = lookup.deployment.is_nameless();
        let is_held = lookup.scope.is_held();
        let is_own_absolute =
            is_absolute && target.scope == LinkScope::Internal && !is_nameless && !is_held;
        // A site that is served by http itself is as secure as its links to itself.
        let is_own = target.scope == LinkScope::Internal && !lookup.deployment.is_secure();
        let is_insecure = match lookup.scope {
            Scope::Site => (is_absolute || !is_nameless) && !is_own && is_insecure(url),
            Scope::Message { .. } => false,
            Scope::Archive { is_secure, .. } => is_secure && is_insecure(url),
        };
        let is_good = target.problems.is_empty()
            && !is_own_absolute
            && !is_insecure
            // An empty one has a fragment behind it.
            && (reference.is_empty() || crate::audit::reference::check(reference).next().is_none());
        Self { url: Some(url.to_owned()), target, is_own_absolute, is_insecure, is_good }
    }

    /// Bytes that it takes, about, with its place among others.
    fn size(&self) -> usize {
        const ENTRY: usize = 192;
        let url = self.url.as_ref().map_or(0, String::len);
        ENTRY + url + self.target.problems.iter().map(Problem::size).sum::<usize>()
    }

    /// That of a reference to the document of this number, which it stands in.
    pub(crate) fn of_itself(url: Option<&str>, number: usize) -> Self {
        let url = url.map(|url| split_fragment(url).0.to_owned());
        let target =
            Target { scope: LinkScope::Internal, file: Some(number), problems: Vec::new() };
        Self { url, target, is_own_absolute: false, is_insecure: false, is_good: false }
    }

    fn refused(url: Option<&str>, problem: Problem) -> Self {
        let target = Target { problems: vec![problem], ..Target::OUTSIDE };
        Self {
            url: url.map(str::to_owned),
            target,
            is_own_absolute: false,
            is_insecure: false,
            is_good: false,
        }
    }
}

/// Whether every standard reads a reference alike, and no parser refuses it: a path of
/// plain characters, below an `http` base or one like it.
fn is_plain(reference: &str) -> bool {
    !reference.starts_with("//")
        && reference.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte))
}

/// What a browser does with a reference.
enum Browser {
    /// It goes to the same URL; this is how it writes it.
    Agrees(String),
    GoesTo(String),
    Refuses(String),
}

impl Browser {
    fn new(base: Option<&Base>, reference: &str, standard: Standard, url: &str) -> Self {
        // What stands behind `;` in a base is not of its path for RFC 1808 alone.
        let has_params = || base.is_some_and(|base| base.as_str().contains(';'));
        if standard.is_of_browsers() || (is_plain(reference) && !has_params()) {
            return Self::Agrees(url.to_owned());
        }
        let base = base.and_then(|base| ::url::Url::parse(base.as_str()).ok());
        let theirs = ::url::Url::options().base_url(base.as_ref()).parse(reference);
        match (theirs, ::url::Url::parse(url)) {
            (Ok(theirs), Ok(ours)) if without_fragment(&theirs) == without_fragment(&ours) => {
                Self::Agrees(theirs.into())
            }
            (Ok(theirs), _) => Self::GoesTo(theirs.into()),
            (Err(error), _) => Self::Refuses(error.to_string()),
        }
    }
}

fn without_fragment(url: &::url::Url) -> &str {
    &url[..::url::Position::AfterQuery]
}

/// Whether a browser finds the file of a reference, and RFC 1808 does not: it has a slash
/// for a backslash, and no scheme that begins with a digit.
fn is_read_by_a_browser(reference: &str) -> bool {
    crate::audit::reference::check(reference)
        .any(|(rule, _)| matches!(rule, Rule::Backslash | Rule::ColonInFirstSegment))
}

/// [`Rule::ColonInFirstSegment`]: what looks like a scheme is the name of a file.
fn colon_of_a_file(reference: &str, base: Option<&Base>, lookup: &Lookup<'_>) -> Option<Problem> {
    unknown_scheme(reference).filter(|scheme| !scheme.starts_with(|c: char| c.is_ascii_digit()))?;
    let as_path = base?.resolve_rfc1808(&format!("./{reference}"), |_| {});
    let end = as_path.find('#').unwrap_or(as_path.len());
    lookup.target(&as_path[..end], reference).file?;
    Some(Problem {
        hint: Some(format!("write ./{reference}")),
        ..Problem::new(
            Rule::ColonInFirstSegment,
            "there is a file of that name, but what stands before the colon is a scheme",
        )
    })
}

/// [`Rule::StandardsDiffer`], unless another finding gives the reason.
fn difference(
    target: &Target,
    reference: &str,
    standard: Standard,
    [url, other]: [&str; 2],
    lookup: &Lookup<'_>,
) -> Option<Problem> {
    let is_told = target.problems.iter().any(|problem| {
        matches!(problem.rule, Rule::AboveRoot | Rule::ColonInFirstSegment | Rule::MissingScheme)
    });
    let is_told_alone = crate::audit::reference::check(reference).any(|(rule, _)| {
        matches!(rule, Rule::Backslash | Rule::ColonInFirstSegment | Rule::EmptyReference)
    });
    if is_told || is_told_alone {
        return None;
    }
    let shown = |url: &str| lookup.deployment.shown(url).to_owned();
    let rules = standard.title();
    let message =
        format!("it is {} by {rules}, and a browser goes to {}", shown(url), shown(other));
    Some(Problem {
        hint: Some("absolve resolve --explain shows the steps".to_owned()),
        ..Problem::new(Rule::StandardsDiffer, message)
    })
}

/// A reference without its fragment, and the fragment.
pub(crate) fn split_fragment(reference: &str) -> (&str, Option<&str>) {
    match memchr::memchr(b'#', reference.as_bytes()) {
        Some(at) => (&reference[..at], Some(&reference[at + 1..])),
        None => (reference, None),
    }
}

/// A URL with the fragment of a reference.
pub(crate) fn with_fragment<'u>(url: &'u str, fragment: Option<&str>) -> Cow<'u, str> {
    match fragment {
        Some(fragment) => Cow::Owned(format!("{url}#{fragment}")),
        None => Cow::Borrowed(url),
    }
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
    }

    #[test]
    fn what_is_the_same_in_a_folder_has_a_path() {
        for reference in ["a", "../a?b", "/a", "//h", "http://h", "\u{e4}?\u{e4}"] {
            assert!(counts_from_folder(reference, Standard::Rfc1808), "{reference}");
        }
        for reference in ["", "?a", ";a", " a", "http:?a", "http:", &"a".repeat(4000)] {
            assert!(!counts_from_folder(reference, Standard::Rfc1808), "{reference}");
        }
        #[cfg(feature = "whatwg")]
        assert!(!counts_from_folder("a?\u{e4}", Standard::Whatwg));
    }
}
