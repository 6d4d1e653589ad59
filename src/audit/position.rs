//! Lines and columns of findings, from their byte offsets.

use encoding_rs::{UTF_8, WINDOWS_1252};

use crate::audit::context::Draft;
use crate::audit::finding::Finding;
use crate::encoding::{Detected, Lines};

/// Fills in lines and columns of the findings of one file.
pub(crate) fn fill(drafts: &mut [Draft], source: &[u8], detected: Detected) {
    drafts.sort_by_key(|draft| draft.finding.span.as_ref().map(|span| span.start));
    let mut lines = Lines::new(source, detected);
    for draft in drafts {
        put(&mut draft.finding, &mut lines);
    }
}

/// Fills in line and column of one finding; fastest in the order of offsets.
pub(crate) fn put(finding: &mut Finding, lines: &mut Lines<'_>) {
    if let Some(span) = &finding.span {
        let (line, column) = lines.place(span.start);
        (finding.line, finding.column) = (Some(line), Some(column));
    }
}

/// The encoding that columns of a message are counted in, whatever its parts have.
pub(crate) fn of_message(source: &[u8]) -> Detected {
    let encoding = if str::from_utf8(source).is_ok() { UTF_8 } else { WINDOWS_1252 };
    Detected { encoding, bom: 0 }
}
