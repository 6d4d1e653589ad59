//! Advice about errors, as data that each host words in its own terms.

use std::fmt::{self, Display};
use std::io;
use std::iter;

use super::Error;
use super::limit::LimitRow;

/// An action that a user can take about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Advice {
    /// Raises this limit, for a trusted document.
    Raise(&'static LimitRow),
    /// Sets options, named in braces and with their values: `{as html}`, `{limit findings=N}`.
    Set(&'static str),
}

impl Advice {
    #[doc(hidden)]
    pub const AS_HTML: Self = Self::Set("{as html}");

    /// Returns the advice in the form that follows a message. `spell` formats the name and the
    /// value of an option as its host does.
    #[must_use]
    pub fn spelled(self, spell: impl Fn(&str, &str) -> String) -> String {
        match self {
            Self::Raise(row) => {
                let limit = spell("limit", &format!("{}=N", row.name));
                format!("; raise {limit} ({}) if it is trusted", row.describe_max())
            }
            Self::Set(words) => format!(" ({})", fill_words(words, iter::empty(), &spell)),
        }
    }
}

/// Spells an option with its value, which may be empty.
type Spell<'s> = &'s dyn Fn(&str, &str) -> String;

/// Fills data into each `{}` of `words`, and spells options as a host does.
fn fill_words(words: &str, mut data: impl Iterator<Item = String>, spell: Spell<'_>) -> String {
    words.split('{').fold(String::new(), |text, part| {
        let Some((option, after)) = part.split_once('}') else { return text + part };
        let (name, value) = option.split_once(' ').unwrap_or((option, ""));
        let mut next = || data.next().unwrap_or_default();
        let shown = match (name, value) {
            ("", _) => next(),
            (name, "_") => spell(name, &next()),
            (name, value) => spell(name, value),
        };
        text + &shown + after
    })
}

/// Spells an option as on the command line. Quotes a value with `*`, which shells would expand.
#[must_use]
pub fn typed(name: &str, value: &str) -> String {
    let dashes = if name.len() == 1 { "-" } else { "--" };
    match value {
        "" => format!("{dashes}{name}"),
        value if value.contains('*') => format!("{dashes}{name} '{value}'"),
        value => format!("{dashes}{name} {value}"),
    }
}

/// A problem with a text, and with advice if there is any.
pub trait HasAdvice: Display {
    /// Returns the action that a user can take.
    fn advice(&self) -> Option<Advice> {
        None
    }

    /// Returns the text and the advice. By default, the text is data; types whose words name
    /// options override this.
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis { text: Text::Data(self.to_string()), advice: self.advice() }
    }
}

impl HasAdvice for str {}
impl HasAdvice for String {}
impl HasAdvice for fmt::Arguments<'_> {}

impl<T: HasAdvice + ?Sized> HasAdvice for &T {
    fn advice(&self) -> Option<Advice> {
        (**self).advice()
    }

    fn diagnosis(&self) -> Diagnosis {
        (**self).diagnosis()
    }
}

/// A problem in words, and the advice.
///
/// [`Display`] shows only the words, with options as on the command line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnosis {
    text: Text,
    advice: Option<Advice>,
}

/// A text: data, in which braces never name options, or words of the program with data for their
/// braces.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Text {
    Data(String),
    Words(&'static str, Vec<Text>),
}

impl Text {
    fn spelled(&self, spell: Spell<'_>) -> String {
        match self {
            Self::Data(text) => text.clone(),
            Self::Words(words, data) => {
                fill_words(words, data.iter().map(|text| text.spelled(spell)), spell)
            }
        }
    }
}

impl Diagnosis {
    /// Creates a diagnosis from the text and the advice of a problem.
    pub fn new(problem: impl HasAdvice) -> Self {
        problem.diagnosis()
    }

    /// Creates a diagnosis from words with data for each `{}`, which name options as
    /// [`Advice::Set`] does; the value of `{root-dir _}` is data, too.
    #[must_use]
    pub fn from_words(words: &'static str, data: &[&dyn HasAdvice]) -> Self {
        let data = data.iter().map(|value| value.diagnosis().text).collect();
        Self { text: Text::Words(words, data), advice: None }
    }

    /// Creates the diagnosis of a problem with a file, an archive or an option of this name.
    pub fn of(name: impl Display, problem: impl HasAdvice) -> Self {
        let words = Self::from_words("{}: {}", &[&format_args!("{name}"), &problem]);
        words.advising(problem.advice())
    }

    /// Replaces the advice.
    #[must_use]
    pub fn advising(self, advice: impl Into<Option<Advice>>) -> Self {
        Self { advice: advice.into(), ..self }
    }

    /// Returns the text, followed by the advice. `spell` formats the name and the value of an
    /// option as its host does.
    #[must_use]
    pub fn spelled(&self, spell: impl Fn(&str, &str) -> String) -> String {
        let advice = self.advice.map(|advice| advice.spelled(&spell)).unwrap_or_default();
        self.text.spelled(&spell) + &advice
    }
}

impl HasAdvice for Diagnosis {
    fn advice(&self) -> Option<Advice> {
        self.advice
    }

    fn diagnosis(&self) -> Diagnosis {
        self.clone()
    }
}

impl Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text.spelled(&typed))
    }
}

impl std::error::Error for Diagnosis {}

/// Takes the advice of the error that the I/O error wraps.
impl HasAdvice for io::Error {
    fn advice(&self) -> Option<Advice> {
        let inner = self.get_ref()?;
        match inner.downcast_ref::<Error>() {
            Some(error) => error.advice(),
            None => inner.downcast_ref::<Diagnosis>()?.advice,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_names_no_option() {
        let file = "{to}{} --to {root-dir _}";
        let outer = ["{}", "{to relative}"].map(Diagnosis::new);
        let inner = Diagnosis::from_words("not in {root-dir _}: {}", &[&file, &outer[0]]);
        let all = Diagnosis::from_words("{}; give {w} or {limit findings=N}", &[&inner]);
        let all = Diagnosis::of(file, all).advising(Advice::Set("{include _}, {as html}"));
        let typed = format!("not in --root-dir {file}: {{}}; give -w or --limit findings=N");
        assert_eq!(all.to_string(), format!("{file}: {typed}"));
        let spelled = all.spelled(|name, value| format!("<{name}|{value}>"));
        let expected =
            format!("{file}: not in <root-dir|{file}>: {{}}; give <w|> or <limit|findings=N>");
        assert_eq!(spelled, expected + " (<include|>, <as|html>)");
    }
}
