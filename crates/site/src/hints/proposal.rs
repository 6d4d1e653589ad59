//! Proposals: references that can replace the reference of an author.

use std::borrow::Cow;

use absolve::url::rfc1808::scheme_end;
use absolve::url::{Base, Standard, clean};
use absolve_files::NOT_IN_A_NAME;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode, percent_decode_str, percent_encode};

use crate::checks::references::{check, with_slashes};
use crate::{
    Answer, Deployment, FileKind, Files, Fragment, Location, Rule, Safety, Server,
    climbs_above_root, segments,
};

/// The probable target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// A file or folder of the site, by its decoded path; query and fragment stay as written.
    Path {
        /// The path from the root of the site.
        path: Box<[u8]>,
        /// Whether a slash follows it.
        has_trailing_slash: bool,
    },
    /// An absolute URL; query and fragment stay as written unless the URL has its own.
    Url(String),
    /// This anchor, decoded, of the same page.
    Anchor(String),
    /// The target of the reference without the `..` segments that climb above the root.
    BelowRoot,
    /// This reference, as it is.
    Reference(String),
}

impl Meant {
    /// Creates the meaning of a file of the site.
    #[must_use]
    pub fn file(path: &[u8]) -> Self {
        Self::Path { path: path.into(), has_trailing_slash: false }
    }

    /// Creates the meaning of a folder of the site.
    #[must_use]
    pub fn folder(path: &[u8]) -> Self {
        Self::Path { path: path.into(), has_trailing_slash: true }
    }

    pub(crate) fn from_kind(path: &[u8], kind: FileKind) -> Self {
        match kind {
            FileKind::File => Self::file(path),
            FileKind::Folder => Self::folder(path),
        }
    }
}

/// The words of a hint around the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// The server or the browser corrects the reference.
    Write,
    /// The case differs.
    CaseDiffers,
    /// The target is a file, and the link ends with a slash.
    IsFile,
    /// There is a file with another extension.
    Exists,
    /// The only page of a folder.
    OnlyPage,
    /// The names are similar.
    DidYouMean,
    /// The only file or folder of that name is elsewhere.
    Moved,
    /// The end of a redirect.
    LinkTo,
}

impl Wording {
    /// Returns the hint that proposes a reference.
    #[must_use]
    pub fn hint(self, reference: &str) -> String {
        match self {
            Self::Write => format!("write '{reference}'"),
            Self::CaseDiffers => format!("the case differs: write '{reference}'"),
            Self::IsFile => format!("it is a file: write '{reference}'"),
            Self::Exists => format!("there is '{reference}'"),
            Self::OnlyPage => format!("its only page is '{reference}'"),
            Self::DidYouMean => format!("did you mean '{reference}'?"),
            Self::Moved => format!("the only one of that name is '{reference}'"),
            Self::LinkTo => format!("link to '{reference}'"),
        }
    }
}

/// The probable target of a link, the words of the hint, and whether `--fix` writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The target that is meant.
    pub meant: Meant,
    /// The words of the hint.
    pub wording: Wording,
    /// The certainty of the proposal; `None` if it is only a hint.
    pub safety: Option<Safety>,
}

impl Proposal {
    pub(crate) fn new(meant: Meant, wording: Wording, safety: Option<Safety>) -> Self {
        Self { meant, wording, safety }
    }

    /// Returns the proposal as a hint without a fix.
    pub(crate) fn as_hint(&self) -> Self {
        Self { safety: None, ..self.clone() }
    }

    pub(crate) fn text_size(&self) -> usize {
        match &self.meant {
            Meant::Path { path, .. } => path.len(),
            Meant::BelowRoot => 0,
            Meant::Url(text) | Meant::Anchor(text) | Meant::Reference(text) => text.len(),
        }
    }
}

/// A hint, before it is written for a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// A text without a reference.
    Text(String),
    /// A reference to write.
    Proposal(Proposal),
}

impl AuthoredReference<'_> {
    /// Returns the reference to write for a meaning: relative, from the root or absolute like the
    /// author's, with the author's spelling where the paths agree.
    ///
    /// The result resolves to the meaning; `None` if no other reference of this form does.
    #[must_use]
    pub fn shape(&self, meant: &Meant) -> Option<String> {
        // Slashes decide the form of a reference, so backslashes must be replaced first.
        let reference = &*replace_backslashes(self.reference);
        let author = &AuthoredReference { reference, ..*self };
        let shaped = match meant {
            Meant::Path { path, has_trailing_slash } => {
                let parts = ReferenceParts::parse(reference);
                shape_path(author, &parts, path, *has_trailing_slash, parts.tail())?
            }
            Meant::Url(url) => shape_url(author, url)?,
            Meant::BelowRoot => author.below_root()?,
            Meant::Anchor(anchor) => shape_anchor(reference, anchor)?,
            Meant::Reference(reference) => reference.clone(),
        };
        (shaped != self.reference).then_some(shaped)
    }
}

/// A reference as an author wrote it, with the base and the standard that resolve it.
#[derive(Debug, Clone, Copy)]
pub struct AuthoredReference<'a> {
    /// The reference as an HTML parser yields it.
    pub reference: &'a str,
    /// The base URL that it is resolved against.
    pub base: Option<&'a Base>,
    /// The standard that it is resolved by.
    pub standard: Standard,
    /// The URL of the site.
    pub deployment: &'a Deployment,
}

/// Bytes to encode in a fragment: those of the [URL Standard][set], and the percent sign.
///
/// [set]: https://url.spec.whatwg.org/#fragment-percent-encode-set
const NOT_IN_A_FRAGMENT: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'%');

/// The parts of a reference: scheme and authority, path, query with fragment.
struct ReferenceParts<'r> {
    text: Cow<'r, str>,
    path_start: usize,
    path_end: usize,
}

/// The beginning of a reference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReferenceForm {
    /// With a scheme or an authority.
    Absolute,
    /// With a slash, from the root of the host.
    FromRoot,
    Relative,
}

impl<'r> ReferenceParts<'r> {
    fn parse(reference: &'r str) -> Self {
        let text = clean(reference);
        let start = scheme_end(&text).map_or(0, |colon| colon + 1);
        let end_of = |from: usize, delimiters: &[char]| {
            text[from..].find(delimiters).map_or(text.len(), |at| from + at)
        };
        let path_start = if text[start..].starts_with("//") {
            end_of(start + 2, &['/', '\\', '?', '#'])
        } else {
            start
        };
        let path_end = end_of(path_start, &['?', '#']);
        Self { text, path_start, path_end }
    }

    /// Returns the scheme and the authority.
    fn origin(&self) -> &str {
        &self.text[..self.path_start]
    }

    fn path(&self) -> &str {
        &self.text[self.path_start..self.path_end]
    }

    /// Returns the query and the fragment, with their delimiters.
    fn tail(&self) -> &str {
        &self.text[self.path_end..]
    }

    fn form(&self) -> ReferenceForm {
        let origin = self.origin();
        if !origin.is_empty() && !origin.ends_with(':') {
            ReferenceForm::Absolute
        } else if origin.is_empty() && self.path().starts_with('/') {
            ReferenceForm::FromRoot
        } else {
            ReferenceForm::Relative
        }
    }
}

/// Returns a reference to a path, with this tail, as the author would write it: the author's path
/// with edits, or else a new path; `None` if neither resolves to the path. The new path comes first
/// if the edited path has more names than both others, as after a surplus `..`.
fn shape_path(
    author: &AuthoredReference<'_>,
    parts: &ReferenceParts<'_>,
    path: &[u8],
    has_trailing_slash: bool,
    tail: &str,
) -> Option<String> {
    let prefix = segments(author.deployment.prefix());
    let names = prefix.chain(segments(path)).collect();
    let target = PathTarget { author, parts, path, has_trailing_slash, names };
    let slashes = |path: &str| path.trim_end_matches('/').matches('/').count();
    let mut candidates = [target.edit(), target.write_anew()];
    if let [Some(edited), Some(anew)] = &candidates
        && slashes(edited) > slashes(parts.path())
        && slashes(anew) < slashes(edited)
    {
        candidates.reverse();
    }
    candidates.into_iter().flatten().find_map(|written| {
        let reference = format!("{}{written}{tail}", parts.origin());
        target.is_target_of(&reference).then_some(reference)
    })
}

/// Returns a reference to a URL, in the author's form if the URL is in the site.
fn shape_url(author: &AuthoredReference<'_>, url: &str) -> Option<String> {
    let (parts, new) = (ReferenceParts::parse(author.reference), ReferenceParts::parse(url));
    let (query, fragment) = split_tail(parts.tail());
    let (new_query, new_fragment) = split_tail(new.tail());
    let query = if new_query.is_empty() { query } else { new_query };
    let fragment = if new_fragment.is_empty() { fragment } else { new_fragment };
    let tail = format!("{query}{fragment}");
    match author.deployment.locate(url) {
        Location::Inside { path: target, has_trailing_slash, .. } => {
            shape_path(author, &parts, &target, has_trailing_slash, &tail)
        }
        _ => Some(format!("{}{}{tail}", new.origin(), new.path())),
    }
}

/// Replaces the backslashes that browsers read as slashes.
fn replace_backslashes(reference: &str) -> Cow<'_, str> {
    let has_backslash = check(reference).any(|(check, _)| check.rule == Rule::Backslash);
    if has_backslash { with_slashes(reference).into() } else { clean(reference) }
}

/// Returns the reference with another anchor; the text directive of its fragment stays.
fn shape_anchor(reference: &str, anchor: &str) -> Option<String> {
    let (before, fragment) = reference.split_once('#')?;
    let directive = Fragment::parse(fragment).directive;
    let directive = directive.map_or(String::new(), |text| format!(":~:{text}"));
    let spelling = if reference.is_ascii() { Spelling::Ascii } else { Spelling::Unicode };
    let written = spelling.encode(anchor.as_bytes(), NOT_IN_A_FRAGMENT);
    let shaped = format!("{before}#{written}{directive}");
    let reads_back = Fragment::parse(&shaped[before.len() + 1..])
        .anchor
        .is_some_and(|read| percent_decode_str(read).eq(anchor.bytes()));
    reads_back.then_some(shaped)
}

fn split_tail(tail: &str) -> (&str, &str) {
    tail.split_at(tail.find('#').unwrap_or(tail.len()))
}

/// The spelling of characters outside ASCII.
#[derive(Clone, Copy)]
enum Spelling {
    /// Percent-encoded UTF-8.
    Ascii,
    /// The characters themselves, if the author writes them so.
    Unicode,
}

impl Spelling {
    fn from_parts(parts: &ReferenceParts<'_>) -> Self {
        if parts.path().is_ascii() { Self::Ascii } else { Self::Unicode }
    }

    fn encode(self, bytes: &[u8], set: &'static AsciiSet) -> String {
        match (self, str::from_utf8(bytes)) {
            (Self::Unicode, Ok(text)) => {
                let mut buffer = [0; 4];
                let mut encoded = String::new();
                for c in text.chars() {
                    if c.is_ascii() {
                        encoded.extend(percent_encode(c.encode_utf8(&mut buffer).as_bytes(), set));
                    } else {
                        encoded.push(c);
                    }
                }
                encoded
            }
            _ => percent_encode(bytes, set).collect(),
        }
    }
}

/// A path of the site that a reference should lead to.
struct PathTarget<'a> {
    author: &'a AuthoredReference<'a>,
    /// The parts of the author's reference.
    parts: &'a ReferenceParts<'a>,
    path: &'a [u8],
    has_trailing_slash: bool,
    /// The decoded segments from the root of the host.
    names: Vec<&'a [u8]>,
}

/// A segment of the path that the author's reference resolves to.
struct ResolvedSegment<'p> {
    decoded: Cow<'p, [u8]>,
    /// The number of the segment in the author's path; `None` for a segment of the base.
    written: Option<usize>,
}

impl PathTarget<'_> {
    /// Whether a reference resolves to this target.
    fn is_target_of(&self, reference: &str) -> bool {
        let AuthoredReference { base, standard, deployment, .. } = *self.author;
        let Ok(resolution) = standard.resolve(base, reference) else { return false };
        let location = resolution.url().map(|url| deployment.locate(url));
        match location {
            Some(Location::Inside { path, has_trailing_slash, above_root, .. }) => {
                *path == *self.path && has_trailing_slash == self.has_trailing_slash && !above_root
            }
            _ => false,
        }
    }

    /// Returns the author's path with as few changed segments as possible. `None` if a changed
    /// segment belongs to the base, or precedes a dot segment.
    fn edit(&self) -> Option<String> {
        let written: Vec<&str> = self.parts.path().split('/').collect();
        let (resolved, dots_end) = self.resolve(&written)?;
        let is_name = |segment: &ResolvedSegment<'_>, name: &[u8]| *segment.decoded == *name;
        let pairs = resolved.iter().zip(&self.names);
        let common = pairs.take_while(|(segment, name)| is_name(segment, name)).count();
        // The author's segments from here on are replaced; a `..` after them would drop new ones.
        let from = match resolved.get(common) {
            Some(segment) => segment.written?,
            None => written.len() - usize::from(written.last() == Some(&"")),
        };
        if from < dots_end {
            return None;
        }
        // Segments that are the same, counted from either end, keep their spelling.
        let spell = |at: usize| {
            let from_end = (resolved.len() + at).checked_sub(self.names.len());
            let segment = from_end.and_then(|at| resolved.get(at));
            let same = segment.filter(|segment| is_name(segment, self.names[at]));
            same.and_then(|segment| segment.written)
                .map_or_else(|| self.encode(at), |at| written[at].to_owned())
        };
        let kept = written[..from].iter().map(|&name| name.to_owned());
        let names: Vec<String> = kept.chain((common..self.names.len()).map(spell)).collect();
        let slash = if self.has_trailing_slash { "/" } else { "" };
        Some(format!("{}{slash}", names.join("/")))
    }

    /// Returns the segments that the author's reference resolves to, and the end of its last dots.
    fn resolve<'w>(&'w self, written: &[&'w str]) -> Option<(Vec<ResolvedSegment<'w>>, usize)> {
        let mut resolved = Vec::new();
        if self.parts.form() == ReferenceForm::Relative {
            let folder = split_base_folder(self.author)?;
            resolved.extend(
                folder.into_iter().map(|decoded| ResolvedSegment { decoded, written: None }),
            );
        }
        let mut dots_end = 0;
        for (at, &name) in written.iter().enumerate() {
            match name {
                "" => {}
                "." => dots_end = at + 1,
                ".." => {
                    resolved.pop();
                    dots_end = at + 1;
                }
                name => {
                    let decoded = percent_decode(name.as_bytes()).into();
                    resolved.push(ResolvedSegment { decoded, written: Some(at) });
                }
            }
        }
        Some((resolved, dots_end))
    }

    /// Returns the path without the author's spelling, in the author's form.
    fn write_anew(&self) -> Option<String> {
        if self.parts.form() != ReferenceForm::Relative {
            return Some(format!("/{}", self.join_from(0)));
        }
        let folder = split_base_folder(self.author)?;
        // The name of a file is not a folder that both paths can share.
        let is_file = !self.has_trailing_slash && !self.names.is_empty();
        let folders = &self.names[..self.names.len() - usize::from(is_file)];
        let shared = folder.iter().zip(folders).take_while(|(a, b)| ***a == ***b);
        let common = shared.count();
        let rest = format!("{}{}", "../".repeat(folder.len() - common), self.join_from(common));
        // An empty path would mean the page; a colon before the first slash would end a scheme.
        let first = rest.split('/').next().unwrap_or("");
        let is_guarded = rest.is_empty() || first.contains(':');
        Some(if is_guarded { format!("./{rest}") } else { rest })
    }

    /// Joins the encoded segments from an index on.
    fn join_from(&self, from: usize) -> String {
        let names: Vec<String> = (from..self.names.len()).map(|at| self.encode(at)).collect();
        let slash = if self.has_trailing_slash && !names.is_empty() { "/" } else { "" };
        format!("{}{slash}", names.join("/"))
    }

    fn encode(&self, at: usize) -> String {
        Spelling::from_parts(self.parts).encode(self.names[at], NOT_IN_A_NAME)
    }
}

/// Splits the folder of the base URL into decoded segments.
fn split_base_folder<'a>(author: &AuthoredReference<'a>) -> Option<Vec<Cow<'a, [u8]>>> {
    let base = author.base?.as_str();
    let parts = ReferenceParts::parse(base);
    let path = &base[parts.path_start..parts.path_end];
    let folder = &path[..path.rfind('/').map_or(0, |slash| slash + 1)];
    let names = folder.split('/').filter(|name| !name.is_empty());
    Some(names.map(|name| percent_decode(name.as_bytes()).into()).collect())
}

/// Maximum `..` segments that are removed.
const MAX_SURPLUS: usize = 8;

impl AuthoredReference<'_> {
    /// Proposes the reference with fewer `..` segments at its beginning; `None` unless exactly one
    /// number of them leads to a file.
    pub(crate) fn without_surplus(&self, files: &Files, server: &Server) -> Option<Proposal> {
        let reference = clean(self.reference);
        let mut leading =
            drop_parents(&reference).filter(|fewer| self.leads_to_file(fewer, files, server));
        let meant = Meant::Reference(leading.next()?.to_owned());
        let is_only = leading.next().is_none();
        is_only.then(|| Proposal::new(meant, Wording::DidYouMean, Some(Safety::Unsafe)))
    }

    /// Returns the reference without the `..` segments at its beginning that climb above the root.
    pub(super) fn below_root(&self) -> Option<String> {
        let (base, reference) = (self.base?, clean(self.reference));
        let (root, rest) = reference.split_at(usize::from(reference.starts_with('/')));
        let mut fewer = drop_parents(rest).map(|fewer| format!("{root}{fewer}"));
        fewer.find(|fewer| !climbs_above_root(base, fewer))
    }

    fn leads_to_file(&self, reference: &str, files: &Files, server: &Server) -> bool {
        let Ok(resolution) = self.standard.resolve(self.base, reference) else { return false };
        let location = resolution.url().map(|url| self.deployment.locate(url));
        let Some(Location::Inside { path, has_trailing_slash, above_root: false, query, .. }) =
            location
        else {
            return false;
        };
        matches!(server.answer(files, &path, has_trailing_slash, query), Answer::File(_))
    }
}

/// Returns a relative reference with one `..` segment less at its beginning, two less, and so on.
fn drop_parents(reference: &str) -> impl Iterator<Item = &str> {
    (0..MAX_SURPLUS).scan(reference, |rest, _| {
        *rest = rest.strip_prefix("../")?;
        // Without a path, a reference leads to its own page; with a slash, to the root.
        (!rest.is_empty() && !rest.starts_with(['/', '?', '#'])).then_some(*rest)
    })
}

#[cfg(test)]
mod tests;
