//! What is the same for every document of a run.

use encoding_rs::Encoding;

use crate::url::{Base, Standard};

/// Bounds that keep hostile documents from costing too much.
///
/// Reaching one is an error of the document, which stays as it was; nothing is
/// ever cut short. 0 stands for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a document; 64 MiB.
    pub input: usize,
    /// Bytes of a document as it is written; [`Limits::OUTPUT_BY_INPUT`], unless
    /// set: 16 times the input and 1 MiB more, at most 256 MiB.
    pub output: usize,
    /// Bytes of a base URL; 8 KiB.
    pub base_url: usize,
    /// Bytes of a relative reference; 64 KiB. Absolute ones, such as `data:`, do
    /// not count.
    pub reference: usize,
    /// Links in a document; 1,000,000.
    pub links: usize,
    /// Documents inside documents (`iframe srcdoc`); 3, and 64 where it is 0.
    pub srcdoc: usize,
    /// Depth of the tree that the DOM engine builds; 512.
    pub depth: usize,
    /// Attributes of one tag, for the DOM engine; 4,096.
    pub attributes: usize,
}

impl Limits {
    /// The value of [`Limits::output`] that stands for a bound by the size of the
    /// input.
    pub const OUTPUT_BY_INPUT: usize = usize::MAX;

    /// The deepest `srcdoc` nesting where there is no limit: each level is a call
    /// inside the one above it.
    const SRCDOC_WITHOUT_LIMIT: usize = 64;

    pub(crate) fn exceeds(max: usize, value: usize) -> bool {
        max != 0 && value > max
    }

    pub(crate) fn max_output(&self, input: usize) -> usize {
        const MIB: usize = 1024 * 1024;
        match self.output {
            Self::OUTPUT_BY_INPUT => input.saturating_mul(16).saturating_add(MIB).min(256 * MIB),
            max => max,
        }
    }

    pub(crate) fn max_srcdoc(&self) -> usize {
        if self.srcdoc == 0 { Self::SRCDOC_WITHOUT_LIMIT } else { self.srcdoc }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input: 64 * 1024 * 1024,
            output: Self::OUTPUT_BY_INPUT,
            base_url: 8 * 1024,
            reference: 64 * 1024,
            links: 1_000_000,
            srcdoc: 3,
            depth: 512,
            attributes: 4_096,
        }
    }
}

/// How the documents of a run are read and resolved.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    pub(crate) standard: Standard,
    pub(crate) encoding: Option<&'static Encoding>,
    pub(crate) retrieval: Option<Base>,
    pub(crate) limits: Limits,
}
