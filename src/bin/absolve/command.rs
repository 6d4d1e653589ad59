//! The subcommands, one module each.

pub(crate) mod audit;
mod diff;
mod extract;
mod generate;
mod links;
mod resolve;
mod rewrite;

use std::ffi::OsString;
use std::panic;

use clap::Parser;

use crate::args::{Args, Command};
use crate::session::failure::Failure;
use crate::session::output::Output;
use crate::session::status::Status;
use crate::session::{panics, usage_error};

/// Runs the command with the arguments as they are typed, after its name; returns the exit code.
pub(crate) fn main(typed: &[OsString]) -> u8 {
    panics::record();
    let args = match panic::catch_unwind(|| Args::try_parse_from(typed)) {
        Ok(Ok(args)) => args,
        Ok(Err(error)) => return usage_error::explain(error),
        Err(_) => return panics::explain(),
    };
    let output = Output::new(args.color, args.verbosity());
    match panic::catch_unwind(|| run(&args.command, typed, output)) {
        Ok(Ok(status)) => status.code(),
        Ok(Err(failure)) => failure.report(),
        Err(_) => panics::explain(),
    }
}

/// Runs a subcommand.
fn run(command: &Command, typed: &[OsString], output: Output) -> Result<Status, Failure> {
    match command {
        Command::Rewrite(args) => rewrite::run(args, typed, output),
        Command::Links(args) => links::run(args, output),
        Command::Audit(args) => audit::run(args, typed, output),
        Command::Resolve(args) => resolve::run(args, output.messages),
        Command::Extract(args) => extract::run(args),
        Command::Completions { shell } => generate::completions(*shell),
        Command::Man => generate::man(),
    }
}
