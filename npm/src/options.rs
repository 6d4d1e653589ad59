//! The options of a call: those of the command in camel case.

use absolve::attributes::{DefaultState, Extra, Row};
use absolve::grammar::Grammar;
use absolve::url::{Maps, Standard};
use absolve::{
    BaseElement, BaseScope, BaseSource, Credentials, FeedBase, Form, Learn, Limits, Rewriter,
    SameDocument, Syntax,
};

use crate::failure::{Code, Failure};
use crate::limits::LIMITS;

/// The value of an option; of several, each is a value.
#[derive(Debug, Clone, Copy)]
enum Value<'a> {
    Flag(bool),
    Number(usize),
    Text(&'a str),
    /// The key and the value of an object.
    Pair(&'a str, &'a str),
    /// A value of a type that no option has, and the type's name.
    Other(&'a str),
}

type Result<T> = std::result::Result<T, Failure>;

/// Sets an option to its values.
type Set = fn(Rewriter, &str, &[Value<'_>]) -> Result<Rewriter>;

/// The options without limits.
#[rustfmt::skip]
const OPTIONS: &[(&str, Set)] = &[
    ("standard", |rewriter, name, values| {
        Ok(rewriter.standard(chosen(name, values, &standards())?))
    }),
    ("encoding", |rewriter, name, values| {
        rewriter.encoding(text(name, values)?).map_err(|error| Failure::library(&error, None))
    }),
    ("only", |rewriter, name, values| {
        values.iter().try_fold(rewriter, |rewriter, value| Ok(rewriter.only(one(name, *value)?)))
    }),
    ("attr", |rewriter, name, values| {
        values.iter().try_fold(rewriter, |rewriter, value| {
            let attr = one(name, *value)?;
            let extra = attr.parse::<Extra>();
            Ok(rewriter.attribute(extra.map_err(|why| invalid(name, attr, &why.to_string()))?))
        })
    }),
    ("meta", |rewriter, name, values| {
        Ok(if flag(name, values)? { rewriter.meta() } else { rewriter })
    }),
    ("lazy", |rewriter, name, values| {
        Ok(if flag(name, values)? { rewriter.lazy() } else { rewriter })
    }),
    ("sameDocument", |rewriter, name, values| {
        let choices = [("rewrite", SameDocument::Rewrite), ("keep", SameDocument::Keep)];
        Ok(rewriter.same_document(chosen(name, values, &choices)?))
    }),
    ("baseScope", |rewriter, name, values| {
        let choices = [("head", BaseScope::Head), ("document", BaseScope::Document)];
        Ok(rewriter.base_scope(chosen(name, values, &choices)?))
    }),
    ("feedBase", |rewriter, name, values| {
        let choices = [("feed", FeedBase::Feed), ("item", FeedBase::Item)];
        Ok(rewriter.feed_base(chosen(name, values, &choices)?))
    }),
    ("baseElement", |rewriter, name, values| {
        let choices = [("absolute", BaseElement::Absolute), ("keep", BaseElement::Keep), ("remove", BaseElement::Remove)];
        Ok(rewriter.base_element(chosen(name, values, &choices)?))
    }),
    ("keepCredentials", |rewriter, name, values| {
        let keeps = flag(name, values)?;
        Ok(rewriter.credentials(if keeps { Credentials::Keep } else { Credentials::Drop }))
    }),
    ("learn", |rewriter, name, values| Ok(rewriter.learn(learn(name, values)?))),
    ("map", |rewriter, name, values| {
        let maps = maps(name, values)?;
        Ok(rewriter.direct(|direction| direction.maps(maps)))
    }),
    ("to", |rewriter, name, values| {
        let choices = [("absolute", Form::Absolute), ("relative", Form::Relative), ("root-relative", Form::RootRelative)];
        let form = chosen(name, values, &choices)?;
        Ok(rewriter.direct(|direction| direction.form(form)))
    }),
    #[cfg(feature = "full")]
    ("rawBase", |rewriter, name, values| {
        rewriter.raw_base(text(name, values)?).map_err(|error| Failure::library(&error, None))
    }),
    ("as", |rewriter, name, values| {
        let choices = [("html", Syntax::Html), ("css", Syntax::Css), ("xml", Syntax::Xml),
            ("xhtml", Syntax::Xml), ("svg", Syntax::Xml), ("feed", Syntax::Xml), ("sitemap", Syntax::Xml),
            ("json-feed", Syntax::JsonFeed), #[cfg(feature = "full")] ("markdown", Syntax::Markdown)];
        Ok(rewriter.syntax(chosen(name, values, &choices)?))
    }),
];

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
    let (mut rewriter, mut limits) = (Rewriter::new(), Limits::default());
    for (name, values) in &given {
        if let Some((_, set)) = OPTIONS.iter().find(|(option, _)| option == name) {
            rewriter = set(rewriter, name, values)?;
        } else if let Some((.., field)) = LIMITS.iter().find(|(option, ..)| option == name) {
            *field(&mut limits) = number(name, values)?;
        } else {
            return Err(unknown(name));
        }
    }
    let rewriter = rewriter.limits(limits);
    match rewriter.unused_only() {
        Some((name, row)) => Err(unused(name, row)),
        None => Ok(rewriter),
    }
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
        b'f' => Value::Flag(value == "true"),
        b'n' => {
            value.parse().map_or(Value::Other("a number with a sign or a fraction"), Value::Number)
        }
        b't' => Value::Text(value),
        b'p' => Value::Pair(value, text()?),
        _ => Value::Other(value),
    };
    Some((name, value))
}

fn standards() -> Vec<(&'static str, Standard)> {
    Standard::ALL.iter().map(|&standard| (standard.name(), standard)).collect()
}

/// The standard of this name; RFC 1808 for no name.
pub(crate) fn standard(name: &str) -> Result<Standard> {
    if name.is_empty() { Ok(Standard::default()) } else { named("standard", name, &standards()) }
}

fn chosen<T: Copy>(name: &str, values: &[Value<'_>], choices: &[(&str, T)]) -> Result<T> {
    named(name, text(name, values)?, choices)
}

/// The value that has this name.
fn named<T: Copy>(option: &str, value: &str, choices: &[(&str, T)]) -> Result<T> {
    if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == value) {
        return Ok(*choice);
    }
    let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
    Err(invalid(option, value, &format!("expected {}", names.join(", "))))
}

/// The sources to learn from; `none` is no source.
fn learn(name: &str, values: &[Value<'_>]) -> Result<Learn> {
    let sources = Learn::SOURCES.iter().chain(&[BaseSource::None]);
    let sources: Vec<_> = sources.map(|&source| (source.name(), source)).collect();
    let chosen = values.iter().map(|value| named(name, one(name, *value)?, &sources));
    let chosen = chosen.collect::<Result<Vec<_>>>()?;
    if chosen.len() > 1 && chosen.contains(&BaseSource::None) {
        return Err(Failure::option(name, "learn: 'none' excludes other sources; give it alone"));
    }
    Ok(chosen.into_iter().fold(Learn::NONE, Learn::with))
}

/// URLs that move: an object from the old to the new ones, or texts `OLD=NEW`.
fn maps(name: &str, values: &[Value<'_>]) -> Result<Maps> {
    let mut maps = Maps::new();
    for value in values {
        let (old, new) = match *value {
            Value::Pair(old, new) => (old, new),
            value => {
                let rule = one(name, value)?;
                let expected = "expected two absolute URLs, OLD=NEW";
                Maps::split(rule).ok_or_else(|| invalid(name, rule, expected))?
            }
        };
        let why = |why| Failure::option(name, &format!("invalid value for '{name}', {why}"));
        maps.add(old, new).map_err(why)?;
    }
    Ok(maps)
}

fn flag(name: &str, values: &[Value<'_>]) -> Result<bool> {
    match values {
        [Value::Flag(flag)] => Ok(*flag),
        _ => Err(wrong_type(name, "a boolean", values)),
    }
}

fn number(name: &str, values: &[Value<'_>]) -> Result<usize> {
    match values {
        [Value::Number(number)] => Ok(*number),
        _ => Err(wrong_type(name, "an integer from 0", values)),
    }
}

fn text<'a>(name: &str, values: &[Value<'a>]) -> Result<&'a str> {
    match values {
        [Value::Text(text)] => Ok(text),
        _ => Err(wrong_type(name, "a string", values)),
    }
}

/// One of several texts.
fn one<'a>(name: &str, value: Value<'a>) -> Result<&'a str> {
    match value {
        Value::Text(text) => Ok(text),
        _ => Err(wrong_type(name, "a string or several", &[value])),
    }
}

fn wrong_type(name: &str, expected: &str, values: &[Value<'_>]) -> Failure {
    let found = match values {
        [Value::Flag(_)] => "a boolean",
        [Value::Number(_)] => "a number",
        [Value::Text(_)] => "a string",
        [Value::Pair(..)] => "an object",
        [Value::Other(found)] => found,
        _ => "several values",
    };
    Failure::option(name, &format!("'{name}' must be {expected}, not {found}"))
}

fn invalid(option: &str, value: &str, why: &str) -> Failure {
    Failure::option(option, &format!("invalid value '{value}' for '{option}', {why}"))
}

fn unknown(name: &str) -> Failure {
    let names = OPTIONS.iter().map(|(name, _)| *name).chain(LIMITS.iter().map(|(name, ..)| *name));
    let mut names: Vec<_> = names.collect();
    names.dedup();
    let names = names.join(", ");
    Failure::new(Code::Option, name, &format!("unknown option '{name}', expected {names}"))
}

/// The error for an attribute of `only` that would select nothing, in silence.
fn unused(name: &str, row: Option<&Row>) -> Failure {
    let why = match row {
        Some(Row { counts: DefaultState::WithLazy, .. }) => "it counts only with lazy: true".into(),
        Some(Row { counts: DefaultState::WithMeta, .. }) => "it counts only with meta: true".into(),
        Some(row) => {
            let grammar = row.grammar.map_or("url", Grammar::name);
            format!("it counts only with attr: '*:{name}={grammar}'")
        }
        None => "it is not an attribute with links; 'attr' adds more".into(),
    };
    invalid("only", name, &why)
}
