//! Which options the help shows first, which `-h` leaves out, and the words of shared options.

use clap::{Arg, Command, CommandFactory};

use super::{Args, limits};

/// The options of a command that matter most.
const FIRST: &[(&str, [&str; 5])] = &[
    ("rewrite", ["base_url", "output", "write", "to", "diff"]),
    ("links", ["base_url", "format", "include", "exclude", "only"]),
    ("audit", ["base_url", "rule", "format", "fail_on", "fix"]),
];

/// Options that few users need.
const RARE: &[&str] = &[
    "accept",
    "base_element",
    "base_scope",
    "break_hardlinks",
    "encoding",
    "engine",
    "feed_base",
    "forbid_host",
    "history",
    "index",
    "keep_credentials",
    "layout",
    "learn",
    "limit",
    "map_file",
    "redirects",
    "revision",
    "source_url",
    "sync",
];

/// The heading of rare options.
const RARELY: &str = "Rarely needed";

/// Headings whose options `-h` leaves out.
const LONG_ONLY: &[&str] = &[RARELY, "Configuration", "Links", "Reading pages", "Web archives"];

/// Options that commands share, in the words of one command: command, option, help. The help of a
/// command names no option of another.
const MEANINGS: &[(&str, &str, &str)] = &[
    ("audit", "quiet", "Print only findings of level error, and no summary"),
    ("audit", "verbose", "Print which file the settings are from"),
    (
        "extract",
        "status",
        "Extract only responses with this status, such as 404, or all [default: 200]",
    ),
    ("links", "verbose", "Name all documents with unresolved links, and unused saved URLs"),
    ("links", "base_element", "How rewrite would handle base elements [default: absolute]"),
    ("links", "keep_credentials", "Show user and password of a base URL in links"),
    (
        "rewrite",
        "status",
        "Rewrite only responses with this status, such as 404, or all [default: 200-299]",
    ),
    ("rewrite", "verbose", "Print the base URL of each document, and what was done with its links"),
];

/// Every command, as the help shows it.
pub fn command() -> Command {
    let all = Args::command();
    // Each command gets its own copy of the general options, which would have one help for all.
    let general: Vec<_> = all.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    all.mut_subcommands(|command| {
        let has = |id: &&&str| command.get_arguments().any(|arg| arg.get_id().as_str() == **id);
        let rare: Vec<_> = RARE.iter().filter(has).collect();
        // `mut_arg` moves them to the end, so that their heading is the last one.
        let command = rare
            .into_iter()
            .fold(command, |command, id| command.mut_arg(id, |arg| arg.help_heading(RARELY)));
        let name = command.get_name().to_owned();
        command.args(&general).mut_args(|arg| placed(described(arg, &name), &name))
    })
}

/// Gives an option its help in a command, and hides `--verbose` where it changes nothing.
fn described(arg: Arg, command: &str) -> Arg {
    let arg = if arg.get_id() == "limit" { limits::used_by(command, arg) } else { arg };
    match MEANINGS.iter().find(|(name, id, _)| *name == command && arg.get_id() == *id) {
        Some((.., help)) => arg.help(*help),
        None if arg.get_id() == "verbose" => arg.hide(true),
        None => arg,
    }
}

/// Gives one of the first options its place without a heading, and hides others from `-h` by theirs.
fn placed(arg: Arg, command: &str) -> Arg {
    let first = FIRST.iter().find(|(name, _)| *name == command);
    let place = first.and_then(|(_, first)| first.iter().position(|id| arg.get_id() == id));
    if let Some(place) = place {
        return arg.help_heading(None::<&str>).display_order(place);
    }
    let is_long = arg.get_help_heading().is_some_and(|heading| LONG_ONLY.contains(&heading));
    arg.hide_short_help(is_long)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use clap::builder::PossibleValue;

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

    /// A screen of a large terminal.
    #[test]
    fn the_short_help_of_a_command_is_short() {
        let mut all = command();
        all.build();
        for command in all.get_subcommands_mut() {
            let lines = command.render_help().to_string().lines().count();
            assert!(lines <= 60, "{}: {lines} lines", command.get_name());
        }
    }

    /// The others are options of the command too, in scripts that give them.
    #[test]
    fn the_help_of_a_command_lists_the_limits_that_it_uses() {
        for (name, count, unused) in [
            ("rewrite", 14, &[][..]),
            ("links", 13, &["output"]),
            ("extract", 12, &["attributes", "depth"]),
        ] {
            let all = command();
            let mut options = all.find_subcommand(name).unwrap().get_arguments();
            let limit = options.find(|arg| arg.get_id() == "limit").unwrap();
            let (hidden, shown): (Vec<_>, Vec<_>) =
                limit.get_possible_values().into_iter().partition(PossibleValue::is_hide_set);
            assert_eq!(shown.len(), count, "{name}");
            let mut hidden: Vec<_> = hidden.iter().map(PossibleValue::get_name).collect();
            hidden.sort_unstable();
            assert_eq!(hidden, unused, "{name}");
        }
    }
}
