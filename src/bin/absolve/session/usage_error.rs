//! Help, version, and errors of the arguments.

use std::io::{self, Write};
use std::path::Path;

use absolve::url::masked;
use clap::error::{ContextKind, ContextValue};

use super::failure::Failure;
use crate::args::{NOT_FETCHED, is_url};
use crate::terminal::{Messages, message, printable};

/// Prints help and version to stdout, and usage errors to stderr; returns the exit code.
pub(crate) fn explain(mut error: clap::Error) -> u8 {
    suggest(&mut error);
    mask(&mut error);
    let text = error.render().to_string();
    if let Some(error) = text.strip_prefix("error: ") {
        Messages::line(format_args!("absolve: {}", shown(error.trim_end())));
        return 2;
    }
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed.map_err(|error| Failure::output(&error)) {
        Err(Failure::Message(message)) if !error.use_stderr() => {
            Messages::error(&message);
            2
        }
        _ if error.use_stderr() => 2,
        _ => 0,
    }
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
