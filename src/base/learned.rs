//! What was learned of a document's retrieval URL.

use std::fmt;

use super::{BaseLayer, BaseSource};
use crate::error::{Advice, Error, HasAdvice};

/// A source of a retrieval URL that is not usable as a base, and why.
///
/// ```
/// let page = b"<!-- saved from url=(0010)mailto:a@b --><a href=x>";
/// let result = absolve::Rewriter::new().rewrite(page)?;
/// assert_eq!(result.summary().not_learned().len(), 1);
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotLearned {
    source: BaseSource,
    error: Error,
}

impl NotLearned {
    pub(crate) fn new(source: BaseSource, error: Error) -> Self {
        Self { source, error }
    }

    /// What names it.
    #[must_use]
    pub fn source(&self) -> BaseSource {
        self.source
    }
}

impl fmt::Display for NotLearned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not count: {}", self.source, self.error)
    }
}

impl HasAdvice for NotLearned {
    fn advice(&self) -> Option<Advice> {
        self.error.advice()
    }
}

impl std::error::Error for NotLearned {}

/// The layer of a retrieval URL that was learned, and what was skipped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Learned {
    pub(crate) layer: BaseLayer,
    pub(crate) refused: Vec<NotLearned>,
}

impl Learned {
    /// This, or another where nothing was learned.
    pub(crate) fn or(mut self, other: &Self) -> Self {
        if self.layer.base().is_none() {
            self.layer = other.layer.clone();
            self.refused.extend(other.refused.iter().cloned());
        }
        self
    }
}
