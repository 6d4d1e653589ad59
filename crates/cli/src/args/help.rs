//! The help of commands: the order of options, and the options that `-h` leaves out.

use absolve::option::DocumentOption;
use clap::{Arg, Command, CommandFactory};

use super::{Args, OptionTrait, option_traits};

/// The last heading of the help.
const RARELY_NEEDED: &str = "Rarely needed";

/// Headings whose options `-h` leaves out.
const LONG_ONLY: &[&str] =
    &[RARELY_NEEDED, "Configuration", "Links", "Reading pages", "Web archives"];

/// Builds all commands with their help.
pub fn command() -> Command {
    let all = Args::command();
    // Each command gets copies of the global options, because clap would share their help.
    let general: Vec<_> = all.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    all.mut_subcommands(|command| {
        let options = command.get_arguments().filter(|arg| arg.get_long().is_some_and(is_rare));
        let rare: Vec<_> = options.map(|arg| arg.get_id().clone()).collect();
        // `mut_arg` moves them to the end, so their heading is the last one.
        let command = rare.into_iter().fold(command, |command, id| {
            command.mut_arg(id, |arg| arg.help_heading(RARELY_NEEDED))
        });
        let name = command.get_name().to_owned();
        command.args(&general).mut_args(|arg| arrange(describe(arg, &name), &name))
    })
}

fn is_rare(option: &str) -> bool {
    let row = DocumentOption::find(option);
    OptionTrait::Rare.applies_to(option) || row.is_some_and(|row| row.is_rare)
}

/// Sets the help of an option in a command, and hides `--verbose` if the command ignores it.
fn describe(arg: Arg, command: &str) -> Arg {
    let help =
        option_traits(arg.get_long().unwrap_or_default()).iter().find_map(|entry| match entry {
            OptionTrait::Help(name, help) if *name == command => Some(*help),
            _ => None,
        });
    match help {
        Some(help) => arg.help(help),
        None if arg.get_id() == "verbose" => arg.hide(true),
        None => arg,
    }
}

/// Moves the first options before all headings, and hides options from `-h` by their heading.
fn arrange(arg: Arg, command: &str) -> Arg {
    let option = arg.get_long().unwrap_or_default();
    if let Some(position) = OptionTrait::First(command).options().position(|first| first == option)
    {
        return arg.help_heading(None::<&str>).display_order(position);
    }
    let is_hidden = arg.get_help_heading().is_some_and(|heading| LONG_ONLY.contains(&heading));
    let is_hidden = is_hidden && !OptionTrait::Short(command).applies_to(option);
    arg.hide_short_help(is_hidden)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The long options in a text.
    fn options(text: &str) -> impl Iterator<Item = &str> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        words.filter(|word| word.len() > 2 && word.starts_with("--"))
    }

    #[test]
    fn the_help_of_a_command_names_its_own_options_alone() {
        let mut all = command();
        all.build();
        for command in all.get_subcommands_mut().filter(|command| command.get_name() != "help") {
            let visible = command.get_arguments().filter(|arg| !arg.is_hide_set());
            let own: HashSet<_> =
                visible.filter_map(Arg::get_long).map(|long| format!("--{long}")).collect();
            let help = command.render_long_help().to_string();
            let other: Vec<_> = options(&help).filter(|option| !own.contains(*option)).collect();
            assert!(other.is_empty(), "{}: {other:?}", command.get_name());
            assert!(own.contains("--help"));
        }
    }

    /// The short help fits a screen of a large terminal.
    #[test]
    fn the_short_help_of_a_command_is_short() {
        let mut all = command();
        all.build();
        for command in all.get_subcommands_mut() {
            let lines = command.render_help().to_string().lines().count();
            assert!(lines <= 60, "{}: {lines} lines", command.get_name());
        }
    }

    #[test]
    fn a_command_takes_the_limits_that_it_uses() {
        for (name, count, unused) in [
            ("rewrite", 11, &["ratio", "record", "record-header", "findings"][..]),
            ("links", 13, &["findings", "output"]),
            ("extract", 12, &["attributes", "depth", "findings"]),
            ("audit", 7, &["output", "parts", "record"]),
        ] {
            let all = command();
            let mut options = all.find_subcommand(name).unwrap().get_arguments();
            let limit = options.find(|arg| arg.get_id() == "limit").unwrap();
            let names = limit.get_possible_values();
            let has = |limit: &&str| names.iter().any(|name| name.get_name() == *limit);
            assert_eq!(names.len(), count, "{name}");
            assert!(!unused.iter().any(has), "{name}");
            for unused in unused {
                let typed = ["absolve", name, "--limit", &format!("{unused}=1"), "x"];
                assert!(command().try_get_matches_from(typed).is_err(), "{name} {unused}");
            }
        }
    }
}
