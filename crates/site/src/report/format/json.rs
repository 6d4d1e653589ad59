//! Writes findings and their summary as one JSON document.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::report::context::count_fixable;
use crate::report::{Context, FormatRow, Record, Totals, write_list};
use crate::{Finding, Safety};

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "json", summary: "One JSON document", write };

fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"findings\":[")?;
    let records = findings.iter().map(Record::from);
    write_list(records, out)?;
    if let Some(diff) = context.diff {
        out.write_all(b"],\n\"fixed\":[")?;
        let entries = diff.fixed.iter().map(|(fingerprint, count)| fingerprint.to_entry(*count));
        write_list(entries, out)?;
    }
    if let Some(applied) = context.applied {
        out.write_all(b"],\n")?;
        if context.applied_unlisted > 0 {
            writeln!(out, "\"applied_unlisted\":{},", context.applied_unlisted)?;
        }
        out.write_all(b"\"applied\":[")?;
        write_list(applied.iter().map(Record::from), out)?;
    }
    let (coverage, audited) = (context.coverage, context.coverage.audited);
    let Totals { errors, warnings, notes, .. } = Totals::new(findings, coverage);
    let unlisted = audited
        .unlisted
        .iter()
        .map(|unlisted| (unlisted.rule.id().to_owned(), json!(unlisted.count)));
    let unlisted: Map<String, Value> = unlisted.collect();
    let summary = json!({
        "errors": errors,
        "warnings": warnings,
        "notes": notes,
        "known": context.diff.map(|diff| diff.known),
        "pages": audited.pages,
        "links": audited.links,
        "internal": audited.by_scope.internal,
        "external": audited.by_scope.external,
        "outside": audited.by_scope.outside,
        "ignored": audited.by_scope.ignored,
        "unlisted": unlisted,
        "unsearched": audited.unsearched,
        "base_url_hint": coverage.base_url_hint(),
        "fixable": count_fixable(findings, Safety::Safe),
    });
    writeln!(out, "],\n\"summary\":{summary}}}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Level, Rule};

    use super::*;
    use crate::report::baseline::Baseline;
    use crate::report::format::Format;
    use crate::report::tests::{
        HOSTILE, assert_harmless, broken, finding, hostile, report, report_compared, with_source,
    };

    const BROKEN: &str = "{\"rule\":\"broken-link\",\"level\":\"error\",\"file\":\"a\",\"line\":1,\
        \"column\":9,\"span\":[8,9],\"element\":\"a\",\"attribute\":\"href\",\"reference\":\"x\",\
        \"url\":\"http://h/x\",\"base\":\"http://h/\",\"base_source\":\"retrieval-url\",\
        \"message\":\"nothing is at x\",\"hint\":null,\"fix\":null}";

    #[test]
    fn a_finding_is_a_line() {
        let whole = finding(Rule::BrokenRedirect, Level::Warn, "_redirects");
        assert_eq!(
            report(Format::Jsonl, &[broken("a", "x"), whole]),
            format!(
                "{BROKEN}\n{{\"rule\":\"broken-redirect\",\"level\":\"warn\",\
                 \"file\":\"_redirects\",\"line\":null,\"column\":null,\"span\":null,\
                 \"element\":null,\"attribute\":null,\"reference\":null,\"url\":null,\
                 \"base\":null,\"base_source\":null,\"message\":\"it is wrong\",\"hint\":null,\"fix\":null}}\n"
            )
        );
        assert_eq!(report(Format::Jsonl, &[]), "");
    }

    #[test]
    fn a_document_counts_too() {
        assert_eq!(
            report(Format::Json, &[broken("a", "x")]),
            format!(
                "{{\"findings\":[\n{BROKEN}],\n\"summary\":{{\"errors\":1,\"warnings\":0,\
                 \"notes\":0,\"known\":null,\"pages\":1200,\"links\":1,\"internal\":0,\
                 \"external\":0,\"outside\":0,\"ignored\":0,\"unlisted\":{{}},\
                 \"unsearched\":0,\"base_url_hint\":null,\"fixable\":0}}}}\n"
            )
        );
    }

    #[test]
    fn fixed_findings_are_listed() {
        let mut findings = vec![broken("a", "x")];
        let diff = Baseline::from_findings(&[broken("a", "x"), broken("b", "y")], Path::new(""))
            .finish(&mut findings, Path::new(""), |_| true);
        assert_eq!(
            report_compared(Format::Json, &findings, Some(&diff)),
            "{\"findings\":[],\n\"fixed\":[\n{\"rule\":\"broken-link\",\"file\":\"b\",\
             \"element\":\"a\",\"attribute\":\"href\",\"reference\":\"y\",\"count\":1}],\n\
             \"summary\":{\"errors\":0,\"warnings\":0,\"notes\":0,\"known\":1,\"pages\":1200,\
             \"links\":1,\"internal\":0,\"external\":0,\"outside\":0,\"ignored\":0,\
             \"unlisted\":{},\"unsearched\":0,\"base_url_hint\":null,\"fixable\":0}}\n"
        );
    }

    #[test]
    fn a_source_is_the_last_key() {
        let lines = report(Format::Jsonl, &[with_source(broken("a", "x"))]);
        assert!(
            lines.ends_with("\"fix\":null,\"source\":{\"file\":\"docs/a,b.md\",\"line\":7}}\n")
        );
    }

    #[test]
    fn hostile_texts_come_back_as_they_were() {
        let lines = report(Format::Jsonl, &[hostile()]);
        assert_harmless(&lines);
        assert_eq!(lines.lines().count(), 1);
        let value: Value = serde_json::from_str(&lines).unwrap();
        assert_eq!(value["reference"], HOSTILE);
        assert_eq!(value["message"], HOSTILE);
        #[cfg(unix)]
        {
            assert_eq!(value["file"], format!("{HOSTILE}\u{fffd}"));
            assert_eq!(value["file_bytes"], json!([HOSTILE.as_bytes(), b"\xff"].concat()));
        }
        let document = report(Format::Json, &[hostile(), hostile()]);
        assert_harmless(&document);
        let document: Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document["findings"][1], value);
    }
}
