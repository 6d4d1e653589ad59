//! Keyword arguments as options of the library.

use std::path::PathBuf;

use absolve::attributes::{DefaultState, Extra, Row, TABLE};
use absolve::grammar::Grammar;
use absolve::url::{Maps, Standard};
use absolve::{
    BaseElement, BaseScope, BaseSource, Credentials, Engine, FeedBase, Form, Learn, Limits, Policy,
    Rewriter, SameDocument, Syntax,
};
use encoding_rs::Encoding;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyMapping, PyString};

use crate::errors::{self, Error};
use absolve::cli::args::nearest;

type Value<'py> = Bound<'py, PyAny>;

/// Sets an option of a rewriter to the value of an argument.
type Set = fn(Rewriter, &str, &Value<'_>) -> PyResult<Rewriter>;

/// The options of a rewriter: those of the command, with `_` for `-`.
#[rustfmt::skip]
const OPTIONS: &[(&str, Set)] = &[
    ("standard", |rewriter, name, value| {
        Ok(rewriter.standard(chosen(name, value, Standard::ALL.iter().map(|&one| (one.name(), one)))?))
    }),
    ("engine", |rewriter, name, value| {
        Ok(rewriter.engine(chosen(name, value, [("splice", Engine::Splice), ("dom", Engine::Dom)])?))
    }),
    ("encoding", |rewriter, name, value| {
        let label = encoding(name, value)?;
        rewriter.encoding(&label).map_err(|error| errors::exception(value.py(), &error))
    }),
    ("only", |rewriter, name, value| {
        Ok(texts(name, value)?.iter().fold(rewriter, |rewriter, only| rewriter.only(only)))
    }),
    ("attr", |rewriter, name, value| {
        texts(name, value)?.iter().try_fold(rewriter, |rewriter, attr| {
            let extra = attr.parse::<Extra>();
            let extra = extra.map_err(|why| Error::new_err(format!("invalid value '{attr}' for '{name}', {why}")))?;
            Ok(rewriter.attribute(extra))
        })
    }),
    ("meta", |rewriter, name, value| {
        Ok(if flag(name, value)? { rewriter.meta() } else { rewriter })
    }),
    ("lazy", |rewriter, name, value| {
        Ok(if flag(name, value)? { rewriter.lazy() } else { rewriter })
    }),
    ("same_document", |rewriter, name, value| {
        Ok(rewriter.same_document(chosen(name, value, [("rewrite", SameDocument::Rewrite), ("keep", SameDocument::Keep)])?))
    }),
    ("base_scope", |rewriter, name, value| {
        Ok(rewriter.base_scope(chosen(name, value, [("head", BaseScope::Head), ("document", BaseScope::Document)])?))
    }),
    ("feed_base", |rewriter, name, value| {
        Ok(rewriter.feed_base(chosen(name, value, [("feed", FeedBase::Feed), ("item", FeedBase::Item)])?))
    }),
    ("base_element", |rewriter, name, value| {
        let elements = [("absolute", BaseElement::Absolute), ("keep", BaseElement::Keep), ("remove", BaseElement::Remove)];
        Ok(rewriter.base_element(chosen(name, value, elements)?))
    }),
    ("keep_credentials", |rewriter, name, value| {
        let keeps = flag(name, value)?;
        Ok(rewriter.credentials(if keeps { Credentials::Keep } else { Credentials::Drop }))
    }),
    ("learn", |rewriter, name, value| Ok(rewriter.learn(learn(name, value)?))),
    // For the test that a bug is an exception.
    ("_panic", |rewriter, _, _| Ok(rewriter.policy(Policy::custom(|_| panic!("on purpose"))))),
];

/// A limit among all limits.
type Field = fn(&mut Limits) -> &mut usize;

/// The options of limits; 0 is no limit.
const LIMITS: &[(&str, Field)] = &[
    ("max_input", |limits| &mut limits.input),
    ("max_output", |limits| &mut limits.output),
    ("max_base_url", |limits| &mut limits.base_url),
    ("max_reference", |limits| &mut limits.reference),
    ("max_links", |limits| &mut limits.links),
    ("max_srcdoc", |limits| &mut limits.srcdoc),
    ("max_depth", |limits| &mut limits.depth),
    ("max_attributes", |limits| &mut limits.attributes),
];

/// The form and the place of links, and the syntax of documents.
#[rustfmt::skip]
const DIRECTION: &[(&str, Set)] = &[
    ("maps", |rewriter, name, value| {
        let maps = maps(name, value)?;
        Ok(rewriter.direct(|direction| direction.maps(maps)))
    }),
    ("to", |rewriter, name, value| {
        let forms = [("absolute", Form::Absolute), ("relative", Form::Relative), ("root-relative", Form::RootRelative)];
        let form = chosen(name, value, forms)?;
        Ok(rewriter.direct(|direction| direction.form(form)))
    }),
    ("raw_base", |rewriter, name, value| {
        rewriter.raw_base(text(name, value)?).map_err(|error| errors::exception(value.py(), &error))
    }),
    ("as_", |rewriter, name, value| {
        let syntaxes = [("html", Syntax::Html), ("css", Syntax::Css), ("markdown", Syntax::Markdown)];
        let xml = ["xml", "xhtml", "svg", "feed", "sitemap"].map(|name| (name, Syntax::Xml));
        let json = [("json-feed", Syntax::JsonFeed)];
        Ok(rewriter.syntax(chosen(name, value, syntaxes.into_iter().chain(xml).chain(json))?))
    }),
];

/// What is called: its name, and the names of its own parameters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Function(pub(crate) &'static str, pub(crate) &'static [&'static str]);

/// The rewriter that keyword arguments describe, without a base URL.
///
/// # Errors
///
/// `TypeError` for an unknown option and a value of a wrong type, `Error` for a value that the
/// option does not take.
pub(crate) fn rewriter(
    function: Function,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Rewriter> {
    let mut rewriter = Rewriter::new();
    let Some(options) = options else { return Ok(rewriter) };
    let mut limits = Limits::default();
    for (name, value) in options {
        let name = name.cast_into::<PyString>()?;
        let name = errors::utf8("the name of an option: ", &name)?;
        if value.is_none() {
            known(function, name)?;
        } else if let Some((_, set)) = setters().find(|(option, _)| *option == name) {
            rewriter = set(rewriter, name, &value)?;
        } else if let Some((_, field)) = LIMITS.iter().find(|(option, _)| *option == name) {
            *field(&mut limits) = number(name, &value)?;
        } else {
            known(function, name)?;
        }
    }
    let rewriter = rewriter.limits(limits);
    match rewriter.unused_only() {
        Some((name, row)) => Err(unused(name, row)),
        None => Ok(rewriter),
    }
}

/// The options that are no limits.
fn setters() -> impl Iterator<Item = &'static (&'static str, Set)> + Clone {
    OPTIONS.iter().chain(DIRECTION)
}

/// The exception for an attribute of `only` that would select nothing, in silence.
fn unused(name: &str, row: Option<&Row>) -> PyErr {
    let why = match row {
        Some(Row { counts: DefaultState::WithLazy, .. }) => "it counts only with lazy=True".into(),
        Some(Row { counts: DefaultState::WithMeta, .. }) => "it counts only with meta=True".into(),
        Some(row) => {
            let grammar = row.grammar.map_or("url", Grammar::name);
            format!("it counts only with attr='*:{name}={grammar}'")
        }
        None => {
            let rows = TABLE.iter().filter(|row| row.grammar.is_some());
            match nearest(name, rows.flat_map(|row| row.attributes).copied()) {
                Some(near) => format!("did you mean '{near}'?"),
                None => "it is not an attribute with links; 'attr' adds more".into(),
            }
        }
    };
    Error::new_err(format!("invalid value '{name}' for 'only', {why}"))
}

/// Refuses an argument that is no option.
fn known(Function(function, parameters): Function, name: &str) -> PyResult<()> {
    let options = setters().map(|(option, _)| *option);
    let options = options.chain(LIMITS.iter().map(|(option, _)| *option));
    if options.clone().any(|option| option == name) {
        return Ok(());
    }
    let options = options.chain(parameters.iter().copied());
    let options = options.filter(|option| !option.starts_with('_'));
    Err(errors::unexpected(function, name, options))
}

/// One of the values that have names.
fn chosen<T>(
    name: &str,
    value: &Value<'_>,
    choices: impl IntoIterator<Item = (&'static str, T), IntoIter: Clone>,
) -> PyResult<T> {
    named(name, text(name, value)?, choices)
}

/// The value that has this name.
pub(crate) fn named<T>(
    option: &str,
    text: &str,
    choices: impl IntoIterator<Item = (&'static str, T), IntoIter: Clone>,
) -> PyResult<T> {
    let choices = choices.into_iter();
    let names = choices.clone().map(|(name, _)| name);
    if let Some((_, choice)) = choices.clone().find(|(name, _)| *name == text) {
        return Ok(choice);
    }
    let expected = match nearest(text, names.clone()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("expected {}", names.collect::<Vec<_>>().join(", ")),
    };
    Err(Error::new_err(format!("invalid value '{text}' for '{option}', {expected}")))
}

/// The sources to learn from; `none` is no source.
fn learn(name: &str, value: &Value<'_>) -> PyResult<Learn> {
    let sources = || Learn::SOURCES.iter().chain(&[BaseSource::None]).map(|&one| (one.name(), one));
    let names = match value.cast::<PyString>() {
        Ok(_) => vec![value.clone()],
        Err(_) => values(name, value)?,
    };
    let chosen = names.iter().map(|one| chosen(name, one, sources().collect::<Vec<_>>()));
    let chosen = chosen.collect::<PyResult<Vec<_>>>()?;
    if chosen.len() > 1 && chosen.contains(&BaseSource::None) {
        return Err(Error::new_err("learn: 'none' excludes other sources; give it alone"));
    }
    Ok(chosen.into_iter().fold(Learn::NONE, Learn::with))
}

fn flag(name: &str, value: &Value<'_>) -> PyResult<bool> {
    // This takes a bool of NumPy too.
    value.extract().map_err(|_| wrong_type(name, "a bool", value))
}

/// A number from 0.
pub(crate) fn number(name: &str, value: &Value<'_>) -> PyResult<usize> {
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

/// The text of an argument.
pub(crate) fn text<'a>(name: &str, value: &'a Value<'_>) -> PyResult<&'a str> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type(name, "a str", value))?;
    errors::utf8(&format!("'{name}': "), text)
}

/// The argument `base_url`.
pub(crate) fn base_url<'a>(value: &'a Value<'_>) -> PyResult<Option<&'a str>> {
    if value.is_none() { Ok(None) } else { text("base_url", value).map(Some) }
}

/// A path, which `os.fsencode` may have encoded; `None` for another type.
pub(crate) fn as_path(value: &Value<'_>) -> PyResult<Option<PathBuf>> {
    let py = value.py();
    match py.import("os")?.call_method1("fsdecode", (value,)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(None),
        path => path?.extract().map(Some),
    }
}

/// The same as the argument of a name.
pub(crate) fn path(name: &str, value: &Value<'_>) -> PyResult<PathBuf> {
    not_empty(name, as_path(value)?.ok_or_else(|| wrong_type(name, "a path", value))?)
}

/// A path that is not empty.
pub(crate) fn not_empty(name: &str, path: PathBuf) -> PyResult<PathBuf> {
    if path.as_os_str().is_empty() { Err(empty(name)) } else { Ok(path) }
}

fn empty(name: &str) -> PyErr {
    Error::new_err(format!("'{name}' is empty; give a path"))
}

/// The paths of an argument that is one or several.
pub(crate) fn path_or_paths(name: &str, value: &Value<'_>) -> PyResult<Vec<PathBuf>> {
    if let Some(path) = as_path(value)? {
        return Ok(vec![not_empty(name, path)?]);
    }
    let paths = value.try_iter().map_err(|_| wrong_type(name, "a path or several", value))?;
    let paths = paths.map(|one| path(name, &one?)).collect::<PyResult<Vec<_>>>()?;
    if paths.is_empty() { Err(empty(name)) } else { Ok(paths) }
}

/// A path to write to: a URL in its place is mostly meant to be the base URL.
pub(crate) fn destination_path(value: &Value<'_>) -> PyResult<PathBuf> {
    let path = path("destination", value)?;
    let text = path.to_string_lossy();
    // A drive of Windows has one letter; `pathlib` makes one slash of two.
    let is_scheme =
        |scheme: &str| scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_url = text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme));
    let is_web = text.starts_with("http:/") || text.starts_with("https:/");
    if is_url || (is_web && !value.is_instance_of::<PyString>()) {
        let what = "is a URL, expected a path; the URL of the documents is base_url=";
        return Err(Error::new_err(format!("'destination': '{text}' {what}'{text}'")));
    }
    Ok(path)
}

macro_rules! arguments {
    ($($function:ident $name:literal, $read:ident -> $type:ty;)*) => {$(
        /// The argument of this name.
        pub(crate) fn $function(value: &Value<'_>) -> PyResult<$type> {
            $read($name, value)
        }
    )*};
}
arguments! {
    source_path "source", path -> PathBuf;
    site_path "path", path -> PathBuf;
    file_path "file", path -> PathBuf;
    external "external", flag -> bool;
    unique "unique", flag -> bool;
    in_place "in_place", flag -> bool;
    max_bytes "max_bytes", number -> usize;
}

/// A path that may be missing.
pub(crate) fn optional_path(value: &Value<'_>) -> PyResult<Option<PathBuf>> {
    if value.is_none() { Ok(None) } else { destination_path(value).map(Some) }
}

/// Names of codecs, with `-` for `_`, whose labels are not similar.
#[rustfmt::skip]
const CODECS: &[(&str, &str)] = &[
    ("cp874", "windows-874"), ("cp932", "windows-31j"), ("cp949", "windows-949"), ("cp950", "big5"),
    ("big5hkscs", "big5"), ("iso2022-jp", "iso-2022-jp"), ("iso8859-16", "iso-8859-16"),
    ("mac-cyrillic", "x-mac-cyrillic"), ("mac-roman", "macintosh"), ("utf-8-sig", "utf-8"),
];

/// The label of an encoding, also for a name that only Python has, such as `latin_1`.
pub(crate) fn encoding(name: &str, value: &Value<'_>) -> PyResult<String> {
    let is_label = |label: &str| Encoding::for_label(label.as_bytes()).is_some();
    let label = text(name, value)?;
    if is_label(label) {
        return Ok(label.to_owned());
    }
    let codec = value.py().import("codecs")?.call_method1("lookup", (label,));
    let codec = codec.and_then(|codec| codec.getattr("name")?.extract::<String>());
    let codec = codec.map(|codec| codec.replace('_', "-")).unwrap_or_default();
    let other =
        CODECS.iter().find(|(name, _)| *name == codec).map(|(_, label)| (*label).to_owned());
    // Python has `utf-16-le`, and the Encoding Standard `utf-16le`.
    let codec = other.unwrap_or_else(|| codec.replace("utf-16-", "utf-16"));
    Ok(if is_label(&codec) { codec } else { label.to_owned() })
}

/// One text, or several.
pub(crate) fn texts(name: &str, value: &Value<'_>) -> PyResult<Vec<String>> {
    if value.is_instance_of::<PyString>() {
        return Ok(vec![text(name, value)?.to_owned()]);
    }
    values(name, value)?.iter().map(|one| text(name, one).map(str::to_owned)).collect()
}

/// URLs that move: a mapping from the old to the new ones, or texts `OLD=NEW`.
fn maps(name: &str, value: &Value<'_>) -> PyResult<Maps> {
    let mut maps = Maps::new();
    let mut add = |old: &str, new: &str| {
        let invalid = |why| Error::new_err(format!("invalid value for '{name}', {why}"));
        maps.add(old, new).map_err(invalid)
    };
    if let Ok(mapping) = value.cast::<PyMapping>() {
        for (old, new) in pairs(name, mapping)? {
            add(&old, &new)?;
        }
        return Ok(maps);
    }
    for rule in texts(name, value)? {
        let (old, new) = Maps::split(&rule).ok_or_else(|| {
            Error::new_err(format!(
                "invalid value for '{name}', expected two absolute URLs, OLD=NEW"
            ))
        })?;
        add(old, new)?;
    }
    Ok(maps)
}

/// The pairs of a mapping of texts.
pub(crate) fn pairs(name: &str, mapping: &Bound<'_, PyMapping>) -> PyResult<Vec<(String, String)>> {
    let pair = |pair: Value<'_>| {
        let (key, value): (Value<'_>, Value<'_>) = pair.extract()?;
        let place = format!("{name}[{}]", key.repr()?);
        let key = text(name, &key)?.to_owned();
        Ok((key, text(&place, &value)?.to_owned()))
    };
    mapping.items()?.iter().map(pair).collect()
}

fn values<'py>(name: &str, value: &Value<'py>) -> PyResult<Vec<Value<'py>>> {
    let values = value.try_iter();
    values.map_err(|_| wrong_type(name, "a str or several", value))?.collect()
}

/// The exception for a value of a wrong type.
pub(crate) fn wrong_type(name: &str, expected: &str, value: &Value<'_>) -> PyErr {
    match value.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("'{name}' must be {expected}, not {found}")),
        Err(error) => error,
    }
}
