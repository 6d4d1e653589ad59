//! Where results go, as it is typed.

use std::path::PathBuf;

use crate::Rewriter;
use crate::batch::{HardLinks, NotEmpty, OtherFiles, Sync};
use crate::container::warc::{RecordType, Rewriting, Statuses, WarcInfo};
use clap::{ArgGroup, ValueEnum};

use super::choice::{Choice, choice, default_name, path};
use crate::cli::terminal::Severity;

#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Output",
    group = ArgGroup::new(IN_PLACE)
        .args(["write", "check", "diff", "list_different", "dry_run"])
        .multiple(true)
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct WritingArgs {
    /// Write to this file or folder instead of stdout
    #[arg(short, long, value_name = "PATH", value_parser = path())]
    pub output: Option<PathBuf>,
    /// Rewrite in place
    #[arg(short, long, short_alias = 'i', alias = "in-place", conflicts_with = "output")]
    pub write: bool,
    /// Write nothing; list the files that would change, with exit code 1 if any
    #[arg(long, help_heading = PREVIEW, conflicts_with_all = ["output", "write"])]
    pub check: bool,
    /// Write nothing; print a unified diff, with exit code 1 as for --check
    #[arg(long, help_heading = PREVIEW, conflicts_with_all = ["output", "write", "list_different"])]
    pub diff: bool,
    /// Print the paths of documents that change or would change
    #[arg(short, long, help_heading = PREVIEW)]
    pub list_different: bool,
    /// Do everything except writing
    #[arg(short = 'n', long, help_heading = PREVIEW)]
    pub dry_run: bool,
    /// Keep each old file, with this suffix added to its name [default: .orig]
    #[arg(
        long,
        value_name = "SUFFIX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ".orig",
        value_parser = suffix,
        requires = "write",
        conflicts_with = "output",
    )]
    pub backup: Option<String>,
    /// Also copy files that are not documents
    #[arg(long, requires = "output", conflicts_with = "write")]
    copy_assets: bool,
    /// Replace the output file, or write into a folder that is not empty
    #[arg(long, requires = "output", conflicts_with = "write")]
    pub force: bool,
    /// Also rewrite files with other hard links, whose contents stay old
    #[arg(long, requires = IN_PLACE, conflicts_with = "output")]
    break_hardlinks: bool,
    /// How rewritten documents of a web archive are written [default: conversion]
    #[arg(
        long,
        help_heading = ARCHIVES,
        value_name = "TYPE",
        value_parser = choice(RECORD_TYPES),
    )]
    record_type: Option<RecordType>,
    /// Also write an index of the new web archive, in the form CDXJ, to this file
    #[arg(long, help_heading = ARCHIVES, value_name = "FILE", value_parser = path())]
    pub cdxj: Option<PathBuf>,
    /// Exit with code 1 if relative links stay for want of a base URL
    #[arg(long)]
    pub strict: bool,
    /// When to flush files to the disk before they are renamed into place
    #[arg(long, value_name = "WHEN", value_parser = choice(SYNC), default_value = default_name(SYNC))]
    pub sync: Sync,
    /// Print the summary as text or as JSON
    ///
    /// Text goes to stderr, and JSON to stdout, or to stderr if stdout has the document.
    #[arg(long, help_heading = PREVIEW, value_name = "FORMAT", value_enum, default_value_t)]
    pub stats: StatsArg,
}

const RECORD_TYPES: &[Choice<RecordType>] = &[
    Choice::new(
        "conversion",
        RecordType::Conversion,
        "As a conversion record after the original, which stays as it is",
    ),
    Choice::new(
        "response",
        RecordType::Response,
        "In the record itself, for programs that read responses; digests and revisits agree with it",
    ),
];

/// What is for web archives alone.
const ARCHIVES: &str = "Web archives";

const SYNC: &[Choice<Sync>] = &[
    Choice::new("auto", Sync::Auto, "With --write, and into a folder that is not empty"),
    Choice::new("always", Sync::Always, ""),
    Choice::new("never", Sync::Never, "Faster, but a crash of the machine can leave empty files"),
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum StatsArg {
    #[default]
    Text,
    Json,
}

/// What rewrites documents in place, or shows what that would do.
const IN_PLACE: &str = "in_place";

/// What shows a run instead of writing, or beside that.
const PREVIEW: &str = "Preview and summary";

impl WritingArgs {
    /// The first option that was given and is not for web archives.
    pub fn not_for_archives(&self) -> Option<&'static str> {
        let given = [(self.diff, "--diff"), (self.backup.is_some(), "--backup")];
        let given = given.into_iter().find_map(|(is_given, name)| is_given.then_some(name));
        given.or_else(|| self.for_many())
    }

    /// The first option that was given and is for web archives alone.
    pub fn for_archives(&self) -> Option<&'static str> {
        let given =
            [(self.record_type.is_some(), "--record-type"), (self.cdxj.is_some(), "--cdxj")];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// How web archives are rewritten.
    pub fn rewriting<'r>(
        &self,
        rewriter: &'r Rewriter,
        statuses: Statuses,
        info: &WarcInfo,
    ) -> Rewriting<'r> {
        Rewriting::new(rewriter)
            .record_type(self.record_type.unwrap_or_default())
            .statuses(statuses)
            .warcinfo(info.clone())
    }

    /// The first option that was given and is for folders and lists alone.
    pub fn for_many(&self) -> Option<&'static str> {
        let given = [(self.copy_assets, "--copy-assets"), (self.sync != Sync::Auto, "--sync")];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// How relative links are reported that stay in a document without a base URL.
    pub fn unresolved(&self) -> Severity {
        if self.strict { Severity::Error } else { Severity::Warning }
    }

    pub fn others(&self) -> OtherFiles {
        if self.copy_assets { OtherFiles::Listed } else { OtherFiles::Ignored }
    }

    pub fn not_empty(&self) -> NotEmpty {
        if self.force { NotEmpty::Allowed } else { NotEmpty::Refused }
    }

    pub fn hard_links(&self) -> HardLinks {
        if self.break_hardlinks { HardLinks::Break } else { HardLinks::Skip }
    }
}

/// What can be added to a name and leaves it in its folder.
pub(super) fn suffix(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains(['/', '\\', '\0']) {
        return Err("expected a suffix such as .orig".to_owned());
    }
    Ok(text.to_owned())
}
