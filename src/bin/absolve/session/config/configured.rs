//! The commands that a configuration has tables for, and the values in effect.

use std::path::{Path, PathBuf};

use absolve::Learn;
use absolve::audit::{Profile, Server};

use crate::args::{AuditArgs, ConfigArgs, RewriteArgs, UnusedAttribute};

/// The arguments of a command that has a table in the configuration.
pub(crate) trait Configured: clap::Args {
    /// The name of the command and of its table.
    const TABLE: &'static str;

    /// Which configuration is read.
    fn config(&self) -> &ConfigArgs;

    /// The files and folders that the command works on.
    fn paths(&self) -> &[PathBuf];

    /// The values of a key in effect, from those that were given.
    fn values(&self, key: &str, given: Vec<String>) -> Vec<String>;

    /// The default of a key, where the parser of arguments does not know it.
    fn default(&self, key: &str) -> Option<String>;

    /// Rejects attributes of `--only` that no option makes count.
    fn check(&self) -> Result<(), UnusedAttribute<'_>>;

    /// Whether another option turns a flag on.
    fn implies(&self, flag: &str) -> bool;

    /// The keys that typed options override because they select another mode, although clap
    /// accepts both; `is_set` tests whether the configuration sets a key.
    fn overridden(&self, is_set: impl Fn(&str) -> bool) -> Vec<&'static str>;

    /// Whether the run writes no document, whatever the keys are.
    fn is_dry_run(&self) -> bool;
}

impl Configured for AuditArgs {
    const TABLE: &'static str = "audit";

    fn config(&self) -> &ConfigArgs {
        &self.config
    }

    fn paths(&self) -> &[PathBuf] {
        self.dir.as_slice()
    }

    fn values(&self, key: &str, given: Vec<String>) -> Vec<String> {
        match key {
            // One list keeps the order of both options.
            "rule" => {
                let levels = self.checks.rules.levels.iter();
                levels.map(|(rule, level)| format!("{rule}={level}")).collect()
            }
            "ignore-rule" => Vec::new(),
            "index" if given.is_empty() => Server::new(self.serving.server).index().to_vec(),
            _ => given,
        }
    }

    fn default(&self, key: &str) -> Option<String> {
        self.reading.limits.limit(key).map(|limit| limit.to_string())
    }

    fn check(&self) -> Result<(), UnusedAttribute<'_>> {
        self.reading.selection.check()
    }

    fn implies(&self, flag: &str) -> bool {
        let server = self.serving.server;
        match flag {
            "extensionless" => matches!(server, Profile::GithubPages | Profile::Netlify),
            "ignore-case" => server == Profile::Netlify,
            _ => false,
        }
    }

    fn overridden(&self, _: impl Fn(&str) -> bool) -> Vec<&'static str> {
        Vec::new()
    }

    fn is_dry_run(&self) -> bool {
        false
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

    fn values(&self, key: &str, given: Vec<String>) -> Vec<String> {
        match key {
            // An empty array excludes all sources.
            "learn" if given.is_empty() => {
                Learn::SOURCES.iter().map(|source| source.name().to_owned()).collect()
            }
            _ => given,
        }
    }

    fn default(&self, key: &str) -> Option<String> {
        self.document.limits.limit(key).map(|limit| limit.to_string())
    }

    fn check(&self) -> Result<(), UnusedAttribute<'_>> {
        self.document.selection.check()
    }

    fn implies(&self, _: &str) -> bool {
        false
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

#[cfg(test)]
mod tests {
    use absolve::audit::{Answer, FileKind, Files};
    use clap::{Args, Command, FromArgMatches};

    use super::*;

    #[test]
    fn flags_are_implied_as_the_server_answers() {
        let files = Files::new([("a.html", FileKind::File)]);
        for &profile in Profile::ALL {
            let answers = |path: &[u8]| {
                Server::new(profile).answer(&files, path, false, None) != Answer::Missing
            };
            let command = AuditArgs::augment_args(Command::new("audit"));
            let matches = command.get_matches_from(["audit", "--server", profile.name()]);
            let args = AuditArgs::from_arg_matches(&matches).unwrap();
            assert_eq!(answers(b"a"), args.implies("extensionless"), "{profile}");
            assert_eq!(answers(b"A.html"), args.implies("ignore-case"), "{profile}");
        }
    }
}
