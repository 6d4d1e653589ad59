//! The arguments as they are typed.

mod audit;
mod config;
mod document;
mod inputs;
mod learn;
mod limits;
mod writing;

use absolve::url::{Base, Standard};
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use audit::{AuditArgs, ReportingArgs, ServingArgs};
pub(crate) use config::ConfigArgs;
pub(crate) use document::DocumentArgs;
use document::{base, standard};
pub(crate) use inputs::InputArgs;
pub(crate) use writing::{StatsArg, WritingArgs};

/// Makes every link of HTML documents absolute.
///
/// absolve finds every URL in an HTML document, resolves it against the
/// document's base URL by RFC 1808, and writes the document back with absolute
/// links. The base URL is that of the document's own <base> element, else the
/// URL given with --base-url, else one that the saved page remembers.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Say nothing but errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say which base URL was used and what became of the links
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: ColorArg,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 something was found that was asked about; \
    2 usage, configuration or I/O error, also where only some files failed; \
    128 + n signal n.";

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write documents with every link made absolute
    Rewrite(RewriteArgs),
    /// List every link of documents
    Links(LinksArgs),
    /// Check the links of a built site, offline
    // It has more options than the others.
    Audit(Box<AuditArgs>),
    /// Resolve references against a base URL, one result a line
    Resolve(ResolveArgs),
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

/// Shown below the options.
const CONFIGURATION: &str = "\
absolve.toml is searched for in the current folder and those above it, but not in a PATH. The \
keys of its table [rewrite] are the long options, such as base-url = \"https://example.org/\" or \
same-document = \"keep\", and path, which counts where no PATH is typed; paths count from its \
folder. A typed option overrides the key of the same name: a list is replaced, not joined. A \
configuration that --config does not name reads and writes in its own folder alone.";

#[derive(Debug, clap::Args)]
#[command(after_help = CONFIGURATION)]
pub(crate) struct RewriteArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) writing: WritingArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) document: DocumentArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LinksArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// How to print the links
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
    #[command(flatten)]
    pub(crate) document: DocumentArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ListFormat {
    /// Aligned columns, for people
    Text,
    /// One JSON object a line
    Jsonl,
    /// Tab-separated values under a header
    Tsv,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ResolveArgs {
    /// The base URL
    #[arg(value_name = "BASE", value_parser = base)]
    pub(crate) base: Base,
    /// The references; without any, one a line from stdin
    #[arg(value_name = "REF")]
    pub(crate) references: Vec<String>,
    /// The rules to resolve by
    #[arg(long, value_name = "NAME", value_parser = standard(), default_value_t)]
    pub(crate) standard: Standard,
    /// Show the base, the parsed components and each step of RFC 1808
    #[arg(long, conflicts_with_all = ["compare", "standard"])]
    pub(crate) explain: bool,
    /// Show the results of all standards side by side
    #[arg(long, conflicts_with = "standard")]
    pub(crate) compare: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_well_formed() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }
}
