//! The keys that there are, from the options that there are.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::{Arg, ArgAction, ArgMatches, Command, Id};

use super::configured::Configured;
use crate::args::FormatArg;

/// Options that name the configuration, or print something else.
const NO_KEYS: &[&str] = &["config", "no-config", "print-config", "list-rules", "explain"];

/// The key of the PATH of a command.
const PATH: &str = "path";

/// Keys that count only beside another option, as clap has it for the typed ones.
const NEEDED: &[(&str, &[&str])] = &[
    ("backup", &["write"]),
    ("break-hardlinks", &["write", "check", "diff", "list-different", "dry-run"]),
    ("copy-assets", &["output"]),
    ("force", &["output"]),
    ("null", &["files-from"]),
];

/// The options of which a key needs one to count, if it needs any.
pub(super) fn needed(key: &str) -> Option<&'static [&'static str]> {
    NEEDED.iter().find(|(name, _)| *name == key).map(|(_, needed)| *needed)
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// true or false.
    Flag,
    /// A whole number.
    Number,
    /// A whole number, or a string of one with a unit.
    Size,
    /// A string.
    Text,
    /// An array of strings.
    List,
    /// A string, or an array of them.
    Paths,
}

/// What the strings of a key are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Text,
    Path,
    /// A path after a name and `=`.
    PathAfterName,
}

/// The options of a command.
pub(super) struct Keys {
    table: &'static str,
    command: Command,
    check: fn(&ArgMatches) -> Result<(), clap::Error>,
}

/// One option that is a key too.
#[derive(Clone, Copy)]
pub(super) struct Key<'k> {
    arg: &'k Arg,
    pub(super) name: &'k str,
}

impl Keys {
    pub(super) fn new<A: Configured>() -> Self {
        let command = A::augment_args(Command::new(A::TABLE).no_binary_name(true));
        let check = |matches: &ArgMatches| A::from_arg_matches(matches).map(|_| ());
        Self { table: A::TABLE, command, check }
    }

    /// The table that the keys are in.
    pub(super) fn table(&self) -> &'static str {
        self.table
    }

    /// Every key: that of the PATH, then those of the options in the order of the help.
    pub(super) fn iter(&self) -> impl Iterator<Item = Key<'_>> {
        let path = self.command.get_positionals().map(|arg| Key { arg, name: PATH });
        let named = self.command.get_arguments().filter_map(|arg| Some((arg, arg.get_long()?)));
        let named = named.filter(|(_, name)| !NO_KEYS.contains(name));
        path.take(1).chain(named.map(|(arg, name)| Key { arg, name }))
    }

    pub(super) fn get(&self, name: &str) -> Option<Key<'_>> {
        self.iter().find(|key| key.name == name)
    }

    /// The name of the key whose option has this other name.
    pub(super) fn of_alias(&self, alias: &str) -> Option<&str> {
        let has_alias = |key: &Key<'_>| {
            key.arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&alias))
        };
        self.iter().find(has_alias).map(|key| key.name)
    }

    /// Whether a name is that of an option that is no key.
    pub(super) fn is_typed_only(&self, name: &str) -> bool {
        let mut options = self.command.get_arguments().filter_map(Arg::get_long);
        NO_KEYS.contains(&name) && options.any(|option| option == name)
    }

    /// Whether two keys exclude each other.
    pub(super) fn exclude(&self, one: &str, other: &str) -> bool {
        let (Some(one), Some(other)) = (self.get(one), self.get(other)) else { return false };
        let excludes = |one: Key<'_>, other: Key<'_>| {
            let excluded = self.command.get_arg_conflicts_with(one.arg);
            excluded.iter().any(|arg| arg.get_id() == other.arg.get_id())
        };
        excludes(one, other) || excludes(other, one)
    }

    /// Whether the options take these arguments, whatever other options they need or exclude.
    pub(super) fn check<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a OsString>,
    ) -> Result<(), clap::Error> {
        let alone = self.command.clone().mut_args(|arg| {
            arg.requires(Resettable::<Id>::Reset).conflicts_with(Resettable::<Id>::Reset)
        });
        let matches = alone.try_get_matches_from(arguments)?;
        (self.check)(&matches)
    }
}

impl Key<'_> {
    /// The name under which clap has what was given.
    pub(super) fn id(&self) -> &str {
        self.arg.get_id().as_str()
    }

    pub(super) fn takes(&self) -> Takes {
        match (self.arg.get_action(), self.value_name()) {
            _ if self.arg.is_positional() => Takes::Paths,
            (ArgAction::SetTrue, _) => Takes::Flag,
            (ArgAction::Append, _) => Takes::List,
            _ if self.arg.get_value_delimiter().is_some() => Takes::List,
            (_, "N") => Takes::Number,
            (_, "SIZE") => Takes::Size,
            _ => Takes::Text,
        }
    }

    pub(super) fn holds(&self) -> Holds {
        let parsed = self.arg.get_value_parser().type_id();
        if parsed == TypeId::of::<PathBuf>() {
            Holds::Path
        } else if parsed == TypeId::of::<FormatArg>() {
            Holds::PathAfterName
        } else {
            Holds::Text
        }
    }

    /// The values that there are, where they are few.
    pub(super) fn values(&self) -> Vec<String> {
        if self.arg.is_hide_possible_values_set() {
            return Vec::new();
        }
        let values = self.arg.get_possible_values();
        values.iter().map(|value| value.get_name().to_owned()).collect()
    }

    fn value_name(&self) -> &str {
        self.arg.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str())
    }

    /// The argument that says the same; a path counts from `folder`.
    pub(super) fn argument(&self, value: &str, folder: &Path) -> OsString {
        if self.arg.is_positional() {
            let path = from(folder, value);
            // Neither an option nor stdin.
            let is_plain = !path.as_encoded_bytes().starts_with(b"-");
            return if is_plain { path } else { Path::new(".").join(path).into_os_string() };
        }
        let mut argument = OsString::from(format!("--{}=", self.name));
        match self.holds() {
            Holds::Path => argument.push(from(folder, value)),
            Holds::PathAfterName => match value.split_once('=') {
                Some((name, file)) if file != "-" => {
                    argument.push(name);
                    argument.push("=");
                    argument.push(from(folder, file));
                }
                _ => argument.push(value),
            },
            Holds::Text => argument.push(value),
        }
        argument
    }

    /// The argument of a flag.
    pub(super) fn flag(&self) -> OsString {
        OsString::from(format!("--{}", self.name))
    }
}

/// A path that counts from a folder; an empty one stays, to be refused.
fn from(folder: &Path, path: &str) -> OsString {
    let is_empty = path.is_empty() || folder.as_os_str().is_empty();
    if is_empty { OsStr::new(path).to_owned() } else { folder.join(path).into_os_string() }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;
    use crate::args::{AuditArgs, RewriteArgs};

    #[test]
    fn every_option_is_a_key_but_those_about_the_configuration() {
        let keys = Keys::new::<AuditArgs>();
        let takes = |name: &str| keys.get(name).map(|key| key.takes());
        assert_eq!(takes("path"), Some(Takes::Paths));
        assert_eq!(takes("base-url"), Some(Takes::Text));
        assert_eq!(takes("rule"), Some(Takes::List));
        assert_eq!(takes("index"), Some(Takes::List));
        assert_eq!(takes("only"), Some(Takes::List));
        assert_eq!(takes("report-only"), Some(Takes::List));
        assert_eq!(takes("anchor-ranges"), Some(Takes::Flag));
        assert_eq!(takes("jobs"), Some(Takes::Number));
        assert_eq!(takes("max-links"), Some(Takes::Number));
        assert_eq!(takes("max-input"), Some(Takes::Size));
        for name in ["config", "no-config", "print-config", "list-rules", "explain", "dir", "help"]
        {
            assert_eq!(takes(name), None, "{name}");
        }
        assert!(keys.check(&[]).is_ok());
        let keys = Keys::new::<RewriteArgs>();
        let takes = |name: &str| keys.get(name).map(|key| key.takes());
        assert_eq!(takes("path"), Some(Takes::Paths));
        assert_eq!(takes("output"), Some(Takes::Text));
        assert_eq!(takes("write"), Some(Takes::Flag));
        assert_eq!(takes("backup"), Some(Takes::Text));
        assert_eq!(takes("learn"), Some(Takes::List));
        assert_eq!(takes("print-config"), None);
        assert!(keys.check(&[]).is_ok());
    }

    #[test]
    fn what_a_key_needs_is_what_its_option_requires() {
        fn needs<A: Configured>() -> Vec<String> {
            let keys = Keys::new::<A>();
            let is_incomplete = |key: &Key<'_>| {
                let argument = match key.takes() {
                    Takes::Flag => key.flag(),
                    Takes::Number | Takes::Size => key.argument("1", Path::new("")),
                    _ => key.argument("x", Path::new("")),
                };
                let parsed = keys.command.clone().try_get_matches_from([argument]);
                parsed.is_err_and(|error| error.kind() == ErrorKind::MissingRequiredArgument)
            };
            let keys = keys.iter().filter(is_incomplete);
            keys.map(|key| key.name.to_owned()).collect()
        }
        let mut found = [needs::<AuditArgs>(), needs::<RewriteArgs>()].concat();
        found.sort();
        let listed: Vec<&str> = NEEDED.iter().map(|(name, _)| *name).collect();
        assert_eq!(found, listed);
    }

    #[test]
    fn keys_exclude_each_other_as_their_options_do() {
        let keys = Keys::new::<RewriteArgs>();
        assert!(keys.exclude("write", "output") && keys.exclude("output", "write"));
        assert!(keys.exclude("path", "files-from"));
        assert!(!keys.exclude("write", "path"));
    }

    #[test]
    fn paths_count_from_the_folder_of_the_file() {
        let keys = Keys::new::<AuditArgs>();
        let argument = |key: &str, value: &str| {
            keys.get(key).unwrap().argument(value, Path::new("../up")).into_string().unwrap()
        };
        assert_eq!(argument("baseline", "b.jsonl"), "--baseline=../up/b.jsonl");
        assert_eq!(argument("baseline", ""), "--baseline=");
        assert_eq!(argument("root-dir", "/srv"), "--root-dir=/srv");
        assert_eq!(argument("report-only", "-x"), "--report-only=../up/-x");
        assert_eq!(argument("format", "sarif=a=b"), "--format=sarif=../up/a=b");
        assert_eq!(argument("format", "sarif=-"), "--format=sarif=-");
        assert_eq!(argument("format", "text"), "--format=text");
        assert_eq!(argument("include", "a/*.html"), "--include=a/*.html");
        assert_eq!(argument("path", "site"), "../up/site");
        let here = |value| keys.get("path").unwrap().argument(value, Path::new(""));
        assert_eq!(here("-w"), "./-w");
        assert_eq!(here("-"), "./-");
    }
}
