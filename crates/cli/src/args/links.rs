//! The arguments of `absolve links`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::after_help;
use super::document::{BaseUrlArgs, DocumentArgs};
use super::inputs::InputArgs;
use super::records::RecordArgs;
use super::values::path;

#[derive(Debug, clap::Args)]
#[command(after_long_help = after_help::LINKS.long())]
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

/// The links to list, and the format of the list.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct ListingArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub format: ListFormat,
    /// With --format url: print each URL once
    #[arg(long)]
    pub unique: bool,
    /// List only http and https links that lead out of the site, as browsers resolve them
    ///
    /// For a folder, the table "audit" of absolve.toml has the URL of the site, aliases and links to
    /// ignore; without PATH, its path is listed. With --format url, URLs are printed without
    /// fragments.
    #[arg(long, conflicts_with_all = ["standard", "base_scope"])]
    pub external: bool,
    /// With --external: read absolve.toml from this file, and trust it
    #[arg(long, value_name = "FILE", value_parser = path(), requires = "external")]
    pub config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// Aligned columns, for people
    Text,
    /// One JSON object per line
    Jsonl,
    /// Tab-separated values under a header
    Tsv,
    /// One absolute URL per line; links without one are counted
    Url,
}
