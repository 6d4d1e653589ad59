//! The commands that a configuration has tables for, and the values in effect.

use std::path::{Path, PathBuf};

use absolve::Rewriter;

use crate::args::{AuditArgs, ConfigArgs, LimitArgs, RewriteArgs};

/// The arguments of a command that has a table in the configuration.
pub trait Configured: clap::Args {
    /// The name of the command and of its table.
    const TABLE: &'static str;

    /// Which configuration is read.
    fn config(&self) -> &ConfigArgs;

    /// The files and folders that the command works on.
    fn paths(&self) -> &[PathBuf];

    /// The limits in effect.
    fn limits(&self) -> LimitArgs;

    /// The options of documents.
    fn rewriter(&self) -> Rewriter;

    /// The keys that typed options override because they select another mode, although clap
    /// accepts both; `is_set` tests whether the configuration sets a key.
    fn overridden(&self, _is_set: impl Fn(&str) -> bool) -> Vec<&'static str> {
        Vec::new()
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

    fn limits(&self) -> LimitArgs {
        self.reading.limits
    }

    fn rewriter(&self) -> Rewriter {
        self.reading.options.rewriter()
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

    fn limits(&self) -> LimitArgs {
        self.document.limits
    }

    fn rewriter(&self) -> Rewriter {
        self.document.options.rewriter()
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
}
