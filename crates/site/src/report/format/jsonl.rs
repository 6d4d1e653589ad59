//! Writes findings as JSON Lines: one object per finding.

use std::io::{self, Write};

use crate::Finding;
use crate::report::{Context, FormatRow, Record, to_json};

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "jsonl", summary: "One JSON object per line", write };

fn write(findings: &[Finding], _: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    findings.iter().try_for_each(|finding| writeln!(out, "{}", to_json(&Record::from(finding))?))
}
