//! Parsers of values, and functions for options that clap cannot derive.

use std::ffi::OsStr;
use std::path::PathBuf;

use absolve::Diagnosis;
use absolve_files::with_slashes;
use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Command};

/// A name that an option takes, with its value.
pub(super) struct Choice<T> {
    name: &'static str,
    /// Another spelling, which the help hides.
    alias: Option<&'static str>,
    value: T,
    /// Empty if the name explains itself.
    help: &'static str,
}

impl<T: Copy> Choice<T> {
    pub(super) const fn new(name: &'static str, value: T, help: &'static str) -> Self {
        Self { name, alias: None, value, help }
    }

    pub(super) const fn alias(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }

    fn possible_value(&self) -> PossibleValue {
        let help = Some(self.help).filter(|help| !help.is_empty());
        PossibleValue::new(self.name).aliases(self.alias).help(help)
    }
}

/// Returns the parser of an option that takes one of the names of a table.
pub(super) fn choice<T>(choices: &'static [Choice<T>]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let parser = PossibleValuesParser::new(choices.iter().map(Choice::possible_value));
    parser.try_map(|name| {
        let mut choices = choices.iter();
        let is_named = |choice: &&Choice<T>| choice.name == name || choice.alias == Some(&name);
        choices.find(is_named).map(|choice| choice.value).ok_or("no such name")
    })
}

/// Returns the parser of a path; messages show the path with `/` on every system.
pub(super) fn path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(with_slashes)
}

/// Returns the name of a value.
pub(super) fn name_of<T: PartialEq>(choices: &[Choice<T>], value: &T) -> &'static str {
    choices.iter().find(|choice| choice.value == *value).map_or("", |choice| choice.name)
}

/// Returns the name of the default value of a type.
pub(super) fn default_name<T: Default + PartialEq>(choices: &[Choice<T>]) -> &'static str {
    name_of(choices, &T::default())
}

/// Parses a value by a function.
#[derive(Clone)]
pub(super) struct FunctionParser<T> {
    pub(super) parse: fn(&str) -> Result<T, Diagnosis>,
    /// Lists the values that the help and completions offer.
    pub(super) list_values: fn() -> Vec<PossibleValue>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for FunctionParser<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        TypedValueParser::parse_ref(&self.parse, command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.list_values)().into_iter()))
    }
}

/// Returns the parser of an option that takes one of `values` by its name.
pub(super) fn named<T>(
    values: impl IntoIterator<Item = T> + Clone + Send + Sync + 'static,
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let parser = PossibleValuesParser::new(values.clone().into_iter().map(name));
    parser.try_map(move |text| {
        values.clone().into_iter().find(|value| name(*value) == text).ok_or("no such name")
    })
}

/// Returns the values of several options in the order of the command line.
pub(super) fn collect_in_order<T>(matches: &ArgMatches, options: &[&str]) -> Vec<T>
where
    T: Clone + Send + Sync + 'static,
{
    let mut values = Vec::new();
    for option in options {
        let positions = matches.indices_of(option).into_iter().flatten();
        values.extend(positions.zip(matches.get_many::<T>(option).into_iter().flatten()));
    }
    values.sort_by_key(|(position, _)| *position);
    values.into_iter().map(|(_, value)| value.clone()).collect()
}

/// Implements the traits of clap for a type, from two functions: the first adds its options to a
/// command, and the second reads their values.
macro_rules! options {
    ($type:ty $(where { $($bound:tt)+ })?, $add:expr, $read:expr) => {
        impl$(<$($bound)+>)? clap::Args for $type {
            fn augment_args(command: clap::Command) -> clap::Command {
                $add(command)
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                $add(command)
            }
        }

        impl$(<$($bound)+>)? clap::FromArgMatches for $type {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                Ok($read(matches))
            }

            fn update_from_arg_matches(
                &mut self,
                matches: &clap::ArgMatches,
            ) -> Result<(), clap::Error> {
                *self = $read(matches);
                Ok(())
            }
        }
    };
}

pub(super) use options;
