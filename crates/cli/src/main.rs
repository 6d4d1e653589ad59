//! The command `absolve`.

use std::env;
use std::process::ExitCode;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(absolve_cli::main(&env::args_os().collect::<Vec<_>>()))
}
