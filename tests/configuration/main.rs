//! `absolve.toml`: what it may do where it was found, the tables of both commands, and input
//! that the crates which parse options and files refuse.

#![cfg(all(feature = "cli", unix))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod found;
mod parsed;
#[expect(dead_code, reason = "the tests of trees use more of it")]
#[path = "../trees/site.rs"]
mod site;
mod tables;
