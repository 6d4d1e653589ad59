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

/// The manual page, with the options of each subcommand under its name.
pub(crate) fn man() -> Result<Status, Failure> {
    to_stdout(|out| {
        let mut command = Args::command().disable_help_subcommand(true);
        command.build();
        let man = clap_mangen::Man::new(command.clone());
        man.render_title(out)?;
        man.render_name_section(out)?;
        man.render_synopsis_section(out)?;
        man.render_description_section(out)?;
        for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            let usage = subcommand.clone().render_usage().to_string();
            let usage =
                usage.trim_start_matches("Usage: ").replace('\\', "\\\\").replace('-', "\\-");
            writeln!(out, ".SH \"ABSOLVE {}\"", subcommand.get_name().to_uppercase())?;
            writeln!(out, "{about}.\n.PP\n\\fB{usage}\\fR")?;
            let mut options = Vec::new();
            clap_mangen::Man::new(subcommand.clone()).render_options_section(&mut options)?;
            // Its own heading is that of the subcommand.
            let options = String::from_utf8_lossy(&options);
            out.write_all(options.replacen(".SH OPTIONS\n", "", 1).as_bytes())?;
        }
        man.render_extra_section(out)?;
        man.render_version_section(out)
    })?;
    Ok(Status::Done)
}
