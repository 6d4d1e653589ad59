//! Reads the options of a call, named as in the rows of the library but in camel case, and writes
//! errors as the host reads them.

use absolve::option::{
    DocumentOption, Host, InvalidOption, OPTIONS, Value as OptionValue, Values, nearest,
};
use absolve::url::{Standard, UnknownStandard};
use absolve::{Advice, Error, HasAdvice, Limit, LimitAccess, Limits, Location, Rewriter};

use crate::utf16::utf16_length;

/// A value that the host gives for an option; an option may have several.
#[derive(Debug, Clone, Copy)]
enum Value<'a> {
    Number(usize),
    Given(OptionValue<'a>),
    /// A value of a type that no option accepts, as the name of the type.
    Other(&'a str),
}

type Result<T> = std::result::Result<T, Failure>;

fn options() -> impl Iterator<Item = &'static DocumentOption> {
    OPTIONS.iter().filter(|option| option.hosts.contains(&Host::Npm))
}

/// Lists the limits; 0 is no limit.
fn limits() -> impl Iterator<Item = &'static LimitAccess<Limits>> {
    Limits::ROWS.iter().filter(|(row, _)| row.users.contains(&"npm"))
}

/// Reads options as the host writes them. Each value is a tag, then the name of the option and the
/// value, each as its length and its text; a pair has a third text.
pub(crate) fn read_rewriter(mut bytes: &[u8]) -> Result<Rewriter> {
    let mut given: Vec<(&str, Vec<Value<'_>>)> = Vec::new();
    while !bytes.is_empty() {
        let malformed = || Failure::option("", "the options are malformed");
        let (name, value) = read_entry(&mut bytes).ok_or_else(malformed)?;
        match given.last_mut() {
            Some((last, values)) if *last == name => values.push(value),
            _ => given.push((name, vec![value])),
        }
    }
    let (mut rewriter, mut bounds) = (Rewriter::new(), Limits::default());
    for (name, values) in &given {
        if let Some(option) = options().find(|option| camel_case(option.name) == *name) {
            let values = check_all(option.values, name, values)?;
            rewriter = rewriter.set(option, &values).map_err(|error| match error {
                InvalidOption::Library(error) => error.into(),
                error => Failure::option(name, &error.message(name)),
            })?;
        } else if let Some((row, field)) = limits().find(|(row, _)| limit_option(row.name) == *name)
        {
            let [Value::Number(number)] = values[..] else {
                return Err(wrong_type(name, "an integer from 0", values));
            };
            row.check(number, |max| max.to_string()).map_err(|why| {
                Failure::option(name, &InvalidOption::Together(why).message(name))
            })?;
            *field(&mut bounds) = number;
        } else {
            return Err(unknown_option(name));
        }
    }
    let rewriter = rewriter.limits(bounds);
    let Some(unused) = rewriter.unused_only() else { return Ok(rewriter) };
    let why = InvalidOption::Text(unused.name.clone(), unused.why.spelled(spell));
    Err(Failure::option("only", &why.message("only")))
}

/// Reads a value with the name of its option.
fn read_entry<'a>(bytes: &mut &'a [u8]) -> Option<(&'a str, Value<'a>)> {
    let (tag, rest) = bytes.split_first()?;
    *bytes = rest;
    let mut text = || {
        let (length, rest) = bytes.split_first_chunk()?;
        let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        *bytes = rest;
        str::from_utf8(text).ok()
    };
    let (name, value) = (text()?, text()?);
    let value = match tag {
        b'f' => Value::Given(OptionValue::Flag(value == "true")),
        b'n' => {
            value.parse().map_or(Value::Other("a number with a sign or a fraction"), Value::Number)
        }
        b't' => Value::Given(OptionValue::Text(value)),
        b'p' => Value::Given(OptionValue::Pair(value, text()?)),
        _ => Value::Other(value),
    };
    Some((name, value))
}

/// Returns the values if the option takes values of their types.
fn check_all<'a>(kind: Values, name: &str, values: &[Value<'a>]) -> Result<Vec<OptionValue<'a>>> {
    let expected = match kind {
        Values::Flag => "a boolean",
        Values::Text | Values::Label | Values::Name(_) => "a string",
        _ => "a string or several",
    };
    let is_one = matches!(kind, Values::Flag | Values::Text | Values::Label | Values::Name(_));
    if is_one && values.len() > 1 {
        return Err(wrong_type(name, expected, values));
    }
    let check = |value: &Value<'a>| match (*value, kind) {
        (Value::Given(given @ OptionValue::Flag(_)), Values::Flag)
        | (Value::Given(given @ OptionValue::Pair(..)), Values::Pairs) => Ok(given),
        (Value::Given(given @ OptionValue::Text(_)), kind) if !matches!(kind, Values::Flag) => {
            Ok(given)
        }
        (value, _) => Err(wrong_type(name, expected, &[value])),
    };
    values.iter().map(check).collect()
}

/// Returns the standard of this name; RFC 1808 for an empty name.
pub(crate) fn parse_standard(name: &str) -> Result<Standard> {
    if name.is_empty() {
        return Ok(Standard::default());
    }
    name.parse().map_err(|why: UnknownStandard| {
        let error = InvalidOption::Text(name.to_owned(), why.to_string());
        Failure::option("standard", &error.message("standard"))
    })
}

fn wrong_type(name: &str, expected: &str, values: &[Value<'_>]) -> Failure {
    let found = match values {
        [Value::Given(OptionValue::Flag(_))] => "a boolean",
        [Value::Given(OptionValue::Text(_))] => "a string",
        [Value::Given(OptionValue::Pair(..))] => "an object",
        [Value::Number(_)] => "a number",
        [Value::Other(found)] => found,
        _ => "several values",
    };
    Failure::option(name, &format!("'{name}' must be {expected}, not {found}"))
}

fn unknown_option(name: &str) -> Failure {
    let names = options().map(|option| camel_case(option.name));
    let names: Vec<_> = names.chain(limits().map(|(row, _)| limit_option(row.name))).collect();
    // The base URL is a parameter and no option, but a user may pass it as one.
    let near = names.iter().map(String::as_str).chain(["baseUrl"]);
    let expected = match nearest(name, near) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("expected {}", names.join(", ")),
    };
    Failure::option(name, &format!("unknown option '{name}', {expected}"))
}

/// Writes a name in camel case: `baseScope` for `base-scope`.
pub(crate) fn camel_case(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_ascii_uppercase() + &word[1..])
}

/// Names the option of a limit: `maxBaseUrl` for `base-url`.
pub(crate) fn limit_option(name: &str) -> String {
    camel_case(&format!("max-{name}"))
}

/// Spells an option with its value.
pub(crate) fn spell(option: &str, value: &str) -> String {
    let name = camel_case(option);
    match (DocumentOption::find(option).map(|option| option.values), value) {
        (Some(Values::Flag), _) => name + ": true",
        (_, "") => name,
        (_, value) => format!("{name}: '{value}'"),
    }
}

/// The error of a call: the text for the output, and the offset in the document if it is known.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) text: String,
    pub(crate) offset: Option<usize>,
}

impl Failure {
    /// Creates an error with a code of `ErrorCode` in `lib/index.d.ts`; `option` is the wrong
    /// option, or empty.
    pub(crate) fn new(code: &str, option: &str, message: &str) -> Self {
        Self { text: [code, option, message].join("\n"), offset: None }
    }

    pub(crate) fn option(option: &str, why: &str) -> Self {
        Self::new("option", option, why)
    }

    /// Converts an error of the library; offsets in a text count UTF-16 code units.
    pub(crate) fn library(error: &Error, text: Option<&[u8]>) -> Self {
        let code = match error {
            error if error.limit_reached().is_some() => "limit",
            error if error.is_unusable_base() => "base-url",
            error if error.is_unknown_encoding() => "encoding",
            error if error.is_not_well_formed() => "not-well-formed",
            _ => "option",
        };
        let limit = error.limit_reached().and_then(Limit::row);
        let limit = limit.filter(|row| row.users.contains(&"npm"));
        let option = limit.map(|row| limit_option(row.name)).unwrap_or_default();
        let mut advice = String::new();
        if code == "encoding" && cfg!(not(feature = "full")) {
            advice.push_str("; decode it first, or import 'absolve'");
        }
        if let (Some(raise @ Advice::Raise(_)), Some(_)) = (error.advice(), limit) {
            advice += &raise.spelled(|_, _| option.clone());
        }
        let Some(Location::Byte(byte)) = error.location() else {
            return Self::new(code, &option, &format!("{error}{advice}"));
        };
        let (unit, offset) = match text {
            Some(text) => ("character", utf16_length(&text[..byte.min(text.len())])),
            None => ("byte", byte),
        };
        let message = format!("{unit} {offset}: {}{advice}", error.problem());
        Self { offset: Some(offset), ..Self::new(code, &option, &message) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::library(&error, None)
    }
}
