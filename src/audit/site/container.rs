//! A container in place of a folder.

use std::io::{Read, Seek};
use std::path::Path;

use super::{Role, Site, Stands};
use crate::audit::files::{FileKind, Files, bytes_of};
use crate::batch::{self, Failure, Globs, Item, Kind, Others, Purpose, RootPlace, Symlinks, Walk};
use crate::container::warc::Reader;

/// A file that holds documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Container {
    /// A message or MHTML.
    Message,
    /// A web archive.
    Archive,
}

impl Container {
    /// What a file is, by its name.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.as_encoded_bytes().to_ascii_lowercase();
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end.as_bytes()));
        if ends(&[".mhtml", ".mht", ".eml"]) {
            return Some(Self::Message);
        }
        ends(&[".warc", ".warc.gz"]).then_some(Self::Archive)
    }
}

impl Site {
    /// A container in place of a folder: what it holds is the site, and no file around it is
    /// a target.
    ///
    /// # Errors
    ///
    /// If it is no file that can be opened.
    pub fn of_container(path: &Path, container: Container) -> Result<Self, Failure> {
        let mut walk =
            Walk::new(Globs::default(), Symlinks::Followed, Others::Listed, Purpose::Read);
        walk.add(path, RootPlace::default());
        let tree = walk.finish();
        let item = tree.items().first();
        let name = match item.map(Item::kind) {
            Some(Kind::Document) => item.map(|item| tree.below_root(item)),
            Some(Kind::Failed(failure)) => return Err(failure.clone()),
            _ => None,
        };
        let name = name.ok_or_else(|| Failure::new("it is no regular file"))?;
        let root = path.parent().unwrap_or(Path::new("")).to_owned();
        let folder = if root.as_os_str().is_empty() { Path::new(".") } else { &root };
        let real = folder.canonicalize().map_err(|error| Failure::read(&error))?;
        let files = Files::new([(&name, FileKind::File)]);
        let number = files.find(&bytes_of(&name)).unwrap_or_default();
        let mut site = Self::new(files, tree, root, real);
        site.stands = Stands::Alone;
        site.items = vec![0; site.files.len()];
        site.items[number] = 1;
        site.roles = vec![Role::Around; site.files.len()];
        match container {
            Container::Message => {
                site.roles[number] = Role::Message;
                site.messages.push(number);
            }
            Container::Archive => {
                site.roles[number] = Role::Archive;
                site.archive = Some(number);
            }
        }
        Ok(site)
    }

    /// An archive, to be read from its beginning.
    pub(in crate::audit) fn archive_reader(
        &self,
        number: usize,
    ) -> Result<Reader<impl Read + Seek + Send + use<>>, Failure> {
        let file = batch::open(&self.shown(number)).map_err(|error| Failure::read(&error))?;
        Ok(Reader::seekable(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_known_by_the_end_of_its_name() {
        let is = |name: &str| Container::of(Path::new(name));
        for name in ["a.mhtml", "d/a.MHT", "a.b.eml", ".eml"] {
            assert_eq!(is(name), Some(Container::Message), "{name}");
        }
        for name in ["a.warc", "a.Warc.GZ"] {
            assert_eq!(is(name), Some(Container::Archive), "{name}");
        }
        for name in ["a.gz", "warc", "a.html", "a.eml/b", "..", ""] {
            assert_eq!(is(name), None, "{name}");
        }
    }
}
