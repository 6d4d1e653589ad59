//! Rules and their levels, as they are typed.

use absolve::audit::{Level, Rule};
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use crate::output::nearest;

/// Levels in the order in which they are typed, by two options: the last one of a rule
/// counts.
#[derive(Debug)]
pub(super) struct RuleArgs {
    in_order: Vec<(Rule, Level)>,
}

impl RuleArgs {
    pub(super) fn levels(&self) -> &[(Rule, Level)] {
        &self.in_order
    }
}

const RULE: &str = "rule";
const IGNORE_RULE: &str = "ignore-rule";

impl clap::Args for RuleArgs {
    fn augment_args(command: Command) -> Command {
        let rule_level = Arg::new(RULE)
            .long(RULE)
            .value_name("ID=LEVEL")
            .help("Give a rule a level: off, note, warn or error")
            .value_parser(rule_level)
            .action(ArgAction::Append);
        let ignored = Arg::new(IGNORE_RULE)
            .long(IGNORE_RULE)
            .value_name("ID")
            .help("The same as --rule ID=off")
            .value_parser(rule)
            .action(ArgAction::Append);
        command.arg(rule_level).arg(ignored)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RuleArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let places = |id| matches.indices_of(id).into_iter().flatten();
        let levels = matches.get_many::<(Rule, Level)>(RULE).into_iter().flatten().copied();
        let ignored = matches.get_many::<Rule>(IGNORE_RULE).into_iter().flatten();
        let ignored = ignored.map(|rule| (*rule, Level::Off));
        let mut found: Vec<_> =
            places(RULE).zip(levels).chain(places(IGNORE_RULE).zip(ignored)).collect();
        found.sort_by_key(|(place, _)| *place);
        Ok(Self { in_order: found.into_iter().map(|(_, level)| level).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn rule_level(text: &str) -> Result<(Rule, Level), String> {
    let Some((id, level)) = text.split_once('=') else {
        return Err("expected a rule and a level, such as broken-link=warn".to_owned());
    };
    let level = level.parse().map_err(|unknown: absolve::audit::UnknownLevel| unknown.to_string());
    Ok((rule(id)?, level?))
}

pub(super) fn rule(id: &str) -> Result<Rule, String> {
    id.parse().map_err(|unknown: absolve::audit::UnknownRule| {
        match nearest(id, Rule::ALL.iter().map(|rule| rule.id())) {
            Some(near) => format!("no such rule, did you mean {near}? --list-rules prints them"),
            None => unknown.to_string(),
        }
    })
}

#[cfg(test)]
mod tests {
    use clap::Args;

    use super::*;

    #[track_caller]
    fn levels(typed: &str, expected: &[(Rule, Level)]) {
        let command = RuleArgs::augment_args(Command::new("audit").no_binary_name(true));
        let matches = command.try_get_matches_from(typed.split_whitespace()).unwrap();
        assert_eq!(RuleArgs::from_arg_matches(&matches).unwrap().levels(), expected, "{typed}");
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
    }

    #[test]
    fn what_is_no_rule_is_told_with_the_near_one() {
        let told = |text: &str, why: &str| assert_eq!(rule_level(text), Err(why.to_owned()));
        told("broken-link", "expected a rule and a level, such as broken-link=warn");
        told(
            "broken-links=warn",
            "no such rule, did you mean broken-link? --list-rules prints them",
        );
        told("xyzzy=warn", "no such rule; --list-rules prints them");
        told("broken-link=warning", "no such level, expected off, note, warn or error");
    }
}
