//! Hints: near matches of a path or an anchor.
//!
//! Only listed findings get hints. A [`Finder`] limits the work of a run, and [`MAX_NAMES`] the names
//! of one folder.

use crate::audit::fix::Safety;
use crate::audit::site::files::{FileKind, Files, join};
use crate::audit::site::server::{Answer, Server};

mod finder;
mod near;
mod proposal;

pub use finder::Finder;
pub(crate) use finder::Search;
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
        return Some(Proposal::new(Meant::file(path), Wording::IsFile, None));
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
fn for_folder(files: &Files, folder: &[u8]) -> Option<Hint> {
    let page = |name: &[u8]| name.ends_with(b".html") || name.ends_with(b".htm");
    let mut names = files.names_in(folder).take(MAX_NAMES);
    let beside = [folder, b".html"].concat();
    let proposed = |path: &[u8], wording| {
        Some(Hint::Proposal(Proposal::new(Meant::file(path), wording, None)))
    };
    if !folder.is_empty() && files.kind(&beside) == Some(FileKind::File) {
        return proposed(&beside, Wording::Exists);
    }
    let (name, _) = names.find(|(name, kind)| *kind == FileKind::File && page(name))?;
    let is_only = !names.any(|(name, kind)| kind == FileKind::File && page(name));
    if is_only { proposed(&join(folder, name), Wording::OnlyPage) } else { None }
}

fn by_extension(files: &Files, server: &Server, path: &[u8]) -> Option<Proposal> {
    let is_file = |path: &[u8]| files.kind(path) == Some(FileKind::File);
    let exists = |path: &[u8]| Proposal::new(Meant::file(path), Wording::Exists, None);
    for extension in [&b".html"[..], b".htm"] {
        let with = [path, extension].concat();
        if !path.is_empty() && is_file(&with) {
            return Some(exists(&with));
        }
    }
    let bare = path.strip_suffix(b".html").or_else(|| path.strip_suffix(b".htm"))?;
    if let Answer::File(page) = server.answer(files, bare, true, None) {
        return Some(exists(&page));
    }
    let extension = if path.ends_with(b".html") { &b".htm"[..] } else { b".html" };
    let other = [bare, extension].concat();
    is_file(&other).then(|| exists(&other))
}

/// A path with a name that does not exist.
struct MissingName<'p> {
    path: &'p [u8],
    /// The deepest folder on the path that exists.
    folder: &'p [u8],
    /// The name that does not exist in it.
    name: &'p [u8],
}

impl<'p> MissingName<'p> {
    fn of(files: &Files, path: &'p [u8]) -> Option<Self> {
        let (folder, name) = first_missing(files, path)?;
        Some(Self { path, folder, name })
    }

    fn is_last(&self) -> bool {
        let Self { path, folder, name } = self;
        folder.len() + usize::from(!folder.is_empty()) + name.len() == path.len()
    }

    /// The hint that proposes `found`, a name in the folder.
    fn hint(&self, files: &Files, server: &Server, found: &str, safety: Option<Safety>) -> Hint {
        let missing = join(self.folder, self.name);
        let mut meant = join(self.folder, found.as_bytes());
        if !self.is_last() {
            meant.extend_from_slice(&self.path[self.path.len().min(missing.len())..]);
        }
        let Some(kind) = files.kind(&meant) else {
            let name = String::from_utf8_lossy(self.name);
            return Hint::Text(format!("there is no folder '{name}', only '{found}'"));
        };
        let safety = safety.filter(|_| is_page(files, server, &meant, kind));
        Hint::Proposal(Proposal::new(Meant::of_kind(&meant, kind), Wording::DidYouMean, safety))
    }
}

/// The deepest folder on a path that exists, and the name that it lacks.
///
/// The search starts at the root, as a path may have any number of segments.
fn first_missing<'p>(files: &Files, path: &'p [u8]) -> Option<(&'p [u8], &'p [u8])> {
    let (mut folder, mut from) = (&path[..0], 0);
    for slash in memchr::memchr_iter(b'/', path) {
        if files.kind(&path[..slash]) != Some(FileKind::Folder) {
            return Some((folder, &path[from..slash]));
        }
        (folder, from) = (&path[..slash], slash + 1);
    }
    (!path.is_empty()).then(|| (folder, &path[from..]))
}

#[cfg(test)]
#[path = "hints/tests.rs"]
mod tests;
