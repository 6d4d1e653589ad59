//! State of the disk after a run that was killed, interrupted, or refused by the kernel: every file
//! is old or new, and the next run completes the work.
//!
//! Linux only. By default a part of every trial runs; `ABSOLVE_FAULTS=usual` runs more, like CI, and
//! `ABSOLVE_FAULTS=all` runs all, which takes many minutes. `ABSOLVE_FAULTS_KILLS` is the number of
//! kills at random moments, and `ABSOLVE_SEED` seeds the generators. `ABSOLVE_FAULTS_BIN` names
//! another binary to test, `ABSOLVE_FAULTS_DIR` a folder on another file system. `ABSOLVE_FIGURES`,
//! set to anything, shows the counts of each trial.

#![cfg_attr(target_os = "linux", expect(clippy::expect_used, reason = "a test fails by panicking"))]

#[cfg(target_os = "linux")]
mod check;
#[cfg(target_os = "linux")]
mod edits;
#[cfg(target_os = "linux")]
mod escapes;
#[cfg(target_os = "linux")]
mod inject;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod learned;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod naive;
#[cfg(target_os = "linux")]
mod one_file;
#[cfg(target_os = "linux")]
#[path = "../../../../tests/random/mod.rs"]
mod random;
#[cfg(target_os = "linux")]
mod subject;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod trials;

#[cfg(target_os = "linux")]
use trials::{number, show};

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    trials::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    let trial = libtest_mimic::Trial::test("faults: only on Linux", || Ok(()));
    let trials = vec![trial.with_ignored_flag(true)];
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), trials).exit();
}
