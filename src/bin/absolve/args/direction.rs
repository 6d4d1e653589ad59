//! The form and the place of links, as they are typed.

use std::path::PathBuf;

use absolve::audit::{OpenedBy, Profile};
use absolve::url::Maps;
use absolve::{External, Form};
use clap::builder::TypedValueParser;

use super::choice::{Choice, choice, named};

/// The form and the place of links.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Form of links")]
pub(crate) struct DirectionArgs {
    /// Form of links [default: absolute; with --map, the one that they have]
    #[arg(long, value_name = "FORM", value_parser = choice(FORMS))]
    to: Option<Form>,
    /// What opens the pages, for --to relative [default: server]
    #[arg(long = "for", value_name = "WHAT", value_parser = choice(OPENERS))]
    opened_by: Option<OpenedBy>,
    /// Server whose lookup rules decide which links lead to files, for --to relative [default: plain]
    #[arg(long, value_name = "NAME", value_parser = profile())]
    server: Option<Profile>,
    /// Leave links that lead out of the site as they are, for --to relative and root-relative
    #[arg(long)]
    leave_external: bool,
    /// Move links: URLs beneath OLD are beneath NEW; the longest OLD counts, once for each link
    #[arg(long, value_name = "OLD=NEW", value_parser = rule)]
    map: Vec<Rule>,
    /// File that lists such moves, one per line: OLD, tab, NEW
    #[arg(long, value_name = "FILE")]
    pub(crate) map_file: Option<PathBuf>,
}

/// A rule of `--map`.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    old: String,
    new: String,
}

const FORMS: &[Choice<Form>] = &[
    Choice::new("absolute", Form::Absolute, "Absolute URLs"),
    Choice::new(
        "relative",
        Form::Relative,
        "Relative to the document, where the target is in the folder; else absolute",
    ),
    Choice::new(
        "root-relative",
        Form::RootRelative,
        "The path from the root of the host, for its own links; else absolute",
    ),
];

const OPENERS: &[Choice<OpenedBy>] = &[
    Choice::new("server", OpenedBy::Server, "A server: links to folders stay as they are"),
    Choice::new("file", OpenedBy::File, "A browser, from the disk: links name files"),
];

impl DirectionArgs {
    /// The form of links.
    pub(crate) fn form(&self) -> Form {
        let moves = !self.map.is_empty() || self.map_file.is_some();
        self.to.unwrap_or(if moves { Form::AsWritten } else { Form::Absolute })
    }

    /// Whether links become absolute and none moves, as they do without any of these options.
    pub(crate) fn is_default(&self) -> bool {
        self.form() == Form::Absolute && self.map.is_empty() && self.map_file.is_none()
    }

    /// What opens the pages.
    pub(crate) fn opened_by(&self) -> OpenedBy {
        self.opened_by.unwrap_or_default()
    }

    /// The server whose rules count.
    pub(crate) fn server(&self) -> Profile {
        self.server.unwrap_or_default()
    }

    /// The form of links that lead out of the site.
    pub(crate) fn external(&self) -> External {
        if self.leave_external { External::Leave } else { External::Absolute }
    }

    /// The rules of `--map`.
    pub(crate) fn maps(&self) -> Result<Maps, absolve::url::InvalidMap> {
        let mut maps = Maps::new();
        for Rule { old, new } in &self.map {
            maps.add(old, new)?;
        }
        Ok(maps)
    }

    /// The first option that was given and is not for this form.
    pub(crate) fn misplaced(&self) -> Option<&'static str> {
        let form = self.form();
        let is_relative = form == Form::Relative;
        let has_site = is_relative || form == Form::RootRelative;
        let given = [
            (self.opened_by.is_some() && !is_relative, "--for needs --to relative"),
            (self.server.is_some() && !is_relative, "--server needs --to relative"),
            (
                self.leave_external && !has_site,
                "--leave-external needs --to relative or --to root-relative",
            ),
        ];
        given.into_iter().find_map(|(is_given, what)| is_given.then_some(what))
    }

    /// The keys of a configuration that have no meaning with the form that is typed.
    pub(crate) fn overridden(&self) -> &'static [&'static str] {
        match self.to {
            None | Some(Form::Relative) => &[],
            Some(Form::RootRelative) => &["for", "server"],
            Some(_) => &["for", "server", "leave-external"],
        }
    }

    /// The first option that was given and is not for web archives.
    pub(crate) fn not_for_archives(&self) -> Option<&'static str> {
        match self.to {
            Some(Form::Relative) => Some("--to relative"),
            Some(Form::RootRelative) => Some("--to root-relative"),
            Some(Form::Absolute) if !self.is_default() => Some("--to absolute"),
            _ => None,
        }
    }
}

fn rule(text: &str) -> Result<Rule, String> {
    let (old, new) = Maps::split(text).ok_or("expected two absolute URLs, OLD=NEW")?;
    Maps::new().add(old, new).map_err(|error| error.to_string())?;
    Ok(Rule { old: old.to_owned(), new: new.to_owned() })
}

fn profile() -> impl TypedValueParser<Value = Profile> {
    named(Profile::ALL.iter().copied(), Profile::name)
}
