//! Opens the report page in Chromium: it is drawn and filtered quickly, loads nothing, is usable
//! by keyboard and by screen readers, and runs nothing that a name or a reference says.
//!
//! `page.mjs` drives the browser. The trials are ignored where something is missing, with the
//! reason in the name. On Debian: `apt-get install chromium npm`, then
//! `npm ci --prefix crates/cli/tests/report_page`.

#![cfg_attr(unix, expect(clippy::unwrap_used, reason = "a test fails by panicking"))]

#[cfg(unix)]
mod pages;
#[cfg(unix)]
#[expect(dead_code, reason = "the trials of other programs use more of it")]
#[path = "../programs/trial.rs"]
mod trial;

fn main() {
    let mut arguments = libtest_mimic::Arguments::from_args();
    // The measured times are those of one browser.
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, trials()).exit();
}

#[cfg(unix)]
fn trials() -> Vec<libtest_mimic::Trial> {
    use trial::{no_program, trial};

    let missing = [no_program("node"), pages::no_chromium(), pages::no_packages()];
    vec![
        trial("a_large_report_is_drawn_and_filtered_quickly", &missing, pages::large),
        trial("the_table_follows_keys_filters_and_the_address", &missing, pages::usable),
        trial("hostile_names_run_nothing", &missing, pages::hostile),
        trial("new_and_fixed_findings_and_earlier_runs_are_shown", &missing, pages::compared),
        trial("a_report_without_findings_is_a_page_too", &missing, pages::empty),
    ]
}

#[cfg(not(unix))]
fn trials() -> Vec<libtest_mimic::Trial> {
    Vec::new()
}
