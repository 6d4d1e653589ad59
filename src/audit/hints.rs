//! Hints: near matches of a path or an anchor.
//!
//! Only listed findings get hints. An index (`Names`) finds near names; a `Finder` limits the work
//! of a run, and [`MAX_NAMES`] the names of one folder.

use crate::audit::site::files::{FileKind, Files, bytes_of, join};
use crate::audit::site::server::{Answer, Server};

mod finder;
mod names;
mod nearest;

pub(crate) use finder::{Finder, Search};
pub(crate) use names::{Effort, Names};

/// The most names of a folder, or anchors of a page, that are compared.
pub const MAX_NAMES: usize = 4096;

/// A hint for a path that does not exist.
///
/// It tries, in this order: the path without its slash, in another case, with or without an
/// extension, the folder's page, and a name that differs in few letters.
#[must_use]
pub fn for_path(
    files: &Files,
    server: &Server,
    path: &[u8],
    has_trailing_slash: bool,
) -> Option<String> {
    Finder::new(files, server).path(path, has_trailing_slash)
}

/// A hint without near names, which costs only a few lookups.
fn for_path_as_is(
    files: &Files,
    server: &Server,
    path: &[u8],
    has_trailing_slash: bool,
) -> Option<String> {
    if has_trailing_slash && files.kind(path) == Some(FileKind::File) {
        return Some(format!("{} is a file: leave out the slash", quoted(path)));
    }
    if let Some((found, _)) = files.ignoring_case(path).filter(|(found, _)| *found != path) {
        return Some(format!("the case differs: {}", quoted(found)));
    }
    by_extension(files, server, path)
}

/// A hint for a folder without an index page.
#[must_use]
pub fn for_folder(files: &Files, folder: &[u8]) -> Option<String> {
    let page = |name: &[u8]| name.ends_with(b".html") || name.ends_with(b".htm");
    let mut names = files.names_in(folder).take(MAX_NAMES);
    let beside = [folder, b".html"].concat();
    if !folder.is_empty() && files.kind(&beside) == Some(FileKind::File) {
        return Some(format!("there is {}", quoted(&beside)));
    }
    let (name, _) = names.find(|(name, kind)| *kind == FileKind::File && page(name))?;
    let is_only = !names.any(|(name, kind)| kind == FileKind::File && page(name));
    is_only.then(|| format!("its only page is {}", quoted(&join(folder, name))))
}

/// A hint for an anchor that a page does not have; `fragment` is percent-decoded.
///
/// The first anchor in another case wins, else the nearest.
#[must_use]
pub fn for_anchor<'a>(
    anchors: impl IntoIterator<Item = &'a str>,
    fragment: &str,
) -> Option<String> {
    let mut names = Names::new(anchors.into_iter().take(MAX_NAMES).collect());
    nearest_anchor(&mut names, fragment, &mut Effort::default())
}

/// A hint for an anchor, among names that serve several searches.
pub(crate) fn nearest_anchor(
    names: &mut Names<'_>,
    fragment: &str,
    effort: &mut Effort,
) -> Option<String> {
    let found = names.nearest(fragment, effort, |_| true)?;
    Some(format!("did you mean #{}?", names.get(found)))
}

fn by_extension(files: &Files, server: &Server, path: &[u8]) -> Option<String> {
    let is_file = |path: &[u8]| files.kind(path) == Some(FileKind::File);
    for extension in [&b".html"[..], b".htm"] {
        let with = [path, extension].concat();
        if !path.is_empty() && is_file(&with) {
            return Some(format!("there is {}", quoted(&with)));
        }
    }
    let bare = path.strip_suffix(b".html").or_else(|| path.strip_suffix(b".htm"))?;
    if let Answer::File(page) = server.answer(files, bare, true, None) {
        return Some(format!("there is {}", quoted(&bytes_of(&page))));
    }
    let extension = if path.ends_with(b".html") { &b".htm"[..] } else { b".html" };
    let other = [bare, extension].concat();
    is_file(&other).then(|| format!("there is {}", quoted(&other)))
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
    fn hint(&self, files: &Files, found: &str) -> String {
        let missing = join(self.folder, self.name);
        let mut meant = join(self.folder, found.as_bytes());
        if self.is_last() {
            return format!("did you mean {}?", quoted(&meant));
        }
        meant.extend_from_slice(&self.path[self.path.len().min(missing.len())..]);
        match files.kind(&meant) {
            Some(_) => format!("did you mean {}?", quoted(&meant)),
            None => format!("there is no folder {}, only {found}", quoted(&missing)),
        }
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

fn quoted(path: &[u8]) -> String {
    format!("'{}'", String::from_utf8_lossy(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Profile;

    #[track_caller]
    fn hints(paths: &[&str], path: &str, expected: Option<&str>) {
        let slash = path.ends_with('/');
        let server = Server::new(Profile::Plain);
        let trimmed = path.trim_end_matches('/').as_bytes();
        let hint = for_path(&Files::of(paths), &server, trimmed, slash);
        assert_eq!(hint.as_deref(), expected, "{path} of {paths:?}");
    }

    #[test]
    fn a_near_path_is_reported() {
        hints(&["a.html"], "a.html/", Some("'a.html' is a file: leave out the slash"));
        hints(&["Guide.html"], "guide.html", Some("the case differs: 'Guide.html'"));
        hints(&["guide.html"], "guide", Some("there is 'guide.html'"));
        hints(&["guide.html"], "guide/", Some("there is 'guide.html'"));
        hints(&["guide.htm"], "guide.html", Some("there is 'guide.htm'"));
        hints(&["guide/index.html"], "guide.html", Some("there is 'guide/index.html'"));
        hints(&["d/guide.html"], "d/giude.html", Some("did you mean 'd/guide.html'?"));
        hints(&["docs/a.html"], "doc/a.html", Some("did you mean 'docs/a.html'?"));
        hints(&["manual/a.html"], "manuel/a.html", Some("did you mean 'manual/a.html'?"));
        let folder = "there is no folder 'manuel', only manual";
        hints(&["manual/a.html"], "manuel/b.html", Some(folder));
        hints(&["docs/a.html"], "docs/x/y/z", None);
        hints(
            &["docs/abcdef/a"],
            "docs/abcdeg/x/y",
            Some("there is no folder 'docs/abcdeg', only abcdef"),
        );
        hints(&["a\u{308}.html"], "\u{e4}.html", Some("did you mean 'a\u{308}.html'?"));
    }

    #[test]
    fn what_is_far_is_not_reported() {
        hints(&["guide.html"], "index.html", None);
        hints(&["a"], "b", None);
        hints(&[], "b/c/d", None);
        hints(&["x/guide.html"], "guide.html", None);
        let long = "x".repeat(200);
        hints(&[&format!("{long}y")], &long, None);
    }

    #[track_caller]
    fn hints_at(paths: &[&str], folder: &str, expected: Option<&str>) {
        let hint = for_folder(&Files::of(paths), folder.as_bytes());
        assert_eq!(hint.as_deref(), expected, "{folder} of {paths:?}");
    }

    #[test]
    fn a_page_of_a_folder_is_reported() {
        hints_at(&["d/a.html", "d/b.css"], "d", Some("its only page is 'd/a.html'"));
        hints_at(&["d/a.html", "d/b.html"], "d", None);
        hints_at(&["d/a.css", "d.html"], "d", Some("there is 'd.html'"));
        hints_at(&["d/a.css"], "d", None);
    }

    #[track_caller]
    fn hints_anchor(anchors: &[&str], fragment: &str, expected: Option<&str>) {
        assert_eq!(
            for_anchor(anchors.iter().copied(), fragment).as_deref(),
            expected,
            "{fragment}"
        );
    }

    #[test]
    fn a_near_anchor_is_reported() {
        hints_anchor(&["instal", "INSTALL"], "install", Some("did you mean #INSTALL?"));
        hints_anchor(&["usage", "instal"], "install", Some("did you mean #instal?"));
        hints_anchor(&["usage"], "install", None);
        hints_anchor(&["index-1", "index-18"], "index-19", None);
        hints_anchor(
            &["mdomain", "mdomainsetsection"],
            "mdomainset",
            Some("did you mean #mdomainsetsection?"),
        );
        hints_anchor(&["rewritecond"], "rewritelog", None);
        hints_anchor(&["ab"], "ac", None);
        hints_anchor(&["abcdefghi"], "xyabcdefghi", Some("did you mean #abcdefghi?"));
        hints_anchor(&["xabcdefghi"], "abcdefghi", Some("did you mean #xabcdefghi?"));
        hints_anchor(&["xyabcdefghi"], "abcdefghi", None);
        hints_anchor(&["xabcdefghiy"], "abcdefghij", Some("did you mean #xabcdefghiy?"));
        hints_anchor(&["xabcdefghijy"], "abcdefghijk", Some("did you mean #xabcdefghijy?"));
        hints_anchor(&["bacdefghi"], "abcdefghi", Some("did you mean #bacdefghi?"));
    }
}
