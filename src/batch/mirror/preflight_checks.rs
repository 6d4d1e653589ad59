//! Checks of an output folder before anything is written.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::folder::Folder;
use super::super::temporary::Temporary;
use super::super::tree::{RootKind, Tree};
use crate::error::Diagnosis;

/// Refuses an output folder, `opened` if it is there, that overlaps with the tree.
pub(super) fn check_separate(
    tree: &Tree,
    path: &Path,
    opened: Option<&Folder>,
) -> Result<(), Diagnosis> {
    let real = real(path);
    let own = opened.and_then(|folder| folder.own_identity().ok());
    for root in &tree.roots {
        let input = root.shown.display().to_string();
        let is_same = own
            .zip(root.folder.own_identity().ok())
            .is_some_and(|(own, other)| own.is_same_file(&other));
        if is_same || real == root.real {
            let what = match root.kind {
                RootKind::Folder => {
                    "it is the input tree itself; give another, or {w} to rewrite in place"
                }
                RootKind::File => "the input is in it; give another, or {w} to rewrite in place",
            };
            return Err(Diagnosis::from_words(what, &[]));
        }
        // One file's output could be another one's input.
        if root.kind == RootKind::File && root.real.starts_with(&real) {
            let what = "an input is in it and could be written over; give another, or {w} to rewrite in place";
            return Err(Diagnosis::from_words(what, &[]));
        }
        if root.kind == RootKind::Folder && real.starts_with(&root.real) {
            let what = "it is inside the input tree {}; give one outside of it";
            return Err(Diagnosis::from_words(what, &[&input]));
        }
        if root.kind == RootKind::Folder && root.real.starts_with(&real) {
            let what = "the input tree {} is inside it; give another";
            return Err(Diagnosis::from_words(what, &[&input]));
        }
    }
    Ok(())
}

/// The path without symbolic links, also if its end does not exist yet.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for above in path.ancestors() {
        if let Ok(real) = above.canonicalize() {
            return real.join(path.strip_prefix(above).unwrap_or(Path::new("")));
        }
    }
    path
}

/// Which names a file system treats as equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameComparison {
    /// Only identical names.
    Exact,
    /// Also names that differ in case or in Unicode composition.
    Folded,
}

impl NameComparison {
    /// Probes the file system of a folder.
    pub(super) fn of(folder: &Arc<Folder>) -> io::Result<Self> {
        let probe = Temporary::new(folder, 0o600, None)?;
        let upper = probe.name().to_ascii_uppercase();
        Ok(if folder.identity(OsStr::new(&upper)).is_ok() { Self::Folded } else { Self::Exact })
    }

    fn key(self, path: &Path) -> PathBuf {
        match self {
            Self::Exact => path.to_owned(),
            Self::Folded => {
                use unicode_normalization::UnicodeNormalization;
                let folded = path.to_string_lossy().to_lowercase();
                PathBuf::from(folded.nfc().collect::<String>())
            }
        }
    }
}

/// Finds two files, or a file and a folder, with the same output name.
pub(super) fn collisions(tree: &Tree, names: NameComparison) -> Result<(), (PathBuf, String)> {
    if names == NameComparison::Exact && tree.roots.len() <= 1 {
        return Ok(());
    }
    // By output name: the path of the input, and the path as the user gave it.
    let mut outputs: HashMap<PathBuf, (PathBuf, PathBuf)> = HashMap::new();
    let mut claim = |output: &Path, from: &Path, shown: &Path| {
        let claimed = || (from.to_owned(), shown.to_owned());
        let (first, first_shown) = outputs.entry(names.key(output)).or_insert_with(claimed);
        if first == from {
            return Ok(());
        }
        let what = format!(
            "it would have the same name in the output as {}; rename one, or leave one out",
            first_shown.display()
        );
        Err((shown.to_owned(), what))
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
        // A path as it was given may have fewer folders than the real one.
        let mut shown = shown.ancestors().skip(1).filter(|shown| !shown.as_os_str().is_empty());
        for (output, from) in folders.zip(from.ancestors()) {
            claim(output, from, shown.next().unwrap_or(from))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_where_the_file_system_folds_them() {
        let key = |path: &str| NameComparison::Folded.key(Path::new(path));
        assert_eq!(key("A/B.html"), key("a/b.HTML"));
        assert_eq!(key("e\u{301}"), key("\u{c9}"));
        assert_ne!(key("a"), key("b"));
        assert_ne!(
            NameComparison::Exact.key(Path::new("A")),
            NameComparison::Exact.key(Path::new("a"))
        );
    }
}
