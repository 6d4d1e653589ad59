//! Converts keyword arguments to arguments of the command, and parses them.
//!
//! The parser of the command is the only table of names, values and messages. Parsing takes longer
//! than rewriting a document, so [`options`](crate::options) reads the options of one document.

use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use absolve::Diagnosis;
use absolve::option::nearest;
use absolve_cli::args::functions::{Function, Keyword, KeywordValues, keyword, limit_keyword};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command, FromArgMatches};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyMapping, PyString};

use crate::errors::{self, Error, message_for_python, spell};
use crate::options::{read_encoding, read_map, read_path, read_text, wrong_type};

/// Reads the keyword arguments of a function that does the work of a command; `parameters` are the
/// arguments of its parameters, and `paths` the paths to work on.
///
/// # Errors
///
/// `TypeError` for an unknown option and a value of a wrong type; `Error`, or one of its
/// subclasses, for a value that the option does not take.
pub(crate) fn parse<A: FromArgMatches>(
    function: &Function,
    py: Python<'_>,
    options: Option<&Bound<'_, PyDict>>,
    parameters: Vec<OsString>,
    paths: &[PathBuf],
) -> PyResult<A> {
    let command = function.command();
    let keywords = function.keywords(&command);
    let mut arguments = vec![OsString::from(function.command)];
    for (name, value) in options.into_iter().flatten() {
        let name = name.cast_into::<PyString>()?;
        let name = errors::utf8("the name of an option: ", &name)?;
        let Some(keyword) = keywords.iter().find(|keyword| keyword.name == name) else {
            return Err(unknown_keyword(function, name, &keywords));
        };
        if !value.is_none() {
            push_keyword(keyword, &value, &mut arguments)?;
        }
    }
    arguments.extend(parameters);
    arguments.push("--".into());
    arguments.extend(paths.iter().map(|path| escape_dash(path.clone()).into_os_string()));
    let mut parser = command.clone();
    let matches = parser.try_get_matches_from_mut(arguments);
    let args = matches.and_then(|matches| A::from_arg_matches(&matches));
    args.map_err(|error| parser_exception(py, &parser, &error))
}

fn unknown_keyword(function: &Function, name: &str, keywords: &[Keyword<'_>]) -> PyErr {
    let names = keywords.iter().map(|keyword| &*keyword.name);
    let names = names.chain(function.parameters.iter().copied());
    errors::unexpected_keyword(function.name, name, names)
}

/// Makes the exception of an error of the parser, from the data of the error.
fn parser_exception(py: Python<'_>, parser: &Command, error: &clap::Error) -> PyErr {
    let source = error.source();
    if let Some(error) = source.and_then(|source| source.downcast_ref::<absolve::Error>()) {
        return errors::exception(py, error);
    }
    let texts = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => std::slice::from_ref(text),
        Some(ContextValue::Strings(texts)) => texts,
        _ => &[],
    };
    // The error shows an argument as the help does.
    let option = |shown: &str| {
        let arg = parser.get_arguments().find(|arg| arg.to_string() == shown);
        arg.and_then(Arg::get_long).unwrap_or_default()
    };
    let names = |kind| {
        let names = texts(kind).iter().map(|shown| format!("'{}'", spell(option(shown), "")));
        names.collect::<Vec<_>>().join(", ")
    };
    let given = names(ContextKind::InvalidArg);
    let problem = match (error.kind(), texts(ContextKind::InvalidArg)) {
        (ErrorKind::InvalidValue | ErrorKind::ValueValidation, [shown]) => {
            let value = texts(ContextKind::InvalidValue).first().map_or("", String::as_str);
            let (name, value) = match (option(shown), value.split_once('=')) {
                ("limit", Some((limit, value))) => (limit_keyword(limit), value),
                (option, _) => (keyword(option), value),
            };
            let expected = texts(ContextKind::ValidValue);
            let near = nearest(value, expected.iter().map(String::as_str));
            let why = match (source, near) {
                (Some(why), _) => match why.downcast_ref::<Diagnosis>() {
                    Some(why) => message_for_python(why),
                    None => why.to_string(),
                },
                (None, Some(near)) => format!("did you mean '{near}'?"),
                (None, None) => format!("expected {}", expected.join(", ")),
            };
            format!("invalid value {value:?} for '{name}', {why}")
        }
        (ErrorKind::ArgumentConflict, _) => {
            format!("the argument {given} cannot be used with {}", names(ContextKind::PriorArg))
        }
        (ErrorKind::MissingRequiredArgument, _) => format!("the argument {given} is missing"),
        (kind, _) => kind.to_string(),
    };
    Error::new_err(problem)
}

/// Adds the arguments of the command for a keyword argument.
fn push_keyword(
    keyword: &Keyword<'_>,
    value: &Bound<'_, PyAny>,
    arguments: &mut Vec<OsString>,
) -> PyResult<()> {
    let option = &keyword.option;
    let is_optional = keyword.arg.get_num_args().is_some_and(|values| values.min_values() == 0);
    if keyword.values == KeywordValues::Flag || is_optional && value.is_instance_of::<PyBool>() {
        let is_set = value.cast::<PyBool>().map_err(|_| wrong_type(&keyword.name, "a bool", value));
        if is_set?.is_true() {
            arguments.push(option.into());
        }
        return Ok(());
    }
    let mut add = |value: OsString| arguments.push(join_argument(option, &value));
    let is_text = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
    let is_number = keyword.values == KeywordValues::Number;
    if is_text || is_number || !matches!(keyword.arg.get_action(), ArgAction::Append) {
        add(read_value(keyword, value)?);
    } else if let Ok(mapping) = value.cast::<PyMapping>() {
        for (name, value) in read_map(&keyword.name, mapping)? {
            add(format!("{name}={value}").into());
        }
    } else if let Ok(values) = value.try_iter() {
        for value in values {
            add(read_value(keyword, &value?)?);
        }
    } else {
        // The value is a single path.
        add(read_value(keyword, value)?);
    }
    Ok(())
}

/// Reads a single value of a keyword argument.
fn read_value(keyword: &Keyword<'_>, value: &Bound<'_, PyAny>) -> PyResult<OsString> {
    let wrong = |expected| wrong_type(&keyword.name, expected, value);
    match keyword.values {
        KeywordValues::Number if value.is_instance_of::<PyBool>() => Err(wrong("an int")),
        KeywordValues::Number => {
            let number = value.cast::<PyInt>().map_err(|_| wrong("an int"))?;
            Ok(number.str()?.to_string_lossy().into_owned().into())
        }
        KeywordValues::Path => Ok(escape_dash(read_path(&keyword.name, value)?).into_os_string()),
        KeywordValues::Flag | KeywordValues::Text if keyword.name == "encoding" => {
            Ok(read_encoding(&keyword.name, value)?.into())
        }
        KeywordValues::Flag | KeywordValues::Text => Ok(read_text(&keyword.name, value)?.into()),
    }
}

/// Joins an option and its value by `=`, so the value may begin with a dash.
pub(crate) fn join_argument(option: &str, value: impl AsRef<OsStr>) -> OsString {
    [OsStr::new(option), value.as_ref()].join("=".as_ref())
}

/// Escapes a path named `-`, which the command would take for a stream.
pub(crate) fn escape_dash(path: PathBuf) -> PathBuf {
    if path.as_os_str() == "-" { PathBuf::from("./-") } else { path }
}
