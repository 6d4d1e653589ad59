//! Finds the hints of a run, within a limit of work.

use crate::audit::fix::Safety;
use crate::audit::hints::near::Misspelt;
use crate::audit::hints::{
    Hint, MAX_NAMES, Meant, MissingName, Proposal, Wording, for_folder, for_path_as_is,
};
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
    /// The bytes of its text.
    pub(crate) fn text_size(&self) -> usize {
        match self {
            Self::Path { path, .. } | Self::Folder(path) => path.len(),
            Self::Anchor { anchor, .. } => anchor.len(),
        }
    }
}

/// The work of a run, in pairs of letters that are compared: less than half a second.
const MAX_EFFORT: usize = 1 << 28;

/// The work for a name that is not near, because of its length or its digits.
const NAME_EFFORT: usize = 32;

/// Finds hints, until the work of a run is done.
pub struct Finder<'f> {
    files: &'f Files,
    server: &'f Server,
    effort_left: usize,
    /// Searches that were refused because no work was left.
    pub(crate) refused: u64,
}

impl<'f> Finder<'f> {
    /// Finds hints in the files of a server.
    #[must_use]
    pub fn new(files: &'f Files, server: &'f Server) -> Self {
        Self { files, server, effort_left: MAX_EFFORT, refused: 0 }
    }

    /// The hint of a search, except for anchors, for which pages must be read.
    pub(crate) fn search(&mut self, search: &Search) -> Option<Hint> {
        match search {
            Search::Path { path, has_trailing_slash } => self.path(path, *has_trailing_slash),
            Search::Folder(folder) => {
                self.spend(MAX_NAMES.min(self.files.len()))?;
                for_folder(self.files, folder)
            }
            Search::Anchor { .. } => None,
        }
    }

    /// A hint for a path that does not exist.
    ///
    /// It tries, in this order: the path without its slash, in another case, with or without an
    /// extension, the folder's page, and a name that differs in few letters.
    pub fn path(&mut self, path: &[u8], has_trailing_slash: bool) -> Option<Hint> {
        for_path_as_is(self.files, self.server, path, has_trailing_slash)
            .map(Hint::Proposal)
            .or_else(|| self.near(path))
    }

    /// The hint for the first name on the path that does not exist.
    fn near(&mut self, path: &[u8]) -> Option<Hint> {
        let files = self.files;
        let missing = MissingName::of(files, path)?;
        let is_last = missing.is_last();
        let meant = files
            .names_in(missing.folder)
            .take(MAX_NAMES)
            .filter(|(_, kind)| is_last || *kind == FileKind::Folder)
            .filter_map(|(name, _)| str::from_utf8(name).ok());
        let (found, safety) = self.nearest(str::from_utf8(missing.name).ok()?, meant)?;
        // A path that differs in case alone was found before.
        Some(missing.hint(files, self.server, found, safety.map(|_| Safety::Unsafe)))
    }

    /// A hint for an anchor, percent-decoded, that a page with other anchors does not have.
    pub(crate) fn anchor<'n>(
        &mut self,
        anchor: &str,
        anchors: impl IntoIterator<Item = &'n str>,
    ) -> Option<Hint> {
        let (found, safety) = self.nearest(anchor, anchors.into_iter().take(MAX_NAMES))?;
        let meant = Meant::Anchor(found.to_owned());
        Some(Hint::Proposal(Proposal::new(meant, Wording::DidYouMean, safety)))
    }

    /// The nearest of some names, the first of several, and how certain it is that it is meant: safe
    /// if it differs in case alone and no other name does, unsafe if it differs in one letter and no
    /// other name does.
    fn nearest<'n>(
        &mut self,
        name: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<(&'n str, Option<Safety>)> {
        self.spend(1)?;
        let misspelt = Misspelt::new(name);
        let mut best = None;
        let mut is_only = true;
        for other in names {
            let mut effort = NAME_EFFORT;
            let nearness = misspelt.nearness(other, &mut effort);
            self.effort_left = self.effort_left.saturating_sub(effort);
            let Some(nearness) = nearness else { continue };
            match best {
                Some((nearest, _)) if nearest < nearness => {}
                // An anchor may have its name twice, as `id` and `name`.
                Some((nearest, found)) if nearest == nearness => is_only &= found == other,
                _ => (best, is_only) = (Some((nearness, other)), true),
            }
        }
        let (nearness, found) = best?;
        Some((found, nearness.safety().filter(|_| is_only)))
    }

    /// Takes some of the work that is left; `None` if there is none.
    fn spend(&mut self, effort: usize) -> Option<()> {
        self.refused += u64::from(self.effort_left == 0);
        let left = self.effort_left.checked_sub(1)?;
        self.effort_left = left.saturating_sub(effort - 1);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_effort_left_is_counted() {
        let (files, server) = (Files::of(&["guide.html"]), Server::default());
        let mut finder = Finder { effort_left: 2, ..Finder::new(&files, &server) };
        assert!(finder.path(b"giude.html", false).is_some());
        assert!(finder.path(b"giude.html", false).is_none());
        assert_eq!(finder.refused, 1);
    }
}
