//! Writes a path of the site as a reference of the author's form.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode, percent_decode_str, percent_encode};

use crate::audit::anchors::Fragment;
use crate::audit::hints::proposal::author::AuthoredReference;
use crate::audit::reference::{check, with_slashes};
use crate::audit::rules::Rule;
use crate::audit::site::deployment::Location;
use crate::batch::NOT_IN_A_NAME;
use crate::url::clean;
use crate::url::rfc1808::scheme_end;

/// Bytes to encode in a fragment: those of the [URL Standard][set], and the percent sign.
///
/// [set]: https://url.spec.whatwg.org/#fragment-percent-encode-set
const NOT_IN_A_FRAGMENT: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'%');

/// The parts of a reference: scheme and authority, path, query with fragment.
pub(super) struct Parts<'r> {
    text: Cow<'r, str>,
    path_start: usize,
    path_end: usize,
}

/// How a reference begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// With a scheme or an authority.
    Absolute,
    /// With a slash.
    FromRoot,
    Relative,
}

impl<'r> Parts<'r> {
    pub(super) fn of(reference: &'r str) -> Self {
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

    /// Scheme and authority.
    fn origin(&self) -> &str {
        &self.text[..self.path_start]
    }

    fn path(&self) -> &str {
        &self.text[self.path_start..self.path_end]
    }

    /// Query and fragment, with their delimiters.
    pub(super) fn tail(&self) -> &str {
        &self.text[self.path_end..]
    }

    fn form(&self) -> Form {
        match () {
            () if self.origin().ends_with(':') => Form::Relative,
            () if !self.origin().is_empty() => Form::Absolute,
            () if self.path().starts_with('/') => Form::FromRoot,
            () => Form::Relative,
        }
    }
}

/// A path with this tail, as the author would write it: first with the author's own spelling,
/// then written anew. `None` if neither resolves to the path.
pub(super) fn path(
    author: &AuthoredReference<'_>,
    parts: &Parts<'_>,
    path: &[u8],
    has_trailing_slash: bool,
    tail: &str,
) -> Option<String> {
    let prefix = segments(author.deployment.prefix());
    let names = prefix.chain(segments(path)).collect();
    let target = Target { author, parts, path, has_trailing_slash, names };
    let ways = [Target::edited, Target::written_anew];
    ways.iter().find_map(|written| {
        let reference = format!("{}{}{tail}", parts.origin(), written(&target)?);
        target.is_target_of(&reference).then_some(reference)
    })
}

/// A URL in the author's form if it is in the site, and as it is if it is not.
pub(super) fn url(author: &AuthoredReference<'_>, url: &str) -> Option<String> {
    let (parts, theirs) = (Parts::of(author.reference), Parts::of(url));
    let (query, fragment) = split_tail(parts.tail());
    let (own_query, own_fragment) = split_tail(theirs.tail());
    let query = if own_query.is_empty() { query } else { own_query };
    let fragment = if own_fragment.is_empty() { fragment } else { own_fragment };
    let tail = format!("{query}{fragment}");
    match author.deployment.locate(url) {
        Location::Inside { path: target, has_trailing_slash, .. } => {
            path(author, &parts, &target, has_trailing_slash, &tail)
        }
        _ => Some(format!("{}{}{tail}", theirs.origin(), theirs.path())),
    }
}

/// The reference with slashes for the backslashes that browsers read so.
pub(super) fn slashed(reference: &str) -> Cow<'_, str> {
    let has_backslash = check(reference).any(|(rule, _)| rule == Rule::Backslash);
    if has_backslash { with_slashes(reference).into() } else { clean(reference) }
}

/// The reference with another anchor; the text that its fragment may name stays.
pub(super) fn anchor(reference: &str, anchor: &str) -> Option<String> {
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

/// How characters outside ASCII are written.
#[derive(Clone, Copy)]
enum Spelling {
    /// As percent-encoded UTF-8.
    Ascii,
    /// As they are, because the author does.
    Unicode,
}

impl Spelling {
    fn of(parts: &Parts<'_>) -> Self {
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
struct Target<'a> {
    author: &'a AuthoredReference<'a>,
    /// Those of the author's reference.
    parts: &'a Parts<'a>,
    path: &'a [u8],
    has_trailing_slash: bool,
    /// The decoded segments from the root of the host.
    names: Vec<&'a [u8]>,
}

/// A segment of the path that the author's reference resolves to.
struct Resolved<'p> {
    decoded: Cow<'p, [u8]>,
    /// The segment of the author's path that it comes from; `None` if from the base.
    written: Option<usize>,
}

impl Target<'_> {
    /// Whether a reference resolves to it.
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

    /// The author's path with as few segments changed as possible; `None` if dots or the base are
    /// in the way.
    fn edited(&self) -> Option<String> {
        let written: Vec<&str> = self.parts.path().split('/').collect();
        let (resolved, dots_end) = self.resolved(&written)?;
        let same = |one: &Resolved<'_>, other: &[u8]| *one.decoded == *other;
        let pairs = resolved.iter().zip(&self.names);
        let common = pairs.take_while(|(one, other)| same(one, other)).count();
        // The author's segments from here on are replaced; dots after them would pop others.
        let from = match resolved.get(common) {
            Some(segment) => segment.written?,
            None => written.len() - usize::from(written.last() == Some(&"")),
        };
        if from < dots_end {
            return None;
        }
        // Segments that are the same, counted from either end, keep their spelling.
        let spelled = |at: usize| {
            let from_end = (resolved.len() + at).checked_sub(self.names.len());
            let own = from_end.and_then(|at| resolved.get(at));
            let own = own.filter(|own| same(own, self.names[at])).and_then(|own| own.written);
            own.map_or_else(|| self.encoded(at), |at| written[at].to_owned())
        };
        let kept = written[..from].iter().map(|&name| name.to_owned());
        let names: Vec<String> = kept.chain((common..self.names.len()).map(spelled)).collect();
        let slash = if self.has_trailing_slash { "/" } else { "" };
        Some(format!("{}{slash}", names.join("/")))
    }

    /// The segments that the author's reference resolves to, and the end of the last dots in it.
    fn resolved<'w>(&'w self, written: &[&'w str]) -> Option<(Vec<Resolved<'w>>, usize)> {
        let mut resolved = Vec::new();
        if self.parts.form() == Form::Relative {
            let folder = folder_of_base(self.author)?;
            resolved.extend(folder.into_iter().map(|decoded| Resolved { decoded, written: None }));
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
                    resolved.push(Resolved { decoded, written: Some(at) });
                }
            }
        }
        Some((resolved, dots_end))
    }

    /// The path as if written for the first time.
    fn written_anew(&self) -> Option<String> {
        if self.parts.form() != Form::Relative {
            return Some(format!("/{}", self.joined(0)));
        }
        let folder = folder_of_base(self.author)?;
        // The last name of a file is no folder to share.
        let is_file = !self.has_trailing_slash && !self.names.is_empty();
        let folders = &self.names[..self.names.len() - usize::from(is_file)];
        let shared = folder.iter().zip(folders).take_while(|(one, other)| ***one == ***other);
        let common = shared.count();
        let rest = format!("{}{}", "../".repeat(folder.len() - common), self.joined(common));
        // A colon before the first slash would end a scheme.
        let first = rest.split('/').next().unwrap_or("");
        let is_guarded = rest.is_empty() || first.contains(':');
        Some(if is_guarded { format!("./{rest}") } else { rest })
    }

    /// The segments from one on.
    fn joined(&self, from: usize) -> String {
        let names: Vec<String> = (from..self.names.len()).map(|at| self.encoded(at)).collect();
        let slash = if self.has_trailing_slash && !names.is_empty() { "/" } else { "" };
        format!("{}{slash}", names.join("/"))
    }

    fn encoded(&self, at: usize) -> String {
        Spelling::of(self.parts).encode(self.names[at], NOT_IN_A_NAME)
    }
}

/// The decoded segments of the folder of the base URL.
fn folder_of_base<'a>(author: &AuthoredReference<'a>) -> Option<Vec<Cow<'a, [u8]>>> {
    let base = author.base?.as_str();
    let parts = Parts::of(base);
    let path = &base[parts.path_start..parts.path_end];
    let folder = &path[..path.rfind('/').map_or(0, |slash| slash + 1)];
    let names = folder.split('/').filter(|name| !name.is_empty());
    Some(names.map(|name| percent_decode(name.as_bytes()).into()).collect())
}

fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty())
}
