//! What came of the parts of a message.

use std::sync::Arc;

use encoding_rs::{Encoding, REPLACEMENT};

use super::Message;
use crate::base::{BaseSource, NotLearned, RejectedBase};
use crate::error::Error;
use crate::link::Counts;
use crate::rewrite::Summary;
use crate::url::Base;

/// What was learned about an HTML part: its counts, its encoding, where its base came from.
#[derive(Debug, Clone)]
pub struct PartSummary {
    part: usize,
    counts: Counts,
    base: Option<Arc<Base>>,
    base_source: BaseSource,
    rejected: Option<RejectedBase>,
    encoding: &'static Encoding,
    not_learned: Vec<NotLearned>,
}

impl PartSummary {
    fn new(part: usize, summary: &Summary, base: Option<Arc<Base>>) -> Self {
        Self {
            part,
            counts: summary.counts(),
            base,
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

    /// The base URL that references were resolved against.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.base.as_deref()
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
            Ok(summary) => {
                let base = self.base_of(&summary);
                self.summaries.push(PartSummary::new(part, &summary, base));
            }
            Err(error) => self.failures.push(error),
        }
    }

    /// The base URL of a part. Many parts can share a long one, which is kept once.
    fn base_of(&self, summary: &Summary) -> Option<Arc<Base>> {
        let base = summary.base()?;
        let last = self.summaries.last().and_then(|last| last.base.as_ref());
        let same = last.filter(|last| last.as_str() == base.as_str());
        Some(same.map_or_else(|| Arc::new(base.clone()), Arc::clone))
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
