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
    "option",
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
/// file and for the folder of that name. The checks of an audit are rooms of their own: the lookup uses
/// some of them, and others use the auditor of a page.
const ROOMS: &[(&str, &[&str])] = &[
    (
        "audit",
        &[
            "hash",
            "rules",
            "finding",
            "summary",
            "checks/references",
            "checks/urls",
            "elements",
            "anchors",
            "site",
            "external",
            "options",
            "hints",
            "target",
            "checks/schemes",
            "checks/targets",
            "lookup",
            "site_targets",
            "context",
            "page",
            "checks/links",
            "checks/anchors",
            "checks/base",
            "checks/documents",
            "checks/external",
            "checks/orphans",
            "checks/redirects",
            "checks/relations",
            "checks/url_list",
            "checks/resources",
            "checks/sitemap",
            "checks/style",
            "checks",
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
            "format",
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
        let room = |path: &[String]| match path.strip_prefix(&place[..])? {
            [checks, subject, ..] if checks == "checks" => Some(format!("{checks}/{subject}")),
            path => path.first().cloned(),
        };
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
