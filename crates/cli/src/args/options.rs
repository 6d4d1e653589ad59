//! The options of documents, created from the rows of the library.

use std::error::Error;
use std::iter::repeat;

use absolve::option::{DocumentOption, Host, InvalidOption, OPTIONS, Value, Values};
use absolve::url::Standard;
use absolve::{BaseScope, Credentials, Diagnosis, LinkPattern, Rewriter};
use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use super::values::options;

/// The heading of the options about base URLs.
const BASE_URL: &str = "Base URL";

/// The name of an option, its default, and its heading in a command.
type GroupRow = (&'static str, &'static str, &'static str);

/// The options of an audit for reading pages.
const PAGES: &[GroupRow] = &[
    ("standard", "whatwg", "Reading pages"),
    ("encoding", "", "Reading pages"),
    ("only", "", "Links"),
    ("attr", "", "Links"),
    ("meta", "", "Links"),
    ("lazy", "", "Links"),
    ("base-scope", "document", BASE_URL),
];

/// All options of `rewrite` and `links`.
pub type DocumentOptions = OptionArgs<0>;
/// The options in [`PAGES`].
pub type PageOptions = OptionArgs<1>;
/// The links that an audit ignores.
pub type IgnoredLinks = OptionArgs<2>;
/// The standard alone.
pub type ResolvingOptions = OptionArgs<3>;

fn list_group(number: usize) -> Vec<GroupRow> {
    let documents = || OPTIONS.iter().filter(|option| option.hosts.contains(&Host::Command));
    match number {
        0 => documents().map(|option| (option.name, option.default, option.heading)).collect(),
        1 => PAGES.to_vec(),
        2 => vec![("ignore-link", "", "Rules")],
        _ => vec![("standard", "rfc1808", "")],
    }
}

/// The values of the options of a group, as a rewriter.
#[derive(Debug, Clone)]
pub struct OptionArgs<const GROUP: usize> {
    rewriter: Rewriter,
}

/// Adds `--raw-base`, or the other options about base URLs, to a command, at their position in the
/// help. [`DocumentOptions`] reads their values.
#[derive(Debug)]
pub struct BaseOptions<const RAW: bool>;

pub type RawBaseOption = BaseOptions<true>;
pub type OtherBaseOptions = BaseOptions<false>;

options!(
    BaseOptions<RAW> where { const RAW: bool },
    |command: Command| {
        let mut options = list_group(0);
        options.retain(|(name, _, heading)| *heading == BASE_URL && (*name == "raw-base") == RAW);
        command.args(options.into_iter().filter_map(make_arg))
    },
    |_| Self
);

impl<const GROUP: usize> OptionArgs<GROUP> {
    /// Returns the rewriter of these options, without the URL of a document and without limits.
    pub fn rewriter(&self) -> Rewriter {
        self.rewriter.clone()
    }

    pub fn standard(&self) -> Standard {
        self.rewriter.settings().standard
    }

    pub fn credentials(&self) -> Credentials {
        self.rewriter.settings().credentials
    }

    pub fn ignored(&self) -> Vec<LinkPattern> {
        self.rewriter.settings().ignored.to_vec()
    }

    /// Makes the rewriter read and resolve pages as browsers do.
    pub fn read_as_browsers(&mut self) {
        self.rewriter = self.rewriter().standard(Standard::Whatwg).base_scope(BaseScope::Document);
    }

    /// Refuses a name in `--only` that would silently select nothing.
    pub fn check(&self) -> Result<(), Diagnosis> {
        self.rewriter.unused_only().map_or(Ok(()), |unused| Err(unused.diagnosis()))
    }

    fn read(matches: &ArgMatches) -> Result<Self, InvalidOption> {
        let mut rewriter = Rewriter::new();
        let rows = list_group(GROUP).into_iter();
        for option in rows.filter_map(|(name, ..)| DocumentOption::find(name)) {
            let id = derive_id(option);
            let values: Vec<Value<'_>> = if let Values::Flag = option.values {
                vec![Value::Flag(matches.get_flag(&id))]
            } else {
                let texts = matches.get_many::<String>(&id).into_iter().flatten();
                texts.map(|text| Value::Text(text)).collect()
            };
            if !values.is_empty() {
                rewriter = rewriter.set(option, &values)?;
            }
        }
        Ok(Self { rewriter })
    }
}

/// Returns the id that clap would derive from a field of this name.
fn derive_id(option: &DocumentOption) -> String {
    option.name.replace('-', "_")
}

fn make_arg((name, default, heading): GroupRow) -> Option<Arg> {
    let option = DocumentOption::find(name)?;
    let mut arg = Arg::new(derive_id(option)).long(option.name).help(option.help);
    arg = arg.help_heading(Some(heading).filter(|heading| !heading.is_empty()));
    if !option.details.is_empty() {
        arg = arg.long_help(format!("{}\n\n{}", option.help, option.details));
    }
    let action = match option.values {
        Values::Flag => return Some(arg.action(ArgAction::SetTrue)),
        Values::Texts | Values::TextsByComma => ArgAction::Append,
        _ => ArgAction::Set,
    };
    arg = arg.action(action).value_name(option.placeholder).value_parser(make_parser(option));
    if let Values::TextsByComma = option.values {
        arg = arg.value_delimiter(',');
    }
    Some(if default.is_empty() { arg } else { arg.default_value(default) })
}

fn make_parser(option: &'static DocumentOption) -> ValueParser {
    if let Values::Name(names) = option.values {
        let helps = option.explanations.iter().copied().map(Some).chain(repeat(None));
        let values = names.iter().zip(helps);
        let values = values.map(|(name, help)| PossibleValue::new(*name).help(help));
        return PossibleValuesParser::new(values).into();
    }
    ValueParser::new(move |text: &str| -> Result<String, Box<dyn Error + Send + Sync>> {
        match Rewriter::new().set(option, &[Value::Text(text)]) {
            Ok(_) => Ok(text.to_owned()),
            Err(InvalidOption::Library(error)) => Err(error.into()),
            Err(error) => Err(error.why().into()),
        }
    })
}

impl<const GROUP: usize> clap::Args for OptionArgs<GROUP> {
    fn augment_args(command: Command) -> Command {
        let mut options = list_group(GROUP);
        options.retain(|(.., heading)| GROUP != 0 || *heading != BASE_URL);
        command.args(options.into_iter().filter_map(make_arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const GROUP: usize> FromArgMatches for OptionArgs<GROUP> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let read = Self::read(matches);
        read.map_err(|error| clap::Error::raw(ErrorKind::ValueValidation, error.why()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
