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
mod keys;
pub mod options;
mod print;
mod search;
mod settings;
mod toml;

pub use found::FoundFolder;
pub use settings::Settings;

use super::failure::Failure;
use super::status::Status;
use crate::cli::args::CommandLine;
use crate::cli::terminal::{Messages, printable_path};
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
    if let Some(file) = &settings.file {
        let is_above = settings.args.config().config.is_none() && file.starts_with("..");
        let what = format_args!("settings from {}", printable_path(file));
        if is_above { messages.warning(what) } else { messages.detail(what) }
    }
    command(&mut settings)
}
