//! The history of a site: read before the audit, and appended to after it.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use absolve_site::AuditReport;
use absolve_site::report::{BaselineDiff, History, Run};

use crate::args::ReportingArgs;
use crate::session::date;
use crate::session::failure::{Failure, reason};
use crate::terminal::printable_path;

/// The bytes that are read at the end of a history: the last 100 runs are drawn, of at most about
/// 3 KiB each.
const END: u64 = 1 << 20;

/// The file of `--history`, and the runs that it holds.
pub(super) struct RunHistory<'a> {
    file: &'a Path,
    /// The bytes of the file, to which the line is appended.
    size: u64,
    date: SystemTime,
    history: History,
}

impl<'a> RunHistory<'a> {
    /// Reads the history of `--history`; one that does not exist has no runs.
    pub(super) fn read(args: &'a ReportingArgs) -> Result<Option<Self>, Failure> {
        let Some(file) = args.history.as_deref() else { return Ok(None) };
        let date = date::of_run()?;
        let failed = |what: String| Failure::of(&printable_path(file), what);
        // The file is replaced, and its other names would keep the old runs.
        if let Some(names) = absolve_files::names(file).ok().filter(|&names| names > 1)
            && file.is_file()
        {
            let what = format!(
                "file has {names} hard links, and only this one would change; give another file, \
                 or copy this one"
            );
            return Err(failed(what));
        }
        let (size, end) = match read_end(file) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::NotFound => (0, Vec::new()),
            Err(error) => return Err(failed(format!("cannot read: {}", reason(&error)))),
        };
        let history = History::read(&end).map_err(|error| {
            let place = if size > END { " (in its last MiB)" } else { "" };
            failed(format!("{error}{place}; give --history a new file, or one that absolve wrote"))
        })?;
        Ok(Some(Self { file, size, date, history }))
    }

    /// The runs, with that of this audit once it is appended.
    pub(super) fn runs(&self) -> &History {
        &self.history
    }

    /// Appends the totals of an audit.
    ///
    /// The file is replaced as a whole: it always has complete lines, and what another run appended
    /// since it was read is never lost.
    pub(super) fn append(
        &mut self,
        audited: &AuditReport,
        diff: Option<&BaselineDiff>,
    ) -> Result<(), Failure> {
        let date = date::text(self.date);
        let run = Run::new(date, audited, diff);
        let failed = |error: io::Error| {
            let what = format!("cannot append: {}; nothing was written", reason(&error));
            Failure::of(&printable_path(self.file), what)
        };
        let line = run.line().map_err(|error| failed(error.into()))?;
        self.history.push(run);
        absolve_files::append(self.file, self.size, line.as_bytes()).map_err(failed)
    }
}

/// The size of a file, and the lines that begin in its last bytes.
fn read_end(path: &Path) -> io::Result<(u64, Vec<u8>)> {
    let mut file = absolve_files::open(path)?;
    let size = file.metadata()?.len();
    let start = size.saturating_sub(END);
    if start > 0 {
        file.seek(SeekFrom::Start(start))?;
    }
    let mut end = Vec::new();
    file.take(END).read_to_end(&mut end)?;
    if let Some(line) = end.iter().position(|byte| *byte == b'\n').filter(|_| start > 0) {
        end.drain(..=line);
    }
    Ok((size, end))
}
