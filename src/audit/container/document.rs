//! What is looked at: a file, or a document in one.

use crate::audit::container::archive::Archive;
use crate::audit::container::fingerprint::Beginnings;
use crate::audit::container::parts::Parts;
use crate::container::EntryId;

/// Where a reference stands, as far as it matters what it leads to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope<'a> {
    /// In a file of the site.
    Site,
    /// In a message, which is this file and has these parts.
    Message { file: usize, parts: &'a Parts },
    /// In an archive, on a page whose own URL is one of https or not.
    Archive { archive: &'a Archive, is_secure: bool },
}

impl Scope<'_> {
    /// What tells scopes apart in which a reference may lead to different things.
    pub(crate) fn id(self) -> (usize, bool) {
        match self {
            Self::Site => (0, false),
            Self::Message { file, .. } => (file + 1, false),
            // There is one, and nothing else with it.
            Self::Archive { is_secure, .. } => (0, is_secure),
        }
    }

    /// What is the same for all URLs that resolve against a base, in a container.
    pub(crate) fn beginnings(self, base: &str) -> Option<Beginnings> {
        match self {
            Self::Site => None,
            Self::Message { parts, .. } => Some(parts.beginnings(base)),
            Self::Archive { archive, .. } => Some(archive.beginnings(base)),
        }
    }

    /// Whether it is a container.
    pub(crate) fn is_held(self) -> bool {
        !matches!(self, Self::Site)
    }
}

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AuditedDocument<'a> {
    /// The number of the file, or of the document in it.
    pub(crate) number: usize,
    /// The number of the file.
    pub(crate) file: usize,
    /// Where in the file it is.
    pub(crate) inside: Option<EntryId>,
    /// Its URL, if it is a page in an archive.
    pub(crate) url: Option<&'a str>,
    pub(crate) scope: Scope<'a>,
}

impl AuditedDocument<'_> {
    /// A file.
    pub(crate) fn file(number: usize) -> Self {
        Self { number, file: number, inside: None, url: None, scope: Scope::Site }
    }
}
