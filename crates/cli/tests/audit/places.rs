//! Whether the place of a finding is where its reference is written.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::case::Checked;
use crate::finding::file_of;

/// Holds the spans of findings against the files of a case, which was laid out here.
pub(crate) fn check(folder: &Path, findings: &[Value]) -> Checked<()> {
    for finding in findings.iter().filter(|finding| !finding["span"].is_null()) {
        // A name that is not text cannot be a path everywhere, and is one place of many.
        let Ok(name) = String::from_utf8(file_of(finding)) else { continue };
        let bytes = fs::read(folder.join(&name)).map_err(|error| format!("{name}: {error}"))?;
        place(finding, &bytes)
            .map_err(|why| format!("{}: {why}", crate::finding::line(finding)))?;
    }
    Ok(())
}

fn place(finding: &Value, bytes: &[u8]) -> Checked<()> {
    let ends = [&finding["span"][0], &finding["span"][1]]
        .map(|end| end.as_u64().and_then(|end| usize::try_from(end).ok()));
    let [Some(start), Some(end)] = ends else { return Err("the span is no span".to_owned()) };
    let written = bytes.get(start..end).ok_or("the span is not in the file")?;
    // The lines and characters of another encoding are counted by hand in the cases.
    let Ok(text) = str::from_utf8(bytes) else { return Ok(()) };
    let written = str::from_utf8(written).map_err(|_| "the span cuts a character")?;
    if !text.starts_with('\u{feff}') {
        let before = &text[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        if [&finding["line"], &finding["column"]] != [&Value::from(line), &Value::from(column)] {
            return Err(format!("the span begins at {line}:{column}"));
        }
    }
    let reference = finding["reference"].as_str().unwrap_or("");
    // Escapes of the format that holds it: character references, escapes of CSS.
    let is_escaped = written.contains(['&', '\\', '\r']) && !reference.contains('\\');
    // A document in a `srcdoc` attribute is one place.
    let is_inside = written.contains('<') && written.contains(reference);
    if is_escaped || is_inside || written.trim() == reference.trim() {
        return Ok(());
    }
    Err(format!("the span holds {written:?}"))
}
