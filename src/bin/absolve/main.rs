//! The command `absolve`: arguments, reports and exit codes.

mod args;
mod audit;
mod config;
mod failure;
mod generate;
mod input;
mod inputs;
mod links;
mod numbers;
mod output;
mod progress;
mod render;
mod resolve;
mod rewrite;
mod seen;
mod signals;
mod tsv;
mod workflow_commands;

use std::error::Error;
use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;
use std::sync::Mutex;

use absolve::url;
use clap::Parser;
use clap::error::{ContextKind, ContextValue};

use args::{Args, Command};
use failure::Failure;
use output::{Messages, Output, printable};

/// What a command that ran to its end says by its exit code.
enum Status {
    /// 0: all is done.
    Done,
    /// 1: something was found that the user asked about.
    Found,
    /// 2: some files failed, and were told of; the others are done.
    Failed,
    /// 128 + n: signal n ended it.
    Signal(u8),
}

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fn main() -> ExitCode {
    // The parser's panics become errors of their documents, and must not print by
    // themselves; what is left of them is a bug, and is told with its place.
    panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = panic.to_string();
        }
    }));
    let args = match panic::catch_unwind(Args::try_parse) {
        Ok(Ok(args)) => args,
        Ok(Err(error)) => return explain(error),
        Err(_) => return explain_panic(),
    };
    let output = Output::new(&args);
    match panic::catch_unwind(|| run(&args.command, output)) {
        Ok(Ok(Status::Done) | Err(Failure::ClosedPipe)) => ExitCode::SUCCESS,
        Ok(Ok(Status::Found)) => ExitCode::from(1),
        Ok(Ok(Status::Failed)) => ExitCode::from(2),
        Ok(Ok(Status::Signal(number))) => ExitCode::from(128 + number),
        Ok(Err(Failure::Message(message))) => {
            Messages::error(&message);
            ExitCode::from(2)
        }
        Err(_) => explain_panic(),
    }
}

/// Reports a panic, which is a bug wherever it happened.
fn explain_panic() -> ExitCode {
    let panic = LAST_PANIC.lock().map_or(String::new(), |panic| panic.replace('\n', " "));
    Messages::error(format_args!("a bug stopped it, please report it: {panic}"));
    ExitCode::from(2)
}

/// Prints help and version as results, and what is wrong with the arguments as a
/// message.
fn explain(mut error: clap::Error) -> ExitCode {
    mask(&mut error);
    if error.use_stderr() && !is_shown_as_it_is(&error) {
        Messages::line(shown(&error.render().to_string()).trim_end());
        return ExitCode::from(2);
    }
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed.map_err(|error| Failure::output(&error)) {
        Err(Failure::Message(message)) if !error.use_stderr() => {
            Messages::error(&message);
            ExitCode::from(2)
        }
        _ => ExitCode::from(if error.use_stderr() { 2 } else { 0 }),
    }
}

/// Whether a message of clap holds nothing that is to be masked, escaped or cut: its colours
/// are kept then.
fn is_shown_as_it_is(error: &clap::Error) -> bool {
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    let text = error.render().to_string();
    cause.chars().all(output::is_harmless) && shown(&text) == text
}

/// The lines of a message of clap as they may be shown.
fn shown(text: &str) -> String {
    let lines = text.split('\n').map(|line| output::message(&printable(line)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Masks user and password in the arguments that an error repeats, and escapes what a terminal
/// would act on.
fn mask(error: &mut clap::Error) {
    let argument = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    let is_base = argument.contains("<BASE>")
        || config::NO_PATHS.iter().any(|key| argument.starts_with(&format!("--{key} ")));
    let masked = |text: &str| {
        let masked = if is_base { url::masked_base(text) } else { url::masked(text) };
        printable(&masked)
    };
    let context: Vec<_> = error.context().map(|(kind, value)| (kind, value.clone())).collect();
    for (kind, value) in context {
        let value = match value {
            ContextValue::String(text) => ContextValue::String(masked(&text)),
            // The tips.
            ContextValue::StyledStrs(texts) => {
                let texts = texts.into_iter().map(|text| match masked(&text.to_string()) {
                    masked if masked == text.to_string() => text,
                    masked => masked.into(),
                });
                ContextValue::StyledStrs(texts.collect())
            }
            _ => continue,
        };
        error.insert(kind, value);
    }
}

fn run(command: &Command, output: Output) -> Result<Status, Failure> {
    match command {
        Command::Rewrite(args) => rewrite::run(args, output),
        Command::Links(args) => links::run(args, output),
        Command::Audit(args) => audit::run(args, output),
        Command::Resolve(args) => resolve::run(args, output.messages),
        Command::Completions { shell } => generate::completions(*shell),
        Command::Man => generate::man(),
    }
}
