//! The schema of `absolve.toml`, for editors. Their TOML extensions know the keywords of JSON Schema
//! up to draft 7.

use std::ffi::OsString;

use absolve_cli::args::{AuditArgs, RewriteArgs};
use absolve_cli::session::config::keys::{Keys, TextKind, ValueKind};
use clap::Arg;
use clap::builder::PossibleValue;
use serde_json::{Map, Value, json};

use super::{NOTE, command, default_and_rest, explained_values, help, limits, value_help};

/// A number of bytes or of things, with a unit or without.
const SIZE: &str = r"^[0-9]+\s*([bB]|[kKmMgG]([iI]?[bB])?)?\s*$";

pub(super) fn text() -> String {
    let tables = [Keys::new::<RewriteArgs>(), Keys::new::<AuditArgs>()];
    let mut properties = Map::new();
    for keys in &tables {
        properties.insert(keys.table.to_owned(), table(keys));
    }
    let limits = closed("The values of --limit, for both commands", &all_limits(&tables));
    properties.insert("limits".to_owned(), limits);
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$comment": NOTE,
        "title": "absolve.toml",
    });
    let rest =
        closed("The options of a project for absolve rewrite and absolve audit", &properties);
    schema.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    format!("{}\n", serde_json::to_string_pretty(&schema).unwrap())
}

/// A table that has no other keys.
fn closed(description: &str, properties: &Map<String, Value>) -> Value {
    json!({
        "description": description,
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn table(keys: &Keys) -> Value {
    let command = command(keys.table);
    let shown = |id: &str| command.get_arguments().find(|arg| arg.get_id() == id).unwrap();
    let mut properties = Map::new();
    for key in keys.iter() {
        let string = || string(keys, key.arg, key.name, key.text_kind());
        let array = |items: Value| json!({"type": "array", "items": items});
        let is_none_offered =
            key.arg.get_possible_values().iter().any(|value| value.get_name() == "none");
        let mut schema = match key.value_kind() {
            ValueKind::Flag => json!({"type": "boolean", "default": false}),
            ValueKind::Number => number(keys, &format!("--{}=", key.name)),
            ValueKind::Text if is_none_offered => {
                json!({"anyOf": [string(), {"type": "array", "maxItems": 0}]})
            }
            ValueKind::Text => string(),
            ValueKind::List => array(string()),
            ValueKind::Paths => json!({"anyOf": [string(), array(string())]}),
        };
        let fields = schema.as_object_mut().unwrap();
        fields.insert("description".to_owned(), description(shown(key.arg.get_id().as_str())));
        if let Some(default) = default(key.arg) {
            fields.insert("default".to_owned(), default);
        }
        properties.insert(key.name.to_owned(), schema);
    }
    closed(&format!("The options of absolve {}", keys.table), &properties)
}

/// The help of an option, and that of its values as a list.
fn description(arg: &Arg) -> Value {
    let values = explained_values(arg);
    let rows =
        values.iter().map(|value| format!("\n- {}: {}", value.get_name(), value_help(value)));
    let separator = if values.is_empty() { "" } else { "\n" };
    format!("{}{separator}{}", help(arg), rows.collect::<String>()).into()
}

fn default(arg: &Arg) -> Option<Value> {
    let [default] = arg.get_default_values() else { return None };
    Some(number_or_text(default.to_str().unwrap()))
}

fn number_or_text(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| text.into(), Value::from)
}

/// The strings that an option takes, as far as a pattern describes them.
fn string(keys: &Keys, arg: &Arg, name: &str, kind: TextKind) -> Value {
    let values = arg.get_possible_values();
    let names: Vec<&str> = values.iter().flat_map(PossibleValue::get_name_and_aliases).collect();
    if names.is_empty() {
        let empty = if arg.is_positional() { String::new() } else { format!("--{name}=") };
        return if takes(keys, &empty) {
            json!({"type": "string"})
        } else {
            json!({"type": "string", "minLength": 1})
        };
    }
    let pattern = match kind {
        TextKind::PathAfterName => format!("^{}=.", one_of(&names)),
        _ if arg.get_value_delimiter().is_some() => format!("^{0}(,{0})*$", one_of(&names)),
        _ => return json!({"type": "string", "enum": names}),
    };
    // The names are what an editor proposes.
    json!({"type": "string", "anyOf": [{"enum": names}, {"pattern": pattern}]})
}

/// A pattern of names, shorter where every name is `ID=LEVEL`.
fn one_of(names: &[&str]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-=".contains(c);
    assert!(names.iter().all(|name| name.chars().all(is_plain)), "{names:?}");
    let halves: Option<Vec<(&str, &str)>> = names.iter().map(|name| name.split_once('=')).collect();
    let Some(halves) = halves else { return format!("({})", names.join("|")) };
    let (mut ids, mut levels): (Vec<_>, Vec<_>) = halves.into_iter().unzip();
    ids.dedup();
    levels.sort_unstable();
    levels.dedup();
    assert_eq!(ids.len() * levels.len(), names.len());
    // Completions do not offer the second spelling of `warn`.
    format!("({})=({})", ids.join("|"), levels.join("|").replace("warn", "warn|warning"))
}

/// The numbers that an option takes: from 0 to the greatest that is not refused.
fn number(keys: &Keys, option: &str) -> Value {
    let takes = |number: i64| takes(keys, &format!("{option}{number}"));
    assert!(takes(0) && !takes(-1), "{option}");
    if takes(i64::MAX) {
        return json!({"type": "integer", "minimum": 0});
    }
    let (mut most, mut refused) = (0, i64::MAX);
    while most + 1 < refused {
        let middle = most + (refused - most) / 2;
        if takes(middle) { most = middle } else { refused = middle }
    }
    json!({"type": "integer", "minimum": 0, "maximum": most})
}

fn takes(keys: &Keys, argument: &str) -> bool {
    keys.check(&[OsString::from(argument)]).is_ok()
}

fn all_limits(tables: &[Keys]) -> Map<String, Value> {
    let mut properties = Map::new();
    for keys in tables {
        for limit in limits(&command(keys.table)) {
            let (name, help) = (limit.get_name(), value_help(&limit));
            let number = number(keys, &format!("--limit={name}="));
            let mut schema = json!({
                "anyOf": [number, {"type": "string", "pattern": SIZE}],
                "description": help,
            });
            let (default, _) = default_and_rest(&help);
            if takes(keys, &format!("--limit={name}={default}")) {
                schema["default"] = number_or_text(&default);
            }
            properties.insert(name.to_owned(), schema);
        }
    }
    properties
}
