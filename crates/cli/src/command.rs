//! The subcommands, one module each.

pub mod audit;
mod diff;
pub mod extract;
mod generate;
mod links;
mod resolve;
pub mod rewrite;

use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};

use absolve::url::masked;

use crate::args::{Command, CommandLine};
use crate::session::failure::{self, Failure, Status};
use crate::session::output::Output;
use crate::session::usage_error;
use crate::terminal::printable_path;

pub use resolve::ResolveArgs;

/// Runs the command; `command_line` begins with the name of the program. Returns the exit code.
pub fn main(command_line: &[OsString]) -> u8 {
    failure::record_panics();
    let (args, line) = match panic::catch_unwind(|| CommandLine::parse(command_line.to_vec())) {
        Ok(Ok(parsed)) => parsed,
        Ok(Err(error)) => return usage_error::explain(error),
        Err(_) => return failure::report_panic(),
    };
    let output = Output::new(args.color(), args.verbosity());
    // Nothing reads the arguments after a panic.
    let work = AssertUnwindSafe(|| run(args.command, line, output));
    match panic::catch_unwind(work) {
        Ok(Ok(status)) => status.code(),
        Ok(Err(failure)) => failure.report(),
        Err(_) => failure::report_panic(),
    }
}

/// Runs a subcommand, after rejecting paths that look like URLs, patterns or suffixes.
fn run(command: Command, line: CommandLine, output: Output) -> Result<Status, Failure> {
    for path in command.paths() {
        if let Some(advice) = line.explain_misread(path) {
            return Err(Failure::new(&masked(&printable_path(path)), advice));
        }
    }
    match command {
        Command::Rewrite(args) => rewrite::run(args, line, output),
        Command::Links(args) => links::run(args, output),
        Command::Audit(args) => audit::run(*args, line, output),
        Command::Resolve(args) => resolve::run(&args, output.messages),
        Command::Extract(args) => extract::run(&args, output),
        Command::Completions { shell } => generate::print_completions(shell),
        Command::Man => generate::print_man(),
    }
}
