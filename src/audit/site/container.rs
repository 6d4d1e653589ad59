//! Sites that are a container.

use std::path::Path;

use crate::audit::site::files::{FileKind, Files, bytes_of};
use crate::audit::site::{Role, Site, SiteKind};
use crate::batch::{
    Failure, Item, Kind, Monitor, MonitoredFile, OtherFiles, RootPlace, Symlinks, Walk, WriteMode,
};
use crate::container::Format;
use crate::container::warc::Reader;

impl Site {
    /// Creates a site from a container; files around it are not targets.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, or the format is not that of a container.
    pub fn of_container(path: &Path, format: Format) -> Result<Self, Failure> {
        let mut walk =
            Walk::new(WriteMode::Read).symlinks(Symlinks::Followed).other_files(OtherFiles::Listed);
        walk.add(path, RootPlace::default());
        let tree = walk.finish();
        let item = tree.items().first();
        let name = match item.map(Item::kind) {
            Some(Kind::Document) => item.map(|item| tree.below_root(item)),
            Some(Kind::Failed(failure)) => return Err(failure.clone()),
            _ => None,
        };
        let name = name.ok_or_else(|| Failure::new("it is not a regular file"))?;
        let root = path.parent().unwrap_or(Path::new("")).to_owned();
        let folder = if root.as_os_str().is_empty() { Path::new(".") } else { &root };
        let real = folder.canonicalize().map_err(|error| Failure::read(&error))?;
        let files = Files::new([(&name, FileKind::File)]);
        let number = files.find(&bytes_of(&name)).unwrap_or_default();
        let mut site = Self::new(files, tree, root, real);
        site.kind = SiteKind::Container;
        site.items = vec![0; site.files.len()];
        site.items[number] = 1;
        site.roles = vec![Role::Around; site.files.len()];
        match format {
            Format::Html | Format::Css => {
                return Err(Failure::new("it is neither a message nor a web archive"));
            }
            Format::Message => {
                site.roles[number] = Role::Message;
                site.messages.push(number);
            }
            Format::Warc => {
                site.roles[number] = Role::Archive;
                site.archive = Some(number);
            }
        }
        Ok(site)
    }

    /// Opens an archive at its beginning.
    pub(crate) fn archive_reader<'w>(
        &self,
        number: usize,
        monitor: &'w dyn Monitor,
    ) -> Result<Reader<MonitoredFile<'w>>, Failure> {
        let file = MonitoredFile::open(&self.shown(number), monitor);
        Ok(Reader::seekable(file.map_err(|error| Failure::read(&error))?))
    }
}
