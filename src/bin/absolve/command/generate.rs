//! `absolve completions` and `absolve man`.

mod man;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::session::failure::Failure;
use crate::session::output::to_stdout;
use crate::session::status::Status;

pub(crate) use man::man;

pub(crate) fn completions(shell: Shell) -> Result<Status, Failure> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    if shell == Shell::Bash {
        // Else bash takes 'broken-link=off' for three words, and no value can be completed.
        script.extend_from_slice(b"COMP_WORDBREAKS=${COMP_WORDBREAKS//=/}\n");
    }
    clap_complete::generate(shell, &mut Args::command(), "absolve", &mut script);
    to_stdout(|out| out.write_all(&script))?;
    Ok(Status::Done)
}
