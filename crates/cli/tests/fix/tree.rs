//! Trees of files: read, copied and compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "html")
}

/// Every file of a tree.
pub(crate) fn snapshot(root: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    for path in paths(root)? {
        let below = path.strip_prefix(root).map_err(message)?.to_owned();
        files.insert(below, fs::read(&path).map_err(message)?);
    }
    Ok(files)
}

/// Copies the files of a tree, without symbolic links.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<(), String> {
    for path in paths(from)? {
        let copy = to.join(path.strip_prefix(from).map_err(message)?);
        fs::create_dir_all(copy.parent().unwrap_or(to)).map_err(message)?;
        fs::copy(&path, copy).map_err(message)?;
    }
    Ok(())
}

fn paths(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(message)? {
            let entry = entry.map_err(message)?;
            let kind = entry.file_type().map_err(message)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                paths.push(entry.path());
            }
        }
    }
    Ok(paths)
}

pub(crate) fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}
