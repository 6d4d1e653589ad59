//! The options of a run that count for what it writes, as a record of them.

use crate::url::masked;
use clap::ArgMatches;
use clap::parser::ValueSource;

use super::configured::Configured;
use super::keys::{Key, Keys, TextKind, ValueKind};
use super::settings::Settings;

/// The headings of the help whose options count.
const HEADINGS: &[&str] = &["Base URL", "Form of links", "Links", "Web archives"];

/// Options under other headings that count.
const OTHERS: &[&str] = &["encoding", "engine"];

impl<A: Configured> Settings<A> {
    /// The options that were typed or configured and count for what is written.
    pub fn options(&self) -> String {
        options::<A>(&self.matches)
    }
}

/// The typed options that count for what is written, as arguments. No URL shows a password, and
/// paths are left out, which belong to this machine.
pub fn options<A: Configured>(matches: &ArgMatches) -> String {
    let keys = Keys::new::<A>();
    let options = keys.iter().filter(|key| counts(*key, matches)).map(|key| option(key, matches));
    options.collect::<Vec<_>>().join(" ")
}

fn counts(key: Key<'_>, matches: &ArgMatches) -> bool {
    let is_listed = key.heading().is_some_and(|heading| HEADINGS.contains(&heading));
    (is_listed || OTHERS.contains(&key.name))
        && key.text_kind() == TextKind::Text
        && matches.try_contains_id(key.id()).is_ok()
        && matches.value_source(key.id()) == Some(ValueSource::CommandLine)
}

fn option(key: Key<'_>, matches: &ArgMatches) -> String {
    if key.value_kind() == ValueKind::Flag {
        return format!("--{}", key.name);
    }
    let values = matches.get_raw(key.id()).into_iter().flatten();
    let values: Vec<_> =
        values.map(|value| masked(&value.to_string_lossy()).into_owned()).collect();
    format!("--{}={}", key.name, values.join(","))
}
