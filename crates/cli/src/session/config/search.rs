//! Which file is the configuration, and its text.

use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::toml;

use crate::session::failure::{Failure, reason};
use crate::terminal::printable_path;

/// The file name that is searched for.
const NAME: &str = "absolve.toml";

/// The most bytes of a configuration.
const MOST: u64 = 1 << 20;

/// Searches the current folder and those above it, up to the first with `.git`, but no folder that
/// the command works on.
pub(super) fn find(paths: &[PathBuf]) -> Result<Option<PathBuf>, Failure> {
    let current = env::current_dir().map_err(|error| {
        let what = format!("cannot be found: {}; give --no-config", reason(&error));
        Failure::of("the current folder", what)
    })?;
    let (mut worked_on, mut unknown) = (Vec::new(), Ok(()));
    for path in paths {
        match path.canonicalize() {
            Ok(real) => worked_on.push(real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // A configuration may be in it.
            Err(error) => unknown = Err(unread(path, &error)),
        }
    }
    let is_worked_on = |folder: &Path| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let real = folder.canonicalize().map_err(|error| unread(folder, &error))?;
        Ok::<_, Failure>(worked_on.iter().any(|path| real.starts_with(path)))
    };
    // Relative, so that messages show the paths in it as a user would write them.
    let mut path = PathBuf::new();
    for _ in current.ancestors() {
        let file = path.join(NAME);
        if !is_worked_on(&path)? {
            match file.symlink_metadata() {
                Ok(_) => return unknown.map(|()| Some(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(unread(&file, &error)),
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
pub(super) fn read(file: &Path, opened: File) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = opened.take(MOST + 1).read_to_end(&mut bytes);
    read.map_err(|error| unread(file, &error))?;
    if bytes.len() as u64 > MOST {
        let what = "it is larger than 1 MiB, which no configuration is; give another";
        return Err(Failure::of(&printable_path(file), what));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let what = "it is not UTF-8 here; save it as UTF-8";
        toml::failure(file, &good, good.len(), what)
    })
}

/// The failure of a configuration that cannot be read.
pub(super) fn unread(file: &Path, error: &io::Error) -> Failure {
    let what = format!("cannot read: {}; give another, or --no-config", reason(error));
    Failure::of(&printable_path(file), what)
}
