//! The command line: options and arguments of each command, their help, and their parsers.

pub mod after_help;
mod audit;
mod command_line;
mod document;
mod extract;
mod format;
pub mod functions;
mod help;
mod inputs;
mod limits;
mod links;
mod options;
mod records;
mod rewrite;
mod traits;
mod values;

use std::path::PathBuf;

use clap::{ArgAction, Parser, Subcommand};
use clap_complete::Shell;

use crate::terminal::{ColorChoice, Verbosity};

pub use crate::command::ResolveArgs;
pub use audit::{AcceptedLink, AuditArgs, FixArgs, ReportingArgs, RuleSelection, ServingArgs};
pub use command_line::CommandLine;
pub use document::BaseUrlArgs;
pub use extract::ExtractArgs;
pub use format::{FormatArg, reject_shared_outputs};
pub use help::command;
pub use inputs::{ConfigArgs, FileArgs, InputArgs, advise_on_url, is_url};
pub use limits::LimitArgs;
pub use links::{LinksArgs, ListFormat};
pub use options::ResolvingOptions;
pub use records::RecordArgs;
pub use rewrite::{RewriteArgs, StatsArg, WritingArgs};
pub use traits::{OptionTrait, option_traits};

/// Rewrites and audits links in HTML, CSS, XML, Markdown and mail; reads web archives.
///
/// absolve finds every URL in a document, resolves it against the
/// document's base URL by RFC 1808, and writes the document back with absolute
/// links. The base URL is that of the document's own <base> element, else the
/// URL given with --base-url, else one that the saved page remembers.
#[derive(Debug, Parser)]
#[command(
    // The package is called absolve-cli.
    name = "absolve",
    version = VERSION,
    arg_required_else_help = true,
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = after_help::EXIT_CODES,
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
    /// Returns how much to print on stderr.
    pub fn verbosity(&self) -> Verbosity {
        match (self.general.quiet, self.general.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }

    /// Returns when to color results.
    pub fn color(&self) -> ColorChoice {
        self.general.color
    }
}

/// The text of `--version`; a release adds the commit (`.ci/package`).
const VERSION: &str = match option_env!("ABSOLVE_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// The heading of the options that all commands share, after the options of the command itself.
pub const GENERAL: &str = "General options";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write documents with links made absolute, relative, or moved
    Rewrite(RewriteArgs),
    /// List every link of documents
    Links(LinksArgs),
    /// Check the links of a built site, offline
    // The box keeps the enum small: an audit has more options than other commands.
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
    /// Returns the files and folders that the command works on.
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
