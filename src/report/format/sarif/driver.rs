//! The tool of a SARIF report, with its rules.

use serde_json::{Value, json};

use crate::audit::{Explanation, Level, Rule};
use crate::report::view;

/// Where the pages of the rules are; a build from sources without an owner links to no page.
const REPOSITORY: Option<&str> = option_env!("ABSOLVE_REPOSITORY");

/// The tool, as the [driver] of a run.
///
/// [driver]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317529
pub(super) fn driver() -> Value {
    json!({
        "name": "absolve",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": Rule::ALL.iter().copied().map(descriptor).collect::<Vec<_>>(),
    })
}

/// A rule.
fn descriptor(rule: Rule) -> Value {
    let Explanation { reason, example, fix, .. } = rule.explanation();
    // A fence longer than any run of ticks in the example.
    let longest = example.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let severity = match rule.level() {
        Level::Error => "error",
        Level::Warn => "warning",
        _ => "recommendation",
    };
    let markdown =
        format!("{reason}\n\n**Example**\n\n{fence}\n{example}\n{fence}\n\n**Fix**: {fix}");
    let mut descriptor = json!({
        "id": rule.id(),
        "shortDescription": { "text": rule.summary() },
        "fullDescription": { "text": reason },
        "help": {
            "text": format!("{reason}\n\nExample:\n{example}\n\nFix: {fix}"),
            "markdown": markdown,
        },
        "defaultConfiguration": {
            "level": level_name(rule.level()),
            "enabled": rule.level() != Level::Off,
        },
        "properties": {
            "tags": ["links"],
            "precision": "very-high",
            "problem.severity": severity,
        },
    });
    if let Some(repository) = REPOSITORY {
        descriptor["helpUri"] = format!("{repository}/blob/main/docs/rules/{rule}.md").into();
    }
    descriptor
}

pub(super) fn level_name(level: Level) -> &'static str {
    match level {
        Level::Off => "none",
        _ => view::level(level),
    }
}
