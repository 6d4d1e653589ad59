//! Findings as [SARIF 2.1.0], which code hosts and editors read.
//!
//! [SARIF 2.1.0]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

mod driver;
mod result;

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::FormatRow;
use crate::audit::Finding;
use crate::report::context::Context;
use crate::report::display::counted;
use crate::report::fingerprint::numbered;
use crate::report::groups::{group_hash, worst_first};
use crate::report::value::{escaped, write_list};
use driver::driver;
use result::result;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The most results of a run; [GitHub][limits] refuses a file that has more.
///
/// [limits]: https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
const MAX_RESULTS: usize = 25_000;

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "sarif", summary: "SARIF 2.1.0, for code hosts", write };

fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut worst = worst_first(findings);
    let left_out = worst.len().saturating_sub(MAX_RESULTS);
    worst.truncate(MAX_RESULTS);
    let path = |file: &Path| context.repository_path(file);
    let prints = numbered(worst.iter().map(|group| group_hash(group.first, path)));

    writeln!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{")?;
    writeln!(out, "\"tool\":{{\"driver\":{}}},", escaped(&driver())?)?;
    writeln!(out, "\"columnKind\":\"unicodeCodePoints\",")?;
    writeln!(out, "\"invocations\":[{}],", escaped(&invocation(findings, context, left_out))?)?;
    write!(out, "\"results\":[")?;
    let results = worst.iter().zip(prints).map(|(group, print)| result(group, &print, context));
    write_list(results, out)?;
    writeln!(out, "]}}]}}")
}

/// The notes on the run as a whole.
fn invocation(findings: &[Finding], context: &Context<'_>, left_out: usize) -> Value {
    let mut notes = vec![("note", context.summary(findings))];
    if let Some(diff) = context.diff {
        let known = counted(diff.known, "finding");
        let fixed = counted(diff.fixed_count(), "finding");
        notes.push(("note", format!("{known} left out by the baseline, {fixed} of it fixed")));
    }
    if left_out > 0 {
        let count = counted(left_out as u64, "result");
        notes.push(("warning", format!("{count} left out, the worst are here")));
    }
    let coverage = &context.coverage;
    notes.extend(coverage.remarks().map(|text| ("warning", text)));
    let notes = notes.into_iter();
    let notes = notes.map(|(level, text)| json!({ "level": level, "message": { "text": text } }));
    json!({
        "executionSuccessful": true,
        "toolExecutionNotifications": notes.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests;
