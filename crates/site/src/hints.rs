//! Hints: near matches of a path or an anchor.
//!
//! Only listed findings get hints. A [`Finder`] limits the work of a run, and [`MAX_NAMES`] the
//! names of a folder.

mod finder;
mod proposal;

pub use finder::Finder;
pub(crate) use finder::{Search, nearest_word};
pub use proposal::{AuthoredReference, Hint, Meant, Proposal, Wording};

/// The most names of a folder, or anchors of a page, that are compared.
pub const MAX_NAMES: usize = 4096;

#[cfg(test)]
#[path = "hints/tests.rs"]
mod tests;
