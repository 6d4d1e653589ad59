//! Audits one page.

pub(crate) mod auditor;
mod book;
mod document;
pub(crate) mod examine;
mod links;
pub(crate) mod occurrence;
mod relation_checks;
mod relations;
mod requests;
mod visit;
