//! Findings as tab-separated values.

use std::io::{self, Write};

use crate::audit::Finding;
use crate::report::display::row;
use crate::report::value::{Record, columns};

pub(in crate::report) fn write(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let keys = columns();
    writeln!(out, "{}", keys.join("\t"))?;
    findings.iter().try_for_each(|finding| {
        let record = serde_json::to_value(Record::from(finding))?;
        writeln!(out, "{}", row(&record, &keys))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::format::Format;
    use crate::report::tests::{assert_harmless, broken, hostile, report};

    #[test]
    fn a_finding_is_a_row() {
        assert_eq!(
            report(Format::Tsv, &[broken("a", "x")]),
            "rule\tlevel\tfile\tline\tcolumn\tspan\telement\tattribute\treference\turl\tbase\t\
             base_source\tmessage\thint\tpart\toffset\twithin\tpage\n\
             broken-link\terror\ta\t1\t9\t8-9\ta\thref\tx\thttp://h/x\thttp://h/\t\
             retrieval-url\tnothing is at x\t\t\t\t\t\n"
        );
    }

    #[test]
    fn hostile_texts_stay_in_their_cells() {
        let report = report(Format::Tsv, &[hostile(), hostile()]);
        assert_harmless(&report);
        let rows: Vec<Vec<&str>> = report.lines().map(|row| row.split('\t').collect()).collect();
        assert_eq!(rows.len(), 3);
        for row in &rows {
            assert_eq!(row.len(), columns().len());
            assert!(row.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{row:?}");
        }
    }
}
