//! The reports on the parts of a message.

use absolve::Error;
use absolve::LinkCounts;
use absolve::Summary;

/// The summary of an HTML part.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PartSummary {
    /// The number of the part.
    pub part: usize,
    /// The summary of its document.
    pub summary: Summary,
}

/// The reports on the HTML parts of a message.
#[derive(Debug, Clone, Default)]
pub struct PartReports {
    summaries: Vec<PartSummary>,
    failures: Vec<Error>,
    pub(super) locations: usize,
    pub(super) breaks_signature: bool,
}

impl PartReports {
    /// `failures` are those of unknown parts.
    pub(super) fn new(failures: Vec<Error>) -> Self {
        Self { failures, ..Self::default() }
    }

    pub(super) fn add(&mut self, part: usize, read: Result<Summary, Error>) {
        match read {
            Ok(summary) => {
                // Many parts can have the same long base URL, which is then stored once.
                let last = self.summaries.last().map(|last| &last.summary);
                let summary = summary.sharing_base(last);
                self.summaries.push(PartSummary { part, summary });
            }
            Err(error) => self.failures.push(error),
        }
    }

    /// The parts that were read, in the order of their numbers.
    #[must_use]
    pub fn summaries(&self) -> &[PartSummary] {
        &self.summaries
    }

    /// Why other parts were not read; [`Error::part`] has their numbers. Unknown parts are first.
    #[must_use]
    pub fn failures(&self) -> &[Error] {
        &self.failures
    }

    /// How many parts have a relative `Content-Location`, which a rewrite makes absolute.
    #[must_use]
    pub fn locations(&self) -> usize {
        self.locations
    }

    /// Whether the message changed and has a signature of its text: by DKIM, or in a
    /// `multipart/signed` (S/MIME, PGP).
    #[must_use]
    pub fn breaks_signature(&self) -> bool {
        self.breaks_signature
    }

    /// The links of the parts that were read, counted by outcome.
    #[must_use]
    pub fn counts(&self) -> LinkCounts {
        let mut counts = LinkCounts::default();
        for part in &self.summaries {
            counts += part.summary.counts();
        }
        counts
    }
}
