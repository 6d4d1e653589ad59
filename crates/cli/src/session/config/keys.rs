//! The commands with TOML tables in a configuration. The keys of a table are the options of its
//! command.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use absolve::Rewriter;
use absolve_files::with_slashes;
use clap::builder::Resettable;
use clap::{Arg, ArgAction, ArgMatches, Command, Id};

use crate::args::{AuditArgs, ConfigArgs, FormatArg, LimitArgs, OptionTrait, RewriteArgs};

/// The arguments of a command that has a table in the configuration.
pub trait TableArgs: clap::Args {
    /// The name of the command and of its table.
    const TABLE: &'static str;

    /// Returns the options that select the configuration.
    fn config(&self) -> &ConfigArgs;

    /// Returns the files and folders that the command works on.
    fn paths(&self) -> &[PathBuf];

    /// Returns the limits in effect.
    fn limits(&self) -> LimitArgs;

    /// Returns the rewriter with the options of documents.
    fn rewriter(&self) -> Rewriter;

    /// Lists the keys that typed options override although clap accepts both, because they select
    /// another mode. `is_set` tests whether the configuration sets a key.
    fn overridden_keys(&self, _is_set: impl Fn(&str) -> bool) -> Vec<&'static str> {
        Vec::new()
    }
}

impl TableArgs for AuditArgs {
    const TABLE: &'static str = "audit";

    fn config(&self) -> &ConfigArgs {
        &self.config
    }

    fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    fn limits(&self) -> LimitArgs {
        self.reading.limits
    }

    fn rewriter(&self) -> Rewriter {
        self.reading.options.rewriter()
    }
}

impl TableArgs for RewriteArgs {
    const TABLE: &'static str = "rewrite";

    fn config(&self) -> &ConfigArgs {
        &self.config
    }

    fn paths(&self) -> &[PathBuf] {
        &self.inputs.paths
    }

    fn limits(&self) -> LimitArgs {
        self.document.limits
    }

    fn rewriter(&self) -> Rewriter {
        self.document.options.rewriter()
    }

    fn overridden_keys(&self, is_set: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let reads_stdin = match &self.inputs.paths[..] {
            [] => {
                let is_list = self.inputs.files.files_from.is_some();
                !is_list && !is_set("path") && !is_set("files-from")
            }
            [path] => path == Path::new("-"),
            _ => false,
        };
        let writing: &[_] = if reads_stdin {
            // A filter reads stdin and writes stdout.
            &["write", "output"]
        } else if self.writing.list_different && !self.writing.dry_run {
            // Only a dry run lists what the configuration would write.
            &["write"]
        } else {
            &[]
        };
        [writing, self.direction.overridden_keys()].concat()
    }
}

/// The table of limits, for all commands.
pub(super) const LIMITS: &str = "limits";

/// The key for the PATH of a command.
const PATH: &str = "path";

/// The kind of TOML value that a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
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

/// The meaning of the strings of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    Text,
    Path,
    /// A path after a name and `=`.
    PathAfterName,
}

/// The options of a command. Most of them are keys.
pub struct Keys {
    /// The name of the table.
    pub table: &'static str,
    command: Command,
    check: fn(&ArgMatches) -> Result<(), clap::Error>,
}

/// An option that is a key.
#[derive(Clone, Copy)]
pub struct Key<'k> {
    pub arg: &'k Arg,
    pub name: &'k str,
}

impl Keys {
    pub fn new<A: TableArgs>() -> Self {
        let command = A::augment_args(Command::new(A::TABLE).no_binary_name(true));
        let check = |matches: &ArgMatches| A::from_arg_matches(matches).map(|_| ());
        Self { table: A::TABLE, command, check }
    }

    /// Lists the keys: first that of PATH, then the options in the order of the help.
    pub fn iter(&self) -> impl Iterator<Item = Key<'_>> {
        let path = self.command.get_positionals().map(|arg| Key { arg, name: PATH });
        let named = self.command.get_arguments().filter_map(|arg| Some((arg, arg.get_long()?)));
        let named = named.filter(|(_, name)| !OptionTrait::NoKey.applies_to(name));
        path.take(1).chain(named.map(|(arg, name)| Key { arg, name }))
    }

    pub(super) fn get(&self, name: &str) -> Option<Key<'_>> {
        self.iter().find(|key| key.name == name)
    }

    /// Lists the names that `--limit` takes.
    pub(super) fn limit_names(&self) -> Vec<String> {
        let arg = self.command.get_arguments().find(|arg| arg.get_long() == Some("limit"));
        arg.map(list_possible_values).unwrap_or_default()
    }

    /// Finds the key whose option has this alias.
    pub(super) fn find_alias(&self, alias: &str) -> Option<&str> {
        let has_alias = |key: &Key<'_>| {
            key.arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&alias))
        };
        self.iter().find(has_alias).map(|key| key.name)
    }

    /// Whether the command has an option of this name that is not a key.
    pub(super) fn has_other_option(&self, name: &str) -> bool {
        let mut options = self.command.get_arguments().filter_map(Arg::get_long);
        OptionTrait::NoKey.applies_to(name) && options.any(|option| option == name)
    }

    /// Whether two keys exclude each other.
    pub(super) fn are_exclusive(&self, first: &str, second: &str) -> bool {
        let (Some(first), Some(second)) = (self.get(first), self.get(second)) else { return false };
        let excludes = |key: Key<'_>, other: Key<'_>| {
            let excluded = self.command.get_arg_conflicts_with(key.arg);
            excluded.iter().any(|arg| arg.get_id() == other.arg.get_id())
        };
        excludes(first, second) || excludes(second, first)
    }

    /// Parses arguments, and ignores which options require or exclude each other: typed options may
    /// satisfy the requirement, or override the excluded key.
    pub fn check<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a OsString>,
    ) -> Result<(), clap::Error> {
        let relaxed = self.command.clone().mut_args(|arg| {
            arg.requires(Resettable::<Id>::Reset).conflicts_with(Resettable::<Id>::Reset)
        });
        let matches = relaxed.try_get_matches_from(arguments)?;
        (self.check)(&matches)
    }
}

impl Key<'_> {
    /// Returns the id of the option in clap.
    pub(super) fn id(&self) -> &str {
        self.arg.get_id().as_str()
    }

    pub fn value_kind(&self) -> ValueKind {
        let names = self.arg.get_value_names().unwrap_or_default();
        match (self.arg.get_action(), names) {
            _ if self.arg.is_positional() => ValueKind::Paths,
            (ArgAction::SetTrue, _) => ValueKind::Flag,
            (ArgAction::Append, _) => ValueKind::List,
            _ if self.arg.get_value_delimiter().is_some() => ValueKind::List,
            (_, [name]) if name == "N" => ValueKind::Number,
            _ => ValueKind::Text,
        }
    }

    pub fn text_kind(&self) -> TextKind {
        let parsed = self.arg.get_value_parser().type_id();
        if parsed == TypeId::of::<PathBuf>() {
            TextKind::Path
        } else if parsed == TypeId::of::<FormatArg>() {
            TextKind::PathAfterName
        } else {
            TextKind::Text
        }
    }

    /// Lists the possible values, if the help lists them.
    pub(super) fn list_values(&self) -> Vec<String> {
        if self.arg.is_hide_possible_values_set() {
            return Vec::new();
        }
        list_possible_values(self.arg)
    }

    /// Returns the argument for a value; a path is relative to `folder`.
    pub(super) fn format_argument(&self, value: &str, folder: &Path) -> OsString {
        if self.arg.is_positional() {
            let path = join_path(folder, value);
            // A path that begins with `-` would be an option or stdin.
            let is_plain = !path.as_encoded_bytes().starts_with(b"-");
            return if is_plain { path } else { with_slashes(Path::new(".").join(path)).into() };
        }
        let mut argument = OsString::from(format!("--{}=", self.name));
        match self.text_kind() {
            TextKind::Path => argument.push(join_path(folder, value)),
            TextKind::PathAfterName => match value.split_once('=') {
                Some((name, file)) if file != "-" => {
                    argument.push(name);
                    argument.push("=");
                    argument.push(join_path(folder, file));
                }
                _ => argument.push(value),
            },
            TextKind::Text => argument.push(value),
        }
        argument
    }

    /// Returns the argument of a flag.
    pub(super) fn format_flag(&self) -> OsString {
        OsString::from(format!("--{}", self.name))
    }
}

/// Lists the values that an option offers.
fn list_possible_values(arg: &Arg) -> Vec<String> {
    arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
}

/// Joins a path to a folder. An empty path stays empty, and is rejected later.
fn join_path(folder: &Path, path: &str) -> OsString {
    let is_empty = path.is_empty() || folder.as_os_str().is_empty();
    if is_empty { OsStr::new(path).into() } else { with_slashes(folder.join(path)).into() }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    use crate::args::{AuditArgs, RewriteArgs, option_traits};

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
    fn a_key_needs_another_where_its_option_requires_one() {
        fn check<A: TableArgs>() {
            let keys = Keys::new::<A>();
            for key in keys.iter() {
                let argument = match key.value_kind() {
                    ValueKind::Flag => key.format_flag(),
                    ValueKind::Number => key.format_argument("1", Path::new("")),
                    _ => key.format_argument("x", Path::new("")),
                };
                let parsed = keys.command.clone().try_get_matches_from([argument]);
                let is_incomplete =
                    parsed.is_err_and(|error| error.kind() == ErrorKind::MissingRequiredArgument);
                let needs = option_traits(key.name)
                    .iter()
                    .any(|entry| matches!(entry, OptionTrait::Needs(_)));
                assert_eq!(is_incomplete, needs, "{}", key.name);
            }
        }
        check::<AuditArgs>();
        check::<RewriteArgs>();
    }

    #[test]
    fn keys_exclude_each_other_as_their_options_do() {
        let keys = Keys::new::<RewriteArgs>();
        assert!(keys.are_exclusive("write", "output") && keys.are_exclusive("output", "write"));
        assert!(keys.are_exclusive("path", "files-from"));
        assert!(!keys.are_exclusive("write", "path"));
    }

    #[test]
    fn paths_count_from_the_folder_of_the_file() {
        let keys = Keys::new::<AuditArgs>();
        let argument = |key: &str, value: &str| {
            keys.get(key).unwrap().format_argument(value, Path::new("../up")).into_string().unwrap()
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
        let here = |value| keys.get("path").unwrap().format_argument(value, Path::new(""));
        assert_eq!(here("-w"), "./-w");
        assert_eq!(here("-"), "./-");
    }
}
