//! Resolves references on demand.

use crate::attributes::Rule;
use crate::url::{Base, Refusal, Resolution, Standard};

/// The result of resolving a link's reference.
///
/// ```
/// use absolve::{LinkOutcome, Rewriter};
///
/// let rewriter = Rewriter::new().base_url("http://h/")?;
/// let mut outcomes = Vec::new();
/// rewriter.links(b"<a href=x><a href=mailto:x@y>", |link| outcomes.push(link.outcome().clone()))?;
/// assert_eq!(outcomes[0], LinkOutcome::Resolved("http://h/x".to_owned()));
/// assert_eq!(outcomes[1], LinkOutcome::Absolute("mailto:x@y".to_owned()));
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkOutcome {
    /// The reference has a scheme and stays as it is.
    Absolute(String),
    /// The reference was resolved to this URL.
    Resolved(String),
    /// The reference has this URL but stays as written, by a rule of its attribute or an option.
    Kept(String),
    /// The value is empty and stays, because its attribute then names no resource, or the document.
    Empty,
    /// The value is XML with an entity, which is not expanded; it stays.
    Entity,
    /// The reference is relative and the document has no base URL.
    Unresolved,
    /// The standard refuses the reference.
    Invalid(Refusal),
}

/// How a reference is resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resolving {
    pub(super) standard: Standard,
    pub(super) written: Replacement,
}

/// Whether a resolved reference is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    Replaced,
    Kept,
    /// An empty value that stays, whatever its base is.
    Empty,
    /// A value with an entity.
    Entity,
}

impl Resolving {
    /// Whether the reference is that of a `base` element or a permalink that stays: rules do not
    /// move it either.
    pub(super) fn is_kept(self, rule: Rule) -> bool {
        self.written == Replacement::Kept && matches!(rule, Rule::Base | Rule::Permalink)
    }

    pub(super) fn outcome(self, base: Option<&Base>, reference: &str) -> LinkOutcome {
        match self.written {
            Replacement::Empty => return LinkOutcome::Empty,
            Replacement::Entity => return LinkOutcome::Entity,
            Replacement::Replaced | Replacement::Kept => {}
        }
        match self.standard.resolve(base, reference) {
            Ok(Resolution::Absolute(url)) => LinkOutcome::Absolute(url.into_owned()),
            Ok(Resolution::Resolved(url)) if self.written == Replacement::Kept => {
                LinkOutcome::Kept(url)
            }
            Ok(Resolution::Resolved(url)) => LinkOutcome::Resolved(url),
            Ok(Resolution::Unresolved) => LinkOutcome::Unresolved,
            Err(refusal) => LinkOutcome::Invalid(refusal),
        }
    }
}
