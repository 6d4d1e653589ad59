//! The arguments as they are typed.

mod audit;
mod base_url;
mod choice;
mod command_line;
mod config;
mod direction;
mod document;
mod examples;
mod extract;
mod format;
pub mod functions;
mod help;
mod inputs;
mod limits;
mod listing;
mod old_files;
mod options;
mod ordered;
mod records;
mod traits;
mod writing;

use std::path::PathBuf;

use absolve::option::base_url;
use absolve::url::Base;
use absolve_files::{Globs, Walk, WriteMode};
use clap::{ArgAction, Parser, Subcommand};
use clap_complete::Shell;

use crate::terminal::{ColorChoice, Verbosity};

pub use audit::{Accepted, AuditArgs, FixArgs, ReportingArgs, RuleSelection, ServingArgs};
pub use base_url::BaseUrlArgs;
pub use command_line::CommandLine;
pub use config::{CONFIGURATION, ConfigArgs};
use direction::DirectionArgs;
pub use document::DocumentArgs;
pub use examples::EXAMPLES;
pub use extract::ExtractArgs;
pub use format::{FormatArg, reject_shared_outputs};
pub use help::command;
pub use inputs::{FileArgs, InputArgs, is_url, not_fetched};
pub use limits::LimitArgs;
pub use listing::{ListFormat, ListingArgs};
use options::ResolvingOptions;
pub use records::RecordArgs;
pub use traits::{Trait, traits};
pub use writing::{StatsArg, WritingArgs};

/// Rewrites and audits links in HTML, CSS, XML, Markdown and mail; reads web archives.
///
/// absolve finds every URL in a document, resolves it against the
/// document's base URL by RFC 1808, and writes the document back with absolute
/// links. The base URL is that of the document's own <base> element, else the
/// URL given with --base-url, else one that the saved page remembers.
#[derive(Debug, Parser)]
#[command(
    // Also where another package compiles this.
    name = "absolve",
    version = VERSION,
    arg_required_else_help = true,
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = EXIT_CODES,
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    general: GeneralArgs,
}

#[derive(Debug, clap::Args)]
struct GeneralArgs {
    /// Print only errors
    #[arg(short, long, global = true, help_heading = GENERAL)]
    quiet: bool,
    /// Print more about each document
    #[arg(short, long, global = true, help_heading = GENERAL, conflicts_with = "quiet")]
    verbose: bool,
    /// When to use color
    #[arg(long, global = true, help_heading = GENERAL, value_name = "WHEN", value_enum, default_value_t)]
    color: ColorChoice,
    /// Print help; -h prints a summary
    #[arg(short, long, global = true, help_heading = GENERAL, action = ArgAction::Help)]
    help: Option<bool>,
    /// Print version
    #[arg(short = 'V', long, help_heading = GENERAL, action = ArgAction::Version)]
    version: Option<bool>,
}

impl Args {
    /// How much is printed on stderr.
    pub fn verbosity(&self) -> Verbosity {
        match (self.general.quiet, self.general.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }

    /// When to use color.
    pub fn color(&self) -> ColorChoice {
        self.general.color
    }
}

/// The text of `--version`: packages add the commit (`.ci/package`).
const VERSION: &str = match option_env!("ABSOLVE_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// The options of every command, below those of the command itself.
pub const GENERAL: &str = "General options";

/// The exit codes of every command, below its options and in the manual.
pub const EXIT_CODES: &str = "Exit codes: 0 success; 1 findings (audit), a document would \
    change (rewrite --check, --diff), relative links stay (rewrite --strict), or a standard refused a \
    reference (resolve); 2 usage, configuration or I/O error, also if only some files failed; \
    128 + n signal n.";

const REWRITE_EXIT_CODES: &str = "Exit codes: 0 success; 1 a document would change (--check, --diff), \
    or relative links stay (--strict); 2 usage, configuration or I/O error, no document, or some \
    files failed; 128 + n signal n.";

const LINKS_EXIT_CODES: &str = "Exit codes: 0 success; 2 usage, configuration or I/O error, no \
    document, or some files failed; 128 + n signal n.";

const RESOLVE_EXIT_CODES: &str = "Exit codes: 0 success; 1 the standard refused a reference; 2 usage \
    or I/O error; 128 + n signal n.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write documents with links made absolute, relative, or moved
    Rewrite(RewriteArgs),
    /// List every link of documents
    Links(LinksArgs),
    /// Check the links of a built site, offline
    // Boxed, since an audit has more options than the other commands.
    Audit(Box<AuditArgs>),
    /// Resolve references against a base URL, one result per line
    Resolve(ResolveArgs),
    /// Write one document of a container, or all files of a crawl, decoded
    Extract(ExtractArgs),
    /// Print shell completions
    Completions {
        /// Shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

impl Command {
    /// The files and folders that it works on.
    pub fn paths(&self) -> &[PathBuf] {
        match self {
            Self::Rewrite(args) => &args.inputs.paths,
            Self::Links(args) => &args.inputs.paths,
            Self::Audit(args) => &args.paths,
            Self::Extract(args) => &args.paths,
            Self::Resolve(_) | Self::Completions { .. } | Self::Man => &[],
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = REWRITE_EXIT_CODES, after_long_help = examples::help(examples::REWRITE, &[CONFIGURATION, REWRITE_EXIT_CODES]))]
pub struct RewriteArgs {
    #[command(flatten)]
    pub base: BaseUrlArgs,
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub direction: DirectionArgs,
    #[command(flatten)]
    pub writing: WritingArgs,
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    pub document: DocumentArgs,
}

impl RewriteArgs {
    /// Which files of a folder are documents.
    pub fn globs(&self) -> Globs {
        let globs = self.inputs.globs();
        let takes_defaults = self.inputs.file_format.is_none();
        if takes_defaults && !self.direction.is_default() {
            return globs.with_style_sheets();
        }
        globs
    }

    /// Finds the files of a run.
    pub fn walk(&self, mode: WriteMode) -> Walk {
        Walk::new(mode).globs(self.globs()).other_files(self.writing.others())
    }
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = examples::help(examples::LINKS, &[LINKS_EXIT_CODES]))]
pub struct LinksArgs {
    #[command(flatten)]
    pub base: BaseUrlArgs,
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub records: RecordArgs,
    #[command(flatten)]
    pub listing: ListingArgs,
    #[command(flatten)]
    pub document: DocumentArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = examples::help(examples::RESOLVE, &[RESOLVE_EXIT_CODES]))]
pub struct ResolveArgs {
    /// Base URL
    #[arg(value_name = "BASE", value_parser = base_url)]
    pub base: Base,
    /// References; without any, they are read from stdin, one per line
    #[arg(value_name = "REF")]
    pub references: Vec<String>,
    #[command(flatten)]
    pub options: ResolvingOptions,
    /// Show the base, the parsed components and each step of RFC 1808
    #[arg(long, conflicts_with_all = ["compare", "standard"])]
    pub explain: bool,
    /// Show the results of all standards side by side
    #[arg(long, conflicts_with = "standard")]
    pub compare: bool,
}
