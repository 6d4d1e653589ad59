//! Sites that are a container.

use std::io;
use std::path::{Path, PathBuf};

use crate::audit::site::files::{FileKind, Files, bytes_of};
use crate::audit::site::{Role, Site, SiteKind};
use crate::batch::{
    Archive, Failure, Item, Kind, Monitor, OtherFiles, RootPlace, Symlinks, Walk, WriteMode,
};
use crate::container::warc::{Reader, RecordPosition};
use crate::container::{EntryId, Format, Source};

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
            Format::Html
            | Format::Css
            | Format::Xml
            | Format::JsonFeed
            | Format::Wacz
            | Format::Epub => {
                return Err(Failure::new("it is neither a message nor a web archive"));
            }
            Format::Message => {
                site.roles[number] = Role::Message;
                site.messages.push(number);
            }
            Format::Warc => {
                site.roles[number] = Role::Archive;
                site.archive = Some(number);
                let archives = Archive::of_file(path, Format::Warc);
                let archives = archives.map_err(|error| Failure::new(error.to_string()))?;
                return site.archives(archives).map_err(|(_, error)| Failure::read(&error));
            }
        }
        Ok(site)
    }

    /// Sets the archives of the site: those of a `.wacz`, or of several files; unless set, the container
    /// is the only one. Findings in them name each (`crawl.wacz!archive/data.warc.gz`).
    ///
    /// # Errors
    ///
    /// If a file cannot be found; with its path.
    pub fn archives(mut self, archives: Vec<Archive>) -> Result<Self, (PathBuf, io::Error)> {
        let mut start = 0;
        self.archives.clear();
        for archive in archives {
            let size = archive.size().map_err(|error| (archive.path(), error))?;
            self.archives.push((start, archive));
            start += size;
        }
        Ok(self)
    }

    /// Shows each archive to `read`, in their order, with positions in all of them; also returns
    /// which cannot be read, and why.
    pub(crate) fn read_archives<'w>(
        &self,
        monitor: &'w dyn Monitor,
        mut read: impl FnMut(Reader<Source<'w>>) -> io::Result<()>,
    ) -> Result<(), (PathBuf, String)> {
        self.archives.iter().try_for_each(|(start, archive)| {
            let done = archive.source(monitor).map(|source| source.reader().start_at(*start));
            let failed = |error| (archive.path(), Failure::read(&error).to_string());
            done.and_then(&mut read).map_err(failed)
        })
    }

    /// The file and the position of a document, as findings have them.
    pub(crate) fn place(&self, file: usize, inside: Option<EntryId>) -> (PathBuf, Option<EntryId>) {
        let Some(EntryId::Record(position)) = inside else { return (self.shown(file), inside) };
        let after = self.archives.partition_point(|(start, _)| *start <= position.offset);
        let Some((start, archive)) = self.archives[..after].last() else {
            return (self.shown(file), inside);
        };
        let offset = position.offset - start;
        (archive.path(), Some(EntryId::Record(RecordPosition { offset, ..position })))
    }
}
