//! Writes one line per finding in the style of compilers, for editors and grep.

use std::io::{self, Write};

use crate::Finding;
use crate::report::{Context, FormatRow, printable, view};

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "concise", summary: "A line for each finding, for editors and grep", write };

fn write(findings: &[Finding], _: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        let (position, level) = (view::format_position(finding), view::level_name(finding.level));
        let (rule, message) = (finding.rule.id(), printable(&finding.message));
        write!(out, "{position}: {level}[{rule}]: {message}")?;
        if let Some(source) = view::format_source_position(finding) {
            write!(out, " ({source})")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::report::format::Format;
    use crate::report::tests::{assert_harmless, broken, hostile, report, with_source};

    #[test]
    fn a_finding_is_a_line() {
        let findings = [broken("site/a.html", "x"), with_source(broken("b", "y"))];
        assert_eq!(
            report(Format::Concise, &findings),
            "site/a.html:1:9: error[broken-link]: nothing is at x\n\
             b:1:9: error[broken-link]: nothing is at x (docs/a,b.md:7)\n"
        );
        let hostile = report(Format::Concise, &[hostile()]);
        assert_harmless(&hostile);
        assert_eq!(hostile.lines().count(), 1);
    }
}
