//! Finds the hints of a run, within a limit of work.

use std::collections::HashMap;

use crate::audit::fix::Safety;
use crate::audit::hints::names::{Effort, Names};
use crate::audit::hints::{Hint, MAX_NAMES, MissingName, for_folder, for_path_as_is};
use crate::audit::site::files::{FileKind, Files};
use crate::audit::site::server::Server;

/// The search for a hint.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Search {
    /// A path that does not exist.
    Path { path: Box<[u8]>, has_trailing_slash: bool },
    /// A folder without an index page.
    Folder(Box<[u8]>),
    /// A percent-decoded anchor that the page of this number does not have.
    Anchor { file: usize, anchor: Box<str> },
}

impl Search {
    /// Whether it may find a name that is at least so certain; costs only a few lookups.
    pub(crate) fn may_find(&self, safety: Safety, files: &Files, server: &Server) -> bool {
        match self {
            Self::Path { path, has_trailing_slash } if safety == Safety::Safe => {
                // Near names are less certain.
                let found = for_path_as_is(files, server, path, *has_trailing_slash);
                found.is_some_and(|proposal| proposal.safety == Some(Safety::Safe))
            }
            Self::Folder(_) => false,
            Self::Path { .. } | Self::Anchor { .. } => true,
        }
    }

    /// The bytes of its text.
    pub(crate) fn text_size(&self) -> usize {
        match self {
            Self::Path { path, .. } | Self::Folder(path) => path.len(),
            Self::Anchor { anchor, .. } => anchor.len(),
        }
    }
}

/// The most names of folders that are kept at a time.
const MAX_KEPT: usize = 1 << 16;

/// Finds hints for paths.
pub(crate) struct Finder<'f> {
    files: &'f Files,
    server: &'f Server,
    folders: HashMap<&'f [u8], Folder<'f>>,
    /// The number of their names.
    kept: usize,
    effort: Effort,
}

/// The names of a folder, and which of them are folders.
struct Folder<'f> {
    names: Names<'f>,
    are_folders: Vec<bool>,
}

impl<'f> Finder<'f> {
    pub(crate) fn new(files: &'f Files, server: &'f Server) -> Self {
        Self { files, server, folders: HashMap::new(), kept: 0, effort: Effort::default() }
    }

    /// The number of searches that were refused because the effort was used up.
    pub(crate) fn refused(&self) -> u64 {
        self.effort.refused
    }

    /// The hint of a search, except for anchors, for which pages must be read.
    pub(crate) fn search(&mut self, search: &Search) -> Option<Hint> {
        match search {
            Search::Path { path, has_trailing_slash } => self.path(path, *has_trailing_slash),
            Search::Folder(folder) => {
                let names = if self.effort.allows() { MAX_NAMES } else { return None };
                self.effort.spend(names.min(self.files.len()));
                for_folder(self.files, folder)
            }
            Search::Anchor { .. } => None,
        }
    }

    pub(crate) fn path(&mut self, path: &[u8], has_trailing_slash: bool) -> Option<Hint> {
        for_path_as_is(self.files, self.server, path, has_trailing_slash)
            .map(Hint::Proposal)
            .or_else(|| self.near(path))
    }

    /// The hint for the first name on the path that does not exist.
    fn near(&mut self, path: &[u8]) -> Option<Hint> {
        let files = self.files;
        let missing = MissingName::of(files, path)?;
        let name = std::str::from_utf8(missing.name).ok()?;
        let (folder, _) = files.get(files.find(missing.folder)?)?;
        let is_last = missing.is_last();
        self.open(folder);
        let Self { folders, effort, .. } = self;
        let Folder { names, are_folders } = folders.get_mut(folder)?;
        let is_meant = |number: usize| is_last || are_folders[number];
        let found = names.nearest(name, effort, is_meant)?;
        let found = names.get(found);
        // A path that differs in case alone was found before.
        let safety = names.certainty(name, found, effort, is_meant).map(|_| Safety::Unsafe);
        Some(missing.hint(files, self.server, found, safety))
    }

    /// Reads the names of a folder, unless they are known.
    fn open(&mut self, folder: &'f [u8]) {
        if self.folders.contains_key(folder) {
            return;
        }
        if self.kept > MAX_KEPT {
            self.folders.clear();
            self.kept = 0;
        }
        let entries = self.files.names_in(folder).take(MAX_NAMES);
        let readable =
            entries.filter_map(|(name, kind)| Some((std::str::from_utf8(name).ok()?, kind)));
        let (texts, kinds): (Vec<_>, Vec<_>) = readable.unzip();
        let are_folders = kinds.into_iter().map(|kind| kind == FileKind::Folder).collect();
        let names = Names::new(texts);
        self.kept += names.len();
        self.effort.spend(names.len() * 4);
        self.folders.insert(folder, Folder { names, are_folders });
    }
}
