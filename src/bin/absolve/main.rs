//! The command `absolve`.

mod args;
mod command;
mod session;
mod terminal;

use std::panic;
use std::process::ExitCode;

use clap::Parser;

use args::Args;
use session::output::Output;
use session::{panics, usage_error};

fn main() -> ExitCode {
    panics::record();
    let args = match panic::catch_unwind(Args::try_parse) {
        Ok(Ok(args)) => args,
        Ok(Err(error)) => return usage_error::explain(error),
        Err(_) => return panics::explain(),
    };
    let output = Output::new(args.color, args.verbosity());
    match panic::catch_unwind(|| command::run(&args.command, output)) {
        Ok(Ok(status)) => status.into(),
        Ok(Err(failure)) => failure.report(),
        Err(_) => panics::explain(),
    }
}
