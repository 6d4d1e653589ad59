//! Texts in the source: a table, a file of `tests/cmd` or a test shows each, or `not_shown.txt` lists
//! it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use absolve_site::Rule;
use proc_macro2::{TokenStream, TokenTree};

use super::{TABLES, beside, rows};

/// The folders of the code.
const SOURCES: [&str; 5] =
    ["src", "crates/archive/src", "crates/files/src", "crates/site/src", "crates/cli/src"];

/// The folders of the tests that are not beside the code.
const TESTS: [&str; 4] = ["tests", "crates/archive/tests", "crates/site/tests", "crates/cli/tests"];

/// Files, folders and beginnings of lines of `not_shown.txt` whose texts answer no wrong option, file
/// or configuration, or that a test beside the code has.
const OTHER: &[(&str, &str)] = &[
    ("crates/site/src/", "findings: each folder of tests/audit pins those of a site"),
    ("src/base.rs", "notes on a document: tests/it/trees, tests/it/base.rs and tests/cmd"),
    ("crates/cli/src/args/after_help.rs", "help"),
    ("crates/cli/src/args/extract.rs", "help"),
    ("crates/cli/src/args/traits.rs", "help"),
    ("crates/cli/src/command/generate.rs", "the manual"),
    ("crates/cli/src/command/rewrite/totals.rs", "the summary: tests/it/trees"),
    ("crates/cli/src/session/document_report.rs", "notes on a document: tests/it/trees"),
    ("crates/cli/src/session/progress.rs", "the progress bar"),
    ("crates/archive/src/wacz", "damaged WACZ archives: crates/archive/tests/it/warc"),
    ("crates/files/src/crawl", "what files are named, and problems of records: tests/it/crawl.rs"),
    ("src/learn/page.rs", "comments in pages"),
    ("crates/archive/src/signature.rs: a", "types of files: the test beside them has each"),
    ("src/link/column.rs", "columns of links: tests/it/docs/columns.rs"),
    ("src/option/rows.rs", "help: tests/cmd/help.trycmd"),
    ("crates/site/src/report/context.rs", "reports"),
    ("crates/site/src/report/coverage.rs", "reports"),
    ("crates/site/src/report/format", "reports and help: tests/cmd/help.trycmd"),
    ("src/scan/", "names of document types"),
    ("src/url/rfc1808.rs", "the steps of resolve --explain: tests/cmd/resolve.trycmd"),
];

/// Finds the Rust files below a folder.
fn find_rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Finds the sources below a folder that are no tests.
pub(crate) fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut files = Vec::new();
    find_rust_files(folder, &mut files);
    found.extend(files.into_iter().filter(|path| !path.ends_with("tests.rs")));
}

/// Collects the strings of code that is no test, without those of attributes and comments.
fn strings(tokens: TokenStream, found: &mut Vec<String>) {
    literals(tokens, true, &mut |literal| found.extend(read_string(literal)));
}

/// Visits the literals of code that is no test, without those of attributes and comments.
fn literals(tokens: TokenStream, in_macros: bool, visit: &mut impl FnMut(&str)) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                // An inner attribute has a `!`.
                tokens.next_if(|next| matches!(next, TokenTree::Punct(_)));
                let attribute = tokens.next().map(|attribute| attribute.to_string());
                if attribute.is_some_and(|text| text.replace(' ', "") == "[cfg(test)]") {
                    // An item for tests ends with its body, or with a semicolon.
                    for token in tokens.by_ref() {
                        match token {
                            TokenTree::Group(group) if group.to_string().starts_with('{') => break,
                            TokenTree::Punct(punct) if punct.as_char() == ';' => break,
                            _ => {}
                        }
                    }
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '!' && !in_macros => {
                tokens.next_if(|next| matches!(next, TokenTree::Group(_)));
            }
            TokenTree::Group(group) => literals(group.stream(), in_macros, visit),
            TokenTree::Literal(literal) => visit(&literal.to_string()),
            _ => {}
        }
    }
}

/// Returns the value of a string literal without unusual escapes, if it has two words.
fn read_string(literal: &str) -> Option<String> {
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut lines = text.split("\\\n");
    let first = lines.next()?.to_owned();
    let text = lines.fold(first, |text, line| text + line.trim_start());
    let text = text.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\");
    let is_word = |word: &&str| {
        word.bytes().filter(u8::is_ascii_alphabetic).count() > 1 && !word.contains(['{', '}'])
    };
    (text.split(' ').filter(is_word).count() > 1).then_some(text)
}

/// Splits a template into the text between its values.
fn pieces(template: &str) -> impl Iterator<Item = &str> {
    let parts = template.split('{').enumerate();
    let parts = parts.map(|(number, part)| match part.split_once('}') {
        Some((_, text)) if number > 0 => text,
        _ => part,
    });
    parts.map(str::trim).filter(|piece| piece.len() > 2)
}

/// Collects the output that the tables and `tests/cmd` pin; the help there is wrapped, so that a
/// space here is any white space.
fn shown_texts() -> String {
    let tables = TABLES.iter().map(|name| fs::read_to_string(beside(&format!("{name}.txt"))));
    let mut shown: String = tables
        .flat_map(|table| {
            rows(&table.unwrap()).into_iter().map(|row| row.stderr).collect::<Vec<_>>()
        })
        .collect::<Vec<_>>()
        .join("\n");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "trycmd" || extension == "toml") {
            let text = fs::read_to_string(path).unwrap();
            let output = text.lines().filter(|line| !line.starts_with(['$', '#', '?']));
            for word in output.flat_map(str::split_whitespace) {
                shown.extend([" ", word]);
            }
        }
    }
    shown
}

/// Collects the strings of all tests but those of the tables.
fn tested_texts(root: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for folder in SOURCES {
        let mut files = Vec::new();
        find_rust_files(&root.join(folder), &mut files);
        for file in files {
            let source = fs::read_to_string(&file).unwrap();
            let own_tests = match source.rsplit_once("#[cfg(test)]\nmod tests {") {
                Some((_, rest)) => rest.trim_end().strip_suffix('}').unwrap(),
                None if file.ends_with("tests.rs") => &source,
                None => continue,
            };
            strings(own_tests.parse().unwrap(), &mut texts);
        }
    }
    for folder in TESTS {
        let mut files = Vec::new();
        find_rust_files(&root.join(folder), &mut files);
        files.retain(|path| !path.components().any(|part| part.as_os_str() == "error_messages"));
        for file in files {
            strings(fs::read_to_string(file).unwrap().parse().unwrap(), &mut texts);
        }
    }
    texts
}

#[test]
fn every_message_is_in_a_table_or_a_test_or_in_the_list_of_others() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let (shown, tested) = (shown_texts(), tested_texts(root));
    let is_shown = |text: &String| {
        pieces(text).all(|piece| shown.contains(piece))
            || tested.iter().any(|test| pieces(text).all(|piece| test.contains(piece)))
    };
    let mut files = Vec::new();
    for folder in SOURCES {
        sources(&root.join(folder), &mut files);
    }
    let (mut not_shown, mut excused) = (BTreeSet::new(), BTreeSet::new());
    for file in files {
        let mut found = Vec::new();
        strings(fs::read_to_string(&file).unwrap().parse().unwrap(), &mut found);
        let name = file.strip_prefix(root).unwrap().display().to_string();
        found.retain(|text| !is_shown(text));
        let is_report = name.starts_with("crates/site/src/report/");
        for text in found {
            let line = format!("{name}: {}", text.replace('\n', "\\n"));
            match OTHER.iter().find(|(start, _)| {
                line.starts_with(start) && !(is_report && *start == "crates/site/src/")
            }) {
                Some((start, _)) => drop(excused.insert(*start)),
                None => drop(not_shown.insert(line)),
            }
        }
    }
    let list = fs::read_to_string(beside("not_shown.txt")).unwrap();
    let listed = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    let new: Vec<&str> = not_shown.difference(&listed).map(String::as_str).collect();
    let stale: Vec<&str> = listed.difference(&not_shown).map(String::as_str).collect();
    assert!(
        new.is_empty() && stale.is_empty(),
        "add a row to a table, or a line to not_shown.txt with its reason:\n{}\n\
         not_shown.txt has what is shown, or is not in the source:\n{}",
        new.join("\n"),
        stale.join("\n"),
    );
    let unused: Vec<_> = OTHER.iter().filter(|(start, _)| !excused.contains(start)).collect();
    assert!(unused.is_empty(), "no text in these has to be excused: {unused:?}");
}

/// Library code that writes for readers of the command.
const OF_THE_COMMAND: &[(&str, &str)] = &[
    ("crates/site/src/lookup", "hints of findings"),
    ("crates/site/src/fixes.rs", "hints of findings"),
    ("crates/archive/src/warc/zstd.rs", "an option of zstd"),
    ("src/option/rows.rs", "help"),
    ("crates/site/src/report/", "reports"),
];

#[test]
fn no_error_of_the_library_names_an_option_of_the_command() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut files = Vec::new();
    for folder in SOURCES {
        sources(&root.join(folder), &mut files);
    }
    let explanations = Rule::ALL.iter().map(|rule| rule.explanation());
    let explained: BTreeSet<&str> =
        explanations.flat_map(|one| [one.reason, one.example, one.fix]).collect();
    let summaries = Rule::ALL.iter().map(|rule| rule.summary());
    let explained: BTreeSet<&str> = summaries.chain(explained).collect();
    let mut wrong = Vec::new();
    for file in files {
        let mut found = Vec::new();
        strings(fs::read_to_string(&file).unwrap().parse().unwrap(), &mut found);
        let name = file.strip_prefix(root).unwrap().display().to_string();
        if !name.starts_with("crates/cli/src/") {
            let names_option = |text: &String| {
                if explained.contains(&**text) {
                    return false;
                }
                let mut words = text.split([' ', '(', '\'']);
                words.any(|word| word.strip_prefix("--").is_some_and(|name| name.len() > 2))
            };
            if !OF_THE_COMMAND.iter().any(|(path, _)| name.starts_with(path)) {
                wrong.extend(found.into_iter().filter(names_option));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn words_name_options_of_the_command() {
    let mut files = Vec::new();
    for folder in SOURCES {
        sources(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(folder), &mut files);
    }
    let command = absolve_cli::args::command();
    let options = command.get_subcommands().flat_map(clap::Command::get_arguments);
    let mut options: BTreeSet<_> = options.filter_map(|option| option.get_long()).collect();
    options.extend(["o", "w"]);
    let mut number = 0;
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        if !source.contains("Advice::Set(") && !source.contains("from_words(") {
            continue;
        }
        literals(source.parse().unwrap(), false, &mut |literal| {
            let words = literal.strip_prefix('"').unwrap_or_default();
            let names = words.split('{').skip(1).filter_map(|rest| rest.split([' ', '}']).next());
            for name in names.filter(|name| !name.is_empty()) {
                assert!(options.contains(name), "{}: {name}", file.display());
                number += 1;
            }
        });
    }
    assert!(number > 50, "{number}");
}
