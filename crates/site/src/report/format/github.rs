//! Writes findings as workflow commands, which GitHub Actions shows at the lines of files.
//!
//! GitHub shows only ten errors, ten warnings and ten notices of a step outside its log. Therefore,
//! there is one command per target, and the worst targets come first.
//! <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>

use std::io::{self, Write};

use crate::report::{Context, FormatRow, Group, counted, group_worst_first, printable, view};
use crate::{Finding, Level};

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "github", summary: "Workflow commands of GitHub Actions", write };

fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    for group in group_worst_first(findings) {
        write_command(&group, context, out)?;
    }
    let coverage = &context.coverage;
    match coverage.describe_unlisted(Level::Note).zip(coverage.worst_unlisted()) {
        None => Ok(()),
        Some((text, level)) => {
            writeln!(out, "::{} title=absolve::{}", command_name(level), escape_data(&text))
        }
    }
}

fn command_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        _ => "notice",
    }
}

fn write_command(group: &Group<'_>, context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let finding = group.editable();
    let command = command_name(finding.level);
    let (file, line) = context.editable(finding);
    write!(out, "::{command} file={}", escape_property(&view::format_path(&file)))?;
    let column = finding.column.filter(|_| finding.source.is_none());
    for (name, number) in [("line", line), ("col", column)] {
        if let Some(number) = number {
            write!(out, ",{name}={number}")?;
        }
    }
    let mut text = printable(&finding.message);
    if group.pages > 1 {
        let pages = counted(group.pages as u64, group.noun);
        text = format!("{text}\non {pages}, first {}", view::format_position(group.first));
    } else if group.finding_count() > 1 {
        text = format!("{text}\n{} times on this page", group.finding_count());
    }
    if group.pages == 1 && finding.source.is_some() {
        text = format!("{text}\nin {}", view::format_position(finding));
    }
    if let Some(hint) = &finding.hint {
        text = format!("{text}\nhelp: {}", printable(hint));
    }
    writeln!(out, ",title={}::{}", escape_property(finding.rule.id()), escape_data(&text))
}

/// Escapes the text after the second `::` of a command.
fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property of a command.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use crate::{AuditReport, Rule, Unlisted};

    use super::*;
    use crate::report::format::Format;
    use crate::report::tests::{assert_harmless, broken, finding, hostile, report, with_source};

    #[test]
    fn a_target_is_a_command_and_the_worst_come_first() {
        let mut bad = broken("site/b,c: 100%.html", "x");
        bad.hint = Some("did you mean y?".to_owned());
        let mut other = broken("d", "x");
        other.target = Some("site/other".into());
        let findings = [
            finding(Rule::LegacyEncoding, Level::Note, "a"),
            finding(Rule::DuplicateId, Level::Warn, "a"),
            bad,
            broken("c", "x"),
            other.clone(),
            other,
        ];
        assert_eq!(
            report(Format::Github, &findings),
            "::error file=site/b%2Cc%3A 100%25.html,line=1,col=9,title=broken-link::nothing is \
             at x%0Aon 2 pages, first site/b,c: 100%25.html:1:9%0Ahelp: did you mean y?\n\
             ::error file=d,line=1,col=9,title=broken-link::nothing is at x%0A2 times on this \
             page\n\
             ::warning file=a,title=duplicate-id::it is wrong\n\
             ::notice file=a,title=legacy-encoding::it is wrong\n"
        );
        assert_eq!(report(Format::Github, &[]), "");
    }

    #[test]
    fn a_source_is_annotated_and_its_page_named() {
        let bad = with_source(broken("site/a.html", "x"));
        assert_eq!(
            report(Format::Github, &[bad]),
            "::error file=docs/a%2Cb.md,line=7,title=broken-link::nothing is at x%0Ain \
             site/a.html:1:9\n"
        );
    }

    #[test]
    fn what_is_not_listed_is_one_command() {
        let (rule, level) = (Rule::BrokenLink, Level::Error);
        let unlisted = vec![Unlisted { rule, level, count: 2 }];
        let audited = AuditReport { unlisted, ..AuditReport::default() };
        let mut out = Vec::new();
        write(&[], &Context::new(&audited), &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "::error title=absolve::not listed: 2 broken-link; raise --limit findings or \
             findings-size to list them\n"
        );
    }

    #[test]
    fn hostile_texts_stay_in_their_command() {
        let report = report(Format::Github, &[hostile()]);
        assert_harmless(&report);
        assert_eq!(report.lines().count(), 1);
        let (properties, text) =
            report.strip_prefix("::error file=").unwrap().split_once("::").unwrap();
        let names: Vec<_> =
            properties.split(',').map(|property| property.split_once('=')).collect();
        assert_eq!(
            names[1..],
            [Some(("line", "1")), Some(("col", "9")), Some(("title", "broken-link"))]
        );
        assert!(text.starts_with("=a\\nb\\r\\t\\u{1b}[31m\\u{202e}"), "{text}");
    }
}
