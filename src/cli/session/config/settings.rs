//! The arguments of a command, joined with those of its configuration.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::batch;
use crate::url::masked;
use clap::ArgMatches;
use clap::parser::ValueSource;

use super::configured::Configured;
use super::found::FoundFolder;
use super::keys::{self, Keys};
use super::search::{find, read, unread};
use super::toml::{self, Setting, first_line};
use crate::cli::args::CommandLine;
use crate::cli::session::failure::Failure;
use crate::cli::terminal::printable_path;

/// The arguments of a command, with those of its configuration among them.
pub struct Settings<A> {
    pub args: A,
    /// The values as they are written.
    pub(super) matches: ArgMatches,
    /// The configuration that was read.
    pub(super) file: Option<PathBuf>,
    folder: Option<FoundFolder>,
    /// The settings of the configuration that count.
    configured: Vec<Configuration>,
}

/// A setting of a configuration.
struct Configuration {
    key: String,
    value: String,
    /// Its file, line and column.
    place: String,
}

/// The text of a configuration.
struct Source<'s> {
    file: &'s Path,
    text: &'s str,
    /// Where a configuration that was found may read and write.
    folder: Option<&'s FoundFolder>,
}

impl<A: Configured> Settings<A> {
    /// Reads the configuration for these arguments, if there is one, and the command line again
    /// with it.
    pub(super) fn new(args: A, line: CommandLine) -> Result<Self, Failure> {
        let config = args.config();
        let (named, is_off) = (config.config.clone(), config.no_config);
        let found = if named.is_some() || is_off { None } else { find(args.paths())? };
        let folder = found.as_deref().map(FoundFolder::new).transpose()?;
        let typed = Self::typed(args, line.matches);
        let Some(file) = named.or(found) else { return Ok(typed) };
        let opened = batch::open(&file).map_err(|error| unread(&file, &error))?;
        let text = read(&file, opened)?;
        let source = Source { file: &file, text: &text, folder: folder.as_ref() };
        let mut settings = typed.joined(line.typed, &source)?;
        (settings.file, settings.folder) = (Some(file), folder);
        Ok(settings)
    }

    /// The folder that the paths of a key are confined to, if a configuration found on disk sets
    /// the key.
    pub fn confined(&self, key: &str) -> Option<&FoundFolder> {
        self.folder.as_ref().filter(|_| self.configured.iter().any(|one| one.key == key))
    }

    /// Rejects attributes that do not count, with their position in the configuration.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let Err(unused) = self.args.check() else { return Ok(()) };
        let has = |one: &&Configuration| {
            one.key == "only" && one.value.split(',').any(|name| name == unused.name)
        };
        Err(match self.configured.iter().find(has) {
            Some(one) => {
                Failure::of(&one.place, toml::invalid(&one.key, &masked(unused.name), &unused.why))
            }
            None => Failure::message(unused),
        })
    }

    /// The typed arguments alone.
    fn typed(args: A, matches: ArgMatches) -> Self {
        Self { args, matches, file: None, folder: None, configured: Vec::new() }
    }

    /// The typed arguments, joined with those of a configuration.
    fn joined(&self, typed: Vec<OsString>, source: &Source<'_>) -> Result<Self, Failure> {
        let settings = toml::read::<A>(source.file, source.text)?;
        let added = self.counting(settings);
        if let Some(folder) = source.folder {
            if let Some((at, what)) = too_many_patterns(&added) {
                return Err(toml::failure(source.file, source.text, at, &what));
            }
            let keys = Keys::new::<A>();
            let is_harmless = |setting: &&Setting| setting.key == "write" && self.args.is_dry_run();
            for setting in added.iter().filter(|setting| !is_harmless(setting)) {
                let allowed = folder.check(&keys, setting);
                allowed
                    .map_err(|what| toml::failure(source.file, source.text, setting.at, &what))?;
            }
        }
        // No option before the command can have its name as a value. The typed options come last,
        // so that they win if the last one decides.
        let at = typed.iter().position(|arg| arg == A::TABLE).map_or(typed.len(), |at| at + 1);
        let mut all = typed;
        let rest = all.split_off(at);
        all.extend(added.iter().filter_map(|setting| setting.argument.clone()));
        all.extend(rest);
        let joined = CommandLine::parse(all).and_then(|(_, line)| {
            let args = A::from_arg_matches(&line.matches)?;
            Ok((args, line.matches))
        });
        let (args, matches) = joined
            .map_err(|error| Failure::of(&printable_path(source.file), first_line(&error)))?;
        let configured = added.into_iter().map(|Setting { key, value, at, .. }| {
            let place = toml::place(source.file, source.text, at);
            Configuration { key, value, place }
        });
        let configured = configured.collect();
        Ok(Self { args, matches, file: None, folder: None, configured })
    }

    /// The settings that count: those that are not typed as options, that no typed option excludes
    /// or overrides, and that have the option that they need.
    fn counting(&self, settings: Vec<Setting>) -> Vec<Setting> {
        let keys = Keys::new::<A>();
        let is_typed = |key: &str| {
            let source = keys.get(key).and_then(|key| self.matches.value_source(key.id()));
            source == Some(ValueSource::CommandLine)
        };
        let typed: Vec<&str> =
            keys.iter().map(|key| key.name).filter(|name| is_typed(name)).collect();
        let is_on = |settings: &[Setting], name: &str| {
            settings.iter().any(|setting| setting.key == name && setting.argument.is_some())
        };
        let mut left = settings;
        let overridden = self.args.overridden(|name| is_on(&left, name));
        left.retain(|setting| {
            let is_excluded =
                |typed: &&str| *typed == setting.key || keys.exclude(typed, &setting.key);
            !typed.iter().any(is_excluded) && !overridden.contains(&&*setting.key)
        });
        let is_given = |name: &&str| typed.contains(name) || is_on(&left, name);
        let has = |needed: Option<&[&str]>| needed.is_none_or(|names| names.iter().any(is_given));
        let counts: Vec<bool> =
            left.iter().map(|setting| has(keys::needed(&setting.key))).collect();
        let counted = left.into_iter().zip(counts).filter(|(_, counts)| *counts);
        counted.map(|(setting, _)| setting).collect()
    }
}

/// Keys with patterns, each of which is compared with every link or file.
const PATTERNS: &[&str] = &["exclude", "ignore-link", "include"];

/// The most bytes of the patterns of a configuration that was found: its pages may have millions of
/// links.
const MAX_PATTERNS: usize = 4096;

/// The position and the text of the error, if a configuration that was found has too many patterns.
fn too_many_patterns(settings: &[Setting]) -> Option<(usize, String)> {
    let mut size = 0;
    let mut patterns = settings.iter().filter(|setting| PATTERNS.contains(&&*setting.key));
    let first = patterns.find(|setting| {
        size += setting.value.len();
        size > MAX_PATTERNS
    })?;
    let what = format!(
        "the patterns up to this one have more than {MAX_PATTERNS} bytes, which no configuration \
         that is found may have; trust this file with --config"
    );
    Some((first.at, what))
}

#[cfg(test)]
mod tests;
