//! Which options the help shows first, which `-h` leaves out, and what an option means in a command.

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

/// What an option that commands share means in one of them. The help of a command names only its own
/// options (a test below holds that).
const MEANINGS: &[(&str, &str, &str)] = &[
    ("audit", "quiet", "Print only findings of level error, and no summary"),
    ("audit", "include", INCLUDED_IN_AUDIT),
    ("links", "verbose", "Name every document with unresolved links"),
    ("links", "include", INCLUDED_IN_LINKS),
    ("links", "base_element", "How to list base elements [default: absolute]"),
    ("links", "keep_credentials", "Show user and password of a base URL in links"),
    ("rewrite", "verbose", "Print the base URL of each document, and what was done with its links"),
];

const INCLUDED_IN_AUDIT: &str = "Read these files; a pattern without / matches file names [default: \
    *.html, *.htm, *.shtml, *.mhtml, *.mht, *.eml, *.xhtml, *.xht, *.svg, *.xml, *.rss, *.rdf, \
    *.atom, *.opf and *.ncx]";

const INCLUDED_IN_LINKS: &str = "Read these files; a pattern without / matches file names [default: \
    *.html, *.htm, *.shtml, *.mhtml, *.mht, *.eml; if --as is not given, also *.xhtml, *.xht, *.svg, \
    *.xml, *.rss, *.rdf, *.atom, *.opf and *.ncx; with --as css or xml, those alone]";

/// Commands in which `--verbose` changes nothing.
const NEVER_VERBOSE: &[&str] = &["audit", "resolve", "extract", "completions", "man"];

/// Every command, as the help shows it.
pub fn command() -> Command {
    let general: Vec<_> =
        Args::command().get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    Args::command().mut_subcommands(|command| {
        let first = FIRST.iter().find(|(name, _)| *name == command.get_name());
        let first = first.map_or(&[][..], |(_, first)| first);
        let has = |id: &&&str| command.get_arguments().any(|arg| arg.get_id().as_str() == **id);
        let rare: Vec<_> = RARE.iter().filter(has).collect();
        // `mut_arg` moves them to the end, so that their heading is the last one.
        let command = rare
            .into_iter()
            .fold(command, |command, id| command.mut_arg(id, |arg| arg.help_heading(RARELY)));
        let name = command.get_name().to_owned();
        command.args(&general).mut_args(|arg| placed(worded(arg, &name), first))
    })
}

/// An option in the words of a command; its short help stays if it has a long one.
fn worded(arg: Arg, command: &str) -> Arg {
    if arg.get_id() == "verbose" && NEVER_VERBOSE.contains(&command) {
        return arg.hide(true);
    }
    let own = MEANINGS.iter().find(|(name, id, _)| *name == command && arg.get_id() == *id);
    match own {
        Some((.., meaning)) if arg.get_long_help().is_some() => arg.long_help(*meaning),
        Some((.., meaning)) => arg.help(*meaning),
        None => arg,
    }
}

/// An option of `first` without a heading, and others hidden from `-h` by theirs.
fn placed(arg: Arg, first: &[&str]) -> Arg {
    if let Some(place) = first.iter().position(|option| arg.get_id() == option) {
        return arg.help_heading(None::<&str>).display_order(place);
    }
    let is_long = arg.get_help_heading().is_some_and(|heading| LONG_ONLY.contains(&heading));
    arg.hide_short_help(is_long)
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
}
