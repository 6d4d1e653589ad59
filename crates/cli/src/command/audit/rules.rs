//! `--explain`: explains a rule, or lists rules.

use std::io::{self, Write};

use absolve_site::report::display::wrapped;
use absolve_site::{Explanation, Level, Rule, RuleGroup};

use crate::args::RuleSelection;
use crate::session::failure::{Failure, Status};
use crate::session::output::write_to_stdout;
use crate::terminal::{TEXT_WIDTH, stdout_columns};

/// Explains the rule of a selection, or lists its rules.
pub(super) fn explain(selection: RuleSelection) -> Result<Status, Failure> {
    write_to_stdout(|out| match selection {
        RuleSelection::One(rule) => write_explanation(rule, out),
        RuleSelection::Group(_) => write_rules(|rule| selection.selects(rule), out),
        RuleSelection::All => write_list(out),
    })?;
    Ok(Status::Done)
}

/// Writes all rules, then the groups of rules.
fn write_list(out: &mut dyn Write) -> io::Result<()> {
    write_rules(|_| true, out)?;
    writeln!(out, "\ngroups:")?;
    let width = measure_names();
    for group in RuleGroup::ALL {
        let rules: Vec<&str> = group.rules().map(Rule::id).collect();
        writeln!(out, "  {group:width$}  {}", rules.join(", "))?;
    }
    Ok(())
}

/// Writes the selected rules under their levels, the worst first.
fn write_rules(is_listed: impl Fn(Rule) -> bool, out: &mut dyn Write) -> io::Result<()> {
    let (width, mut separator) = (measure_names(), "");
    for &level in Level::ALL.iter().rev() {
        let rules = Rule::ALL.iter().filter(|rule| rule.level() == level && is_listed(**rule));
        let mut rules = rules.peekable();
        if rules.peek().is_none() {
            continue;
        }
        let note = if level == Level::Off { " (unless enabled)" } else { "" };
        writeln!(out, "{separator}{level}{note}:")?;
        separator = "\n";
        for rule in rules {
            writeln!(out, "  {rule:width$}  {}", rule.summary())?;
        }
    }
    Ok(())
}

/// Returns the width of the longest name of a rule.
fn measure_names() -> usize {
    Rule::ALL.iter().map(|rule| rule.id().len()).max().unwrap_or(0)
}

fn write_explanation(rule: Rule, out: &mut dyn Write) -> io::Result<()> {
    let width = TEXT_WIDTH.min(stdout_columns());
    let Explanation { reason, example, fix, .. } = rule.explanation();
    writeln!(out, "{rule} ({}): {}\n", rule.level(), rule.summary())?;
    for (name, text) in [("Reason", reason), ("Example", example), ("Fix", fix)] {
        let line = format!("{:9}{text}", format!("{name}:"));
        writeln!(out, "{}", wrapped(&line, width, 9))?;
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
