//! The options of a call: those of the rows of the library, in camel case.

use absolve::option::{DocumentOption, Host, InvalidOption, OPTIONS, Value as Given, Values, nearest};
use absolve::url::{Standard, UnknownStandard};
use absolve::{LimitOf, Limits, Rewriter};

use crate::failure::Failure;
use crate::names::{camel_case, limit_option, spell};

/// The value of an option; of several, each is a value.
#[derive(Debug, Clone, Copy)]
enum Value<'a> {
    Number(usize),
    Given(Given<'a>),
    /// A value of a type that no option has, and the type's name.
    Other(&'a str),
}

type Result<T> = std::result::Result<T, Failure>;

fn options() -> impl Iterator<Item = &'static DocumentOption> {
    OPTIONS.iter().filter(|option| option.hosts.contains(&Host::Npm))
}

/// The limits; 0 is no limit.
fn limits() -> impl Iterator<Item = &'static LimitOf<Limits>> {
    Limits::ROWS.iter().filter(|(row, _)| row.users.contains(&"npm"))
}

/// The rewriter of options as the host writes them: for each value a tag, and the lengths and texts
/// of the option's name and of the value, of a pair also of its key.
pub(crate) fn rewriter(mut bytes: &[u8]) -> Result<Rewriter> {
    let mut given: Vec<(&str, Vec<Value<'_>>)> = Vec::new();
    while !bytes.is_empty() {
        let malformed = || Failure::option("", "the options are malformed");
        let (name, value) = entry(&mut bytes).ok_or_else(malformed)?;
        match given.last_mut() {
            Some((last, values)) if *last == name => values.push(value),
            _ => given.push((name, vec![value])),
        }
    }
    let (mut rewriter, mut bounds) = (Rewriter::new(), Limits::default());
    for (name, values) in &given {
        if let Some(option) = options().find(|option| camel_case(option.name) == *name) {
            let values = checked(option.values, name, values)?;
            rewriter = rewriter.set(option, &values).map_err(|error| match error {
                InvalidOption::Library(error) => error.into(),
                error => Failure::option(name, &error.message(name)),
            })?;
        } else if let Some((row, field)) = limits().find(|(row, _)| limit_option(row.name) == *name)
        {
            let [Value::Number(number)] = values[..] else {
                return Err(wrong_type(name, "an integer from 0", values));
            };
            row.check(number, |most| most.to_string()).map_err(|why| {
                Failure::option(name, &InvalidOption::Together(why).message(name))
            })?;
            *field(&mut bounds) = number;
        } else {
            return Err(unknown(name));
        }
    }
    let rewriter = rewriter.limits(bounds);
    let Some(unused) = rewriter.unused_only() else { return Ok(rewriter) };
    let why = InvalidOption::Text(unused.name.clone(), unused.why.spelled(spell));
    Err(Failure::option("only", &why.message("only")))
}

/// Reads one value, with the name of its option.
fn entry<'a>(bytes: &mut &'a [u8]) -> Option<(&'a str, Value<'a>)> {
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
        b'f' => Value::Given(Given::Flag(value == "true")),
        b'n' => {
            value.parse().map_or(Value::Other("a number with a sign or a fraction"), Value::Number)
        }
        b't' => Value::Given(Given::Text(value)),
        b'p' => Value::Given(Given::Pair(value, text()?)),
        _ => Value::Other(value),
    };
    Some((name, value))
}

/// The values, if they are of the kind that an option takes.
fn checked<'a>(kind: Values, name: &str, values: &[Value<'a>]) -> Result<Vec<Given<'a>>> {
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
        (Value::Given(given @ Given::Flag(_)), Values::Flag)
        | (Value::Given(given @ Given::Pair(..)), Values::Pairs) => Ok(given),
        (Value::Given(given @ Given::Text(_)), kind) if !matches!(kind, Values::Flag) => Ok(given),
        (value, _) => Err(wrong_type(name, expected, &[value])),
    };
    values.iter().map(check).collect()
}

/// The standard of this name; RFC 1808 for no name.
pub(crate) fn standard(name: &str) -> Result<Standard> {
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
        [Value::Given(Given::Flag(_))] => "a boolean",
        [Value::Given(Given::Text(_))] => "a string",
        [Value::Given(Given::Pair(..))] => "an object",
        [Value::Number(_)] => "a number",
        [Value::Other(found)] => found,
        _ => "several values",
    };
    Failure::option(name, &format!("'{name}' must be {expected}, not {found}"))
}

fn unknown(name: &str) -> Failure {
    let names = options().map(|option| camel_case(option.name));
    let names: Vec<_> = names.chain(limits().map(|(row, _)| limit_option(row.name))).collect();
    // The base URL is a parameter.
    let near = names.iter().map(String::as_str).chain(["baseUrl"]);
    let expected = match nearest(name, near) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("expected {}", names.join(", ")),
    };
    Failure::option(name, &format!("unknown option '{name}', {expected}"))
}
