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
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyMapping, PyString};

use crate::args::{Args, nearest};
use crate::errors::{self, Error};
use crate::options::{encoding, path, text, wrong_type};
use crate::terminal::with_options;

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
    /// on.
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
    ) -> PyResult<A> {
        self.parse_with_matches(py, options, own, paths).map(|(args, _)| args)
    }

    /// The same, with the values as they were given.
    pub(crate) fn parse_with_matches<A: FromArgMatches>(
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
            let name = name.to_str()?;
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
        let options =
            options.filter(|(name, _)| !self.without.iter().any(|list| list.contains(name)));
        options
            .map(|(name, arg)| Keyword { name: keyword(name), arg, values: Values::of(arg) })
            .collect()
    }

    fn unknown(&self, name: &str, keywords: &[Keyword<'_>]) -> PyErr {
        let names = keywords.iter().map(|keyword| &*keyword.name);
        let names = names.chain(self.parameters.iter().copied());
        let hint = match nearest(name, names) {
            Some(near) => format!(". Did you mean '{near}'?"),
            None => String::new(),
        };
        // The words of Python 3.12 and later.
        let what = format!("{}() got an unexpected keyword argument '{name}'{hint}", self.name);
        PyTypeError::new_err(what)
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
        let why = match (source, error.get(ContextKind::ValidValue)) {
            (Some(why), _) => self.in_python(&why.to_string()),
            (None, Some(ContextValue::Strings(names))) => {
                match nearest(&value, names.iter().map(|name| &**name)) {
                    Some(near) => format!("did you mean '{near}'?"),
                    None => format!("expected {}", names.join(", ")),
                }
            }
            _ => "expected another".to_owned(),
        };
        Error::new_err(format!("invalid value {value:?} for '{}', {why}", keyword(option)))
    }
}

impl Keyword<'_> {
    /// Adds the arguments of a value.
    fn push(&self, value: &Bound<'_, PyAny>, typed: &mut Vec<OsString>) -> PyResult<()> {
        let option = format!("--{}", self.arg.get_long().unwrap_or_default());
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
            let mut argument = OsString::from(&option);
            argument.push("=");
            argument.push(value);
            typed.push(argument);
        };
        let is_one = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
        if is_one || !matches!(self.arg.get_action(), ArgAction::Append) {
            add(self.value(value)?);
        } else if let Ok(pairs) = value.cast::<PyMapping>() {
            for pair in pairs.items()? {
                let pair = pair.extract::<(String, String)>();
                let wrong = |_| wrong_type(&self.name, "a mapping of str to str", value);
                let (name, value) = pair.map_err(wrong)?;
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
            Values::Path => {
                let path = path(value).map_err(|_| wrong("a path"))?;
                Ok(not_a_stream(path).into_os_string())
            }
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

/// An option as a keyword argument: `as` and `for` are words of Python, and `map` is a function.
fn keyword(option: &str) -> String {
    match option {
        "as" => "as_".to_owned(),
        "for" => "for_".to_owned(),
        "map" => "maps".to_owned(),
        option => option.replace('-', "_"),
    }
}

/// A message of the library or the command, with keyword arguments for options.
pub(crate) fn in_python(message: &str, is_flag: impl Fn(&str) -> bool) -> String {
    let message = with_options(message);
    let mut parts = message.split("--");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
        let is_text = !text.is_empty() && !text.ends_with([' ', '(', '\'']);
        if is_text || !part.starts_with(is_name) {
            text.extend(["--", part]);
            continue;
        }
        let (option, rest) = part.split_at(part.find(|c| !is_name(c)).unwrap_or(part.len()));
        // Of the options with named values that messages have.
        let has_value = matches!(option, "as" | "engine" | "learn");
        let value = rest.strip_prefix(' ').filter(|value| has_value && value.starts_with(is_name));
        let (value, rest) = value.map_or(("", rest), |value| {
            value.split_at(value.find(|c| !is_name(c)).unwrap_or(value.len()))
        });
        let name = keyword(option);
        let words = match option {
            "write" => "in_place=True".to_owned(),
            "output" => "destination".to_owned(),
            _ if !value.is_empty() => format!("{name}='{value}'"),
            _ if is_flag(&name) => format!("{name}=True"),
            _ => name,
        };
        text.push_str(&words);
        text.push_str(rest);
    }
    text
}

/// A path, also where it has the name that is a stream on the command line.
pub(crate) fn not_a_stream(path: PathBuf) -> PathBuf {
    if path.as_os_str() == "-" { PathBuf::from("./-") } else { path }
}
