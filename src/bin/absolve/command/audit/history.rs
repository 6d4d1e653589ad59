//! The history of a site: read before the audit, and appended to after it.

use std::io;
use std::path::Path;
use std::time::SystemTime;

use absolve::audit::AuditReport;
use absolve::batch;
use absolve::report::{BaselineDiff, History, Run};

use crate::args::ReportingArgs;
use crate::session::config::OwnFolder;
use crate::session::date;
use crate::session::failure::{Failure, reason};
use crate::terminal::printable_path;

/// The most bytes of a history.
const LARGEST: u64 = 1 << 28;

/// The file of `--history`, and the runs that it holds.
pub(super) struct RunHistory<'a> {
    file: &'a Path,
    /// Where the file may be, if a configuration that was found names it.
    own_folder: Option<&'a OwnFolder>,
    /// What was read, to which the line is appended.
    bytes: Vec<u8>,
    date: SystemTime,
    history: History,
}

impl<'a> RunHistory<'a> {
    /// Reads the history of `--history`; one that does not exist has no runs.
    pub(super) fn read(
        args: &'a ReportingArgs,
        own_folder: Option<&'a OwnFolder>,
    ) -> Result<Option<Self>, Failure> {
        let Some(file) = args.history.as_deref() else { return Ok(None) };
        let date = date::of_run()?;
        let failed = |what: String| Failure::of(&printable_path(file), what);
        // The file is replaced, and its other names would keep the old runs.
        if let Some(names) = batch::names(file).ok().filter(|&names| names > 1)
            && file.is_file()
        {
            let what = format!(
                "file has {names} hard links, and only this one would change; give another file, \
                 or copy this one"
            );
            return Err(failed(what));
        }
        let bytes = match batch::read_file(file, LARGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed(format!("cannot read: {}", reason(&error)))),
        };
        let history = History::read(&bytes).map_err(|error| {
            failed(format!("{error}; give --history a new file, or one that absolve wrote"))
        })?;
        Ok(Some(Self { file, own_folder, bytes, date, history }))
    }

    /// The runs, with that of this audit once it is appended.
    pub(super) fn runs(&self) -> &History {
        &self.history
    }

    /// Appends the totals of an audit.
    ///
    /// The file is replaced as a whole: it holds complete lines at every moment, and what another
    /// run appended since it was read is never lost.
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
        match self.own_folder {
            Some(folder) => folder.append_to_history(self.file, &self.bytes, line.as_bytes()),
            None => batch::append(self.file, &self.bytes, line.as_bytes()).map_err(failed),
        }
    }
}
