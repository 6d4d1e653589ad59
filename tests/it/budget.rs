//! The budget: lines of code of the library, of the crates upon it, and of the bindings.
//!
//! A line of code is one outside tests that is neither blank nor a comment, in rustfmt's form.

use std::fs;
use std::path::Path;

/// Folders of code, and the lines that they may have together.
const BUDGETS: &[(&[&str], usize)] = &[
    (&["src"], 18_550),
    (&["crates/archive/src", "crates/files/src", "crates/site/src", "crates/cli/src"], 33_500),
    (&["npm/src", "python/src"], 5_160),
];

#[test]
fn the_code_keeps_its_budget() {
    for (folders, budget) in BUDGETS {
        let code: usize = folders.iter().map(|folder| lines(folder)).sum();
        assert!(code <= *budget, "{folders:?}: {code} lines of code, of {budget}");
    }
}

#[test]
fn tests_comments_and_blank_lines_are_no_code() {
    let text = "//! Of this.\n\nuse a;\n\n#[cfg(test)]\nuse b;\n\nfn f() {\n    // Why.\n    g();\n}\n\n\
                #[cfg(test)]\nmod tests {\n    fn h() {\n    }\n}\n";
    assert_eq!(count(text), 4);
}

/// The lines of code of a folder.
fn lines(folder: &str) -> usize {
    let mut work = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut code = 0;
    while let Some(path) = work.pop() {
        if path.is_dir() {
            work.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            code += count(&fs::read_to_string(&path).unwrap());
        }
    }
    code
}

fn count(text: &str) -> usize {
    let mut code = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start() == "#[cfg(test)]" {
            skip_item(&mut lines);
            continue;
        }
        let is_code = !line.trim().is_empty() && !line.trim_start().starts_with("//");
        code += usize::from(is_code);
    }
    code
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
