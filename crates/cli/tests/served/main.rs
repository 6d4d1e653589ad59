//! The sites of `tests/audit`, served by nginx: what the audit reports about where links lead is
//! what a visitor meets.
//!
//! Each case is served as its options say, below a path, and as GitHub Pages does it. Every link
//! is requested, as `absolve links` resolves it. A link that the audit reports fails on the server
//! in the way of the rule, and an internal link that it does not report is served. The file
//! `differences` lists all exceptions, with reasons; an entry that is not met is an error too.
//!
//! Without nginx, the trials are ignored, with the reason in the name. On Debian:
//! `apt-get install nginx-light`. It listens on 127.0.0.1.

#![cfg_attr(unix, expect(clippy::unwrap_used, reason = "a test fails by panicking"))]

#[cfg(unix)]
#[path = "../audit/case.rs"]
#[expect(dead_code, reason = "what a case expects is compared by another test")]
mod case;
#[cfg(unix)]
mod comparison;
#[cfg(unix)]
mod deployment;
#[cfg(unix)]
mod differences;
#[cfg(unix)]
#[path = "../audit/finding.rs"]
#[expect(dead_code, reason = "what a case expects is compared by another test")]
mod finding;
#[cfg(unix)]
mod nginx;
#[cfg(unix)]
mod trials;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = libtest_mimic::Arguments::from_args();
    #[cfg(unix)]
    return trials::run(&arguments);
    #[cfg(not(unix))]
    return libtest_mimic::run(&arguments, Vec::new()).exit_code();
}
