//! Books by pandoc: what the audit and epubcheck report about planted faults is compared.

use std::path::Path;

use libtest_mimic::Trial;

use super::trial::{no_program, run, trial};

/// Where Debian has epubcheck.
const JAR: &str = "/usr/share/java/epubcheck.jar";

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/comparison/books.py");

pub(crate) fn trials() -> Vec<Trial> {
    let no_epubcheck = (!Path::new(JAR).exists()).then(|| "epubcheck is not installed".to_owned());
    let missing = [no_program("java"), no_epubcheck, no_program("pandoc")];
    vec![trial("books by pandoc, and epubcheck", &missing, compared)]
}

/// One book of EPUB 2 and one of EPUB 3.
fn compared(folder: &Path) {
    run(folder, "python3", &[SCRIPT, env!("CARGO_BIN_EXE_absolve"), JAR, "2"]);
}
