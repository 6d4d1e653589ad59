//! Finds the content of a path among the files, without redirect rules.

use percent_encoding::percent_encode;

use crate::audit::site::files::{FileKind, Files, join, path_of};
use crate::audit::site::server::{Answer, Case, Extensionless, Permanence, Server};
use crate::batch::NOT_IN_A_NAME;

/// The content of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// A file.
    File(Vec<u8>),
    /// An index page, after a redirect that adds a slash.
    WithSlash(Vec<u8>),
    /// A file, after a redirect to this path without a slash.
    WithoutSlash { to: Vec<u8>, file: Vec<u8> },
    /// A file whose name differs in case.
    OtherCase(Vec<u8>),
    /// A folder without an index page.
    Folder(Vec<u8>),
    /// Nothing.
    Nothing,
}

impl Content {
    /// Whether a visitor gets a page, perhaps after a redirect.
    pub(crate) fn is_there(&self) -> bool {
        !matches!(self, Self::Folder(_) | Self::Nothing)
    }

    pub(crate) fn into_file(self) -> Option<Vec<u8>> {
        match self {
            Self::File(file)
            | Self::WithSlash(file)
            | Self::WithoutSlash { file, .. }
            | Self::OtherCase(file) => Some(file),
            Self::Folder(_) | Self::Nothing => None,
        }
    }

    pub(crate) fn into_answer(self) -> Answer {
        match self {
            Self::File(file) => Answer::File(path_of(&file)),
            Self::WithSlash(file) => Answer::RedirectsToSlash(path_of(&file)),
            Self::WithoutSlash { to, .. } => {
                let path = percent_encode(&to, NOT_IN_A_NAME);
                let to = format!("/{path}");
                Answer::Redirect { to, line: None, permanence: Permanence::Permanent }
            }
            Self::OtherCase(file) => Answer::CaseDiffers(path_of(&file)),
            Self::Folder(folder) => Answer::FolderWithoutIndex(path_of(&folder)),
            Self::Nothing => Answer::Missing,
        }
    }
}

impl Server {
    pub(crate) fn content(&self, files: &Files, path: &[u8], has_trailing_slash: bool) -> Content {
        let lookup = Lookup { files, case: self.case };
        let found = lookup.find(path);
        let page = match self.extensionless {
            Extensionless::Missing => None,
            _ if path.is_empty() => None,
            _ => lookup.file(&[path, b".html"].concat()),
        };
        let index = match found {
            Some((folder, FileKind::Folder)) => {
                self.index.iter().find_map(|name| lookup.file(&join(folder, name.as_bytes())))
            }
            _ => None,
        };
        let leaves_slash = self.extensionless == Extensionless::ServedWithoutSlash;
        let content = match (found, page, index, has_trailing_slash) {
            (Some((file, FileKind::File)), .., false) => Content::File(file.to_vec()),
            (_, Some(page), _, false) => Content::File(page.to_vec()),
            (_, Some(page), _, true) if leaves_slash => {
                let to = page[..page.len() - ".html".len()].to_vec();
                Content::WithoutSlash { to, file: page.to_vec() }
            }
            (_, _, Some(index), true) => Content::File(index.to_vec()),
            (_, _, Some(index), false) => Content::WithSlash(index.to_vec()),
            (Some((folder, FileKind::Folder)), ..) => Content::Folder(folder.to_vec()),
            _ => Content::Nothing,
        };
        if self.case == Case::Ignored { case_difference(content, path) } else { content }
    }
}

/// Turns content at a path in another case into [`Content::OtherCase`].
fn case_difference(content: Content, path: &[u8]) -> Content {
    match content {
        Content::File(file) | Content::WithSlash(file) | Content::WithoutSlash { file, .. }
            if !file.starts_with(path) =>
        {
            Content::OtherCase(file)
        }
        content => content,
    }
}

#[derive(Clone, Copy)]
struct Lookup<'f> {
    files: &'f Files,
    case: Case,
}

impl<'f> Lookup<'f> {
    fn find(self, path: &[u8]) -> Option<(&'f [u8], FileKind)> {
        match self.case {
            Case::Counts => self.files.get(self.files.find(path)?),
            Case::Ignored => self.files.ignoring_case(path),
        }
    }

    fn file(self, path: &[u8]) -> Option<&'f [u8]> {
        self.find(path).filter(|(_, kind)| *kind == FileKind::File).map(|(path, _)| path)
    }
}
