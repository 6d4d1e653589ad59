//! `absolve.schema.json`, which editors complete `absolve.toml` by, in a public validator: it refuses
//! nothing that the command accepts, and accepts only what no schema can refuse.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use serde_json::Value;

use super::trial::{no_program, run, trial};
use super::{no_file, project_path};

const SCHEMA: &str = "absolve.schema.json";

pub(crate) fn trials() -> Vec<Trial> {
    let missing = [no_file(SCHEMA), no_program("check-jsonschema")];
    vec![
        trial("the schema of absolve.toml is valid", &missing, is_valid),
        trial("examples follow the schema of absolve.toml", &missing, judges_examples),
        trial("the schema of absolve.toml takes what keys take", &missing, judges_values),
    ]
}

fn is_valid(folder: &Path) {
    let schema = project_path(SCHEMA);
    run(folder, "check-jsonschema", &["--check-metaschema", schema.to_str().unwrap()]);
}

/// The files of a folder that the schema refuses.
fn refused_by_schema(folder: &Path, files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut command = Command::new("check-jsonschema");
    command.args(["-o", "json", "--schemafile"]).arg(project_path(SCHEMA)).current_dir(folder);
    let output = command.args(files.keys()).stdin(Stdio::null()).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let errors = ["errors", "parse_errors"].map(|kind| report[kind].as_array().unwrap());
    let names = errors.into_iter().flatten().map(|error| error["filename"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

/// Whether the command refuses a file. The run is of the command with the other table, for which no key
/// needs or excludes another.
fn is_refused_by_command(folder: &Path, name: &str, text: &str) -> bool {
    let other = if text.contains("[audit]") { "rewrite" } else { "audit" };
    let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
    command.args([other, "--print-config", "--config", name]).current_dir(folder);
    let output = command.stdin(Stdio::null()).output().unwrap();
    !output.status.success()
}

/// The texts that the schema alone refuses, and those that the command alone refuses.
fn differences(
    folder: &Path,
    files: &BTreeMap<String, String>,
) -> (BTreeSet<String>, BTreeSet<String>) {
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    let schema = refused_by_schema(folder, files);
    let refused = files.iter().filter(|(name, text)| is_refused_by_command(folder, name, text));
    let command: BTreeSet<String> = refused.map(|(name, _)| name.clone()).collect();
    assert!(!schema.is_empty() && schema.len() < files.len());
    (&schema - &command, &command - &schema)
}

fn judges_examples(folder: &Path) {
    let mut files = BTreeMap::new();
    let mut add = |path: &Path, number: usize, text: &str| {
        let inner = path.strip_prefix(project_path("")).unwrap().to_str().unwrap();
        let name = format!("{}-{number}.toml", inner.replace('/', "-"));
        files.insert(name, text.to_owned());
    };
    for page in [files_below("docs", "md"), vec![project_path("README.md")]].concat() {
        let text = fs::read_to_string(&page).unwrap();
        let blocks = text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
        for (number, block) in blocks.filter(|block| has_table(block)).enumerate() {
            add(&page, number, block);
        }
    }
    for file in
        [files_below("crates/cli/tests/audit", "toml"), files_below("crates/cli/tests/cmd", "toml")]
            .concat()
    {
        // Others are not UTF-8.
        if let Ok(text) = fs::read_to_string(&file)
            && has_table(&text)
        {
            add(&file, 0, &text);
        }
    }
    assert!(files.len() > 10, "{}", files.len());
    let (schema, command) = differences(folder, &files);
    assert!(schema.is_empty(), "{schema:?}");
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    // A pattern of names.
    assert_eq!(command, ["crates-cli-tests-cmd-audit.in-configs-glob.toml-0.toml"]);
}

fn has_table(text: &str) -> bool {
    text.lines().any(|line| ["[audit]", "[rewrite]", "[limits]"].contains(&line))
}

/// The files with an extension in a folder of the project and in those in it.
fn files_below(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut work = vec![project_path(folder)];
    while let Some(folder) = work.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files
}

/// Values of each type but dates, which are strings in JSON.
const VALUES: &[&str] = &["true", "1", "-1", "1.5", "''", "'x'", "[]", "['x']", "['x', 1]"];

/// More values of keys that have a pattern, other names, or a greatest number.
const MORE: &[(&str, &[&str])] = &[
    (
        "rule",
        &["['all=off', 'seo=warning']", "['seo=warn,orphan-page=off']", "['seo']", "['x=off']"],
    ),
    ("format", &["['sarif=x.sarif', 'text']", "['sarif=-']", "['sarif=']", "['texts']"]),
    ("accept", &["['case,extensionless']", "['case,x']", "['case,']"]),
    ("learn", &["['none']", "'none'", "['httrack,xattr']"]),
    ("jobs", &["0", "256", "257"]),
    ("srcdoc", &["16", "17", "'16'"]),
    ("links", &["4294967297", "9223372036854775807"]),
    ("input", &["4294967296", "4294967297", "'64k'", "'10 MB'", "' 1'", "'1kk'", "'1.5M'"]),
    ("record", &["'k'", "'7B'", "'1GiB'", "'-1'"]),
    ("layout", &["'host-path=http'", "'host-path=ftp'"]),
];

/// Keys whose texts the command alone understands, such as URLs.
const ONLY_BY_COMMAND: &[&str] = &["attr", "base-url", "encoding", "map", "raw-base", "source-url"];

fn judges_values(folder: &Path) {
    let schema = fs::read_to_string(project_path(SCHEMA)).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut files = BTreeMap::new();
    for (table, keys) in schema["properties"].as_object().unwrap() {
        for (key, schema) in keys["properties"].as_object().unwrap() {
            let mut values: Vec<String> = VALUES.iter().map(ToString::to_string).collect();
            for name in names(schema) {
                values.extend([format!("'{name}'"), format!("['{name}']")]);
            }
            let more = MORE.iter().filter(|(of, _)| of == key);
            values.extend(more.flat_map(|(_, values)| *values).map(ToString::to_string));
            for (number, value) in values.iter().enumerate() {
                let text = format!("[{table}]\n{key} = {value}\n");
                files.insert(format!("{table}-{key}-{number}.toml"), text);
            }
        }
    }
    let (schema, command) = differences(folder, &files);
    let texts = |names: &BTreeSet<String>| -> Vec<&str> {
        names.iter().map(|name| files[name].as_str()).collect()
    };
    assert!(schema.is_empty(), "refused by the schema alone: {:#?}", texts(&schema));
    let is_text = |text: &&str| text.contains("'x'") || text.contains("''");
    let others: Vec<_> = texts(&command).into_iter().filter(|text| !is_text(text)).collect();
    assert!(others.is_empty(), "refused by the command alone: {others:#?}");
    let keys: BTreeSet<&str> = texts(&command)
        .iter()
        .map(|text| text.lines().nth(1).unwrap().split(" =").next().unwrap())
        .collect();
    assert!(keys.iter().eq(ONLY_BY_COMMAND), "{keys:?}");
}

/// The names that a schema lists, the first and the last of many.
fn names(schema: &Value) -> Vec<&str> {
    let parts =
        [&schema["items"]].into_iter().chain(schema["anyOf"].as_array().into_iter().flatten());
    let own = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let all: Vec<&str> = own.chain(parts.filter(|part| part.is_object()).flat_map(names)).collect();
    match all[..] {
        [first, .., last] if all.len() > 20 => vec![first, last],
        _ => all,
    }
}
