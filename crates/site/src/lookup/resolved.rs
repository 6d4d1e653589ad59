//! Resolves a reference, looks up its target, and finds the problems of both.

use std::borrow::Cow;

use absolve::url::rfc1808::scheme_end;
use absolve::url::{Base, Standard, clean};

use crate::checks::references::check;
use crate::checks::targets::{merge_above_root, propose_below_root};
use crate::checks::urls;
use crate::checks::urls::NamedUrl;
use crate::elements::is_insecure;
use crate::{
    LinkScope, Location, Lookup, Problem, Rule, Target, above_root_problem, climbs_above_root,
    unknown_scheme,
};

/// A reference without its fragment, resolved and looked up.
#[derive(Debug)]
pub(crate) struct ResolvedReference {
    /// The URL that the reference resolves to.
    pub(crate) url: Option<String>,
    pub(crate) target: Target,
    /// Whether the reference is an absolute URL of the site itself.
    pub(crate) is_own_absolute: bool,
    /// Whether the reference leads to an `http:` URL of another host.
    pub(crate) is_insecure: bool,
    /// Whether a link with this reference has no finding in any element, apart from findings about
    /// its fragment. For an empty reference, the link must have a fragment.
    pub(crate) is_good: bool,
}

impl ResolvedReference {
    /// Looks up a reference that resolves to `url` by the standard; `None` is a refused reference.
    pub(crate) fn new(
        reference: &str,
        base: Option<&Base>,
        standard: Standard,
        url: Option<&str>,
        lookup: &Lookup<'_>,
    ) -> Self {
        let reference = &*clean(reference);
        let Some(url) = url else {
            let message = "a browser refuses it";
            return Self::new_refused(None, Problem::new(Rule::InvalidReference, message));
        };
        let browser = BrowserResolution::new(base, reference, standard, url);
        if let BrowserResolution::Refused(why) = browser {
            let message = format!("a browser refuses what it resolves to: {why}");
            return Self::new_refused(Some(url), Problem::new(Rule::InvalidReference, message));
        }
        let mut target = lookup.look_up(url, reference);
        if let BrowserResolution::Same(browser_url) | BrowserResolution::Other(browser_url) =
            &browser
            && browser_url != url
            && only_browsers_read(reference)
        {
            // Another finding reports that the link works in browsers only.
            let by_browser = lookup.look_up(browser_url, reference);
            if by_browser.file.is_some() || target.scope != LinkScope::Internal {
                target = by_browser;
            }
        }
        add_above_root(&mut target, reference, base, (standard, url), lookup);
        merge_above_root(&mut target);
        propose_below_root(&mut target);
        if let Some(colon) = find_file_colon(reference, base, lookup) {
            target.problems.retain(|problem| problem.rule != Rule::BadScheme);
            target.problems.push(colon);
        }
        let (scope, forbidden) = (target.scope, lookup.forbidden);
        let named = NamedUrl { reference, url, scope, forbidden };
        let faults = urls::CHECKS.iter().filter_map(|(rule, find)| Some((*rule, find(&named)?)));
        target.problems.extend(faults.map(|(rule, message)| Problem::new(rule, message)));
        if lookup.compares_standards {
            let difference =
                compare_standards(&target, reference, base, (standard, url), browser, lookup);
            target.problems.extend(difference);
        }
        let is_absolute = scheme_end(reference).is_some() || reference.starts_with("//");
        let is_nameless = lookup.deployment.is_nameless();
        let is_own_absolute =
            has_host(reference) && target.scope == LinkScope::Internal && !is_nameless;
        // Links of an http site to itself are as secure as the site.
        let is_own_http = target.scope != LinkScope::External && !lookup.deployment.is_secure();
        let is_insecure = (is_absolute || !is_nameless) && !is_own_http && is_insecure(url);
        let is_good = target.problems.is_empty()
            && !is_own_absolute
            && !is_insecure
            && lookup.has_good_answer(target.scope, url)
            // An empty reference with a fragment is no fault.
            && (reference.is_empty() || check(reference).next().is_none());
        Self { url: Some(url.to_owned()), target, is_own_absolute, is_insecure, is_good }
    }

    /// Returns the approximate bytes, with the entry in the cache.
    pub(super) fn size(&self) -> usize {
        const ENTRY_SIZE: usize = 192;
        let url = self.url.as_ref().map_or(0, String::len);
        ENTRY_SIZE + url + self.target.problems.iter().map(Problem::size).sum::<usize>()
    }

    /// Creates the resolved reference of a link to its own document, by the number of its file.
    pub(crate) fn from_own_document(url: Option<&str>, number: usize) -> Self {
        let url = url.map(|url| split_fragment(url).0.to_owned());
        let target = Target::in_site(Some(number));
        Self { url, target, is_own_absolute: false, is_insecure: false, is_good: false }
    }

    fn new_refused(url: Option<&str>, problem: Problem) -> Self {
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

/// Whether a reference is a path of plain characters, which all standards resolve alike.
fn is_plain(reference: &str) -> bool {
    !reference.starts_with("//")
        && reference.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte))
}

/// Adds [`Rule::AboveRoot`], unless the lookup has found surplus segments in the URL.
fn add_above_root(
    target: &mut Target,
    reference: &str,
    base: Option<&Base>,
    (standard, url): (Standard, &str),
    lookup: &Lookup<'_>,
) {
    let is_known = target.problems.iter().any(|problem| problem.rule == Rule::AboveRoot);
    if is_known || !base.is_some_and(|base| climbs_above_root(base, reference)) {
        return;
    }
    let above_root = match lookup.deployment.locate(url) {
        Location::Inside { path, .. } if standard != Standard::Rfc1808 => above_root_problem(&path),
        Location::Outside { path, .. } if target.scope == LinkScope::Outside => {
            above_root_problem(&[b"/", &*path].concat())
        }
        _ => return,
    };
    target.problems.insert(0, above_root);
}

/// Whether a reference names its host. Browsers find no scheme in `12:30.html`, and on an `http:`
/// page `http:page.html` is relative.
fn has_host(reference: &str) -> bool {
    let after_scheme = match scheme_end(reference) {
        Some(colon) if reference.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            &reference[colon + 1..]
        }
        Some(_) => return false,
        None => reference,
    };
    let mut slashes = after_scheme.bytes().take(2);
    after_scheme.len() > 1 && slashes.all(|byte| matches!(byte, b'/' | b'\\'))
}

/// The result of a reference in a browser.
enum BrowserResolution {
    /// An equal URL, in the browser's spelling.
    Same(String),
    Other(String),
    Refused(String),
}

impl BrowserResolution {
    fn new(base: Option<&Base>, reference: &str, standard: Standard, url: &str) -> Self {
        // Only RFC 1808 excludes the parameters of a base from its path.
        let has_params = || base.is_some_and(|base| base.as_str().contains(';'));
        if is_plain(reference) && !has_params() {
            return Self::Same(url.to_owned());
        }
        if standard.is_of_browsers() {
            // `url` comes from the URL Standard, which keeps an absolute URL as written. Browsers
            // normalize it, which matters only for references that they alone read.
            let scheme = scheme_end(reference).filter(|_| only_browsers_read(reference));
            let browser_url = scheme.and_then(|_| ::url::Url::parse(url).ok());
            return Self::Same(browser_url.map_or_else(|| url.to_owned(), String::from));
        }
        let base = base.and_then(|base| ::url::Url::parse(base.as_str()).ok());
        let parsed = ::url::Url::options().base_url(base.as_ref()).parse(reference);
        match (parsed, ::url::Url::parse(url)) {
            (Ok(parsed), Ok(url)) if without_fragment(&parsed) == without_fragment(&url) => {
                Self::Same(parsed.into())
            }
            (Ok(parsed), _) => Self::Other(parsed.into()),
            (Err(error), _) => Self::Refused(error.to_string()),
        }
    }
}

fn without_fragment(url: &::url::Url) -> &str {
    &url[..::url::Position::AfterQuery]
}

/// Whether only browsers find the file of a reference: they read a backslash as a slash, and accept
/// no scheme that begins with a digit.
fn only_browsers_read(reference: &str) -> bool {
    check(reference)
        .any(|(check, _)| matches!(check.rule, Rule::Backslash | Rule::ColonInFirstSegment))
}

/// [`Rule::ColonInFirstSegment`], for a file whose name looks like a URL with a scheme.
fn find_file_colon(reference: &str, base: Option<&Base>, lookup: &Lookup<'_>) -> Option<Problem> {
    unknown_scheme(reference).filter(|scheme| !scheme.starts_with(|c: char| c.is_ascii_digit()))?;
    let as_path = base?.resolve_rfc1808(&format!("./{reference}"), |_| {});
    let end = as_path.find('#').unwrap_or(as_path.len());
    lookup.look_up(&as_path[..end], reference).file?;
    Some(Problem {
        hint: Some(format!("write ./{reference}")),
        ..Problem::new(
            Rule::ColonInFirstSegment,
            "a file has that name, but the text before the colon is a scheme",
        )
    })
}

/// [`Rule::StandardsDiffer`], unless another finding covers it. Browsers are compared with the
/// standard of the audit, or with RFC 1808 if the audit resolves as browsers do.
fn compare_standards(
    target: &Target,
    reference: &str,
    base: Option<&Base>,
    (standard, url): (Standard, &str),
    browser: BrowserResolution,
    lookup: &Lookup<'_>,
) -> Option<Problem> {
    let (url, standard, browser) = if standard.is_of_browsers() {
        let standard = Standard::Rfc1808;
        let resolution = standard.resolve(base, reference).ok()?;
        let url = resolution.url()?.to_owned();
        let browser = BrowserResolution::new(base, reference, standard, &url);
        (Cow::Owned(url), standard, browser)
    } else {
        (Cow::Borrowed(url), standard, browser)
    };
    let BrowserResolution::Other(other) = browser else { return None };
    let is_reported = target.problems.iter().any(|problem| {
        matches!(
            problem.rule,
            Rule::AboveRoot | Rule::ColonInFirstSegment | Rule::MissingScheme | Rule::BadScheme
        )
    });
    let is_reported_alone = check(reference).any(|(check, _)| {
        matches!(check.rule, Rule::Backslash | Rule::ColonInFirstSegment | Rule::EmptyReference)
    });
    if is_reported || is_reported_alone {
        return None;
    }
    let [url, other] = [&*url, &other]
        .map(|url| lookup.deployment.shown(&lookup.standard.masked(base, url)).to_owned());
    let rules = standard.title();
    let message = format!("it is {url} by {rules}, and a browser goes to {other}");
    Some(Problem {
        hint: Some("absolve resolve --explain shows the steps".to_owned()),
        ..Problem::new(Rule::StandardsDiffer, message)
    })
}

/// Splits a reference at its fragment, without the
/// [spaces](https://url.spec.whatwg.org/#concept-basic-url-parser) at its end.
pub(crate) fn split_fragment(reference: &str) -> (&str, Option<&str>) {
    match memchr::memchr(b'#', reference.as_bytes()) {
        Some(at) => {
            let fragment = reference[at + 1..].trim_end_matches(|c: char| c <= ' ');
            (&reference[..at], Some(fragment))
        }
        None => (reference, None),
    }
}

/// Returns a URL with the fragment of a reference.
pub(crate) fn with_fragment<'u>(url: &'u str, fragment: Option<&str>) -> Cow<'u, str> {
    match fragment {
        Some(fragment) => Cow::Owned(format!("{url}#{fragment}")),
        None => Cow::Borrowed(url),
    }
}
