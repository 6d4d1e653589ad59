//! The arguments of `absolve audit`, as they are typed.
//!
//! The keys of `absolve.toml` are made from these options: a key takes the values of its option.

mod rules;

use std::path::PathBuf;

use absolve::audit::{
    Audit, Deployment, InvalidAlias, Level, LinkPattern, MAX_FINDINGS, MAX_FINDINGS_SIZE, Profile,
    Rule, Safety,
};
use absolve::batch::{InvalidGlob, Symlinks};
use absolve::encoding::for_label;
use absolve::url::{Base, Standard};
use absolve::{BaseScope, Rewriter};
use clap::builder::TypedValueParser;
use encoding_rs::Encoding;

use super::base_url::{SCOPES, base};
use super::choice::{Choice, choice, named};
use super::config::{CONFIGURATION, ConfigArgs};
use super::document::{label, standard};
use super::examples;
use super::format::{FormatArg, FormatParser};
use super::inputs::GlobArgs;
use super::learn::MarkArgs;
use super::limits::{LimitArgs, in_units, number, number_to, size};
use super::records::RecordArgs;
use super::selection::SelectionArgs;
use super::writing::suffix;
use rules::{RuleArgs, RuleParser};

const EXIT_CODES: &str = "Exit codes: 0 no finding at the level of --fail-on or above; 1 findings; \
    2 usage, configuration or I/O error; 128 + n signal n.";

fn below() -> String {
    format!("{CONFIGURATION}\n\n{EXIT_CODES}")
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES, after_long_help = examples::help(examples::AUDIT, &below()))]
pub(crate) struct AuditArgs {
    /// Folder of the built site, or a message, web archive or book [default: path in absolve.toml]
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) serving: ServingArgs,
    #[command(flatten)]
    pub(crate) checks: CheckArgs,
    #[command(flatten)]
    pub(crate) reporting: ReportingArgs,
    #[command(flatten)]
    pub(crate) fixing: FixArgs,
    #[command(flatten)]
    pub(crate) pages: PageArgs,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Where and how the site is served.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Site and server")]
pub(crate) struct ServingArgs {
    /// URL that the folder is served at; links below it are looked up in the folder
    #[arg(short, long, alias = "base", value_name = "URL", value_parser = base)]
    pub(crate) base_url: Option<Base>,
    /// Another name of that host, such as www.example.org
    #[arg(long, value_name = "HOST", value_parser = alias)]
    pub(crate) alias: Vec<String>,
    /// Folder that is served, if DIR is only a part of it [default: DIR]
    #[arg(long, value_name = "DIR")]
    pub(crate) root_dir: Option<PathBuf>,
    /// Server whose lookup rules apply
    #[arg(long, value_name = "NAME", value_parser = profile(), default_value_t)]
    pub(crate) server: Profile,
    /// Names of index pages, instead of the server's
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = file_name)]
    pub(crate) index: Vec<String>,
    /// Serve page.html for 'page'
    #[arg(long)]
    pub(crate) extensionless: bool,
    /// Ignore letter case in file names
    #[arg(long)]
    pub(crate) ignore_case: bool,
    /// Redirects file [default: the server's, if the root has it]
    #[arg(long, value_name = "FILE")]
    pub(crate) redirects: Option<PathBuf>,
}

/// The rules, and further checks.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Rules")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
    /// Print all rules, one per line
    #[arg(long, conflicts_with = "print_config")]
    pub(crate) list_rules: bool,
    /// Explain a rule: reason, example and fix
    #[arg(long, value_name = "RULE", value_parser = RuleParser, hide_possible_values = true, conflicts_with = "print_config")]
    pub(crate) explain: Option<Rule>,
    /// Accept #1-3 if #1 and #3 exist
    #[arg(long)]
    pub(crate) anchor_ranges: bool,
    /// Check the URLs of this sitemap; default: sitemap.xml in the root
    #[arg(long, value_name = "FILE")]
    pub(crate) sitemap: Option<PathBuf>,
    /// Maximum number of findings per page; 0 means no limit
    #[arg(long, value_name = "N", value_parser = number::<usize>, default_value_t = MAX_FINDINGS)]
    pub(crate) max_findings: usize,
    /// Memory for all findings, in bytes; the report counts the rest by rule; 0 means no limit
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = in_units(MAX_FINDINGS_SIZE as u64))]
    pub(crate) max_findings_size: usize,
    /// Ignore links whose reference or URL matches; * matches anything
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub(crate) ignore_link: Vec<LinkPattern>,
}

/// What is reported, and what fails.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reports")]
pub(crate) struct ReportingArgs {
    /// Report format [default: text; github in GitHub Actions], and its file if not stdout
    #[arg(long, value_name = "NAME[=FILE]", value_parser = FormatParser)]
    pub(crate) format: Vec<FormatArg>,
    /// Lowest level that fails the run
    #[arg(long, value_name = "LEVEL", value_parser = choice(FAIL_ON), default_value = "error")]
    pub(crate) fail_on: FailOn,
    /// Do not report the findings that this file lists
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the findings to the baseline, with exit code 0
    #[arg(long)]
    pub(crate) write_baseline: bool,
    /// Append the totals of this run to this file, as a line of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) history: Option<PathBuf>,
    /// Report only findings in these files, checked against the whole site; after DIR
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) report_only: Vec<PathBuf>,
    /// Folder of the Markdown files that the site is built from; findings name file and line there
    #[arg(long, value_name = "DIR")]
    pub(crate) sources: Option<PathBuf>,
}

/// What is fixed.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Fixes")]
pub(crate) struct FixArgs {
    /// Fix in place what is certain: letter case, slashes, redirects, mailto:, anchors
    #[arg(long)]
    pub(crate) fix: bool,
    /// With --fix: write nothing, and print a unified diff, with exit code 1 if it is not empty
    #[arg(long)]
    pub(crate) diff: bool,
    /// With --fix: also use the only name that differs in one letter
    #[arg(long, requires = "fix")]
    pub(crate) unsafe_fixes: bool,
    /// With --fix: keep each old file, with this suffix added to its name [default: .orig]
    #[arg(
        long,
        value_name = "SUFFIX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ".orig",
        value_parser = suffix,
        requires = "fix",
    )]
    pub(crate) backup: Option<String>,
}

impl FixArgs {
    /// Whether files are written.
    pub(crate) fn writes(&self) -> bool {
        self.fix && !self.diff
    }

    /// How certain a fix has to be.
    pub(crate) fn safety(&self) -> Safety {
        if self.unsafe_fixes { Safety::Unsafe } else { Safety::Safe }
    }
}

/// Which files are pages.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Pages")]
pub(crate) struct PageArgs {
    #[command(flatten)]
    pub(crate) globs: GlobArgs,
    /// Do not fail if there is no page
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Also audit pages that symbolic links point to; they are link targets either way
    #[arg(long)]
    follow_symlinks: bool,
    /// Number of threads, at most 256; 0 means one per core
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = number_to::<256>)]
    pub(crate) jobs: usize,
}

/// How pages are read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading pages")]
pub(crate) struct ReadingArgs {
    /// Standard to resolve references by
    #[arg(long, value_name = "NAME", value_parser = standard(), default_value_t = Standard::Whatwg)]
    standard: Standard,
    /// Encoding of documents without a byte order mark
    #[arg(long, value_name = "LABEL", value_parser = label)]
    encoding: Option<String>,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// Where a base element must be to take effect
    #[arg(long, help_heading = "Base URL", value_name = "WHERE", value_parser = choice(SCOPES), default_value = "document")]
    base_scope: BaseScope,
    #[command(flatten)]
    marks: MarkArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs<false>,
}

/// The lowest level that fails the run, if any does. clap would take an `Option` for an option
/// that may be absent.
type FailOn = Option<Level>;

const FAIL_ON: &[Choice<FailOn>] = &[
    Choice::new("error", Some(Level::Error), ""),
    Choice::new("warn", Some(Level::Warn), "").alias("warning"),
    Choice::new("note", Some(Level::Note), ""),
    Choice::new("never", None, ""),
];

impl PageArgs {
    pub(crate) fn symlinks(&self) -> Symlinks {
        if self.follow_symlinks { Symlinks::Followed } else { Symlinks::Kept }
    }
}

impl ReadingArgs {
    /// How pages are read and resolved.
    pub(crate) fn rewriter(&self) -> Result<Rewriter, absolve::Error> {
        let rewriter = Audit::default_rewriter()
            .standard(self.standard)
            .base_scope(self.base_scope)
            .limits(self.limits.documents);
        let rewriter = self.marks.apply(self.selection.apply(rewriter));
        match &self.encoding {
            Some(label) => rewriter.encoding(label),
            None => Ok(rewriter),
        }
    }

    /// The encoding of pages that do not declare one.
    pub(crate) fn encoding(&self) -> Option<&'static Encoding> {
        self.encoding.as_deref().and_then(|label| for_label(label).ok())
    }
}

fn alias(host: &str) -> Result<String, InvalidAlias> {
    Deployment::default().with_alias(host)?;
    Ok(host.to_owned())
}

fn profile() -> impl TypedValueParser<Value = Profile> {
    named(Profile::ALL.iter().copied(), Profile::name)
}

fn file_name(name: &str) -> Result<String, &'static str> {
    if name.is_empty() || name.contains('/') {
        return Err("expected the name of a file such as index.html");
    }
    Ok(name.to_owned())
}

fn pattern(pattern: &str) -> Result<LinkPattern, InvalidGlob> {
    LinkPattern::new(pattern)
}
