//! The command `absolve`.

mod args;
mod command;
mod session;
mod terminal;

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(command::main(&env::args_os().collect::<Vec<_>>()))
}
