//! The character references of html5lib-tests: attribute values and plain character data.
//!
//! The tests are read from the folder that `ABSOLVE_TEST_DATA` names.

use std::path::Path;

use absolve::reference::{Context, decode};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

const FILES: [&str; 3] = ["entities", "namedEntities", "numericEntities"];

fn main() {
    let arguments = Arguments::from_args();
    let trials = match std::env::var_os("ABSOLVE_TEST_DATA") {
        Some(folder) => {
            let folder = Path::new(&folder).join("html5lib-tests/tokenizer");
            FILES.iter().flat_map(|name| file(&folder, name)).collect()
        }
        None => vec![
            Trial::test("set ABSOLVE_TEST_DATA to the folder that holds html5lib-tests", || Ok(()))
                .with_ignored_flag(true),
        ],
    };
    libtest_mimic::run(&arguments, trials).exit();
}

#[allow(clippy::expect_used, reason = "broken test data fails the run")]
fn file(folder: &Path, name: &str) -> Vec<Trial> {
    let path = folder.join(format!("{name}.test"));
    let json = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let cases: Value = serde_json::from_str(&json).expect("a JSON file");
    let cases = cases["tests"].as_array().expect("a list of tests");
    cases.iter().enumerate().map(|(index, case)| trial(name, index, case)).collect()
}

/// A case of another shape is counted as ignored.
fn trial(file: &str, index: usize, case: &Value) -> Trial {
    let title = format!("{file}/{index}: {}", case["description"].as_str().unwrap_or_default());
    match case_of(case) {
        Some((source, context, expected)) => Trial::test(title, move || {
            let decoded = decode(&source, context);
            if decoded == expected {
                return Ok(());
            }
            Err(Failed::from(format!("{source:?}: {decoded:?} is not {expected:?}")))
        }),
        None => Trial::test(title, || Ok(())).with_ignored_flag(true),
    }
}

fn case_of(case: &Value) -> Option<(String, Context, String)> {
    let input = case["input"].as_str()?;
    let output = case["output"].as_array()?;
    if case.get("doubleEscaped").is_some() || case.get("initialStates").is_some() {
        return None;
    }
    match output.as_slice() {
        [token] if token[0] == "Character" => {
            Some((input.to_owned(), Context::Text, token[1].as_str()?.to_owned()))
        }
        [token] if token[0] == "StartTag" => {
            let value = input.strip_prefix("<h a=")?.strip_suffix('>')?;
            let value = value.trim_matches(['"', '\'']);
            Some((value.to_owned(), Context::Attribute, token[2]["a"].as_str()?.to_owned()))
        }
        _ => None,
    }
}
