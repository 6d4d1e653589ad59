//! Two other parsers of Markdown read the same document before and after, but for its links.

use std::env;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;

use super::trial::{no_module, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let missing = [no_module("cmarkgfm"), no_module("markdown_it")];
    let (commonmark, gfm) = (spec(COMMONMARK).err(), spec(GFM).err());
    let with = |spec: Option<String>| [&missing[..], &[spec]].concat();
    vec![
        trial("Markdown in other parsers", &missing, compare_generated_documents),
        trial("Markdown in other parsers, CommonMark", &with(commonmark), |folder| {
            compare_examples(folder, COMMONMARK);
        }),
        trial("Markdown in other parsers, GFM", &with(gfm), |folder| compare_examples(folder, GFM)),
    ]
}

/// The texts of specifications, in checkouts of their repositories.
const COMMONMARK: &str = "commonmark-spec/spec.txt";
const GFM: &str = "cmark-gfm/test/spec.txt";

/// A specification with examples, in the folder of other projects' suites.
fn spec(name: &str) -> Result<PathBuf, String> {
    let folder = env::var_os("ABSOLVE_TEST_DATA").unwrap_or_default();
    let path = Path::new(&folder).join(name);
    if path.is_file() { Ok(path) } else { Err(format!("no {name} in ABSOLVE_TEST_DATA")) }
}

fn compare_generated_documents(folder: &Path) {
    compare(folder, &["generated", "300"]);
}

fn compare_examples(folder: &Path, name: &str) {
    compare(folder, &["spec", spec(name).unwrap().to_str().unwrap()]);
}

fn compare(folder: &Path, args: &[&str]) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/comparison/markdown.py");
    let command = env!("CARGO_BIN_EXE_absolve");
    run(folder, "python3", &[&[script, command], args].concat());
}
