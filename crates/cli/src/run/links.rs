//! Lists the links of a document, of a tree, or of web archives.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use absolve::{Diagnosis, Error, Rewriter, Summary};
use absolve_archive::jobs::{Workers, lock_if_large};
use absolve_archive::warc::RecordPosition;
use absolve_archive::{
    ContainerDocument, Content, Documents, EntryId, Format, Reading, Work, path_of_member,
};
use absolve_files::{FileOutcome, Globs, Monitor, Origins, Report, Tree, Walk, WriteMode};

use crate::args::LinksArgs;
use crate::session::failure::Failure;
use crate::session::inputs::{Input, Inputs};
use crate::session::output::{Phase, Sink, WaitingBytes, is_special, map_ordered};
use crate::session::paths::split_at_entry;

/// A document whose links are listed.
pub struct Document<'a> {
    pub rewriter: &'a Rewriter,
    pub source: &'a [u8],
    /// The path of its file, as the list has it.
    pub file: &'a OsStr,
    pub format: Format,
    /// The record of a web archive that contains the document, or the only part of it to list.
    pub entry: Option<EntryId>,
    /// Whether the list has no other file.
    pub is_alone: bool,
}

/// Writes lists of links, in several threads.
pub trait Lister: Sink + Sync {
    /// The widths of columns, which depend on all links of a document.
    type Columns;

    /// Prints the header.
    fn begin(&self) -> Result<(), Failure>;

    /// Reads a document to measure its columns, and writes nothing.
    fn measure(&self, document: &Document<'_>) -> Result<(Self::Columns, Documents), Error>;

    /// Writes the links of a document that was measured.
    fn list(
        &self,
        document: &Document<'_>,
        measured: (Self::Columns, &Documents),
        out: &mut dyn Write,
    ) -> io::Result<()>;

    /// Writes the links of a document in one pass, or nothing if it fails. A message needs two
    /// passes, since a part may fail after its first links.
    fn list_at_once(
        &self,
        document: &Document<'_>,
        out: &mut dyn Write,
    ) -> io::Result<Result<Documents, Error>>;
}

/// Receives the reports of a job.
pub trait Listener {
    /// Reports the only document, before its links are written.
    fn report_document(&mut self, name: &str, documents: &Documents);

    /// Reports a file of a tree that was listed, or failed.
    fn report_file(&mut self, path: &Path, report: &Report);

    /// Reports a record of a web archive that was listed, or failed.
    fn report_record(&mut self, file: &Path, record: EntryId, result: &Result<Summary, Diagnosis>);

    /// Reports the end of a web archive.
    fn end_archive(&mut self, name: &str);

    /// Reports a web archive without a document that these options select.
    fn report_none_selected(&mut self, name: &str, options: &str);

    /// Reports that one of several web archives cannot be read.
    fn report_failure(&mut self, why: Diagnosis);
}

/// The inputs that the arguments select.
pub struct LinksJob<'a> {
    args: &'a LinksArgs,
    selected: SelectedInputs,
    /// Whether the only input is one file.
    is_alone: bool,
}

enum SelectedInputs {
    /// A document, or one part of it.
    Document(Input, Option<EntryId>),
    /// Web archives, or a single record.
    Archives(Vec<Input>, Option<RecordPosition>),
    Tree(Box<Tree>, Origins),
}

/// The problem of a position where no document begins.
const NO_DOCUMENT: &str = "no document begins there; give a position as links prints it";

impl<'a> LinksJob<'a> {
    /// Checks the arguments, and finds the files; `globs` select documents in folders.
    pub fn new(args: &'a LinksArgs, globs: Globs) -> Result<Self, Failure> {
        let entry = match &args.inputs.paths[..] {
            [path] => split_at_entry(path),
            _ => None,
        };
        let (inputs, entry) = match entry {
            Some((file, entry)) => (Inputs::One(Input::File(file)), Some(entry)),
            None => (Inputs::new(&args.inputs, args.base.base_url(), None)?, None),
        };
        let is_archive = |input: &Input| input.format(&args.inputs).is_archive();
        let refuse_record_options = || {
            args.records.explain_archives_only().map_or(Ok(()), |why| Err(Failure::message(why)))
        };
        let is_alone = matches!(inputs, Inputs::One(_));
        let selected = match (inputs, entry) {
            (Inputs::One(input), Some(EntryId::Record(only))) => {
                SelectedInputs::Archives(vec![input], Some(only))
            }
            (Inputs::One(input), None) if is_archive(&input) => {
                SelectedInputs::Archives(vec![input], None)
            }
            (Inputs::Archives(paths), _) => {
                SelectedInputs::Archives(paths.into_iter().map(Input::File).collect(), None)
            }
            (Inputs::One(input), part) => {
                refuse_record_options().map(|()| SelectedInputs::Document(input, part))?
            }
            (Inputs::Many(paths), _) => {
                refuse_record_options()?;
                let origins = args.base.origins()?;
                let walk = Walk::new(WriteMode::Read).globs(globs);
                let tree = paths.walk(&args.inputs, walk, origins.base())?;
                SelectedInputs::Tree(tree.into(), origins)
            }
        };
        Ok(Self { args, selected, is_alone })
    }

    /// Whether the job reads several documents, and a monitor may stop it.
    pub fn is_monitored(&self) -> bool {
        !matches!(self.selected, SelectedInputs::Document(..))
    }

    /// Lists the links of all inputs.
    pub fn run(
        &self,
        lister: &impl Lister,
        monitor: &dyn Monitor,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let (archives, only) = match &self.selected {
            SelectedInputs::Document(input, part) => {
                return self.list_document((input, *part), lister, listener);
            }
            SelectedInputs::Tree(tree, origins) => {
                return self.list_tree((tree, origins), lister, monitor, listener);
            }
            SelectedInputs::Archives(archives, only) => (archives, *only),
        };
        if !self.is_alone {
            lister.begin()?;
        }
        for archive in archives {
            match self.list_archive((archive, only), lister, monitor, listener) {
                Err(Failure::Message(why) | Failure::Caused(why, _)) if !self.is_alone => {
                    listener.report_failure(why);
                }
                result => result?,
            }
            if monitor.is_stopped() {
                break;
            }
        }
        Ok(())
    }

    /// Lists the only document. Errors occur before the first line is printed.
    fn list_document(
        &self,
        (input, entry): (&Input, Option<EntryId>),
        lister: &impl Lister,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let (args, name) = (self.args, input.name());
        let failed = |error| Failure::new(&name, error);
        let rewriter = args.document.rewriter(&args.base);
        let rewriter = &input.rewriter(rewriter, args.base.origins()?, &args.inputs)?;
        let source = &*input.read(&args.document.limits.documents)?;
        let format = input.detect(&args.inputs, source).map_err(failed)?;
        let file = input.path();
        let document = Document { rewriter, source, file, format, entry, is_alone: true };
        let (columns, documents) = lister.measure(&document).map_err(failed)?;
        if let (Some(part @ EntryId::Part(number)), Documents::Parts(parts)) = (entry, &documents) {
            let has_failed = parts.failures().iter().any(|error| error.part() == Some(number));
            if !has_failed && !parts.summaries().iter().any(|part| part.part == number) {
                return Err(Failure::new(&format!("{name}!{part}"), NO_DOCUMENT));
            }
        }
        listener.report_document(&name, &documents);
        lister.begin()?;
        lister.print(|out| lister.list(&document, (columns, &documents), out))
    }

    fn list_tree(
        &self,
        (tree, origins): (&Tree, &Origins),
        lister: &impl Lister,
        monitor: &dyn Monitor,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let args = self.args;
        let rewriter = args.document.rewriter(&args.base);
        let workers = Workers::new(args.inputs.files.jobs);
        lister.begin()?;
        map_ordered(
            (&workers, tree, monitor),
            lister,
            |buffers, item, phase, out| {
                buffers.read(tree, item, &args.document.limits.documents)?;
                let rewriter = &buffers.rewriter(tree, item, &rewriter, origins)?;
                let (source, path) = (buffers.source(), tree.path(item));
                let _lock = lock_if_large(source.len() as u64);
                let (file, format) = (path.as_os_str(), args.inputs.detect(&path, source)?);
                let document =
                    Document { rewriter, source, file, format, entry: None, is_alone: false };
                Ok(match write_links(lister, &document, phase, out)? {
                    Ok(documents) => {
                        Report { outcome: FileOutcome::Unchanged, documents: Some(documents) }
                    }
                    Err(error) => {
                        let skip = tree.skipped(item, &error).ok_or(error)?;
                        Report { outcome: FileOutcome::Skipped(skip), documents: None }
                    }
                })
            },
            |item, report| listener.report_file(&tree.path(item), &report),
        )
    }

    /// Lists the documents of a web archive, or one record.
    fn list_archive(
        &self,
        (input, only): (&Input, Option<RecordPosition>),
        lister: &impl Lister,
        monitor: &dyn Monitor,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let (args, name) = (self.args, input.name());
        // Opening a pipe waits for its writer, and a signal does not interrupt that.
        if !self.is_alone && is_special(input.shown()) {
            return Err(Failure::new(&name, "it is a pipe or a device; list it alone"));
        }
        let failed = |error| Failure::from_container(&name, error);
        let format = match only {
            Some(_) => Format::from_name(input.shown()),
            None => input.format(&args.inputs),
        };
        let rewriter = args.document.rewriter(&args.base);
        let rewriter = &Input::rewriter_of_archive(rewriter, &args.base.origins()?);
        let workers = &Workers::new(args.inputs.files.jobs);
        let options = args.document.limits.read_options(args.records.selection(), only);
        let container = format.open(input.open(&())?, &options).map_err(failed)?;
        if self.is_alone {
            lister.begin()?;
        }
        let (waiting, mut count, mut printed) = (WaitingBytes::default(), 0_u64, Ok(()));
        let work = |document: &ContainerDocument<'_>| {
            let (output, result) = waiting
                .render_early(|out| write_record(lister, input, document, Phase::Early, out));
            Work { output, result }
        };
        let reading = Reading { workers, rewriter, work: &work };
        let read = container.read(&reading, &mut |document, work, read_again| {
            count += 1;
            if monitor.is_stopped() {
                return ControlFlow::Break(());
            }
            let result = waiting.print(lister, (work.output, work.result), |out| {
                // `read_again` passes the same document, which replaces this value.
                let mut result = Ok(Err(Diagnosis::new("")));
                read_again(&mut |document| {
                    result = write_record(lister, input, document, Phase::AtTurn, out);
                });
                result
            });
            let file = path_of_member(input.shown(), document.member);
            printed = result.map(|result| listener.report_record(&file, document.record, &result));
            if printed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        listener.end_archive(&name);
        printed?;
        if monitor.is_stopped() {
            return Ok(());
        }
        read.map_err(failed)?;
        if let (0, Some(only)) = (count, only) {
            return Err(Failure::new(&format!("{name}!{}", EntryId::Record(only)), NO_DOCUMENT));
        }
        if let (0, Some(options)) = (count, args.records.given_options()) {
            listener.report_none_selected(&name, &options);
        }
        Ok(())
    }
}

/// Writes the links of a record, or returns the reason why it has no document.
fn write_record(
    lister: &impl Lister,
    input: &Input,
    record: &ContainerDocument<'_>,
    phase: Phase,
    out: &mut dyn Write,
) -> io::Result<Result<Summary, Diagnosis>> {
    let &Content { source, format, rewriter } = match &record.content {
        Ok(content) => content,
        Err(why) => return Ok(Err(why.clone())),
    };
    let _lock = lock_if_large(source.len() as u64);
    let file = path_of_member(input.path().as_ref(), record.member);
    let (file, entry) = (file.as_os_str(), Some(record.record));
    let document = Document { rewriter, source, file, format, entry, is_alone: false };
    Ok(match write_links(lister, &document, phase, out)? {
        Ok(Documents::One(summary)) => Ok(*summary),
        Ok(_) => Err(Diagnosis::new("it is no document")),
        Err(error) => Err(Diagnosis::new(error)),
    })
}

/// Writes the links of one of several documents, or nothing if it fails. Messages, and documents at
/// their turn, are measured first, since a failure must occur before the first link is written.
fn write_links(
    lister: &impl Lister,
    document: &Document<'_>,
    phase: Phase,
    out: &mut dyn Write,
) -> io::Result<Result<Documents, Error>> {
    if phase == Phase::Early && !document.format.has_parts() {
        return lister.list_at_once(document, out);
    }
    match lister.measure(document) {
        Ok((columns, documents)) => {
            lister.list(document, (columns, &documents), out).map(|()| Ok(documents))
        }
        Err(error) => Ok(Err(error)),
    }
}
