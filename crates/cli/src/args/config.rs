//! Which configuration counts, as it is typed.

use std::path::PathBuf;

use super::choice::path;

/// The configuration file, shown below the options and in the manual.
pub const CONFIGURATION: &str = "\
absolve.toml is read from the current folder or the nearest folder above it, up to the first with .git, but not from a PATH. \
The keys of its tables [rewrite] and [audit] are long options of these commands, such as \
base-url = \"https://example.org/\" or rule = [\"orphan-page=warn\"], and path, which is used if no \
PATH is typed; paths are relative to its folder. An option on the command line overrides the key of \
its name; a list is replaced, not extended. A configuration that --config does not name writes \
nothing, and reads only below its own folder.";

/// Which configuration counts.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Configuration")]
pub struct ConfigArgs {
    /// Read this configuration file, and trust it [default: absolve.toml here or in a folder above]
    #[arg(long, value_name = "FILE", value_parser = path(), conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Read no configuration file
    #[arg(long)]
    pub no_config: bool,
    /// Print the settings as a configuration, and exit
    #[arg(long)]
    pub print_config: bool,
}
