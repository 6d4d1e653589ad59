//! Restrictions on a configuration that was found on disk and not named by `--config`.
//!
//! A checkout brings its configuration along, so that in CI on a pull request its author is not
//! trusted. It may choose how links are checked and resolved. It may not run code, as it could by
//! writing a file of its choice, whose content the pages choose. So it reads and writes only below
//! its own folder, writes no name that other programs act on, replaces only reports, and cannot
//! set the options that replace documents.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use absolve::batch::{Enclosure, is_descriptor};
use absolve::report;

use super::file_names::{
    OUTSIDE, check_extension, check_name, has_dot_name, is_document_name, plain,
};
use super::keys::{Keys, TextKind};
use super::toml::Setting;
use crate::args::FormatArg;
use crate::session::failure::{Failure, reason};
use crate::session::file_ends::ends;
use crate::terminal::{printable, printable_path};

/// Options that the user has to type.
const TYPED_ONLY: &[&str] = &[
    "break-hardlinks",
    "cdxj",
    "copy-assets",
    "fix",
    "force",
    "unsafe-fixes",
    "write",
    "write-baseline",
];

/// Suffixes that it may set for backups: none makes a program of a document.
const SUFFIXES: &[&str] = &[".orig", ".bak", ".old", "~"];

/// The extensions of a history.
const HISTORY: &[&str] = &["jsonl"];

/// The folder of a configuration that was found.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    /// The prefix of the paths in it.
    path: PathBuf,
    enclosure: Enclosure,
}

impl OwnFolder {
    /// Opens the folder of a configuration.
    pub(super) fn new(file: &Path) -> Result<Self, Failure> {
        let path = file.parent().unwrap_or(Path::new("")).to_owned();
        let folder = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
        let opened = Enclosure::new(folder).map_err(|error| unread(file, &error));
        Ok(Self { enclosure: opened?, path })
    }

    /// Opens a file that is in the folder.
    pub(super) fn open(&self, file: &Path) -> Result<File, Failure> {
        self.enclosure.open(file).map_err(|error| unread(file, &error))
    }

    /// Rejects a setting that is not allowed in a configuration found on disk.
    pub(super) fn check(&self, keys: &Keys, setting: &Setting) -> Result<(), String> {
        let key = &*setting.key;
        let is_followed = keys.table() == "rewrite" && key == "follow-symlinks";
        if (TYPED_ONLY.contains(&key) || is_followed) && setting.argument.is_some() {
            return Err(format!(
                "'{key}' is not allowed in a configuration that is found automatically; type --{key}, \
                 or name the file with --config"
            ));
        }
        let value = Path::new(&setting.value);
        let wrong = |why: String| {
            let value = printable(&setting.value);
            format!(
                "'{key}' may not be '{value}': {why}; give --{key}, or trust this file with --config"
            )
        };
        match keys.get(key).map(|key| key.text_kind()) {
            Some(TextKind::PathAfterName) => Self::check_report(&setting.value).map_err(wrong),
            Some(TextKind::Path) if key == "output" => self.check_output(value).map_err(wrong),
            Some(TextKind::Path) if key == "path" => {
                let checked = self.check_path(keys, value);
                // PATH has no option.
                checked.map_err(|why| wrong(why).replace("give --path", "give it as PATH"))
            }
            Some(TextKind::Path) if key == "history" => {
                let named = check_name(value).and_then(|()| check_extension(value, HISTORY));
                let checked = named.and_then(|()| self.check_read(&self.path.join(value)));
                checked.map(|_| ()).map_err(wrong)
            }
            Some(TextKind::Path) => {
                self.check_read(&self.path.join(value)).map(|_| ()).map_err(wrong)
            }
            _ if key == "backup" && !SUFFIXES.contains(&&*setting.value) => {
                Err(wrong(format!("only {} are taken from it", SUFFIXES.join(", "))))
            }
            Some(TextKind::Text) | None => Ok(()),
        }
    }

    fn check_report(value: &str) -> Result<(), String> {
        let Some(arg) = FormatArg::parse(OsStr::new(value)) else { return Ok(()) };
        let Some(file) = arg.file else { return Ok(()) };
        check_name(&file)?;
        check_extension(&file, arg.format.extensions())
    }

    /// The output may be a folder or a new file, and no symbolic link leads to it.
    fn check_output(&self, value: &Path) -> Result<(), String> {
        if value == Path::new("-") {
            return Ok(());
        }
        check_name(value)?;
        let mut path = self.path.clone();
        for part in plain(value).components() {
            path.push(part);
            match path.symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(metadata) if metadata.is_symlink() => {
                    return Err(format!("{} is a symbolic link", printable_path(&path)));
                }
                Ok(_) => return Err(format!("{} exists", printable_path(&path))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(reason(&error)),
            }
        }
        Ok(())
    }

    /// PATH may not contain the configuration itself: its files may come from anybody.
    fn check_path(&self, keys: &Keys, value: &Path) -> Result<(), String> {
        let below = if keys.table() == "rewrite" {
            check_name(value)?;
            self.check_rewritten(&self.path.join(value))?
        } else {
            self.check_read(&self.path.join(value))?
        };
        match below {
            Some(below) if below.as_os_str().is_empty() => {
                Err("the configuration is in that folder".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Checks a path to rewrite: a document or a folder with no dot name in it, by the given path
    /// and by its canonical path.
    pub(crate) fn check_rewritten(&self, path: &Path) -> Result<Option<PathBuf>, String> {
        let Some(below) = self.check_read(path)? else { return Ok(None) };
        let given = path.strip_prefix(&self.path).unwrap_or(path);
        if has_dot_name(given) || has_dot_name(&below) {
            return Err("a name in its path begins with a dot".to_owned());
        }
        let is_named = |path: &Path| path.file_name().is_some_and(is_document_name);
        if !(path.is_dir() || is_named(path) && is_named(&below)) {
            return Err("its name is not that of a document".to_owned());
        }
        Ok(Some(below))
    }

    /// Checks a path to read, and returns its canonical path in the folder if it exists.
    pub(crate) fn check_read(&self, path: &Path) -> Result<Option<PathBuf>, String> {
        // The name of an open pipe cannot be resolved, but can be opened.
        if is_descriptor(path) {
            return Err("it is an open descriptor, not a file of its folder".to_owned());
        }
        let below = match self.enclosure.below(path) {
            Ok(below) => below.ok_or(OUTSIDE)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.check_absent(path)?;
                return Ok(None);
            }
            Err(error) => return Err(reason(&error)),
        };
        match path.metadata() {
            Ok(metadata) if metadata.is_file() || metadata.is_dir() => Ok(Some(below)),
            Ok(_) => Err("it is neither a regular file nor a folder".to_owned()),
            Err(error) => Err(reason(&error)),
        }
    }

    /// Checks a path that does not exist: its first existing ancestor has to be in the folder. The
    /// code that reads it reports that it is missing.
    fn check_absent(&self, path: &Path) -> Result<(), String> {
        for above in path.ancestors() {
            let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            if above.symlink_metadata().is_ok() {
                let below = self.enclosure.below(above).map_err(|error| reason(&error))?;
                return below.map(|_| ()).ok_or_else(|| OUTSIDE.to_owned());
            }
            if above.file_name().is_none() {
                break;
            }
        }
        Err(OUTSIDE.to_owned())
    }

    /// Appends a line to a history of `size` bytes.
    pub(crate) fn append_to_history(
        &self,
        file: &Path,
        size: u64,
        line: &[u8],
    ) -> Result<(), Failure> {
        self.replace(file, HISTORY, (size, line), |old| {
            Ok(old.metadata()?.len() == size && report::is_history(&ends(old)?.0))
        })
    }

    /// Writes a file with one of these extensions; replaces an existing one only if its first and
    /// last bytes are those of a report.
    pub(crate) fn write(
        &self,
        file: &Path,
        extensions: &[&str],
        bytes: &[u8],
        is_report: impl FnOnce(&[u8], &[u8]) -> bool,
    ) -> Result<(), Failure> {
        self.replace(file, extensions, (0, bytes), |old| {
            let (first, last) = ends(old)?;
            Ok(is_report(&first, &last))
        })
    }

    /// Writes a file of which the first bytes stay; replaces an existing one if `is_own` is true.
    fn replace(
        &self,
        file: &Path,
        extensions: &[&str],
        (kept, bytes): (u64, &[u8]),
        is_own: impl FnOnce(&File) -> io::Result<bool>,
    ) -> Result<(), Failure> {
        let name = printable_path(file);
        let refused = |why: String| {
            let what = format!(
                "cannot write: {why}; name the file on the command line, or trust the \
                 configuration with --config"
            );
            Failure::of(&name, what)
        };
        let below = file.strip_prefix(&self.path).unwrap_or(file);
        check_name(below).and_then(|()| check_extension(below, extensions)).map_err(&refused)?;
        let mut is_other = false;
        let written = self.enclosure.write(&plain(below), kept, bytes, |old| {
            is_other = !is_own(old)?;
            Ok(!is_other)
        });
        written.map_err(|error| {
            let other = "it exists, and is no report that this command recognizes as its own";
            refused(if is_other { other.to_owned() } else { reason(&error) })
        })
    }
}

fn unread(file: &Path, error: &io::Error) -> Failure {
    let what = format!(
        "cannot read: {}; a configuration that was found has to be a file of its folder; \
         name another with --config, or give --no-config",
        reason(error)
    );
    Failure::of(&printable_path(file), what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{AuditArgs, RewriteArgs};

    /// Files that a command reads: a new option with a path is either here, or has a check of
    /// its own in [`OwnFolder::check`].
    const READ: &[&str] = &[
        "audit baseline",
        "audit redirects",
        "audit report-only",
        "audit root-dir",
        "audit sitemap",
        "audit sources",
        "rewrite base-map",
        "rewrite files-from",
        "rewrite map-file",
        "rewrite root-dir",
    ];

    const CHECKED: &[&str] = &[
        "audit format",
        "audit history",
        "audit path",
        "rewrite cdxj",
        "rewrite output",
        "rewrite path",
    ];

    #[test]
    fn every_path_is_known_to_be_read_or_has_a_check_of_its_own() {
        let mut found = Vec::new();
        for keys in [Keys::new::<AuditArgs>(), Keys::new::<RewriteArgs>()] {
            let paths = keys.iter().filter(|key| key.text_kind() != TextKind::Text);
            found.extend(paths.map(|key| format!("{} {}", keys.table(), key.name)));
        }
        found.sort();
        let mut listed = [READ, CHECKED].concat();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
