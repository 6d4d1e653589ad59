//! What the documents say is so: versions, links, commands, and the floors of the
//! architecture.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The floors: a module may use those on lower ones.
const FLOORS: &[&[&str]] = &[
    &["url", "error", "grammar"],
    &["attributes", "value", "reference", "edit", "encoding"],
    &["scan", "base", "link", "learn"],
    &["splice", "dom"],
    &["rewrite", "jobs"],
    &["batch", "audit", "container"],
    &["report"],
];

/// A module that uses another of its own floor, and why it may.
const SAME_FLOOR: &[(&str, &str, &str)] = &[
    ("url", "error", "a base URL that is not usable is an error"),
    ("edit", "value", "an edit says what its text is escaped for"),
    ("scan", "link", "where a base has to be to count is a setting"),
    (
        "dom",
        "splice",
        "markup in a conditional comment is in no tree, so that both engines read it alike",
    ),
    ("link", "base", "a link says which base its URL comes from"),
    ("learn", "base", "what is learned is a layer of the base"),
    ("learn", "link", "whose word a base element is belongs to its document"),
    ("learn", "scan", "what a page says of itself is found as its links are"),
    ("jobs", "rewrite", "what a thread works with is what documents are rewritten in"),
    ("audit", "batch", "the URL of a file is the same for a rewriting and an audit"),
    ("audit", "container", "the pages in a message or an archive are audited where they are"),
    ("batch", "container", "a file of a tree may be a message"),
];

/// A name, and the modules that may hold it; none where only the command may.
const NAMED_IN: &[(&str, &[&str])] = &[
    ("html5ever", &["dom"]),
    ("markup5ever_rcdom", &["dom"]),
    ("fluent_uri", &["url"]),
    ("std::fs", &["batch"]),
    ("brotli_decompressor", &["container"]),
    ("cap_std", &["batch"]),
    ("data_encoding", &["container"]),
    ("flate2", &["container"]),
    ("mail_parser", &["container"]),
    ("globset", &["batch"]),
    ("rayon", &["jobs"]),
    ("rustix", &["batch"]),
    ("ruzstd", &["container"]),
    ("sha1", &["container"]),
    ("walkdir", &["batch"]),
    ("clap", &[]),
    ("serde_json", &["report"]),
    ("println!", &[]),
    ("std::env", &[]),
    ("std::process", &[]),
];

/// The commands that a reader is told to run.
const CARGO: &[&str] = &["add", "bench", "build", "clippy", "doc", "fmt", "install", "run", "test"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder and those in it, by the end of their names.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut work = vec![folder.to_owned()];
    while let Some(folder) = work.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The library's modules, each file with the name of the one that it belongs to
/// and its lines of code.
fn modules() -> Vec<(String, PathBuf, String)> {
    let source = root().join("src");
    let mut modules = Vec::new();
    for path in files(&source, "rs") {
        let inner = path.strip_prefix(&source).unwrap();
        let first = Path::new(inner.iter().next().unwrap()).with_extension("");
        let module = first.to_str().unwrap().to_owned();
        if module != "lib" && module != "bin" {
            let text = read(&path);
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            modules.push((module, path.clone(), code.collect::<Vec<_>>().join("\n")));
        }
    }
    assert!(!modules.is_empty());
    modules
}

fn floor(module: &str) -> usize {
    let floor = FLOORS.iter().position(|floor| floor.contains(&module));
    floor.unwrap_or_else(|| panic!("{module} is on no floor"))
}

/// The modules of this crate that code names.
fn used(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("crate::").map(|(at, prefix)| {
        let path = &code[at + prefix.len()..];
        &path[..path.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(path.len())]
    })
}

#[test]
fn a_module_uses_lower_floors_only() {
    let mut same = BTreeSet::new();
    for (module, path, code) in modules() {
        for other in used(&code).filter(|other| *other != module) {
            let (own, used) = (floor(&module), floor(other));
            assert!(own >= used, "{}: {module} is below {other}", path.display());
            if own == used {
                same.insert((module.clone(), other.to_owned()));
            }
        }
    }
    let listed: BTreeSet<_> =
        SAME_FLOOR.iter().map(|(a, b, _)| ((*a).to_owned(), (*b).to_owned())).collect();
    assert_eq!(same, listed, "uses on the same floor, and those that are listed");
}

#[test]
fn crates_files_and_the_terminal_are_named_where_they_belong() {
    for (module, path, code) in modules() {
        for &(name, homes) in NAMED_IN {
            let is_home = homes.contains(&module.as_str());
            assert!(is_home || !code.contains(name), "{}: names {name}", path.display());
        }
    }
}

#[test]
fn the_changelog_begins_with_this_version() {
    let text = read(&root().join("CHANGELOG.md"));
    let mut headings = text.lines().filter_map(|line| line.strip_prefix("## ["));
    let release = headings.find(|heading| !heading.starts_with("Unreleased]")).unwrap();
    let version = release.split(']').next();
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")), "{release}");
}

/// What a document says, and what it says as code.
fn prose_and_code(text: &str) -> (String, String) {
    let (mut prose, mut code) = (String::new(), String::new());
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        let part = if in_code { &mut code } else { &mut prose };
        part.push_str(line);
        part.push('\n');
    }
    (prose, code)
}

/// Where the links of a document lead, those of the form `[text](target)` and
/// `[text]: target`.
fn targets(prose: &str) -> Vec<&str> {
    let end = |target: &str| target.find([')', ' ', '\n', '>']).unwrap_or(target.len());
    let mut targets = Vec::new();
    for opening in ["](", "]: "] {
        for (at, _) in prose.match_indices(opening) {
            let target = prose[at + opening.len()..].trim_start_matches('<');
            targets.push(&target[..end(target)]);
        }
    }
    targets
}

#[test]
fn local_links_lead_to_files() {
    let mut documents = files(&root().join("docs"), "md");
    documents.extend(["README.md", "CHANGELOG.md"].map(|name| root().join(name)));
    for document in documents {
        let (prose, _) = prose_and_code(&read(&document));
        for target in targets(&prose) {
            let path = target.split('#').next().unwrap();
            if path.is_empty() || path.contains(':') {
                continue;
            }
            let file = document.parent().unwrap().join(path);
            assert!(file.exists(), "{}: no file {target}", document.display());
            assert!(is_packaged(&file), "{}: {target} is not packaged", document.display());
        }
    }
}

/// Whether a file is part of the published package, by `include` in Cargo.toml.
fn is_packaged(file: &Path) -> bool {
    let manifest = read(&root().join("Cargo.toml"));
    let list = manifest.lines().find_map(|line| line.strip_prefix("include = ")).unwrap();
    let file = file.canonicalize().unwrap();
    let names = list.split('"').skip(1).step_by(2);
    names.map(|name| root().canonicalize().unwrap().join(name)).any(|name| file.starts_with(name))
}

#[test]
fn the_readme_tells_commands_that_can_be_run() {
    let (_, code) = prose_and_code(&read(&root().join("README.md")));
    let lines = code.lines().map(|line| line.trim_start_matches("$ "));
    let commands: Vec<&str> = lines.filter(|line| line.starts_with("cargo ")).collect();
    assert!(commands.len() >= 2, "{commands:?}");
    for command in &commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        assert!(CARGO.contains(&words[1]), "{command}");
        for file in words.iter().filter(|word| word.starts_with("fixtures/")) {
            assert!(root().join(file).exists(), "{command}: no file {file}");
        }
    }
    assert!(commands.iter().any(|command| command.starts_with("cargo run ")), "{commands:?}");
    assert!(commands.iter().any(|command| command.starts_with("cargo test")), "{commands:?}");
}
