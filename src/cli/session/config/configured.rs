//! The commands that a configuration has tables for, and the values in effect.

use std::path::{Path, PathBuf};

use crate::cli::args::{AuditArgs, ConfigArgs, RewriteArgs, UnusedAttribute};

/// The arguments of a command that has a table in the configuration.
pub trait Configured: clap::Args {
    /// The name of the command and of its table.
    const TABLE: &'static str;

    /// Which configuration is read.
    fn config(&self) -> &ConfigArgs;

    /// The files and folders that the command works on.
    fn paths(&self) -> &[PathBuf];

    /// The limits of the command with their values; `None` where one depends on the document.
    fn limits(&self) -> impl Iterator<Item = (&'static str, Option<usize>)>;

    /// Rejects attributes of `--only` that no option makes count.
    fn check(&self) -> Result<(), UnusedAttribute<'_>>;

    /// The keys that typed options override because they select another mode, although clap
    /// accepts both; `is_set` tests whether the configuration sets a key.
    fn overridden(&self, _is_set: impl Fn(&str) -> bool) -> Vec<&'static str> {
        Vec::new()
    }

    /// Whether the run writes no document, whatever the keys are.
    fn is_dry_run(&self) -> bool {
        false
    }
}

impl Configured for AuditArgs {
    const TABLE: &'static str = "audit";

    fn config(&self) -> &ConfigArgs {
        &self.config
    }

    fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    fn limits(&self) -> impl Iterator<Item = (&'static str, Option<usize>)> {
        self.reading.limits.values()
    }

    fn check(&self) -> Result<(), UnusedAttribute<'_>> {
        self.reading.selection.check()
    }
}

impl Configured for RewriteArgs {
    const TABLE: &'static str = "rewrite";

    fn config(&self) -> &ConfigArgs {
        &self.config
    }

    fn paths(&self) -> &[PathBuf] {
        &self.inputs.paths
    }

    fn limits(&self) -> impl Iterator<Item = (&'static str, Option<usize>)> {
        self.document.limits.values()
    }

    fn check(&self) -> Result<(), UnusedAttribute<'_>> {
        self.document.selection.check()
    }

    fn overridden(&self, is_set: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let reads_stdin = match &self.inputs.paths[..] {
            [] => {
                let is_list = self.inputs.files.files_from.is_some();
                !is_list && !is_set("path") && !is_set("files-from")
            }
            [path] => path == Path::new("-"),
            _ => false,
        };
        let writing: &[_] = match () {
            // A filter.
            () if reads_stdin => &["write", "output"],
            // A dry run lists what the configuration would change.
            () if self.writing.list_different && !self.writing.dry_run => &["write"],
            () => &[],
        };
        [writing, self.direction.overridden()].concat()
    }

    fn is_dry_run(&self) -> bool {
        self.writing.dry_run
    }
}
