//! The writers, one for each kind of report.

pub(super) mod concise;
mod entries;
pub(super) mod github;
pub(super) mod gitlab;
pub(super) mod html;
pub(super) mod json;
pub(super) mod junit;
pub(super) mod markdown;
pub(super) mod sarif;
pub(super) mod text;

pub use entries::write_entries;
