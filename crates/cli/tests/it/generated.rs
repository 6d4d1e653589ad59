//! The files that are made from the options of the command, and from the columns of links.
//! `GENERATED=overwrite cargo test --test it generated` writes them.

mod columns;
mod entries;
mod npm;
mod page;
mod python;
mod schema;

use std::path::Path;
use std::{env, fs};

use clap::builder::PossibleValue;
use clap::{Arg, Command};
use entries::wrap;

/// The line of each file that says where it comes from.
const NOTE: &str = "Generated from the options of the command; GENERATED=overwrite cargo test \
    --test it generated writes this file.";

#[test]
fn the_schema_has_the_keys_of_the_configuration() {
    is_written("absolve.schema.json", &schema::text());
}

#[test]
fn the_page_has_the_options_of_all_commands() {
    is_written("docs/options.md", &page::text());
}

#[test]
fn the_python_package_has_the_keywords_of_its_functions() {
    is_written("python/src/keywords.rs", &python::keywords());
    is_written("python/absolve/_options.py", &python::options());
}

#[test]
fn packages_have_the_columns_of_links() {
    is_written("python/absolve/_columns.pyi", &columns::stub());
    is_written("npm/lib/link.d.ts", &columns::types());
    is_written("npm/lib/link.js", &columns::reader());
}

#[test]
fn packages_have_words_for_what_the_help_says() {
    python::SPELLING.check();
    npm::SPELLING.check();
}

#[test]
fn the_npm_package_has_the_types_of_its_options() {
    is_written("npm/lib/options.d.ts", &npm::types());
}

/// Compares a file of the project with what it has to be, or writes it.
#[track_caller]
fn is_written(name: &str, text: &str) {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name);
    if env::var_os("GENERATED").is_some_and(|value| value == "overwrite") {
        fs::write(&path, text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let differing = || found.lines().zip(text.lines()).position(|(found, line)| found != line);
    assert!(found == text, "{name}: differs after line {:?}; {NOTE}", differing());
}

/// A command as its help shows it.
fn command(name: &str) -> Command {
    absolve_cli::args::command().find_subcommand(name).unwrap().clone()
}

/// The whole help of an option.
fn help(arg: &Arg) -> String {
    arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default()
}

/// The values that the help of an option lists.
fn listed_values(arg: &Arg) -> Vec<PossibleValue> {
    let is_listed = !arg.is_hide_possible_values_set() && arg.get_action().takes_values();
    if is_listed { arg.get_possible_values() } else { Vec::new() }
}

/// The listed values that have a help of their own.
fn explained_values(arg: &Arg) -> Vec<PossibleValue> {
    listed_values(arg).into_iter().filter(|value| value.get_help().is_some()).collect()
}

fn value_help(value: &PossibleValue) -> String {
    value.get_help().map(ToString::to_string).unwrap_or_default()
}

/// The default that a help names in brackets, and the help without it.
fn default_and_rest(help: &str) -> (String, String) {
    let Some((before, rest)) = help.split_once(" [default: ") else {
        return (String::new(), help.to_owned());
    };
    let (default, after) = rest.split_once(']').unwrap();
    (default.to_owned(), format!("{before}{after}"))
}

/// The values of `--limit` of a command.
fn limits(command: &Command) -> Vec<PossibleValue> {
    let limit = command.get_arguments().find(|arg| arg.get_id() == "limit");
    limit.map(Arg::get_possible_values).unwrap_or_default()
}
