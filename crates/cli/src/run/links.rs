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
use crate::session::output::{Sink, Turn, WaitingOutput, is_special, map_ordered};
use crate::session::paths::entry_path;

/// A document whose links are listed.
pub struct Document<'a> {
    pub rewriter: &'a Rewriter,
    pub source: &'a [u8],
    /// The path of its file in results.
    pub file: &'a OsStr,
    pub format: Format,
    /// The record of a web archive that it is in, or the only part of it that is listed.
    pub entry: Option<EntryId>,
    /// Whether no other file is listed.
    pub is_alone: bool,
}

/// Writes lists of links, in any thread.
pub trait Lister: Sink + Sync {
    /// The columns of a list, which depend on the links of its document.
    type Columns;

    /// Prints what precedes all links.
    fn begin(&self) -> Result<(), Failure>;

    /// Reads a document, and writes nothing.
    fn measure(&self, document: &Document<'_>) -> Result<(Self::Columns, Documents), Error>;

    /// Writes the links of a document that was measured.
    fn list(
        &self,
        document: &Document<'_>,
        measured: (Self::Columns, &Documents),
        out: &mut dyn Write,
    ) -> io::Result<()>;

    /// Writes the links of a document in one pass, or nothing if it fails. Not for messages, whose parts
    /// can fail.
    fn list_at_once(
        &self,
        document: &Document<'_>,
        out: &mut dyn Write,
    ) -> io::Result<Result<Documents, Error>>;
}

/// Gets the reports of a job.
pub trait Listener {
    /// The only document was read, and its links follow.
    fn document(&mut self, name: &str, documents: &Documents);

    /// A file of a tree was listed, or was not.
    fn file(&mut self, path: &Path, report: &Report);

    /// A record of a web archive was listed, or was not.
    fn record(&mut self, file: &Path, record: EntryId, result: &Result<Summary, Diagnosis>);

    /// A web archive is at its end.
    fn end_archive(&mut self, name: &str);

    /// A web archive has no document that these options select.
    fn none_selected(&mut self, name: &str, options: &str);

    /// A web archive of several cannot be read.
    fn failed(&mut self, why: Diagnosis);
}

/// The documents that the arguments select.
pub struct LinksJob<'a> {
    args: &'a LinksArgs,
    selected: Selected,
    /// Whether one path was given, and that of a file.
    is_alone: bool,
}

enum Selected {
    /// A document, or only one of its parts.
    Document(Input, Option<EntryId>),
    /// Web archives, one after the other, or only one record of one.
    Archives(Vec<Input>, Option<RecordPosition>),
    Tree(Box<Tree>, Origins),
}

/// The error of a position without a document.
const NO_DOCUMENT: &str = "no document begins there; give a position as links prints it";

impl<'a> LinksJob<'a> {
    /// Checks the arguments, and finds the files; in folders, `globs` select documents.
    pub fn new(args: &'a LinksArgs, globs: Globs) -> Result<Self, Failure> {
        let entry = match &args.inputs.paths[..] {
            [path] => entry_path(path),
            _ => None,
        };
        let (inputs, entry) = match entry {
            Some((file, entry)) => (Inputs::One(Input::File(file)), Some(entry)),
            None => (Inputs::new(&args.inputs, args.base.base_url(), None)?, None),
        };
        let is_archive = |input: &Input| input.format(&args.inputs).is_archive();
        let check = || args.records.for_archives().map_or(Ok(()), |why| Err(Failure::message(why)));
        let is_alone = matches!(inputs, Inputs::One(_));
        let selected = match (inputs, entry) {
            (Inputs::One(input), Some(EntryId::Record(only))) => {
                Selected::Archives(vec![input], Some(only))
            }
            (Inputs::One(input), None) if is_archive(&input) => {
                Selected::Archives(vec![input], None)
            }
            (Inputs::Archives(paths), _) => {
                Selected::Archives(paths.into_iter().map(Input::File).collect(), None)
            }
            (Inputs::One(input), part) => check().map(|()| Selected::Document(input, part))?,
            (Inputs::Many(paths), _) => {
                check()?;
                let origins = args.base.origins()?;
                let walk = Walk::new(WriteMode::Read).globs(globs);
                let tree = paths.walk(&args.inputs, walk, origins.base())?;
                Selected::Tree(tree.into(), origins)
            }
        };
        Ok(Self { args, selected, is_alone })
    }

    /// Whether a monitor may stop the job: it reads several documents.
    pub fn is_monitored(&self) -> bool {
        !matches!(self.selected, Selected::Document(..))
    }

    /// Lists the links.
    pub fn run(
        &self,
        list: &impl Lister,
        monitor: &dyn Monitor,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let (archives, only) = match &self.selected {
            Selected::Document(input, part) => {
                return self.document((input, *part), list, listener);
            }
            Selected::Tree(tree, origins) => {
                return self.tree((tree, origins), list, monitor, listener);
            }
            Selected::Archives(archives, only) => (archives, *only),
        };
        if !self.is_alone {
            list.begin()?;
        }
        for archive in archives {
            match self.archive((archive, only), list, monitor, listener) {
                Err(Failure::Message(why) | Failure::Caused(why, _)) if !self.is_alone => {
                    listener.failed(why);
                }
                result => result?,
            }
            if monitor.is_stopped() {
                break;
            }
        }
        Ok(())
    }

    /// Lists the only document; errors occur before the first line is printed.
    fn document(
        &self,
        (input, entry): (&Input, Option<EntryId>),
        list: &impl Lister,
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
        let (columns, documents) = list.measure(&document).map_err(failed)?;
        if let (Some(part @ EntryId::Part(number)), Documents::Parts(parts)) = (entry, &documents) {
            let has_failed = parts.failures().iter().any(|error| error.part() == Some(number));
            if !has_failed && !parts.summaries().iter().any(|part| part.part == number) {
                return Err(Failure::new(&format!("{name}!{part}"), NO_DOCUMENT));
            }
        }
        listener.document(&name, &documents);
        list.begin()?;
        list.print(|out| list.list(&document, (columns, &documents), out))
    }

    fn tree(
        &self,
        (tree, origins): (&Tree, &Origins),
        list: &impl Lister,
        monitor: &dyn Monitor,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let args = self.args;
        let rewriter = args.document.rewriter(&args.base);
        let workers = Workers::new(args.inputs.files.jobs);
        list.begin()?;
        map_ordered(
            (&workers, tree, monitor),
            list,
            |buffers, item, turn, out| {
                buffers.read(tree, item, &args.document.limits.documents)?;
                let rewriter = &buffers.rewriter(tree, item, &rewriter, origins)?;
                let (source, path) = (buffers.source(), tree.path(item));
                let _turn = lock_if_large(source.len() as u64);
                let (file, format) = (path.as_os_str(), args.inputs.detect(&path, source)?);
                let document =
                    Document { rewriter, source, file, format, entry: None, is_alone: false };
                Ok(match write_links(list, &document, turn, out)? {
                    Ok(documents) => {
                        Report { outcome: FileOutcome::Unchanged, documents: Some(documents) }
                    }
                    Err(error) => {
                        let skip = tree.skipped(item, &error).ok_or(error)?;
                        Report { outcome: FileOutcome::Skipped(skip), documents: None }
                    }
                })
            },
            |item, report| listener.file(&tree.path(item), &report),
        )
    }

    /// Lists a web archive, or only one of its records.
    fn archive(
        &self,
        (input, only): (&Input, Option<RecordPosition>),
        list: &impl Lister,
        monitor: &dyn Monitor,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let (args, name) = (self.args, input.name());
        // To open a pipe waits for its writer, also after a signal.
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
        let options = args.document.limits.reading(args.records.selection(), only);
        let container = format.open(input.open(&())?, &options).map_err(failed)?;
        if self.is_alone {
            list.begin()?;
        }
        let (waiting, mut count, mut printed) = (WaitingOutput::default(), 0_u64, Ok(()));
        let work = |document: &ContainerDocument<'_>| {
            let early = |out: &mut dyn Write| write_record(list, input, document, Turn::Early, out);
            let (output, result) = waiting.make(early);
            Work { output, result }
        };
        let reading = Reading { workers, rewriter, work: &work };
        let read = container.read(&reading, &mut |document, work, again| {
            count += 1;
            if monitor.is_stopped() {
                return ControlFlow::Break(());
            }
            let result = waiting.print(list, (work.output, work.result), |out| {
                let mut result = Ok(Err(Diagnosis::new("")));
                again(&mut |document| result = write_record(list, input, document, Turn::Own, out));
                result
            });
            let file = path_of_member(input.shown(), document.member);
            printed = result.map(|result| listener.record(&file, document.record, &result));
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
        if let (0, Some(options)) = (count, args.records.given()) {
            listener.none_selected(&name, &options);
        }
        Ok(())
    }
}

/// Writes the links of a record, or why it has no document.
fn write_record(
    list: &impl Lister,
    input: &Input,
    record: &ContainerDocument<'_>,
    turn: Turn,
    out: &mut dyn Write,
) -> io::Result<Result<Summary, Diagnosis>> {
    let &Content { source, format, rewriter } = match &record.content {
        Ok(content) => content,
        Err(why) => return Ok(Err(why.clone())),
    };
    let _turn = lock_if_large(source.len() as u64);
    let file = path_of_member(input.path().as_ref(), record.member);
    let (file, entry) = (file.as_os_str(), Some(record.record));
    let document = Document { rewriter, source, file, format, entry, is_alone: false };
    Ok(match write_links(list, &document, turn, out)? {
        Ok(Documents::One(summary)) => Ok(*summary),
        Ok(_) => Err(Diagnosis::new("it is no document")),
        Err(error) => Err(Diagnosis::new(error)),
    })
}

/// Writes the links of a document of several, in its turn straight to the output: nothing if it fails.
fn write_links(
    list: &impl Lister,
    document: &Document<'_>,
    turn: Turn,
    out: &mut dyn Write,
) -> io::Result<Result<Documents, Error>> {
    if turn == Turn::Early && !document.format.has_parts() {
        return list.list_at_once(document, out);
    }
    match list.measure(document) {
        Ok((columns, documents)) => {
            list.list(document, (columns, &documents), out).map(|()| Ok(documents))
        }
        Err(error) => Ok(Err(error)),
    }
}
