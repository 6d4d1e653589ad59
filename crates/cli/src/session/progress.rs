//! The progress bar of a run.

use std::fmt::Write;
#[cfg(unix)]
use std::fs::File;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use absolve_files::Monitor;
use indicatif::{HumanBytes, ProgressBar, ProgressState, ProgressStyle};

use super::output::Output;
use super::signals::Signals;

/// The time at which results are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ResultTime {
    /// While the bar is shown.
    DuringRun,
    /// After the bar is removed.
    AfterRun,
}

/// A bar of files, with the bytes read and the remaining time. It is hidden if stderr is not a
/// terminal, or with `--quiet`.
pub struct Progress<'s> {
    bar: ProgressBar,
    /// The number of bytes read, if the bar counts files.
    bytes: Arc<AtomicU64>,
    unit: Unit,
    signals: &'s Signals,
}

/// The unit that the bar counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Files,
    /// Bytes of a large file, which may be read several times.
    Bytes,
}

impl<'s> Progress<'s> {
    /// Shows a bar of files, unless results are printed during the run: the reader of a pipe may
    /// print them to the same terminal, and the bar would appear between their lines.
    pub fn new(files: usize, output: Output, results: ResultTime, signals: &'s Signals) -> Self {
        let bytes = Arc::new(AtomicU64::new(0));
        let is_shared = results == ResultTime::DuringRun && !is_stdout_a_file();
        let bar = if can_show_bar(output) && !is_shared {
            ProgressBar::new(files as u64)
        } else {
            ProgressBar::hidden()
        };
        let shown_bytes = bytes.clone();
        let style = ProgressStyle::with_template(
            "{wide_bar} {human_pos}/{human_len} files, {bytes_read}, {eta} left\r",
        );
        if let Ok(style) = style {
            bar.set_style(style.with_key(
                "bytes_read",
                move |_: &ProgressState, out: &mut dyn Write| {
                    let _ = write!(out, "{}", HumanBytes(shown_bytes.load(Ordering::Relaxed)));
                },
            ));
        }
        Self { bar, bytes, unit: Unit::Files, signals }
    }

    /// Shows a bar of the bytes of a large file, whose size is reported while it is read.
    pub fn new_for_bytes(output: Output, signals: &'s Signals) -> Self {
        let bar = if can_show_bar(output) { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style = "{wide_bar} {bytes} of {total_bytes}, {eta} left\r";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self { bar, ..Self::hidden(signals) }
    }

    /// Shows no bar, for a short run or one that prints to the terminal.
    pub fn hidden(signals: &'s Signals) -> Self {
        let bar = ProgressBar::hidden();
        Self { bar, bytes: Arc::default(), unit: Unit::Bytes, signals }
    }

    /// Prints something above the bar.
    pub fn print_above(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Whether stderr is a terminal, and `--quiet` is not given.
fn can_show_bar(output: Output) -> bool {
    io::stderr().is_terminal() && !output.messages.are_quiet()
}

/// Whether stdout is a regular file, and therefore not the terminal of the bar.
fn is_stdout_a_file() -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let stdout = io::stdout().as_fd().try_clone_to_owned();
        stdout.and_then(|stdout| File::from(stdout).metadata()).is_ok_and(|stdout| stdout.is_file())
    }
    #[cfg(not(unix))]
    {
        !io::stdout().is_terminal()
    }
}

impl Monitor for Progress<'_> {
    fn is_stopped(&self) -> bool {
        self.signals.is_stopped()
    }

    fn read(&self, bytes: u64) {
        if self.unit == Unit::Files {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
            self.bar.inc(1);
        }
    }

    fn read_to(&self, byte: u64, size: u64) {
        if self.unit == Unit::Bytes {
            if byte < self.bar.position() {
                // A new pass begins, and needs a new estimate of the remaining time.
                self.bar.reset_eta();
            }
            self.bar.set_length(size);
            self.bar.set_position(byte);
        }
    }
}
