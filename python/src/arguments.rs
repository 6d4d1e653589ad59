//! Keyword arguments as arguments of the command, which its parser reads.
//!
//! The parser of the command is the one table of names, values and messages. A document is
//! rewritten in less time than it takes, so [`options`](crate::options) has a table of its own.

use std::any::TypeId;
use std::error::Error as _;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyMapping, PyString};

use crate::errors::{self, Error};
use crate::options::{encoding, pairs, path, text, wrong_type};
use crate::wording::{in_python, keyword, of_limit};
use absolve::cli::args::{Args, nearest};

/// A function of Python that does what a command does.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) command: &'static str,
    /// Its parameters, which an unknown name may have meant.
    pub(crate) parameters: &'static [&'static str],
    /// The options of the command that the function does not have: it has a parameter or a method
    /// for them, or they are about the terminal. They are in lists that functions share.
    pub(crate) without: &'static [&'static [&'static str]],
}

/// An option of the command, as a keyword argument.
struct Keyword<'c> {
    name: String,
    /// The option as it is typed, before `=` and its value.
    option: String,
    arg: &'c Arg,
    values: Values,
}

/// The values that a keyword argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    Flag,
    Number,
    Path,
    Text,
}

impl Function {
    /// Reads keyword arguments; `own` are the arguments of its parameters, and `paths` what it works
    /// on. The matches are the values as they were given.
    ///
    /// # Errors
    ///
    /// `TypeError` for an unknown option and a value of a wrong type; `Error`, or one of its
    /// subclasses, for a value that the option does not take.
    pub(crate) fn parse<A: FromArgMatches>(
        &self,
        py: Python<'_>,
        options: Option<&Bound<'_, PyDict>>,
        own: Vec<OsString>,
        paths: &[PathBuf],
    ) -> PyResult<(A, ArgMatches)> {
        let command = self.command();
        let keywords = self.keywords(&command);
        let mut typed = vec![OsString::from(self.command)];
        for (name, value) in options.into_iter().flatten() {
            let name = name.cast_into::<PyString>()?;
            let name = errors::utf8("the name of an option: ", &name)?;
            let Some(keyword) = keywords.iter().find(|keyword| keyword.name == name) else {
                return Err(self.unknown(name, &keywords));
            };
            if !value.is_none() {
                keyword.push(&value, &mut typed)?;
            }
        }
        typed.extend(own);
        typed.push("--".into());
        typed.extend(paths.iter().map(|path| not_a_stream(path.clone()).into_os_string()));
        let matches = command.clone().try_get_matches_from(typed);
        let args = matches.and_then(|matches| Ok((A::from_arg_matches(&matches)?, matches)));
        args.map_err(|error| self.exception(py, &error))
    }

    /// A message of the library or the command, with keyword arguments for options.
    pub(crate) fn in_python(&self, message: &str) -> String {
        in_python(message, |name| {
            let command = self.command();
            let is_flag = |keyword: &Keyword<'_>| keyword.values == Values::Flag;
            self.keywords(&command).iter().any(|keyword| keyword.name == name && is_flag(keyword))
        })
    }

    /// The exception of a failure that the command would print.
    pub(crate) fn failure(&self, message: &str) -> PyErr {
        Error::new_err(self.in_python(message))
    }

    /// The names of its options.
    pub(crate) fn options(&self) -> Vec<String> {
        let command = self.command();
        self.keywords(&command).into_iter().map(|keyword| keyword.name).collect()
    }

    fn command(&self) -> clap::Command {
        Args::command().find_subcommand(self.command).cloned().unwrap_or_default()
    }

    fn keywords<'c>(&self, command: &'c clap::Command) -> Vec<Keyword<'c>> {
        let options = command.get_arguments().filter_map(|arg| Some((arg.get_long()?, arg)));
        let keywords = options.flat_map(|(name, arg)| match name {
            "limit" => Keyword::of_limits(arg),
            _ => vec![Keyword::of(name, arg)],
        });
        let without: Vec<String> =
            self.without.iter().copied().flatten().map(|name| keyword(name)).collect();
        keywords.filter(|keyword| !without.contains(&keyword.name)).collect()
    }

    fn unknown(&self, name: &str, keywords: &[Keyword<'_>]) -> PyErr {
        let names = keywords.iter().map(|keyword| &*keyword.name);
        let names = names.chain(self.parameters.iter().copied());
        errors::unexpected(self.name, name, names)
    }

    fn exception(&self, py: Python<'_>, error: &clap::Error) -> PyErr {
        let source = error.source();
        if let Some(error) = source.and_then(|source| source.downcast_ref::<absolve::Error>()) {
            return errors::exception(py, error);
        }
        let text = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.clone()),
            _ => None,
        };
        let given = text(ContextKind::InvalidArg).zip(text(ContextKind::InvalidValue));
        let (Some((option, value)), ErrorKind::InvalidValue | ErrorKind::ValueValidation) =
            (given, error.kind())
        else {
            let lines = error.to_string();
            let lines = lines.lines().take_while(|line| !line.is_empty()).map(str::trim);
            let message = lines.collect::<Vec<_>>().join(" ");
            return self.failure(message.strip_prefix("error: ").unwrap_or(&message));
        };
        let option =
            option.split([' ', '=', '[']).next().unwrap_or_default().trim_start_matches('-');
        let (name, value) = match value.split_once('=').filter(|_| option == "limit") {
            Some((limit, value)) => (of_limit(limit), value),
            None => (keyword(option), &*value),
        };
        let why = match (source, error.get(ContextKind::ValidValue)) {
            (Some(why), _) => self.in_python(&why.to_string()),
            (None, Some(ContextValue::Strings(names))) => {
                match nearest(value, names.iter().map(|name| &**name)) {
                    Some(near) => format!("did you mean '{near}'?"),
                    None => format!("expected {}", names.join(", ")),
                }
            }
            _ => "expected another".to_owned(),
        };
        Error::new_err(format!("invalid value {value:?} for '{name}', {why}"))
    }
}

impl<'c> Keyword<'c> {
    fn of(name: &str, arg: &'c Arg) -> Self {
        Self { name: keyword(name), option: format!("--{name}"), arg, values: Values::of(arg) }
    }

    /// The limits, of which each is a keyword argument.
    fn of_limits(arg: &'c Arg) -> Vec<Self> {
        let limits = arg.get_possible_values().into_iter().map(|limit| Self {
            name: of_limit(limit.get_name()),
            option: format!("--limit={}", limit.get_name()),
            arg,
            values: Values::Number,
        });
        limits.collect()
    }

    /// Adds the arguments of a value.
    fn push(&self, value: &Bound<'_, PyAny>, typed: &mut Vec<OsString>) -> PyResult<()> {
        let option = &self.option;
        let is_optional = self.arg.get_num_args().is_some_and(|values| values.min_values() == 0);
        if self.values == Values::Flag || is_optional && value.is_instance_of::<PyBool>() {
            let is_set =
                value.cast::<PyBool>().map_err(|_| wrong_type(&self.name, "a bool", value));
            if is_set?.is_true() {
                typed.push(option.into());
            }
            return Ok(());
        }
        let mut add = |value: OsString| {
            let mut argument = OsString::from(option);
            argument.push("=");
            argument.push(value);
            typed.push(argument);
        };
        let is_one = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
        let is_number = self.values == Values::Number;
        if is_one || is_number || !matches!(self.arg.get_action(), ArgAction::Append) {
            add(self.value(value)?);
        } else if let Ok(mapping) = value.cast::<PyMapping>() {
            for (name, value) in pairs(&self.name, mapping)? {
                add(format!("{name}={value}").into());
            }
        } else if let Ok(values) = value.try_iter() {
            for value in values {
                add(self.value(&value?)?);
            }
        } else {
            // One path.
            add(self.value(value)?);
        }
        Ok(())
    }

    fn value(&self, value: &Bound<'_, PyAny>) -> PyResult<OsString> {
        let wrong = |expected| wrong_type(&self.name, expected, value);
        match self.values {
            Values::Number if value.is_instance_of::<PyBool>() => Err(wrong("an int")),
            Values::Number => {
                let number = value.cast::<PyInt>().map_err(|_| wrong("an int"))?;
                Ok(number.str()?.to_string_lossy().into_owned().into())
            }
            Values::Path => Ok(not_a_stream(path(&self.name, value)?).into_os_string()),
            Values::Flag | Values::Text if self.name == "encoding" => {
                Ok(encoding(&self.name, value)?.into())
            }
            Values::Flag | Values::Text => Ok(text(&self.name, value)?.into()),
        }
    }
}

impl Values {
    fn of(arg: &Arg) -> Self {
        let parsed = arg.get_value_parser().type_id();
        match arg.get_action() {
            ArgAction::SetTrue => Self::Flag,
            _ if parsed == TypeId::of::<usize>() => Self::Number,
            _ if parsed == TypeId::of::<PathBuf>() => Self::Path,
            _ => Self::Text,
        }
    }
}

/// A path, also where it has the name that is a stream on the command line.
pub(crate) fn not_a_stream(path: PathBuf) -> PathBuf {
    if path.as_os_str() == "-" { PathBuf::from("./-") } else { path }
}
