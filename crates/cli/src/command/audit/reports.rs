//! Writes the reports of an audit, and a line in the history of the site.

use std::env;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::SystemTime;

use absolve_site::report::{self, BaselineDiff, Color, Context, Format, History, Run};
use absolve_site::{AuditReport, Finding};

use crate::args::{FormatArg, ReportingArgs, reject_shared_outputs};
use crate::run::audit::write_failure;
use crate::session::failure::{Failure, reason};
use crate::session::output::{BoundedBuffer, write_to_stdout};
use crate::session::provenance;
use crate::terminal::printable_path;

/// The reports of an audit, with their files.
pub(super) struct Reports {
    args: Vec<FormatArg>,
    /// The date that the report page names.
    date: Option<String>,
    revision: Option<String>,
}

impl Reports {
    /// Reads the reports of `--format`. The default is text, or annotations in a GitHub workflow,
    /// which include the text.
    ///
    /// Rejects two outputs to the same file.
    pub(super) fn new(reporting: &ReportingArgs) -> Result<Self, Failure> {
        let mut args = reporting.format.clone();
        if args.is_empty() {
            let is_workflow = env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
            let format = if is_workflow { Format::Github } else { Format::Text };
            args.push(FormatArg { format, file: None });
        }
        let (history, baseline) = (reporting.history.as_deref(), reporting.baseline.as_deref());
        let others = [("--history", history), ("--baseline", baseline)];
        reject_shared_outputs(&args, &others).map_err(Failure::message)?;
        let has_page = args.iter().any(|arg| arg.format == Format::Html);
        let date = has_page.then(provenance::read_date).transpose()?.map(provenance::format_date);
        let commit = || has_page.then(|| provenance::find_commit(Path::new("."))).flatten();
        let revision = reporting.revision.clone().or_else(commit);
        Ok(Self { args, date, revision })
    }

    /// Whether a report is written to a file.
    pub(super) fn have_files(&self) -> bool {
        self.args.iter().any(|arg| arg.file.is_some())
    }

    /// Whether stdout gets the text report, which ends with the totals.
    pub(super) fn have_text(&self) -> bool {
        self.args.iter().any(|arg| arg.file.is_none() && arg.format == Format::Text)
    }

    /// Returns the revision and the date that the report page names.
    pub(super) fn about(&self) -> (Option<String>, Option<String>) {
        (self.revision.clone(), self.date.clone())
    }

    /// Writes each report, even if another one fails.
    ///
    /// A closed stdout changes neither the files nor the exit code.
    pub(super) fn write(&self, findings: &[Finding], context: &Context<'_>) -> Result<(), Failure> {
        let mut result = Ok(());
        for FormatArg { format, file } in &self.args {
            let written = match file {
                Some(file) => write_file(file, *format, findings, context),
                None => write_to_stdout(|out| report::write(*format, findings, context, out)),
            };
            if !matches!(written, Err(Failure::ClosedPipe)) {
                result = result.and(written);
            }
        }
        result
    }
}

fn write_file(
    file: &Path,
    format: Format,
    findings: &[Finding],
    context: &Context<'_>,
) -> Result<(), Failure> {
    let context = context.color(Color::No).width(usize::MAX);
    let unwritten = |error| write_failure(file, &error);
    // A small report is buffered and compared with the file, which is not written if it is equal. A
    // larger report is streamed.
    let mut buffer = BoundedBuffer(Vec::new());
    if report::write(format, findings, &context, &mut buffer).is_ok() {
        return absolve_files::write(file, &buffer.0).map_err(unwritten);
    }
    let streamed = absolve_files::write_with(file, |out| {
        let mut out = BufWriter::new(out);
        report::write(format, findings, &context, &mut out)?;
        out.flush()
    });
    streamed.map_err(unwritten)
}

/// Maximum bytes to read at the end of a history. Reports draw its last 100 runs, of at most about
/// 3 KiB each.
const MAX_END_LEN: u64 = 1 << 20;

/// The file of `--history`, and its last runs.
pub(super) struct RunHistory<'a> {
    file: &'a Path,
    /// The size of the file, where the new line begins.
    size: u64,
    date: SystemTime,
    history: History,
}

impl<'a> RunHistory<'a> {
    /// Reads the history; a file that does not exist has no runs.
    pub(super) fn read(args: &'a ReportingArgs) -> Result<Option<Self>, Failure> {
        let Some(file) = args.history.as_deref() else { return Ok(None) };
        let date = provenance::read_date()?;
        let failed = |problem: String| Failure::new(&printable_path(file), problem);
        // The file is replaced, so its other hard links would keep the old runs.
        if let Some(names) = absolve_files::names(file).ok().filter(|&names| names > 1)
            && file.is_file()
        {
            let problem = format!(
                "file has {names} hard links, and only this one would change; give another file, \
                 or copy this one"
            );
            return Err(failed(problem));
        }
        let (size, end) = match read_end(file) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::NotFound => (0, Vec::new()),
            Err(error) => return Err(failed(format!("cannot read: {}", reason(&error)))),
        };
        let history = History::read(&end).map_err(|error| {
            let range = if size > MAX_END_LEN { " (in its last MiB)" } else { "" };
            failed(format!("{error}{range}; give --history a new file, or one that absolve wrote"))
        })?;
        Ok(Some(Self { file, size, date, history }))
    }

    /// Returns the runs, including this audit after [`append`](Self::append).
    pub(super) fn runs(&self) -> &History {
        &self.history
    }

    /// Appends the totals of an audit.
    ///
    /// The file is replaced as a whole, so it always has complete lines. Lines that another run
    /// appended after this run read the file are kept.
    pub(super) fn append(
        &mut self,
        audited: &AuditReport,
        diff: Option<&BaselineDiff>,
    ) -> Result<(), Failure> {
        let date = provenance::format_date(self.date);
        let run = Run::new(date, audited, diff);
        let failed = |error: io::Error| {
            let problem = format!("cannot append: {}; nothing was written", reason(&error));
            Failure::new(&printable_path(self.file), problem)
        };
        let line = run.line().map_err(|error| failed(error.into()))?;
        self.history.push(run);
        absolve_files::append(self.file, self.size, line.as_bytes()).map_err(failed)
    }
}

/// Returns the size of a file, and the lines that begin in its last [`MAX_END_LEN`] bytes.
fn read_end(path: &Path) -> io::Result<(u64, Vec<u8>)> {
    let mut file = absolve_files::open(path)?;
    let size = file.metadata()?.len();
    let start = size.saturating_sub(MAX_END_LEN);
    if start > 0 {
        file.seek(SeekFrom::Start(start))?;
    }
    let mut end = Vec::new();
    file.take(MAX_END_LEN).read_to_end(&mut end)?;
    if let Some(line) = end.iter().position(|byte| *byte == b'\n').filter(|_| start > 0) {
        end.drain(..=line);
    }
    Ok((size, end))
}
