//! `absolve completions` and `absolve man`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Status;
use crate::args::Args;
use crate::failure::Failure;
use crate::output::to_stdout;

pub(crate) fn completions(shell: Shell) -> Result<Status, Failure> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "absolve", &mut script);
    to_stdout(|out| out.write_all(&script))?;
    Ok(Status::Done)
}

/// The manual page, with one section for each subcommand.
pub(crate) fn man() -> Result<Status, Failure> {
    to_stdout(|out| {
        let mut command = Args::command().disable_help_subcommand(true);
        command.build();
        clap_mangen::Man::new(command.clone()).render(out)?;
        for subcommand in command.get_subcommands() {
            let man = clap_mangen::Man::new(subcommand.clone());
            man.render_synopsis_section(out)?;
            man.render_description_section(out)?;
            man.render_options_section(out)?;
        }
        Ok(())
    })?;
    Ok(Status::Done)
}
