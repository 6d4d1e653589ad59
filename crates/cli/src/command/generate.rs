//! `absolve completions` and `absolve man`.

mod man;

use clap_complete::Shell;

use crate::args::command;
use crate::session::failure::Failure;
use crate::session::output::to_stdout;
use crate::session::status::Status;

pub use man::man;

pub fn completions(shell: Shell) -> Result<Status, Failure> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    if shell == Shell::Bash {
        // Else bash takes 'broken-link=off' for three words, and no value can be completed.
        script.extend_from_slice(b"COMP_WORDBREAKS=${COMP_WORDBREAKS//=/}\n");
    }
    clap_complete::generate(shell, &mut command(), "absolve", &mut script);
    to_stdout(|out| out.write_all(&script))?;
    Ok(Status::Done)
}
