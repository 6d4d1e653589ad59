//! The arguments of a command, joined with those of its configuration.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use absolve::url::masked;
use clap::ArgMatches;
use clap::parser::ValueSource;

use super::configured::Configured;
use super::found::FoundFolder;
use super::keys::Keys;
use super::search::{find, read, unread};
use super::toml::{self, Setting, first_line};

use crate::args::{CommandLine, Trait, traits};
use crate::session::failure::Failure;
use crate::terminal::printable_path;

/// The arguments of a command, with those of its configuration among them.
pub struct Settings<A> {
    pub args: A,
    /// The values as they are written.
    pub(super) matches: ArgMatches,
    /// The configuration that was read.
    pub(super) file: Option<PathBuf>,
    folder: Option<FoundFolder>,
    /// The settings of the configuration that count.
    configured: Vec<(Setting, Place)>,
}

/// The file, line and column of a setting.
type Place = String;

impl<A: Configured> Settings<A> {
    /// Reads the configuration for these arguments, if there is one, and the command line again
    /// with it.
    pub(super) fn new(args: A, line: CommandLine) -> Result<Self, Failure> {
        let config = args.config();
        let (named, is_off) = (config.config.clone(), config.no_config);
        let found = if named.is_some() || is_off { None } else { find(args.paths())? };
        let folder = found.as_deref().map(FoundFolder::new).transpose()?;
        let (matches, file) = (line.matches, named.or(found));
        let mut settings = Self { args, matches, file, folder, configured: Vec::new() };
        if let Some(file) = settings.file.clone() {
            let opened = absolve_files::open(&file).map_err(|error| unread(&file, &error))?;
            settings.join(line.typed, &file, &read(&file, opened)?)?;
        }
        Ok(settings)
    }

    /// The folder that the paths of a key are confined to, if a configuration found on disk sets
    /// the key.
    pub fn confined(&self, key: &str) -> Option<&FoundFolder> {
        self.folder.as_ref().filter(|_| self.configured.iter().any(|(one, _)| one.key == key))
    }

    /// Rejects attributes that do not count, with their position in the configuration.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let Some(unused) = self.args.rewriter().unused_only() else { return Ok(()) };
        let has = |(one, _): &&(Setting, Place)| {
            one.key == "only"
                && one.value.split(',').any(|name| name.eq_ignore_ascii_case(&unused.name))
        };
        Err(match self.configured.iter().find(has) {
            Some((one, place)) => Failure::of(
                place,
                toml::invalid(&one.key, &masked(&unused.name), &unused.why.to_string()),
            ),
            None => Failure::message(unused.diagnosis()),
        })
    }

    /// Joins the typed arguments with those of a configuration.
    fn join(&mut self, typed: Vec<OsString>, file: &Path, text: &str) -> Result<(), Failure> {
        let added = self.counting(toml::read::<A>(file, text)?);
        if let Some(folder) = &self.folder {
            if let Some((at, what)) = too_many_patterns(&added) {
                return Err(toml::failure(file, text, at, &what));
            }
            let keys = Keys::new::<A>();
            // Only a rewriting has the key, and the option.
            let is_harmless =
                |setting: &&Setting| setting.key == "write" && self.matches.get_flag("dry_run");
            for setting in added.iter().filter(|setting| !is_harmless(setting)) {
                let allowed = folder.check(&keys, setting);
                allowed.map_err(|what| toml::failure(file, text, setting.at, &what))?;
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
        (self.args, self.matches) =
            joined.map_err(|error| Failure::of(&printable_path(file), first_line(&error)))?;
        let placed = added.into_iter().map(|setting| {
            let place = toml::place(file, text, setting.at);
            (setting, place)
        });
        self.configured = placed.collect();
        Ok(())
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
        let mut left = settings;
        let mut on = names_of_set(&left);
        let overridden = self.args.overridden(|name| on.contains(name));
        left.retain(|setting| {
            let is_excluded =
                |typed: &&str| *typed == setting.key || keys.exclude(typed, &setting.key);
            !typed.iter().any(is_excluded) && !overridden.contains(&&*setting.key)
        });
        on = names_of_set(&left);
        let is_given = |name: &&str| typed.contains(name) || on.contains(*name);
        left.retain(|setting| {
            traits(&setting.key).iter().all(|one| match one {
                Trait::Needs(names) => names.iter().any(is_given),
                _ => true,
            })
        });
        left
    }
}

/// The keys that are set, but for flags that are false.
fn names_of_set(settings: &[Setting]) -> HashSet<String> {
    let set = settings.iter().filter(|setting| setting.argument.is_some());
    set.map(|setting| setting.key.clone()).collect()
}

/// The most bytes of the patterns of a configuration that was found: its pages may have millions of
/// links.
const MAX_PATTERNS: usize = 4096;

/// The position and the text of the error, if a configuration that was found has too many patterns.
fn too_many_patterns(settings: &[Setting]) -> Option<(usize, String)> {
    let mut size = 0;
    let mut patterns = settings.iter().filter(|setting| Trait::Patterns.is_of(&setting.key));
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
