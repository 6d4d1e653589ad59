//! `absolve.toml`: options of `absolve audit` and `absolve rewrite` in a file.
//!
//! Without `--config`, the current folder and its parents are searched, up to the first with
//! `.git`, but never a folder that the command works on, whose files may be from strangers. Each
//! command has a table. Its keys are the long options of the command, and `path` for its PATH. The
//! keys become arguments, which clap parses with the typed ones, so a key takes the values of its
//! option. A typed option overrides the key of the same name; a list replaces a list.
//!
//! A configuration that was found is not trusted: [`ConfigFolder`] restricts it.

mod found;
pub mod keys;
mod toml;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use absolve::LimitRow;
use absolve::url::masked;
use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};

use super::failure::{Failure, Status};
use super::output::write_to_stdout;

use crate::args::{AuditArgs, CommandLine, OptionTrait, option_traits};
use crate::terminal::{Messages, is_harmless, printable, printable_path};

pub use found::ConfigFolder;
use found::{find_config, read_config, read_failure};
use keys::{Key, Keys, LIMITS, TableArgs, ValueKind};
pub use toml::explain_syntax;
use toml::{Setting, first_line};

/// Runs a command with its settings, or prints them with `--print-config`.
pub fn run_with_settings<A: TableArgs>(
    args: A,
    line: CommandLine,
    messages: Messages,
    command: impl FnOnce(&mut Settings<A>) -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    let mut settings = Settings::new(args, line)?;
    settings.check()?;
    if settings.args.config().print_config {
        return print(&settings);
    }
    settings.name_file(messages);
    command(&mut settings)
}

/// Returns the arguments of an audit of a folder, with the settings of `config` or else of the
/// configuration that is found. Without a folder, the audit is of the `path` of the configuration.
pub fn read_audit_args(
    folder: Option<&Path>,
    config: Option<&Path>,
    messages: Messages,
) -> Result<AuditArgs, Failure> {
    let config = config.map(|file| [OsStr::new("--config"), file.as_os_str()]);
    let typed = ["absolve", "audit"].map(OsStr::new).into_iter();
    let typed = typed.chain(config.into_iter().flatten());
    let folder = folder.map(|folder| [OsStr::new("--"), folder.as_os_str()]);
    let typed = typed.chain(folder.into_iter().flatten()).map(OsStr::to_owned);
    let parsed = CommandLine::parse(typed.collect())
        .and_then(|(_, line)| Ok((AuditArgs::from_arg_matches(&line.matches)?, line)));
    let (args, line) = parsed.map_err(|error| Failure::message(error.to_string()))?;
    let settings = Settings::new(args, line)?;
    settings.name_file(messages);
    Ok(settings.args)
}

impl<A: TableArgs> Settings<A> {
    /// Names the configuration: in a warning if it is in a parent folder, else with `--verbose`.
    fn name_file(&self, messages: Messages) {
        let Some(file) = &self.file else { return };
        let is_in_parent = self.args.config().config.is_none() && file.starts_with("..");
        let source = format_args!("settings from {}", printable_path(file));
        if is_in_parent { messages.warning(source) } else { messages.detail(source) }
    }
}

/// The arguments of a command, joined with those of its configuration.
pub struct Settings<A> {
    pub args: A,
    /// The arguments with their values as they are written.
    matches: ArgMatches,
    /// The configuration that was read, if any.
    file: Option<PathBuf>,
    /// The folder of a configuration that was found, which restricts its settings.
    folder: Option<ConfigFolder>,
    /// The settings of the configuration that take effect.
    configured: Vec<(Setting, Position)>,
}

/// The file, line and column of a setting.
type Position = String;

impl<A: TableArgs> Settings<A> {
    /// Finds and reads the configuration, and parses the command line again with its settings.
    fn new(args: A, line: CommandLine) -> Result<Self, Failure> {
        let config = args.config();
        let (named, is_off) = (config.config.clone(), config.no_config);
        let found = if named.is_some() || is_off { None } else { find_config(args.paths())? };
        let folder = found.as_deref().map(ConfigFolder::new).transpose()?;
        let (matches, file) = (line.matches, named.or(found));
        let mut settings = Self { args, matches, file, folder, configured: Vec::new() };
        if let Some(file) = settings.file.clone() {
            let opened = absolve_files::open(&file).map_err(|error| read_failure(&file, &error))?;
            settings.join(line.typed, &file, &read_config(&file, opened)?)?;
        }
        Ok(settings)
    }

    /// Returns the folder that confines the paths of a key, if a configuration that was found sets
    /// the key.
    pub fn confining_folder(&self, key: &str) -> Option<&ConfigFolder> {
        let is_set = || self.configured.iter().any(|(setting, _)| setting.key == key);
        self.folder.as_ref().filter(|_| is_set())
    }

    /// Rejects a name in `only` that selects nothing, with its position in the configuration.
    fn check(&self) -> Result<(), Failure> {
        let Some(unused) = self.args.rewriter().unused_only() else { return Ok(()) };
        let is_cause = |(setting, _): &&(Setting, Position)| {
            setting.key == "only"
                && setting.value.split(',').any(|name| name.eq_ignore_ascii_case(&unused.name))
        };
        Err(match self.configured.iter().find(is_cause) {
            Some((setting, position)) => Failure::new(
                position,
                toml::explain_invalid(&setting.key, &masked(&unused.name), &unused.why.to_string()),
            ),
            None => Failure::message(unused.diagnosis()),
        })
    }

    /// Joins the typed arguments with those of a configuration, and parses them.
    fn join(&mut self, typed: Vec<OsString>, file: &Path, text: &str) -> Result<(), Failure> {
        let added = self.select_effective(toml::read_file::<A>(file, text)?);
        if let Some(folder) = &self.folder {
            if let Some((at, problem)) = find_excess_pattern(&added) {
                return Err(toml::failure_at(file, text, at, &problem));
            }
            let keys = Keys::new::<A>();
            // Only `rewrite` has this key and `--dry-run`.
            let writes_nothing =
                |setting: &&Setting| setting.key == "write" && self.matches.get_flag("dry_run");
            for setting in added.iter().filter(|setting| !writes_nothing(setting)) {
                let allowed = folder.check(&keys, setting);
                allowed.map_err(|problem| toml::failure_at(file, text, setting.at, &problem))?;
            }
        }
        // No option before the command takes its name as a value, so the first such argument is the
        // command. Typed options come last, since the last value of an option wins.
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
            joined.map_err(|error| Failure::new(&printable_path(file), first_line(&error)))?;
        let located = added.into_iter().map(|setting| {
            let position = toml::format_position(file, text, setting.at);
            (setting, position)
        });
        self.configured = located.collect();
        Ok(())
    }

    /// Selects the settings that take effect: their options are not typed, no typed option excludes
    /// or overrides them, and the options that they need are given.
    fn select_effective(&self, settings: Vec<Setting>) -> Vec<Setting> {
        let keys = Keys::new::<A>();
        let is_typed = |key: &str| {
            let source = keys.get(key).and_then(|key| self.matches.value_source(key.id()));
            source == Some(ValueSource::CommandLine)
        };
        let typed: Vec<&str> =
            keys.iter().map(|key| key.name).filter(|name| is_typed(name)).collect();
        let mut effective = settings;
        let mut set_keys = find_set_keys(&effective);
        let overridden = self.args.overridden_keys(|name| set_keys.contains(name));
        effective.retain(|setting| {
            let is_excluded =
                |typed: &&str| *typed == setting.key || keys.are_exclusive(typed, &setting.key);
            !typed.iter().any(is_excluded) && !overridden.contains(&&*setting.key)
        });
        set_keys = find_set_keys(&effective);
        let is_given = |name: &&str| typed.contains(name) || set_keys.contains(*name);
        effective.retain(|setting| {
            option_traits(&setting.key).iter().all(|needed| match needed {
                OptionTrait::Needs(names) => names.iter().any(is_given),
                _ => true,
            })
        });
        effective
    }
}

/// Returns the keys that are set, without flags that are false.
fn find_set_keys(settings: &[Setting]) -> HashSet<String> {
    let set = settings.iter().filter(|setting| setting.argument.is_some());
    set.map(|setting| setting.key.clone()).collect()
}

/// Maximum size of the patterns in a configuration that was found, in bytes. Each pattern is
/// compared with every link, and pages may have millions of links.
const MAX_PATTERN_BYTES: usize = 4096;

/// Returns the position and the text of an error, if a configuration that was found has too many
/// patterns.
fn find_excess_pattern(settings: &[Setting]) -> Option<(usize, String)> {
    let mut size = 0;
    let mut patterns =
        settings.iter().filter(|setting| OptionTrait::Patterns.applies_to(&setting.key));
    let first = patterns.find(|setting| {
        size += setting.value.len();
        size > MAX_PATTERN_BYTES
    })?;
    let problem = format!(
        "the patterns up to this one have more than {MAX_PATTERN_BYTES} bytes, which no \
         configuration that is found may have; trust this file with --config"
    );
    Some((first.at, problem))
}

/// The reason that a key is commented out.
const MASKED: &str = "*** hides user and password";

/// Prints the settings as a configuration for `--print-config`, and names the keys without a value.
/// No URL shows a password.
pub fn print<A: TableArgs>(settings: &Settings<A>) -> Result<Status, Failure> {
    let text = format_settings(settings)?;
    write_to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Status::Done)
}

fn format_settings<A: TableArgs>(settings: &Settings<A>) -> Result<String, Failure> {
    let mut text = match &settings.file {
        Some(file) => format!("# The command line, and {}.\n", printable_path(file)),
        None => "# The command line; no configuration was read.\n".to_owned(),
    };
    text.push_str(
        "# Paths count from the folder of this file; here they do from the current one.\n",
    );
    let keys = Keys::new::<A>();
    let _ = writeln!(text, "[{}]", keys.table);
    let mut ordered: Vec<Key<'_>> = keys.iter().collect();
    order_patterns(&mut ordered, settings);
    let mut without_value = Vec::new();
    for key in ordered {
        let values = read_values(key, settings)?;
        let masked: Vec<String> = values.iter().map(|value| masked(value).into_owned()).collect();
        let is_masked = masked != values;
        match format_value(key, settings, &masked) {
            // The masked value would be read back as another URL.
            Some(value) if is_masked => {
                let _ = writeln!(text, "# {0} = {value} # not set: {MASKED}, give --{0}", key.name);
            }
            Some(value) => {
                let _ = writeln!(text, "{} = {value}", key.name);
            }
            None => without_value.push(key.name),
        }
    }
    if !without_value.is_empty() {
        let _ = writeln!(text, "# Without a value: {}", without_value.join(", "));
    }
    let _ = writeln!(text, "[{LIMITS}]");
    for (LimitRow { name, .. }, value) in settings.args.limits().values(A::TABLE) {
        let _ = match value {
            Some(value) => writeln!(text, "{name} = {value}"),
            None => writeln!(text, "# Without a value: {name}"),
        };
    }
    Ok(text)
}

/// Orders `include` and `exclude` as on the command line, since the last matching pattern wins.
fn order_patterns<A>(keys: &mut [Key<'_>], settings: &Settings<A>) {
    let last_index = |name| settings.matches.indices_of(name).and_then(Iterator::max);
    let find_position = |name| keys.iter().position(|key| key.name == name);
    if let (Some(include), Some(exclude)) = (find_position("include"), find_position("exclude"))
        && last_index("include") > last_index("exclude")
        && last_index("exclude").is_some()
    {
        keys.swap(include, exclude);
    }
}

/// Returns the values of a key, from the command line or the configuration.
fn read_values<A>(key: Key<'_>, settings: &Settings<A>) -> Result<Vec<String>, Failure> {
    let raw = settings.matches.get_raw(key.id()).into_iter().flatten();
    let given = raw.map(|value| {
        value.to_str().map(str::to_owned).ok_or_else(|| {
            let problem = "is not UTF-8, which a configuration is; rename it";
            Failure::new(&printable(&value.to_string_lossy()), problem)
        })
    });
    given.collect()
}

/// Writes the value of a key as TOML; `None` if it has no value.
fn format_value<A>(key: Key<'_>, settings: &Settings<A>, given: &[String]) -> Option<String> {
    let first = given.first();
    match key.value_kind() {
        ValueKind::Flag => settings.matches.get_flag(key.id()).then(|| true.to_string()),
        ValueKind::Paths if given.len() == 1 => first.map(|path| quote(path)),
        // An empty array is not printed, since it means `none` for some keys.
        ValueKind::List | ValueKind::Paths => first.map(|_| {
            let values: Vec<String> = given.iter().map(|value| quote(value)).collect();
            format!("[{}]", values.join(", "))
        }),
        ValueKind::Text => first.map(|text| quote(text)),
        ValueKind::Number => first.map(|number| number.trim_start_matches('+').to_owned()),
    }
}

/// Writes a [basic string](https://toml.io/en/v1.0.0#string) without characters that move the
/// cursor.
fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_harmless(c) => quoted.push(c),
            c => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests;
