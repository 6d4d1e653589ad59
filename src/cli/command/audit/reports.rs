//! Where reports and baselines are written.

use std::env;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::Diagnosis;
use crate::audit::{AuditReport, Finding};
use crate::batch;
use crate::report::display::counted;
use crate::report::{self, About, Baseline, Color, Context, Format, InvalidBaseline};

use crate::cli::args::{AuditArgs, FormatArg, ReportingArgs, reject_shared_outputs};
use crate::cli::session::date;
use crate::cli::session::failure::{Failure, reason};
use crate::cli::session::ordered_output::BoundedBuffer;
use crate::cli::session::output::to_stdout;
use crate::cli::session::revision;
use crate::cli::terminal::printable_path;
use crate::url::Base;

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

    /// What a page says of the run.
    pub(super) fn about<'a>(&'a self, args: &'a AuditArgs) -> About<'a> {
        let serving = &args.serving;
        About {
            base_url: serving.base_url.as_ref().map(Base::as_str),
            server: Some(serving.server.name()),
            revision: self.revision.as_deref(),
            date: self.date.as_deref(),
        }
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
        return batch::write(file, &buffer.0).map_err(unwritten);
    }
    let streamed = batch::write_with(file, |out| {
        let mut out = BufWriter::new(out);
        report::write(format, findings, &context, &mut out)?;
        out.flush()
    });
    streamed.map_err(unwritten)
}

/// The maximum size of a baseline.
const LARGEST_BASELINE: u64 = 1 << 30;

/// The problem of a baseline that cannot be used.
const ANEW: &str = "{}; {write-baseline} writes it anew";

/// The baseline that an audit of the site at a root is compared with.
pub fn baseline(args: &ReportingArgs, root: &Path) -> Result<Option<Baseline>, Failure> {
    let Some(file) = &args.baseline else {
        let what = "--write-baseline needs a file to write to; give it with --baseline FILE";
        let refused = Err(Failure::message(what));
        return if args.write_baseline { refused } else { Ok(None) };
    };
    if args.write_baseline {
        let what = "--write-baseline would forget what is in other files; leave out --report-only";
        let refused = Err(Failure::message(what));
        return if args.report_only.is_empty() { Ok(None) } else { refused };
    }
    let name = printable_path(file);
    // The baseline is the user's own file, with one line per finding.
    let bytes = batch::read_file(file, LARGEST_BASELINE).map_err(|error| {
        let what = Diagnosis::from_words("cannot read: {}", &[&reason(&error)]);
        Failure::of(&name, Diagnosis::from_words(ANEW, &[&what]))
    })?;
    let baseline = Baseline::read(&bytes, root);
    let wrong =
        |why: InvalidBaseline| Failure::of(&name, Diagnosis::from_words(ANEW, &[&why.to_string()]));
    baseline.map(Some).map_err(wrong)
}

/// Writes findings as the baseline of later audits of the site at a root.
pub fn write_baseline(file: &Path, audited: &AuditReport, root: &Path) -> Result<(), Failure> {
    let findings = &audited.findings;
    if !audited.unlisted.is_empty() {
        let count: u64 = audited.unlisted.iter().map(|unlisted| unlisted.count).sum();
        let words = "not written: {} more than there is room for; raise {limit findings=N} and \
                     {limit findings-size=SIZE} (0 = no limit)";
        let what = Diagnosis::from_words(words, &[&counted(count, "finding")]);
        return Err(Failure::of(&printable_path(file), what));
    }
    let mut bytes = Vec::new();
    let written = Baseline::of(findings, root).write(&mut bytes);
    written.map_err(|error| unwritten(file, &error))?;
    batch::write(file, &bytes).map_err(|error| unwritten(file, &error))
}

fn unwritten(file: &Path, error: &io::Error) -> Failure {
    let what = format!("cannot write: {}; nothing was written", reason(error));
    Failure::of(&printable_path(file), what)
}
