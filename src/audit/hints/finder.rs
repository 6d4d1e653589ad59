//! Finds the hints of a run, within a limit of work.

use crate::audit::fix::Safety;
use crate::audit::hints::near::{Misspelt, Nearness};
use crate::audit::hints::{
    Hint, MAX_NAMES, Meant, MissingName, Proposal, Wording, for_folder, for_path_as_is, is_page,
};
use crate::audit::site::files::{FileKind, Files, split_name};
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
                for_folder(self.files, folder).map(Hint::Proposal)
            }
            Search::Anchor { .. } => None,
        }
    }

    /// A hint for a path that does not exist.
    ///
    /// It tries, in this order: the path without its slash, in another case, with another extension,
    /// a name that differs in few letters, and the same name in another folder. The first candidate
    /// is a fix if it is the only one of its kind.
    pub fn path(&mut self, path: &[u8], has_trailing_slash: bool) -> Option<Hint> {
        if let Some(found) = for_path_as_is(self.files, self.server, path, has_trailing_slash) {
            return Some(Hint::Proposal(found));
        }
        self.spend(1)?;
        match self.near(path) {
            Near::Close(hint) => Some(hint),
            Near::Far(hint) => {
                self.moved(path, has_trailing_slash).map(Hint::Proposal).or(Some(hint))
            }
            Near::Nothing => self.moved(path, has_trailing_slash).map(Hint::Proposal),
        }
    }

    /// The hint for the first name on the path that does not exist. Of several folders with near
    /// names, those with the rest of the path are likelier.
    fn near(&mut self, path: &[u8]) -> Near {
        let (files, server) = (self.files, self.server);
        let Some(missing) = MissingName::of(files, path) else { return Near::Nothing };
        let Ok(name) = str::from_utf8(missing.name) else { return Near::Nothing };
        let mut names = files.names_in(missing.folder);
        let compared = names
            .by_ref()
            .take(MAX_NAMES)
            .filter(|(_, kind)| missing.is_last() || *kind == FileKind::Folder)
            .filter_map(|(name, _)| str::from_utf8(name).ok());
        let mut near = self.near_names(name, compared);
        let exists = |(_, name): &(Nearness, &str)| missing.with(files, name).is_some();
        if near.iter().any(exists) {
            near.retain(exists);
        }
        let Some(Nearest { nearness, name: found, is_only }) = Nearest::of(&near) else {
            return Near::Nothing;
        };
        let Some((meant, kind)) = missing.with(files, found) else {
            let text = format!("there is no folder '{name}', only '{found}'");
            return Near::Far(Hint::Text(text));
        };
        // A path that differs in case alone was found before.
        let is_close = nearness.safety().is_some() || !missing.is_last();
        let is_fix =
            is_close && is_only && names.next().is_none() && is_page(files, server, &meant, kind);
        let safety = is_fix.then_some(Safety::Unsafe);
        let meant = Meant::of_kind(&meant, kind);
        let hint = Hint::Proposal(Proposal::new(meant, Wording::DidYouMean, safety));
        if is_close { Near::Close(hint) } else { Near::Far(hint) }
    }

    /// The only file or folder of the site with the last name of a path. Every folder may have an
    /// index page, which is no sign.
    fn moved(&self, path: &[u8], has_trailing_slash: bool) -> Option<Proposal> {
        let (_, name) = split_name(path).filter(|(_, name)| !name.starts_with(b"index."))?;
        let (found, kind) = self.files.only_named(name)?;
        let is_right = kind == FileKind::Folder || !has_trailing_slash;
        let leads_there = is_right && is_page(self.files, self.server, found, kind);
        let meant = Meant::of_kind(found, kind);
        leads_there.then(|| Proposal::new(meant, Wording::Moved, Some(Safety::Unsafe)))
    }

    /// A hint for an anchor, percent-decoded, that a page with other anchors does not have: a fix is
    /// safe if it differs in case alone, unsafe if it differs in one letter, and no other name does.
    pub(crate) fn anchor<'n>(
        &mut self,
        anchor: &str,
        anchors: impl IntoIterator<Item = &'n str>,
    ) -> Option<Hint> {
        self.spend(1)?;
        let near = self.near_names(anchor, anchors.into_iter().take(MAX_NAMES));
        let Nearest { nearness, name, is_only } = Nearest::of(&near)?;
        let safety = nearness.safety().filter(|_| is_only);
        let meant = Meant::Anchor(name.to_owned());
        Some(Hint::Proposal(Proposal::new(meant, Wording::DidYouMean, safety)))
    }

    /// Those of some names that are near, and how near they are.
    fn near_names<'n>(
        &mut self,
        name: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Vec<(Nearness, &'n str)> {
        let misspelt = Misspelt::new(name);
        let mut near = Vec::new();
        for other in names {
            let mut effort = NAME_EFFORT;
            let nearness = misspelt.nearness(other, &mut effort);
            self.effort_left = self.effort_left.saturating_sub(effort);
            near.extend(nearness.map(|nearness| (nearness, other)));
        }
        near
    }

    /// Takes some of the work that is left; `None` if there is none.
    fn spend(&mut self, effort: usize) -> Option<()> {
        self.refused += u64::from(self.effort_left == 0);
        let left = self.effort_left.checked_sub(1)?;
        self.effort_left = left.saturating_sub(effort - 1);
        Some(())
    }
}

/// What a search for a near name finds.
enum Near {
    /// One edit away, or a folder that has the rest of the path.
    Close(Hint),
    /// Only similar.
    Far(Hint),
    Nothing,
}

/// The nearest of some names, the first of several.
struct Nearest<'n> {
    nearness: Nearness,
    name: &'n str,
    is_only: bool,
}

impl<'n> Nearest<'n> {
    fn of(near: &[(Nearness, &'n str)]) -> Option<Self> {
        let nearness = near.iter().map(|(nearness, _)| *nearness).min()?;
        let mut equal = near.iter().filter(|one| one.0 == nearness).map(|(_, name)| *name);
        let name = equal.next()?;
        // An anchor may have its name twice, as `id` and `name`.
        let is_only = equal.all(|other| other == name);
        Some(Self { nearness, name, is_only })
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
