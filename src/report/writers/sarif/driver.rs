//! The tool of a SARIF report, with its rules.

use serde::Serialize;

use super::property::{Text, level_name};
use crate::audit::{Level, Rule};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    rules: Vec<Descriptor>,
}

/// A rule.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Text<&'static str>,
    full_description: Text<&'static str>,
    help: Help,
    default_configuration: Configuration,
    properties: Properties,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
    enabled: bool,
}

#[derive(Serialize)]
struct Properties {
    tags: [&'static str; 1],
    precision: &'static str,
    #[serde(rename = "problem.severity")]
    severity: &'static str,
}

impl Driver {
    pub(super) fn new() -> Self {
        Self {
            name: "absolve",
            version: env!("CARGO_PKG_VERSION"),
            semantic_version: env!("CARGO_PKG_VERSION"),
            rules: Rule::ALL.iter().map(|&rule| Descriptor::new(rule)).collect(),
        }
    }
}

impl Descriptor {
    fn new(rule: Rule) -> Self {
        let explanation = rule.explanation();
        let (reason, example, fix) = (explanation.reason, explanation.example, explanation.fix);
        // A fence longer than any run of ticks in the example.
        let fence = "`".repeat(longest_run(example, '`').max(2) + 1);
        let severity = match rule.level() {
            Level::Error => "error",
            Level::Warn => "warning",
            _ => "recommendation",
        };
        Self {
            id: rule.id(),
            short_description: Text { text: rule.summary() },
            full_description: Text { text: reason },
            help: Help {
                text: format!("{reason}\n\nExample:\n{example}\n\nFix: {fix}"),
                markdown: format!(
                    "{reason}\n\n**Example**\n\n{fence}\n{example}\n{fence}\n\n**Fix**: {fix}"
                ),
            },
            default_configuration: Configuration {
                level: level_name(rule.level()),
                enabled: rule.level() != Level::Off,
            },
            properties: Properties { tags: ["links"], precision: "very-high", severity },
        }
    }
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or_default()
}
