//! Help, version, and errors of the arguments.

use std::io::{self, Write};
use std::path::Path;

use crate::report::Color;
use crate::url::masked;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::failure::Failure;
use crate::cli::args::{NOT_FETCHED, is_url, replacement};
use crate::cli::terminal::{ColorChoice, Messages, message, printable};

/// Prints help and version to stdout, and usage errors to stderr; returns the exit code.
pub fn explain(mut error: clap::Error) -> u8 {
    suggest(&mut error);
    removed(&mut error);
    mask(&mut error);
    let text = error.render().to_string();
    if let Some(error) = text.strip_prefix("error: ") {
        Messages::line(format_args!("absolve: {}", shown(error.trim_end())));
        return 2;
    }
    if error.use_stderr() {
        Messages::line(text.trim_end());
        return 2;
    }
    let text = match ColorChoice::Auto.of_stdout() {
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

/// A help text whose headings are bold: what ends with a colon at the beginning of a line.
fn with_bold_headings(text: &str) -> String {
    let bold = |line: &str| {
        let is_text = line.starts_with([' ', '\n']);
        match line
            .find(':')
            .filter(|&end| !is_text && (line[end..].trim() == ":" || line.starts_with("Usage")))
        {
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

/// Adds the command that a path or a URL in place of a command needs.
fn suggest(error: &mut clap::Error) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let tip = match Path::new(word) {
        path if path.exists() => format!("did you mean 'absolve rewrite {word}'?"),
        path if is_url(path) => NOT_FETCHED.to_owned(),
        _ => return,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

/// Names the option that replaces a removed one.
fn removed(error: &mut clap::Error) {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return };
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    let Some(tip) = option.strip_prefix("--").and_then(replacement) else { return };
    // They are about an option with a similar name.
    error.remove(ContextKind::SuggestedArg);
    error.remove(ContextKind::Usage);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

/// The lines of a message of clap as they may be shown.
fn shown(text: &str) -> String {
    let lines = text.split('\n').map(|line| message(&printable(line)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Masks user and password in the arguments that an error repeats, and escapes what a terminal
/// would act on.
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
        // The tips repeat the argument.
        if let ContextValue::StyledStrs(texts) = value
            && !typed.is_empty()
        {
            let texts =
                texts.into_iter().map(|text| text.to_string().replace(&typed, &shown).into());
            error.insert(kind, ContextValue::StyledStrs(texts.collect()));
        }
    }
}
