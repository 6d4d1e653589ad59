//! The pages of docs/rules/, one a rule, made from the table that `audit --explain` prints.
//! `RULE_PAGES=overwrite cargo test --test it docs::rules` writes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use absolve_site::{Level, Rule, RuleGroup};

use super::{files, read, root};

#[test]
fn each_rule_has_its_page() {
    let folder = root().join("docs/rules");
    let mut wanted: BTreeMap<PathBuf, String> =
        Rule::ALL.iter().map(|&rule| (folder.join(format!("{rule}.md")), page(rule))).collect();
    wanted.insert(folder.join("README.md"), index());
    if std::env::var("RULE_PAGES").is_ok_and(|value| value == "overwrite") {
        fs::create_dir_all(&folder).unwrap();
        for (path, text) in &wanted {
            fs::write(path, text).unwrap();
        }
    }
    let there = files(&folder, "md");
    assert_eq!(there, wanted.keys().cloned().collect::<Vec<_>>());
    for (path, text) in wanted {
        let hint = "RULE_PAGES=overwrite cargo test --test it docs::rules";
        assert_eq!(read(&path), text, "{}: {hint}", path.display());
    }
}

/// The page of a rule.
fn page(rule: Rule) -> String {
    let explanation = rule.explanation();
    let level = rule.level();
    let group = rule.group().map(|group| format!(" Its [group](README.md#groups) is `{group}`."));
    let enabled = if level == Level::Off { Level::Warn } else { Level::Off };
    format!(
        "# {rule}\n\n{}. The level is `{level}` by default.{}\n\n**Reason:** {}\n\n**Example:**\n\n\
         ```text\n{}\n```\n\n**Fix:** {}\n\nTo change its level:\n\n```console\n$ absolve audit docs/examples/site --rule {rule}={enabled}\n```\n\n\
         [All rules](README.md) · [Auditing a site](../audit.md)\n",
        sentence(rule.summary()),
        group.unwrap_or_default(),
        escaped(explanation.reason),
        explanation.example,
        escaped(explanation.fix),
    )
}

/// The table of all pages, the worst rules first.
fn index() -> String {
    let mut text = String::from(
        "# Rules\n\n`absolve audit --explain all` lists these rules, and `--explain RULE` prints what a rule's page \
         says.\n[Auditing a site](../audit.md#rules) says how to set levels and to ignore links.\n\n\
         | rule | level | finds |\n|---|---|---|\n",
    );
    for level in Level::ALL.iter().rev() {
        for rule in Rule::ALL.iter().filter(|rule| rule.level() == *level) {
            let _ =
                writeln!(text, "| [{rule}]({rule}.md) | {level} | {} |", escaped(rule.summary()));
        }
    }
    text += "\n## Groups\n\n`--rule GROUP=LEVEL` sets all rules of a group, as in `--rule seo=off`. The last \
             setting of a rule counts.\n\n| group | rules |\n|---|---|\n";
    for group in RuleGroup::ALL {
        let rules: Vec<_> = group.rules().map(|rule| format!("[{rule}]({rule}.md)")).collect();
        let _ = writeln!(text, "| `{group}` | {} |", rules.join(", "));
    }
    text
}

/// A summary as the beginning of a sentence; names of code stay as they are.
fn sentence(summary: &str) -> String {
    let mut letters = summary.chars();
    let first = letters.next().unwrap_or_default();
    escaped(&if summary.starts_with("hreflang") {
        summary.to_owned()
    } else {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Text without the characters that Markdown reads as markup.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if matches!(c, '<' | '*' | '_' | '[' | '`' | '\\' | '|') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
