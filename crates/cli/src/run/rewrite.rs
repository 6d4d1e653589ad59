//! Rewrites one document into a file or stdout, or a tree of documents, or finds what would change.

use std::io::Write;
use std::path::{Path, PathBuf};

use absolve::{Buffers, Diagnosis, Form, LinkCounts, Rewriter, Rewritten};
use absolve_archive::jobs::{Workers, lock_if_large};
use absolve_archive::{Documents, Format};
use absolve_files::{
    Destination, FileBuffers, FileOutcome, HardLinks, Item, Monitor, Origins, PlannedMirror,
    Report, Rewriting, RunStatus, Tree, WriteMode, check_in_place, check_write,
};
use absolve_site::report::display::printable_path;

use crate::args::{InputArgs, RewriteArgs, StatsArg, WritingArgs, is_url};
use crate::session::config::ConfigFolder;
use crate::session::direction;
use crate::session::failure::Failure;
use crate::session::inputs::{Input, Inputs, Paths};
use crate::session::output::{PrintError, Sink, map_ordered};
use crate::session::paths::split_at_entry;

/// The job that the arguments describe.
pub enum RewriteJob<'a> {
    Document(DocumentJob<'a>),
    Tree(Box<TreeJob<'a>>),
    /// A web archive, which absolve does not rewrite.
    Archive(PathBuf),
}

/// Receives the reports of a job.
pub trait Listener {
    /// Reports the number of files before the first one.
    fn start(&mut self, _files: usize) {}

    /// Reports a file, with its outcome.
    fn report_file(&mut self, path: &Path, report: &Report);

    /// Reports a file that was only copied, and that no pattern excludes.
    fn report_copied(&mut self, _path: &Path) {}

    /// Decides whether new files are renamed to their final paths, which cannot be undone.
    fn may_commit(&mut self) -> bool {
        true
    }
}

/// The monitor that may stop a job, and the listener to its reports.
pub struct Observers<'r> {
    pub monitor: &'r dyn Monitor,
    pub listener: &'r mut dyn Listener,
}

/// The outcome of a job.
pub struct RewriteReport {
    pub totals: Totals,
    pub status: RunStatus,
    /// The files that are on the disk, if the job was interrupted.
    pub interrupted: Interrupted,
}

/// The files that an interrupted job leaves on the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// Files rewritten in place.
    InPlace,
    /// Files in an output folder that was not empty.
    IntoFolder,
    /// Nothing: the job only showed what would change.
    Trial,
    /// Nothing: the output folder was removed, or never written to.
    Discarded,
}

/// The numbers of files, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The sum of the other numbers.
    pub seen: u64,
    pub rewritten: u64,
    pub unchanged: u64,
    pub copied: u64,
    pub skipped: u64,
    pub failed: u64,
}

/// The numbers of files and links, by outcome.
#[derive(Default)]
pub struct Totals {
    pub counts: Counts,
    /// Parts of messages that failed. Their messages count as rewritten or unchanged.
    pub failed_parts: usize,
    pub links: LinkCounts,
    /// XML files that are not documents of the run, although their links would have to change.
    pub xml_files: usize,
}

impl<'a> RewriteJob<'a> {
    /// Checks the arguments, and finds the files. `list_folder` restricts the paths of a list that
    /// a configuration found on disk names.
    pub fn new(args: &'a RewriteArgs, list_folder: Option<&ConfigFolder>) -> Result<Self, Failure> {
        check_args(args)?;
        if let Some(path) = find_archive(&args.inputs) {
            return Ok(Self::Archive(path.to_owned()));
        }
        let writing = &args.writing;
        let paths = match Inputs::new(&args.inputs, args.base.base_url(), list_folder)? {
            Inputs::One(Input::Stdin) if writing.write => {
                let problem = "stdin cannot be rewritten in place, give paths";
                return Err(Failure::message(problem));
            }
            Inputs::One(Input::File(path))
                if writing.write || writing.is_trial() && writing.output.is_none() =>
            {
                Paths::from_file(path, &args.inputs)
            }
            Inputs::One(input) => return DocumentJob::new(args, input).map(Self::Document),
            Inputs::Archives(_) => return Ok(Self::Archive(args.inputs.paths[0].clone())),
            Inputs::Many(paths) => paths,
        };
        Ok(Self::Tree(TreeJob::new(args, &paths)?.into()))
    }

    /// Rewrites the documents, or reports what would change.
    pub fn run(&self, observers: &mut Observers<'_>) -> Result<RewriteReport, Failure> {
        match self {
            Self::Document(job) => job.run(observers),
            Self::Tree(job) => job.run(observers),
            Self::Archive(path) => Err(refuse_archive(path)),
        }
    }
}

/// Refuses options that exclude each other or have no effect, and a path inside a container.
fn check_args(args: &RewriteArgs) -> Result<(), Failure> {
    args.document.options.check().map_err(Failure::message)?;
    let writing = &args.writing;
    if writing.stats == StatsArg::Json && (writing.diff || writing.list_different) {
        let problem = "--stats json and what --diff or --list-different print cannot both go to stdout; give only one";
        return Err(Failure::message(problem));
    }
    if let Some(suffix) = writing.old_files.0.suffix()
        && args.globs().is_document(format!("page{suffix}").as_ref())
    {
        let words = "files with the suffix '{}' would be documents of the next run; give a suffix \
                     that {include} does not match";
        return Err(Diagnosis::from_words(words, &[&suffix]).into());
    }
    let paths = &args.inputs.paths;
    let is_flat = paths.len() > 1 && paths.iter().any(|path| path.is_file());
    if is_flat && args.direction.form() == Form::Relative && writing.output.is_some() {
        let problem = "several files are written without their folders, and relative links between \
                       them would lead nowhere; give the folder, or {write}";
        return Err(Diagnosis::from_words(problem, &[]).into());
    }
    if let Some(path) = paths.iter().find(|path| split_at_entry(path).is_some()) {
        let problem =
            "rewrite writes the whole file: give that; absolve extract writes one document";
        return Err(Failure::new(&printable_path(path), problem));
    }
    Ok(())
}

/// Finds the first web archive among the paths; if `--as` names the format of an archive, the first
/// path, or stdin without one.
fn find_archive(args: &InputArgs) -> Option<&Path> {
    let is_archive = |path: &&PathBuf| args.is_archive(path) && !path.is_dir() && !is_url(path);
    let is_named = args.file_format.is_some_and(Format::is_archive);
    let given = args.paths.iter().find(is_archive).map(PathBuf::as_path);
    let first = || args.paths.first().map_or(Path::new("stdin"), PathBuf::as_path);
    given.or_else(|| is_named.then(first))
}

/// Refuses to rewrite a web archive, with the command that writes its pages.
pub fn refuse_archive(path: &Path) -> Failure {
    let name = printable_path(path);
    let is_extracted = Format::from_name(path).is_archive() || path.is_dir();
    let given = if is_extracted { &*name } else { "FILE.warc" };
    let problem = format!(
        "a web archive is read and not rewritten; write its pages as files: \
         absolve extract {given} -o DIR --to relative"
    );
    Failure::new(&name, problem)
}

impl Totals {
    /// Creates the totals of the only document.
    pub fn from_document(report: &Report) -> Self {
        let mut totals = Self::default();
        totals.add(report);
        totals
    }

    /// Counts a file and its links.
    fn add(&mut self, report: &Report) {
        let files = &mut self.counts;
        files.seen += 1;
        *match &report.outcome {
            FileOutcome::Rewritten => &mut files.rewritten,
            FileOutcome::Unchanged => &mut files.unchanged,
            FileOutcome::Copied => &mut files.copied,
            FileOutcome::Skipped(_) => &mut files.skipped,
            // Every other outcome is a failure.
            _ => &mut files.failed,
        } += 1;
        if let Some(documents) = rewritten_documents(report) {
            self.links += documents.counts();
            self.failed_parts += documents.failures().len();
        }
    }

    /// Whether a document changed, or would change.
    pub fn is_changed(&self) -> bool {
        self.counts.rewritten > 0
    }

    /// Whether a document or a part failed.
    pub fn has_failed(&self) -> bool {
        self.counts.failed > 0 || self.failed_parts > 0
    }
}

/// Returns the documents of a file that was rewritten or left unchanged.
pub fn rewritten_documents(report: &Report) -> Option<&Documents> {
    let is_done = matches!(report.outcome, FileOutcome::Rewritten | FileOutcome::Unchanged);
    report.documents.as_ref().filter(|_| is_done)
}

/// The job of one document, which is written to a file or stdout.
pub struct DocumentJob<'a> {
    args: &'a RewriteArgs,
    pub input: Input,
    /// The output file; `None` is stdout.
    pub output: Option<&'a Path>,
}

impl<'a> DocumentJob<'a> {
    /// Checks the options and the output.
    fn new(args: &'a RewriteArgs, input: Input) -> Result<Self, Failure> {
        let writing = &args.writing;
        if let Some(option) = writing.find_folder_option() {
            let words = "{} is for folders, lists of files and {write}";
            return Err(Failure::new(&input.name(), Diagnosis::from_words(words, &[&option])));
        }
        check_output(&input, writing)?;
        let output = writing.output.as_deref().filter(|_| !writing.names_stdout());
        Ok(Self { args, input, output })
    }

    /// Rewrites the document into its file, if the listener agrees.
    fn run(&self, observers: &mut Observers<'_>) -> Result<RewriteReport, Failure> {
        let listener = &mut *observers.listener;
        self.rewrite(|_, rewritten| {
            let report = make_report(rewritten);
            listener.report_file(self.input.shown(), &report);
            // Only Python calls this, and never writes to stdout: `-` is a file name there.
            if let Some(path) = &self.args.writing.output
                && listener.may_commit()
            {
                self.write(path, rewritten.bytes())?;
            }
            let (status, interrupted) = (RunStatus::Done, Interrupted::Discarded);
            Ok(RewriteReport { totals: Totals::from_document(&report), status, interrupted })
        })
    }

    /// Rewrites the document, and passes its old and its new text to `then`.
    pub fn rewrite<T>(
        &self,
        then: impl FnOnce(&[u8], &Rewritten<'_, Documents>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Self { args, input, .. } = self;
        let failed = |error| Failure::from_document(&input.name(), error);
        let rewriter = direction::make_rewriter(args)?;
        let rewriter = input.rewriter(rewriter, direction::find_origins(args)?, &args.inputs)?;
        let source = input.read(&args.document.limits.documents)?;
        let is_archive = matches!(input, Input::Stdin) && Format::begins_archive(&source);
        if is_archive && args.inputs.file_format.is_none() {
            return Err(refuse_archive(input.shown()));
        }
        let mut buffers = Buffers::new();
        let format = input.detect(&args.inputs, &source).map_err(failed)?;
        let rewritten = absolve_archive::rewrite(&source, format, &rewriter, &mut buffers);
        then(&source, &rewritten.map_err(failed)?)
    }

    /// Writes the document to the output file, or only checks that it could be written.
    pub fn write(&self, path: &Path, document: &[u8]) -> Result<(), Failure> {
        let written = if self.args.writing.dry_run {
            check_write(path, Some(document))
        } else {
            absolve_files::write_like(self.input.path().as_ref(), path, document)
        };
        written.map_err(|error| Failure::unwritten(path, error, "nothing was written"))
    }
}

/// Creates the report on the only document.
pub fn make_report(rewritten: &Rewritten<'_, Documents>) -> Report {
    let outcome =
        if rewritten.is_changed() { FileOutcome::Rewritten } else { FileOutcome::Unchanged };
    Report { outcome, documents: Some(rewritten.summary().clone()) }
}

/// Refuses the input as output, and without `--force` an existing file with contents.
fn check_output(input: &Input, writing: &WritingArgs) -> Result<(), Failure> {
    let Some(output) = &writing.output else { return Ok(()) };
    let refused =
        |problem| Err(Failure::new(&printable_path(output), Diagnosis::from_words(problem, &[])));
    if input.is_same_file(output) {
        return refused(
            "is the input itself; rewrite it in place with {write}, or give another file",
        );
    }
    let is_file = std::fs::metadata(output).is_ok_and(|old| old.is_file() && old.len() > 0);
    if is_file && !writing.force && !writing.names_stdout() {
        return refused("it exists; give another file, or {force} to replace it");
    }
    Ok(())
}

/// The job of a tree of documents.
pub struct TreeJob<'a> {
    args: &'a RewriteArgs,
    tree: Tree,
    rewriter: Rewriter,
    origins: Origins,
    workers: Workers,
}

impl<'a> TreeJob<'a> {
    /// Finds the files, and creates the rewriter.
    fn new(args: &'a RewriteArgs, paths: &Paths) -> Result<Self, Failure> {
        let origins = direction::find_origins(args)?;
        let walk = args.walk(choose_write_mode(&args.writing));
        let tree = paths.walk(&args.inputs, walk, origins.base())?;
        if !tree.items().is_empty() || !args.writing.is_to_stdout() {
            refuse_stdout(&args.writing)?;
        }
        let workers = Workers::new(args.inputs.files.jobs);
        // A run in place, or a preview of it, skips files with several hard links.
        let skips_hard_links =
            args.writing.output.is_none() && args.writing.hard_links() == HardLinks::Skip;
        let is_written = |item: &Item| {
            !skips_hard_links
                || absolve_files::names(&tree.path(item)).is_ok_and(|names| names == 1)
        };
        let rewriter = direction::make_rewriter(args)?;
        let rewriter = tree.renew_integrity(rewriter, &origins, &workers, is_written);
        Ok(Self { args, tree, rewriter, origins, workers })
    }

    /// Returns the number of files.
    pub fn files(&self) -> usize {
        self.tree.items().len()
    }

    /// Rewrites the tree, or only reports what would change.
    pub fn run(&self, observers: &mut Observers<'_>) -> Result<RewriteReport, Failure> {
        let destination = self.prepare_destination()?;
        let mut interrupted = match destination {
            Destination::Check(_) | Destination::Preview(_) => Interrupted::Trial,
            Destination::InPlace => Interrupted::InPlace,
            Destination::Mirror(_) => Interrupted::IntoFolder,
        };
        let (mut totals, mut status) = (self.new_totals(), RunStatus::Stopped);
        if observers.monitor.is_stopped() {
            interrupted = Interrupted::Discarded;
        } else {
            status = self.rewrite(&destination, &mut totals, observers);
        }
        if let Destination::Mirror(mirror) = destination {
            let is_complete = status != RunStatus::Stopped;
            // A staged folder appears complete or not at all; another keeps the files written.
            if is_complete && (!mirror.is_staged() || observers.listener.may_commit()) {
                mirror.finish(self.args.writing.sync)?;
            } else if mirror.is_staged() || interrupted == Interrupted::Discarded {
                interrupted = Interrupted::Discarded;
                mirror.discard();
            }
        }
        Ok(RewriteReport { totals, status, interrupted })
    }

    /// Returns the destination, after all checks that precede the first write.
    fn prepare_destination(&self) -> Result<Destination, Failure> {
        let (writing, tree) = (&self.args.writing, &self.tree);
        let Some(path) = &writing.output else {
            if writing.write {
                check_in_place(tree)?;
            }
            let is_in_place = writing.write && !writing.dry_run;
            let mode = if writing.write { WriteMode::Replace } else { WriteMode::Read };
            let check = Destination::Check(mode);
            return Ok(if is_in_place { Destination::InPlace } else { check });
        };
        let planned = PlannedMirror::new(tree, path, writing.not_empty())?;
        if writing.dry_run {
            return Ok(Destination::Preview(planned));
        }
        Ok(Destination::Mirror(planned.make(tree)?))
    }

    /// Returns empty totals. Links in XML files stay, which is reported if the links of other files
    /// become relative or move.
    fn new_totals(&self) -> Totals {
        let mut totals = Totals::default();
        if !self.args.direction.is_default() {
            totals.xml_files = self.tree.xml_files();
        }
        totals
    }

    fn rewrite(
        &self,
        destination: &Destination,
        totals: &mut Totals,
        observers: &mut Observers<'_>,
    ) -> RunStatus {
        let writing = &self.args.writing;
        let rewriting = Rewriting::new(&self.rewriter, &self.origins, destination)
            .format(self.args.inputs.file_format)
            .sync(writing.sync)
            .hard_links(writing.hard_links())
            .old_files(writing.old_files.0.clone());
        let Observers { monitor, listener } = observers;
        listener.start(self.files());
        let globs = self.args.inputs.files.globs.globs();
        rewriting.run(&self.tree, &self.workers, *monitor, &mut |item, report| {
            let path = self.tree.path(item);
            totals.add(&report);
            let is_copied = matches!(report.outcome, FileOutcome::Copied);
            if is_copied && !globs.is_excluded(&self.tree.below_root(item)) {
                listener.report_copied(&path);
            }
            listener.report_file(&path, &report);
        })
    }

    /// Prints the changes that a run would make, in the order of the files. `show` writes the
    /// change of a file from its path, its old text and its new text.
    pub fn preview(
        &self,
        observers: &mut Observers<'_>,
        sink: &impl Sink,
        show: impl Fn(&Path, (&[u8], &[u8]), &mut dyn Write) -> std::io::Result<()> + Sync,
    ) -> Result<RewriteReport, Failure> {
        let mut totals = self.new_totals();
        let Observers { monitor, listener } = observers;
        map_ordered(
            (&self.workers, &self.tree, *monitor),
            sink,
            |buffers, item, _, out| {
                self.preview_item(buffers, item, |path, texts| show(path, texts, out))
            },
            |item, report| {
                totals.add(&report);
                listener.report_file(&self.tree.path(item), &report);
            },
        )?;
        let is_interrupted = monitor.is_stopped() && totals.counts.seen < self.files() as u64;
        let status = if is_interrupted { RunStatus::Stopped } else { RunStatus::Done };
        Ok(RewriteReport { totals, status, interrupted: Interrupted::Trial })
    }

    /// Rewrites a document in memory. If the text changes, passes the path, the old text and the
    /// new text to `show`.
    fn preview_item(
        &self,
        buffers: &mut FileBuffers,
        item: &Item,
        show: impl FnOnce(&Path, (&[u8], &[u8])) -> std::io::Result<()>,
    ) -> Result<Report, PrintError> {
        buffers.read(&self.tree, item, &self.args.document.limits.documents)?;
        let rewriter = buffers.rewriter(&self.tree, item, &self.rewriter, &self.origins)?;
        let _lock = lock_if_large(buffers.source().len() as u64);
        let path = self.tree.path(item);
        if let Some(count) = self.count_blocking_links(&path) {
            let outcome = FileOutcome::skip_hard_links(&self.tree, item, count);
            return Ok(Report { outcome, documents: None });
        }
        let format = self.args.inputs.detect(&path, buffers.source())?;
        let (source, buffers) = buffers.parts();
        let rewritten = match absolve_archive::rewrite(source, format, &rewriter, buffers) {
            Ok(rewritten) => rewritten,
            Err(error) => {
                let skip = self.tree.skipped(item, &error).ok_or(error)?;
                return Ok(Report { outcome: FileOutcome::Skipped(skip), documents: None });
            }
        };
        let mut outcome = FileOutcome::Unchanged;
        if rewritten.is_changed() {
            show(&path, (source, rewritten.bytes()))?;
            outcome = FileOutcome::Rewritten;
        }
        Ok(Report { outcome, documents: Some(rewritten.into_summary()) })
    }

    /// Returns the number of hard links of a file that a run in place skips because of them.
    fn count_blocking_links(&self, path: &Path) -> Option<u64> {
        let skips_hard_links = self.args.writing.hard_links() == HardLinks::Skip;
        absolve_files::names(path).ok().filter(|&count| skips_hard_links && count > 1)
    }
}

/// Refuses to write several documents to stdout.
fn refuse_stdout(writing: &WritingArgs) -> Result<(), Failure> {
    let to_stdout = writing.output.is_none() || writing.names_stdout();
    if !writing.write && to_stdout && (writing.output.is_some() || !writing.is_trial()) {
        let problem = "cannot write several documents to stdout; give --output DIR, or --write to rewrite in place";
        return Err(Failure::message(problem));
    }
    Ok(())
}

/// Returns the mode of the walk. A preview finds the files of a run in place.
fn choose_write_mode(writing: &WritingArgs) -> WriteMode {
    match (&writing.output, writing.write || writing.is_trial()) {
        (Some(_), _) => WriteMode::Mirror,
        (None, true) => WriteMode::Replace,
        (None, false) => WriteMode::Read,
    }
}
