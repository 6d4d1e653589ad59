//! The options of documents, each declared once: the command, Python and JavaScript take names,
//! values, help and effect from here.
//!
//! A row declares an option. A host turns the values that it is given into [`Value`]s, which
//! [`Rewriter::set`](crate::Rewriter::set) applies. A new row adds its option to every
//! host: clap's arguments, keys of `absolve.toml`, keywords of Python, options of JavaScript, the
//! schema and `docs/options.md` come from the rows.
//!
//! Rows were compared with a struct that derives from serde, clap and schemars, for `meta`,
//! `feed-base`, `only` and `limit links`. The derives took 24 lines instead of 48, and as much
//! machinery. Equal messages needed a deserializer of their own. `absolve/lite` was 251 kB instead
//! of 250 (brotli), dependents compiled three more crates, and each value that is no flag, text or
//! name needed two parsers.

mod rows;

use crate::attributes::{DefaultState, Selection, TABLE};
use crate::error::{Diagnosis, Error};
use crate::grammar::Grammar;
use crate::link::Settings;
use crate::url::masked;

pub use rows::{OPTIONS, base_url};

/// An option of documents.
#[derive(Debug)]
#[non_exhaustive]
pub struct DocumentOption {
    /// The name as the command has it, such as `same-document`; Python has `same_document`, and
    /// JavaScript `sameDocument`.
    pub name: &'static str,
    /// The values that the option takes.
    pub values: Values,
    /// The help of each name that the option takes, in the order of the names; empty if no name
    /// needs help, and without the feature `help`.
    pub explanations: &'static [&'static str],
    /// The placeholder of a value in the help, such as `NAME`.
    pub placeholder: &'static str,
    /// The name of the default; empty if the help states it, or the option has no default.
    pub default: &'static str,
    /// The help in one sentence. Without the feature `help`, this field and the next two are empty.
    pub help: &'static str,
    /// More sentences of the help, which may be empty.
    pub details: &'static str,
    /// The heading in the help under which the option is.
    pub heading: &'static str,
    /// Whether few users need the option; the help has it under its last heading.
    pub is_rare: bool,
    /// The hosts that have the option besides Python, which has all options.
    pub hosts: &'static [Host],
    set: Setter,
}

/// The function by which an option takes effect.
#[derive(Debug, Clone, Copy)]
enum Setter {
    Infallible(fn(&mut Settings, &GivenValues<'_>)),
    Fallible(fn(&mut Settings, &GivenValues<'_>) -> Result<(), InvalidOption>),
}

/// A program that offers options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// The commands `rewrite` and `links`. The command itself declares each option that has other
    /// values for files.
    Command,
    /// The npm package.
    Npm,
}

/// The values that an option takes.
#[derive(Debug, Clone, Copy)]
pub enum Values {
    /// True or false.
    Flag,
    /// A text.
    Text,
    /// The label of an encoding.
    Label,
    /// Several texts.
    Texts,
    /// Several texts, which commas separate on the command line.
    TextsByComma,
    /// A name out of a list.
    Name(&'static [&'static str]),
    /// Several names out of a list.
    Names(&'static [&'static str]),
    /// Pairs of texts, or texts `OLD=NEW`.
    Pairs,
}

/// A value that a host was given.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// A value of [`Values::Flag`].
    Flag(bool),
    /// A value of every other kind.
    Text(&'a str),
    /// A value of [`Values::Pairs`].
    Pair(&'a str, &'a str),
}

/// The reason why values of an option are refused.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum InvalidOption {
    /// A text is none of these names.
    Name(String, &'static [&'static str]),
    /// A text is invalid, for this reason.
    Text(String, String),
    /// The values are invalid together, for this reason.
    Together(String),
    /// A URL or a label is invalid.
    Library(Error),
}

impl InvalidOption {
    /// Returns the message for a host that calls the option by this name.
    #[must_use]
    pub fn message(&self, option: &str) -> String {
        match self {
            Self::Name(text, names) => unknown_name(option, text, names),
            Self::Text(text, why) => format!("invalid value '{text}' for '{option}', {why}"),
            Self::Together(why) => format!("invalid value for '{option}', {why}"),
            Self::Library(error) => error.to_string(),
        }
    }

    /// Returns the reason without the value and the option.
    #[must_use]
    pub fn why(self) -> String {
        match self {
            Self::Name(..) => "no such name".to_owned(),
            Self::Text(_, why) | Self::Together(why) => why,
            Self::Library(error) => error.to_string(),
        }
    }
}

/// Returns the message for a text that is none of the names that an option takes.
#[must_use]
pub fn unknown_name(option: &str, text: &str, names: &[&str]) -> String {
    let expected = match nearest(text, names.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("expected {}", names.join(", ")),
    };
    format!("invalid value '{text}' for '{option}', {expected}")
}

impl From<Error> for InvalidOption {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl DocumentOption {
    /// Applies the values of the option to settings, if its names and values are valid.
    pub(crate) fn set(
        &self,
        settings: &mut Settings,
        values: &[Value<'_>],
    ) -> Result<(), InvalidOption> {
        let mut given = GivenValues { values, chosen: Vec::new() };
        if let Values::Name(names) | Values::Names(names) = self.values {
            for text in given.texts() {
                let position = names.iter().position(|name| *name == text);
                let unknown = || InvalidOption::Name(text.to_owned(), names);
                given.chosen.push(position.ok_or_else(unknown)?);
            }
        }
        match self.set {
            Setter::Infallible(set) => set(settings, &given),
            Setter::Fallible(set) => set(settings, &given)?,
        }
        Ok(())
    }

    const fn new(name: &'static str, values: Values, help: &'static str, set: Setter) -> Self {
        Self {
            name,
            values,
            explanations: &[],
            placeholder: "NAME",
            default: "",
            help: help_text(help),
            details: "",
            heading: "Links",
            is_rare: false,
            hosts: &[Host::Command, Host::Npm],
            set,
        }
    }

    const fn explained(self, explanations: &'static [&'static str]) -> Self {
        if cfg!(feature = "help") { Self { explanations, ..self } } else { self }
    }

    const fn placeholder(self, placeholder: &'static str) -> Self {
        Self { placeholder, ..self }
    }

    const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    const fn details(self, details: &'static str) -> Self {
        Self { details: help_text(details), ..self }
    }

    const fn heading(self, heading: &'static str) -> Self {
        Self { heading: help_text(heading), ..self }
    }

    const fn rare(self) -> Self {
        Self { is_rare: true, ..self }
    }

    const fn hosts(self, hosts: &'static [Host]) -> Self {
        Self { hosts, ..self }
    }
}

/// Returns a text of the help, or nothing without the feature `help`: a WebAssembly module without
/// the command is smaller without these texts.
const fn help_text(text: &'static str) -> &'static str {
    if cfg!(feature = "help") { text } else { "" }
}

/// The values that a host was given for an option. Hosts check the kind of the values.
struct GivenValues<'a> {
    values: &'a [Value<'a>],
    /// The chosen names, as positions in the list of names that the option takes.
    chosen: Vec<usize>,
}

impl<'a> GivenValues<'a> {
    fn is_set(&self) -> bool {
        matches!(self.values, [Value::Flag(true), ..])
    }

    fn texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.values.iter().map(|value| match *value {
            Value::Text(text) | Value::Pair(text, _) => text,
            Value::Flag(_) => "",
        })
    }

    fn text(&self) -> &'a str {
        self.texts().next().unwrap_or_default()
    }

    /// Maps the chosen name to a value, from a list in the order of the names.
    fn choose<T: Copy>(&self, list: &[T]) -> T {
        list[self.chosen.first().copied().unwrap_or_default()]
    }

    fn parse_texts<T, E: ToString>(
        &self,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Vec<T>, InvalidOption> {
        let parse = |text: &str| {
            parse(text).map_err(|why| InvalidOption::Text(text.to_owned(), why.to_string()))
        };
        self.texts().map(parse).collect()
    }
}

/// An attribute of the option `only` that selects nothing, because no option makes it count as
/// links.
#[derive(Debug)]
pub struct UnusedAttribute {
    /// The attribute, in lower case.
    pub name: String,
    /// The reason.
    pub why: Diagnosis,
}

impl UnusedAttribute {
    /// Returns the problem with the name of the option, for a host that does not add the name.
    #[must_use]
    pub fn diagnosis(&self) -> Diagnosis {
        let name = masked(&self.name).escape_debug().to_string();
        Diagnosis::from_words("{only} '{}': {}", &[&name, &self.why])
    }

    pub(crate) fn find(selection: &Selection) -> Option<Self> {
        let (name, row) = selection.unused_only()?;
        let needed = row.map(|row| match (row.counts, row.grammar) {
            (DefaultState::WithLazy, _) => Diagnosis::from_words("{lazy}", &[]),
            (DefaultState::WithMeta, _) => Diagnosis::from_words("{meta}", &[]),
            (_, grammar) => {
                let grammar = grammar.map_or("url", Grammar::name);
                let value = format!("*:{}={grammar}", name.escape_debug());
                Diagnosis::from_words("{attr _}", &[&value])
            }
        });
        let why = if let Some(option) = needed {
            Diagnosis::from_words("counts only with {}; add {}", &[&option, &option])
        } else {
            let rows = TABLE.iter().filter(|row| row.grammar.is_some());
            let names = rows.flat_map(|row| row.attributes).copied().chain(selection.added_names());
            let near = nearest(name, names).map(|near| format!(", did you mean {near}?"));
            let near = near.as_deref().unwrap_or(" (href, src, ...);");
            let words = "not an attribute with links{} {attr} adds those that are not built in";
            Diagnosis::from_words(words, &[&near])
        };
        Some(Self { name: name.to_owned(), why })
    }
}

/// Finds the most similar name, if a name is near: by one edit, such as two transposed letters,
/// with the same beginning, or with the text as its last word, as `base_url` for `url`.
pub fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    /// Names are near if they exceed this
    /// [Jaro-Winkler similarity](https://en.wikipedia.org/wiki/Jaro-Winkler_distance), which favors
    /// a common prefix: 1 is equal, 0 has nothing in common.
    const MIN_LIKENESS: f64 = 0.85;
    /// Minimum characters of a name: an edit changes too much of a shorter one.
    const MIN_LENGTH: usize = 3;
    let is_long = text.chars().count() >= MIN_LENGTH;
    let capital = text.get(..1).unwrap_or_default().to_ascii_uppercase();
    let word = capital + text.get(1..).unwrap_or_default();
    let is_last_word = |name: &str| {
        name.strip_suffix(text).is_some_and(|rest| rest.ends_with(['-', '_']))
            || name.strip_suffix(&word).is_some_and(|rest| !rest.is_empty())
    };
    names
        .filter_map(|name| {
            let is_one_edit = is_long && strsim::osa_distance(text, name) == 1;
            let likeness = strsim::jaro_winkler(text, name);
            let is_like = is_one_edit || likeness > MIN_LIKENESS;
            let likeness = if is_like { likeness } else { 0.0 };
            (is_like || is_long && is_last_word(name)).then_some((is_one_edit, likeness, name))
        })
        // If the text is the last word of several names, the shortest wins: `base_url`.
        .max_by(|one, other| {
            let order = one.0.cmp(&other.0).then(one.1.total_cmp(&other.1));
            order.then(other.2.len().cmp(&one.2.len()))
        })
        .map(|(.., name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_one_edit_away_or_begins_alike() {
        let names = ["src", "href", "srcset", "url", "id", "the-last", "at-the-last", "lastName"];
        let near = |text| nearest(text, names.into_iter());
        for (text, name) in [
            ("scr", Some("src")),
            ("hrf", Some("href")),
            ("herf", Some("href")),
            ("urls", Some("url")),
            ("uri", Some("url")),
            ("srcse", Some("srcset")),
            ("srcs", Some("src")),
            ("last", Some("lastName")),
            ("ast", None),
            ("name", Some("lastName")),
            ("xd", None),
            ("title", None),
        ] {
            assert_eq!(near(text), name, "{text}");
        }
    }
}
