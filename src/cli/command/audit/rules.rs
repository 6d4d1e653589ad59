//! `--list-rules` and `--explain`.

use std::io::{self, Write};

use crate::audit::{Explanation, Level, Rule, RuleGroup};

use crate::cli::session::failure::Failure;
use crate::cli::session::output::to_stdout;
use crate::cli::session::status::Status;
use crate::cli::terminal::{TEXT_WIDTH, wrapped};

pub(super) fn list() -> Result<Status, Failure> {
    to_stdout(write_list)?;
    Ok(Status::Done)
}

pub(super) fn explain(rule: Rule) -> Result<Status, Failure> {
    to_stdout(|out| write_explanation(rule, out))?;
    Ok(Status::Done)
}

/// Writes the rules under their levels, the worst first, then the groups of rules.
fn write_list(out: &mut dyn Write) -> io::Result<()> {
    let width = Rule::ALL.iter().map(|rule| rule.id().len()).max().unwrap_or(0);
    for (number, &level) in Level::ALL.iter().rev().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        let unless = if level == Level::Off { " (unless enabled)" } else { "" };
        writeln!(out, "{level}{unless}:")?;
        for rule in Rule::ALL.iter().filter(|rule| rule.level() == level) {
            writeln!(out, "  {rule:width$}  {}", rule.summary())?;
        }
    }
    writeln!(out, "\ngroups:")?;
    for group in RuleGroup::ALL {
        let rules: Vec<&str> = group.rules().map(Rule::id).collect();
        writeln!(out, "  {group:width$}  {}", rules.join(", "))?;
    }
    Ok(())
}

fn write_explanation(rule: Rule, out: &mut dyn Write) -> io::Result<()> {
    const INDENT: &str = "         ";
    let Explanation { reason, example, fix, .. } = rule.explanation();
    writeln!(out, "{rule} ({}): {}\n", rule.level(), rule.summary())?;
    for (name, text) in [("Reason", reason), ("Example", example), ("Fix", fix)] {
        let name = format!("{name}:");
        let lines = wrapped(text, TEXT_WIDTH - INDENT.len()).join(&format!("\n{INDENT}"));
        writeln!(out, "{name:9}{lines}")?;
    }
    if let Some(group) = rule.group() {
        writeln!(out, "Group:   {group}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_listed_once() {
        let mut out = Vec::new();
        write_list(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for rule in Rule::ALL {
            assert_eq!(text.matches(&format!("\n  {rule} ")).count(), 1, "{rule}");
        }
    }
}
