//! Checks a run before it writes anything.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use absolve::{Diagnosis, HasAdvice};

use super::flush::open_file_limit;
use super::folder::{Folder, resolve_links};
use super::tree::{RootKind, Tree};

/// An error that ends a run before it writes anything, with the path that it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreflightError {
    path: PathBuf,
    message: Diagnosis,
    kind: io::ErrorKind,
}

impl PreflightError {
    pub(super) fn new(path: &Path, message: impl HasAdvice) -> Self {
        Self { path: path.to_owned(), message: Diagnosis::new(message), kind: io::ErrorKind::Other }
    }

    /// Sets the kind of the corresponding system error.
    pub(super) fn with_kind(self, kind: io::ErrorKind) -> Self {
        Self { kind, ..self }
    }

    /// Returns the path that the error concerns.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the kind of the corresponding system error: `AlreadyExists` for a folder that has to
    /// be empty.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.kind
    }

    /// Returns the problem, and what to do about it.
    #[must_use]
    pub fn message(&self) -> &Diagnosis {
        &self.message
    }
}

impl fmt::Display for PreflightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for PreflightError {}

/// Refuses to write if the limit of open files is too low to remove unfinished files.
pub(super) fn check_open_files(path: &Path) -> Result<(), PreflightError> {
    const MIN_FILES: u64 = 32;
    let files = open_file_limit();
    if files < MIN_FILES {
        let why = format!("this process may open {files} files at a time; raise that (ulimit -n)");
        return Err(PreflightError::new(path, why));
    }
    Ok(())
}

/// Refuses an output folder, `opened` if it exists, that overlaps with the tree.
pub(super) fn check_separate(
    tree: &Tree,
    path: &Path,
    opened: Option<&Folder>,
) -> Result<(), Diagnosis> {
    let real = resolve_links(path);
    let output = opened.and_then(|folder| folder.own_identity().ok());
    for root in &tree.roots {
        let is_same = output
            .zip(root.folder.own_identity().ok())
            .is_some_and(|(output, input)| output.is_same_file(&input));
        let is_same = is_same || real == root.real;
        let is_inside = real.starts_with(&root.real);
        let contains_root = root.real.starts_with(&real);
        let input = root.shown.display();
        let why = match root.kind {
            RootKind::Folder if is_same => {
                "it is the input tree itself; give another, or {w} to rewrite in place"
            }
            RootKind::File if is_same => {
                "the input is in it; give another, or {w} to rewrite in place"
            }
            // The output of a file could overwrite the input of another.
            RootKind::File if contains_root => {
                "an input is in it and could be written over; give another, or {w} to rewrite in place"
            }
            RootKind::Folder if is_inside => {
                let why = format!("it is inside the input tree {input}; give one outside of it");
                return Err(Diagnosis::new(why));
            }
            RootKind::Folder if contains_root => {
                let why = format!("the input tree {input} is inside it; give another");
                return Err(Diagnosis::new(why));
            }
            _ => continue,
        };
        return Err(Diagnosis::from_words(why, &[]));
    }
    Ok(())
}

/// Refuses two files, or a file and a folder, with the same output path. With `is_folding`, paths
/// that differ only in case or in Unicode composition are the same.
pub(super) fn check_names(tree: &Tree, is_folding: bool) -> Result<(), PreflightError> {
    // The paths in a single tree differ, unless they are folded.
    if !is_folding && tree.roots.len() <= 1 {
        return Ok(());
    }
    // By output name: the path of the input, and the path as the user gave it.
    let mut outputs: HashMap<PathBuf, (PathBuf, PathBuf)> = HashMap::new();
    let mut claim = |output: &Path, from: &Path, shown: &Path| {
        let claimed = || (from.to_owned(), shown.to_owned());
        let (first, first_shown) =
            outputs.entry(fold_path(output, is_folding)).or_insert_with(claimed);
        if first == from {
            return Ok(());
        }
        let why = format!(
            "it would have the same name in the output as {}; rename one, or leave one out",
            first_shown.display()
        );
        Err(PreflightError::new(shown, why))
    };
    for item in tree.items.iter().filter(|item| item.kind.is_written()) {
        let folder = &tree.folders[item.folder];
        let root = &tree.roots[folder.root];
        let (output, from) = (
            tree.output_folder(item.folder),
            root.real.iter().chain(&folder.path).collect::<PathBuf>(),
        );
        let shown = tree.path(item);
        claim(&output.join(&item.name), &from.join(&item.name), &shown)?;
        let folders = output.ancestors().filter(|output| !output.as_os_str().is_empty());
        // The given path may have fewer folders than the real one.
        let mut shown = shown.ancestors().skip(1).filter(|shown| !shown.as_os_str().is_empty());
        for (output, from) in folders.zip(from.ancestors()) {
            claim(output, from, shown.next().unwrap_or(from))?;
        }
    }
    Ok(())
}

/// Folds a path to the form in which the file system compares names.
fn fold_path(path: &Path, is_folding: bool) -> PathBuf {
    use unicode_normalization::UnicodeNormalization;
    if !is_folding {
        return path.to_owned();
    }
    path.to_string_lossy().to_lowercase().nfc().collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_where_the_file_system_folds_them() {
        let folded = |path: &str| fold_path(Path::new(path), true);
        assert_eq!(folded("A/B.html"), folded("a/b.HTML"));
        assert_eq!(folded("e\u{301}"), folded("\u{c9}"));
        assert_ne!(folded("a"), folded("b"));
        assert_ne!(fold_path(Path::new("A"), false), fold_path(Path::new("a"), false));
    }
}
