//! Findings as places alone, for scripts.

use std::io::{self, Write};

use crate::audit::Finding;
use crate::report::{Context, FormatRow, view};

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "places", summary: "The place of each finding", write };

fn write(findings: &[Finding], _: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    findings.iter().try_for_each(|finding| writeln!(out, "{}", view::place(finding)))
}

#[cfg(test)]
mod tests {
    use crate::report::Format;
    use crate::report::tests::{broken, report};

    #[test]
    fn a_line_has_a_place() {
        assert_eq!(report(Format::Places, &[broken("a.html", "x")]).lines().count(), 1);
    }
}
