//! Converts TOML to arguments. Errors have their position in the file.

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;

use absolve::option::nearest;
use absolve::url::masked;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::keys::{Key, Keys, LIMITS, TableArgs, ValueKind};

use crate::args::{AuditArgs, RewriteArgs};
use crate::session::failure::Failure;
use crate::terminal::{printable, printable_path};

/// A value of a key, as an argument.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) key: String,
    /// `None` for a flag that is false.
    pub(super) argument: Option<OsString>,
    /// The value as it is written.
    pub(super) value: String,
    /// The offset of the value in the file, in bytes.
    pub(super) at: usize,
}

/// The offset and the text of an error.
type TomlError = (usize, String);

/// Reads the settings of a command in the order of the file, and its limits.
///
/// The table of the other command is checked too, so a mistake is reported whichever command runs.
pub(super) fn read_file<A: TableArgs>(file: &Path, text: &str) -> Result<Vec<Setting>, Failure> {
    let folder = file.parent().unwrap_or(Path::new(""));
    read_settings(A::TABLE, text, folder)
        .map_err(|(at, problem)| failure_at(file, text, at, &problem))
}

/// Explains why a text is not TOML. Also returns the offset of the mistake, in bytes.
pub fn explain_syntax(text: &str, error: &toml::de::Error) -> (usize, String) {
    let at = error.span().map_or(0, |span| span.start);
    let value = text.get(at..).and_then(|rest| rest.split([',', ']', '}', '\n']).next());
    let value = value.and_then(|value| value.split(" #").next()).unwrap_or_default().trim();
    if error.message().starts_with("string values must be quoted") && value == printable(value) {
        return (at, format!("a string needs quotes; write '{value}'"));
    }
    (at, format!("{}; write it as TOML has it", printable(error.message())))
}

fn read_settings(command: &str, text: &str, folder: &Path) -> Result<Vec<Setting>, TomlError> {
    let document = DeTable::parse(text).map_err(|error| explain_syntax(text, &error))?;
    let tables = [Keys::new::<AuditArgs>(), Keys::new::<RewriteArgs>()];
    let mut settings = Vec::new();
    for (name, value) in document.get_ref() {
        let (at, name) = (name.span().start, &**name.get_ref());
        let keys = tables.iter().find(|keys| keys.table == name);
        if keys.is_none() && name != LIMITS {
            return Err((at, explain_table(&tables, name)));
        }
        let DeValue::Table(table) = value.get_ref() else {
            return Err((at, format!("'{name}' is a table; write [{name}] above its keys")));
        };
        match keys {
            Some(keys) => {
                let read = read_table(keys, table, folder)?;
                settings.extend(read.into_iter().filter(|_| keys.table == command));
            }
            None => settings.extend(read_limits(&tables, command, table)?),
        }
    }
    Ok(settings)
}

/// Reads the settings of a table.
fn read_table(keys: &Keys, table: &DeTable<'_>, folder: &Path) -> Result<Vec<Setting>, TomlError> {
    let mut settings = Vec::new();
    for (name, value) in table {
        let unknown = || (name.span().start, explain_unknown(keys, name.get_ref()));
        let key = keys.get(name.get_ref()).ok_or_else(unknown)?;
        settings.extend(read_key(key, value, folder)?);
    }
    settings.sort_by_key(|setting| setting.at);
    // All settings are checked at once, since that is faster; after an error, each is checked to
    // find the first wrong one.
    if keys.check(settings.iter().filter_map(|setting| setting.argument.as_ref())).is_err() {
        for setting in &settings {
            keys.check(&setting.argument)
                .map_err(|error| (setting.at, explain_refusal(setting, &error)))?;
        }
    }
    Ok(settings)
}

/// Reads the limits of a command; those of the other command are checked too.
fn read_limits(
    tables: &[Keys],
    command: &str,
    table: &DeTable<'_>,
) -> Result<Vec<Setting>, TomlError> {
    let mut settings = Vec::new();
    for (name, value) in table {
        let (at, name_at, name) = (value.span().start, name.span().start, &**name.get_ref());
        let has_limit = |keys: &&Keys| keys.limit_names().iter().any(|limit| limit == name);
        if !tables.iter().any(|keys| has_limit(&keys)) {
            let names: Vec<String> = tables.iter().flat_map(Keys::limit_names).collect();
            let near = nearest(name, names.iter().map(String::as_str));
            let list = "'absolve rewrite --help' and 'absolve audit --help' list them";
            return Err((name_at, explain_no_such("limit", name, near, list)));
        }
        let key = format!("{LIMITS}.{name}");
        let value = match value.get_ref() {
            DeValue::String(size) => size.to_string(),
            DeValue::Integer(number) => {
                format_integer(&key, number).map_err(|problem| (at, problem))?
            }
            other => {
                let example = format!("a number or a size, such as {name} = \"64k\"");
                return Err((at, explain_expected(&key, &example, other)));
            }
        };
        let argument = Some(format!("--limit={name}={value}").into());
        let setting = Setting { key, argument, value, at };
        for keys in tables.iter().filter(has_limit) {
            let checked = keys.check(&setting.argument);
            checked.map_err(|error| (at, explain_refusal(&setting, &error)))?;
        }
        let is_used = tables.iter().filter(has_limit).any(|keys| keys.table == command);
        settings.extend(Some(setting).filter(|_| is_used));
    }
    Ok(settings)
}

/// Creates a failure at a byte offset in a file.
pub(super) fn failure_at(file: &Path, text: &str, at: usize, problem: &str) -> Failure {
    Failure::new(&format_position(file, text, at), problem)
}

/// Writes the file, line and column of a byte offset.
pub(super) fn format_position(file: &Path, text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[start..].chars().count() + 1;
    format!("{}:{line}:{column}", printable_path(file))
}

/// Explains an unknown table. The name may be that of a key outside its table.
fn explain_table(tables: &[Keys], name: &str) -> String {
    let shown = printable(name);
    let with_key = tables.iter().filter(|keys| keys.get(name).is_some());
    let with_key: Vec<String> = with_key.map(|keys| format!("[{}]", keys.table)).collect();
    if !with_key.is_empty() {
        let tables = with_key.join(" or ");
        return format!("'{shown}' is not in a table; move it below {tables}");
    }
    let names = || tables.iter().map(|keys| keys.table).chain([LIMITS]);
    let shown: Vec<String> = names().map(|name| format!("[{name}]")).collect();
    let list = format!("the tables are {}", shown.join(", "));
    explain_no_such("table", name, nearest(name, names()), &list)
}

/// Explains an unknown name: suggests a similar name, or else refers to a list of all names.
fn explain_no_such(kind: &str, name: &str, near: Option<&str>, list: &str) -> String {
    let shown = printable(name);
    match near {
        Some(near) => format!("no such {kind} '{shown}', did you mean '{near}'?"),
        None => format!("no such {kind} '{shown}'; {list}"),
    }
}

fn explain_unknown(keys: &Keys, name: &str) -> String {
    let shown = printable(name);
    if name == "limit" {
        return format!("'limit' is not a key; write the table [{LIMITS}]");
    }
    if keys.has_other_option(name) {
        return format!("'{shown}' cannot be set in a configuration file; type --{shown}");
    }
    let names = keys.iter().map(|key| key.name);
    let near = keys.find_alias(name).or_else(|| nearest(name, names));
    let list = format!("the keys are the options of 'absolve {} --help'", keys.table);
    explain_no_such("key", name, near, &list)
}

/// The value of some options that an empty array stands for.
const NONE: &str = "none";

/// Reads the settings of a key.
fn read_key(
    key: Key<'_>,
    value: &Spanned<DeValue<'_>>,
    folder: &Path,
) -> Result<Vec<Setting>, TomlError> {
    let new_setting = |argument, value: &str, at| Setting {
        key: key.name.to_owned(),
        argument,
        value: value.to_owned(),
        at,
    };
    let set_text = |text: &str, at| new_setting(Some(key.format_argument(text, folder)), text, at);
    let at = value.span().start;
    match (key.value_kind(), value.get_ref()) {
        (ValueKind::Flag, DeValue::Boolean(is_set)) => {
            Ok(vec![new_setting(is_set.then(|| key.format_flag()), "true", at)])
        }
        (ValueKind::Text | ValueKind::Paths, DeValue::String(value)) => {
            Ok(vec![set_text(value, at)])
        }
        (ValueKind::Number, DeValue::Integer(number)) => match format_integer(key.name, number) {
            Ok(number) => Ok(vec![set_text(&number, at)]),
            Err(problem) => Err((at, problem)),
        },
        // Without this value, an empty array would mean the default.
        (ValueKind::Text | ValueKind::List, DeValue::Array(values))
            if values.is_empty() && key.list_values().iter().any(|value| value == NONE) =>
        {
            Ok(vec![set_text(NONE, at)])
        }
        (ValueKind::List | ValueKind::Paths, DeValue::Array(values)) => {
            let strings = values.iter().map(|value| match value.get_ref() {
                DeValue::String(string) => Ok(set_text(string, value.span().start)),
                other => Err((value.span().start, explain_type(key, other))),
            });
            strings.collect()
        }
        (_, other) => Err((at, explain_type(key, other))),
    }
}

/// Writes a whole number in decimal digits.
fn format_integer(key: &str, number: &DeInteger<'_>) -> Result<String, String> {
    let value = i128::from_str_radix(number.as_str(), number.radix());
    value.map(|value| value.to_string()).map_err(|_| format!("the number of '{key}' is too large"))
}

fn explain_type(key: Key<'_>, value: &DeValue<'_>) -> String {
    let name = key.name;
    let values = key.list_values();
    let all = values.join(", ");
    // The example leaves out the optional part of a value.
    let first = values.first().and_then(|value| value.split('[').next());
    let example = match (key.value_kind(), first) {
        (ValueKind::Flag, _) => format!("true or false, such as {name} = true"),
        (ValueKind::Number, _) => format!("a whole number, such as {name} = 4"),
        (ValueKind::Text, Some(first)) => format!("one of {all}, such as {name} = \"{first}\""),
        (ValueKind::Text, None) => format!("a string, such as {name} = \"...\""),
        (ValueKind::List, Some(first)) => {
            format!("an array of {all}, such as {name} = [\"{first}\"]")
        }
        (ValueKind::List, None) => format!("an array of strings, such as {name} = [\"...\"]"),
        (ValueKind::Paths, _) => {
            format!("a string or an array of strings, such as {name} = \"...\"")
        }
    };
    explain_expected(name, &example, value)
}

/// Explains a value of another type than a key takes.
fn explain_expected(name: &str, example: &str, value: &DeValue<'_>) -> String {
    let kind = value.type_str();
    let article = if kind.starts_with(['a', 'i']) { "an" } else { "a" };
    format!("'{name}' takes {example}, not {article} {kind}")
}

/// Explains why an option refuses a value.
fn explain_refusal(setting: &Setting, error: &clap::Error) -> String {
    let key = &setting.key;
    let value = masked(&setting.value);
    if value.is_empty() {
        return format!("'{key}' takes a value that is not empty");
    }
    let list = |kind| match error.get(kind) {
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let why = match (error.kind(), error.source()) {
        (_, Some(why)) => why.to_string(),
        (ErrorKind::InvalidValue, None) => {
            format!("expected one of {}", list(ContextKind::ValidValue))
        }
        _ => first_line(error),
    };
    explain_invalid(key, &value, &why)
}

/// Returns the message of clap without the usage that follows it.
pub(super) fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    printable(line.strip_prefix("error: ").unwrap_or(line))
}

/// Explains an invalid value, whose password is masked already.
pub(super) fn explain_invalid(key: &str, value: &str, why: &str) -> String {
    format!("invalid value '{}' for '{key}': {}", printable(value), printable(why))
}
