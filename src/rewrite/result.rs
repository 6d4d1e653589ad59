//! What came of a document.

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT};

use crate::base::{BaseSource, Established, Layer, NotLearned, RejectedBase};
use crate::link::Counts;
use crate::splice::Changed;
use crate::url::Base;

/// What was learned about a document: its base URL and its counts.
#[derive(Debug, Clone)]
pub struct Summary {
    counts: Counts,
    layer: Layer,
    rejected: Option<RejectedBase>,
    encoding: &'static Encoding,
    not_learned: Vec<NotLearned>,
}

impl Summary {
    pub(super) fn new(
        counts: Counts,
        established: Established,
        encoding: &'static Encoding,
        not_learned: Vec<NotLearned>,
    ) -> Self {
        let Established { layer, rejected, .. } = established;
        Self { counts, layer, rejected, encoding, not_learned }
    }

    /// Of a document that is not read.
    pub(super) fn unreadable(layer: Layer) -> Self {
        let (counts, not_learned) = (Counts::default(), Vec::new());
        Self { counts, layer, rejected: None, encoding: REPLACEMENT, not_learned }
    }

    /// The encoding that the document is in.
    #[must_use]
    pub fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Whether the document is in one of the encodings of the [`replacement`][spec]
    /// group, which is not read at all: it has no links and stays as it is.
    ///
    /// [spec]: https://encoding.spec.whatwg.org/#replacement
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.encoding == REPLACEMENT
    }

    /// How many links there are, and what became of them.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The base URL that references were resolved against.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.layer.base()
    }

    /// Where that base URL came from.
    #[must_use]
    pub fn base_source(&self) -> BaseSource {
        self.layer.source()
    }

    /// The document's own `base` element, if it was not usable.
    #[must_use]
    pub fn rejected_base(&self) -> Option<&RejectedBase> {
        self.rejected.as_ref()
    }

    /// What names a retrieval URL that is not usable, where one was to be learned; of
    /// each kind the first.
    #[must_use]
    pub fn not_learned(&self) -> &[NotLearned] {
        &self.not_learned
    }
}

/// A document after rewriting: its bytes, its base URL and its counts.
#[derive(Debug, Clone)]
pub struct Rewritten<'s> {
    bytes: Cow<'s, [u8]>,
    is_changed: bool,
    summary: Summary,
}

impl<'s> Rewritten<'s> {
    pub(super) fn new(bytes: Cow<'s, [u8]>, changed: Changed, summary: Summary) -> Self {
        Self { bytes, is_changed: changed == Changed::Yes, summary }
    }

    /// A document that is not read.
    pub(super) fn unreadable(source: &'s [u8], layer: Layer) -> Self {
        Self {
            bytes: Cow::Borrowed(source),
            is_changed: false,
            summary: Summary::unreadable(layer),
        }
    }

    /// The document.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The document; borrowed from the source where nothing changed.
    #[must_use]
    pub fn into_bytes(self) -> Cow<'s, [u8]> {
        self.bytes
    }

    /// Whether it differs from the source.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// What was learned about it.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// How many links there are, and what became of them.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.summary.counts()
    }

    /// The base URL that references were resolved against.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.summary.base()
    }

    /// Where that base URL came from.
    #[must_use]
    pub fn base_source(&self) -> BaseSource {
        self.summary.base_source()
    }

    /// The document's own `base` element, if it was not usable.
    #[must_use]
    pub fn rejected_base(&self) -> Option<&RejectedBase> {
        self.summary.rejected_base()
    }
}
