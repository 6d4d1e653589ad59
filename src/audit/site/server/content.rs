//! Finds the content of a path among the files, without redirect rules.

use percent_encoding::percent_encode;

use crate::audit::site::files::{FileKind, Files, join};
use crate::audit::site::server::{Answer, Case, Extensionless, Permanence, Server};
use crate::batch::NOT_IN_A_NAME;

impl Server {
    /// The answer without redirect rules, and the file that a visitor gets in the end, perhaps after a
    /// redirect.
    pub(super) fn content<'f>(
        &self,
        files: &'f Files,
        path: &[u8],
        has_trailing_slash: bool,
    ) -> (Answer, Option<&'f [u8]>) {
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
        let (answer, file) = match (found, page, index, has_trailing_slash) {
            (Some((file, FileKind::File)), .., false) => (Answer::File(file.into()), file),
            (_, Some(page), _, false) => (Answer::File(page.into()), page),
            (_, Some(page), _, true) if leaves_slash => (without_slash(page), page),
            (_, _, Some(index), true) => (Answer::File(index.into()), index),
            (_, _, Some(index), false) => (Answer::RedirectsToSlash(index.into()), index),
            (Some((folder, FileKind::Folder)), ..) => {
                return (Answer::FolderWithoutIndex(folder.into()), None);
            }
            _ => return (Answer::Missing, None),
        };
        if self.case == Case::Ignored && !file.starts_with(path) {
            return (Answer::CaseDiffers(file.into()), Some(file));
        }
        (answer, Some(file))
    }
}

/// The redirect to a page without its extension.
fn without_slash(page: &[u8]) -> Answer {
    let path = percent_encode(&page[..page.len() - ".html".len()], NOT_IN_A_NAME);
    Answer::Redirect { to: format!("/{path}"), line: None, permanence: Permanence::Permanent }
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
