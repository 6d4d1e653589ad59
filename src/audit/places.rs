//! Lines and columns of findings, from their bytes.

use super::finding::Finding;
use crate::encoding::{Detected, Lines};

/// Fills in lines and columns of the findings of one file.
pub(super) fn fill(findings: &mut [Finding], source: &[u8], detected: Detected) {
    findings.sort_by_key(|finding| finding.span.as_ref().map(|span| span.start));
    let mut lines = Lines::new(source, detected);
    for finding in findings {
        if let Some(span) = &finding.span {
            let (line, column) = lines.place(span.start);
            (finding.line, finding.column) = (Some(line), Some(column));
        }
    }
}
