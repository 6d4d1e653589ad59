//! `absolve completions`, and `absolve man`: the manual page, with a section for each command.

use std::io::{self, Write};

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::args::after_help::{CONFIGURATION, EXAMPLES, EXIT_CODES};
use crate::args::{GENERAL, command};
use crate::session::failure::{Failure, Status};
use crate::session::output::write_to_stdout;

/// Prints the script that completes command lines in a shell.
pub fn print_completions(shell: Shell) -> Result<Status, Failure> {
    // The generator panics on write errors, so the script is buffered first.
    let mut script = Vec::new();
    if shell == Shell::Bash {
        // Bash splits words at `=` by default, and would complete no value of 'broken-link=off'.
        script.extend_from_slice(b"COMP_WORDBREAKS=${COMP_WORDBREAKS//=/}\n");
    }
    clap_complete::generate(shell, &mut command(), "absolve", &mut script);
    write_to_stdout(|out| out.write_all(&script))?;
    Ok(Status::Done)
}

/// The day of the release that the manual describes.
const DATE: &str = "2026-11-28";

const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "If set and not empty, --color auto means never. It wins over the others."),
    (
        "FORCE_COLOR, CLICOLOR_FORCE",
        "If set, and neither empty nor 0, --color auto means always, also in a pipe.",
    ),
    ("CLICOLOR", "If 0, --color auto means never."),
    ("TERM", "If dumb, --color auto means never."),
    (
        "GITHUB_ACTIONS",
        "If true, audit without --format prints its findings as annotations for GitHub.",
    ),
];

const SEE_ALSO: &str = "RFC 1808, Relative Uniform Resource Locators: \
    https://www.rfc-editor.org/rfc/rfc1808";

pub fn print_man() -> Result<Status, Failure> {
    write_to_stdout(write_man)?;
    Ok(Status::Done)
}

/// Writes the manual page in roff: the options of each command, then sections for all commands.
fn write_man(out: &mut dyn Write) -> io::Result<()> {
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let usage = |subcommand: &Command| subcommand.clone().render_usage().to_string();
    let usages: Vec<_> = command.get_subcommands().map(usage).collect();
    let man = Man::new(command.clone().override_usage(usages.join("\n").replace("Usage: ", "")));
    let man = man.title("ABSOLVE").date(DATE).manual("User Commands");
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    for subcommand in command.get_subcommands() {
        write_subcommand(out, subcommand)?;
    }
    man.render_options_section(out)?;
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    roff.text([roman(EXIT_CODES)]);
    write_table(&mut roff, "ENVIRONMENT", ENVIRONMENT);
    write_table(&mut roff, "FILES", &[("absolve.toml", CONFIGURATION)]);
    write_examples(&mut roff);
    roff.control("SH", ["SEE ALSO"]);
    roff.text([roman(SEE_ALSO)]);
    roff.to_writer(out)
}

/// Writes the arguments of a subcommand under the headings of its help.
fn write_subcommand(out: &mut dyn Write, command: &Command) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [format!("ABSOLVE {}", command.get_name().to_uppercase()).as_str()]);
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    roff.text([roman(format!("{about}."))]);
    roff.to_writer(out)?;
    let specific = command.clone().mut_args(|arg| {
        let is_general = arg.get_help_heading() == Some(GENERAL);
        arg.hide(is_general)
    });
    let mut options = Vec::new();
    Man::new(specific).render_options_section(&mut options)?;
    // Headings become subheadings of the command.
    out.write_all(String::from_utf8_lossy(&options).replace("\n.SH ", "\n.SS ").as_bytes())
}

/// Writes a section of terms and their meanings.
fn write_table(roff: &mut Roff, title: &str, rows: &[(&str, &str)]) {
    roff.control("SH", [title]);
    for (term, meaning) in rows {
        roff.control("TP", []);
        roff.text([bold(*term)]);
        roff.text([roman(*meaning)]);
    }
}

fn write_examples(roff: &mut Roff) {
    roff.control("SH", ["EXAMPLES"]);
    for examples in EXAMPLES {
        roff.control("PP", []);
        roff.control("nf", []);
        examples.lines().for_each(|line| _ = roff.text([roman(line)]));
        roff.control("fi", []);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> String {
        let mut page = Vec::new();
        write_man(&mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn every_option_is_in_the_manual() {
        let page = page().replace("\\-", "-");
        let command = command();
        for subcommand in command.get_subcommands().chain([&command]) {
            for arg in subcommand.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let Some(long) = arg.get_long() else { continue };
                assert!(page.contains(&format!("\\fB--{long}\\fR")), "--{long}");
            }
        }
    }

    #[test]
    fn the_manual_has_its_sections() {
        let page = page();
        let titles: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
        assert_eq!(
            titles,
            [
                "NAME",
                "SYNOPSIS",
                "DESCRIPTION",
                "\"ABSOLVE REWRITE\"",
                "\"ABSOLVE LINKS\"",
                "\"ABSOLVE AUDIT\"",
                "\"ABSOLVE RESOLVE\"",
                "\"ABSOLVE EXTRACT\"",
                "\"ABSOLVE COMPLETIONS\"",
                "\"ABSOLVE MAN\"",
                "\"GENERAL OPTIONS\"",
                "\"EXIT STATUS\"",
                "ENVIRONMENT",
                "FILES",
                "EXAMPLES",
                "\"SEE ALSO\"",
            ]
        );
    }

    #[test]
    fn examples_are_commands_that_can_be_typed() {
        for examples in EXAMPLES {
            let lines = examples.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            assert!(lines.clone().count() >= 3);
            for line in lines {
                let typed = line.split(" | ").find(|part| part.starts_with("absolve ")).unwrap();
                let typed = typed.split(" < ").next().unwrap().replace('\'', "");
                command().try_get_matches_from(typed.split(' ')).unwrap();
            }
        }
    }

    #[test]
    fn the_manual_has_the_date_of_its_release() {
        let changes = include_str!("../../../../CHANGELOG.md");
        let release = format!("## [{}] - {DATE}\n", env!("CARGO_PKG_VERSION"));
        assert!(changes.contains(&release), "{release}");
    }
}
