//! The text of an error is for people: code reads its kind, its place and its advice.

use std::fs;
use std::path::Path;

use crate::error_messages::literals::sources;

/// The names that errors and their texts have.
const NAMES: &[&str] = &[
    "err", "error", "failure", "why", "what", "message", "problem", "reason", "cause", "tip",
    "refusal",
];

/// The methods that return the text of an error.
const TEXTS: &[&str] =
    &[".as_str()", ".as_ref()", ".message()", ".problem()", ".text()", ".to_string()"];

/// The methods that look for words.
const METHODS: &[&str] = &[
    "contains",
    "starts_with",
    "ends_with",
    "find",
    "rfind",
    "strip_prefix",
    "strip_suffix",
    "split",
    "split_once",
    "rsplit_once",
    "matches",
    "trim_start_matches",
    "trim_end_matches",
    "eq",
];

/// Texts without kinds: the line, and whose text it is.
const OTHERS: &[(&str, &str)] = &[
    ("tip.to_string().contains(\"' as a value, use '\")", "clap's"),
    ("error.message().starts_with(\"string values must be quoted\")", "toml's"),
    ("problem.rsplit_once(\" at line \")", "serde_json's"),
    ("why.contains(\"datatype \\\"Null\\\"\")", "arrow's"),
];

/// Whether code ends with an error, or with its text: `error.to_string()`.
fn ends_with_text(mut code: &str) -> bool {
    while let Some(rest) = TEXTS.iter().find_map(|method| code.strip_suffix(method)) {
        code = rest;
    }
    let name = code.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    name.is_some_and(|name| NAMES.contains(&name))
}

/// Whether code looks for words in the text of an error: `error.to_string().contains(…)`, `why == "…"`
/// or `match &*why { "…" => … }`.
fn reads_words(code: &str) -> bool {
    let is_called = METHODS.iter().any(|method| {
        let call = format!(".{method}(");
        code.match_indices(&call).any(|(at, _)| ends_with_text(&code[..at]))
    });
    let is_compared = [" == \"", " != \"", ", \"", " {\""].iter().any(|compares| {
        code.match_indices(compares).map(|(at, _)| &code[..at]).any(|before| {
            let is_match = before.contains("matches!(") || before.contains("match ");
            (is_match || compares.contains('=')) && ends_with_text(before)
        })
    });
    let is_compared_last = ["\" == ", "\" != "].iter().any(|compares| {
        code.match_indices(compares).map(|(at, _)| &code[at + compares.len()..]).any(|after| {
            let after = after.trim_start_matches(['*', '&']);
            NAMES.iter().any(|name| {
                after
                    .strip_prefix(name)
                    .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            })
        })
    });
    is_called || is_compared || is_compared_last
}

#[test]
fn no_code_looks_for_words_in_the_text_of_an_error() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut files = Vec::new();
    for folder in [
        "src",
        "crates/archive/src",
        "crates/files/src",
        "crates/site/src",
        "crates/cli/src",
        "python/src",
        "npm/src",
    ] {
        sources(&root.join(folder), &mut files);
    }
    let mut wrong = Vec::new();
    let mut excused = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        // A call may be on the line after the error.
        let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).fold(
            String::new(),
            |code, line| {
                let line = line.trim();
                // So may the first pattern.
                let is_joined =
                    line.starts_with('.') || code.ends_with('{') && line.starts_with('"');
                let end = if is_joined { "" } else { "\n" };
                code + end + line
            },
        );
        for line in code.lines().filter(|line| reads_words(line)) {
            if OTHERS.iter().any(|(other, _)| line.contains(other)) {
                excused += 1;
            } else {
                wrong.push(format!("{}: {line}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(excused, OTHERS.len());
}

#[test]
fn the_test_knows_such_code() {
    assert!(reads_words("if error.to_string().contains(\"x\") {"));
    assert!(reads_words("Some(at) = why.find('x')"));
    assert!(reads_words("error.to_string().ends_with(\"x\")"));
    assert!(reads_words("let rest = error.message().strip_prefix(\"x\");"));
    assert!(reads_words("if error.to_string() == \"x\" {"));
    assert!(reads_words("\"x\" != &*why"));
    assert!(reads_words("matches!(why, \"x\")"));
    assert!(reads_words("match why {\"x\" => 1,"));
    assert!(!reads_words("f(why, \"x\")"));
    assert!(!reads_words("if text.contains(\"x\") && error.is_limit() {"));
}
