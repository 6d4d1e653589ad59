//! Rewrites the files of a tree in parallel, and reports them in order. A file is written beside
//! the one that it replaces, or to the folder that mirrors the tree. Renames follow batch by batch,
//! after a flush.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Seek, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::{Diagnosis, Rewriter, setters};
use absolve_archive::Format;
use absolve_archive::jobs::{ThreadState as _, Workers, lock_if_large};

use super::exchange::{OldFiles, PendingRename, creation_mode, remove_leftovers};
use super::failure::Failure;
use super::flush::{self, Sync, window_size};
use super::folder::Folder;
use super::mirror::{Mirror, PlannedMirror};
use super::origin::Origins;
use super::outcome::{FileOutcome, Monitor, Report, RunStatus};
use super::preflight::{PreflightError, check_open_files};
use super::read::{FileBuffers, LastFolder, OpenFile, has_content};
use super::tree::{Item, ItemKind, RootKind, Tree, TreeFolder};
use super::walk::WriteMode;

/// The destination of rewritten documents.
///
/// [`Rewriting`](crate::Rewriting) has an example.
#[derive(Debug)]
pub enum Destination {
    /// No output: reports which documents would change in place and, with [`WriteMode::Replace`],
    /// which could not be replaced. A file with several hard links is skipped, as in place.
    Check(WriteMode),
    /// No output: reports what would be written to this folder, and what could not be.
    #[doc(hidden)]
    Preview(PlannedMirror),
    /// The new files replace the old ones.
    InPlace,
    /// Into another folder, with the other files of the tree.
    Mirror(Mirror),
}

/// Whether a file with several hard links is rewritten under the name that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HardLinks {
    /// The file is skipped in a folder, and an error if its own path was given.
    #[default]
    Skip,
    /// The file is rewritten; the other hard links keep the old content.
    Break,
}

/// The options of a run over a tree, and [`run`](Rewriting::run), which rewrites it.
///
/// ```
/// use std::path::{Path, PathBuf};
/// use absolve::Rewriter;
/// use absolve_archive::jobs::Workers;
/// use absolve_files::{Destination, Globs, Mirror, NotEmpty, OtherFiles, Origins, Rewriting, RootPlace, RunStatus, Sync, Walk, WriteMode};
/// use absolve::url::Base;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let (site, output) = (folder.path().join("site"), folder.path().join("output"));
/// # std::fs::create_dir(&site)?;
/// # std::fs::write(site.join("index.html"), "<a href=docs/>")?;
///
/// let mut walk = Walk::new(WriteMode::Mirror).other_files(OtherFiles::Listed);
/// // The base URL corresponds to the folder itself.
/// let place = RootPlace { below_base: Some(PathBuf::new()), ..RootPlace::default() };
/// walk.add(&site, place);
/// let tree = walk.finish();
///
/// let mirror = Mirror::new(&tree, &output, NotEmpty::Refused)?;
/// let destination = Destination::Mirror(mirror);
/// let origins = Origins::new(Some(Base::new("https://example.org/")?));
/// let rewriter = Rewriter::new();
/// let rewriting = Rewriting::new(&rewriter, &origins, &destination);
/// let status = rewriting.run(&tree, &Workers::new(0), &(), &mut |item, report| {
///     assert!(!report.has_failed(), "{:?}", tree.path(item));
/// });
/// assert_eq!(status, RunStatus::Done);
/// if let Destination::Mirror(mirror) = destination {
///     mirror.finish(Sync::default())?;
/// }
/// let page = std::fs::read(output.join("index.html"))?;
/// assert_eq!(page, b"<a href=https://example.org/docs/>");
/// # Ok(())
/// # }
/// ```
pub struct Rewriting<'r> {
    rewriter: &'r Rewriter,
    origins: &'r Origins,
    destination: &'r Destination,
    format: Option<Format>,
    sync: Sync,
    hard_links: HardLinks,
    old_files: OldFiles,
    editor: Option<&'r dyn Editor>,
}

/// Edits documents instead of a [`Rewriter`].
pub trait Editor: std::marker::Sync {
    /// Returns the new bytes of a document, or `None` for no change. `path` is the path as given.
    ///
    /// # Errors
    ///
    /// If the document has to stay as it is, with the reason.
    fn edit(&self, path: &Path, source: &[u8]) -> Result<Option<Vec<u8>>, Failure>;
}

impl<'r> Rewriting<'r> {
    /// Rewrites documents with `rewriter`, whose retrieval URLs come from `origins`, and writes
    /// them to `destination`; every option has its default.
    #[must_use]
    pub fn new(rewriter: &'r Rewriter, origins: &'r Origins, destination: &'r Destination) -> Self {
        Self {
            rewriter,
            origins,
            destination,
            format: None,
            sync: Sync::default(),
            hard_links: HardLinks::default(),
            old_files: OldFiles::default(),
            editor: None,
        }
    }

    setters! {
        /// Sets the format of every file; by default, the name of a file decides.
        pub fn format(format: Option<Format>) => format = format;

        /// Sets whether files are flushed before they replace others.
        pub fn sync(sync: Sync) => sync = sync;

        /// Sets whether a file that has several hard links is rewritten.
        pub fn hard_links(hard_links: HardLinks) => hard_links = hard_links;

        /// Lets an editor edit every document, whatever its format; by default, the rewriter does.
        pub fn editor(editor: &'r dyn Editor) => editor = Some(editor);

        /// Sets whether backups of the old files are kept in place; by default, they are not.
        pub fn old_files(old_files: OldFiles) => old_files = old_files;
    }
}

impl Rewriting<'_> {
    /// Rewrites a tree, and reports on every item in the order of the walk.
    pub fn run(
        &self,
        tree: &Tree,
        workers: &Workers,
        monitor: &dyn Monitor,
        report: &mut dyn FnMut(&Item, Report),
    ) -> RunStatus {
        if let Destination::InPlace = self.destination {
            remove_leftovers_in(tree);
        }
        let run = TreeRun { rewriting: self, tree, monitor };
        let mut status = RunStatus::Done;
        let needs_flush = self.needs_flush();
        let work = |buffers: &mut FileBuffers, number: usize| {
            if monitor.is_stopped() {
                return None;
            }
            let mut pending = run.process_item(buffers, &tree.items[number]);
            if !needs_flush {
                pending.rename_file();
            }
            Some(pending)
        };
        workers.map_ordered(tree.items.len(), window_size(), work, |numbers, mut batch| {
            let is_complete = !monitor.is_stopped() && batch.iter().all(Option::is_some);
            // A later batch does not undo that the folders of an earlier one were not flushed.
            if is_complete && let Err(failure) = flush_and_rename(&mut batch, monitor) {
                status = RunStatus::Unflushed(failure);
            }
            for (item, pending) in tree.items[numbers].iter().zip(batch) {
                match pending {
                    Some(PendingItem { report: done, rename: None }) => report(item, done),
                    // Dropping a rename removes the temporary file.
                    _ => status = RunStatus::Stopped,
                }
            }
            if status == RunStatus::Stopped {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        status
    }

    fn needs_flush(&self) -> bool {
        match (self.sync, self.destination) {
            (Sync::Never, _) | (_, Destination::Check(_) | Destination::Preview(_)) => false,
            (_, Destination::InPlace) => true,
            // A staged tree is flushed at the end.
            (_, Destination::Mirror(mirror)) => !mirror.is_staged(),
        }
    }

    /// Returns the failure to write the output of an item, with the output path in a mirror.
    fn write_failure(&self, tree: &Tree, item: &Item, error: &io::Error) -> Failure {
        let folder = match self.destination {
            Destination::Mirror(mirror) => mirror.path(),
            Destination::Preview(planned) => planned.path(),
            _ if self.editor.is_some() => return Failure::write_edited(error),
            _ => return Failure::write(error),
        };
        Failure::write_to(&folder.join(tree.path_in_output(item)), error)
    }
}

/// The state of a run over a tree, which its threads share.
struct TreeRun<'r> {
    rewriting: &'r Rewriting<'r>,
    tree: &'r Tree,
    monitor: &'r dyn Monitor,
}

/// An item that is done, except for the rename of its file if it has one.
struct PendingItem {
    report: Report,
    rename: Option<Box<PendingRename>>,
}

impl From<FileOutcome> for PendingItem {
    fn from(outcome: FileOutcome) -> Self {
        Self { report: Report { outcome, documents: None }, rename: None }
    }
}

impl PendingItem {
    /// Renames the file; a failure becomes the outcome of the item.
    fn rename_file(&mut self) {
        let Some(rename) = self.rename.take() else { return };
        if let Err(error) = rename.rename_into_place() {
            self.report.outcome = FileOutcome::Failed(error.into());
        }
    }
}

/// Flushes the files of a batch, renames them, and flushes their folders.
///
/// # Errors
///
/// If the folders cannot be flushed. The failure to flush files is that of each item.
fn flush_and_rename(
    items: &mut [Option<PendingItem>],
    monitor: &dyn Monitor,
) -> Result<(), Failure> {
    let written = items.iter().flatten().filter_map(|item| item.rename.as_deref());
    if let Err(error) = flush::files(written.map(PendingRename::file)) {
        let failure = Failure::write(&error);
        for item in items.iter_mut().flatten() {
            if item.rename.take().is_some() {
                item.report.outcome = FileOutcome::Failed(failure.clone());
            }
        }
        return Ok(());
    }
    let mut folders: Vec<Arc<Folder>> = Vec::new();
    for item in items.iter_mut().flatten() {
        if monitor.is_stopped() {
            break;
        }
        let Some(rename) = &item.rename else { continue };
        if !folders.last().is_some_and(|last| Arc::ptr_eq(last, rename.folder())) {
            folders.push(rename.folder().clone());
        }
        item.rename_file();
    }
    flush::folders(&folders).map_err(|error| Failure::flush(&error))
}

impl TreeRun<'_> {
    fn process_item(&self, buffers: &mut FileBuffers, item: &Item) -> PendingItem {
        let result = match &item.kind {
            ItemKind::Skipped(skip) => return FileOutcome::Skipped(skip.clone()).into(),
            ItemKind::Failed(failure) => return FileOutcome::Failed(failure.clone()).into(),
            ItemKind::Document => self.process_document(buffers, item),
            ItemKind::Other => self.copy_file(buffers, item),
            ItemKind::Link => self
                .copy_link(buffers, item)
                .map_err(|error| self.rewriting.write_failure(self.tree, item, &error)),
        };
        result.unwrap_or_else(|failure| FileOutcome::Failed(failure).into())
    }

    fn process_document(
        &self,
        buffers: &mut FileBuffers,
        item: &Item,
    ) -> Result<PendingItem, Failure> {
        let Self { rewriting, tree, .. } = *self;
        let mut opened = buffers.open(tree, item).map_err(|error| Failure::read(&error))?;
        if let Some(names) = self.count_blocking_links(&opened, item) {
            return Ok(match rewriting.editor {
                Some(_) => FileOutcome::Failed(Failure::hard_links_of_edited(names)),
                None => FileOutcome::skip_hard_links(tree, item, names),
            }
            .into());
        }
        // A later change has to be detectable before the file is replaced.
        if let Destination::InPlace = rewriting.destination {
            opened = opened.with_stable_metadata().map_err(|error| Failure::read(&error))?;
        }
        let lock = lock_if_large(opened.metadata.len());
        let limits = rewriting.rewriter.settings().limits;
        buffers.read_opened(&opened, &limits).map_err(|error| Failure::read(&error))?;
        self.monitor.read(buffers.source().len() as u64);
        let job = FileJob { rewriting, tree, item, opened };
        let result = match rewriting.editor {
            Some(editor) => job.edit(buffers, editor),
            None => job.rewrite(buffers),
        };
        if lock.is_some() {
            buffers.shrink();
        }
        result
    }

    /// Copies a file that is not a document.
    fn copy_file(&self, buffers: &mut FileBuffers, item: &Item) -> Result<PendingItem, Failure> {
        let Self { rewriting, tree, .. } = *self;
        let opened = buffers.open(tree, item).map_err(|error| Failure::read(&error))?;
        let job = FileJob { rewriting, tree, item, opened };
        let content = NewContent::CopyOf(&job.opened);
        let copy = job.write(&mut buffers.output, content, FileOutcome::Copied)?;
        if let (Destination::Mirror(_), FileOutcome::Copied) =
            (rewriting.destination, &copy.report.outcome)
        {
            self.monitor.read(job.opened.metadata.len());
        }
        Ok(copy)
    }

    /// Copies a symbolic link.
    fn copy_link(&self, buffers: &mut FileBuffers, item: &Item) -> io::Result<PendingItem> {
        let Destination::Mirror(mirror) = self.rewriting.destination else {
            return Ok(FileOutcome::Copied.into());
        };
        let to = buffers.open_folder(self.tree, item)?.read_link(&item.name)?;
        let folder = buffers.output.get(item.folder, || mirror.folder(self.tree, item.folder))?;
        match folder.make_link(&to, &item.name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if folder.read_link(&item.name).is_ok_and(|old| old == to) {
                    return Ok(FileOutcome::Unchanged.into());
                }
                Err(error)
            }
            created => created.map(|()| FileOutcome::Copied.into()),
        }
    }

    /// Returns the number of a file's hard links if they prevent rewriting it. The backup of a
    /// killed run does not.
    fn count_blocking_links(&self, opened: &OpenFile, item: &Item) -> Option<u64> {
        let rewriting = self.rewriting;
        // A check reports what a run in place does.
        let replaces =
            matches!(rewriting.destination, Destination::InPlace | Destination::Check(_));
        if !replaces || rewriting.hard_links == HardLinks::Break {
            return None;
        }
        let old = opened.identity().ok()?;
        let names = old.names;
        let is_backed_up = || rewriting.old_files.is_backed_up(&opened.folder, &item.name, &old);
        (names > 1 && !(names == 2 && is_backed_up())).then_some(names)
    }
}

/// The work on one opened file of a tree.
struct FileJob<'j> {
    rewriting: &'j Rewriting<'j>,
    tree: &'j Tree,
    item: &'j Item,
    opened: OpenFile,
}

/// The bytes that are written for a file.
#[derive(Clone, Copy)]
enum NewContent<'c> {
    Bytes(&'c [u8]),
    CopyOf(&'c OpenFile),
}

impl NewContent<'_> {
    /// Whether a file has this content.
    fn is_in(self, file: &File) -> io::Result<bool> {
        match self {
            Self::Bytes(bytes) => has_content(file, bytes.len() as u64, bytes),
            Self::CopyOf(OpenFile { file: source, metadata, .. }) => {
                let is_same = has_content(file, metadata.len(), BufReader::new(source))?;
                // The source is read again if it is copied.
                (&*source).rewind()?;
                Ok(is_same)
            }
        }
    }

    fn write_to(self, mut file: &File) -> io::Result<()> {
        match self {
            Self::Bytes(bytes) => file.write_all(bytes),
            // `std::fs::copy` takes paths instead of files.
            Self::CopyOf(source) => io::copy(&mut &source.file, &mut file).map(|_| ()),
        }
    }
}

impl FileJob<'_> {
    /// Rewrites the links of a document.
    fn rewrite(&self, buffers: &mut FileBuffers) -> Result<PendingItem, Failure> {
        let FileBuffers { rewrite_buffers, source, output, .. } = buffers;
        let Self { rewriting, tree, item, opened } = self;
        let source = source.bytes();
        let format = match rewriting.format {
            Some(format) => format.check_given(source)?,
            None => Format::detect(item.name.as_ref(), source)?,
        };
        let origins = rewriting.origins;
        let rewriter = origins.rewriter_of_item(rewriting.rewriter, tree, item, &opened.folder)?;
        let rewritten = match absolve_archive::rewrite(source, format, &rewriter, rewrite_buffers) {
            Ok(rewritten) => rewritten,
            Err(error) => {
                let Some(skip) = tree.skipped(item, &error) else { return Err(error.into()) };
                // A mirror gets a skipped document as it is.
                let mut pending = self.write_output(output, source, None)?;
                pending.report.outcome = FileOutcome::Skipped(skip);
                return Ok(pending);
            }
        };
        let new = rewritten.is_changed().then(|| rewritten.bytes());
        let mut pending = self.write_output(output, source, new)?;
        pending.report.documents = Some(rewritten.into_summary());
        Ok(pending)
    }

    /// Passes a document through the editor.
    fn edit(&self, buffers: &mut FileBuffers, editor: &dyn Editor) -> Result<PendingItem, Failure> {
        let source = buffers.source.bytes();
        let edited = editor.edit(&self.tree.path(self.item), source)?;
        let new = edited.filter(|bytes| bytes != source);
        self.write_output(&mut buffers.output, source, new.as_deref())
    }

    /// Writes a document to its destination: its new bytes, or without a change, its source if the
    /// destination is a mirror.
    fn write_output(
        &self,
        output: &mut LastFolder,
        source: &[u8],
        new: Option<&[u8]>,
    ) -> Result<PendingItem, Failure> {
        match (new, self.rewriting.destination) {
            (Some(new), _) => self.write(output, NewContent::Bytes(new), FileOutcome::Rewritten),
            (None, Destination::Check(WriteMode::Replace) | Destination::InPlace) => {
                Ok(FileOutcome::Unchanged.into())
            }
            _ => self.write(output, NewContent::Bytes(source), FileOutcome::Unchanged),
        }
    }

    /// Writes a file to its destination, or checks that this is possible, and returns `outcome`.
    fn write(
        &self,
        output: &mut LastFolder,
        content: NewContent<'_>,
        outcome: FileOutcome,
    ) -> Result<PendingItem, Failure> {
        let Self { rewriting, tree, item, opened } = self;
        let refused = |error: io::Error| rewriting.write_failure(tree, item, &error);
        let (folder, (_, _, name)) = (&opened.folder, tree.locate(item));
        match (rewriting.destination, content) {
            (Destination::Check(WriteMode::Replace), NewContent::Bytes(_)) => {
                PendingRename::check(folder, name, Some(opened)).map_err(refused)?;
                let old = opened.identity().map_err(refused)?;
                rewriting.old_files.check(folder, name, &old)?;
                Ok(outcome.into())
            }
            (Destination::InPlace, NewContent::Bytes(_)) => {
                let fill = |file: &File| content.write_to(file);
                let rename = PendingRename::write(folder, name, Some(opened), None, fill);
                let rename = rename.map_err(refused)?.old_files(rewriting.old_files.clone());
                Ok(PendingItem { rename: Some(Box::new(rename)), ..outcome.into() })
            }
            _ => self.write_to_mirror(output, content, outcome).map_err(refused),
        }
    }

    /// Writes a file to the mirror, or for a preview, checks that it could be written. An existing
    /// file with the same content stays, even if it is read-only.
    fn write_to_mirror(
        &self,
        output: &mut LastFolder,
        content: NewContent<'_>,
        outcome: FileOutcome,
    ) -> io::Result<PendingItem> {
        let Self { rewriting, tree, item: Item { folder: number, name, .. }, opened } = self;
        let (folder, is_preview) = match rewriting.destination {
            Destination::Mirror(mirror) => {
                let folder = output.get(*number, || mirror.folder(tree, *number))?;
                if mirror.is_staged() {
                    self.write_staged(mirror, &folder, content)?;
                    return Ok(outcome.into());
                }
                (folder, false)
            }
            Destination::Preview(planned) => match planned.folder(tree, *number)? {
                Some(folder) => (folder, true),
                None => return Ok(outcome.into()),
            },
            Destination::Check(_) | Destination::InPlace => return Ok(outcome.into()),
        };
        let old = OpenFile::open_existing(&folder, name)?;
        if let Some(old) = &old
            && content.is_in(&old.file)?
        {
            return Ok(FileOutcome::Unchanged.into());
        }
        if is_preview {
            PendingRename::check(&folder, name, old.as_ref())?;
            return Ok(outcome.into());
        }
        let (old, source) = (old.as_ref(), Some(&opened.metadata));
        let fill = |file: &File| content.write_to(file);
        let rename = PendingRename::write(&folder, name, old, source, fill)?;
        Ok(PendingItem { rename: Some(Box::new(rename)), ..outcome.into() })
    }

    /// Writes a file of a staged tree under its final name, since the tree is renamed as a whole.
    fn write_staged(
        &self,
        mirror: &Mirror,
        folder: &Folder,
        content: NewContent<'_>,
    ) -> io::Result<()> {
        let name = &self.item.name;
        let file = folder.create(name, creation_mode(&self.opened.metadata))?;
        let mut written = content.write_to(&file);
        // On Linux, `Mirror::finish` flushes the whole file system.
        if cfg!(not(target_os = "linux")) && self.rewriting.sync == Sync::Always {
            written = written.and_then(|()| file.sync_all());
        }
        if written.is_err() && folder.remove(name).is_err() {
            mirror.mark_incomplete();
        }
        written
    }
}

/// Checks that at least one folder with documents can be written to, for a run in place.
///
/// # Errors
///
/// If no such folder may be written to, or the limit of open files is too low.
pub fn check_in_place(tree: &Tree) -> Result<(), PreflightError> {
    check_open_files(tree.roots.first().map_or(Path::new("."), |root| &root.shown))?;
    let mut refused = None;
    let mut last_folder = usize::MAX;
    for item in tree.items.iter().filter(|item| matches!(item.kind, ItemKind::Document)) {
        if item.folder == last_folder {
            continue;
        }
        last_folder = item.folder;
        let (root, path, _) = tree.locate(item);
        // A folder that cannot be entered is reported with its files.
        if root.folder.enter(path).is_ok_and(|folder| folder.check_writable().is_ok()) {
            return Ok(());
        }
        let path = &tree.folders[item.folder].path;
        refused.get_or_insert_with(|| root.shown.iter().chain(path).collect::<PathBuf>());
    }
    let why = "it may not be written to; make it writable, or write to another folder with {o}";
    let why = Diagnosis::from_words(why, &[]);
    refused.map_or(Ok(()), |path| Err(PreflightError::new(&path, why)))
}

/// Removes temporary files that killed runs left in the tree.
pub fn remove_leftovers_in(tree: &Tree) {
    for &number in &tree.leftover_folders {
        let TreeFolder { root, real, .. } = &tree.folders[number];
        // A folder that cannot be entered is reported with its files.
        let _ = tree.roots[*root].folder.enter(real).and_then(|folder| remove_leftovers(&folder));
    }
    let files = tree.roots.iter().filter(|root| root.kind == RootKind::File);
    let mut seen = HashSet::new();
    for root in files.filter(|root| seen.insert(&root.real)) {
        let _ = remove_leftovers(&root.folder);
    }
}
