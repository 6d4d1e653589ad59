//! `absolve links`: every link of a document, for people or for programs.

use std::io::{self, Write};

use absolve::Link;
use absolve::url::mask_credentials;
use serde_json::{Map, Value, json};

use crate::Status;
use crate::args::{Format, LinksArgs};
use crate::failure::Failure;
use crate::input::Input;
use crate::output::{Messages, printable, to_stdout, write_aligned};

/// The keys of a link, in the order of the columns.
const KEYS: &[&str] = &[
    "file",
    "line",
    "column",
    "span",
    "element",
    "attribute",
    "grammar",
    "reference",
    "url",
    "base",
    "base_source",
];

pub(crate) fn run(args: &LinksArgs, messages: Messages) -> Result<Status, Failure> {
    let input = Input::new(&args.paths)?;
    let name = input.name();
    let failed = |error| Failure::of(&name, error);
    let rewriter = args.document.rewriter().map_err(failed)?;
    let source = input.read(&args.document.limits())?;
    let file = match &input {
        Input::Stdin => "-".to_owned(),
        Input::File(path) => path.to_string_lossy().into_owned(),
    };
    let mut records = Vec::new();
    let summary =
        rewriter.links(&source, |link| records.push(record(&file, link))).map_err(failed)?;
    if let Some(rejected) = summary.rejected_base() {
        messages.warning(format_args!("{name}: {rejected}"));
    }
    to_stdout(|out| match args.format {
        Format::Text => write_text(out, &records),
        Format::Jsonl => records.iter().try_for_each(|record| writeln!(out, "{}", json!(record))),
        Format::Tsv => write_tsv(out, &records),
    })?;
    Ok(Status::Done)
}

/// A link under its keys.
fn record(file: &str, link: &Link<'_>) -> Map<String, Value> {
    let base = link.base().map(|base| mask_credentials(base.as_str(), "***"));
    let values = [
        json!(file),
        Value::Null,
        Value::Null,
        link.span().map_or(Value::Null, |span| json!([span.start, span.end])),
        json!(link.element()),
        json!(link.attribute()),
        json!(link.grammar().name()),
        json!(link.reference()),
        json!(link.url()),
        json!(base),
        json!(link.base_source().name()),
    ];
    KEYS.iter().map(|&key| key.to_owned()).zip(values).collect()
}

fn write_text(out: &mut dyn Write, records: &[Map<String, Value>]) -> io::Result<()> {
    let text = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        value => printable(value.as_str().unwrap_or_default()),
    };
    let rows: Vec<Vec<String>> = records
        .iter()
        .map(|record| {
            let place = format!("{}[{}]", text(&record["element"]), text(&record["attribute"]));
            vec![
                place,
                text(&record["reference"]),
                text(&record["url"]),
                text(&record["base_source"]),
            ]
        })
        .collect();
    write_aligned(out, &rows)
}

fn write_tsv(out: &mut dyn Write, records: &[Map<String, Value>]) -> io::Result<()> {
    writeln!(out, "{}", KEYS.join("\t"))?;
    for record in records {
        let cells: Vec<String> = KEYS.iter().map(|&key| tsv_cell(&record[key])).collect();
        writeln!(out, "{}", cells.join("\t"))?;
    }
    Ok(())
}

/// A value as a cell: null is empty, a span `start-end`, and what would end the
/// cell or the line is escaped with a backslash.
fn tsv_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(span) => {
            let ends: Vec<String> = span.iter().map(Value::to_string).collect();
            ends.join("-")
        }
        Value::String(text) => text
            .replace('\\', "\\\\")
            .replace('\t', "\\t")
            .replace('\n', "\\n")
            .replace('\r', "\\r"),
        other => other.to_string(),
    }
}
