//! The files that `absolve rewrite` may write if a configuration found on disk chooses them.
//!
//! It may choose documents. It may not choose files that other programs run or act on, such as a
//! hook in `.git`: the author of the pages determines what is written.

use std::path::{Path, PathBuf};

use absolve::batch::{Item, Kind, Tree};

use super::configured::Configured;
use super::file_names::{has_dot_name, is_document_name};
use super::own_folder::OwnFolder;
use super::settings::Settings;

/// Keys that choose files to rewrite, or places to write to.
const CHOOSING: &[&str] = &["path", "files-from", "include", "output"];

/// Restrictions on the files that a configuration found on disk chooses.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Confinement<'a> {
    /// The folder of the configuration, if it sets `files-from`.
    pub(crate) list_folder: Option<&'a OwnFolder>,
    /// Whether it chooses any files.
    is_any: bool,
    /// Whether it sets the names of documents.
    is_of_names: bool,
    /// Whether it sets the output.
    is_of_output: bool,
}

impl<'a> Confinement<'a> {
    /// The restrictions on the settings of a command.
    pub(crate) fn new<A: Configured>(settings: &'a Settings<A>) -> Self {
        Self {
            list_folder: settings.confined("files-from"),
            is_any: CHOOSING.iter().any(|key| settings.confined(key).is_some()),
            is_of_names: settings.confined("include").is_some(),
            is_of_output: settings.confined("output").is_some(),
        }
    }

    /// Removes files from a tree that may not be written, and returns their paths.
    pub(crate) fn apply(self, tree: &mut Tree) -> Vec<PathBuf> {
        let mut left_out = Vec::new();
        if self.is_any {
            tree.retain(|tree, item| {
                let is_allowed = self.allows(tree, item);
                if !is_allowed {
                    left_out.push(tree.path(item));
                }
                is_allowed
            });
        }
        left_out
    }

    fn allows(self, tree: &Tree, item: &Item) -> bool {
        let is_document = match item.kind() {
            Kind::Document => true,
            Kind::Other | Kind::Link => false,
            // Nothing is written.
            _ => return true,
        };
        if self.is_of_output && has_dot_name(&tree.path_in_output(item)) {
            return false;
        }
        // The user gave its path, or it was checked when the list was read.
        if tree.is_given(item) {
            return true;
        }
        let (found, real) = (tree.below_root(item), tree.real_below_root(item));
        let is_named = |path: &Path| path.file_name().is_some_and(is_document_name);
        let has_name = !is_document
            || (!self.is_of_names || is_named(&found)) && (tree.is_own(item) || is_named(&real));
        has_name && !has_dot_name(&found) && !has_dot_name(&real)
    }
}
