//! The URLs of the files that links of a saved document name.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use absolve::internal::SavedFiles;
use absolve::url::{Base, clean, rfc1808};
use percent_encoding::percent_decode_str;

use crate::address::{retrieval_url, served_url};
use crate::native::path_of;

/// Cache of the URLs of files, as many links of a run may name one.
#[derive(Debug, Clone, Default)]
pub(super) struct UrlsOfFiles(Arc<Mutex<HashMap<PathBuf, Option<String>>>>);

/// Whether the links of a saved document name files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// The program that saved the document replaced URLs by names of files.
    Converted,
    /// No program is known: only a name that no URL has counts, such as one with a query.
    Unknown,
}

/// The URL of a file that exists, by its path below the root.
pub(super) type UrlOfFile = dyn Fn(&Path) -> Option<Base> + Send + Sync;

/// The place of a saved document.
pub(super) struct SavedPage {
    root: PathBuf,
    /// The folder that it is in, below the root.
    folder: PathBuf,
    links: Links,
    known: UrlsOfFiles,
    url: Box<UrlOfFile>,
}

impl SavedPage {
    /// A document at a path below a root.
    pub(super) fn new(
        (root, below): (&Path, &Path),
        links: Links,
        known: UrlsOfFiles,
        url: Box<UrlOfFile>,
    ) -> Self {
        let folder = below.parent().unwrap_or(Path::new(""));
        Self { root: root.to_owned(), folder: folder.to_owned(), links, known, url }
    }

    /// The path below the root that a relative path leads to.
    fn path(&self, path: &str) -> Option<PathBuf> {
        let mut found = self.folder.clone();
        for segment in path.split('/') {
            match segment {
                "." => {}
                ".." if found.pop() => {}
                ".." => return None,
                name => {
                    let name = percent_decode_str(name).collect::<Vec<_>>();
                    let name = path_of(&name).filter(|_| !name.contains(&0))?;
                    let mut names = name.components();
                    match (names.next(), names.next()) {
                        (Some(Component::Normal(name)), None) => found.push(name),
                        _ => return None,
                    }
                }
            }
        }
        Some(found)
    }

    fn file_url(&self, path: &str) -> Option<String> {
        self.url_of(&self.path(path)?)
    }

    /// The URL of the file at a path below the root.
    fn url_of(&self, below: &Path) -> Option<String> {
        let path = self.root.join(below);
        let known = || self.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(url) = known().get(&path) {
            return url.clone();
        }
        if !fs::metadata(&path).is_ok_and(|file| file.is_file()) {
            return None;
        }
        let url = (self.url)(below).map(|url| url.as_str().to_owned());
        known().insert(path, url.clone());
        url
    }
}

impl fmt::Debug for SavedPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SavedPage").field("links", &self.links).finish_non_exhaustive()
    }
}

impl SavedFiles for SavedPage {
    fn may_name(&self, reference: &[u8]) -> bool {
        self.links == Links::Converted || memchr::memchr2(b'%', b'@', reference).is_some()
    }

    fn url(&self, reference: &str) -> Option<String> {
        let reference = clean(reference);
        let (name, fragment) = reference.split_at(reference.find('#').unwrap_or(reference.len()));
        // HTTrack leaves the query after the name of a file, which is that of the URL.
        let path = &name[..name.find('?').unwrap_or(name.len())];
        if path.is_empty() || path.ends_with('/') || rfc1808::scheme_end(path).is_some() {
            return None;
        }
        let url = match self.links {
            Links::Converted => self.file_url(name).or_else(|| self.file_url(path)),
            Links::Unknown if path != name => None,
            Links::Unknown => {
                let is_of_program = |file: &PathBuf| has_name_of_a_program(file);
                self.url_of(&self.path(path).filter(is_of_program)?)
            }
        };
        Some(url? + fragment)
    }
}

/// Whether the name of a file has parts that a program wrote into it, such as a query, or that the
/// program encoded.
fn has_name_of_a_program(file: &Path) -> bool {
    let root = Base::unchecked("http://h/");
    let url = retrieval_url(&root, file.parent(), file.file_name().unwrap_or_default());
    url != served_url(&root, file)
}
