//! Options and limits as the Python and the npm package describe them.

use absolve::Limits;
use absolve::option::{DocumentOption, OPTIONS, Values};
use absolve_cli::args::functions::{Function, Keyword, KeywordValues};
use clap::{Arg, ArgAction};

use super::{command, default_and_rest, explained_values, help, limits, listed_values, value_help};

/// An option of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The help, and the default.
    pub(super) text: String,
    /// The values that have a help of their own.
    pub(super) values: Vec<(String, String)>,
}

impl Entry {
    /// The lines of a list of values that have a help.
    pub(super) fn list_values(&self, width: usize) -> impl Iterator<Item = String> {
        let items = self.values.iter().map(|(name, help)| format!("- `{name}`: {help}"));
        items
            .map(move |item| wrap(&item, width - 2).join("\n  "))
            .flat_map(|item| item.lines().map(str::to_owned).collect::<Vec<_>>())
    }
}

/// The values that an option takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Flag,
    /// A text, or `true` for the default.
    FlagOrText,
    Number,
    Text,
    Texts,
    Path,
    Paths,
    Name(Vec<String>),
    Names(Vec<String>),
    Pairs,
}

/// Words of the help that are about files, and those for one document.
const OF_FILES: [(&str, &str); 2] = [
    ("relative, offline and root-relative", "relative and root-relative"),
    (" It is like --base-url: for a folder, the folder's.", ""),
];

/// How a package spells options.
#[derive(Clone, Copy)]
pub(super) struct Spelling {
    /// An option of documents.
    pub(super) option: fn(&str) -> String,
    pub(super) limit: fn(&str) -> String,
    /// An option in a text, with a value, which may be empty.
    pub(super) mention: fn(&str, &str) -> String,
    /// Words of the help, and those of the package.
    pub(super) phrases: &'static [(&'static str, &'static str)],
    /// Sentences that the help does not have, by the option.
    pub(super) notes: &'static [(&'static str, &'static str)],
}

impl Spelling {
    /// The options of documents.
    pub(super) fn documents(self, has: impl Fn(&DocumentOption) -> bool) -> Vec<Entry> {
        let entry = |option: &DocumentOption| {
            let (kind, names) = match option.values {
                Values::Flag => (Kind::Flag, &[][..]),
                Values::Text | Values::Label => (Kind::Text, &[][..]),
                Values::Texts | Values::TextsByComma => (Kind::Texts, &[][..]),
                Values::Name(names) => (Kind::Name(owned(names)), names),
                Values::Names(names) => (Kind::Names(owned(names)), names),
                Values::Pairs => (Kind::Pairs, &[][..]),
            };
            let values = names.iter().zip(option.explanations);
            let help = format!("{}\n\n{}", option.help, option.details);
            let help = OF_FILES.iter().fold(help, |help, (old, new)| help.replace(old, new));
            Entry {
                name: (self.option)(option.name),
                kind,
                text: self.sentences(option.name, help.trim_end(), option.default),
                values: values.map(|(name, help)| self.value(name, help)).collect(),
            }
        };
        OPTIONS.iter().filter(|option| has(option)).map(entry).collect()
    }

    /// Asserts that phrases are in the help of an option, and notes are on an option.
    pub(super) fn check(self) {
        let commands = ["rewrite", "links", "audit", "extract"].map(command);
        let args = commands.iter().flat_map(clap::Command::get_arguments);
        let help: String =
            args.map(help).chain(OPTIONS.iter().map(|one| one.help.into())).collect();
        for (phrase, _) in self.phrases {
            assert!(help.contains(phrase), "{phrase}");
        }
        for (option, note) in self.notes {
            assert!(find(option).is_some(), "{option}: {note}");
        }
    }

    /// The limits on documents of this user.
    pub(super) fn limits(self, user: &str) -> Vec<Entry> {
        let rows = Limits::ROWS.iter().filter(|(row, _)| row.users.contains(&user));
        rows.map(|(row, _)| self.limit("rewrite", row.name)).collect()
    }

    /// The options of a function that does what a command does.
    pub(super) fn keywords(self, function: &Function) -> Vec<Entry> {
        let shown = command(function.command);
        let entry = |keyword: Keyword<'_>| {
            if let Some(limit) = keyword.option.strip_prefix("--limit=") {
                return self.limit(function.command, limit);
            }
            let arg = shown.get_arguments().find(|arg| arg.get_id() == keyword.arg.get_id());
            let arg = arg.unwrap();
            let (option, values) = (arg.get_long().unwrap(), explained_values(arg));
            let default =
                arg.get_default_values().first().map_or("", |text| text.to_str().unwrap());
            let values =
                values.iter().map(|value| self.value(value.get_name(), &value_help(value)));
            Entry {
                kind: kind(&keyword),
                text: self.sentences(option, &help(arg), default),
                values: values.collect(),
                name: keyword.name,
            }
        };
        function.keywords(&function.command()).into_iter().map(entry).collect()
    }

    fn limit(self, command_name: &str, name: &str) -> Entry {
        let limit = limits(&command(command_name)).into_iter().find(|one| one.get_name() == name);
        let text = self.sentences(name, &value_help(&limit.unwrap()), "");
        Entry { name: (self.limit)(name), kind: Kind::Number, text, values: Vec::new() }
    }

    fn value(self, name: &str, help: &str) -> (String, String) {
        (name.to_owned(), self.spell(&ended(help)))
    }

    /// A help in sentences, and the default: the one that is given, or that the help names.
    fn sentences(self, option: &str, help: &str, default: &str) -> String {
        let help =
            self.phrases.iter().fold(help.to_owned(), |help, (old, new)| help.replace(old, new));
        let (named, help) = default_and_rest(&help);
        let sentences = help.split("\n\n").map(|text| self.spell(&ended(text)));
        let mut sentences: Vec<String> = sentences.collect();
        let notes = self.notes.iter().filter(|(name, _)| *name == option);
        sentences.extend(notes.map(|(_, note)| (*note).to_owned()));
        let default = if default.is_empty() { named } else { format!("`{default}`") };
        if !default.is_empty() {
            sentences.push(format!("Default: {}", self.spell(&ended(&default))));
        }
        sentences.join(" ")
    }

    /// Replaces options of the command, and quotes, in a text.
    fn spell(self, text: &str) -> String {
        let mut words = text.split(' ').peekable();
        let mut spelled = Vec::new();
        while let Some(word) = words.next() {
            let (before, core, after) = split_word(word);
            let Some(option) = core.strip_prefix("--") else {
                let quoted = core.strip_prefix('\'').and_then(|core| core.strip_suffix('\''));
                spelled.push(match quoted {
                    Some(text) => format!("{before}`{text}`{after}"),
                    None => word.to_owned(),
                });
                continue;
            };
            let value = words.peek().map(|next| split_word(next));
            let value = value.filter(|(_, value, _)| after.is_empty() && takes(option, value));
            let (value, after) = value.map_or(("", after), |(_, value, after)| (value, after));
            if !value.is_empty() {
                words.next();
            }
            spelled.push(format!("{before}`{}`{after}", (self.mention)(option, value)));
        }
        spelled.join(" ")
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn kind(keyword: &Keyword<'_>) -> Kind {
    let arg = keyword.arg;
    let is_several = matches!(arg.get_action(), ArgAction::Append);
    let placeholder = arg.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str());
    let values =
        if keyword.values == KeywordValues::Flag { Vec::new() } else { listed_values(arg) };
    let names: Vec<_> = values.iter().map(|value| value.get_name().to_owned()).collect();
    match (keyword.values, is_several) {
        (KeywordValues::Flag, _) => Kind::Flag,
        (KeywordValues::Number, _) => Kind::Number,
        (KeywordValues::Path, false) => Kind::Path,
        (KeywordValues::Path, true) => Kind::Paths,
        (_, false) if arg.get_num_args().is_some_and(|values| values.min_values() == 0) => {
            Kind::FlagOrText
        }
        (_, false) if !names.is_empty() => Kind::Name(names),
        (_, true) if !names.is_empty() => Kind::Names(names),
        (_, true) if placeholder.split('=').count() == 2 && !placeholder.contains(':') => {
            Kind::Pairs
        }
        (_, false) => Kind::Text,
        (_, true) => Kind::Texts,
    }
}

/// A text with a period, but for `https:`.
fn ended(text: &str) -> String {
    if text.ends_with(['.', ':']) { text.to_owned() } else { format!("{text}.") }
}

/// A word without the punctuation around it.
fn split_word(word: &str) -> (&str, &str, &str) {
    let core = word.trim_start_matches('(');
    let before = &word[..word.len() - core.len()];
    let trimmed = core.trim_end_matches(['.', ',', ';', ':', ')']);
    (before, trimmed, &core[trimmed.len()..])
}

/// The option of any command that has this name.
fn find(option: &str) -> Option<Arg> {
    let commands = ["rewrite", "links", "audit", "extract"].map(command);
    let mut args = commands.iter().flat_map(clap::Command::get_arguments);
    args.find(|arg| arg.get_long() == Some(option)).cloned()
}

/// Whether an option takes this name as its value.
fn takes(option: &str, value: &str) -> bool {
    let arg = find(option).unwrap_or_else(|| panic!("no option --{option}"));
    listed_values(&arg).iter().any(|name| name.get_name() == value)
}

/// Whether an option has no values.
pub(super) fn is_flag(option: &str) -> bool {
    find(option).is_some_and(|arg| !arg.get_action().takes_values())
}

/// A text in lines of at most this many characters.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
