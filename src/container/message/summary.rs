//! What came of one part.

use encoding_rs::{Encoding, REPLACEMENT};

use crate::base::{BaseSource, RejectedBase};
use crate::link::Counts;
use crate::rewrite::Summary;

/// What was learned about an HTML part: its counts, its encoding, where its base came from.
///
/// The base URL itself is not kept, for a message can have many parts that share a long one:
/// [`Link::base`](crate::Link::base) has it.
#[derive(Debug, Clone)]
pub struct PartSummary {
    part: usize,
    counts: Counts,
    base_source: BaseSource,
    rejected: Option<RejectedBase>,
    encoding: &'static Encoding,
}

impl PartSummary {
    pub(super) fn new(part: usize, summary: &Summary) -> Self {
        Self {
            part,
            counts: summary.counts(),
            base_source: summary.base_source(),
            rejected: summary.rejected_base().cloned(),
            encoding: summary.encoding(),
        }
    }

    /// The number of the part.
    #[must_use]
    pub fn part(&self) -> usize {
        self.part
    }

    /// How many links there are, and what became of them.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Where the base URL came from that references were resolved against.
    #[must_use]
    pub fn base_source(&self) -> BaseSource {
        self.base_source
    }

    /// The document's own `base` element, if it was not usable.
    #[must_use]
    pub fn rejected_base(&self) -> Option<&RejectedBase> {
        self.rejected.as_ref()
    }

    /// The encoding that the document is in.
    #[must_use]
    pub fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Whether the document is in an encoding that is not read at all: it has no links and
    /// stays as it is.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.encoding == REPLACEMENT
    }
}
