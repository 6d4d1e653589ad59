//! The keys that there are, from the options that there are.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{Arg, ArgAction, Args, Command, FromArgMatches};

use crate::args::AuditArgs;

/// Options that say where settings come from, or print something else.
const NO_KEYS: &[&str] = &["config", "no-config", "print-config", "list-rules", "explain"];

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
}

/// What the strings of a key are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Text,
    Path,
    /// A path behind a name and `=`.
    PathBehindName,
}

/// The options of an audit.
pub(super) struct Keys {
    command: Command,
}

/// One option that is a key too.
#[derive(Clone, Copy)]
pub(super) struct Key<'k> {
    arg: &'k Arg,
    pub(super) name: &'k str,
}

impl Keys {
    pub(super) fn new() -> Self {
        Self { command: AuditArgs::augment_args(Command::new("audit").no_binary_name(true)) }
    }

    /// Every key, in the order of the help.
    pub(super) fn iter(&self) -> impl Iterator<Item = Key<'_>> {
        let named = self.command.get_arguments().filter_map(|arg| Some((arg, arg.get_long()?)));
        named.filter(|(_, name)| !NO_KEYS.contains(name)).map(|(arg, name)| Key { arg, name })
    }

    pub(super) fn get(&self, name: &str) -> Option<Key<'_>> {
        self.iter().find(|key| key.name == name)
    }

    /// Whether a name is that of an option that is no key.
    pub(super) fn is_typed_only(name: &str) -> bool {
        NO_KEYS.contains(&name)
    }

    /// Whether the options take these arguments, whatever else is missing.
    pub(super) fn check<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a OsString>,
    ) -> Result<(), clap::Error> {
        // With this one, nothing else is needed.
        let complete = OsStr::new("--list-rules");
        let all = arguments.into_iter().map(OsString::as_os_str).chain([complete]);
        let matches = self.command.clone().try_get_matches_from(all)?;
        AuditArgs::from_arg_matches(&matches).map(|_| ())
    }
}

impl Key<'_> {
    /// The name under which clap has what was given.
    pub(super) fn id(&self) -> &str {
        self.arg.get_id().as_str()
    }

    pub(super) fn takes(&self) -> Takes {
        match (self.arg.get_action(), self.value_name()) {
            (ArgAction::SetTrue, _) => Takes::Flag,
            (ArgAction::Append, _) => Takes::List,
            _ if self.arg.get_value_delimiter().is_some() => Takes::List,
            (_, "N") => Takes::Number,
            (_, "SIZE") => Takes::Size,
            _ => Takes::Text,
        }
    }

    fn holds(&self) -> Holds {
        match self.value_name() {
            "FILE" | "DIR" => Holds::Path,
            "NAME[=FILE]" => Holds::PathBehindName,
            _ => Holds::Text,
        }
    }

    fn value_name(&self) -> &str {
        self.arg.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str())
    }

    /// The argument that says the same; a path counts from `folder`.
    pub(super) fn argument(&self, value: &str, folder: &Path) -> OsString {
        let mut argument = OsString::from(format!("--{}=", self.name));
        match self.holds() {
            Holds::Path => argument.push(from(folder, value)),
            Holds::PathBehindName => match value.split_once('=') {
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
    use super::*;

    #[test]
    fn every_option_is_a_key_but_those_about_settings() {
        let keys = Keys::new();
        let takes = |name: &str| keys.get(name).map(|key| key.takes());
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
    }

    #[test]
    fn paths_count_from_the_folder_of_the_file() {
        let keys = Keys::new();
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
    }
}
