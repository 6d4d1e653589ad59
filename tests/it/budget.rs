//! The budget of docs/architecture.md: lines of code by room.
//!
//! A line of code is one outside tests that is neither blank nor a comment, in rustfmt's form.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The lines of all rooms of `src` together.
const OF_SOURCE: usize = 52_020;

/// The same with comments and blank lines.
const WITH_COMMENTS: usize = 69_500;

#[derive(Clone, Copy, Default)]
struct Lines {
    code: usize,
    all: usize,
}

#[test]
fn each_room_keeps_its_budget() {
    let rooms = rooms();
    let budgets = budgets();
    let mut wrong = Vec::new();
    for (names, budget) in &budgets {
        let lines = |name: &String| {
            rooms.get(name).unwrap_or_else(|| panic!("the table names {name}, which is no room"))
        };
        let code: usize = names.iter().map(|name| lines(name).code).sum();
        if code > *budget {
            wrong.push(format!("{}: {code} lines of code, of {budget}", names.join(", ")));
        }
    }
    let named = |room: &String| budgets.iter().any(|(names, _)| names.contains(room));
    wrong.extend(rooms.keys().filter(|room| !named(room)).map(|room| format!("{room}: no budget")));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn all_rooms_together_keep_theirs() {
    let rooms = rooms();
    let of_source = || {
        rooms
            .iter()
            .filter(|(room, _)| !["npm", "python"].contains(&room.as_str()))
            .map(|(_, lines)| lines)
    };
    let code: usize = of_source().map(|lines| lines.code).sum();
    assert!(code <= OF_SOURCE, "{code} lines of code, of {OF_SOURCE}");
    let all: usize = of_source().map(|lines| lines.all).sum();
    assert!(all <= WITH_COMMENTS, "{all} lines with comments, of {WITH_COMMENTS}");
}

#[test]
fn tests_comments_and_blank_lines_are_no_code() {
    let text = "//! Of this.\n\nuse a;\n\n#[cfg(test)]\nuse b;\n\nfn f() {\n    // Why.\n    g();\n}\n\n\
                #[cfg(test)]\nmod tests {\n    fn h() {\n    }\n}\n";
    let lines = count(text);
    assert_eq!((lines.code, lines.all), (4, 10));
}

/// The rows of the table: names of rooms, and their lines.
fn budgets() -> Vec<(Vec<String>, usize)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    let page = fs::read_to_string(page).unwrap();
    let rows = page.lines().skip_while(|line| !line.starts_with("| module |")).skip(2);
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let names = cells[0].split(", ").map(|name| name.trim_matches('`').to_owned()).collect();
        (names, cells[2].replace(',', "").parse().unwrap())
    };
    rows.take_while(|line| line.starts_with('|')).map(row).collect()
}

/// The lines of each module of the library, and of the packages for other languages.
fn rooms() -> BTreeMap<String, Lines> {
    let mut rooms = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (folder, room) in [("src", None), ("npm/src", Some("npm")), ("python/src", Some("python"))]
    {
        let folder = root.join(folder);
        let mut work = vec![folder.clone()];
        while let Some(path) = work.pop() {
            let name = path.file_name().unwrap();
            if path.is_dir() {
                work.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if path.extension().is_some_and(|end| end == "rs") && name != "tests.rs" {
                let inner = path.strip_prefix(&folder).unwrap().with_extension("");
                let first = inner.iter().next().unwrap().to_str().unwrap();
                let lines = count(&fs::read_to_string(&path).unwrap());
                let sum: &mut Lines = rooms.entry(room.unwrap_or(first).to_owned()).or_default();
                (sum.code, sum.all) = (sum.code + lines.code, sum.all + lines.all);
            }
        }
    }
    rooms
}

fn count(text: &str) -> Lines {
    let mut found = Lines::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start() == "#[cfg(test)]" {
            skip_item(&mut lines);
            continue;
        }
        let is_code = !line.trim().is_empty() && !line.trim_start().starts_with("//");
        found.all += 1;
        found.code += usize::from(is_code);
    }
    found
}

/// Skips the item that an attribute belongs to: up to the line that ends it, at its indentation.
fn skip_item<'t>(lines: &mut impl Iterator<Item = &'t str>) {
    let Some(first) = lines.find(|line| !line.trim_start().starts_with("#[")) else { return };
    if !first.ends_with([';', '}', ',']) {
        let indent = &first[..first.len() - first.trim_start().len()];
        let end = |line: &&str| line.strip_prefix(indent).is_some_and(|rest| rest.starts_with('}'));
        lines.find(end);
    }
}
