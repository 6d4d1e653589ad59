//! wip
#![warn(missing_docs)]
pub mod error;
pub mod url;
