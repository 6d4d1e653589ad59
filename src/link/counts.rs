//! The links of a document, counted by outcome.

use std::ops::AddAssign;

use super::{Link, LinkOutcome};

/// The links of a document, counted by outcome.
///
/// `links` is the sum of the others.
///
/// ```
/// let rewriter = absolve::Rewriter::new().base_url("http://h/")?;
/// let counts = rewriter.rewrite(b"<a href=x><a href=mailto:x@y>")?.counts();
/// assert_eq!((counts.links, counts.rewritten, counts.absolute), (2, 1, 1));
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LinkCounts {
    /// Links seen.
    pub links: usize,
    /// Links whose reference was replaced.
    pub rewritten: usize,
    /// Links whose reference is absolute and was left.
    pub absolute: usize,
    /// Links that were left by a rule, by the decision or because they are to be ignored: most were
    /// resolved, an empty value and one with an entity were not.
    pub kept: usize,
    /// Links left relative because there is no base URL.
    pub unresolved: usize,
    /// Links left because the standard refuses them.
    pub invalid: usize,
}

impl AddAssign for LinkCounts {
    fn add_assign(&mut self, other: Self) {
        self.links += other.links;
        self.rewritten += other.rewritten;
        self.absolute += other.absolute;
        self.kept += other.kept;
        self.unresolved += other.unresolved;
        self.invalid += other.invalid;
    }
}

impl LinkCounts {
    pub(crate) fn add(&mut self, link: &Link<'_>, is_rewritten: bool) {
        self.links += 1;
        let count = match link.outcome() {
            _ if is_rewritten => &mut self.rewritten,
            LinkOutcome::Absolute(_) => &mut self.absolute,
            LinkOutcome::Resolved(_)
            | LinkOutcome::Kept(_)
            | LinkOutcome::Empty
            | LinkOutcome::Entity => &mut self.kept,
            LinkOutcome::Unresolved => &mut self.unresolved,
            LinkOutcome::Invalid(_) => &mut self.invalid,
        };
        *count += 1;
    }
}
