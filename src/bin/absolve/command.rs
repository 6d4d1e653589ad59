//! The subcommands, one module each.

mod audit;
mod diff;
mod extract;
mod generate;
mod links;
mod resolve;
mod rewrite;

use crate::args::Command;
use crate::session::failure::Failure;
use crate::session::output::Output;
use crate::session::status::Status;

/// Runs a subcommand.
pub(crate) fn run(command: &Command, output: Output) -> Result<Status, Failure> {
    match command {
        Command::Rewrite(args) => rewrite::run(args, output),
        Command::Links(args) => links::run(args, output),
        Command::Audit(args) => audit::run(args, output),
        Command::Resolve(args) => resolve::run(args, output.messages),
        Command::Extract(args) => extract::run(args),
        Command::Completions { shell } => generate::completions(*shell),
        Command::Man => generate::man(),
    }
}
