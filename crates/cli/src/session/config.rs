//! `absolve.toml`: the options of `absolve audit` and `absolve rewrite`, kept in a file.
//!
//! Without `--config`, the current folder and those above it are searched, up to the first with
//! `.git`, but never a folder that the command works on, whose files may be anybody's. Each command has a table, whose
//! keys are its long options, and `path` for its PATH. The keys become arguments, which the
//! parser of the typed ones reads, so that a key takes what its option takes. A typed option
//! overrides the key of the same name; a list replaces a list.
//!
//! A configuration found on disk is not trusted: [`FoundFolder`] restricts it.

mod configured;
mod found;
pub mod keys;
mod print;
mod search;
mod settings;
mod toml;

pub use found::FoundFolder;
pub use settings::Settings;
pub use toml::not_toml;

use std::ffi::OsStr;
use std::path::Path;

use clap::FromArgMatches;

use super::failure::Failure;
use super::status::Status;
use crate::args::{AuditArgs, CommandLine};
use crate::terminal::{Messages, printable_path};
use configured::Configured;

/// Runs a command with its settings, or prints them with `--print-config`.
pub fn with_settings<A: Configured>(
    args: A,
    line: CommandLine,
    messages: Messages,
    command: impl FnOnce(&mut Settings<A>) -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    let mut settings = Settings::new(args, line)?;
    settings.check()?;
    if settings.args.config().print_config {
        return print::print(&settings);
    }
    settings.name_file(messages);
    command(&mut settings)
}

/// The arguments of an audit by its configuration: a named one, else one that is found. Without a
/// folder, the audit is of `path` in that.
pub fn audit_of(
    folder: Option<&Path>,
    config: Option<&Path>,
    messages: Messages,
) -> Result<AuditArgs, Failure> {
    let config = config.map(|file| [OsStr::new("--config"), file.as_os_str()]);
    let typed = ["absolve", "audit"].map(OsStr::new).into_iter();
    let typed = typed.chain(config.into_iter().flatten());
    let folder = folder.map(|folder| [OsStr::new("--"), folder.as_os_str()]);
    let typed = typed.chain(folder.into_iter().flatten()).map(OsStr::to_owned);
    let parsed = CommandLine::parse(typed.collect())
        .and_then(|(_, line)| Ok((AuditArgs::from_arg_matches(&line.matches)?, line)));
    let (args, line) = parsed.map_err(|error| Failure::message(error.to_string()))?;
    let settings = Settings::new(args, line)?;
    settings.name_file(messages);
    Ok(settings.args)
}

impl<A: Configured> Settings<A> {
    /// Names the file that the settings are from.
    fn name_file(&self, messages: Messages) {
        let Some(file) = &self.file else { return };
        let is_above = self.args.config().config.is_none() && file.starts_with("..");
        let what = format_args!("settings from {}", printable_path(file));
        if is_above { messages.warning(what) } else { messages.detail(what) }
    }
}
