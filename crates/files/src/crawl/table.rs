//! The tables beside the files: which URL each has, and which URLs the crawl lacks.

use std::io::{self, Write};

/// The name of the table of files.
pub(super) const URLS: &str = "absolve-urls.tsv";

/// The name of the table of links to what the crawl does not have.
pub(super) const MISSING: &str = "absolve-missing.tsv";

pub(super) const URL_COLUMNS: &[&str] = &["file", "url", "date", "status", "type", "digest"];

pub(super) const MISSING_COLUMNS: &[&str] = &["file", "url"];

/// Writes a line of fields between tabs; what would end one is a space.
pub(super) fn line(out: &mut dyn Write, fields: &[&str]) -> io::Result<()> {
    for (number, field) in fields.iter().enumerate() {
        if number > 0 {
            out.write_all(b"\t")?;
        }
        let field: String = field.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        out.write_all(field.as_bytes())?;
    }
    out.write_all(b"\n")
}
