//! Finds the configuration, and restricts a configuration that `--config` does not name.
//!
//! A checkout may contain a configuration by the author of a pull request, whom CI must not trust.
//! A configuration that was found decides how links are checked and resolved. It writes nothing,
//! and reads only inside its folder.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::keys::{Keys, TextKind};
use super::toml::{self, Setting};

use crate::args::{FormatArg, OptionTrait};
use crate::session::failure::{Failure, reason};
use crate::terminal::{printable, printable_path};

/// The folder of a configuration that was found.
#[derive(Debug)]
pub struct ConfigFolder {
    /// The prefix of the paths in the configuration, relative to the current folder.
    path: PathBuf,
    /// The path of the folder without symbolic links.
    canonical: PathBuf,
}

impl ConfigFolder {
    /// Returns the folder of a configuration. The file must be in it, even after symbolic links are
    /// resolved.
    pub(super) fn new(file: &Path) -> Result<Self, Failure> {
        let path = file.parent().unwrap_or(Path::new("")).to_owned();
        let folder = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
        let refused = |why: String| {
            let advice = "a configuration that was found has to be a file of its folder; name \
                          another with --config, or give --no-config";
            Failure::new(&printable_path(file), format_args!("cannot read: {why}; {advice}"))
        };
        let canonical = folder.canonicalize().map_err(|error| refused(reason(&error)))?;
        let folder = Self { path, canonical };
        folder.resolve_inside(file).map_err(refused)?;
        Ok(folder)
    }

    /// Rejects a setting that is not allowed in a configuration that was found.
    pub(super) fn check(&self, keys: &Keys, setting: &Setting) -> Result<(), String> {
        let key = &*setting.key;
        let (table, value) = (keys.table, Path::new(&setting.value));
        let kind = keys.get(key).map(|key| key.text_kind());
        let names_report = kind == Some(TextKind::PathAfterName)
            && FormatArg::parse(OsStr::new(&setting.value)).is_some_and(|arg| arg.file.is_some());
        let is_typed_only = OptionTrait::TypedOnly(table).applies_to(key);
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
            _ => check_relative(value).and_then(|()| self.resolve_inside(&self.path.join(value))),
        };
        let checked = checked.and_then(|inside| match key {
            "path" if inside.as_os_str().is_empty() => {
                Err("the configuration is in that folder".to_owned())
            }
            "path" if table == "rewrite" => check_visible(&inside),
            _ => Ok(()),
        });
        checked.map_err(|why| {
            // A PATH is typed without an option.
            let hint = if key == "path" { "it as PATH".to_owned() } else { format!("--{key}") };
            let value = printable(&setting.value);
            format!(
                "'{key}' may not be '{value}': {why}; give {hint}, or trust this file with --config"
            )
        })
    }

    /// Rejects a path in a list of files to rewrite.
    pub fn check_listed(&self, path: &Path) -> Result<(), String> {
        check_relative(path)?;
        check_visible(&self.resolve_inside(path)?)
    }

    /// Returns a path relative to the folder, without symbolic links, and rejects a path outside. A
    /// missing file passes: the code that reads it reports the error.
    fn resolve_inside(&self, path: &Path) -> Result<PathBuf, String> {
        let real = match path.canonicalize() {
            Ok(real) => real,
            // The link in `/dev/fd` to a pipe names no file, but can be opened.
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
        let inside = real.strip_prefix(&self.canonical);
        let outside = "it leads out of the folder of the configuration";
        inside.map(Path::to_owned).map_err(|_| outside.to_owned())
    }
}

fn check_relative(path: &Path) -> Result<(), String> {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.components().all(is_plain) {
        return Ok(());
    }
    Err("it is not a relative path without '..'".to_owned())
}

/// Rejects a path with a name that begins with a dot: other programs act on such files, for example
/// on a hook in `.git`.
fn check_visible(path: &Path) -> Result<(), String> {
    let is_hidden =
        |part| matches!(part, Component::Normal(name) if name.as_encoded_bytes().starts_with(b"."));
    if path.components().any(is_hidden) {
        return Err("a name in its path begins with a dot".to_owned());
    }
    Ok(())
}

/// The name of a configuration.
const FILE_NAME: &str = "absolve.toml";

/// Maximum size of a configuration, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Searches the current folder and its parents, up to the first with `.git`. Skips folders inside
/// the paths that the command works on.
pub(super) fn find_config(paths: &[PathBuf]) -> Result<Option<PathBuf>, Failure> {
    let current = env::current_dir().map_err(|error| {
        let problem = format!("cannot be found: {}; give --no-config", reason(&error));
        Failure::new("the current folder", problem)
    })?;
    let (mut worked_on, mut path_result) = (Vec::new(), Ok(()));
    for path in paths {
        match path.canonicalize() {
            Ok(real) => worked_on.push(real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // A configuration inside this path must not be used, so finding one is then an error.
            Err(error) => path_result = Err(read_failure(path, &error)),
        }
    }
    let is_worked_on = |folder: &Path| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let real = folder.canonicalize().map_err(|error| read_failure(folder, &error))?;
        Ok::<_, Failure>(worked_on.iter().any(|path| real.starts_with(path)))
    };
    // The path is relative, so messages show paths as a user would write them.
    let mut path = PathBuf::new();
    for _ in current.ancestors() {
        let file = path.join(FILE_NAME);
        if !is_worked_on(&path)? {
            match file.symlink_metadata() {
                Ok(_) => return path_result.map(|()| Some(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(read_failure(&file, &error)),
            }
        }
        if path.join(".git").exists() {
            break;
        }
        path.push("..");
    }
    Ok(None)
}

/// Reads the text of a configuration.
pub(super) fn read_config(file: &Path, opened: File) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = opened.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| read_failure(file, &error))?;
    if bytes.len() as u64 > MAX_BYTES {
        let problem = "it is larger than 1 MiB, which no configuration is; give another";
        return Err(Failure::new(&printable_path(file), problem));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let problem = "it is not UTF-8 here; save it as UTF-8";
        toml::failure_at(file, &valid, valid.len(), problem)
    })
}

/// Creates the failure of a configuration that cannot be read.
pub(super) fn read_failure(file: &Path, error: &io::Error) -> Failure {
    let problem = format!("cannot read: {}; give another, or --no-config", reason(error));
    Failure::new(&printable_path(file), problem)
}
