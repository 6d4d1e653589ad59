//! `absolve extract`: one document of a message or a web archive, or the files of a crawl.

use std::path::Path;

use absolve::Diagnosis;
use absolve::url::masked;
use absolve_files::Monitor as _;
use absolve_files::crawl::Crawl;

use crate::args::ExtractArgs;
use crate::run::extract::{ExtractJob, check_output, read_entry, read_only_document, write};
use crate::session::failure::{Failure, Status};
use crate::session::inputs::Input;
use crate::session::output::{Output, write_to_stdout, write_uninterrupted};
use crate::session::progress::Progress;
use crate::session::signals::{SecondSignal, Signals};
use crate::terminal::{Messages, printable};

/// Extracts the document that a path names, or else reads the whole crawl.
pub fn run(args: &ExtractArgs, output: Output) -> Result<Status, Failure> {
    if let [path] = &args.paths[..]
        && let Some((input, document)) = read_entry(args, path)?
    {
        return write_document(args, &input, &document);
    }
    let job = ExtractJob::new(args)?;
    let folder = args.output.as_deref().filter(|_| job.url.is_none());
    let signals = Signals::watch(SecondSignal::Ends);
    let progress = Progress::new_for_bytes(output, &signals);
    let result = job.read(&progress).and_then(|crawl| {
        if let Some(folder) = folder {
            return extract(args, crawl, folder, output, &progress);
        }
        let (input, document) = read_only_document(args, &crawl, &progress)?;
        write_document(args, &input, &document)
    });
    progress.finish();
    match (result, signals.received()) {
        (_, Some(signal)) => Ok(Status::Signal(signal)),
        (result, None) => result,
    }
}

/// Writes a document of a container to the output file or stdout.
fn write_document(args: &ExtractArgs, input: &Input, document: &[u8]) -> Result<Status, Failure> {
    check_output(args, input)?;
    match args.output.as_deref().filter(|output| *output != Path::new("-")) {
        Some(output) => {
            let write = || absolve_files::write_like(input.path().as_ref(), output, document);
            let signal = write_uninterrupted(output, || {
                let failed = |error| Failure::unwritten(output, error, "nothing was written");
                write().map_err(failed)
            });
            signal.map(|signal| signal.map_or(Status::Done, Status::Signal))
        }
        None => write_to_stdout(|out| out.write_all(document)).map(|()| Status::Done),
    }
}

/// Writes all files into a new folder, and prints the problems and a summary.
fn extract(
    args: &ExtractArgs,
    crawl: Crawl,
    path: &Path,
    output: Output,
    progress: &Progress<'_>,
) -> Result<Status, Failure> {
    let extracted = write(args, crawl, path, progress, || !progress.is_stopped())?;
    progress.finish();
    for (name, why) in &extracted.problems {
        Messages::error(Diagnosis::of(printable(&masked(name)), why));
    }
    output.messages.warning(extracted.summary());
    Ok(if extracted.problems.is_empty() { Status::Done } else { Status::Failed })
}
