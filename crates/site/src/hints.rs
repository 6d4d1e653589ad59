//! Hints: names that are near a missing path or anchor.
//!
//! Only listed findings get hints. A [`Finder`] limits the effort of a run, and [`MAX_NAMES`] the
//! number of compared names.

mod proposal;

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;

use crate::{Answer, FileKind, Files, Safety, Server, join, split_name};

pub use proposal::{AuthoredReference, Hint, Meant, Proposal, Wording};

/// Maximum names of a folder, or anchors of a page, that are compared.
pub const MAX_NAMES: usize = 4096;

/// A search for a hint.
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
    pub(crate) fn text_size(&self) -> usize {
        match self {
            Self::Path { path, .. } | Self::Folder(path) => path.len(),
            Self::Anchor { anchor, .. } => anchor.len(),
        }
    }
}

/// Limit on the effort of a run, in pairs of compared letters: less than half a second.
const MAX_EFFORT: usize = 1 << 28;

/// The effort for a name that its length or its digits exclude.
const NAME_EFFORT: usize = 32;

/// Finds hints, until the effort of a run is spent.
pub struct Finder<'f> {
    files: &'f Files,
    server: &'f Server,
    effort_left: usize,
    /// Searches that were refused because no effort was left.
    pub(crate) refused: u64,
}

impl<'f> Finder<'f> {
    /// Creates a finder of hints in the files of a server.
    #[must_use]
    pub fn new(files: &'f Files, server: &'f Server) -> Self {
        Self { files, server, effort_left: MAX_EFFORT, refused: 0 }
    }

    /// Finds the hint of a search, except for anchors, for which pages must be read.
    pub(crate) fn search(&mut self, search: &Search) -> Option<Hint> {
        match search {
            Search::Path { path, has_trailing_slash } => self.path(path, *has_trailing_slash),
            Search::Folder(folder) => {
                self.spend(MAX_NAMES.min(self.files.len()))?;
                propose_page_of(self.files, folder).map(Hint::Proposal)
            }
            Search::Anchor { .. } => None,
        }
    }

    /// Finds a hint for a path that does not exist.
    ///
    /// The search tries, in this order: the path without its slash, in another case, with another
    /// extension, a name that differs in few letters, and the same name in another folder. The
    /// first candidate is a fix if it is the only one of its kind.
    pub fn path(&mut self, path: &[u8], has_trailing_slash: bool) -> Option<Hint> {
        if let Some(proposal) = look_up_path(self.files, self.server, path, has_trailing_slash) {
            return Some(Hint::Proposal(proposal));
        }
        self.spend(1)?;
        match self.find_near(path) {
            Near::Close(hint) => Some(hint),
            Near::Far(hint) => {
                self.find_moved(path, has_trailing_slash).map(Hint::Proposal).or(Some(hint))
            }
            Near::Nothing => self.find_moved(path, has_trailing_slash).map(Hint::Proposal),
        }
    }

    /// Finds a hint for the first name on the path that does not exist. Of several folders with
    /// near names, folders with the rest of the path are preferred.
    fn find_near(&mut self, path: &[u8]) -> Near {
        let (files, server) = (self.files, self.server);
        let Some(missing) = MissingName::find(files, path) else { return Near::Nothing };
        let Ok(name) = str::from_utf8(missing.name) else { return Near::Nothing };
        let mut names = files.names_in(missing.folder);
        let compared = names
            .by_ref()
            .take(MAX_NAMES)
            .filter(|(_, kind)| missing.is_last() || *kind == FileKind::Folder)
            .filter_map(|(name, _)| str::from_utf8(name).ok());
        let (mut near, has_rival) = self.find_near_names(name, compared);
        let exists = |(_, name): &(Nearness, &str)| missing.replace_name(files, name).is_some();
        if near.iter().any(exists) {
            near.retain(exists);
        }
        let Some(Nearest { nearness, name: near_name, is_only }) = Nearest::find(&near) else {
            return Near::Nothing;
        };
        let Some((meant, kind)) = missing.replace_name(files, near_name) else {
            let text = format!("there is no folder '{name}', only '{near_name}'");
            return Near::Far(Hint::Text(text));
        };
        // `look_up_path` has found a path that differs in case alone.
        let is_close = nearness.safety().is_some() || !missing.is_last();
        let is_only = is_only && !has_rival && names.next().is_none();
        let is_fix = is_close && is_only && is_linkable(files, server, &meant, kind);
        let safety = is_fix.then_some(Safety::Unsafe);
        let meant = Meant::from_kind(&meant, kind);
        let hint = Hint::Proposal(Proposal::new(meant, Wording::DidYouMean, safety));
        if is_close { Near::Close(hint) } else { Near::Far(hint) }
    }

    /// Finds the only file or folder of the site with the last name of a path; index pages are left
    /// out, as every folder may have one.
    fn find_moved(&self, path: &[u8], has_trailing_slash: bool) -> Option<Proposal> {
        let (_, name) = split_name(path).filter(|(_, name)| !name.starts_with(b"index."))?;
        let (path, kind) = self.files.only_named(name)?;
        let may_have_slash = kind == FileKind::Folder || !has_trailing_slash;
        let leads_there = may_have_slash && is_linkable(self.files, self.server, path, kind);
        let meant = Meant::from_kind(path, kind);
        leads_there.then(|| Proposal::new(meant, Wording::Moved, Some(Safety::Unsafe)))
    }

    /// Finds a hint for a percent-decoded anchor that is not among the `anchors` of a page. If only
    /// one name is so near, the hint is a fix: safe if the case alone differs, unsafe if one letter
    /// differs.
    pub(crate) fn search_anchor<'n>(
        &mut self,
        anchor: &str,
        anchors: impl IntoIterator<Item = &'n str>,
    ) -> Option<Hint> {
        self.spend(1)?;
        let (near, has_rival) = self.find_near_names(anchor, anchors.into_iter().take(MAX_NAMES));
        let Nearest { nearness, name, is_only } = Nearest::find(&near)?;
        let is_certain = is_only && (nearness == Nearness::SameLetters || !has_rival);
        let safety = nearness.safety().filter(|_| is_certain);
        let meant = Meant::Anchor(name.to_owned());
        Some(Hint::Proposal(Proposal::new(meant, Wording::DidYouMean, safety)))
    }

    /// Finds the names that are near, with their nearness. The second result is true if the nearest
    /// name and a name with other digits are both one edit away.
    fn find_near_names<'n>(
        &mut self,
        name: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> (Vec<(Nearness, &'n str)>, bool) {
        let misspelt = MisspeltName::new(name);
        let (mut near, mut others) = (Vec::new(), Vec::new());
        for other in names {
            let mut effort = NAME_EFFORT;
            let nearness = misspelt.compare(other, &mut effort);
            self.effort_left = self.effort_left.saturating_sub(effort);
            match nearness {
                Some(nearness) => near.push((nearness, other)),
                None => others.push(other),
            }
        }
        let is_one_edit =
            near.iter().map(|(nearness, _)| *nearness).min() == Some(Nearness::OneEdit);
        let mut effort = 0;
        let has_rival =
            is_one_edit && others.iter().any(|other| misspelt.is_rival(other, &mut effort));
        self.effort_left = self.effort_left.saturating_sub(effort);
        (near, has_rival)
    }

    /// Spends some of the effort that is left; `None` if none is left, which is counted.
    fn spend(&mut self, effort: usize) -> Option<()> {
        self.refused += u64::from(self.effort_left == 0);
        let left = self.effort_left.checked_sub(1)?;
        self.effort_left = left.saturating_sub(effort - 1);
        Some(())
    }
}

/// The result of a search for a near name.
enum Near {
    /// The name is one edit away, or is a folder with the rest of the path.
    Close(Hint),
    /// The name is only similar, so a moved file is likelier.
    Far(Hint),
    Nothing,
}

/// The nearest name, or the first of several that are as near.
struct Nearest<'n> {
    nearness: Nearness,
    name: &'n str,
    is_only: bool,
}

impl<'n> Nearest<'n> {
    fn find(near: &[(Nearness, &'n str)]) -> Option<Self> {
        let nearness = near.iter().map(|(nearness, _)| *nearness).min()?;
        let mut equal = near.iter().filter(|(other, _)| *other == nearness).map(|(_, name)| *name);
        let name = equal.next()?;
        // An anchor may have its name twice, as `id` and `name`.
        let is_only = equal.all(|other| other == name);
        Some(Self { nearness, name, is_only })
    }
}

/// Maximum length of a name for which near names are searched, in characters.
const MAX_LENGTH: usize = 128;

/// The kinds of near names, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nearness {
    /// The names differ in case or in percent-encoding alone.
    SameLetters,
    /// The names differ in their Unicode normal form.
    SameText,
    /// A letter is inserted, deleted or replaced, or two adjacent ones are swapped.
    OneEdit,
    /// The name begins with the misspelt one.
    Continuation,
    TwoEdits,
}

impl Nearness {
    /// Returns the certainty that a name is meant, if no other name is as near.
    pub(super) fn safety(self) -> Option<Safety> {
        match self {
            Self::SameLetters => Some(Safety::Safe),
            Self::OneEdit => Some(Safety::Unsafe),
            Self::SameText | Self::Continuation | Self::TwoEdits => None,
        }
    }
}

/// Finds the nearest word to a misspelt one; each word has a maximum of wrong letters.
pub(crate) fn find_nearest_word<'w>(
    misspelt: &str,
    words: impl Iterator<Item = &'w (&'w str, usize)>,
) -> Option<&'w str> {
    let near = words.filter_map(|(word, max_edits)| {
        Some((strsim::osa_distance(misspelt, word), *word)).filter(|(edits, _)| edits <= max_edits)
    });
    near.min_by_key(|(edits, _)| *edits).map(|(_, word)| word)
}

/// A misspelt name.
pub(super) struct MisspeltName<'n> {
    name: &'n str,
    length: usize,
    /// The number of letters that may be wrong.
    max_edits: usize,
    letters: u64,
    is_plain: bool,
}

impl<'n> MisspeltName<'n> {
    /// Allows one wrong letter in a short name, two in a longer one, without the extension.
    pub(super) fn new(name: &'n str) -> Self {
        let length = name.chars().take(MAX_LENGTH + 1).count();
        let stem = name.rfind('.').map_or(length, |dot| name[..dot].chars().count());
        let max_edits = match stem {
            3..10 => 1,
            10..=MAX_LENGTH if length <= MAX_LENGTH => 2,
            _ => 0,
        };
        Self { name, length, max_edits, letters: collect_letters(name), is_plain: is_plain(name) }
    }

    /// Whether another name with other digits is one edit away. [`Self::compare`] refuses such a
    /// name, which is as likely to be meant as a name with the same digits.
    pub(super) fn is_rival(&self, other: &str, effort: &mut usize) -> bool {
        if self.max_edits == 0 || !self.may_be_near(other) || digits(self.name).eq(digits(other)) {
            return false;
        }
        *effort += self.length * other.len();
        strsim::osa_distance(self.name, other) == 1
    }

    /// Compares another name; `None` if it is far, or equal. The distance is only computed for
    /// names of about the same length and letters, and adds the compared pairs to `effort`.
    pub(super) fn compare(&self, other: &str, effort: &mut usize) -> Option<Nearness> {
        let (name, max) = (self.name, self.max_edits);
        if name == other {
            return None;
        }
        if self.is_plain && is_plain(other) {
            if name.eq_ignore_ascii_case(other) {
                return Some(Nearness::SameLetters);
            }
        } else if have_same_letters(name, other) {
            return Some(Nearness::SameLetters);
        } else if !(name.is_ascii() && other.is_ascii()) && name.nfc().eq(other.nfc()) {
            return Some(Nearness::SameText);
        }
        let may_be_near = max > 0 && self.may_be_near(other);
        let is_continued = max > 0 && name.len() > 3 && other.starts_with(name);
        // `page2` is not a misspelling of `page1`.
        if !(may_be_near || is_continued) || !digits(name).eq(digits(other)) {
            return None;
        }
        let edits = may_be_near.then(|| {
            *effort += self.length * other.len();
            strsim::osa_distance(name, other)
        });
        match edits {
            Some(1) => Some(Nearness::OneEdit),
            _ if is_continued => Some(Nearness::Continuation),
            Some(2) if max == 2 => Some(Nearness::TwoEdits),
            _ => None,
        }
    }

    /// Whether another name may be near by its length and its set of letters: an edit removes at
    /// most one letter and adds at most one.
    fn may_be_near(&self, other: &str) -> bool {
        let max_length = self.length + self.max_edits;
        let length = other.chars().take(max_length + 1).count();
        length.abs_diff(self.length) <= self.max_edits
            && (self.letters ^ collect_letters(other)).count_ones() as usize <= 2 * self.max_edits
    }
}

/// Returns the letters of a text as a bit set, in which some letters share a bit.
fn collect_letters(text: &str) -> u64 {
    text.chars().fold(0, |set, letter| set | 1 << (u32::from(letter) % u64::BITS))
}

/// Whether all characters are ASCII, and none is percent-encoded.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii() && byte != b'%')
}

/// Whether two texts differ in case or in percent-encoding alone.
fn have_same_letters(text: &str, other: &str) -> bool {
    let normalize = |text: &str| percent_decode_str(text).decode_utf8_lossy().to_lowercase();
    normalize(text) == normalize(other)
}

fn digits(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(u8::is_ascii_digit)
}

/// Finds a hint by a few lookups, without a comparison of names.
fn look_up_path(
    files: &Files,
    server: &Server,
    path: &[u8],
    has_trailing_slash: bool,
) -> Option<Proposal> {
    if has_trailing_slash && files.kind(path) == Some(FileKind::File) {
        return Some(Proposal::new(Meant::file(path), Wording::IsFile, Some(Safety::Unsafe)));
    }
    if let Some((found, kind)) = files.ignoring_case(path).filter(|(found, _)| *found != path) {
        // The server does not find a file with a slash after its name.
        let may_have_slash = kind == FileKind::Folder || !has_trailing_slash;
        let is_certain = may_have_slash
            && is_linkable(files, server, found, kind)
            && server.is_only_in_any_case(files, path, has_trailing_slash);
        let meant = Meant::from_kind(found, kind);
        let safety = is_certain.then_some(Safety::Safe);
        return Some(Proposal::new(meant, Wording::CaseDiffers, safety));
    }
    propose_other_extension(files, server, path)
}

/// Whether a link to a file or a folder works; a folder needs a page.
fn is_linkable(files: &Files, server: &Server, path: &[u8], kind: FileKind) -> bool {
    kind == FileKind::File || matches!(server.answer(files, path, true, None), Answer::File(_))
}

/// Proposes a page of a folder without an index page.
pub(super) fn propose_page_of(files: &Files, folder: &[u8]) -> Option<Proposal> {
    let has_page_name = |name: &[u8]| name.ends_with(b".html") || name.ends_with(b".htm");
    let mut names = files.names_in(folder).take(MAX_NAMES);
    let beside = [folder, b".html"].concat();
    if !folder.is_empty() && files.kind(&beside) == Some(FileKind::File) {
        let safety = Some(Safety::Unsafe);
        return Some(Proposal::new(Meant::file(&beside), Wording::Exists, safety));
    }
    let (name, _) = names.find(|(name, kind)| *kind == FileKind::File && has_page_name(name))?;
    let is_only = !names.any(|(name, kind)| kind == FileKind::File && has_page_name(name));
    is_only.then(|| Proposal::new(Meant::file(&join(folder, name)), Wording::OnlyPage, None))
}

/// Proposes the first page whose name differs from a path in the extension alone.
fn propose_other_extension(files: &Files, server: &Server, path: &[u8]) -> Option<Proposal> {
    let mut pages = list_other_extensions(files, server, path).into_iter();
    let first = pages.next()?;
    let safety = pages.all(|other| other == first).then_some(Safety::Unsafe);
    Some(Proposal::new(Meant::file(&first), Wording::Exists, safety))
}

/// The extensions of pages, and of the Markdown that they are generated from.
const EXTENSIONS: [&[u8]; 3] = [b".html", b".htm", b".md"];

/// Lists the pages whose names differ from a path in the extension alone.
fn list_other_extensions(files: &Files, server: &Server, path: &[u8]) -> Vec<Vec<u8>> {
    let (folder, name) = split_name(path).unwrap_or_default();
    let bare = EXTENSIONS.iter().find_map(|extension| name.strip_suffix(*extension));
    let bare = bare.filter(|bare| !bare.is_empty()).map(|bare| join(folder, bare));
    let index = bare.as_ref().and_then(|bare| match server.answer(files, bare, true, None) {
        Answer::File(page) => Some(page),
        _ => None,
    });
    // Generators make the index page of a folder from `README.md`.
    let readme_page = (name == b"README.md").then(|| join(folder, b"index.html"));
    let extend = |bare: &[u8]| [&b".html"[..], b".htm"].map(|end| [bare, end].concat());
    let is_page = |page: &Vec<u8>| page != path && files.kind(page) == Some(FileKind::File);
    let added = (!path.is_empty()).then(|| extend(path)).into_iter().flatten();
    let replaced = bare.iter().flat_map(|bare| extend(bare)).chain(readme_page);
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
    /// Finds the first name on a path that does not exist.
    ///
    /// The search starts at the root, so that it is fast for a path with very many segments.
    fn find(files: &Files, path: &'p [u8]) -> Option<Self> {
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

    /// Returns the path with another name in place of the missing one, if that path exists.
    fn replace_name(&self, files: &Files, name: &str) -> Option<(Vec<u8>, FileKind)> {
        let path = [&*join(self.folder, name.as_bytes()), self.rest].concat();
        files.kind(&path).map(|kind| (path, kind))
    }
}

#[cfg(test)]
#[path = "hints/tests.rs"]
mod tests;
