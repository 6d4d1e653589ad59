//! The document that is audited: a file, or a document in a container.

use crate::audit::container::archive::Archive;
use crate::audit::container::fingerprint::BasePrefixes;
use crate::audit::container::parts::Parts;
use crate::container::EntryId;

/// Where a reference is, which decides how its target is looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope<'a> {
    /// In a file of the site.
    Site,
    /// In a message, by file number, with its parts.
    Message { file: usize, parts: &'a Parts },
    /// In an archive, on a page whose own URL is `https` or not.
    Archive { archive: &'a Archive, is_secure: bool },
}

impl Scope<'_> {
    /// Differs between scopes in which a reference may lead to different targets.
    pub(crate) fn id(self) -> (usize, bool) {
        match self {
            Self::Site => (0, false),
            Self::Message { file, .. } => (file + 1, false),
            // A site with an archive has no other file.
            Self::Archive { is_secure, .. } => (0, is_secure),
        }
    }

    /// The fingerprints of the prefixes of a base URL, in a container.
    pub(crate) fn prefixes(self, base: &str) -> Option<BasePrefixes> {
        match self {
            Self::Site => None,
            Self::Message { parts, .. } => Some(parts.prefixes(base)),
            Self::Archive { archive, .. } => Some(archive.prefixes(base)),
        }
    }

    /// Whether the reference is in a container.
    pub(crate) fn is_container(self) -> bool {
        !matches!(self, Self::Site)
    }
}

/// A document that is audited.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AuditedDocument<'a> {
    /// The number of the file, or of the document in the container.
    pub(crate) number: usize,
    /// The number of the file.
    pub(crate) file: usize,
    /// Its position in the container.
    pub(crate) inside: Option<EntryId>,
    /// Its URL, for a page in an archive.
    pub(crate) url: Option<&'a str>,
    pub(crate) scope: Scope<'a>,
}

impl AuditedDocument<'_> {
    /// A file.
    pub(crate) fn file(number: usize) -> Self {
        Self { number, file: number, inside: None, url: None, scope: Scope::Site }
    }
}
