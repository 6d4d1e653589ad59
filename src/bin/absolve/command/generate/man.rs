//! The manual: one page, with the options of each subcommand under its name.

use clap::builder::{PossibleValue, StyledStr};
use clap::{Arg, Command, CommandFactory};
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use crate::args::{Args, CONFIGURATION, Example, GENERAL};
use crate::session::failure::Failure;
use crate::session::output::to_stdout;
use crate::session::status::Status;
use crate::terminal::{TEXT_WIDTH, wrapped};

/// The day of the release that the manual describes.
const DATE: &str = "2026-11-21";

const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "Success. An audit found nothing at the level of --fail-on or above."),
    (
        "1",
        "A document would change (--check, --diff), an audit found something at the level of \
         --fail-on or above, or a standard refused a reference of resolve.",
    ),
    (
        "2",
        "Usage, configuration or I/O error, also if only some files failed; the others are done.",
    ),
    ("128 + n", "Signal n stopped the run, such as 130 for Ctrl-C."),
];

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
        "If true, audit without --format prints annotations for GitHub beside its text report.",
    ),
];

const SEE_ALSO: &str = "RFC 1808, Relative Uniform Resource Locators: \
    https://www.rfc-editor.org/rfc/rfc1808";

pub(crate) fn man() -> Result<Status, Failure> {
    let page = page();
    to_stdout(|out| out.write_all(page.as_bytes()))?;
    Ok(Status::Done)
}

fn page() -> String {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let mut roff = Roff::new();
    let source = format!("absolve {}", command.get_version().unwrap_or_default());
    roff.control("TH", ["ABSOLVE", "1", DATE, &source, "User Commands"]);
    roff.control("SH", ["NAME"]);
    let about = text(command.get_about());
    roff.text([roman(format!("absolve - {}", lower_first(&about)))]);
    let subcommands = || command.get_subcommands().filter(|command| !command.is_hide_set());
    roff.control("SH", ["SYNOPSIS"]);
    for (number, subcommand) in subcommands().enumerate() {
        if number > 0 {
            roff.control("br", []);
        }
        usage(&mut roff, subcommand);
    }
    roff.control("SH", ["DESCRIPTION"]);
    let long = text(command.get_long_about());
    paragraphs(&mut roff, long.trim_start_matches(&format!("{about}.")).trim_start());
    for subcommand in subcommands() {
        let title = format!("ABSOLVE {}", subcommand.get_name().to_uppercase());
        roff.control("SH", [title.as_str()]);
        paragraphs(&mut roff, &format!("{}.", text(subcommand.get_about())));
        options(&mut roff, subcommand);
    }
    roff.control("SH", [GENERAL.to_uppercase().as_str()]);
    let general = command.get_arguments().filter(|arg| arg.get_help_heading() == Some(GENERAL));
    general.for_each(|arg| option(&mut roff, arg));
    table(&mut roff, "EXIT STATUS", EXIT_STATUS);
    table(&mut roff, "ENVIRONMENT", ENVIRONMENT);
    table(&mut roff, "FILES", &[("absolve.toml", CONFIGURATION)]);
    examples(&mut roff);
    roff.control("SH", ["SEE ALSO"]);
    paragraphs(&mut roff, SEE_ALSO);
    roff.to_roff()
}

/// The usage, with the name in bold.
fn usage(roff: &mut Roff, command: &Command) {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim_end();
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    roff.text([bold(name), roman(usage.strip_prefix(name).unwrap_or(usage))]);
}

/// The arguments of a subcommand, under the headings of its help.
fn options(roff: &mut Roff, command: &Command) {
    let shown = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    let mut headings: Vec<Option<&str>> = Vec::new();
    for heading in shown().map(Arg::get_help_heading) {
        if heading != Some(GENERAL) && !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    // Positional arguments have no heading and come first.
    headings.sort_by_key(Option::is_some);
    for heading in headings {
        if let Some(heading) = heading {
            roff.control("SS", [heading]);
        }
        for arg in shown().filter(|arg| arg.get_help_heading() == heading) {
            option(roff, arg);
        }
    }
}

fn option(roff: &mut Roff, arg: &Arg) {
    roff.control("TP", []);
    let mut header: Vec<Inline> = Vec::new();
    if let Some(short) = arg.get_short() {
        header.push(bold(format!("-{short}")));
    }
    if let Some(long) = arg.get_long() {
        if !header.is_empty() {
            header.push(roman(", "));
        }
        header.push(bold(format!("--{long}")));
    }
    if arg.is_positional() || arg.get_action().takes_values() {
        header.extend(values(arg));
    }
    roff.text(header);
    let mut help = text(arg.get_long_help().or_else(|| arg.get_help()));
    let takes_values = arg.get_action().takes_values();
    let possible: Vec<PossibleValue> = if takes_values && !arg.is_hide_possible_values_set() {
        arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect()
    } else {
        Vec::new()
    };
    let is_table = possible.iter().any(|value| value.get_help().is_some());
    if !possible.is_empty() && !is_table {
        let names: Vec<&str> = possible.iter().map(PossibleValue::get_name).collect();
        help.extend([" [possible values: ", &names.join(", "), "]"]);
    }
    if takes_values && !arg.get_default_values().is_empty() {
        let defaults = arg.get_default_values().iter().map(|value| value.to_string_lossy());
        help.extend([" [default: ", &defaults.collect::<Vec<_>>().join(","), "]"]);
    }
    paragraphs(roff, &help);
    if is_table {
        roff.control("RS", []);
        for value in possible {
            roff.control("IP", ["\\(bu", "2"]);
            let help = value.get_help().map(|help| roman(format!(": {help}")));
            roff.text([bold(value.get_name())].into_iter().chain(help).collect::<Vec<_>>());
        }
        roff.control("RE", []);
    }
}

/// The names of the values that an argument takes.
fn values(arg: &Arg) -> Vec<Inline> {
    let id = arg.get_id().as_str().to_uppercase();
    let names = arg.get_value_names().map(|names| names.iter().map(ToString::to_string));
    let names = names.map_or(id, |names| names.collect::<Vec<_>>().join(" "));
    let range = arg.get_num_args().unwrap_or_default();
    let repeated = if range.max_values() > 1 { "..." } else { "" };
    match (arg.is_positional(), arg.is_require_equals_set()) {
        (true, _) => vec![italic(names), roman(repeated)],
        (false, true) => vec![roman("[="), italic(names), roman("]")],
        (false, false) => vec![roman(" "), italic(names), roman(repeated)],
    }
}

/// A section of terms and their meanings.
fn table(roff: &mut Roff, title: &str, rows: &[(&str, &str)]) {
    roff.control("SH", [title]);
    for (term, meaning) in rows {
        roff.control("TP", []);
        roff.text([bold(*term)]);
        paragraphs(roff, meaning);
    }
}

fn examples(roff: &mut Roff) {
    roff.control("SH", ["EXAMPLES"]);
    for (number, examples) in Example::ALL.iter().enumerate() {
        for (at, Example { what, command }) in examples.iter().enumerate() {
            if number + at > 0 {
                roff.control("PP", []);
            }
            roff.text([roman(format!("{what}:"))]);
            roff.control("PP", []);
            roff.control("RS", ["4"]);
            roff.control("nf", []);
            command.lines().for_each(|line| _ = roff.text([roman(line)]));
            roff.control("fi", []);
            roff.control("RE", []);
        }
    }
}

/// Text in short lines, with a new paragraph after each empty line.
fn paragraphs(roff: &mut Roff, text: &str) {
    for (number, paragraph) in text.split("\n\n").enumerate() {
        if number > 0 {
            roff.control("PP", []);
        }
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        for line in wrapped(&words.join(" "), TEXT_WIDTH) {
            roff.text([roman(line)]);
        }
    }
}

fn text(help: Option<&StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default()
}

/// The text with a lower-case first letter, as the NAME section has it.
fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_in_the_manual() {
        let page = page().replace("\\-", "-");
        let command = Args::command();
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
        for examples in Example::ALL {
            assert!(examples.len() >= 3);
            let lines = examples.iter().flat_map(|example| example.command.lines());
            for line in lines {
                let typed = line.split(" | ").find(|part| part.starts_with("absolve ")).unwrap();
                let typed = typed.split(" < ").next().unwrap().replace('\'', "");
                Args::command().try_get_matches_from(typed.split(' ')).unwrap();
            }
        }
    }

    #[test]
    fn the_manual_has_the_date_of_its_release() {
        let changes = include_str!("../../../../../CHANGELOG.md");
        let release = format!("## [{}] - {DATE}\n", env!("CARGO_PKG_VERSION"));
        assert!(changes.contains(&release), "{release}");
    }
}
