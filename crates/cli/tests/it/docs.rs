//! Tests the documents: versions, links, lengths, commands, and the crates that a module may name.

mod columns;
#[cfg(unix)]
mod examples;
pub(crate) mod rules;

use std::fs;
use std::path::{Path, PathBuf};

/// A name, and the packages and modules that may hold it; none where only the command may.
const NAMED_IN: &[(&str, &[&str])] = &[
    ("html5ever", &["dom"]),
    ("markup5ever_rcdom", &["dom"]),
    ("fluent_uri", &["url"]),
    ("std::fs", &["files"]),
    ("println!", &[]),
    ("std::env", &[]),
    ("std::process", &[]),
];

/// The commands that the documents tell a reader to run.
const CARGO: &[&str] = &["add", "bench", "build", "clippy", "doc", "fmt", "install", "run", "test"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
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

/// Returns the files of code: the module of the library, or the package, the path, and the lines of
/// code.
fn modules() -> Vec<(String, PathBuf, String)> {
    let mut modules = Vec::new();
    for package in ["", "archive", "files", "site"] {
        let folder =
            if package.is_empty() { "src".into() } else { format!("crates/{package}/src") };
        let source = root().join(folder);
        for path in files(&source, "rs") {
            let inner = path.strip_prefix(&source).unwrap();
            let first = Path::new(inner.iter().next().unwrap()).with_extension("");
            let name = if package.is_empty() { first.to_str().unwrap() } else { package };
            if name != "lib" {
                let text = read(&path);
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                modules.push((name.to_owned(), path.clone(), code.collect::<Vec<_>>().join("\n")));
            }
        }
    }
    assert!(!modules.is_empty());
    modules
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

/// Splits a document into its prose and its code.
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

/// Finds the targets of links of the forms `[text](target)` and `[text]: target`.
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

/// Maximum lines of the README and of a page in docs/, and the page that may have more: readers
/// search the generated page of options for one.
const MAX_LINES: usize = 120;
const LONG_PAGES: &[&str] = &["options.md"];

/// The README and the pages of docs/.
fn pages() -> Vec<PathBuf> {
    let mut pages = files(&root().join("docs"), "md");
    pages.push(root().join("README.md"));
    pages
}

#[test]
fn pages_are_short() {
    for page in pages() {
        let lines = read(&page).lines().count();
        let may_be_long = LONG_PAGES.iter().any(|name| page.ends_with(name));
        assert!(may_be_long || lines <= MAX_LINES, "{}: {lines} lines", page.display());
    }
}

/// The anchors of a document's headings, as code hosts make them.
fn anchors(prose: &str) -> Vec<String> {
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn local_links_lead_to_files() {
    let mut documents = pages();
    documents.extend(["CHANGELOG.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    for document in documents {
        let (prose, _) = prose_and_code(&read(&document));
        for target in targets(&prose).into_iter().filter(|target| !target.contains(':')) {
            let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
            let file = document.parent().unwrap().join(path);
            let file = if path.is_empty() { document.clone() } else { file };
            assert!(file.exists(), "{}: no file {target}", document.display());
            let has_anchor = || anchors(&prose_and_code(&read(&file)).0).contains(&fragment.into());
            assert!(fragment.is_empty() || has_anchor(), "{}: {target}", document.display());
            // Contributors have a checkout.
            let is_reached = document.ends_with("CONTRIBUTING.md") || is_packaged(&file);
            assert!(is_reached, "{}: {target} is not packaged", document.display());
        }
    }
}

/// The pages for contributors name files of code by their paths from the root.
#[test]
fn files_of_code_that_pages_name_exist() {
    for page in ["docs/architecture.md", "docs/releasing.md", "CONTRIBUTING.md"] {
        let text = read(&root().join(page));
        let spans = text.split('`').skip(1).step_by(2);
        for file in spans
            .filter(|span| span.contains('/'))
            .filter(|span| Path::new(span).extension() == Some("rs".as_ref()))
        {
            assert!(root().join(file).exists(), "{page}: no file {file}");
        }
    }
}

/// Whether a file is part of the published package, by `include` in Cargo.toml.
fn is_packaged(file: &Path) -> bool {
    let manifest = read(&root().join("Cargo.toml"));
    let list = manifest.lines().find_map(|line| line.strip_prefix("include = ")).unwrap();
    let file = file.canonicalize().unwrap();
    let names = list.split('"').skip(1).step_by(2);
    names
        .map(|name| root().canonicalize().unwrap().join(name.trim_start_matches('/')))
        .any(|name| file.starts_with(name))
}

/// The programs that do nothing elsewhere, and the suites of `it` that are not compiled there.
#[test]
fn the_tests_that_need_unix_are_listed() {
    let mut needing = Vec::new();
    let suites = read(&root().join("crates/cli/tests/it/main.rs"));
    for (condition, module) in suites.lines().zip(suites.lines().skip(1)) {
        let is_for_unix = condition.contains("unix") || condition.contains("target_os");
        if let (true, Some(name)) = (is_for_unix, module.strip_prefix("mod ")) {
            needing.push(name.trim_end_matches(';').to_owned());
        }
    }
    for folder in fs::read_dir(root().join("crates/cli/tests")).unwrap().map(|entry| entry.unwrap())
    {
        let main = fs::read_to_string(folder.path().join("main.rs")).unwrap_or_default();
        if ["#[cfg(not(unix))]", "#[cfg(not(target_os"].iter().any(|other| main.contains(other)) {
            needing.push(folder.file_name().into_string().unwrap());
        }
    }
    needing.sort();
    let readme = read(&root().join("tests/README.md"));
    let (_, table) = readme.split_once("| program or suite | needs |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let mut listed: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    listed.sort_unstable();
    assert_eq!(listed, needing);
}

#[test]
fn the_readme_has_cargo_commands_that_exist() {
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

/// The files that name the repository as `Cargo.toml` does.
const OWNED: &[&str] = &[
    "docs/ci.md",
    "docs/configuration.md",
    "docs/releasing.md",
    "npm/README.md",
    "npm/package.json",
    "python/README.md",
    "python/pyproject.toml",
];

/// The owner of the repository is a placeholder until a release has one, in `Cargo.toml`;
/// `OWNER=overwrite` writes it wherever else it is named.
#[test]
fn the_owner_of_the_repository_is_that_of_the_manifest() {
    let manifest = read(&root().join("Cargo.toml"));
    let owner = owners(&manifest).next().expect("a repository").1;
    for name in OWNED {
        let path = root().join(name);
        let text = read(&path);
        let found: Vec<_> = owners(&text).collect();
        assert!(!found.is_empty(), "{name}");
        if std::env::var_os("OWNER").is_some_and(|value| value == "overwrite") {
            let mut new = text.clone();
            for (at, old) in found.iter().rev() {
                new.replace_range(*at..at + old.len(), owner);
            }
            fs::write(&path, new).expect("a file of the package can be written");
        } else {
            assert!(found.iter().all(|(_, found)| *found == owner), "{name}: {found:?}");
        }
    }
    let pages =
        pages().into_iter().filter(|page| owners(&read(page)).any(|(_, found)| found == owner));
    let inner = |page: PathBuf| page.strip_prefix(root()).unwrap().display().to_string();
    let stray: Vec<String> = pages.map(inner).filter(|page| !OWNED.contains(&&**page)).collect();
    assert!(stray.is_empty(), "{stray:?}");
}

/// The owners of repositories with the name of the package, and where they are in a text.
fn owners(text: &str) -> impl Iterator<Item = (usize, &str)> {
    const NAME: &str = "/absolve";
    text.match_indices(NAME).filter_map(move |(end, _)| {
        let is_owner = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let owner = &text[..end];
        let start = owner.trim_end_matches(is_owner).len();
        let is_url = text[..start].ends_with("github.com/");
        let is_action = text[end + NAME.len()..].starts_with("@v");
        (start < end && (is_url || is_action)).then(|| (start, &text[start..end]))
    })
}
