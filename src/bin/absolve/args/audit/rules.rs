//! Rules and their levels, as they are typed.

use std::ffi::OsStr;

use absolve::audit::{Level, Rule, UnknownLevel};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, ArgAction, Command};

use crate::args::nearest::nearest;
use crate::args::ordered::{in_order, options};

/// The levels that two options set, in the order of the command line: the last one of a rule
/// counts.
#[derive(Debug)]
pub(crate) struct RuleArgs {
    pub(crate) levels: Vec<(Rule, Level)>,
}

const RULE: &str = "rule";
const IGNORE_RULE: &str = "ignore-rule";

/// The name that selects every rule.
const ALL: &str = "all";

/// The rules that a name selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rules {
    All,
    One(Rule),
}

impl Rules {
    fn parse(name: &str) -> Result<Self, String> {
        if name == ALL { Ok(Self::All) } else { rule(name).map(Self::One) }
    }

    fn as_slice(&self) -> &[Rule] {
        match self {
            Self::All => Rule::ALL,
            Self::One(rule) => std::slice::from_ref(rule),
        }
    }
}

/// Parses one rule, and offers the names of all to shell completions.
#[derive(Clone)]
pub(super) struct RuleParser;

/// Parses rules by name, with `all` for every rule.
#[derive(Clone)]
struct RulesParser;

/// Parses rules and a level, as `broken-link=warn`.
#[derive(Clone)]
struct RuleLevelParser;

/// Implements a parser of values by a function, with the values that completions offer.
macro_rules! parser {
    ($name:ident, $value:ty, $parse:expr, $possible:expr) => {
        impl TypedValueParser for $name {
            type Value = $value;

            fn parse_ref(
                &self,
                command: &Command,
                arg: Option<&Arg>,
                value: &OsStr,
            ) -> Result<$value, clap::Error> {
                let parse: fn(&str) -> Result<$value, String> = $parse;
                TypedValueParser::parse_ref(&parse, command, arg, value)
            }

            fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
                Some(Box::new($possible))
            }
        }
    };
}

parser!(RuleParser, Rule, rule, possible_rules());
parser!(
    RulesParser,
    Rules,
    Rules::parse,
    possible_rules().chain([PossibleValue::new(ALL).help("Every rule")])
);
parser!(
    RuleLevelParser,
    (Rules, Level),
    rule_level,
    Rule::ALL.iter().map(|rule| rule.id()).chain([ALL]).flat_map(|id| {
        Level::ALL.iter().map(move |level| PossibleValue::new(format!("{id}={level}")))
    })
);

fn possible_rules() -> impl Iterator<Item = PossibleValue> {
    Rule::ALL.iter().map(|rule| PossibleValue::new(rule.id()).help(rule.summary()))
}

options!(
    RuleArgs,
    |command: Command| {
        let list = |id, value_name, help| {
            let arg = Arg::new(id).long(id).value_name(value_name).help(help);
            arg.action(ArgAction::Append).value_delimiter(',').hide_possible_values(true)
        };
        let help = "Set the level of a rule to off, note, warn or error; 'all' is every rule";
        command.arg(list(RULE, "ID=LEVEL,...", help).value_parser(RuleLevelParser)).arg(
            list(IGNORE_RULE, "ID,...", "Same as --rule ID=off")
                .value_parser(RulesParser.map(|rules| (rules, Level::Off))),
        )
    },
    |matches| {
        let set = in_order::<(Rules, Level)>(matches, &[RULE, IGNORE_RULE]);
        let of = |(rules, level): &(Rules, Level)| -> Vec<_> {
            rules.as_slice().iter().map(|&rule| (rule, *level)).collect()
        };
        RuleArgs { levels: set.iter().flat_map(of).collect() }
    }
);

fn rule_level(text: &str) -> Result<(Rules, Level), String> {
    let Some((id, level)) = text.split_once('=') else {
        return Err("expected a rule and a level, such as broken-link=warn".to_owned());
    };
    let level = level.parse().map_err(|unknown: UnknownLevel| unknown.to_string());
    Ok((Rules::parse(id)?, level?))
}

fn rule(id: &str) -> Result<Rule, String> {
    id.parse().map_err(|unknown: absolve::audit::UnknownRule| {
        match nearest(id, Rule::ALL.iter().map(|rule| rule.id())) {
            Some(near) => format!("no such rule, did you mean {near}? --list-rules prints them"),
            None => format!("{unknown}; --list-rules prints them"),
        }
    })
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};

    use super::*;

    fn parse(typed: &str) -> Vec<(Rule, Level)> {
        let command = RuleArgs::augment_args(Command::new("audit").no_binary_name(true));
        let matches = command.try_get_matches_from(typed.split_whitespace()).unwrap();
        RuleArgs::from_arg_matches(&matches).unwrap().levels
    }

    #[track_caller]
    fn levels(typed: &str, expected: &[(Rule, Level)]) {
        assert_eq!(parse(typed), expected, "{typed}");
    }

    #[test]
    fn levels_are_in_the_order_of_both_options() {
        let (link, id) = (Rule::BrokenLink, Rule::DuplicateId);
        levels("", &[]);
        levels(
            "--rule broken-link=warn --ignore-rule broken-link",
            &[(link, Level::Warn), (link, Level::Off)],
        );
        levels(
            "--ignore-rule broken-link --rule duplicate-id=note --rule broken-link=error",
            &[(link, Level::Off), (id, Level::Note), (link, Level::Error)],
        );
        levels(
            "--rule broken-link=warning,duplicate-id=note --ignore-rule broken-link,duplicate-id \
             --rule broken-link=error",
            &[
                (link, Level::Warn),
                (id, Level::Note),
                (link, Level::Off),
                (id, Level::Off),
                (link, Level::Error),
            ],
        );
    }

    #[test]
    fn all_is_every_rule() {
        for typed in ["--rule all=off --rule broken-link=error", "--ignore-rule all"] {
            let levels = parse(typed);
            let (all, rest) = levels.split_at(Rule::ALL.len());
            assert!(all.iter().map(|(rule, _)| rule).eq(Rule::ALL), "{typed}");
            assert!(all.iter().all(|(_, level)| *level == Level::Off), "{typed}");
            let kept = [(Rule::BrokenLink, Level::Error)];
            assert_eq!(rest, if typed.contains("error") { &kept[..] } else { &[] });
        }
    }

    #[test]
    fn completions_offer_what_is_parsed() {
        fn offered<P: TypedValueParser>(parser: &P) -> Vec<String> {
            let values = parser.possible_values().unwrap();
            values.map(|value| value.get_name().to_owned()).collect()
        }
        assert_eq!(offered(&RuleParser).len(), Rule::ALL.len());
        assert!(offered(&RuleParser).iter().all(|id| rule(id).is_ok()));
        assert!(offered(&RulesParser).iter().all(|id| Rules::parse(id).is_ok()));
        assert!(offered(&RuleLevelParser).iter().all(|text| rule_level(text).is_ok()));
        assert_eq!(offered(&RuleLevelParser).len(), (Rule::ALL.len() + 1) * Level::ALL.len());
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
