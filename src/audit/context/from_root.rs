//! Links that begin with a slash and lead to no file of the site, from which its base URL is guessed.
//!
//! They are counted whether their rules are on or off, and beyond the limits for findings.

use std::collections::BTreeMap;

use crate::audit::rules::Rule;
use crate::audit::target::begins_at_root;
use crate::url::clean;

/// The most paths of a page that are kept: those of its menus.
const MAX_PATHS: usize = 100;

/// The most paths of a run that are kept: up to 6 MB.
const MAX_PATHS_OF_RUN: usize = 20_000;

/// The longest path, in bytes, that is kept.
const MAX_PATH: usize = 256;

/// The links of a page, or of all pages.
#[derive(Debug, Default)]
pub(crate) struct LinksFromRoot {
    /// The number of those that are broken or leave the base URL.
    pub(crate) lost: u64,
    /// The number of those outside the base URL.
    pub(crate) outside: u64,
    /// The paths of lost links, without the first slash, query and fragment, and their numbers.
    pub(crate) paths: BTreeMap<Box<str>, u64>,
}

impl LinksFromRoot {
    /// Counts a link with a problem of this rule.
    pub(crate) fn add(&mut self, rule: Rule, reference: &str) {
        let (is_lost, is_outside) = match rule {
            Rule::BrokenLink => (true, false),
            Rule::OutsideBase => (true, true),
            Rule::MissingPrefix => (false, true),
            _ => return,
        };
        let reference = clean(reference);
        if !begins_at_root(&reference) || reference[1..].starts_with('\\') {
            return;
        }
        self.outside += u64::from(is_outside);
        self.lost += u64::from(is_lost);
        if is_lost {
            let end = reference.find(['?', '#']).unwrap_or(reference.len());
            self.keep(&reference[1..end], 1, MAX_PATHS);
        }
    }

    /// Adds the links of a page.
    pub(crate) fn append(&mut self, page: &Self) {
        self.lost += page.lost;
        self.outside += page.outside;
        for (path, count) in &page.paths {
            self.keep(path, *count, MAX_PATHS_OF_RUN);
        }
    }

    fn keep(&mut self, path: &str, count: u64, most: usize) {
        if let Some(known) = self.paths.get_mut(path) {
            *known += count;
        } else if self.paths.len() < most && path.len() <= MAX_PATH {
            self.paths.insert(path.into(), count);
        }
    }
}
