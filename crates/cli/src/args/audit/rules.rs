//! Rules and their levels, as they are typed.

use absolve::Diagnosis;
use absolve::option::nearest;
use absolve_site::{Level, Rule, RuleGroup, UnknownLevel};
use clap::builder::PossibleValue;

use crate::args::choice::Parser;

/// The name that selects every rule.
const ALL: &str = "all";

/// The rules that one name selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleSelection {
    All,
    Group(RuleGroup),
    One(Rule),
}

impl RuleSelection {
    pub fn has(self, rule: Rule) -> bool {
        match self {
            Self::All => true,
            Self::Group(group) => rule.group() == Some(group),
            Self::One(one) => rule == one,
        }
    }
}

/// Parses a rule, a group or `all`.
pub(super) const RULE: Parser<RuleSelection> = Parser {
    parse: selection,
    offered: || {
        let others = RuleGroup::ALL.iter().map(|group| group.name()).chain([ALL]);
        rules().chain(others.map(PossibleValue::new)).collect()
    },
};

/// Parses a rule, a group or `all`, and a level, as `broken-link=warn`.
pub(super) const RULE_LEVEL: Parser<(RuleSelection, Level)> = Parser {
    parse: rule_level,
    offered: || {
        let levels = |id| Level::ALL.iter().map(move |level| format!("{id}={level}"));
        selecting().flat_map(levels).map(PossibleValue::new).collect()
    },
};

fn rules() -> impl Iterator<Item = PossibleValue> {
    Rule::ALL.iter().map(|rule| PossibleValue::new(rule.id()).help(rule.summary()))
}

fn rule_level(text: &str) -> Result<(RuleSelection, Level), Diagnosis> {
    let Some((id, level)) = text.split_once('=') else {
        return Err(Diagnosis::new("expected a rule and a level, such as broken-link=warn"));
    };
    let level = level.parse().map_err(|unknown: UnknownLevel| Diagnosis::new(unknown.to_string()));
    Ok((selection(id)?, level?))
}

fn selection(id: &str) -> Result<RuleSelection, Diagnosis> {
    Ok(match id.parse() {
        _ if id == ALL => RuleSelection::All,
        Ok(group) => RuleSelection::Group(group),
        Err(_) => RuleSelection::One(id.parse().map_err(|_| unknown(id))?),
    })
}

/// The names that select rules.
fn selecting() -> impl Iterator<Item = &'static str> {
    let groups = RuleGroup::ALL.iter().map(|group| group.name());
    Rule::ALL.iter().map(|rule| rule.id()).chain(groups).chain([ALL])
}

/// The message of a name that selects no rule.
fn unknown(id: &str) -> Diagnosis {
    let what = match nearest(id, selecting()) {
        Some(near) => format!("no such rule, did you mean {near}?"),
        None => "no such rule;".to_owned(),
    };
    Diagnosis::from_words("{} {explain} all lists them", &[&what])
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::args::AuditArgs;

    fn parse(typed: &str) -> Vec<(Rule, Level)> {
        let command = AuditArgs::augment_args(Command::new("audit").no_binary_name(true));
        let matches = command.try_get_matches_from(typed.split_whitespace()).unwrap();
        AuditArgs::from_arg_matches(&matches).unwrap().checks.levels().collect()
    }

    #[test]
    fn levels_are_in_the_order_of_the_command_line() {
        let (link, id) = (Rule::BrokenLink, Rule::DuplicateId);
        assert_eq!(parse(""), []);
        assert_eq!(
            parse("--rule broken-link=warning,duplicate-id=note --rule broken-link=off"),
            [(link, Level::Warn), (id, Level::Note), (link, Level::Off)],
        );
    }

    #[test]
    fn all_is_every_rule() {
        let levels = parse("--rule all=off --rule broken-link=error");
        let (all, rest) = levels.split_at(Rule::ALL.len());
        assert!(all.iter().map(|(rule, _)| rule).eq(Rule::ALL));
        assert!(all.iter().all(|(_, level)| *level == Level::Off));
        assert_eq!(rest, [(Rule::BrokenLink, Level::Error)]);
    }

    #[test]
    fn the_last_setting_of_a_rule_counts_also_in_a_group() {
        let set = |typed: &str, rule: Rule| {
            parse(typed).into_iter().rfind(|(one, _)| *one == rule).map(|(_, level)| level)
        };
        let typed = "--rule seo=off,broken-canonical=error";
        assert_eq!(set(typed, Rule::BrokenCanonical), Some(Level::Error));
        assert_eq!(set(typed, Rule::InvalidHreflang), Some(Level::Off));
        assert_eq!(set(typed, Rule::BrokenLink), None);
        let typed = "--rule broken-canonical=error,seo=off";
        assert_eq!(set(typed, Rule::BrokenCanonical), Some(Level::Off));
    }

    #[test]
    fn completions_offer_what_is_parsed() {
        let names = |offered: Vec<PossibleValue>| {
            offered.iter().map(|value| value.get_name().to_owned()).collect::<Vec<_>>()
        };
        let (rules, levels) = (names((RULE.offered)()), names((RULE_LEVEL.offered)()));
        assert!(rules.iter().all(|id| selection(id).is_ok()));
        assert!(levels.iter().all(|text| rule_level(text).is_ok()));
        let names = Rule::ALL.len() + RuleGroup::ALL.len() + 1;
        assert_eq!((rules.len(), levels.len()), (names, names * Level::ALL.len()));
    }

    #[test]
    fn an_unknown_rule_is_named_with_the_nearest_one() {
        let refused = |text: &str, why: &str| {
            assert_eq!(rule_level(text).unwrap_err().to_string(), why);
        };
        refused("broken-link", "expected a rule and a level, such as broken-link=warn");
        refused(
            "broken-links=warn",
            "no such rule, did you mean broken-link? --explain all lists them",
        );
        refused("sea=off", "no such rule, did you mean seo? --explain all lists them");
        refused("xyzzy=warn", "no such rule; --explain all lists them");
        refused("broken-link=warm", "no such level, expected off, note, warn or error");
    }
}
