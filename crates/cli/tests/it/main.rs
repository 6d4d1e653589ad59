//! The command from the outside, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cli;
#[cfg(unix)]
mod configuration;
#[cfg(unix)]
mod crawl;
#[cfg(unix)]
mod diff;
mod docs;
#[cfg(unix)]
mod error_messages;
#[cfg(unix)]
mod error_texts;
#[cfg(unix)]
mod external_links;
mod generated;
mod passwords;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod trees;
