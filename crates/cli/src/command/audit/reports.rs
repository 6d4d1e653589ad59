//! Where reports and baselines are written.

use std::env;
use std::io::{BufWriter, Write};
use std::path::Path;

use absolve_site::Finding;
use absolve_site::report::{self, Color, Context, Format};

use crate::args::{FormatArg, ReportingArgs, reject_shared_outputs};
use crate::run::audit::unwritten;
use crate::session::date;
use crate::session::failure::Failure;
use crate::session::ordered_output::BoundedBuffer;
use crate::session::output::to_stdout;
use crate::session::revision;

/// The reports of an audit, and where they go.
pub(super) struct Reports {
    args: Vec<FormatArg>,
    /// The date and the revision that a page names.
    date: Option<String>,
    revision: Option<String>,
}

impl Reports {
    /// The reports of `--format`. Default: text, and in a workflow of GitHub its annotations, whose
    /// text is in its log too.
    ///
    /// Rejects files that the run would write twice.
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
        let date = has_page.then(date::of_run).transpose()?.map(date::text);
        let commit = || has_page.then(|| revision::of_folder(Path::new("."))).flatten();
        let revision = reporting.revision.clone().or_else(commit);
        Ok(Self { args, date, revision })
    }

    /// Whether any is written to a file.
    pub(super) fn have_files(&self) -> bool {
        self.args.iter().any(|arg| arg.file.is_some())
    }

    /// Whether the text report is printed, which ends with the totals.
    pub(super) fn have_text(&self) -> bool {
        self.args.iter().any(|arg| arg.file.is_none() && arg.format == Format::Text)
    }

    /// The revision and the date that a page names.
    pub(super) fn about(&self) -> (Option<String>, Option<String>) {
        (self.revision.clone(), self.date.clone())
    }

    /// Writes each report, even if another one fails.
    ///
    /// A closed stdout affects neither the files nor the exit code.
    pub(super) fn write(&self, findings: &[Finding], context: &Context<'_>) -> Result<(), Failure> {
        let mut result = Ok(());
        for FormatArg { format, file } in &self.args {
            let written = match file {
                Some(file) => write_file(file, *format, findings, context),
                None => to_stdout(|out| report::write(*format, findings, context, out)),
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
    let unwritten = |error| unwritten(file, &error);
    // An unchanged file is not written. A report that is too large for the buffer is streamed.
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
