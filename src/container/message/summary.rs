//! What came of the parts of a message.

use encoding_rs::{Encoding, REPLACEMENT};

use super::Message;
use crate::base::{BaseSource, NotLearned, RejectedBase};
use crate::error::Error;
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
    not_learned: Vec<NotLearned>,
}

impl PartSummary {
    pub(super) fn new(part: usize, summary: &Summary) -> Self {
        Self {
            part,
            counts: summary.counts(),
            base_source: summary.base_source(),
            rejected: summary.rejected_base().cloned(),
            encoding: summary.encoding(),
            not_learned: summary.not_learned().to_vec(),
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

    /// What names a retrieval URL that is not usable, where one was to be learned.
    #[must_use]
    pub fn not_learned(&self) -> &[NotLearned] {
        &self.not_learned
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

/// What was learned of the HTML parts of a message.
#[derive(Debug, Clone, Default)]
pub struct PartReports {
    summaries: Vec<PartSummary>,
    failures: Vec<Error>,
}

impl PartReports {
    pub(super) fn new(message: &Message<'_>) -> Self {
        Self { summaries: Vec::new(), failures: message.failures.clone() }
    }

    pub(super) fn add(&mut self, part: usize, read: Result<Summary, Error>) {
        match read {
            Ok(summary) => self.summaries.push(PartSummary::new(part, &summary)),
            Err(error) => self.failures.push(error),
        }
    }

    /// Those that were read, in the order of their numbers.
    #[must_use]
    pub fn summaries(&self) -> &[PartSummary] {
        &self.summaries
    }

    /// Why others were not; [`Error::part`] has their numbers. Those that are not known are
    /// told of first.
    #[must_use]
    pub fn failures(&self) -> &[Error] {
        &self.failures
    }

    /// How many links there are in those that were read, and what became of them.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for part in &self.summaries {
            counts += part.counts();
        }
        counts
    }
}
