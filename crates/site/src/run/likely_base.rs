//! Guesses the path that a site is served at from the links that begin with a slash.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;

use crate::{AuditContext, LikelyBase, LinkTotals, LinksFromRoot};

/// Minimum broken or outside links for a guess.
const MIN_LINKS: u64 = 10;

/// Maximum segments of a base URL that is guessed.
const MAX_SEGMENTS: usize = 8;

/// Guesses the path that makes most root-relative links work, if many do not fit the base URL.
pub(super) fn guess(
    context: &AuditContext<'_>,
    from_root: &LinksFromRoot,
    links: LinkTotals,
) -> Option<LikelyBase> {
    if from_root.lost < MIN_LINKS {
        return None;
    }
    if context.lookup.deployment.is_nameless() {
        find_missing_segment(context, from_root)
    } else {
        fit_base_url(context, from_root, links)
    }
}

/// Finds the base URL that fits most root-relative links, if most of them leave the given base URL
/// or are broken. A path fits a link that leads to a file of the site after its removal.
fn fit_base_url(
    context: &AuditContext<'_>,
    from_root: &LinksFromRoot,
    links: LinkTotals,
) -> Option<LikelyBase> {
    let total = links.from_root + from_root.outside;
    if 2 * from_root.lost <= total {
        return None;
    }
    let base = context.lookup.deployment.base().as_str();
    let leads_to_file = |rest: &str| {
        // Every site has these files, so they are no evidence.
        let is_common = ["", "index.html", "robots.txt", "favicon.ico"].contains(&rest);
        !is_common && context.lookup.look_up(&format!("{base}{rest}"), "").file.is_some()
    };
    let mut candidates = BTreeMap::<&str, (u64, BTreeSet<&str>)>::new();
    for (path, count) in &from_root.paths {
        let splits = path.match_indices('/').take(MAX_SEGMENTS);
        let mut splits = splits.map(|(at, _)| (&path[..at], &path[at + 1..]));
        if let Some((segments, rest)) = splits.find(|(_, rest)| leads_to_file(rest)) {
            let (links, files) = candidates.entry(segments).or_default();
            *links += count;
            files.insert(rest);
        }
    }
    let (segments, (links, files)) = candidates.into_iter().max_by_key(|(_, (links, _))| *links)?;
    // A single file proves nothing: two sites may have a file of the same name.
    if 2 * links <= count_kept(from_root) || files.len() < 2 {
        return None;
    }
    let host = base.strip_suffix(context.lookup.deployment.base_path())?;
    let url = format!("{host}/{segments}/");
    let base_url = Some(context.lookup.shown(&url).into_owned());
    Some(LikelyBase { segment: segments.to_owned(), links, of: total, base_url })
}

/// Finds the path of a site without a base URL: the first segment that most broken root-relative
/// links share, if no folder has its name, and a link leads to a file after its removal.
fn find_missing_segment(
    context: &AuditContext<'_>,
    from_root: &LinksFromRoot,
) -> Option<LikelyBase> {
    let (deployment, site) = (context.lookup.deployment, context.site);
    let mut counts = BTreeMap::<&str, u64>::new();
    for (path, count) in &from_root.paths {
        *counts.entry(first_segment(path)).or_default() += count;
    }
    let (segment, links) = counts.into_iter().max_by_key(|(_, links)| *links)?;
    let name: Vec<u8> = percent_decode_str(segment).collect();
    if links < MIN_LINKS || 2 * links <= count_kept(from_root) || site.files().kind(&name).is_some()
    {
        return None;
    }
    let leads_to_file = |path: &str| {
        let rest = path[segment.len()..].trim_start_matches('/');
        context.lookup.look_up(&format!("{}{rest}", deployment.base().as_str()), "").file.is_some()
    };
    let mut paths = from_root.paths.keys().filter(|path| first_segment(path) == segment);
    paths.any(|path| leads_to_file(path)).then(|| LikelyBase {
        segment: segment.to_owned(),
        links,
        of: from_root.lost,
        base_url: None,
    })
}

/// Counts the lost links whose paths are recorded; the number of paths is limited.
fn count_kept(from_root: &LinksFromRoot) -> u64 {
    from_root.paths.values().sum()
}

fn first_segment(path: &str) -> &str {
    &path[..path.find('/').unwrap_or(path.len())]
}
