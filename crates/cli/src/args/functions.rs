//! The Python functions that do the work of commands. Their keyword arguments are options.

use std::any::TypeId;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, CommandFactory};

use super::{Args, OptionTrait};

/// A Python function, and the command whose work it does.
#[derive(Debug)]
pub struct Function {
    pub name: &'static str,
    pub command: &'static str,
    /// The parameters that Python declares itself. They replace options of the same name.
    pub parameters: &'static [&'static str],
}

impl Function {
    const fn new(
        name: &'static str,
        command: &'static str,
        parameters: &'static [&'static str],
    ) -> Self {
        Self { name, command, parameters }
    }
}

/// `rewrite_tree` rewrites the files of a folder.
pub const TREE: Function =
    Function::new("rewrite_tree", "rewrite", &["destination", "base_url", "in_place", "progress"]);
/// `rewrite_file` rewrites a single file.
pub const FILE: Function =
    Function::new("rewrite_file", "rewrite", &["destination", "base_url", "in_place"]);
pub const AUDIT: Function = Function::new("audit", "audit", &["base_url", "progress"]);
pub const EXTRACT: Function = Function::new("extract", "extract", &["destination", "progress"]);
/// The constructor of `WarcReader`, a class, which takes the options of `links`.
pub const READER: Function = Function::new("WarcReader", "links", &["source", "base_url"]);

/// An option of the command, as a keyword argument.
#[derive(Debug)]
pub struct Keyword<'c> {
    pub name: String,
    /// The option up to the value, as in `--base-url` or `--limit=input`.
    pub option: String,
    pub arg: &'c Arg,
    pub values: KeywordValues,
}

/// The values that a keyword argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeywordValues {
    Flag,
    Number,
    Path,
    Text,
}

impl Function {
    /// Builds the command whose work the function does.
    pub fn command(&self) -> Command {
        Args::command().find_subcommand(self.command).cloned().unwrap_or_default()
    }

    /// Lists the keyword arguments of the function: the options of the command, without parameters
    /// and options that do not apply to Python. Each limit is a keyword argument.
    pub fn keywords<'c>(&self, command: &'c Command) -> Vec<Keyword<'c>> {
        let options = command.get_arguments().filter_map(|arg| Some((arg.get_long()?, arg)));
        let is_keyword = |option| {
            !OptionTrait::NoKeyword.applies_to(option)
                && !OptionTrait::NotIn(self.name).applies_to(option)
        };
        let options = options.filter(|(name, _)| is_keyword(name));
        let keywords = options.flat_map(|(name, arg)| match name {
            "limit" => Keyword::list_limits(arg),
            _ => vec![Keyword::new(name, arg)],
        });
        keywords.filter(|keyword| !self.parameters.contains(&&*keyword.name)).collect()
    }
}

impl<'c> Keyword<'c> {
    fn new(name: &str, arg: &'c Arg) -> Self {
        let parsed = arg.get_value_parser().type_id();
        let values = match arg.get_action() {
            ArgAction::SetTrue => KeywordValues::Flag,
            _ if parsed == TypeId::of::<usize>() => KeywordValues::Number,
            _ if parsed == TypeId::of::<PathBuf>() => KeywordValues::Path,
            _ => KeywordValues::Text,
        };
        Self { name: keyword(name), option: format!("--{name}"), arg, values }
    }

    fn list_limits(arg: &'c Arg) -> Vec<Self> {
        let limits = arg.get_possible_values().into_iter().map(|limit| Self {
            name: limit_keyword(limit.get_name()),
            option: format!("--limit={}", limit.get_name()),
            arg,
            values: KeywordValues::Number,
        });
        limits.collect()
    }
}

/// Spells an option as a keyword argument. In Python, `as` is a keyword, and `map` is a function.
pub fn keyword(option: &str) -> String {
    match option {
        "as" => "as_".to_owned(),
        "map" => "maps".to_owned(),
        option => option.replace('-', "_"),
    }
}

/// Whether an option is a keyword argument that is true or false.
pub fn is_flag(option: &str) -> bool {
    let command = Args::command();
    let all = command.get_subcommands().flat_map(Command::get_arguments);
    let mut named = all.filter(|arg| arg.get_long() == Some(option));
    let is_flag = named.any(|arg| matches!(arg.get_action(), ArgAction::SetTrue));
    is_flag && !OptionTrait::NoKeyword.applies_to(option)
}

/// Spells a limit as a keyword argument.
pub fn limit_keyword(name: &str) -> String {
    format!("max_{}", name.replace('-', "_"))
}
