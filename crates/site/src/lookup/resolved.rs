//! Resolves a reference, looks up its target, and finds what is wrong with it.

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
    /// Whether no element can have a finding about it, apart from its fragment; an empty
    /// reference must have one.
    pub(crate) is_good: bool,
}

impl ResolvedReference {
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
        let browser = Browser::new(base, reference, standard, url);
        if let Browser::Refuses(why) = browser {
            let message = format!("a browser refuses what it resolves to: {why}");
            return Self::new_refused(Some(url), Problem::new(Rule::InvalidReference, message));
        }
        let mut target = lookup.look_up(url, reference);
        if let Browser::Agrees(browser_url) | Browser::GoesTo(browser_url) = &browser
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
            let difference = compare(&target, reference, base, (standard, url), browser, lookup);
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
            // An empty reference is followed by a fragment.
            && (reference.is_empty() || check(reference).next().is_none());
        Self { url: Some(url.to_owned()), target, is_own_absolute, is_insecure, is_good }
    }

    /// Approximate bytes, with the entry in the cache.
    pub(super) fn size(&self) -> usize {
        const ENTRY: usize = 192;
        let url = self.url.as_ref().map_or(0, String::len);
        ENTRY + url + self.target.problems.iter().map(Problem::size).sum::<usize>()
    }

    /// The resolved reference of a link to its own document, by the number of its file.
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

/// Whether all standards resolve a reference alike and no parser rejects it: a path of plain
/// characters.
fn is_plain(reference: &str) -> bool {
    !reference.starts_with("//")
        && reference.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte))
}

/// Adds [`Rule::AboveRoot`], unless the lookup found the surplus segments in the URL.
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

/// Whether a reference names its host: `12:30.html` has no scheme for a browser, and
/// `http:page.html` is relative on an `http:` page.
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
enum Browser {
    /// The browser resolves it to the same URL, in this spelling.
    Agrees(String),
    GoesTo(String),
    Refuses(String),
}

impl Browser {
    fn new(base: Option<&Base>, reference: &str, standard: Standard, url: &str) -> Self {
        // Only RFC 1808 excludes the parameters of a base from its path.
        let has_params = || base.is_some_and(|base| base.as_str().contains(';'));
        if is_plain(reference) && !has_params() {
            return Self::Agrees(url.to_owned());
        }
        if standard.is_of_browsers() {
            // The URL Standard accepted it, and left it as written if it has a scheme. Only
            // references that browsers alone read need their spelling.
            let scheme = scheme_end(reference).filter(|_| only_browsers_read(reference));
            let browser_url = scheme.and_then(|_| ::url::Url::parse(url).ok());
            return Self::Agrees(browser_url.map_or_else(|| url.to_owned(), String::from));
        }
        let base = base.and_then(|base| ::url::Url::parse(base.as_str()).ok());
        let parsed = ::url::Url::options().base_url(base.as_ref()).parse(reference);
        match (parsed, ::url::Url::parse(url)) {
            (Ok(parsed), Ok(url)) if without_fragment(&parsed) == without_fragment(&url) => {
                Self::Agrees(parsed.into())
            }
            (Ok(parsed), _) => Self::GoesTo(parsed.into()),
            (Err(error), _) => Self::Refuses(error.to_string()),
        }
    }
}

fn without_fragment(url: &::url::Url) -> &str {
    &url[..::url::Position::AfterQuery]
}

/// Whether a browser finds a file where RFC 1808 does not: it reads a backslash as a slash, and no
/// scheme that begins with a digit.
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

/// [`Rule::StandardsDiffer`], unless another finding covers it: the standard of the audit is
/// compared with the URL Standard, and that with RFC 1808.
fn compare(
    target: &Target,
    reference: &str,
    base: Option<&Base>,
    (standard, url): (Standard, &str),
    browser: Browser,
    lookup: &Lookup<'_>,
) -> Option<Problem> {
    let (url, standard, browser) = if standard.is_of_browsers() {
        let standard = Standard::Rfc1808;
        let resolution = standard.resolve(base, reference).ok()?;
        let url = resolution.url()?.to_owned();
        let browser = Browser::new(base, reference, standard, &url);
        (Cow::Owned(url), standard, browser)
    } else {
        (Cow::Borrowed(url), standard, browser)
    };
    let Browser::GoesTo(other) = browser else { return None };
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

/// A reference without its fragment, and the fragment, which has no
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

/// A URL with the fragment of a reference.
pub(crate) fn with_fragment<'u>(url: &'u str, fragment: Option<&str>) -> Cow<'u, str> {
    match fragment {
        Some(fragment) => Cow::Owned(format!("{url}#{fragment}")),
        None => Cow::Borrowed(url),
    }
}
