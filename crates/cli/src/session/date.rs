//! The date of a run, for what it writes.

use std::env;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mail_parser::DateTime;

use super::failure::Failure;

/// The variable that sets the date of a run that has to be reproducible, in seconds since 1970:
/// <https://reproducible-builds.org/specs/source-date-epoch/>.
const DATE: &str = "SOURCE_DATE_EPOCH";

/// The date of this run.
pub fn of_run() -> Result<SystemTime, Failure> {
    let Some(seconds) = env::var_os(DATE) else { return Ok(SystemTime::now()) };
    let seconds = seconds.to_str().and_then(|seconds| seconds.parse().ok());
    let date = seconds.filter(|&seconds| seconds <= LAST_SECOND).map(Duration::from_secs);
    date.map(|since| UNIX_EPOCH + since).ok_or_else(|| {
        let what = format!("{DATE} is not a number of seconds since 1970; unset or correct it");
        Failure::message(what)
    })
}

/// The last second of the year 9999, beyond which dates have another form.
const LAST_SECOND: u64 = 253_402_300_799;

/// A date as `2026-01-31T12:00:00Z`.
pub fn text(date: SystemTime) -> String {
    let since = date.duration_since(UNIX_EPOCH).unwrap_or_default();
    DateTime::from_timestamp(since.as_secs().cast_signed()).to_rfc3339()
}
