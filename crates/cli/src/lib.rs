//! The command `absolve`: arguments, configuration, the terminal and the exit code.
//!
//! ```no_run
//! use std::env;
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     ExitCode::from(absolve_cli::main(&env::args_os().collect::<Vec<_>>()))
//! }
//! ```
//!
//! [`main`] is the whole interface. The rest is public for the Python package, whose functions read
//! their keyword arguments and report their results as the command does; it may change in any
//! version. Programs use the libraries: [absolve](https://docs.rs/absolve) for one document,
//! [absolve-archive](https://docs.rs/absolve-archive) for messages and web archives,
//! [absolve-files](https://docs.rs/absolve-files) for files and folders, and
//! [absolve-site](https://docs.rs/absolve-site) for the audit of a site.
//!
//! # The parts
//!
//! | module | contents |
//! |---|---|
//! | `args` | the arguments of each command, their help, and their names as keys and in Python |
//! | `command` | the commands, one file each |
//! | `run` | the work of each command without a terminal, also called from Python |
//! | `session` | inputs, configuration, progress, signals and exit codes |
//! | `terminal` | messages, colors and columns |

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

#[doc(hidden)]
pub mod args;
#[doc(hidden)]
pub mod command;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod session;
#[doc(hidden)]
pub mod terminal;

pub use command::main;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Library;
