//! The form and the place of links, as they are typed.

use std::path::PathBuf;

use crate::Form;
use crate::audit::{OpenedBy, Profile};
use crate::url::Maps;
use clap::builder::TypedValueParser;

use super::choice::{Choice, choice, name_of, named, path};

/// The form and the place of links.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Form of links")]
pub struct DirectionArgs {
    /// Form of links [default: absolute; with --map, the one that they have]
    ///
    /// With --map, and in other forms than absolute, style sheets of folders are documents too.
    #[arg(long, value_name = "FORM", value_parser = choice(FORMS))]
    to: Option<(Form, OpenedBy)>,
    /// Server whose rules find the files of links [default: plain]
    ///
    /// It is for --to relative and --to offline.
    #[arg(long, value_name = "NAME", value_parser = profile())]
    server: Option<Profile>,
    /// Move links: URLs beneath OLD are beneath NEW
    ///
    /// The longest OLD counts, once for each link.
    #[arg(long, value_name = "OLD=NEW", value_parser = rule)]
    map: Vec<Rule>,
    /// File that lists moves as --map has them, one per line: OLD, tab, NEW
    #[arg(long, value_name = "FILE", value_parser = path())]
    pub map_file: Option<PathBuf>,
}

/// A rule of `--map`.
#[derive(Debug, Clone)]
pub struct Rule {
    old: String,
    new: String,
}

/// The forms, and what opens the pages.
const FORMS: &[Choice<(Form, OpenedBy)>] = &[
    Choice::new("absolute", (Form::Absolute, OpenedBy::Server), "Absolute URLs"),
    Choice::new(
        "relative",
        (Form::Relative, OpenedBy::Server),
        "Relative to the document, where the target is in the folder; else absolute",
    ),
    Choice::new(
        "offline",
        (Form::Relative, OpenedBy::File),
        "The same for a browser without a server: links to folders name files",
    ),
    Choice::new(
        "root-relative",
        (Form::RootRelative, OpenedBy::Server),
        "The path from the root of the host, for its own links; else absolute",
    ),
];

impl DirectionArgs {
    /// The form of links.
    pub fn form(&self) -> Form {
        let moves = !self.map.is_empty() || self.map_file.is_some();
        let default = if moves { Form::AsWritten } else { Form::Absolute };
        self.to.map_or(default, |(form, _)| form)
    }

    /// Whether links become absolute and none moves, as they do without any of these options.
    pub fn is_default(&self) -> bool {
        self.form() == Form::Absolute && self.map.is_empty() && self.map_file.is_none()
    }

    /// What opens the pages.
    pub fn opened_by(&self) -> OpenedBy {
        self.to.map_or(OpenedBy::Server, |(_, opened_by)| opened_by)
    }

    /// The server whose rules count.
    pub fn server(&self) -> Profile {
        self.server.unwrap_or_default()
    }

    /// `--to` with its value, if it was given.
    pub fn typed_form(&self) -> Option<String> {
        self.to.map(|form| format!("--to {}", name_of(FORMS, &form)))
    }

    /// The rules of `--map`.
    pub fn maps(&self) -> Result<Maps, crate::url::InvalidMap> {
        let mut maps = Maps::new();
        for Rule { old, new } in &self.map {
            maps.add(old, new)?;
        }
        Ok(maps)
    }

    /// Why an option that was given is not for this form.
    pub fn misplaced(&self) -> Option<&'static str> {
        let is_misplaced = self.server.is_some() && self.form() != Form::Relative;
        is_misplaced.then_some("--server needs --to relative or --to offline")
    }

    /// The keys of a configuration that have no meaning with the form that is typed.
    pub fn overridden(&self) -> &'static [&'static str] {
        match self.to {
            None | Some((Form::Relative, _)) => &[],
            Some(_) => &["server"],
        }
    }

    /// The option that was given and is not for web archives.
    pub fn not_for_archives(&self) -> Option<String> {
        self.typed_form().filter(|_| !self.is_default())
    }
}

fn rule(text: &str) -> Result<Rule, String> {
    let (old, new) = Maps::split(text).ok_or("expected two absolute URLs, OLD=NEW")?;
    Maps::new().add(old, new).map_err(|error| error.to_string())?;
    Ok(Rule { old: old.to_owned(), new: new.to_owned() })
}

pub(super) fn profile() -> impl TypedValueParser<Value = Profile> {
    named(Profile::ALL.iter().copied(), Profile::name)
}
