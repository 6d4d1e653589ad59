//! Guesses the path that a site is served at from its broken links.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;

use crate::audit::context::AuditContext;
use crate::audit::finding::Finding;
use crate::audit::rules::Rule;
use crate::audit::summary::LikelyBase;
use crate::url::clean;

/// The fewest broken links that make a guess.
const MIN_LINKS: u64 = 10;

/// The first segment that most broken root-relative links of a site without a base URL share, if no
/// folder has that name, and a file exists where it is left out.
pub(crate) fn likely(context: &AuditContext<'_>, findings: &[Finding]) -> Option<LikelyBase> {
    let (deployment, site) = (context.lookup.deployment, context.site);
    if !deployment.is_nameless() || site.is_container() || site.book().is_some() {
        return None;
    }
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
    paths.any(is_there).then(|| LikelyBase { segment: segment.to_owned(), links, of })
}

/// A root-relative reference without its first slash.
fn root_relative(reference: &str) -> Option<String> {
    let reference = clean(reference);
    let path = reference.strip_prefix('/')?;
    (!path.starts_with(['/', '\\'])).then(|| path.to_owned())
}

fn first_segment(path: &str) -> &str {
    &path[..path.find(['/', '?', '#']).unwrap_or(path.len())]
}
