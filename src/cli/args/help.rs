//! Which options the help shows first, and which `-h` leaves out.

use clap::{Arg, Command, CommandFactory};

use super::Args;

/// The options of a command that matter most.
const FIRST: &[(&str, [&str; 5])] = &[
    ("rewrite", ["base_url", "output", "write", "to", "diff"]),
    ("links", ["base_url", "format", "include", "exclude", "only"]),
    ("audit", ["base_url", "rule", "format", "fail_on", "fix"]),
];

/// Options that few users need.
const RARE: &[&str] = &[
    "anchor_ranges",
    "base_element",
    "base_scope",
    "break_hardlinks",
    "encoding",
    "engine",
    "history",
    "keep_credentials",
    "layout",
    "learn",
    "limit",
    "map_file",
    "null",
    "sync",
];

/// The heading of rare options.
const RARELY: &str = "Rarely needed";

/// Headings whose options `-h` leaves out.
const LONG_ONLY: &[&str] = &[RARELY, "Configuration", "Links", "Reading pages", "Web archives"];

/// Every command, as the help shows it.
pub fn command() -> Command {
    Args::command().mut_subcommands(|command| {
        let first = FIRST.iter().find(|(name, _)| *name == command.get_name());
        let first = first.map_or(&[][..], |(_, first)| first);
        let has = |id: &&&str| command.get_arguments().any(|arg| arg.get_id().as_str() == **id);
        let rare: Vec<_> = RARE.iter().filter(has).collect();
        // `mut_arg` moves them to the end, so that their heading is the last one.
        let command = rare
            .into_iter()
            .fold(command, |command, id| command.mut_arg(id, |arg| arg.help_heading(RARELY)));
        command.mut_args(|arg| placed(arg, first))
    })
}

/// An option of `first` without a heading, and others hidden from `-h` by theirs.
fn placed(arg: Arg, first: &[&str]) -> Arg {
    if let Some(place) = first.iter().position(|option| arg.get_id() == option) {
        return arg.help_heading(None::<&str>).display_order(place);
    }
    let is_long = arg.get_help_heading().is_some_and(|heading| LONG_ONLY.contains(&heading));
    arg.hide_short_help(is_long)
}
