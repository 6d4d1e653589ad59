//! Audits of sites, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod audit_base_url;
mod audit_many;
mod audit_sources;
#[cfg(unix)]
mod directions;
