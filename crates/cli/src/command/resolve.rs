//! `absolve resolve`: resolves references, and explains or compares the results.

use std::io::{self, BufRead, IsTerminal, Write};

use absolve::option::base_url;
use absolve::url::rfc1808::{Components, Step};
use absolve::url::{Base, Resolution, Standard, clean};

use crate::args::{ResolvingOptions, after_help};
use crate::session::failure::{Failure, Status, reason};
use crate::session::output::write_to_stdout;
use crate::terminal::{Messages, printable, write_aligned};

#[derive(Debug, clap::Args)]
#[command(after_long_help = after_help::RESOLVE.long())]
pub struct ResolveArgs {
    /// Base URL
    #[arg(value_name = "BASE", value_parser = base_url)]
    pub base: Base,
    /// References; without any, they are read from stdin, one per line
    #[arg(value_name = "REF")]
    pub references: Vec<String>,
    #[command(flatten)]
    pub options: ResolvingOptions,
    /// Show the base, the parsed components and each step of RFC 1808
    #[arg(long, conflicts_with_all = ["compare", "standard"])]
    pub explain: bool,
    /// Show the results of all standards side by side
    #[arg(long, conflicts_with = "standard")]
    pub compare: bool,
}

pub fn run(args: &ResolveArgs, messages: Messages) -> Result<Status, Failure> {
    if args.references.is_empty() && io::stdin().is_terminal() {
        messages.warning("reading references from stdin, one per line; Ctrl-D ends them");
    }
    if args.compare {
        return compare(args);
    }
    let mut status = Status::Done;
    let mut failure = None;
    let mut is_first = true;
    write_to_stdout(|out| {
        for reference in read_references(args) {
            let reference = match reference {
                Ok(reference) => reference,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            };
            if args.explain {
                if !std::mem::replace(&mut is_first, false) {
                    writeln!(out)?;
                }
                explain(out, &args.base, &reference)?;
                continue;
            }
            match args.options.standard().resolve(Some(&args.base), &reference) {
                Ok(resolution) => writeln!(out, "{}", resolution.url().unwrap_or(&reference))?,
                Err(refusal) => {
                    // The unchanged reference keeps results on the lines of their references.
                    writeln!(out, "{reference}")?;
                    messages.warning(format_args!("'{}': {refusal}", printable(&reference)));
                    status = Status::Found;
                }
            }
        }
        Ok(())
    })?;
    failure.map_or(Ok(status), Err)
}

/// Reads the references from the arguments, else from the lines of stdin.
fn read_references(args: &ResolveArgs) -> Box<dyn Iterator<Item = Result<String, Failure>> + '_> {
    if args.references.is_empty() {
        Box::new(io::stdin().lock().lines().enumerate().map(|(index, line)| {
            line.map_err(|error| {
                let name = format!("stdin: line {}", index + 1);
                Failure::new(&name, format_args!("cannot read: {}", reason(&error)))
            })
        }))
    } else {
        Box::new(args.references.iter().map(|reference| Ok(reference.clone())))
    }
}

/// Prints the results of all standards side by side. Blocks of references bound the memory.
fn compare(args: &ResolveArgs) -> Result<Status, Failure> {
    const BLOCK_LEN: usize = 10_000;
    let mut all = read_references(args);
    loop {
        let block: Vec<String> = all.by_ref().take(BLOCK_LEN).collect::<Result<_, _>>()?;
        if !block.is_empty() {
            write_to_stdout(|out| write_aligned(out, &compare_rows(&args.base, &block)))?;
        }
        if block.len() < BLOCK_LEN {
            return Ok(Status::Done);
        }
    }
}

/// Creates one row per reference, with one column per standard and a note if the results differ.
fn compare_rows(base: &Base, references: &[String]) -> Vec<Vec<String>> {
    let mut header = vec!["reference".to_owned()];
    header.extend(Standard::ALL.iter().map(|standard| standard.name().to_owned()));
    let mut rows = vec![header];
    for reference in references {
        let results: Vec<String> =
            Standard::ALL.iter().map(|standard| resolve_text(*standard, base, reference)).collect();
        let differ = results.iter().any(|result| *result != results[0]);
        let mut row = vec![quote(reference)];
        row.extend(results);
        row.push(if differ { "differ" } else { "" }.to_owned());
        rows.push(row);
    }
    rows
}

fn resolve_text(standard: Standard, base: &Base, reference: &str) -> String {
    match standard.resolve(Some(base), reference) {
        Ok(resolution) => printable(resolution.url().unwrap_or_default()),
        Err(_) => "(refused)".to_owned(),
    }
}

/// Puts a reference in quotes if it is empty, or begins or ends with white space.
fn quote(reference: &str) -> String {
    if reference.is_empty() || reference.trim() != reference {
        format!("'{}'", printable(reference))
    } else {
        printable(reference)
    }
}

/// Prints the base, the parsed components, and each step with its result.
fn explain(out: &mut dyn Write, base: &Base, reference: &str) -> io::Result<()> {
    let cleaned = clean(reference);
    let mut steps = Vec::new();
    let url = match Standard::Rfc1808.resolve(Some(base), reference) {
        Ok(Resolution::Absolute(url)) => {
            steps.push(Step::Absolute);
            url.into_owned()
        }
        _ => base.resolve_rfc1808(&cleaned, |step| steps.push(step)),
    };
    let mut rows = vec![vec!["base".to_owned(), printable(base.as_str())]];
    push_components(&mut rows, &Components::parse(base.as_str()));
    rows.push(vec!["reference".to_owned(), quote(reference)]);
    push_components(&mut rows, &Components::parse(&cleaned));
    for step in steps {
        let value = describe_component(step, &url)
            .map_or(String::new(), |value| format!("  {}", printable(&value)));
        rows.push(vec![format!("step {}", step.number()), format!("{}{value}", step.action())]);
    }
    rows.push(vec!["result".to_owned(), printable(&url)]);
    write_aligned(out, &rows)
}

fn push_components(rows: &mut Vec<Vec<String>>, url: &Components<'_>) {
    let components = [
        ("scheme", url.scheme),
        ("net_loc", url.net_loc),
        ("path", Some(url.path).filter(|path| !path.is_empty())),
        ("params", url.params),
        ("query", url.query),
        ("fragment", url.fragment),
    ];
    for (name, component) in components {
        if let Some(component) = component {
            rows.push(vec![format!("  {name}"), quote(component)]);
        }
    }
}

/// Describes the component that a step inherited or merged.
fn describe_component(step: Step, url: &str) -> Option<String> {
    let url = Components::parse(url);
    let (name, value) = match step {
        Step::InheritScheme => ("scheme", url.scheme),
        Step::InheritNetLoc => ("net_loc", url.net_loc),
        Step::InheritPath | Step::Merge => ("path", Some(url.path)),
        Step::InheritParams => ("params", url.params),
        Step::InheritQuery => ("query", url.query),
        _ => return None,
    };
    Some(format!("→ {name} {}", value.map_or("(none)".to_owned(), quote)))
}
