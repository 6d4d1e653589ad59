//! The keys of a table, which are the options of its command.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::{Arg, ArgAction, ArgMatches, Command, Id};

use super::configured::Configured;
use crate::batch::with_slashes;
use crate::cli::args::FormatArg;

/// Options that name the configuration, print something else, or have a table of their own.
const NO_KEYS: &[&str] = &["config", "no-config", "print-config", "explain", "limit"];

/// The table of the values of `--limit`, for every command.
pub(super) const LIMITS: &str = "limits";

/// The key of the PATH of a command.
const PATH: &str = "path";

/// Keys that count only with another option, as clap requires it of typed ones.
const NEEDED: &[(&str, &[&str])] = &[
    ("backup", &["write", "fix"]),
    ("break-hardlinks", &["write", "check", "diff", "list-different", "dry-run"]),
    ("copy-assets", &["output"]),
    ("force", &["output"]),
    ("unsafe-fixes", &["fix"]),
];

/// The options of which a key needs one in order to count, if it needs any.
pub(super) fn needed(key: &str) -> Option<&'static [&'static str]> {
    NEEDED.iter().find(|(name, _)| *name == key).map(|(_, needed)| *needed)
}

/// The kind of TOML value that a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// true or false.
    Flag,
    /// A whole number.
    Number,
    /// A string.
    Text,
    /// An array of strings.
    List,
    /// A string, or an array of them.
    Paths,
}

/// The kind of the strings of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
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

/// An option that is a key.
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

    /// Every key: first that of PATH, then the options in the order of the help.
    pub(super) fn iter(&self) -> impl Iterator<Item = Key<'_>> {
        let path = self.command.get_positionals().map(|arg| Key { arg, name: PATH });
        let named = self.command.get_arguments().filter_map(|arg| Some((arg, arg.get_long()?)));
        let named = named.filter(|(_, name)| !NO_KEYS.contains(name));
        path.take(1).chain(named.map(|(arg, name)| Key { arg, name }))
    }

    pub(super) fn get(&self, name: &str) -> Option<Key<'_>> {
        self.iter().find(|key| key.name == name)
    }

    /// The names that `--limit` takes.
    pub(super) fn limits(&self) -> Vec<String> {
        let arg = self.command.get_arguments().find(|arg| arg.get_long() == Some("limit"));
        let values = arg.map(Arg::get_possible_values).unwrap_or_default();
        values.iter().map(|value| value.get_name().to_owned()).collect()
    }

    /// The name of the key whose option has this alias.
    pub(super) fn of_alias(&self, alias: &str) -> Option<&str> {
        let has_alias = |key: &Key<'_>| {
            key.arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&alias))
        };
        self.iter().find(has_alias).map(|key| key.name)
    }

    /// Whether an option of this name cannot be a key.
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

    /// Parses these arguments without regard to options that they require or exclude.
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
    /// The id of the option in clap.
    pub(super) fn id(&self) -> &str {
        self.arg.get_id().as_str()
    }

    /// The heading of the help that the option is under.
    pub(super) fn heading(&self) -> Option<&str> {
        self.arg.get_help_heading()
    }

    pub(super) fn value_kind(&self) -> ValueKind {
        match (self.arg.get_action(), self.value_name()) {
            _ if self.arg.is_positional() => ValueKind::Paths,
            (ArgAction::SetTrue, _) => ValueKind::Flag,
            (ArgAction::Append, _) => ValueKind::List,
            _ if self.arg.get_value_delimiter().is_some() => ValueKind::List,
            (_, "N") => ValueKind::Number,
            _ => ValueKind::Text,
        }
    }

    pub(super) fn text_kind(&self) -> TextKind {
        let parsed = self.arg.get_value_parser().type_id();
        if parsed == TypeId::of::<PathBuf>() {
            TextKind::Path
        } else if parsed == TypeId::of::<FormatArg>() {
            TextKind::PathAfterName
        } else {
            TextKind::Text
        }
    }

    /// The possible values, if the help lists them.
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

    /// The equivalent argument; a path is relative to `folder`.
    pub(super) fn argument(&self, value: &str, folder: &Path) -> OsString {
        if self.arg.is_positional() {
            let path = from(folder, value);
            // Neither an option nor stdin.
            let is_plain = !path.as_encoded_bytes().starts_with(b"-");
            return if is_plain { path } else { with_slashes(Path::new(".").join(path)).into() };
        }
        let mut argument = OsString::from(format!("--{}=", self.name));
        match self.text_kind() {
            TextKind::Path => argument.push(from(folder, value)),
            TextKind::PathAfterName => match value.split_once('=') {
                Some((name, file)) if file != "-" => {
                    argument.push(name);
                    argument.push("=");
                    argument.push(from(folder, file));
                }
                _ => argument.push(value),
            },
            TextKind::Text => argument.push(value),
        }
        argument
    }

    /// The argument of a flag.
    pub(super) fn flag(&self) -> OsString {
        OsString::from(format!("--{}", self.name))
    }
}

/// A path relative to a folder; an empty one stays empty, so that it is rejected.
fn from(folder: &Path, path: &str) -> OsString {
    let is_empty = path.is_empty() || folder.as_os_str().is_empty();
    if is_empty { OsStr::new(path).into() } else { with_slashes(folder.join(path)).into() }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;
    use crate::cli::args::{AuditArgs, RewriteArgs};

    #[test]
    fn every_option_is_a_key_but_those_about_the_configuration() {
        let keys = Keys::new::<AuditArgs>();
        let takes = |name: &str| keys.get(name).map(|key| key.value_kind());
        assert_eq!(takes("path"), Some(ValueKind::Paths));
        assert_eq!(takes("base-url"), Some(ValueKind::Text));
        assert_eq!(takes("rule"), Some(ValueKind::List));
        assert_eq!(takes("index"), Some(ValueKind::List));
        assert_eq!(takes("only"), Some(ValueKind::List));
        assert_eq!(takes("report-only"), Some(ValueKind::List));
        assert_eq!(takes("meta"), Some(ValueKind::Flag));
        assert_eq!(takes("jobs"), Some(ValueKind::Number));
        for name in ["config", "no-config", "print-config", "explain", "dir", "help", "limit"] {
            assert_eq!(takes(name), None, "{name}");
        }
        assert!(keys.check(&[]).is_ok());
        let keys = Keys::new::<RewriteArgs>();
        let takes = |name: &str| keys.get(name).map(|key| key.value_kind());
        assert_eq!(takes("path"), Some(ValueKind::Paths));
        assert_eq!(takes("output"), Some(ValueKind::Text));
        assert_eq!(takes("write"), Some(ValueKind::Flag));
        assert_eq!(takes("backup"), Some(ValueKind::Text));
        assert_eq!(takes("learn"), Some(ValueKind::List));
        assert_eq!(takes("print-config"), None);
        assert!(keys.check(&[]).is_ok());
    }

    #[test]
    fn what_a_key_needs_is_what_its_option_requires() {
        fn needs<A: Configured>() -> Vec<String> {
            let keys = Keys::new::<A>();
            let is_incomplete = |key: &Key<'_>| {
                let argument = match key.value_kind() {
                    ValueKind::Flag => key.flag(),
                    ValueKind::Number => key.argument("1", Path::new("")),
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
        found.dedup();
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
