//! The command `absolve`.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(absolve::cli::main(&env::args_os().collect::<Vec<_>>()))
}
