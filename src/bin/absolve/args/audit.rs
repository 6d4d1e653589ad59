//! The arguments of `absolve audit`, as they are typed.
//!
//! The keys of `absolve.toml` are made from what stands here: what an option takes, a
//! key takes.

mod rules;

use std::path::PathBuf;

use absolve::audit::{Deployment, InvalidAlias, Level, LinkPattern, MAX_FINDINGS, Profile, Rule};
use absolve::batch::{Globs, InvalidGlob, Symlinks};
use absolve::container::warc::Bounds;
use absolve::encoding::for_label;
use absolve::url::{Base, Standard};
use absolve::{Limits, Rewriter};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use encoding_rs::Encoding;

use super::config::ConfigArgs;
use super::document::{ScopeArgs, SelectionArgs, base, label, standard};
use super::inputs::GlobArgs;
use super::learn::MarkArgs;
use super::limits::ReadingLimitArgs;
use crate::audit::{FormatArg, FormatParser};
use rules::{RuleArgs, rule};

/// Shown below the options.
const CONFIGURATION: &str = "\
absolve.toml is searched for in the current folder and those above it, but not in DIR. The keys \
of its table [audit] are the long options, such as base-url = \"https://example.org/\", \
anchor-ranges = true or rule = [\"orphan-page=warn\"], and path, which counts where no DIR is \
typed; paths count from its folder. A typed option overrides the key of the same name: a list is \
replaced, not joined. A configuration that --config does not name reads and writes in its own \
folder alone.

Exit codes: 0 nothing was found at the level of --fail-on; 1 findings; 2 usage, configuration or \
I/O error; 128 + n signal n.";

#[derive(Debug, clap::Args)]
#[command(after_help = CONFIGURATION)]
pub(crate) struct AuditArgs {
    /// The folder of the built site, or a message or web archive [default: path in absolve.toml]
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) serving: ServingArgs,
    #[command(flatten)]
    pub(crate) looking: LookingArgs,
    #[command(flatten)]
    pub(crate) reporting: ReportingArgs,
    #[command(flatten)]
    pub(crate) pages: PageArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Where and how the site is served.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "How the site is served")]
pub(crate) struct ServingArgs {
    /// The URL that the folder is served at; links to it are looked up in the folder
    #[arg(short, long, value_name = "URL", value_parser = base)]
    pub(crate) base_url: Option<Base>,
    /// Another name of its host, such as www.example.org
    #[arg(long, value_name = "HOST", value_parser = alias)]
    pub(crate) alias: Vec<String>,
    /// The folder that is served, where DIR is a part of it [default: DIR]
    #[arg(long, value_name = "DIR")]
    pub(crate) root_dir: Option<PathBuf>,
    /// How the server answers
    #[arg(long, value_name = "NAME", value_parser = profile(), default_value_t)]
    pub(crate) server: Profile,
    /// The names of index pages, instead of those of the server
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = file_name)]
    pub(crate) index: Vec<String>,
    /// Answer 'page' with page.html
    #[arg(long)]
    pub(crate) extensionless: bool,
    /// Take upper and lower case in names for the same
    #[arg(long)]
    pub(crate) ignore_case: bool,
    /// The redirects file [default: that of the server, if it is in the root]
    #[arg(long, value_name = "FILE")]
    pub(crate) redirects: Option<PathBuf>,
}

/// What is looked for.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What is looked for")]
pub(crate) struct LookingArgs {
    #[command(flatten)]
    rules: RuleArgs,
    /// Print the rules, one a line
    #[arg(long, conflicts_with = "print_config")]
    pub(crate) list_rules: bool,
    /// Print why there is a rule, an example, and what to do
    #[arg(long, value_name = "RULE", value_parser = rule, conflicts_with = "print_config")]
    pub(crate) explain: Option<Rule>,
    /// Accept #1-3 where #1 and #3 are there
    #[arg(long)]
    pub(crate) anchor_ranges: bool,
    /// Look up the URLs of this sitemap too
    #[arg(long, value_name = "FILE")]
    pub(crate) sitemap: Option<PathBuf>,
    /// Findings of a page that are kept; 0 = all
    #[arg(long, value_name = "N", default_value_t = MAX_FINDINGS)]
    pub(crate) max_findings: usize,
    /// Leave out links whose reference or URL matches; * matches anything
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub(crate) ignore_link: Vec<LinkPattern>,
}

/// What is told, and what fails.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reports")]
pub(crate) struct ReportingArgs {
    /// How findings are told [default: text], and the file for that, if not stdout
    #[arg(long, value_name = "NAME[=FILE]", value_parser = FormatParser)]
    pub(crate) format: Vec<FormatArg>,
    /// The least level whose findings give exit code 1
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = FailOnArg::Error)]
    fail_on: FailOnArg,
    /// Leave out the findings that are in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the findings to the baseline instead, with exit code 0
    #[arg(long)]
    pub(crate) write_baseline: bool,
    /// Report what is in these files alone, checked against the whole site; behind DIR
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) report_only: Vec<PathBuf>,
}

/// Which files are pages.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Pages")]
pub(crate) struct PageArgs {
    #[command(flatten)]
    globs: GlobArgs,
    /// Do not fail where there is no page
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Audit pages behind symbolic links too; they are targets either way
    #[arg(long)]
    follow_symlinks: bool,
    /// Threads that work on files, 256 at most; 0 is one a core
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=256))]
    pub(crate) jobs: u16,
}

/// How pages are read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "How pages are read")]
pub(crate) struct ReadingArgs {
    /// The rules to resolve by
    #[arg(long, value_name = "NAME", value_parser = standard(), default_value_t)]
    standard: Standard,
    /// The encoding of documents without a byte order mark
    #[arg(long, value_name = "LABEL", value_parser = label)]
    encoding: Option<String>,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    marks: MarkArgs,
    #[command(flatten)]
    limits: ReadingLimitArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FailOnArg {
    Error,
    Warn,
    Note,
    Never,
}

impl LookingArgs {
    /// The levels that were set, the last one of a rule counts.
    pub(crate) fn levels(&self) -> &[(Rule, Level)] {
        self.rules.levels()
    }
}

impl ReportingArgs {
    /// The lowest level that fails the audit; none where nothing does.
    pub(crate) fn fail_on(&self) -> Option<Level> {
        match self.fail_on {
            FailOnArg::Error => Some(Level::Error),
            FailOnArg::Warn => Some(Level::Warn),
            FailOnArg::Note => Some(Level::Note),
            FailOnArg::Never => None,
        }
    }
}

impl PageArgs {
    pub(crate) fn globs(&self) -> Globs {
        self.globs.globs()
    }

    pub(crate) fn symlinks(&self) -> Symlinks {
        if self.follow_symlinks { Symlinks::Followed } else { Symlinks::Kept }
    }
}

impl ReadingArgs {
    /// How pages are read and resolved.
    pub(crate) fn rewriter(&self) -> Result<Rewriter, absolve::Error> {
        let rewriter = Rewriter::new().standard(self.standard).limits(self.limits());
        let rewriter = self.marks.apply(self.scope.apply(self.selection.apply(rewriter)));
        match &self.encoding {
            Some(label) => rewriter.encoding(label),
            None => Ok(rewriter),
        }
    }

    /// The encoding of pages that do not say theirs.
    pub(crate) fn encoding(&self) -> Option<&'static Encoding> {
        self.encoding.as_deref().and_then(|label| for_label(label).ok())
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits.limits()
    }

    /// The bounds on web archives.
    pub(crate) fn bounds(&self) -> Bounds {
        self.limits.bounds()
    }
}

fn alias(host: &str) -> Result<String, InvalidAlias> {
    Deployment::default().with_alias(host)?;
    Ok(host.to_owned())
}

fn profile() -> impl TypedValueParser<Value = Profile> {
    let names = Profile::ALL.iter().map(|profile| profile.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Profile>())
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
