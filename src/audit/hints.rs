//! Hints: near matches of a path or an anchor.
//!
//! Only listed findings get hints. A [`Finder`] limits the work of a run, and [`MAX_NAMES`] the names
//! of one folder.

use crate::audit::{Answer, FileKind, Files, Safety, Server, join, split_name};

mod finder;
mod proposal;

pub use finder::Finder;
pub(crate) use finder::{Search, nearest_word};
pub use proposal::{AuthoredReference, Hint, Meant, Proposal, Wording};

/// The most names of a folder, or anchors of a page, that are compared.
pub const MAX_NAMES: usize = 4096;

/// A hint without near names, which costs only a few lookups.
fn for_path_as_is(
    files: &Files,
    server: &Server,
    path: &[u8],
    has_trailing_slash: bool,
) -> Option<Proposal> {
    if has_trailing_slash && files.kind(path) == Some(FileKind::File) {
        return Some(Proposal::new(Meant::file(path), Wording::IsFile, Some(Safety::Unsafe)));
    }
    if let Some((found, kind)) = files.ignoring_case(path).filter(|(found, _)| *found != path) {
        // A file with a slash after it is still missing.
        let is_right = kind == FileKind::Folder || !has_trailing_slash;
        let safety = is_right
            && is_page(files, server, found, kind)
            && server.is_only_in_any_case(files, path, has_trailing_slash);
        let meant = Meant::of_kind(found, kind);
        return Some(Proposal::new(meant, Wording::CaseDiffers, safety.then_some(Safety::Safe)));
    }
    by_extension(files, server, path)
}

/// Whether a link to a file or a folder is not broken; a folder needs a page.
fn is_page(files: &Files, server: &Server, path: &[u8], kind: FileKind) -> bool {
    kind == FileKind::File || matches!(server.answer(files, path, true, None), Answer::File(_))
}

/// A hint for a folder without an index page.
fn for_folder(files: &Files, folder: &[u8]) -> Option<Proposal> {
    let page = |name: &[u8]| name.ends_with(b".html") || name.ends_with(b".htm");
    let mut names = files.names_in(folder).take(MAX_NAMES);
    let beside = [folder, b".html"].concat();
    if !folder.is_empty() && files.kind(&beside) == Some(FileKind::File) {
        let safety = Some(Safety::Unsafe);
        return Some(Proposal::new(Meant::file(&beside), Wording::Exists, safety));
    }
    let (name, _) = names.find(|(name, kind)| *kind == FileKind::File && page(name))?;
    let is_only = !names.any(|(name, kind)| kind == FileKind::File && page(name));
    is_only.then(|| Proposal::new(Meant::file(&join(folder, name)), Wording::OnlyPage, None))
}

/// The first page whose name differs from a path in the extension alone.
fn by_extension(files: &Files, server: &Server, path: &[u8]) -> Option<Proposal> {
    let mut found = with_other_extension(files, server, path).into_iter();
    let first = found.next()?;
    let safety = found.all(|other| other == first).then_some(Safety::Unsafe);
    Some(Proposal::new(Meant::file(&first), Wording::Exists, safety))
}

/// The extensions of pages, and that of Markdown, which they are made from.
const EXTENSIONS: [&[u8]; 3] = [b".html", b".htm", b".md"];

/// The pages whose names differ from a path in the extension alone.
fn with_other_extension(files: &Files, server: &Server, path: &[u8]) -> Vec<Vec<u8>> {
    let (folder, name) = split_name(path).unwrap_or_default();
    let bare = EXTENSIONS.iter().find_map(|extension| name.strip_suffix(*extension));
    let bare = bare.filter(|bare| !bare.is_empty()).map(|bare| join(folder, bare));
    let index = bare.as_ref().and_then(|bare| match server.answer(files, bare, true, None) {
        Answer::File(page) => Some(page),
        _ => None,
    });
    // Generators make the index page of a folder from this file.
    let of_readme = (name == b"README.md").then(|| join(folder, b"index.html"));
    let named = |bare: &[u8]| [&b".html"[..], b".htm"].map(|extension| [bare, extension].concat());
    let is_page = |page: &Vec<u8>| page != path && files.kind(page) == Some(FileKind::File);
    let added = (!path.is_empty()).then(|| named(path)).into_iter().flatten();
    let replaced = bare.iter().flat_map(|bare| named(bare)).chain(of_readme);
    added.filter(is_page).chain(index).chain(replaced.filter(is_page)).collect()
}

/// A path with a name that does not exist.
struct MissingName<'p> {
    /// The deepest folder on the path that exists.
    folder: &'p [u8],
    /// The name that does not exist in it.
    name: &'p [u8],
    /// The path after the name.
    rest: &'p [u8],
}

impl<'p> MissingName<'p> {
    /// The first name of a path that does not exist.
    ///
    /// The search starts at the root, as a path may have any number of segments.
    fn of(files: &Files, path: &'p [u8]) -> Option<Self> {
        let (mut folder, mut from) = (&path[..0], 0);
        for slash in memchr::memchr_iter(b'/', path) {
            if files.kind(&path[..slash]) != Some(FileKind::Folder) {
                return Some(Self { folder, name: &path[from..slash], rest: &path[slash..] });
            }
            (folder, from) = (&path[..slash], slash + 1);
        }
        (!path.is_empty()).then(|| Self { folder, name: &path[from..], rest: b"" })
    }

    fn is_last(&self) -> bool {
        self.rest.is_empty()
    }

    /// The path with another name in the place of the missing one, if it exists.
    fn with(&self, files: &Files, name: &str) -> Option<(Vec<u8>, FileKind)> {
        let path = [&*join(self.folder, name.as_bytes()), self.rest].concat();
        files.kind(&path).map(|kind| (path, kind))
    }
}

#[cfg(test)]
#[path = "hints/tests.rs"]
mod tests;
