//! `--print-config`: settings as a configuration that can be read back.

use std::fmt::Write as _;

use absolve::LimitRow;
use absolve::url::masked;

use super::configured::Configured;
use super::keys::{Key, Keys, LIMITS, ValueKind};
use super::settings::Settings;

use crate::session::failure::Failure;
use crate::session::output::to_stdout;
use crate::session::status::Status;
use crate::terminal::{is_harmless, printable, printable_path};

/// Why a key is commented out.
const MASKED: &str = "*** hides user and password";

/// Prints every setting that has a value by an option, a file or the parser of the arguments, and names
/// the others. No URL shows a password.
pub fn print<A: Configured>(settings: &Settings<A>) -> Result<Status, Failure> {
    let text = text(settings)?;
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Status::Done)
}

fn text<A: Configured>(settings: &Settings<A>) -> Result<String, Failure> {
    let mut text = match &settings.file {
        Some(file) => format!("# The command line, and {}.\n", printable_path(file)),
        None => "# The command line; no configuration was read.\n".to_owned(),
    };
    text.push_str(
        "# Paths count from the folder of this file; here they do from the current one.\n",
    );
    let keys = Keys::new::<A>();
    let _ = writeln!(text, "[{}]", keys.table);
    let mut ordered: Vec<Key<'_>> = keys.iter().collect();
    order_patterns(&mut ordered, settings);
    let mut without = Vec::new();
    for key in ordered {
        let given = given(key, settings)?;
        let masked: Vec<String> = given.iter().map(|value| masked(value).into_owned()).collect();
        let is_masked = masked != given;
        match value(key, settings, &masked) {
            // It would be read back as another URL.
            Some(value) if is_masked => {
                let _ = writeln!(text, "# {0} = {value} # not set: {MASKED}, give --{0}", key.name);
            }
            Some(value) => {
                let _ = writeln!(text, "{} = {value}", key.name);
            }
            None => without.push(key.name),
        }
    }
    if !without.is_empty() {
        let _ = writeln!(text, "# Without a value: {}", without.join(", "));
    }
    let _ = writeln!(text, "[{LIMITS}]");
    for (LimitRow { name, .. }, value) in settings.args.limits().values(A::TABLE) {
        let _ = match value {
            Some(value) => writeln!(text, "{name} = {value}"),
            None => writeln!(text, "# Without a value: {name}"),
        };
    }
    Ok(text)
}

/// Orders `include` and `exclude` as they were typed, since the last matching pattern wins.
fn order_patterns<A>(keys: &mut [Key<'_>], settings: &Settings<A>) {
    let last = |name| settings.matches.indices_of(name).and_then(Iterator::max);
    let at = |name| keys.iter().position(|key| key.name == name);
    if let (Some(include), Some(exclude)) = (at("include"), at("exclude"))
        && last("include") > last("exclude")
        && last("exclude").is_some()
    {
        keys.swap(include, exclude);
    }
}

/// The values that were given for a key.
fn given<A>(key: Key<'_>, settings: &Settings<A>) -> Result<Vec<String>, Failure> {
    let raw = settings.matches.get_raw(key.id()).into_iter().flatten();
    let given = raw.map(|value| {
        value.to_str().map(str::to_owned).ok_or_else(|| {
            let what = "is not UTF-8, which a configuration is; rename it";
            Failure::of(&printable(&value.to_string_lossy()), what)
        })
    });
    given.collect()
}

/// The value of a key as TOML; `None` if it has no value.
fn value<A>(key: Key<'_>, settings: &Settings<A>, given: &[String]) -> Option<String> {
    let first = given.first();
    match key.value_kind() {
        ValueKind::Flag => settings.matches.get_flag(key.id()).then(|| true.to_string()),
        ValueKind::Paths if given.len() == 1 => first.map(|path| quoted(path)),
        // An empty array may mean none.
        ValueKind::List | ValueKind::Paths => first.map(|_| {
            let values: Vec<String> = given.iter().map(|value| quoted(value)).collect();
            format!("[{}]", values.join(", "))
        }),
        ValueKind::Text => first.map(|text| quoted(text)),
        ValueKind::Number => first.map(|number| number.trim_start_matches('+').to_owned()),
    }
}

/// A [basic string](https://toml.io/en/v1.0.0#string) without characters that move the cursor.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_harmless(c) => quoted.push(c),
            c => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_read_back() {
        for text in ["", "a b", "\"\\\n\r\t\u{1b}[31m\u{202e}\u{7f}\u{9b}\u{2028}", "\u{10ffff}é"]
        {
            let line = format!("key = {}", quoted(text));
            assert!(line.chars().all(is_harmless), "{line}");
            let table = toml::de::DeTable::parse(&line).unwrap();
            let value = table.get_ref().values().next().unwrap().get_ref();
            assert_eq!(value.as_str(), Some(text));
        }
    }
}
