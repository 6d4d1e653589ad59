//! The links of generated XML documents equal those of a walk of lxml's tree.

use std::env;
use std::path::Path;

use libtest_mimic::Trial;

use super::trial::{no_module, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("XML documents in lxml", &[no_module("lxml")], compare_with_lxml)]
}

/// Compares 2,000 documents, or as many as `ABSOLVE_XML_DOCUMENTS` says.
fn compare_with_lxml(folder: &Path) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/comparison/xml.py");
    let number = env::var("ABSOLVE_XML_DOCUMENTS").unwrap_or_else(|_| "2000".to_owned());
    let command = env!("CARGO_BIN_EXE_absolve");
    run(folder, "python3", &[script, command, "generated", &number]);
}
