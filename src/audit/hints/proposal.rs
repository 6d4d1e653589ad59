//! Proposals: references that can replace one that an author wrote.

mod author;
mod shape;

use crate::audit::fix::Safety;
use crate::audit::site::files::FileKind;

pub use author::AuthoredReference;

/// What a link probably means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// A file or folder of the site, by its decoded path; query and fragment stay as written.
    Path {
        /// The path from the root of the site.
        path: Box<[u8]>,
        /// Whether a slash follows it.
        has_trailing_slash: bool,
    },
    /// An absolute URL; query and fragment stay as written unless it has its own.
    Url(String),
    /// This anchor, decoded, of the same page.
    Anchor(String),
    /// The same, by the reference without the `..` segments that climb above the root.
    BelowRoot,
    /// This reference, as it is.
    Reference(String),
}

impl Meant {
    /// A file of the site.
    #[must_use]
    pub fn file(path: &[u8]) -> Self {
        Self::Path { path: path.into(), has_trailing_slash: false }
    }

    /// A folder of the site.
    #[must_use]
    pub fn folder(path: &[u8]) -> Self {
        Self::Path { path: path.into(), has_trailing_slash: true }
    }

    pub(crate) fn of_kind(path: &[u8], kind: FileKind) -> Self {
        match kind {
            FileKind::File => Self::file(path),
            FileKind::Folder => Self::folder(path),
        }
    }
}

/// The words of a hint around the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// The server works around a fault of spelling.
    Write,
    /// The case differs.
    CaseDiffers,
    /// It is a file, and the link ends with a slash.
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
    /// The hint that proposes a reference.
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

/// What a link probably means, how the hint says so, and whether `--fix` writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What is meant.
    pub meant: Meant,
    /// The words of the hint.
    pub wording: Wording,
    /// How certain it is; `None` if it is only a hint.
    pub safety: Option<Safety>,
}

impl Proposal {
    pub(crate) fn new(meant: Meant, wording: Wording, safety: Option<Safety>) -> Self {
        Self { meant, wording, safety }
    }

    /// The proposal as a hint alone.
    pub(crate) fn as_hint(&self) -> Self {
        Self { safety: None, ..self.clone() }
    }

    /// The bytes of its text.
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
    /// The reference to write for a meaning: relative, from the root or absolute like the
    /// author's, with the author's spelling where the paths agree.
    ///
    /// It resolves to what is meant; `None` if no reference of that form does.
    #[must_use]
    pub fn shape(&self, meant: &Meant) -> Option<String> {
        // The form of a reference is that by its slashes.
        let reference = &*shape::slashed(self.reference);
        let author = &AuthoredReference { reference, ..*self };
        let shaped = match meant {
            Meant::Path { path, has_trailing_slash } => {
                let parts = shape::Parts::of(reference);
                shape::path(author, &parts, path, *has_trailing_slash, parts.tail())?
            }
            Meant::Url(url) => shape::url(author, url)?,
            Meant::BelowRoot => author.below_root()?,
            Meant::Anchor(anchor) => shape::anchor(reference, anchor)?,
            Meant::Reference(reference) => reference.clone(),
        };
        (shaped != self.reference).then_some(shaped)
    }
}

#[cfg(test)]
mod tests;
