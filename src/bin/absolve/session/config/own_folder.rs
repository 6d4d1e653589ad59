//! What a configuration may do that was found, and not named by `--config`.
//!
//! A checkout brings its configuration along, so in CI on a pull request it is a stranger's.
//! It may choose how links are checked and resolved. It may not run code: that is what a file
//! in a place of its choice would do, whose content the pages choose. So it reads and writes
//! below its own folder alone, writes nothing under a name that other programs obey, replaces
//! reports alone, and leaves the options to the user that replace documents.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use absolve::batch::{Enclosure, is_descriptor};

use super::file_names::{
    OUTSIDE, check_extension, check_name, has_dot_name, is_document_name, plain,
};
use super::keys::{Holds, Keys};
use super::toml::Setting;
use crate::args::FormatArg;
use crate::session::failure::{Failure, reason};
use crate::terminal::{printable, printable_path};

/// Flags that the user has to type.
const TYPED_ONLY: &[&str] = &["break-hardlinks", "copy-assets", "force", "write", "write-baseline"];

/// What it may append to the names of replaced documents: nothing that makes a program of one.
const SUFFIXES: &[&str] = &[".orig", ".bak", ".old", "~"];

/// How much of each end of a file is looked at to recognize it.
const END: u64 = 1 << 16;

/// The folder of a configuration that was found.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    /// As the paths in it begin.
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

    /// Whether a setting is one that a configuration may make that was found; the error says
    /// why not.
    pub(super) fn check(&self, keys: &Keys, setting: &Setting) -> Result<(), String> {
        let key = &*setting.key;
        let is_followed = keys.table() == "rewrite" && key == "follow-symlinks";
        if (TYPED_ONLY.contains(&key) || is_followed) && setting.argument.is_some() {
            return Err(format!(
                "'{key}' is not allowed in a configuration that is found by itself; type --{key}, \
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
        match keys.get(key).map(|key| key.holds()) {
            Some(Holds::PathAfterName) => Self::check_report(&setting.value).map_err(wrong),
            Some(Holds::Path) if key == "output" => self.check_output(value).map_err(wrong),
            Some(Holds::Path) if key == "path" => {
                let checked = self.check_path(keys, value);
                // PATH has no option.
                checked.map_err(|why| wrong(why).replace("give --path", "give it as PATH"))
            }
            Some(Holds::Path) => self.check_read(&self.path.join(value)).map(|_| ()).map_err(wrong),
            _ if key == "backup" && !SUFFIXES.contains(&&*setting.value) => {
                Err(wrong(format!("only {} are taken from it", SUFFIXES.join(", "))))
            }
            Some(Holds::Text) | None => Ok(()),
        }
    }

    fn check_report(value: &str) -> Result<(), String> {
        let Some(arg) = FormatArg::parse(OsStr::new(value)) else { return Ok(()) };
        let Some(file) = arg.file else { return Ok(()) };
        check_name(&file)?;
        check_extension(&file, arg.format.extensions())
    }

    /// A folder or a new file, through no symbolic link.
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

    /// A PATH: not what the configuration itself is in, whose files may be anybody's.
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

    /// Something to rewrite: a document or a folder in which no name begins with a dot, by the
    /// path that is given and by the one that it leads to.
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

    /// Something to read: where it leads to below the folder, if anything is there.
    pub(crate) fn check_read(&self, path: &Path) -> Result<Option<PathBuf>, String> {
        // A pipe that is open has a name that leads nowhere, and can be opened all the same.
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
            Ok(_) => Err("it is no regular file and no folder".to_owned()),
            Err(error) => Err(reason(&error)),
        }
    }

    /// A path that does not exist, which the code that reads it reports: it is below the folder
    /// if the first folder above it that exists is, and no name in between leads elsewhere.
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

    /// Writes a file whose name ends in one of these extensions; one that is there only if its
    /// first and last bytes are those of a report.
    pub(crate) fn write(
        &self,
        file: &Path,
        extensions: &[&str],
        bytes: &[u8],
        is_report: impl FnOnce(&[u8], &[u8]) -> bool,
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
        let written = self.enclosure.write(&plain(below), bytes, |old| {
            let (first, last) = ends(old)?;
            is_other = !is_report(&first, &last);
            Ok(!is_other)
        });
        written.map_err(|error| {
            let other = "it exists, and is no report that this command recognizes as its own";
            refused(if is_other { other.to_owned() } else { reason(&error) })
        })
    }
}

/// The first and the last bytes of a file.
fn ends(file: &File) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut file = file;
    let (mut first, mut last) = (Vec::new(), Vec::new());
    file.take(END).read_to_end(&mut first)?;
    file.seek(SeekFrom::Start(file.metadata()?.len().saturating_sub(END)))?;
    file.take(END).read_to_end(&mut last)?;
    Ok((first, last))
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
        "rewrite base-map",
        "rewrite files-from",
        "rewrite root-dir",
    ];

    const CHECKED: &[&str] = &["audit format", "audit path", "rewrite output", "rewrite path"];

    #[test]
    fn every_path_is_known_to_be_read_or_has_a_check_of_its_own() {
        let mut found = Vec::new();
        for keys in [Keys::new::<AuditArgs>(), Keys::new::<RewriteArgs>()] {
            let paths = keys.iter().filter(|key| key.holds() != Holds::Text);
            found.extend(paths.map(|key| format!("{} {}", keys.table(), key.name)));
        }
        found.sort();
        let mut listed = [READ, CHECKED].concat();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
