//! Prints help, the version, and errors of the arguments.

use std::io::{self, Write};
use std::path::Path;

use absolve::option::nearest;
use absolve::url::masked;
use absolve_site::report::Color;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::failure::Failure;

use crate::args::{advise_on_url, command, is_url};
use crate::terminal::{ColorChoice, Messages, printable, shorten};

/// Prints help and version to stdout, and usage errors to stderr; returns the exit code.
pub fn explain(mut error: clap::Error) -> u8 {
    suggest(&mut error);
    mask(&mut error);
    let text = error.render().to_string();
    if let Some(error) = text.strip_prefix("error: ") {
        Messages::text(&format!("absolve: {}", escape_lines(error.trim_end())));
        return 2;
    }
    if error.use_stderr() {
        Messages::line(text.trim_end());
        return 2;
    }
    let text = match ColorChoice::Auto.stdout_color() {
        Color::Yes => with_bold_headings(&text),
        Color::No => text,
    };
    let printed = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
    match printed.map_err(Failure::output) {
        Err(Failure::Message(message) | Failure::Caused(message, _)) => {
            Messages::error(&message);
            2
        }
        _ => 0,
    }
}

/// Makes the headings of a help text bold: lines that begin at the margin and end with a colon.
fn with_bold_headings(text: &str) -> String {
    let bold = |line: &str| {
        let is_text = line.starts_with([' ', '\n']);
        let is_end = |&end: &usize| line[end..].trim() == ":" || line.starts_with("Usage");
        match line.find(':').filter(|end| !is_text && is_end(end)) {
            Some(end) => format!("\x1b[1m{}\x1b[0m{}", &line[..=end], &line[end + 1..]),
            None => line.to_owned(),
        }
    };
    text.split_inclusive('\n').map(bold).collect()
}

#[cfg(test)]
#[test]
fn headings_are_bold() {
    let text = "Usage: absolve links\n\nOutput:\n  -q  a: b\nExit codes: 0\n";
    let bold =
        "\x1b[1mUsage:\x1b[0m absolve links\n\n\x1b[1mOutput:\x1b[0m\n  -q  a: b\nExit codes: 0\n";
    assert_eq!(with_bold_headings(text), bold);
}

/// Options that a command lacks, and its own option for the same purpose.
const ALTERNATIVES: &[(&str, &[&str], &str)] = &[
    ("audit", &["-n", "--dry-run", "--check"], "'--fix --diff' shows what '--fix' would write"),
    ("audit", &["-w", "--write", "-i", "--in-place"], "'--fix' writes in place"),
    ("audit", &["-o", "--output"], "'--format NAME=FILE' writes a report to a file"),
];

/// Suggests the command that a path or a URL needs, or the option of a command that does what the
/// typed option would do.
fn suggest(error: &mut clap::Error) {
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        // clap suggests to pass an unknown option as a value, but users rarely mean a path.
        tips.retain(|tip| !tip.to_string().contains("' as a value, use '"));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    let text = |kind| error.get(kind).map(ToString::to_string);
    let mut near = None;
    let tip = if let Some(word) = text(ContextKind::InvalidSubcommand) {
        match Path::new(&word) {
            path if path.exists() => Some(format!("did you mean 'absolve rewrite {word}'?")),
            path if is_url(path) => Some(advise_on_url("rewrite")),
            _ => None,
        }
    } else if let Some(typed) = text(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::UnknownArgument
    {
        let usage = text(ContextKind::Usage).unwrap_or_default();
        let mut alternatives = ALTERNATIVES.iter().filter(|(command, names, _)| {
            usage.contains(&format!("absolve {command}")) && names.contains(&&*typed)
        });
        near = find_nearest_option(&usage, &typed);
        alternatives.next().map(|(.., tip)| (*tip).to_owned())
    } else {
        None
    };
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    } else if let Some(shown) =
        near.or_else(|| text(ContextKind::SuggestedArg).and_then(|near| find_alias(&near)))
    {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(shown));
    }
}

/// Finds the option of the command that is similar to the typed one.
fn find_nearest_option(usage: &str, typed: &str) -> Option<String> {
    let all = command();
    let mut commands = all.get_subcommands();
    let used = commands.find(|known| usage.contains(&format!("absolve {}", known.get_name())))?;
    let options = used.get_arguments().filter_map(clap::Arg::get_long);
    nearest(typed.trim_start_matches('-'), options).map(|near| format!("--{near}"))
}

/// Finds the option of an alias, which the help hides.
fn find_alias(name: &str) -> Option<String> {
    let all = command();
    let mut options = all.get_subcommands().flat_map(clap::Command::get_arguments);
    let name = name.trim_start_matches('-');
    let has_alias = |arg: &&clap::Arg| arg.get_all_aliases().is_some_and(|all| all.contains(&name));
    let option = options.find(has_alias)?;
    option.get_long().map(|long| format!("--{long}"))
}

/// Escapes and shortens each line of a message of clap.
fn escape_lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| shorten(&printable(line)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Masks user and password in arguments that an error repeats, and escapes characters that a
/// terminal would interpret.
fn mask(error: &mut clap::Error) {
    let context: Vec<_> = error.context().map(|(kind, value)| (kind, value.clone())).collect();
    let mut argument = (String::new(), String::new());
    for (kind, value) in &context {
        if let ContextValue::String(text) = value {
            let shown = printable(&masked(text));
            if shown != *text {
                argument = (text.clone(), shown.clone());
            }
            error.insert(*kind, ContextValue::String(shown));
        }
    }
    let (typed, shown) = argument;
    for (kind, value) in context {
        // Tips repeat the argument.
        if let ContextValue::StyledStrs(texts) = value
            && !typed.is_empty()
        {
            let texts =
                texts.into_iter().map(|text| text.to_string().replace(&typed, &shown).into());
            error.insert(kind, ContextValue::StyledStrs(texts.collect()));
        }
    }
}
