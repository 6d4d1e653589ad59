//! feedparser finds the same links in feeds of its own suite, before and after.

use std::env;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;

use super::trial::{no_module, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("feeds in feedparser", &[no_module("feedparser"), suite().err()], compare)]
}

/// The suite in a source package or a checkout of feedparser.
fn suite() -> Result<PathBuf, String> {
    let name = "feedparser/tests/wellformed";
    let path = Path::new(&env::var_os("ABSOLVE_TEST_DATA").unwrap_or_default()).join(name);
    if path.is_dir() { Ok(path) } else { Err(format!("no {name} in ABSOLVE_TEST_DATA")) }
}

fn compare(folder: &Path) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/comparison/feeds.py");
    let suite = suite().unwrap();
    run(folder, "python3", &[script, env!("CARGO_BIN_EXE_absolve"), suite.to_str().unwrap()]);
}
