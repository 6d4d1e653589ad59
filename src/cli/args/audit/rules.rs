//! Rules and their levels, as they are typed.

use crate::audit::{Level, Rule, UnknownLevel};
use clap::builder::PossibleValue;

use crate::cli::args::choice::Parser;
use crate::cli::args::nearest::nearest;

/// The name that selects every rule.
const ALL: &str = "all";

/// Parses one rule.
pub(super) const RULE: Parser<Rule> = Parser { parse: rule, offered: || rules().collect() };

/// Parses a rule and a level, as `broken-link=warn`; without a rule for all of them.
pub(super) const RULE_LEVEL: Parser<(Option<Rule>, Level)> = Parser {
    parse: rule_level,
    offered: || {
        let ids = Rule::ALL.iter().map(|rule| rule.id()).chain([ALL]);
        let levels = |id| Level::ALL.iter().map(move |level| format!("{id}={level}"));
        ids.flat_map(levels).map(PossibleValue::new).collect()
    },
};

fn rules() -> impl Iterator<Item = PossibleValue> {
    Rule::ALL.iter().map(|rule| PossibleValue::new(rule.id()).help(rule.summary()))
}

fn rule_level(text: &str) -> Result<(Option<Rule>, Level), String> {
    let Some((id, level)) = text.split_once('=') else {
        return Err("expected a rule and a level, such as broken-link=warn".to_owned());
    };
    let level = level.parse().map_err(|unknown: UnknownLevel| unknown.to_string());
    let rule = if id == ALL { None } else { Some(rule(id)?) };
    Ok((rule, level?))
}

fn rule(id: &str) -> Result<Rule, String> {
    id.parse().map_err(|unknown: crate::audit::UnknownRule| {
        match nearest(id, Rule::ALL.iter().map(|rule| rule.id())) {
            Some(near) => format!("no such rule, did you mean {near}? --list-rules prints them"),
            None => format!("{unknown}; --list-rules prints them"),
        }
    })
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::cli::args::AuditArgs;

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
    fn completions_offer_what_is_parsed() {
        let names = |offered: Vec<PossibleValue>| {
            offered.iter().map(|value| value.get_name().to_owned()).collect::<Vec<_>>()
        };
        let (rules, levels) = (names((RULE.offered)()), names((RULE_LEVEL.offered)()));
        assert!(rules.iter().all(|id| rule(id).is_ok()) && rules.len() == Rule::ALL.len());
        assert!(levels.iter().all(|text| rule_level(text).is_ok()));
        assert_eq!(levels.len(), (Rule::ALL.len() + 1) * Level::ALL.len());
    }

    #[test]
    fn an_unknown_rule_is_named_with_the_nearest_one() {
        let refused = |text: &str, why: &str| assert_eq!(rule_level(text), Err(why.to_owned()));
        refused("broken-link", "expected a rule and a level, such as broken-link=warn");
        refused(
            "broken-links=warn",
            "no such rule, did you mean broken-link? --list-rules prints them",
        );
        refused("xyzzy=warn", "no such rule; --list-rules prints them");
        refused("broken-link=warm", "no such level, expected off, note, warn or error");
    }
}
