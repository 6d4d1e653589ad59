//! `absolve.toml`: the options of an audit, kept in a file.
//!
//! It is looked for in the current folder and those above, never in the audited one,
//! whose files may be anybody's. Its keys are the long options. They are turned into
//! arguments and read by what reads the typed ones, so that a key takes what its option
//! takes. An option that is typed beats the key of its name; a list replaces a list.

mod keys;
mod print;
mod toml;

use std::env;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use absolve::batch;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use crate::args::{Args, AuditArgs, ConfigArgs};
use crate::failure::{Failure, reason};
use crate::output::printable;
use keys::Keys;
use toml::Setting;

pub(super) use print::print;

/// The name of the command that has the options.
const AUDIT: &str = "audit";

/// The name that is looked for.
const NAME: &str = "absolve.toml";

/// A larger file is no configuration.
const MOST: u64 = 1 << 20;

/// What is to be done, with the settings of the file in it.
pub(super) struct Settings {
    pub(super) args: AuditArgs,
    /// The same as clap has it, with the values as they are written.
    matches: ArgMatches,
    /// The file that was read.
    pub(super) file: Option<PathBuf>,
}

impl Settings {
    /// Reads the file that there is for these arguments, and the command line again;
    /// `audited` is the folder that is audited.
    pub(super) fn new(args: &ConfigArgs, audited: Option<&Path>) -> Result<Self, Failure> {
        let file = match &args.config {
            Some(file) => Some(file.clone()),
            None if args.no_config => None,
            None => find(audited)?,
        };
        let text = file.as_deref().map(|file| Ok((file, read(file)?))).transpose()?;
        let text = text.as_ref().map(|(file, text)| (*file, text.as_str()));
        let (args, matches) = joined(env::args_os().collect(), text)?;
        Ok(Self { args, matches, file })
    }
}

/// The arguments that were typed, and those of a file.
fn joined(
    typed: Vec<OsString>,
    file: Option<(&Path, &str)>,
) -> Result<(AuditArgs, ArgMatches), Failure> {
    let before = parse(&typed).map_err(|error| Failure::Message(first_line(&error)))?;
    let Some((file, text)) = file else { return Ok(before) };
    let keys = Keys::new();
    let settings = toml::read(&keys, file, text)?;
    let is_typed = |key: &str| {
        let source = keys.get(key).and_then(|key| before.1.value_source(key.id()));
        source == Some(ValueSource::CommandLine)
    };
    let added = settings.into_iter().filter(|setting| !is_typed(&setting.key));
    // No option before it has this for its value. What is typed stands behind, so that
    // of two options that complete each other it is the last one.
    let at = typed.iter().position(|arg| arg == AUDIT).map_or(typed.len(), |at| at + 1);
    let mut all = typed;
    let behind = all.split_off(at);
    all.extend(added.filter_map(|Setting { argument, .. }| argument));
    all.extend(behind);
    parse(&all).map_err(|error| Failure::of(&shown(file), first_line(&error)))
}

fn parse(arguments: &[OsString]) -> Result<(AuditArgs, ArgMatches), clap::Error> {
    let mut matches = Args::command().try_get_matches_from(arguments)?;
    let (_, matches) = matches.remove_subcommand().unwrap_or_default();
    Ok((AuditArgs::from_arg_matches(&matches)?, matches))
}

/// What clap says, without the usage behind it.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    printable(line.strip_prefix("error: ").unwrap_or(line))
}

/// Looks for the file, from the current folder upward, but not in the audited one.
fn find(audited: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    let current = env::current_dir().map_err(|error| {
        let what = format!("cannot be found: {}; give --no-config", reason(&error));
        Failure::of("the current folder", what)
    })?;
    let audited = audited.and_then(|folder| folder.canonicalize().ok());
    let is_audited = |folder: &Path| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let real = folder.canonicalize();
        audited.as_ref().is_some_and(|audited| real.is_ok_and(|real| real.starts_with(audited)))
    };
    // Relative, so that the paths in it are told as a user would write them.
    let mut path = PathBuf::new();
    for _ in current.ancestors() {
        let file = path.join(NAME);
        if is_audited(&path) {
            path.push("..");
            continue;
        }
        match file.metadata() {
            Ok(_) => return Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(unread(&file, &error)),
        }
        path.push("..");
    }
    Ok(None)
}

fn read(file: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let opened = batch::open(file).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes));
    opened.map_err(|error| unread(file, &error))?;
    if bytes.len() as u64 > MOST {
        let what = "it is larger than 1 MiB, which no configuration is; give another";
        return Err(Failure::of(&shown(file), what));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let what = "it is not UTF-8 here; save it as UTF-8";
        toml::failure(file, &good, good.len(), what)
    })
}

fn unread(file: &Path, error: &io::Error) -> Failure {
    let what = format!("cannot read: {}; give another, or --no-config", reason(error));
    Failure::of(&shown(file), what)
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

#[cfg(test)]
mod tests;
