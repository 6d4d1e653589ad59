//! Which configuration counts, as it is typed.

use std::path::PathBuf;

/// Which configuration counts.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Configuration")]
pub(crate) struct ConfigArgs {
    /// Read this configuration, and trust it [default: absolve.toml here or in a folder above]
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Read no configuration
    #[arg(long)]
    pub(crate) no_config: bool,
    /// Print the settings as a configuration, and do nothing else
    #[arg(long)]
    pub(crate) print_config: bool,
}
