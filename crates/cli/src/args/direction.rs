//! The form and the place of links, as they are typed.

use std::path::PathBuf;

use absolve::url::Maps;
use absolve::{Diagnosis, Form};
use absolve_site::{OpenedBy, Profile};
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
    map: Vec<(String, String)>,
    /// File that lists moves as --map has them, one per line: OLD, tab, NEW
    #[arg(long, value_name = "FILE", value_parser = path())]
    pub map_file: Option<PathBuf>,
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

    /// The opener of the pages, a server or a browser.
    pub fn opened_by(&self) -> OpenedBy {
        self.to.map_or(OpenedBy::Server, |(_, opened_by)| opened_by)
    }

    /// The server whose rules count.
    pub fn server(&self) -> Profile {
        self.server.unwrap_or_default()
    }

    /// The name of the form that links get, if it was given.
    pub fn form_name(&self) -> &'static str {
        self.to.map_or("", |form| name_of(FORMS, &form))
    }

    /// The rules of `--map`.
    pub fn maps(&self) -> Result<Maps, absolve::url::InvalidMap> {
        let mut maps = Maps::new();
        for (old, new) in &self.map {
            maps.add(old, new)?;
        }
        Ok(maps)
    }

    /// Why an option that was given is not for this form.
    pub fn misplaced(&self) -> Option<Diagnosis> {
        let is_misplaced = self.server.is_some() && self.form() != Form::Relative;
        let what = "{server} needs {to relative} or {to offline}";
        is_misplaced.then(|| Diagnosis::from_words(what, &[]))
    }

    /// The keys of a configuration that have no meaning with the form that is typed.
    pub fn overridden(&self) -> &'static [&'static str] {
        match self.to {
            None | Some((Form::Relative, _)) => &[],
            Some(_) => &["server"],
        }
    }
}

fn rule(text: &str) -> Result<(String, String), String> {
    let (old, new) = Maps::split(text).ok_or("expected two absolute URLs, OLD=NEW")?;
    Maps::new().add(old, new).map_err(|error| error.to_string())?;
    Ok((old.to_owned(), new.to_owned()))
}

pub(super) fn profile() -> impl TypedValueParser<Value = Profile> {
    named(Profile::ALL.iter().copied(), Profile::name)
}
