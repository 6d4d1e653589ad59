//! Audits one page.

pub(crate) mod auditor;
pub(crate) mod occurrence;
pub(crate) mod sink;
