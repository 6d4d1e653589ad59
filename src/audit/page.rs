//! Audits one page.

pub(crate) mod auditor;
mod book;
mod document;
mod elements;
mod encoding;
pub(crate) mod examine;
mod external;
mod links;
pub(crate) mod occurrence;
mod relations;
mod requests;
pub(crate) mod sink;
mod visit;
