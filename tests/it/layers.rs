//! The order of the code: a module uses only modules in lower layers, and no files of `src` use
//! each other in a circle.

mod graph;

use std::collections::BTreeSet;

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
    "scan",
    "learn",
    "splice",
    "dom",
    "rewrite",
    "jobs",
    "container",
    "batch",
    "crawl",
    "audit",
    "report",
    "cli",
    "main",
];

/// The order inside the largest modules, from the lowest to the highest. A name stands for the
/// file and for the folder of that name.
const ROOMS: &[(&str, &[&str])] = &[
    (
        "audit",
        &[
            "hash",
            "rules",
            "fix",
            "finding",
            "summary",
            "anchors",
            "reference",
            "site",
            "external",
            "ignore",
            "forbidden",
            "options",
            "hints",
            "target",
            "container",
            "lookup",
            "site_targets",
            "context",
            "position",
            "page",
            "pass",
            "fixes",
            "run",
            "sources",
        ],
    ),
    (
        "report",
        &[
            "display",
            "color",
            "format",
            "view",
            "about",
            "value",
            "fingerprint",
            "groups",
            "baseline",
            "coverage",
            "history",
            "context",
            "excerpt",
            "sources",
            "writers",
            "write",
            "recognition",
        ],
    ),
    ("cli", &["terminal", "args", "session", "command"]),
];

#[test]
fn a_module_uses_only_lower_modules() {
    let graph = Graph::of("src");
    let wrong = graph.edges().filter(|(file, other)| {
        let (file, other) = (file.first().unwrap(), other.first().unwrap());
        file != other && position(MODULES, file) < position(MODULES, other)
    });
    let wrong: Vec<String> = wrong.map(|(file, other)| show(file, other)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_room_uses_only_lower_rooms() {
    let graph = Graph::of("src");
    let mut wrong = Vec::new();
    for (module, rooms) in ROOMS {
        let place: Vec<String> = module.split('/').map(str::to_owned).collect();
        let room = |path: &[String]| path.strip_prefix(&place[..])?.first().cloned();
        for (file, other) in graph.edges() {
            if let (Some(own), Some(its)) = (room(file), room(other))
                && position(rooms, &own) < position(rooms, &its)
            {
                wrong.push(show(file, other));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    for folder in ["src", "npm/src", "python/src"] {
        has_no_circle(folder);
    }
}

#[track_caller]
fn has_no_circle(folder: &str) {
    let graph = Graph::of(folder);
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
