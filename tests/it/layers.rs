//! The order of the code: a module uses only modules in lower layers, and no files of a package use
//! each other in a circle.

mod graph;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use graph::Graph;

/// The modules of the library from the lowest to the highest: each uses only those before it.
const MODULES: &[&str] = &[
    "block",
    "named",
    "error",
    "grammar",
    "url",
    "reference",
    "encoding",
    "value",
    "attributes",
    "edit",
    "base",
    "link",
    "option",
    "scan",
    "learn",
    "splice",
    "dom",
    "rewrite",
];

/// The modules of the Python package from the lowest to the highest. Errors of arrays name the places of
/// links.
const PYTHON: &[&str] = &[
    "document/link",
    "errors",
    "options",
    "arguments",
    "progress",
    "document",
    "columns",
    "files",
    "warc",
    "crawl",
    "audit",
];

#[test]
fn a_module_uses_only_lower_modules() {
    let graph = Graph::read("src");
    let wrong = graph.edges().filter(|(file, other)| {
        let (file, other) = (file.first().unwrap(), other.first().unwrap());
        file != other && position(MODULES, file) < position(MODULES, other)
    });
    let wrong: Vec<String> = wrong.map(|(file, other)| show(file, other)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_module_of_python_uses_only_lower_modules() {
    uses_only_lower(&Graph::read("python/src"), &[], PYTHON);
}

#[track_caller]
fn uses_only_lower(graph: &Graph, place: &[String], rooms: &[&str]) {
    let room = |path: &[String]| {
        let path = path.strip_prefix(place).filter(|path| !path.is_empty())?.join("/");
        let names = rooms.iter().filter(|room| is_in(&path, room));
        let found = names.max_by_key(|room| room.len());
        Some(*found.unwrap_or_else(|| panic!("{path} is in no layer")))
    };
    let wrong = graph.edges().filter(|(file, other)| match (room(file), room(other)) {
        (Some(own), Some(its)) => position(rooms, own) < position(rooms, its),
        _ => false,
    });
    let wrong: Vec<String> = wrong.map(|(file, other)| show(file, other)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether a file is that of a room, or in its folder.
fn is_in(file: &str, room: &str) -> bool {
    file.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Python runs the jobs too, without the terminal of the command.
#[test]
fn a_job_uses_neither_the_terminal_nor_a_command() {
    let graph = Graph::read("crates/cli/src");
    let is =
        |file: &[String], names: &[&str]| file.first().is_some_and(|name| names.contains(&&**name));
    let wrong = graph
        .edges()
        .filter(|(file, other)| is(file, &["run"]) && is(other, &["terminal", "command"]));
    let wrong: Vec<String> = wrong.map(|(file, other)| show(file, other)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(graph.edges().any(|(file, _)| is(file, &["run"])));
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    for folder in [
        "src",
        "crates/archive/src",
        "crates/files/src",
        "crates/site/src",
        "crates/cli/src",
        "npm/src",
        "python/src",
    ] {
        has_no_circle(folder);
    }
}

/// A format of files is named in its room alone: the others ask the row of a format. Names that
/// formats of reports have too are left out.
#[test]
fn no_format_of_files_is_named_outside_the_containers() {
    const NAMES: &[&str] = &["Css", "Xml", "JsonFeed", "Message", "Warc", "Wacz"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut work: Vec<PathBuf> = [
        "src",
        "crates/archive/src",
        "crates/files/src",
        "crates/site/src",
        "crates/cli/src",
        "npm/src",
        "python/src",
    ]
    .map(|name| root.join(name))
    .into();
    let mut found = Vec::new();
    while let Some(path) = work.pop() {
        if path.is_dir() && path != root.join("crates/archive/src") {
            work.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let names = NAMES.iter().map(|name| format!("Format::{name}"));
            found.extend(names.filter(|name| text.contains(name)).map(|name| (path.clone(), name)));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[track_caller]
fn has_no_circle(folder: &str) {
    let graph = Graph::read(folder);
    let circles = graph.circles();
    let shown: BTreeSet<String> = circles
        .iter()
        .map(|circle| circle.iter().map(|path| path.join("/")).collect::<Vec<_>>().join(" "))
        .collect();
    assert!(shown.is_empty(), "{folder}: {shown:#?}");
}

#[track_caller]
fn position(order: &[&str], name: &str) -> usize {
    order.iter().position(|one| *one == name).unwrap_or_else(|| panic!("{name} is in no layer"))
}

fn show(file: &[String], other: &[String]) -> String {
    format!("{} uses {}", file.join("/"), other.join("/"))
}
