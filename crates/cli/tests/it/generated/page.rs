//! `docs/options.md`: the options of each command.

use std::fmt::Write as _;

use absolve_cli::args::{AuditArgs, GENERAL, OptionTrait, RewriteArgs};
use absolve_cli::session::config::keys::Keys;
use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command};

use super::{
    NOTE, command, default_and_rest, explained_values, help, limits, listed_values, value_help,
};

use crate::docs::rules::escaped;

const COMMANDS: [&str; 5] = ["rewrite", "links", "audit", "extract", "resolve"];

const INTRODUCTION: &str = "\
All options by command, under the headings of its help. `absolve COMMAND --help` prints them with examples.

In the column absolve.toml, *yes* is an option that is a key of [that file](configuration.md), and *trusted* one
that is a key only where `--config` names the file, not where the file is
[found](configuration.md#a-configuration-that-is-found).
";

pub(super) fn text() -> String {
    let mut page = format!("# Options\n\n<!-- {NOTE} -->\n\n{INTRODUCTION}");
    for name in COMMANDS {
        let command = command(name);
        let keys = match name {
            "rewrite" => Some(Keys::new::<RewriteArgs>()),
            "audit" => Some(Keys::new::<AuditArgs>()),
            _ => None,
        };
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = write!(page, "\n## absolve {name}\n\n{}.\n", escaped(&about));
        for (heading, args) in headings(&command) {
            if heading != GENERAL {
                let _ = write!(page, "\n### {heading}\n\n{}", table(&args, keys.as_ref()));
            }
        }
    }
    let all = absolve_cli::args::command();
    let general: Vec<_> = all.get_arguments().filter(|arg| arg.is_global_set()).collect();
    let _ = write!(page, "\n## {GENERAL}\n\n{}", table(&general, None));
    let _ = write!(page, "\n## Limits\n\n{}", table_of_limits());
    page
}

/// The visible options of a command, by the headings of its help.
fn headings(command: &Command) -> Vec<(&str, Vec<&Arg>)> {
    let mut headings: Vec<(&str, Vec<&Arg>)> = Vec::new();
    let mut args: Vec<_> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    args.sort_by_key(|arg| {
        let has_heading = arg.get_help_heading().is_some();
        (has_heading, !arg.is_positional(), arg.get_display_order())
    });
    for arg in args {
        let heading = arg.get_help_heading().unwrap_or("Arguments and options");
        match headings.iter_mut().find(|(name, _)| *name == heading) {
            Some((_, args)) => args.push(arg),
            None => headings.push((heading, vec![arg])),
        }
    }
    headings
}

fn table(args: &[&Arg], keys: Option<&Keys>) -> String {
    let mut table = String::from("| option | values | default | what it does |");
    table += if keys.is_some() { " absolve.toml |\n" } else { "\n" };
    table += if keys.is_some() { "|---|---|---|---|---|\n" } else { "|---|---|---|---|\n" };
    for arg in args {
        let cells = [option(arg), values(arg), default(arg), meaning(arg)];
        let _ = write!(table, "| {} |", cells.join(" | "));
        if let Some(keys) = keys {
            let _ = write!(table, " {} |", key(arg, keys));
        }
        table.push('\n');
    }
    table
}

fn option(arg: &Arg) -> String {
    match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("`-{short}`, `--{long}`"),
        (_, Some(long)) => format!("`--{long}`"),
        _ => format!("`{}`", value_name(arg)),
    }
}

fn value_name(arg: &Arg) -> &str {
    arg.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str())
}

fn values(arg: &Arg) -> String {
    if arg.is_positional() || !arg.get_action().takes_values() {
        return String::new();
    }
    let choices = listed_values(arg);
    let names: Vec<_> = choices.iter().map(|value| format!("`{}`", value.get_name())).collect();
    let values = if names.is_empty() || arg.get_id() == "limit" {
        format!("`{}`", value_name(arg))
    } else {
        names.join(", ")
    };
    match arg.get_action() {
        ArgAction::Append => format!("{values}; repeatable"),
        _ => values,
    }
}

fn default(arg: &Arg) -> String {
    let may_be_left_out = arg.get_num_args().is_some_and(|values| values.min_values() == 0);
    if !arg.get_action().takes_values() || may_be_left_out {
        return String::new();
    }
    match arg.get_default_values() {
        [] => escaped(&default_and_rest(&help(arg)).0),
        defaults => {
            let defaults = defaults.iter().map(|default| format!("`{}`", default.display()));
            defaults.collect::<Vec<_>>().join(", ")
        }
    }
}

fn meaning(arg: &Arg) -> String {
    let (_, help) = default_and_rest(&help(arg));
    let mut meaning = escaped(&help.replacen("\n\n", ". ", 1).replace("\n\n", " "));
    if arg.get_id() == "limit" {
        meaning += ": [limits](#limits)";
        return meaning;
    }
    for value in explained_values(arg) {
        let _ = write!(meaning, "<br>`{}`: {}", value.get_name(), escaped(&value_help(&value)));
    }
    meaning
}

fn key(arg: &Arg, keys: &Keys) -> &'static str {
    let name = arg.get_long().unwrap_or("path");
    if arg.get_id() == "limit" {
        return "`[limits]`";
    }
    if keys.iter().all(|key| key.name != name) {
        return "";
    }
    if OptionTrait::TypedOnly(keys.table).applies_to(name) { "trusted" } else { "yes" }
}

fn table_of_limits() -> String {
    let commands = COMMANDS.map(|name| (name, limits(&command(name))));
    let mut rows: Vec<(PossibleValue, Vec<&str>)> = Vec::new();
    for (name, limits) in commands {
        for limit in limits.into_iter().filter(|limit| !limit.is_hide_set()) {
            match rows.iter_mut().find(|(row, _)| row.get_name() == limit.get_name()) {
                Some((_, commands)) => commands.push(name),
                None => rows.push((limit, vec![name])),
            }
        }
    }
    let mut table = String::from(
        "The values of `--limit`, and the keys of the table `[limits]` of absolve.toml, where a value is a whole\n\
         number or a string such as `\"64M\"`.\n\n| limit | default | what it limits | commands |\n|---|---|---|---|\n",
    );
    for (limit, commands) in rows {
        let (default, meaning) = default_and_rest(&value_help(&limit));
        let (name, meaning) = (limit.get_name(), escaped(&meaning));
        let _ = writeln!(
            table,
            "| `{name}` | {} | {meaning} | {} |",
            escaped(&default),
            commands.join(", ")
        );
    }
    table
}
