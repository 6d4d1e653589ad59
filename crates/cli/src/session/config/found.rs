//! Restrictions on a configuration that was found on disk and not named by `--config`.
//!
//! A checkout brings its configuration along, so that in CI on a pull request its author is not
//! trusted. It chooses how links are checked and resolved. It writes nothing, and reads only below
//! its folder.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::keys::{Keys, TextKind};
use super::toml::Setting;

use crate::args::{FormatArg, Trait};
use crate::session::failure::{Failure, reason};
use crate::terminal::{printable, printable_path};

/// The folder of a configuration that was found.
#[derive(Debug)]
pub struct FoundFolder {
    /// The prefix of the paths in it.
    path: PathBuf,
    /// Its path, without symbolic links.
    real: PathBuf,
}

impl FoundFolder {
    /// The folder of a configuration, which has to be a file of its folder.
    pub(super) fn new(file: &Path) -> Result<Self, Failure> {
        let path = file.parent().unwrap_or(Path::new("")).to_owned();
        let folder = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
        let unread = |why: String| {
            let what = "a configuration that was found has to be a file of its folder; name \
                        another with --config, or give --no-config";
            Failure::of(&printable_path(file), format_args!("cannot read: {why}; {what}"))
        };
        let real = folder.canonicalize().map_err(|error| unread(reason(&error)))?;
        let folder = Self { path, real };
        folder.below(file).map_err(unread)?;
        Ok(folder)
    }

    /// Rejects a setting that is not allowed in a configuration that was found.
    pub(super) fn check(&self, keys: &Keys, setting: &Setting) -> Result<(), String> {
        let key = &*setting.key;
        let (table, value) = (keys.table, Path::new(&setting.value));
        let kind = keys.get(key).map(|key| key.text_kind());
        let names_report = kind == Some(TextKind::PathAfterName)
            && FormatArg::parse(OsStr::new(&setting.value)).is_some_and(|arg| arg.file.is_some());
        let is_typed_only = Trait::TypedOnly(table).is_of(key);
        if setting.argument.is_some() && (is_typed_only || names_report) {
            let with_file = if names_report { " with a file" } else { "" };
            return Err(format!(
                "'{key}'{with_file} is not allowed in a configuration that is found \
                 automatically; type --{key}, or name the configuration with --config"
            ));
        }
        if kind != Some(TextKind::Path) {
            return Ok(());
        }
        let checked = match &*setting.value {
            "-" => Err("it reads stdin".to_owned()),
            _ => relative(value).and_then(|()| self.below(&self.path.join(value))),
        };
        let checked = checked.and_then(|below| match key {
            "path" if below.as_os_str().is_empty() => {
                Err("the configuration is in that folder".to_owned())
            }
            "path" if table == "rewrite" => visible(&below),
            _ => Ok(()),
        });
        checked.map_err(|why| {
            // PATH has no option.
            let give = if key == "path" { "it as PATH".to_owned() } else { format!("--{key}") };
            let value = printable(&setting.value);
            format!(
                "'{key}' may not be '{value}': {why}; give {give}, or trust this file with --config"
            )
        })
    }

    /// Rejects a path in a list of files to rewrite.
    pub fn check_listed(&self, path: &Path) -> Result<(), String> {
        relative(path)?;
        visible(&self.below(path)?)
    }

    /// The path below the folder, without symbolic links; the code that reads a file reports that
    /// it is missing.
    fn below(&self, path: &Path) -> Result<PathBuf, String> {
        let real = match path.canonicalize() {
            Ok(real) => real,
            // The link in `/dev/fd` to a pipe names no file, but opens one.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let is_link = path.is_symlink();
                let leads_nowhere = "it is a symbolic link that leads to no file";
                return if is_link { Err(leads_nowhere.to_owned()) } else { Ok(path.to_owned()) };
            }
            Err(error) => return Err(reason(&error)),
        };
        let metadata = real.metadata().map_err(|error| reason(&error))?;
        if !metadata.is_file() && !metadata.is_dir() {
            return Err("it is neither a regular file nor a folder".to_owned());
        }
        let below = real.strip_prefix(&self.real);
        let outside = "it leads out of the folder of the configuration";
        below.map(Path::to_owned).map_err(|_| outside.to_owned())
    }
}

fn relative(path: &Path) -> Result<(), String> {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.components().all(is_plain) {
        return Ok(());
    }
    Err("it is not a relative path without '..'".to_owned())
}

/// Rejects a path with a name that begins with a dot: other programs act on such files, as on a
/// hook in `.git`.
fn visible(path: &Path) -> Result<(), String> {
    let is_hidden =
        |part| matches!(part, Component::Normal(name) if name.as_encoded_bytes().starts_with(b"."));
    if path.components().any(is_hidden) {
        return Err("a name in its path begins with a dot".to_owned());
    }
    Ok(())
}
