//! The command: arguments, configuration, the terminal and the exit code.
//!
//! [`main`] is all of it. The rest is public for the Python package, whose functions read their
//! keyword arguments and report their results as the command does; it may change in any version.

#![allow(
    unreachable_pub,
    missing_docs,
    unnameable_types,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "nobody but the Python package uses this as a library"
)]

pub mod args;
pub mod command;
pub mod run;
pub mod session;
pub mod terminal;

pub use command::main;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Library;
