//! Guesses the path that a site is served at from the links that begin with a slash.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;

use crate::audit::context::AuditContext;
use crate::audit::finding::Finding;
use crate::audit::rules::Rule;
use crate::audit::summary::{LikelyBase, LinkTotals};
use crate::audit::target::begins_at_root;
use crate::url::clean;

/// The fewest links that make a guess.
const MIN_LINKS: u64 = 10;

/// The most segments of a base URL that is guessed.
const MAX_SEGMENTS: usize = 8;

/// The path that the links of a site show, unless they fit the base URL.
pub(crate) fn likely(
    context: &AuditContext<'_>,
    findings: &[Finding],
    links: LinkTotals,
) -> Option<LikelyBase> {
    if context.site.is_container() || context.site.book().is_some() {
        return None;
    }
    if context.lookup.deployment.is_nameless() {
        missing(context, findings)
    } else {
        fitting(context, findings, links)
    }
}

/// The path that fits most root-relative links, if most of them leave the base URL: without it, they
/// lead to files of the site.
fn fitting(
    context: &AuditContext<'_>,
    findings: &[Finding],
    links: LinkTotals,
) -> Option<LikelyBase> {
    let mut leaving = BTreeMap::<String, u64>::new();
    let (mut outside, mut all) = (0, links.from_root);
    for finding in findings {
        let Some(path) = finding.reference.as_deref().and_then(root_relative) else { continue };
        all += u64::from(matches!(finding.rule, Rule::OutsideBase | Rule::MissingPrefix));
        if finding.rule == Rule::OutsideBase {
            outside += 1;
            let end = path.find(['?', '#']).unwrap_or(path.len());
            *leaving.entry(path[..end].to_owned()).or_default() += 1;
        }
    }
    if outside < MIN_LINKS || 2 * outside <= all {
        return None;
    }
    let base = context.lookup.deployment.base().as_str();
    let is_there = |rest: &str| {
        // Each site has these files.
        let is_of_any = ["", "index.html", "robots.txt", "favicon.ico"].contains(&rest);
        !is_of_any && context.lookup.target(&format!("{base}{rest}"), "").file.is_some()
    };
    let mut fits = BTreeMap::<&str, (u64, BTreeSet<&str>)>::new();
    for (path, count) in &leaving {
        let splits = path.match_indices('/').take(MAX_SEGMENTS);
        let mut splits = splits.map(|(at, _)| (&path[..at], &path[at + 1..]));
        if let Some((segments, rest)) = splits.find(|(_, rest)| is_there(rest)) {
            let (links, files) = fits.entry(segments).or_default();
            *links += count;
            files.insert(rest);
        }
    }
    let (segments, (links, files)) = fits.into_iter().max_by_key(|(_, (links, _))| *links)?;
    // One file may be of the same name on two sites.
    if 2 * links <= outside || files.len() < 2 {
        return None;
    }
    let host = base.strip_suffix(context.lookup.deployment.base_path())?;
    let url = format!("{host}/{segments}/");
    let base_url = Some(context.lookup.shown(&url).into_owned());
    Some(LikelyBase { segment: segments.to_owned(), links, of: all, base_url })
}

/// The first segment that most broken root-relative links of a site without a base URL share, if no
/// folder has that name, and a file exists where it is left out.
fn missing(context: &AuditContext<'_>, findings: &[Finding]) -> Option<LikelyBase> {
    let (deployment, site) = (context.lookup.deployment, context.site);
    let broken: Vec<String> = findings
        .iter()
        .filter(|finding| finding.rule == Rule::BrokenLink)
        .filter_map(|finding| root_relative(finding.reference.as_deref()?))
        .collect();
    let mut counts = BTreeMap::<&str, u64>::new();
    for path in &broken {
        *counts.entry(first_segment(path)).or_default() += 1;
    }
    let (segment, links) = counts.into_iter().max_by_key(|(_, links)| *links)?;
    let of = broken.len() as u64;
    let name: Vec<u8> = percent_decode_str(segment).collect();
    if links < MIN_LINKS || 2 * links <= of || site.files().kind(&name).is_some() {
        return None;
    }
    let is_there = |path: &String| {
        let rest = path[segment.len()..].trim_start_matches('/');
        context.lookup.target(&format!("{}{rest}", deployment.base().as_str()), "").file.is_some()
    };
    let mut paths = broken.iter().filter(|path| first_segment(path) == segment);
    paths.any(is_there).then(|| LikelyBase {
        segment: segment.to_owned(),
        links,
        of,
        base_url: None,
    })
}

/// A root-relative reference without its first slash.
fn root_relative(reference: &str) -> Option<String> {
    let reference = clean(reference);
    let path = begins_at_root(&reference).then(|| &reference[1..])?;
    (!path.starts_with('\\')).then(|| path.to_owned())
}

fn first_segment(path: &str) -> &str {
    &path[..path.find(['/', '?', '#']).unwrap_or(path.len())]
}
