//! Sites that are a container.

use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::audit::site::files::{FileKind, Files, bytes_of};
use crate::audit::site::{Role, Site, SiteKind};
use crate::batch::{
    Failure, Item, Kind, Monitor, MonitoredFile, OtherFiles, RootPlace, Symlinks, Walk, WriteMode,
};
use crate::container::warc::{Reader, RecordPosition};
use crate::container::{ByteRange, EntryId, Format, StoredArchive};

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
            Format::Html | Format::Css | Format::Xml | Format::Wacz | Format::Epub => {
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

    /// Sets the archives that the container has, such as those of a `.wacz`, in the order of their
    /// bytes; unless set, it is an archive itself. Findings in them name both
    /// (`crawl.wacz!archive/data.warc.gz`).
    #[must_use]
    pub fn archives(mut self, archives: Vec<StoredArchive>) -> Self {
        self.stored = Some(archives);
        self
    }

    /// The bytes of each archive in the container, in their order.
    pub(crate) fn archive_ranges(&self) -> Vec<Range<u64>> {
        match &self.stored {
            None => iter::once(0..u64::MAX).collect(),
            Some(stored) => stored.iter().map(|archive| archive.bytes.clone()).collect(),
        }
    }

    /// Opens an archive at its beginning. Positions are those in the container.
    pub(crate) fn archive_reader<'w>(
        &self,
        number: usize,
        bytes: Range<u64>,
        monitor: &'w dyn Monitor,
    ) -> Result<Reader<ByteRange<MonitoredFile<'w>>>, Failure> {
        let start = bytes.start;
        let file = MonitoredFile::open(&self.shown(number), monitor);
        let file = file.and_then(|file| ByteRange::new(file, bytes));
        Ok(Reader::seekable(file.map_err(|error| Failure::read(&error))?).start_at(start))
    }

    /// The file and the position of a document, as findings have them.
    pub(crate) fn place(&self, file: usize, inside: Option<EntryId>) -> (PathBuf, Option<EntryId>) {
        let (shown, stored) = (self.shown(file), self.stored.as_deref().unwrap_or_default());
        let Some(EntryId::Record(position)) = inside else { return (shown, inside) };
        let after = stored.partition_point(|found| found.bytes.start <= position.offset);
        let Some(archive) = stored[..after].last() else { return (shown, inside) };
        let mut path = shown.into_os_string();
        path.push("!");
        path.push(&archive.name);
        let offset = position.offset - archive.bytes.start;
        (path.into(), Some(EntryId::Record(RecordPosition { offset, ..position })))
    }
}
