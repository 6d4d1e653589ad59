//! Traits of options: their position in the help, and their use in a configuration and in Python.

/// A trait of an option that clap does not express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionTrait<'n> {
    /// The help of this command lists it first, in the order of the table.
    First(&'n str),
    /// The short help of this command shows it, although its heading is hidden.
    Short(&'n str),
    /// The help lists it under the last heading, since few users need it.
    Rare,
    /// The help of a shared option in this command, if commands differ. The text names no option of
    /// another command.
    Help(&'n str, &'n str),
    /// The option is not a key of a configuration: it names the configuration, prints something
    /// else, or has a separate table.
    NoKey,
    /// The key takes effect only with one of these options, as clap requires on the command line.
    Needs(&'n [&'n str]),
    /// A configuration that `--config` does not name may not set the option for this command: it
    /// writes files, selects files to write, or makes reports link to any host.
    TypedOnly(&'n str),
    /// The values are patterns. Each of them is compared with every link or file.
    Patterns,
    /// The option is not a keyword argument: Python has a parameter or a method for it, or it is
    /// about the terminal.
    NoKeyword,
    /// The option does not apply to this Python function.
    NotIn(&'n str),
}

use OptionTrait::{First, Help, Needs, NoKey, NoKeyword, NotIn, Patterns, Rare, Short, TypedOnly};

const AUDIT: &str = "audit";
const EXTRACT: &str = "extract";
const LINKS: &str = "links";
const REWRITE: &str = "rewrite";

/// The Python function that rewrites one file.
const FILE: &str = "rewrite_file";
/// The Python class that reads the records of a web archive.
const READER: &str = "WarcReader";

/// The options with traits: first the options that the help lists first, then the others by name.
/// An option without a row is a key and a keyword argument, and appears under its heading.
const TABLE: &[(&str, &[OptionTrait<'static>])] = &[
    ("base-url", &[First(REWRITE), First(LINKS), First(AUDIT)]),
    ("output", &[First(REWRITE), TypedOnly(REWRITE), NoKeyword]),
    ("write", &[First(REWRITE), TypedOnly(REWRITE), NoKeyword]),
    ("to", &[First(REWRITE)]),
    ("diff", &[First(REWRITE), NoKeyword]),
    ("rule", &[First(AUDIT)]),
    ("format", &[First(LINKS), First(AUDIT), NoKeyword]),
    ("fail-on", &[First(AUDIT)]),
    ("fix", &[First(AUDIT), TypedOnly(AUDIT), NoKeyword]),
    ("include", &[First(LINKS), TypedOnly(REWRITE), Patterns, NotIn(FILE), NotIn(READER)]),
    ("exclude", &[First(LINKS), Patterns, NotIn(FILE), NotIn(READER)]),
    ("only", &[First(LINKS)]),
    ("accept", &[Rare]),
    ("allow-empty", &[Rare, NotIn(FILE), NotIn(READER)]),
    ("as", &[NotIn(READER)]),
    ("backup", &[Needs(&["write", "fix"]), TypedOnly(REWRITE), TypedOnly(AUDIT), NotIn(AUDIT)]),
    ("base-element", &[Help(LINKS, "How rewrite would handle base elements [default: absolute]")]),
    ("base-map", &[NotIn(READER)]),
    (
        "break-hardlinks",
        &[
            Rare,
            Needs(&["write", "check", "diff", "list-different", "dry-run"]),
            TypedOnly(REWRITE),
        ],
    ),
    ("check", &[NoKeyword]),
    ("config", &[NoKey, NoKeyword]),
    ("copy-assets", &[Needs(&["output"]), TypedOnly(REWRITE), NotIn(FILE)]),
    ("explain", &[NoKey, NoKeyword]),
    ("external", &[NoKeyword]),
    ("files-from", &[NoKeyword]),
    ("follow-symlinks", &[Rare, TypedOnly(REWRITE), NotIn(READER)]),
    ("forbid-host", &[Rare]),
    ("force", &[Needs(&["output"]), TypedOnly(REWRITE), NotIn(FILE)]),
    ("history", &[Rare, TypedOnly(AUDIT), NoKeyword]),
    ("ignore-link", &[Patterns]),
    ("index", &[Rare]),
    ("jobs", &[NotIn(FILE), NotIn(READER)]),
    ("keep-credentials", &[Help(LINKS, "Show user and password of a base URL in links")]),
    ("layout", &[NotIn(READER)]),
    ("lazy", &[Short(REWRITE), Short(LINKS)]),
    ("learn", &[Rare]),
    ("limit", &[Rare, NoKey]),
    ("list-different", &[NoKeyword]),
    ("map-file", &[Rare]),
    ("meta", &[Short(REWRITE), Short(LINKS)]),
    ("no-config", &[NoKey, NoKeyword]),
    ("print-config", &[NoKey, NoKeyword]),
    ("quiet", &[Help(AUDIT, "Print only findings of level error, and no summary")]),
    ("raw-base", &[NotIn(READER)]),
    ("redirects", &[Rare]),
    ("revision", &[Rare, NoKeyword]),
    ("root-dir", &[NotIn(READER)]),
    ("source-url", &[Rare, TypedOnly(AUDIT), NoKeyword]),
    ("stats", &[Rare, NoKeyword]),
    (
        "status",
        &[Help(
            EXTRACT,
            "Extract only responses with this status, such as 404, or all [default: 200]",
        )],
    ),
    ("sync", &[Rare]),
    ("unique", &[NoKeyword]),
    ("unsafe-fixes", &[Needs(&["fix"]), TypedOnly(AUDIT), NoKeyword]),
    (
        "verbose",
        &[
            Help(AUDIT, "Print which file the settings are from"),
            Help(LINKS, "Name all documents with unresolved links, and unused saved URLs"),
            Help(REWRITE, "Print the base URL of each document, and what was done with its links"),
        ],
    ),
    ("write-baseline", &[TypedOnly(AUDIT), NoKeyword]),
];

/// Returns the traits of an option, by its long name.
pub fn option_traits(option: &str) -> &'static [OptionTrait<'static>] {
    TABLE.iter().find(|(name, _)| *name == option).map_or(&[], |(_, traits)| traits)
}

impl OptionTrait<'_> {
    /// Whether an option has this trait.
    pub fn applies_to(self, option: &str) -> bool {
        option_traits(option).contains(&self)
    }

    /// Lists the options with this trait, in the order of the table.
    pub fn options(self) -> impl Iterator<Item = &'static str> {
        TABLE.iter().filter(move |(_, traits)| traits.contains(&self)).map(|(name, _)| *name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_names_an_option_of_its_commands() {
        let all = crate::args::command();
        let has_option = |command: &str, option: &str| {
            let command = all.find_subcommand(command).unwrap();
            command.get_arguments().any(|arg| arg.get_long() == Some(option))
        };
        let commands = [AUDIT, EXTRACT, LINKS, REWRITE];
        for (option, traits) in TABLE {
            assert!(commands.iter().any(|command| has_option(command, option)), "{option}");
            for row_trait in *traits {
                let (First(command) | Short(command) | Help(command, _) | TypedOnly(command)) =
                    row_trait
                else {
                    continue;
                };
                assert!(has_option(command, option), "{option}: {row_trait:?}");
            }
        }
    }

    #[test]
    fn every_option_has_one_row_in_the_order_of_names() {
        let names: HashSet<_> = TABLE.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), TABLE.len());
        let is_first =
            |traits: &[OptionTrait<'_>]| traits.iter().any(|entry| matches!(entry, First(_)));
        let others = TABLE.iter().skip_while(|(_, traits)| is_first(traits));
        assert!(others.clone().all(|(_, traits)| !is_first(traits)));
        assert!(others.is_sorted_by_key(|(name, _)| name));
    }
}
