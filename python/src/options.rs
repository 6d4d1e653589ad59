//! Reads keyword arguments as options of the library.

use std::path::PathBuf;

use absolve::option::{
    DocumentOption, InvalidOption, OPTIONS, Value as Given, Values, unknown_name,
};
use absolve::{Limits, Policy, Rewriter};
use absolve_cli::args::functions::{keyword, limit_keyword};
use encoding_rs::Encoding;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyMapping, PyString};

use crate::errors::{self, Error, message_for_python};

type Value<'py> = Bound<'py, PyAny>;

/// A function of Python: its name, and the names of its parameters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Function(pub(crate) &'static str, pub(crate) &'static [&'static str]);

/// Returns the rewriter of keyword arguments, without a base URL.
///
/// # Errors
///
/// `TypeError` for an unknown option and a value of a wrong type, `Error` for a value that the
/// option does not take.
pub(crate) fn read_rewriter(
    function: Function,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Rewriter> {
    let mut rewriter = Rewriter::new();
    let Some(options) = options else { return Ok(rewriter) };
    let mut limits = Limits::default();
    for (name, value) in options {
        let name = name.cast_into::<PyString>()?;
        let name = errors::utf8("the name of an option: ", &name)?;
        let option = OPTIONS.iter().find(|option| is_keyword(option.name, name));
        let limit = name
            .strip_prefix("max_")
            .and_then(|name| limits_of_documents().find(|(row, _)| is_keyword(row.name, name)));
        match (option, limit) {
            // A test uses this name to cause a panic, which becomes an exception.
            (None, None) if name == "_panic" => {
                rewriter = rewriter.policy(Policy::custom(|_| panic!("on purpose")));
            }
            (None, None) => return Err(unknown_option(function, name)),
            _ if value.is_none() => {}
            (Some(option), _) => rewriter = set_option(rewriter, option, name, &value)?,
            (None, Some((row, field))) => {
                let number = read_number(name, &value)?;
                row.check(number, |max| max.to_string())
                    .map_err(|why| Error::new_err(InvalidOption::Together(why).message(name)))?;
                *field(&mut limits) = number;
            }
        }
    }
    let rewriter = rewriter.limits(limits);
    let Some(unused) = rewriter.unused_only() else { return Ok(rewriter) };
    let why = InvalidOption::Text(unused.name.clone(), message_for_python(&unused.why));
    Err(Error::new_err(why.message("only")))
}

/// Whether a keyword argument names an option. It runs at every call, so it allocates nothing.
fn is_keyword(option: &str, name: &str) -> bool {
    match option {
        "as" => name == "as_",
        "map" => name == "maps",
        _ => {
            let bytes = option.bytes().map(|byte| if byte == b'-' { b'_' } else { byte });
            option.len() == name.len() && bytes.eq(name.bytes())
        }
    }
}

/// Lists the limits on one document; 0 is no limit.
fn limits_of_documents() -> impl Iterator<Item = &'static absolve::LimitAccess<Limits>> {
    Limits::ROWS.iter().filter(|(row, _)| row.users.contains(&"document"))
}

/// Sets an option to the value of a keyword argument.
fn set_option(
    rewriter: Rewriter,
    option: &DocumentOption,
    name: &str,
    value: &Value<'_>,
) -> PyResult<Rewriter> {
    let single = |text: &str| vec![(text.to_owned(), None)];
    let given: Vec<(String, Option<String>)> = match (option.values, value.cast::<PyMapping>()) {
        (Values::Flag, _) => Vec::new(),
        (Values::Text | Values::Name(_), _) => single(read_text(name, value)?),
        (Values::Label, _) => single(&read_encoding(name, value)?),
        (Values::Pairs, Ok(mapping)) => {
            read_map(name, mapping)?.into_iter().map(|(old, new)| (old, Some(new))).collect()
        }
        _ => read_texts(name, value)?.into_iter().map(|text| (text, None)).collect(),
    };
    let mut given: Vec<Given<'_>> = given
        .iter()
        .map(|(text, new)| new.as_ref().map_or(Given::Text(text), |new| Given::Pair(text, new)))
        .collect();
    if let Values::Flag = option.values {
        given.push(Given::Flag(read_flag(name, value)?));
    }
    let result = rewriter.set(option, &given);
    result.map_err(|error| match error {
        InvalidOption::Library(error) => errors::exception(value.py(), &error),
        error => Error::new_err(error.message(name)),
    })
}

/// Makes the exception for an unknown argument.
fn unknown_option(Function(function, parameters): Function, name: &str) -> PyErr {
    let options = OPTIONS.iter().map(|option| keyword(option.name));
    let options = options.chain(limits_of_documents().map(|(row, _)| limit_keyword(row.name)));
    let options = options.chain(parameters.iter().map(|&name| name.to_owned()));
    let options: Vec<_> = options.collect();
    errors::unexpected_keyword(function, name, options.iter().map(String::as_str))
}

/// Finds the choice that `text` names.
pub(crate) fn find_choice<T>(
    option: &str,
    text: &str,
    choices: impl IntoIterator<Item = (&'static str, T)>,
) -> PyResult<T> {
    let mut names = Vec::new();
    for (name, choice) in choices {
        if name == text {
            return Ok(choice);
        }
        names.push(name);
    }
    Err(Error::new_err(unknown_name(option, text, &names)))
}

fn read_flag(name: &str, value: &Value<'_>) -> PyResult<bool> {
    // `extract` takes a bool of NumPy too.
    value.extract().map_err(|_| wrong_type(name, "a bool", value))
}

/// Reads an argument that is a number from 0.
pub(crate) fn read_number(name: &str, value: &Value<'_>) -> PyResult<usize> {
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(name, "an int", value));
    }
    value.extract::<usize>().map_err(|error| {
        if error.is_instance_of::<PyTypeError>(value.py()) {
            wrong_type(name, "an int", value)
        } else {
            Error::new_err(format!("invalid value for '{name}', expected a number from 0"))
        }
    })
}

/// Reads an argument that is a text.
pub(crate) fn read_text<'a>(name: &str, value: &'a Value<'_>) -> PyResult<&'a str> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type(name, "a str", value))?;
    errors::utf8(&format!("'{name}': "), text)
}

/// Reads the argument `base_url`.
pub(crate) fn base_url<'a>(value: &'a Value<'_>) -> PyResult<Option<&'a str>> {
    if value.is_none() { Ok(None) } else { read_text("base_url", value).map(Some) }
}

/// Reads a path, which `os.fsencode` may have encoded; `None` for another type.
pub(crate) fn try_path(value: &Value<'_>) -> PyResult<Option<PathBuf>> {
    let py = value.py();
    match py.import("os")?.call_method1("fsdecode", (value,)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(None),
        path => path?.extract().map(Some),
    }
}

/// Reads an argument that is a path.
pub(crate) fn read_path(name: &str, value: &Value<'_>) -> PyResult<PathBuf> {
    refuse_empty(name, try_path(value)?.ok_or_else(|| wrong_type(name, "a path", value))?)
}

/// Refuses an empty path.
pub(crate) fn refuse_empty(name: &str, path: PathBuf) -> PyResult<PathBuf> {
    if path.as_os_str().is_empty() { Err(empty_path(name)) } else { Ok(path) }
}

fn empty_path(name: &str) -> PyErr {
    Error::new_err(format!("'{name}' is empty; give a path"))
}

/// Reads an argument that is a path or several.
pub(crate) fn path_or_paths(name: &str, value: &Value<'_>) -> PyResult<Vec<PathBuf>> {
    if let Some(path) = try_path(value)? {
        return Ok(vec![refuse_empty(name, path)?]);
    }
    let paths = value.try_iter().map_err(|_| wrong_type(name, "a path or several", value))?;
    let paths = paths.map(|path| read_path(name, &path?)).collect::<PyResult<Vec<_>>>()?;
    if paths.is_empty() { Err(empty_path(name)) } else { Ok(paths) }
}

/// Reads a path to write to. A URL in its place is usually meant as the base URL.
pub(crate) fn destination_path(value: &Value<'_>) -> PyResult<PathBuf> {
    let path = read_path("destination", value)?;
    let text = path.to_string_lossy();
    // A Windows drive has one letter, and `pathlib` makes one slash of two.
    let is_scheme =
        |scheme: &str| scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_url = text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme));
    let is_web = text.starts_with("http:/") || text.starts_with("https:/");
    if is_url || (is_web && !value.is_instance_of::<PyString>()) {
        let problem = "is a URL, expected a path; the URL of the documents is base_url=";
        return Err(Error::new_err(format!("'destination': '{text}' {problem}'{text}'")));
    }
    Ok(path)
}

macro_rules! arguments {
    ($($function:ident $name:literal, $read:ident -> $type:ty;)*) => {$(
        /// Reads the argument of this name.
        pub(crate) fn $function(value: &Value<'_>) -> PyResult<$type> {
            $read($name, value)
        }
    )*};
}
arguments! {
    source_path "source", read_path -> PathBuf;
    site_path "path", read_path -> PathBuf;
    file_path "file", read_path -> PathBuf;
    external "external", read_flag -> bool;
    unique "unique", read_flag -> bool;
    in_place "in_place", read_flag -> bool;
    max_bytes "max_bytes", read_number -> usize;
}

/// Reads an optional path to write to.
pub(crate) fn optional_path(value: &Value<'_>) -> PyResult<Option<PathBuf>> {
    if value.is_none() { Ok(None) } else { destination_path(value).map(Some) }
}

/// Names of Python's codecs, with `-` for `_`, and the labels of encodings with other names.
#[rustfmt::skip]
const CODECS: &[(&str, &str)] = &[
    ("cp874", "windows-874"), ("cp932", "windows-31j"), ("cp949", "windows-949"), ("cp950", "big5"),
    ("big5hkscs", "big5"), ("iso2022-jp", "iso-2022-jp"), ("iso8859-16", "iso-8859-16"),
    ("mac-cyrillic", "x-mac-cyrillic"), ("mac-roman", "macintosh"), ("utf-8-sig", "utf-8"),
];

/// Reads the label of an encoding, or a name that only Python has, such as `latin_1`.
pub(crate) fn read_encoding(name: &str, value: &Value<'_>) -> PyResult<String> {
    let is_label = |label: &str| Encoding::for_label(label.as_bytes()).is_some();
    let label = read_text(name, value)?;
    if is_label(label) {
        return Ok(label.to_owned());
    }
    let codec = value.py().import("codecs")?.call_method1("lookup", (label,));
    let codec = codec.and_then(|codec| codec.getattr("name")?.extract::<String>());
    let codec = codec.map(|codec| codec.replace('_', "-")).unwrap_or_default();
    let other = CODECS.iter().find(|(name, _)| *name == codec).map(|&(_, label)| label.to_owned());
    // Python has `utf-16-le`, and the Encoding Standard `utf-16le`.
    let codec = other.unwrap_or_else(|| codec.replace("utf-16-", "utf-16"));
    Ok(if is_label(&codec) { codec } else { label.to_owned() })
}

/// Reads an argument that is a text or several.
pub(crate) fn read_texts(name: &str, value: &Value<'_>) -> PyResult<Vec<String>> {
    if value.is_instance_of::<PyString>() {
        return Ok(vec![read_text(name, value)?.to_owned()]);
    }
    let values = value.try_iter().map_err(|_| wrong_type(name, "a str or several", value))?;
    let values = values.collect::<PyResult<Vec<_>>>()?;
    values.iter().map(|text| read_text(name, text).map(str::to_owned)).collect()
}

/// Reads a mapping of texts.
pub(crate) fn read_map(name: &str, map: &Bound<'_, PyMapping>) -> PyResult<Vec<(String, String)>> {
    let read_pair = |pair: Value<'_>| {
        let (key, value): (Value<'_>, Value<'_>) = pair.extract()?;
        let value_name = format!("{name}[{}]", key.repr()?);
        let key = read_text(name, &key)?.to_owned();
        Ok((key, read_text(&value_name, &value)?.to_owned()))
    };
    map.items()?.iter().map(read_pair).collect()
}

/// Makes the exception for a value of a wrong type.
pub(crate) fn wrong_type(name: &str, expected: &str, value: &Value<'_>) -> PyErr {
    match value.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("'{name}' must be {expected}, not {found}")),
        Err(error) => error,
    }
}
