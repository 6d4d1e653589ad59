//! The arguments of `absolve audit`.
//!
//! The keys of `absolve.toml` are created from these options: a key takes the values of its option.

use std::path::{Path, PathBuf};

use absolve::option::{base_url, nearest};
use absolve::url::Base;
use absolve::{Diagnosis, Learn, Rewriter};
use absolve_files::Symlinks;
use absolve_site::report::SourceUrl;
use absolve_site::{
    Deployment, ForbiddenHost, InvalidAlias, Level, Profile, Rule, RuleGroup, Safety, UnknownLevel,
};
use clap::builder::PossibleValue;
use encoding_rs::Encoding;

use super::after_help;
use super::document::SAVED_FROM_CHOICES;
use super::format::{FormatArg, FormatParser};
use super::inputs::{ConfigArgs, GlobArgs};
use super::limits::{LimitArgs, parse_number_to};
use super::options::{IgnoredLinks, PageOptions};
use super::rewrite::{OldFileArgs, profile_parser};
use super::values::{Choice, choice, default_name, path};

use crate::args::values::FunctionParser;

#[derive(Debug, clap::Args)]
#[command(after_help = after_help::AUDIT.exit_codes, after_long_help = after_help::AUDIT.long())]
pub struct AuditArgs {
    /// Folder of the built site [default: path in absolve.toml]
    #[arg(value_name = "DIR", value_parser = path())]
    // A list, so that the error for more than one path is the audit's.
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub serving: ServingArgs,
    #[command(flatten)]
    pub checks: CheckArgs,
    #[command(flatten)]
    pub reporting: ReportingArgs,
    #[command(flatten)]
    pub fixing: FixArgs,
    #[command(flatten)]
    pub pages: PageArgs,
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// The server, and the URL that it serves the site at.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Site and server")]
pub struct ServingArgs {
    /// URL that the folder is served at
    ///
    /// Links below it are looked up in the folder.
    #[arg(short, long, alias = "base", value_name = "URL", value_parser = base_url)]
    pub base_url: Option<Base>,
    /// Another name of the host of --base-url, such as www.example.org
    #[arg(long, value_name = "HOST", value_parser = parse_alias)]
    pub alias: Vec<String>,
    /// Folder that is served, if DIR is only a part of it [default: DIR]
    #[arg(long, value_name = "DIR", value_parser = path())]
    pub root_dir: Option<PathBuf>,
    /// Server whose lookup rules apply
    #[arg(long, value_name = "NAME", value_parser = profile_parser(), default_value_t)]
    pub server: Profile,
    /// Names of index pages, instead of the server's
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = parse_file_name)]
    pub index: Vec<String>,
    /// Accept links that only some servers or scripts answer
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',', value_parser = choice(ACCEPTED))]
    pub accept: Vec<AcceptedLink>,
    /// Redirects file [default: the server's, if the root has it]
    #[arg(long, value_name = "FILE", value_parser = path())]
    pub redirects: Option<PathBuf>,
}

/// Links that only some servers or scripts answer, and that the audit accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptedLink {
    Extensionless,
    Case,
    AnchorRanges,
}

const ACCEPTED: &[Choice<AcceptedLink>] = &[
    Choice::new("extensionless", AcceptedLink::Extensionless, "'page' where there is page.html"),
    Choice::new(
        "case",
        AcceptedLink::Case,
        "File names in other letter case, which are still reported as case-mismatch",
    ),
    Choice::new("anchor-ranges", AcceptedLink::AnchorRanges, "#L1-L3 where there are #L1 and #L3"),
];

/// The rules, and further checks.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Rules")]
pub struct CheckArgs {
    /// Set the level of a rule to off, note, warn or error
    ///
    /// 'all' is every rule; 'base', 'rfc' and 'seo' are groups. The last setting of a rule counts.
    #[arg(long, value_name = "ID=LEVEL,...", value_delimiter = ',', value_parser = RULE_LEVEL_PARSER, hide_possible_values = true)]
    rule: Vec<(RuleSelection, Level)>,
    /// Explain a rule: reason, example and fix; of a group, or of 'all', list the rules
    #[arg(long, value_name = "RULE", value_parser = RULE_PARSER, hide_possible_values = true, conflicts_with = "print_config")]
    pub explain: Option<RuleSelection>,
    /// Check the URLs of this sitemap, and of those in robots.txt [default: sitemap.xml in the root]
    #[arg(long, value_name = "FILE", value_parser = path())]
    pub sitemap: Option<PathBuf>,
    /// Report external URLs by the answers of a link checker in this file
    ///
    /// It is the JSON of lychee or linkinator, or lines of a URL, a tab and a status.
    #[arg(long, value_name = "FILE", value_parser = path())]
    pub external_status: Option<PathBuf>,
    #[command(flatten)]
    pub ignore: IgnoredLinks,
    /// Report links to this host and its subdomains
    #[arg(long, value_name = "HOST", value_parser = ForbiddenHost::new)]
    pub forbid_host: Vec<ForbiddenHost>,
}

/// The reports, and the level that fails the run.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reports")]
pub struct ReportingArgs {
    /// Report format [default: text], and its file if not stdout
    ///
    /// In GitHub Actions, the default is github.
    #[arg(long, value_name = "NAME[=FILE]", value_parser = FormatParser)]
    pub format: Vec<FormatArg>,
    /// Lowest level that fails the run
    #[arg(long, value_name = "LEVEL", value_parser = choice(FAIL_ON), default_value = "error")]
    pub fail_on: FailOn,
    /// Do not report the findings that this file lists
    #[arg(long, value_name = "FILE", value_parser = path())]
    pub baseline: Option<PathBuf>,
    /// Write the findings to the baseline, with exit code 0
    #[arg(long)]
    pub write_baseline: bool,
    /// Append the totals of this run to this file, as a line of JSON
    #[arg(long, value_name = "FILE", value_parser = path())]
    pub history: Option<PathBuf>,
    /// Report only findings in these files, or with - in those of a list on stdin
    ///
    /// Names are paths from the current folder, of files of the site, checked against all of it,
    /// or of --sources. Other names are skipped with a note, and do not fail the run.
    #[arg(long, value_name = "FILE", value_parser = path(), num_args = 1..)]
    pub report_only: Vec<PathBuf>,
    /// Folder of the Markdown files that the site is built from
    ///
    /// Findings name file and line there.
    #[arg(long, value_name = "DIR", value_parser = path())]
    pub sources: Option<PathBuf>,
    /// URL of a source line with {file} and {line}, for links in the report page
    ///
    /// {file} is the path in the repository, with --sources that of the Markdown file.
    #[arg(long, value_name = "TEMPLATE")]
    pub source_url: Option<SourceUrl>,
    /// Version of the site, for the head of the report page [default: the commit of .git]
    #[arg(long, value_name = "TEXT")]
    pub revision: Option<String>,
}

impl ReportingArgs {
    /// Lists the files that the run may write: reports, the history and the baseline.
    pub fn output_files(&self) -> impl Iterator<Item = &Path> {
        let reports = self.format.iter().map(|arg| &arg.file);
        reports.chain([&self.history, &self.baseline]).filter_map(|file| file.as_deref())
    }
}

/// The fixes to apply.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Fixes")]
pub struct FixArgs {
    /// Apply in place the fixes that are certain
    ///
    /// They correct letter case, slashes, the path of --base-url, redirects, mailto: and anchors.
    #[arg(long)]
    pub fix: bool,
    /// With --fix: write nothing; print a diff, with exit code 1 unless empty
    #[arg(long)]
    pub diff: bool,
    /// With --fix: also use the only path that fits a missing one
    #[arg(long, requires = "fix")]
    pub unsafe_fixes: bool,
    #[command(flatten)]
    pub old_files: OldFileArgs<true>,
}

impl CheckArgs {
    /// Lists the levels that were set, in the order of the command line. The last level of a rule
    /// wins.
    pub fn levels(&self) -> impl Iterator<Item = (Rule, Level)> {
        self.rule.iter().flat_map(|&(selected, level)| {
            let rules = Rule::ALL.iter().filter(move |rule| selected.selects(**rule));
            rules.map(move |&rule| (rule, level))
        })
    }
}

impl FixArgs {
    /// Whether the fixes are written to the files.
    pub fn writes_files(&self) -> bool {
        self.fix && !self.diff
    }

    /// Returns the certainty that a fix needs.
    pub fn safety(&self) -> Safety {
        if self.unsafe_fixes { Safety::Unsafe } else { Safety::Safe }
    }
}

/// The options that select pages.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Pages")]
pub struct PageArgs {
    #[command(flatten)]
    pub globs: GlobArgs,
    /// Do not fail if there is no page
    #[arg(long)]
    pub allow_empty: bool,
    /// Also audit pages that symbolic links point to
    ///
    /// They are link targets either way.
    #[arg(long)]
    follow_symlinks: bool,
    /// Number of threads, at most 256; 0 means one per core
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = parse_number_to::<256>)]
    pub jobs: usize,
}

/// The options for reading pages.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading pages")]
pub struct ReadingArgs {
    #[command(flatten)]
    pub options: PageOptions,
    /// Whether to ignore the <base href="."> that a browser added when it saved the page
    #[arg(
        long,
        value_name = "NAME",
        value_parser = choice(SAVED_FROM_CHOICES),
        default_value = default_name(SAVED_FROM_CHOICES)
    )]
    learn: Learn,
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// The lowest level that fails the run; `None` for `never`. The alias keeps clap from taking
/// `Option` for an optional argument.
type FailOn = Option<Level>;

const FAIL_ON: &[Choice<FailOn>] = &[
    Choice::new("error", Some(Level::Error), ""),
    Choice::new("warn", Some(Level::Warn), "").alias("warning"),
    Choice::new("note", Some(Level::Note), ""),
    Choice::new("never", None, ""),
];

impl PageArgs {
    pub fn symlinks(&self) -> Symlinks {
        if self.follow_symlinks { Symlinks::Followed } else { Symlinks::Kept }
    }
}

impl ReadingArgs {
    /// Returns the rewriter that reads and resolves pages.
    pub fn rewriter(&self) -> Rewriter {
        self.options.rewriter().learn(self.learn).limits(self.limits.documents)
    }

    /// Returns the encoding of pages without a declaration.
    pub fn encoding(&self) -> Option<&'static Encoding> {
        self.options.rewriter().settings().encoding
    }
}

fn parse_alias(host: &str) -> Result<String, InvalidAlias> {
    Deployment::default().with_alias(host)?;
    Ok(host.to_owned())
}

fn parse_file_name(name: &str) -> Result<String, &'static str> {
    if name.is_empty() || name.contains('/') {
        return Err("expected the name of a file such as index.html");
    }
    Ok(name.to_owned())
}

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
    pub fn selects(self, rule: Rule) -> bool {
        match self {
            Self::All => true,
            Self::Group(group) => rule.group() == Some(group),
            Self::One(selected) => rule == selected,
        }
    }
}

/// Parses a rule, a group or `all`.
const RULE_PARSER: FunctionParser<RuleSelection> = FunctionParser {
    parse: parse_selection,
    list_values: || {
        let others = RuleGroup::ALL.iter().map(|group| group.name()).chain([ALL]);
        list_rule_values().chain(others.map(PossibleValue::new)).collect()
    },
};

/// Parses a rule, a group or `all`, and a level, such as `broken-link=warn`.
const RULE_LEVEL_PARSER: FunctionParser<(RuleSelection, Level)> = FunctionParser {
    parse: parse_rule_level,
    list_values: || {
        let levels = |id| Level::ALL.iter().map(move |level| format!("{id}={level}"));
        list_selection_names().flat_map(levels).map(PossibleValue::new).collect()
    },
};

fn list_rule_values() -> impl Iterator<Item = PossibleValue> {
    Rule::ALL.iter().map(|rule| PossibleValue::new(rule.id()).help(rule.summary()))
}

fn parse_rule_level(text: &str) -> Result<(RuleSelection, Level), Diagnosis> {
    let Some((id, level)) = text.split_once('=') else {
        return Err(Diagnosis::new("expected a rule and a level, such as broken-link=warn"));
    };
    let level = level.parse().map_err(|unknown: UnknownLevel| Diagnosis::new(unknown.to_string()));
    Ok((parse_selection(id)?, level?))
}

fn parse_selection(id: &str) -> Result<RuleSelection, Diagnosis> {
    Ok(match id.parse() {
        _ if id == ALL => RuleSelection::All,
        Ok(group) => RuleSelection::Group(group),
        Err(_) => RuleSelection::One(id.parse().map_err(|_| unknown_rule_error(id))?),
    })
}

/// Lists the names that select rules.
fn list_selection_names() -> impl Iterator<Item = &'static str> {
    let groups = RuleGroup::ALL.iter().map(|group| group.name());
    Rule::ALL.iter().map(|rule| rule.id()).chain(groups).chain([ALL])
}

/// Creates the error for a name that selects no rule, with the nearest name.
fn unknown_rule_error(id: &str) -> Diagnosis {
    let problem = match nearest(id, list_selection_names()) {
        Some(near) => format!("no such rule, did you mean {near}?"),
        None => "no such rule;".to_owned(),
    };
    // `from_words` replaces `{explain}` by the option's name, and `{}` by the problem.
    Diagnosis::from_words("{} {explain} all lists them", &[&problem])
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
        let (rules, levels) =
            (names((RULE_PARSER.list_values)()), names((RULE_LEVEL_PARSER.list_values)()));
        assert!(rules.iter().all(|id| parse_selection(id).is_ok()));
        assert!(levels.iter().all(|text| parse_rule_level(text).is_ok()));
        let names = Rule::ALL.len() + RuleGroup::ALL.len() + 1;
        assert_eq!((rules.len(), levels.len()), (names, names * Level::ALL.len()));
    }

    #[test]
    fn an_unknown_rule_is_named_with_the_nearest_one() {
        let refused = |text: &str, why: &str| {
            assert_eq!(parse_rule_level(text).unwrap_err().to_string(), why);
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
