//! The options about results, as they are typed.

use std::path::{Path, PathBuf};

use absolve::Diagnosis;
use absolve_files::{HardLinks, NotEmpty, OtherFiles, Sync};
use clap::{ArgGroup, ValueEnum};

use super::choice::{Choice, choice, default_name, path};
use super::old_files::OldFileArgs;

use crate::terminal::Severity;

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
    #[command(flatten)]
    pub old_files: OldFileArgs<false>,
    /// Also copy files that are not documents
    #[arg(long, requires = "output", conflicts_with = "write")]
    copy_assets: bool,
    /// Replace the output file, or write into a folder that is not empty
    #[arg(long, requires = "output", conflicts_with = "write")]
    pub force: bool,
    /// Also rewrite files with other hard links, whose contents stay old
    #[arg(long, requires = IN_PLACE, conflicts_with = "output")]
    break_hardlinks: bool,
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

/// The group of options that rewrite documents in place, or show what that would do.
const IN_PLACE: &str = "in_place";

/// The heading of options that show a run, instead of writing or beside that.
const PREVIEW: &str = "Preview and summary";

impl WritingArgs {
    /// The first option that was given and is for folders and lists alone.
    pub fn for_many(&self) -> Option<Diagnosis> {
        let given = [(self.copy_assets, "{copy-assets}"), (self.sync != Sync::Auto, "{sync}")];
        let given = given.into_iter().find(|(is_given, _)| *is_given);
        given.map(|(_, option)| Diagnosis::from_words(option, &[]))
    }

    /// How relative links are reported that stay in a document without a base URL.
    pub fn unresolved(&self) -> Severity {
        if self.strict { Severity::Error } else { Severity::Warning }
    }

    /// Whether the run only shows what it would write.
    pub fn is_trial(&self) -> bool {
        let is_preview = self.check || self.diff || self.dry_run;
        is_preview || (self.list_different && !self.write && self.output.is_none())
    }

    /// Whether the document is written to stdout.
    pub fn is_to_stdout(&self) -> bool {
        let has_no_file = self.output.is_none() || self.names_stdout();
        has_no_file && !self.write && !self.is_trial()
    }

    /// Whether the output names stdout, whose position a shell's `>> FILE` shares with other programs.
    pub fn names_stdout(&self) -> bool {
        let names = ["-", "/dev/stdout"];
        self.output
            .as_deref()
            .is_some_and(|output| names.iter().any(|name| output == Path::new(name)))
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
