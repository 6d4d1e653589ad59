//! Writes findings as a [Code Quality report][format] of GitLab, which compares the reports of the
//! two branches of a merge request by the fingerprints of findings.
//!
//! [format]: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::report::{Context, Fingerprint, FormatRow, number_hashes, printable, view, write_list};
use crate::{Finding, Level};

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "gitlab", summary: "Code Quality of GitLab", write };

fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "[")?;
    let fingerprints =
        number_hashes(findings.iter().map(|finding| Fingerprint::new(finding).hash()));
    let issues = findings
        .iter()
        .zip(fingerprints)
        .map(|(finding, fingerprint)| create_issue(finding, &fingerprint, context));
    write_list(issues, out)?;
    writeln!(out, "]")
}

fn create_issue(finding: &Finding, fingerprint: &str, context: &Context<'_>) -> Value {
    let (file, line) = context.editable(finding);
    let mut description = printable(&finding.message);
    if finding.source.is_some() {
        description = format!("{description} (in {})", view::format_position(finding));
    }
    json!({
        "description": description,
        "check_name": finding.rule.id(),
        "fingerprint": fingerprint,
        "severity": match finding.level {
            Level::Error => "major",
            Level::Warn => "minor",
            _ => "info",
        },
        "location": {
            "path": view::format_path(&file),
            "lines": { "begin": line.unwrap_or(1) },
        },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::report::format::Format;
    use crate::report::tests::{assert_harmless, broken, hostile, report, with_source};

    #[test]
    fn a_finding_is_an_issue() {
        let bad = broken("site/a.html", "x");
        let text = report(Format::Gitlab, &[bad.clone(), bad, with_source(broken("b", "y"))]);
        let issues: Value = serde_json::from_str(&text).unwrap();
        let mut first = issues[0].clone();
        let fingerprints =
            [&issues[0], &issues[1]].map(|issue| issue["fingerprint"].as_str().unwrap());
        assert_eq!(fingerprints.map(|text| &text[16..]), [":1", ":2"]);
        first.as_object_mut().unwrap().remove("fingerprint");
        let location = json!({ "path": "site/a.html", "lines": { "begin": 1 } });
        let expected = json!({
            "description": "nothing is at x", "check_name": "broken-link", "severity": "major",
            "location": location,
        });
        assert_eq!(first, expected);
        assert_eq!(issues[2]["location"]["lines"]["begin"], 7);
        assert_eq!(issues[2]["description"], "nothing is at x (in b:1:9)");
        assert_eq!(report(Format::Gitlab, &[]), "[]\n");
        assert_harmless(&report(Format::Gitlab, &[hostile()]));
    }
}
