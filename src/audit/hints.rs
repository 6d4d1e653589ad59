//! What may have been meant: near matches of a path, and of an anchor.
//!
//! A hint costs as much as looking through a folder, so it is for findings, not for
//! links; [`MAX_NAMES`] bounds what is looked through.

use unicode_normalization::UnicodeNormalization;

use super::files::{FileKind, Files, bytes_of, join};
use super::server::{Answer, Server};

/// As many names of a folder, or anchors of a page, are compared.
pub const MAX_NAMES: usize = 4096;

/// Of a longer name no near match is looked for.
const MAX_LENGTH: usize = 128;

/// What may have been meant by a path that leads to nothing.
///
/// In this order: without its slash, in another case, with or without an extension, the
/// folder's page, and a name that differs in few letters.
#[must_use]
pub fn for_path(
    files: &Files,
    server: &Server,
    path: &[u8],
    has_trailing_slash: bool,
) -> Option<String> {
    if has_trailing_slash && files.kind(path) == Some(FileKind::File) {
        return Some(format!("{} is a file: leave out the slash", quoted(path)));
    }
    if let Some((found, _)) = files.ignoring_case(path).filter(|(found, _)| *found != path) {
        return Some(format!("the name has other letters: {}", quoted(found)));
    }
    by_extension(files, server, path).or_else(|| by_name(files, path))
}

/// What may have been meant by a folder that has no index page.
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

/// What may have been meant by an anchor that a page does not have; `fragment` is
/// percent-decoded.
///
/// The first anchor in another case counts, else the nearest.
#[must_use]
pub fn for_anchor<'a>(
    anchors: impl IntoIterator<Item = &'a str>,
    fragment: &str,
) -> Option<String> {
    let mut near = Nearest::to(fragment);
    for anchor in anchors.into_iter().take(MAX_NAMES) {
        near.compare(anchor);
    }
    near.found.map(|(_, anchor)| format!("did you mean #{anchor}?"))
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

/// The first name on the path that is not there, compared with those that are.
fn by_name(files: &Files, path: &[u8]) -> Option<String> {
    let (folder, name) = first_missing(files, path)?;
    let missing = std::str::from_utf8(name).ok()?;
    let is_last = folder.len() + usize::from(!folder.is_empty()) + name.len() == path.len();
    let mut near = Nearest::to(missing);
    for (other, kind) in files.names_in(folder).take(MAX_NAMES) {
        if let Ok(other) = std::str::from_utf8(other)
            && (is_last || kind == FileKind::Folder)
        {
            near.compare(other);
        }
    }
    let (_, found) = near.found?;
    let mut meant = join(folder, found.as_bytes());
    let rest = &path[path.len().min(join(folder, name).len())..];
    if is_last {
        return Some(format!("did you mean {}?", quoted(&meant)));
    }
    meant.extend_from_slice(rest);
    match files.kind(&meant) {
        Some(_) => Some(format!("did you mean {}?", quoted(&meant))),
        None => Some(format!("there is no folder {}, only {found}", quoted(&join(folder, name)))),
    }
}

/// The deepest folder on a path that is there, and the name that is not in it.
///
/// It is looked for from the root: a path may have as many segments as it likes.
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

/// The nearest of many names.
struct Nearest<'n> {
    name: &'n str,
    chars: Vec<char>,
    /// A name that is farther than this is another one.
    max: usize,
    found: Option<(usize, String)>,
    theirs: Vec<char>,
    row: Vec<usize>,
}

impl<'n> Nearest<'n> {
    fn to(name: &'n str) -> Self {
        let chars: Vec<char> = name.chars().take(MAX_LENGTH + 1).collect();
        // Of a short name one letter may be wrong, of a longer one two; an extension says
        // nothing of what a file was meant to be.
        let stem = chars.iter().rposition(|c| *c == '.').unwrap_or(chars.len());
        let max = match stem {
            0..3 => 0,
            3..10 => 1,
            10..=MAX_LENGTH => 2,
            _ => 0,
        };
        Self { name, chars, max, found: None, theirs: Vec::new(), row: Vec::new() }
    }

    fn compare(&mut self, other: &str) {
        let best = self.found.as_ref().map_or(self.max + 1, |(distance, _)| *distance);
        if best == 0 || other == self.name {
            return;
        }
        let is_same = self.name.eq_ignore_ascii_case(other)
            || (!other.is_ascii() && other.nfc().eq(self.name.nfc()));
        let distance = if is_same {
            Some(0)
        } else if !self.has_digits_of(other) {
            // The next one of many is another one.
            None
        } else if self.begins(other) || self.is_swapped(other) {
            Some(1)
        } else {
            self.distance(other, best)
        };
        if let Some(distance) = distance.filter(|distance| *distance < best) {
            self.found = Some((distance, other.to_owned()));
        }
    }

    fn has_digits_of(&self, other: &str) -> bool {
        let digits = |name: &str| name.bytes().filter(u8::is_ascii_digit).collect::<Vec<_>>();
        digits(self.name) == digits(other)
    }

    /// Whether the other name goes on where this one ends.
    fn begins(&self, other: &str) -> bool {
        self.max > 0 && self.name.len() > 3 && other.starts_with(self.name)
    }

    /// Whether two letters side by side are in each other's place.
    fn is_swapped(&self, other: &str) -> bool {
        if self.max == 0 || self.name.len() != other.len() {
            return false;
        }
        let mut differing = self.name.bytes().zip(other.bytes()).enumerate();
        let Some((at, (ours, theirs))) = differing.find(|(_, (a, b))| a != b) else {
            return false;
        };
        let (name, other) = (self.name.as_bytes(), other.as_bytes());
        name.get(at + 1) == Some(&theirs)
            && other.get(at + 1) == Some(&ours)
            && name[at + 2..] == other[at + 2..]
    }

    /// The [Levenshtein distance][distance], if it is below `limit`.
    ///
    /// What both begin and end with costs nothing but its length, and of the rest only
    /// the fields are filled in that a distance below the limit can go through.
    ///
    /// [distance]: https://en.wikipedia.org/wiki/Levenshtein_distance
    fn distance(&mut self, other: &str, limit: usize) -> Option<usize> {
        // A character has one to four bytes: who is too far by this is so by characters.
        let (ours, bytes) = (self.chars.len(), other.len());
        if limit == 0 || bytes + limit <= ours || bytes >= (ours + limit) * 4 {
            return None;
        }
        self.theirs.clear();
        self.theirs.extend(other.chars());
        let (ours, theirs) = differing(&self.chars, &self.theirs);
        let most = limit - 1;
        if ours.len().abs_diff(theirs.len()) > most {
            return None;
        }
        let row = &mut self.row;
        row.clear();
        row.extend(0..=ours.len());
        for (line, their) in theirs.iter().enumerate() {
            let (from, to) = (line.saturating_sub(most), ours.len().min(line + limit));
            let mut diagonal = row[from];
            row[from] = if from == 0 { line + 1 } else { limit };
            let mut least = row[from];
            for (column, our) in (from..to).zip(&ours[from..to]) {
                let replaced = diagonal + usize::from(our != their);
                diagonal = row[column + 1];
                let cost = replaced.min(diagonal + 1).min(row[column] + 1);
                row[column + 1] = cost;
                least = least.min(cost);
            }
            if least >= limit {
                return None;
            }
        }
        row.last().copied().filter(|distance| *distance < limit)
    }
}

/// Two texts without what both begin and end with.
fn differing<'t>(mut one: &'t [char], mut other: &'t [char]) -> (&'t [char], &'t [char]) {
    while let ([a, rest @ ..], [b, others @ ..]) = (one, other)
        && a == b
    {
        (one, other) = (rest, others);
    }
    while let ([rest @ .., a], [others @ .., b]) = (one, other)
        && a == b
    {
        (one, other) = (rest, others);
    }
    (one, other)
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
    fn a_near_path_is_told() {
        hints(&["a.html"], "a.html/", Some("'a.html' is a file: leave out the slash"));
        hints(&["Guide.html"], "guide.html", Some("the name has other letters: 'Guide.html'"));
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
    fn what_is_far_is_not_told() {
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
    fn a_page_of_a_folder_is_told() {
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
    fn a_near_anchor_is_told() {
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
